"""Room for deep recursion.

The evaluators are recursive, and configurations may nest or recurse tens of thousands of levels deep. Python's own
limit is a thousand frames and the main thread's C stack is a few megabytes, so deep work runs on a thread of its own
with a large stack (address space only: pages are used when touched) and a recursion limit to match. What the function
returns or raises passes through; running out all the same is the diagnostic `LimitReached`, never a crash.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from .diagnostics import LimitReached

Result = TypeVar("Result")

FRAMES = 400_000
STACK_BYTES = 1 << 30
_inside = False


def with_deep_stack(work: Callable[[], Result], frames: int = FRAMES) -> Result:
    """Call `work` with room for about `frames` Python frames.  Calls inside `work` that ask again run at once."""
    import threading

    global _inside
    if _inside:
        return work()
    outcome: list[Any] = []
    problem: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as raised:
            problem.append(raised)

    old_size = threading.stack_size(STACK_BYTES)
    old_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(old_limit, frames))
    _inside = True
    try:
        thread = threading.Thread(target=run, name="whence")
        thread.start()
        thread.join()
    finally:
        _inside = False
        sys.setrecursionlimit(old_limit)
        threading.stack_size(old_size)
    if problem:
        if isinstance(problem[0], RecursionError):
            raise LimitReached("nested too deeply", frames) from None
        raise problem[0]
    return outcome[0]  # type: ignore[no-any-return]
