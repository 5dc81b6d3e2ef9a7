"""`wherefrom graph`: containment, relationships, cycles; nothing in a title can break out of the picture."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support import commands

SITE = """\
class web {
  package { 'nginx': }
  -> file { '/etc/nginx.conf': notify => Service['nginx'] }
  service { 'nginx': subscribe => Package['nginx'] }
  part { 'p': require => Service['nginx'] }
}
define part { notify { "in ${title}": } }
include web
notify { 'alone': }
"""


def wherefrom(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return commands.wherefrom("graph", *arguments, cwd=cwd)


def graph_of(text: str, folder: Path, *options: str) -> Any:
    (folder / "site.pp").write_text(text)
    done = wherefrom("site.pp", "--json", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_containers_and_arrows(tmp_path: Path) -> None:
    """Each resource stands in its container, each arrow has a kind and the place that made it."""
    graph = graph_of(SITE, tmp_path)
    containers = {node["name"]: node["container"] for node in graph["nodes"]}
    assert containers["Package[nginx]"] == "Class[Web]"
    assert containers["Notify[in p]"] == "Part[p]"
    assert containers["Part[p]"] == "Class[Web]"
    assert containers["Notify[alone]"] is None
    arrows = {(arrow["source"], arrow["target"]): (arrow["kind"], arrow["line"]) for arrow in graph["arrows"]}
    assert arrows == {
        ("Package[nginx]", "File[/etc/nginx.conf]"): ("before", 3),
        ("File[/etc/nginx.conf]", "Service[nginx]"): ("notify", 3),
        ("Package[nginx]", "Service[nginx]"): ("notify", 4),
        ("Service[nginx]", "Part[p]"): ("before", 5),
    }
    assert graph["cycles"] == []


def test_cycles_are_red(tmp_path: Path) -> None:
    """A cycle is named in the JSON and marked in the picture, and only its own arrows are."""
    chain = "Notify['a'] -> Notify['b'] -> Notify['c'] -> Notify['a']"
    text = f"notify {{ ['a', 'b', 'c', 'd']: }}\n{chain}\nNotify['c'] -> Notify['d']\n"
    assert graph_of(text, tmp_path)["cycles"] == [["Notify[a]", "Notify[b]", "Notify[c]", "Notify[a]"]]
    lines = wherefrom("site.pp", cwd=tmp_path).stdout.splitlines()
    red = [line.split(" [")[0].strip() for line in lines if "->" in line and "#cc0000" in line]
    assert red == ['"Notify[a]" -> "Notify[b]"', '"Notify[b]" -> "Notify[c]"', '"Notify[c]" -> "Notify[a]"']


def test_around_a_resource(tmp_path: Path) -> None:
    """A large catalog can be cut to what stands near one resource, boxes included."""
    near = graph_of(SITE, tmp_path, "--around", "file[/etc/nginx.conf]", "--steps", "1")
    names = {node["name"] for node in near["nodes"]}
    assert names == {"Class[Web]", "Package[nginx]", "File[/etc/nginx.conf]", "Service[nginx]"}
    missing = wherefrom("site.pp", "--around", "Service[ngnix]", cwd=tmp_path)
    assert missing.returncode == 1
    assert "did you mean Service[nginx]?" in missing.stderr


def test_titles_are_quoted(tmp_path: Path) -> None:
    """Quotes, backslashes, line ends and escapes in a title stay inside their string."""
    title = 'x"]; evil [label="\\\\ \\n \\u001b'
    (tmp_path / "site.pp").write_text('notify { "' + title.replace('"', '\\"') + '": }\n')
    done = wherefrom("site.pp", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    line = next(line for line in done.stdout.splitlines() if "evil" in line)
    assert line.startswith('  "Notify[x\\"]; evil [label=\\"')
    assert "\x1b" not in done.stdout


def test_other_languages_have_no_graph(tmp_path: Path) -> None:
    """A clear answer, not an empty picture."""
    (tmp_path / "a.sf").write_text("sfConfig extends { a 1; }\n")
    done = wherefrom("a.sf", cwd=tmp_path)
    assert done.returncode == 2
    assert "drawn of Puppet catalogs" in done.stderr


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_it(tmp_path: Path) -> None:
    """The real program accepts what we write."""
    (tmp_path / "site.pp").write_text(SITE)
    done = wherefrom("site.pp", "--format", "svg", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "<svg" in done.stdout and "Package[nginx]" in done.stdout


def test_without_graphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The missing program is named."""
    (tmp_path / "site.pp").write_text(SITE)
    monkeypatch.setenv("PATH", str(tmp_path))
    done = wherefrom("site.pp", "--format", "svg", cwd=tmp_path)
    assert done.returncode == 2
    assert "Graphviz" in done.stderr
