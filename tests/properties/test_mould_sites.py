"""A node at one site that is made from a node at another one is what is compiled for it, and so is what it exports.

Over generated environments with a file of data for each site (`support.mould_worlds`): texts of data in titles, paths,
relationships, tags, tests, loops and templates, and sites that say the same keys in the same shape, most of the time.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import NamedTuple

import pytest

from support.mould_worlds import difference, make, other_node
from support.moulds import compiled, inputs_of, rows
from wherefrom.base.secrets import Secrets
from wherefrom.fleet.rows import Form


class Count(NamedTuple):
    """How many nodes were looked at, how many were made, in how many of these data says other texts, and titles."""

    looked: int = 0
    fitted: int = 0
    told: int = 0
    titled: int = 0

    def plus(self, other: Count) -> Count:
        """The sum."""
        return Count(*map(sum, zip(self, other)))


def compare(seed: int, neighbours: int) -> Count:
    """The nodes of one world."""
    chance = Random(seed)
    world = make(chance)
    outcome = None if world is None else compiled(world)
    mould = None if outcome is None else outcome.mould()
    if world is None or outcome is None or mould is None:
        return Count()
    form = Form(outcome)
    count = Count()
    for _ in range(neighbours):
        other = other_node(chance, world)
        given = mould.given(inputs_of(other))
        cast = mould.fit(given) if mould.key_of(given) == mould.key else None
        made = None if cast is None else form.cast(cast)
        if cast is None or made is None:
            count = count.plus(Count(1))
            continue
        real = compiled(other)
        assert real is not None, (seed, other.node, other.facts, "does not compile")
        told = difference(rows(made), rows(Form(real)), Secrets(outcome.secrets() | cast.secrets))
        assert told == [], (seed, other.node, other.facts)
        if mould.makes_exports:
            sent, exported = (
                [(export.title, sorted(export.tags), export.parameters) for export in exports]
                for exports in (cast.exports, real.exports())
            )
            assert sent == exported, (seed, other.node, other.facts)
        count = count.plus(Count(1, 1, bool(cast.paths and cast.answers), bool(cast.titles)))
    return count


def total(seeds: Iterable[int], neighbours: int) -> Count:
    """The nodes of many worlds."""
    count = Count()
    for seed in seeds:
        count = count.plus(compare(seed, neighbours))
    return count


def test_generated_sites() -> None:
    count = total(range(90), 8)
    assert count.looked > 600 and count.fitted > 80 and count.told > 60 and count.titled > 15, count


@pytest.mark.soak
def test_generated_sites_for_long() -> None:
    count = total(range(1_000, 5_000), 12)
    assert count.looked > 30_000 and count.fitted > 5_000 and count.told > 4_000 and count.titled > 1_000, count
