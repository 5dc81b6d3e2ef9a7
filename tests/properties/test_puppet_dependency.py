"""Dependency is sound for the whole of Puppet: an input that an output is said not to depend on can not change it.

Worlds come from `support.puppet_dependency_programs`, changes from `support.puppet_dependency_changes`. A *pair* is one
change and one output of the world as it was; it is a violation if the output is another (or gone) afterwards and the
changed input is not among those that it depends on. Changes after which nothing compiles say nothing about outputs and
are counted apart.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from random import Random
from typing import Any, NamedTuple

import pytest

from support.examples import fresh
from support.puppet_dependency_changes import Change, changes, ways
from support.puppet_dependency_programs import World, make, run
from wherefrom.provenance.export import Exporter, import_origins
from wherefrom.provenance.extract import depends


class Outputs(NamedTuple):
    """What a compilation gave: values by path, and the leaves each depends on."""

    values: dict[str, Any]
    leaves: dict[str, list[Any]]


def compiled(world: World, trace: bool = True) -> Outputs | None:
    """The outputs of a world, or nothing if it does not compile."""
    outcome = run(world)
    if outcome is None:
        return None
    selected = list(outcome.everything())
    values = {each.path: each.value for each in selected}
    return Outputs(values, {each.path: depends(each.origin) for each in selected} if trace else {})


class Tally(Counter[str]):
    """Counts of pairs, changed pairs, broken changes, and the violations with their words."""

    def __init__(self) -> None:
        super().__init__()
        self.violations: list[tuple[Change, str, Any, Any]] = []


def check(seeds: Iterable[int], wanted: int = 20) -> Tally:
    """Make worlds, change them, and count."""
    tally = Tally()
    for seed in seeds:
        random = Random(seed)
        world = make(random)
        before = compiled(world)
        if before is None:
            tally["worlds that do not compile"] += 1
            continue
        tally["worlds"] += 1
        for change in changes(random, world, wanted, used(before)):
            after = compiled(change.world, trace=False)
            if after is None:
                tally["changes that break"] += 1
                continue
            tally["changes"] += 1
            compare(before, after, change, tally)
    return tally


def used(outputs: Outputs) -> list[tuple[Any, int]]:
    """The leaves that outputs depend on, each with the number of outputs."""
    counts: Counter[Any] = Counter(leaf.key for leaves in outputs.leaves.values() for leaf in leaves)
    leaves = {leaf.key: leaf for leaves in outputs.leaves.values() for leaf in leaves}
    return [(leaves[key], count) for key, count in counts.items()]


def compare(before: Outputs, after: Outputs, change: Change, tally: Tally) -> None:
    """Count the pairs of one change."""
    for path, value in before.values.items():
        tally["pairs"] += 1
        if path in after.values and after.values[path] == value:
            continue
        tally["changed"] += 1
        if not any(map(change.input.is_leaf, before.leaves[path])):
            tally["violations"] += 1
            tally.violations.append((change, path, value, after.values.get(path, "gone")))


def precision(seeds: Iterable[int], sampled: int = 12, tries: int = 40) -> Counter[str]:
    """Sample outputs with an input that they depend on, change the input in several ways, and count what came of it.

    `matters`: the output changed at least once; `decides`: it never did, but some change made it not compile.
    """
    counts: Counter[str] = Counter()
    for seed in seeds:
        random = Random(seed)
        world = make(random)
        before = compiled(world)
        if before is None:
            continue
        pairs = [(path, leaf) for path, leaves in before.leaves.items() for leaf in leaves]
        for path, leaf in random.sample(pairs, min(sampled, len(pairs))):
            verdict = ""
            for change in islice(ways(random, world, leaf), tries):
                verdict = verdict or "never"
                after = compiled(change.world, trace=False)
                if after is not None and after.values.get(path, after) != before.values[path]:
                    verdict = "matters"
                    break
                if after is None:
                    verdict = "decides"
            counts[verdict or "unchangeable"] += 1
            counts[f"{verdict or 'unchangeable'} {leaf.kind}{' absent' if leaf.absent else ''}"] += 1
    return counts


def check_impact(seeds: Iterable[int], wanted: int = 12) -> Tally:
    """Ask about inputs, change them, and hold the answers against what changed and what depends on them."""
    tally = Tally()
    for seed in seeds:
        random = Random(seed)
        world = make(random)
        outcome = run(world)
        before = compiled(world)
        if outcome is None or before is None:
            continue
        outputs = {each.path for each in outcome.outputs()}
        for change in changes(random, world, wanted, used(before)):
            after = compiled(change.world, trace=False)
            if after is None or (change.input.kind == "literal" and change.input.file not in outcome.sources):
                continue
            impact = outcome.impact(change.input.written(world.files), absent=True)
            affected = {path for path, _ in impact.affected}
            tally["answers"] += 1
            tally["affected"] += len(affected)
            for path in outputs:
                tally["pairs"] += 1
                new = after.values.get(path, "gone")
                depending = any(map(change.input.is_leaf, before.leaves[path]))
                tally["changed"] += new != before.values[path]
                if (new != before.values[path] and path not in affected) or (depending and path not in affected):
                    tally.violations.append((change, path, before.values[path], new))
                if path in affected and not any(change.input.is_named(leaf) for leaf in before.leaves[path]):
                    tally.violations.append((change, path, before.values[path], "affected without a cause"))
            if not impact.is_known and affected:
                tally.violations.append((change, "", "unknown", "yet affecting"))
    return tally


def told(tally: Tally, limit: int = 5) -> str:
    """The counts and the first violations."""
    rows = [f"{name}: {count}" for name, count in tally.items()]
    for change, path, old, new in tally.violations[:limit]:
        rows.append(f"{change.what} ({change.input}): {path} was {old!r}, is {new!r}")
    return "\n".join(rows)


def test_what_is_no_dependency_changes_nothing() -> None:
    """A few worlds, a dozen changes each."""
    tally = check(range(45), 12)
    assert not tally.violations, told(tally)
    assert tally["pairs"] > 5_000 and tally["changed"] > 0.15 * tally["pairs"], told(tally)


def test_impact_agrees_with_what_changes() -> None:
    """What changed was said to be affected; what is said to be affected depends on the input; the rest stays."""
    tally = check_impact(range(300, 325))
    assert not tally.violations, told(tally)
    assert tally["changed"] > 150 and tally["affected"] > 150, told(tally)


def test_what_is_saved_depends_on_the_same() -> None:
    """A saved graph has the same inputs for every output, also where an absence depends on itself by a detour."""
    for seed in range(300, 330):
        outcome = run(make(Random(seed)))
        if outcome is None:
            continue
        exporter = Exporter()
        selected = list(outcome.everything())
        rows = [exporter.row(each.origin) for each in selected]
        nodes, _ = import_origins(json.loads(json.dumps(exporter.document())))
        for each, row in zip(selected, rows, strict=True):
            saved, live = depends(nodes[row]), depends(each.origin)
            assert [leaf.key for leaf in saved] == [leaf.key for leaf in live], (seed, each.path)


@pytest.mark.soak
@pytest.mark.parametrize("start", [300, *range(300_000, 300_500, 100)])
def test_impact_agrees_with_what_changes_many(start: int) -> None:
    """The same, many times."""
    tally = check_impact(fresh(range(start, start + 100)))
    assert not tally.violations, told(tally)


@pytest.mark.soak
@pytest.mark.parametrize("start", [0, *range(100_000, 102_000, 100)])
def test_what_is_no_dependency_changes_nothing_many(start: int) -> None:
    """A million pairs, two hundred thousand of which change something; `WHEREFROM_SEED` chooses other ones."""
    tally = check(fresh(range(start, start + 100)))
    assert not tally.violations, told(tally)


@pytest.mark.soak
def test_most_dependencies_matter() -> None:
    """Of sampled pairs of an output and an input that it depends on, 85 in 100 can change the output or the verdict.

    The others are larger sets than necessary, or inputs that only matter together with another.
    """
    counts = precision(range(200_000, 200_150))
    matter = counts["matters"] + counts["decides"]
    assert matter >= 0.85 * (matter + counts["never"]), counts
