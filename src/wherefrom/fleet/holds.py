"""Holds: who relies on something in a store, so that nobody takes it away meanwhile.

    STORE/readers   held by whoever reads, from looking at what counts until it is read: no file is deleted meanwhile
    STORE/runs      held by a run from its beginning to its end: rows and histories that it sent once stay, though no
                    node should name them for a while, since nodes that are yet to come may

A hold is a shared lock: many have it at once. Who wants to take something away asks whether nobody else has it, does
not wait, and leaves it for another time if somebody has. The system gives a lock back when a process ends, however it
ends. Where there can be no such lock (a directory that may only be read, and was never written to by this version)
nobody is kept out, and whoever reads looks again if a file is gone.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

READERS = "readers"
RUNS = "runs"


class Hold:
    """A hold on what `name` stands for in the store at `folder`, until it is closed or nobody has it any more."""

    def __init__(self, folder: str, name: str) -> None:
        import fcntl

        self._descriptor = _opened(os.path.join(folder, name))
        if self._descriptor is not None:
            self._closing = weakref.finalize(self, os.close, self._descriptor)
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_SH)
            except OSError:
                self.close()

    def close(self) -> None:
        """It is over; once more does no harm."""
        if self._descriptor is not None:
            self._descriptor = None
            self._closing()

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Whether nobody else has such a hold; if so, nobody gets one inside.  The writers' lock must be held.

        A lock that is exchanged for a stricter one is given up for a moment (flock(2)); since whoever asks this has
        the writers' lock, nothing is taken away in that moment.
        """
        import fcntl

        if self._descriptor is None:
            yield False
            return
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_alone = True
        except OSError:
            is_alone = False
        try:
            yield is_alone
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_SH)


def _opened(path: str) -> int | None:
    """The file, made if it is not there; nothing where neither can be."""
    for flags in (os.O_RDWR | os.O_CREAT, os.O_RDONLY):
        try:
            return os.open(path, flags | os.O_CLOEXEC, 0o644)
        except OSError:
            continue
    return None
