"""What many outputs of one run depend on, worked out once for each node of the graph that they share.

`depends` walks from one output to all of its inputs. Outputs of a run share nearly all of their history, so for all of
them together each node is visited once, and what lies below it is kept as a set of numbers in the bits of an integer:
a union is one operation. What is absent may owe to itself by a detour, so the graph may have knots; all nodes of a
knot depend on the same (R. Tarjan, *Depth-first search and linear graph algorithms*, 1972).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from .origins import (
    Absent,
    Choice,
    Copy,
    Covering,
    Guard,
    Guarded,
    Items,
    Later,
    Leaf,
    Origin,
    Overridden,
    Step,
)

if TYPE_CHECKING:
    from ..base.source import Span

Node: TypeAlias = "Origin | Guard"


def _of_choice(node: Any) -> Sequence[Node]:
    return (*node.tests, node.chosen)


def _of_guard(node: Any) -> Sequence[Node]:
    return (node.test,) if node.parent is None else (node.test, node.parent)


def _of_items(node: Any) -> Sequence[Node]:
    elements = node.elements
    return (node.own, *(elements.values() if isinstance(elements, Mapping) else elements))


BELOW: dict[type, Callable[[Any], Sequence[Node]]] = {
    Leaf: lambda node: (),
    Step: lambda node: node.inputs,
    Copy: lambda node: (node.source,),
    Choice: _of_choice,
    Guarded: lambda node: (node.inner, node.guard),
    Guard: _of_guard,
    Absent: lambda node: node.causes,
    Later: lambda node: node.causes,
    Items: _of_items,
    Overridden: lambda node: (node.chosen, *node.decided),
    Covering: lambda node: (node.chosen,),
}
"""Everything that a node directly depends on, by its class: as `extract.parts` says, without a generator."""


def below(node: Node) -> Sequence[Node]:
    """Everything that a node directly depends on."""
    kind: Any = type(node)
    return (BELOW.get(kind) or _inherited(kind))(node)


@lru_cache(256)
def _inherited(kind: type) -> Callable[[Any], Sequence[Node]]:
    """The same for a language's own kind of origin."""
    return next(BELOW[known] for known in kind.__mro__ if known in BELOW)


class InputSets:
    """The sets of one run.  `inputs` are what the bits stand for: leaves, and places that a history passed through."""

    def __init__(self) -> None:
        self.inputs: list[Leaf | Span] = []
        self._bits: dict[Any, int] = {}
        self._sets: dict[int, int] = {}
        self._kept: list[Node] = []  # so that no identity is used again

    def of(self, origin: Node) -> int:
        """The set of an origin: a bit for each of `inputs` that it depends on."""
        known = self._sets.get(id(origin))
        return self._walked(origin) if known is None else known

    def members(self, inputs: int) -> list[int]:
        """The numbers in a set."""
        numbers: list[int] = []
        while inputs:
            low = inputs & -inputs
            numbers.append(low.bit_length() - 1)
            inputs ^= low
        return numbers

    def _own(self, node: Node) -> int:
        """What a node adds to what lies below it: itself, if it is an input, or the place it stands at."""
        if isinstance(node, Leaf):
            key: Any = node.key
            thing: Leaf | Span = node
        else:
            span: Span | None = getattr(node, "span", None)
            if span is None:
                return 0
            key = ("place", span.file.identity, span.start, span.end)
            thing = span
        bit = self._bits.get(key)
        if bit is None:
            bit = self._bits[key] = 1 << len(self.inputs)
            self.inputs.append(thing)
        return bit

    def _walked(self, origin: Node) -> int:
        """Tarjan's walk, without recursion; a knot gets its set when its first node is left."""
        sets = self._sets
        order: dict[int, int] = {}
        lowest: dict[int, int] = {}
        gathered: dict[int, int] = {}
        open_nodes: list[int] = []
        stack: list[tuple[int, list[Node]]] = []
        self._enter(origin, order, lowest, gathered, open_nodes, stack)
        while stack:
            here, waiting = stack[-1]
            while waiting:
                part = waiting.pop()
                identity = id(part)
                known = sets.get(identity)
                if known is not None:
                    gathered[here] |= known
                elif identity in order:
                    if order[identity] < lowest[here]:
                        lowest[here] = order[identity]
                else:
                    self._enter(part, order, lowest, gathered, open_nodes, stack)
                    break
            else:
                stack.pop()
                whole = gathered[here]
                if lowest[here] == order[here]:
                    while True:
                        member = open_nodes.pop()
                        sets[member] = whole
                        if member == here:
                            break
                if stack:
                    above = stack[-1][0]
                    gathered[above] |= whole
                    if lowest[here] < lowest[above]:
                        lowest[above] = lowest[here]
        return sets[id(origin)]

    def _enter(
        self,
        node: Node,
        order: dict[int, int],
        lowest: dict[int, int],
        gathered: dict[int, int],
        open_nodes: list[int],
        stack: list[tuple[int, list[Node]]],
    ) -> None:
        here = id(node)
        self._kept.append(node)
        order[here] = lowest[here] = len(order)
        gathered[here] = self._own(node)
        open_nodes.append(here)
        stack.append((here, list(below(node))))
