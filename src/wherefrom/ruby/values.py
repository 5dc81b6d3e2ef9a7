"""The values of Ruby, as Python objects.

Most are Python's own, and they are the same objects that the host has (a template changes the array it was given):

    nil None        true, false bool      Integer int    Float float
    Array list      Hash dict or `Hash`   String str or `Text`      Symbol `wherefrom.base.keys.Symbol`

**Strings.** Ruby's strings can be changed in place and are shared by all who hold them. Few programs do so, and they
can be told by their words (`<<`, `gsub!`), so a string is a Python `str` until somebody may change it; then it is a
`Text`, a box round a `str`, and every holder of the box sees the change. Both are of class String. `text_of` opens
the box.

**Hashes** are dictionaries whose keys went through `hashing.key_of`; a hash with a default, or one
that is compared by identity, is the subclass `Hash`.

Objects of classes written in Ruby are `Object`s, classes and modules are `Module` and `Class`. An object that the
host offers is a `HostObject`: what Ruby can do with it is the closed table of methods of its class, never a Python
attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from ..base.keys import HashKey, Key

if TYPE_CHECKING:
    from ..base.source import Span

Value = Any
"""A Ruby value: one of the Python types above."""

Arguments = list[Value]
"""The arguments of a call, in order; those with keywords are a hash at the end."""

Native = Callable[[Any, Any, "list[Value]", Any], Value]
"""A method written in Python: interpreter, receiver, arguments, block (a `Proc` or nothing) -> result."""


class Text:
    """A String that can be changed in place."""

    __slots__ = ("frozen", "value")

    def __init__(self, value: str, frozen: bool = False) -> None:
        self.value = value
        self.frozen = frozen

    def __eq__(self, other: object) -> bool:
        return self.value == (other.value if type(other) is Text else other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"Text({self.value!r})"


class Hash(dict[HashKey, Value]):
    """A Hash with a default value or a default block."""

    __slots__ = ("default", "default_proc")

    def __init__(self, items: Any = (), default: Value = None, default_proc: Value = None) -> None:
        super().__init__(items)
        self.default = default
        self.default_proc = default_proc


class Keywords(dict[HashKey, Value]):
    """The keyword arguments of a call, last in the list of arguments."""

    __slots__ = ()


class Shown:
    """A value that only Ruby has a class for: where it gets out of Ruby, it is written as Ruby's `to_s` writes it."""

    __slots__ = ()

    def __str__(self) -> str:
        from .showing import outside

        return outside(self)

    def ruby_kind(self) -> str:
        """The name of its class."""
        from .classes import class_name

        return class_name(self)


class Range(Shown):
    """`first..last`, or `first...last`, which leaves the end out.  Either end may be nil."""

    __slots__ = ("exclusive", "first", "last")

    def __init__(self, first: Value, last: Value, exclusive: bool = False) -> None:
        self.first = first
        self.last = last
        self.exclusive = exclusive

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Range)
            and type(self.first) is type(other.first)
            and type(self.last) is type(other.last)
            and (self.first, self.last, self.exclusive) == (other.first, other.last, other.exclusive)
        )

    def __hash__(self) -> int:
        return hash((self.first, self.last, self.exclusive))


class Regexp(Shown):
    """A regular expression; `pattern` is our compiled form, with the options written into it."""

    __slots__ = ("options", "pattern", "source")

    def __init__(self, source: str, options: int, pattern: Any) -> None:
        self.source = source
        self.options = options
        self.pattern = pattern

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Regexp) and (self.source, self.options) == (other.source, other.options)

    def __hash__(self) -> int:
        return hash((self.source, self.options))


class MatchData(Shown):
    """What a regular expression found; `match` answers as `re.Match` does."""

    __slots__ = ("match", "regexp", "text")

    def __init__(self, match: Any, regexp: Regexp, text: str) -> None:
        self.match = match
        self.regexp = regexp
        self.text = text


class Set(Shown):
    """An ordered set; `members` maps keys to true."""

    __slots__ = ("members",)

    def __init__(self, members: dict[HashKey, bool] | None = None) -> None:
        self.members: dict[HashKey, bool] = members if members is not None else {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Set) and self.members == other.members

    def __hash__(self) -> int:
        return hash(frozenset(self.members))


class Visibility:
    """The visibility of a method."""

    PUBLIC, PROTECTED, PRIVATE = "public", "protected", "private"


class Method:
    """A method of a class: `run(interpreter, receiver, arguments, block)`.

    `low` and `high` say how many arguments it takes (`high` below 0: any number). `mutates` marks methods that change
    their receiver; `written` those that Ruby code wrote. What is known of a method of Ruby itself (that it keeps no
    argument, that it changes its receiver, ...) is known of the method: nothing follows from a name.
    """

    __slots__ = ("high", "low", "mutates", "name", "owner", "parameters", "run", "visibility", "written")

    def __init__(
        self,
        name: str,
        run: Native,
        low: int = 0,
        high: int = -1,
        mutates: bool = False,
        owner: Any = None,
        visibility: str = Visibility.PUBLIC,
        parameters: Any = None,
        written: bool = False,
    ) -> None:
        self.name = name
        self.run = run
        self.low = low
        self.high = high
        self.mutates = mutates
        self.owner = owner
        self.visibility = visibility
        self.parameters = parameters
        self.written = written

    def __repr__(self) -> str:
        return f"Method({self.name})"

    @property
    def arity(self) -> int:
        """Ruby's number for it: negative when arguments are optional."""
        return self.low if self.low == self.high else -self.low - 1


class Module(Shown):
    """A module: constants, instance methods, its own (singleton) methods, and the modules it includes.

    `outer` is the module it was written in. Modules that the host offers are made in Python: `natives` and `own` are
    their methods by name.
    """

    __slots__ = (
        "class_variables",
        "constants",
        "extended",
        "frozen",
        "host",
        "included",
        "ivars",
        "methods",
        "name",
        "outer",
        "own",
        "prepended",
    )
    is_class: ClassVar[bool] = False

    def __init__(
        self,
        name: str | None,
        natives: Mapping[str, Native | Method] | None = None,
        own: Mapping[str, Native | Method] | None = None,
        outer: Module | None = None,
        frozen: bool = False,
        host: Any = None,
    ) -> None:
        self.name = name
        self.outer = outer
        self.methods: dict[str, Method] = {n: _method(n, m) for n, m in (natives or {}).items()}
        self.own: dict[str, Method] = {n: _method(n, m) for n, m in (own or {}).items()}
        self.constants: dict[str, Value] = {}
        self.class_variables: dict[str, Value] = {}
        self.included: list[Module] = []
        self.prepended: list[Module] = []
        self.extended: list[Module] = []
        self.ivars: dict[str, Value] = {}
        self.frozen = frozen
        self.host = host

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"

    def line(self) -> list[Module]:
        """Where methods are looked for, in order: the ancestors."""
        order: list[Module] = []
        for module in [*reversed(self.prepended), self, *reversed(self.included)]:
            for ancestor in [module] if module is self else module.line():
                if ancestor not in order:
                    order.append(ancestor)
        return order

    def find(self, name: str) -> Method | None:
        """The instance method of that name, own or inherited: the first on the `line`, which need not be made."""
        for module in reversed(self.prepended):
            method = module.find(name)
            if method is not None:
                return method
        method = self.methods.get(name)
        if method is None:
            for module in reversed(self.included):
                method = module.find(name)
                if method is not None:
                    break
        return method

    def find_own(self, name: str) -> Method | None:
        """The method of the module itself (`def self.name`, `extend`)."""
        method = self.own.get(name)
        if method is None:
            for module in reversed(self.extended):
                method = module.find(name)
                if method is not None:
                    break
        return method


@lru_cache(2048)
def _method(name: str, given: Native | Method) -> Method:
    """A method of the host's: it never sees a `Text`.  Nobody changes one, so that runs share them."""
    if isinstance(given, Method):
        return given
    run = given

    def opened(interpreter: object, self: object, arguments: list[Value], block: object) -> Value:
        try:
            return run(interpreter, self, [settle(argument) for argument in arguments], block)
        except IndexError as problem:
            inside = problem.__traceback__ and problem.__traceback__.tb_next
            if inside is None or inside.tb_next is not None:
                raise
            # The method itself, not what it called, looked for an argument that was not given.
            from .classes import error

            raise error("ArgumentError", f"wrong number of arguments (given {len(arguments)})") from None

    return Method(name, opened)


class Class(Module):
    """A class.  `make` allocates an instance (inherited); nothing means that `new` is refused."""

    __slots__ = ("make", "superclass")
    is_class: ClassVar[bool] = True

    def __init__(
        self,
        name: str | None,
        superclass: Class | None,
        natives: Mapping[str, Native | Method] | None = None,
        own: Mapping[str, Native | Method] | None = None,
        outer: Module | None = None,
        frozen: bool = False,
        make: Callable[[Class], Value] | None = None,
        host: Any = None,
    ) -> None:
        super().__init__(name, natives, own, outer, frozen, host)
        self.superclass = superclass
        inherited: Callable[[Class], Value] | None = superclass.make if superclass is not None else None
        self.make: Callable[[Class], Value] | None = make or inherited

    def line(self) -> list[Module]:
        order = super().line()
        if self.superclass is not None:
            order.extend(module for module in self.superclass.line() if module not in order)
        return order

    def find(self, name: str) -> Method | None:
        here: Class | None = self
        while here is not None:
            method = Module.find(here, name) if here.included or here.prepended else here.methods.get(name)
            if method is not None:
                return method
            here = here.superclass
        return None

    def find_own(self, name: str) -> Method | None:
        here: Class | None = self
        while here is not None:
            method = Module.find_own(here, name)
            if method is not None:
                return method
            here = here.superclass
        return None

    def inherits(self, other: Module) -> bool:
        """Whether an instance of this is an instance of `other`."""
        return other is self or other in self.line()


class Object(Shown):
    """An instance of a class written in Ruby (or of a host's class with instance variables)."""

    __slots__ = ("cls", "extensions", "host", "ivars", "own")

    def __init__(self, cls: Class) -> None:
        self.cls = cls
        self.ivars: dict[str, Value] = {}
        self.own: dict[str, Method] | None = None
        self.extensions: list[Module] | None = None
        self.host: Any = None
        """What the host wants to remember about it."""


class Exception_(Object):
    """An exception as a value: it has a message and, once raised, the places it came through."""

    __slots__ = ("backtrace", "cause", "details", "message")

    def __init__(self, cls: Class, message: Value = None) -> None:
        super().__init__(cls)
        self.message = message
        self.backtrace: list[Span] | None = None
        self.cause: Value = None
        self.details: dict[str, Value] = {}


class StructValue(Object):
    """An instance of a Struct class; `fields` in the order of the members."""

    __slots__ = ("fields",)

    def __init__(self, cls: Class) -> None:
        super().__init__(cls)
        self.fields: dict[str, Value] = {}


class Enumerator(Shown):
    """What an iterator gives when it is called without a block: it iterates when it is asked."""

    __slots__ = ("arguments", "is_sized", "method", "position", "receiver", "values")

    def __init__(self, receiver: Value, method: str, arguments: list[Value], is_sized: bool = False) -> None:
        self.receiver = receiver
        self.method = method
        self.arguments = arguments
        self.is_sized = is_sized
        self.values: list[Value] | None = None
        self.position = 0


class HostObject(Shown):
    """An object that the host offers to Ruby: subclass it and name its class and its methods.

    `ruby_class` is a `Class` whose `methods` are Python functions; nothing else of the object can be reached.
    """

    __slots__ = ()
    ruby_class: Class


class Proc(Shown):
    """A block, proc or lambda.  Subclasses say how it runs."""

    __slots__ = ("is_lambda",)
    is_lambda: bool

    def call(self, arguments: list[Value], block: Proc | None = None) -> Value:
        """Called as `proc.call(...)` or `yield a, b`: an array alone is spread over several parameters."""
        raise NotImplementedError

    def handed_on(self) -> None:
        """It was given to a method that Ruby code wrote, which may do anything with it."""

    def one(self, value: Value) -> Value:
        """Called with one value, as `each` does."""
        return self.call([value])

    def two(self, first: Value, second: Value) -> Value:
        """Called with two values, as `each_with_index` does."""
        return self.call([first, second])

    @property
    def arity(self) -> int:
        """How many arguments it wants, as Ruby counts."""
        return -1

    @property
    def width(self) -> int:
        """How many values it takes apart: a block of two parameters gets key and value, of one the pair."""
        return 1

    @property
    def names_of_host(self) -> tuple[tuple[str, str], ...]:
        """The kinds and names of its parameters, as `parameters` tells them, if the host has given it."""
        return ()


class NativeProc(Proc):
    """A proc written in Python: `run(arguments)`."""

    __slots__ = ("_arity", "run")

    def __init__(self, run: Callable[[list[Value]], Value], arity: int = -1, is_lambda: bool = True) -> None:
        self.run = run
        self.is_lambda = is_lambda
        self._arity = arity

    def call(self, arguments: list[Value], block: Proc | None = None) -> Value:
        return self.run(arguments)

    @property
    def arity(self) -> int:
        return self._arity

    @property
    def width(self) -> int:
        return abs(self._arity)


def value_of(key: HashKey) -> Value:
    """The value that a `dict` key represents."""
    return key.value if type(key) is Key else key


def truth(value: Value) -> bool:
    """Only nil and false are false."""
    return value is not None and value is not False


def unboxed(value: Value) -> Value:
    """The value with every `Text` in it replaced by its `str`; containers without one are returned as they are."""
    kind = type(value)
    if kind is Text:
        return value.value
    if kind is list:
        inner = [unboxed(item) for item in value]
        return inner if any(new is not old for new, old in zip(inner, value)) else value
    if kind is dict:
        pairs = {key: unboxed(item) for key, item in value.items()}
        return pairs if any(pairs[key] is not item for key, item in value.items()) else value
    return value


def settle(value: Value, seen: set[int] | None = None) -> Value:
    """Open every `Text` inside `value`, in place in its containers: what leaves Ruby holds plain strings."""
    kind = type(value)
    if kind is Text:
        return value.value
    if kind is list or kind is dict or kind is Hash:
        seen = set() if seen is None else seen
        if id(value) in seen:
            return value
        seen.add(id(value))
        for key, item in list(enumerate(value)) if kind is list else list(value.items()):
            inside = type(item)
            if inside is Text:
                value[key] = item.value
            elif inside is list or inside is dict or inside is Hash:
                settle(item, seen)
    return value
