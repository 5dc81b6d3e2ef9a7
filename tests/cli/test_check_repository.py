"""`wherefrom check` of a repository: unknown names, wrong data, keys that match no class parameter, templates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import commands

ROOT = Path(__file__).resolve().parents[2]

GOOD = {
    "environment.conf": "modulepath = modules\n",
    "hiera.yaml": "version: 5\nhierarchy:\n  - {name: Common, path: common.yaml}\n",
    "data/common.yaml": "m::port: 80\nm::looked_up: 1\n",
    "manifests/site.pp": "include m\nm::site { 'a': port => 1 }\nfile { '/x': ensure => file, tag => 't' }\n",
    "modules/m/manifests/init.pp": "class m (Integer $port = 1) { $x = lookup('m::looked_up') \n notice(m::f($x)) }\n",
    "modules/m/manifests/site.pp": "define m::site (Integer $port) { }\n",
    "modules/m/functions/f.pp": "function m::f($x) { $x + 1 }\n",
    "modules/m/templates/t.erb": "<% if @x -%>\nyes\n<% end -%>\n",
    "Puppetfile": "mod 'puppet/nginx', '4.0.0'\n",
}


def problems(tmp_path: Path, **changes: str) -> list[tuple[str, str, str]]:
    """What is told about the repository with some files changed: severity, place and words."""
    for name, text in {**GOOD, **changes}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    done = commands.wherefrom("check", ".", "--json", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert done.returncode == (1 if document["errors"] else 0)
    return [
        (
            each["severity"],
            f"{each.get('file', '')}:{each.get('line', '')}",
            f"{each['message']}; {each.get('help', '')}",
        )
        for each in document["diagnostics"]
    ]


def test_a_good_repository(tmp_path: Path) -> None:
    """Nothing is told."""
    assert problems(tmp_path) == []


def test_data_behind_a_link_that_leads_away_is_told_once(tmp_path: Path) -> None:
    """As many keep their secrets: the file lies elsewhere, and is no file of the repository."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data/private.yaml").symlink_to("/nowhere/at/all/private.yaml")
    (words,) = [words for _, _, words in problems(tmp_path) if "private.yaml" in words]
    assert words.startswith("data/private.yaml is outside the allowed directories")


SITE = "manifests/site.pp"


@pytest.mark.parametrize(
    ("name", "text", "severity", "words"),
    [
        (SITE, "include mm\n", "error", "unknown class mm"),
        (SITE, "contain m::nothing\n", "error", "unknown class m::nothing"),
        (SITE, "class { 'm': prot => 1 }\n", "error", "class m has no parameter named 'prot'; did you mean port?"),
        (SITE, "m::site { 'a': prot => 1 }\n", "error", "m::site has no parameter named 'prot'; did you mean port?"),
        (SITE, "file { '/x': mdoe => '1' }\n", "error", "file has no parameter named 'mdoe'; did you mean mode?"),
        (SITE, "fiel { '/x': }\n", "error", "unknown resource type fiel; did you mean file?"),
        (
            SITE,
            "ini_setting { 'a': }\n",
            "error",
            "it may belong to a module that is not installed: the Puppetfile names",
        ),
        (SITE, "notice(m::g(1))\n", "error", "unknown function m::g"),
        (SITE, "[1].nothing\n", "error", "unknown function nothing"),
        (
            SITE,
            "nginx::resource::server { 'a': }\n",
            "warning",
            "the Puppetfile names puppet/nginx, which is not in any directory of the modulepath",
        ),
        (SITE, "include zabbix::agent\n", "warning", "module zabbix is not in any directory of the modulepath"),
        ("data/common.yaml", "m::prot: 1\n", "warning", "class m has no parameter prot; did you mean m::port?"),
        ("data/common.yaml", "m::gone::x: 1\n", "warning", "there is no class m::gone"),
        ("data/common.yaml", "m::port: [1\n", "error", "Unable to parse"),
        ("data/common.yaml", "- 1\n", "error", "a data file must contain a hash"),
        ("data/common.yaml", "m::port: 1\nm::port: 2\n", "warning", "the key m::port appears twice"),
        ("data/common.yaml", "m::port: DEC(1)::PKCS7[hunter2]!\n", "error", "a secret in clear text"),
        ("hiera.yaml", "version: 5\nhierarchy: 1\n", "error", "hierarchy"),
        ("modules/m/templates/t.erb", "<% if @x %>\nyes\n", "error", "t.erb"),
        ("modules/m/templates/t.epp", "<% if $x { %>\n", "error", "Syntax error"),
    ],
)
def test_what_is_wrong(tmp_path: Path, name: str, text: str, severity: str, words: str) -> None:
    """Each with its file, what was expected, and what is near."""
    told = problems(tmp_path, **{name: text})
    assert [each for each in told if each[0] == severity and words in each[2] + each[1]], told
    assert not [each for each in told if each[0] == "error" and severity != "error"], told


def test_names_that_are_computed_are_left_alone(tmp_path: Path) -> None:
    """What nobody can know before a run is no mistake."""
    code = (
        "$n = 'x'\ninclude $n\nclass { $n: a => 1 }\nfile { '/x': * => { nothing => 1 } }\ncreate_resources($n, {})\n"
    )
    assert problems(tmp_path, **{SITE: code}) == []
