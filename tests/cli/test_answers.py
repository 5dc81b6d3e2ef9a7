"""Answers that people act on: the place to edit first, decisions as they are written, one screen for a question."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
from pathlib import Path
from typing import Any

import pytest

import wherefrom
from support import commands

ROOT = Path(__file__).resolve().parents[2]
CONTROL = ROOT / "examples/control"
NODE = ["--node", "web01.example.org"]
MODULES = Path("/usr/share/puppet/modules")
SCREEN = 24


def run(*arguments: str, cwd: Path = CONTROL) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=cwd)


def answer(path: str, *options: str) -> list[str]:
    """The lines of an answer about the example."""
    done = run("explain", path, *NODE, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def compiled(node: str = "web01.example.org") -> Any:
    """The example's outcome for a node."""
    from wherefrom.cli.facts import read_facts

    return wherefrom.compile(str(CONTROL), node=node, facts=read_facts(str(CONTROL / "facts"), node), trace=True)


def test_a_value_of_the_data() -> None:
    """The place, its line, the ladder, the decisions with their values, the line that passed it on, what changes it."""
    assert answer("File[/etc/motd].mode") == [
        'File[/etc/motd].mode = "0640"',
        "",
        'edit    "0640"   data/os/Debian.yaml:2:27',
        "        2 | profile::base::motd_mode: '0640'",
        "          |                           ^^^^^^",
        "",
        "        data/nodes/web01.example.org.yaml  -",
        "        data/role/web.yaml                 -",
        '  ->    data/os/Debian.yaml:2              "0640"',
        "        data/common.yaml                   -",
        '        default of class profile::base     "0644"  hidden  site/profile/manifests/base.pp:8:35',
        "",
        "because $facts['role'] is \"web\"                       manifests/site.pp:8:8                 "
        'fact role = "web"',
        "        node default                                  manifests/site.pp:7:1                 "
        'node name = "web01.example.org"',
        "via     mode    => $motd_mode                         site/profile/manifests/base.pp:13:5",
        "        parameter $motd_mode of class profile::base",
        "",
        "changes with  fact os.family, fact role, node name, 'web' site.pp:9   and 7 literals used as names (--all)",
    ]


def test_a_value_decided_by_code() -> None:
    """A selector is told as it is written, with what it found, and where that came from."""
    lines = answer("Nginx::Server[wiki].tls")
    assert lines[2] == "edit    'on'   site/profile/manifests/wiki.pp:14:16"
    decision = next(line for line in lines if line.startswith("because"))
    assert decision.split("   ")[0] == "because $port is 443"
    assert decision.endswith("data profile::wiki::port = 443 web.yaml:3")


@pytest.mark.parametrize(
    ("code", "path", "words"),
    [
        ("if $facts['a'] == 1 { notify { 'x': } } else { notify { 'y': } }", "Notify[x]", "if $facts['a'] == 1"),
        (
            "if $facts['a'] == 2 { notify { 'x': } } else { notify { 'y': } }",
            "Notify[y]",
            "else of if $facts['a'] == 2",
        ),
        ("unless $facts['a'] == 2 { notify { 'x': } }", "Notify[x]", "unless $facts['a'] == 2"),
        ("case $facts['a'] { 1: { notify { 'x': } } default: {} }", "Notify[x]", "$facts['a'] is 1"),
        ("notify { 'x': message => $facts['a'] ? { 1 => 'one', default => 'many' } }", "Notify[x].message", "is 1"),
        ("[1].each |$n| { if $n == 1 { notify { 'x': } } }", "Notify[x]", "if $n == 1"),
    ],
)
def test_decisions_are_told_as_they_are_written(tmp_path: Path, code: str, path: str, words: str) -> None:
    """Whatever the language has to decide with."""
    (tmp_path / "site.pp").write_text(code + "\n")
    outcome = wherefrom.compile(str(tmp_path / "site.pp"), facts={"a": 1}, trace=True)
    decisions = outcome.explain(path).to_json()["decisions"]
    assert any(words in decision["text"] for decision in decisions), decisions


def test_a_text_line_by_line() -> None:
    """One line of a rendered text: the template's line, and the inputs of that line alone."""
    path = "File[/etc/nginx/sites-enabled/wiki.conf].content"
    lines = answer(path, "--find", "listen")
    assert lines[0] == "2 |   listen 443 ssl;"
    assert lines[2].startswith("edit    listen <%= $port %>")
    assert lines[2].endswith("modules/nginx/templates/server.epp:3")
    assert lines[3].startswith("from    data profile::wiki::port = 443")
    assert "aliases" not in "\n".join(lines)
    assert answer(path, "--line", "2") == lines
    template = json.loads("\n".join(answer(path, "--line", "3", "--json")))["template"]
    assert (template["line"], template["text"].strip()[:11]) == (4, "server_name")


def test_finding_text() -> None:
    """Further lines that have it are named; a text that is nowhere is an error."""
    path = "File[/etc/nginx/sites-enabled/wiki.conf].content"
    assert answer(path, "--find", "e")[-1] == "also in lines 2, 3"
    assert run("explain", path, *NODE, "--find", "nowhere").returncode == 1
    assert run("explain", path, *NODE, "--find", "a", "--line", "1").returncode == 2


def test_a_resource_and_who_has_to_do_with_it() -> None:
    """Why it exists, by the chain of includes and the tests; who set what from elsewhere; before and after."""
    text = "\n".join(answer("File[/etc/nginx/nginx.conf]"))
    assert re.search(r"^in      class nginx +site/profile/manifests/wiki.pp:11:11", text, re.M)
    assert re.search(r"^        class profile::wiki +site/role/manifests/web.pp:4:11", text, re.M)
    assert re.search(r"^        class role::web +manifests/site.pp:9:27", text, re.M)
    assert re.search(r"^set     owner = \"root\" +manifests/site.pp:3:3 +default for File", text, re.M)
    assert re.search(r"^after   Package\[nginx\] +modules/nginx/manifests/init.pp:17:16", text, re.M)
    assert re.search(r"^before  Service\[nginx\] +modules/nginx/manifests/init.pp:18:16 +notifies it", text, re.M)


def test_the_contract_stays() -> None:
    """The JSON document has what it always had, and more."""
    document = json.loads("\n".join(answer("File[/etc/motd].mode", "--json")))
    assert document["where"] == {
        "kind": "hiera",
        "key": "profile::base::motd_mode",
        "file": "data/os/Debian.yaml",
        "line": 2,
        "column": 27,
        "value": "0640",
    }
    assert {"path", "value", "expression", "depends", "chain", "hidden", "guards"} <= set(document)
    assert document["passed"]["text"] == "mode    => $motd_mode"
    assert [rung["status"] for rung in document["ladder"]] == ["no key", "no key", "chosen", "no key", "hidden"]


def test_who_wrote_it(tmp_path: Path) -> None:
    """`--blame` names the commit behind the literal that is live, not the one that passed it on."""
    git = ["git", "-C", str(tmp_path), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    (tmp_path / "site.pp").write_text("$mode = '0644'\nfile { '/x': mode => $mode }\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for message in ("first", "second"):
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-qm", message], check=True)
        (tmp_path / "site.pp").write_text("$mode = '0644'\nfile { '/x': mode => $mode, owner => 'root' }\n")
    by = json.loads(run("explain", "site.pp", "File[/x].mode", "--blame", "--json", cwd=tmp_path).stdout)["by"]
    assert by.endswith("Ada  'first'")
    later = run("explain", "site.pp", "File[/x].owner", "--blame", cwd=tmp_path).stdout
    assert "Ada  'second'" in later
    (tmp_path / "site.pp").write_text("file { '/x': mode => '1' }\n")
    assert "not committed" in run("explain", "site.pp", "File[/x].mode", "--blame", cwd=tmp_path).stdout


# --- noise ---


def noise(outcome: Any, every: int = 1) -> list[int]:
    """How many lines the answers have; the first line after each value is a place to edit."""
    lengths = []
    for selected in list(outcome.outputs())[::every]:
        lines = outcome.explain(selected.path).text().splitlines()
        first = next(line for line in lines[1:] if line)
        assert first.startswith("edit    ") and re.search(r":\d+(:\d+)?$|/|given", first), (selected.path, first)
        lengths.append(len(lines))
    return lengths


@pytest.mark.parametrize("node", ["web01.example.org", "db01.example.org"])
def test_answers_fit_a_screen(node: str) -> None:
    """Over the example repository the median answer has a screen's lines, and names are never listed."""
    outcome = compiled(node)
    assert statistics.median(noise(outcome)) <= SCREEN
    for selected in outcome.outputs():
        text = outcome.explain(selected.path).text()
        assert "key 0(" not in text and "nothing (text" not in text


@pytest.mark.skipif(not (MODULES / "apache").is_dir(), reason="Debian's modules are not installed")
def test_answers_about_real_modules_fit_a_screen(tmp_path: Path) -> None:
    """The same over Debian's apache, sampled."""
    (tmp_path / "site.pp").write_text("class { 'apache': }\napache::vhost { 'wiki': port => 80, docroot => '/srv' }\n")
    facts = {
        "os": {"family": "Debian", "name": "Debian", "release": {"full": "12.5", "major": "12"}},
        "osfamily": "Debian",
        "operatingsystem": "Debian",
        "operatingsystemrelease": "12.5",
        "operatingsystemmajrelease": "12",
        "lsbdistcodename": "bookworm",
        "kernel": "Linux",
        "fqdn": "web01.example.org",
        "networking": {"fqdn": "web01.example.org", "ip": "192.0.2.1", "interfaces": {}},
        "path": "/usr/bin",
        "id": "root",
        "processorcount": 2,
    }
    outcome = wherefrom.compile(str(tmp_path / "site.pp"), facts=facts, modulepath=[str(MODULES)], trace=True)
    assert statistics.median(noise(outcome, 23)) <= SCREEN


def test_which_nodes_have_what_is_missing() -> None:
    """A class that this node does not include: who includes it, and the nodes that have it."""
    done = run("explain", "--missing", "Package[postgresql]", *NODE)
    assert done.returncode == 0
    assert "class profile::db is not declared: nothing on web01.example.org includes it" in done.stdout
    assert "site/role/manifests/database.pp:4:3" in done.stdout
    assert done.stdout.splitlines()[-2:] == [
        "db01.example.org has class profile::db",
        "db01.example.org has class role::database",
    ]
    document = json.loads(run("explain", "--missing", "Package[postgresql]", *NODE, "--json").stdout)
    assert document["nodes"]["profile::db"] == ["db01.example.org"]
