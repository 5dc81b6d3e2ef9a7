"""The fleet for programs: compiled, kept where nothing changed, and asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from wherefrom.fleets import Fleet
from wherefrom.session import Session

SITE = """\
file { '/etc/motd': content => "${facts['role']}\\n", mode => '0644' }
if $facts['role'] == 'web' { package { 'nginx': ensure => present } }
if $facts['role'] == 'broken' { fail('no such role') }
"""
FACTS = {"web01": {"role": "web"}, "db01": {"role": "db"}}


@pytest.fixture
def control(tmp_path: Path) -> Path:
    (tmp_path / "control/manifests").mkdir(parents=True)
    (tmp_path / "control/manifests/site.pp").write_text(SITE)
    return tmp_path / "control"


def test_a_fleet_is_compiled_and_asked(control: Path, tmp_path: Path) -> None:
    """A fact leads to the outputs that may change with it; what is in the store can be counted."""
    pytest.importorskip("duckdb")
    fleet = Fleet(str(control), str(tmp_path / "store"), FACTS, jobs=1)
    assert sorted(fleet.compile().compiled) == ["db01", "web01"]
    with fleet.open() as questions:
        affected = {(row.path, row.nodes) for row in questions.impact("fact:role")}
        assert ("File[/etc/motd].content", ("db01", "web01")) in affected
        assert ("File[/etc/motd].mode", ("db01", "web01")) not in affected
        assert questions.sql("select count(*) from resources where type = 'Package'")[1] == [(1,)]


def test_nodes_are_kept_unless_what_they_read_changed(control: Path, tmp_path: Path) -> None:
    """Other facts of one node compile it alone; a changed file all; a node without facts goes."""
    pytest.importorskip("pyarrow")
    store = str(tmp_path / "store")
    Fleet(str(control), store, FACTS, jobs=1).compile()
    again = Fleet(str(control), store, FACTS, jobs=1).compile()
    assert (again.compiled, sorted(again.kept)) == ((), ["db01", "web01"])
    changed = Fleet(str(control), store, {**FACTS, "db01": {"role": "web"}}, jobs=1).compile()
    assert changed.compiled == ("db01",)
    (control / "manifests/site.pp").write_text(SITE.replace("0644", "0600"))
    session = Session()
    fewer = Fleet(str(control), store, {"web01": FACTS["web01"]}, session=session, jobs=1).compile()
    assert (fewer.compiled, fewer.kept, fewer.failed) == (("web01",), (), ())


def test_a_node_that_does_not_compile_is_named(control: Path, tmp_path: Path) -> None:
    """The others are compiled."""
    pytest.importorskip("pyarrow")
    facts = {**FACTS, "odd": {"role": "broken"}}
    summary = Fleet(str(control), str(tmp_path / "store"), facts, jobs=1).compile()
    assert sorted(summary.compiled) == ["db01", "web01"]
    assert [node for node, _ in summary.failed] == ["odd"] and "no such role" in summary.failed[0][1]


def test_a_damaged_store_is_made_anew(control: Path, tmp_path: Path) -> None:
    """And the summary says so."""
    pytest.importorskip("pyarrow")
    fleet = Fleet(str(control), str(tmp_path / "store"), FACTS, jobs=1)
    assert fleet.compile().rebuilt == ()
    for file in (tmp_path / "store").glob("attributes-*"):
        file.write_bytes(file.read_bytes()[:-9])
    again = Fleet(str(control), str(tmp_path / "store"), FACTS, jobs=1).compile()
    assert sorted(again.compiled) == ["db01", "web01"] and "damaged (attributes-" in again.rebuilt[0]
    assert fleet.compile().rebuilt == ()
