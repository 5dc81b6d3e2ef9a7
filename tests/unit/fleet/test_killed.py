"""Runs that are killed at random moments: the store is whole, nothing committed is lost, going on ends the same."""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.fleets import EXPORTING, FILES, build, write
from support.stores import check_whole, content
from whence.cli.main import status_of
from whence.fleet.exports import ExportsFile
from whence.fleet.store import Store

pytest.importorskip("pyarrow")

LAUNCHER = (
    "import sys, whence.fleet.compiling as c; c.COMMIT_NODES = 1\n"
    "from whence.cli.main import status_of; sys.exit(status_of(sys.argv[1:]))"
)
"""A run that commits after every node, so that there is much to interrupt."""
NODES = 6
FLEETS = {"plain": FILES, "exporting": EXPORTING}


class Killed:
    """A folder with two states of an environment, a store, and a command that is killed again and again."""

    def __init__(self, folder: Path, command: str, fleet: str, seed: int) -> None:
        self.folder = folder
        self.command = command
        self.files = FLEETS[fleet]
        self.chance = random.Random(seed)
        self.edits = 0
        for side in ("base", "head"):
            build(folder / side, NODES)
            write(folder / side, self.files)
        self._edit()
        begun = time.monotonic()
        subprocess.run([sys.executable, "-c", LAUNCHER, *self.words("s")], stdout=subprocess.DEVNULL, check=True)
        self.seconds = time.monotonic() - begun
        self.committed = self._committed()
        self.interrupted = self.while_writing = self.after_commit = 0

    def words(self, store: str) -> list[str]:
        """The command."""
        sides = [str(self.folder / "base")] + [str(self.folder / "head")] * (self.command == "diff")
        more = ["--format", "json"] if self.command == "diff" else []
        facts = ["--facts", str(self.folder / "base/facts")]
        return ["fleet", self.command, *sides, *facts, "--store", str(self.folder / store), "--jobs", "1", *more]

    def _edit(self) -> None:
        """Something for every node to do: each gets a user who is named by the number of the edit."""
        self.edits += 1
        for side, name in (("base", f"edit{self.edits}"), ("head", f"head{self.edits}")):
            common = self.files["data/common.yaml"].replace("[root]", f"[root, {name}]")
            write(self.folder / side, {"data/common.yaml": common})

    def _interrupt(self) -> None:
        """Start it, and kill it: at any moment of the run, or soon after one of its commits, in the midst of others."""
        process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, *self.words("s")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if self.chance.random() < 0.5:
            time.sleep(self.chance.uniform(0, self.seconds))
        else:
            last = self._generation() + self.chance.randrange(1, NODES)
            while process.poll() is None and self._generation() < last:
                time.sleep(0.001)
            time.sleep(self.chance.uniform(0, 0.05))
        self.interrupted += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()

    def _committed(self) -> dict[str, int]:
        """Each node of the store, with the edit that it was compiled after."""
        edits: dict[str, int] = {}
        for row in Store(str(self.folder / "s")).rows("attributes"):
            edit = re.fullmatch(r"edit(\d+)", row["title"])
            if edit is not None and row["type"] == "User":
                edits[row["node"]] = int(edit[1])
        return edits

    def kill(self) -> None:
        """Kill it once, at some moment; afterwards everything that was committed is there and can be read."""
        if self.chance.random() < 0.7:  # else it goes on from where it was killed
            self._edit()
        generation = self._generation()
        self._interrupt()
        self.while_writing += any((self.folder / "s").glob(f"*-{self._generation() + 1:06d}-*.parquet"))
        check_whole(self.folder / "s")
        ExportsFile(str(self.folder / "s")).snapshot()
        now = self._committed()
        assert self._generation() >= generation
        assert all(now[node] >= edit for node, edit in self.committed.items())
        self.after_commit += generation < self._generation()
        self.committed = now

    def _generation(self) -> int:
        number: int = json.loads((self.folder / "s/current.json").read_text())["generation"]
        return number

    def end(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Going on from what is there ends as a run that was never interrupted."""
        answers = []
        exports = []
        for store in ("s", "fresh"):
            capsys.readouterr()
            assert status_of(self.words(store)) == 0
            answers.append(capsys.readouterr().out)
            snapshot, settled = ExportsFile(str(self.folder / store)).snapshot()
            assert settled
            exports.append({node: exported.content() for node, exported in snapshot.nodes.items()})
        assert content(self.folder / "s") == content(self.folder / "fresh")
        assert exports[0] == exports[1] and bool(exports[0]) == (self.files is EXPORTING)
        if self.command == "diff":
            documents = [json.loads(answer) for answer in answers]
            assert documents[0] == documents[1] and documents[0]["groups"]


@pytest.mark.parametrize(("command", "fleet"), [("compile", "exporting"), ("diff", "plain")])
def test_killed_runs_leave_the_store_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, fleet: str
) -> None:
    """A few times."""
    killed = Killed(tmp_path, command, fleet, seed=1)
    for _ in range(3):
        killed.kill()
    killed.end(capsys)


@pytest.mark.soak
@pytest.mark.parametrize("fleet", FLEETS)
@pytest.mark.parametrize("command", ["compile", "diff"])
def test_many_killed_runs_leave_the_store_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, fleet: str
) -> None:
    """Until two hundred were killed while they ran; many of them between commits, and many while they wrote."""
    killed = Killed(tmp_path, command, fleet, seed=2)
    runs = 0
    while killed.interrupted < 200:
        killed.kill()
        runs += 1
        if runs % 50 == 0:
            killed.end(capsys)
            shutil.rmtree(tmp_path / "fresh")
        assert runs < 600
    killed.end(capsys)
    with capsys.disabled():
        print(
            f"\n{command}, {fleet}: {runs} runs, {killed.interrupted} killed while they ran, "
            f"{killed.after_commit} after a commit, {killed.while_writing} in the midst of one"
        )
    assert killed.after_commit > 50 and killed.while_writing > 20
