"""`wherefrom fleet` without its packages: told in a sentence, with what to install."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wherefrom.cli.main import status_of


def test_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Status 2, no traceback, and nothing is made."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert status_of(["fleet", "compile", str(tmp_path), "--store", str(tmp_path / "s")]) == 2
    assert "pip install 'wherefrom[fleet]'" in capsys.readouterr().err
    assert not (tmp_path / "s").exists()
