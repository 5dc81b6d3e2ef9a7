"""Our Ruby against the real one, live: expressions and templates that nobody wrote."""

from __future__ import annotations

import json
import shutil
from random import Random

import pytest

from support.ruby_calls import call
from support.ruby_programs import agree, ask_ruby, ask_wherefrom, expression, template, written_time
from support.yaml_texts import document

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


def differing_calls(seed: int, count: int) -> list[tuple[str, list[str], list[str]]]:
    """Calls to which Ruby gives a value, and we another one, or an error. What we refuse is no difference."""
    random = Random(seed)
    texts = [call(random) for _ in range(count)]
    answers = [(text, theirs) for text, theirs in zip(texts, ask_ruby("call", texts), strict=True) if theirs[0] == "ok"]
    assert len(answers) > count // 5
    pairs = [(text, theirs, ask_wherefrom("ruby", text)) for text, theirs in answers]
    return [each for each in pairs if each[2][0] != "refused" and not agree(each[2], each[1], each[0])]


@pytest.mark.parametrize("seed", range(2))
def test_calls_of_every_method(seed: int) -> None:
    """Whatever a call gives, whatever it does to its receiver and to its block: it is what Ruby does."""
    assert differing_calls(seed, 700) == []


@pytest.mark.soak
def test_many_calls_of_every_method() -> None:
    """20,000 calls, none of them different."""
    assert differing_calls(79, 20_000) == []


def differing_documents(seed: int, count: int) -> list[tuple[str, list[str], list[str]]]:
    """Texts of YAML that a program reads differently. What we refuse is no difference."""
    random = Random(seed)
    given = "permitted_classes: [Symbol], aliases: true"
    texts = [f"YAML.safe_load({json.dumps(document(random), ensure_ascii=False)}, {given})" for _ in range(count)]
    answers = [(text, theirs, ask_wherefrom("ruby", text)) for text, theirs in zip(texts, ask_ruby("ruby", texts))]
    return [
        each for each in answers if each[2][0] != "refused" and "ok" in (each[1][0], each[2][0]) and each[1] != each[2]
    ]


def test_yaml() -> None:
    """Programs read YAML as Ruby does: words, tags, merges."""
    assert differing_documents(0, 500) == []


def test_written_times() -> None:
    """`strftime` with flags, widths and modifiers; what we refuse is no difference."""
    random = Random(3)
    texts = [written_time(random) for _ in range(1_500)]
    answers = [(text, theirs, ask_wherefrom("ruby", text)) for text, theirs in zip(texts, ask_ruby("ruby", texts))]
    assert [each for each in answers if each[1] != each[2] and each[2][0] != "refused" and each[1][0] == "ok"] == []


@pytest.mark.soak
def test_much_yaml() -> None:
    """10,000 texts."""
    assert differing_documents(81, 10_000) == []


@pytest.mark.soak
def test_many_templates() -> None:
    """5,000 templates, none of them different."""
    assert differences("erb", 77, 5_000) == []


@pytest.mark.soak
def test_many_expressions() -> None:
    """20,000 expressions, none of them different."""
    assert differences("ruby", 78, 20_000) == []
