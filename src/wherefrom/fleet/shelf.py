"""A shelf: texts that are there for all nodes and that hardly anybody looks at, on disk instead of in memory.

Texts are put on it one after the other and known by their place. The file has no name, is its owner's alone, since
secrets may be among what nodes export, and goes when the process ends, however it ends. What was put last waits in
memory until it is worth a write; who looks at it does not notice. A process that was forked sees what was there.
"""

from __future__ import annotations

import os
import tempfile
import weakref

from ..base.diagnostics import UsageError

MOST_WAITING = 1 << 20
"""Bytes that wait for being written."""
_SIZE_BITS = 32
"""The last bits of a place are the size of what is there: one number for both, as there are many."""


class Shelf:
    """Texts by their places.  `folder` is where there is room for them; else the system's folder for such files."""

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        self._file: int | None = None
        self._written = 0
        self._waiting = bytearray()

    def put(self, text: bytes) -> int:
        """Put a text there; its place.  Raises `UsageError` where there is no room."""
        place = self._written + len(self._waiting) << _SIZE_BITS | len(text)
        self._waiting += text
        if len(self._waiting) > MOST_WAITING:
            self._write()
        return place

    def at(self, place: int) -> bytes:
        """The text at a place."""
        start, size = place >> _SIZE_BITS, place & (1 << _SIZE_BITS) - 1
        if start >= self._written:
            start -= self._written
            return bytes(self._waiting[start : start + size])
        assert self._file is not None
        return os.pread(self._file, size, start)

    def _write(self) -> None:
        try:
            if self._file is None:
                self._file = _unnamed(self._folder)
                weakref.finalize(self, os.close, self._file)
            waiting = memoryview(self._waiting)
            while waiting:
                count = os.pwrite(self._file, waiting, self._written)
                self._written += count
                waiting = waiting[count:]
        except OSError as problem:
            raise UsageError(
                f"cannot put aside what nodes export: {(problem.strerror or str(problem)).lower()}"
            ) from None
        self._waiting = bytearray()


def _unnamed(folder: str | None) -> int:
    """A new file without a name, by its descriptor; elsewhere, if the folder can only be read."""
    where = folder if folder and os.access(folder, os.W_OK) else None
    with tempfile.TemporaryFile(dir=where) as file:
        return os.dup(file.fileno())
