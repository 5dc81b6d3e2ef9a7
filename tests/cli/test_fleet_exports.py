"""Exports on the command line: `fleet diff` follows an edit through what nodes export; `--exports` serves one node."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.fleets import EXPORTING, build, edited, write
from wherefrom.cli.main import status_of

pytest.importorskip("pyarrow")

LAN = Path(__file__).parents[2] / "examples/lan"


@pytest.fixture
def lan(tmp_path: Path) -> Path:
    """The example twice, and a store of the first."""
    for name in ("a", "b"):
        shutil.copytree(LAN, tmp_path / name)
    return tmp_path


def diff(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> Any:
    """What differs between the two."""
    facts = ["--facts", str(folder / "a/facts"), "--jobs", "1"]
    status = status_of(["fleet", "diff", str(folder / "a"), str(folder / "b"), *facts, *more])
    output = capsys.readouterr().out
    assert status in (0, 1), output
    return json.loads(output) if "json" in more else output


def test_an_edit_is_followed_through_exports(lan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who collects what one node exports differently differs too, by the same line; why is told."""
    more = ["--store", str(lan / "store")]
    assert diff(lan, capsys, *more, "--format", "json")["changed"] == []
    write(lan, {"b/data/nodes/db01.yaml": "---\n\npeer::home: '/srv/other'\n"})
    document = diff(lan, capsys, *more, "--format", "json")
    assert sorted(document["changed"]) == ["db01", "web01", "web02"]
    words = diff(lan, capsys, *more, "--why-not", "web01")
    assert words == (
        "web01 was compiled because these inputs have changed\n  what other nodes export as User tag == lan\n"
    )
    write(lan, {"b/data/nodes/db01.yaml": "---\n# words\npeer::home: '/srv/db'\nother: 1\n"})
    assert diff(lan, capsys, *more, "--format", "json")["compiled"] == 0


def test_one_node_with_a_store(lan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--exports` is for one node, reads a store that must be there, and says who exported what."""
    one = [str(lan / "a"), "--node", "web01"]
    assert status_of(["compile", *one, "--exports", str(lan / "none")]) == 2
    assert "no fleet store at" in capsys.readouterr().err
    assert status_of(["fleet", "compile", str(lan / "a"), "--store", str(lan / "store"), "--exports", str(lan)]) == 2
    assert "--exports works on one node" in capsys.readouterr().err
    assert status_of(["fleet", "compile", str(lan / "a"), "--store", str(lan / "store")]) == 0
    capsys.readouterr()
    assert status_of(["compile", *one, "--exports", str(lan / "store")]) == 0
    assert "user { 'db01':  # in Class[Peer], exported by db01\n" in capsys.readouterr().out
    assert status_of(["fleet", "find", "User[db01].home", "--store", str(lan / "store"), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["affected"]
    assert row["exported_by"] == [{"node": "db01", "place": f"{lan}/a/data/nodes/db01.yaml:3:13"}]


def catalogs(root: Path, facts: Path, store: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str] | None:
    """The digests of all catalogs, or errors, of a fresh store; nothing if the exports never settle."""
    from wherefrom.fleet.store import Store

    status_of(["fleet", "compile", str(root), "--facts", str(facts), "--store", str(store), "--jobs", "1"])
    if "W045" in capsys.readouterr().err:
        return None
    return {row["node"]: row["catalog"] or row["error"] for row in Store(str(store)).rows("nodes")}


def check_pairs(folder: Path, count: int, nodes: int, seed: int, capsys: pytest.CaptureFixture[str]) -> int:
    """Compare the verdicts of `fleet diff` with fresh stores of both sides; how many pairs of an edit and a node."""
    chance = random.Random(seed)
    files = dict(EXPORTING)
    build(folder / "facts-of", nodes)
    facts = folder / "facts-of/facts"
    pairs = 0
    root, other = folder / "a", folder / "b"
    for step in range(count):
        if chance.random() < 0.3:
            files = dict(EXPORTING)
        states: list[dict[str, str] | None] = []
        for side in (root, other):
            for place in (side, folder / "same"):  # catalogs name their files
                shutil.rmtree(place, ignore_errors=True)
                write(place, files)
            if side is root:
                files, words = edited(files, chance)
            states.append(catalogs(folder / "same", facts, folder / f"fresh{step}{side.name}", capsys))
        before, after = states
        if before is None or after is None:
            continue
        arguments = [str(root), str(other), "--facts", str(facts), "--jobs", "1", "--format", "json"]
        status_of(["fleet", "diff", *arguments, "--store", str(folder / "store")])
        document = json.loads(capsys.readouterr().out)
        for node in document["same"]:
            assert before[node] == after[node], f"{words}: {node} differs, and was told to be the same"
        pairs += nodes
        for name in os.listdir(folder):
            if name.startswith("fresh"):
                shutil.rmtree(folder / name)
    return pairs


@pytest.mark.long
def test_verdicts_with_exports_are_sound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A node that is told to be the same is compiled to the same catalog on both sides, whoever exports what."""
    assert check_pairs(tmp_path, 3, 4, 3, capsys) > 0


@pytest.mark.soak
def test_verdicts_with_exports_are_sound_for_long(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same, for many edits."""
    assert sum(check_pairs(tmp_path / str(seed), 20, 8, seed, capsys) for seed in range(20)) > 2_000
