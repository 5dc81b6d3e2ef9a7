"""The operations and edge labels of Nix, and what the notes of a recording program mean by their symbols.

A recording program is text and constants, which also lie in a cache; its notes (`How`) therefore have symbols, and
`history` makes records of them here: `operation` for what computed a value, `PassedOn`, `Picked` and `Chosen` for what
passed one on. How an operation is computed again stands in `terms`.
"""

from __future__ import annotations

from ...provenance.operations import At, EdgeLabel, Infix, Named, NamedEdgeLabel, Op, Reason, Untraced

# --- operations ------------------------------------------------------------------------------------------------------


class Operator(Infix):
    """A binary operator of which both sides were computed."""

    __slots__ = ()


class Decided(Named):
    """`&&`, `||` or `->` whose left side decided; `name` is the operator."""

    __slots__ = ()

    @property
    def words(self) -> str:
        return f"{self.name} decided by"


class Negate(Op):
    """Unary minus."""

    __slots__ = ()
    said = "negate"


class Not(Op):
    """`!`"""

    __slots__ = ()
    said = "!"


class Interpolate(Op):
    """A text with values in it."""

    __slots__ = ()
    said = "interpolate"


class InterpolatePath(Op):
    """A path with values in it."""

    __slots__ = ()
    said = "path"


class Has(Named):
    """`?`: whether a set has what a path of names leads to."""

    __slots__ = ()
    said = "?"


class Attribute(Named):
    """An attribute of a set that a builtin made."""

    __slots__ = ()
    said = "attribute"


class Element(At):
    """An element of a list that a builtin made."""

    __slots__ = ()
    said = "element"


class EmptySet(Op):
    """A set as it is written: its attributes have origins of their own."""

    __slots__ = ()
    said = "set"


class EmptyList(Op):
    """A list as it is written: its elements have origins of their own."""

    __slots__ = ()
    said = "list"


class FunctionHead(Op):
    """A function as it is written, which was only called."""

    __slots__ = ()
    said = "function"


class Constant(Named):
    """A value that no input of the program made (of `builtins`, a position); `name` is its JSON."""

    __slots__ = ()
    said = "value"

    @property
    def shown(self) -> str:
        return self.name


COMPARISONS = tuple(Operator(symbol) for symbol in ("==", "!=", "<", ">", "<=", ">="))
_OPERATIONS: dict[str, Op] = {
    **{symbol: Operator(symbol) for symbol in "+ - * / < > <= >= && || -> // ++".split()},
    **{operator.symbol: operator for operator in COMPARISONS},
    **{operator.words: operator for operator in map(Decided, ("&&", "||", "->"))},
    **{
        operation.words: operation
        for operation in (Negate(), Not(), Interpolate(), InterpolatePath(), EmptySet(), EmptyList())
    },
}
FUNCTION = FunctionHead()


_SINCE, _MISSING = "default, since ", " is missing"


def since_missing(path: str) -> str:
    """The symbol of a note about a default that was taken: nothing is at `path`."""
    return f"{_SINCE}{path}{_MISSING}"


def missing_path(symbol: str) -> str | None:
    """The path that a note says nothing is at, if it is about that."""
    return symbol[len(_SINCE) : -len(_MISSING)] if symbol.startswith(_SINCE) and symbol.endswith(_MISSING) else None


_DEFAULT_OF = "default of argument "


def default_of(name: str) -> str:
    """The symbol of a note about an argument that was not given."""
    return _DEFAULT_OF + name


def defaulted(symbol: str) -> str:
    """The argument that such a note is about."""
    return symbol.removeprefix(_DEFAULT_OF)


def operation(symbol: str) -> Op:
    """The operation that a note means."""
    return _OPERATIONS[symbol]


COMPUTED = Untraced()
"""A computation of which only the inputs are known."""


INTERPOLATE: Op = _OPERATIONS["interpolate"]

# --- edge labels -----------------------------------------------------------------------------------------------------

ATTRIBUTE = "attribute"
COMPUTED_ATTRIBUTE = "attribute with"
INHERIT = "inherit"
INHERIT_FROM = "inherit from"
ARGUMENT = "argument"
CONDITION = "condition of"
"""The symbols of notes about edge labels; a `let` has its own, too."""


_SAID = {INHERIT_FROM: "inherit", ARGUMENT: "argument of"}


class PassedOn(NamedEdgeLabel):
    """What is written in the program and passed a value on: `kind` is the symbol, `name` what it is about."""

    __slots__ = ("kind",)

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name

    @property
    def words(self) -> str:
        return f"{_SAID.get(self.kind, self.kind)} {self.name}"


class Picked(NamedEdgeLabel):
    """A builtin that picked a part of what it was given."""

    __slots__ = ()
    said = "call"


class Chosen(Reason):
    """A choice, in the words of the recording program; nothing but a reader looks at them."""

    __slots__ = ()


REPLACED = Reason("replaced by the right side of //")
REPLACING = Reason("right side of //")
REPLACED_BY_OVERRIDES = Reason("replaced by __overrides")
OVERRIDES = Reason("from __overrides")
UNUSED_DEFAULT = Reason("default not used")


def chosen(words: str) -> EdgeLabel | None:
    """The edge label of a choice; nothing if nothing is to be said."""
    return Chosen(words) if words else None
