"""Advisory locks on a store: nothing is deleted while somebody relies on it.

    STORE/readers   held by readers, from looking at the current generation until its files are read
    STORE/runs      held by a run from beginning to end: rows that the run has sent once stay, even if for a while no
                    node refers to them, since nodes that are still to be compiled may

The locks are shared (flock(2)): many processes have one at once. A process that wants to delete something tries to get
the lock exclusively, does not wait, and postpones the deletion if it can not. The kernel releases a lock when the
process ends, however it ends. Where no such lock is possible (a read-only directory that this version never wrote to)
nobody is kept out, and a reader that misses a file looks at the current generation again.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

from ..base.folder import Folder


class SharedLock:
    """A shared lock on the file `name` of the store at `folder`, until it is closed or garbage collected."""

    def __init__(self, folder: Folder, name: str) -> None:
        import fcntl

        self._descriptor = _opened(folder, name)
        if self._descriptor is not None:
            self._closing = weakref.finalize(self, os.close, self._descriptor)
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_SH)
            except OSError:
                self.close()

    def close(self) -> None:
        """Release the lock; may be called again."""
        if self._descriptor is not None:
            self._descriptor = None
            self._closing()

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Whether nobody else has the lock; if so, nobody gets it inside.  The writers' lock must be held.

        flock(2) releases a shared lock for a moment before it becomes exclusive; as the caller has the writers' lock,
        nothing is deleted in that moment.
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


def _opened(folder: Folder, name: str) -> int | None:
    """A descriptor of the file, which is created if needed; nothing if it can be neither created nor opened."""
    try:
        return folder.kept_open(name)
    except OSError:
        try:
            with folder.open(name) as file:
                return os.dup(file.fileno())
        except OSError:
            return None
