"""`Folder`: a directory that holds files of our own; with `wherefrom.base.writing`, the only door for writing.

A store, a cache or a directory of catalogs may lie in a repository that somebody else made, and that may hold anything:
a link under the name of a file of ours, a pipe that nobody writes to, files of the user's beside ours. So whatever is
read, written or removed there goes through a `Folder`, which keeps these rules:

- Every operation holds the directory by a descriptor and names a file relative to it, without following a link.
- What is read, locked or handed to a library is a regular file; anything else is refused by `NotOurs`, and nobody
  waits for it.
- A file is written under a name that nobody has (`O_EXCL`), synchronised, and then renamed to its place: whoever reads
  sees the old one or the new one, and where a link stood, a file stands afterwards.
- Only names that match the folder's pattern `ours` are written or removed. What else lies there is somebody else's.

A file that the user names (`--save FILE`) is another matter: see `wherefrom.base.writing`. Nothing else in the package
writes; `tests/house/test_writing.py` looks for it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from .diagnostics import UsageError
from .opened import read_at_most

_SAFE = os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_DIRECTORY = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_DIRECTORY", 0)
_LEFT = re.compile(r"\.wherefrom-[0-9a-f]{16}")
"""A file that is being written; left behind only by a process that was killed."""


NOTHING = re.compile("(?!)")
"""The pattern of a folder in which nothing is ours."""


class NotOurs(UsageError):
    """Something that we did not make stands where a file or folder of ours would be."""


class Folder:
    """The directory at `path`, which need not be there yet.  Names in it that match `ours` are ours."""

    def __init__(self, path: str, ours: re.Pattern[str]) -> None:
        self.path = path
        self._ours = ours

    # --- the directory ---

    def make(self, mode: int = 0o777) -> None:
        """Make the directory, and those above it, if it is not there.  Raises `OSError`."""
        os.makedirs(self.path, mode=mode, exist_ok=True)

    def make_private(self) -> bool:
        """Make the directory if it is not there; whether only this user can write to it.  Raises `OSError`."""
        self.make(0o700)
        status = os.stat(self.path)
        return status.st_uid == os.geteuid() and not status.st_mode & 0o022

    def require_ours(self, what: str) -> None:
        """Raise `NotOurs` where somebody else's files lie; `what` says what would be put there."""
        try:
            names = self.names()
        except FileNotFoundError:
            return
        except OSError as problem:
            raise UsageError(f"cannot write {self.path}: {_words(problem)}") from None
        foreign = sorted(name for name in names if not self.is_ours(name))
        if foreign:
            shown = ", ".join(foreign[:3]) + (", ..." if len(foreign) > 3 else "")
            raise NotOurs(
                f"{self.path} is not empty and not a {what}: it contains {shown}. Name a new or empty directory"
            )

    def names(self) -> list[str]:
        """All names in it, also those of files that are not ours.  Raises `OSError`."""
        with self._held() as folder:
            return os.listdir(folder)

    def is_ours(self, name: str) -> bool:
        """Whether a name is one that we give."""
        return self._ours.fullmatch(name) is not None or _LEFT.fullmatch(name) is not None

    @contextmanager
    def _held(self) -> Iterator[int]:
        descriptor = os.open(self.path, _DIRECTORY)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def synchronise(self) -> None:
        """Make renames and removals in this folder durable (fsync)."""
        with self._held() as folder:
            os.fsync(folder)

    # --- reading ---

    def read_private(self, name: str, most: int, forbidden: int = 0o022) -> tuple[bytes, float] | None:
        """A regular file of this user's, if the rest of the world has none of the `forbidden` rights to it.

        And when it was last written. For a directory that nobody else can write to: it is opened by its path, as there
        may be thousands.
        """
        try:
            descriptor = os.open(f"{self.path}/{name}", os.O_RDONLY | _SAFE)
        except OSError:
            return None
        try:
            status = os.fstat(descriptor)
            is_file = stat.S_ISREG(status.st_mode) and status.st_size <= most
            if not is_file or status.st_uid != os.geteuid() or status.st_mode & forbidden:
                return None
            return os.read(descriptor, status.st_size), status.st_mtime
        finally:
            os.close(descriptor)

    def open(self, name: str) -> IO[bytes]:
        """A regular file, to read.  Raises `FileNotFoundError`, other `OSError`, or `NotOurs` for what is no file."""
        return os.fdopen(self._regular(name, os.O_RDONLY), "rb")

    def read(self, name: str, most: int) -> bytes:
        """The first `most` bytes of a regular file.  Raises as `open` does."""
        with self.open(name) as file:
            return read_at_most(file.fileno(), most, os.fstat(file.fileno()).st_size)

    def check(self, name: str) -> str:
        """The path of a file, for a library that opens it by itself.  Raises `NotOurs` for what is no regular file.

        Where there is nothing, nothing is wrong.
        """
        with suppress(FileNotFoundError), self._held() as folder:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if not stat.S_ISREG(status.st_mode):
                raise self._no_file(name, status.st_mode)
        return os.path.join(self.path, name)

    def _regular(self, name: str, flags: int, mode: int = 0o600) -> int:
        with self._held() as folder:
            with suppress(FileNotFoundError):  # a device may do something when it is opened
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                if not stat.S_ISREG(status.st_mode):
                    raise self._no_file(name, status.st_mode)
            descriptor = os.open(name, flags | _SAFE, mode, dir_fd=folder)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            raise self._no_file(name, status.st_mode)
        return descriptor

    def _no_file(self, name: str, mode: int) -> NotOurs:
        return NotOurs(f"{os.path.join(self.path, name)} is {_kind_words(mode)}, not a file: it is not touched")

    # --- writing ---

    def replace(self, name: str, content: bytes, mode: int = 0o644, lasting: bool = True) -> None:
        """Put a small file in place, whole or not at all; what is `lasting` survives a power cut.  Raises `OSError`."""
        self._require(name)
        with self._held() as folder:
            temporary = f".wherefrom-{os.urandom(8).hex()}"
            try:
                descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, mode, dir_fd=folder)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
                    file.flush()
                    if lasting:
                        os.fsync(file.fileno())
                os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                raise
            if lasting:
                os.fsync(folder)

    def put_first(self, name: str, content: bytes, mode: int) -> None:
        """Put a small file where there is none.  Of two processes that do so at once, the first wins."""
        self._require(name)
        with self._held() as folder:
            temporary = f".wherefrom-{os.urandom(8).hex()}"
            try:
                descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFE, mode, dir_fd=folder)
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                with suppress(FileExistsError):
                    os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
            finally:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)

    @contextmanager
    def new(self, name: str, mode: int = 0o644) -> Iterator[IO[bytes]]:
        """A large file under a name that nobody has, written inside and synchronised; gone if that fails."""
        self._require(name)
        with self._held() as folder:
            descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | _SAFE, mode, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "w+b") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                self.remove(name)
            raise

    def kept_open(self, name: str, mode: int = 0o644) -> int:
        """The descriptor of an empty file that is there to be locked, made if there is none.  Raises as `open`."""
        self._require(name)
        return self._regular(name, os.O_RDWR | os.O_CREAT, mode)

    def touch(self, name: str) -> None:
        """A file is of now; it is made, or nothing happens."""
        with suppress(OSError, NotOurs):
            descriptor = self.kept_open(name, 0o600)
            try:
                os.utime(descriptor)
            finally:
                os.close(descriptor)

    def unnamed(self) -> int:
        """The descriptor of a new file without a name, its owner's alone.  Raises `OSError`."""
        with self._held() as folder:
            if hasattr(os, "O_TMPFILE"):
                with suppress(OSError):  # not on this disk
                    return os.open(".", os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600, dir_fd=folder)
            temporary = f".wherefrom-{os.urandom(8).hex()}"
            descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | _SAFE, 0o600, dir_fd=folder)
            os.unlink(temporary, dir_fd=folder)
            return descriptor

    def remove(self, name: str) -> bool:
        """Remove a regular file of ours; whether it was there.  Raises `OSError`."""
        self._require(name)
        with self._held() as folder:
            try:
                if not stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    return False
                os.unlink(name, dir_fd=folder)
            except FileNotFoundError:
                return False
        return True

    def age(self, name: str, now: float) -> float | None:
        """Seconds since a file was last written; nothing if there is none."""
        try:
            with self._held() as folder:
                return now - os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
        except OSError:
            return None

    def _require(self, name: str) -> None:
        if not self.is_ours(name):
            raise ValueError(f"{name!r} is not a valid name")


def scratch_file() -> int:
    """The descriptor of a new file without a name, where the system has room for such.  Raises `OSError`."""
    import tempfile

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


@contextmanager
def scratch_folder(prefix: str) -> Iterator[str]:
    """A new directory for nobody else, which goes afterwards with all that is in it."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as path:
        yield path


def scratch_place() -> str:
    """The directory in which scratch folders are made."""
    import tempfile

    return tempfile.gettempdir()


def lasting_scratch_folder(prefix: str, within: str | None = None) -> str:
    """A new directory for nobody else, which stays."""
    import tempfile

    return tempfile.mkdtemp(prefix=prefix, dir=within)


def private_place(name: str) -> str:
    """The directory `name` among the system's temporary ones; refused unless this user owns it."""
    import tempfile

    path = os.path.join(tempfile.gettempdir(), name)
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise NotOurs(f"{path} is accessible to other users: remove it, or set TMPDIR to another directory")
    return path


def settle_folder(path: str, name: str) -> None:
    """Give a directory its name, unless somebody else was quicker and has done the same."""
    with suppress(OSError):
        os.rename(path, name)


def _kind_words(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a link"
    if stat.S_ISDIR(mode):
        return "a directory"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device or socket"


def _words(problem: OSError) -> str:
    return (problem.strerror or str(problem)).lower()
