"""`explain --missing` over random repositories: the answers are known (`support.missing_questions`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

import pytest

from support.examples import fresh
from support.missing_questions import FACTS, NODE, ROOT, Maker, Question
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.puppet.front import LANGUAGE


def complaint(question: Question, reasons: list[Diagnostic]) -> str | None:
    """What an answer lacks: a place that it does not tell, or words."""
    told = " ".join(
        " ".join([reason.message, *reason.notes, reason.help or "", *(label.span.place for label in reason.labels)])
        for reason in reasons
    )
    places = [
        (label.span.file.name, label.span.file.line_text(label.span.line))
        for reason in reasons
        for label in reason.labels
    ]
    for file, text in question.places:
        if not any(name == file and text in line for name, line in places):
            return f"{question}: does not tell {file}: {text!r}, but {told}"
    lacking = [word for word in question.words if word not in told]
    return f"{question}: lacks {lacking}: {told}" if lacking else None


def check(seeds: Iterable[int]) -> tuple[Counter[str], list[str]]:
    """Ask the questions of random repositories."""
    counts: Counter[str] = Counter()
    complaints: list[str] = []
    for seed in seeds:
        files, questions = Maker(Random(seed)).make()
        outcome = LANGUAGE.run(ROOT, PureHost(files), Inputs(NODE, FACTS))
        for question in questions:
            counts[question.kind] += 1
            words = complaint(question, outcome.missing(question.path))
            complaints += [f"{seed}: {words}"] if words else []
    return counts, complaints


def test_questions_with_known_answers() -> None:
    counts, complaints = check(range(25))
    assert complaints == []
    assert len(counts) >= 16 and counts.total() > 200


@pytest.mark.soak
def test_many_questions_with_known_answers() -> None:
    counts, complaints = check(fresh(range(1_000, 1_300)))
    assert complaints == []
    assert counts.total() > 2_000
