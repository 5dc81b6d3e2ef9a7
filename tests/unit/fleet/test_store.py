"""The store: whole after whatever happens, and the same whether it was written at once or went on from a broken run."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from support.fleets import build, write
from whence.cli.main import status_of

pytest.importorskip("pyarrow")

Rows = list[dict[str, Any]]


def fleet(*arguments: str) -> int:
    """Run `whence fleet`."""
    return status_of(["fleet", *arguments])


def compile_into(root: Path, store: Path, *more: str) -> int:
    """Bring a store up to date."""
    return fleet("compile", str(root), "--facts", str(root / "facts"), "--store", str(store), *more)


def content(store: Path) -> dict[str, list[str]]:
    """What a store says about its nodes, as text without what differs between runs."""
    from whence.fleet.store import Store

    opened = Store(str(store))
    tables = {name: opened.rows(name) for name in ("nodes", "resources", "attributes", "edges", "lookups")}
    for row in tables["nodes"]:
        for name in ("own", "shared", "evidence", "milliseconds"):
            del row[name]
    return {name: sorted(json.dumps(row, sort_keys=True) for row in rows) for name, rows in tables.items()}


def check_whole(store: Path) -> None:
    """Every file that counts can be read, every node is there once, and every number names something."""
    from whence.fleet.store import TABLES, Store

    opened = Store(str(store))
    tables = {name: opened.rows(name) for name in TABLES}
    names = [row["node"] for row in tables["nodes"]]
    assert sorted(names) == sorted(set(names))
    assert {row["dependency_set"] for row in tables["attributes"]} <= {
        row["dependency_set"] for row in tables["dependencies"]
    }
    assert {row["input"] for row in tables["dependencies"]} <= {row["input"] for row in tables["inputs"]}
    assert {row[set_name] for row in tables["nodes"] for set_name in ("own", "shared")} <= {
        row["reads"] for row in tables["reads"]
    }


def test_what_is_kept_and_what_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second run keeps everything; after an edit, what does not hang on it."""
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
    monkeypatch.setattr("whence.fleet.compiling.COMMIT_NODES", 1)
    monkeypatch.setattr("whence.fleet.store.MOST_PARTS", 2)
    build(tmp_path / "c", 5)
    assert compile_into(tmp_path / "c", tmp_path / "s", "--jobs", "1") == 0
    monkeypatch.undo()
    assert len(json.loads((tmp_path / "s/current.json").read_text())["parts"]) <= 3
    check_whole(tmp_path / "s")
    assert compile_into(tmp_path / "c", tmp_path / "fresh", "--jobs", "1") == 0
    assert content(tmp_path / "s") == content(tmp_path / "fresh")


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


def killed_runs(folder: Path, times: int, seed: int) -> None:
    """Kill compilations at random moments; afterwards the store is whole and nothing that was committed is lost."""
    chance = random.Random(seed)
    build(folder / "c", 6)
    arguments = ["fleet", "compile", str(folder / "c"), "--facts", str(folder / "c/facts"), "--store"]
    launcher = (
        "import sys, whence.fleet.compiling as c; c.COMMIT_NODES = 1\n"
        "from whence.cli.main import status_of; sys.exit(status_of(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", launcher, *arguments, str(folder / "s"), "--jobs", "1"]
    committed: set[str] = set()
    for number in range(times):
        if number % 3 == 0:  # something for every node to do
            with open(folder / "c/manifests/site.pp", "a") as file:
                file.write("# more\n")
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.1, 1.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if (folder / "s/current.json").exists():
            check_whole(folder / "s")
            parts = json.loads((folder / "s/current.json").read_text())["parts"]
            nodes = {node for part in parts for node in part["nodes"]}
            assert committed <= nodes
            committed = nodes
    assert compile_into(folder / "c", folder / "s", "--jobs", "1") == 0
    assert compile_into(folder / "c", folder / "fresh", "--jobs", "1") == 0
    assert content(folder / "s") == content(folder / "fresh")


def test_a_killed_run_leaves_the_store_whole(tmp_path: Path) -> None:
    """Three times."""
    killed_runs(tmp_path, 3, seed=1)


@pytest.mark.soak
def test_many_killed_runs_leave_the_store_whole(tmp_path: Path) -> None:
    """Two hundred times."""
    killed_runs(tmp_path, 200, seed=2)


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    """Two runs at once, each with its own nodes: both end well, and all nodes are there."""
    names = build(tmp_path / "c", 4)
    command = [sys.executable, "-m", "whence", "fleet", "compile", str(tmp_path / "c")]
    command += ["--facts", str(tmp_path / "c/facts"), "--store", str(tmp_path / "s"), "--jobs", "1", "--nodes"]
    writers = [
        subprocess.Popen([*command, ",".join(some)], stdout=subprocess.DEVNULL) for some in (names[:2], names[2:])
    ]
    assert [writer.wait() for writer in writers] == [0, 0]
    check_whole(tmp_path / "s")
    assert len(content(tmp_path / "s")["nodes"]) == 4


def test_what_is_no_store_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of another format, or a broken one."""
    build(tmp_path / "c", 2)
    (tmp_path / "s").mkdir()
    for text in ('{"format": "whence-fleet/99"}', "{", "[]"):
        (tmp_path / "s/current.json").write_text(text)
        assert compile_into(tmp_path / "c", tmp_path / "s") == 2
        assert "no " in capsys.readouterr().err
