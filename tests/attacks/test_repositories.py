"""Repositories of somebody else: `DIR@REV`, `--since` and `--blame` run git, and git runs what its settings name."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from attacks.running import wherefrom
from wherefrom import revisions

WHO = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}


def git(folder: Path, *arguments: str, input: bytes = b"") -> str:
    environ = {**os.environ, **WHO, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(["git", "-C", str(folder), *arguments], env=environ, input=input, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one manifest."""
    folder = tmp_path / "env"
    (folder / "manifests").mkdir(parents=True)
    (folder / "manifests/site.pp").write_text("notify { 'a': message => 'b' }\n")
    git(tmp_path, "init", "-q", str(folder))
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def program(folder: Path) -> tuple[str, Path]:
    """A program that leaves a mark, and the mark."""
    mark = folder / "mark"
    path = folder / "program"
    path.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    path.chmod(0o755)
    return str(path), mark


COMMANDS = [
    ["compile", "env@HEAD"],
    ["diff", "env@HEAD", "env"],
    ["explain", "env", "Notify[a].message", "--blame"],
    ["diff", "env", "--since", "HEAD"],
]
SETTINGS = (
    "core.fsmonitor core.pager core.editor core.askPass core.sshCommand core.gitProxy core.alternateRefsCommand "
    "gpg.program diff.external diff.x.command diff.x.textconv filter.x.smudge filter.x.clean filter.x.process "
    "credential.helper pager.blame pager.ls-tree alias.ls-tree alias.cat-file uploadpack.packObjectsHook"
).split()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_program_of_a_repository_is_run(command: list[str], repository: Path, tmp_path: Path) -> None:
    """Whatever its settings, attributes and hooks name."""
    path, mark = program(tmp_path)
    for setting in SETTINGS:
        git(repository, "config", setting, path)
    git(repository, "config", "core.fsmonitor", path)
    git(repository, "config", "log.showSignature", "true")
    (repository / ".gitattributes").write_text("* filter=x diff=x\n")
    hooks = repository / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout", "pre-auto-gc"):
        os.symlink(path, hooks / hook)
    ran = wherefrom(*command, cwd=tmp_path)
    assert ran.status == 0, ran
    assert not mark.exists()


def test_what_a_partial_clone_left_out_is_not_fetched(repository: Path, tmp_path: Path) -> None:
    """How it is fetched is a setting of the repository: any program at all."""
    path, mark = program(tmp_path)
    blob = git(repository, "rev-parse", "HEAD:manifests/site.pp")
    (repository / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for setting, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": str(tmp_path),
        "remote.origin.uploadpack": path,
        "core.sshCommand": path,
    }.items():
        git(repository, "config", setting, value)
    for url in (str(tmp_path), "ssh://host/x", f"ext::{path}"):
        git(repository, "config", "remote.origin.url", url)
        ran = wherefrom("compile", "env@HEAD", cwd=tmp_path)
        assert ran.status == 1, ran
        assert b"git has lost it" in ran.err, ran
        assert not mark.exists()


def test_a_work_tree_elsewhere_is_an_error(repository: Path, tmp_path: Path) -> None:
    """Not the files as they are now, in place of those of the revision."""
    (tmp_path / "elsewhere").mkdir()
    git(repository, "config", "core.worktree", str(tmp_path / "elsewhere"))
    ran = wherefrom("compile", "env@HEAD", cwd=tmp_path)
    assert ran.status == 1, ran
    assert b"is not below the work tree" in ran.err, ran


def test_the_environment_names_no_repository(repository: Path, tmp_path: Path) -> None:
    """Within a hook of git its variables do."""
    git(tmp_path, "init", "-q", "--bare", "other")
    ran = wherefrom("compile", "env@HEAD", cwd=tmp_path, environ={"GIT_DIR": str(tmp_path / "other")})
    assert ran.status == 0, ran
    assert b"notify { 'a':" in ran.out, ran


def test_trees_that_share_their_parts(repository: Path, tmp_path: Path) -> None:
    """Ten times ten levels of the same tree are ten thousand million names."""
    tree = git(repository, "rev-parse", "HEAD^{tree}")
    for _ in range(10):
        tree = git(repository, "mktree", input="".join(f"040000 tree {tree}\tn{n}\n" for n in range(10)).encode())
    commit = git(repository, "commit-tree", tree, "-m", "large")
    git(repository, "branch", "large", commit)
    ran = wherefrom("compile", "env@large", cwd=tmp_path)
    assert ran.status == 1, ran
    assert b"the budget of elements is spent listing the files of a revision" in ran.err, ran
    assert ran.megabytes < 1000, ran


def test_a_large_file_is_not_taken(repository: Path, tmp_path: Path) -> None:
    """Its size is looked at first."""
    (repository / "manifests/site.pp").write_bytes(b"#" * 70_000_000)
    git(repository, "commit", "-q", "-a", "-m", "large")
    ran = wherefrom("compile", "env@HEAD", cwd=tmp_path)
    assert ran.status == 1, ran
    assert b"70,000,000 bytes" in ran.err, ran
    assert ran.megabytes < 200, ran


@pytest.mark.parametrize("what", ["config", "HEAD"])
def test_a_pipe_in_a_repository_does_not_hang(what: str, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git would wait for whoever writes to it."""
    monkeypatch.setattr(revisions, "_SECONDS", 1)
    if what == "config":
        os.mkfifo(repository / "pipe")
        git(repository, "config", "include.path", str(repository / "pipe"))
    else:
        (repository / ".git/HEAD").unlink()
        os.mkfifo(repository / ".git/HEAD")
    with pytest.raises(revisions.NoRevision):
        revisions.RevisionHost(str(repository), "HEAD")


REVISIONS = [
    "--help", "HEAD..HEAD", "HEAD\nHEAD", "$(id)", "\x1b[31m", "HEAD:manifests", "-n", "--upload-pack={program}",
    "--output={mark}", "--exec={program}", "-c core.pager={program}", "ext::{program}", "@{u}", ":/x", "a b",
    "/etc/passwd",
]  # fmt: skip


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("command", ["compile", "diff", "since"])
def test_odd_revisions_are_errors(command: str, revision: str, repository: Path, tmp_path: Path) -> None:
    """They are names and nothing else."""
    path, mark = program(tmp_path)
    revision = revision.replace("{program}", path).replace("{mark}", str(mark))
    arguments = {
        "compile": ["compile", f"env@{revision}"],
        "diff": ["diff", "env@HEAD", f"env@{revision}"],
        "since": ["diff", "env", f"--since={revision}"],
    }
    ran = wherefrom(*arguments[command], cwd=tmp_path)
    assert ran.status in (1, 2), ran
    assert b"\x1b" not in ran.err
    assert not mark.exists()


def test_links_lead_nowhere_else(repository: Path, tmp_path: Path) -> None:
    """Out of the repository, in a circle, and through each other."""
    (tmp_path / "secret.pp").write_text("notify { 'secret': }")
    manifest = repository / "manifests/site.pp"
    for target in (str(tmp_path / "secret.pp"), "../../secret.pp", "site.pp", "../manifests/../manifests/site.pp"):
        manifest.unlink()
        manifest.symlink_to(target)
        git(repository, "commit", "-q", "-a", "-m", "link")
        ran = wherefrom("compile", "env@HEAD", cwd=tmp_path)
        assert b"secret'" not in ran.out, ran
        assert ran.status in (0, 1), ran
