"""The execution context of a session: lock, deep stack, budget, garbage collector and caches, as a language sees them.

A language is handed one with every run and does all its work in it: `do` gives room for deep recursion, lets the
collector of cycles rest, and has only one thing done at a time; `keep` holds what one run leaves for the next (parsed
files, loaded environments). An outcome remembers the context it was made in, since much of its work waits until
somebody asks.

Two contexts share nothing, so that sessions in several threads do not meet. Threads that share one take turns.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar, runtime_checkable

from .budget import Budget
from .collector import at_rest
from .deep import is_deep, with_deep_stack

Result = TypeVar("Result")
Thing = TypeVar("Thing")


@runtime_checkable
class Forgetful(Protocol):
    """Something kept between runs that can be told that files changed."""

    def changed(self, paths: Iterable[str]) -> None:
        """The files (or directories) `paths` are not what they were."""


class ExecutionContext:
    """See the module's text.  Without `rest` the collector of cycles is left alone altogether."""

    def __init__(self, rest: bool = True, budget: Budget | None = None) -> None:
        self._rest = rest
        self.budget = budget or Budget()
        self._running: Budget | None = None
        self._kept: dict[Callable[[], Any], Any] = {}
        self._turn = allocate_lock()
        self._is_cancelled = False
        self._changes: list[str] = []
        """Files that have changed while something was done: told before the next thing is."""
        self.is_still = False
        """Whether files are taken to stand still, so that nobody looks whether they have changed."""

    def do(self, work: Callable[[], Result]) -> Result:
        """Do `work`, with room for deep recursion.  What is done inside of it and asks again is done at once.

        Each time the whole budget may be spent.
        """
        if is_deep():
            return work()
        budget = self.budget.fresh()
        budget.cancelled = lambda: self._is_cancelled
        with self._turn, budget.in_force():
            self._is_cancelled = False
            self._running = budget
            try:
                self._tell_changes()
                if not self._rest:
                    return with_deep_stack(work)
                with at_rest():
                    return with_deep_stack(work)
            finally:
                self._running = None

    def keep(self, kind: Callable[[], Thing]) -> Thing:
        """The one thing of this `kind` (a class, or whatever makes it) that is kept here; made on first use."""
        thing: Thing | None = self._kept.get(kind)
        if thing is None:
            thing = self._kept.setdefault(kind, kind())
        return thing

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Inside, files are taken to stand still: what was read serves without another look.  It is forgotten after."""
        self.is_still = True
        try:
            yield
        finally:
            self.is_still = False
            self.clear()

    def cancel(self) -> None:
        """Make the work in progress end with `Cancelled`; returns at once."""
        running = self._running
        if running is not None:
            self._is_cancelled = True
            if running.stop is not None:
                running.stop()

    def changed(self, paths: Iterable[str]) -> None:
        """Tell everything kept that files changed: at once, or when what is being done is over."""
        self._changes += paths
        if is_deep():
            self._tell_changes()
        elif self._turn.acquire(blocking=False):
            self._turn.release()
            self.do(lambda: None)

    def _tell_changes(self) -> None:
        paths, self._changes = self._changes, []
        for thing in list(self._kept.values()) if paths else ():
            if isinstance(thing, Forgetful):
                thing.changed(paths)

    def clear(self) -> None:
        """Forget everything."""
        self.do(self._kept.clear)
