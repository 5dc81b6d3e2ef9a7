"""Sets of inputs for all outputs at once are what walking from each output alone gives."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import wherefrom
from support.puppet_dependency_programs import make, run
from wherefrom.base.source import SourceFile
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
from wherefrom.provenance.sets import InputSets, below


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


def test_the_numbers_in_a_set() -> None:
    assert InputSets().members(0) == []
    assert InputSets().members(0b1_0010_0101) == [0, 2, 5, 8]


def test_places_count_beside_inputs() -> None:
    """A place that a history passed through is one of the things, the same place once."""
    file = SourceFile("t", "0123456789")
    sets = InputSets()
    literal = Leaf("literal", "", file.span(1, 2), 1)
    first = sets.of(Copy(Reason("hand"), literal, file.span(3, 4)))
    second = sets.of(Step(Infix("+"), (), file.span(3, 4)))
    third = sets.of(Step(Infix("+"), (), file.span(1, 2)))
    assert [sets.inputs[number] for number in sets.members(first)] == [file.span(3, 4), literal]
    assert sets.members(second) == [0] and sets.members(third) == [2]
    assert sets.of(Step(Infix("+"), ())) == 0


def test_a_deep_history_is_walked_without_recursion() -> None:
    one = Leaf("fact", "one", None, 1)
    origin: Origin = one
    for _ in range(50_000):
        origin = Copy(Reason("hand"), origin)
    sets = InputSets()
    assert [sets.inputs[number] for number in sets.members(sets.of(origin))] == [one]


def test_bundles_are_what_always_goes_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every input is in one bundle, a set is the sum of its bundles, and what some set tells apart is in two.

    So it is however few rows of the matrix are looked at together.
    """
    for seed in range(60):
        chance = random.Random(seed)
        sets = InputSets()
        width = chance.choice((1, 2, 7, 40))
        sets.inputs.extend(Leaf("fact", str(number), None, number) for number in range(width))
        atoms = [sum(1 << bit for bit in range(width) if bit % 5 == rest) for rest in range(5)]
        some = [
            sum(atom for atom in atoms if chance.random() < 0.5) | (chance.getrandbits(width) if seed % 3 == 0 else 0)
            for _ in range(chance.choice((0, 1, 9)))
        ]
        monkeypatch.setattr("wherefrom.provenance.sets.MOST_BITS", chance.choice((1, 3 * width, 1 << 20)))
        bundles, made_of = sets.bundled(some)
        assert sorted(bit for bundle in bundles for bit in bundle) == list(range(width))
        for members, parts_of in zip(some, made_of, strict=True):
            assert sorted(bit for place in parts_of for bit in bundles[place]) == sets.members(members)
        columns = [tuple(bool(members >> bundle[0] & 1) for members in some) for bundle in bundles]
        assert len(set(columns)) == len(columns)
        if seed % 3:
            assert len(bundles) <= 5


def walked_edges(folder: Path, classes: int, resources: int) -> int:
    """The edges of the history of all outputs, where any class may be declared, and any could change any file."""
    source = "".join(
        f"class c{number}($other = 'x') {{\n"
        f"  if $facts['f{number}'] {{ include $other File <| |> {{ mode => '0600' }} }}\n}}\n"
        for number in range(classes)
    )
    source += "".join(f"include c{number}\n" for number in range(classes))
    source += "".join(f"file {{ '/f{number}': mode => '0644', owner => root }}\n" for number in range(resources))
    (folder / f"{classes}.pp").write_text(source)
    outcome = wherefrom.compile(str(folder / f"{classes}.pp"), trace=True)
    waiting: list[Origin | Guard] = [output.origin for output in outcome.outputs()]
    seen: set[int] = set()
    kept: list[object] = []
    edges = 0
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        kept.append(node)
        several = below(node)
        edges += len(several)
        waiting.extend(several)
    return edges


def test_histories_share_what_they_have_in_common(tmp_path: Path) -> None:
    """Ten times the classes and files make ten times the history, not a hundred times."""
    few, many = walked_edges(tmp_path, 8, 8), walked_edges(tmp_path, 80, 80)
    assert many < 15 * few, (few, many)
