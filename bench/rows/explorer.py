"""The explorer with 10,000 resources in Chromium, by the page's own clock: first view, a key of a search, an answer.

Measured by `bench/explorer.py`; these are seconds on the wall, as the person before the page has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench import explorer
from bench.measure import Figures, Result, Special

GROUP = "Explorer"
RESOURCES = 10_000


def rows(scratch: Path) -> Iterator[Special]:
    """All views at once."""
    yield Special(GROUP, "10,000 resources", _measure)


def _measure() -> Iterator[Result]:
    """A row for each view."""
    reason = explorer.missing()
    if reason is not None:
        yield Result(GROUP, "10,000 resources", {}, {"wherefrom": reason})
        return
    for name, times, _ in explorer.measure(RESOURCES):
        seconds = [each / 1000 for each in times]
        sides = {"wherefrom": Figures(median(seconds), min(seconds), max(seconds), 0)}
        yield Result(GROUP, f"10,000 resources, {name}", sides)
