"""The small graph of all outputs says of each what walking from it alone says."""

from __future__ import annotations

import random
from typing import Any

import pytest

from support.puppet_dependency_programs import make, run
from wherefrom.base.source import SourceFile
from wherefrom.provenance.condensed import Condensed, below
from wherefrom.provenance.extract import parts, reachable
from wherefrom.provenance.operations import Infix, Reason
from wherefrom.provenance.origins import (
    BUILT_IN,
    Absent,
    Choice,
    Copy,
    Covering,
    Guard,
    Guarded,
    Hidden,
    Items,
    Later,
    Leaf,
    Origin,
    Overridden,
    Step,
)


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


def leaves_of(condensed: Condensed, number: int) -> list[Any]:
    """The inputs below a node of the small graph, each once."""
    found: dict[int, None] = {}
    waiting = [number]
    while waiting:
        here = waiting.pop()
        if here < 0:
            found[~here] = None
        else:
            assert all(other < here for other in condensed.nodes[here]), "no knots, and in order"
            waiting += condensed.nodes[here]
    return [condensed.inputs[place] for place in sorted(found)]


def together(condensed: Condensed, origin: Origin) -> set[object]:
    """The same from the small graph of all outputs."""
    return {
        member.key if isinstance(member, Leaf) else (member.file.identity, member.start, member.end)
        for member in leaves_of(condensed, condensed.of(origin))
    }


def test_generated_environments() -> None:
    outputs = 0
    for seed in range(30):
        outcome = run(make(random.Random(seed)))
        if outcome is None:
            continue
        sets = Condensed()
        for selected in outcome.everything():
            assert together(sets, selected.origin) == alone(selected.origin), (seed, selected.path)
            outputs += 1
    assert outputs > 500, outputs


def test_a_knot_is_one_set() -> None:
    """Absences that depend on each other depend on the same, wherever the walk begins."""
    one, two = Leaf("fact", "one", None, 1), Leaf("fact", "two", None, 2)
    first: Later = Later("first", lambda: (one, second))
    second: Later = Later("second", lambda: (two, first))
    above = Choice((second,), BUILT_IN)
    for order in ([first, second, above], [above, first, second], [second, above, first]):
        sets = Condensed()
        names = [leaves_of(sets, sets.of(origin)) for origin in order]
        assert all(set(leaves) == {one, two} for leaves in names)


def test_beside_a_knot() -> None:
    """What hangs below a knot does not get what the knot depends on."""
    one, two = Leaf("fact", "one", None, 1), Leaf("fact", "two", None, 2)
    inner = Absent("inner", (two,))
    knot: Later = Later("knot", lambda: (one, back))
    back = Absent("back", (inner, knot))
    sets = Condensed()
    assert len(leaves_of(sets, sets.of(knot))) == 2
    assert leaves_of(sets, sets.of(inner)) == [two]
    assert sets.of(back) == sets.of(knot)


def test_every_kind_of_origin_says_what_lies_below_it() -> None:
    """The same as `parts` says, also for a language's own kind of origin."""

    class Own(Step):
        __slots__ = ()

    leaves = [Leaf("fact", str(number), None, number) for number in range(4)]
    one, two, three, four = leaves
    guard = Guard(one, None)
    nodes: list[Origin | Guard] = [
        one,
        Step(Infix("+"), (one, two)),
        Own(Infix("+"), (one, two)),
        Copy(Reason("hand"), one),
        Choice((one, two), three),
        guard,
        Guard(two, guard),
        Guarded(one, guard),
        Absent("x", (one, guard)),
        Later("x", lambda: (one, two)),
        Items([one, two], three),
        Items({"k": one}, two),
        Overridden(None, one, (Hidden(0, four, Reason("old")),), (two, guard)),
        Covering(one, lambda: (Hidden(0, four, Reason("old")),)),
    ]
    for node in nodes:
        assert list(below(node)) == list(parts(node)), node


def test_places_count_beside_inputs() -> None:
    """A place that a history passed through is one of the things, the same place once."""
    file = SourceFile("t", "0123456789")
    sets = Condensed()
    literal = Leaf("literal", "", file.span(1, 2), 1)
    first = sets.of(Copy(Reason("hand"), literal, file.span(3, 4)))
    second = sets.of(Step(Infix("+"), (), file.span(3, 4)))
    third = sets.of(Step(Infix("+"), (), file.span(1, 2)))
    assert leaves_of(sets, first) == [file.span(3, 4), literal]
    assert (second, third) == (~0, ~2)
    assert leaves_of(sets, sets.of(Step(Infix("+"), ()))) == []


@pytest.mark.long
def test_a_deep_history_is_walked_without_recursion() -> None:
    one = Leaf("fact", "one", None, 1)
    origin: Origin = one
    for _ in range(50_000):
        origin = Copy(Reason("hand"), origin)
    sets = Condensed()
    assert leaves_of(sets, sets.of(origin)) == [one] and not sets.nodes
