"""Tests measure work, never the clock on the wall: a busy machine is no failure."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import settings

from support.effort import effort, lines
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.spell import nearest

TESTS = Path(__file__).resolve().parents[1]
CLOCKS = re.compile(r"\b(perf_counter|monotonic)\b|\btime\.time\(\)\s*-(?!\s*KEEP)|@pytest\.mark\.timeout")


def clocks_in(text: str) -> list[str]:
    return [match[0] for match in CLOCKS.finditer(text)]


def test_no_test_looks_at_the_clock() -> None:
    """Processor time and counted work only (`tests/support/effort.py`)."""
    looking = {
        str(path.relative_to(TESTS)): clocks_in(path.read_text())
        for path in TESTS.rglob("*.py")
        if path.name != Path(__file__).name
    }
    assert {name: clocks for name, clocks in looking.items() if clocks} == {}


@pytest.mark.parametrize("text", ["assert time.monotonic() - began < 1", "perf_counter()", "time.time() - start"])
def test_a_clock_is_found(text: str) -> None:
    """The test above can fail."""
    assert clocks_in(text)


def test_properties_have_no_deadline() -> None:
    """Hypothesis fails an example that takes a fifth of a second, by the clock, unless it is told not to."""
    assert settings().deadline is None


def test_effort_does_not_count_waiting() -> None:
    """Sleeping is no work, and much work is much effort."""
    import time

    assert effort(lambda: time.sleep(0.3)) < 1
    assert effort(lambda: sum(number * number for number in range(10_000_000))) > 1


def test_lines_are_counted_exactly() -> None:
    """The same work is the same number, in a thread of its own too; what is not ours, and waiting, does not count."""
    import time

    def counted(count: int) -> int:
        return lines(lambda: with_deep_stack(lambda: spelling(count)))

    def spelling(count: int) -> None:
        for _ in range(count):
            nearest("web", ["wob", "db"])
        time.sleep(0.05)

    counted(1)  # imports are no part of it
    once = counted(1)
    assert counted(1) == once
    assert counted(11) - once == 10 * (counted(2) - once) > 0
    assert lines(lambda: [number * number for number in range(1000)]) == 0
