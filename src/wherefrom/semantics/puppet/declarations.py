"""Declarations of defined resources and classes (paper, C.4; thesis, A.3.4.8-10 and 5.2.2.5).

Each rule comes twice: for the plain declaration and, ending in `Plus`, for one under an outer annotation +β. Both
differ only in β, so the work is done in common functions with β empty for the first kind.

Repairs: R3, a class's first declaration runs under Abs_κ[a] as well (what decided that it was not declared before); R4,
`DeclaredClass` is annotated with β and with what decided where its parent scope is. In the thesis' mode both are
empty, and these are the thesis' rules.

A class whose parent is yet to be declared makes it run first. In the paper (IncPU, CDecPU) it is itself undeclared
meanwhile, so that the parent's body may declare it. In real Puppet (switch `begin_first`; rules Begin and Resume) it
has begun: the parent's `include` of it does nothing, its `class {a : H}` is an error.
"""

from __future__ import annotations

from typing import Any

from .annotations import EMPTY
from .environment import baseof, merge
from .judgement import Environments, State, Waiting
from .plus import plus_s
from .resources import body, is_value, resource
from .statements import CHAPTER_5, Next, statement
from .syntax import (
    SKIP,
    Assign,
    Attributes,
    BegunClass,
    ClassDecl,
    ClassDef,
    DeclaredClass,
    Defined,
    In,
    Include,
    Outer,
    PlusS,
    ResourceDef,
    Resume,
    Scope,
    Seq,
    Statement,
    Value,
    class_scope,
    def_scope,
    plain,
)

BEGUN = "ours, after paper C.4, IncPU"


# --- defined resources ----------------------------------------------------------------------------------------------


@statement.on("DefStep", Defined)
def def_step(c: State) -> Next | None:
    """e : H →R e' : H'  ⟹  Γ, u {e : H} → Γ, u {e' : H'}"""
    match c.term:
        case Defined(u, e, H) if (next := resource.step(c.Γ, c.α, (e, H))) is not None:
            return c.Γ, Defined(u, *next, span=c.term.span)
    return None


@statement.on("Def", Defined)
def def_(c: State) -> Next | None:
    """κ(u) = ResourceDef(ρ, s), s' = merge(ρ, vH)  ⟹  Γ, u {w^β : vH} →α Γ, scope (α def) {$title = w^β _ s' _ s}"""
    match c.term:
        case Defined(_, Value(), H) as s if is_value(H):
            return instantiate(c, "Def", s, EMPTY)
    return None


@statement.on("DefStepPlus", (PlusS, Defined), place=CHAPTER_5)
def def_step_plus(c: State) -> Next | None:
    """e : H →R e' : H'  ⟹  Γ, (u {e : H})^{+β} → Γ, (u {e' : H'})^{+β}"""
    match c.term:
        case PlusS(Defined(u, e, H) as s, β) if (next := resource.step(c.Γ, c.α, (e, H))) is not None:
            return c.Γ, PlusS(Defined(u, *next, span=s.span), β, span=s.span)
    return None


@statement.on("DefPlus", (PlusS, Defined), place=CHAPTER_5)
def def_plus(c: State) -> Next | None:
    """κ(u) = ResourceDef(ρ, s), s' = merge(ρ, vH)
    ⟹  Γ, (u {w^β : vH})^{+β'} →α Γ, scope (α def) {$title = w^(β ∪ β') _ s'^{+β'} _ s^{+β'}}"""
    match c.term:
        case PlusS(Defined(_, Value(), H) as s, β) if is_value(H):
            return instantiate(c, "DefPlus", s, β)
    return None


@statement.on("DefLater", Defined, place="ours, after paper 2.1, defined resource types")
def def_later(c: State) -> Next | None:
    """With `lazy_defines`: Γ, u {w^β : vH} →α Γ with (u {w^β : vH}, α) waiting, skip"""
    match c.term:
        case Defined(_, Value(), H) as s if is_value(H):
            return postpone(c, s, EMPTY)
    return None


@statement.on("DefLaterPlus", (PlusS, Defined), place="ours, after paper 2.1, defined resource types")
def def_later_plus(c: State) -> Next | None:
    """With `lazy_defines`: Γ, (u {w^β : vH})^{+β'} →α Γ with ((u {w^β : vH})^{+β'}, α) waiting, skip"""
    match c.term:
        case PlusS(Defined(_, Value(), H) as s, β) if is_value(H):
            return postpone(c, s, β)
    return None


def postpone(c: State, s: Defined, β: Outer) -> Next | None:
    """Keep a defined resource for later, if that is the way (and it can run at all)."""
    if not c.Γ.machine.switches.lazy_defines or not isinstance(c.Γ.κ.get(s.u), ResourceDef):
        return None
    return c.Γ.but(waiting=(*c.Γ.waiting, Waiting(s, c.α, β))), SKIP


def instantiate(c: State, rule: str, s: Defined, β: Outer) -> Next | None:
    """The body of a defined type in its scope, unless its time has not come."""
    if not isinstance(c.Γ.κ.get(s.u), ResourceDef):
        return c.refuse(rule, "{} is not defined (yet) as a resource type", s.u)
    if c.Γ.machine.switches.lazy_defines:
        return None
    body = instance(c, rule, s, c.α, β)
    return None if body is None else (c.Γ, body)


def instance(c: State, rule: str, s: Defined, α: Scope, β: Outer) -> Statement | None:
    """scope (α def) {$title = w^{+β} _ s'^{+β} _ s^{+β}}"""
    d = c.Γ.κ.get(s.u)
    w = s.e
    assert isinstance(w, Value)
    if not isinstance(d, ResourceDef):
        return c.refuse(rule, "{} is not defined (yet) as a resource type", s.u)
    if not isinstance(w.v, str):
        return c.refuse(rule, "a resource's title is a string, not {!r}", plain(w.v))
    parameters = merge(c, rule, d.ρ, s.H)
    if parameters is None:
        return None
    algebra = c.Γ.algebra
    title = Assign("title", Value(w.v, algebra.plus(w.β, β) if β else w.β, span=w.span), span=w.span)
    rest = Seq(plus_s(algebra, parameters, β), plus_s(algebra, d.s, β))
    return In(def_scope(α), Seq(title, rest, span=s.span), span=s.span)


# --- include --------------------------------------------------------------------------------------------------------


@statement.on("IncU", Include)
def inc_u(c: State) -> Next | None:
    """κ(a) = ClassDef(⊥, ρ, s), s' = merge(ρ, ε), γ baseof α
    ⟹  Γ, include a →α κ[a : DeclaredClass(γ)], scope (::a) {s' _ s}.  R3, R4."""
    match c.term:
        case Include(a):
            return undeclared(c, "IncU", a, (), EMPTY)
    return None


@statement.on("IncD", Include)
def inc_d(c: State) -> Next | None:
    """κ(a) = DeclaredClass(γ)  ⟹  Γ, include a → Γ, skip.  With `begin_first` also if κ(a) = BegunClass(d)."""
    match c.term:
        case Include(a) if isinstance(c.Γ.κ.get(a), DeclaredClass | BegunClass):
            return c.Γ, SKIP
    return None


@statement.on("IncPU", Include)
def inc_pu(c: State) -> Next | None:
    """κ(a) = ClassDef(b, ρ, s), κ(b) = ClassDef(...)  ⟹  Γ, include a → Γ, include b _ include a.  R3."""
    match c.term:
        case Include(a) as s:
            return parent_undeclared(c, "IncPU", a, s, EMPTY)
    return None


@statement.on("IncPD", Include)
def inc_pd(c: State) -> Next | None:
    """κ(a) = ClassDef(b, ρ, s), κ(b) = DeclaredClass(γ), s' = merge(ρ, ε)
    ⟹  Γ, include a → κ[a : DeclaredClass(::b)], scope (::a) {s' _ s}.  R3, R4.

    (The appendices print DeclaredClass(γ), with which inherited variables would not be found.)"""
    match c.term:
        case Include(a):
            return parent_declared(c, "IncPD", a, (), EMPTY)
    return None


@statement.on("IncUPlus", (PlusS, Include), place=CHAPTER_5)
def inc_u_plus(c: State) -> Next | None:
    """As IncU: Γ, (include a)^{+β} →α κ[a : DeclaredClass(γ)], (scope (::a) {s' _ s})^{+β}"""
    match c.term:
        case PlusS(Include(a), β):
            return undeclared(c, "IncUPlus", a, (), β)
    return None


@statement.on("IncDPlus", (PlusS, Include), place=CHAPTER_5)
def inc_d_plus(c: State) -> Next | None:
    """As IncD: Γ, (include a)^{+β} → Γ, skip^{+β}"""
    match c.term:
        case PlusS(Include(a), _) if isinstance(c.Γ.κ.get(a), DeclaredClass | BegunClass):
            return c.Γ, SKIP
    return None


@statement.on("IncPUPlus", (PlusS, Include), place=CHAPTER_5)
def inc_pu_plus(c: State) -> Next | None:
    """As IncPU: Γ, (include a)^{+β} → Γ, (include b)^{+β} _ (include a)^{+β}"""
    match c.term:
        case PlusS(Include(a) as s, β):
            return parent_undeclared(c, "IncPUPlus", a, s, β)
    return None


@statement.on("IncPDPlus", (PlusS, Include), place=CHAPTER_5)
def inc_pd_plus(c: State) -> Next | None:
    """As IncPD: Γ, (include a)^{+β} → κ[a : DeclaredClass(::b)], (scope (::a) {s' _ s})^{+β}"""
    match c.term:
        case PlusS(Include(a), β):
            return parent_declared(c, "IncPDPlus", a, (), β)
    return None


# --- class {a : H} --------------------------------------------------------------------------------------------------


@statement.on("CDecStep", ClassDecl)
def c_dec_step(c: State) -> Next | None:
    """κ(a) = ClassDef(...), H →H H'  ⟹  Γ, class {a : H} → Γ, class {a : H'}"""
    match c.term:
        case ClassDecl(a, H):
            next = attributes_step(c, "CDecStep", a, H)
            return None if next is None else (c.Γ, ClassDecl(a, next, span=c.term.span))
    return None


@statement.on("CDecU", ClassDecl)
def c_dec_u(c: State) -> Next | None:
    """κ(a) = ClassDef(⊥, ρ, s), s' = merge(ρ, vH), γ baseof α
    ⟹  Γ, class {a : vH} →α κ[a : DeclaredClass(γ)], scope (::a) {s' _ s}.  R3, R4."""
    match c.term:
        case ClassDecl(a, H) if is_value(H):
            return undeclared(c, "CDecU", a, H, EMPTY)
    return None


@statement.on("CDecPU", ClassDecl)
def c_dec_pu(c: State) -> Next | None:
    """κ(a) = ClassDef(b, ρ, s), κ(b) = ClassDef(...)  ⟹  Γ, class {a : vH} → Γ, include b _ class {a : vH}.  R3."""
    match c.term:
        case ClassDecl(a, H) as s if is_value(H):
            return parent_undeclared(c, "CDecPU", a, s, EMPTY)
    return None


@statement.on("CDecPD", ClassDecl)
def c_dec_pd(c: State) -> Next | None:
    """κ(a) = ClassDef(b, ρ, s), κ(b) = DeclaredClass(γ), s' = merge(ρ, vH)
    ⟹  Γ, class {a : vH} → κ[a : DeclaredClass(::b)], scope (::a) {s' _ s}.  R3, R4; erratum as in IncPD."""
    match c.term:
        case ClassDecl(a, H) if is_value(H):
            return parent_declared(c, "CDecPD", a, H, EMPTY)
    return None


@statement.on("CDecStepPlus", (PlusS, ClassDecl), place=CHAPTER_5)
def c_dec_step_plus(c: State) -> Next | None:
    """As CDecStep: Γ, (class {a : H})^{+β} → Γ, (class {a : H'})^{+β}"""
    match c.term:
        case PlusS(ClassDecl(a, H) as s, β):
            next = attributes_step(c, "CDecStepPlus", a, H)
            return None if next is None else (c.Γ, PlusS(ClassDecl(a, next, span=s.span), β, span=s.span))
    return None


@statement.on("CDecUPlus", (PlusS, ClassDecl), place=CHAPTER_5)
def c_dec_u_plus(c: State) -> Next | None:
    """As CDecU: Γ, (class {a : vH})^{+β} →α κ[a : DeclaredClass(γ)], scope (::a) {s'^{+β} _ s^{+β}}"""
    match c.term:
        case PlusS(ClassDecl(a, H), β) if is_value(H):
            return undeclared(c, "CDecUPlus", a, H, β)
    return None


@statement.on("CDecPUPlus", (PlusS, ClassDecl), place=CHAPTER_5)
def c_dec_pu_plus(c: State) -> Next | None:
    """As CDecPU: Γ, (class {a : vH})^{+β} → Γ, (include b)^{+β} _ (class {a : vH})^{+β}"""
    match c.term:
        case PlusS(ClassDecl(a, H) as s, β) if is_value(H):
            return parent_undeclared(c, "CDecPUPlus", a, s, β)
    return None


@statement.on("CDecPDPlus", (PlusS, ClassDecl), place=CHAPTER_5)
def c_dec_pd_plus(c: State) -> Next | None:
    """As CDecPD: Γ, (class {a : vH})^{+β} → κ[a : DeclaredClass(::b)], scope (::a) {s'^{+β} _ s^{+β}}"""
    match c.term:
        case PlusS(ClassDecl(a, H), β) if is_value(H):
            return parent_declared(c, "CDecPDPlus", a, H, β)
    return None


# --- classes that begin before their parents run --------------------------------------------------------------------


@statement.on("Begin", Include, ClassDecl, place=BEGUN)
def begin(c: State) -> Next | None:
    """With `begin_first`, s = include a or class {a : vH}: κ(a) = ClassDef(b, ...) = d, κ(b) = ClassDef(...)
    ⟹  Γ, s → κ[a : BegunClass(d)], include b _ resume s.  R3."""
    match c.term:
        case Include(a) as s:
            return begun(c, "Begin", a, s, EMPTY)
        case ClassDecl(a, H) as s if is_value(H):
            return begun(c, "Begin", a, s, EMPTY)
    return None


@statement.on("BeginPlus", (PlusS, Include), (PlusS, ClassDecl), place=BEGUN)
def begin_plus(c: State) -> Next | None:
    """As Begin: Γ, s^{+β} → κ[a : BegunClass(d)], (include b)^{+β} _ (resume s)^{+β}"""
    match c.term:
        case PlusS(Include(a) as s, β):
            return begun(c, "BeginPlus", a, s, β)
        case PlusS(ClassDecl(a, H) as s, β) if is_value(H):
            return begun(c, "BeginPlus", a, s, β)
    return None


@statement.on("Resume", Resume, place=BEGUN)
def resume(c: State) -> Next | None:
    """κ(a) = BegunClass(ClassDef(b, ρ, s)), κ(b) = DeclaredClass(γ), s' = merge(ρ, vH)
    ⟹  Γ, resume (class {a : vH}) → κ[a : DeclaredClass(::b)], scope (::a) {s' _ s}; include a has vH = ε."""
    match c.term:
        case Resume(s):
            return resumed(c, "Resume", s, EMPTY)
    return None


@statement.on("ResumePlus", (PlusS, Resume), place=BEGUN)
def resume_plus(c: State) -> Next | None:
    """As Resume: Γ, (resume s)^{+β} → κ[a : DeclaredClass(::b)], (scope (::a) {s' _ s})^{+β}"""
    match c.term:
        case PlusS(Resume(s), β):
            return resumed(c, "ResumePlus", s, β)
    return None


# --- what include and class {a : H} have in common ------------------------------------------------------------------


def attributes_step(c: State, rule: str, a: str, H: Attributes) -> Attributes | None:
    """H' with κ(a) = ClassDef(...) and H →H H'."""
    if undeclared_class(c, rule, a) is None:
        return None
    stepped: Attributes | None = body.step(c.Γ, c.α, H)
    return stepped


def undeclared_class(c: State, rule: str, a: str) -> ClassDef | None:
    """κ(a), if it is a ClassDef."""
    match c.Γ.κ.get(a):
        case ClassDef() as d:
            return d
        case DeclaredClass() | BegunClass():
            if not rule.startswith("Inc"):
                c.refuse(rule, "class {} is declared already", a)
        case ResourceDef():
            c.refuse(rule, "{} is a defined resource type, not a class", a)
        case None:
            c.refuse(rule, "class {} is not defined (yet)", a)
    return None


def undeclared(c: State, rule: str, a: str, H: Attributes, β: Outer) -> Next | None:
    """A class without a parent is declared: its own parent scope is the base scope of here."""
    d = undeclared_class(c, rule, a)
    if d is None or d.b is not None:
        return None
    γ, g = baseof.step(c.Γ, c.α, c.α)
    return enter(c, rule, a, d, H, β, γ, g)


def parent_undeclared(c: State, rule: str, a: str, s: Statement, β: Outer) -> Next | None:
    """A class whose parent b is yet to be declared: `include b` goes first."""
    if c.Γ.machine.switches.begin_first:
        return None
    return parent_first(c, rule, a, s, β, s, c.Γ)


def begun(c: State, rule: str, a: str, s: Include | ClassDecl, β: Outer) -> Next | None:
    """The same, with the class marked as begun."""
    d = c.Γ.κ.get(a)
    if not c.Γ.machine.switches.begin_first or not isinstance(d, ClassDef):
        return None
    marked = c.Γ.but(κ={**c.Γ.κ, a: BegunClass(d)})
    return parent_first(c, rule, a, s, β, Resume(s, span=s.span), marked)


def parent_first(c: State, rule: str, a: str, s: Statement, β: Outer, then: Statement, Γ: Environments) -> Next | None:
    """Γ, (include b)^{+β} _ then^{+β}, with β enlarged by Abs_κ[a], if a has a parent b that is yet to be declared."""
    d = undeclared_class(c, rule, a)
    if d is None or d.b is None:
        return None
    match c.Γ.κ.get(d.b):
        case ClassDef():
            β = Γ.algebra.union(β, Γ.class_absence(a)) if Γ.class_absence(a) else β
            parent = Include(d.b, span=s.span)
            return Γ, Seq(plus_s(Γ.algebra, parent, β), plus_s(Γ.algebra, then, β), span=s.span)
        case DeclaredClass():
            return None
        case BegunClass():
            return c.refuse(rule, "{}, the parent of class {}, has begun but waits for its own parent", d.b, a)
        case _:
            return c.refuse(rule, "{}, the parent of class {}, is not defined (yet) as a class", d.b, a)


def resumed(c: State, rule: str, s: Include | ClassDecl, β: Outer) -> Next | None:
    """A class whose parent has run."""
    H = s.H if isinstance(s, ClassDecl) else ()
    match c.Γ.κ.get(s.a):
        case BegunClass(ClassDef(str(b)) as d) if isinstance(c.Γ.κ.get(b), DeclaredClass):
            return enter(c, rule, s.a, d, H, β, class_scope(b), EMPTY)
    return None


def parent_declared(c: State, rule: str, a: str, H: Attributes, β: Outer) -> Next | None:
    """A class whose parent b is declared: its own parent scope is ::b."""
    d = undeclared_class(c, rule, a)
    if d is None or d.b is None or not isinstance(c.Γ.κ.get(d.b), DeclaredClass):
        return None
    return enter(c, rule, a, d, H, β, class_scope(d.b), EMPTY)


def enter(c: State, rule: str, a: str, d: ClassDef, H: Attributes, β: Outer, γ: Scope, g: Any) -> Next | None:
    """κ[a : DeclaredClass(γ)^(β ∪ g)], (scope (::a) {s' _ s})^{+β}, with β enlarged by Abs_κ[a]."""
    parameters = merge(c, rule, d.ρ, H)
    if parameters is None:
        return None
    algebra = c.Γ.algebra
    if absent := c.Γ.class_absence(a):
        β = algebra.union(β, absent)
    pointer = algebra.absence(algebra.union(β, g) if g else β)
    inside = In(class_scope(a), Seq(parameters, d.s), span=c.term.span)
    return c.Γ.but(κ={**c.Γ.κ, a: DeclaredClass(γ, pointer)}), plus_s(algebra, inside, β)
