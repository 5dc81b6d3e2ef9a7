"""Calls of functions and methods, lambdas, and functions written in Puppet.

A lambda is compiled once (`LambdaCode`) and becomes a value each time its call is evaluated (`Closure`): the code and
the frame it sees. Functions written in Puppet see the top scope alone, wherever they are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ...base.diagnostics import Diagnostic
from ...provenance.composites import is_constant
from ...provenance.operations import ARRAY
from ...provenance.origins import Choice, Guard, Items, Origin, Step, guarded
from ..kernel.acts import Acts
from ..kernel.edge_labels import ARGUMENTS, DECLARED, FOR_EACH
from ..kernel.failures import EvaluationError, Failure, FunctionFailure, placed
from ..kernel.jumps import Break, Next, Return
from ..kernel.operations import BLOCK_RESULT, LAMBDA, NEVER, Member
from ..kernel.shadow import Shadow
from ..kernel.values import URI, Deferred, ObjectValue
from ..runtime.binding import evaluate_default
from ..runtime.definitions import ParameterCode, not_a_type
from ..runtime.effects import Effects, effects_of
from ..runtime.library import Code
from ..runtime.missing_facts import lacking_facts
from ..runtime.names import RESERVED, reserved
from ..runtime.scope import Frame
from ..syntax import tree
from ..types import assert_instance, describe_signatures
from ..types.model import ANY, PuppetType
from ..types.objects import DEFERRED, DERIVED, ERROR, Implementation, ObjectFunction, ObjectType
from ..types.signatures import check_call
from .build import build, builds, compile_parameters, is_fixed, observed_body, unfold
from .literals import Unfolded, build_list, counted

if TYPE_CHECKING:
    from ...base.source import Span
    from ..kernel.traced import Traced
    from ..runtime.compilation import Compilation
    from ..runtime.library import Library
    from ..types.signatures import CallableSignature

_NEVER: Any = Step(NEVER, ())
"""The reason of no call."""

BLOCK, CALL = 10, 20
"""Steps that a call of a block and of a function take: each makes a frame and the origins of what it computes."""

DEEP = 100
"""Levels that a call inside of a call takes."""


class LambdaCode:
    """A list of parameters and a body.  `simple` if no parameter has a type or a default and none takes the rest."""

    __slots__ = (
        "_signature",
        "body",
        "effects",
        "environment",
        "fixed",
        "jumps",
        "names",
        "parameters",
        "return_code",
        "simple",
    )

    def __init__(
        self,
        parameters: Sequence[tree.Parameter],
        body: tree.Node,
        return_type: tree.Expression | None,
        environment: Library,
    ) -> None:
        self.parameters = compile_parameters(parameters, environment)
        self.names = tuple(parameter.name for parameter in self.parameters)
        code = build(body, environment)
        self.body = observed_body(parameters, code) if environment.observes(body.file.name) else code
        self.effects = effects_of(body, environment.effects)
        self.jumps: frozenset[str] = self.effects.jumps if self.effects is not None else frozenset()
        self.return_code = None if return_type is None else build(return_type, environment)
        self.environment = environment
        self.simple = self.return_code is None and not any(
            parameter.default is not None
            or parameter.type_code is not None
            or parameter.rest
            or parameter.name in RESERVED
            for parameter in self.parameters
        )
        self.fixed = (return_type is None or is_fixed(return_type)) and all(
            parameter.fixed for parameter in self.parameters
        )
        self._signature: CallableSignature | None = None

    def signature_in(self, frame: Frame) -> CallableSignature:
        """The types of the parameters, evaluated in `frame`; those that are the same in every run, once."""
        if self._signature is not None:
            return self._signature
        signature = self._evaluated(frame)
        if self.fixed:
            self._signature = signature
        return signature

    def signature_of_run(self, run: Compilation) -> CallableSignature:
        """The types of the parameters of a function, which sees the top scope alone."""
        if self.fixed:
            return self.signature_in(run.top)
        kept = run.parameter_types
        if self not in kept:
            kept[self] = self._evaluated(run.top)
        signature: CallableSignature = kept[self]
        return signature

    def _evaluated(self, frame: Frame) -> CallableSignature:
        from ..types.signatures import CallableSignature  # many programs have no such parameters

        types: list[PuppetType] = []
        least, most = 0, 0
        unlimited = optional = False
        for parameter in self.parameters:
            kind, low, high = _parameter_type(parameter, frame)
            types.append(kind)
            if low and optional:
                raise _too_late(parameter)
            optional = optional or not low
            least += low
            if high is None:
                unlimited = True
            else:
                most += high
        result = None if self.return_code is None else _result_type(self.return_code, frame)
        return CallableSignature(types, self.names, least, None if unlimited else most, result=result)

    def bind(self, frame: Frame, values: Sequence[object], origins: Sequence[Origin], callee: str) -> None:
        """Bind arguments to parameters in `frame`, evaluating defaults from left to right."""
        parameters = self.parameters
        variables = frame.vars
        frame.pending = set(self.names)
        count = len(values)
        for index, parameter in enumerate(parameters):
            name = parameter.name
            if name in RESERVED:
                raise reserved(name)
            if index >= count:
                if parameter.default is not None:
                    value, origin = evaluate_default(frame, parameter, list(self.names), callee)
                    if parameter.rest and not isinstance(value, list):
                        value, origin = [value], Items((origin,), Step(ARRAY, ()))
                elif parameter.rest:
                    value, origin = [], Items((), Step(ARRAY, ()))
                else:
                    if any(earlier.default is not None for earlier in parameters[:index]):
                        raise _too_late(parameter)
                    raise EvaluationError(
                        f"Parameter ${name} is required but no value was given",
                        parameter.span,
                        issue="MISSING_REQUIRED_PARAMETER",
                    )
            elif parameter.rest:
                rest = list(values[index:])
                value, origin = rest, Items(list(origins[index:]), Step(ARRAY, ()))
                if len(rest) == 1 and rest[0] is None and parameter.default is not None:
                    value, origin = evaluate_default(frame, parameter, list(self.names), callee)
                    if not isinstance(value, list):
                        value, origin = [value], Items((origin,), Step(ARRAY, ()))
            else:
                value, origin = values[index], origins[index]
            variables[name] = (value, origin)
            frame.pending.discard(name)
        frame.pending = None
        frame.match = None

    def check(self, frame: Frame, signature: CallableSignature, callee: str) -> None:
        """Check the bound parameters against their types."""
        arguments: list[Any] = []
        for parameter in self.parameters:
            value = frame.vars[parameter.name][0]
            if parameter.rest:
                arguments.extend(value)
            else:
                arguments.append(value)
        if not signature.takes(arguments):
            raise Failure(describe_signatures(callee, [signature], arguments), kind="arguments")


class _NoType(PuppetType):
    """A value where a type is expected (`File[a, b]`, which is two types): an error when it is used."""

    __slots__ = ("problem",)

    def __init__(self, problem: Failure) -> None:
        self.problem = problem

    def _key(self) -> tuple[Any, ...]:
        return (id(self),)

    def accepts(self, value: object) -> bool:
        raise self.problem

    def _takes(self, other: PuppetType) -> bool:
        raise self.problem


def _too_late(parameter: ParameterCode) -> EvaluationError:
    """A parameter that has to be given can not follow one that need not be."""
    return EvaluationError(
        f"Parameter ${parameter.name} is required but appears after optional parameters",
        parameter.span,
        issue="REQUIRED_PARAMETER_AFTER_OPTIONAL",
    )


def _parameter_type(parameter: ParameterCode, frame: Frame) -> tuple[PuppetType, int, int | None]:
    """The type of an argument, and how many arguments the parameter takes."""
    from ..types.containers import ArrayType

    kind: Any = ANY if parameter.type_code is None else parameter.type_code(frame)[0]
    if not isinstance(kind, PuppetType):
        kind = _NoType(not_a_type(f"Parameter '{parameter.name}'", kind))
    if parameter.rest:
        if isinstance(kind, ArrayType):
            size = kind.size
            low = 0 if size is None else size.low or 0
            return kind.element, low, None if size is None else size.high
        return kind, 0, None
    return kind, 0 if parameter.default is not None else 1, 1


def _result_type(code: Code, frame: Frame) -> PuppetType:
    """The type that a result has to have."""
    kind = code(frame)[0]
    return kind if isinstance(kind, PuppetType) else _NoType(not_a_type("The result", kind))


class Closure:
    """A lambda as a value: its code and the frame it was made in."""

    __slots__ = ("_signature", "because", "carried", "code", "frame", "guard")

    def __init__(self, code: LambdaCode, frame: Frame) -> None:
        self.code = code
        self.frame = frame
        self.because: Origin | None = None
        self.guard = frame.guard
        self.carried: Guard | None = None  # tests by which earlier calls did not end the loop
        self._signature: CallableSignature | None = None

    @property
    def signature(self) -> CallableSignature:
        """The types of its parameters, as they are where it was made."""
        if self._signature is None:
            self._signature = self.code.signature_in(self.frame)
        return self._signature

    @property
    def parameter_names(self) -> Sequence[str]:
        """The names of its parameters."""
        return self.code.names

    @property
    def least(self) -> int:
        """How many arguments it needs."""
        if self.code.simple:
            return len(self.code.names)
        return self.signature.minimum

    @property
    def most(self) -> int | None:
        """How many arguments it takes; nothing if any number."""
        if self.code.simple:
            return len(self.code.names)
        return self.signature.maximum

    def can_take(self, least: int, most: int) -> bool:
        """Whether so many arguments are right.  Raises if the first is to have a type that is none."""
        if self.least > least or (self.most is not None and self.most < most):
            return False
        if most and not self.code.simple and isinstance(self.signature.types[0], _NoType):
            raise self.signature.types[0].problem
        return True

    @property
    def puppet_type(self) -> Any:
        """Its type."""
        return self.signature.type

    def call(self, values: Sequence[object], origins: Sequence[Origin], because: Origin | None = None) -> Traced:
        """Run it, under a guard for what decided that it is called at all.  `Next` ends here."""
        code = self.code
        outer = self.frame
        frame = Frame(outer)
        if because is not self.because:
            self.because = because
            constant = because is None or (type(because) is Step and not because.inputs)
            above = self.carried or outer.guard
            self.guard = above if constant else Guard(because, above, None, FOR_EACH)  # type: ignore[arg-type]
        frame.guard = self.guard
        run = frame.run
        budget = run.budget
        budget.steps -= BLOCK
        if budget.steps < 0:
            budget.over("steps", "calling a block again and again")
        if code.simple and len(values) >= len(code.names):
            variables = frame.vars
            for name, value, origin in zip(code.names, values, origins):
                variables[name] = (value, origin)
        else:
            code.bind(frame, values, origins, "lambda")
            code.check(frame, self.signature, "lambda")
        try:
            result = code.body(frame)
        except Next as jump:
            result = (jump.value, jump.origin)
        except (Break, Return) as jump:
            if code.effects is not None and jump.guard is not None:  # what further calls would have done is absent
                run.note_absent(frame, code.effects, jump.guard)
            raise
        if code.jumps:
            result = self._not_left(frame, result)
        if code.return_code is not None:
            assert_instance("value returned from lambda", _result_type(code.return_code, outer), result[0])
        return result

    def _not_left(self, frame: Frame, result: Traced) -> Traced:
        """The body could have been left before its end: the result, and all that comes later, depend on the tests."""
        jumps = self.code.jumps
        if "return" in jumps:
            self.frame.guard = frame.guard
            self.because = _NEVER  # the guard of the next call begins with these tests
        elif "break" in jumps:
            self.carried = frame.guard
            self.because = _NEVER
        return result[0], guarded(result[1], frame.guard)


class PuppetFunction:
    """A function written in Puppet; called like one of ours."""

    __slots__ = ("body", "code", "name", "span")

    def __init__(self, name: str, definition: tree.FunctionDefinition, environment: Library) -> None:
        self.name = name
        self.body = definition.body
        self.code = LambdaCode(definition.parameters, definition.body, definition.return_type, environment)
        self.span = definition.at

    def call(
        self,
        machine: Any,
        values: Sequence[Any],
        origins: Sequence[Origin],
        block: Closure | None = None,
        span: Span | None = None,
    ) -> Traced:
        """Run it in the top scope, under the guard of the caller."""
        run = machine.run
        run.calls += 1
        budget = run.budget
        if run.calls * DEEP > budget.depth:
            budget.over("depth", f"calling the function {self.name}", span)
        budget.steps -= CALL
        if budget.steps < 0:
            budget.over("steps", f"calling the function {self.name}", span)
        code = self.code
        signature = code.signature_of_run(run)
        if not signature.takes(values, block):
            raise Failure(describe_signatures(self.name, [signature], values, block), kind="arguments")
        frame = Frame(run.top)
        frame.guard = machine.guard
        code.bind(frame, values, origins, self.name)
        if len(values) < len(code.names):
            code.check(frame, signature, self.name)
        try:
            result = code.body(frame)
        except (Next, Return) as jump:
            result = (jump.value, jump.origin)
        if code.jumps:
            result = (result[0], guarded(result[1], frame.guard))
        if code.return_code is not None:
            assert_instance(f"value returned from {self.name}", _result_type(code.return_code, run.top), result[0])
        run.calls -= 1
        return result


@builds(tree.Lambda)
def build_lambda(node: tree.Lambda, environment: Library, wanted: bool) -> Code:
    code = LambdaCode(node.parameters, node.body, node.return_type, environment)
    origin = Step(LAMBDA, (), node.span)
    return lambda frame: (Closure(code, frame), origin)


def _block(node: tree.Lambda | None, environment: Library) -> LambdaCode | None:
    return None if node is None else LambdaCode(node.parameters, node.body, node.return_type, environment)


@builds(tree.Call)
def build_call(node: tree.Call, environment: Library, wanted: bool) -> Code:
    arguments = build_list(node.arguments, environment)
    block = _block(node.block, environment)
    at = node.at
    functor = node.function
    if isinstance(functor, tree.TypeName) or (
        isinstance(functor, tree.Access) and isinstance(functor.target, tree.TypeName)
    ):
        return _build_new(build(functor, environment), arguments, block, at, environment)
    if not isinstance(functor, tree.Name):
        return _build_illegal(node)
    return _call_code(functor.value, arguments, block, at, environment, "Function Call")


def _call_code(name: str, arguments: Any, block: LambdaCode | None, at: Span, environment: Library, kind: str) -> Code:
    kept: list[Any] = []

    def call(frame: Frame) -> Traced:
        values, origins = arguments(frame)
        if not kept:
            kept.extend((environment.function(name, at), environment.other_function(name)))
        try:
            result = _looked_up(
                kept[0], kept[1], frame, values, origins, None if block is None else Closure(block, frame), at
            )
            if block is not None and block.effects is not None:
                _note_uncalled(frame, kept[0], block.effects, origins, result[1])
            return result
        except EvaluationError:
            raise
        except Diagnostic as failure:
            raise _placed(failure, kind, at, frame, values, origins) from None

    return call


def _placed(
    failure: Diagnostic, kind: str, at: Span, frame: Frame, values: Sequence[object], origins: Sequence[Origin]
) -> Diagnostic:
    """A failure at its place; where arguments are undef as the node lacks facts, these are named."""
    if failure.help is None and None in values:
        failure.help = lacking_facts(frame.run, zip(values, origins))
    return placed(failure, kind, at)


def _called(
    function: Any, frame: Frame, values: Sequence[Any], origins: Sequence[Origin], block: Closure | None, at: Span
) -> Traced:
    """Call a function.  If arguments were unfolded, what decided how many there are decides about all it does."""
    number = counted(origins) if type(origins) is Unfolded else None
    if number is None:
        result: Traced = function.call(frame, values, origins, block, at)
        return result
    outer = frame.guard
    frame.guard = Guard(number, outer, at, ARGUMENTS)
    try:
        value, origin = function.call(frame, values, origins, block, at)
    finally:
        frame.guard = outer
    return value, Choice((number,), origin, at, ARGUMENTS)


def _looked_up(
    function: object,
    others: Origin | None,
    frame: Frame,
    values: Sequence[object],
    origins: Sequence[Origin],
    block: Closure | None,
    at: Span,
) -> Traced:
    """Call a function.  If it was looked for in files, what it gives and does depends on those that are not there."""
    if others is None:
        return _called(function, frame, values, origins, block, at)
    outer = frame.guard
    guard = frame.guard = Guard(others, outer, at, DECLARED)
    try:
        value, origin = _called(function, frame, values, origins, block, at)
    finally:
        if frame.guard is guard:
            frame.guard = outer
    return value, Choice((others,), origin)


def _note_uncalled(frame: Frame, function: object, effects: Effects, origins: Sequence[Origin], result: Origin) -> None:
    """A block is called as often as the arguments say: what more calls would have done is absent because of them.

    Where a function is no iteration, whether it calls its block may depend on more than its first argument.
    """
    own = Shadow(origins[0]).own if origins else result
    if Acts.ENDS_BREAK not in getattr(function, "acts", Acts.NOTHING):
        own = Step(BLOCK_RESULT, (own, result))
    elif is_constant(own):  # the number of elements is program text
        return
    frame.run.note_absent(Frame(frame), effects, Guard(own, frame.guard, None, FOR_EACH))


def _build_new(type_code: Code, arguments: Any, block: LambdaCode | None, at: Span, environment: Library) -> Code:
    """`Integer('7')` is `new(Integer, '7')`."""

    def new(frame: Frame) -> Traced:
        kind, kind_origin = type_code(frame)
        values, origins = arguments(frame)
        try:
            function = environment.function("new", at)
            result: Traced = function.call(
                frame,
                [kind, *values],
                [kind_origin, *origins],
                None if block is None else Closure(block, frame),
                at,
            )
            return result
        except EvaluationError:
            raise
        except Diagnostic as failure:
            raise placed(failure, "Function Call", at) from None

    return new


def _build_illegal(node: tree.Call) -> Code:
    from ..kernel.failures import a_an_uc

    message = (
        f"Illegal expression. {a_an_uc(node.function.text_of())} is unacceptable as function name in a Function Call"
    )

    def illegal(frame: Frame) -> Traced:
        raise EvaluationError(message, node.function.at, issue="ILLEGAL_EXPRESSION")

    return illegal


@builds(tree.MethodCall)
def build_method_call(node: tree.MethodCall, environment: Library, wanted: bool) -> Code:
    name, at, span = node.name, node.at, node.span
    block = _block(node.block, environment)
    arguments = build_list((unfold(node.receiver), *node.arguments), environment)
    bare = not node.arguments and node.block is None
    kept: list[Any] = []

    def call(frame: Frame) -> Traced:
        values, origins = arguments(frame)
        try:
            if values and type(values[0]) in _WITH_MEMBERS:
                implementation = _implementation(values[0], name)
                if implementation is not None:
                    closure = None if block is None else Closure(block, frame)
                    return implementation.call(name, frame, values, origins, closure, at)
                _check_member(values[0], name, values[1:], None if block is None else Closure(block, frame))
                has, value = member(values[0], name) if bare and len(values) == 1 else (False, None)
                if has:
                    return value, Step(Member(name), (origins[0],), span)
            if values and hasattr(values[0], "call_method"):  # a value that has methods of its own
                given = None if block is None else Closure(block, frame)
                answered: Traced | None = values[0].call_method(name, frame, values, origins, given, at)
                if answered is not None:
                    return answered
            if not kept:
                kept.extend((environment.function(name, at), environment.other_function(name)))
            result = _looked_up(
                kept[0], kept[1], frame, values, origins, None if block is None else Closure(block, frame), at
            )
            if block is not None and block.effects is not None:
                _note_uncalled(frame, kept[0], block.effects, origins, result[1])
            return result
        except EvaluationError:
            raise
        except Diagnostic as failure:
            raise _placed(failure, "Method call", at, frame, values, origins) from None

    return call


_WITH_MEMBERS = (ObjectValue, URI, Deferred)
_URI_PARTS = ("scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque")


def _implementation(value: object, name: str) -> Implementation | None:
    """What does a function, or a derived attribute, of an object whose type is written in Ruby."""
    kind = getattr(value, "puppet_type", None)
    if not isinstance(kind, ObjectType) or kind.implementation is None:
        return None
    attribute = kind.attributes().get(name)
    is_done = attribute.kind == DERIVED if attribute is not None else name in kind.all_functions()
    return kind.implementation if is_done else None


def _check_member(value: object, name: str, arguments: Sequence[object], block: Closure | None) -> None:
    """An attribute takes no arguments; a derived one, and a function, would be written in Ruby."""
    kind = DEFERRED if isinstance(value, Deferred) else getattr(value, "puppet_type", None)
    if not isinstance(kind, ObjectType):
        return
    attribute = kind.attributes().get(name)
    if kind is ERROR:
        if name == "message" and arguments:
            raise FunctionFailure(f"wrong number of arguments (given {len(arguments)}, expected 0)")
        if name == "message" and block is not None:
            raise FunctionFailure("'function Error[message]' does not expect a block")
        return
    if attribute is not None:
        if arguments:
            raise FunctionFailure(f"'{attribute.label}' expects no arguments, got {len(arguments)}")
        if block is not None:
            raise FunctionFailure(f"'{attribute.label}' does not expect a block")
        if attribute.kind == DERIVED:
            raise FunctionFailure(f"no method is implemented for derived {attribute.label}")
    elif name in kind.all_functions():
        unimplemented(kind.all_functions()[name], arguments, block)


def unimplemented(function: ObjectFunction, arguments: Sequence[object], block: Closure | None = None) -> NoReturn:
    """A call of what an object type declares and nobody implements; the arguments are looked at first."""
    check_call(function.label, function.type, arguments, block)
    raise FunctionFailure(f"no method is implemented for {function.label}")


def member(value: Any, name: str) -> tuple[bool, Any]:
    """An attribute of an object, a URI or a deferred call, if it has one of this name."""
    if isinstance(value, URI):
        return (True, getattr(value, name)) if name in _URI_PARTS else (False, None)
    if isinstance(value, Deferred):
        return (True, getattr(value, name)) if name in ("name", "arguments") else (False, None)
    if name in value.attributes:
        return True, value.attributes[name]
    if name == "message" and "msg" in value.attributes:
        return True, value.attributes["msg"]
    return False, None
