"""Runs that are killed at random moments: the store is whole, nothing committed is lost, going on ends the same."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.fleets import build, write
from support.stores import check_whole, content
from whence.cli.main import status_of

pytest.importorskip("pyarrow")

LAUNCHER = (
    "import sys, whence.fleet.compiling as c; c.COMMIT_NODES = 1\n"
    "from whence.cli.main import status_of; sys.exit(status_of(sys.argv[1:]))"
)
"""A run that commits after every node, so that there is much to interrupt."""


class Killed:
    """A folder with two states of an environment, a store, and a command that is killed again and again."""

    def __init__(self, folder: Path, command: str, seed: int) -> None:
        self.folder = folder
        self.command = command
        self.chance = random.Random(seed)
        build(folder / "base", 6)
        shutil.copytree(folder / "base", folder / "head")
        write(folder / "head", {"data/role/web.yaml": "profile::web::port: 9090\n"})
        subprocess.run([sys.executable, "-c", LAUNCHER, *self.words("s")], stdout=subprocess.DEVNULL, check=True)
        self.committed: set[str] = set(self._nodes())
        self.interrupted = self.lost_work = 0

    def words(self, store: str) -> list[str]:
        """The command."""
        sides = [str(self.folder / "base")] + [str(self.folder / "head")] * (self.command == "diff")
        more = ["--format", "json"] if self.command == "diff" else []
        facts = ["--facts", str(self.folder / "base/facts")]
        return ["fleet", self.command, *sides, *facts, "--store", str(self.folder / store), "--jobs", "1", *more]

    def _interrupt(self, commits: int) -> None:
        """Start it, and kill it at a moment after so many commits; before the first, where it has none to make."""
        process = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, *self.words("s")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        last = self._generation() + commits
        while process.poll() is None and self._generation() < last:
            time.sleep(0.001)
        time.sleep(self.chance.uniform(0, 0.15 if commits else 1.5))
        self.interrupted += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()

    def _nodes(self) -> list[str]:
        parts = json.loads((self.folder / "s/current.json").read_text())["parts"]
        return [node for part in parts for node in part["nodes"]]

    def kill(self) -> None:
        """Kill it once, at some moment; afterwards everything that was committed is there and can be read."""
        with open(self.folder / "base/manifests/site.pp", "a") as file:
            file.write("# more\n")  # something for every node to do
        generation = self._generation()
        self._interrupt(self.chance.randrange(7))
        check_whole(self.folder / "s")
        nodes = self._nodes()
        assert len(nodes) == len(set(nodes)) and self.committed <= set(nodes)
        assert self._generation() >= generation
        self.lost_work += generation < self._generation()
        self.committed = set(nodes)

    def _generation(self) -> int:
        number: int = json.loads((self.folder / "s/current.json").read_text())["generation"]
        return number

    def end(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Going on from what is there ends as a run that was never interrupted."""
        answers = []
        for store in ("s", "fresh"):
            capsys.readouterr()
            assert status_of(self.words(store)) == 0
            answers.append(capsys.readouterr().out)
        assert content(self.folder / "s") == content(self.folder / "fresh")
        if self.command == "diff":
            documents = [json.loads(answer) for answer in answers]
            assert documents[0] == documents[1] and documents[0]["groups"]


@pytest.mark.parametrize("command", ["compile", "diff"])
def test_killed_runs_leave_the_store_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    """A few times."""
    killed = Killed(tmp_path, command, seed=1)
    for _ in range(3):
        killed.kill()
    killed.end(capsys)


@pytest.mark.soak
@pytest.mark.parametrize("command", ["compile", "diff"])
def test_many_killed_runs_leave_the_store_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """Two hundred times; most of them while it ran, and many between its commits."""
    killed = Killed(tmp_path, command, seed=2)
    for _ in range(200):
        killed.kill()
    killed.end(capsys)
    print(f"{command}: killed 200 times, {killed.interrupted} while it ran, {killed.lost_work} after a commit")
    assert killed.interrupted > 100 and killed.lost_work > 20
