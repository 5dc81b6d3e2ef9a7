"""How many examples a property is tried on: `examples(100)` in every run, many times as many in `make soak`, which sets
`WHEREFROM_EXAMPLES`. (`derandomize` gives the same examples each time: more of them are other ones.)"""

from __future__ import annotations

import os

TIMES = int(os.environ.get("WHEREFROM_EXAMPLES", "1"))


def examples(usual: int) -> int:
    """As many as usual, or many times as many."""
    return usual * TIMES
