"""Folders of ours that somebody else has filled: stores and directories of catalogs, links, pipes and other files."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
from pathlib import Path

import pytest

from attacks.running import wherefrom
from wherefrom.base.contained import in_child
from wherefrom.base.folder import Folder, NotOurs
from wherefrom.base.opened import open_quietly
from wherefrom.cli.containing import _asked
from wherefrom.fleet.place import CURRENT, EXPORTS, KEY, LASTING, LOCK, READERS, REQUEST, RUNS, place_of
from wherefrom.fleet.requests import read

COMPILE = ("fleet", "compile", "--store")
ASK = ("fleet", "sql", "select count(*) from nodes", "--store")
SECONDS = 10
"""Of the processor, and twenty times as many by the clock: whatever takes longer is a hang."""
MANIFEST = """
@@notify { "n-${facts['n']}": message => $facts['n'] }
Notify <<| |>>
file { '/a': content => "${facts['n']}" }
"""

JOURNAL = f"{EXPORTS}-journal"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An environment with two nodes that export and collect."""
    folder = tmp_path / "control"
    (folder / "manifests").mkdir(parents=True)
    (folder / "manifests/site.pp").write_text(MANIFEST)
    (folder / "facts").mkdir()
    for number in (1, 2):
        (folder / f"facts/n{number}.yaml").write_text(f"n: {number}\n")
    (folder / "wherefrom.toml").write_text('environment = "."\nfacts = "facts"\n')
    return folder


@pytest.fixture
def made(project: Path) -> Path:
    """A store of them."""
    ran = wherefrom(*COMPILE, "store", cwd=project)
    assert ran.status == 0, ran
    return project / "store"


def contents(folder: Path) -> dict[str, bytes | str]:
    """What lies in a directory: contents of files, and where links lead."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


# --- somebody else's files ---


@pytest.mark.parametrize(
    "names", [["sales.parquet"], ["nodes-1.parquet", "lock"], [".hidden"], ["facts-000001-0123abcd.parquet.bak"]]
)
def test_a_folder_with_other_files_is_no_store(names: list[str], project: Path) -> None:
    """It is refused before anything is written there."""
    own = project / "own"
    own.mkdir()
    for name in names:
        (own / name).write_text("precious")
    ran = wherefrom(*COMPILE, "own", cwd=project)
    assert ran.status == 2, ran
    assert b"is not empty and not a fleet store" in ran.err
    assert contents(own) == dict.fromkeys(names, b"precious")


def test_files_beside_a_store_stay(made: Path, project: Path) -> None:
    """Whoever puts something there keeps it, whatever it is called, through commits that tidy up."""
    others = [
        "sales.parquet",
        "nodes-000001-0123abcd.parquet.old",
        "nodes-1.parquet",
        "notes.txt",
        "key.new",
        "lock.new",
    ]
    for name in others:
        (made / name).write_text("precious")
    (made / "folder").mkdir()
    left = "nodes-000000-00000000.parquet"  # as a process that was killed leaves it
    (made / left).touch()
    for number in range(3):
        (project / "manifests/site.pp").write_text(MANIFEST + f"notify {{ 'x{number}': }}")
        ran = wherefrom(*COMPILE, "store", cwd=project)
        assert ran.status == 0, ran
    kept = contents(made)
    assert {name: kept.get(name) for name in others} == dict.fromkeys(others, b"precious")
    assert (made / "folder").is_dir()
    assert left not in kept


def test_a_file_takes_no_more_than_it_has(tmp_path: Path) -> None:
    """A bound on what is read is not what is set aside for it."""
    (tmp_path / "small").write_bytes(b"abc" * 100_000)
    folder = Folder(str(tmp_path), re.compile("small"))

    def work() -> int:
        size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 26), resource.RLIM_INFINITY))
        assert folder.read("small", 1 << 30) == b"abc" * 100_000
        assert folder.read("small", 7) == b"abcabca"
        with open_quietly(str(tmp_path / "small")) as opened:
            assert opened.read(1 << 30) == b"abc" * 100_000
        return 0

    assert in_child(work).status == 0


def test_a_store_of_another_kind_is_left_alone(project: Path) -> None:
    """A `current.json` of something else is no reason to write there."""
    own = project / "own"
    own.mkdir()
    (own / CURRENT).write_text('{"format": "theirs"}')
    (own / "data").write_text("precious")
    ran = wherefrom(*COMPILE, "own", cwd=project)
    assert ran.status == 2, ran
    assert contents(own) == {CURRENT: b'{"format": "theirs"}', "data": b"precious"}


# --- links ---


@pytest.mark.parametrize("target", ["victim", "nowhere"])
@pytest.mark.parametrize(
    "name", [*LASTING, *(f"{name}.new" for name in (CURRENT, KEY)), "nodes-000001-01234567.parquet"]
)
def test_no_link_in_a_store_is_followed(name: str, target: str, project: Path) -> None:
    """A cloned repository with a folder of links: nothing that they lead to is made, changed or removed."""
    store = project / "store"
    store.mkdir()
    (project / "victim").write_text("mine")
    (store / name).symlink_to(f"../{target}")
    for command in (COMPILE, ASK):
        ran = wherefrom(*command, "store", cwd=project, seconds=SECONDS)
        assert ran.status in (0, 1, 2), ran
    assert (project / "victim").read_text() == "mine"
    assert not (project / "nowhere").exists()


def every_name(store: Path) -> list[str]:
    """The files of a store that count, each kind once."""
    named: dict[str, str] = json.loads((store / CURRENT).read_bytes())["parts"][0]["files"]
    return [*(name for name in LASTING if (store / name).exists()), *named.values()]


@pytest.mark.parametrize("kind", ["link", "pipe", "directory"])
def test_what_takes_the_place_of_a_file_of_a_store(kind: str, made: Path, project: Path) -> None:
    """A link, pipe or directory under each name of a store: no hang, nothing elsewhere changed, words that say it."""
    outside = project / "outside"
    for name in every_name(made):
        copy = project / "copy"
        shutil.copytree(made, copy)
        shutil.copytree(made, outside)
        before = contents(outside)
        (copy / name).unlink()
        if kind == "link":
            (copy / name).symlink_to(outside / name)
        elif kind == "pipe":
            os.mkfifo(copy / name)
        else:
            (copy / name).mkdir()
        for command in (ASK, COMPILE):
            ran = wherefrom(*command, "copy", cwd=project, seconds=SECONDS)
            assert ran.status in (0, 1, 2), (name, ran)
            assert b"Traceback" not in ran.err, (name, ran)
        assert contents(outside) == before, name
        shutil.rmtree(copy)
        shutil.rmtree(outside)


@pytest.mark.parametrize("name", [LOCK, READERS, RUNS, KEY, CURRENT, EXPORTS, JOURNAL])
def test_a_pipe_is_named(name: str, project: Path) -> None:
    """Whoever finds one reads which.  A list of nodes that can not be read is as none: all nodes are compiled."""
    (project / "store").mkdir()
    os.mkfifo(project / "store" / name)
    if name == JOURNAL:
        (project / "store" / EXPORTS).touch()
    ran = wherefrom(*COMPILE, "store", cwd=project, seconds=SECONDS)
    assert ran.status == (0 if name == CURRENT else 2), ran
    assert f"store/{name} is a pipe, not a file".encode() in ran.err, ran


@pytest.mark.parametrize("kind", ["pipe", "link", "directory"])
@pytest.mark.parametrize("question", [ASK, ("fleet", "impact", "manifests/site.pp:2", "--store"), ("serve",)])
def test_a_request_that_is_no_file(kind: str, question: tuple[str, ...], made: Path, project: Path) -> None:
    """It is looked at before a command begins, too: which directories it is to be kept to."""
    (made / REQUEST).unlink()
    if kind == "pipe":
        os.mkfifo(made / REQUEST)
    elif kind == "link":
        (made / REQUEST).symlink_to("../manifests/site.pp")
    else:
        (made / REQUEST).mkdir()
    if question == ("serve",):
        with pytest.raises(NotOurs):
            read(str(made))
        assert list(_asked(["serve", "store"], [str(made)])) == []
        return
    ran = wherefrom(*question, "store", cwd=project, seconds=SECONDS)
    assert ran.status == (0 if question == ASK else 2), ran
    assert b"internal error" not in ran.err and b"Traceback" not in ran.err, ran


def test_catalogs_replace_links(project: Path) -> None:
    """`--output DIR` writes NODE.json into DIR, and nowhere else."""
    (project / "catalogs").mkdir()
    (project / "victim").write_text("mine")
    (project / "catalogs/n1.json").symlink_to("../victim")
    ran = wherefrom("compile", "--nodes", "--json", "--output", "catalogs", cwd=project)
    assert ran.status == 0, ran
    assert (project / "victim").read_text() == "mine"
    assert (project / "catalogs/n1.json").read_text().startswith("{")


# --- the door itself ---


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    place = place_of(str(tmp_path / "place"))
    place.make()
    return place


def test_only_names_of_ours_are_written_or_removed(folder: Folder) -> None:
    """Whoever asks for another one has a bug."""
    for name in ("x", "../lock", "nodes-000001-0123abcd.parquet/..", "a/lock", ""):
        for work in (folder.remove, folder.kept_open, lambda name: folder.replace(name, b"")):
            with pytest.raises(ValueError, match="is not a valid name"):
                work(name)
    assert folder.names() == []


def test_what_was_not_written_whole_is_gone(folder: Folder) -> None:
    """Neither under its name nor under another one."""
    with pytest.raises(KeyboardInterrupt), folder.new("nodes-000001-01234567.parquet") as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert folder.names() == []


def test_a_link_is_replaced_and_not_followed(folder: Folder, tmp_path: Path) -> None:
    """A file stands there afterwards."""
    (tmp_path / "victim").write_text("mine")
    place = Path(folder.path)
    (place / KEY).symlink_to("../victim")
    folder.replace(KEY, b"ours")
    assert (place / KEY).read_bytes() == b"ours"
    assert not (place / KEY).is_symlink()
    assert (tmp_path / "victim").read_text() == "mine"
    (place / LOCK).symlink_to("../victim")
    assert not folder.remove(LOCK)
    assert (place / LOCK).is_symlink()


def test_a_link_that_comes_between_is_not_followed(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Put there after the name was looked at, and before it is opened; or where nobody looks before."""
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "victim").chmod(0o600)
    (Path(folder.path) / KEY).symlink_to("../victim")
    assert folder.read_private(KEY, 100) is None
    seen = os.stat(tmp_path / "victim")
    with monkeypatch.context() as patch:
        patch.setattr("os.stat", lambda *_, **__: seen)
        for opened in (folder.open, folder.kept_open):
            with pytest.raises(OSError, match=KEY):
                opened(KEY)
