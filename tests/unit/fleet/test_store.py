"""The store: whole after whatever happens, and the same whether it was written at once or went on from a broken run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from support.fleets import EXPORTING, build, write
from support.stores import check_whole, content
from wherefrom.cli.main import status_of
from wherefrom.fleet.compiling import known_nodes
from wherefrom.fleet.numbers import number_of
from wherefrom.fleet.store import TABLES, Store
from wherefrom.fleet.traces import NEVER, TOUCHED

pytest.importorskip("pyarrow")


def fleet(*arguments: str) -> int:
    """Run `wherefrom fleet`."""
    return status_of(["fleet", *arguments])


def compile_into(root: Path, store: Path, *more: str) -> int:
    """Bring a store up to date."""
    return fleet("compile", str(root), "--facts", str(root / "facts"), "--store", str(store), *more)


def test_what_is_kept_and_what_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second run keeps everything; after an edit, what does not depend on it."""
    build(tmp_path / "c", 4)
    assert compile_into(tmp_path / "c", tmp_path / "s", "--jobs", "2") == 0
    check_whole(tmp_path / "s")
    assert compile_into(tmp_path / "c", tmp_path / "s") == 0
    write(tmp_path / "c", {"data/nodes/web00.north.yaml": "profile::web::port: 81\n"})
    assert compile_into(tmp_path / "c", tmp_path / "s", "--jobs", "1") == 0
    assert [line.partition(": ")[2] for line in capsys.readouterr().out.splitlines()] == [
        "4 compiled, 0 kept, 0 failed",
        "0 compiled, 4 kept, 0 failed",
        "1 compiled, 3 kept, 0 failed",
    ]
    check_whole(tmp_path / "s")
    assert compile_into(tmp_path / "c", tmp_path / "fresh") == 0
    assert content(tmp_path / "s") == content(tmp_path / "fresh")


def test_failures_are_collected_and_nodes_leave(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A node that fails is in the store with its error; a node without facts leaves it."""
    build(tmp_path / "c", 4)
    write(tmp_path / "c", {"data/nodes/web00.north.yaml": "profile::web::port: none\n"})
    assert compile_into(tmp_path / "c", tmp_path / "s") == 1
    assert "4 nodes: 3 compiled, 0 kept, 1 failed" in capsys.readouterr().out
    (tmp_path / "c/facts/web00.north.yaml").unlink()
    assert compile_into(tmp_path / "c", tmp_path / "s", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer["kept"]) == 3 and answer["failed"] == []
    check_whole(tmp_path / "s")


def test_many_commits_become_few_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts are merged, and the store says the same."""
    monkeypatch.setattr("wherefrom.fleet.compiling.COMMIT_NODES", 1)
    monkeypatch.setattr("wherefrom.fleet.store.MOST_PARTS", 2)
    build(tmp_path / "c", 5)
    assert compile_into(tmp_path / "c", tmp_path / "s", "--jobs", "1") == 0
    monkeypatch.undo()
    assert len(json.loads((tmp_path / "s/current.json").read_text())["parts"]) <= 3
    check_whole(tmp_path / "s")
    assert compile_into(tmp_path / "c", tmp_path / "fresh", "--jobs", "1") == 0
    assert content(tmp_path / "s") == content(tmp_path / "fresh")


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.long)])
def test_every_commit_of_every_round_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: str) -> None:
    """What nodes of one round named alone leaves the store with them; later rounds still make nodes from them."""
    commit = Store.commit
    commits: list[int] = []

    def looked_at(store: Store, *arguments: Any) -> int:
        commits.append(commit(store, *arguments))
        check_whole(Path(store.path))
        return commits[-1]

    monkeypatch.setattr(Store, "commit", looked_at)
    monkeypatch.setattr("wherefrom.fleet.compiling.COMMIT_NODES", 1)
    monkeypatch.setattr("wherefrom.fleet.store.MOST_PARTS", 1)
    build(tmp_path / "c", 4)
    for users in ("[root, one]", "[root, two]"):
        write(tmp_path / "c", {**EXPORTING, "data/common.yaml": EXPORTING["data/common.yaml"].replace("[root]", users)})
        assert compile_into(tmp_path / "c", tmp_path / "s", "--jobs", jobs) == 0
    monkeypatch.undo()
    assert len(commits) > 20
    assert compile_into(tmp_path / "c", tmp_path / "fresh", "--jobs", "1") == 0
    assert content(tmp_path / "s") == content(tmp_path / "fresh")


def rows_of(node: str, number: int) -> dict[str, list[list[Any]]]:
    """The rows of a node with one attribute, and an answer and a set of reads of its own."""
    return {
        "nodes": [[node, "compiled", "", 1, "", number, number, number, 1.0, ""]],
        "resources": [[node], ["File"], ["/a"], [""], [0], [False]],
        "attributes": [[node], ["File"], ["/a"], [""], ["{}"]],
        "edges": [],
        "lookups": [[node], ["key"], [number]],
        "answers": [[number, 0, True, "1", "", "", "", 1]],
        "reads": [[number, [("content", "a", "digest")]]],
    }


SHARED = ("answers", "reads")


def test_what_nobody_names_leaves_with_the_next_merge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But not while somebody else writes, who may be about to name what it has sent."""
    monkeypatch.setattr("wherefrom.fleet.store.MOST_PARTS", 1)
    first, second = Store(str(tmp_path / "s")), Store(str(tmp_path / "s"))

    def numbers() -> list[set[int]]:
        return [{row[0] for row in first.tuples(table)} for table in SHARED]

    with first.relied_on():
        first.commit(rows_of("a", 1))
        with second.relied_on():
            second.commit(rows_of("a", 2))
            assert numbers() == [{1, 2}] * 2
            unsent = {name: rows for name, rows in rows_of("b", 1).items() if name not in SHARED}
            first.commit({**unsent, **{name: [] for name in SHARED}})
            check_whole(tmp_path / "s")
        first.commit(rows_of("b", 3), last=True)
        assert numbers() == [{2, 3}] * 2
    with second.relied_on():  # nobody holds the lock any more
        second.commit(rows_of("a", 4), last=True)
    second.commit(rows_of("b", 5))
    assert numbers() == [{4, 5}] * 2
    check_whole(tmp_path / "s")


@pytest.mark.long
def test_large_parts_are_not_written_anew_for_small_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work of merging grows with the nodes, not with its square; what large parts name stays."""
    monkeypatch.setattr("wherefrom.fleet.store.MOST_PARTS", 3)
    store = Store(str(tmp_path / "s"))
    written = 0
    merged = Store._merged

    def counted(store: Store, parts: list[Any], generation: int, is_over: bool) -> list[Any]:
        nonlocal written
        after = merged(store, parts, generation, is_over)
        written += sum(len(part["nodes"]) for part in after if part not in parts)
        return after

    monkeypatch.setattr(Store, "_merged", counted)
    counts: list[int] = []
    for number in range(160):
        shared = rows_of(f"n{number}", number)
        shared["lookups"][2][0] = 0  # an answer of the first part
        shared["answers"] = shared["answers"] if number == 0 else []
        store.commit(shared)
        if number in (39, 159):
            counts.append(written)
            check_whole(tmp_path / "s")
    assert counts[1] < 8 * counts[0], counts
    assert len(store.current()["parts"]) <= 4
    assert len(content(tmp_path / "s")["nodes"]) == 160


def test_a_trace_that_is_not_there_vouches_for_nothing(tmp_path: Path) -> None:
    """Whichever of a node's sets is missing, the node is compiled again; a set that is empty has no rows."""
    store = Store(str(tmp_path / "s"))
    rows = rows_of("a", 1)
    for place in (5, 6, 7):
        rows["nodes"][0][place] = number_of(b"()")
    store.commit(rows)
    assert known_nodes(store)["a"].shared == () == known_nodes(store)["a"].evidence
    for place, name in ((5, "own"), (6, "shared"), (7, "evidence")):
        rows = rows_of("a", 1)
        rows["nodes"][0][place] = 99
        store.commit(rows)
        assert getattr(known_nodes(store)["a"], name) == ((*TOUCHED, NEVER),)


def test_secrets_are_not_stored(tmp_path: Path) -> None:
    """What is sensitive is in no file of the store."""
    build(tmp_path / "c", 2)
    write(
        tmp_path / "c",
        {
            "site/profile/manifests/web.pp": "class profile::web($port) {\n"
            "  file { '/k': content => Sensitive(lookup('secret')) }\n}\n",
            "data/role/web.yaml": "secret: correct-horse-battery\n",
        },
    )
    assert compile_into(tmp_path / "c", tmp_path / "s", "--jobs", "1") == 0
    rows = content(tmp_path / "s")
    assert "/k" in str(rows["resources"])
    assert "correct-horse-battery" not in str(rows)
    assert os.stat(tmp_path / "s/key").st_mode & 0o077 == 0


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    """Two runs at once, each with its own nodes: both end well, and all nodes are there."""
    names = build(tmp_path / "c", 4)
    command = [sys.executable, "-m", "wherefrom", "fleet", "compile", str(tmp_path / "c")]
    command += ["--facts", str(tmp_path / "c/facts"), "--store", str(tmp_path / "s"), "--jobs", "1", "--nodes"]
    writers = [
        subprocess.Popen([*command, ",".join(some)], stdout=subprocess.DEVNULL) for some in (names[:2], names[2:])
    ]
    assert [writer.wait() for writer in writers] == [0, 0]
    check_whole(tmp_path / "s")
    assert len(content(tmp_path / "s")["nodes"]) == 4


def test_two_writers_of_the_same_nodes(tmp_path: Path) -> None:
    """Two runs at once over all nodes: each node is there once, as one run alone would have it."""
    build(tmp_path / "c", 4)
    command = [sys.executable, "-m", "wherefrom", "fleet", "compile", str(tmp_path / "c")]
    command += ["--facts", str(tmp_path / "c/facts"), "--store", str(tmp_path / "s"), "--jobs", "1"]
    writers = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    check_whole(tmp_path / "s")
    assert compile_into(tmp_path / "c", tmp_path / "fresh", "--jobs", "1") == 0
    assert content(tmp_path / "s") == content(tmp_path / "fresh")


def test_what_is_no_store_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of another format, or a broken one: a warning says so, and the store is made anew."""
    build(tmp_path / "c", 2)
    (tmp_path / "s").mkdir()
    for text in ('{"format": "wherefrom-fleet/99"}', "{", "[]"):
        (tmp_path / "s/current.json").write_text(text)
        assert compile_into(tmp_path / "c", tmp_path / "s") == 0
        assert "all nodes are compiled" in capsys.readouterr().err


def test_equal_failures_stand_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line for all nodes that fail in the same words."""
    build(tmp_path / "c", 8)
    write(tmp_path / "c", {"data/role/web.yaml": "profile::web::port: none\n"})
    assert compile_into(tmp_path / "c", tmp_path / "s", "--jobs", "1") == 1
    *failures, verdict = capsys.readouterr().out.splitlines()
    assert verdict == "8 nodes: 4 compiled, 0 kept, 4 failed"
    assert [line.partition("  ")[0] for line in failures] == ["web00.north, web02.south, web04.north, web06.south"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--nodes", "web00.nort"], "has no facts for web00.nort; did you mean web00.north?"),
        (["--nodes", "web00.north,nothing"], "has no facts for nothing"),
        (["--facts", "nowhere"], "nowhere is not a directory of NODE.yaml files"),
    ],
)
def test_nodes_that_are_not_there_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    """They do not get into the store."""
    build(tmp_path / "c", 2)
    assert compile_into(tmp_path / "c", tmp_path / "s", *words) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "s/current.json").exists()


def test_two_stores_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By value; nodes that one has alone are named; a store and something else are not compared."""
    names = build(tmp_path / "c", 4)
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    assert compile_into(tmp_path / "c", tmp_path / "a", "--jobs", "1", "--nodes", ",".join(names[:3])) == 0
    write(tmp_path / "c", {"data/role/web.yaml": "profile::web::port: 81\n"})
    assert compile_into(tmp_path / "c", tmp_path / "b", "--jobs", "1", "--nodes", ",".join(names[1:])) == 0
    capsys.readouterr()
    assert fleet("diff", a, b, "--format", "json") == 0
    answer, told = capsys.readouterr()
    document = json.loads(answer)
    assert (document["changed"], document["same"]) == ([names[2]], [names[1]])
    assert (document["gone"], document["new"], told) == ([names[0]], [names[3]], "")
    assert fleet("diff", a, b) == 0
    assert f"1 changed, 1 the same, 1 new, 1 gone\nnew: {names[3]}\ngone: {names[0]}\n" in capsys.readouterr().out
    assert fleet("diff", a, b, "--nodes", "db*") == 0
    assert capsys.readouterr().out.startswith("2 nodes: 0 changed, 1 the same, 1 new\n")
    for words, why in (
        ([a, str(tmp_path / "c")], "is a store but the other side is not"),
        ([a, b, "--why-not", names[1]], "cannot be used when two stores are compared"),
        ([a, b, "--store", a], "cannot be used when two stores are compared"),
        ([a, b, "--nodes", "mail*"], "neither store has a node that matches mail*"),
    ):
        assert fleet("diff", *words) == 2
        assert why in capsys.readouterr().err


def _replace(store: Path, pattern: str, content: bytes | None) -> None:
    for file in store.glob(pattern):
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content)


def _rewrite(store: Path, name: str, value: object) -> None:
    document = json.loads((store / "current.json").read_text())
    (store / "current.json").write_text(json.dumps({**document, name: value}))


def _flip(store: Path, pattern: str) -> None:
    """One bit of each of some files is another one."""
    for file in store.glob(pattern):
        damaged = bytearray(file.read_bytes())
        damaged[len(damaged) // 3] ^= 4
        file.write_bytes(damaged)


DAMAGES: dict[str, Callable[[Path], None]] = {
    **{f"a bit of {table}": partial(_flip, pattern=f"{table}-*") for table in TABLES},
    "another version": lambda store: _rewrite(store, "format", "wherefrom-fleet/3"),
    "a table that is gone": lambda store: _replace(store, "attributes-*", None),
    "a table that is no Parquet": lambda store: _replace(store, "nodes-*", b"junk"),
    "a table that is cut": lambda store: _replace(store, "reads-*", b"PAR1" + b"\0" * 200),
    "words that are no JSON": lambda store: _replace(store, "current.json", b"{"),
    "parts that are none": lambda store: _rewrite(store, "parts", [{"nodes": 3}]),
    "a generation that is none": lambda store: _rewrite(store, "generation", "last"),
    "files of somebody else": lambda store: _rewrite(
        store, "parts", [{"nodes": [], "files": dict.fromkeys(TABLES, "../../secret.parquet")}]
    ),
    "exports that are none": lambda store: _replace(store, "exports.sqlite", b"junk"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_stores_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: str) -> None:
    """Whoever reads what is damaged says so, with the name of the store; nobody fails otherwise."""
    pytest.importorskip("duckdb")
    build(tmp_path / "c", 2)
    write(tmp_path / "c", EXPORTING)
    store = tmp_path / "s"
    assert compile_into(tmp_path / "c", store, "--jobs", "1") == 0
    DAMAGES[damage](store)
    write(tmp_path / "c", {"data/common.yaml": "profile::base::greeting: bye\n"})
    facts = ["--facts", str(tmp_path / "c/facts")]
    statuses = []
    warned = False
    for words in (
        ["compile", str(tmp_path / "c"), *facts, "--store", str(store), "--jobs", "1"],
        ["diff", str(tmp_path / "c"), str(tmp_path / "c"), *facts, "--store", str(store), "--jobs", "1"],
        ["diff", str(store), str(store)],
        ["impact", "fact:role", "--store", str(store)],
        ["find", "File[*].mode", "--store", str(store)],
        ["lookup", "profile::web::port", "--store", str(store)],
        ["drift", "--store", str(store)],
        ["sql", "select * from nodes join reads on own = reads join attributes using (node)", "--store", str(store)],
    ):
        capsys.readouterr()
        statuses.append(fleet(*words))
        told = capsys.readouterr().err
        assert statuses[-1] in (0, 1, 2), told
        warned |= told.startswith(f"warning: {store}")
        if statuses[-1] == 2:
            assert str(store) in told
    assert warned or 2 in statuses


@pytest.mark.parametrize("words", [["--parts", "x"], ["--batch", "3"]])
def test_options_of_a_cluster_need_one(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    """They are not passed over."""
    build(tmp_path / "c", 1)
    assert compile_into(tmp_path / "c", tmp_path / "s", *words) == 2
    assert "--parts and --batch need --ray" in capsys.readouterr().err


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an environment and its store."""
    folder = tmp_path_factory.mktemp("sound")
    build(folder / "c", 3)
    write(folder / "c", EXPORTING)
    assert compile_into(folder / "c", folder / "s", "--jobs", "1") == 0
    return folder


@pytest.mark.parametrize(("command", "damage"), [*zip(repeat("compile"), DAMAGES), ("diff", "a bit of attributes")])
def test_a_store_that_can_not_be_used_is_made_anew(
    sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: str, command: str
) -> None:
    """By who compiles or compares, with a warning, though no source has changed."""
    root, store = str(sound / "c"), tmp_path / "s"
    shutil.copytree(sound / "s", store)
    DAMAGES[damage](store)
    words = [root] if command == "compile" else [root, root]
    given = ["--facts", f"{root}/facts", "--store", str(store), "--jobs", "1"]
    assert fleet(command, *words, *given) == 0
    answer = capsys.readouterr()
    assert answer.err.startswith(f"warning: {store}") and answer.err.endswith(" compiled again\n")
    if command == "compile":
        assert "3 nodes: 3 compiled, 0 kept, 0 failed" in answer.out
    check_whole(store)
    assert content(store) == content(sound / "s")
    assert compile_into(sound / "c", store, "--jobs", "1") == 0
    assert capsys.readouterr() == ("3 nodes: 0 compiled, 3 kept, 0 failed\n", "")


@pytest.mark.parametrize("table", TABLES)
def test_a_damaged_file_is_told_when_it_is_used(
    sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], table: str
) -> None:
    """By a query that names its table; others are answered."""
    pytest.importorskip("duckdb")
    store = tmp_path / "s"
    shutil.copytree(sound / "s", store)
    _flip(store, f"{table}-*")
    for each in (table, "nodes", "answers"):
        capsys.readouterr()
        assert fleet("sql", f"select count(*) from {each}", "--store", str(store)) == (2 if each == table else 0)
        told = capsys.readouterr().err
        assert (f"{store}: a file of the store is damaged ({table}-" in told) == (each == table)
