"""Room for deep recursion.

The evaluators are recursive, and configurations may nest or recurse tens of thousands of levels deep. Python's own
limit is a thousand frames and the main thread's C stack is a few megabytes, so deep work runs on a thread of its own
with a large stack (address space only: pages are used when touched) and a recursion limit to match. What the function
returns or raises passes through; running out all the same is the diagnostic `LimitReached`, never a crash.

Any number of threads may ask at once. Whether a thread is deep already is known to the thread itself; the recursion
limit belongs to the whole interpreter, so it is raised by the first who comes and put back by the last who leaves.
"""

from __future__ import annotations

import sys
from _thread import _local, allocate_lock
from collections.abc import Callable
from typing import Any, TypeVar

from .diagnostics import LimitReached

Result = TypeVar("Result")

FRAMES = 400_000
STACK_BYTES = 1 << 30


class _Thread(_local):
    """What a thread knows about itself."""

    deep = False


class _RecursionLimit:
    """The interpreter's recursion limit, raised while anybody needs it so."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._users = 0
        self._before = 0
        self._raised = 0

    def raise_to(self, frames: int) -> None:
        """One more user, who needs `frames`."""
        with self._lock:
            if not self._users:
                self._before = self._raised = sys.getrecursionlimit()
            self._users += 1
            if frames > self._raised:
                sys.setrecursionlimit(frames)
                self._raised = frames

    def put_back(self) -> None:
        """One user less; the last one leaves the limit as the first found it, unless somebody else has set it."""
        with self._lock:
            self._users -= 1
            if not self._users and sys.getrecursionlimit() == self._raised:
                sys.setrecursionlimit(self._before)


_thread = _Thread()
_limit = _RecursionLimit()
_starting = allocate_lock()


def is_deep() -> bool:
    """Whether the calling thread has room already."""
    return _thread.deep


def with_deep_stack(work: Callable[[], Result], frames: int = FRAMES) -> Result:
    """Call `work` with room for about `frames` Python frames.  Calls inside `work` that ask again run at once."""
    if _thread.deep:
        return work()
    import threading
    from contextvars import copy_context

    outcome: list[Any] = []
    problem: list[BaseException] = []

    context = copy_context()  # a new thread has none of its own

    def run() -> None:
        _thread.deep = True
        try:
            outcome.append(context.run(work))
        except BaseException as raised:
            problem.append(raised)

    _limit.raise_to(frames)
    try:
        # A daemon, so that a command that is interrupted ends at once and does not wait for work nobody wants.
        thread = threading.Thread(target=run, name="whence", daemon=True)
        with _starting:  # the size of a new thread's stack is the interpreter's, too
            size = threading.stack_size(STACK_BYTES)
            try:
                thread.start()
            finally:
                threading.stack_size(size)
        thread.join()
    finally:
        _limit.put_back()
    if problem:
        if isinstance(problem[0], RecursionError):
            raise LimitReached("nested too deeply", frames) from None
        raise problem[0]
    return outcome[0]  # type: ignore[no-any-return]
