"""How much work something takes, told so that neither a slow machine nor a busy one changes the answer.

The measure is processor time (of all threads of this process; time spent waiting for a turn does not count), divided by
the processor time of a fixed piece of work that is done again beside it: a million additions in a Python loop, some
twenty to fifty milliseconds on machines of today.
"""

from __future__ import annotations

import time
from collections.abc import Callable


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
