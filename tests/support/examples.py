"""How many examples a property is tried on: `examples(100)` says how many continuous integration tries.

`make test`, which a developer waits for, tries some of them; `make soak` many times as many. `WHEREFROM_EXAMPLES` is
the factor: 1 in `.ci/run`, 20 in `make soak`. (`derandomize` gives the same examples each time: more of them are other
ones.) Soak tests that go over numbered programs take other ones with `WHEREFROM_SEED=1`, 2, ...: `fresh(range(100))`.
"""

from __future__ import annotations

import os

TIMES = float(os.environ.get("WHEREFROM_EXAMPLES", "0.35"))
FEWEST = 10
"""Below this a property would hardly be tried."""
_SEED = int(os.environ.get("WHEREFROM_SEED", "0"))


def fresh(seeds: range) -> range:
    """As many other seeds, which `WHEREFROM_SEED` chooses; these, if it chooses nothing."""
    return range(seeds.start + _SEED * 10_000_000, seeds.stop + _SEED * 10_000_000)


def examples(usual: int) -> int:
    """As many as usual times the factor."""
    return max(round(usual * TIMES), min(usual, FEWEST))
