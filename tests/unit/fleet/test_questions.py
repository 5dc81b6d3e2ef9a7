"""Questions to a store: the same answers as from the compilations themselves, and nothing but the store is seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import whence
from support.fleets import build
from whence.cli.main import status_of
from whence.cli.options import read_facts

pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def control(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with eight nodes, and its store."""
    folder = tmp_path_factory.mktemp("fleet")
    build(folder / "c", 8)
    options = ["--facts", str(folder / "c/facts"), "--store", str(folder / "s"), "--jobs", "1"]
    assert status_of(["fleet", "compile", str(folder / "c"), *options]) == 0
    return folder


def ask(control: Path, capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """The answer to a question, as JSON."""
    assert status_of(["fleet", *words, "--store", str(control / "s"), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "target",
    [
        "fact:site",
        "fact:os.family",
        "hiera:profile::web::port",
        "data/common.yaml:2",
        "data/common.yaml:8",
        "site/profile/manifests/web.pp:2",
        "site/profile/manifests/base.pp:2",
        "manifests/site.pp:1",
        "node:name",
    ],
)
def test_impact_is_that_of_every_node(control: Path, capsys: pytest.CaptureFixture[str], target: str) -> None:
    """For every node, at least what its own compilation says may change, and no node beside."""
    answer = ask(control, capsys, "impact", target)
    told = {(node, row["path"]) for row in answer["affected"] for node in row["nodes"]}
    session = whence.Session()
    expected = set()
    for path in sorted((control / "c/facts").iterdir()):
        node = path.name.removesuffix(".yaml")
        outcome = session.compile(
            str(control / "c"), node=node, facts=read_facts(str(control / "c/facts"), node), trace=True
        )
        try:
            affected = outcome.impact(target).to_json()["affected"]
        except whence.WhenceError:
            affected = []
        expected |= {(node, row["path"]) for row in affected}
    assert expected <= told
    assert {node for node, _ in told} == {node for node, _ in expected}


def test_find(control: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By title, attribute and value; equal values together."""
    debian = ask(control, capsys, "find", "File[/etc/mo*].mode = 0640")["affected"]
    assert [(row["path"], row["value"], len(row["nodes"])) for row in debian] == [("File[/etc/motd].mode", "0640", 4)]
    other = ask(control, capsys, "find", "File[/etc/motd].mode != 0640")
    assert not set(other["nodes"]) & set(debian[0]["nodes"]) and len(other["nodes"]) == 4
    assert len(ask(control, capsys, "find", "User[postgres]")["nodes"]) == 4
    assert ask(control, capsys, "find", "User[nobody]")["affected"] == []
    assert status_of(["fleet", "find", "nonsense", "--store", str(control / "s")]) == 2


def test_drift_and_where_used(control: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Half of the nodes is few if one says so; a line's resources."""
    values = ask(control, capsys, "drift", "--part", "0.5")["values"]
    modes = {row["value"]: row["facts"] for row in values if row["path"] == "File[/etc/motd].mode"}
    assert set(modes) == {"0640", "0644"} and "os.family" in modes["0640"]
    assert all(len(row["nodes"]) == 1 for row in ask(control, capsys, "drift", "--part", "0.13")["values"])
    used = ask(control, capsys, "where-used", "site/profile/manifests/web.pp:2")
    assert "File[/etc/web.conf]" in {row["path"] for row in used["affected"]}
    assert all(node.startswith("web") for node in used["nodes"])


def test_sql_sees_nothing_else(control: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows of the store; no file is read or written, and no setting opens the door again."""
    assert ask(control, capsys, "sql", "select count(*) from nodes")["rows"] == [[8]]
    (control / "secret.csv").write_text("a,b\n")
    for query in (
        f"select * from read_csv('{control}/secret.csv')",
        f"select * from read_text('{control}/s/key')",
        f"copy nodes to '{control}/out.csv'",
        f"attach '{control}/out.db'",
        "set enable_external_access = true",
        "install httpfs",
        "load httpfs",
        "select nothing from nowhere",
        "selec",
    ):
        assert status_of(["fleet", "sql", query, "--store", str(control / "s")]) == 2, query
    assert not (control / "out.csv").exists() and not (control / "out.db").exists()


def test_a_store_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Told, and nothing is made."""
    assert status_of(["fleet", "impact", "fact:os", "--store", str(tmp_path / "s")]) == 2
    assert "there is no fleet store" in capsys.readouterr().err
    assert not (tmp_path / "s").exists()
