"""`Host`: the only door to files, environment and clock.

Everything an evaluator learns about the world comes through a host, so that tests can pass a dictionary, so that every
read can become an input with a name, and so that a configuration can not read what it was not given: a `RealHost`
answers only below its roots, after symbolic links are followed. What is asked about and lies elsewhere is an error that
says which `--root` would allow it, never an answer as if it were not there.

A `RealHost` opens first and looks at what it has opened (`wherefrom.base.opened`), so that nobody can put another file
in its place between the look and the reading; nothing that is not a regular file is ever read, so that nothing can
hang.

Paths are strings as the user wrote them; the names that appear in messages are those strings. A host never writes.
"""

from __future__ import annotations

import os
import posixpath
import stat
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from .budget import current
from .diagnostics import CannotRead, Diagnostic, LimitReached, OutsideRoots
from .opened import MAX_LINKS, Opened, open_directory, open_quietly, real_name
from .source import SourceFile

if TYPE_CHECKING:
    from .source import Span

MAX_FILE_BYTES = 64 * 1024 * 1024
"""No configuration is that large; a larger file is refused before it is read."""

LOOK = 20
"""Steps that a look at the disk takes: directories may be linked into each other without end."""


STANDARD_INPUT = "-"


class Host(ABC):
    """The world as a configuration may see it."""

    @abstractmethod
    def read_bytes(self, path: str, at: Span | None = None) -> bytes:
        """The content of a file.  `at` is the place that asked, for the error."""

    @abstractmethod
    def kind(self, path: str) -> str | None:
        """`file`, `directory`, `symlink` (dangling) or `other`; nothing if there is nothing or it may not be seen."""

    @abstractmethod
    def list_directory(self, path: str, at: Span | None = None) -> list[str]:
        """The names in a directory, sorted."""

    @abstractmethod
    def environment(self, name: str) -> str | None:
        """An environment variable."""

    @abstractmethod
    def now(self) -> float:
        """Seconds since 1970; the same for the whole run, so that a run is a function of its inputs."""

    def link_target(self, path: str) -> str | None:
        """Where a symbolic link points, or nothing if `path` is not one."""
        return None

    def is_executable(self, path: str) -> bool:
        """Whether a file's owner may execute it."""
        return False

    def modified(self, path: str) -> int:
        """When a file or directory was last changed, in seconds since 1970; links are not followed."""
        return 0

    def own(self, kind: str, name: str) -> None:  # noqa: B027 - only a recording host remembers
        """Record that the current run depends on (`kind`, `name`), also where another run has read and cached it."""

    def apart(self) -> AbstractContextManager[None]:
        """Inside, what is read is told by `own`, run by run: it counts for no run beside."""
        return nullcontext()

    @property
    def identity(self) -> Hashable | None:
        """What hosts that answer alike have in common; nothing if that is not known."""
        return None

    def grant(self, environ: Mapping[str, str]) -> None:  # noqa: B027 - a host without an environment shows none
        """Let these environment variables be seen too."""

    def real(self, path: str) -> str:
        """The path by which people know a file; another one only where a host shows files elsewhere."""
        return path

    def linked(self, path: str) -> str | None:
        """Where a symbolic link leads in the end, links in its own path followed; nothing if `path` is not one."""
        return None

    def source(self, path: str, at: Span | None = None) -> SourceFile:
        """A file as source text."""
        return SourceFile.from_bytes(path, self.read_bytes(path, at))

    def is_file(self, path: str) -> bool:
        """Whether `path` is a file.  Raises `OutsideRoots` for something that is there and may not be looked at."""
        return self.kind(path) == "file"

    def is_directory(self, path: str) -> bool:
        """Whether `path` is a directory.  Raises `OutsideRoots` as `is_file` does."""
        return self.kind(path) == "directory"

    def exists(self, path: str) -> bool:
        """Whether there is anything at `path`.  Raises `OutsideRoots` as `is_file` does."""
        return self.kind(path) is not None

    def kind_asked(self, path: str) -> str | None:
        """The kind of what a program asks about: outside of what it may see there is one answer, `OutsideRoots`."""
        return self.kind(path) if self.exists(path) else None


class RealHost(Host):
    """This machine, below `roots` alone.  `environ` names the variables that may be seen (none unless given)."""

    def __init__(
        self,
        roots: Iterable[str],
        environ: Mapping[str, str] | None = None,
        max_bytes: int = MAX_FILE_BYTES,
        now: float | None = None,
    ) -> None:
        self._roots: list[str] = []
        self._inside: tuple[str, ...] = ()  # how the names of what lies below a root begin
        self._environ = environ or {}
        self._max_bytes = max_bytes
        self._now = now
        for root in roots:
            self.allow(root)

    @property
    def roots(self) -> tuple[str, ...]:
        """The directories (or files) below which it answers, links followed."""
        return tuple(self._roots)

    @property
    def identity(self) -> Hashable | None:
        return self.roots

    def grant(self, environ: Mapping[str, str]) -> None:
        self._environ = {**self._environ, **environ}

    def allow(self, root: str) -> None:
        """Allow one more directory (or file)."""
        try:
            self._roots.append(real_name(root))
        except ValueError:
            raise CannotRead(visible_name(root), "not a valid file name", None) from None
        self._inside = (*self._inside, self._roots[-1].rstrip(os.sep) + os.sep)

    def allowed(self, path: str) -> bool:
        """Whether `path`, after following links, lies below a root."""
        try:
            return self._below(real_name(path))
        except (OSError, ValueError):
            return False

    def _below(self, real: str) -> bool:
        return real.startswith(self._inside) or real in self._roots

    def _refused(self, path: str, problem: OSError | ValueError, at: Span | None) -> Diagnostic:
        """The error of a path that could not be opened.  Outside the roots we do not even say why."""
        if isinstance(problem, ValueError):
            return CannotRead(visible_name(path), "not a valid file name", at)
        if not self.allowed(path):
            return OutsideRoots(path, at, self._allowing(path))
        return CannotRead(path, _reason(problem), at)

    def _allowing(self, path: str) -> str:
        """The directory that would have to be a root for `path` to be read.

        Outside of the roots nobody looks at the disk for that: the words are the same whatever is there. Links inside
        are followed until they lead out.
        """
        place = os.path.normpath(os.path.join(os.getcwd(), path))
        for _ in range(MAX_LINKS):
            parts = place.split(os.sep)
            steps = (os.sep.join(parts[:count]) for count in range(2, len(parts) + 1))
            link = next((step for step in steps if self._below(step) and os.path.islink(step)), None)
            if link is None:
                break
            target = os.path.join(os.path.dirname(link), os.readlink(link))
            place = os.path.normpath(os.path.join(target, os.path.relpath(place, link)))
        return os.path.dirname(place)

    def _opened(self, path: str, at: Span | None, open_path: Callable[[str], Opened] = open_quietly) -> Opened:
        """`path`, opened as a descriptor and known to lie below a root.  The caller closes it."""
        current().draw("steps", LOOK, f"opening {path}", at)
        try:
            opened = open_path(path)
        except (OSError, ValueError) as problem:
            raise self._refused(path, problem, at) from None
        if self._below(opened.name):
            return opened
        opened.close()
        raise OutsideRoots(path, at, self._allowing(path))

    def read_bytes(self, path: str, at: Span | None = None) -> bytes:
        with self._opened(path, at) as opened:
            if not stat.S_ISREG(opened.status.st_mode):
                raise CannotRead(path, "is a directory" if opened.is_directory else "not a regular file", at)
            if opened.status.st_size > self._max_bytes:
                raise LimitReached(f"{path} has {opened.status.st_size:,} bytes", self._max_bytes, at)
            current().draw("bytes", opened.status.st_size, f"reading {path}", at)
            try:
                content = opened.read(self._max_bytes + 1)
            except OSError as problem:
                raise CannotRead(path, _reason(problem), at) from None
        if len(content) > self._max_bytes:  # it grew meanwhile, or says no size at all, as files below /proc do
            raise LimitReached(f"{path} is too large", self._max_bytes, at)
        return content

    def kind(self, path: str) -> str | None:
        try:
            return self._kind(path)
        except (OutsideRoots, CannotRead):
            return None

    def _kind(self, path: str, missing_is_no: bool = True) -> str | None:
        """As `kind`, but what lies outside the roots is an error: if it is there, or whether or not it is."""
        current().draw("steps", LOOK, f"looking at {path}")
        try:
            opened = open_quietly(path)
        except ValueError:
            return None
        except OSError:
            if not self.allowed(path) and not missing_is_no:
                raise OutsideRoots(path, None, self._allowing(path)) from None
            return "symlink" if os.path.islink(path) and self.allowed(path) else None
        with opened:
            if not self._below(opened.name):
                raise OutsideRoots(path, None, self._allowing(path))
            if stat.S_ISREG(opened.status.st_mode):
                return "file"
            return "directory" if opened.is_directory else "other"

    def is_file(self, path: str) -> bool:
        return self._kind(path) == "file"

    def is_directory(self, path: str) -> bool:
        return self._kind(path) == "directory"

    def exists(self, path: str) -> bool:
        return self._kind(path) is not None

    def kind_asked(self, path: str) -> str | None:
        return self._kind(path, missing_is_no=False)

    def list_directory(self, path: str, at: Span | None = None) -> list[str]:
        with self._opened(path, at, open_directory) as opened:
            try:
                names = sorted(opened.names())
            except OSError as problem:
                raise CannotRead(path, _reason(problem), at) from None
        current().draw("elements", len(names), f"listing {path}", at)
        return names

    def linked(self, path: str) -> str | None:
        return real_name(path) if os.path.islink(path) else None

    def link_target(self, path: str) -> str | None:
        try:
            opened = self._opened(os.path.dirname(path) or ".", None)
        except (OutsideRoots, CannotRead):
            return None
        with opened:
            return opened.link(os.path.basename(path))

    def is_executable(self, path: str) -> bool:
        with self._opened(path, None) as opened:
            return bool(opened.status.st_mode & stat.S_IXUSR)

    def modified(self, path: str) -> int:
        if self.link_target(path) is not None:
            return int(os.lstat(path).st_mtime)
        with self._opened(path, None) as opened:
            return int(opened.status.st_mtime)

    def environment(self, name: str) -> str | None:
        return self._environ.get(name)

    def now(self) -> float:
        if self._now is None:
            import time

            self._now = time.time()
        return self._now


class InputHost(RealHost):
    """The real thing, with one more file, `-`: what standard input said."""

    def __init__(self, roots: Iterable[str], content: bytes) -> None:
        super().__init__(roots)
        self._content = content

    def read_bytes(self, path: str, at: Span | None = None) -> bytes:
        return self._content if path == STANDARD_INPUT else super().read_bytes(path, at)

    def _kind(self, path: str, missing_is_no: bool = True) -> str | None:
        return "file" if path == STANDARD_INPUT else super()._kind(path, missing_is_no)


class OverlaidHost(RealHost):
    """The real thing, with other contents of some files, by their real names: as an editor has them, not saved yet."""

    def __init__(self, roots: Iterable[str], contents: Mapping[str, bytes]) -> None:
        super().__init__(roots)
        self._contents = contents

    def _content(self, path: str) -> bytes | None:
        """What is to be read in place of what is there: below the roots alone."""
        try:
            name = real_name(path)
        except (OSError, ValueError):
            return None
        return self._contents.get(name) if self._below(name) else None

    def read_bytes(self, path: str, at: Span | None = None) -> bytes:
        content = self._content(path)
        return super().read_bytes(path, at) if content is None else content

    def _kind(self, path: str, missing_is_no: bool = True) -> str | None:
        return super()._kind(path, missing_is_no) if self._content(path) is None else "file"


class ChangedHost(Host):
    """The files of another host, some of them with another content, or taken away (nothing for a content).

    A file that is another one by a link changes with it.
    """

    def __init__(self, host: Host, contents: Mapping[str, bytes | None]) -> None:
        self._host = host
        self._contents = {_plain_name(name): content for name, content in contents.items()}
        self._children: dict[str, dict[str, bool]] = {}
        for name, content in self._contents.items():
            while (parent := os.path.dirname(name)) != name:
                names = self._children.setdefault(parent or ".", {})
                names[os.path.basename(name)] = names.get(os.path.basename(name), False) or content is not None
                name = parent
        self._places: dict[str, str] = {"": "", "/": "/"}
        self._names = {self._place(name): name for name in self._contents if host.linked(name) is None}

    def _name(self, path: str) -> str:
        """The name that a path is known by here."""
        name = _plain_name(path)
        return name if name in self._contents else self._names.get(self._place(name), name)

    def _place(self, name: str) -> str:
        """A name without links in it; of a directory that is asked only once."""
        folder, own = os.path.split(name)
        if folder not in self._places:
            self._places[folder] = self._place(folder)
        target = self._host.linked(name)
        return os.path.join(self._places[folder], own) if target is None else _plain_name(target)

    def read_bytes(self, path: str, at: Span | None = None) -> bytes:
        name = self._name(path)
        if name not in self._contents:
            return self._host.read_bytes(path, at)
        content = self._contents[name]
        if content is None:
            raise CannotRead(path, "no such file", at)
        return content

    def kind(self, path: str) -> str | None:
        name = self._name(path)
        if name in self._contents:
            return None if self._contents[name] is None else "file"
        kind = self._host.kind(path)
        return "directory" if kind is None and any(self._children.get(name, {}).values()) else kind

    def kind_asked(self, path: str) -> str | None:
        return self.kind(path) if self.kind(path) is not None else self._host.kind_asked(path)

    def list_directory(self, path: str, at: Span | None = None) -> list[str]:
        changed = self._children.get(_plain_name(path))
        if changed is None:
            return self._host.list_directory(path, at)
        there = self._host.list_directory(path, at) if self._host.is_directory(path) else []
        inside = {name: posixpath.join(_plain_name(path), name) for name in changed}
        kept = [name for name in there if name not in changed or self.kind(inside[name]) is not None]
        return sorted({*kept, *(name for name in changed if self.kind(inside[name]) is not None)})

    def link_target(self, path: str) -> str | None:
        return None if _plain_name(path) in self._contents else self._host.link_target(path)

    def is_executable(self, path: str) -> bool:
        return self._name(path) not in self._contents and self._host.is_executable(path)

    def modified(self, path: str) -> int:
        return 0 if self._name(path) in self._contents else self._host.modified(path)

    def real(self, path: str) -> str:
        return self._host.real(path)

    def environment(self, name: str) -> str | None:
        return self._host.environment(name)

    def grant(self, environ: Mapping[str, str]) -> None:
        self._host.grant(environ)

    def now(self) -> float:
        return self._host.now()


class PureHost(Host):
    """A world made of dictionaries, for tests, for `batch` and for running a saved compilation again."""

    def __init__(
        self, files: Mapping[str, str | bytes], environ: Mapping[str, str] | None = None, now: float = 0.0
    ) -> None:
        self._files = {_plain_name(name): content for name, content in files.items()}
        self._environ = environ or {}
        self._now = now
        self._children: dict[str, set[str]] = {}
        for name in self._files:
            while (parent := os.path.dirname(name)) != name:
                self._children.setdefault(parent or ".", set()).add(os.path.basename(name))
                name = parent

    def read_bytes(self, path: str, at: Span | None = None) -> bytes:
        content = self._files.get(_plain_name(path))
        if content is None:
            reason = "is a directory" if self.is_directory(path) else "no such file"
            raise CannotRead(path, reason, at)
        return as_bytes(content) if isinstance(content, str) else content

    def kind(self, path: str) -> str | None:
        path = _plain_name(path)
        if path in self._files:
            return "file"
        return "directory" if path in self._children else None

    def list_directory(self, path: str, at: Span | None = None) -> list[str]:
        names = self._children.get(_plain_name(path))
        if names is None:
            raise CannotRead(path, "no such directory", at)
        return sorted(names)

    def environment(self, name: str) -> str | None:
        return self._environ.get(name)

    def now(self) -> float:
        return self._now


def _plain_name(path: str) -> str:
    """A path without detours, relative to the current directory if it lies below it."""
    if "//" in path or "/." in path or path[-1:] in ("/", "") or path[0] == ".":
        path = os.path.normpath(path)
    if path[0] != "/":
        return path
    here = os.getcwd().rstrip(os.sep) + os.sep
    return path[len(here) :] if path.startswith(here) else path


def _reason(problem: OSError) -> str:
    return (problem.strerror or str(problem)).lower()


def as_bytes(text: str) -> bytes:
    """The bytes of a text: those that were no UTF-8 again, and half characters as bytes that are none either."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def visible_name(path: str) -> str:
    """A name that can not be one of a file, so that a message can show it."""
    return repr(path)
