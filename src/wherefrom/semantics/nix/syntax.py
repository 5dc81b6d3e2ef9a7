"""The grammar of Mininix (fig. 3.1).

A plain attribute set is a value even when its members are not evaluated; a *strong* value is one whose members are
strong all the way down. Functions are strong as they stand: nothing is evaluated under a binder.

Every term remembers its free names once they have been asked for, so that a substitution that can change nothing is not
carried out: the rules copy whole sets into their own members, and without that sharing every step would cost as much as
the program is large.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from ...base.record import Record, field


class Term(Record):
    """Any expression.  `_free` is the memory of `free`, no part of the term."""

    _free: frozenset[str] | None = field(default=None, kw_only=True, compare=False)


# --- values: u, v -----------------------------------------------------------------------------------------------------


class Bool(Term):
    """true, false"""

    value: bool


class Null(Term):
    """null"""


class Int(Term):
    """n: unbounded, unlike Nix's 64 bits"""

    value: int


class Str(Term):
    """s"""

    value: str


class Fun(Term):
    """x : e"""

    x: str
    e: Term


class MatchFun(Term):
    """{ m } : e"""

    m: Matcher
    e: Term


class Attrs(Term):
    """{ b* }: not recursive"""

    b: Bindings


# --- expressions: d, e ------------------------------------------------------------------------------------------------


class Id(Term):
    """x"""

    x: str


class Rec(Term):
    """rec { br* }"""

    br: RecBindings


class Let(Term):
    """let br* in e"""

    br: RecBindings
    e: Term


class Select(Term):
    """e.x+ (must select)"""

    e: Term
    xs: tuple[str, ...]


class SelectOr(Term):
    """e.x+ or d (try to select)"""

    e: Term
    xs: tuple[str, ...]
    d: Term


class App(Term):
    """e e"""

    e1: Term
    e2: Term


class If(Term):
    """if e then e else e"""

    e1: Term
    e2: Term
    e3: Term


class With(Term):
    """with e; e"""

    e1: Term
    e2: Term


class Assert(Term):
    """assert e; e"""

    e1: Term
    e2: Term


class Op(Term):
    """e op e, with op one of = < + - / //"""

    op: str
    e1: Term
    e2: Term


class HasAttr(Term):
    """e ? x"""

    e: Term
    x: str


class Force(Term):
    """force e"""

    e: Term


class Closed(Term):
    """closed(e): a strong binding that no substitution enters (run time only)"""

    e: Term


class Placeholder(Term):
    """placeholder_x(e): a weak binding of x, replaced when a later one reaches it (run time only)"""

    x: str
    e: Term


class Matcher(Record):
    """m: the formals in order, each mandatory (`None`) or with its default; strict if there is no `...`."""

    formals: tuple[tuple[str, Term | None], ...]
    strict: bool

    @property
    def names(self) -> frozenset[str]:
        """dom(m)"""
        return frozenset(x for x, _ in self.formals)


class RecBinding(Record):
    """x :=_r e if `recursive`, else x := e"""

    recursive: bool
    e: Term


Bindings: TypeAlias = Mapping[str, Term]
RecBindings: TypeAlias = Mapping[str, RecBinding]

TRUE = Bool(True)
FALSE = Bool(False)
NULL = Null()

PRELUDE: Bindings = {
    "true": TRUE,
    "false": FALSE,
    "null": NULL,
    "builtins": Attrs({"true": TRUE, "false": FALSE, "null": NULL}),
}
"""Fig. 3.3.  The names `true`, `false` and `null` are ordinary variables that a program may shadow."""


def is_value(e: Term) -> bool:
    """Whether e is a value (u, v)."""
    return isinstance(e, Bool | Null | Int | Str | Fun | MatchFun | Attrs)


def is_strong(e: Term) -> bool:
    """Whether e is a strong value (u_s, v_s)."""
    stack = [e]
    while stack:
        here = stack.pop()
        if not is_value(here):
            return False
        if isinstance(here, Attrs):
            stack.extend(here.b.values())
    return True


def free(e: Term) -> frozenset[str]:
    """The names that a substitution into e could replace (a placeholder counts as its name)."""
    if e._free is None:
        object.__setattr__(e, "_free", _free(e))
    assert e._free is not None
    return e._free


_NONE: frozenset[str] = frozenset()


def _free(e: Term) -> frozenset[str]:
    match e:
        case Id(x) | Placeholder(x, _):
            return frozenset((x,))
        case Fun(x, body):
            return free(body) - {x}
        case MatchFun(m, body):
            return _union(free(body), *(free(d) for _, d in m.formals if d is not None)) - m.names
        case Attrs(b):
            return _union(*map(free, b.values()))
        case Rec(br):
            return _free_in(br)
        case Let(br, body):
            return _free_in(br) | (free(body) - br.keys())
        case Select(d, _) | HasAttr(d, _) | Force(d):
            return free(d)
        case SelectOr(d, _, default):
            return free(d) | free(default)
        case App(e1, e2) | With(e1, e2) | Assert(e1, e2) | Op(_, e1, e2):
            return free(e1) | free(e2)
        case If(e1, e2, e3):
            return free(e1) | free(e2) | free(e3)
    return _NONE


def _free_in(br: RecBindings) -> frozenset[str]:
    return _union(*(free(binding.e) - br.keys() if binding.recursive else free(binding.e) for binding in br.values()))


def _union(*sets: frozenset[str]) -> frozenset[str]:
    return _NONE.union(*sets)
