"""`Host`: the only door to files, environment and clock.

Everything an evaluator learns about the world comes through a host, so that tests can pass a dictionary, so that every
read can become an input with a name, and so that a configuration can not read what it was not given: a `RealHost`
answers only below its roots, after symbolic links are followed.

Paths are strings as the user wrote them; the names that appear in messages are those strings. A host never writes.
"""

from __future__ import annotations

import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from .diagnostics import CannotRead, LimitReached, OutsideRoots
from .source import SourceFile

if TYPE_CHECKING:
    from .source import Span

MAX_FILE_BYTES = 64 * 1024 * 1024
"""No configuration is that large; a larger file is refused before it is read."""


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

    def source(self, path: str, at: Span | None = None) -> SourceFile:
        """A file as source text."""
        return SourceFile.from_bytes(path, self.read_bytes(path, at))

    def is_file(self, path: str) -> bool:
        """Whether `path` is a file that may be read."""
        return self.kind(path) == "file"

    def is_directory(self, path: str) -> bool:
        """Whether `path` is a directory that may be read."""
        return self.kind(path) == "directory"


class RealHost(Host):
    """This machine, below `roots` alone.  `environ` names the variables that may be seen (none unless given)."""

    def __init__(
        self, roots: Iterable[str], environ: Mapping[str, str] | None = None, max_bytes: int = MAX_FILE_BYTES
    ) -> None:
        self._roots = [os.path.realpath(root) for root in roots]
        self._environ = environ or {}
        self._max_bytes = max_bytes
        self._now: float | None = None

    def allow(self, root: str) -> None:
        """Allow one more directory (or file)."""
        self._roots.append(os.path.realpath(root))

    def allowed(self, path: str) -> bool:
        """Whether `path`, after following links, lies below a root."""
        try:
            real = os.path.realpath(path)
        except (OSError, ValueError):
            return False
        return any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in self._roots)

    def _check(self, path: str, at: Span | None) -> None:
        if "\0" in path:
            raise CannotRead(repr(path), "the name has a NUL character", at)
        if not self.allowed(path):
            raise OutsideRoots(path, at)

    def read_bytes(self, path: str, at: Span | None = None) -> bytes:
        self._check(path, at)
        try:
            with open(path, "rb") as file:
                status = os.fstat(file.fileno())
                if not stat.S_ISREG(status.st_mode):
                    raise CannotRead(path, "not a regular file", at)
                if status.st_size > self._max_bytes:
                    raise LimitReached(f"{path} has {status.st_size:,} bytes", self._max_bytes, at)
                return file.read()
        except OSError as problem:
            raise CannotRead(path, _reason(problem), at) from None

    def kind(self, path: str) -> str | None:
        if "\0" in path or not self.allowed(path):
            return None
        try:
            mode = os.stat(path).st_mode
        except OSError:
            return "symlink" if os.path.islink(path) else None
        if stat.S_ISREG(mode):
            return "file"
        return "directory" if stat.S_ISDIR(mode) else "other"

    def list_directory(self, path: str, at: Span | None = None) -> list[str]:
        self._check(path, at)
        try:
            return sorted(os.listdir(path))
        except OSError as problem:
            raise CannotRead(path, _reason(problem), at) from None

    def link_target(self, path: str) -> str | None:
        return os.readlink(path) if os.path.islink(path) and self.allowed(os.path.dirname(path) or ".") else None

    def is_executable(self, path: str) -> bool:
        return self.allowed(path) and bool(os.stat(path).st_mode & stat.S_IXUSR)

    def environment(self, name: str) -> str | None:
        return self._environ.get(name)

    def now(self) -> float:
        if self._now is None:
            import time

            self._now = time.time()
        return self._now


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
        return content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content

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
    path = os.path.normpath(path)
    here = os.getcwd().rstrip(os.sep) + os.sep
    return path[len(here) :] if path.startswith(here) else path


def _reason(problem: OSError) -> str:
    return (problem.strerror or str(problem)).lower()
