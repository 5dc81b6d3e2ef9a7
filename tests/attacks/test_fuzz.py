"""A few inputs of each kind in every run of the tests, and very many of them in `make soak`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from attacks.fuzz import KINDS

FUZZ = Path(__file__).with_name("fuzz.py")
COUNT = int(os.environ.get("WHEREFROM_INPUTS", "91000"))
"""Inputs of each kind in `make soak`: a million in all."""

SEED = int(os.environ.get("WHEREFROM_SEED", "1"))


def run(kind: str, seed: int, count: int, seconds: int) -> None:
    done = subprocess.run(
        [sys.executable, str(FUZZ), kind, "--seed", str(seed), "--count", str(count)],
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_inputs(kind: str) -> None:
    """No exception but diagnostics, within time and memory."""
    run(kind, 7, 60 if kind == "explode" else 200, 600)


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_very_many_inputs(kind: str) -> None:
    """The same, for hours."""
    run(kind, SEED, COUNT, 24 * 3600)
