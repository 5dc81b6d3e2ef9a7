"""Manifests: Γ, m →N_m Γ', m' (paper, C.5; thesis, A.3.5).

The paper's m ::= s | m _ m leaves open how a sequence of top-level statements is read. Here the top level is a sequence
of manifests (`MSeq`), bodies are sequences of statements (`Seq`), so that the rules stay deterministic.
"""

from __future__ import annotations

import re

from .declarations import instance
from .judgement import Judgement, State
from .statements import Next, statement
from .syntax import (
    NODE,
    SKIP,
    TOP,
    ClassDef,
    ClassDefinition,
    Define,
    Defined,
    In,
    MSeq,
    NodeDef,
    NodeDefault,
    NodeList,
    NodeName,
    NodeRegExp,
    NodeSpec,
    Parameters,
    ResourceDef,
    Skip,
    Statement,
)

manifest = Judgement("puppet.manifest", "paper, C.5; thesis, A.3.5")


@manifest.on("TopScope", *statement.forms())
def top_scope(c: State) -> Next | None:
    """Γ, s →:: Γ', s'  ⟹  Γ, s →N Γ', s'"""
    if isinstance(c.term, MSeq | NodeDef | Define | ClassDefinition):
        return None
    next: Next | None = statement.step(c.Γ, TOP, c.term)
    return next


@manifest.on("MSeqStep", MSeq)
def m_seq_step(c: State) -> Next | None:
    """Γ, m1 → Γ', m1'  ⟹  Γ, m1 _ m2 → Γ', m1' _ m2"""
    match c.term:
        case MSeq(m1, m2) if not isinstance(m1, Skip) and (next := manifest.step(c.Γ, c.α, m1)) is not None:
            return next[0], MSeq(next[1], m2, span=c.term.span)
    return None


@manifest.on("MSeqSkip", MSeq)
def m_seq_skip(c: State) -> Next | None:
    """Γ, skip _ m → Γ, m"""
    match c.term:
        case MSeq(Skip(), m2):
            return c.Γ, m2
    return None


@manifest.on("NodeMatch", NodeDef)
def node_match_(c: State) -> Next | None:
    """nodeMatch(N, Q)  ⟹  Γ, node Q {s} →N Γ, scope (::nd) s"""
    match c.term:
        case NodeDef(Q, s) if node_match(c.Γ.machine.N, Q):
            return c.Γ, In(NODE, s, span=c.term.span)
    return None


@manifest.on("NodeNoMatch", NodeDef)
def node_no_match(c: State) -> Next | None:
    """¬nodeMatch(N, Q)  ⟹  Γ, node Q {s} →N Γ, skip"""
    match c.term:
        case NodeDef(Q, _) if not node_match(c.Γ.machine.N, Q):
            return c.Γ, SKIP
    return None


def node_match(N: str, Q: NodeSpec) -> bool:
    """nodeMatch of thesis, appendix D; for `default`, which it leaves out: no other specification matches."""
    match Q:
        case NodeName(name):
            return N.lower() == name.lower()
        case NodeList(members):
            return any(node_match(N, member) for member in members)
        case NodeRegExp(r):
            return re.search(r, N) is not None
        case NodeDefault(others):
            return not any(node_match(N, other) for other in others)


@manifest.on("RDef", Define)
def r_def(c: State) -> Next | None:
    """u ∉ dom(κ)  ⟹  Γ, define u (ρ) {s} → κ[u : ResourceDef(ρ, s)], skip"""
    match c.term:
        case Define(u, ρ, s):
            if u in c.Γ.κ:
                return c.refuse("RDef", "{} is defined already", u)
            return c.Γ.but(κ={**c.Γ.κ, u: ResourceDef(ρ, s)}), SKIP
    return None


@manifest.on("CDef", ClassDefinition)
def c_def(c: State) -> Next | None:
    """a ∉ dom(κ)  ⟹  Γ, class a {s} → κ[a : ClassDef(⊥, ε, s)], skip"""
    match c.term:
        case ClassDefinition(a, None, None, s):
            return define_class(c, "CDef", a, None, (), s)
    return None


@manifest.on("CDefI", ClassDefinition)
def c_def_i(c: State) -> Next | None:
    """a ∉ dom(κ)  ⟹  Γ, class a inherits b {s} → κ[a : ClassDef(b, ε, s)], skip

    (Appendix D annotates the parent's name; nothing uses it.)"""
    match c.term:
        case ClassDefinition(a, None, str(b), s):
            return define_class(c, "CDefI", a, b, (), s)
    return None


@manifest.on("CDefP", ClassDefinition)
def c_def_p(c: State) -> Next | None:
    """a ∉ dom(κ)  ⟹  Γ, class a (ρ) {s} → κ[a : ClassDef(⊥, ρ, s)], skip"""
    match c.term:
        case ClassDefinition(a, tuple(ρ), None, s):
            return define_class(c, "CDefP", a, None, ρ, s)
    return None


@manifest.on("CDefPI", ClassDefinition)
def c_def_pi(c: State) -> Next | None:
    """a ∉ dom(κ)  ⟹  Γ, class a (ρ) inherits b {s} → κ[a : ClassDef(b, ρ, s)], skip"""
    match c.term:
        case ClassDefinition(a, tuple(ρ), str(b), s):
            return define_class(c, "CDefPI", a, b, ρ, s)
    return None


def define_class(c: State, rule: str, a: str, b: str | None, ρ: Parameters, s: Statement) -> Next | None:
    """κ[a : ClassDef(b, ρ, s)], if a is not in κ."""
    if a in c.Γ.κ:
        return c.refuse(rule, "{} is defined already", a)
    return c.Γ.but(κ={**c.Γ.κ, a: ClassDef(b, ρ, s)}), SKIP


@manifest.on("DefNow", Skip, place="ours, after paper 2.1, defined resource types")
def def_now(c: State) -> Next | None:
    """With `lazy_defines`: when the manifest is skip, the first resource that waits runs, as by Def or DefPlus"""
    if not isinstance(c.term, Skip) or not c.Γ.waiting:
        return None
    first, *rest = c.Γ.waiting
    s: Defined = first.s
    body = instance(c, "DefNow", s, first.α, first.β)
    return None if body is None else (c.Γ.but(waiting=tuple(rest)), body)
