"""A `Witness`: a host that remembers what it was asked, and can say later which answers would be others now.

What a session keeps from one run for the next (a loaded environment, parsed files) is good as long as every answer
that went into it still stands: the bytes of a file, the names in a directory, that there is nothing at a path. The
witness stands between the host and whoever asks, notes each answer with the state of the path (time of change, size,
number of the file), and `changes` looks at all of them again: one call of the system for each path.

A state tells less than it seems: a file that is written twice within the clock's tick looks the same. So, as Git does
with its index, a state that is younger than a moment is not believed, and the content itself is compared; so it is
where somebody says that a file changed (`distrust`).

A run that is to be kept beyond its process needs the list itself: every question whose answer it hangs on (`Reads`).
What a session keeps is read for whoever asks first and serves all later runs, so a question counts for *every* run of
the session (`shared`), unless whoever keeps the answer says, run by run, who uses it (`own`), and reads it `apart`.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TypeAlias, TypeVar

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
    """What was asked about one path, and the state it was in."""

    __slots__ = ("content", "link", "names", "state", "trusted")

    def __init__(self, state: State, trusted: bool) -> None:
        self.state = state
        self.trusted = trusted
        self.content: bytes | None = None
        """What the bytes that were read are known by; empty if reading failed."""
        self.names: list[str] | None = None
        self.link: tuple[str | None] | None = None
        """Where the link points that was asked for."""


MOST_ANSWERS = 20_000
"""Answers about paths that are kept where files stand still; with more, all are asked again."""

Question: TypeAlias = tuple[str, str]
"""What was asked: `content`, `names`, `kind` or `link` of a path, or what a language calls its own; and the name."""


class Reads:
    """The questions that one run hangs on: its own, and those of everything that it shares with other runs."""

    def __init__(self) -> None:
        self.own: dict[Question, None] = {}
        self.shared: dict[Question, None] = {}


class _Apart:
    """Inside of it, questions are nobody's beside those who say so."""

    __slots__ = ("depth",)

    def __init__(self) -> None:
        self.depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *raised: object) -> None:
        self.depth -= 1


class Witness(Host):
    """See the module's text.  `host` may be exchanged for another that sees the same files."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._still: dict[tuple[str, str], bool | str | None] | None = None
        """What is at paths, where files are taken to stand still."""
        self._notes: dict[str, _Note] = {}
        self._shared: dict[Question, None] = {}
        self._apart = _Apart()
        self._reads: Reads | None = None

    # --- what a run hangs on ---

    @contextmanager
    def recording(self, reads: Reads) -> Iterator[None]:
        """Inside, a run is made whose reads are to be known; afterwards `reads` has them."""
        self._reads = reads
        try:
            yield
        finally:
            self._reads = None
            reads.shared = dict(self._shared)

    def asked(self) -> Iterator[Question]:
        """Every question so far, whosever it was; for what came to its end before runs could say what is theirs."""
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
        """Whether nobody will ask any more what has changed."""
        return self._still is not None

    def stand_still(self) -> None:
        """From now on the files are taken to be as they are: nothing is noted, and what is at a path is asked once."""
        self._still = {}

    def _once(self, ask: Callable[[str], Answer], path: str) -> Answer:
        """What is at a path; where files stand still, an answer that was given before."""
        known = self._still
        if known is None:
            self._note(path)
            return ask(path)
        if not self._apart.depth:
            self._shared["kind", path] = None
        key = (ask.__name__, path)
        if key not in known:
            if len(known) >= MOST_ANSWERS:
                known.clear()
            known[key] = ask(path)  # type: ignore[assignment]
        return known[key]  # type: ignore[return-value]

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
        """The paths about which something else would be answered now.  They are forgotten: whoever asks, asks anew."""
        changed = [path for path, note in self._notes.items() if not self._holds(path, note)]
        for path in changed:
            del self._notes[path]
        return changed

    def _holds(self, path: str, note: _Note) -> bool:
        """Whether what was answered about a path is still so."""
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
        """Somebody says that these (absolute) paths, or what lies below them, changed."""
        told = [path.rstrip(os.sep) for path in paths]
        for path, note in self._notes.items():
            full = os.path.abspath(path)
            if any(
                full == changed_path or full.startswith(changed_path + os.sep) or changed_path.startswith(full + os.sep)
                for changed_path in told
            ):
                note.trusted = False


def _state(path: str) -> State:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return stat.S_IFMT(status.st_mode), status.st_mtime_ns, status.st_size, status.st_ino, status.st_dev


def _is_old(state: State) -> bool:
    return state is None or time.time_ns() - state[1] > MOMENT


def _digest(data: bytes) -> bytes:
    """What tells this content from others: itself, if it is short."""
    if len(data) <= SHORT:
        return b"." + data
    from .digests import blake2b

    return b"#" + blake2b(data, digest_size=32).digest()


def _asked(question: Callable[[], Answer], failed: Answer) -> Answer:
    try:
        return question()
    except Diagnostic:
        return failed
