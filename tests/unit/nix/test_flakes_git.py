"""Flakes in local git repositories: which files count, what is known of them, and that nothing is run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from wherefrom.api import compile
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.host import RealHost
from wherefrom.nix.flakes.repository import BadRepository, Repository, Snapshot

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git makes the repositories")

ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_COMMITTER_DATE": "2024-01-02T03:04:05Z",
    "GIT_AUTHOR_DATE": "2024-01-02T03:04:05Z",
}
DEPENDENCY = """{ outputs = { self }: {
  x = 41; rev = self.sourceInfo.rev or "none"; dirty = self.sourceInfo.dirtyRev or "none";
  count = self.sourceInfo.revCount or 0; hash = self.narHash;
  names = builtins.attrNames self.sourceInfo; date = self.lastModifiedDate; files = builtins.readDir self;
  text = builtins.readFile ./data/file; place = "${self}"; file = ./data/file; link = builtins.readFile ./link; }; }
"""
TOP = """{ inputs.dep.url = "git+file://@/dep%s"; outputs = { self, dep }: {
  inherit (dep) x rev count hash names date text place; own = self.sourceInfo.rev or "none";
  mine = builtins.readDir self; }; }
"""
OUTPUTS = ("x", "rev", "count", "hash", "names", "date", "text", "place", "own", "mine")


def git(directory: Path, *words: str) -> str:
    """What git says."""
    run = subprocess.run(
        ["git", "-C", str(directory), *words],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **ENVIRONMENT},
    )
    return run.stdout.strip()


def repository(directory: Path, **files: str) -> Path:
    """A repository with one commit of these files, and one file that git does not know."""
    (directory / "data").mkdir(parents=True)
    (directory / "flake.nix").write_text(files.get("flake", DEPENDENCY).replace("@", str(directory.parent)))
    (directory / "data" / "file").write_text("hello\n")
    (directory / "run.sh").write_text("#!/bin/sh\n")
    (directory / "run.sh").chmod(0o755)
    (directory / "link").symlink_to("data/file")
    git(directory, "init", "--quiet", "--initial-branch=main")
    git(directory, "add", "--all")
    git(directory, "commit", "--quiet", "--message=one")
    (directory / "untracked").write_text("secret\n")
    return directory


@pytest.fixture
def dep(tmp_path: Path) -> Path:
    """A flake in a repository."""
    return repository(tmp_path / "dep")


@pytest.fixture
def top(tmp_path: Path, dep: Path) -> Path:
    """A flake in a repository whose input is the other."""
    return repository(tmp_path / "top", flake=TOP % "")


def value(directory: Path, path: str, query: str = "", **options: Any) -> Any:
    """An output of a flake that is named as a repository."""
    reference = f"git+file://{directory}{query}"
    options.setdefault("roots", [str(directory.parent)])
    return compile(str(directory), language="nix", flake=reference, **options).select(path).value


def test_what_is_committed_has_a_revision(dep: Path) -> None:
    """Files that git does not know do not count, and the commit says the rest."""
    assert value(dep, "x") == 41
    assert value(dep, "rev") == git(dep, "rev-parse", "HEAD")
    assert value(dep, "count") == 1
    assert value(dep, "date") == "20240102030405"
    assert "untracked" not in value(dep, "files")
    assert value(dep, "files.link") == "symlink"
    assert value(dep, "link") == value(dep, "text") == "hello\n"
    known = ["lastModified", "lastModifiedDate", "narHash", "outPath", "rev", "revCount", "shortRev", "submodules"]
    assert value(dep, "names") == known


def test_a_changed_work_tree_has_none(dep: Path) -> None:
    """Tracked files count as they are now; since 2.17 the revision below the changes is told."""
    (dep / "data" / "file").write_text("changed\n")
    assert value(dep, "text") == "changed\n"
    assert value(dep, "rev") == "none"
    assert value(dep, "count") == 0
    assert value(dep, "dirty") == "none"
    assert value(dep, "dirty", nix_version="2.18") == git(dep, "rev-parse", "HEAD") + "-dirty"
    assert value(dep, "date") == "20240102030405"


@pytest.mark.parametrize("change", ["mode", "added", "removed", "link"])
def test_every_change_counts(dep: Path, change: str) -> None:
    """Content, mode, kind, what is added to the index and what is gone from the work tree."""
    if change == "mode":
        (dep / "run.sh").chmod(0o644)
    elif change == "added":
        git(dep, "add", "untracked")
    elif change == "removed":
        (dep / "run.sh").unlink()
    else:
        (dep / "link").unlink()
        (dep / "link").write_text("data/file")
    assert value(dep, "rev") == "none"
    assert ("run.sh" in value(dep, "files")) is (change != "removed")
    assert ("untracked" in value(dep, "files")) is (change == "added")


@pytest.mark.parametrize("packed", [False, True])
def test_revisions_branches_and_tags(dep: Path, packed: bool) -> None:
    """`rev` and `ref` show what was committed, loose or packed (as differences), whatever is checked out."""
    first = git(dep, "rev-parse", "HEAD")
    (dep / "data" / "file").write_text("second\n" + "the same line\n" * 200)
    git(dep, "commit", "--quiet", "--all", "--message=two")
    git(dep, "tag", "--annotate", "--message=t", "v2")
    (dep / "data" / "file").write_text("third\n" + "the same line\n" * 200)
    git(dep, "commit", "--quiet", "--all", "--message=three")
    if packed:
        git(dep, "gc", "--quiet", "--aggressive")
    assert value(dep, "text", f"?rev={first}") == "hello\n"
    assert value(dep, "count", f"?rev={first}") == 1
    assert value(dep, "text", "?ref=v2").startswith("second\n")
    assert value(dep, "rev", "?ref=v2") == git(dep, "rev-parse", "HEAD^")
    assert value(dep, "text", "?ref=main").startswith("third\n")
    assert value(dep, "count", "?ref=main") == 3
    assert value(dep, "link", f"?rev={first}") == "hello\n"
    with pytest.raises(Diagnostic, match="no branch or tag 'nope'"):
        value(dep, "x", "?ref=nope")
    with pytest.raises(Diagnostic, match="does not have the object"):
        value(dep, "x", "?rev=" + "1" * 40)


def test_inputs(top: Path, dep: Path) -> None:
    """An input that is a repository is used with what its work tree has; the lock names the commit."""
    first = git(dep, "rev-parse", "HEAD")
    assert value(top, "rev") == first
    assert value(top, "own") == "none"  # Nix would write a lock file, and the work tree be changed
    entry = {"type": "git", "url": f"file://{dep}"}
    locked = {**entry, "rev": first, "ref": "main", "revCount": 1, "lastModified": 7, "narHash": value(dep, "hash")}
    node = {"original": entry, "locked": locked}
    lock = {"version": 7, "root": "root", "nodes": {"root": {"inputs": {"dep": "dep"}}, "dep": node}}
    (top / "flake.lock").write_text(json.dumps(lock))
    git(top, "add", "flake.lock")
    git(top, "commit", "--quiet", "--message=lock")
    (dep / "data" / "file").write_text("second\n")
    git(dep, "commit", "--quiet", "--all", "--message=two")
    assert value(top, "text") == "hello\n"
    assert value(top, "rev") == first
    assert value(top, "date") == "19700101000007"
    assert value(top, "own") == git(top, "rev-parse", "HEAD")
    locked["narHash"] = "sha256-" + "A" * 43 + "="
    (top / "flake.lock").write_text(json.dumps(lock))
    with pytest.raises(Diagnostic, match=r"flake\.lock expects sha256-A") as caught:
        value(top, "x")
    assert caught.value.notes == [f"it is locked to {first}"]


def test_the_error_names_the_input_and_its_revision(top: Path, dep: Path) -> None:
    """A repository that is gone, or may not be read."""
    with pytest.raises(Diagnostic, match="outside the allowed directories"):
        value(top, "x", roots=[])
    shutil.rmtree(dep / ".git")
    with pytest.raises(
        Diagnostic, match=r"flake input 'dep' is not available: git repository .* is not a git repository"
    ):
        value(top, "x")


def test_places_are_those_of_the_work_tree(dep: Path) -> None:
    """The program sees a store path, its author the file."""
    outcome = compile(str(dep), language="nix", flake=f"git+file://{dep}", trace=True)
    where = outcome.explain("x").where
    assert where is not None
    assert where.span is not None
    assert Path(where.span.file.name).resolve() == (dep / "flake.nix").resolve()


def test_fetch_tree_and_get_flake(tmp_path: Path, dep: Path) -> None:
    """The builtins read local repositories too."""
    text = f'{{ t = (builtins.fetchTree "git+file://{dep}").rev; f = (builtins.getFlake "git+file://{dep}").x; }}'
    (tmp_path / "x.nix").write_text(text)
    outcome = compile(str(tmp_path / "x.nix"), nix_version="latest", features=["flakes"])
    assert outcome.select("t").value == git(dep, "rev-parse", "HEAD")
    assert outcome.select("f").value == 41


def test_nothing_is_run(dep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the repository's settings say, no program is started."""
    mark = tmp_path / "ran"
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    for name in ("core.fsmonitor", "filter.x.clean", "filter.x.smudge", "core.sshCommand", "diff.external"):
        git(dep, "config", name, str(script))
    (dep / ".git" / "info" / "attributes").write_text("* filter=x\n")
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setattr(os, "system", None)
    assert value(dep, "x") == 41
    assert not mark.exists()


def test_damaged_repositories(dep: Path) -> None:
    """Whatever byte is lost, the answer is an answer or an error that names the repository."""
    git(dep, "gc", "--quiet")
    files = [file for file in (dep / ".git").rglob("*") if file.is_file() and file.stat().st_size]
    names = ("index", "HEAD", "packed-refs", ".pack", ".idx")
    refused = 0
    for file in files:
        if not file.name.endswith(names):
            continue
        data = file.read_bytes()
        file.chmod(0o644)
        for cut in range(0, len(data), max(1, len(data) // 23)):
            for broken in (data[:cut], data[:cut] + bytes([data[cut] ^ 0x55]) + data[cut + 1 :]):
                file.write_bytes(broken)
                try:
                    reader = Repository(RealHost([str(dep)]), str(dep))
                    commit = reader.commit(reader.revision("HEAD"))
                    shown = Snapshot(reader, str(dep), reader.files(commit.tree), committed=True)
                    shown.read_bytes(f"{dep}/data/file")
                    reader.tracked()
                except BadRepository as problem:
                    assert str(dep) in problem.message
                    refused += 1
                except Diagnostic:
                    refused += 1
        file.write_bytes(data)
    assert refused > 50


def test_links_do_not_lead_out(dep: Path) -> None:
    """A link in a commit leads to other files of the commit, or nowhere."""
    (dep / "out").symlink_to("../../../../../../../../etc/passwd")
    (dep / "absolute").symlink_to("/etc/passwd")
    (dep / "circle").symlink_to("circle")
    git(dep, "add", "--all")
    git(dep, "commit", "--quiet", "--message=links")
    reader = Repository(RealHost([str(dep)]), str(dep))
    shown = Snapshot(reader, "/x", reader.files(reader.commit(reader.revision("HEAD")).tree), committed=True)
    for name in ("out", "absolute", "circle"):
        assert shown.kind(f"/x/{name}") == "symlink"
        with pytest.raises(Diagnostic, match="no such file"):
            shown.read_bytes(f"/x/{name}")


@pytest.mark.oracle
def test_nix_gives_the_same(top: Path, dep: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Every output, clean and changed, by work tree and by revision, compared with `nix eval`."""
    store = tmp_path_factory.mktemp("store")
    words = ["nix", "--extra-experimental-features", "nix-command flakes", "--store", str(store), "eval", "--json"]

    def compare(directory: Path, names: tuple[str, ...], query: str = "") -> None:
        for name in names:
            reference = f"git+file://{directory}{query}#{name}"
            answer = subprocess.run(
                [*words, "--no-write-lock-file", reference],
                capture_output=True,
                check=True,
                env={**os.environ, **ENVIRONMENT, "HOME": str(store)},
            )
            outcome = compile(
                str(directory),
                language="nix",
                flake=reference.partition("#")[0],
                attr_path=name,
                roots=[str(directory.parent)],
            )
            assert json.loads(answer.stdout) == json.loads(outcome.printed("json", strict=True))  # type: ignore[attr-defined]

    own = ("x", "rev", "count", "hash", "names", "date", "files", "text", "place", "link")
    compare(top, OUTPUTS)
    first = git(dep, "rev-parse", "HEAD")
    (dep / "data" / "file").write_text("second\n")
    (dep / "run.sh").unlink()
    compare(dep, own)
    git(dep, "commit", "--quiet", "--all", "--message=two")
    git(dep, "gc", "--quiet")
    compare(dep, own)
    compare(dep, own, f"?rev={first}")
    compare(dep, own, "?ref=main")
