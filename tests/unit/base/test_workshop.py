"""A workshop keeps things between runs, and has one thing done at a time."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from wherefrom.base.workshop import Workshop


class Shelf:
    """Something kept."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def changed(self, paths: Iterable[str]) -> None:
        self.told += paths


def test_one_thing_of_a_kind_is_kept() -> None:
    """The same every time, another in another workshop, and it hears of changes."""
    workshop = Workshop()
    shelf = workshop.keep(Shelf)
    assert workshop.keep(Shelf) is shelf
    assert Workshop().keep(Shelf) is not shelf
    workshop.keep(dict)  # a thing that does not want to know
    workshop.changed(["a", "b"])
    assert shelf.told == ["a", "b"]
    workshop.clear()
    assert workshop.keep(Shelf) is not shelf


def test_threads_take_turns() -> None:
    """Nobody sees the half of what another does; work inside of work is done at once."""
    workshop = Workshop()
    seen: list[int] = []

    def work(number: int) -> None:
        for _ in range(200):
            workshop.do(lambda: seen.append(number))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: workshop.do(lambda: work(number)), range(4)))
    assert len(seen) == 800
    assert sum(one != other for one, other in pairwise(seen)) == 3


def test_the_collector_rests_only_if_it_may() -> None:
    """`rest=False` leaves it alone."""
    gc.enable()
    assert not Workshop().do(gc.isenabled)
    assert Workshop(rest=False).do(gc.isenabled)
