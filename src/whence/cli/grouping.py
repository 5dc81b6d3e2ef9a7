"""Many nodes compared at once: `whence diff --nodes`.

Each node is compiled on both sides. Differences that are equal (path, values, edits) are put together over nodes, and
those that the same nodes share stand in one group, so that a change over a fleet reads as the few changes that it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..base.diagnostics import Diagnostic, ManyErrors
from ..comparison import Comparison, Difference, FleetComparison, compare, ignoring
from .differences import is_text_change, line_changes
from .options import Invocation

if TYPE_CHECKING:
    from collections.abc import Sequence


def compare_nodes(
    invocation: Invocation, before: str | None, after: str | None, nodes: Iterable[str], ignore: Sequence[str]
) -> FleetComparison:
    """Compare two paths for each of some nodes."""

    def compared(node: str) -> Comparison | list[Diagnostic]:
        try:
            outcomes = [invocation.run(path, node, trace=True) for path in (before, after)]
            return ignoring(compare(*outcomes), ignore)
        except ManyErrors as problems:
            return problems.diagnostics
        except Diagnostic as problem:
            return [problem]

    return grouped((node, compared(node)) for node in nodes)


def grouped(comparisons: Iterable[tuple[str, Comparison | list[Diagnostic]]]) -> FleetComparison:
    """Equal differences together, and those together that the same nodes have."""
    same: list[str] = []
    failed: list[tuple[str, list[Diagnostic]]] = []
    having: dict[str, tuple[Difference, list[str]]] = {}
    for node, comparison in comparisons:
        if isinstance(comparison, list):
            failed.append((node, comparison))
            continue
        if not comparison.differences:
            same.append(node)
        for difference in comparison.differences:
            having.setdefault(_identity(difference), (difference, []))[1].append(node)
    groups: dict[tuple[str, ...], list[Difference]] = {}
    for difference, names in having.values():
        groups.setdefault(tuple(names), []).append(difference)
    ordered = sorted(groups.items(), key=lambda group: (-len(group[0]), group[0]))
    shared = tuple((list(names), Comparison(tuple(differences), 0)) for names, differences in ordered)
    return FleetComparison(shared, tuple(same), tuple(failed))


def _identity(difference: Difference) -> str:
    """What makes two nodes' differences the same; of a long text, the lines that changed."""
    document = Comparison((difference,), 0).to_json()["differences"][0]
    if is_text_change(difference):
        changed = [line for line in line_changes(difference.before, difference.after) if line[0] in "-+"]
        document = {**document, "before": changed, "after": changed}
    return json.dumps(document, sort_keys=True, default=str)
