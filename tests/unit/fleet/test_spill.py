"""Texts in a spill file are read again from memory and from disk, also by a forked process, and by nobody else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wherefrom.base.diagnostics import UsageError
from wherefrom.fleet import spill
from wherefrom.fleet.spill import SpillFile


def test_texts_are_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether they wait or are written; empty ones, and one that is larger than all that may wait."""
    monkeypatch.setattr(spill, "MOST_WAITING", 100)
    texts = [bytes([number % 256]) * (number % 37) for number in range(500)] + [b"large" * 1_000, b"", b"last"]
    kept = SpillFile(str(tmp_path))
    places = [kept.put(text) for text in texts]
    assert [kept.at(place) for place in places] == texts
    assert len(kept._waiting) <= 100
    assert os.listdir(tmp_path) == []  # it has no name


def test_a_process_that_was_forked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It sees what was there, though both have one file."""
    monkeypatch.setattr(spill, "MOST_WAITING", 10)
    kept = SpillFile(str(tmp_path))
    places = [kept.put(b"written long ago"), kept.put(b"waits")]
    child = os.fork()
    if child == 0:
        os._exit(0 if [kept.at(place) for place in places] == [b"written long ago", b"waits"] else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is told."""
    monkeypatch.setattr(spill, "MOST_WAITING", 10)
    monkeypatch.setattr(os, "pwrite", lambda *arguments: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(UsageError, match="no space left"):
        SpillFile(str(tmp_path)).put(b"more than ten bytes")


def test_a_folder_that_can_only_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's own folder will do."""
    monkeypatch.setattr(spill, "MOST_WAITING", 10)
    kept = SpillFile(str(tmp_path / "not there"))
    assert kept.at(kept.put(b"more than ten bytes")) == b"more than ten bytes"
