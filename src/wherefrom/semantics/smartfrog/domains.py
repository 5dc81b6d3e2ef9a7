"""The domains (Defs 4-6): lists all of them, told apart by their Python class.

A store is a list of pairs of identifier and value, a reference a list of identifiers, a vector a list of basic values.
`BOTTOM` is the undefined value. Numbers, strings and booleans are Python's; `None` is Null.
"""

from __future__ import annotations

from typing import TypeAlias

from ...smartfrog.tree import Link


class Ref(tuple[str, ...]):
    """A reference, an element of R; `Ref()` is the root."""

    __slots__ = ()

    def __repr__(self) -> str:
        return ":".join(self) or "[]"


class Vec(tuple["Basic", ...]):
    """A vector: a list of basic values."""

    __slots__ = ()


Basic: TypeAlias = bool | int | float | str | Ref | Vec | None
"""An element of V, the basic values (Def 5)."""


class Store(tuple[tuple[str, "Val"], ...]):
    """An element of S: an ordered list of identifier and value (Def 6); `Store()` is the empty store."""

    __slots__ = ()


class Lnk(tuple[str, ...]):
    """A link that is kept as it is written; only the two-pass semantics has such values (`forward`).

    `syntax` is the piece of text, for errors and derivations; it is no part of the value.
    """

    syntax: Link

    @classmethod
    def written(cls, syntax: Link) -> Lnk:
        """The value of a link."""
        link = cls(syntax.reference.names)
        link.syntax = syntax
        return link


Val: TypeAlias = "Basic | Store | Lnk"
"""An element of V', basic values and stores (Def 6); in the two-pass semantics also links."""


class Bottom:
    """The class of `BOTTOM`."""

    def __repr__(self) -> str:
        return "_|_"


BOTTOM = Bottom()
"""The undefined value."""


def plain(v: Val) -> object:
    """A value as plain, JSON-like data, a reference being written `$.a:b`."""
    match v:
        case Store():
            return {i: plain(inner) for i, inner in v}
        case Lnk():
            return ":".join(v)
        case Ref():
            return "$." + ":".join(v)
        case Vec():
            return [plain(inner) for inner in v]
        case _:
            return v


def show(v: Val) -> str:
    """A value on one line: `{a:{b:1}, c:DATA x:y}`."""
    match v:
        case Lnk():
            return "LINK " + ":".join(v)
        case Store():
            return "{" + ", ".join(f"{i}:{show(inner)}" for i, inner in v) + "}"
        case Ref():
            return "DATA " + ":".join(v)
        case Vec():
            return "[" + ", ".join(map(show, v)) + "]"
        case _:
            import json

            return "NULL" if v is None else json.dumps(v, ensure_ascii=False)
