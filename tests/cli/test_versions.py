"""`--puppet 8`, and facts in the forms that people have them in."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support import commands
from wherefrom.puppet.runtime.versions import without_legacy


def wherefrom(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=cwd)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('notice("a${nope}b")', "Unknown variable: 'nope'"),
        ("notice($::osfamily)", "Unknown variable: '::osfamily'"),
        ("notice({a => 1, a => 2})", "The key 'a' is declared more than once"),
        ("notice('10' + 1)", "automatically coerced to the numerical value 10"),
    ],
)
def test_doubtful_code_is_an_error_in_8(tmp_path: Path, code: str, words: str) -> None:
    """What 7 warns of, or lets pass, 8 refuses."""
    (tmp_path / "site.pp").write_text(code + "\n")
    (tmp_path / "facts.yaml").write_text("osfamily: Debian\nos: {family: Debian}\n")
    given = ["compile", "site.pp", "--facts", "facts.yaml"]
    assert wherefrom(*given, cwd=tmp_path).returncode == 0
    done = wherefrom(*given, "--puppet", "8", cwd=tmp_path)
    assert (done.returncode, words in done.stderr) == (1, True), done.stderr
    assert wherefrom(*given, "--puppet", "5", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("notice(regsubst('a', 'a', 'b', 'G', 'U'))", "encoding argument has been ignored"),
        ("class p(Integer[0, 1 + 1] $x = 1) { }\ninclude p", "The parameter '$x' must be a literal type"),
        ("define p(Enum[*['a']] $x = 'a') { }\np { 'a': }", "The parameter '$x' must be a literal type"),
    ],
)
def test_what_8_warns_of(tmp_path: Path, code: str, words: str) -> None:
    """And 7 passes over; types that are written out are fine in both."""
    (tmp_path / "site.pp").write_text(code + "\nclass q(Pattern[/b/] $y = 'b', Integer[-1] $z = 1) { }\ninclude q\n")
    before = wherefrom("compile", "site.pp", cwd=tmp_path)
    assert (before.returncode, "warning" in before.stderr) == (0, False), before.stderr
    done = wherefrom("compile", "site.pp", "--puppet", "8", cwd=tmp_path)
    assert (done.returncode, done.stderr.count(words)) == (0, 1), done.stderr
    assert "$y" not in done.stderr and "$z" not in done.stderr


@pytest.mark.parametrize("pattern", ["','", "/,/", "Regexp[/,/]"])
def test_parts_of_a_secret_are_secret_in_8(tmp_path: Path, pattern: str) -> None:
    """Its parts are there for the program, and for nobody else; their formula computes them again."""
    code = f"$s = split(Sensitive('a,b'), {pattern})\nnotify {{ 'n': message => $s.unwrap[1] }}\n"
    (tmp_path / "site.pp").write_text(code + "notice($s)\nnotice(split('c,d', ','))\n")
    before = wherefrom("compile", "site.pp", cwd=tmp_path)
    assert (before.returncode, "'split'" in before.stderr) == (1, True), before.stderr
    done = wherefrom("compile", "site.pp", "--puppet", "8", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = done.stdout + done.stderr
    assert "Sensitive [value redacted]" in told and "[c, d]" in told


def test_versions_and_settings(tmp_path: Path) -> None:
    """The version is told as a fact; the project may say it."""
    (tmp_path / "site.pp").write_text("notify { 'a': message => $facts['puppetversion'] }\n")
    (tmp_path / "wherefrom.toml").write_text('puppet = "8"\n')
    done = wherefrom("explain", "site.pp", "Notify[a].message", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["value"].startswith("8.")


def test_legacy_facts() -> None:
    """By name, and by pattern; what is not legacy stays."""
    legacy = {"osfamily": 1, "ipaddress_eth0": 1, "lsbdistcodename": 1, "processor0": 1, "fqdn": 1}
    assert without_legacy({**legacy, "os": 1, "networking": 1, "processors": 1, "role": 1, "kernel": 1}) == {
        "os": 1,
        "networking": 1,
        "processors": 1,
        "role": 1,
        "kernel": 1,
    }


ROWS = [{"certname": name, "name": "role", "value": role} for name, role in (("web01", "web"), ("db01", "database"))]


@pytest.mark.parametrize(
    "document",
    [
        {"role": "web"},
        {"name": "web01", "values": {"role": "web"}},
        ROWS,
        [{"certname": "web01", "facts": {"role": "web"}}, {"certname": "db01", "facts": {"role": "database"}}],
        {"certname": "web01", "facts": {"data": [{"name": "role", "value": "web"}]}},
    ],
    ids=["facter", "puppet", "facts", "inventory", "factset"],
)
def test_facts_in_every_form(tmp_path: Path, document: Any) -> None:
    """As Facter prints them, as Puppet saves them, as PuppetDB answers."""
    (tmp_path / "site.pp").write_text("notify { 'a': message => $facts['role'] }\n")
    (tmp_path / "facts.json").write_text(json.dumps(document))
    asked = ["explain", "site.pp", "Notify[a].message", "--facts", "facts.json", "--node", "web01", "--json"]
    assert json.loads(wherefrom(*asked, cwd=tmp_path).stdout)["value"] == "web"


def test_trusted_extensions_of_an_export(tmp_path: Path) -> None:
    """PuppetDB's inventory has `trusted`: its extensions are there."""
    trusted = {"certname": "web01", "authenticated": "remote", "extensions": {"pp_role": "wiki"}}
    row = {"certname": "web01", "facts": {"role": "web"}, "trusted": trusted}
    (tmp_path / "facts.json").write_text(json.dumps([row]))
    (tmp_path / "site.pp").write_text("notify { 'a': message => $trusted['extensions']['pp_role'] }\n")
    asked = ["explain", "site.pp", "Notify[a].message", "--facts", "facts.json", "--node", "web01", "--json"]
    assert json.loads(wherefrom(*asked, cwd=tmp_path).stdout)["value"] == "wiki"
