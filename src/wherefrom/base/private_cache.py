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
import re
import time
from collections.abc import Mapping

from .digests import blake2b, compare_digest
from .folder import Folder

DIGEST_BYTES = 32
KEY_BYTES = 32
DAY = 24 * 3600
KEEP = 30 * DAY
MAX_ENTRY = 256 * 1024 * 1024
KEY = "key"
STAMP = "swept"
_ENTRIES = re.compile(rf"[0-9a-f]{{40}}|{STAMP}")
KEYS = re.compile(rf"{KEY}|trusted")
"""Files of the directory where the key lies; the other one is that of `wherefrom.trust`."""


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
        self._entries = None if directory is None else Folder(directory, _ENTRIES)
        self._keys = None if keys is None else Folder(keys, KEYS)
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
        if self._entries is None or self._keys is None or not hasattr(os, "geteuid"):
            return False
        try:
            self._key = _key_in(self._keys) if self._entries.make_private() and self._keys.make_private() else None
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
        assert self._entries is not None
        stored = self._entries.read_private(name, MAX_ENTRY)
        if stored is None:
            return None
        data, written = stored
        content = memoryview(data)[DIGEST_BYTES:]
        if not compare_digest(self._digest(name, content), data[:DIGEST_BYTES]):
            return None
        if time.time() - written > DAY:  # say that the entry is in use, about once a day
            self._entries.touch(name)
        return content

    def put(self, name: str, content: bytes) -> None:
        """Keep an entry."""
        if not self.usable:
            return
        assert self._entries is not None
        try:
            self._entries.replace(name, self.signed(name, content), 0o600, lasting=False)
        except OSError:
            return
        if not self._swept:
            self._swept = True
            self.sweep()

    def sweep(self, force: bool = False) -> int:
        """Remove entries that nobody has used for a month, if that was not done today.  Returns how many."""
        if not self.usable:
            return 0
        assert self._entries is not None
        now = time.time()
        removed = 0
        try:
            age = self._entries.age(STAMP, now)
            if not force and age is not None and age < DAY:
                return 0
            self._entries.touch(STAMP)
            for name in self._entries.names():
                if name != STAMP and self._entries.is_ours(name) and (self._entries.age(name, now) or 0) > KEEP:
                    removed += self._entries.remove(name)
        except OSError:
            pass
        return removed


def own_digest(use: str, content: bytes) -> bytes | None:
    """A digest that this user alone can make, of some content for some use; nothing where no key can be kept."""
    path = key_directory()
    if path is None or not hasattr(os, "geteuid"):
        return None
    keys = Folder(path, KEYS)
    try:
        key = _key_in(keys) if keys.make_private() else None
    except (OSError, ValueError):
        return None
    return None if key is None else blake2b(use.encode() + b"\0" + content, key=key, digest_size=DIGEST_BYTES).digest()


def _key_in(folder: Folder) -> bytes | None:
    """The key of this user, made when there is none; nothing if it is not his alone.

    Of two processes that make one at once the first wins.
    """
    if not os.path.lexists(os.path.join(folder.path, KEY)):
        folder.put_first(KEY, os.urandom(KEY_BYTES), 0o600)
    stored = folder.read_private(KEY, KEY_BYTES, forbidden=0o077)
    return stored[0] if stored is not None and len(stored[0]) == KEY_BYTES else None
