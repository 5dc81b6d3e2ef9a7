"""Compiled programs kept on disk, so that a file that has not changed is neither parsed nor compiled again.

An entry is named by a hash of everything that decides a program: the text and its directory (relative paths are part of
it), the kind of code, this version of whence and of Python, and the files of this package. The name of the file is not
in it: places are put back into the file at hand. So an entry can never change an answer; without any everything is
done again.

Entries hold code, and code that is loaded is run. So they lie in a directory of the user's own that nobody else may
write to (`$XDG_CACHE_HOME/whence`, else `~/.cache/whence`; mode 0700, no link, checked at each start), and each is
signed together with its name by a key that lies there too and is readable by its owner alone. An entry that is broken,
renamed or signed by another key counts as missing, and so does a directory that is not as it should be. Trouble with
the disk turns into a miss, never into an error.

An entry is written when the evaluation that made it is over, to a file of its own which is then renamed: any number of
processes may read and write at once. It holds the code of each unit that was called, and the text of those that were
not; when a later run compiles more of them the entry is written again. Entries that nobody has used for a month are
removed, about once a day.
"""

from __future__ import annotations

import marshal
import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from .program import Program, Unit

FORMAT = 1
KEY_BYTES = 32
SIGNATURE_BYTES = 32
DAY = 24 * 3600
KEEP = 30 * DAY
MAX_ENTRY = 64_000_000


def default_directory(environ: Mapping[str, str] = os.environ) -> str | None:
    """Where programs are kept for this user; nothing if there is no home."""
    base = environ.get("XDG_CACHE_HOME")
    if not base or not os.path.isabs(base):
        home = environ.get("HOME")
        if not home:
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "whence", "nix-programs")


@cache
def compiler_version() -> str:
    """What tells this compiler from others: the versions, and when the newest of its files was changed."""
    package = os.path.dirname(os.path.dirname(__file__))
    newest = 0
    for folder, _, names in os.walk(package):
        for name in names:
            if name.endswith(".py"):
                newest = max(newest, os.stat(os.path.join(folder, name)).st_mtime_ns)
    whence = sys.modules[__name__.partition(".")[0]]
    return f"{whence.__version__} {FORMAT} {sys.version} {sys.implementation.cache_tag} {newest}"


class ProgramCache:
    """Programs by the hash of what they were made from.  Without a directory nothing is kept."""

    def __init__(self, directory: str | None) -> None:
        self.directory = directory
        self.hits = 0
        self.misses = 0
        self._signing_key: bytes | None = None
        self._swept = False

    def key(self, kind: str, text: str) -> str:
        """The name of the entry for a text; `kind` says what else decides the program."""
        from hashlib import blake2b

        whole = f"{compiler_version()}\n{kind}\n{text}".encode("utf-8", "surrogatepass")
        return blake2b(whole, digest_size=20).hexdigest()

    def find(self, key: str) -> tuple[Program, bytes] | None:
        """The program of an entry, and its names (see `Cached`)."""
        payload = self._read(key)
        if payload is None:
            self.misses += 1
            return None
        try:
            blobs, names = marshal.loads(payload)
        except (ValueError, EOFError, TypeError):
            self.misses += 1
            return None
        self.hits += 1
        return Program(blobs, lambda name: Unit(*marshal.loads(blobs[name])), grown=False), names

    def keep(self, programs: Mapping[str, tuple[Program, bytes]]) -> None:
        """Write what is new in the programs of an evaluation, by their keys."""
        for key, (program, names) in programs.items():
            if program.grown:
                program.grown = False
                self._write(key, marshal.dumps((_encoded(program), names)))

    # --- files ---

    def _signer(self, create: bool) -> bytes | None:
        """The key that entries are signed with; nothing if the directory is not fit for code."""
        if self._signing_key is not None or self.directory is None:
            return self._signing_key
        try:
            if create:
                os.makedirs(self.directory, mode=0o700, exist_ok=True)
            status = os.lstat(self.directory)
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
                return None
            path = os.path.join(self.directory, "key")
            if create and not os.path.exists(path):
                _write_whole(path, os.urandom(KEY_BYTES))
            file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                status = os.fstat(file)
                key = os.read(file, KEY_BYTES + 1)
            finally:
                os.close(file)
        except OSError:
            return None
        if status.st_uid == os.geteuid() and not status.st_mode & 0o077 and len(key) == KEY_BYTES:
            self._signing_key = key
        return self._signing_key

    def _signature(self, name: str, payload: bytes | memoryview, key: bytes) -> bytes:
        from hashlib import blake2b

        signature = blake2b(name.encode(), digest_size=SIGNATURE_BYTES, key=key)
        signature.update(payload)
        return signature.digest()

    def _read(self, name: str) -> memoryview | None:
        import time
        from hmac import compare_digest

        key = self._signer(create=False)
        if key is None or self.directory is None:
            return None
        path = os.path.join(self.directory, name)
        try:
            file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            return None
        try:
            with open(file, "rb", buffering=0) as entry:
                status = os.fstat(file)
                if status.st_size > MAX_ENTRY:
                    return None
                data = entry.read()
        except OSError:
            return None
        payload = memoryview(data)[SIGNATURE_BYTES:]
        if not compare_digest(self._signature(name, payload, key), data[:SIGNATURE_BYTES]):
            return None
        if time.time() - status.st_mtime > DAY:
            with suppress(OSError):
                os.utime(path)
        return payload

    def _write(self, name: str, payload: bytes) -> None:
        key = self._signer(create=True)
        if key is None or self.directory is None or len(payload) > MAX_ENTRY:
            return
        with suppress(OSError):
            _write_whole(os.path.join(self.directory, name), self._signature(name, payload, key) + payload)
        if not self._swept:
            self._swept = True
            self.sweep()

    def sweep(self, force: bool = False) -> int:
        """Remove entries that nobody has used for a month, if that was not done today.  Returns how many."""
        import time

        if self.directory is None:
            return 0
        now = time.time()
        removed = 0
        stamp = os.path.join(self.directory, "swept")
        with suppress(OSError):
            if not force and os.path.exists(stamp) and now - os.stat(stamp).st_mtime < DAY:
                return 0
            with open(stamp, "w"):
                pass
            with os.scandir(self.directory) as entries:
                for each in entries:
                    if each.name not in ("swept", "key") and now - each.stat().st_mtime > KEEP:
                        os.unlink(each.path)
                        removed += 1
        return removed


def _write_whole(path: str, data: bytes) -> None:
    """Write a file that nobody ever sees half written."""
    temporary = f"{path}.{os.getpid()}.{os.urandom(4).hex()}"
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(file, "wb") as whole:
            whole.write(data)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _encoded(program: Program) -> dict[str, Any]:
    """The units of a program, each as bytes, so that one can be read without the others."""
    encoded: dict[str, Any] = {}
    for name in program.unit_names:
        unit = program.unit(name)
        encoded[name] = marshal.dumps((unit.code, unit.constants, unit.sites))
    return encoded
