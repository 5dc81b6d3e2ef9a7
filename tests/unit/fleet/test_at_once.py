"""Several at once on one store: runs that replace each other's nodes, questions beside merges, comparisons."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.fleets import EXPORTING, FILES, build, write
from support.stores import check_whole, content
from wherefrom.base.folder import Folder
from wherefrom.cli.main import status_of
from wherefrom.fleet.exports import ExportsFile
from wherefrom.fleet.locks import SharedLock
from wherefrom.fleet.place import READERS, RUNS, place_of
from wherefrom.fleet.store import TABLES, Store

pytest.importorskip("pyarrow")

OTHER = """
import json, sys
import wherefrom.fleet.compiling, wherefrom.fleet.store
wherefrom.fleet.compiling.COMMIT_NODES = 1
wherefrom.fleet.store.MOST_PARTS = 1
from wherefrom.cli.main import status_of
for line in sys.stdin:
    print(status_of(json.loads(line)), file=sys.stderr, flush=True)
"""
"""Runs commands in a process of its own, which commits after every node and merges with every commit."""


def words(root: Path, store: Path, *more: str, command: str = "compile") -> list[str]:
    """A command that writes into the store."""
    facts = ["--facts", str(root / "facts"), "--store", str(store), "--jobs", "1"]
    return ["fleet", command, str(root), *facts, *more]


def elsewhere(*commands: list[str]) -> subprocess.Popen[str]:
    """Commands, run one after the other by another process."""
    process = subprocess.Popen(
        [sys.executable, "-c", OTHER],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.writelines(json.dumps(command) + "\n" for command in commands)
    process.stdin.close()
    return process


def statuses(process: subprocess.Popen[str]) -> list[str]:
    """How they ended."""
    assert process.stderr is not None
    told = process.stderr.read().split()
    process.stderr.close()
    process.wait()
    return told


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Here too, a run commits after every node, and merges with every commit."""
    monkeypatch.setattr("wherefrom.fleet.compiling.COMMIT_NODES", 1)
    monkeypatch.setattr("wherefrom.fleet.store.MOST_PARTS", 1)
    return monkeypatch


def between(monkeypatch: pytest.MonkeyPatch, number: int, happening: Callable[[], None]) -> None:
    """Something happens after so many commits of this process; after each of them the store is whole."""
    commit = Store.commit
    commits: list[int] = []

    def looked_at(store: Store, *arguments: Any, **named: Any) -> int:
        generation = commit(store, *arguments, **named)
        check_whole(Path(store.path))
        commits.append(generation)
        if len(commits) == number:
            happening()
        return generation

    monkeypatch.setattr(Store, "commit", looked_at)


def states(folder: Path, files: dict[str, str], count: int = 4) -> tuple[Path, Path]:
    """Two states of an environment, in which nodes differ."""
    for name, users in (("one", "[root, one]"), ("two", "[root, two]")):
        build(folder / name, count)
        common = files["data/common.yaml"].replace("[root]", users).replace("10.0.0.1", f"10.0.0.{len(users)}")
        write(folder / name, {**files, "data/common.yaml": common})
    return folder / "one", folder / "two"


@pytest.mark.parametrize("files", [FILES, pytest.param(EXPORTING, marks=pytest.mark.long)], ids=["plain", "exporting"])
@pytest.mark.parametrize("number", [2, *(pytest.param(number, marks=pytest.mark.soak) for number in (1, 3))])
def test_a_run_does_not_take_away_what_another_names(
    tmp_path: Path, eager: pytest.MonkeyPatch, files: dict[str, str], number: int
) -> None:
    """All nodes are replaced by another run in the midst of this one, with rows of its own: what is sent once stays."""
    one, two = states(tmp_path, files)
    store = tmp_path / "s"

    def replace_all() -> None:
        assert statuses(elsewhere(words(two, store))) == ["0"]
        check_whole(store)

    between(eager, number, replace_all)
    assert status_of(words(one, store)) == 0
    eager.undo()
    check_whole(store)
    assert status_of(words(one, store)) == 0
    assert status_of(words(one, tmp_path / "fresh")) == 0
    assert content(store) == content(tmp_path / "fresh")
    check_swept(store, tmp_path / "fresh")


def check_swept(store: Path, fresh: Path) -> None:
    """What nobody names any more is gone, once runs are over: a merge leaves what a fresh store has."""
    for opened in map(Store, (str(store), str(fresh))):
        while len(opened.current()["parts"]) > 1:
            opened.commit({name: [] for name in TABLES})
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("wherefrom.fleet.store.MOST_PARTS", 0)
                opened.commit({name: [] for name in TABLES})
        assert not any(part.get("loose") for part in opened.current()["parts"])
    left, right = Store(str(store)), Store(str(fresh))
    assert {row["answer"] for row in left.rows("answers")} == {row["answer"] for row in right.rows("answers")}


def test_nodes_that_leave_take_nothing_along(tmp_path: Path, eager: pytest.MonkeyPatch) -> None:
    """Another run has fewer nodes: those of this one leave, but not what its nodes to come will name."""
    names = build(tmp_path / "c", 4)
    build(tmp_path / "few", 1)
    store = tmp_path / "s"
    between(eager, 3, lambda: _end_well(words(tmp_path / "few", store)))
    assert status_of(words(tmp_path / "c", store)) == 0
    eager.undo()
    check_whole(store)
    assert {row["node"] for row in Store(str(store)).rows("nodes")} == {names[0], max(names)}


def _end_well(command: list[str]) -> None:
    assert statuses(elsewhere(command)) == ["0"]


def test_what_is_left_over_goes_with_the_last_run(tmp_path: Path, eager: pytest.MonkeyPatch) -> None:
    """While another run is under way nothing is swept away; when it is over, everything is that nobody names."""
    one, two = states(tmp_path, FILES)
    store = Store(str(tmp_path / "s"))
    assert status_of(words(one, tmp_path / "s")) == 0
    hold = SharedLock(place_of(store.path), RUNS)
    assert status_of(words(two, tmp_path / "s")) == 0
    sets = {row["answer"] for row in store.rows("answers")}
    named = {row["answer"] for row in store.rows("lookups")}
    assert sets > named and store.current()["parts"][0]["loose"]
    hold.close()
    assert status_of(words(two, tmp_path / "s")) == 0
    assert {row["answer"] for row in store.rows("answers")} == named
    assert not any(part.get("loose") for part in store.current()["parts"])
    check_whole(tmp_path / "s")


@pytest.mark.long
def test_histories_stay_that_another_run_names(tmp_path: Path, eager: pytest.MonkeyPatch) -> None:
    """Texts of sources are sent once; a run that ends meanwhile does not forget them."""
    one, two = states(tmp_path, EXPORTING)
    store = tmp_path / "s"
    between(eager, 3, lambda: _end_well(words(two, store)))
    assert status_of(words(one, store)) == 0
    eager.undo()
    snapshot, is_settled = ExportsFile(str(store)).snapshot()
    assert not is_settled  # neither run saw all of the other's rounds
    for exports in snapshot.nodes.values():
        for row in exports.rows:
            assert snapshot.origins.exported(exports, row).sources
    assert status_of(words(one, store)) == 0
    assert ExportsFile(str(store)).snapshot()[1]


def test_exports_of_another_run_are_seen(tmp_path: Path) -> None:
    """Rows of one run beside exports of another, which differ in nothing but their history: compiled again."""
    build(tmp_path / "c", 2)
    write(tmp_path / "c", EXPORTING)
    store = tmp_path / "s"
    assert status_of(words(tmp_path / "c", store)) == 0
    other = tmp_path / "other"
    manifest = tmp_path / "c/site/profile/manifests/lan.pp"
    text = manifest.read_text()
    manifest.write_text(f"# one line more\n{text}")
    assert status_of(words(tmp_path / "c", other)) == 0
    manifest.write_text(text)
    (store / "exports.sqlite").write_bytes((other / "exports.sqlite").read_bytes())
    assert status_of(words(tmp_path / "c", store)) == 0
    snapshot, _ = ExportsFile(str(store)).snapshot()
    lines = {row.line for exports in snapshot.nodes.values() for row in exports.rows if row.type == "Profile::peer"}
    assert lines <= {2}


def test_a_comparison_beside_a_run_of_the_second_state(
    tmp_path: Path, eager: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The nodes of the first state are replaced by those of the second before they are compared: nothing is missed."""
    one, two = states(tmp_path, FILES)
    command = ["fleet", "diff", str(one), str(two), "--facts", str(one / "facts"), "--jobs", "1", "--format", "json"]
    assert status_of([*command, "--store", str(tmp_path / "alone")]) == 0
    alone = json.loads(capsys.readouterr().out)
    between(eager, 4, lambda: _end_well(words(two, tmp_path / "s")))
    assert status_of([*command, "--store", str(tmp_path / "s")]) == 0
    assert json.loads(capsys.readouterr().out) == alone
    assert len(alone["changed"]) == 4


def test_a_question_beside_merges(tmp_path: Path, eager: pytest.MonkeyPatch) -> None:
    """Whoever asks sees one commit to the end, however many come meanwhile; then its files go."""
    pytest.importorskip("duckdb")
    from wherefrom.fleet.questions import Questions

    names = build(tmp_path / "c", 4)
    store = Store(str(tmp_path / "s"))
    assert status_of(words(tmp_path / "c", tmp_path / "s")) == 0
    questions = Questions(store)
    for name in names[:3]:
        store.commit({table: [] for table in TABLES}, [name])
    assert questions.node_count() == 4
    assert {row[0] for row in questions.rows("select distinct node from attributes")} == set(names)
    assert questions.sql("select count(*) from nodes")[1] == [(1,)]  # it looks again at what counts
    before = len(list((tmp_path / "s").glob("*.parquet")))
    del questions
    store.commit({table: [] for table in TABLES})
    assert len(list((tmp_path / "s").glob("*.parquet"))) < before


def test_a_store_that_may_only_be_read_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no hold can be had, nobody is kept from reading."""
    build(tmp_path / "c", 2)
    assert status_of(words(tmp_path / "c", tmp_path / "s")) == 0
    for name in (READERS, RUNS):
        (tmp_path / "s" / name).unlink()

    def refused(folder: Folder, name: str, mode: int = 0o644) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)

    monkeypatch.setattr(Folder, "kept_open", refused)  # root may write everywhere
    assert len(Store(str(tmp_path / "s")).rows("nodes")) == 2
    hold = SharedLock(place_of(str(tmp_path / "s")), READERS)
    with hold.alone() as is_alone:
        assert not is_alone  # so nothing is taken away
    hold.close()


def test_holds(tmp_path: Path) -> None:
    """Many have one at once; who has the only one may be alone with it, and has it still afterwards."""
    first, second = SharedLock(place_of(str(tmp_path)), RUNS), SharedLock(place_of(str(tmp_path)), RUNS)
    with first.alone() as is_alone:
        assert not is_alone
    second.close()
    second.close()
    with first.alone() as is_alone:
        assert is_alone
    third = SharedLock(place_of(str(tmp_path)), RUNS)
    with third.alone() as is_alone:
        assert not is_alone  # the first has it still
    del first
    with third.alone() as is_alone:
        assert is_alone
    before = len(os.listdir("/proc/self/fd"))
    third.close()
    assert len(os.listdir("/proc/self/fd")) == before - 1


def at_once(folder: Path, files: dict[str, str], rounds: int, seed: int) -> None:
    """Several processes at once, each with commands of its own: all end well, and the store is whole all the time."""
    pytest.importorskip("duckdb")
    chance = random.Random(seed)
    one, two = states(folder, files)
    store = folder / "s"
    sides = [str(one), str(two), "--facts", str(one / "facts"), "--store", str(store), "--jobs", "1"]
    assert status_of(words(one, store)) == 0
    for _ in range(rounds):
        writing = [
            words(one, store),
            words(two, store),
            words(one, store, "--nodes", "web*"),
            ["fleet", "diff", *sides, "--format", "json"],
        ]
        asking = [
            ["fleet", "sql", "select count(*) from lookups join answers using (answer)"],
            ["fleet", "impact", "fact:role"],
            ["fleet", "find", "User[*]"],
        ]
        processes = [elsewhere(*chance.choices(writing, k=3)), elsewhere(*chance.choices(writing, k=3))]
        questions = [[*command, "--store", str(store)] for command in chance.choices(asking, k=4)]
        processes.append(elsewhere(*questions))
        while any(process.poll() is None for process in processes):
            check_whole(store)
        *written, asked = [statuses(process) for process in processes]
        assert written == [["0"] * 3, ["0"] * 3]
        # What values depend on is worked out from the files: between two that write from other files it is refused.
        refused = "the store is out of date for"
        assert [word for word in asked if word.isdigit()] == ["0"] * 4 or refused in " ".join(asked), asked
        check_whole(store)
    assert status_of(words(one, store)) == 0
    assert status_of(words(one, folder / "fresh")) == 0
    assert content(store) == content(folder / "fresh")
    contents = [
        {node: exports.content() for node, exports in ExportsFile(str(path)).snapshot()[0].nodes.items()}
        for path in (store, folder / "fresh")
    ]
    assert contents[0] == contents[1]


@pytest.mark.long
@pytest.mark.parametrize("files", [FILES, pytest.param(EXPORTING, marks=pytest.mark.soak)], ids=["plain", "exporting"])
def test_many_at_once(tmp_path: Path, files: dict[str, str]) -> None:
    """Two that write and one that asks."""
    at_once(tmp_path, files, 1, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("files", [FILES, EXPORTING], ids=["plain", "exporting"])
def test_many_at_once_for_long(tmp_path: Path, files: dict[str, str]) -> None:
    """The same again and again."""
    for seed in range(4):
        at_once(tmp_path / str(seed), files, 5, seed)
