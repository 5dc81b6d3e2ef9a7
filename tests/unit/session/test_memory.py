"""A process that compiles and evaluates again and again does not grow."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.many_runs import LANGUAGES

TESTS = Path(__file__).resolve().parents[2]
RUNS = 24
NEW = 12  # pieces that a program may leave in tables of fixed size, like the one of regular expressions that were read


PIECE = 1 << 20  # what Python asks the system for at once; a single object keeps all of it


def many_runs(*arguments: str) -> Any:
    """What `support.many_runs` prints in a process of its own.

    It has one heap: else the C library opens one for every few threads, and which of them has how many holes is chance.
    """
    command = [sys.executable, "-m", "support.many_runs", *arguments]
    environment = {**os.environ, "MALLOC_ARENA_MAX": "1"}
    run = subprocess.run(command, check=True, capture_output=True, text=True, cwd=TESTS, env=environment)
    return json.loads(run.stdout)


@pytest.mark.parametrize("language", LANGUAGES)
def test_runs_leave_nothing(language: str) -> None:
    """The same programs once more leave not one object each, others only what tables of fixed size remember."""
    _, second, third, others = many_runs("same", str(RUNS), language)
    assert third - second < RUNS
    assert others - third < RUNS * NEW


@pytest.mark.soak
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux how much memory is in use")
def test_memory_is_flat_for_long() -> None:
    """Twenty thousand compilations and evaluations: the last tenth within 3 % of the second, and a piece of memory."""
    resident, held = many_runs("20000", ",".join(LANGUAGES))
    assert resident[9] - resident[1] < 0.03 * resident[1] + PIECE
    assert held[9] / held[1] - 1 < 0.03
