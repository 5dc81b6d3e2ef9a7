"""An execution context keeps things between runs, and has one thing done at a time."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from wherefrom.base.execution import ExecutionContext


class Shelf:
    """Something kept."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def changed(self, paths: Iterable[str]) -> None:
        self.heard += paths


def test_one_thing_of_a_kind_is_kept() -> None:
    """The same every time, another in another context, and it hears of changes."""
    execution = ExecutionContext()
    shelf = execution.keep(Shelf)
    assert execution.keep(Shelf) is shelf
    assert ExecutionContext().keep(Shelf) is not shelf
    execution.keep(dict)  # a thing that does not want to know
    execution.changed(["a", "b"])
    assert shelf.heard == ["a", "b"]
    execution.clear()
    assert execution.keep(Shelf) is not shelf


def test_threads_take_turns() -> None:
    """Nobody sees the half of what another does; work inside of work is done at once."""
    execution = ExecutionContext()
    seen: list[int] = []

    def work(number: int) -> None:
        for _ in range(200):
            execution.do(lambda: seen.append(number))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: execution.do(lambda: work(number)), range(4)))
    assert len(seen) == 800
    assert sum(one != other for one, other in pairwise(seen)) == 3


def test_the_collector_rests_only_if_it_may() -> None:
    """`rest=False` leaves it alone."""
    gc.enable()
    assert not ExecutionContext().do(gc.isenabled)
    assert ExecutionContext(rest=False).do(gc.isenabled)
