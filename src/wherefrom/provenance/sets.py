"""What many outputs of one run depend on, worked out once for each node of the graph that they share.

`depends` walks from one output to all of its inputs. Outputs of a run share nearly all of their history, so for all of
them together each node is visited once, and what lies below it is kept as a set of numbers in the bits of an integer:
a union is one operation. What is absent may owe to itself by a detour, so the graph may have knots; all nodes of a
knot depend on the same (R. Tarjan, *Depth-first search and linear graph algorithms*, 1972).

Outputs of a large run have a thousand inputs each, most of which go together: whoever depends on one of them depends on
the others. Such bundles are what sets are told by (`bundled`): there are few, and few in each set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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

MOST_BITS = 1 << 22
"""Of a matrix of sets and inputs, so many are looked at together."""


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
        self._spans: dict[int, tuple[Span, int]] = {}
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

    def bundled(self, sets: Sequence[int]) -> tuple[list[list[int]], list[list[int]]]:
        """Inputs that stand in the very same of some sets, in bundles; and of which bundles each set is made.

        The sets are the rows of a matrix of bits, and a bundle is all columns that are equal.
        """
        width = len(self.inputs)
        alike = [0] * width
        rows = max(1, MOST_BITS // max(1, width))
        for first in range(0, len(sets), rows):
            matrix = "".join([f"{members:0{width}b}" for members in sets[first : first + rows]])
            numbers: dict[tuple[int, str], int] = {}
            alike = [
                numbers.setdefault((alike[bit], matrix[width - 1 - bit :: width]), len(numbers)) for bit in range(width)
            ]
        bundles: dict[int, list[int]] = {}
        for bit, number in enumerate(alike):
            bundles.setdefault(number, []).append(bit)
        first_ones = sum(1 << bundle[0] for bundle in bundles.values())
        places = {bundle[0]: place for place, bundle in enumerate(bundles.values())}
        made_of = [[places[bit] for bit in self.members(members & first_ones)] for members in sets]
        return list(bundles.values()), made_of

    def _own(self, node: Node) -> int:
        """What a node adds to what lies below it: itself, if it is an input, or the place it stands at."""
        if isinstance(node, Leaf):
            return self._bit(node.key, node)
        span: Span | None = getattr(node, "span", None)
        if span is None:
            return 0
        known = self._spans.get(id(span))
        if known is None:
            bit = self._bit(("place", span.file.identity, span.start, span.end), span)
            known = self._spans[id(span)] = span, bit
        return known[1]

    def _bit(self, key: Any, thing: Leaf | Span) -> int:
        bit = self._bits.get(key)
        if bit is None:
            bit = self._bits[key] = 1 << len(self.inputs)
            self.inputs.append(thing)
        return bit

    def _walked(self, origin: Node) -> int:
        """Tarjan's walk, without recursion; a knot gets its set when its first node is left.

        Of the node that is looked at: what is gathered below it, its number, and the lowest number that is reached
        from it; of those above it the same, on the stack.
        """
        sets, kept = self._sets, self._kept
        numbers: dict[int, int] = {}
        open_nodes: list[int] = []
        stack: list[tuple[int, Iterator[Node], int, int, int]] = []
        node, here = origin, id(origin)
        while True:
            kept.append(node)
            open_nodes.append(here)
            number = lowest = numbers[here] = len(numbers)
            gathered, parts = self._own(node), iter(below(node))
            while True:
                for part in parts:
                    identity = id(part)
                    known = sets.get(identity)
                    if known is not None:
                        gathered |= known
                    elif type(part) is Leaf:
                        kept.append(part)
                        known = sets[identity] = self._own(part)
                        gathered |= known
                    elif identity in numbers:
                        lowest = min(lowest, numbers[identity])
                    else:
                        break
                else:
                    if lowest == number:
                        while True:
                            member = open_nodes.pop()
                            sets[member] = gathered
                            if member == here:
                                break
                    if not stack:
                        return gathered
                    whole, low = gathered, lowest
                    here, parts, gathered, number, lowest = stack.pop()
                    gathered |= whole
                    lowest = min(lowest, low)
                    continue
                stack.append((here, parts, gathered, number, lowest))
                node, here = part, identity
                break
