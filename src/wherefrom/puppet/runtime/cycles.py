"""Dependency cycles: resources that must each be applied before the other.

Puppet's compiler does not look for them; the agent does, and applies nothing. We look when a catalog is made, and warn.

A relationship between containers (classes, defines) orders everything in them. So each resource stands for two moments,
its begin and its end: what it contains lies between, and `A -> B` says that the end of A comes before the begin of B. A
cycle of moments is a cycle of resources.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.components import cyclic_components
from .relations import parse_reference, reference_text
from .resources import Resource, flatten

if TYPE_CHECKING:
    from .compilation import Compilation

Moment = tuple[str, bool]


def find_cycles(run: Compilation) -> list[list[str]]:
    """The cycles, each as references in order, beginning with the resource that was declared first."""
    graph = _graph(run)
    order = {resource.ref: index for index, resource in enumerate(run.catalog.resources)}
    cycles = []
    for component in cyclic_components(graph):
        refs = sorted({ref for ref, _ in component}, key=lambda ref: order.get(ref, 0))
        cycles.append(_cycle(graph, component, refs[0]))
    return cycles


def _graph(run: Compilation) -> dict[Moment, list[Moment]]:
    catalog = run.catalog
    graph: dict[Moment, list[Moment]] = {}
    for resource in catalog.resources:
        if not resource.virtual:
            graph.setdefault((resource.ref, False), []).append((resource.ref, True))
    for edge in catalog.edges.values():
        if edge.source.type == "Stage":
            continue
        graph.setdefault((edge.source.ref, False), []).append((edge.target.ref, False))
        graph.setdefault((edge.target.ref, True), []).append((edge.source.ref, True))
    for resource in catalog.resources:
        if resource.virtual:
            continue
        for name in ("before", "notify", "require", "subscribe"):
            attribute = resource.attributes.get(name)
            for reference in flatten(attribute.value) if attribute is not None else ():
                other = target_of(run, reference)
                if other is None:
                    continue
                first, second = (resource, other) if name in ("before", "notify") else (other, resource)
                graph.setdefault((first.ref, True), []).append((second.ref, False))
    return graph


def target_of(run: Compilation, value: object) -> Resource | None:
    """The resource that an element of a relationship attribute names, if the catalog has it."""
    parts = parse_reference(reference_text(value)) if value is not None else None
    return run.catalog.find(*parts) if parts is not None else None


def _cycle(graph: dict[Moment, list[Moment]], component: list[Moment], first: str) -> list[str]:
    """One way round: the shortest from `first` back to it, inside of the component."""
    inside = set(component)
    start = next(moment for moment in component if moment[0] == first)
    before: dict[Moment, Moment] = {}
    waiting = [start]
    for here in waiting:
        for moment in graph.get(here, ()):
            if moment == start:
                path = [here]
                while path[-1] != start:
                    path.append(before[path[-1]])
                refs = [ref for ref, _ in reversed(path)] + [first]
                shown = [ref for position, ref in enumerate(refs) if position == 0 or refs[position - 1] != ref]
                return shown if len(shown) > 1 else [first, first]
            if moment in inside and moment not in before:
                before[moment] = here
                waiting.append(moment)
    return [first]
