"""Definitions 7-18: the operations on references and stores.

    i   identifier          r, ns, pfx   reference (ns: namespace, pfx: prefix)
    s   store               v            value

Each function is the paper's list of equations as one `match`, in the paper's order. Slips of the printed text that are
mended here: Def 8's last equation returns the whole of its left side; Def 15 compares stores.
"""

from __future__ import annotations

from ..rules import equation
from .domains import BOTTOM, Bottom, Ref, Store, Val
from .errors import Err1, Err2, Err3, Err4


@equation("smartfrog", "Def 7")
def concat(a: str | Ref, b: str | Ref) -> Ref:
    """a (+) b: concatenation; either side may be an identifier, the result is a reference."""
    left = Ref((a,)) if isinstance(a, str) else a
    right = Ref((b,)) if isinstance(b, str) else b
    match left:
        case ():
            return right
        case (i, *r):
            return Ref((i, *concat(Ref(r), right)))
    raise AssertionError(left)


@equation("smartfrog", "Def 8")
def without(r1: Ref, r2: Ref) -> Ref:
    """r1 (-) r2: r1 with the common prefix of r1 and r2 removed."""
    match r1, r2:
        case (), _:
            return Ref()
        case _, ():
            return r1
        case (i1, *rest1), (i2, *rest2) if i1 == i2:
            return without(Ref(rest1), Ref(rest2))
        case _:
            return r1


@equation("smartfrog", "Def 9")
def equal(r1: Ref, r2: Ref) -> bool:
    """r1 == r2: the same identifiers in the same order."""
    match r1, r2:
        case (), ():
            return True
        case (i1, *rest1), (i2, *rest2):
            return i1 == i2 and equal(Ref(rest1), Ref(rest2))
        case _:
            return False


@equation("smartfrog", "Def 10")
def is_prefix(r1: Ref, r2: Ref, strict: bool = False) -> bool:
    """r1 <= r2 iff r1 (-) r2 = []; strictly, r1 < r2 iff r1 <= r2 and not r1 == r2."""
    return without(r1, r2) == Ref() and not (strict and equal(r1, r2))


@equation("smartfrog", "Def 11")
def prefix(r: Ref) -> Ref:
    """prefix([]) = [];  prefix([i]) = [];  prefix(r :: i) = r: the longest strict prefix."""
    match r:
        case () | (_,):
            return Ref()
        case (*rest, _):
            return Ref(rest)
    raise AssertionError(r)


@equation("smartfrog", "Def 12")
def put(s: Store, i: str, v: Val) -> Store:
    """put(s, i, v): replace the value of i where it stands, or add <i, v> at the end."""
    match s:
        case ():
            return Store(((i, v),))
        case ((known, _), *rest) if known == i:
            return Store(((i, v), *rest))
        case (first, *rest):
            return Store((first, *put(Store(rest), i, v)))
    raise AssertionError(s)


@equation("smartfrog", "Def 13")
def bind(s: Store, r: Ref, v: Val) -> Store:
    """bind(s, r, v): put at a path.  err3 if r is the root, err2 if a parent does not exist, err1 if it is no store."""
    match s, r:
        case _, ():
            raise Err3(repr(r))
        case _, (i,):
            return put(s, i, v)
        case (), (i, *_):
            raise Err2(i)
        case ((known, inner), *rest), (i, *below) if known == i:
            if not isinstance(inner, Store):
                raise Err1(i)
            return Store(((i, bind(inner, Ref(below), v)), *rest))
        case (first, *rest), _:
            return Store((first, *bind(Store(rest), r, v)))
    raise AssertionError(r)


@equation("smartfrog", "Def 14")
def find(s: Store, r: Ref) -> Val | Bottom:
    """find(s, r): the value at a path, or bottom; find(s, []) = s."""
    match s, r:
        case _, ():
            return s
        case (), _:
            return BOTTOM
        case ((known, v), *_), (i,) if known == i:
            return v
        case ((known, v), *_), (i, *below) if known == i:
            return find(v, Ref(below)) if isinstance(v, Store) else BOTTOM
        case (_, *rest), _:
            return find(Store(rest), r)
    raise AssertionError(r)


@equation("smartfrog", "Def 15")
def is_sub_store(s1: Store, s2: Store) -> bool:
    """s1 < s2 iff find(s2, r) = s1 for some r that is not []."""
    return any(find(s2, r) == s1 for r in paths(s2) if r != Ref())


def paths(s: Store) -> list[Ref]:
    """Every r with find(s, r) defined: what "for some r" ranges over in Def 15."""
    references = [Ref()]
    for i, v in s:
        references += [concat(i, r) for r in paths(v)] if isinstance(v, Store) else [Ref((i,))]
    return references


@equation("smartfrog", "Def 16")
def resolve(s: Store, ns: Ref, r: Ref) -> tuple[Ref, Val | Bottom]:
    """resolve(s, ns, r): find ns (+) r, or search for r further out; gives the namespace of the hit and the value."""
    match ns:
        case ():
            return Ref(), find(s, r)
        case _:
            v = find(s, concat(ns, r))
            return resolve(s, prefix(ns), r) if v is BOTTOM else (ns, v)


@equation("smartfrog", "Def 17")
def copy(s1: Store, s2: Store, pfx: Ref) -> Store:
    """copy(s1, <i, v> :: s2, pfx) = copy(bind(s1, pfx (+) i, v), s2, pfx): every attribute of s2, in order."""
    match s2:
        case ():
            return s1
        case ((i, v), *rest):
            return copy(bind(s1, concat(pfx, i), v), Store(rest), pfx)
    raise AssertionError(s2)


@equation("smartfrog", "Def 18")
def inherit(s: Store, ns: Ref, proto: Ref, r: Ref) -> Store:
    """inherit(s, ns, proto, r) = copy(s, v, r) where <_, v> = resolve(s, ns, proto) is a store; else err4."""
    _, v = resolve(s, ns, proto)
    if not isinstance(v, Store):
        raise Err4(repr(proto))
    return copy(s, v, r)
