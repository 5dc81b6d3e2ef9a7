"""Environment operations (paper, appendix C.1): lookup, merge, clear, and the ancestry of scopes.

`baseof` and `parentof` are judgements with rules of their own. Besides the scope they give the annotation met on the
way: repair R4 annotates `DeclaredClass` with what decided where its parent pointer points, and R2 adds that to whatever
is found by following it. In the thesis' mode these annotations are empty.
"""

from __future__ import annotations

from collections.abc import Sequence

from .annotations import EMPTY
from .judgement import Binding, Environments, Judgement, ResourceValue, State, Store
from .plus import plus_e
from .syntax import (
    NODE,
    TOP,
    UNDEF,
    Assign,
    Attributes,
    DeclaredClass,
    Key,
    Outer,
    Parameters,
    Scope,
    Statement,
    Value,
    ambient_of,
    class_of,
    is_def_scope,
    sequence,
)

Found = tuple[Scope, Outer]

baseof = Judgement("puppet.baseof", "paper, C.1; thesis, A.3.1", on_trail=False)
parentof = Judgement("puppet.parentof", "paper, C.1; thesis, A.3.1", on_trail=False)

# The paper reads `α baseof β`: here β is the state's term and α the result.


@baseof.on("BTop")
def b_top(c: State) -> Found | None:
    """:: baseof ::"""
    return (TOP, EMPTY) if c.term == TOP else None


@baseof.on("BNode")
def b_node(c: State) -> Found | None:
    """::nd baseof ::nd"""
    return (NODE, EMPTY) if c.term == NODE else None


@baseof.on("BDefRes")
def b_def_res(c: State) -> Found | None:
    """α baseof β  ⟹  α baseof (β def)"""
    return baseof.step(c.Γ, c.α, ambient_of(c.term)) if is_def_scope(c.term) else None


@baseof.on("BClass")
def b_class(c: State) -> Found | None:
    """κ(a) = DeclaredClass(β)^g, α baseof β  ⟹  α baseof ::a.  R4: the annotation g is added to the result's."""
    a = class_of(c.term)
    if a is None:
        return None
    d = c.Γ.κ.get(a)
    if not isinstance(d, DeclaredClass):
        return c.refuse("BClass", "class {} is not declared", a)
    α, g = baseof.step(c.Γ, c.α, d.α)
    return α, c.Γ.algebra.union(g, d.β) if d.β else g


@parentof.on("PNode")
def p_node(c: State) -> Found | None:
    """:: parentof ::nd"""
    return (TOP, EMPTY) if c.term == NODE else None


@parentof.on("PDefRes")
def p_def_res(c: State) -> Found | None:
    """β baseof (α def)  ⟹  β parentof (α def)"""
    return baseof.step(c.Γ, c.α, c.term) if is_def_scope(c.term) else None


@parentof.on("PClass")
def p_class(c: State) -> Found | None:
    """κ(a) = DeclaredClass(α)^g  ⟹  α parentof ::a.  R4: with the annotation g."""
    a = class_of(c.term)
    if a is None:
        return None
    d = c.Γ.κ.get(a)
    if not isinstance(d, DeclaredClass):
        return c.refuse("PClass", "class {} is not declared", a)
    return d.α, d.β


def lookup(k: Key, vH: Sequence[tuple[Key, Value]]) -> Value | None:
    """The first value of key k in a hash value; nothing stands for the paper's ⊥."""
    for key, value in vH:
        if key == k and type(key) is type(k):
            return value
    return None


def lookup_C(vC: Sequence[ResourceValue], t: str, w: str) -> ResourceValue | None:
    """The resource t[w] of a catalog, searched from its end.

    The paper's lookup_C goes on to look up an attribute; the thesis prints a version that takes the resource's first
    attribute whatever its name (a slip). Here the caller looks the attribute up, because it needs the resource's
    annotations too.
    """
    for resource in reversed(vC):
        if resource.t == t and resource.w.v == w:
            return resource
    return None


def merge(c: State, rule: str, ρ: Parameters, vH: Attributes) -> Statement | None:
    """A statement that gives every parameter its argument or its default; nothing where merge is undefined.

        merge(ε, vH)          = skip
        merge(($x, ρ), vH)    = $x = v _ merge(ρ, vH)    if v = lookup(x, vH) ≠ ⊥
        merge(($x = e, ρ), vH) = $x = v _ merge(ρ, vH)    if v = lookup(x, vH) ≠ ⊥
        merge(($x = e, ρ), vH) = $x = e _ merge(ρ, vH)    if lookup(x, vH) = ⊥

    Attributes that are no parameters are ignored (real Puppet rejects them). Where undef is allowed, an argument that
    is undef counts as missing, as in real Puppet; that it *was* undef is then a decision (R6), and the default becomes
    e^{+β}, with β the annotation of that undef.
    """
    algebra = c.Γ.algebra
    assignments: list[Statement] = []
    for p in ρ:
        v = lookup(p.x, vH)  # type: ignore[arg-type]
        if v is not None and not (v.v == UNDEF and c.Γ.machine.switches.undef):
            assignments.append(Assign(p.x, v, span=p.span))
        elif p.e is not None:
            β = EMPTY if v is None else algebra.absence(c.Γ.outer(v))
            assignments.append(Assign(p.x, plus_e(algebra, p.e, β), span=p.span))
        else:
            return c.refuse(rule, "merge is undefined: parameter ${} has no default and got no value", p.x)
    return sequence(assignments)


def update(σ: Store, α: Scope, x: str, binding: Binding) -> Store:
    """σ[(α, x) : v]"""
    return {**σ, (α, x): binding}


def clear(Γ: Environments, α: Scope) -> Environments:
    """clear(σ, α): all variables of scope α become undefined.  R8: their absence labels go with them."""
    return Γ.but(
        σ={key: binding for key, binding in Γ.σ.items() if key[0] != α},
        absent_σ={key: β for key, β in Γ.absent_σ.items() if key[0] != α},
    )
