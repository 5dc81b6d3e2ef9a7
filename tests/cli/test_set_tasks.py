"""Wishes as operators have them: is the edit that an expert would make among the proposals, and which one is it?"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from support import commands

CASES = Path(__file__).resolve().parents[1] / "cases/wishes"
EXAMPLES = Path(__file__).resolve().parents[2]
TASKS: list[dict[str, Any]] = tomllib.loads((CASES / "tasks.toml").read_text())["task"]
FIRST, AMONG_THREE = 0.80, 0.95
"""The shares that must be right: Tortoise, which proposes repairs of manifests, has 0.76 for its first proposal."""


def lines_of(proposal: Any) -> list[str]:
    """A proposal as the tasks write an edit; quotes may be of either kind, or left out."""
    lines: list[str] = []
    for file in proposal["files"]:
        lines += [file["file"], *(row["sign"] + row["text"] for row in file["lines"])]
    return [plain(line) for line in lines]


def plain(line: str) -> str:
    """A line without quotes and without blanks at its end."""
    return line.rstrip().replace("'", "").replace('"', "")


def place(task: dict[str, Any]) -> int | None:
    """Which proposal the expert's edit is: 1 for the first; nothing for none."""
    folder = task["directory"]
    where = EXAMPLES / folder if folder.startswith("examples/") else CASES / folder
    done = commands.wherefrom("set", *task["arguments"], "--json", cwd=where)
    assert done.stdout, (task["wish"], done.stderr)
    proposals = [lines_of(proposal) for proposal in json.loads(done.stdout)["proposals"]]
    wanted = [plain(line) for line in task["edit"]]
    return proposals.index(wanted) + 1 if wanted in proposals else None


@pytest.mark.long
def test_the_edit_of_an_expert_comes_first() -> None:
    """In four of five tasks, and among the first three in nineteen of twenty."""
    places = {task["wish"]: place(task) for task in TASKS}
    missed = {wish: number for wish, number in places.items() if number != 1}
    assert len(TASKS) >= 30
    assert sum(number == 1 for number in places.values()) >= FIRST * len(TASKS), missed
    assert sum(number is not None and number <= 3 for number in places.values()) >= AMONG_THREE * len(TASKS), missed
