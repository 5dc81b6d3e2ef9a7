"""Random questions about types, put to real Puppet and to us.  Skipped where Puppet is not installed."""

from __future__ import annotations

from typing import Any

import pytest

from oracle.record_puppet_types import answer, ask
from support.puppet_type_texts import Texts
from unit.puppet_types.test_goldens import resolve, tell, value
from wherefrom.puppet.types import describe_mismatch, infer_set, parse_type


def ours(type_text: str, value_text: str) -> dict[str, Any]:
    """What we say about a value and a type."""
    type, made = parse_type(type_text, resolve), value(value_text)
    if type.accepts(made):
        return {"value": "fits"}
    return {"error": describe_mismatch("assert_type():", type, infer_set(made))}


def compare_with_puppet(seed: int, count: int) -> list[tuple[str, str]]:
    """The questions whose answers differ.  Puppet itself fails on `Variant[Optional]`; such answers do not count."""
    texts = Texts(seed)
    asked = [(texts.type(), texts.value()) for _ in range(count)]
    replies = ask([f"assert_type({type}, {given})\nnotice('fits')\n" for type, given in asked])
    answers = [answer(reply) for reply in replies]
    return [
        question
        for question, theirs in zip(asked, answers)
        if tell(lambda q=question: ours(*q))["value"] != theirs and "undefined method" not in theirs.get("error", "")
    ]


@pytest.mark.oracle
@pytest.mark.usefixtures("real_puppet")
def test_mismatches_are_told_alike() -> None:
    """Random values against random types: the same verdict, the same words."""
    assert compare_with_puppet(seed=20, count=60) == []


@pytest.mark.oracle
@pytest.mark.soak
@pytest.mark.usefixtures("real_puppet")
@pytest.mark.parametrize("seed", range(30, 40))
def test_mismatches_are_told_alike_for_long(seed: int) -> None:
    """The same with many more."""
    assert compare_with_puppet(seed, count=1500) == []
