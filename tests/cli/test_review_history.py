"""Eleven kinds of commits to a control repository, and the answer that `diff` gives about each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.review_history import ANSWERS, SCRIPT, answer, answers, history


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with its commits."""
    root = tmp_path_factory.mktemp("history") / "control"
    subprocess.run([sys.executable, str(SCRIPT), str(root)], check=True)
    return root


def test_the_answer_about_each_commit(repository: Path) -> None:
    """As it was read by a person; `WHEREFROM_UPDATE=1` writes it anew."""
    text = answers(repository)
    if os.environ.get("WHEREFROM_UPDATE"):
        ANSWERS.write_text(text)
    assert text == ANSWERS.read_text()


@pytest.mark.parametrize("number", range(1, 12))
def test_every_difference_has_a_cause(repository: Path, number: int) -> None:
    """Each edit that is named as one is a file of the commit; nothing is left without."""
    document = json.loads(answer(repository, number, "--json").stdout)
    edited = set(history().COMMITS[number - 1][1])
    for difference in document["differences"]:
        places = [edit["before_place"] or edit["after_place"] for edit in difference["edits"]]
        files = {os.path.normpath(place.rpartition(":")[0]) for place in places}
        assert files and files <= edited, difference
