"""What the outputs of one run depend on, as a small graph without cycles: what is kept of the graph of origins.

Of a node of the graph of origins only that counts which changes what depends on it: inputs, and places that a history
passed through. A node that is neither and has one node below it is that node; nodes with the same nodes below them are
one. What is absent may depend on itself by a detour, so the graph may have cycles; all nodes of a strongly connected
component depend on the same, and are one (R. Tarjan, *Depth-first search and linear graph algorithms*, 1972).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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


class Condensed:
    """The graph of one run.  Inputs are known by `~number`, their place in `inputs`; other nodes by their number.

    `inputs` are leaves, and places that a history passed through; `met` says in which node each was met first. `nodes`
    are what is below each of the others, in order: nodes that came before it, and inputs.
    """

    def __init__(self, below: Callable[[Node], Iterable[Node]] = below, places: bool = True) -> None:
        """`below` are the parts of a node that are gone into; without `places` leaves alone are inputs."""
        self._below = below
        self._places = places
        self.inputs: list[Leaf | Span] = []
        self.met: list[Node] = []
        self.nodes: list[tuple[int, ...]] = []
        self._numbers: dict[Any, int] = {}
        """Inputs by what they are."""
        self._alike: dict[tuple[int, ...], int] = {}
        self._spans: dict[int, tuple[Span, int]] = {}
        self._known: dict[int, int] = {}
        self._kept: list[Node] = []  # so that no identity is used again

    def of(self, origin: Node) -> int:
        """The number of an origin."""
        known = self._known.get(id(origin))
        return self._walked(origin) if known is None else known

    def sets(self, bits: Sequence[int]) -> Callable[[int], int]:
        """For each number the bits of the inputs that are below it; `bits` are those of each input."""
        sets: list[int] = []
        for several in self.nodes:
            gathered = 0
            for number in several:
                gathered |= sets[number] if number >= 0 else bits[~number]
            sets.append(gathered)
        return lambda number: sets[number] if number >= 0 else bits[~number]

    def reached(self, numbers: Iterable[int]) -> set[int]:
        """The places of the inputs that are below some numbers."""
        marked = bytearray(len(self.nodes))
        places: set[int] = set()
        for number in numbers:
            if number >= 0:
                marked[number] = 1
            else:
                places.add(~number)
        for place in range(len(marked) - 1, -1, -1):
            for number in self.nodes[place] if marked[place] else ():
                if number >= 0:
                    marked[number] = 1
                else:
                    places.add(~number)
        return places

    def number_of(self, node: Node) -> int | None:
        """The place among the inputs of a node that was walked over; nothing for one that is no input."""
        number = self._own(node)
        return None if number is None else ~number

    def _own(self, node: Node) -> int | None:
        """What a node is beside what lies below it: an input, or the place it stands at."""
        if isinstance(node, Leaf):
            return self._input((node.key, node.absent), node, node)
        span: Span | None = getattr(node, "span", None) if self._places else None
        if span is None:
            return None
        known = self._spans.get(id(span))
        if known is None:
            number = self._input(("place", span.file.identity, span.start, span.end), span, node)
            known = self._spans[id(span)] = span, number
        return known[1]

    def _input(self, key: object, thing: Leaf | Span, node: Node) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = ~len(self.inputs)
            self.inputs.append(thing)
            self.met.append(node)
        return number

    def _node(self, gathered: set[int]) -> int:
        """The number of a node with these below it."""
        if len(gathered) == 1:
            return next(iter(gathered))
        below = tuple(sorted(gathered))
        number = self._alike.get(below)
        if number is None:
            number = self._alike[below] = len(self.nodes)
            self.nodes.append(below)
        return number

    def _walked(self, origin: Node) -> int:
        """Tarjan's walk, without recursion; a component gets its number when its first node is left.

        Of the node that is looked at: what is gathered below it, when it was reached, and the earliest that is reached
        from it; of those above it the same, on the stack.
        """
        known, kept = self._known, self._kept
        times: dict[int, int] = {}
        open_nodes: list[int] = []
        stack: list[tuple[int, Iterator[Node], set[int], int, int]] = []
        node, here = origin, id(origin)
        while True:
            kept.append(node)
            open_nodes.append(here)
            time = earliest = times[here] = len(times)
            own = self._own(node)
            gathered, parts = set[int]() if own is None else {own}, iter(self._below(node))
            while True:
                for part in parts:
                    identity = id(part)
                    number = known.get(identity)
                    if number is not None:
                        gathered.add(number)
                    elif type(part) is Leaf:
                        kept.append(part)
                        number = known[identity] = self._input((part.key, part.absent), part, part)
                        gathered.add(number)
                    elif identity in times:
                        earliest = min(earliest, times[identity])
                    else:
                        break
                else:
                    whole, low = gathered, earliest
                    if earliest == time:
                        number = self._node(gathered)
                        while True:
                            member = open_nodes.pop()
                            known[member] = number
                            if member == here:
                                break
                        whole = {number}
                        if not stack:
                            return number
                    here, parts, gathered, time, earliest = stack.pop()
                    gathered |= whole
                    earliest = min(earliest, low)
                    continue
                stack.append((here, parts, gathered, time, earliest))
                node, here = part, identity
                break


def members(bits: int) -> Iterator[int]:
    """The places of bits."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
