"""Matching an attribute set against a pattern, b ~ m ~> br' (fig. 3.9).

Attributes that are supplied become non-recursive bindings; defaults become recursive ones, so that a default sees all
formals, itself included. The rules consume the matcher from the left; `match_pattern` follows them to the end.
"""

from __future__ import annotations

from ...base.record import Record
from ..rules import Relation
from .substitution import without
from .syntax import Bindings, Matcher, RecBinding, RecBindings


class Match(Record):
    """b ~ m"""

    b: Bindings
    m: Matcher


class Matched(Record):
    """What one rule contributes: bindings, and the match that is left to do (nothing at the end)."""

    br: RecBindings
    rest: Match | None


match_step: Relation[Match] = Relation("nix.match", cites="Broekhoff, thesis, fig. 3.9")


@match_step.rule("MATCH-EMPTY")
def match_empty(s: Match) -> Matched | None:
    """eps ~ eps ~> eps"""
    return Matched({}, None) if not s.m.formals and s.m.strict and not s.b else None


@match_step.rule("MATCH-ANY")
def match_any(s: Match) -> Matched | None:
    """b ~ ... ~> eps"""
    return Matched({}, None) if not s.m.formals and not s.m.strict else None


@match_step.rule("MATCH-MANDATORY")
def match_mandatory(s: Match) -> Matched | None:
    """x := e; b ~ x, m ~> x := e; br'  if  b ~ m ~> br'"""
    match s.m.formals:
        case ((x, None), *_) if x in s.b:
            return Matched({x: RecBinding(False, s.b[x])}, _rest(s, x))
    return None


@match_step.rule("MATCH-OPT-AVAIL")
def match_opt_avail(s: Match) -> Matched | None:
    """x := d; b ~ x ? e, m ~> x := d; br'  if  b ~ m ~> br'"""
    match s.m.formals:
        case ((x, default), *_) if default is not None and x in s.b:
            return Matched({x: RecBinding(False, s.b[x])}, _rest(s, x))
    return None


@match_step.rule("MATCH-OPT-DEFAULT")
def match_opt_default(s: Match) -> Matched | None:
    """b ~ x ? e, m ~> x :=_r e; br'  if  x is not in dom(b) and b ~ m ~> br'"""
    match s.m.formals:
        case ((x, default), *_) if default is not None and x not in s.b:
            return Matched({x: RecBinding(True, default)}, _rest(s, x))
    return None


def _rest(s: Match, x: str) -> Match:
    return Match(without(s.b, {x}), Matcher(s.m.formals[1:], s.m.strict))


def match_pattern(b: Bindings, m: Matcher) -> RecBindings | None:
    """br' such that b ~ m ~> br', or nothing: an attribute is missing, or too much under a strict matcher."""
    br: dict[str, RecBinding] = {}
    state: Match | None = Match(b, m)
    while state is not None:
        applied = match_step.apply(state)
        if applied is None:
            return None
        br.update(applied[1].br)
        state = applied[1].rest
    return br
