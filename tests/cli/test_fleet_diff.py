"""`wherefrom fleet diff`: only what can differ is compiled, equal differences are grouped, gates exit 4."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.fleets import build, write
from wherefrom.cli.main import status_of

pytest.importorskip("pyarrow")


@pytest.fixture
def sides(tmp_path: Path) -> Path:
    """Two directories that are the same, with four nodes."""
    build(tmp_path / "a", 4)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    return tmp_path


def diff(folder: Path, *more: str) -> int:
    """Compare the two."""
    facts = ["--facts", str(folder / "a/facts")]
    store = ["--store", str(folder / "s"), "--jobs", "1"]
    return status_of(["fleet", "diff", str(folder / "a"), str(folder / "b"), *facts, *store, *more])


def answer(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_nothing_differs(sides: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is compiled on the second side."""
    assert diff(sides, "--format", "json") == 0
    document = answer(capsys)
    assert (document["changed"], document["compiled"], len(document["same"])) == ([], 0, 4)


def test_directories_with_settings_of_their_own(sides: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A modulepath in the settings of both is the same, as seen from there; another one is another one."""
    for side in "ab":
        (sides / side / "wherefrom.toml").write_text('environment = "."\nmodulepath = ["site", "modules"]\n')
    assert diff(sides, "--format", "json") == 0
    assert answer(capsys)["compiled"] == 0
    (sides / "b/wherefrom.toml").write_text('environment = "."\nmodulepath = ["modules", "site"]\n')
    assert diff(sides, "--format", "json") == 0
    assert answer(capsys)["compiled"] == 4


def test_an_edit_of_data(sides: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The nodes that read the key are compiled; the edit is named once for all of them."""
    write(sides / "b", {"data/role/web.yaml": "# new\nprofile::web::port: 9090\n"})
    assert diff(sides, "--format", "json", "--fail-on", "Service[*] removed") == 0
    document = answer(capsys)
    assert document["compiled"] == 2 and len(document["groups"]) == 1
    assert [name[:3] for name in document["groups"][0]["nodes"]] == ["web", "web"]
    edits = [edit["after"] for row in document["groups"][0]["differences"] for edit in row["edits"]]
    assert ["# new", "profile::web::port: 9090"] in edits
    assert diff(sides, "--fail-on", "File[/etc/web.conf].content changed") == 4
    assert "on 2 nodes" in capsys.readouterr().err
    assert diff(sides, "--why-not", "web00.north") == 0
    assert "the key profile::web::port in data/role/web.yaml" in capsys.readouterr().out
    assert diff(sides, "--why-not", "db01.north") == 0
    assert "was not compiled: no input" in capsys.readouterr().out
    assert diff(sides, "--why-not", "nobody") == 2


def test_the_answer_is_that_of_comparing_every_node(sides: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not compiled would have been the same."""
    write(sides / "b", {"site/profile/templates/db.erb": "the size is <%= @size %>\n"})
    assert diff(sides, "--format", "json") == 0
    quick = answer(capsys)
    paths = [str(sides / "a"), str(sides / "b")]
    assert status_of(["diff", *paths, "--facts", str(sides / "a/facts"), "--nodes", "--json"]) == 0
    whole = answer(capsys)
    assert [group["nodes"] for group in quick["groups"]] == [group["nodes"] for group in whole["groups"]]
    assert quick["groups"][0]["differences"] == whole["groups"][0]["differences"]
    assert (quick["changed"], sorted(quick["same"])) == (whole["changed"], sorted(whole["same"]))


def test_nodes_that_do_not_compile(sides: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the second side, or on both: told, with status 1."""
    write(sides / "b", {"data/nodes/web00.north.yaml": "profile::web::port: none\n"})
    assert diff(sides, "--format", "json") == 1
    assert answer(capsys)["failed"] == ["web00.north"]
    write(sides / "a", {"data/nodes/web00.north.yaml": "profile::web::port: none\n"})
    assert diff(sides, "--format", "json") == 1
    assert answer(capsys)["failed"] == ["web00.north"]


def test_two_stores(sides: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By value."""
    write(sides / "b", {"data/common.yaml": (sides / "a/data/common.yaml").read_text() + "profile::db::size: 99\n"})
    write(sides / "b", {"data/role/db.yaml": "profile::base::users: [postgres]\n"})
    for side in "ab":
        options = ["--facts", str(sides / "a/facts"), "--store", str(sides / f"s{side}"), "--jobs", "1"]
        assert status_of(["fleet", "compile", str(sides / side), *options]) == 0
    capsys.readouterr()
    assert status_of(["fleet", "diff", str(sides / "sa"), str(sides / "sb"), "--format", "json"]) == 0
    document = answer(capsys)
    assert [name[:2] for name in document["changed"]] == ["db", "db"]
    changes = {row["path"]: (row["before"], row["after"]) for row in document["groups"][0]["differences"]}
    assert changes["Class[Profile::Db].size"] == (20, 99)


def test_wrong_gates_are_told(sides: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A change that there is none of; a gate that nothing can meet."""
    assert diff(sides, "--fail-on", "File[*] vanished") == 2
    assert "unknown kind of change vanished" in capsys.readouterr().err
    assert diff(sides, "--fail-on", "motd") == 2
    assert "expected TYPE[TITLE] or TYPE[TITLE].ATTRIBUTE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("gate", "stops"),
    [
        ("File[/etc/web.conf]", True),  # whatever becomes of it
        ("File[/etc/web.conf] changed", True),
        ("File[/etc/*]", True),
        ("File[*] changed", True),
        ("*", True),
        ("File[/etc/web.conf].content", True),
        ("File[/etc/web.conf].mode", False),
        ("File[/etc/web.conf] removed", False),
        ("File[/etc/motd]", False),
        ("Service[*]", False),
        ("File[/srv/name]", True),
        ("File[/srv/name] removed", True),
        ("File[/srv/name] changed", False),  # it is gone
        ("File[/srv/name] added", False),
    ],
)
def test_gates(sides: Path, capsys: pytest.CaptureFixture[str], gate: str, stops: bool) -> None:
    """A gate for a resource is one for its attributes; a resource that comes or goes does not change."""
    manifest = (
        "class profile::web(Profile::Port $port) {\n  file { '/etc/web.conf': content => \"other ${port}\\n\" }\n"
    )
    write(sides / "b", {"site/profile/manifests/web.pp": manifest + "}\n"})
    assert diff(sides, "--fail-on", gate) == (4 if stops else 0)
