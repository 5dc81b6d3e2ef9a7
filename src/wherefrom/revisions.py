"""Sources as they were: a `Host` that reads a revision of a git repository instead of the work tree.

`DIR@REV` (or `FILE@REV`) names a file or directory of the work tree at a revision. The work tree and the index are
neither read nor touched: the names of a revision's files come from one `git ls-tree`, their contents from one
`git cat-file --batch` that stays open for the run. Both are plumbing: no hook, filter, pager or `textconv` of the
repository is run. An object that a partial clone has left out is not fetched (a repository's own settings say by which
program that is done). How many names and bytes are taken from git is bounded. What lies outside the repository (a
module path of the system, say) is read as it is now.

Names are the user's own: `control@main` and `control` call the same file by the same name, so that a comparison
shows one place for both sides.

`blame` says who last wrote a line that is live now.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING

from .base.budget import current
from .base.diagnostics import CannotRead, Diagnostic, LimitReached, UsageError
from .base.host import MAX_FILE_BYTES, Host, RealHost
from .base.lines import changed_runs
from .base.record import Record

if TYPE_CHECKING:
    import subprocess

    from .base.source import Span

_SETTINGS = ("core.fsmonitor=false", "protocol.allow=never", "blame.ignoreRevsFile=", "mailmap.file=", "mailmap.blob=")
_GIT = (
    "git", "--no-pager", "--no-replace-objects", "--literal-pathspecs",
    *(word for setting in _SETTINGS for word in ("-c", setting)),
)  # fmt: skip
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ALLOW_PROTOCOL": "none",  # nothing is fetched, by whatever the repository calls a remote
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOC_LIMIT": "1g",
    "LC_ALL": "C",
}
_SECONDS = 120
"""How long git may take for an answer: a repository's settings may include a pipe that nobody writes to."""

_ELEMENTS_OF_A_NAME = 60
"""What a name in a revision draws from the budget.  Trees that share their parts can hold any number of names."""

_FEWEST_LINKS = 40
"""Links followed in one path; a kernel's own bound."""


class NoRevision(Diagnostic):
    """A revision, repository or `git` itself that is not there."""

    code = "W041"


def split_revision(path: str) -> tuple[str, str | None]:
    """`control@main` -> `control` and `main`.  A path that exists as it stands is no revision."""
    name, at, revision = path.rpartition("@")
    if not at or not revision or os.path.exists(path):
        return path, None
    if revision.startswith("-"):
        raise UsageError(f"{revision!r} is not a revision")
    return name or ".", revision


class RevisionHost(Host):
    """The files of a revision, and below allowed directories outside the repository the files of this machine."""

    def __init__(self, path: str, revision: str) -> None:
        folder = _nearest_directory(path)
        self._top = os.path.realpath(os.fsdecode(_git(folder, "rev-parse", "--show-toplevel").removesuffix(b"\n")))
        if self._inside(os.path.realpath(folder)) is None:  # what its settings call the work tree is another directory
            raise NoRevision(f"{path} is not below the work tree of its repository, {self._top}")
        self.commit = _commit(folder, revision)
        self._outside = RealHost([])
        self._allowed: set[str] = set()
        self._entries: dict[str, tuple[str, str]] = {}
        self._children: dict[str, set[str]] = {"": set()}
        self._contents: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()
        self._read_names()

    @property
    def identity(self) -> Hashable | None:
        return "revision", self._top, self.commit, self._outside.roots

    def allow(self, roots: Iterable[str]) -> None:
        """Allow directories outside the repository to be read, as they are now."""
        for root in roots:
            if self._inside(root) is None and root not in self._allowed:
                self._allowed.add(root)
                self._outside.allow(root)

    def _read_names(self) -> None:
        for entry in _records(self._top, "ls-tree", "-r", "-z", "--full-tree", self.commit):
            about, _, raw = entry.partition(b"\t")
            mode, kind, digest = about.decode().split(" ")
            name = os.fsdecode(raw)
            if kind == "blob":  # a submodule has no content here
                self._entries[name] = (mode, digest)
            while name:
                parent, _, last = name.rpartition("/")
                self._children.setdefault(parent, set()).add(last)
                name = parent

    def _inside(self, path: str) -> str | None:
        """`path` as the repository calls it, or nothing if it lies outside.  The work tree is not looked at."""
        absolute = os.path.normpath(os.path.join(_real_directory(), path))
        if absolute == self._top:
            return ""
        prefix = self._top.rstrip(os.sep) + os.sep
        return absolute[len(prefix) :] if absolute.startswith(prefix) else None

    def _resolved(self, path: str) -> str | None:
        """The name below the repository after links were followed; nothing if it is outside or leads out."""
        name = self._inside(path)
        if name is None:
            return None
        done = ""
        left = [part for part in name.split("/") if part]
        for _ in range(_FEWEST_LINKS + len(left)):
            if not left:
                return done
            step = f"{done}/{left[0]}" if done else left[0]
            if self._entries.get(step, ("", ""))[0] != "120000":
                done, left = step, left[1:]
                continue
            target = os.fsdecode(self._blob(step))
            if target.startswith("/"):
                return None
            joined = os.path.normpath("/".join(part for part in (done, target, *left[1:]) if part))
            if joined.startswith(".."):
                return None
            done, left = "", [part for part in joined.split("/") if part not in ("", ".")]
        return None

    def read_bytes(self, path: str, at: Span | None = None) -> bytes:
        if self._inside(path) is None:
            return self._outside.read_bytes(path, at)
        name = self._resolved(path)
        if name is None or name not in self._entries:
            reason = "is a directory" if name in self._children else f"not there at {self.commit[:12]}"
            raise CannotRead(path, reason, at)
        return self._blob(name, at)

    def _blob(self, name: str, at: Span | None = None) -> bytes:
        if self._contents is None or self._owner != os.getpid():  # a forked process asks by a pipe of its own
            import subprocess

            self._owner = os.getpid()

            self._contents = subprocess.Popen(
                [*_GIT, "-C", self._top, "cat-file", "--batch"],
                env=_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            weakref.finalize(self, _end, self._contents)
        questions, answers = self._contents.stdin, self._contents.stdout
        assert questions is not None and answers is not None
        questions.write(self._entries[name][1].encode() + b"\n")
        questions.flush()
        head = answers.readline().split()
        if len(head) != 3:
            raise CannotRead(name, "git has lost it", at)
        size = int(head[2])
        if size > MAX_FILE_BYTES:
            self._contents.kill()  # rather than to read what it is about to write; another will be started
            _end(self._contents)
            self._contents = None
            raise LimitReached(f"{name} has {size:,} bytes", MAX_FILE_BYTES, at)
        current().draw("bytes", size, "reading a revision", at)
        return answers.read(size + 1)[:-1]

    def kind(self, path: str) -> str | None:
        if self._inside(path) is None:
            return self._outside.kind(path)
        name = self._resolved(path)
        if name is None:
            return None
        if name in self._entries:
            return "file"
        return "directory" if name in self._children else None

    def list_directory(self, path: str, at: Span | None = None) -> list[str]:
        if self._inside(path) is None:
            return self._outside.list_directory(path, at)
        name = self._resolved(path)
        if name is None or name not in self._children:
            raise CannotRead(path, f"no such directory at {self.commit[:12]}", at)
        return sorted(self._children[name])

    def link_target(self, path: str) -> str | None:
        name = self._inside(path)
        if name is None or self._entries.get(name, ("", ""))[0] != "120000":
            return None
        return os.fsdecode(self._blob(name))

    def is_executable(self, path: str) -> bool:
        name = self._resolved(path)
        return name is not None and self._entries.get(name, ("", ""))[0] == "100755"

    def environment(self, name: str) -> str | None:
        return None

    def now(self) -> float:
        return self._outside.now()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process that read contents, when its host is gone."""
    process.communicate()


class Blame(Record):
    """Who last wrote a line: the commit, when (an ISO date), and its subject.  Nothing of a line not committed yet."""

    commit: str
    author: str
    date: str
    subject: str


def author_of(span: Span | None) -> str:
    """Who last wrote a place to edit, in a line."""
    if span is None:
        return "nobody: no place to edit is known"
    author = blame(span.file.name, span.line, span.file.text)
    if author is None:
        return "nobody: this line is not committed"
    return f"{author.commit[:10]}  {author.date}  {author.author}  {author.subject!r}"


def recent(path: str, count: int) -> list[dict[str, str]]:
    """The last commits that touched `path`, newest first.  Raises `NoRevision`."""
    folder = path if os.path.isdir(path) else os.path.dirname(path) or "."
    form = "--format=%h%x00%as%x00%an%x00%s"
    log = _git(folder, "log", f"-{count}", form, "--no-show-signature", "--", ".").decode("utf-8", "replace")
    names = ("commit", "date", "author", "subject")
    return [dict(zip(names, line.split("\0"), strict=True)) for line in log.splitlines() if line.count("\0") == 3]


def blame(path: str, line: int, text: str) -> Blame | None:
    """Who last wrote line `line` of a file whose text is now `text`; nothing if it is not committed.

    The line is looked up in the committed file, since `git blame` of a work tree would run the repository's filters.
    Lines moved within the commit that moved them, and renames of the file, are followed.
    """
    folder, name = os.path.split(os.path.realpath(path))
    try:
        committed = _git(folder, "cat-file", "blob", f"HEAD:./{name}").decode("utf-8", "replace")
        there = _line_before(committed.splitlines(), text.splitlines(), line)
        if there is None:
            return None
        place = ("-L", f"{there},{there}", "HEAD", "--", name)
        answer = _git(folder, "blame", "--porcelain", "--no-textconv", "-w", "-C", *place).decode("utf-8", "replace")
    except NoRevision:
        return None
    head, *rest = answer.splitlines()
    about = dict(part.partition(" ")[::2] for part in rest if not part.startswith("\t"))
    return Blame(head.split(" ")[0], about.get("author", ""), _date(about), about.get("summary", ""))


def _line_before(old: list[str], new: list[str], line: int) -> int | None:
    """The number that an unchanged line of `new` had in `old`, both from 1."""
    if not 1 <= line <= len(new):
        return None
    shift = 0
    for _, old_end, new_start, new_end in changed_runs(old, new):
        if line <= new_start:
            break
        if line <= new_end:
            return None
        shift = old_end - new_end
    return line + shift


def _date(about: dict[str, str]) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(int(about.get("author-time", "0")), UTC).date().isoformat()


def _commit(folder: str, revision: str) -> str:
    try:
        named = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except NoRevision:
        raise NoRevision(f"{revision} names no commit of this repository", help=_similar(folder, revision)) from None
    return named.decode().strip()


def _similar(folder: str, revision: str) -> str | None:
    from .base.spell import nearest

    names = _git(folder, "for-each-ref", "--format=%(refname:short)").decode("utf-8", "replace").splitlines()
    close = nearest(revision, names)
    return f"did you mean {close}?" if close else None


def _nearest_directory(path: str) -> str:
    """`path`, or the first directory above it that the work tree still has."""
    folder = os.path.abspath(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return folder


def _real_directory() -> str:
    return os.path.realpath(os.getcwd())


def _git(folder: str, *arguments: str) -> bytes:
    import subprocess

    try:
        done = subprocess.run(
            [*_GIT, "-C", folder, *arguments],
            check=False,
            capture_output=True,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
        )
    except ValueError:  # a character that no argument of a program can have
        raise NoRevision("no revision has such a name") from None
    except FileNotFoundError:
        raise NoRevision("git is not installed, or not on the PATH") from None
    except subprocess.TimeoutExpired:
        raise NoRevision(f"git gave no answer within {_SECONDS} seconds") from None
    if done.returncode != 0:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise NoRevision(f"git: {words[0].removeprefix('fatal: ') if words else 'failed'}")
    return done.stdout


def _environment() -> dict[str, str]:
    """The environment for git: none of its variables but ours (within a hook of git they would name a repository)."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT


def _records(folder: str, *arguments: str) -> Iterator[bytes]:
    """What a command of git says, between NUL characters; no more than the budget allows is ever held."""
    import subprocess

    budget = current()
    command = [*_GIT, "-C", folder, *arguments]
    with subprocess.Popen(
        command, env=_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        rest = b""
        try:
            while block := process.stdout.read(1 << 16):
                *records, rest = (rest + block).split(b"\0")
                budget.draw("elements", _ELEMENTS_OF_A_NAME * len(records), "listing the files of a revision")
                budget.draw("bytes", len(block), "listing the files of a revision")
                yield from records
        except BaseException:
            process.kill()
            raise
        if process.wait() != 0 or rest:
            raise NoRevision("git failed while it listed the files of the revision")
