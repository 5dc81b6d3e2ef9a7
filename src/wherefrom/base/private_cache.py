"""Things computed before, kept on disk so that nobody can change an answer by changing them.

An entry is bytes under a name, and the name is a hash of everything that decides the bytes. They lie in a directory
that only its owner can write; where it is anybody else's, or others may write to it, nothing is read or kept. An entry
begins with a digest of its name and content under a key that lies elsewhere (`$XDG_STATE_HOME/wherefrom/key`, else
`~/.local/state/wherefrom/key`, for its owner alone): an entry that was changed, moved to another name, or brought along
with somebody else's cache directory (as build services do) has no valid digest, and counts as missing.

Any number of processes may read and write at once: an entry is written to a file of its own and then renamed, and two
processes that write the same entry write the same bytes. Trouble with the directory (no space, no right) is a miss,
never an error. Entries that nobody has used for a month are removed, about once a day.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Mapping
from contextlib import suppress

from .digests import blake2b, compare_digest

DIGEST_BYTES = 32
KEY_BYTES = 32
DAY = 24 * 3600
KEEP = 30 * DAY
MAX_ENTRY = 256 * 1024 * 1024
_OPEN = os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_READ = os.O_RDONLY | _OPEN


def cache_directory(environ: Mapping[str, str] = os.environ) -> str | None:
    """Where things are kept for this user; nothing if there is no home."""
    return _below(environ, "XDG_CACHE_HOME", ".cache")


def key_directory(environ: Mapping[str, str] = os.environ) -> str | None:
    """Where the key lies for this user; nothing if there is no home."""
    return _below(environ, "XDG_STATE_HOME", ".local/state")


def _below(environ: Mapping[str, str], variable: str, default: str) -> str | None:
    base = environ.get(variable)
    if not base or not os.path.isabs(base):
        home = environ.get("HOME")
        if not home or not os.path.isabs(home):
            return None
        base = os.path.join(home, default)
    return os.path.join(base, "wherefrom")


class PrivateCache:
    """Entries in one directory.  Without a directory, or without a key, nothing is kept."""

    def __init__(self, directory: str | None, keys: str | None) -> None:
        self.directory = directory
        self._keys = keys
        self._key: bytes | None = None
        self._usable: bool | None = None
        self._swept = False

    @property
    def usable(self) -> bool:
        """Whether there is a directory and a key that are this user's alone."""
        if self._usable is None:
            self._usable = self._prepare()
        return self._usable

    def _prepare(self) -> bool:
        if self.directory is None or self._keys is None or not hasattr(os, "geteuid"):
            return False
        try:
            for folder in (self.directory, self._keys):
                os.makedirs(folder, mode=0o700, exist_ok=True)
                if not _is_private(os.stat(folder), 0o022):
                    return False
            self._key = _read_key(os.path.join(self._keys, "key"))
        except (OSError, ValueError):
            return False
        return self._key is not None

    def _digest(self, name: str, content: bytes | memoryview) -> bytes:
        assert self._key is not None
        digest = blake2b(name.encode() + b"\0", key=self._key, digest_size=DIGEST_BYTES)
        digest.update(content)
        return digest.digest()

    def signed(self, name: str, content: bytes) -> bytes:
        """An entry as it lies on the disk."""
        if not self.usable:
            raise ValueError("there is no key")
        return self._digest(name, content) + content

    def get(self, name: str) -> memoryview | None:
        """The content of an entry, or nothing."""
        if not self.usable:
            return None
        path = f"{self.directory}/{name}"
        try:
            descriptor = os.open(path, _READ)
            try:
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_ENTRY or not _is_private(status, 0o022):
                    return None
                data = os.read(descriptor, status.st_size)
            finally:
                os.close(descriptor)
        except OSError:
            return None
        content = memoryview(data)[DIGEST_BYTES:]
        if not compare_digest(self._digest(name, content), data[:DIGEST_BYTES]):
            return None
        if time.time() - status.st_mtime > DAY:  # say that the entry is in use, about once a day
            with suppress(OSError):
                os.utime(path)
        return content

    def put(self, name: str, content: bytes) -> None:
        """Keep an entry."""
        if not self.usable:
            return
        assert self.directory is not None
        path = os.path.join(self.directory, name)
        temporary = f"{path}.{os.getpid()}.{id(content):x}"
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OPEN, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(self.signed(name, content))
            os.replace(temporary, path)
        except OSError:
            with suppress(OSError):
                os.unlink(temporary)
            return
        if not self._swept:
            self._swept = True
            self.sweep()

    def sweep(self, force: bool = False) -> int:
        """Remove entries that nobody has used for a month, if that was not done today.  Returns how many."""
        if not self.usable:
            return 0
        assert self.directory is not None
        now = time.time()
        removed = 0
        stamp = os.path.join(self.directory, "swept")
        try:
            if not force and os.path.exists(stamp) and now - os.stat(stamp).st_mtime < DAY:
                return 0
            os.close(os.open(stamp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _OPEN, 0o600))
            with os.scandir(self.directory) as entries:
                for entry in entries:
                    if entry.name != "swept" and now - entry.stat(follow_symlinks=False).st_mtime > KEEP:
                        os.unlink(entry.path)
                        removed += 1
        except OSError:
            pass
        return removed


def _is_private(status: os.stat_result, forbidden: int) -> bool:
    """Whether something belongs to this user, and the rest of the world has none of the rights in `forbidden`."""
    return status.st_uid == os.geteuid() and not status.st_mode & forbidden


def _read_key(path: str) -> bytes | None:
    """The key of this user, made when there is none; nothing if it is not his alone."""
    for _ in range(2):
        try:
            descriptor = os.open(path, _READ)
        except FileNotFoundError:
            _make_key(path)
            continue
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or not _is_private(status, 0o077):
                return None
            key = os.read(descriptor, KEY_BYTES + 1)
        finally:
            os.close(descriptor)
        return key if len(key) == KEY_BYTES else None
    return None


def _make_key(path: str) -> None:
    """A new key.  Of two processes that make one at once the first wins: a link is made only where nothing is."""
    temporary = f"{path}.{os.getpid()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OPEN, 0o600)
    try:
        os.write(descriptor, os.urandom(KEY_BYTES))
    finally:
        os.close(descriptor)
    with suppress(FileExistsError):
        os.link(temporary, path)
    os.unlink(temporary)
