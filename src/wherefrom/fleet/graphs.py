"""What the values of one catalog depend on, as a graph in some bytes, and the questions that are asked of it.

The bytes, version 1, are a zlib stream of

    4 bytes            length of the head, the lowest first
    head               JSON: "inputs", how many there are; "nodes", how many other nodes; and "outputs", a list of
                       [type, title, [attribute, node, attribute, node, ...]]
    4 bytes each       signed numbers, the lowest byte first:
        sizes          of each of the other nodes how many it has directly below it
        below          what these are, one node after the other: each as the difference from the one before

Nodes are numbered: first the inputs, then the others, each after all that lie below it. An output depends on the inputs
that are below its node, directly or by others. Which inputs these are stands beside the graph (`packed_numbers`: the
same without a head), as numbers that all graphs of a store have in common.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ..base.json_bytes import json_bytes
from ..base.secrets import Secrets
from ..provenance.condensed import Condensed
from ..provenance.impact import ImpactTarget, extent, openings, same_file
from ..provenance.origins import OUTSIDE, Leaf

if TYPE_CHECKING:
    from ..base.source import Span
    from ..language import Outcome

VERSION = 1
LARGEST = 1 << 30
"""Bytes; no graph is larger."""


class GraphInput(NamedTuple):
    """An input, or a place of the code that a history went through (`place`), as the store keeps it."""

    kind: str
    name: str
    file: str
    line: int
    column: int
    last_line: int
    last_column: int
    """Behind its last character."""
    absent: bool
    opening: tuple[int, ...] = ()
    """Of a datum: the lines above it that open the hashes and lists around it."""
    detail: str = ""
    """That the name is several names, if it is."""

    def is_named_by(self, target: ImpactTarget) -> bool:
        """The same as `ImpactTarget.matches` for the input of this row."""
        if target.line is not None:
            return self._stands_at(target)
        if target.kind == "file" and target.name and self.line and same_file(self.file, target.name):
            return True
        leaf = Leaf(self.kind, self.name, None, None, self.detail, self.file, self.absent)
        return self.kind != "place" and target.names(leaf)

    def _stands_at(self, target: ImpactTarget) -> bool:
        if not self.line or not same_file(self.file, target.name):
            return False
        line, column = target.line or 0, target.column
        if column is None:
            return self.line <= line <= self.last_line or line in self.opening
        is_inside = (self.line, self.column) <= (line, column) < (self.last_line, self.last_column)
        return self.kind != "place" and is_inside


class GraphOutput(NamedTuple):
    """An output, and its node in the graph."""

    type: str
    title: str
    attribute: str
    node: int


class OriginGraph(NamedTuple):
    """The graph of one catalog: how many inputs there are, what is below each other node, and the outputs."""

    inputs: int
    below: Sequence[Sequence[int]]
    outputs: Sequence[GraphOutput]

    def packed(self) -> bytes:
        """As bytes."""
        outputs: list[list[Any]] = []
        for output in self.outputs:
            if not outputs or outputs[-1][:2] != [output.type, output.title]:
                outputs.append([output.type, output.title, []])
            outputs[-1][2] += (output.attribute, output.node)
        head = json_bytes({"inputs": self.inputs, "nodes": len(self.below), "outputs": outputs})
        sizes = array("i", map(len, self.below))
        below = array("i", _differences(chain.from_iterable(self.below)))
        return zlib.compress(b"".join((len(head).to_bytes(4, "little"), head, _little(sizes), _little(below))))

    @classmethod
    def unpacked(cls, packed: bytes) -> OriginGraph:
        """From bytes.  Raises `ValueError` where they were damaged."""
        content = unpacked(packed)
        length = int.from_bytes(content[:4], "little")
        try:
            head = json.loads(content[4 : 4 + length])
            inputs, others = head["inputs"], head["nodes"]
            numbers = _from_little(content[4 + length :])
            sizes = numbers[:others]
            flat = list(accumulate(numbers[others:]))
            below = [flat[first:last] for first, last in pairwise(accumulate(sizes, initial=0))]
            outputs = [
                GraphOutput(type_name, title, several[place], several[place + 1])
                for type_name, title, several in head["outputs"]
                for place in range(0, len(several), 2)
            ]
        except (KeyError, TypeError, IndexError) as problem:
            raise ValueError(str(problem)) from None
        if len(flat) != sum(sizes) or len(below) != others:
            raise ValueError("not as long as it says")
        return cls(inputs, below, outputs)

    def reached(self, wanted: Iterable[int]) -> list[GraphOutput]:
        """The outputs that depend on one of some inputs."""
        marked = bytearray(self.inputs)
        for number in wanted:
            marked[number] = 1
        is_marked = marked.__getitem__
        for several in self.below:
            marked.append(1 in map(is_marked, several))
        return [output for output in self.outputs if marked[output.node]]

    def sets(self, wanted: Iterable[int]) -> list[int]:
        """For each node those of some inputs that are below it: a bit for each, by its place among them."""
        bits = [0] * self.inputs
        for place, number in enumerate(wanted):
            bits[number] = 1 << place
        return self.raised(bits)

    def raised(self, bits: Sequence[int]) -> list[int]:
        """For each node the bits of the inputs that are below it; `bits` are those of each input."""
        sets = [*bits]
        for several in self.below:
            gathered = 0
            for node in several:
                gathered |= sets[node]
            sets.append(gathered)
        return sets

    def users(self) -> list[int]:
        """For each node the outputs that depend on it: a bit for each, by its place."""
        users = [0] * (self.inputs + len(self.below))
        for place, output in enumerate(self.outputs):
            users[output.node] |= 1 << place
        for node in range(len(users) - 1, self.inputs - 1, -1):
            bits = users[node]
            for below in self.below[node - self.inputs]:
                users[below] |= bits
        return users


def graph_of(outcome: Outcome) -> tuple[list[GraphInput], OriginGraph, set[str]]:
    """The inputs of an outcome, the graph over them, and the sources that it points into."""
    condensed = Condensed()
    nodes = [condensed.of(output.origin) for output in outcome.outputs()]
    names: list[tuple[str, str, str]] = [row[:3] for row in outcome.values()]
    for selected in outcome.contents() or ():
        nodes.append(condensed.of(selected.origin))
        names.append(("", selected.path, ""))
    inputs = [input_of(thing) for thing in condensed.inputs]
    secrets = Secrets(outcome.secrets())
    if secrets:  # as the tables of the store have them
        names = [(*row,) for row in secrets.redacted_data([[*row] for row in names], numbers=False)]
        told = secrets.redacted_data([[entry.name, entry.file] for entry in inputs], numbers=False)
        inputs = [entry._replace(name=name, file=file) for entry, (name, file) in zip(inputs, told)]
    count = len(inputs)
    below = [sorted(count + number if number >= 0 else ~number for number in several) for several in condensed.nodes]
    outputs = [
        GraphOutput(*name, count + number if number >= 0 else ~number)
        for name, number in zip(names, nodes, strict=True)
    ]
    spans = (thing.span if isinstance(thing, Leaf) else thing for thing in condensed.inputs)
    files = {span.file.name for span in spans if span is not None}
    return inputs, OriginGraph(count, below, outputs), files


def input_of(thing: Leaf | Span) -> GraphInput:
    """An input, or a place that a history passed through."""
    if not isinstance(thing, Leaf):
        return GraphInput("place", "", thing.file.name, *extent(thing), False)
    span = thing.span
    opening = tuple(openings(thing, span)) if thing.kind == "hiera" and span is not None else ()
    file, place = (thing.file, (0, 0, 0, 0)) if span is None else (span.file.name, extent(span))
    detail = OUTSIDE if thing.detail == OUTSIDE else ""
    return GraphInput(thing.kind, thing.name, file, *place, thing.absent, opening, detail)


def _differences(numbers: Iterable[int]) -> Iterator[int]:
    before = 0
    for number in numbers:
        yield number - before
        before = number


def _little(numbers: array[int]) -> bytes:
    """Numbers with the lowest byte first."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _from_little(content: bytes) -> array[int]:
    numbers = array("i")
    numbers.frombytes(content)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def packed_numbers(numbers: Iterable[int]) -> bytes:
    """Numbers as bytes."""
    return zlib.compress(_little(array("i", _differences(numbers))))


def unpacked_numbers(packed: bytes) -> list[int]:
    """The same from bytes.  Raises `ValueError` where they were damaged."""
    return list(accumulate(_from_little(unpacked(packed))))


def unpacked(packed: bytes) -> bytes:
    """What was packed; a bomb is not unpacked to its end.  Raises `ValueError`."""
    machine = zlib.decompressobj()
    try:
        content = machine.decompress(packed, LARGEST)
    except zlib.error as problem:
        raise ValueError(str(problem)) from None
    if machine.unconsumed_tail:
        raise ValueError(f"more than {LARGEST} bytes")
    return content
