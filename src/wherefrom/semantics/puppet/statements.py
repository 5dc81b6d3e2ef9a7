"""Statements: Γ, s →α_s Γ', s' (paper, C.4; thesis, A.3.4; annotated in thesis 5.2.2 and appendix D).

This file has the statements proper, with resources and scopes; `declarations` has classes and defined types. A
conditional leaves its tests as an outer annotation on the branch it takes, and (repair R1, `effects`) on what the
other branches would have done.

Rules whose names end in `Plus` are chapter 5's for annotated statements. `Statement` is its generic rule; it is for
statements without a rule of their own, that is for resources that are not values yet.
"""

from __future__ import annotations

from .annotations import EMPTY
from .effects import not_taken
from .environment import clear, lookup_C, update
from .expressions import step
from .judgement import Binding, Environments, Judgement, ResourceValue, State
from .plus import plus_s
from .resources import is_value, resource
from .syntax import (
    SKIP,
    UNDEF,
    Assign,
    Branch,
    CaseOf,
    Default,
    Expr,
    Expression,
    If,
    In,
    Outer,
    PlusS,
    Resource,
    Seq,
    Skip,
    Statement,
    Unless,
    Value,
    is_def_scope,
    plain,
    same,
)

statement = Judgement("puppet.statement", "paper, C.4; thesis, A.3.4")

Next = tuple[Environments, Statement]
CHAPTER_5 = "thesis, 5.2.2.5"


# --- expressions and sequences --------------------------------------------------------------------------------------


@statement.on("ExprStep", Expr)
def expr_step(c: State) -> Next | None:
    """e → e'  ⟹  Γ, e → Γ, e'"""
    match c.term:
        case Expr(e) if (next := step(c, e)) is not None:
            return c.Γ, Expr(next, span=c.term.span)
    return None


@statement.on("Expr", Expr)
def expr(c: State) -> Next | None:
    """Γ, v^β → Γ, skip"""
    match c.term:
        case Expr(Value()):
            return c.Γ, SKIP
    return None


@statement.on("SeqStep", Seq)
def seq_step(c: State) -> Next | None:
    """Γ, s1 → Γ', s1'  ⟹  Γ, s1 _ s2 → Γ', s1' _ s2"""
    match c.term:
        case Seq(s1, s2) if (next := statement.step(c.Γ, c.α, s1)) is not None:
            return next[0], Seq(next[1], s2, span=c.term.span)
    return None


@statement.on("SeqSkip", Seq)
def seq_skip(c: State) -> Next | None:
    """Γ, skip _ s → Γ, s"""
    match c.term:
        case Seq(Skip(), s):
            return c.Γ, s
    return None


# --- assignment -----------------------------------------------------------------------------------------------------


@statement.on("AssignStep", Assign)
def assign_step(c: State) -> Next | None:
    """e → e'  ⟹  Γ, $x = e → Γ, $x = e'"""
    match c.term:
        case Assign(x, e) if (next := step(c, e)) is not None:
            return c.Γ, Assign(x, next, span=c.term.span)
    return None


@statement.on("Assign", Assign)
def assign(c: State) -> Next | None:
    """x ∉ dom(σ_α)  ⟹  σ, $x = v^β → σ[(α, x) : v^β], skip.  R5: with the absence labels of (α, x)."""
    match c.term:
        case Assign(x, Value() as v):
            return store(c, "Assign", x, v, EMPTY)
    return None


@statement.on("AssignStepPlus", (PlusS, Assign), place=CHAPTER_5)
def assign_step_plus(c: State) -> Next | None:
    """e → e'  ⟹  Γ, ($x = e)^{+β} → Γ, ($x = e')^{+β}"""
    match c.term:
        case PlusS(Assign(x, e) as s, β) if (next := step(c, e)) is not None:
            return c.Γ, PlusS(Assign(x, next, span=s.span), β, span=s.span)
    return None


@statement.on("AssignPlus", (PlusS, Assign), place=CHAPTER_5)
def assign_plus(c: State) -> Next | None:
    """x ∉ dom(σ_α)  ⟹  σ, ($x = v^β)^{+β'} → σ[(α, x^{+β'}) : v^(β ∪ β')], skip.  R5 as in Assign."""
    match c.term:
        case PlusS(Assign(x, Value() as v), β):
            return store(c, "AssignPlus", x, v, β)
    return None


def store(c: State, rule: str, x: str, v: Value, β: Outer) -> Next | None:
    """σ[(α, x^{+β}) : v^{+β}], β enlarged by Abs_σ[(α, x)]."""
    Γ = c.Γ
    if (c.α, x) in Γ.σ:
        return c.refuse(rule, "${} already has a value in scope {}", x, c.α)
    if absent := Γ.variable_absence(c.α, x):
        β = Γ.algebra.union(β, absent)
    if β:
        v = Value(v.v, Γ.algebra.plus(v.β, β), span=v.span)
    return Γ.but(σ=update(Γ.σ, c.α, x, Binding(v, β))), SKIP


# --- if and unless --------------------------------------------------------------------------------------------------


def truth(c: State, rule: str, v: Value) -> bool | None:
    """The boolean v is; undef counts as false where it is allowed.  Anything else is refused."""
    if isinstance(v.v, bool):
        return v.v
    if v.v == UNDEF and c.Γ.machine.switches.undef:
        return False
    return c.refuse(rule, "the condition is {!r}, neither true nor false", plain(v.v))


@statement.on("IfStep", If)
def if_step(c: State) -> Next | None:
    """e → e'  ⟹  Γ, if e {s1} else {s2} → Γ, if e' {s1} else {s2}"""
    match c.term:
        case If(e, s1, s2) if (next := step(c, e)) is not None:
            return c.Γ, If(next, s1, s2, span=c.term.span)
    return None


@statement.on("IfT", If)
def if_t(c: State) -> Next | None:
    """Γ, if true^β {s1} else {s2} → Γ, s1^{+β}.  R1: s2 was not taken because of β."""
    match c.term:
        case If(Value() as v, s1, s2) if truth(c, "IfT", v) is True:
            β = c.Γ.outer(v)
            return not_taken(c.Γ, c.α, β, s2), plus_s(c.Γ.algebra, s1, β)
    return None


@statement.on("IfF", If)
def if_f(c: State) -> Next | None:
    """Γ, if false^β {s1} else {s2} → Γ, s2^{+β}.  R1: s1 was not taken because of β."""
    match c.term:
        case If(Value() as v, s1, s2) if truth(c, "IfF", v) is False:
            β = c.Γ.outer(v)
            return not_taken(c.Γ, c.α, β, s1), plus_s(c.Γ.algebra, s2, β)
    return None


@statement.on("UnlessStep", Unless)
def unless_step(c: State) -> Next | None:
    """e → e'  ⟹  Γ, unless e {s} → Γ, unless e' {s}"""
    match c.term:
        case Unless(e, s) if (next := step(c, e)) is not None:
            return c.Γ, Unless(next, s, span=c.term.span)
    return None


@statement.on("UnlessT", Unless)
def unless_t(c: State) -> Next | None:
    """Γ, unless true^β {s} → Γ, skip.  R1: s was not taken because of β.  (D.1.2.5 prints no annotation.)"""
    match c.term:
        case Unless(Value() as v, s) if truth(c, "UnlessT", v) is True:
            return not_taken(c.Γ, c.α, c.Γ.outer(v), s), SKIP
    return None


@statement.on("UnlessF", Unless)
def unless_f(c: State) -> Next | None:
    """Γ, unless false^β {s} → Γ, s^{+β}.  (D.1.2.5 repeats UnlessT here: a misprint.)"""
    match c.term:
        case Unless(Value() as v, s) if truth(c, "UnlessF", v) is False:
            return c.Γ, plus_s(c.Γ.algebra, s, c.Γ.outer(v))
    return None


# --- case -----------------------------------------------------------------------------------------------------------


@statement.on("CaseStep1", CaseOf)
def case_step_1(c: State) -> Next | None:
    """e → e'  ⟹  Γ, case e {C} → Γ, case e' {C}"""
    match c.term:
        case CaseOf(e, C, passed) if (next := step(c, e)) is not None:
            return c.Γ, CaseOf(next, C, passed, span=c.term.span)
    return None


@statement.on("CaseStep2", CaseOf)
def case_step_2(c: State) -> Next | None:
    """e → e'  ⟹  Γ, case v^β {e : {s} _ C} → Γ, case v^β {e' : {s} _ C}"""
    match c.term:
        case CaseOf(Value() as v, (Branch(Expression() as e, s) as first, *rest), passed):
            if (next := step(c, e)) is not None:
                return c.Γ, CaseOf(v, (Branch(next, s, span=first.span), *rest), passed, span=c.term.span)
    return None


def take(c: State, s: Statement, β: Outer, others: tuple[Branch, ...], passed: tuple[Statement, ...]) -> Next:
    """s^{+β}; R1: no other branch was taken, because of β."""
    return not_taken(c.Γ, c.α, β, *passed, *(other.s for other in others)), plus_s(c.Γ.algebra, s, β)


@statement.on("CaseMatch", CaseOf)
def case_match(c: State) -> Next | None:
    """caseMatch(v, v1)  ⟹  Γ, case v^β {v1^β1 : {s} _ C} → Γ, s^{+(β ∪ β1)}.  (The + is missing in print.)"""
    match c.term:
        case CaseOf(Value() as v, (Branch(Value() as v1, s), *rest), passed) if same(v.v, v1.v):
            return take(c, s, c.Γ.outer(v, v1), tuple(rest), passed)
    return None


@statement.on("CaseNoMatch", CaseOf)
def case_no_match(c: State) -> Next | None:
    """¬caseMatch(v, v1)  ⟹  Γ, case v^β {v1^β1 : {s} _ C} → Γ, (case v^β {C})^{+(β ∪ β1)}"""
    match c.term:
        case CaseOf(Value() as v, (Branch(Value() as v1, s), *rest), passed) if not same(v.v, v1.v):
            remaining = CaseOf(v, tuple(rest), (*passed, s), span=c.term.span)
            return c.Γ, plus_s(c.Γ.algebra, remaining, c.Γ.outer(v, v1))
    return None


@statement.on("CaseDone", CaseOf)
def case_done(c: State) -> Next | None:
    """Γ, case v^β {ε} → Γ, skip.  R1: no branch was taken, because of β (which has every failed test by now)."""
    match c.term:
        case CaseOf(Value() as v, (), passed):
            return take(c, SKIP, c.Γ.outer(v), (), passed)
    return None


@statement.on("CaseDefault", CaseOf, place="thesis, B.1.3; missing in chapter 5 and appendix D")
def case_default(c: State) -> Next | None:
    """Γ, case v^β {default^β1 : {s} _ C} → Γ, s^{+(β ∪ β1)}"""
    match c.term:
        case CaseOf(Value() as v, (Branch(Default(β1), s), *rest), passed):
            β = c.Γ.outer(v)
            return take(c, s, c.Γ.algebra.union(β, β1) if β1 else β, tuple(rest), passed)
    return None


# --- resources ------------------------------------------------------------------------------------------------------


@statement.on("ResStep", Resource)
def res_step(c: State) -> Next | None:
    """e : H →R e' : H'  ⟹  Γ, t {e : H} → Γ, t {e' : H'}"""
    match c.term:
        case Resource(t, e, H) if (next := resource.step(c.Γ, c.α, (e, H))) is not None:
            return c.Γ, Resource(t, *next, span=c.term.span)
    return None


@statement.on("ResDecl", Resource)
def res_decl(c: State) -> Next | None:
    """Γ, vR → σ, κ, vC _ vR, skip, if vC has no resource of that type and title.  (D.1.2.2 prepends: a slip.)"""
    match c.term:
        case Resource(_, Value(), H) as s if is_value(H):
            return declare(c, "ResDecl", s, EMPTY)
    return None


@statement.on("ResDeclPlus", (PlusS, Resource), place="thesis, 5.2.2.5 (ResDecl on annotated resource values)")
def res_decl_plus(c: State) -> Next | None:
    """Γ, (vR)^{+β} → σ, κ, vC _ (vR)^{+β}, skip: the resource keeps β, its attributes do not get it"""
    match c.term:
        case PlusS(Resource(_, Value(), H) as s, β) if is_value(H):
            return declare(c, "ResDeclPlus", s, β)
    return None


def declare(c: State, rule: str, s: Resource, β: Outer) -> Next | None:
    """vC _ (t {w : vH})^{+β}, if that leaves the catalog well-formed."""
    title, vH = s.e, s.H
    assert isinstance(title, Value) and is_value(vH)
    w = title.v
    if not isinstance(w, str):
        return c.refuse(rule, "a resource's title is a string, not {!r}", plain(w))
    if lookup_C(c.Γ.vC, s.t, w) is not None:
        return c.refuse(rule, "the catalog has {}[{}] already", s.t, w)
    vR = ResourceValue(s.t, title, vH, β, s.span)
    return c.Γ.but(vC=(*c.Γ.vC, vR)), SKIP


@statement.on("Statement", (PlusS, Resource), place=CHAPTER_5)
def statement_rule(c: State) -> Next | None:
    """Γ, s → Γ', s'  ⟹  Γ, s^{+β} → Γ', s'^{+β}, for statements without a rule of their own"""
    match c.term:
        case PlusS(Resource(_, e, H) as s, β) if not (isinstance(e, Value) and is_value(H)):
            if (next := statement.step(c.Γ, c.α, s)) is not None:
                return next[0], plus_s(c.Γ.algebra, next[1], β)
    return None


# --- scopes ---------------------------------------------------------------------------------------------------------


@statement.on("ScopeStep", In)
def scope_step(c: State) -> Next | None:
    """α ∈ {::, ::a, ::nd}, Γ, s →α Γ', s'  ⟹  Γ, scope α s →α' Γ', scope α s'"""
    match c.term:
        case In(α, s) if not is_def_scope(α) and (next := statement.step(c.Γ, α, s)) is not None:
            return next[0], In(α, next[1], span=c.term.span)
    return None


@statement.on("DefScopeStep", In)
def def_scope_step(c: State) -> Next | None:
    """Γ, s →(α def) Γ', s'  ⟹  Γ, scope (α def) s →α Γ', scope (α def) s'"""
    match c.term:
        case In(α, s) if is_def_scope(α) and (next := statement.step(c.Γ, α, s)) is not None:
            return next[0], In(α, next[1], span=c.term.span)
    return None


@statement.on("ScopeDone", In)
def scope_done(c: State) -> Next | None:
    """α ∈ {::, ::a, ::nd}  ⟹  Γ, scope α skip → Γ, skip"""
    match c.term:
        case In(α, Skip()) if not is_def_scope(α):
            return c.Γ, SKIP
    return None


@statement.on("DefScopeDone", In)
def def_scope_done(c: State) -> Next | None:
    """σ, κ, vC, scope (α def) skip → clear(σ, α def), κ, vC, skip"""
    match c.term:
        case In(α, Skip()) if is_def_scope(α):
            return clear(c.Γ, α), SKIP
    return None
