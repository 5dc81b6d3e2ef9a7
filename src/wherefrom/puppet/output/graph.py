"""A compiled catalog as a `Graph`: resources in their containers, and the relationships between them.

A relationship is an attribute by the time a catalog is whole: `before` and `notify` of the earlier resource (arrows
become these, too), `require` and `subscribe` of the later one. Each arrow has the place that made it: the element of
the attribute, or the arrow.
"""

from __future__ import annotations

from ...base.graph import Arrow, Graph, Node
from ...base.source import Span
from ...provenance.origins import Origin
from ..kernel.shadow import part
from ..runtime.compilation import Compilation
from ..runtime.cycles import find_cycles, target_of
from ..runtime.resources import Resource, flatten
from .text import BUILT_IN_RESOURCES

_FORWARD = ("before", "notify")
_BACKWARD = ("require", "subscribe")
_NOTIFYING = ("notify", "subscribe")


def catalog_graph(run: Compilation) -> Graph:
    """The graph of a catalog, without the built-in stage and main class."""
    shown = [
        resource
        for resource in run.catalog.resources
        if not resource.virtual and resource.ref not in BUILT_IN_RESOURCES
    ]
    names = {resource.ref for resource in shown}
    containers = {edge.target.ref: edge.source.ref for edge in run.catalog.edges.values()}
    nodes = []
    for resource in shown:
        outer = containers.get(resource.ref)
        nodes.append(Node(resource.ref, outer if outer in names else None, resource.span))
    arrows: dict[tuple[str, str], Arrow] = {}
    for resource in shown:
        for name in (*_FORWARD, *_BACKWARD):
            for other, span in _others(run, resource, name):
                first, second = (resource.ref, other.ref) if name in _FORWARD else (other.ref, resource.ref)
                if {first, second} <= names:
                    known = arrows.get((first, second))
                    notifies = name in _NOTIFYING or (known is not None and known.notifies)
                    arrows[first, second] = Arrow(first, second, notifies, known.span if known is not None else span)
    return Graph(tuple(nodes), tuple(arrows.values()), tuple(tuple(cycle) for cycle in find_cycles(run)))


def _others(run: Compilation, resource: Resource, name: str) -> list[tuple[Resource, Span | None]]:
    """The resources that a relationship attribute names, each with its place."""
    attribute = resource.attributes.get(name)
    if attribute is None:
        return []
    others = []
    is_list = isinstance(attribute.value, list)
    for index, value in enumerate(flatten(attribute.value)):
        other = target_of(run, value)
        if other is not None:
            origin = part(attribute.origin, index) if is_list else attribute.origin
            others.append((other, _place(origin) or resource.span))
    return others


def _place(origin: Origin) -> Span | None:
    """Where an origin was written: its own place, else the first one behind it."""
    from ...provenance.extract import reachable

    return next((span for node in reachable([origin]) if (span := getattr(node, "span", None)) is not None), None)
