"""The two-pass semantics: links may refer to what stands after them.

The paper names it (section 9.2.2) and leaves it to the thesis of one of its authors. Definitions 1-22 stay. In the
first pass a link is put as it is (`Lnk`, a value that is no store: paths do not lead through it); the second pass
visits `sfConfig` in order and puts in place of each link what it leads to.

    ns  where names are looked up          here  where results are put           a link stands at ns (+) i
    r   the path of what is being defined  seen  links that were followed to get here
    es  the stores that are being expanded: those that the links led to inside of whose copies we are

A copy that a prototype makes keeps its links, which are looked up where the copy is. A copy that a link makes has its
own links looked up where the original is: `ns` and `here` part. Links in stores inside of it are looked up where the
copy is (Fwd 5, second clause): so it is in the thesis' compilers, and no example of the paper tells.

**The end.** The thesis says that this ends, since a link is refused that leads to a store in which it stands. The check
there compares the target with the place that is being written, and `sfConfig extends { d e; e extends { a e; } }`
goes on for ever: `e` is copied to `d`, then to `d:a`, to `d:a:a`, and is never a prefix of these. Here the target must
not be a prefix of one in `es` either, the stores *being expanded* (Fwd 5). `docs/semantics/smartfrog.md` has the proof.
"""

from __future__ import annotations

from ...smartfrog.tree import Assignment, Block, Extends, Further, Link, Reference, Specification, Value
from ..rules import equation
from .domains import BOTTOM, Bottom, Lnk, Ref, Store, Val
from .errors import Cycle, Err, Err4, Err5, Err7
from .operations import bind, concat, copy, find, is_prefix, prefix, resolve
from .valuation import basic, derived, reference


@equation("smartfrog-forward", "Fwd 1")
def value(v: Value, ns: Ref, r: Ref, s: Store) -> Store:
    """V⟦LR⟧ = bind(s, r, LR), a cycle if LR <= r;  V⟦P⟧ and V⟦BV⟧ as in Def 24."""
    match v:
        case Extends(sp):
            return prototypes(sp, ns, r, derived("Fwd 1", v, ns, r, bind(s, r, Store())))
        case Link(lr):
            bound = bind(s, r, Lnk.written(v))
            if is_prefix(reference(lr), r):
                raise Cycle(repr(reference(lr))).put_at(v.span)
            return derived("Fwd 1", v, ns, r, bound)
        case Further():
            raise AssertionError(v)
        case _:
            return derived("Fwd 1", v, ns, r, bind(s, r, basic(v)))


@equation("smartfrog-forward", "Fwd 2")
def prototypes(sp: tuple[Reference | Block, ...], ns: Ref, r: Ref, s: Store) -> Store:
    """P as in Def 23, with inherit(s, ns, proto, r) = copy(s, v, r) where <_, v> = getLink(s, ns, proto, {})."""
    match sp:
        case ():
            return s
        case (Block() as b, *rest):
            return prototypes(tuple(rest), ns, r, body(tuple(b.assignments()), r, s))
        case (Reference() as proto, *rest):
            _, v = get_link(s, ns, reference(proto), ())
            if not isinstance(v, Store):
                error = Err4 if isinstance(resolve(s, ns, reference(proto))[1], Bottom) or v is not BOTTOM else Err5
                raise error(repr(reference(proto))).put_at(proto.span)
            return prototypes(tuple(rest), ns, r, derived("Fwd 2", proto, ns, r, copy(s, v, r)))
    raise AssertionError(sp)


def assignment(a: Assignment, ns: Ref, s: Store) -> Store:
    """Def 25, with V of the first pass."""
    try:
        return value(a.value, ns, concat(ns, reference(a.target)), s)
    except Err as problem:
        raise problem.put_at(a.target.span) from None


def body(b: tuple[Assignment, ...], ns: Ref, s: Store) -> Store:
    """Def 26."""
    for a in b:
        s = assignment(a, ns, s)
    return s


@equation("smartfrog-forward", "Fwd 3")
def get_link(s: Store, ns: Ref, lr: Ref, seen: tuple[Ref, ...]) -> tuple[Ref, Val | Bottom]:
    """getLink: <nsp, v> = resolve(s, ns, lr), p = nsp (+) lr; <p, v>, or if v is a link
    getLink(s, prefix(p), v, p :: seen), a cycle if p is in seen."""
    nsp, v = resolve(s, ns, lr)
    p = concat(nsp, lr)
    if not isinstance(v, Lnk):
        return p, v
    if p in seen:
        raise Cycle(repr(p))
    return get_link(s, prefix(p), Ref(v), (*seen, p))


@equation("smartfrog-forward", "Fwd 4")
def accept(s: Store, here: Ref, ss: Store, ns: Ref, es: tuple[Ref, ...]) -> Store:
    """accept(s, here, <i, v> :: ss, ns, es) = accept(replaceLink(s, here, <i, v>, ns, es), here, ss, ns, es)."""
    for i, v in ss:
        s = replace_link(s, here, i, v, ns, es)
    return s


@equation("smartfrog-forward", "Fwd 5")
def replace_link(s: Store, here: Ref, i: str, v: Val, ns: Ref, es: tuple[Ref, ...]) -> Store:
    """replaceLink, r = here (+) i: of a link, <p, w> = getLink(s, ns, v, {}), err5 if w = bottom, s1 = bind(s, r, w);
    if w is a store, a cycle if p <= r or p <= e for an e in es, else accept(s1, r, w, p, p :: es).
    Of a store: accept(s, r, v, r, es).  Of anything else: s."""
    r = concat(here, i)
    match v:
        case Lnk():
            try:
                p, w = get_link(s, ns, Ref(v), ())
            except Err as problem:
                raise problem.put_at(v.syntax.span) from None
            if isinstance(w, Bottom):
                raise Err5(repr(Ref(v))).put_at(v.syntax.span)
            if not isinstance(w, Store):
                return derived("Fwd 5", v.syntax, ns, r, bind(s, r, w))
            if any(is_prefix(p, place) for place in (r, *es)):
                raise Cycle(repr(p)).put_at(v.syntax.span)
            return accept(derived("Fwd 5", v.syntax, ns, r, bind(s, r, w)), r, w, p, (*es, p))
        case Store():
            return accept(s, r, v, r, es)
        case _:
            return s


@equation("smartfrog-forward", "Fwd 6")
def specification(sf: Specification) -> Store:
    """SF⟦B⟧ = find(replaceLink(s, [], <sfConfig, v>, [], []), sfConfig) where s = B⟦B⟧([], {}), v = find(s, sfConfig);
    err7 if it is no store."""
    s = body(tuple(sf.block.assignments()), Ref(), Store())
    v = find(s, Ref(("sfConfig",)))
    if not isinstance(v, Bottom):
        s = replace_link(s, Ref(), "sfConfig", v, Ref(), ())
        v = find(s, Ref(("sfConfig",)))
    if not isinstance(v, Store):
        last = [a.span for a in sf.block.assignments() if a.target.names == ("sfConfig",)] or [sf.span.file.span(0)]
        raise Err7("it does not exist" if isinstance(v, Bottom) else "it is a basic value").put_at(last[-1])
    return derived("Fwd 6", sf, Ref(), Ref(("sfConfig",)), v)
