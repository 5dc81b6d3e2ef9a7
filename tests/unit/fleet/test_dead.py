"""`fleet dead`: what no node uses is told with its place; what is used by any way that can be seen is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.fleets import build, write
from wherefrom.cli.main import status_of

pytest.importorskip("duckdb")

DEAD = {
    "site/profile/manifests/old.pp": (
        "class profile::old(String $x = profile::helper('a')) {\n  notify { 'old': message => $x }\n}\n"
    ),
    "site/profile/manifests/thing.pp": "define profile::thing($a) {\n  notify { $title: message => $a }\n}\n",
    "site/profile/functions/helper.pp": (
        "# called by a dead class alone\nfunction profile::helper(String $s) { profile::inner($s) }\n"
    ),
    "site/profile/functions/inner.pp": "function profile::inner(String $s) { $s }\n",
    "site/profile/types/name.pp": "type Profile::Name = String[1]\n",
    "site/profile/lib/puppet/functions/profile/ruby_one.rb": (
        "Puppet::Functions.create_function(:'profile::ruby_one') do\n  def ruby_one\n    1\n  end\nend\n"
    ),
    "data/role/mail.yaml": "profile::mail::x: 1\n",
}
USED = {
    "site/profile/functions/computed.pp": "function profile::computed() { 'computed' }\n",
    "site/profile/functions/in_template.pp": "function profile::in_template() { 'in a template' }\n",
    "site/profile/types/in_data.pp": "type Profile::In_data = String\n",
    "site/profile/templates/motd.epp": "<%- | $greeting | -%>\n<%= $greeting %> <%= profile::in_template() %>\n",
    "site/profile/manifests/params.pp": (
        "class profile::params($for_heir = 1, $elsewhere = 2, $for_erb = 3, $in_inline = 4, $unused = 5,\n"
        "  $also_unused = 6) {\n"
        "  $erb = template('profile/params.erb')\n  $inline = inline_template('<%= @in_inline %>')\n"
        "  $name_of_it = 'profile::computed'\n"
        "  notify { 'params': message => \"${erb}${inline}${call($name_of_it)}\" }\n"
        "}\n"
    ),
    "site/profile/templates/params.erb": "<%= @for_erb %>\n",
    "site/profile/manifests/heir.pp": (
        "class profile::heir inherits profile::params {\n  notify { 'heir': message => $for_heir }\n"
        "  notify { 'elsewhere': message => $profile::params::elsewhere }\n  include profile::open\n}\n"
    ),
    "site/profile/manifests/open.pp": (
        "class profile::open($read_by_name = 1) {\n  $which = \"read_${'by'}_name\"\n"
        "  notify { 'open': message => getvar(\"profile::open::${which}\") }\n"
        "  notify { 'dynamic': message => lookup(\"dynamic::${which}\") }\n}\n"
    ),
    "site/role/manifests/web.pp": (
        "class role::web { include profile::base\n  include profile::web\n  include profile::heir\n"
        "  @profile::virtual { 'v': } }\n"
    ),
    "site/profile/manifests/virtual.pp": "define profile::virtual {\n  notify { 'never': }\n}\n",
    "data/common.yaml": (
        "profile::base::greeting: hello\nprofile::base::mode: '0644'\nprofile::web::port: 80\n"
        "profile::db::size: 10\nunused: 1\nlookup_options:\n  profile::base::users: {merge: unique}\n"
        "  profile::base::greeting: {convert_to: Profile::In_data}\n"
        "profile::base::users: [root]\ndynamic::read_by_name: 1\nprofile::web::prot: 81\n"
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with things that are used in odd ways, and things that are not; and its store."""
    folder = tmp_path_factory.mktemp("dead")
    build(folder / "c", 4)
    write(folder / "c", DEAD | USED)
    options = ["--facts", str(folder / "c/facts"), "--store", str(folder / "s"), "--jobs", "1"]
    assert status_of(["fleet", "compile", str(folder / "c"), *options]) == 0
    return folder


def dead(folder: Path, *more: str) -> int:
    """Ask."""
    options = ["--facts", str(folder / "c/facts"), "--store", str(folder / "s")]
    return status_of(["fleet", "dead", str(folder / "c"), *options, *more])


def answer(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> Any:
    capsys.readouterr()
    assert dead(folder, "--json", *more) == 0
    return json.loads(capsys.readouterr().out)


def test_what_nobody_uses(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every kind, with its place, and nothing that is used."""
    document = answer(folder, capsys)
    root = str(folder / "c") + "/"
    told = [(item["kind"], item["name"].removeprefix(root), item.get("line")) for item in document["dead"]]
    assert told == [
        ("class", "profile::old", 1),
        ("define", "profile::thing", 1),
        ("define", "profile::virtual", 1),
        ("function", "profile::helper", 2),
        ("function", "profile::inner", 1),
        ("function", "profile::ruby_one", 1),
        ("type", "profile::name", 1),
        ("parameter", "profile::params::unused", 1),
        ("parameter", "profile::params::also_unused", 2),
        ("key", "unused", 5),
        ("key", "profile::web::prot", 11),
        ("file", "data/role/mail.yaml", None),
    ]
    notes = {item["name"]: item.get("note", "") for item in document["dead"]}
    assert notes["profile::virtual"] == "looked up, but in no catalog"
    assert notes["profile::web::prot"] == "did you mean profile::web::port?"
    assert [item["name"] for item in document["unjudged"]] == ["profile::open::read_by_name"]
    assert document["nodes"] == 4 and document["failed"] == [] and document["outdated"] == []


def test_only_and_status(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Some files alone; status 4 where it is asked for; the text names place and kind."""
    capsys.readouterr()
    assert dead(folder, "--only", "data/*", "--exit-code") == 4
    text = capsys.readouterr().out
    assert "data/common.yaml:5  unused" in text and "profile::old" not in text
    assert "2 keys of the data, 1 file of data that none of 4 nodes uses" in text
    assert dead(folder, "--only", "nowhere/*", "--exit-code") == 0
    assert "nothing that none of 4 nodes uses" in capsys.readouterr().out


def test_failures_and_old_stores_are_told(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What only a failing node uses is told to be so; a store that is older than the files, too."""
    build(tmp_path / "c", 4)
    write(tmp_path / "c", {"data/nodes/web00.north.yaml": "profile::web::port: none\n"})
    options = ["--facts", str(tmp_path / "c/facts"), "--store", str(tmp_path / "s"), "--jobs", "1"]
    assert status_of(["fleet", "compile", str(tmp_path / "c"), *options]) == 1
    write(tmp_path / "c", {"site/profile/manifests/db.pp": "class profile::db($size) { }\n"})
    document = answer(tmp_path, capsys)
    assert document["failed"] == ["web00.north"]
    assert document["outdated"] == ["db01.north", "db03.south"]
    assert dead(tmp_path) == 0
    text = capsys.readouterr().out
    assert "1 node did not compile" in text and "the store is out of date for 2 nodes" in text
