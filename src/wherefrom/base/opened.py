"""Opening a path so that what was checked is what is read.

`open_quietly` follows a path to its end and holds what is there by a descriptor: nothing is read, no device is woken
and no pipe is waited for. Only then does the caller ask what it is (`status`) and where it really lies (`name`, without
links), and both answers stay true however quickly somebody swaps the links on the way.

On Linux a descriptor for nothing but looking (`O_PATH`) does that, and the kernel itself tells its name. Elsewhere, or
where /proc is not mounted, the path is walked component by component, each opened relative to the one before and no
link followed unseen.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable

_LOOK = os.O_PATH | os.O_CLOEXEC if hasattr(os, "O_PATH") else None
_READ = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
MAX_LINKS = 40
_PIECE = 1 << 16


class Opened:
    """A file or directory, held by a descriptor.  `name` is where it lies, `status` what it is."""

    __slots__ = ("_descriptor", "_reopen", "name", "status")

    def __init__(self, descriptor: int, name: str, reopen: Callable[[], int] | None) -> None:
        self._descriptor = descriptor
        self._reopen = reopen
        self.name = name
        self.status = os.fstat(descriptor)

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    @property
    def is_directory(self) -> bool:
        """Whether it is a directory."""
        return stat.S_ISDIR(self.status.st_mode)

    def _readable(self) -> int:
        """A descriptor to read from; the caller closes it."""
        return self._reopen() if self._reopen is not None else os.dup(self._descriptor)

    def read(self, most: int) -> bytes:
        """The content, but no more than `most` bytes.  Only for regular files."""
        descriptor = self._readable()
        try:
            return read_at_most(descriptor, most, self.status.st_size)
        finally:
            os.close(descriptor)

    def names(self) -> list[str]:
        """The names in it.  Only for directories."""
        descriptor = self._readable()
        try:
            return os.listdir(descriptor)
        finally:
            os.close(descriptor)

    def link(self, name: str) -> str | None:
        """Where the symbolic link `name` in this directory points; nothing if it is none."""
        try:
            return os.readlink(name, dir_fd=self._descriptor)
        except (OSError, ValueError):
            return None


def read_at_most(descriptor: int, most: int, size: int) -> bytes:
    """What is in a file that says it has `size` bytes, but no more than `most`.

    No memory is set aside for more than there is: `file.read(most)` takes that much address space at once, and fails
    under a limit on it (`ulimit -v`) for a file of ten bytes.
    """
    parts: list[bytes] = []
    left = most
    while left > 0 and (part := os.read(descriptor, min(left, max(size + 1, _PIECE)))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def open_quietly(path: str) -> Opened:
    """Hold what is at `path`.  Raises `OSError`, or `ValueError` for what can not be a name."""
    if _LOOK is None:
        return open_by_walking(path)
    descriptor = os.open(path, _LOOK)
    try:
        place = f"/proc/self/fd/{descriptor}"
        try:
            name = os.readlink(place)
        except OSError:
            os.close(descriptor)
            descriptor = -1
            return open_by_walking(path)
        return Opened(descriptor, name, lambda: os.open(place, _READ))
    except BaseException:
        if descriptor >= 0:
            os.close(descriptor)
        raise


def real_name(path: str) -> str:
    """Where `path` really lies, links followed, whether or not there is anything; the kernel knows without walking."""
    try:
        opened = open_quietly(path)
    except FileNotFoundError:
        folder, name = os.path.split(path)
        if folder and name not in ("", ".", "..") and not os.path.islink(path):
            return os.path.join(real_name(folder), name)
        return os.path.realpath(path)
    except OSError:
        return os.path.realpath(path)
    opened.close()
    return opened.name


def open_directory(path: str) -> Opened:
    """As `open_quietly`, for a directory that will be listed: opened once.  Raises `NotADirectoryError` for others."""
    if _LOOK is None:
        return open_by_walking(path)
    descriptor = os.open(path, _READ | os.O_DIRECTORY)
    try:
        return Opened(descriptor, os.readlink(f"/proc/self/fd/{descriptor}"), None)
    except OSError:
        os.close(descriptor)
        return open_by_walking(path)


def open_by_walking(path: str) -> Opened:
    """The same without help from the kernel: step by step from the top, links read and followed by ourselves."""
    waiting = [part for part in os.path.join(os.getcwd(), path).split(os.sep) if part][::-1]
    if path.endswith(os.sep) or not waiting:
        waiting.insert(0, ".")  # it has to be a directory
    steps: list[tuple[int, str]] = [(os.open(os.sep, _READ), "")]
    links = 0
    try:
        while waiting:
            part = waiting.pop()
            if part == ".":
                if not stat.S_ISDIR(os.fstat(steps[-1][0]).st_mode):
                    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
                continue
            if part == "..":
                if len(steps) > 1:
                    os.close(steps.pop()[0])
                continue
            folder, name = steps[-1]
            status = os.stat(part, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                links += 1
                if links > MAX_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
                target = os.readlink(part, dir_fd=folder)
                if target.startswith(os.sep):
                    while len(steps) > 1:
                        os.close(steps.pop()[0])
                waiting.extend([step for step in target.split(os.sep) if step][::-1])
            elif stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
                steps.append((os.open(part, _READ | _NOFOLLOW, dir_fd=folder), f"{name}/{part}"))
            else:  # to open a device or a pipe may do something: it is held by its directory, and never read
                raise OSError(errno.EINVAL, "not a regular file", path)
        descriptor, name = steps.pop()
        return Opened(descriptor, name or os.sep, None)
    finally:
        for descriptor, _ in steps:
            os.close(descriptor)
