"""The store: whole after whatever happens, and the same whether it was written at once or went on from a broken run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.fleets import EXPORTING, build, write
from support.stores import check_whole, content
from whence.cli.main import status_of
from whence.fleet.store import Store

pytest.importorskip("pyarrow")


def fleet(*arguments: str) -> int:
    """Run `whence fleet`."""
    return status_of(["fleet", *arguments])


def compile_into(root: Path, store: Path, *more: str) -> int:
    """Bring a store up to date."""
    return fleet("compile", str(root), "--facts", str(root / "facts"), "--store", str(store), *more)


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


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_every_commit_of_every_round_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: str) -> None:
    """What nodes of one round named alone leaves the store with them; later rounds still make nodes from them."""
    commit = Store.commit
    commits: list[int] = []

    def looked_at(store: Store, *arguments: Any) -> int:
        commits.append(commit(store, *arguments))
        check_whole(Path(store.path))
        return commits[-1]

    monkeypatch.setattr(Store, "commit", looked_at)
    monkeypatch.setattr("whence.fleet.compiling.COMMIT_NODES", 1)
    monkeypatch.setattr("whence.fleet.store.MOST_PARTS", 1)
    build(tmp_path / "c", 4)
    for users in ("[root, one]", "[root, two]"):
        write(tmp_path / "c", {**EXPORTING, "data/common.yaml": EXPORTING["data/common.yaml"].replace("[root]", users)})
        assert compile_into(tmp_path / "c", tmp_path / "s", "--jobs", jobs) == 0
    monkeypatch.undo()
    assert len(commits) > 20
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


def test_two_writers_of_the_same_nodes(tmp_path: Path) -> None:
    """Two runs at once over all nodes: each node is there once, as one run alone would have it."""
    build(tmp_path / "c", 4)
    command = [sys.executable, "-m", "whence", "fleet", "compile", str(tmp_path / "c")]
    command += ["--facts", str(tmp_path / "c/facts"), "--store", str(tmp_path / "s"), "--jobs", "1"]
    writers = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    check_whole(tmp_path / "s")
    assert compile_into(tmp_path / "c", tmp_path / "fresh", "--jobs", "1") == 0
    assert content(tmp_path / "s") == content(tmp_path / "fresh")


def test_what_is_no_store_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of another format, or a broken one."""
    build(tmp_path / "c", 2)
    (tmp_path / "s").mkdir()
    for text in ('{"format": "whence-fleet/99"}', "{", "[]"):
        (tmp_path / "s/current.json").write_text(text)
        assert compile_into(tmp_path / "c", tmp_path / "s") == 2
        assert "no " in capsys.readouterr().err
