"""Repair R1: what a branch that was not taken would have done.

The thesis annotates what happens under a test, never what *fails* to happen. But in muPuppet absence can be observed: a
variable that was not assigned here is found in an outer scope, a class that was not declared is declared later, with
other parameters or at another place. So when a conditional does not take a branch s, the labels β that decided it are
recorded:

* on (α, x), for every assignment `$x = e` in s, nested conditionals included;
* on a, for every class a that s might declare, directly or through bodies of classes and defined types, together with
  the assignments of a's body, in a's own scope.

A class that is declared already is left out: declaring it again does nothing, or is an error. So are assignments in the
bodies of defined types, whose scopes do not outlive them (R8).
"""

from __future__ import annotations

from .annotations import EMPTY
from .judgement import Environments
from .syntax import (
    Assign,
    CaseOf,
    ClassDecl,
    ClassDef,
    Defined,
    If,
    In,
    Include,
    Outer,
    PlusS,
    ResourceDef,
    Scope,
    Seq,
    Statement,
    Unless,
    class_scope,
)


def not_taken(Γ: Environments, α: Scope, β: Outer, *branches: Statement) -> Environments:
    """Γ with the absence labels of branches not taken in scope α because of β; Γ itself in the thesis' mode."""
    β = Γ.algebra.absence(β)
    if not β:
        return Γ
    variables: set[tuple[Scope, str]] = set()
    classes: set[str] = set()
    defines: set[str] = set()

    def visit(s: Statement, α: Scope | None) -> None:
        match s:
            case Seq(s1, s2) | If(_, s1, s2):
                visit(s1, α)
                visit(s2, α)
            case Unless(_, s1) | PlusS(s1, _):
                visit(s1, α)
            case CaseOf(_, C, _):
                for branch in C:
                    visit(branch.s, α)
            case Assign(x, _):
                if α is not None:
                    variables.add((α, x))
            case Include(a) | ClassDecl(a, _):
                visit_class(a)
            case Defined(u, _, _):
                d = Γ.κ.get(u)
                if isinstance(d, ResourceDef) and u not in defines:
                    defines.add(u)
                    visit(d.s, None)
            case In(scope, s1):
                visit(s1, scope)

    def visit_class(a: str) -> None:
        d = Γ.κ.get(a)
        if not isinstance(d, ClassDef) or a in classes:
            return
        classes.add(a)
        if d.b is not None:
            visit_class(d.b)
        visit(d.s, class_scope(a))

    for branch in branches:
        visit(branch, α)
    union = Γ.algebra.union
    return Γ.but(
        absent_σ={**Γ.absent_σ, **{key: union(Γ.absent_σ.get(key, EMPTY), β) for key in variables}},
        absent_κ={**Γ.absent_κ, **{a: union(Γ.absent_κ.get(a, EMPTY), β) for a in classes}},
    )
