"""The example history of eleven commits (`examples/review-history.py`): the repository, its files, its answers."""

from __future__ import annotations

import importlib.util
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from support.commands import ROOT, wherefrom

SCRIPT = ROOT / "examples/review-history.py"
ANSWERS = ROOT / "examples/review-answers.txt"
NODE = "web01.example.org"


@cache
def history() -> Any:
    """The script as a module."""
    specification = importlib.util.spec_from_file_location("review_history", SCRIPT)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def states() -> list[dict[str, str]]:
    """The files of the repository: at its beginning, and after each commit."""
    files = dict(history().BASE)
    every = [dict(files)]
    for _, edits in history().COMMITS:
        for name, (before, after) in edits.items():
            files[name] = files[name].replace(before, after)
        every.append(dict(files))
    return every


def answer(directory: Path, number: int, *options: str) -> subprocess.CompletedProcess[str]:
    """What a comparison says of a commit."""
    return wherefrom("diff", f".@before-{number}", f".@after-{number}", "--node", NODE, *options, cwd=directory)


def answers(directory: Path) -> str:
    """What comparisons say of all commits, as a text."""
    parts = []
    for number, (subject, _) in enumerate(history().COMMITS, 1):
        done = answer(directory, number)
        assert done.returncode == 0, done.stderr
        parts.append(f"=== {number}: {subject}\n{done.stderr}{done.stdout}")
    return "\n".join(parts)
