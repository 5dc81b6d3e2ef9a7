"""What is made from another node's catalog is what is compiled: values, resources, edges, and what each depends on.

Over generated environments that are small and dense (branches not taken, data that is not found, computed names,
collectors, templates) and nodes that differ in their names and facts, absent ones and ones of other types included.
"""

from __future__ import annotations

from random import Random

import pytest

from support.moulds import compiled, inputs_of, neighbour, rows
from support.puppet_dependency_programs import make
from wherefrom.fleet.rows import Form


def compare(seeds: range, neighbours: int) -> tuple[int, int, int]:
    """How many nodes were looked at, how many fitted, and in how many of these something was other."""
    looked = fitted = changed = 0
    for seed in seeds:
        chance = Random(seed)
        world = make(chance)
        outcome = compiled(world)
        mould = outcome.mould() if outcome is not None else None
        if outcome is None or mould is None:
            continue
        form = Form(outcome)
        for _ in range(neighbours):
            other = neighbour(chance, world)
            looked += 1
            given = mould.given(inputs_of(other))
            cast = mould.fit(given) if mould.key_of(given) == mould.key else None
            if cast is None:
                continue
            made = form.cast(cast)
            if made is None:
                continue
            fitted += 1
            changed += bool(cast.values or cast.titles or cast.inputs)
            real = compiled(other)
            assert real is not None, (seed, other.node, other.facts)
            assert rows(made) == rows(Form(real)), (seed, other.node, other.facts)
    return looked, fitted, changed


def test_generated_environments() -> None:
    looked, fitted, changed = compare(range(150), 6)
    assert looked > 300 and fitted > 50 and changed > 20, (looked, fitted, changed)


@pytest.mark.soak
def test_generated_environments_for_long() -> None:
    looked, fitted, changed = compare(range(1_000, 5_000), 12)
    assert looked > 20_000 and fitted > 3_000 and changed > 1_000, (looked, fitted, changed)
