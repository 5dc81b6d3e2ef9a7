"""Sets of inputs for all outputs at once are what walking from each output alone gives."""

from __future__ import annotations

import random

from support.puppet_dependency_programs import make, run
from whence.provenance.extract import reachable
from whence.provenance.origins import BUILT_IN, Absent, Choice, Later, Leaf, Origin
from whence.provenance.sets import InputSets


def alone(origin: Origin) -> set[object]:
    """What one output depends on, leaf by leaf and place by place."""
    things: set[object] = set()
    for node in reachable([origin]):
        span = getattr(node, "span", None)
        if isinstance(node, Leaf):
            things.add(node.key)
        elif span is not None:
            things.add((span.file.identity, span.start, span.end))
    return things


def together(sets: InputSets, origin: Origin) -> set[object]:
    """The same from sets of all outputs."""
    members = [sets.inputs[number] for number in sets.members(sets.of(origin))]
    return {
        member.key if isinstance(member, Leaf) else (member.file.identity, member.start, member.end)
        for member in members
    }


def test_generated_environments() -> None:
    outputs = 0
    for seed in range(30):
        outcome = run(make(random.Random(seed)))
        if outcome is None:
            continue
        sets = InputSets()
        for selected in outcome.everything():
            assert together(sets, selected.origin) == alone(selected.origin), (seed, selected.path)
            outputs += 1
    assert outputs > 500, outputs


def test_a_knot_is_one_set() -> None:
    """Absences that owe to each other depend on the same, wherever the walk begins."""
    one, two = Leaf("fact", "one", None, 1), Leaf("fact", "two", None, 2)
    first: Later = Later("first", lambda: (one, second))
    second: Later = Later("second", lambda: (two, first))
    above = Choice((second,), BUILT_IN)
    for order in ([first, second, above], [above, first, second], [second, above, first]):
        sets = InputSets()
        names = [[sets.inputs[number] for number in sets.members(sets.of(origin))] for origin in order]
        assert all(set(leaves) == {one, two} for leaves in names)


def test_beside_a_knot() -> None:
    """What hangs below a knot does not get what the knot depends on."""
    one, two = Leaf("fact", "one", None, 1), Leaf("fact", "two", None, 2)
    inner = Absent("inner", (two,))
    knot: Later = Later("knot", lambda: (one, back))
    back = Absent("back", (inner, knot))
    sets = InputSets()
    assert len(sets.members(sets.of(knot))) == 2
    assert [sets.inputs[number] for number in sets.members(sets.of(inner))] == [two]
    assert sets.of(back) == sets.of(knot)
