"""Our Ruby against the real one, live: expressions and templates that nobody wrote."""

from __future__ import annotations

import shutil
from random import Random

import pytest

from support.ruby_programs import agree, ask_ruby, ask_wherefrom, expression, template

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(shutil.which("ruby") is None, reason="ruby is not installed"),
]


def differences(kind: str, seed: int, count: int) -> list[tuple[str, list[str], list[str]]]:
    random = Random(seed)
    make = template if kind == "erb" else expression
    texts = [make(random) for _ in range(count)]
    pairs = [
        (text, answer, ask_wherefrom(kind, text, recording))
        for text, answer in zip(texts, ask_ruby(kind, texts))
        for recording in (False, True)
    ]
    return [each for each in pairs if not agree(each[2], each[1], each[0])]


@pytest.mark.parametrize("seed", range(3))
def test_templates(seed: int) -> None:
    """Every template gives the same text."""
    assert differences("erb", seed, 300) == []


@pytest.mark.parametrize("seed", range(3))
def test_expressions(seed: int) -> None:
    """Every expression gives the same value or words."""
    assert differences("ruby", seed, 400) == []


@pytest.mark.soak
def test_many_templates() -> None:
    """5,000 templates, none of them different."""
    assert differences("erb", 77, 5_000) == []


@pytest.mark.soak
def test_many_expressions() -> None:
    """20,000 expressions, none of them different."""
    assert differences("ruby", 78, 20_000) == []
