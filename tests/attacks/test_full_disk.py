"""A disk that is full, or that fails, at each write of every command that writes: nothing lost, the next run goes on.

The faults are those of `support/faults.py`: they meet what Python, SQLite and the library of columns write alike. A
command is run on a project as it was, with a fault at its first write, at its second and so on, until it makes fewer.
Each time it says what is wrong (or does without, as with a cache); what was there is there; and the same command,
where there is space again, ends as it does where nothing had happened.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.faults import Done, Faulty, is_possible
from support.fleets import EXPORTING, build, write
from support.stores import check_whole, content
from wherefrom.saved import restore

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.skipif(not is_possible(), reason="needs a compiler and LD_PRELOAD")

NODES = 2
FOREIGN = {"notes.txt": "precious", "sales.parquet": "precious", "key.new": "precious"}
"""Files of somebody else's in a store."""
STORED = ["--facts", "c/facts", "--jobs", "1", "--no-settings", "--store", "s"]
NODE = ["--node", "web00.north", "--facts", "c/facts"]
SET = ["set", "c", "File[/etc/motd].mode", "0600", *NODE]


def into_a_store(site: Path) -> object:
    """What a store says."""
    return content(site / "s")


def told(name: str, data: bytes) -> object:
    """What a file says, without how long something took."""
    if name == "saved" and data != b"mine":
        return {
            name: part for name, part in restore(data).document().items() if name not in ("version", "catalog_uuid")
        }
    if name.endswith(".html"):
        return data[:15], data[-8:]
    return data


def files(*names: str) -> Callable[[Path], object]:
    """What files say, and those in directories."""

    def read(site: Path) -> object:
        found = [path for name in names for path in (site / name, *(site / name).rglob("*")) if path.is_file()]
        return {name: told(name, path.read_bytes()) for path in found for name in [str(path.relative_to(site))]}

    return read


def nothing(site: Path) -> object:
    """A command that only fills caches."""
    return None


COMMANDS: dict[str, tuple[list[str], Callable[[Path], object], int]] = {
    "compile": (["fleet", "compile", "edited", *STORED], into_a_store, 0),
    "new": (["fleet", "compile", "c", *STORED[:-1], "t"], lambda site: content(site / "t"), 0),
    "diff": (["fleet", "diff", "c", "edited", *STORED], into_a_store, 0),
    "question": (["fleet", "impact", "data/common.yaml:1", "--store", "s"], into_a_store, 0),
    "exports": (["compile", "c", *NODE, "--exports", "s"], into_a_store, 0),
    "set": ([*SET, "--for", "role", "--apply"], files("c/data"), 0),
    "save": (["compile", "c", *NODE, "--save", "saved"], files("saved"), 0),
    "nodes": (["compile", "c", "--nodes", "--facts", "c/facts", "--output", "out"], files("out"), 0),
    "report": (["report", "c", *NODE, "-o", "report.html"], files("report.html"), 0),
    "trust": (["trust", "wide"], files("state"), 0),
    "trees": (["compile", "c", *NODE], nothing, 0),
    "programs": (["eval", "a.nix"], nothing, 0),
    "init": (["init", "fresh", "--force"], files("fresh"), 0),
}  # fmt: skip
"""The arguments, what they make, and the status where nothing fails."""


class Site:
    """A project, a store of it, and what becomes of a command that meets a fault."""

    def __init__(self, folder: Path, faulty: Faulty, name: str) -> None:
        self.words, self.made, self.status = COMMANDS[name]
        self.faulty = faulty
        self.kept = folder / "kept"
        self.place = folder / "site"
        build(self.place / "c", NODES)
        write(self.place / "c", EXPORTING)
        shutil.copytree(self.place / "c", self.place / "edited")
        common = EXPORTING["data/common.yaml"].replace("[root]", "[root, edited]")
        write(self.place, {"edited/data/common.yaml": common, "a.nix": "1 + 1", "saved": "mine", "report.html": "mine"})
        write(self.place, {"wide/wherefrom.toml": 'roots = ["/tmp"]\n', "fresh/manifests/site.pp": "notify { 'a': }\n"})
        for folder_of_ours in ("state", "cache"):
            (self.place / folder_of_ours).mkdir()
        done = self.run(self.place, ["fleet", "compile", "c", *STORED])
        assert done.status == 0, done
        write(self.place / "s", FOREIGN)
        if self.made is nothing:
            shutil.rmtree(self.place / "cache")  # it is the caches that are written
        shutil.copytree(self.place, self.kept, symlinks=True)
        self.begin()
        done = self.run(self.place, self.words)
        assert done.status == self.status, done
        self.want = self.made(self.place)

    def run(self, place: Path, words: list[str], at: int = 0, problem: int = errno.ENOSPC) -> Done:
        """The command, with its own caches."""
        states = {"XDG_STATE_HOME": str(place / "state"), "XDG_CACHE_HOME": str(place / "cache")}
        return self.faulty.run(place, words, at, problem, TMPDIR=str(self.kept.parent), **states)

    def begin(self) -> None:
        """The project as it was."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.kept, self.place, symlinks=True)

    def failing(self, at: int, problem: int) -> bool:
        """Whether the command came to its `at`th write, which failed."""
        self.begin()
        before = {path: path.read_bytes() for path in self.place.rglob("*") if path.is_file()}
        done = self.run(self.place, self.words, at, problem)
        words = f"{self.words} at {at} ({done.failed}, {errno.errorcode[problem]}): {done}"
        assert done.status in ({self.status, 1, 2} if done.failed else {self.status}), words
        assert "internal error" not in done.said and "Traceback" not in done.said, words
        if done.status != self.status:
            assert os.strerror(problem).lower() in done.said.lower() or "cannot write" in done.said, words
        self.looked_at(before, words)
        again = self.run(self.place, self.words)
        assert again.status == self.status, f"{words}, then {again}"
        assert self.made(self.place) == self.want, words
        self.looked_at(before, words)
        return bool(done.failed)

    def looked_at(self, before: dict[Path, bytes], words: str) -> None:
        """Nothing is lost: what was there is there, or what the command was to make; the store is whole."""
        for path, data in before.items():
            name = str(path.relative_to(self.place))
            if name.startswith(("state/", "cache/")) or (name.startswith("s/") and path.name not in FOREIGN):
                continue
            wanted = self.want.get(name) if isinstance(self.want, dict) else None
            assert told(name, path.read_bytes()) in (told(name, data), wanted), f"{name}: {words}"
        known = {path.relative_to(self.place) for path in before}
        for path in self.place.rglob(".wherefrom-*"):
            assert path.relative_to(self.place) in known, f"{path} is left: {words}"
        check_whole(self.place / "s")


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faulty]:
    """One for all tests here."""
    program = Faulty(tmp_path_factory.mktemp("faults"))
    yield program
    program.close()


@pytest.mark.parametrize("problem", [errno.ENOSPC, errno.EIO], ids=["full", "failing"])
@pytest.mark.parametrize(
    "name", [*(pytest.param(name, marks=pytest.mark.long) for name in list(COMMANDS)[:5]), *list(COMMANDS)[5:]]
)
def test_some_writes(name: str, problem: int, faulty: Faulty, tmp_path: Path) -> None:
    """The first ones, and some of the others."""
    site = Site(tmp_path, faulty, name)
    failed = [site.failing(at, problem) for at in (1, 2, 3, 7)]
    assert failed[0]


@pytest.mark.soak
@pytest.mark.parametrize("problem", [errno.ENOSPC, errno.EIO], ids=["full", "failing"])
@pytest.mark.parametrize("name", COMMANDS)
def test_each_write(
    name: str, problem: int, faulty: Faulty, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the first to the last of the command."""
    site = Site(tmp_path, faulty, name)
    problems = []
    at, more = 1, True
    while more:
        try:
            more = site.failing(at, problem)
        except AssertionError as wrong:
            problems.append(str(wrong))
        at += 1
    with capsys.disabled():
        print(f"\n{name}: {at - 2} writes, {len(problems)} problems")
    assert not problems, "\n".join(problems)
    assert at > 2
