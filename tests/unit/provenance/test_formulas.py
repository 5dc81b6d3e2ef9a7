"""Formulas on one line: what is written, and how long ones are cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from wherefrom.provenance.explain import FORMULA_WIDTH, short, term_text
from wherefrom.provenance.extract import Apply, Build, Given, Nothing, Term
from wherefrom.provenance.operations import (
    IF,
    PROVIDED,
    Computations,
    Function,
    FunctionCall,
    Infix,
    NotComputed,
    Op,
    Reason,
    Recalled,
    RecalledEdgeLabel,
    reason_of,
    recalled,
)
from wherefrom.provenance.origins import Leaf


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


@pytest.mark.long
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
    for kind, opening in (("array", "["), ("hash", "{"), ("sum", "1 +")):
        deep = number(0)
        for _ in range(40):
            nested = {"array": Build(None, (deep,)), "hash": Build(("k",), (deep,)), "sum": infix("+", ONE, deep)}
            deep = nested[kind]
        assert term_text(deep, 10_000).count(opening) == (30 if kind == "sum" else 31), "the last of a sum are cut"
    wide = tuple(map(number, range(100_000)))
    assert term_text(Build(None, wide), 5) == "[0, 1, 2, 3, 4, …]"
    assert term_text(Build(tuple(map(str, range(100_000))), wide), 2) == "{0: 0, 1: 1, 2: …}"
    assert term_text(Apply(FunctionCall("max"), wide), 10) == "max(0, 1, …)"
    assert term_text(Build(None, (ONE, TWO)), 2) == "[1, 2]"


@pytest.mark.parametrize(
    ("value", "text"),
    [("abc", '"abc"'), ("abcd", '"abc…'), ([1, 2], "[1, …"), (None, "null"), ("é", '"é"')],
)
def test_a_value_on_one_line_is_cut_behind_its_limit(value: object, text: str) -> None:
    assert short(value, 5) == text


def test_what_can_not_be_computed_again_says_why_if_it_knows() -> None:
    table: Computations[None] = Computations()
    with pytest.raises(NotComputed, match="alone: it is part of the language"):
        table.apply(PROVIDED, (), None)
    with pytest.raises(NotComputed, match=r"alone$") as problem:
        table.apply(FunctionCall("f"), (), None)
    assert problem.value.help == "compile again to see the result for another input"


def test_an_operation_is_computed_again_as_its_class_says() -> None:
    table: Computations[int] = Computations()

    @table.of(FunctionCall, Infix)
    def compute(op: Op, arguments: Sequence[Any], world: int) -> object:
        return op.words, list(arguments), world

    assert table.apply(FunctionCall("f"), [1], 7) == ("call f", [1], 7)
    assert table.apply(Infix("+"), [1, 2], 8) == ("+", [1, 2], 8)
    assert compute(Infix("-"), (), 9) == ("-", [], 9), "it stays a function"
    with pytest.raises(NotComputed):
        table.apply(Recalled("+"), [1, 2], 8)


@pytest.mark.parametrize(
    ("words", "operation"),
    [("+", Infix), ("call join", FunctionCall), ("call", Recalled), ("value 3", Recalled), ("node", Recalled)],
)
def test_an_operation_is_recalled_by_its_words(words: str, operation: type) -> None:
    """An operator and a call are what they were; of anything else there are the words."""
    found = recalled(words)
    assert type(found) is operation
    if operation is FunctionCall:
        assert found.shown == FunctionCall("join").shown


def test_a_hand_is_recalled_as_itself_within_a_fleet() -> None:
    """What another process of the same run tells is the very reason; what a file tells has its words alone."""
    assert reason_of("if") is IF
    assert type(reason_of("never heard of")) is RecalledEdgeLabel
    assert reason_of("never heard of").words == "never heard of"
    new = Reason("never heard of before")
    assert reason_of("never heard of before") is new
    assert RecalledEdgeLabel("heard of in a file") is not reason_of("heard of in a file")
    assert Function("pick").words == "pick"
