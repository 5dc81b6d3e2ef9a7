"""A spill file: texts of all nodes that are rarely read again, kept on disk instead of in memory.

Texts are appended, and each is known by its place (offset and length in one number). The file has no name and is
readable by its owner alone, since exported resources may hold secrets; it disappears when the process ends, however it
ends. The newest texts wait in memory until there is enough for one write, and are read from there until then. A forked
process can read what was there when it was forked.
"""

from __future__ import annotations

import os
import weakref
from contextlib import suppress

from ..base.diagnostics import UsageError
from ..base.folder import scratch_file
from .place import place_of

MOST_WAITING = 1 << 20
"""Bytes that wait for being written."""
_SIZE_BITS = 32
"""The last bits of a place are the size of what is there: one number for both, as there are many."""


class SpillFile:
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
                f"cannot buffer exported resources: {(problem.strerror or str(problem)).lower()}"
            ) from None
        self._waiting = bytearray()


def _unnamed(folder: str | None) -> int:
    """A new file without a name, by its descriptor; elsewhere, if the folder can only be read."""
    if folder:
        with suppress(OSError):
            return place_of(folder).unnamed()
    return scratch_file()
