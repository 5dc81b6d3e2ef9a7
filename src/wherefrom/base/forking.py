"""Locks that a fork leaves usable.

A child has the one thread that forked it, and a copy of every lock. One that another thread held at that moment would
never be free again, since its holder is not there. So whoever forks holds the locks of modules meanwhile: a lock that
lasts as long as the process is given to `held_at_forks`. None of them may be held by a thread that forks, and one that
is taken inside another one is given before that one.
"""

from __future__ import annotations

import os
from typing import Protocol, TypeVar


class ForkLock(Protocol):
    """What locks have in common."""

    def acquire(self) -> bool:
        """Take it, when it is free."""

    def release(self) -> None:
        """Give it back."""


Kind = TypeVar("Kind", bound=ForkLock)


def held_at_forks(lock: Kind) -> Kind:
    """The same lock, which is held while this process is forked."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock
