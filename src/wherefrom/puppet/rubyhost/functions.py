"""Functions of today's interface: `Puppet::Functions.create_function(:name) do dispatch ...; def ...; end`.

The block is the body of a class. `dispatch :method do ... end` describes a way to call the function with the same words
that Puppet's own functions use, so the check of arguments, and the message when none fits, are the type system's. A
call makes an instance and sends it the method, with what the signature injects (`scope_param`) woven in.

Programs are compiled once for an environment, classes are made anew in each run: nothing that a function keeps in its
class can leak from one catalog into the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic
from ...base.keys import Symbol
from ...provenance.origins import Choice
from ...ruby.classes import OBJECT, error
from ...ruby.errors import RubyError
from ...ruby.showing import to_s
from ...ruby.values import Arguments, Class, HostObject, Module, Object, Proc, Value
from ..kernel.failures import Failure
from ..kernel.jumps import Next, Return
from ..types import assert_instance, describe_signatures
from ..types.model import ANY, OptionalType, PuppetType, TypeAlias
from ..types.signatures import CallableSignature
from .run import Called, LambdaProc, Reads, RubyBlock, RubyRun, ruby_of
from .scope import GETTEXT, ScopeObject, ruby_run
from .values import enter, leave, need_arguments, text_argument, word

if TYPE_CHECKING:
    from ...base.source import Span
    from ...provenance.origins import Origin
    from ...ruby.interpreter import Interpreter
    from ..runtime.scope import Frame


class Dispatch:
    """One way to call a function: a signature, the method behind it, and what is woven into its arguments."""

    __slots__ = ("method", "mismatch", "result", "signature", "weaving")

    def __init__(
        self, method: str, signature: CallableSignature, weaving: list[Any], result: PuppetType | None, mismatch: bool
    ) -> None:
        self.method = method
        self.signature = signature
        self.weaving = weaving
        self.result = result
        self.mismatch = mismatch

    def woven(self, scope: ScopeObject, arguments: Arguments) -> list[Any]:
        """The arguments of the method."""
        if not any(isinstance(source, str) for source in self.weaving):
            return arguments
        woven: list[Any] = []
        for source in self.weaving:
            if isinstance(source, str):
                woven.append(scope if source == "scope" else None)
            elif source < 0:
                woven.extend(arguments[-source - 1 :])
            elif source < len(arguments):
                woven.append(arguments[source])
        return woven


class RubyFunctionDefinition:
    """What `create_function` made: the class, its dispatches and its local types."""

    __slots__ = ("cls", "dispatches", "internal", "local", "name", "ruby")

    def __init__(self, name: str, ruby: RubyRun, cls: Class, internal: bool) -> None:
        self.name = name
        self.ruby = ruby
        self.cls = cls
        self.internal = internal
        self.dispatches: list[Dispatch] = []
        self.local: dict[str, PuppetType] = {}

    def resolve(self, name: str) -> PuppetType | None:
        """A type by name: a local one, or one of the environment."""
        local = self.local.get(name.lower().removeprefix("::"))
        if local is not None:
            return local
        kind: PuppetType | None = self.ruby.environment.resolve(name)
        return kind

    def parse(self, given: object) -> PuppetType:
        """The type that a parameter is declared with: a text, or a type itself."""
        from ..types import parse_type

        if isinstance(given, PuppetType):
            return given
        return parse_type(text_argument(given), self.resolve)


class Builder(HostObject):
    """The `self` of a `dispatch` block."""

    __slots__ = ("block", "block_name", "definition", "least", "names", "result", "types", "unlimited", "weaving")
    ruby_class = Class("Puppet::Functions::DispatcherBuilder", OBJECT, frozen=True)

    def __init__(self, definition: RubyFunctionDefinition) -> None:
        self.definition = definition
        self.types: list[PuppetType] = []
        self.names: list[str] = []
        self.weaving: list[Any] = []
        self.least = 0
        self.unlimited = False
        self.block: PuppetType | None = None
        self.block_name = "block"
        self.result: PuppetType | None = None

    def add(self, type_given: object, name: object) -> None:
        """Any kind of parameter."""
        if self.unlimited:
            raise error("ArgumentError", "Parameters cannot be added after a repeated parameter")
        if self.block is not None:
            raise error("ArgumentError", "Parameters cannot be added after a block parameter")
        if type(name) is not Symbol:
            kind = "String" if isinstance(name, str) else type(name).__name__
            raise error("ArgumentError", f"Parameter name argument must be a Symbol. Got {kind}")
        if isinstance(type_given, (str, PuppetType)) or hasattr(type_given, "value"):
            self.types.append(self.definition.parse(type_given))
        else:
            raise error(
                "ArgumentError",
                "Parameter 'type' must be a String reference to a Puppet Data Type. Got "
                + ("NilClass" if type_given is None else type(type_given).__name__),
            )
        self.names.append(name.name)
        self.weaving.append(len(self.names) - 1)

    def signature(self) -> CallableSignature:
        """All of it."""
        most = None if self.unlimited else len(self.types)
        return CallableSignature(self.types, self.names, self.least, most, self.block, self.block_name, self.result)


def _param(interpreter: Interpreter, self: Builder, arguments: Arguments, block: object) -> Any:
    before = len(self.types)
    need_arguments(arguments, 2)
    self.add(arguments[0], arguments[1])
    if self.least != before:
        raise error("ArgumentError", "A required parameter cannot be added after an optional parameter")
    self.least += 1
    return None


def _optional(interpreter: Interpreter, self: Builder, arguments: Arguments, block: object) -> Any:
    self.add(arguments[0], arguments[1])
    return None


def _repeated(interpreter: Interpreter, self: Builder, arguments: Arguments, block: object) -> Any:
    self.add(arguments[0], arguments[1])
    self.weaving[-1] = -len(self.names)
    self.unlimited = True
    return None


def _required_repeated(interpreter: Interpreter, self: Builder, arguments: Arguments, block: object) -> Any:
    before = len(self.types)
    _repeated(interpreter, self, arguments, block)
    if self.least != before:
        raise error("ArgumentError", "A required repeated parameter cannot be added after an optional parameter")
    self.least += 1
    return None


def _block(required: bool) -> Any:
    def block_param(interpreter: Interpreter, self: Builder, arguments: Arguments, block: object) -> Any:
        if self.block is not None:
            raise error("ArgumentError", "Attempt to redefine block")
        type_text: Any = "Callable"
        name: Any = None
        if len(arguments) == 1:
            name = arguments[0]
        elif len(arguments) == 2:
            type_text, name = arguments
        elif len(arguments) > 2:
            raise error("ArgumentError", f"block_param accepts max 2 arguments (type, name), got {len(arguments)}.")
        if name is not None and type(name) is not Symbol:
            raise error("ArgumentError", f"Expected block_param name to be a Symbol, got {type(name).__name__}")
        kind = self.definition.parse(type_text)
        self.block = kind if required else OptionalType(kind)
        self.block_name = name.name if name is not None else "block"
        return None

    return block_param


def _result(interpreter: Interpreter, self: Builder, arguments: Arguments, block: object) -> Any:
    self.result = self.definition.parse(arguments[0])
    return None


def _inject(what: str) -> Any:
    def inject(interpreter: Interpreter, self: Builder, arguments: Arguments, block: object) -> Any:
        self.weaving.append(what)
        return None

    return inject


Builder.ruby_class.methods.update(
    Module(None, {
        "param": _param, "required_param": _param, "optional_param": _optional,
        "repeated_param": _repeated, "optional_repeated_param": _repeated,
        "required_repeated_param": _required_repeated,
        "block_param": _block(True), "required_block_param": _block(True), "optional_block_param": _block(False),
        "return_type": _result,
        "scope_param": _inject("scope"), "cache_param": _inject("cache"), "compiler_param": _inject("compiler"),
        "script_compiler_param": _inject("script"), "pal_compiler_param": _inject("compiler"),
    }).methods
)  # fmt: skip


class LocalTypes(HostObject):
    """The `self` of a `local_types` block."""

    __slots__ = ("definition",)
    ruby_class = Class("Puppet::Functions::LocalTypeAliasesBuilder", OBJECT, frozen=True)

    def __init__(self, definition: RubyFunctionDefinition) -> None:
        self.definition = definition


def _local_type(interpreter: Interpreter, self: LocalTypes, arguments: Arguments, block: object) -> Any:
    from ..types import parse_type

    text = text_argument(arguments[0])
    name, _, rest = text.partition("=")
    name = name.strip()
    definition = self.definition
    definition.local[name.lower()] = TypeAlias(name, lambda: parse_type(rest.strip(), definition.resolve))
    return None


LocalTypes.ruby_class.methods.update(Module(None, {"type": _local_type}).methods)


class Dispatcher(HostObject):
    """`self.class.dispatcher`, for functions that take their calls into their own hands."""

    __slots__ = ("definition",)
    ruby_class = Class("Puppet::Pops::Functions::Dispatcher", OBJECT, frozen=True)

    def __init__(self, definition: RubyFunctionDefinition) -> None:
        self.definition = definition


def _dispatch_call(interpreter: Interpreter, self: Dispatcher, arguments: Arguments, block: object) -> Any:
    instance, scope, given = arguments
    return dispatch(self.definition, instance, scope, list(given), block)


Dispatcher.ruby_class.methods.update(Module(None, {"dispatch": _dispatch_call}).methods)


def _definition(cls: Any) -> RubyFunctionDefinition:
    ancestor = cls
    while ancestor is not None:
        if isinstance(ancestor.host, RubyFunctionDefinition):
            return ancestor.host
        ancestor = ancestor.superclass
    raise error("ArgumentError", "not a function made by create_function")


def _dispatch(mismatch: bool) -> Any:
    def declare(interpreter: Interpreter, self: Class, arguments: Arguments, block: Any) -> Any:
        definition = _definition(self)
        builder = Builder(definition)
        if block is not None:
            interpreter.call_with_self(block, builder, [])
        need_arguments(arguments, 1)
        declared = Dispatch(word(arguments[0]), builder.signature(), builder.weaving, builder.result, mismatch)
        definition.dispatches.append(declared)
        return None

    return declare


def _local_types(interpreter: Interpreter, self: Class, arguments: Arguments, block: Any) -> Any:
    interpreter.call_with_self(block, LocalTypes(_definition(self)), [])
    return None


def _call_function(interpreter: Interpreter, self: Object, arguments: Arguments, block: Any) -> Any:
    ruby = ruby_run(interpreter)
    name = word(arguments[0])
    if not ruby.environment.has_function(name):
        words = f"Function {_definition(self.cls).name}(): Unknown function: '{name}'"
        raise error("ArgumentError", words)
    return ruby.call_puppet(ruby.run.top, name, arguments[1:], block)


def _closure_scope(interpreter: Interpreter, self: Object, arguments: Arguments, block: object) -> Any:
    return ScopeObject(ruby_run(interpreter).run.top)


def _call(interpreter: Interpreter, self: Object, arguments: Arguments, block: object) -> Any:
    return dispatch(_definition(self.cls), self, arguments[0], arguments[1:], block)


_BASE = "Puppet::Pops::Functions::Function"


def function_classes() -> tuple[Class, Class]:
    """The base classes of functions, made for one run: `Function` and `InternalFunction`."""
    pops = Class(_BASE, OBJECT, {
        "call_function": _call_function, "closure_scope": _closure_scope, "call": _call,
        "loader": lambda i, self, a, b: None, **GETTEXT,
    }, {
        "dispatch": _dispatch(False), "argument_mismatch": _dispatch(True), "local_types": _local_types,
        "dispatcher": lambda i, self, a, b: Dispatcher(_definition(self)),
        "signatures": lambda i, self, a, b: [],
        "name": lambda i, self, a, b: _definition(self).name,
        "builder": lambda i, self, a, b: Builder(_definition(self)),
    })  # fmt: skip
    base = Class("Puppet::Functions::Function", pops)
    return base, Class("Puppet::Functions::InternalFunction", base)


def create_function(ruby: RubyRun, name: str, base: Value, block: Proc) -> Class:
    """`Puppet::Functions.create_function(name, base) { ... }`"""
    try:
        superclass = _superclass(ruby, base)
        cls = Class(None, superclass)
        definition = RubyFunctionDefinition(name, ruby, cls, superclass.name == "Puppet::Functions::InternalFunction")
        cls.host = definition
        ruby.interpreter.call_with_self(block, cls, [], cls)
        if not definition.dispatches:
            definition.dispatches.append(_default_dispatch(name, cls))
    except RubyError as problem:
        if not problem.is_a("StandardError"):
            raise
        words = f"Function Load Error for function '{name}': {problem.message}"
        raise error("ArgumentError", words) from None
    except Diagnostic as problem:
        words = f"Function Load Error for function '{name}': {problem.message}"
        if not hasattr(problem, "issue"):
            raise
        raise error("ArgumentError", words) from None
    ruby.functions[name.lower()] = definition
    return cls


def _superclass(ruby: RubyRun, base: Value) -> Class:
    """The class that a function is to be based on, as Puppet checks it."""
    ancestors = ruby.interpreter.send(base, "ancestors")
    if isinstance(base, Class) and isinstance(ancestors, list):
        if any(isinstance(one, Class) and one.name == _BASE for one in ancestors):
            return base
    raise error("ArgumentError", f"Functions must be based on {_BASE}. Got {to_s(ruby.interpreter, base)}")


def _default_dispatch(name: str, cls: Class) -> Dispatch:
    """Without `dispatch`: the method named like the function, with as many arguments of any type as it takes."""
    simple = name.rpartition("::")[2]
    method = cls.methods.get(simple)
    if method is None:
        raise error(
            "ArgumentError",
            f"Function Creation Error, cannot create a default dispatcher for function '{simple}', "
            "no method with this name found",
        )
    most = None if method.high < 0 else method.high
    names = _parameter_names(method, method.low if most is None else most)
    signature = CallableSignature([ANY] * max(1, len(names)), names, method.low, most)
    return Dispatch(simple, signature, [], None, False)


def _parameter_names(method: Any, count: int) -> list[str]:
    names = getattr(method.parameters, "names", None)
    return list(names) if names else [f"p{index}" for index in range(max(count, 1))]


def dispatch(definition: RubyFunctionDefinition, instance: Any, scope: Any, arguments: Arguments, block: Any) -> Any:
    """Send an instance the method of the first dispatch that takes the arguments."""
    interpreter = definition.ruby.interpreter
    values = [_checked(value) for value in arguments]
    closure = _closure(definition.ruby, block)
    for candidate in definition.dispatches:
        if not candidate.signature.takes(values, closure):
            continue
        result = interpreter.send(instance, candidate.method, candidate.woven(scope, arguments), block)
        if candidate.mismatch:
            raise error("ArgumentError", f"'{definition.name}' {leave(interpreter.send(result, 'to_s'))}")
        if candidate.result is not None:
            result = leave(result)
            try:
                assert_instance(f"value returned from function '{candidate.method}'", candidate.result, result)
            except Diagnostic as problem:
                raise definition.ruby.raised(problem) from None
            result = enter(interpreter, result)
        return result
    shown = [candidate.signature for candidate in definition.dispatches if not candidate.mismatch]
    raise error("ArgumentError", describe_signatures(definition.name, shown, values, closure))


def _checked(value: object) -> Any:
    """An argument as the type system looks at it."""
    return leave(value) if not isinstance(value, HostObject) else value


def _closure(ruby: RubyRun, block: Any) -> Any:
    if block is None:
        return None
    return block.closure if isinstance(block, LambdaProc) else RubyBlock(ruby, block)


class RubyFunction(Called):
    """A function of the new interface."""

    __slots__ = ()

    def definition(self, ruby: RubyRun, span: Span | None) -> RubyFunctionDefinition:
        """The class, its file run if need be."""
        definition = ruby.functions.get(self.name)
        if definition is None:
            program = ruby.library.program(self.path)
            if "Puppet::Functions.create_function" not in program.source.text:
                words = f"The code loaded from {self.path} does not seem to be a Puppet 4x API function"
                raise Failure(f"{words} - no create_function call.", kind="misnamed type")
            result = ruby.interpreter.run(program)
            if not isinstance(result, Class) or not isinstance(result.host, RubyFunctionDefinition):
                from ...ruby.classes import class_of

                kind = "Class" if isinstance(result, Class) else class_of(result).name
                raise Failure(
                    f"The code loaded from {self.path} did not produce a Function class when evaluated. Got '{kind}'",
                    kind="misnamed type",
                )
            if result.host.name.lower() != self.name:
                raise Failure(
                    f"The code loaded from {self.path} produced mis-matched name, expected '{self.name}', "
                    f"got {result.host.name}",
                    kind="misnamed type",
                )
            definition = result.host
        return definition

    def invoke(
        self,
        frame: Frame,
        values: Sequence[object],
        origins: Sequence[Origin],
        block: object = None,
        span: Span | None = None,
    ) -> tuple[Any, Origin]:
        """The same for a caller in Ruby: exceptions pass."""
        ruby = ruby_of(frame.run)
        reads = Reads(self.op, origins, frame, span, values, self.name, block)
        reads.ran(self.path, ruby)
        ruby.enter(reads)
        try:
            definition = self.definition(ruby, span)
            instance = Object(definition.cls)
            proc = None if block is None else LambdaProc(ruby, block)
            arguments = [enter(ruby.interpreter, value) for value in values]
            reads.aliased.extend(values)
            result = ruby.interpreter.send(instance, "call", [ScopeObject(frame), *arguments], proc)
        except (Next, Return) as jump:
            return jump.value, Choice((reads.origin(),), jump.origin)
        finally:
            ruby.leave()
        ruby.settle(reads)
        value = leave(result)
        return value, reads.origin_of(value, ruby)
