"""A host that records what is read through it, and can say later which of the answers have changed.

What a session keeps from one run for the next (a loaded environment, parsed files) is valid as long as every answer
that went into it still stands: the bytes of a file, the names in a directory, that nothing is at a path. Such a record
is what build systems call a *verifying trace* (A. Mokhov, N. Mitchell, S. Peyton Jones, "Build Systems a la Carte",
ICFP 2018, section 4.2.2). `RecordingHost` stands between the real host and its callers and notes each answer together
with the state of the path (time of change, size, number of the file); `changes` compares all states again, with one
system call for each path.

    host.read_bytes("data/a.yaml")      notes: content of data/a.yaml, state (..., mtime 10:00:07, 120 bytes)
    host.changes()                      []                  the state is the same
    (somebody writes the file)
    host.changes()                      ["data/a.yaml"]     and forgets the note: the next reader reads it anew

A state is not proof: a file that is written twice within the clock's tick looks the same. So, as Git does with its
index ("racy git"), a state younger than `MOMENT` is not trusted and the content itself is compared; the same is done
for paths that are reported as changed (`distrust`).

A run whose result outlives the process needs the list of its questions (`ReadSet`). What a session keeps is read for
the first run that needs it and serves all later ones, so by default a question counts for *every* run of the session
(`shared`). Who caches answers and can tell which run uses them reads them inside `apart`, which records nothing, and
reports each use with `own`.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from .cache import Cache
from .diagnostics import Diagnostic
from .host import Host

if TYPE_CHECKING:
    from .source import Span

Answer = TypeVar("Answer")
State: TypeAlias = tuple[int, int, int, int, int] | None
"""Kind, time of change, size, number and device of what is at a path; nothing if there is nothing."""

MOMENT = 2_000_000_000
"""Nanoseconds; a file that was changed so shortly before we looked may have changed again unseen."""


SHORT = 16_384
"""Bytes; contents up to this long are kept as they are, of longer ones a hash."""


class _Note:
    """The answers given about one path, and the state that the path was in."""

    __slots__ = ("content", "link", "names", "state", "trusted")

    def __init__(self, state: State, trusted: bool) -> None:
        self.state = state
        self.trusted = trusted
        self.content: bytes | None = None
        """Digest of the bytes that were read; empty if reading failed."""
        self.names: list[str] | None = None
        self.link: tuple[str | None] | None = None
        """The target of the link, in a tuple, if that was asked for."""


MOST_ANSWERS = 20_000
"""Most answers that are cached after `stand_still`; when there are more, the oldest go."""

Question: TypeAlias = tuple[str, str]
"""What was asked: `content`, `names`, `kind` or `link` of a path, or what a language calls its own; and the name."""


class ReadSet:
    """The questions that one run depends on: its own, and those of what it shares with other runs of the session.

    With `queries` alone, it is enough to know what others were asked: no question about files is worked out.
    """

    def __init__(self, queries: bool = False) -> None:
        self.queries = queries
        self.own: dict[Question, None] = {}
        self.shared: dict[Question, None] = {}


class _Apart:
    """A context in which reads are not recorded; callers record them with `own`."""

    __slots__ = ("depth",)

    def __init__(self) -> None:
        self.depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *raised: object) -> None:
        self.depth -= 1


class RecordingHost(Host):
    """See the module's text.  `host` may be replaced by another one that sees the same files."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._still: Cache[tuple[str, str], Any] | None = None
        """Answers about paths, by method and path, once the files are taken to stand still."""
        self._notes: dict[str, _Note] = {}
        self._shared: dict[Question, None] = {}
        self._apart = _Apart()
        self._reads: ReadSet | None = None

    # --- the reads of one run ---

    @contextmanager
    def recording(self, reads: ReadSet) -> Iterator[None]:
        """A context for one run; afterwards `reads` has everything that the run depends on."""
        self._reads = reads
        try:
            yield
        finally:
            self._reads = None
            reads.shared = dict(self._shared)

    def asked(self) -> Iterator[Question]:
        """Every question so far, of any run: the reads of a run that failed before its own were known."""
        yield from self._shared
        for path, note in self._notes.items():
            yield "kind", path
            if note.content is not None:
                yield "content", path
            if note.names is not None:
                yield "names", path
            if note.link is not None:
                yield "link", path

    def own(self, kind: str, name: str) -> None:
        if self._reads is not None:
            self._reads.own[kind, name] = None

    def apart(self) -> AbstractContextManager[None]:
        return self._apart

    @property
    def identity(self) -> Hashable | None:
        return self.host.identity

    # --- files that stand still ---

    @property
    def is_still(self) -> bool:
        """Whether the files are taken not to change any more."""
        return self._still is not None

    def stand_still(self) -> None:
        """Take the files as unchanging from now on: no states are noted, and each path is looked at once."""
        self._still = Cache(MOST_ANSWERS)

    def _once(self, ask: Callable[[str], Answer], path: str) -> Answer:
        """The answer of `ask`; cached once the files are taken to stand still."""
        known = self._still
        if known is None:
            self._note(path)
            return ask(path)
        if not self._apart.depth:
            self._shared["kind", path] = None
        key = (ask.__name__, path)
        if key not in known:
            known.keep(key, ask(path))
        answer: Answer = known[key]
        return answer

    # --- asking ---

    def _note(self, path: str, aspect: str = "kind") -> _Note:
        if not self._apart.depth:
            self._shared[aspect, path] = None
        if self._still is not None:
            return _Note(None, False)
        note = self._notes.get(path)
        if note is None:
            state = _state(path)
            note = self._notes[path] = _Note(state, _is_old(state))
        return note

    def read_bytes(self, path: str, at: Span | None = None) -> bytes:
        note = self._note(path, "content")
        note.content = b""
        data = self.host.read_bytes(path, at)
        note.content = _digest(data)
        return data

    def list_directory(self, path: str, at: Span | None = None) -> list[str]:
        note = self._note(path, "names")
        note.names = []
        note.names = self.host.list_directory(path, at)
        return note.names

    def kind(self, path: str) -> str | None:
        return self._once(self.host.kind, path)

    def is_file(self, path: str) -> bool:
        return self._once(self.host.is_file, path)

    def is_directory(self, path: str) -> bool:
        return self._once(self.host.is_directory, path)

    def exists(self, path: str) -> bool:
        return self._once(self.host.exists, path)

    def kind_asked(self, path: str) -> str | None:
        self.exists(path)
        return self.host.kind_asked(path)

    def link_target(self, path: str) -> str | None:
        target = self.host.link_target(path)
        self._note(path, "link").link = (target,)
        return target

    def is_executable(self, path: str) -> bool:
        self._note(path)
        return self.host.is_executable(path)

    def modified(self, path: str) -> int:
        self._note(path)
        return self.host.modified(path)

    def real(self, path: str) -> str:
        return self.host.real(path)

    def environment(self, name: str) -> str | None:
        self._shared["variable", name] = None
        return self.host.environment(name)

    def now(self) -> float:
        return self.host.now()

    # --- looking again ---

    def changes(self) -> list[str]:
        """The paths whose answers have changed.  Their notes are forgotten: the next reader notes them anew."""
        changed = [path for path, note in self._notes.items() if not self._holds(path, note)]
        for path in changed:
            del self._notes[path]
        return changed

    def _holds(self, path: str, note: _Note) -> bool:
        """Whether the answers given about a path still stand."""
        state = _state(path)
        if (state is None) != (note.state is None) or (state and note.state and state[0] != note.state[0]):
            return False
        if note.link is not None and note.link != (self.host.link_target(path),):
            return False
        if state == note.state and note.trusted:
            return True
        trusted = _is_old(state)
        if note.content is not None and note.content != _asked(lambda: _digest(self.host.read_bytes(path)), b""):
            return False
        nothing: list[str] = []
        if note.names is not None and note.names != _asked(lambda: self.host.list_directory(path), nothing):
            return False
        note.state, note.trusted = state, trusted
        return True

    def distrust(self, paths: Iterable[str]) -> None:
        """These (absolute) paths or what is below them are said to have changed: compare contents, not states.

        A file may have been read by another name, through a symbolic link; it is known by its number on its device.
        """
        changed_paths = [path.rstrip(os.sep) for path in paths]
        states = [_state(path) for path in changed_paths]
        numbers = {state[3:] for state in states if state is not None}
        real = [
            os.path.realpath(path)
            for path, state in zip(changed_paths, states, strict=True)
            if state is not None and stat.S_ISDIR(state[0])
        ]
        for path, note in self._notes.items():
            full = os.path.abspath(path)
            if (
                (note.state is not None and note.state[3:] in numbers)
                or any(_is_near(full, changed_path) for changed_path in changed_paths)
                or (real and any(_is_near(os.path.realpath(full), changed_path) for changed_path in real))
            ):
                note.trusted = False


def _is_near(path: str, other: str) -> bool:
    """Whether one of two paths is the other, or is below it."""
    return path == other or path.startswith(other + os.sep) or other.startswith(path + os.sep)


def _state(path: str) -> State:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return stat.S_IFMT(status.st_mode), status.st_mtime_ns, status.st_size, status.st_ino, status.st_dev


def _is_old(state: State) -> bool:
    return state is None or time.time_ns() - state[1] > MOMENT


def _digest(data: bytes) -> bytes:
    """A key that is equal only for equal contents: the content itself if it is short, else its digest."""
    if len(data) <= SHORT:
        return b"." + data
    from .digests import blake2b

    return b"#" + blake2b(data, digest_size=32).digest()


def _asked(question: Callable[[], Answer], failed: Answer) -> Answer:
    try:
        return question()
    except Diagnostic:
        return failed
