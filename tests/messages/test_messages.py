"""The words users see: each case is a wrong input and the whole of what is printed about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import commands
from support.cases import Case, load_cases


@pytest.mark.parametrize("case", load_cases("messages"), ids=repr)
def test_message(case: Case, tmp_path: Path) -> None:
    """The command prints just this on stderr, and ends with this status."""
    for name, text in case.files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = commands.wherefrom(*case.header["command"], cwd=tmp_path)
    assert done.returncode == case.header.get("status", 1)
    case.expect("want.stderr", done.stderr)
