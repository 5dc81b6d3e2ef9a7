"""A disk that is full, and a process that is killed, at each write of a run: the store stays whole, and goes on.

What writes to a store goes through `wherefrom.base.folder.Folder`, so a fault can be put at the first of its writes, at
the second, and so on until a run has no more. SQLite writes by itself: its file is kept from growing.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from support.fleets import EXPORTING, build, write
from support.stores import check_whole, content
from wherefrom.base.folder import Folder
from wherefrom.cli.main import status_of
from wherefrom.fleet import compiling, exports, place

pytest.importorskip("pyarrow")

NODES = 3
WRITES = ("replace", "new", "kept_open", "unnamed", "remove", "synchronise")
Fault = Callable[[], None]


def full() -> None:
    """What the system says of a disk that is full."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def killed() -> None:
    """The process ends here and now."""
    os.kill(os.getpid(), signal.SIGKILL)


class Faulty:
    """Counts writes; at one of them there is a fault."""

    def __init__(self, at: int, fault: Fault) -> None:
        self.left = at
        self.fault = fault

    def step(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.fault()

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Inside, a write of any folder is one that counts; and a piece of a large file, too."""
        before = {name: getattr(Folder, name) for name in WRITES}
        try:
            for name, work in before.items():
                setattr(Folder, name, self._new(work) if name == "new" else self._counted(work))
            yield
        finally:
            for name, work in before.items():
                setattr(Folder, name, work)

    def _counted(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            self.step()
            result = work(*given, **named)
            self.step()
            return result

        return counted

    def _new(self, work: Callable[..., Any]) -> Callable[..., Any]:
        @contextmanager
        def new(*given: Any, **named: Any) -> Iterator[Any]:
            self.step()
            with work(*given, **named) as file:
                yield Counted(file, self)
                self.step()
            self.step()

        return new


class Counted:
    """A file whose writes count."""

    def __init__(self, file: IO[bytes], faulty: Faulty) -> None:
        self._file = file
        self._faulty = faulty

    def write(self, data: Any) -> int:
        self._faulty.step()
        return self._file.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class Site:
    """A fleet that exports, and a store of an earlier state of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.edits = 0
        build(folder / "c", NODES)
        write(folder / "c", EXPORTING)
        assert self.compiled("s") == 0

    def edit(self) -> None:
        """Something for every node to do."""
        self.edits += 1
        common = EXPORTING["data/common.yaml"].replace("[root]", f"[root, edit{self.edits}]")
        write(self.folder / "c", {"data/common.yaml": common})

    def compiled(self, store: str) -> int:
        place = self.folder / "c"
        words = ["--facts", str(place / "facts"), "--store", str(self.folder / store), "--jobs", "1", "--no-settings"]
        return status_of(["fleet", "compile", str(place), *words])

    def generation(self) -> int:
        number: int = json.loads((self.folder / "s/current.json").read_text())["generation"]
        return number

    def is_in_a_commit(self) -> bool:
        """Whether files of a generation are there that does not count yet."""
        return any((self.folder / "s").glob(f"*-{self.generation() + 1:06d}-*.parquet"))

    def goes_on(self) -> None:
        """The next run ends as one into a new store does."""
        assert self.compiled("s") == 0
        shutil.rmtree(self.folder / "fresh", ignore_errors=True)
        assert self.compiled("fresh") == 0
        assert content(self.folder / "s") == content(self.folder / "fresh")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """With a commit after every node."""
    monkeypatch.setattr(compiling, "COMMIT_NODES", 1)
    return Site(tmp_path)


def with_full_disk(site: Site, at: int, capsys: pytest.CaptureFixture[str]) -> bool:
    """A run whose `at`th write finds the disk full; whether there was such a write."""
    site.edit()
    before = site.generation()
    faulty = Faulty(at, full)
    with faulty.in_place():
        status = site.compiled("s")
    said = capsys.readouterr().err
    assert "internal error" not in said, said
    assert status in ((0, 2) if faulty.left <= 0 else (0,)), said
    if status:
        assert "no space left" in said.lower()
    assert site.generation() >= before
    check_whole(site.folder / "s")
    site.goes_on()
    return faulty.left <= 0


@pytest.mark.long
def test_a_disk_that_is_full_at_some_writes(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """Words that say it, a store that is whole, and a next run that goes on."""
    assert all(with_full_disk(site, at, capsys) for at in (1, 6, 15, 40))


@pytest.mark.soak
def test_a_disk_that_is_full_at_each_write(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """From the first to the last of a run."""
    at = 1
    while with_full_disk(site, at, capsys):
        at += 1
    assert at > 100


@pytest.mark.parametrize("pages", [0, *(pytest.param(pages, marks=pytest.mark.long) for pages in (1, 3, 5, 8, 9))])
def test_a_database_that_can_not_grow(
    pages: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What nodes export is written whole or not at all, from the file's very beginning; the next run goes on."""
    build(tmp_path / "c", NODES)
    write(tmp_path / "c", EXPORTING)
    connect = place.database

    def bounded(path: str) -> sqlite3.Connection:
        connection = connect(path)
        connection.execute(f"pragma max_page_count = {max(1, pages)}")
        return connection

    def empty(path: str) -> sqlite3.Connection:
        raise sqlite3.OperationalError("database or disk is full")

    words = ["--facts", str(tmp_path / "c/facts"), "--store", str(tmp_path / "s"), "--no-settings"]
    with monkeypatch.context() as patch:
        patch.setattr(exports, "database", bounded if pages else empty)
        assert status_of(["fleet", "compile", str(tmp_path / "c"), *words]) == 2
        assert "full" in capsys.readouterr().err
    assert status_of(["fleet", "compile", str(tmp_path / "c"), *words]) == 0, capsys.readouterr().err
    words[3] = str(tmp_path / "fresh")
    assert status_of(["fleet", "compile", str(tmp_path / "c"), *words]) == 0
    assert content(tmp_path / "s") == content(tmp_path / "fresh")


def kill_at(site: Site, at: int) -> bool:
    """A run that is killed at its `at`th write; whether it was."""
    site.edit()
    before = site.generation()
    child = os.fork()
    if not child:
        with Faulty(at, killed).in_place():
            os._exit(site.compiled("s"))
    _, ended = os.waitpid(child, 0)
    assert site.generation() >= before
    check_whole(site.folder / "s")
    return os.WIFSIGNALED(ended)


@pytest.mark.long
def test_a_run_that_is_killed_at_some_writes(site: Site) -> None:
    """Nothing that was committed is lost, and the next run goes on."""
    in_commits = 0
    for at in (12, 20, 33, 47):
        assert kill_at(site, at)
        in_commits += site.is_in_a_commit()
    assert in_commits >= 2
    site.goes_on()


@pytest.mark.soak
def test_two_hundred_that_are_killed_at_their_writes(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    """At least half of them between the beginning and the end of a commit, by the generations on the disk."""
    kills = in_commits = at = 0
    while kills < 200:
        at += 1
        if not kill_at(site, at):
            at = 0  # a run has no more writes: from the first again
            continue
        kills += 1
        in_commits += site.is_in_a_commit()
        if kills % 20 == 0:
            site.goes_on()
    site.goes_on()
    with capsys.disabled():
        print(f"\n{kills} killed at a write, {in_commits} of them within a commit")
    assert in_commits >= 100
