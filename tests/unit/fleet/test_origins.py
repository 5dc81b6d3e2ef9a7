"""What values depend on is worked out for who asks: kept while it is true, made anew when it is not, never guessed."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from support.fleets import build, write
from wherefrom.cli.main import status_of
from wherefrom.fleet.graph_making import GraphMaker
from wherefrom.fleet.origins import OriginsFile

pytest.importorskip("duckdb")


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """An environment with four nodes, and its store."""
    build(tmp_path / "c", 4)
    compile_into(tmp_path)
    return tmp_path


def compile_into(folder: Path, store: str = "s") -> None:
    """Compile all nodes."""
    options = ["--facts", str(folder / "c/facts"), "--store", str(folder / store), "--jobs", "1"]
    assert status_of(["fleet", "compile", str(folder / "c"), *options]) == 0


def impact(folder: Path, words: str, capsys: pytest.CaptureFixture[str], store: str = "s") -> Any:
    """The answer."""
    capsys.readouterr()
    assert status_of(["fleet", "impact", words, "--store", str(folder / store), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The nodes whose graphs are made from now on."""
    names: list[str] = []
    result = GraphMaker.result

    def noted(maker: GraphMaker, node: str) -> Any:
        names.append(node)
        return result(maker, node)

    monkeypatch.setattr(GraphMaker, "result", noted)
    monkeypatch.setattr("wherefrom.fleet.workers.available_cores", lambda: 1)
    return names


def test_graphs_are_made_once(fleet: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """By the first question that needs them; compiling needs none."""
    names = made(monkeypatch)
    assert not (fleet / "s/origins.sqlite").exists()
    first = impact(fleet, "fact:site", capsys)
    assert len(names) == 4 and (fleet / "s/origins.sqlite").stat().st_mode & 0o777 == 0o600
    assert impact(fleet, "fact:site", capsys) == first and len(names) == 4
    shutil.rmtree(fleet / "c")
    assert impact(fleet, "fact:site", capsys) == first, "what was made does without the files"


def test_lines_that_move(fleet: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A comment changes no catalog; but then a datum stands in another line, and that is what is told."""
    before = impact(fleet, "data/role/web.yaml:1", capsys)["affected"]
    names = made(monkeypatch)
    text = (fleet / "c/data/role/web.yaml").read_text()
    write(fleet / "c", {"data/role/web.yaml": f"# the port\n{text}"})
    assert impact(fleet, "data/role/web.yaml:1", capsys)["affected"] == []
    assert names == ["web00.north", "web02.south"] or len(names) == 2
    assert impact(fleet, "data/role/web.yaml:2", capsys)["affected"] == before != []


def test_nodes_that_would_be_compiled_otherwise(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Refused, by name, until they are compiled; where a graph was made before, it tells of what was compiled."""
    write(fleet / "c", {"data/role/web.yaml": "profile::web::port: 81\n"})
    capsys.readouterr()
    assert status_of(["fleet", "impact", "fact:site", "--store", str(fleet / "s")]) == 2
    told = capsys.readouterr().err
    assert "the store is out of date for 2 nodes (web" in told
    compile_into(fleet)
    answer = impact(fleet, "data/role/web.yaml:1", capsys)
    write(fleet / "c", {"data/role/web.yaml": "profile::web::port: 82\n"})
    assert impact(fleet, "data/role/web.yaml:1", capsys) == answer


def test_nodes_that_are_compiled_anew_lose_their_graphs(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    impact(fleet, "fact:site", capsys)
    file = OriginsFile(str(fleet / "s"))
    assert len(file.stamps()) == 4 and file.inputs() and file.evidence()
    write(fleet / "c", {"data/role/web.yaml": "profile::web::port: 81\n"})
    compile_into(fleet)
    assert len(file.stamps()) == 2
    compile_into(fleet, "fresh")
    assert impact(fleet, "fact:site", capsys) == impact(fleet, "fact:site", capsys, "fresh")


@pytest.mark.parametrize("damage", ["no database", "nothing", "another format", "another input"])
def test_a_damaged_file_is_told_and_made_anew(fleet: Path, capsys: pytest.CaptureFixture[str], damage: str) -> None:
    """Who asks is told; who compiles removes it, with a warning, and then there is the answer of before."""
    expected = impact(fleet, "fact:site", capsys)
    file = fleet / "s/origins.sqlite"
    match damage:
        case "no database" | "nothing":
            file.write_bytes(b"junk" if damage == "no database" else b"")
        case "another format":
            with sqlite3.connect(file) as connection:
                connection.execute("update about set value = 'wherefrom-origins/1'")
        case _:
            with sqlite3.connect(file) as connection:
                connection.execute("update inputs set input = replace(input, 'site', 'sita')")
    assert status_of(["fleet", "impact", "fact:site", "--store", str(fleet / "s")]) == 2
    assert "origins.sqlite is" in (told := capsys.readouterr().err) and "run `wherefrom fleet compile`" in told
    compile_into(fleet)
    told = capsys.readouterr().err
    assert told.startswith(f"warning: {file} is") and told.endswith("dependencies are computed again\n")
    assert impact(fleet, "fact:site", capsys) == expected
