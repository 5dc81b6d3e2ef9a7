"""Which nodes are compiled after which: those that are likely to be made from one another, together.

A node is made from a catalog that is still kept (`moulds`), and few are. What nodes must have in common for that is
known only once one of them is compiled; but it hangs on facts that several nodes share (a role, a site, a system), not
on those that each has its own of (a name, an address). So nodes are sorted by the facts that have few values, those of
the fewest first. Which facts differ at all, a sample tells; of these a number is kept for each node, no more.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

FEW = 32
"""Nodes that are not sorted: most catalogs are kept while they are compiled."""
SAMPLE = 48
"""Nodes that are looked at to tell which facts differ."""
MOST_WAYS = 200
"""Facts that are looked at, of those that differ."""
SHARED_BY = 3
"""A fact tells nodes apart that has at most one value for so many nodes."""
BLOCK = 20_000
"""Nodes that are sorted together: memory does not grow with more."""

Facts = Mapping[str, Any]
Way = tuple[str, ...]


def alike_together(nodes: Sequence[str], facts: Callable[[str], Facts]) -> list[str]:
    """The nodes, those with the same values of telling facts beside each other."""
    if len(nodes) <= FEW:
        return list(nodes)
    ways = differing([facts(node) for node in spread(nodes, SAMPLE)])
    ordered: list[str] = []
    for first in range(0, len(nodes), BLOCK):
        block = nodes[first : first + BLOCK]
        signs = [array("I", (_sign(_at(own, way)) for way in ways)) for own in map(facts, block)]
        values = [len({sign[column] for sign in signs}) for column in range(len(ways))]
        telling = [column for column, count in enumerate(values) if 1 < count <= max(2, len(block) // SHARED_BY)]
        telling.sort(key=lambda column: values[column])
        places = sorted(range(len(block)), key=lambda place: [signs[place][column] for column in telling])
        ordered += (block[place] for place in places)
    return ordered


def spread(nodes: Sequence[str], count: int) -> list[str]:
    """Some of the nodes, from the first to the last."""
    return list(nodes) if len(nodes) <= count else [nodes[len(nodes) * place // count] for place in range(count)]


def differing(sample: Sequence[Facts]) -> list[Way]:
    """Ways to facts that are not the same everywhere, or not everywhere."""
    values: dict[Way, list[int]] = {}
    for facts in sample:
        for way, value in _scalars(facts):
            values.setdefault(way, []).append(_sign(value))
    counts = {way: len(set(signs)) + (len(signs) < len(sample)) for way, signs in values.items()}
    return sorted((way for way, count in counts.items() if count > 1), key=lambda way: (counts[way], way))[:MOST_WAYS]


def _scalars(facts: Facts) -> Iterator[tuple[Way, Any]]:
    """What has no parts with a name, with the ways to it."""
    waiting: list[tuple[Way, Any]] = [((), facts)]
    while waiting:
        way, value = waiting.pop()
        if isinstance(value, Mapping):
            waiting.extend(((*way, name), part) for name, part in value.items())
        else:
            yield way, value


def _at(value: Any, way: Way) -> Any:
    for name in way:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _sign(value: Any) -> int:
    """A number that equal values have in common, in every process."""
    return crc32(repr(value).encode("utf-8", "surrogatepass"))
