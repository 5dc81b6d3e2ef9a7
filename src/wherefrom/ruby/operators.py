"""Operators on the commonest values, done in place; on all others they are methods like any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..base.keys import Symbol
from ..base.source import Span
from .errors import RubyError
from .frames import ACTIVATION, Frame
from .procs import Runner
from .showing import equal
from .support import call_method
from .values import MatchData, Object, Regexp, Text, Value

_COMPARE = {"<": int.__lt__, ">": int.__gt__, "<=": int.__le__, ">=": int.__ge__}

Keeper: TypeAlias = "Callable[[list[Value]], list[Value]]"
"""Puts the strings among arguments into boxes."""


def quick_operator(name: str, left: Runner, right: Runner, span: Span, keep: Keeper | None) -> Runner | None:
    """Operators on the commonest values, done in place."""
    if name == "==":

        def same(frame: Frame) -> Value:
            one, two = left(frame), right(frame)
            if type(one) is str and type(two) is str:
                return one == two
            if isinstance(one, Object):
                return call_method(frame, one, name, [two], span, keep)
            try:
                return equal(frame[0], one, two)
            except RubyError as problem:
                problem.passes(span)
                raise

        return same
    if name == "!=":

        def differ(frame: Frame) -> Value:
            one, two = left(frame), right(frame)
            if type(one) is str and type(two) is str:
                return one != two
            return call_method(frame, one, name, [two], span, keep)

        return differ
    if name == "+":

        def add(frame: Frame) -> Value:
            one, two = left(frame), right(frame)
            kind = type(one)
            if kind is type(two) and (kind is int or kind is str):
                if kind is str and len(one) > 64:
                    frame[0].make_text(len(one) + len(two))
                return one + two
            return call_method(frame, one, name, [two], span, keep)

        return add
    if name == "-":

        def subtract(frame: Frame) -> Value:
            one, two = left(frame), right(frame)
            if type(one) is int and type(two) is int:
                return one - two
            return call_method(frame, one, name, [two], span, keep)

        return subtract
    operation = _COMPARE.get(name)
    if operation is not None:

        def compare(frame: Frame) -> Value:
            one, two = left(frame), right(frame)
            if type(one) is int and type(two) is int:
                return operation(one, two)
            return call_method(frame, one, name, [two], span, keep)

        return compare
    return None


def match_operator(left: Runner, right: Runner, span: Span, keep: Keeper | None) -> Runner:
    """`=~` between a text and a regular expression, whose match `$~` is."""

    def match(frame: Frame) -> Value:
        one, two = left(frame), right(frame)
        if type(one) is Regexp:
            pattern, text = one, two
        elif type(two) is Regexp:
            pattern, text = two, one
        else:
            return call_method(frame, one, "=~", [two], span, keep)
        text = text.name if type(text) is Symbol else text.value if type(text) is Text else text
        if type(text) is not str:
            frame[ACTIVATION].match = None
            if text is None:
                return None
            return call_method(frame, one, "=~", [two], span, keep)
        hit = pattern.pattern.search(text)
        frame[ACTIVATION].match = None if hit is None else MatchData(hit, pattern, text)
        return None if hit is None else hit.start()

    return match
