"""`--inventory`: nodes, facts and variables from an inventory, over all commands that take nodes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support.fleets import write
from wherefrom.cli.main import status_of

INVENTORY = """\
facts: { site: ams }
vars: { tier: none }
groups:
  - name: web
    vars: { tier: front }
    targets:
      - { uri: 'ssh://root@web01.example.org:22', alias: w1, facts: { site: rot } }
      - web02.example.org
  - name: db
    targets: [{ name: db01, vars: { tier: back } }]
"""
FILES = {
    "manifests/site.pp": "file { '/etc/motd': content => \"${facts['site']} ${tier} ${trusted['certname']}\" }\n",
    "environment.conf": "",
    "inventory.yaml": INVENTORY,
    "wherefrom.toml": 'environment = "."\ninventory = "inventory.yaml"\n',
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment whose settings name an inventory of three nodes, which is the current directory."""
    write(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def motd(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The content of the file for some inputs."""
    assert status_of(["explain", "File[/etc/motd].content", "--json", *arguments]) == 0
    return str(json.loads(capsys.readouterr().out)["value"])


def test_facts_variables_and_names(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A node is named by its name, its alias or its URI; it has the facts and variables of its groups and its own."""
    assert motd(capsys, "--node", "web01.example.org") == "rot front web01.example.org"
    assert motd(capsys, "--node", "w1") == "rot front web01.example.org"
    assert motd(capsys, "--node", "ssh://root@web01.example.org:22") == "rot front web01.example.org"
    assert motd(capsys, "--node", "db01") == "ams back db01"
    assert status_of(["compile", "--nodes", "web,db*"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "3 nodes: 3 compiled, 0 failed"


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--node", "web"], 2, "web is a group of inventory.yaml: it has web01.example.org, web02.example.org"),
        (["--node", "web01"], 1, "did you mean web01.example.org?"),
        (["--nodes", "webs"], 2, "inventory.yaml has no node, alias or group webs; did you mean web?"),
        ([], 2, "inventory.yaml has db01, web01.example.org, web02.example.org"),
        (["--inventory", "inventoy.yaml", "--nodes"], 1, "did you mean inventory.yaml?"),
        (["--inventory", "empty.yaml", "--nodes"], 2, "empty.yaml has no targets"),
        (["--inventory", "manifests", "--nodes"], 1, "is a directory"),
    ],
)
def test_what_is_wrong(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], status: int, words: str
) -> None:
    """Names that it does not have, files that are not there."""
    write(project, {"empty.yaml": ""})
    assert (status_of(["compile", *arguments]), words in capsys.readouterr().err) == (status, True)


def test_facts_of_the_nodes_win_over_the_inventory(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was collected is merged over what is written; a node without facts of its own has the inventory's."""
    write(project, {"facts/db01.yaml": "site: here\n"})
    assert motd(capsys, "--node", "db01", "--facts", "facts") == "here back db01"
    assert motd(capsys, "--node", "w1", "--facts", "facts") == "rot front web01.example.org"
    write(project, {"inventory.yaml": "targets: [web03, db01]\n"})
    assert status_of(["compile", "--node", "web03", "--facts", "facts"]) == 1
    assert "no facts for this node" in capsys.readouterr().err


def test_a_classifier_wins_over_the_inventory(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its parameters are in the top scope as the inventory's variables are."""
    write(project, {"enc/db01.yaml": "parameters: {tier: classified}\n"})
    assert motd(capsys, "--node", "db01", "--enc", "enc") == "ams classified db01"


def test_rows_of_puppetdb(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Facts and trusted data of all nodes in one file."""
    rows = [
        {"certname": name, "facts": {"site": site, "tier": "x"}, "trusted": {"certname": f"{name}.trusted"}}
        for name, site in (("a", "one"), ("b", "two"))
    ]
    write(project, {"rows.json": json.dumps(rows)})
    assert motd(capsys, "--inventory", "rows.json", "--node", "b") == "two x b.trusted"


def test_a_fleet_of_an_inventory(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the nodes for which the inventory says something else are compiled again; who leaves it leaves the store."""
    pytest.importorskip("pyarrow")

    def compiled() -> str:
        assert status_of(["fleet", "compile", "--store", "../s", "--jobs", "1"]) == 0
        return capsys.readouterr().out.splitlines()[-1]

    assert compiled() == "3 nodes: 3 compiled, 0 kept, 0 failed"
    write(project, {"inventory.yaml": "# the same\n" + INVENTORY})
    assert compiled() == "3 nodes: 0 compiled, 3 kept, 0 failed"
    write(project, {"inventory.yaml": INVENTORY.replace("site: rot", "site: par")})
    assert compiled() == "3 nodes: 1 compiled, 2 kept, 0 failed"
    write(project, {"inventory.yaml": INVENTORY.replace("tier: back", "tier: deep")})
    assert compiled() == "3 nodes: 2 compiled, 1 kept, 0 failed"
    write(project, {"inventory.yaml": INVENTORY.replace("      - web02.example.org\n", "")})
    assert compiled() == "2 nodes: 1 compiled, 1 kept, 0 failed"


def test_the_inventory_of_a_revision(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A comparison with a revision reads the inventory as it was there: an edit of it is an edit."""
    pytest.importorskip("pyarrow")
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "one"]):
        subprocess.run(["git", *command], cwd=project, check=True)
    write(project, {"inventory.yaml": INVENTORY.replace("site: rot", "site: par")})
    assert status_of(["fleet", "diff", "--since", "HEAD", "--store", "../s", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["compiled"], document["changed"]) == (1, ["web01.example.org"])
    (difference,) = document["groups"][0]["differences"]
    assert (difference["before"], difference["after"]) == (
        "rot front web01.example.org",
        "par front web01.example.org",
    )


def test_init_names_an_inventory(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where there are no facts; where there are, in a comment."""
    assert status_of(["init", "--force"]) == 0
    assert '\ninventory = "inventory.yaml"\n' in (project / "wherefrom.toml").read_text()
    write(project, {"facts/a.yaml": "b: c\n"})
    assert status_of(["init", "--force"]) == 0
    assert '\n# inventory = "inventory.yaml"\n' in (project / "wherefrom.toml").read_text()
    capsys.readouterr()
