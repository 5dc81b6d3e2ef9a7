"""How much work something takes, told so that neither a slow machine nor a busy one changes the answer.

Two amounts of work are compared by `lines`: how many lines of wherefrom were run, in whatever thread. The same work
gives the same number each time, so a test can say how work grows and need no room for luck.

That something ends soon at all is asked by `effort`, which sees what Python's own parts do as well: processor time (of
all threads of this process; time spent waiting for a turn does not count), divided by the processor time of a fixed
piece of work that is done again beside it: a million additions in a Python loop, some twenty to fifty milliseconds on
machines of today. Processor time does depend on what others do to caches and cores, so a bound on it is ten times what
is needed, or more, and no two efforts are compared.
"""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import wherefrom

PACKAGE = str(Path(wherefrom.__file__).parent)
WAITING = str(Path(wherefrom.__file__).parent / "base/deep.py")
"""Where one thread waits for another: how often it looks is the clock's affair."""


def lines(work: Callable[[], object]) -> int:
    """How many lines of wherefrom `work` runs, in this thread and those that it starts."""
    count = 0

    def within(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if event == "line":
            count += 1
        return within

    def entered(frame: FrameType, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        return within if name.startswith(PACKAGE) and name != WAITING else None

    before = sys.gettrace()
    is_collecting = gc.isenabled()
    gc.disable()  # what earlier tests left behind may have finalizers, whose lines are no part of the work
    threading.settrace(entered)
    sys.settrace(entered)
    try:
        work()
    finally:
        sys.settrace(before)
        threading.settrace(before)
        if is_collecting:
            gc.enable()
    return count


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds that `work` takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def _million_additions() -> None:
    total = 0
    for number in range(1_000_000):
        total += number


def effort(work: Callable[[], object]) -> float:
    """The work that `work` is, in millions of additions."""
    unit = min(seconds(_million_additions) for _ in range(3))
    return seconds(work) / unit
