"""A process that compiles and evaluates again and again does not grow."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.many_runs import LANGUAGES

TESTS = Path(__file__).resolve().parents[2]
RUNS = 24
NEW = 12  # pieces that a program may leave in tables of fixed size, like the one of regular expressions that were read


def many_runs(*arguments: str) -> Any:
    """What `support.many_runs` prints in a process of its own."""
    command = [sys.executable, "-m", "support.many_runs", *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=TESTS).stdout)


@pytest.mark.parametrize("language", LANGUAGES)
def test_runs_leave_nothing(language: str) -> None:
    """The same programs once more leave not one object each, others only what tables of fixed size remember."""
    _, second, third, others = many_runs("same", str(RUNS), language)
    assert third - second < RUNS
    assert others - third < RUNS * NEW


@pytest.mark.soak
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux how much memory is in use")
def test_memory_is_flat_for_long() -> None:
    """Twenty thousand compilations and evaluations: the last tenth within 3 % of the second."""
    resident, held = many_runs("20000", ",".join(LANGUAGES))
    assert resident[9] / resident[1] - 1 < 0.03
    assert held[9] / held[1] - 1 < 0.01
