"""A store that is brought up to date is one that is made anew: whatever is edited, and in whatever order.

After each random edit (of code, data, templates, static files, hiera.yaml, environment.conf, metadata, facts, the
Puppetfile; many of them change nothing but the layout) the store of before is brought up to date, and another one is
made. Values, edges, lookups with their answers, exports and dependencies must be equal, and nodes must have been kept.
Questions are asked between the edits, so that graphs of dependencies are there that may have become wrong. A bug is
planted as a control: without one kind of question in the traces, this has to notice.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.fleets import EXPORTING, FILES, edited, facts_files, write
from support.stores import content
from wherefrom.cli.main import status_of
from wherefrom.fleet.compiling import Worker
from wherefrom.fleet.exports import ExportsFile
from wherefrom.fleet.store import Store

pytest.importorskip("duckdb")

NODES = 8
STEPS = 12
PAIRS = int(os.environ.get("WHEREFROM_PAIRS", "30000"))
"""Of an edit and a node, in the long test."""
DEPENDENCIES = (
    "select node, type, title, attribute, list(distinct [kind, name, file, line::varchar] order by "
    "kind, name, file, line) as inputs from dependencies join inputs using (input) group by all"
)


class Kept:
    """An environment that is edited, and a store that is brought up to date."""

    def __init__(self, folder: Path, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.chance = random.Random(f"reuse {seed}")
        self.capsys = capsys
        self.first = {**(EXPORTING if seed % 2 else FILES), **facts_files(NODES)}
        self.files = self.first
        self.kept = 0
        self.compared = 0
        """Pairs of an edit and a node; not the state before the first edit, nor what leaves nothing that compiles."""

    def compiled(self, store: str) -> bool:
        """Compile all nodes into a store; whether there is anything in it."""
        root = self.folder / "c"
        words = ["fleet", "compile", str(root), "--facts", str(root / "facts"), "--store", str(self.folder / store)]
        self.capsys.readouterr()
        status = status_of([*words, "--jobs", "1", "--no-settings", "--json"])
        out = self.capsys.readouterr().out
        if store == "kept" and status in (0, 1):
            self.kept += len(json.loads(out)["kept"])
        return status in (0, 1)

    def state(self, store: str, with_dependencies: bool) -> dict[str, Any]:
        """Everything that a store says."""
        path = self.folder / store
        snapshot, _ = ExportsFile(str(path)).snapshot()
        answers = sorted({json.dumps(row, sort_keys=True) for row in Store(str(path)).rows("answers")})
        named = {row["answer"] for row in Store(str(path)).rows("lookups")}
        state: dict[str, Any] = {
            **content(path),
            "answers": [row for row in answers if json.loads(row)["answer"] in named],
            "exports": {node: each.content() for node, each in snapshot.nodes.items() if not each.is_empty},
        }
        if with_dependencies:
            self.capsys.readouterr()
            status = status_of(["fleet", "sql", DEPENDENCIES, "--store", str(path), "--json"])
            state["dependencies"] = status, json.loads(self.capsys.readouterr().out or "null")
        return state

    def steps(self, count: int) -> Iterator[str]:
        """Edit, compare, and go on."""
        words = "at first"
        for step in range(count):
            if self.chance.random() < 0.2:
                self.files = self.first
            shutil.rmtree(self.folder / "c", ignore_errors=True)
            write(self.folder / "c", self.files)
            there = [self.compiled(store) for store in ("kept", "fresh")]
            assert there[0] == there[1], words
            if there[0]:
                ask = step % 3 == 0
                kept, fresh = (self.state(store, ask) for store in ("kept", "fresh"))
                for name, told in fresh.items():
                    assert kept[name] == told, f"step {step}, {words}: {name} differ"
                self.compared += NODES if step else 0
            shutil.rmtree(self.folder / "fresh", ignore_errors=True)
            yield words
            several = []
            for _ in range(self.chance.choice((1, 1, 2))):
                self.files, edit = edited(self.files, self.chance)
                several.append(edit)
            words = ", ".join(several)


def check(folder: Path, seed: int, capsys: pytest.CaptureFixture[str], steps: int = STEPS) -> Kept:
    """A history of edits."""
    shutil.rmtree(folder, ignore_errors=True)
    kept = Kept(folder, seed, capsys)
    for _ in kept.steps(steps):
        pass
    return kept


@pytest.mark.long
def test_a_store_brought_up_to_date_is_one_made_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A few histories."""
    assert sum(check(tmp_path / "r", seed, capsys, 6).kept for seed in range(3)) > 10


@pytest.mark.soak
def test_thirty_thousand_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Or `WHEREFROM_PAIRS`."""
    pairs = kept = 0
    seed = 1_000 * int(os.environ.get("WHEREFROM_SEED", "1"))
    while pairs < PAIRS:
        seed += 1
        told = check(tmp_path / "r", seed, capsys)
        pairs, kept = pairs + told.compared, kept + told.kept
    with capsys.disabled():
        print(f"\n{pairs:,} pairs of an edit and a node, {kept:,} nodes kept: no difference")
    assert kept > pairs // 20


@pytest.mark.long
@pytest.mark.parametrize("left_out", [("content",), pytest.param(("key", "kind"), marks=pytest.mark.soak)])
def test_a_planted_bug_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, left_out: tuple[str, ...]
) -> None:
    """Traces without the questions for keys and files of the data, or for the contents of files."""
    sent = Worker._sent_set

    def forgetful(self: Worker, trace: Any, number: int, sets: list[list[Any]]) -> int:
        return sent(self, tuple(entry for entry in trace if entry[0] not in left_out), number, sets)

    monkeypatch.setattr(Worker, "_sent_set", forgetful)
    with pytest.raises(AssertionError, match="differ"):
        for seed in range(10):
            check(tmp_path / "r", seed, capsys)
