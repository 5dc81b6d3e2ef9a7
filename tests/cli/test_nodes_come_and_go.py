"""Comparisons of two states that do not have the same nodes: which are new, which are gone, and whom that touches."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.fleets import write
from wherefrom.cli.main import status_of
from wherefrom.revisions import RevisionHost

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

FILES = {
    "wherefrom.toml": 'environment = "."\nfacts = "facts"\n',
    "environment.conf": "",
    "manifests/site.pp": (
        "class lan(String $home = '/home') {\n  @@user { $trusted['certname']: home => $home, tag => 'lan' }\n"
        "  if $facts['role'] == 'collector' { User <<| tag == 'lan' |>> }\n"
        "  if $facts['role'] == 'broken' { fail('it is broken') }\n}\ninclude lan\n"
    ),
    "facts/a.yaml": "role: plain\n",
    "facts/b.yaml": "role: plain\n",
    "facts/c.yaml": "role: collector\n",
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of three nodes, of which `c` collects what the others export; now `d` stands for `a`."""
    folder = tmp_path / "repository"
    write(folder, FILES)
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "one"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    (folder / "facts/a.yaml").rename(folder / "facts/d.yaml")
    monkeypatch.chdir(folder)
    return folder


def answer(capsys: pytest.CaptureFixture[str], *more: str, status: int = 0) -> Any:
    """What `fleet diff` says since the revision, as a document."""
    words = ["fleet", "diff", "--since", "HEAD", "--store", "../s", "--jobs", "1", "--format", "json", *more]
    assert status_of(words) == status
    return json.loads(capsys.readouterr().out)


def told(document: Any) -> tuple[Any, ...]:
    return tuple(document[name] for name in ("changed", "same", "new", "gone", "failed"))


def check_collected(document: Any) -> None:
    """The node that collects has what the new one exports, and no longer what the other did; each with its cause."""
    assert told(document) == (["c"], ["b"], ["d"], ["a"], [])
    assert document["compiled"] == 2
    (group,) = document["groups"]
    causes = {row["path"]: [edit["before_place"] for edit in row["edits"]] for row in group["differences"]}
    assert causes["User[a]"] == ["exports of a"]
    assert causes["User[d]"] == ["exports of d"]


def test_exports_come_and_go_with_their_nodes(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever the store had before: nothing, the first state, the second."""
    check_collected(answer(capsys))
    check_collected(answer(capsys))
    assert status_of(["fleet", "compile", "--store", "../s", "--jobs", "1"]) == 0
    capsys.readouterr()
    check_collected(answer(capsys))


def test_some_nodes(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pattern may name nodes of one side alone, or of none."""
    assert told(answer(capsys, "--nodes", "a,b")) == ([], ["b"], [], ["a"], [])
    assert told(answer(capsys, "--nodes", "[bd]")) == ([], ["b"], ["d"], [], [])
    assert status_of(["fleet", "diff", "--since", "HEAD", "--nodes", "x*"]) == 2
    assert "no node matches x*" in capsys.readouterr().err


def test_a_new_node_must_compile(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is among those that do not."""
    write(repository, {"facts/e.yaml": "role: broken\n"})
    document = answer(capsys, status=1)
    assert (document["new"], document["failed"]) == (["d", "e"], ["e"])


def test_why(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """New and gone are reasons too."""
    for node, words in (
        ("a", "a is not compiled: it no longer exists\n"),
        ("d", "d is compiled: it is new, with no earlier result\n"),
        ("b", "b was not compiled: no input of its compilation has changed\n"),
    ):
        assert status_of(["fleet", "diff", "--since", "HEAD", "--store", "../s", "--jobs", "1", "--why-not", node]) == 0
        assert capsys.readouterr().out == words


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_without_a_store(repository: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    """`diff --nodes` names them, and for `--exit-code` they are a difference."""
    assert status_of(["diff", "--since", "HEAD", "--nodes", "--format", form, "--exit-code"]) == 4
    text = capsys.readouterr().out
    assert "4 nodes: 0 changed, 2 the same, 1 new, 1 gone" in text
    assert "new: d" in text and "gone: a" in text


def test_a_revision_is_opened_a_few_times(
    repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To open one takes several processes: as many for thirty nodes as for three."""
    opened: list[str] = []
    initialize = RevisionHost.__init__

    def counted(self: RevisionHost, path: str, revision: str) -> None:
        opened.append(path)
        initialize(self, path, revision)

    monkeypatch.setattr(RevisionHost, "__init__", counted)
    write(repository, {f"facts/n{number}.yaml": "role: plain\n" for number in range(30)})
    subprocess.run(["git", "add", "."], check=True)
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "two"], check=True)
    write(repository, {"manifests/site.pp": FILES["manifests/site.pp"].replace("/home", "/srv")})
    document = answer(capsys)
    assert len(document["changed"]) == 33
    assert len(opened) <= 3
