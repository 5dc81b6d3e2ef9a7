"""A process that compiles and evaluates again and again does not grow."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.many_runs import LANGUAGES

TESTS = Path(__file__).resolve().parents[2]


def growth(count: int, languages: Sequence[str]) -> float:
    """By how much the last tenth of `count` runs needs more memory than the second tenth."""
    command = [sys.executable, "-m", "support.many_runs", str(count), ",".join(languages)]
    tenths = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=TESTS).stdout)
    return float(tenths[9] / tenths[1] - 1)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux how much memory is in use")
@pytest.mark.soak  # on a shared machine the figure of so few runs jumps: 2 % in one run, 22 % in the next
def test_memory_is_flat() -> None:
    """A few thousand runs: what they need settles.  (Caches fill up in the beginning, so the bound is looser here.)"""
    assert growth(2_000, LANGUAGES) < 0.06


@pytest.mark.soak
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux how much memory is in use")
def test_memory_is_flat_for_long() -> None:
    """Twenty thousand compilations and evaluations: the last tenth within 3 % of the second."""
    assert growth(20_000, LANGUAGES) < 0.03
