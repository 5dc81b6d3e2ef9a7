"""`wherefrom lookup` and `wherefrom check --dead`: what the data says, level by level, and which of it nobody reads."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support import commands

ROOT = Path(__file__).resolve().parents[2]
CONTROL = ROOT / "examples/control"
WEB, DB = "web01.example.org", "db01.example.org"


def wherefrom(*arguments: str, cwd: Path = CONTROL) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=cwd)


def asked(*arguments: str, cwd: Path = CONTROL) -> dict[str, Any]:
    """The JSON document of `wherefrom lookup`."""
    document: dict[str, Any] = json.loads(wherefrom("lookup", *arguments, "--json", cwd=cwd).stdout)
    return document


def statuses(document: dict[str, Any]) -> list[tuple[str, str]]:
    """What each rung did."""
    return [(rung.get("file", rung["level"]), rung["status"]) for rung in document["ladder"]]


FILES = {
    "environment.conf": "modulepath = modules\n",
    "hiera.yaml": """---
version: 5
hierarchy:
  - name: Site
    path: "site/%{::site}.yaml"
  - name: Computed
    lookup_key: m::data
  - name: Common
    path: common.yaml
""",
    "data/site/ams.yaml": "m::port: 8080\nm::name: 'host in %{::site} at %{facts.role}'\n",
    "data/site/par.yaml": "m::port: 9090\n",
    "data/common.yaml": """---
lookup_options:
  m::password:
    convert_to: Sensitive
  m::tree:
    merge: deep
m::port: 80
m::password: hunter2
m::tree:
  a: {x: 1, y: 2}
m::unused: 1
""",
    "manifests/site.pp": """$site = $facts['address'] ? { /^10/ => 'ams', default => 'par' }
if $facts['broken'] { fail('broken') }
include m
""",
    "modules/m/manifests/init.pp": """class m(
  Integer $port, Sensitive $password, String $name_of = 'x', Hash $tree = {}, $extra = undef,
) {
  notify { 'port': message => "${port} ${lookup('m::name', default_value => 'none')}" }
  $computed = lookup('m::computed')
}
""",
    "modules/m/functions/data.pp": """function m::data(String $key, Hash $options, Puppet::LookupContext $context) {
  if $key == 'm::computed' { 'from a function' } else { $context.not_found }
}
""",
    "modules/m/hiera.yaml": """---
version: 5
hierarchy:
  - name: Module
    path: module.yaml
default_hierarchy:
  - name: Module defaults
    path: defaults.yaml
""",
    "modules/m/data/module.yaml": "m::tree:\n  a: {x: 9, z: 3}\n",
    "modules/m/data/defaults.yaml": "m::extra: from the default hierarchy\nm::port: 1\n",
    "facts/one.yaml": "address: 10.0.0.1\nrole: web\n",
    "facts/two.yaml": "address: 192.0.2.1\nrole: db\n",
    "wherefrom.toml": 'environment = "."\nfacts = "facts"\n',
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two nodes whose data depends on a variable that the manifest sets."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_ladder_of_the_example() -> None:
    """One line for each level, the winner marked, what it hides beside it, the default of the class last."""
    done = wherefrom("lookup", "nginx::worker_connections", "--node", WEB)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "nginx::worker_connections = 4096",
        "",
        "        data/nodes/web01.example.org.yaml  -",
        "  ->    data/role/web.yaml:2               4096",
        "        data/os/Debian.yaml                -",
        "        data/common.yaml:13                1024  hidden",
        "        default of class nginx             512   hidden  modules/nginx/manifests/init.pp:6:36",
        "",
        'data/role/web.yaml is read because fact role is "web"',
    ]


def test_a_merged_value_is_told_element_by_element() -> None:
    """Each element of a merge has the place it came from."""
    document = asked("profile::db::settings", "--node", DB)
    assert document["merge"] == "hash"
    assert document["value"] == {"max_connections": 100, "shared_buffers": "4GB"}
    places = {element["path"]: (element["file"], element["line"]) for element in document["elements"]}
    assert places == {
        "max_connections": ("data/common.yaml", 16),
        "shared_buffers": ("data/role/database.yaml", 3),
    }
    assert document["lookup_options"]["file"] == "data/common.yaml"


def test_variables_that_manifests_set_decide_which_files_are_read(repository: Path) -> None:
    """`%{::site}` is set by the program; facts alone would give a wrong ladder."""
    one = asked("m::port", "--node", "one", cwd=repository)
    assert (one["value"], statuses(one)[0]) == (8080, ("data/site/ams.yaml", "chosen"))
    assert one["ladder"][0]["because"][0]["text"] == "'ams'"
    two = asked("m::port", "--node", "two", cwd=repository)
    assert (two["value"], statuses(two)[0]) == (9090, ("data/site/par.yaml", "chosen"))


def test_what_was_filled_into_a_value_is_told(repository: Path) -> None:
    """Interpolations are part of the answer."""
    document = asked("m::name", "--node", "one", cwd=repository)
    assert document["value"] == "host in ams at web"
    assert [(leaf["kind"], leaf.get("name")) for leaf in document["interpolated"]] == [("fact", "role")]


def test_modules_functions_and_default_hierarchies_have_rungs(repository: Path) -> None:
    """Every layer is asked: functions of the data, a module's own data, and its default hierarchy at last."""
    deep = asked("m::tree", "--node", "one", cwd=repository)
    assert deep["value"] == {"a": {"x": 1, "z": 3, "y": 2}}
    assert [name for name, status in statuses(deep) if status == "merged"] == [
        "data/common.yaml",
        "modules/m/data/module.yaml",
    ]
    computed = asked("m::computed", "--node", "one", cwd=repository)
    assert ("modules/m/functions/data.pp", "chosen") in statuses(computed)
    extra = asked("m::extra", "--node", "one", cwd=repository)
    assert statuses(extra)[-2:] == [
        ("modules/m/data/defaults.yaml", "chosen"),
        ("modules/m/manifests/init.pp", "hidden"),
    ]
    port = asked("m::port", "--node", "one", cwd=repository)
    assert ("modules/m/data/defaults.yaml", "hidden") in statuses(port)


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_secret_stays_one(repository: Path, form: list[str]) -> None:
    """What is converted to Sensitive is never shown, not even where it is hidden."""
    for question in (["m::password", "--node", "one"], ["--all", "--node", "one"], ["m::password", "--nodes"]):
        done = wherefrom("lookup", *question, *form, cwd=repository)
        assert done.returncode == 0
        assert "hunter2" not in done.stdout + done.stderr
        assert "(sensitive)" in done.stdout


def test_a_key_that_nobody_has(repository: Path) -> None:
    """Status 1, with the nearest key; the ladder is shown all the same."""
    done = wherefrom("lookup", "m::prot", "--node", "one", cwd=repository)
    assert done.returncode == 1
    assert "m::prot: no level has it" in done.stdout
    assert "did you mean m::port?" in done.stderr
    assert asked("m::prot", "--node", "one", cwd=repository)["found"] is False


def test_a_default_that_counts_is_an_answer() -> None:
    """A class's default is the last rung of the ladder."""
    document = asked("nginx::package", "--node", WEB)
    assert (document["found"], document["value"]) == (True, "nginx")
    assert document["ladder"][-1]["status"] == "chosen"


def test_values_over_all_nodes_are_grouped(repository: Path) -> None:
    """Equal values stand together with the nodes that have them; `--nodes KEY` reads as people mean it."""
    for question in (["m::port", "--nodes"], ["--nodes", "m::port"]):
        groups = asked(*question, cwd=repository)["groups"]
        assert [(group["value"], group["nodes"]) for group in groups] == [(8080, ["one"]), (9090, ["two"])]
    same = asked("m::tree", "--nodes", "o*,two", cwd=repository)["groups"]
    assert [group["nodes"] for group in same] == [["one", "two"]]


@pytest.mark.parametrize("broken", ["fail", "syntax"])
def test_a_broken_node_is_asked_by_its_data(repository: Path, broken: str) -> None:
    """As `puppet lookup` does; what the code would have set is said to be missing, and no statement depends on it."""
    (repository / "facts/bad.yaml").write_text("address: 1\nbroken: true\n")
    if broken == "syntax":
        (repository / "manifests/site.pp").write_text("include m }\n")
    arguments = ("lookup", "m::port", "--node", "bad")
    done = wherefrom(*arguments, cwd=repository)
    assert done.returncode == 0
    assert "m::port = 80\n" in done.stdout and "%{::site} is taken as empty" in done.stdout
    assert "no code on this node" not in done.stdout and "is not declared on this node" not in done.stdout
    assert "the data is looked up without variables" in done.stderr and ("site.pp" in done.stderr)
    document = json.loads(wherefrom(*arguments, "--json", cwd=repository).stdout)
    assert document["read"] is None and document["value"] == 80
    assert wherefrom("lookup", "m::nothing", "--node", "bad", cwd=repository).returncode == 1
    (repository / "hiera.yaml").write_text("version: 9\n")
    done = wherefrom(*arguments, cwd=repository)
    assert done.returncode == 1 and done.stdout == ""


def test_one_broken_node_stops_nobody(repository: Path) -> None:
    """A node that does not compile is told, and asked by its data alone; the status says so."""
    (repository / "facts/bad.yaml").write_text("address: 1\nbroken: true\n")
    done = wherefrom("lookup", "m::port", "--nodes", cwd=repository)
    assert done.returncode == 1
    assert "1 did not compile: bad" in done.stdout
    assert "8080   1 node" in done.stdout


def test_all_keys_of_a_node() -> None:
    """`--all` lists every key of the files that this node reads, and says which nobody asks for here."""
    keys = {each["key"]: each for each in asked("--all", "--node", WEB)["keys"]}
    assert keys["nginx::worker_connections"]["value"] == 4096
    assert keys["profile::db::version"]["read"] is False
    assert "profile::postgres::version" not in keys


def test_wrong_use() -> None:
    """Words that make no question are status 2."""
    assert wherefrom("lookup", "--node", WEB).returncode == 2
    assert wherefrom("lookup", "a", "b", "c", "--node", WEB).returncode == 2
    assert wherefrom("lookup", "a", "--nodes", "web9*").returncode == 2
    assert wherefrom("lookup", "../smartfrog/servers.sf", "a").returncode == 2


# --- dead keys ---


def test_dead_keys_of_the_example() -> None:
    """The key of a class that was renamed is dead, and the live one is named."""
    done = wherefrom("check", "--dead")
    assert done.returncode == 0
    assert "nothing reads profile::postgres::version" in done.stderr
    assert "data/role/database.yaml:5:1" in done.stderr
    assert done.stderr.count("nothing reads") == 1


def test_dead_files_and_keys(repository: Path) -> None:
    """A file that no node reads is told once; keys read by one node alone are alive."""
    (repository / "data/site/lon.yaml").write_text("m::port: 7\n")
    done = wherefrom("check", "--dead", "--format", "json", cwd=repository)
    messages = [problem["message"] for problem in json.loads(done.stdout)["diagnostics"]]
    assert messages == ["nothing reads m::unused", "no node reads data/site/lon.yaml"]
    (repository / "facts/bad.yaml").write_text("address: 1\nbroken: true\n")
    broken = wherefrom("check", "--dead", cwd=repository)
    assert broken.returncode == 1
    assert "while compiling bad" in broken.stderr
