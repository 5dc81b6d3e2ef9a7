"""Definitions 19-27: what each piece of syntax means.

    ns  the namespace in which names are looked up      r   the path of the attribute being defined
    s   the store                                       sp  a sequence of prototypes (P)

Mended slips: Num maps to the reals (Def 19), `r` in Def 25 is the meaning of the assignment's reference. Composition is
said to proceed right to left under Def 23; the equations apply the first prototype first and let later ones win, and
so does this. Included files are spliced into the body that includes them before Def 26 sees it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from ...smartfrog.tree import (
    BASIC,
    Assignment,
    BasicValue,
    Block,
    Boolean,
    DataReference,
    Extends,
    Link,
    Node,
    Null,
    Number,
    Reference,
    Specification,
    String,
    Value,
    Vector,
)
from ..rules import equation
from .domains import BOTTOM, Basic, Bottom, Ref, Store, Vec
from .errors import Err, Err5, Err7
from .operations import bind, concat, find, inherit, resolve

listening: ContextVar[Callable[[str, Node, Ref, Ref, Store], None] | None] = ContextVar("listening", default=None)
"""Told of every store that an equation makes from another, while somebody listens (see `step`)."""


def derived(by: str, piece: Node, ns: Ref, r: Ref, s: Store) -> Store:
    """`s`, having told who listens which definition made it, from which piece of syntax, in which ns and at which r."""
    listener = listening.get()
    if listener is not None:
        listener(by, piece, ns, r, s)
    return s


@equation("smartfrog", "Def 19")
def terminal(t: Boolean | Number | String | Null) -> Basic:
    """Bool, Num, Str, Null: the obvious mapping."""
    match t:
        case Null():
            return None
        case Boolean(value) | Number(value) | String(value):
            return value


@equation("smartfrog", "Def 20")
def reference(r: Reference) -> Ref:
    """R⟦I1 .. In⟧ = DR⟦..⟧ = LR⟦..⟧ = I1 :: .. :: In :: []."""
    return Ref(r.names)


@equation("smartfrog", "Def 21")
def vector(v: Vector) -> Vec:
    """Vec⟦BV1 .. BVn⟧ = BV⟦BV1⟧ :: .. :: BV⟦BVn⟧ :: []."""
    return Vec(basic(bv) for bv in v.items)


@equation("smartfrog", "Def 22")
def basic(bv: BasicValue) -> Basic:
    """BV: one of the basic kinds."""
    match bv:
        case DataReference(r):
            return reference(r)
        case Vector():
            return vector(bv)
        case _:
            return terminal(bv)


@equation("smartfrog", "Def 23")
def prototypes(sp: tuple[Reference | Block, ...], ns: Ref, r: Ref, s: Store) -> Store:
    """P⟦B P⟧ = P⟦P⟧ after B⟦B⟧(r, s);  P⟦R P⟧ = P⟦P⟧ after inherit(s, ns, R⟦R⟧, r);  P⟦eps⟧ = s."""
    match sp:
        case ():
            return s
        case (Block() as b, *rest):
            return prototypes(tuple(rest), ns, r, body(tuple(b.assignments()), r, s))
        case (Reference() as proto, *rest):
            try:
                inherited = inherit(s, ns, reference(proto), r)
            except Err as problem:
                raise problem.put_at(proto.span) from None
            return prototypes(tuple(rest), ns, r, derived("Def 18", proto, ns, r, inherited))
    raise AssertionError(sp)


@equation("smartfrog", "Def 24")
def value(v: Value, ns: Ref, r: Ref, s: Store) -> Store:
    """V⟦BV⟧ = bind(s, r, BV⟦BV⟧);  V⟦P⟧ = P⟦P⟧(ns, r, bind(s, r, {}));  V⟦LR⟧ = bind(s, r, v), err5 if v = bottom."""
    match v:
        case Extends(sp):
            return prototypes(sp, ns, r, derived("Def 24", v, ns, r, bind(s, r, Store())))
        case Link(lr):
            _, target = resolve(s, ns, reference(lr))
            if isinstance(target, Bottom):
                raise Err5(repr(reference(lr))).put_at(v.span)
            return derived("Def 24", v, ns, r, bind(s, r, target))
        case _ if isinstance(v, BASIC):
            return derived("Def 24", v, ns, r, bind(s, r, basic(v)))
    raise AssertionError(v)


@equation("smartfrog", "Def 25")
def assignment(a: Assignment, ns: Ref, s: Store) -> Store:
    """A⟦R V⟧(ns, s) = V⟦V⟧(ns, ns (+) R⟦R⟧, s)."""
    try:
        return value(a.value, ns, concat(ns, reference(a.target)), s)
    except Err as problem:
        raise problem.put_at(a.target.span) from None


@equation("smartfrog", "Def 26")
def body(b: tuple[Assignment, ...], ns: Ref, s: Store) -> Store:
    """B⟦A B⟧(ns, s) = B⟦B⟧(ns, A⟦A⟧(ns, s));  B⟦eps⟧(ns, s) = s."""
    match b:
        case ():
            return s
        case (a, *rest):
            return body(tuple(rest), ns, assignment(a, ns, s))
    raise AssertionError(b)


@equation("smartfrog", "Def 27")
def specification(sf: Specification) -> Store:
    """SF⟦B⟧ = v if v = find(B⟦B⟧([], {}), sfConfig) is a store, else err7."""
    s = body(tuple(sf.block.assignments()), Ref(), Store())
    v = find(s, Ref(("sfConfig",)))
    if not isinstance(v, Store):
        last = [a.span for a in sf.block.assignments() if a.target.names == ("sfConfig",)] or [sf.span.file.span(0)]
        raise Err7("it does not exist" if v is BOTTOM else "it is a basic value").put_at(last[-1])
    return derived("Def 27", sf, Ref(), Ref(("sfConfig",)), v)
