"""Expressions: Γ, e →α e' (paper, C.2; thesis, A.3.2; annotated in thesis 4.2.2, 4.3.1 and 5.2.2).

Expressions change no environment. A rule's statement gives the plain rule with annotations written as in chapter 5;
with an algebra that has no outer annotations it reads as chapter 4's.

Rules whose place is *ours* are for undef, which the paper's section 5.3 describes. Arrays, hashes, dereference and
references are in `composites`.
"""

from __future__ import annotations

from typing import Any

from .annotations import EMPTY, arithmetic, comparison, is_integer, whole
from .environment import parentof
from .judgement import Judgement, State
from .plus import plus_e
from .syntax import (
    TOP,
    UNDEF,
    And,
    Arith,
    ArrayExp,
    Comp,
    DeclaredClass,
    Default,
    Expression,
    HashExp,
    Match,
    Not,
    Or,
    Outer,
    PlusE,
    QualifiedVar,
    Selector,
    TopVar,
    Value,
    Var,
    class_of,
    class_scope,
    plain,
    same,
)

expression = Judgement("puppet.expression", "paper, C.2; thesis, A.3.2")

OURS = "ours"


def step(c: State, e: Expression) -> Any:
    """The premise Γ, e →α e'."""
    return expression.step(c.Γ, c.α, e)


def computed(c: State, v: Any, op: str, *operands: Value) -> Value:
    """v, annotated as the result of a primitive operation."""
    algebra = c.Γ.algebra
    return Value(v, algebra.operator(op, *[whole(algebra, operand) for operand in operands]), span=c.term.span)


def reading(c: State, value: Value, *extra: Outer) -> Expression:
    """A value read from an environment, with the annotations met on the way (R2)."""
    algebra = c.Γ.algebra
    for β in extra:
        value = plus_e(algebra, value, β)
    return value


# --- variables ------------------------------------------------------------------------------------------------------


@expression.on("LVar", Var)
def l_var(c: State) -> Expression | None:
    """x ∈ dom(σ_α)  ⟹  $x →α σ_α(x)"""
    match c.term:
        case Var(x):
            if (bound := c.Γ.σ.get((c.α, x))) is not None:
                return bound.value
            return c.refuse("LVar", "${} has no value in scope {}", x, c.α)
    return None


@expression.on("PVar", Var)
def p_var(c: State) -> Expression | None:
    """x ∉ dom(σ_α), α' parentof α, $x →α' v^β  ⟹  $x →α v^β

    R2: v^β gets the absence labels of (α, x) and the annotation of the parent pointer followed.
    """
    match c.term:
        case Var(x) if (c.α, x) not in c.Γ.σ:
            above = parentof.step(c.Γ, c.α, c.α)
            if above is None:
                return None if c.α == TOP else c.refuse("PVar", "scope {} has no parent", c.α)
            α, g = above
            value = expression.step(c.Γ, α, c.term)
            return None if value is None else reading(c, value, c.Γ.variable_absence(c.α, x), g)
    return None


@expression.on("TVar", TopVar)
def t_var(c: State) -> Expression | None:
    """x ∈ dom(σ_::)  ⟹  $::x →α σ_::(x)"""
    match c.term:
        case TopVar(x):
            if (bound := c.Γ.σ.get((TOP, x))) is not None:
                return bound.value
            return c.refuse("TVar", "$::{} has no value at top level", x)
    return None


@expression.on("QVar", QualifiedVar)
def q_var(c: State) -> Expression | None:
    """x ∈ dom(σ_::a)  ⟹  $::a::x →α σ_::a(x)"""
    match c.term:
        case QualifiedVar(a, x):
            if (bound := c.Γ.σ.get((class_scope(a), x))) is not None:
                return bound.value
            return c.refuse("QVar", "${}::{} has no value: class {} has not assigned it", a, x, a)
    return None


# --- arithmetic and comparison --------------------------------------------------------------------------------------


@expression.on("ArithLeft", Arith)
def arith_left(c: State) -> Expression | None:
    """e1 → e1'  ⟹  e1 + e2 → e1' + e2"""
    match c.term:
        case Arith(op, e1, e2) if (next := step(c, e1)) is not None:
            return Arith(op, next, e2, span=c.term.span)
    return None


@expression.on("ArithRight", Arith)
def arith_right(c: State) -> Expression | None:
    """e → e'  ⟹  i^β + e → i^β + e'"""
    match c.term:
        case Arith(op, Value() as i, e):
            if not is_integer(i.v):
                return c.refuse("ArithRight", "the left operand of {} is {!r}, no integer", op, plain(i.v))
            if (next := step(c, e)) is not None:
                return Arith(op, i, next, span=c.term.span)
    return None


@expression.on("ArithValue", Arith)
def arith_value(c: State) -> Expression | None:
    """i1^β1 + i2^β2 → (i1 +ℤ i2)^(β1 ∪ β2); the same for - * / % << >>"""
    match c.term:
        case Arith(op, Value(int(i1)) as v1, Value() as v2) if is_integer(i1):
            if not is_integer(v2.v):
                return c.refuse("ArithValue", "the right operand of {} is {!r}, no integer", op, plain(v2.v))
            result = arithmetic(op, i1, v2.v)
            if result is None:
                return c.refuse("ArithValue", "{} {} {} has no (64 bit) result", i1, op, v2.v)
            return computed(c, result, op, v1, v2)
    return None


@expression.on("CompLeft", Comp)
def comp_left(c: State) -> Expression | None:
    """e1 → e1'  ⟹  e1 > e2 → e1' > e2"""
    match c.term:
        case Comp(op, e1, e2) if (next := step(c, e1)) is not None:
            return Comp(op, next, e2, span=c.term.span)
    return None


@expression.on("CompRight", Comp)
def comp_right(c: State) -> Expression | None:
    """e → e'  ⟹  v^β > e → v^β > e'"""
    match c.term:
        case Comp(op, Value() as v, e) if (next := step(c, e)) is not None:
            return Comp(op, v, next, span=c.term.span)
    return None


@expression.on("CompValueI", Comp)
def comp_value_i(c: State) -> Expression | None:
    """v1 >ℤ v2  ⟹  v1^β1 > v2^β2 → true^(β1 ∪ β2); the same for < >= <= == !="""
    match c.term:
        case Comp(op, Value() as v1, Value() as v2):
            result = comparison(op, v1.v, v2.v)
            if result is None:
                return c.refuse("CompValueI", "{!r} {} {!r}: order is for integers", plain(v1.v), op, plain(v2.v))
            return computed(c, True, op, v1, v2) if result else None
    return None


@expression.on("CompValueII", Comp)
def comp_value_ii(c: State) -> Expression | None:
    """¬(v1 >ℤ v2)  ⟹  v1^β1 > v2^β2 → false^(β1 ∪ β2); the same for < >= <= == !="""
    match c.term:
        case Comp(op, Value() as v1, Value() as v2) if comparison(op, v1.v, v2.v) is False:
            return computed(c, False, op, v1, v2)
    return None


# --- booleans -------------------------------------------------------------------------------------------------------


def is_boolean(c: State, rule: str, v: Value, what: str) -> bool:
    """Whether v is true or false; if not, the rule is refused."""
    if isinstance(v.v, bool):
        return True
    c.refuse(rule, "{} is {!r}, neither true nor false", what, plain(v.v))
    return False


@expression.on("AndLeft", And)
def and_left(c: State) -> Expression | None:
    """e1 → e1'  ⟹  e1 and e2 → e1' and e2"""
    match c.term:
        case And(e1, e2) if (next := step(c, e1)) is not None:
            return And(next, e2, span=c.term.span)
    return None


@expression.on("AndRightI", And)
def and_right_i(c: State) -> Expression | None:
    """false^β and e → false^β: only the operand that was looked at counts.

    Printed with the premise e → e', which would leave `false and <value>` stuck; dropped. Chapter 5 says that both
    sides are evaluated, its appendix prints this rule: short circuit, as in real Puppet.
    """
    match c.term:
        case And(Value(False) as v, _):
            return Value(False, c.Γ.algebra.short_circuit("and", v.β), span=c.term.span)
    return None


@expression.on("AndRightII", And)
def and_right_ii(c: State) -> Expression | None:
    """e → e'  ⟹  true^β and e → true^β and e'"""
    match c.term:
        case And(Value() as v, e):
            if is_boolean(c, "AndRightII", v, "the left operand of and") and v.v is True:
                if (next := step(c, e)) is not None:
                    return And(v, next, span=c.term.span)
    return None


@expression.on("AndValueI", And)
def and_value_i(c: State) -> Expression | None:
    """true^β1 and true^β2 → true^(β1 ∪ β2)"""
    match c.term:
        case And(Value(True) as v1, Value() as v2):
            if is_boolean(c, "AndValueI", v2, "the right operand of and") and v2.v is True:
                return computed(c, True, "and", v1, v2)
    return None


@expression.on("AndValueII", And, place="thesis, 4.2.2; missing in C.2, A.3.2.4 and D.1.1.1")
def and_value_ii(c: State) -> Expression | None:
    """true^β1 and false^β2 → false^(β1 ∪ β2)"""
    match c.term:
        case And(Value(True) as v1, Value(False) as v2):
            return computed(c, False, "and", v1, v2)
    return None


DUAL = "analogous to and, omitted in both papers"


@expression.on("OrLeft", Or, place=DUAL)
def or_left(c: State) -> Expression | None:
    """e1 → e1'  ⟹  e1 or e2 → e1' or e2"""
    match c.term:
        case Or(e1, e2) if (next := step(c, e1)) is not None:
            return Or(next, e2, span=c.term.span)
    return None


@expression.on("OrRightI", Or, place=DUAL)
def or_right_i(c: State) -> Expression | None:
    """true^β or e → true^β"""
    match c.term:
        case Or(Value(True) as v, _):
            return Value(True, c.Γ.algebra.short_circuit("or", v.β), span=c.term.span)
    return None


@expression.on("OrRightII", Or, place=DUAL)
def or_right_ii(c: State) -> Expression | None:
    """e → e'  ⟹  false^β or e → false^β or e'"""
    match c.term:
        case Or(Value() as v, e):
            if is_boolean(c, "OrRightII", v, "the left operand of or") and v.v is False:
                if (next := step(c, e)) is not None:
                    return Or(v, next, span=c.term.span)
    return None


@expression.on("OrValueI", Or, place=DUAL)
def or_value_i(c: State) -> Expression | None:
    """false^β1 or true^β2 → true^(β1 ∪ β2)"""
    match c.term:
        case Or(Value(False) as v1, Value() as v2):
            if is_boolean(c, "OrValueI", v2, "the right operand of or") and v2.v is True:
                return computed(c, True, "or", v1, v2)
    return None


@expression.on("OrValueII", Or, place=DUAL)
def or_value_ii(c: State) -> Expression | None:
    """false^β1 or false^β2 → false^(β1 ∪ β2)"""
    match c.term:
        case Or(Value(False) as v1, Value(False) as v2):
            return computed(c, False, "or", v1, v2)
    return None


@expression.on("NotStep", Not)
def not_step(c: State) -> Expression | None:
    """e → e'  ⟹  !e → !e'"""
    match c.term:
        case Not(e) if (next := step(c, e)) is not None:
            return Not(next, span=c.term.span)
    return None


@expression.on("NotValueI", Not)
def not_value_i(c: State) -> Expression | None:
    """!true^β → false^β"""
    match c.term:
        case Not(Value() as v):
            if is_boolean(c, "NotValueI", v, "the operand of !") and v.v is True:
                return computed(c, False, "!", v)
    return None


@expression.on("NotValueII", Not)
def not_value_ii(c: State) -> Expression | None:
    """!false^β → true^β"""
    match c.term:
        case Not(Value(False) as v):
            return computed(c, True, "!", v)
    return None


# --- selectors ------------------------------------------------------------------------------------------------------


@expression.on("SCon", Selector)
def s_con(c: State) -> Expression | None:
    """e → e'  ⟹  e ? {M} → e' ? {M}  (paper: SControl)"""
    match c.term:
        case Selector(e, M) if (next := step(c, e)) is not None:
            return Selector(next, M, span=c.term.span)
    return None


@expression.on("SEle", Selector)
def s_ele(c: State) -> Expression | None:
    """e1 → e1'  ⟹  v^β ? {e1 ⇒ e, M} → v^β ? {e1' ⇒ e, M}  (paper: SCase)"""
    match c.term:
        case Selector(Value() as v, (Match(Expression() as e1, e) as first, *rest)):
            if (next := step(c, e1)) is not None:
                return Selector(v, (Match(next, e, span=first.span), *rest), span=c.term.span)
    return None


@expression.on("SChoose", Selector)
def s_choose(c: State) -> Expression | None:
    """caseMatch(v, v1)  ⟹  v^β ? {v1^β1 ⇒ e, M} → e^{+(β ∪ β1)}"""
    match c.term:
        case Selector(Value() as v, (Match(Value() as v1, e), *_)) if same(v.v, v1.v):
            return plus_e(c.Γ.algebra, e, c.Γ.outer(v, v1))
        case Selector(Value() as v, ()):
            return c.refuse("SChoose", "no case matches {!r} and there is no default", plain(v.v))
    return None


@expression.on("SChooseI", Selector)
def s_choose_i(c: State) -> Expression | None:
    """¬caseMatch(v, v1)  ⟹  v^β ? {v1^β1 ⇒ e, M} → (v^β ? {M})^{+(β ∪ β1)}"""
    match c.term:
        case Selector(Value() as v, (Match(Value() as v1), *rest)) if not same(v.v, v1.v):
            return plus_e(c.Γ.algebra, Selector(v, tuple(rest), span=c.term.span), c.Γ.outer(v, v1))
    return None


@expression.on("SDefault", Selector)
def s_default(c: State) -> Expression | None:
    """v^β ? {default^β1 ⇒ e, M} → e^{+(β ∪ β1)}.  Printed without the default's own β1; it is added."""
    match c.term:
        case Selector(Value() as v, (Match(Default(β1), e), *_)):
            return plus_e(c.Γ.algebra, plus_e(c.Γ.algebra, e, c.Γ.outer(v)), β1)
    return None


# --- undef (paper, 5.3; switch `undef`) -----------------------------------------------------------------------------

STRICT = "ours, after paper 5.3, undefined values and strict mode"


def nothing(c: State, *why: Outer) -> Value:
    """undef, annotated with what could have made it something (R7)."""
    e = Value(UNDEF, c.Γ.algebra.undef(), span=c.term.span)
    for β in why:
        e = plus_e(c.Γ.algebra, e, β)
    return e


@expression.on("LUndef", Var, place=STRICT)
def l_undef(c: State) -> Expression | None:
    """x ∉ dom(σ_::)  ⟹  $x →:: undef^Abs_σ(::, x)  (R7); PVar leads here from the scopes below"""
    match c.term:
        case Var(x) if c.Γ.machine.switches.undef and c.α == TOP and (TOP, x) not in c.Γ.σ:
            return nothing(c, c.Γ.variable_absence(TOP, x))
    return None


@expression.on("TUndef", TopVar, place=STRICT)
def t_undef(c: State) -> Expression | None:
    """x ∉ dom(σ_::)  ⟹  $::x →α undef^Abs_σ(::, x)"""
    match c.term:
        case TopVar(x) if c.Γ.machine.switches.undef and (TOP, x) not in c.Γ.σ:
            return nothing(c, c.Γ.variable_absence(TOP, x))
    return None


def parent_class(c: State, a: str) -> tuple[str | None, Outer]:
    """b and g, if κ(a) = DeclaredClass(::b)^g for a class b."""
    d = c.Γ.κ.get(a)
    return (class_of(d.α), d.β) if isinstance(d, DeclaredClass) else (None, EMPTY)


@expression.on("QInherit", QualifiedVar, place="ours, after real Puppet")
def q_inherit(c: State) -> Expression | None:
    """x ∉ dom(σ_::a), κ(a) = DeclaredClass(::b)^g, $::b::x →α v^β  ⟹  $::a::x →α v^{+(Abs_σ(::a, x) ∪ g)}

    In the paper this is an error; real Puppet finds inherited variables under the name of the heir too.
    """
    match c.term:
        case QualifiedVar(a, x) if c.Γ.machine.switches.undef and (class_scope(a), x) not in c.Γ.σ:
            b, g = parent_class(c, a)
            if b is not None and (value := step(c, QualifiedVar(b, x, span=c.term.span))) is not None:
                return reading(c, value, c.Γ.variable_absence(class_scope(a), x), g)
    return None


@expression.on("QUndef", QualifiedVar, place=STRICT)
def q_undef(c: State) -> Expression | None:
    """x ∉ dom(σ_::a), a has no parent class  ⟹  $::a::x →α undef^(Abs_σ(::a, x) ∪ Abs_κ(a))  (R2)

    Abs_κ(a) counts only while a is not declared: after that, Abs_σ says all.
    """
    match c.term:
        case QualifiedVar(a, x) if c.Γ.machine.switches.undef and (class_scope(a), x) not in c.Γ.σ:
            if parent_class(c, a)[0] is not None:
                return None
            undeclared = EMPTY if isinstance(c.Γ.κ.get(a), DeclaredClass) else c.Γ.class_absence(a)
            return nothing(c, c.Γ.variable_absence(class_scope(a), x), undeclared)
    return None


# --- outer annotations ----------------------------------------------------------------------------------------------


@expression.on(
    "Expre",
    (PlusE, Var),
    (PlusE, TopVar),
    (PlusE, QualifiedVar),
    (PlusE, ArrayExp),
    (PlusE, HashExp),
    place="thesis, 5.2.2.5",
)
def expre(c: State) -> Expression | None:
    """e → e'  ⟹  e^{+β} → e'^{+β}.  The thesis' rules for annotated variables are this one with LVar, PVar, TVar, QVar.

    (Its first form of these, `$x^β → σ(x)` in 5.2.2.1, forgets β; the form of 5.2.2.5 is meant.)
    """
    match c.term:
        case PlusE(e, β) if (next := step(c, e)) is not None:
            e2: Expression = next
            return plus_e(c.Γ.algebra, e2, β)
    return None
