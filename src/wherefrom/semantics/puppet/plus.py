"""The operation +β on expressions and statements (thesis, Figures 5.4 and 5.5).

An outer annotation is pushed into a construct until it reaches values, which absorb it, or constructs that keep it
because their rules treat it specially: variables, assignments, and the four kinds of declaration.

Not in the thesis: `d[e]` and `t[e]` are pushed into like operators; `[A]` and `{H}` keep +β until they are values, so
that it lands on the container and not on each element. `skip^β` loses its annotation, as it would one step later.
"""

from __future__ import annotations

from typing import overload

from .annotations import Algebra
from .syntax import (
    And,
    Arith,
    ArrayExp,
    Assign,
    Branch,
    Case,
    CaseOf,
    ClassDecl,
    Comp,
    Default,
    Defined,
    Deref,
    Expr,
    Expression,
    HashExp,
    If,
    In,
    Include,
    Match,
    Not,
    Or,
    Outer,
    PlusE,
    PlusS,
    QualifiedVar,
    Ref,
    Resource,
    Resume,
    Selector,
    Seq,
    Skip,
    Statement,
    TopVar,
    Unless,
    Value,
    Var,
)


@overload
def plus_e(algebra: Algebra, e: Value, β: Outer) -> Value: ...


@overload
def plus_e(algebra: Algebra, e: Expression, β: Outer) -> Expression: ...


def plus_e(algebra: Algebra, e: Expression, β: Outer) -> Expression:
    """e^{+β}"""
    if not β:
        return e

    def plus(part: Expression) -> Expression:
        return plus_e(algebra, part, β)

    match e:
        case Value(v, inner):
            return Value(v, algebra.plus(inner, β), span=e.span)
        case Var() | TopVar() | QualifiedVar() | ArrayExp() | HashExp():
            return PlusE(e, β, span=e.span)
        case PlusE(inside, β0):
            return PlusE(inside, algebra.union(β0, β), span=e.span)
        case Arith(op, e1, e2):
            return Arith(op, plus(e1), plus(e2), span=e.span)
        case Comp(op, e1, e2):
            return Comp(op, plus(e1), plus(e2), span=e.span)
        case And(e1, e2):
            return And(plus(e1), plus(e2), span=e.span)
        case Or(e1, e2):
            return Or(plus(e1), plus(e2), span=e.span)
        case Not(e1):
            return Not(plus(e1), span=e.span)
        case Selector(e1, M):
            return Selector(plus(e1), plus_matches(algebra, M, β), span=e.span)
        case Deref(d, e1):
            return Deref(plus(d), plus(e1), span=e.span)
        case Ref(t, e1):
            return Ref(t, plus(e1), span=e.span)
        case _:
            raise AssertionError(f"no +β for {e!r}")


def plus_matches(algebra: Algebra, M: tuple[Match, ...], β: Outer) -> tuple[Match, ...]:
    """M^{+β}"""
    return tuple(Match(_plus_case(algebra, m.c, β), plus_e(algebra, m.e, β), span=m.span) for m in M)


def _plus_case(algebra: Algebra, c: Case, β: Outer) -> Case:
    if isinstance(c, Default):
        return Default(algebra.union(c.β, β) if c.β else β, span=c.span)
    return plus_e(algebra, c, β)


def plus_s(algebra: Algebra, s: Statement, β: Outer) -> Statement:
    """s^{+β}"""
    if not β:
        return s

    def plus(part: Statement) -> Statement:
        return plus_s(algebra, part, β)

    match s:
        case Assign() | Resource() | Defined() | ClassDecl() | Include() | Resume():
            return PlusS(s, β, span=s.span)
        case PlusS(inside, β0):
            return PlusS(inside, algebra.union(β0, β), span=s.span)
        case Expr(e):
            return Expr(plus_e(algebra, e, β), span=s.span)
        case Seq(s1, s2):
            return Seq(plus(s1), plus(s2), span=s.span)
        case If(e, s1, s2):
            return If(plus_e(algebra, e, β), plus(s1), plus(s2), span=s.span)
        case Unless(e, s1):
            return Unless(plus_e(algebra, e, β), plus(s1), span=s.span)
        case CaseOf(e, C, passed):
            branches = tuple(Branch(_plus_case(algebra, branch.c, β), plus(branch.s), span=branch.span) for branch in C)
            return CaseOf(plus_e(algebra, e, β), branches, passed, span=s.span)
        case In(α, s1):
            return In(α, plus(s1), span=s.span)
        case Skip():
            return s
        case _:
            raise AssertionError(f"no +β for {s!r}")
