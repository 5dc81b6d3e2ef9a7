"""A catalog as a graph: who contains whom, who comes before whom; written for Graphviz.

Containers are drawn as boxes round what they contain, relationships as arrows (dashed for those that also notify). The
members and arrows of a cycle are red, and an arrow knows the place that made it. Names come from configurations, so
everything written is quoted.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from .record import Record
from .render import span_json, visible
from .source import Span


class Node(Record):
    """A resource: its reference, whether it contains others, where it was declared."""

    name: str
    container: str | None
    span: Span | None = None


class Arrow(Record):
    """`source` comes before `target`; with `notifies`, its changes refresh it too."""

    source: str
    target: str
    notifies: bool
    span: Span | None = None


class Graph(Record):
    """All of it.  A cycle is a list of names, the first repeated at the end."""

    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    cycles: tuple[tuple[str, ...], ...]

    def to_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "nodes": [{"name": node.name, "container": node.container, **span_json(node.span)} for node in self.nodes],
            "arrows": [
                {
                    "source": arrow.source,
                    "target": arrow.target,
                    "kind": "notify" if arrow.notifies else "before",
                    **span_json(arrow.span),
                }
                for arrow in self.arrows
            ],
            "cycles": [list(cycle) for cycle in self.cycles],
        }

    def renamed(self, name_of: Callable[[str], str]) -> Graph:
        """The same with other names.  Where two become one, they are numbered."""
        names: dict[str, str] = {}
        taken: set[str] = set()
        for node in self.nodes:
            label, number = name_of(node.name), 1
            while label in taken:
                number += 1
                label = f"{name_of(node.name)} {number}"
            taken.add(label)
            names[node.name] = label
        return Graph(
            tuple(
                Node(names[node.name], names.get(node.container or "", node.container), node.span)
                for node in self.nodes
            ),
            tuple(
                Arrow(
                    names.get(arrow.source, arrow.source),
                    names.get(arrow.target, arrow.target),
                    arrow.notifies,
                    arrow.span,
                )
                for arrow in self.arrows
            ),
            tuple(tuple(names.get(name, name) for name in cycle) for cycle in self.cycles),
        )

    def around(self, name: str, steps: int) -> Graph:
        """Only what can be reached from `name` by at most `steps` arrows, either way, and the boxes round it."""
        near = {name}
        edge = {name}
        for _ in range(steps):
            edge = {
                other
                for arrow in self.arrows
                for one, other in ((arrow.source, arrow.target), (arrow.target, arrow.source))
                if one in edge
            } - near
            near |= edge
        containers = {node.name: node.container for node in self.nodes}
        for inner in list(near):
            outer = containers.get(inner)
            while outer is not None and outer not in near:
                near.add(outer)
                outer = containers.get(outer)
        return Graph(
            tuple(node for node in self.nodes if node.name in near),
            tuple(arrow for arrow in self.arrows if arrow.source in near and arrow.target in near),
            tuple(cycle for cycle in self.cycles if near.issuperset(cycle)),
        )


def dot(graph: Graph) -> str:
    """The graph in Graphviz' language."""
    red = {name for cycle in graph.cycles for name in cycle}
    steps = {pair for cycle in graph.cycles for pair in pairwise(cycle)}
    inside: dict[str | None, list[Node]] = {}
    for node in graph.nodes:
        inside.setdefault(node.container, []).append(node)
    lines = [
        "digraph catalog {",
        '  rankdir=LR; compound=true; node [shape=box, style=rounded, fontname="sans-serif", fontsize=10];',
        '  graph [fontname="sans-serif", fontsize=10, color="#999999"]; edge [color="#555555", arrowsize=0.7];',
    ]
    lines += _boxes(inside, red, {end for arrow in graph.arrows for end in (arrow.source, arrow.target)})
    for arrow in graph.arrows:
        look = ["style=dashed"] if arrow.notifies else []
        if (arrow.source, arrow.target) in steps:
            look += ['color="#cc0000"', "penwidth=2"]
        if arrow.span is not None:
            look.append(f"tooltip={_quoted(arrow.span.place)}")
        lines.append(f"  {_quoted(arrow.source)} -> {_quoted(arrow.target)} [{', '.join(look)}];")
    return "\n".join([*lines, "}"]) + "\n"


def _boxes(inside: dict[str | None, list[Node]], red: set[str], ends: set[str]) -> list[str]:
    """Containers as clusters, with a node of its own where arrows end at one.  Nesting may be deep: no recursion."""
    lines: list[str] = []
    waiting: list[Node | str] = list(reversed(inside.get(None, [])))
    number = 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            lines.append(node)
            continue
        mark = [f"tooltip={_quoted(node.span.place)}"] if node.span is not None else []
        mark += ['color="#cc0000"', 'fontcolor="#cc0000"'] if node.name in red else []
        if node.name in inside:
            number += 1
            lines.append(f"  subgraph cluster_{number} {{ label={_quoted(node.name)};")
            waiting.append("  }")
            waiting.extend(reversed(inside[node.name]))
            if node.name not in ends:
                continue
        lines.append(f"  {_quoted(node.name)} [{', '.join(mark)}];")
    return lines


def _quoted(text: str) -> str:
    escaped = visible(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
