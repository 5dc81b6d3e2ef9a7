"""Repositories of somebody else: `DIR@REV`, `--since` and `--blame` run git, and git runs what its settings name."""

from __future__ import annotations

import hashlib
import os
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Any

import pytest

from attacks.running import wherefrom
from wherefrom import revisions
from wherefrom.base.diagnostics import CannotRead
from wherefrom.cli.main import status_of

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
    ["influence", "env", "Notify[a].message", "--blame"],
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
        assert b"the object is missing from the repository" in ran.err, ran
        assert not mark.exists()


def test_a_work_tree_elsewhere_is_an_error(repository: Path, tmp_path: Path) -> None:
    """Not the files as they are now, in place of those of the revision."""
    (tmp_path / "elsewhere").mkdir()
    git(repository, "config", "core.worktree", str(tmp_path / "elsewhere"))
    ran = wherefrom("compile", "env@HEAD", cwd=tmp_path)
    assert ran.status == 1, ran
    assert b"is not below the work tree" in ran.err, ran


LEADING = [b"gitdir: \xff\xfe/a", b"gitdir: a\0b", b"gitdir: " + b"../" * 2_000, b"gitdir:", b"\n", b"", None]


@pytest.mark.parametrize("content", LEADING)
@pytest.mark.parametrize("command", [("compile", "e/a.pp"), ("compile", "e@HEAD"), ("eval", "-E", "1")])
def test_an_odd_file_that_leads_to_a_repository(
    content: bytes | None, command: tuple[str, ...], tmp_path: Path
) -> None:
    """It is read to see what a command is to be kept to; of a hundred megabytes (None) it is not."""
    (tmp_path / "e").mkdir()
    (tmp_path / "e/a.pp").write_text("notice(1)")
    with open(tmp_path / ".git", "wb") as file:
        file.write(content or b"")
        if content is None:
            file.truncate(100_000_000)
    ran = wherefrom(*command, cwd=tmp_path)
    assert ran.status == (1 if "e@HEAD" in command else 0), ran
    assert b"Traceback" not in ran.err, ran


def test_the_environment_names_no_repository(repository: Path, tmp_path: Path) -> None:
    """Within a hook of git its variables do."""
    git(tmp_path, "init", "-q", "--bare", "other")
    ran = wherefrom("compile", "env@HEAD", cwd=tmp_path, environ={"GIT_DIR": str(tmp_path / "other")})
    assert ran.status == 0, ran
    assert b"notify { 'a':" in ran.out, ran


@pytest.mark.long
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


# --- objects that are pipes, and sizes that are lies ---


@pytest.mark.parametrize("what", ["HEAD", "HEAD^{tree}", "HEAD:manifests", "HEAD:manifests/site.pp"])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_object_that_is_a_pipe_does_not_hang(
    what: str, command: list[str], repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commit, tree or file: git waits for whoever writes to it, and we do not wait for git."""
    monkeypatch.setattr(revisions, "_SECONDS", 1)
    monkeypatch.chdir(tmp_path)
    name = git(repository, "rev-parse", what)
    path = repository / ".git/objects" / name[:2] / name[2:]
    path.unlink()
    os.mkfifo(path)
    assert status_of(command) in (0, 1, 2)  # 0: blame that is not to be had is left out


def test_git_that_is_silent_is_waited_for_once(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not for each of a thousand files; after a while it is asked again."""
    for number in range(30):
        (repository / f"f{number}").write_text(f"{number}")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "many")
    names = [git(repository, "rev-parse", f"HEAD:f{number}") for number in range(30)]
    host = revisions.RevisionHost(str(repository), "HEAD")
    monkeypatch.setattr(revisions, "_SECONDS", 1)
    monkeypatch.setattr(revisions, "_silent", {})
    for name in names:
        path = repository / ".git/objects" / name[:2] / name[2:]
        path.unlink()
        os.mkfifo(path)
    asked: list[object] = []
    popen = subprocess.Popen

    def counted(*given: Any, **named: Any) -> Any:
        asked.append(given)
        return popen(*given, **named)

    monkeypatch.setattr(subprocess, "Popen", counted)
    for number in range(30):
        with pytest.raises(CannotRead, match="git gave no answer"):
            host.read_bytes(str(repository / f"f{number}"))
        with pytest.raises(revisions.NoRevision, match="git gave no answer"):
            revisions.last_change(str(repository / f"f{number}"))
    assert len(asked) == 1
    assert list(revisions._silent) == [str(repository)]
    revisions._silent[str(repository)] = 0
    assert "many" in revisions.last_change(str(repository / "f1"))


def test_a_pack_that_is_a_pipe_does_not_hang(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for all objects at once."""
    monkeypatch.setattr(revisions, "_SECONDS", 1)
    monkeypatch.chdir(tmp_path)
    git(repository, "gc", "-q")
    (pack,) = (repository / ".git/objects/pack").glob("*.pack")
    pack.unlink()
    os.mkfifo(pack)
    assert status_of(["compile", "env@HEAD"]) == 1


def bomb(size: int) -> tuple[str, bytes, bytes]:
    """A pack with a difference that claims `size` bytes and unpacks to them; its object's name, pack and index."""

    def head(kind: int, size: int) -> bytes:
        first, size = kind << 4 | size & 15, size >> 4
        out = bytearray([first | (0x80 if size else 0)])
        while size:
            out.append(size & 0x7F | (0x80 if size >> 7 else 0))
            size >>= 7
        return bytes(out)

    length = min(size, 1 << 33)
    machine = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)  # a block that refers to no other can be repeated
    block = machine.compress(bytes(1 << 24)) + machine.flush(zlib.Z_FULL_FLUSH)
    check = struct.pack(">I", length % 65521 << 16 | 1)  # Adler-32 of so many zeros
    body = b"\x78\xda" + block * (length >> 24) + zlib.compressobj(9, wbits=-zlib.MAX_WBITS).flush() + check
    base = b"a file"
    first = head(3, len(base)) + zlib.compress(base)
    at = 12 + len(first)
    pack = b"PACK" + struct.pack(">II", 2, 2) + first + head(6, size) + bytes([len(first)]) + body
    pack += hashlib.sha1(pack).digest()
    names = sorted([(hashlib.sha1(b"blob 6\0a file").digest(), 12), (b"\x42" * 20, at)])
    index = b"\xfftOc" + struct.pack(">I", 2)
    index += b"".join(struct.pack(">I", sum(name[0] <= byte for name, _ in names)) for byte in range(256))
    index += b"".join(name for name, _ in names) + bytes(8) + b"".join(struct.pack(">I", place) for _, place in names)
    index += pack[-20:]
    return "42" * 20, pack, index + hashlib.sha1(index).digest()


@pytest.mark.parametrize("size", [1 << 33, 1 << 40])
def test_a_difference_that_claims_any_size_takes_bounded_memory(size: int, repository: Path, tmp_path: Path) -> None:
    """By git and by our own reader of flakes, in a process of its own."""
    name, pack, index = bomb(size)
    folder = repository / ".git/objects/pack"
    (folder / "pack-1.pack").write_bytes(pack)
    (folder / "pack-1.idx").write_bytes(index)
    tree = hashlib.sha1()
    entries = [b"100644 environment.conf\0", b"100644 flake.nix\0"]  # what either of the two reads first
    entry = b"".join(each + bytes.fromhex(name) for each in entries)
    content = b"tree %d\0" % len(entry) + entry
    tree.update(content)
    place = repository / ".git/objects" / tree.hexdigest()[:2]
    place.mkdir(exist_ok=True)
    (place / tree.hexdigest()[2:]).write_bytes(zlib.compress(content))
    git(repository, "update-ref", "HEAD", git(repository, "commit-tree", tree.hexdigest(), "-m", "x"))
    for command in (["eval", f"git+file:{repository}#x"], ["compile", "env@HEAD"]):
        ran = wherefrom(*command, cwd=tmp_path, gigabytes=8)
        assert ran.status in (1, 2), ran
        assert ran.megabytes < 2500, ran
        assert b"internal error" not in ran.err, ran
