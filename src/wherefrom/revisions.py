"""Sources as they were: a `Host` that reads a revision of a git repository instead of the work tree.

`DIR@REV` (or `FILE@REV`) names a file or directory of the work tree at a revision. What git holds of it is read from
git alone: the names of a revision's files come from one `git ls-tree`, their contents from one `git cat-file --batch`
that stays open for the run. Both are plumbing: no hook, filter, pager or `textconv` of the repository is run. An object
that a partial clone has left out is not fetched (a repository's own settings say by which program that is done). How
many names and bytes are taken from git is bounded.

What git does not hold comes from elsewhere, since most repositories have modules in a folder that git ignores, put
there by a `Puppetfile`:

- what git ignores in the work tree is read there, unless the revision has it (`git ls-files` tells, when something is
  missed for the first time), and so are modules that its `Puppetfile` names (`expect`); what else is new in the work
  tree is not in the revision;
- a directory that was given for one of the repository's (`lend`) is read instead of that, unless the revision has it;
- of a submodule, the commit that the revision names, from the submodule's own repository, if that has it;
- what lies outside the repository (a module path of the system, say), as it is now.

Names are the user's own: `control@main` and `control` call the same file by the same name, so that a comparison
shows one place for both sides.

`blame` says who last wrote a line that is live now.
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from .base.budget import current
from .base.diagnostics import CannotRead, Diagnostic, LimitReached, UsageError
from .base.host import MAX_FILE_BYTES, Host, RealHost
from .base.lines import changed_runs
from .base.record import Record
from .base.source import lines_of

if TYPE_CHECKING:
    import subprocess

    from .base.source import Span

_SETTINGS = (
    "core.fsmonitor=false", "protocol.allow=never", "blame.ignoreRevsFile=", "mailmap.file=", "mailmap.blob=",
    "core.packedGitWindowSize=32m", "core.packedGitLimit=512m", "core.bigFileThreshold=64m",
)  # fmt: skip
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
_SECONDS = 60
"""How long git may say nothing: settings, objects and packs of a repository may be pipes that nobody writes to."""
_MEMORY = 3 << 30
"""Address space of a git: an object may claim any size."""

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
        self._beside = RealHost([self._top])
        """What is read for what git does not hold."""
        self._allowed: set[str] = set()
        self._given: dict[str, str] = {}
        self._expected: list[str] = []
        self._ignored: frozenset[str] | None = None
        self._submodules: dict[str, str] = {}
        self._nested: dict[str, RevisionHost | None] = {}
        self._entries: dict[str, tuple[str, str]] = {}
        self._children: dict[str, set[str]] = {"": set()}
        self._contents: subprocess.Popen[bytes] | None = None
        self._answers: _Answers | None = None
        self._owner = os.getpid()
        self._read_names()

    @property
    def identity(self) -> Hashable | None:
        return "revision", self._top, self.commit, self._outside.roots, tuple(self._given.items())

    def lend(self, folder: str, given: str) -> None:
        """Read `given` for a directory of the repository, where the revision does not have what is asked for."""
        name = self._inside(folder)
        if name:
            self._given[name] = given
            self._beside.allow(given)

    def expect(self, folders: Iterable[str]) -> None:
        """Directories that something else than git is to put into the work tree: a `Puppetfile` names them."""
        self._expected = [name for folder in folders if (name := self._inside(folder)) and not self.holds(folder)]

    def allow(self, roots: Iterable[str]) -> None:
        """Allow directories outside the repository to be read, as they are now."""
        for root in roots:
            if self._inside(root) is None and root not in self._allowed:
                self._allowed.add(root)
                self._outside.allow(root)
                self._beside.allow(root)

    def _read_names(self) -> None:
        for entry in _records(self._top, "ls-tree", "-r", "-z", "--full-tree", self.commit):
            about, _, raw = entry.partition(b"\t")
            mode, kind, digest = about.decode().split(" ")
            name = os.fsdecode(raw)
            if kind == "blob":
                self._entries[name] = (mode, digest)
            elif kind == "commit":
                self._submodules[name] = digest
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

    def holds(self, path: str) -> bool:
        """Whether git itself has something at a path, or below it, in this revision."""
        name = self._resolved(path)
        return name is not None and (name in self._entries or name in self._children or name in self._submodules)

    # --- what git does not hold ---

    def _elsewhere(self, name: str | None) -> tuple[Host, str] | None:
        """Who has what the revision does not, and by which path: see the module's text."""
        if name is None or name in self._entries or name in self._children:
            return None
        above = name  # the nearest that the revision has
        while above not in self._children and above not in self._entries and above not in self._submodules:
            above = os.path.dirname(above)
        if above in self._submodules:
            nested = self._submodule(above)
            return None if nested is None else (nested, os.path.join(self._top, name))
        if above in self._entries:
            return None
        for folder, given in self._given.items():
            if _is_below(name, folder):
                rest = os.path.relpath(name, folder)
                return None if _is_strictly_below(above, folder) else (self._beside, os.path.join(given, rest))
        if not any(_is_below(name, one) and not _is_strictly_below(above, one) for one in self._ignored_names()):
            return None
        place = os.path.join(self._top, name)
        real = os.path.realpath(place)
        inside = self._inside(real)
        return (self._beside, place) if inside is None or inside == name else (self, real)

    def _ignored_names(self) -> frozenset[str]:
        """What git ignores in the work tree; of a directory that it ignores as a whole, the directory.

        And modules that are expected beside git (`expect`) and are there, ignored or not.
        """
        if self._ignored is None:
            ignored = set(self._others("--ignored"))
            expected = [name for name in self._expected if not any(_is_below(name, one) for one in ignored)]
            new = set(self._others()) if expected else set()
            self._ignored = frozenset(
                [*ignored, *(name for name in expected if any(_is_below(name, one) for one in new))]
            )
        return self._ignored

    def _others(self, *options: str) -> Iterator[str]:
        """What is in the work tree and not in git's index; directories as a whole, where they are."""
        listed = ("ls-files", "-z", "--others", *options, "--exclude-standard", "--directory")
        names = (os.fsdecode(name).rstrip("/") for name in _records(self._top, *listed))
        return filter(None, names)

    def _submodule(self, name: str) -> RevisionHost | None:
        """The commit of a submodule that the revision names, if its own repository is here and has it."""
        if name not in self._nested:
            place = os.path.join(self._top, name)
            nested: RevisionHost | None = None
            with suppress(NoRevision):
                nested = RevisionHost(place, self._submodules[name])
            self._nested[name] = nested if nested is not None and nested._top == place else None
        return self._nested[name]

    def _names_beside(self, folder: str) -> Iterator[str]:
        """The names in a directory of the revision that are there from elsewhere."""
        known = self._children[folder]
        beside = (*self._ignored_names(), *self._given)
        names = {os.path.basename(one) for one in beside if os.path.dirname(one) == folder}
        if folder in self._given:
            names.update(_names_in(self._beside, self._given[folder]))
        elif folder in self._ignored_names():
            names.update(_names_in(self._beside, os.path.join(self._top, folder)))
        for name in names.difference(known):
            there = self._elsewhere(f"{folder}/{name}" if folder else name)
            if there is not None and there[0].kind(there[1]) is not None:
                yield name

    # --- reading ---

    def read_bytes(self, path: str, at: Span | None = None) -> bytes:
        if self._inside(path) is None:
            return self._outside.read_bytes(path, at)
        name = self._resolved(path)
        there = self._elsewhere(name)
        if there is not None:
            return there[0].read_bytes(there[1], at)
        if name is None or name not in self._entries:
            reason = "is a directory" if name in self._children else f"not in revision {self.commit[:12]}"
            raise CannotRead(path, reason, at)
        return self._blob(name, at)

    def _blob(self, name: str, at: Span | None = None) -> bytes:
        try:
            _require_answers(self._top)
        except NoRevision as problem:
            raise CannotRead(name, problem.message, at) from None
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
            _bound(self._contents)
            self._answers = _Answers(self._contents)
            weakref.finalize(self, _end, self._contents)
        questions, answers = self._contents.stdin, self._answers
        assert questions is not None and answers is not None
        try:
            questions.write(self._entries[name][1].encode() + b"\n")
            questions.flush()
            head = answers.line().split()
            size = int(head[2]) if len(head) == 3 else 0
            if size > MAX_FILE_BYTES:
                raise LimitReached(f"{name} has {size:,} bytes", MAX_FILE_BYTES, at)
            current().draw("bytes", size, "reading a revision", at)
            if len(head) == 3:
                return answers.exactly(size + 1)[:-1]
        except BaseException as problem:
            self._contents.kill()  # rather than to read what it is about to write; another will be started
            _end(self._contents)
            self._contents = None
            if isinstance(problem, OSError | EOFError):
                late = isinstance(problem, TimeoutError)
                words = _no_answer(self._top).message if late else "the object is missing from the repository"
                raise CannotRead(name, words, at) from None
            raise
        raise CannotRead(name, "the object is missing from the repository", at)

    def kind(self, path: str) -> str | None:
        if self._inside(path) is None:
            return self._outside.kind(path)
        name = self._resolved(path)
        if name is None:
            return None
        if name in self._entries:
            return "file"
        if name in self._children:
            return "directory"
        there = self._elsewhere(name)
        return None if there is None else there[0].kind(there[1])

    def kind_asked(self, path: str) -> str | None:
        return self._outside.kind_asked(path) if self._inside(path) is None else self.kind(path)

    def list_directory(self, path: str, at: Span | None = None) -> list[str]:
        if self._inside(path) is None:
            return self._outside.list_directory(path, at)
        name = self._resolved(path)
        there = self._elsewhere(name)
        if there is not None:
            return there[0].list_directory(there[1], at)
        if name is None or name not in self._children:
            raise CannotRead(path, f"no such directory in revision {self.commit[:12]}", at)
        return sorted(self._children[name].union(self._names_beside(name)))

    def link_target(self, path: str) -> str | None:
        name = self._inside(path)
        if name is None or self._entries.get(name, ("", ""))[0] != "120000":
            return None  # a link beside is followed: what it leads to is read through `_elsewhere`
        return os.fsdecode(self._blob(name))

    def is_executable(self, path: str) -> bool:
        name = self._resolved(path)
        there = self._elsewhere(name)
        if there is not None:
            return there[0].is_executable(there[1])
        return name is not None and self._entries.get(name, ("", ""))[0] == "100755"

    def environment(self, name: str) -> str | None:
        return None

    def now(self) -> float:
        return self._outside.now()


def _is_below(name: str, folder: str) -> bool:
    return name == folder or _is_strictly_below(name, folder)


def _is_strictly_below(name: str, folder: str) -> bool:
    return name.startswith(f"{folder}/")


def _names_in(host: Host, folder: str) -> list[str]:
    return host.list_directory(folder) if host.kind(folder) == "directory" else []


class _Answers:
    """What a process writes, read with patience: it may wait for a pipe that nobody writes to."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        self._descriptor = process.stdout.fileno()
        self._waiting = bytearray()

    def more(self) -> bytes:
        """Some more; nothing at the end.  Raises `TimeoutError`."""
        import select

        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        if not poll.poll(1000 * _SECONDS):
            raise TimeoutError
        return os.read(self._descriptor, 1 << 16)

    def _wait(self) -> None:
        piece = self.more()
        if not piece:
            raise EOFError
        self._waiting += piece

    def line(self) -> bytes:
        """The next line.  Raises `TimeoutError`, or `EOFError`."""
        while (end := self._waiting.find(b"\n")) < 0:
            self._wait()
        return self._taken(end + 1)

    def exactly(self, size: int) -> bytes:
        """So many bytes.  Raises as `line` does."""
        while len(self._waiting) < size:
            self._wait()
        return self._taken(size)

    def _taken(self, size: int) -> bytes:
        taken = bytes(memoryview(self._waiting)[:size])
        del self._waiting[:size]
        return taken


def _bound(process: subprocess.Popen[bytes]) -> None:
    """Bound the memory of a process that has just begun, where the system can."""
    import resource

    with suppress(OSError, ValueError, AttributeError):
        resource.prlimit(process.pid, resource.RLIMIT_AS, (_MEMORY, _MEMORY))


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
    return [dict(zip(names, line.split("\0"), strict=True)) for line in lines_of(log) if line.count("\0") == 3]


def last_change(file: str) -> str:
    """The last commit of a file, in a line; empty where it has none.  Raises `NoRevision`."""
    folder, name = os.path.split(os.path.realpath(file))
    form = "--format=%h%x00%as%x00%an%x00%s"
    log = _git(folder, "log", "-1", form, "--no-show-signature", "--", name).decode("utf-8", "replace")
    return "  ".join(lines_of(log)[0].split("\0")) if log else ""


def blame(path: str, line: int, text: str) -> Blame | None:
    """Who last wrote line `line` of a file whose text is now `text`; nothing if it is not committed.

    The line is looked up in the committed file, since `git blame` of a work tree would run the repository's filters.
    Lines moved within the commit that moved them, and renames of the file, are followed.
    """
    folder, name = os.path.split(os.path.realpath(path))
    try:
        committed = _git(folder, "cat-file", "blob", f"HEAD:./{name}").decode("utf-8", "replace")
        there = _line_before(lines_of(committed), lines_of(text), line)
        if there is None:
            return None
        place = ("-L", f"{there},{there}", "HEAD", "--", name)
        answer = _git(folder, "blame", "--porcelain", "--no-textconv", "-w", "-C", *place).decode("utf-8", "replace")
    except NoRevision:
        return None
    head, *rest = lines_of(answer)
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
        raise NoRevision(f"{revision} is not a revision of this repository", help=_similar(folder, revision)) from None
    return named.decode().strip()


def _similar(folder: str, revision: str) -> str | None:
    from .base.spell import nearest

    names = lines_of(_git(folder, "for-each-ref", "--format=%(refname:short)").decode("utf-8", "replace"))
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


_LATER = 600
"""Seconds until git is asked again in a repository in which it gave no answer."""
_silent: dict[str, float] = {}
"""Repositories in which git gave no answer, and the time until which it is not asked there again."""


def _require_answers(folder: str) -> None:
    """Raise `NoRevision` where git was silent a while ago: who asks about each of a thousand files waits once."""
    if _silent and _silent.get(_repository(folder), 0.0) > time.monotonic():
        raise _no_answer(folder)


def _no_answer(folder: str) -> NoRevision:
    """What is said where git gives no answer, now and for a while."""
    repository = _repository(folder)
    if _silent.get(repository, 0.0) <= time.monotonic():
        _silent[repository] = time.monotonic() + _LATER
    return NoRevision(f"git gave no answer within {_SECONDS} seconds")


def _repository(folder: str) -> str:
    """The directory that a repository is in, or would be."""
    place = os.path.realpath(folder)
    while not os.path.lexists(os.path.join(place, ".git")) and place != os.path.dirname(place):
        place = os.path.dirname(place)
    return place


def _git(folder: str, *arguments: str) -> bytes:
    import subprocess

    _require_answers(folder)
    command = [*_GIT, "-C", folder, *arguments]
    piped = subprocess.PIPE
    try:
        with subprocess.Popen(
            command, env=_environment(), stdin=subprocess.DEVNULL, stdout=piped, stderr=piped
        ) as process:
            _bound(process)
            try:
                said, complained = process.communicate(timeout=_SECONDS)
            except BaseException:
                process.kill()
                raise
    except ValueError:  # a character that no argument of a program can have
        raise NoRevision("no such revision") from None
    except FileNotFoundError:
        raise NoRevision("git is not installed, or not on the PATH") from None
    except subprocess.TimeoutExpired:
        raise _no_answer(folder) from None
    if process.returncode != 0:
        words = lines_of(complained.decode("utf-8", "replace").strip())
        raise NoRevision(f"git: {words[0].removeprefix('fatal: ') if words else 'failed'}")
    return said


def _environment() -> dict[str, str]:
    """The environment for git: none of its variables but ours (within a hook of git they would name a repository)."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT


def _records(folder: str, *arguments: str) -> Iterator[bytes]:
    """What a command of git says, between NUL characters; no more than the budget allows is ever held."""
    import subprocess

    _require_answers(folder)
    budget = current()
    command = [*_GIT, "-C", folder, *arguments]
    with subprocess.Popen(
        command, env=_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        _bound(process)
        answers = _Answers(process)
        rest = b""
        try:
            while block := answers.more():
                *records, rest = (rest + block).split(b"\0")
                budget.draw("elements", _ELEMENTS_OF_A_NAME * len(records), "listing the files of a revision")
                budget.draw("bytes", len(block), "listing the files of a revision")
                yield from records
        except TimeoutError:
            process.kill()
            raise _no_answer(folder) from None
        except BaseException:
            process.kill()
            raise
        if process.wait() != 0 or rest:
            raise NoRevision("git failed while it listed the files of the revision")
