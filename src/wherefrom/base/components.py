"""The cyclic components of a directed graph: its strongly connected components that hold a cycle.

Three askers share it: the pattern matcher (can a loop of a pattern be walked in two ways?), catalogs (which resources
must each come before the other?) and the test that keeps our own imports in layers. Tarjan's algorithm ("Depth-first
search and linear graph algorithms", 1972), with a stack of its own, since a configuration may be as deep as it likes.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def cyclic_components(graph: Mapping[Node, Collection[Node]]) -> list[list[Node]]:
    """The components with a cycle, in the order in which the search leaves them; a node that follows itself is one.

    `graph` has for a node those that follow it; a node that it does not have is followed by none.
    """
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    on_stack: set[Node] = set()
    components: list[list[Node]] = []
    for root in graph:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter(graph[root]))]
        while work:
            here, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(graph.get(target, ()))))
                    break
                if target in on_stack:
                    low[here] = min(low[here], index[target])
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[here])
                if low[here] == index[here]:
                    component = [stack.pop()]
                    while component[-1] != here:
                        component.append(stack.pop())
                    on_stack.difference_update(component)
                    if len(component) > 1 or here in graph.get(here, ()):
                        components.append(component)
    return components
