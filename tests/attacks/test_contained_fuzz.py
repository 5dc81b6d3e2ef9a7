"""Stores, settings, packs, saved outcomes and recorded answers, changed in any way, and every kind of `fuzz.py`: no
hang, no crash, nothing written elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from attacks.contained_fuzz import COMMANDS, KINDS, Fuzzed

pytest.importorskip("pyarrow")


@pytest.fixture
def fuzzed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fuzzed]:
    """In its own directory, with little patience for git."""
    monkeypatch.setattr("wherefrom.revisions._SECONDS", 2)
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, "")
    monkeypatch.setattr("tempfile.tempdir", None)
    before = os.getcwd()
    yield Fuzzed(tmp_path / "site", int(os.environ.get("WHEREFROM_SEED", "1")))
    os.chdir(before)


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_few_that_were_changed(kind: str, fuzzed: Fuzzed) -> None:
    """Of each kind of file."""
    for _ in range(6):
        fuzzed.one(kind)


def test_a_few_of_each_language(fuzzed: Fuzzed, monkeypatch: pytest.MonkeyPatch) -> None:
    """In children, with the file system looked at."""
    monkeypatch.setattr("attacks.contained_fuzz.TOGETHER", 20)
    assert [fuzzed.several(kind, 5) for kind in ("puppet", "nix", "answers", "cache")] == [20] * 4


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_many_that_were_changed(kind: str, fuzzed: Fuzzed) -> None:
    """`WHEREFROM_FUZZ` of each kind, or two thousand; of the kinds of `fuzz.py` fifty times as many."""
    count = int(os.environ.get("WHEREFROM_FUZZ", "2000"))
    if kind in COMMANDS:
        for _ in range(count):
            fuzzed.one(kind)
    else:
        done = seed = 0
        while done < 50 * count:
            seed += 1
            done += fuzzed.several(kind, seed)
