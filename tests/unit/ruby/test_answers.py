"""What real Ruby answered to programs, expressions and templates (recorded by `tests/oracle/record_ruby.py`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.ruby_programs import agree, ask_wherefrom, render_both

HERE = Path(__file__).parent
ANSWERS = [json.loads(line) for line in (HERE / "answers.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("recording", [False, True])
def test_recorded_answers(recording: bool) -> None:
    """The same value, or the same error in the same words, whether it is noted how values are made or not."""
    different = []
    for kind, text, answer in ANSWERS:
        ours = ask_wherefrom(kind, text, recording)
        if not agree(ours, answer):
            different.append((text, answer, ours))
    assert different == []
    assert len(ANSWERS) > 500


def test_programs_are_recorded() -> None:
    """Every program of the file has its answer."""
    programs = (HERE / "programs.txt").read_text().split("\n---\n")
    assert [text for kind, text, _ in ANSWERS if kind == "ruby"][: len(programs)] == programs


def test_tracking_changes_no_value() -> None:
    """A template gives the same text, or the same error, whether origins are followed or not."""
    for kind, text, _ in ANSWERS:
        if kind == "erb":
            plain, tracked = render_both(text)
            assert plain == tracked


@pytest.mark.parametrize(
    "text",
    [
        "Integer('9' * 6000)",
        "(10**5000).to_s",
        '"#{10**5000}"',
        "('9' * 6000).to_i",
        "require 'json'; JSON.parse('9' * 6000)",
    ],
)
def test_long_numbers_are_refused_past_any_rescue(text: str) -> None:
    """What Python does not read or write, for its length, is a limit, and no error that a program could rescue."""
    answer = ask_wherefrom("ruby", f"begin; {text}; rescue StandardError; 'rescued'; end")
    assert answer == ["refused", "LimitReached", "a number has too many digits (limit: 4,300)"]
