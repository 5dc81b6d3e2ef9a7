"""Questions to a store: the same answers as from the compilations themselves, and nothing but the store is seen."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import wherefrom
from support.fleets import FILES, build, write
from wherefrom.cli.facts import read_facts
from wherefrom.cli.main import status_of
from wherefrom.fleet.store import TABLES

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
    """For every node, what its own compilation says may change."""
    answer = ask(control, capsys, "impact", target)
    told = {(node, row["path"]) for row in answer["affected"] for node in row["nodes"]}
    session = wherefrom.Session()
    expected = set()
    for path in sorted((control / "c/facts").iterdir()):
        node = path.name.removesuffix(".yaml")
        outcome = session.compile(
            str(control / "c"), node=node, facts=read_facts(str(control / "c/facts"), node), trace=True
        )
        try:
            affected = outcome.impact(target).to_json()["affected"]
        except wherefrom.WherefromError:
            affected = []
        expected |= {(node, row["path"]) for row in affected}
    assert told == expected


def test_find(control: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By title, attribute and value; equal values together."""
    debian = ask(control, capsys, "find", "File[/etc/mo*].mode = 0640")["affected"]
    assert [(row["path"], row["value"], len(row["nodes"])) for row in debian] == [("File[/etc/motd].mode", "0640", 4)]
    other = ask(control, capsys, "find", "File[/etc/motd].mode != 0640")
    assert not set(other["nodes"]) & set(debian[0]["nodes"]) and len(other["nodes"]) == 4
    assert len(ask(control, capsys, "find", "User[postgres]")["nodes"]) == 4
    assert ask(control, capsys, "find", "User[nobody]")["affected"] == []
    assert status_of(["fleet", "find", "nonsense", "--store", str(control / "s")]) == 2


def test_find_values_of_other_letters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A value is compared as the store writes it, whatever letters it has."""
    build(tmp_path / "c", 2)
    write(tmp_path / "c", {"data/common.yaml": FILES["data/common.yaml"].replace("hello", "grüß \u00e9 \u2603")})
    write(tmp_path / "c", {"site/profile/templates/motd.epp": "<%- | $greeting | -%>\n<%= $greeting -%>\n"})
    write(tmp_path / "c", {"data/site/north.yaml": "profile::db::size: 20\n"})
    options = ["--facts", str(tmp_path / "c/facts"), "--store", str(tmp_path / "s"), "--jobs", "1"]
    assert status_of(["fleet", "compile", str(tmp_path / "c"), *options]) == 0
    capsys.readouterr()
    same = ask(tmp_path, capsys, "find", "Class[Profile::Base].greeting = grüß é ☃")
    assert same["nodes"] == ["db01.north", "web00.north"]
    assert ask(tmp_path, capsys, "find", "Class[Profile::Base].greeting != grüß é ☃")["nodes"] == []


def test_drift(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A value that few nodes have is odd where most agree, not where each has its own; with what is usual, by nodes."""
    build(tmp_path / "c", 8)
    write(tmp_path / "c", {"data/nodes/web00.north.yaml": "profile::base::mode: '0600'\n"})
    options = ["--facts", str(tmp_path / "c/facts"), "--store", str(tmp_path / "s"), "--jobs", "1"]
    assert status_of(["fleet", "compile", str(tmp_path / "c"), *options]) == 0
    capsys.readouterr()
    values = ask(tmp_path, capsys, "drift", "--part", "0.13")["values"]
    odd = {row["path"]: row for row in values}
    assert "File[/etc/motd].content" not in odd  # the names of the nodes are in it
    assert odd["File[/etc/motd].mode"] == {
        "path": "File[/etc/motd].mode",
        "value": "0600",
        "usual": "0644",
        "nodes": ["web00.north"],
        "facts": ["os.family", "role", "site"],
    }
    assert ask(tmp_path, capsys, "drift", "--part", "0.01")["values"] == []
    assert ask(tmp_path, capsys, "drift", "--part", "0.5")["values"] == []  # half and half: neither is odd
    assert status_of(["fleet", "drift", "--part", "0.13", "--store", str(tmp_path / "s")]) == 0
    assert capsys.readouterr().out == (
        "web00.north  by fact os.family, role, site\n"
        '  Class[Profile::Base].mode = "0600"  else "0644"\n'
        '  File[/etc/motd].mode = "0600"  else "0644"\n'
        "2 unusual values\n"
    )


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("find", "File[/etc/motd].mod"), "File[/etc/motd].mode"),
        (("find", "File[/etc/mtod].mode != 0600"), "File[/etc/motd].mode"),
        (("find", "Fiel[/etc/*].mode"), "File[/etc/*].mode"),
        (("find", "File[/etc/motd].mode = 1777"), None),
        (("find", "File[/srv/nothing/like/that]"), None),
        (("impact", "fact:siet"), "fact:site"),
        (("impact", "hiera:profile::web::prot"), "hiera:profile::web::port"),
        (("impact", "data/comon.yaml:2"), "data/common.yaml:2"),
        (("impact", "data/common.yaml:5"), None),
        (("where-used", "site/profile/manifests/wbe.pp:2"), "site/profile/manifests/web.pp:2"),
    ],
)
def test_names_that_the_store_does_not_have(
    control: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], meant: str | None
) -> None:
    """Nothing is found, and if a name is close to one that there is, that is told; not where it is only the value."""
    assert status_of(["fleet", *words, "--store", str(control / "s")]) == 0
    answer = capsys.readouterr()
    assert " 0 " in answer.out
    hint = answer.err.replace(f"{control}/c/", "")
    assert hint == (f"the store has no such name: did you mean {meant}?\n" if meant else "")


@pytest.mark.parametrize("question", ["impact", "where-used"])
def test_a_line_that_is_not_there(
    control: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], question: str
) -> None:
    """Told with the length of the file; where that is not at hand, with the last line that the store knows."""
    for line, told in (
        ("data/common.yaml:9999", f"{control}/c/data/common.yaml has only 8 lines, no line 9999\n"),
        ("data/common.yaml:9", f"{control}/c/data/common.yaml has only 8 lines, no line 9\n"),
        ("data/common.yaml:8", ""),
        ("data/common.yaml:5", ""),
    ):
        assert status_of(["fleet", question, line, "--store", str(control / "s")]) == 0
        assert capsys.readouterr().err == told, line
    shutil.copytree(control / "c", tmp_path / "c")
    facts = ["--facts", str(tmp_path / "c/facts"), "--store", str(tmp_path / "s"), "--jobs", "1"]
    assert status_of(["fleet", "compile", str(tmp_path / "c"), *facts]) == 0
    never_asked = tmp_path / "never"
    assert status_of(["fleet", "compile", str(tmp_path / "c"), *facts, "--store", str(never_asked)]) == 0
    assert status_of(["fleet", question, "data/common.yaml:1", "--store", str(tmp_path / "s")]) == 0
    shutil.rmtree(tmp_path / "c")
    capsys.readouterr()
    assert status_of(["fleet", question, "data/common.yaml:1", "--store", str(never_asked)]) == 2
    assert "are not in the store and cannot be computed now: cannot read" in capsys.readouterr().err
    assert status_of(["fleet", question, "data/common.yaml:9999", "--store", str(tmp_path / "s")]) == 0
    told = f"the store knows no line of {tmp_path}/c/data/common.yaml after 8: does line 9999 exist?\n"
    assert capsys.readouterr().err == told


def test_a_type_is_written_with_a_capital(control: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Told with the condition that was meant."""
    assert status_of(["fleet", "find", "file[/etc/motd].mode", "--store", str(control / "s")]) == 2
    assert "did you mean File[/etc/motd].mode?" in capsys.readouterr().err


def test_a_question_looks_again_for_files(control: Path, tmp_path: Path) -> None:
    """Where no hold keeps files from being deleted (a store that may only be read): what is gone is looked for."""
    from wherefrom.fleet.questions import Questions
    from wherefrom.fleet.store import Store

    shutil.copytree(control / "s", tmp_path / "s")
    store = Store(str(tmp_path / "s"))
    questions = Questions(store)
    questions.close()
    nodes = [row["node"] for row in store.rows("nodes")]
    for node in nodes[:2]:  # what a question reads is deleted with the commit after the next
        store.commit({name: [] for name in TABLES}, [node])
    assert questions.node_count() == len(nodes) - 2

    def taken(reads: Any, rows: Any) -> tuple[int, int]:
        for _ in range(2):
            store.commit({name: [] for name in TABLES}, nodes[2:])
        return len(list(rows)), len(list(reads))

    count, entries = store.together(("reads", "nodes"), taken)
    assert count == len(nodes) - 2 and entries


def test_where_used(control: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line's resources."""
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
        f"explain analyze copy (select 1) to '{control}/s/out.parquet'",
        "create table more as select 1",
        "select 1; drop view nodes",
        "",
        "selec",
    ):
        assert status_of(["fleet", "sql", query, "--store", str(control / "s")]) == 2, query
    before = sorted(path.name for path in (control / "s").iterdir())
    for file in (control / "s").glob("nodes-*.parquet"):  # which it may read
        content = file.read_bytes()
        for query in (f"copy (select 1) to '{file}'", f"explain analyze copy (select 1) to '{file}'"):
            assert status_of(["fleet", "sql", query, "--store", str(control / "s")]) == 2, query
        assert file.read_bytes() == content
    assert sorted(path.name for path in (control / "s").iterdir()) == before
    assert not (control / "out.csv").exists() and not (control / "out.db").exists()


def test_a_store_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Told, and nothing is made."""
    assert status_of(["fleet", "impact", "fact:os", "--store", str(tmp_path / "s")]) == 2
    assert "no fleet store" in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["where-used", "site/profile/manifests/web.pp"], "expected FILE:LINE, found 'site/profile/manifests/web.pp'"),
        (["find", "File[/etc/motd].mode > 1"], "or that with = VALUE or != VALUE"),
        (["sql", "select * from node"], "(the tables are nodes, resources,"),
        (["sql", "select nothing from nodes"], "nothing"),
    ],
)
def test_what_is_no_question_is_told(
    control: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    """With what is expected."""
    assert status_of(["fleet", *words, "--store", str(control / "s")]) == 2
    assert told in capsys.readouterr().err


def test_rows_that_nobody_orders_are_sorted(control: Path) -> None:
    """Numbers by size, nothing last; what orders them, or depends on their order, is left alone."""
    from wherefrom.fleet.questions import Questions
    from wherefrom.fleet.store import Store

    questions = Questions(Store(str(control / "s")))
    values = "(values (10), (9), (null)) as t(n)"
    assert questions.sql(f"select n from {values}")[1] == [(9,), (10,), (None,)]
    assert questions.sql(f"select n from {values} order by n desc nulls first")[1] == [(None,), (10,), (9,)]
    assert questions.sql(f"from (select n from {values} where n > 0 order by n desc)")[1] == [(10,), (9,)]
    assert [row[0] for row in questions.sql("describe nodes")[1]] == list(TABLES["nodes"])
