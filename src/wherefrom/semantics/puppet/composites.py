"""Arrays, hashes, dereference and resource references (paper, C.2; thesis, A.3.2.5, A.3.2.6 and A.3.2.8).

The thesis leaves the provenance of these to future work: the annotations here are ours. A container has an annotation
of its own, on which +β lands; its elements keep theirs. What is read from a container keeps its own label and term, and
depends besides on the container's own annotation and on the index.
"""

from __future__ import annotations

from typing import Any, TypeGuard

from .annotations import is_integer
from .environment import lookup, lookup_C
from .expressions import OURS, STRICT, computed, expression, nothing, step
from .judgement import Judgement, State
from .plus import plus_e
from .syntax import (
    UNDEF,
    Array,
    ArrayExp,
    Deref,
    Expression,
    Hash,
    HashExp,
    Key,
    Ref,
    Reference,
    Value,
    plain,
)

array = Judgement("puppet.array", "paper, C.2, array; thesis, A.3.2.5")
hash_ = Judgement("puppet.hash", "paper, C.2, hash; thesis, A.3.2.6")


# --- arrays and hashes ----------------------------------------------------------------------------------------------


@expression.on("ArrExp", ArrayExp)
def arr_exp(c: State) -> Expression | None:
    """A → A'  ⟹  [A] → [A']"""
    match c.term:
        case ArrayExp(A) if (next := array.step(c.Γ, c.α, A)) is not None:
            return ArrayExp(next, span=c.term.span)
    return None


@array.on("ArrEle")
def arr_ele(c: State) -> tuple[Expression, ...] | None:
    """A → A'  ⟹  v, A → v, A'  (paper: ArrEleI; the right side is printed without the prime)"""
    match c.term:
        case (Value() as v, *rest) if (next := array.step(c.Γ, c.α, tuple(rest))) is not None:
            return (v, *next)
    return None


@array.on("ArrEleI")
def arr_ele_i(c: State) -> tuple[Expression, ...] | None:
    """e1 → e1'  ⟹  e1, A → e1', A  (paper: ArrEleII)"""
    match c.term:
        case (e1, *rest) if (next := step(c, e1)) is not None:
            return (next, *rest)
    return None


def are_values(A: tuple[Expression, ...]) -> TypeGuard[tuple[Value, ...]]:
    """Whether all elements are values."""
    return all(isinstance(e, Value) for e in A)


def is_hash_value(H: tuple[tuple[Key, Expression], ...]) -> TypeGuard[tuple[tuple[Key, Value], ...]]:
    """Whether H is a hash value vH."""
    return all(isinstance(e, Value) for _, e in H)


@expression.on("ArrValue", ArrayExp, place=OURS)
def arr_value(c: State) -> Expression | None:
    """[v1^β1, ..., vn^βn] → [v1^β1, ..., vn^βn]^β, with β = ⊥ or ∅: elements keep theirs, the array has its own.

    In the paper an array of values is a value; annotated, it needs an annotation of its own for +β to land on.
    """
    match c.term:
        case ArrayExp(A) if are_values(A):
            return Value(Array(A), c.Γ.algebra.container(), span=c.term.span)
    return None


@expression.on("HExp", HashExp)
def h_exp(c: State) -> Expression | None:
    """H → H'  ⟹  {H} → {H'}  (printed without the second prime)"""
    match c.term:
        case HashExp(H) if (next := hash_.step(c.Γ, c.α, H)) is not None:
            return HashExp(next, span=c.term.span)
    return None


@hash_.on("HEle")
def h_ele(c: State) -> tuple[tuple[Key, Expression], ...] | None:
    """H → H'  ⟹  k ⇒ v, H → k ⇒ v, H'  (paper: HEleI; printed without the second prime)"""
    match c.term:
        case ((_, Value()) as first, *rest) if (next := hash_.step(c.Γ, c.α, tuple(rest))) is not None:
            return (first, *next)
    return None


@hash_.on("HEleI")
def h_ele_i(c: State) -> tuple[tuple[Key, Expression], ...] | None:
    """e → e'  ⟹  k ⇒ e, H → k ⇒ e', H  (paper: HEleII)"""
    match c.term:
        case ((k, e), *rest) if (next := step(c, e)) is not None:
            return ((k, next), *rest)
    return None


@expression.on("HValue", HashExp, place=OURS)
def h_value(c: State) -> Expression | None:
    """{k1 ⇒ v1^β1, ...} → {k1 ⇒ v1^β1, ...}^β, with β = ⊥ or ∅, as for arrays; keys carry no annotation."""
    match c.term:
        case HashExp(H) if is_hash_value(H):
            return Value(Hash(H), c.Γ.algebra.container(), span=c.term.span)
    return None


# --- dereference and references -------------------------------------------------------------------------------------


@expression.on("DeRefExp", Deref)
def de_ref_exp(c: State) -> Expression | None:
    """d → d'  ⟹  d[e] → d'[e]"""
    match c.term:
        case Deref(d, e) if (next := step(c, d)) is not None:
            return Deref(next, e, span=c.term.span)
    return None


@expression.on("DeRefIndex", Deref)
def de_ref_index(c: State) -> Expression | None:
    """e → e'  ⟹  v[e] → v[e']"""
    match c.term:
        case Deref(Value() as v, e) if (next := step(c, e)) is not None:
            return Deref(v, next, span=c.term.span)
    return None


def element(c: State, value: Value, *decided: Value) -> Expression:
    """An element, with what decided that it is this one: (v^β)^{+...}."""
    return plus_e(c.Γ.algebra, value, c.Γ.algebra.outer(*[test.β for test in decided]))


@expression.on("DeRefArray", Deref)
def de_ref_array(c: State) -> Expression | None:
    """0 ≤ n ≤ m  ⟹  [v0, ..., vm]^β [n^β'] → vn^{+(β ∪ β')}.  The element keeps its own label and term."""
    match c.term:
        case Deref(Value(Array(items)) as d, Value() as i):
            if not is_integer(i.v):
                return c.refuse("DeRefArray", "an array's index is an integer, not {!r}", plain(i.v))
            if 0 <= i.v < len(items):
                return element(c, items[i.v], d, i)
            return c.refuse("DeRefArray", "the array has no element {}", i.v)
        case Deref(Value(v), Value()) if not isinstance(v, Hash | Reference):
            return c.refuse("DeRefArray", "{!r} is no array, hash or reference", plain(v))
    return None


@expression.on("DeRefHash", Deref)
def de_ref_hash(c: State) -> Expression | None:
    """k = kn  ⟹  {k1 ⇒ v1, ..., km ⇒ vm}^β [k^β'] → vn^{+(β ∪ β')}"""
    match c.term:
        case Deref(Value(Hash(entries)) as d, Value(str() | int() as k) as i):
            if (value := lookup(k, entries)) is not None:
                return element(c, value, d, i)
            return c.refuse("DeRefHash", "the hash has no key {!r}", k)
    return None


@expression.on("RefRes", Ref)
def ref_res(c: State) -> Expression | None:
    """e → e'  ⟹  t[e] → t[e']"""
    match c.term:
        case Ref(t, e) if (next := step(c, e)) is not None:
            return Ref(t, next, span=c.term.span)
    return None


@expression.on("RefValue", Ref, place=OURS)
def ref_value(c: State) -> Expression | None:
    """t[w^β] → (t[w])^β', with β' = ⊥ (where), ref t β (expression), β (dependency)"""
    match c.term:
        case Ref(t, Value() as v):
            if not isinstance(v.v, str):
                return c.refuse("RefValue", "a resource's title is a string, not {!r}", plain(v.v))
            return computed(c, Reference(t, v.v), f"ref {t}", v)
    return None


@expression.on("DeRefRes", Deref)
def de_ref_res(c: State) -> Expression | None:
    """lookup_C(vC, t, w, k) = v^β, of the resource (t{w^β1 : vH})^{+β2}
    ⟹  (t[w])^β3 [k^β4] → v^{+(β1 ∪ β2 ∪ β3 ∪ β4)}"""
    match c.term:
        case Deref(Value(Reference(t, w)) as d, Value(str(k)) as i):
            resource = lookup_C(c.Γ.vC, t, w)
            if resource is None:
                return c.refuse("DeRefRes", "no resource {}[{}] was declared so far", t, w)
            value = lookup(k, resource.H)
            if value is None or (value.v == UNDEF and not c.Γ.machine.switches.undef):
                return c.refuse("DeRefRes", "{}[{}] has no attribute {}", t, w, k)
            return plus_e(c.Γ.algebra, element(c, value, d, i, resource.w), resource.β)
    return None


def _beyond(n: Any, items: tuple[Value, ...]) -> bool:
    return bool(n >= len(items))


@expression.on("DeRefUndef", Deref, place=STRICT)
def de_ref_undef(c: State) -> Expression | None:
    """No such element, key or attribute (and the index not negative)  ⟹  v^β [k^β'] → undef^(β ∪ β')

    Of a resource (t{w^β1 : vH})^{+β2} also β1 ∪ β2, as in DeRefRes."""
    if not c.Γ.machine.switches.undef:
        return None
    match c.term:
        case Deref(Value(Array(items)) as d, Value() as i) if is_integer(i.v) and _beyond(i.v, items):
            return element(c, nothing(c), d, i)
        case Deref(Value(Hash(entries)) as d, Value(str() | int() as k) as i) if lookup(k, entries) is None:
            return element(c, nothing(c), d, i)
        case Deref(Value(Reference(t, w)) as d, Value(str(k)) as i):
            resource = lookup_C(c.Γ.vC, t, w)
            if resource is not None and lookup(k, resource.H) is None:
                undefined = element(c, nothing(c), d, i, resource.w)
                return plus_e(c.Γ.algebra, undefined, resource.β)
    return None
