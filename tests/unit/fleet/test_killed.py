"""Runs that are killed at random moments: the store is whole, nothing committed is lost, going on ends the same."""

from __future__ import annotations

import json
import os
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
from wherefrom.cli.main import status_of
from wherefrom.fleet.exports import ExportsFile
from wherefrom.fleet.store import Store

pytest.importorskip("pyarrow")

LAUNCHER = """
import json, os, sys
import pyarrow.compute, pyarrow.parquet
import wherefrom.cli.fleet, wherefrom.cli.fleet_diff, wherefrom.fleet.compiling, wherefrom.puppet.front
from wherefrom.cli.main import status_of
wherefrom.fleet.compiling.COMMIT_NODES = 1
for line in sys.stdin:
    pid = os.fork()
    if not pid:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os._exit(status_of(json.loads(line)))
    print(pid, flush=True)
    sys.stdin.readline()
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""
"""Runs commands, each in a process that has begun already, as far as it is the same for all.

They commit after every node, so that there is much to interrupt.
"""
NODES = 4
TICK = 0.002
PATIENCE = 20
"""How many times as long as the first run one is waited for until it commits: the machine may be busier by now."""
FLEETS = {"plain": FILES, "exporting": EXPORTING}


def _is_over(process: int) -> bool:
    """Whether a process that nobody has asked yet how it ended has ended."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


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
        self.launcher = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.ticks = 1
        process = self._start()
        while not _is_over(process):
            time.sleep(TICK)
            self.ticks += 1
        assert self._status() == 0
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

    def _start(self) -> int:
        """Start the command; its process."""
        return self._said(json.dumps(self.words("s")))

    def _status(self) -> int:
        """How it ended; until this is asked, its number is nobody else's."""
        return self._said("how did it end?")

    def _said(self, words: str) -> int:
        assert self.launcher.stdin is not None and self.launcher.stdout is not None
        self.launcher.stdin.write(f"{words}\n")
        self.launcher.stdin.flush()
        return int(self.launcher.stdout.readline())

    def _interrupt(self) -> None:
        """Start it, and kill it: at any moment of the run, soon after one of its commits, or in the midst of one."""
        process = self._start()
        commit = self._generation() + self.chance.randrange(1, NODES)
        moment = self.chance.choice(("any", "any", "after", "midst"))
        for _ in range(self.chance.randrange(self.ticks) if moment == "any" else PATIENCE * self.ticks):
            if moment != "any" and (
                self._generation() >= commit or (moment == "midst" and self._is_written(commit)) or _is_over(process)
            ):
                time.sleep(self.chance.uniform(0, 0.05 if moment == "after" else 0.01))
                break
            time.sleep(TICK)
        os.kill(process, signal.SIGKILL)
        self.interrupted += self._status() == -signal.SIGKILL

    def _is_written(self, generation: int) -> bool:
        """Whether a commit was begun."""
        return any((self.folder / "s").glob(f"*-{generation:06d}-*.parquet"))

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
        self.while_writing += self._is_written(self._generation() + 1)
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

    def close(self) -> None:
        """No more commands."""
        assert self.launcher.stdin is not None and self.launcher.stdout is not None
        self.launcher.stdin.close()
        self.launcher.stdout.close()
        self.launcher.wait()

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


@pytest.mark.parametrize(
    ("command", "fleet"), [pytest.param("compile", "exporting", marks=pytest.mark.long), ("diff", "plain")]
)
def test_killed_runs_leave_the_store_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, fleet: str
) -> None:
    """A few times."""
    killed = Killed(tmp_path, command, fleet, seed=1)
    for _ in range(3):
        killed.kill()
    killed.end(capsys)
    killed.close()


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
    killed.close()
    with capsys.disabled():
        print(
            f"\n{command}, {fleet}: {runs} runs, {killed.interrupted} killed while they ran, "
            f"{killed.after_commit} after a commit, {killed.while_writing} in the midst of one"
        )
    assert killed.after_commit > 50 and killed.while_writing > 20
