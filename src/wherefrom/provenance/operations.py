"""Operations and edge labels: what a step did, and who passed a value on, as a closed set of small records.

An origin says *what happened* by a record of this kind, never by a text: `Step(Item(2), ...)`, `Copy(Variable("port"),
...)`. Code that wants to know looks at the class, or at the very object where there is only one of its kind; words are
made only when something is shown. Each language has its own operations and edge labels beside those here; which there
are, and that each operation can be computed again or says why not, `tests/house/test_operations.py` checks.

An operation has its words (`item 2`), which is how documents name it, and how a formula on one line shows it. How it is
computed again stands in one table for each language, by class (`Computations`). An operation that is `Opaque` can not
be computed again from its inputs alone, and says why: it decides which elements something has or which branch was
taken, and is no value; or Ruby did it.

The classes are plain, with slots, because some of them are made as often as steps are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from ..base.diagnostics import Refused


class ProvenanceLabel:
    """Something that happened.  Two are equal if they are of one class and have the same words."""

    __slots__ = ()

    said: ClassVar[str] = ""
    """The words, or the first of them."""

    @property
    def words(self) -> str:
        """How documents and people name it."""
        return self.said

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is type(self) and self.words == other.words)

    def __hash__(self) -> int:
        return hash(self.words)

    def __str__(self) -> str:
        return self.words

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.words!r})"


# --- operations ------------------------------------------------------------------------------------------------------


class Op(ProvenanceLabel):
    """What a step did to its inputs."""

    __slots__ = ()

    @property
    def shown(self) -> str:
        """The words in a formula on one line."""
        return self.words


class At(Op):
    """An operation on what stands at a position."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index

    @property
    def words(self) -> str:
        return f"{self.said} {self.index}"


class Named(Op):
    """An operation that has a name in it: of a type, an attribute, a function."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def words(self) -> str:
        return f"{self.said} {self.name}"


class Infix(Op):
    """An operator that stands between its operands."""

    __slots__ = ("symbol",)

    def __init__(self, symbol: str) -> None:
        self.symbol = symbol

    @property
    def words(self) -> str:
        return self.symbol


class FunctionCall(Named):
    """A function of the language, by name."""

    __slots__ = ()
    said = "call"

    @property
    def shown(self) -> str:
        return self.name


class BuiltIn(Named):
    """A text that the language itself provides: the name of a class, of the main stage."""

    __slots__ = ()
    said = "built in"


class Opaque(Op):
    """An operation that can not be computed again from its inputs alone; `reason` says why."""

    __slots__ = ()
    reason: ClassVar[str] = ""


class Provided(Opaque):
    """Something that the language itself provides and that is no text: a function, a resource."""

    __slots__ = ()
    said = "built in"
    reason = "it is part of the language"


class Untraced(Opaque):
    """What happened while nothing was recorded."""

    __slots__ = ()
    said = "untraced"
    reason = "nothing was recorded"


class Shape(Opaque):
    """What decided which elements a composite has, or which branch was taken; the values have origins of their own.

    There is one object for each: see the constants of the languages.
    """

    __slots__ = ("_words",)
    reason = "it decides what is there, and is no value"

    def __init__(self, words: str) -> None:
        self._words = words

    @property
    def words(self) -> str:
        return self._words


class Render(Op):
    """The text of a template: its one input is the list of its parts."""

    __slots__ = ()
    said = "render"


class Recalled(Opaque):
    """An operation that was read back from a file, which has its words alone."""

    __slots__ = ("_words",)
    reason = "a saved outcome has the words of its operations alone"

    def __init__(self, words: str) -> None:
        self._words = words

    @property
    def words(self) -> str:
        return self._words

    @property
    def shown(self) -> str:
        return self._words.removeprefix("value ")


_SYMBOLS = frozenset("+ - * / % == != < > <= >= and or in =~ !~ << >> // ++ && || ->".split())


def recalled(words: str) -> Op:
    """The operation that a saved outcome names so."""
    if words in _SYMBOLS:
        return Infix(words)
    kind, _, name = words.partition(" ")
    return FunctionCall(name) if kind == FunctionCall.said and name else Recalled(words)


PROVIDED = Provided()
UNTRACED_STEP = Untraced()
ARRAY = Shape("array")
HASH = Shape("hash")
RENDER = Render()


# --- computing them again --------------------------------------------------------------------------------------------


class NotComputed(Refused):
    """The inputs are known, but not how they came to the answer."""

    def __init__(self, what: str, because: str = "") -> None:
        super().__init__(
            f"{what} cannot be computed again from its inputs alone" + (f": {because}" if because else ""),
            help="compile again to see the result for another input",
        )


World = TypeVar("World")
OpType = TypeVar("OpType", bound=Op)


class Computations(Generic[World]):
    """How the operations of one language are computed again: a function for each class.

    A function gets the operation, the values of its inputs, and the world that it may ask (the types of an environment,
    the functions of a machine).
    """

    def __init__(self) -> None:
        self.by_class: dict[type[Op], Callable[[Any, Sequence[Any], World], object]] = {}

    def of(
        self, *operations: type[OpType]
    ) -> Callable[[Callable[[OpType, Sequence[Any], World], object]], Callable[[OpType, Sequence[Any], World], object]]:
        """Say how the operations of these classes are computed."""

        def note(
            compute: Callable[[OpType, Sequence[Any], World], object],
        ) -> Callable[[OpType, Sequence[Any], World], object]:
            self.by_class.update(dict.fromkeys(operations, compute))
            return compute

        return note

    def apply(self, op: Op, arguments: Sequence[object], world: World) -> object:
        """Do an operation again.  Raises `NotComputed` if that is not possible."""
        compute = self.by_class.get(type(op))
        if compute is None:
            raise NotComputed(f"'{op.shown}'", op.reason if isinstance(op, Opaque) else "")
        return compute(op, arguments, world)


# --- edge labels -----------------------------------------------------------------------------------------------------


class EdgeLabel(ProvenanceLabel):
    """Who passed a value on, what chose it among others, or what stood before a place that took effect."""

    __slots__ = ()


class Reason(EdgeLabel):
    """An edge label without parts: a kind of test, a builtin that picks.  See the constants of the languages."""

    __slots__ = ("_words",)

    def __init__(self, words: str) -> None:
        self._words = words
        if type(self) is Reason:
            _REASONS.setdefault(words, self)

    @property
    def words(self) -> str:
        return self._words


_REASONS: dict[str, Reason] = {}
"""By their words: the reasons of the languages that are loaded, which are constants."""


def reason_of(words: str) -> EdgeLabel:
    """The edge label with these words, received from another process; one that has only words if none is known."""
    return _REASONS.get(words) or RecalledEdgeLabel(words)


class NamedEdgeLabel(EdgeLabel):
    """An edge label that has a name: a variable, a type, a prototype."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def words(self) -> str:
        return f"{self.said} {self.name}"


class Function(NamedEdgeLabel):
    """A function that moved the value or picked it."""

    __slots__ = ()

    @property
    def words(self) -> str:
        return self.name


class Opened(Function):
    """A function that took out what was hidden."""

    __slots__ = ()


class RecalledEdgeLabel(Reason):
    """An edge label that was read back from a file."""

    __slots__ = ()


IF = Reason("if")
CASE = Reason("case")
