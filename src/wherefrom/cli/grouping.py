"""Many nodes compared at once: `wherefrom diff --nodes`.

Each node is compiled on both sides. Differences that are equal (path, values, edits) are put together over nodes, and
those that the same nodes share stand in one group, so that a change over a fleet reads as the few changes that it is.
Nodes come and go between two states: a new one is compiled on its side alone, and told; so is that one is gone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..base.diagnostics import Diagnostic, ManyErrors, UsageError
from ..base.record import Record
from ..causes import Experience
from ..comparison import Comparison, Difference, FleetComparison, compare, ignoring
from ..uncertain import without_uncertain
from .differences import is_text_change, line_changes
from .options import Invocation

if TYPE_CHECKING:
    from collections.abc import Sequence


FEW = 20
"""Nodes whose outcomes may stay in memory: to take one apart takes a tenth of what it takes to compile it."""
MOST_WITH_TRAITS = 5_000
"""Nodes whose facts are read to tell sets of them."""
LONGEST_TRAIT = 30


class Sides(Record):
    """The nodes that both sides of a comparison know, and those that one of them does."""

    both: tuple[str, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]

    @classmethod
    def of(cls, before: Iterable[str], after: Iterable[str]) -> Sides:
        """From the nodes of the two, in the order of the second side."""
        old, now = dict.fromkeys(before), dict.fromkeys(after)
        both, new = [node for node in now if node in old], [node for node in now if node not in old]
        return cls(tuple(both), tuple(new), tuple(node for node in old if node not in now))


def nodes_of_sides(invocation: Invocation, before: str | None, after: str | None, patterns: str) -> Sides:
    """The nodes of both sides that patterns name: one may have some that the other has not.  Raises `UsageError`."""
    try:
        return Sides.of(*(invocation.all_nodes(path, patterns) for path in (before, after)))
    except UsageError:
        if not patterns:
            raise
    names: tuple[list[str], list[str]] = ([], [])
    for pattern in filter(None, patterns.split(",")):
        problem: UsageError | None = None
        lacking = 0
        for path, chosen in zip((before, after), names):
            try:
                chosen += invocation.all_nodes(path, pattern)
            except UsageError as unmatched:
                problem = unmatched
                lacking += 1
        if problem is not None and lacking == 2:
            raise problem
    return Sides.of(*names)


def compare_nodes(
    invocation: Invocation,
    before: str | None,
    after: str | None,
    sides: Sides,
    ignore: Sequence[str],
    shown: Callable[[list[str]], Iterable[str]],
) -> FleetComparison:
    """Compare two paths for each of some nodes; those that are new must compile."""
    new = set(sides.new)
    first = invocation.as_it_is()
    experience = Experience()
    nodes = [*sides.both, *sides.new]

    def compared(node: str) -> Comparison | list[Diagnostic]:
        try:
            if node in new:
                invocation.run(after, node, trace=True)
                return Comparison((), 0)
            left, right = first.run(before, node, trace=True), invocation.run(after, node, trace=True)
            comparison = compare(left, right, first.again(before, after, (node, node), other=invocation), experience)
            comparison = without_uncertain(ignoring(comparison, ignore), left, right)
            if len(nodes) > FEW:
                left.let_go()
                right.let_go()
            return comparison
        except ManyErrors as problems:
            return problems.diagnostics
        except Diagnostic as problem:
            return [problem]

    fleet = grouped(((node, compared(node)) for node in shown(nodes)), sides.new, sides.gone)
    traits = traits_of(invocation, after, nodes)
    return FleetComparison(fleet.groups, fleet.same, fleet.failed, fleet.new, fleet.gone, traits)


def traits_of(invocation: Invocation, path: str | None, nodes: Sequence[str]) -> dict[str, dict[str, str]]:
    """The facts that sets of nodes are told by: short words, of which there are fewer than nodes."""
    traits: dict[str, dict[str, str]] = {}
    for node in nodes if len(nodes) <= MOST_WITH_TRAITS else ():
        try:
            facts = invocation.inputs(path, node)[2].facts
        except Diagnostic:
            continue
        known = {**facts, "os.family": facts["os"].get("family") if isinstance(facts.get("os"), dict) else None}
        traits[node] = {
            name: value for name, value in known.items() if isinstance(value, str) and 0 < len(value) <= LONGEST_TRAIT
        }
    values: dict[str, set[str]] = {}
    for node_traits in traits.values():
        for name, value in node_traits.items():
            values.setdefault(name, set()).add(value)
    telling = {name for name, known_values in values.items() if 1 < len(known_values) <= max(2, len(traits) // 2)}
    return {
        node: {name: node_traits[name] for name in telling if name in node_traits}
        for node, node_traits in traits.items()
    }


def grouped(
    comparisons: Iterable[tuple[str, Comparison | list[Diagnostic]]], new: Sequence[str] = (), gone: Sequence[str] = ()
) -> FleetComparison:
    """Equal differences together, and those together that the same nodes have; `new` ones differ from nothing."""
    apart = set(new)
    same: list[str] = []
    failed: list[tuple[str, list[Diagnostic]]] = []
    having: dict[str, tuple[Difference, list[str]]] = {}
    for node, comparison in comparisons:
        if isinstance(comparison, list):
            failed.append((node, comparison))
            continue
        if not comparison.differences and node not in apart:
            same.append(node)
        for difference in comparison.differences:
            having.setdefault(identity(difference), (difference, []))[1].append(node)
    groups: dict[tuple[str, ...], list[Difference]] = {}
    for difference, names in having.values():
        groups.setdefault(tuple(names), []).append(difference)
    ordered = sorted(groups.items(), key=lambda group: (-len(group[0]), group[0]))
    shared = tuple((list(names), Comparison(tuple(differences), 0)) for names, differences in ordered)
    return FleetComparison(shared, tuple(same), tuple(failed), tuple(new), tuple(gone))


def identity(difference: Difference) -> str:
    """What makes two nodes' differences the same; of a long text, the lines that changed."""
    document = Comparison((difference,), 0).to_json()["differences"][0]
    if is_text_change(difference):
        changed = [line for line in line_changes(difference.before, difference.after) if line[0] in "-+"]
        document = {**document, "before": changed, "after": changed}
    return json.dumps(document, sort_keys=True, default=str)
