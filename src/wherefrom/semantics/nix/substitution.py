"""Parallel substitution e[b] (fig. 3.10) and the maps that the rules substitute (fig. 3.6).

Strong binders (functions, `let`, `rec`, the prelude) substitute `closed(...)`, which no later substitution enters; the
weak binder `with` substitutes `placeholder_x(...)`, which a later binding of x replaces. So the innermost strong binder
wins; if there is none, the innermost `with` that has the name.
"""

from __future__ import annotations

from collections.abc import Container

from .syntax import (
    App,
    Assert,
    Attrs,
    Bindings,
    Closed,
    Force,
    Fun,
    HasAttr,
    Id,
    If,
    Let,
    Matcher,
    MatchFun,
    Op,
    Placeholder,
    Rec,
    RecBinding,
    RecBindings,
    Select,
    SelectOr,
    Term,
    With,
    free,
)


def substitute(e: Term, b: Bindings) -> Term:
    """e[b]: every free x of e that b binds is replaced, all at once.

    The figure prints the body of `let` unsubstituted and drops the `rec` of recursive sets; here, as in the artifact,
    the body loses only the names that the `let` binds.
    """
    if not b or free(e).isdisjoint(b):
        return e
    match e:
        case Id(x):
            return b[x]
        case Placeholder(x, _):
            return b[x]
        case Fun(x, body):
            return Fun(x, substitute(body, without(b, {x})))
        case MatchFun(m, body):
            inner = without(b, m.names)
            formals = tuple((x, None if d is None else substitute(d, inner)) for x, d in m.formals)
            return MatchFun(Matcher(formals, m.strict), substitute(body, inner))
        case Attrs(members):
            return Attrs({x: substitute(d, b) for x, d in members.items()})
        case Rec(br):
            return Rec(_substitute_bindings(br, b))
        case Let(br, body):
            return Let(_substitute_bindings(br, b), substitute(body, without(b, br.keys())))
        case Select(d, xs):
            return Select(substitute(d, b), xs)
        case SelectOr(d, xs, default):
            return SelectOr(substitute(d, b), xs, substitute(default, b))
        case App(e1, e2):
            return App(substitute(e1, b), substitute(e2, b))
        case If(e1, e2, e3):
            return If(substitute(e1, b), substitute(e2, b), substitute(e3, b))
        case With(e1, e2):
            return With(substitute(e1, b), substitute(e2, b))
        case Assert(e1, e2):
            return Assert(substitute(e1, b), substitute(e2, b))
        case Op(op, e1, e2):
            return Op(op, substitute(e1, b), substitute(e2, b))
        case HasAttr(d, x):
            return HasAttr(substitute(d, b), x)
        case Force(d):
            return Force(substitute(d, b))
    return e


def _substitute_bindings(br: RecBindings, b: Bindings) -> RecBindings:
    inner = without(b, br.keys())
    return {
        x: RecBinding(binding.recursive, substitute(binding.e, inner if binding.recursive else b))
        for x, binding in br.items()
    }


def without(b: Bindings, names: Container[str]) -> Bindings:
    """b without the bindings of `names`."""
    return {x: e for x, e in b.items() if x not in names}


def closeds(b: Bindings) -> Bindings:
    """{ x := closed(e) | x := e in b }"""
    return {x: Closed(e) for x, e in b.items()}


def placeholders(b: Bindings) -> Bindings:
    """{ x := placeholder_x(e) | x := e in b }"""
    return {x: Placeholder(x, e) for x, e in b.items()}


def indirect(br: RecBindings) -> Bindings:
    """{ x := rec { br }.x | x in dom(br) }"""
    whole = Rec(br)
    return {x: Select(whole, (x,)) for x in br}


def recsubst(br: RecBindings) -> Bindings:
    """The recursive right-hand sides see every name of the set, through the set itself; the others stay as they are."""
    names = closeds(indirect(br))
    return {x: substitute(binding.e, names) if binding.recursive else binding.e for x, binding in br.items()}
