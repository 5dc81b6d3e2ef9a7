"""One run of Ruby code: its constants, globals and limits, and how methods are found and called.

An `Interpreter` belongs to one compilation; programs are compiled once and can be run by many. Classes that Ruby code
defines live in the interpreter that ran the definition; Ruby's own classes are shared and can not be changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.budget import LARGE, Budget
from ..base.diagnostics import LimitReached
from ..base.keys import Symbol
from .classes import (
    CLASS,
    MODULE,
    OBJECT,
    PROC,
    class_of,
    error,
    table_of,
)
from .errors import ReturnJump, RubyError
from .frames import Activation
from .registry import CORE, PerRun
from .showing import inspect, module_name
from .values import (
    Class,
    Exception_,
    HostObject,
    Method,
    Module,
    Object,
    Proc,
    Regexp,
    Value,
    Visibility,
    truth,
)
from .world import MISSING, World

if TYPE_CHECKING:
    from ..base.source import SourceFile, Span

LEVELS_PER_CALL = 40
"""How many levels of the budget's depth a call in Ruby takes."""

MAXIMUM_BITS = 4_000_000

_FLAG_LETTERS = ((4, "m"), (1, "i"), (2, "x"))


class Interpreter:
    """A run.  `foreign` maps Python types of the host's values to classes that say what Ruby can do with them."""

    __slots__ = (
        "at",
        "binaries",
        "budget",
        "constants",
        "defined",
        "depth",
        "depth_limit",
        "epoch",
        "foreign",
        "frozen",
        "globals",
        "iterating",
        "libraries",
        "literals",
        "loaded",
        "main",
        "makings",
        "patterns",
        "required",
        "tables",
        "tracker",
        "world",
    )

    def __init__(
        self,
        world: World | None = None,
        budget: Budget | None = None,
        foreign: dict[type, Class] | None = None,
        tracker: Any = None,
    ) -> None:
        self.world = world or World()
        self.budget = budget or Budget()
        self.depth_limit = max(10, self.budget.limits["depth"] // LEVELS_PER_CALL)
        self.foreign = foreign or {}
        self.tracker = tracker
        if tracker is not None:
            tracker.budget = self.budget
        self.makings: Any = None
        """Where programs note how values are made (see `making`); nothing if they are not asked to."""
        self.binaries: dict[int, str] = {}
        """Texts without an encoding, by identity (see `binary`)."""
        self.literals: dict[int, tuple[str, Any]] = {}
        """The literals of the programs that were run so, by identity."""
        self.constants: dict[str, Value] = {}
        self.defined: set[str] = set()
        """The names of all methods that Ruby code has defined so far: of any other name Ruby's own meaning holds."""
        self.libraries: set[str] = set()
        self.required: dict[str, dict[str, SourceFile]] = {}
        """The files that the code of a file has required, by its name and theirs."""
        self.loaded: dict[str, SourceFile] = {}
        """What was found when a library was first required."""
        self.globals: dict[str, Value] = {}
        self.frozen: dict[int, Value] = {}
        self.iterating: dict[int, int] = {}
        self.depth = 0
        self.epoch = 0
        self.main = Object(OBJECT)
        self.patterns: dict[tuple[str, int], Regexp] = {}
        self.at: Span | None = None
        self.tables = CORE.tables()
        if self.foreign:
            self.tables = dict(self.tables)
            shared: dict[Class, dict[str, Method]] = {}
            for kind, cls in self.foreign.items():
                if cls not in shared:
                    shared[cls] = table_of(cls, kind)
                self.tables[kind] = shared[cls]

    def binary(self, text: str) -> str:
        """A text without an encoding (ASCII-8BIT), as a host may have to tell it from others: a new object, noted.

        Joining makes a new object of one letter too, where slicing would give the one that Python keeps for it; only
        the empty text exists once. What is computed from such a text is a text as any other.
        """
        text = "".join((text[:1], text[1:]))
        if text:
            self.binaries[id(text)] = text
        return text

    # --- running -----------------------------------------------------------------------------------------------------

    def run(self, program: Any, self_object: Value = None, locals_: dict[str, Value] | None = None) -> Value:
        """The value of a file's last statement."""
        return program.run(self, self.main if self_object is None else self_object, locals_ or {})

    # --- methods -----------------------------------------------------------------------------------------------------

    def find(self, receiver: Value, name: str) -> Method | None:
        """The method that `receiver.name` calls, if there is one."""
        kind = type(receiver)
        table = self.tables.get(kind)
        if table is not None:
            if kind is Class or kind is Module:
                return receiver.find_own(name) or table.get(name)
            return table.get(name)
        if isinstance(receiver, Object):
            if receiver.own is not None and name in receiver.own:
                return receiver.own[name]
            return receiver.cls.find(name)
        if isinstance(receiver, HostObject):
            return receiver.ruby_class.find(name)
        if kind is bool:
            from .classes import FALSE, TRUE

            return (TRUE if receiver else FALSE).find(name)
        if isinstance(receiver, Proc):
            return PROC.find(name)
        if isinstance(receiver, Module):
            return receiver.find_own(name) or (CLASS if receiver.is_class else MODULE).find(name)
        return OBJECT.find(name)

    def send(
        self, receiver: Value, name: str, arguments: list[Value] | None = None, block: Proc | None = None
    ) -> Value:
        """`receiver.name(*arguments, &block)`, private methods included."""
        method = self.find(receiver, name)
        if method is None:
            return self.missing(receiver, name, arguments or [], block)
        return method.run(self, receiver, arguments or [], block)

    def responds(self, receiver: Value, name: str) -> bool:
        """Whether `receiver` has a public method of that name."""
        method = self.find(receiver, name)
        if method is not None:
            return method.visibility == Visibility.PUBLIC
        asked = self.find(receiver, "respond_to_missing?")
        return asked is not None and truth(asked.run(self, receiver, [Symbol(name), False], None))

    def missing(
        self, receiver: Value, name: str, arguments: list[Value], block: Proc | None, is_word: bool = False
    ) -> Value:
        """A call that found no method: `method_missing` if the class has one, or NoMethodError."""
        if name != "method_missing":
            method = self.find(receiver, "method_missing")
            if method is not None:
                answer = method.run(self, receiver, [Symbol(name), *arguments], block)
                if answer is not MISSING:  # which says that a host's object has nothing of that name
                    return answer
        native = self.world.method(receiver, name)
        if native is not None:
            return native(self, receiver, arguments, block)
        from .refused import refusal

        words = refusal(receiver, name)
        if words is not None:
            if type(receiver) is bool or (type(receiver) in self.tables and not isinstance(receiver, Module)):
                raise self.private_call(receiver, name, "private")
            from .errors import RubyRefused

            raise RubyRefused(words, self.at)
        shown = self.shown_receiver(receiver)
        if is_word:
            raise error("NameError", f"undefined local variable or method `{name}' for {shown}", name=Symbol(name))
        raise error("NoMethodError", f"undefined method `{name}' for {shown}", name=Symbol(name), receiver=receiver)

    def shown_receiver(self, receiver: Value) -> str:
        """A receiver as messages about methods name it: `nil:NilClass`, `"a":String`, `main:Object`."""
        if receiver is self.main:
            return "main:Object"
        if isinstance(receiver, Module):
            return f"{module_name(receiver)}:{'Class' if receiver.is_class else 'Module'}"
        name = (self.foreign.get(type(receiver)) or class_of(receiver)).name or "#<Class>"
        shown = inspect(self, receiver)
        if isinstance(receiver, (Object, HostObject)) and len(shown) > 65:
            return f"#<{name}>"
        return shown if shown.startswith("#<") else f"{shown}:{name}"

    def private_call(self, receiver: Value, name: str, visibility: str) -> RubyError:
        """The complaint about a private method called from outside."""
        return error("NoMethodError", f"{visibility} method `{name}' called for {self.shown_receiver(receiver)}")

    # --- blocks ------------------------------------------------------------------------------------------------------

    def call_with_self(
        self,
        block: Proc,
        self_object: Value,
        arguments: list[Value],
        definee: Module | None = None,
        of_self: bool = False,
    ) -> Value:
        """Run a block with another `self` (`class_exec` when `definee` is given; `instance_exec` with `of_self`)."""
        if block is None:
            raise error("LocalJumpError", "no block given (yield)")
        bind = getattr(block, "bound", None)
        if bind is None:
            return block.call(arguments)
        bound = bind(self_object, definee, None)
        bound.activation.of_self = of_self
        return bound.call(arguments)

    def call_as_method(self, block: Proc, self_object: Value, arguments: list[Value], name: str = "block") -> Value:
        """Run a block as if it were the body of a method: `return` in it gives the result."""
        bind = getattr(block, "bound", None)
        if bind is None:
            return block.call(arguments)
        activation = Activation(Method(name, _no_method), arguments, block.nesting, None)  # type: ignore[attr-defined]
        try:
            return bind(self_object, None, activation).call(arguments)
        except ReturnJump as jump:
            if jump.target is not activation:
                raise
            return jump.value

    def instantiate(self, cls: Class, arguments: list[Value] | None = None, block: Proc | None = None) -> Value:
        """`cls.new(*arguments, &block)`"""
        return self.send(cls, "new", arguments, block)

    # --- constants ---------------------------------------------------------------------------------------------------

    def top_constant(self, name: str) -> Value:
        """A constant at the top, or `MISSING`."""
        constant = self.constants.get(name, MISSING)
        if constant is MISSING:
            constant = CORE.constants().get(name, MISSING)
            if constant is MISSING:
                constant = self.world.constant(self, None, name)
            elif type(constant) is PerRun:
                constant = self.constants[name] = constant.make()
        return constant

    def constant_in(self, scope: Value, name: str) -> Value:
        """`scope::name`, or `MISSING`."""
        if not isinstance(scope, Module):
            raise error("TypeError", f"{inspect(self, scope)} is not a class/module")
        if scope is OBJECT:
            return self.top_constant(name)
        for module in scope.line():
            constant = module.constants.get(name, MISSING)
            if constant is not MISSING:
                return constant
        return self.world.constant(self, scope, name)

    def constant(self, nesting: tuple[Module, ...], name: str, at: Span | None = None) -> Value:
        """A constant by its bare name, from inside the modules `nesting`."""
        for module in nesting:
            constant = module.constants.get(name, MISSING)
            if constant is not MISSING:
                return constant
        if nesting:
            for module in nesting[0].line():
                constant = module.constants.get(name, MISSING)
                if constant is not MISSING:
                    return constant
        constant = self.top_constant(name)
        if constant is MISSING:
            for module in nesting:
                if module.host is not None:
                    constant = self.world.constant(self, module, name)
                    if constant is not MISSING:
                        return constant
            raise self.uninitialized(None, name, at, nesting[0] if nesting else None)
        return constant

    def uninitialized(
        self, scope: Module | None, name: str, at: Span | None, inside: Module | None = None
    ) -> Exception:
        """The complaint about a constant that is not there: below `scope`, or named from `inside` of a module."""
        full = f"{module_name(scope)}::{name}" if scope is not None and scope is not OBJECT else name
        from .refused import refused_constant

        words = refused_constant(full)
        if words is not None:
            from .errors import RubyRefused

            return RubyRefused(words, at)
        if scope is None:
            home = module_name(inside) if inside is not None else self.world.home(at)
            full = f"{home}::{name}" if home is not None else name
        return error("NameError", f"uninitialized constant {full}", name=Symbol(name))

    def define_constant(self, module: Module | None, name: str, value: Value) -> None:
        """`module::name = value`; a class or module without a name is given this one."""
        if module is None or module is OBJECT:
            self.constants[name] = value
            full = name
        else:
            module.constants[name] = value
            full = f"{module_name(module)}::{name}"
        if isinstance(value, Module) and value.name is None:
            value.name = full

    # --- odds and ends -----------------------------------------------------------------------------------------------

    def regexp(self, source: str, options: int = 0) -> Regexp:
        """A regular expression, compiled once."""
        known = self.patterns.get((source, options))
        if known is None:
            known = self.patterns[source, options] = Regexp(source, options, compile_pattern(source, options))
        return known

    def check_frozen(self, value: Value) -> None:
        """Refuse to change a frozen container; called before every change."""
        if self.tracker is not None:
            self.tracker.touched.append(value)
        if (self.frozen and id(value) in self.frozen) or self.world.is_frozen(value):
            raise error("FrozenError", f"can't modify frozen {class_of(value).name}: {inspect(self, value)}")

    def exception_of(self, value: Value, message: Value = None, has_message: bool = False) -> Exception_:
        """What `raise value, message` raises."""
        if isinstance(value, Class):
            exception = self.send(value, "new", [message] if has_message else [])
        elif isinstance(value, Exception_):
            exception = value
            if has_message:
                exception = Exception_(value.cls, message)
                exception.ivars = value.ivars
        else:
            exception = value
        if not isinstance(exception, Exception_):
            raise error("TypeError", "exception class/object expected")
        return exception

    def enter(self) -> None:
        """One level deeper; every `enter` is followed by `leave`."""
        self.depth += 1
        budget = self.budget
        budget.steps -= 1
        if budget.steps < 0:
            budget.over("steps", "calling a method or block", self.at)
        if self.depth > self.depth_limit:
            raise error("SystemStackError", "stack level too deep")

    def make_text(self, length: int) -> None:
        """Count a text of that length, before it is made."""
        if length > 64:
            self.budget.draw("characters", length, "making a text", self.at)

    def make_items(self, count: int) -> None:
        """Count a container of that many items, before it is made."""
        if count > 16:
            self.budget.draw("elements", count, "making an array or hash", self.at)

    def multiply_bits(self, left: int, right: int) -> None:
        """Draw for a product of integers of so many bits, by Karatsuba's algorithm."""
        if left > LARGE and right > LARGE:
            words = min(left, right) / 30
            self.budget.draw("steps", int(max(left, right) / 30 * words**0.585 / 250), "multiplying integers", self.at)

    def divide_bits(self, left: int, right: int) -> None:
        """Draw for a quotient of integers of so many bits, by the school's algorithm."""
        if left > LARGE and right > LARGE:
            self.budget.draw("steps", int(left / 30 * (right / 30) / 800), "dividing integers", self.at)

    def make_bits(self, count: int) -> None:
        """Refuse an integer of that many bits."""
        if count > MAXIMUM_BITS:
            raise LimitReached(f"an integer would have {count:,} bits", MAXIMUM_BITS, self.at)
        if count > 512:
            self.budget.draw("characters", count // 8, "making an integer", self.at)


def _no_method(interpreter: Interpreter, self: Value, arguments: list[Value], block: object) -> Value:
    raise error("NoMethodError", "not a method")


def compile_pattern(source: str, options: int) -> object:
    """Our form of a regular expression with options."""
    from .patterns import BadPattern
    from .patterns import compile_pattern as compile_source

    letters = "".join(letter for bit, letter in _FLAG_LETTERS if options & bit)
    try:
        return compile_source(f"(?{letters}:{source})" if letters else source)
    except BadPattern as problem:
        raise error("RegexpError", str(problem)) from None
