"""What a comparison of all nodes costs beside compiling them twice."""

from __future__ import annotations

import contextlib
import io
import subprocess
from pathlib import Path

import pytest

from support.effort import lines
from wherefrom.cli.main import status_of

NODES = 7
CLASSES = 20
RESOURCES = 440
"""Of a node: of each class a package, a service, and ten instances of a define with a file each."""
CLASS = """class m{0} (Integer $port, String $owner = 'root') {{
  package {{ 'm{0}': ensure => installed }}
  Integer[1, 10].each |$n| {{
    m{0}::site {{ "m{0}-${{n}}": port => $port + $n, owner => $owner }}
  }}
  service {{ 'm{0}': ensure => running, require => Package['m{0}'] }}
}}
"""
SITE = """define m{0}::site (Integer $port, String $owner) {{
  file {{ "/etc/m{0}/${{title}}.conf":
    content => epp('m{0}/site.epp', {{ 'port' => $port, 'title' => $title }}),
    owner   => $owner,
    mode    => '0644',
    notify  => Service['m{0}'],
  }}
}}
"""
TEMPLATE = "<%- | $port, $title | -%>\nlisten <%= $port %>;\nname <%= $title %>;\nhost <%= $facts['host'] %>;\n"
EDITS = (
    ("data/common.yaml", "m3::port: 8003", "m3::port: 9003"),
    ("modules/m5/manifests/site.pp", "'0644'", "'0640'"),
    ("modules/m7/templates/site.epp", "name ", "server_name "),
)
SHAPES = (
    ("modules/m3/manifests/init.pp", "  service {", "  package { 'extra3': }\n  service {"),
    ("modules/m5/manifests/site.pp", "    mode    => '0644',\n", ""),
    ("modules/m7/manifests/init.pp", "  service {", "  package { 'extra7': }\n  service {"),
    ("data/common.yaml", "m9::port: 8009", "m9::port: 9009"),
)
"""Edits that give manifests another shape: what is not written any more stands in no history, so they are tried."""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def edits() -> tuple[tuple[str, str, str], ...]:
    """A commit that edits data, a manifest and a template."""
    return EDITS


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edits: tuple[tuple[str, str, str], ...]) -> Path:
    """Seven nodes with some 3,000 resources, and a commit."""
    for number in range(CLASSES):
        write(tmp_path / f"modules/m{number}/manifests/init.pp", CLASS.format(number))
        write(tmp_path / f"modules/m{number}/manifests/site.pp", SITE.format(number))
        write(tmp_path / f"modules/m{number}/templates/site.epp", TEMPLATE)
    write(tmp_path / "manifests/site.pp", "".join(f"include m{number}\n" for number in range(CLASSES)))
    write(tmp_path / "hiera.yaml", "version: 5\nhierarchy:\n  - name: c\n    path: common.yaml\n")
    write(tmp_path / "data/common.yaml", "".join(f"m{number}::port: {8000 + number}\n" for number in range(CLASSES)))
    for number in range(NODES):
        write(tmp_path / f"facts/node{number}.example.org.yaml", f"host: node{number}\n")
    write(tmp_path / "wherefrom.toml", 'environment = "."\nfacts = "facts"\n')
    person = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run(["git", *person, *words], cwd=tmp_path, check=True)
    for name, before, after in edits:
        text = (tmp_path / name).read_text()
        assert before in text
        (tmp_path / name).write_text(text.replace(before, after))
    subprocess.run(["git", *person, "commit", "-qam", "two"], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(*words: str) -> str:
    """What a command prints that is run in this process."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert status_of([*words]) == 0
    return out.getvalue()


@pytest.mark.long
@pytest.mark.parametrize(("edits", "most"), [(EDITS, 1.15), (SHAPES, 1.4)])
def test_a_comparison_costs_what_two_compilations_do(
    repository: Path, edits: tuple[tuple[str, str, str], ...], most: float
) -> None:
    """At most 1.15 times as many lines of our code run, where one edit is behind each difference.

    Edits that give the code another shape are tried once for all nodes, not for each: four compilations more, which are
    1.29 times as many compilations.
    """
    del repository
    both = (["compile", ".@HEAD~1", "--nodes", "--processes", "1"], ["compile", ".", "--nodes", "--processes", "1"])
    compiled = "".join(told(*words) for words in both)
    assert compiled.count(f" {RESOURCES} resources") >= NODES and "0 failed" in compiled
    assert NODES * RESOURCES > 3_000
    comparing = ["diff", ".@HEAD~1", ".@HEAD", "--nodes"]
    assert told(*comparing).count("\nedit ") == len(edits)  # what has been read and imported is warm from here on
    twice = sum(lines(lambda words=words: told(*words)) for words in both)  # type: ignore[misc]
    once = lines(lambda: told(*comparing))
    assert once < most * twice, once / twice
