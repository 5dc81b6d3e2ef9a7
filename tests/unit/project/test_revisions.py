"""Revisions of a git repository read as a host: names, contents, links, what is outside; and blame."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from wherefrom.base.diagnostics import CannotRead, OutsideRoots, UsageError
from wherefrom.revisions import Blame, NoRevision, RevisionHost, blame, split_revision

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
    environment = {**os.environ, "GIT_AUTHOR_DATE": "2026-03-02T12:00:00Z", "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(
        ["git", *identity, "-C", str(folder), *arguments], capture_output=True, text=True, env=environment, check=True
    )
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two commits; the work tree differs from both."""
    repo = tmp_path / "repo"
    (repo / "modules/m").mkdir(parents=True)
    git(tmp_path, "init", "-q", "-b", "main", "repo")
    (repo / "site.pp").write_text("first\n")
    (repo / "modules/m/init.pp").write_text("class m {}\n")
    (repo / "link.pp").symlink_to("modules/m/init.pp")
    (repo / "folder").symlink_to("modules")
    (repo / "loop").symlink_to("loop")
    (repo / "out").symlink_to("../secret")
    (repo / "absolute").symlink_to(str(tmp_path / "secret"))
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "web: the first")
    git(repo, "tag", "v1")
    (repo / "site.pp").write_text("first\nsecond\n")
    git(repo, "commit", "-qam", "web: a second line")
    (repo / "site.pp").write_text("not committed\n")
    (tmp_path / "secret").write_text("secret")
    monkeypatch.chdir(repo)
    return repo


def test_contents_are_the_revision_s(repository: Path) -> None:
    """Neither the work tree nor the index is looked at; names may be relative or absolute."""
    assert RevisionHost(".", "v1").read_bytes("site.pp") == b"first\n"
    assert RevisionHost(".", "main").read_bytes("site.pp") == b"first\nsecond\n"
    assert RevisionHost(".", "HEAD~1").read_bytes(str(repository / "site.pp")) == b"first\n"
    assert RevisionHost("modules", "v1").read_bytes("modules/../site.pp") == b"first\n"
    assert RevisionHost("gone/away", "v1").kind("site.pp") == "file"
    assert (repository / "site.pp").read_text() == "not committed\n"
    assert git(repository, "status", "--porcelain") == " M site.pp\n"


def test_directories_and_links(repository: Path) -> None:
    """A revision has directories, and links are followed inside it."""
    host = RevisionHost(".", "v1")
    assert host.list_directory("modules") == ["m"]
    assert host.list_directory("folder/m") == ["init.pp"]
    assert host.read_bytes("link.pp") == host.read_bytes("folder/m/init.pp") == b"class m {}\n"
    assert [host.kind(name) for name in (".", "modules", "site.pp", "nothing")] == [
        "directory",
        "directory",
        "file",
        None,
    ]
    assert host.link_target("link.pp") == "modules/m/init.pp"
    with pytest.raises(CannotRead):
        host.list_directory("site.pp")


@pytest.mark.parametrize("name", ["out", "absolute", "loop", "../secret", "modules/../../secret"])
def test_nothing_leads_out(repository: Path, name: str) -> None:
    """Links and dots that leave the repository find nothing; what was not given can not be read."""
    host = RevisionHost(".", "v1")
    with pytest.raises((CannotRead, OutsideRoots)):
        host.read_bytes(name)
    assert host.kind(name) is None


def test_given_roots_outside_are_read_as_they_are(repository: Path, tmp_path: Path) -> None:
    """A module path of the system has no revision."""
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/x.pp").write_text("now")
    host = RevisionHost(".", "v1")
    host.allow([str(tmp_path / "shared")])
    assert host.read_bytes(str(tmp_path / "shared/x.pp")) == b"now"


def test_unknown_revisions(repository: Path, tmp_path: Path) -> None:
    """A clear error, with a name that is close; a directory outside any repository too."""
    with pytest.raises(NoRevision, match="is not a revision") as caught:
        RevisionHost(".", "mian")
    assert caught.value.help == "did you mean main?"
    with pytest.raises(NoRevision, match="not a git repository"):
        RevisionHost(str(tmp_path), "main")


def test_names_of_revisions(repository: Path) -> None:
    """`DIR@REV`; a file whose name has an @ is a file; a revision can not be an option of git."""
    assert split_revision("modules@v1") == ("modules", "v1")
    assert split_revision("@v1") == (".", "v1")
    assert split_revision("site.pp") == ("site.pp", None)
    (repository / "a@b.pp").write_text("")
    assert split_revision("a@b.pp") == ("a@b.pp", None)
    assert split_revision("a@b.pp@v1") == ("a@b.pp", "v1")
    with pytest.raises(UsageError):
        split_revision("modules@--upload-pack=x")


def test_configuration_of_the_repository_runs_nothing(repository: Path, tmp_path: Path) -> None:
    """Filters and textconv of a hostile repository are not run."""
    mark = tmp_path / "ran"
    for name in ("filter.x.smudge", "filter.x.clean", "diff.x.textconv", "core.fsmonitor", "core.pager"):
        git(repository, "config", name, f"touch {mark}")
    (repository / ".gitattributes").write_text("* filter=x diff=x\n")
    assert RevisionHost(".", "main").read_bytes("site.pp") == b"first\nsecond\n"
    assert blame("modules/m/init.pp", 1, "class m {}\n") is not None
    assert not mark.exists()


def test_blame(repository: Path) -> None:
    """Commit, author, date and subject; nothing for a line that is not committed or not in a repository."""
    text = "first\nsecond\n"
    answer = blame("site.pp", 2, text)
    assert isinstance(answer, Blame)
    assert (answer.author, answer.date, answer.subject) == ("Ada", "2026-03-02", "web: a second line")
    assert answer.commit == git(repository, "rev-parse", "main").strip()
    assert blame("site.pp", 3, text + "third\n") is None
    assert blame("site.pp", 99, text) is None
    assert blame("/nowhere/x.pp", 1, text) is None
    git(repository, "checkout", "-q", "site.pp")
    git(repository, "mv", "site.pp", "moved.pp")
    git(repository, "commit", "-qm", "moved")
    moved = blame("moved.pp", 2, text)
    assert moved is not None and moved.subject == "web: a second line"


@pytest.mark.parametrize(
    ("now", "line", "subject"),
    [
        ("zero\nfirst\nsecond\n", 2, "web: the first"),
        ("zero\nfirst\nsecond\n", 3, "web: a second line"),
        ("zero\nfirst\nsecond\n", 1, None),
        ("second\n", 1, "web: a second line"),
        ("first\nbetween\nsecond\n", 3, "web: a second line"),
        ("first\nbetween\nsecond\n", 2, None),
    ],
)
def test_blame_of_an_edited_file(repository: Path, now: str, line: int, subject: str | None) -> None:
    """Lines of an edited file are found where the commit has them."""
    answer = blame("site.pp", line, now)
    assert (answer.subject if answer else None) == subject
