"""Reduction: the base steps ->base (fig. 3.5) and the relation ->, which is a base step under a context (rule CTX).

    E   ::= [] | E.xs | E.xs or e | with E; e | E e | ({ m } : e) E | if E then e else e | assert E; e
          | E op e | v op E | E ? x | force E_s
    E_s ::= E | { x := E_s; b }

The printed fig. 3.7 also lists `v E`; with it arguments of functions could be evaluated before the call, and the
artifact has no such item, so it is left out. The members of a set under `force` may be reduced in any order: the only
choice there is. `steps` gives every possible step, `step` the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..rules import Relation
from .matching import match_pattern
from .operators import Operation, binop
from .substitution import closeds, placeholders, recsubst, substitute
from .syntax import (
    FALSE,
    PRELUDE,
    TRUE,
    App,
    Assert,
    Attrs,
    Bool,
    Closed,
    Force,
    Fun,
    HasAttr,
    If,
    Let,
    MatchFun,
    Op,
    Placeholder,
    Rec,
    Select,
    SelectOr,
    Term,
    With,
    is_strong,
    is_value,
)

base_step: Relation[Term] = Relation("nix.base_step", cites="Broekhoff, thesis, fig. 3.5")


@base_step.rule("CLOSED")
def closed(e: Term) -> Term | None:
    """closed(e)  ->base  e"""
    return e.e if isinstance(e, Closed) else None


@base_step.rule("PLACEHOLDER")
def placeholder(e: Term) -> Term | None:
    """placeholder_x(e)  ->base  e"""
    return e.e if isinstance(e, Placeholder) else None


@base_step.rule("FORCE")
def force(e: Term) -> Term | None:
    """force v_s  ->base  v_s"""
    return e.e if isinstance(e, Force) and is_strong(e.e) else None


@base_step.rule("SELECT")
def select(e: Term) -> Term | None:
    """{ x := e; .. }.x  ->base  e"""
    match e:
        case Select(Attrs(b), (x,)) if x in b:
            return b[x]
    return None


@base_step.rule("MSELECT")
def mselect(e: Term) -> Term | None:
    """{ b }.x.ys  ->base  ({ b }.x).ys"""
    match e:
        case Select(Attrs() as s, (x, *ys)) if ys:
            return Select(Select(s, (x,)), tuple(ys))
    return None


@base_step.rule("SELECT-OR")
def select_or(e: Term) -> Term | None:
    """{ b }.x or e  ->base  if { b } ? x then { b }.x else e"""
    match e:
        case SelectOr(Attrs() as s, (x,), d):
            return If(HasAttr(s, x), Select(s, (x,)), d)
    return None


@base_step.rule("MSELECT-OR")
def mselect_or(e: Term) -> Term | None:
    """{ b }.x.ys or e  ->base  if { b } ? x then ({ b }.x).ys or e else e"""
    match e:
        case SelectOr(Attrs() as s, (x, *ys), d) if ys:
            return If(HasAttr(s, x), SelectOr(Select(s, (x,)), tuple(ys), d), d)
    return None


@base_step.rule("REC")
def rec(e: Term) -> Term | None:
    """rec { br }  ->base  { recsubst(br) }"""
    return Attrs(recsubst(e.br)) if isinstance(e, Rec) else None


@base_step.rule("LET")
def let(e: Term) -> Term | None:
    """let br in e  ->base  e[closeds(recsubst(br))]"""
    return substitute(e.e, closeds(recsubst(e.br))) if isinstance(e, Let) else None


@base_step.rule("WITH")
def with_(e: Term) -> Term | None:
    """with { b }; e  ->base  e[placeholders(b)]"""
    match e:
        case With(Attrs(b), body):
            return substitute(body, placeholders(b))
    return None


@base_step.rule("WITH-NO-ATTRSET")
def with_no_attrset(e: Term) -> Term | None:
    """with v; e  ->base  e  if v is a value but no attribute set"""
    match e:
        case With(v, body) if is_value(v) and not isinstance(v, Attrs):
            return body
    return None


@base_step.rule("APPLY-SIMPLE")
def apply_simple(e: Term) -> Term | None:
    """(x : e1) e2  ->base  e1[x := closed(e2)]"""
    match e:
        case App(Fun(x, e1), e2):
            return substitute(e1, {x: Closed(e2)})
    return None


@base_step.rule("APPLY-ATTRSET")
def apply_attrset(e: Term) -> Term | None:
    """({ m } : e) { b }  ->base  let br' in e  if  b ~ m ~> br'"""
    match e:
        case App(MatchFun(m, body), Attrs(b)):
            br = match_pattern(b, m)
            return None if br is None else Let(br, body)
    return None


@base_step.rule("APPLY-FUNCTOR")
def apply_functor(e: Term) -> Term | None:
    """{ __functor := e2; .. } e1  ->base  (e2 { __functor := e2; .. }) e1"""
    match e:
        case App(Attrs(b) as s, e1) if "__functor" in b:
            return App(App(b["__functor"], s), e1)
    return None


@base_step.rule("IF-TRUE")
def if_true(e: Term) -> Term | None:
    """if true then e2 else e3  ->base  e2  (printed with the branches swapped)"""
    match e:
        case If(Bool(True), e2, _):
            return e2
    return None


@base_step.rule("IF-FALSE")
def if_false(e: Term) -> Term | None:
    """if false then e2 else e3  ->base  e3  (printed with the branches swapped)"""
    match e:
        case If(Bool(False), _, e3):
            return e3
    return None


@base_step.rule("ASSERT")
def assert_(e: Term) -> Term | None:
    """assert true; e  ->base  e"""
    match e:
        case Assert(Bool(True), body):
            return body
    return None


@base_step.rule("OP")
def op(e: Term) -> Term | None:
    """u1 op u2  ->base  v  if  u1 [[op]] u2 -o-> v"""
    match e:
        case Op(o, u1, u2) if is_value(u1) and is_value(u2):
            applied = binop.apply(Operation(o, u1, u2))
            return None if applied is None else applied[1]
    return None


@base_step.rule("OP-HAS-ATTR-TRUE")
def op_has_attr_true(e: Term) -> Term | None:
    """{ b } ? x  ->base  true  if x is in dom(b)"""
    match e:
        case HasAttr(Attrs(b), x) if x in b:
            return TRUE
    return None


@base_step.rule("OP-HAS-ATTR-FALSE")
def op_has_attr_false(e: Term) -> Term | None:
    """{ b } ? x  ->base  false  if x is not in dom(b)"""
    match e:
        case HasAttr(Attrs(b), x) if x not in b:
            return FALSE
    return None


@base_step.rule("OP-HAS-ATTR-NO-ATTRSET")
def op_has_attr_no_attrset(e: Term) -> Term | None:
    """v ? x  ->base  false  if v is a value but no attribute set"""
    match e:
        case HasAttr(v, _) if is_value(v) and not isinstance(v, Attrs):
            return FALSE
    return None


# --- contexts ---------------------------------------------------------------------------------------------------------

Layer = tuple[str, Term, Callable[[Term], Term]]
"""One item of a context: its name, the term in its hole, and the way to put another there."""


def weak_layer(e: Term) -> Layer | None:
    """The one item of a weak context E that e begins with, if its hole is not yet a value."""
    match e:
        case Select(d, xs) if not is_value(d):
            return "E.xs", d, lambda hole: Select(hole, xs)
        case SelectOr(d, xs, default) if not is_value(d):
            return "E.xs or e", d, lambda hole: SelectOr(hole, xs, default)
        case With(e1, e2) if not is_value(e1):
            return "with E; e", e1, lambda hole: With(hole, e2)
        case App(e1, e2) if not is_value(e1):
            return "E e", e1, lambda hole: App(hole, e2)
        case App(MatchFun() as f, e2) if not is_value(e2):
            return "({ m } : e) E", e2, lambda hole: App(f, hole)
        case If(e1, e2, e3) if not is_value(e1):
            return "if E", e1, lambda hole: If(hole, e2, e3)
        case Assert(e1, e2) if not is_value(e1):
            return "assert E", e1, lambda hole: Assert(hole, e2)
        case Op(o, e1, e2) if not is_value(e1):
            return "E op e", e1, lambda hole: Op(o, hole, e2)
        case Op(o, e1, e2) if not is_value(e2):
            return "v op E", e2, lambda hole: Op(o, e1, hole)
        case HasAttr(d, x) if not is_value(d):
            return "E ? x", d, lambda hole: HasAttr(hole, x)
    return None


def steps(e: Term, strict: bool = False) -> Iterator[tuple[tuple[str, ...], Term]]:
    """Every step that e can make: the names from the outermost context item to the base rule, and the new term.

    `strict` says that e stands under `force`, where the members of a set are reduced too.
    """
    if isinstance(e, Force) and not is_strong(e.e):
        for rules, reduced in steps(e.e, strict=True):
            yield ("force E", *rules), Force(reduced)
        return
    if strict and isinstance(e, Attrs):
        for x, member in e.b.items():
            for rules, reduced in steps(member, strict=True):
                yield (f"{{ {x} := E }}", *rules), Attrs({**e.b, x: reduced})
        return
    layer = weak_layer(e)
    if layer is not None:
        name, hole, plug = layer
        for rules, reduced in steps(hole):
            yield (name, *rules), plug(reduced)
        return
    applied = base_step.apply(e)
    if applied is not None:
        yield (applied[0].name,), applied[1]


def step(e: Term) -> tuple[tuple[str, ...], Term] | None:
    """One step of ->, the leftmost where there is a choice; nothing if e is a value or stuck."""
    return next(steps(e), None)


def program(e: Term, strict: bool = True) -> Term:
    """A program to run: the prelude substituted as strong bindings, under `force` if the whole value is wanted."""
    closed_program = substitute(e, closeds(PRELUDE))
    return Force(closed_program) if strict else closed_program


def reduce(e: Term, fuel: int) -> tuple[Term, int]:
    """e ->* d with at most `fuel` steps: the last term, and the number of steps made."""
    for count in range(fuel):
        applied = step(e)
        if applied is None:
            return e, count
        e = applied[1]
    return e, fuel


def stuck_redex(e: Term) -> Term:
    """The innermost term that keeps e from going on: what stands in the hole of its context."""
    strict = False
    while True:
        if isinstance(e, Force) and not is_strong(e.e):
            e, strict = e.e, True
            continue
        if strict and isinstance(e, Attrs):
            members = [member for member in e.b.values() if not is_strong(member)]
            if members:
                e = members[0]
                continue
        layer = weak_layer(e)
        if layer is None:
            return e
        e, strict = layer[1], False
