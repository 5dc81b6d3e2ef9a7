"""Knots of a graph, compared with what reaching each other means."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wherefrom.base.components import cyclic_components

GRAPHS = st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=4), max_size=8)


def reachable(graph: dict[int, list[int]], start: int) -> set[int]:
    """What can be reached by one arrow or more."""
    reached: set[int] = set()
    waiting = list(graph.get(start, ()))
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            waiting += graph.get(node, ())
    return reached


@given(GRAPHS)
def test_a_knot_is_what_reaches_each_other(graph: dict[int, list[int]]) -> None:
    reach = {node: reachable(graph, node) for node in graph}
    cyclic = {frozenset(other for other in reach if other in reach[node] and node in reach[other]) for node in graph}
    cyclic_ones = cyclic_components(graph)
    assert len({node for component in cyclic_ones for node in component}) == sum(map(len, cyclic_ones))
    assert {frozenset(component) for component in cyclic_ones} == cyclic - {frozenset()}


def test_a_long_ring_needs_no_recursion() -> None:
    size = 50_000
    (ring,) = cyclic_components({node: [(node + 1) % size] for node in range(size)})
    assert sorted(ring) == list(range(size))
