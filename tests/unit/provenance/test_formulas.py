"""Formulas on one line: what is written, and how long ones are cut."""

from __future__ import annotations

import pytest

from whence.provenance.explain import FORMULA_WIDTH, term_text
from whence.provenance.extract import Apply, Build, Given, Nothing, Term
from whence.provenance.operations import PROVIDED, FunctionCall, Infix, Recalled
from whence.provenance.origins import Leaf


def number(n: int) -> Term:
    return Given(Leaf("literal", "", None, n))


def infix(op: str, left: Term, right: Term) -> Term:
    return Apply(Infix(op), (left, right))


ONE, TWO, THREE = map(number, (1, 2, 3))


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (infix("+", ONE, TWO), "1 + 2"),
        (infix("+", infix("+", ONE, TWO), THREE), "1 + 2 + 3"),
        (infix("+", ONE, infix("+", TWO, THREE)), "1 + (2 + 3)"),
        (infix("*", infix("+", ONE, TWO), THREE), "(1 + 2) * 3"),
        (Apply(Infix("-"), (ONE,)), "-(1)"),
        (Apply(FunctionCall("join"), (Build(None, (ONE, TWO)), number(0))), "join([1, 2], 0)"),
        (Build(("a", "b"), (ONE, Nothing("$x"))), "{a: 1, b: nothing ($x)}"),
        (Apply(PROVIDED, ()), "built in"),
    ],
)
def test_text(term: Term, text: str) -> None:
    """Operators stand between their operands, with parentheses where reading from the left would be wrong."""
    assert term_text(term, FORMULA_WIDTH) == text


def test_a_long_sum() -> None:
    """The first and last operands, and how many stand between."""
    term = number(0)
    for n in range(1, 100_000):
        term = infix("+", term, number(n))
    assert term_text(term, FORMULA_WIDTH) == "0 + 1 + 2 + … 99,994 more … + 99997 + 99998 + 99999"


def test_a_deep_term() -> None:
    """Neither depth nor width goes on for ever."""
    term = number(0)
    for _ in range(100_000):
        term = Apply(Recalled("!"), (term,))
    assert term_text(term, FORMULA_WIDTH) == "!(" * 31 + "…" + ")" * 31
    wide = tuple(map(number, range(100_000)))
    assert term_text(Build(None, wide), 5) == "[0, 1, 2, 3, 4, …]"
    assert term_text(Build(tuple(map(str, range(100_000))), wide), 2) == "{0: 0, 1: 1, 2: …}"
    assert term_text(Apply(FunctionCall("max"), wide), 10) == "max(0, 1, …)"
    assert term_text(Build(None, (ONE, TWO)), 2) == "[1, 2]"
