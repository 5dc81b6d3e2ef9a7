"""Nix values, thunks, and how functions and builtins are called: the contract between the evaluator and its builtins.

| Nix             | Python                                                                                             |
|---|---|
| integer         | `int`, always within 64 bits; never `bool`: test `type(v) is int` |
| float           | `float`                                                                                            |
| Boolean, null   | `bool`, `None`                                                                                     |
| string          | `str`; one with store context is a `ContextString` (a subclass of `str`) |
| path            | `NixPath`                                                                                          |
| list            | `list` of slots, never changed after it was made                                                   |
| attribute set   | `Attrs`: `table` maps names to slots, never changed after it was made; any order |
| function        | a Python function of one slot (`FunctionType`), see `function_info`, or a `Builtin` |

Strings are byte strings in Nix. Here they are `str` decoded from UTF-8 with `surrogateescape`, so that text stays text;
what counts bytes (`stringLength`, `substring`, comparison of strings that are not ASCII) encodes with `to_bytes` first.

A *slot* is what variables, list elements and attributes hold: a value or a `Thunk`. `force(slot)` gives the value in
weak head normal form. `apply(f, slot)` calls any callable value and gives a slot; `call(f, slot)` is `force(apply(f,
slot))`.

**Builtins.** A `Builtin` has a name, an arity and a Python function that takes the `Machine` and then `arity` slots,
and returns a slot: a value, or a thunk (the caller forces it). Partial application is done here. Builtins force what
they need with `force`, and delay what they must not compute with `delay(lambda: ...)`, whose code may return any slot.
Errors are raised without a place: the call adds its own (see `errors.NixError`).

**Provenance.** With tracing on, slots made by a program are thunks or *cells*: a cell is a tuple `(value, how,
*inputs)` of a computed value and a note on how it came to be (`trace`). `force` takes them apart, so builtins need
not know. A builtin that *moves* data (`head`, `filter`, `attrValues`, `listToAttrs`, ...) keeps the history of each
element if it moves the
*slots* and does not force and re-wrap them, and a builtin that returns one of the slots it was given hands that slot's
history on. What a builtin forces through `force` while it runs is noted in `Running.touched`, and becomes what its
result depends on; the call itself is recorded as the step `call NAME` of its arguments. Nothing else is needed: with
tracing off there are no cells and nothing is noted.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

from .errors import InfiniteRecursion, NotCallable
from .running import running_here

if TYPE_CHECKING:
    from ...base.source import SourceFile, Span
    from .world import Machine

Value: TypeAlias = Any
"""A value in weak head normal form: see the table above."""

Slot: TypeAlias = Any
"""A `Value` or a `Thunk`; with tracing on also a cell."""

_recording = False
"""Whether any evaluation of this process has recorded: until then `force` need not ask what runs on its thread."""


_masking = 0
"""How many masked evaluations (`kernel.masks`) are at work in this process."""


def count_masking(more: int) -> None:
    """A masked evaluation begins its work, or ends it."""
    global _masking
    _masking += more


def expect_recording() -> None:
    """An evaluation is about to record what builtins look at."""
    global _recording
    _recording = True


class Thunk:
    """A value not yet computed (`code` gives it), one being computed (`code` is `black_hole`), or one computed
    (`value`).

    A thunk for the call of a function holds the function as its code, and the argument, as long as it is not computed,
    as its value (an argument that is `None` can not be told from none: `call_later`). If computing fails the code is
    put back, so that asking again fails again in the same way.
    """

    __slots__ = ("code", "origin", "value")

    code: Callable[..., Slot] | None
    value: Slot
    origin: Any

    def force(self) -> Value:
        """The value, computed at most once."""
        code = self.code
        if _masking and (masks := running_here().masks) is not None:
            if code is not None:
                return masks.force(self, code)
            if self.origin:
                masks.used |= self.origin
        if code is None:
            return self.value
        self.code = black_hole
        argument = self.value
        try:
            value = code() if argument is None else code(argument)
            kind = type(value)
            if kind is tuple:  # a cell: its note becomes this thunk's, passed on by this thunk if it names a transfer
                self.origin = value if self.origin is None else (value[0], self.origin, value)
                value = value[0]
            elif kind is Thunk:
                inner = value
                value = inner.value if inner.code is None else inner.force()
                if inner.origin is not None:
                    self.origin = inner.origin if self.origin is None else (value, self.origin, inner)
        except BaseException as problem:
            self.code = code
            if type(problem) is InfiniteRecursion:
                problem.passed_through(code, argument)
            raise
        self.value = value
        self.code = None
        return value

    def __repr__(self) -> str:
        return f"Thunk({self.value!r})" if self.code is None else "Thunk(...)"


def delay(code: Callable[..., Slot] | None, value: Slot = None, origin: object = None) -> Thunk:
    """A thunk.  Python calls a function in less time than a class that has an `__init__`, and nothing is made as often
    as thunks are.
    """
    thunk = Thunk()
    thunk.code = code
    thunk.value = value
    thunk.origin = origin
    return thunk


class LoadLater:
    """The code of a thunk that holds a builtin or constant not loaded yet.  Printing may force it: it is ready."""

    __slots__ = ("machine", "name")

    def __init__(self, machine: Machine, name: str) -> None:
        self.machine = machine
        self.name = name

    def __call__(self) -> Slot:
        return self.machine.load_builtin(self.name)


def black_hole(argument: Slot = None) -> Slot:
    """The code of a thunk that is being computed."""
    raise InfiniteRecursion()


def call_later(function: Callable[[Slot], Slot], argument: Slot) -> Thunk:
    """A thunk for the call of a Python function."""
    return delay(function, argument) if argument is not None else delay(partial(function, None))


def force(slot: Slot) -> Value:
    """The value in a slot, in weak head normal form.  For builtins: with tracing on, notes that it was looked at."""
    kind = type(slot)
    if kind is Thunk:
        if _recording and (touched := running_here().touched) is not None:
            touched.append(slot)
        return slot.value if slot.code is None and not _masking else slot.force()
    if kind is tuple:
        if (touched := running_here().touched) is not None:
            touched.append(slot)
        return slot[0]
    return slot


def is_ready(slot: Slot) -> bool:
    """Whether a slot is a computed thunk whose value may stand in its place: in a masked run its mask would be lost."""
    return type(slot) is Thunk and slot.code is None and type(slot.origin) is not int


def transfer_source(slot: Slot) -> Slot:
    """With tracing on: the slot that this one was passed on from by hands alone (attributes, `let`, `inherit`)."""
    while True:
        note = slot.origin if type(slot) is Thunk else slot
        if type(note) is not tuple or note[1].kind != "transfer":
            return slot if note is None else note
        slot = note[2]


class ContextString(str):
    """A string that refers to store objects: `context` holds `path`, `!output!path` or `=path`, as Nix writes them."""

    __slots__ = ("context",)
    context: frozenset[str]


def with_context(text: str, context: Iterable[str]) -> str:
    """`text` with `context`; a plain `str` if there is none."""
    references = frozenset(context)
    if not references:
        return str(text) if type(text) is not str else text
    string = ContextString(text)
    string.context = references
    return string


def context_of(text: str) -> frozenset[str]:
    """The store context of a string."""
    return text.context if type(text) is ContextString else frozenset()


def to_bytes(text: str) -> bytes:
    """The bytes of a Nix string."""
    return text.encode("utf-8", "surrogateescape")


def from_bytes(data: bytes) -> str:
    """The Nix string with these bytes."""
    return data.decode("utf-8", "surrogateescape")


class PathText(str):
    """A path as plain data: a text that remembers that it was a path, so that a term can be evaluated again."""

    __slots__ = ()


class NixPath:
    """A path: absolute, with `.` and `..` taken out.  Equal when the text is."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return type(other) is NixPath and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"NixPath({self.text})"


class Places:
    """Where each attribute of a set was written: `triples` holds a name, a start and an end for each."""

    __slots__ = ("source", "triples")

    def __init__(self, source: SourceFile, triples: tuple[Any, ...]) -> None:
        self.source = source
        self.triples = triples

    def get(self, name: str) -> Span | None:
        """The place of one."""
        triples = self.triples
        for index in range(0, len(triples), 3):
            if triples[index] == name:
                return self.source.span(triples[index + 1], triples[index + 2])
        return None


class UpdatedPositions:
    """The positions of `left // right`, looked up on demand: those of the right side's names are the right side's.

    Only the names of the smaller side are kept: `names` are the right side's, or those that only the left side has.
    """

    __slots__ = ("left", "names", "names_are_right", "right")

    def __init__(self, left: Attrs, right: Attrs) -> None:
        self.left = left.positions
        self.right = right.positions
        mine, theirs = left.table, right.table
        self.names_are_right = len(theirs) <= len(mine)
        self.names: Container[str] = (
            theirs.keys() if self.names_are_right else frozenset([name for name in mine if name not in theirs])
        )

    def side_of(self, name: str) -> Positions:
        """The positions that know where `name` was defined."""
        return self.right if (name in self.names) is self.names_are_right else self.left


Positions: TypeAlias = Mapping[str, "Span"] | Places | UpdatedPositions | None
"""Where each attribute was defined: a mapping, what a set literal says, what `//` made of two, or nothing known."""


class Attrs:
    """An attribute set: `table` maps names to slots; `positions` says where each was defined (see `position_of`)."""

    __slots__ = ("positions", "table")

    def __init__(self, table: dict[str, Slot], positions: Positions = None) -> None:
        self.table = table
        self.positions = positions

    def __repr__(self) -> str:
        return f"Attrs({', '.join(sorted(self.table))})"

    def sorted_names(self) -> list[str]:
        """The names in Nix's order: by bytes."""
        names = list(self.table)
        try:
            names.sort()
        except TypeError:  # pragma: no cover - names are strings
            names.sort(key=str)
        return names


def walk_order(table: Mapping[str, Slot]) -> Iterable[str]:
    """The names of a set in the order in which `==` and `deepSeq` meet them.

    It can matter only where there is more than one, and something that is still to be computed.
    """
    if len(table) < 2:
        return table
    for slot in table.values():
        if _may_fail(slot):
            order = running_here().order
            return table if order is None else order(table)
    return table


def _may_fail(slot: Slot) -> bool:
    kind = type(slot)
    if kind is Thunk:
        return slot.code is not None or type(slot.value) in (list, Attrs)
    return kind is list or kind is Attrs or (kind is tuple and type(slot[0]) in (list, Attrs))


def position_of(attrs: Attrs, name: str) -> Span | None:
    """Where attribute `name` was defined, if that is known (`builtins.unsafeGetAttrPos`)."""
    positions = attrs.positions
    while isinstance(positions, UpdatedPositions):
        positions = positions.side_of(name)
    return None if positions is None else positions.get(name)


class FunctionInfo:
    """What is known of a function written in Nix: its place, and its formal arguments if it has a pattern.

    `pattern` has a tuple for each formal: its name, its place (start and end) and whether it has a default, in source
    order; it is nothing for `x: e`.
    """

    __slots__ = ("_end", "_start", "argument", "ellipsis", "name", "names", "pattern", "required", "source")

    def __init__(
        self,
        source: SourceFile,
        start: int,
        end: int,
        argument: str | None,
        pattern: tuple[tuple[str, int, int, bool], ...] | None,
        ellipsis: bool,
        name: str | None = None,
    ) -> None:
        self.source = source
        self._start = start
        self._end = end
        self.argument = argument
        self.pattern = pattern
        self.ellipsis = ellipsis
        self.name = name
        self.names = frozenset([formal[0] for formal in pattern or ()])
        self.required = tuple([formal[0] for formal in pattern or () if not formal[3]])
        """The formals without a default."""

    @property
    def span(self) -> Span:
        """The function's place."""
        return self.source.span(self._start, self._end)

    @property
    def formals(self) -> dict[str, tuple[Span, bool]] | None:
        """Each formal's place and whether it has a default, by name; nothing for `x: e`."""
        if self.pattern is None:
            return None
        return {name: (self.source.span(start, end), has_default) for name, start, end, has_default in self.pattern}


def function_info(function: FunctionType) -> FunctionInfo:
    """What is known of a function value written in Nix."""
    info: FunctionInfo = function.__globals__["IMAGE"].function_info(function.__code__)
    return info


def uncurried(function: Value) -> Callable[[Slot, Slot], Slot]:
    """A Python function of two slots that calls `function` with both, for builtins that do so again and again.

    A function `x: y: ...` written in Nix takes both at once (see `emit.walk`), and its code says so.
    """
    if type(function) is FunctionType and function.__code__.co_argcount == 2:
        return function
    return lambda first, second: apply(force(apply(function, first)), second)


class Builtin:
    """A function of the language itself, perhaps already given some of its arguments."""

    __slots__ = ("arguments", "arity", "function", "looks", "machine", "name")

    def __init__(
        self,
        name: str,
        arity: int,
        function: Callable[..., Slot],
        machine: Machine,
        arguments: tuple[Slot, ...] = (),
        looks: bool = False,
    ) -> None:
        self.name = name
        self.arity = arity
        self.function = function
        self.machine = machine
        self.arguments = arguments
        self.looks = looks
        """Whether it looks at functions as values and does not only call them."""

    def given(self, arguments: tuple[Slot, ...]) -> Builtin:
        """The same builtin with these arguments, fewer than it takes."""
        return Builtin(self.name, self.arity, self.function, self.machine, arguments, self.looks)

    def __call__(self, slot: Slot) -> Slot:
        """Apply to one more argument."""
        arguments = (*self.arguments, slot)
        if len(arguments) < self.arity:
            return self.given(arguments)
        return self.machine.call_builtin(self, arguments)

    def __repr__(self) -> str:
        return f"Builtin({self.name})"


def apply(function: Value, slot: Slot) -> Slot:
    """Call a function, a builtin or a functor (a set with `__functor`) with one argument."""
    while True:
        kind = type(function)
        if kind is FunctionType or kind is Builtin:
            return function(slot)
        if kind is Attrs and "__functor" in function.table:
            function = force(apply(force(function.table["__functor"]), function))
            continue
        raise NotCallable(describe_type(function))


def call(function: Value, *slots: Slot) -> Value:
    """Call a function with arguments, one after the other, and force what comes out."""
    for slot in slots:
        function = force(apply(function, slot))
    return function


def is_function(value: Value) -> bool:
    """Whether `value` is a function in Nix's sense (functors are sets, not functions)."""
    return type(value) is FunctionType or type(value) is Builtin


def type_name(value: Value) -> str:
    """What `builtins.typeOf` says."""
    if value is None:
        return "null"
    return _TYPE_NAMES[type(value)]


def describe_type(value: Value) -> str:
    """The type as Nix's messages name it: `an integer`, `a set`, `the built-in function 'map'`, ..."""
    if value is None:
        return "null"
    if type(value) is Builtin:
        partial = "partially applied " if value.arguments else ""
        return f"the {partial}built-in function '{value.name}'"
    return _TYPE_PHRASES[type(value)]


_TYPE_NAMES: dict[type, str] = {
    int: "int",
    float: "float",
    bool: "bool",
    str: "string",
    ContextString: "string",
    NixPath: "path",
    list: "list",
    Attrs: "set",
    FunctionType: "lambda",
    Builtin: "lambda",
}

_TYPE_PHRASES: dict[type, str] = {
    int: "an integer",
    float: "a float",
    bool: "a Boolean",
    str: "a string",
    ContextString: "a string",
    NixPath: "a path",
    list: "a list",
    Attrs: "a set",
    FunctionType: "a function",
}
