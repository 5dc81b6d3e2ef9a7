"""Tests measure work, never the clock on the wall: a busy machine is no failure."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import settings

from support.effort import effort

TESTS = Path(__file__).resolve().parents[1]
CLOCKS = re.compile(r"\b(perf_counter|monotonic)\b|\btime\.time\(\)\s*-(?!\s*KEEP)|@pytest\.mark\.timeout")


def clocks_in(text: str) -> list[str]:
    return [match[0] for match in CLOCKS.finditer(text)]


def test_no_test_looks_at_the_clock() -> None:
    """Processor time and counted work only (`tests/support/effort.py`)."""
    found = {
        str(path.relative_to(TESTS)): clocks_in(path.read_text())
        for path in TESTS.rglob("*.py")
        if path.name != Path(__file__).name
    }
    assert {name: clocks for name, clocks in found.items() if clocks} == {}


@pytest.mark.parametrize("text", ["assert time.monotonic() - began < 1", "perf_counter()", "time.time() - start"])
def test_a_clock_is_found(text: str) -> None:
    """The test above can fail."""
    assert clocks_in(text)


def test_properties_have_no_deadline() -> None:
    """Hypothesis fails an example that takes a fifth of a second, by the clock, unless it is told not to."""
    assert settings().deadline is None


def test_effort_does_not_count_waiting() -> None:
    """Sleeping is no work, and twice the work is about twice the effort."""
    import time

    assert effort(lambda: time.sleep(0.3)) < 1
    one = min(effort(lambda: sum(number * number for number in range(1_000_000))) for _ in range(4))
    two = min(effort(lambda: sum(number * number for number in range(2_000_000))) for _ in range(4))
    assert 1.2 < two / one < 3.5
