"""Python's collector of cycles: the one place where it is switched.

A compilation makes many objects, and hardly any of them are garbage; looking for cycles among them again and again
would take a third of the time. So the collector rests while something is computed. It belongs to the whole process,
and the process may be somebody else's:

- Inside `at_rest` it is off; the first who comes switches it off, the last who leaves switches it on again, if it was
  on. Nothing is frozen or unfrozen, so what an embedding process has set aside stays set aside. Where runs in several
  threads overlap for long, so that it would never come on, the young are looked through when there are very many.
- The command line owns its process: `own_process` switches the collector off for good, because a command ends soon and
  the memory with it. Commands that stay (`batch`) call `stay`, after which it works between requests as above; what
  was loaded until then is frozen, and never looked at again.
- A command of ours that does the same over and over (a fleet's nodes) calls `set_aside` when all that lasts is there,
  and `sweep` now and then: what it leaves behind is looked through, and nothing else. Objects that name each other, and
  are known to be done with, it takes apart (`take_apart`): that costs a fraction of having them found.
"""

from __future__ import annotations

import atexit
import gc
from _thread import allocate_lock
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

from .forking import held_at_forks

VERY_MANY = 2_000_000
"""Young objects; from so many on they are looked through even while somebody wants rest."""


class _Rest:
    """Whether the collector is paused, and how it was before.  Inside of `with`, it is paused."""

    __slots__ = ("lock", "owned", "sleepers", "was_on")

    def __init__(self) -> None:
        self.lock = held_at_forks(allocate_lock())
        self.sleepers = 0
        self.was_on = False
        self.owned = False

    def __enter__(self) -> None:
        with self.lock:
            if not self.sleepers:
                self.was_on = gc.isenabled()
                gc.disable()
            self.sleepers += 1

    def __exit__(self, *raised: object) -> None:
        with self.lock:
            self.sleepers -= 1
            last = not self.sleepers
            if last and self.was_on:
                gc.enable()
        if not last and gc.get_count()[0] > VERY_MANY:
            gc.collect(0)


_rest = _Rest()


def at_rest() -> AbstractContextManager[None]:
    """No looking for cycles inside."""
    return _rest


def own_process() -> None:
    """Say that this process is ours and ends soon: the collector stays off."""
    _rest.owned = True
    gc.disable()
    atexit.register(gc.freeze)  # Python looks for cycles once more when it ends: there is nothing to gain from it


def is_ours() -> bool:
    """Whether this process is that of a command of ours, and nobody else's."""
    return _rest.owned


def stay() -> None:
    """Say that a process of ours will live on: the collector works again between runs."""
    if _rest.owned:
        _rest.owned = False
        gc.freeze()
        gc.enable()


def begin_alone() -> None:
    """Say that this process was forked from one with threads, and that nobody here has paused it."""
    if _rest.sleepers:
        _rest.sleepers = 0
        if _rest.was_on:
            gc.enable()


def set_aside() -> None:
    """In a process of ours: what there is now lasts, and is never looked at again."""
    if _rest.owned:
        gc.freeze()


def sweep(young: bool = False) -> int:
    """In a process of ours: look for cycles among what was made since `set_aside`; how many objects were in some.

    Where only the `young` are looked at, that is what was made since the last time.
    """
    return gc.collect(0 if young else 2) if _rest.owned else 0


def take_apart(things: Iterable[object]) -> None:
    """Empty objects of ours that nobody will look at again: what they alone name goes at once."""
    for thing in things:
        for name in _names(type(thing)):
            try:
                delattr(thing, name)
            except AttributeError:  # never set, or taken already
                continue
        getattr(thing, "__dict__", {}).clear()


def _names(kind: type[Any]) -> Iterable[str]:
    """The attributes that objects of a class have places for."""
    known = _known_names.get(kind)
    if known is None:
        names = [name for above in kind.__mro__ for name in above.__dict__.get("__slots__", ())]
        known = _known_names[kind] = [name for name in names if not name.startswith("__")]
    return known


_known_names: dict[type[Any], list[str]] = {}
