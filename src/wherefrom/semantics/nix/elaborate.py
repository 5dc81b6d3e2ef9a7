"""From Nix to Mininix: what the thesis sketches in chapter 2 and fig. 3.2, as a program.

A Nix tree that uses only supported features becomes a Mininix term; anything else is refused, with the construct and
its place. The macros of fig. 3.2 are the functions below `elaborate`. Comparisons other than `<`, which the thesis
leaves out, are rewritten to it the way Nix itself does.
"""

from __future__ import annotations

from collections.abc import Callable

from ...base.diagnostics import Diagnostic, Label
from ...base.source import Span
from ...nix.syntax import tree
from .syntax import (
    FALSE,
    TRUE,
    App,
    Assert,
    Attrs,
    Force,
    Fun,
    HasAttr,
    Id,
    If,
    Int,
    Let,
    Matcher,
    MatchFun,
    Op,
    Rec,
    RecBinding,
    RecBindings,
    Select,
    SelectOr,
    Str,
    Term,
    With,
)


class OutsideMininix(Diagnostic):
    """A construct of Nix that Mininix does not have."""

    code = "N900"

    def __init__(self, construct: str, at: Span) -> None:
        super().__init__(
            f"Mininix has no {construct}",
            Label(at, "not in the thesis' language"),
            help="`wherefrom eval` evaluates the whole of Nix",
        )


def elaborate(node: tree.Node) -> Term:
    """The Mininix term that a Nix expression means.  Raises `OutsideMininix`."""
    match node:
        case tree.IntLiteral(value):
            return Int(value)
        case tree.StringLiteral(value):
            return Str(value)
        case tree.Variable(name):
            return Id(name)
        case tree.AttrSet() if node.recursive:
            return Rec(_recursive(node))
        case tree.AttrSet():
            _static(node)
            return Attrs({attribute.name: elaborate(attribute.value) for attribute in node.attributes})
        case tree.Let(bindings, body):
            return Let(_recursive(bindings), elaborate(body))
        case tree.OldLet(bindings):
            return Select(Rec(_recursive(bindings)), ("body",))
        case tree.Select(subject, steps, default):
            names = _names(steps, node.span)
            if default is None:
                return Select(elaborate(subject), names)
            return SelectOr(elaborate(subject), names, elaborate(default))
        case tree.HasAttr(subject, steps):
            names = _names(steps, node.span)
            if len(names) != 1:
                raise OutsideMininix("attribute path after `?` (one name only)", node.span)
            return HasAttr(elaborate(subject), names[0])
        case tree.Lambda(argument, body):
            return Fun(argument, elaborate(body))
        case tree.PatternLambda():
            return _pattern(node)
        case tree.Call(function, arguments):
            term = elaborate(function)
            for operand in arguments:
                term = App(term, elaborate(operand))
            return term
        case tree.If(test, yes, no):
            return If(elaborate(test), elaborate(yes), elaborate(no))
        case tree.Assert(test, body):
            return Assert(elaborate(test), elaborate(body))
        case tree.With(scope, body):
            return With(elaborate(scope), elaborate(body))
        case tree.Not(operand):
            return negation(elaborate(operand))
        case tree.Negate(operand):
            return Op("-", Int(0), elaborate(operand))
        case tree.Binary(operator, left, right) if operator in BINARY:
            return BINARY[operator](elaborate(left), elaborate(right))
        case tree.Binary(operator):
            raise OutsideMininix(f"operator `{operator}`", node.operator_span)
    raise OutsideMininix(_CONSTRUCTS.get(type(node).__name__, type(node).__name__), node.span)


_CONSTRUCTS = {
    "FloatLiteral": "floating point numbers",
    "PathLiteral": "paths",
    "PathInterpolation": "paths",
    "SearchPath": "search paths",
    "Interpolation": "string interpolation",
    "ListLiteral": "lists",
    "CurrentPosition": "`__curPos`",
}


def _static(node: tree.AttrSet) -> None:
    if node.dynamic:
        raise OutsideMininix("dynamic attribute names", node.dynamic[0].span)


def _recursive(node: tree.AttrSet) -> RecBindings:
    """`inherit x` makes the only non-recursive bindings; `inherit (e) x` sees the set's own names."""
    _static(node)
    return {
        attribute.name: RecBinding(not attribute.inherited, elaborate(attribute.value)) for attribute in node.attributes
    }


def _names(steps: tuple[tree.PathStep, ...], at: Span) -> tuple[str, ...]:
    names = tuple(step for step in steps if isinstance(step, str))
    if len(names) != len(steps):
        raise OutsideMininix("dynamic attribute names", at)
    return names


def _pattern(node: tree.PatternLambda) -> Term:
    """x @ { m } : e  ==  x : ({ m } : e) x"""
    formals = tuple(
        (formal.name, None if formal.default is None else elaborate(formal.default)) for formal in node.formals
    )
    function = MatchFun(Matcher(formals, not node.ellipsis), elaborate(node.body))
    if node.name is None:
        return function
    # Defaults may refer to the name, so the function itself is under its binder.
    return Fun(node.name, App(function, Id(node.name)))


# --- macros of fig. 3.2 -----------------------------------------------------------------------------------------------


def cast_bool(e: Term) -> Term:
    """if e then true else false"""
    return If(e, TRUE, FALSE)


def negation(e: Term) -> Term:
    """!e  ==  if e then false else true"""
    return If(e, FALSE, TRUE)


def equality(e1: Term, e2: Term) -> Term:
    """e1 == e2  ==  force e1 = force e2"""
    return Op("=", Force(e1), Force(e2))


def conjunction(e1: Term, e2: Term) -> Term:
    """e1 && e2  ==  if e1 then cast_bool(e2) else false"""
    return If(e1, cast_bool(e2), FALSE)


def disjunction(e1: Term, e2: Term) -> Term:
    """e1 || e2  ==  if e1 then true else cast_bool(e2)"""
    return If(e1, TRUE, cast_bool(e2))


def implication(e1: Term, e2: Term) -> Term:
    """e1 -> e2  ==  if e1 then cast_bool(e2) else true"""
    return If(e1, cast_bool(e2), TRUE)


def _operator(op: str) -> Callable[[Term, Term], Term]:
    return lambda e1, e2: Op(op, e1, e2)


BINARY: dict[str, Callable[[Term, Term], Term]] = {
    "==": equality,
    "!=": lambda e1, e2: negation(equality(e1, e2)),
    "<": _operator("<"),
    ">": lambda e1, e2: Op("<", e2, e1),
    "<=": lambda e1, e2: negation(Op("<", e2, e1)),
    ">=": lambda e1, e2: negation(Op("<", e1, e2)),
    "+": _operator("+"),
    "-": _operator("-"),
    "/": _operator("/"),
    "//": _operator("//"),
    "&&": conjunction,
    "||": disjunction,
    "->": implication,
}
