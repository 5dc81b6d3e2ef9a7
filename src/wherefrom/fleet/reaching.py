"""How far stretches of a file reach in a fleet: how many nodes use something, and what may change with its lines.

What is used is in the rows of the store. What may change is in the graphs of nodes (`wherefrom.fleet.graphs`), which
are gone through once for all stretches; lines are those of the file as it was when the nodes were compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..base.record import Record
from .questions import Questions

_USED = {
    "class": "select count(distinct node) from resources where type = 'Class' and lower(title) = ?",
    "type": "select count(distinct node) from resources where lower(type) = ?",
    "key": "select count(distinct node) from lookups where key = ?",
}


class Stretch(Record):
    """A definition, or a key of the data, and its lines."""

    kind: str
    name: str
    first: int
    last: int


class FleetReach(Record):
    """On how many nodes something is used; and which resources, on how many nodes, may change with its lines."""

    used: int | None
    resources: int | None = None
    nodes: int | None = None


def used_by(questions: Questions, stretches: Sequence[Stretch]) -> list[FleetReach]:
    """Which nodes have a class, have a resource of a type, or look a key up."""
    return [
        FleetReach(int(questions.rows(_USED[stretch.kind], [stretch.name])[0][0]) if stretch.kind in _USED else None)
        for stretch in stretches
    ]


def reached_by(
    questions: Questions, is_file: Callable[[str], bool], stretches: Sequence[Stretch], reached: Sequence[FleetReach]
) -> list[FleetReach]:
    """The same with what may change; nodes that have no graph get one.  Raises `UsageError` if one can not be made."""
    graphs = questions.graphs()
    inputs = {number: entry for number, entry in questions.inputs().items() if entry.line and is_file(entry.file)}
    wanted = [
        {
            number
            for number, entry in inputs.items()
            if (entry.line <= stretch.last and stretch.first <= entry.last_line)
            or any(stretch.first <= line <= stretch.last for line in entry.opening)
        }
        for stretch in stretches
    ]
    resources: list[set[tuple[str, str]]] = [set() for _ in stretches]
    nodes = [0] * len(stretches)
    for _, numbers, graph in graphs:
        if inputs.keys().isdisjoint(numbers):
            continue
        whole = graph()
        for at, several in enumerate(wanted):
            places = [place for place, number in enumerate(numbers) if number in several]
            outputs = whole.reached(places) if places else []
            resources[at].update(output[:2] for output in outputs)
            nodes[at] += bool(outputs)
    return [FleetReach(known.used, len(resources[at]), nodes[at]) for at, known in enumerate(reached)]
