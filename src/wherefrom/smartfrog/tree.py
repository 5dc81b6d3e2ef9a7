"""The SmartFrog tree: the abstract syntax of Anderson and Herry (Definitions 1-3), every node with its span.

The paper's letters beside our names: SF `Specification`, B `Block`, A `Assignment`, P `Extends` (its sequence of
prototypes), R `Reference`, LR `Link`, DR `DataReference`, Vec `Vector`, and the terminals `Boolean`, `Number`,
`String`, `Null`. `Include` is the one thing the paper names but leaves out: a directive whose file has been parsed
already, so that a tree is a whole program and evaluators never open files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from ..base.record import Record, field
from ..base.source import Span


class Node(Record):
    """Any node of the tree."""

    span: Span = field(kw_only=True, compare=False)


class Reference(Node):
    """`a:b:c`, a path of names (R)."""

    names: tuple[str, ...]

    @property
    def text(self) -> str:
        """The reference as it is written, without white space."""
        return ":".join(self.names)


class Boolean(Node):
    """`true` or `false`."""

    value: bool


class Number(Node):
    """`80`, `-1`, `2.5`, `1e3`: whole numbers stay whole."""

    value: int | float


class String(Node):
    """`"text"`; `value` has its escapes resolved."""

    value: str


class Null(Node):
    """`NULL`."""


class DataReference(Node):
    """`DATA a:b`: a path that is itself the value, never looked up (DR)."""

    reference: Reference


class Further(Node):
    """A value that only a larger level of the language has (`production/tree.py`); the core's parser makes none."""


class Vector(Node):
    """`[1, [true], "x"]`: basic values only (Vec)."""

    items: tuple[BasicValue, ...]


BasicValue: TypeAlias = Boolean | Number | String | Null | DataReference | Vector
BASIC = (Boolean, Number, String, Null, DataReference, Vector)


class Link(Node):
    """A reference where a value is expected: a copy of what it finds (LR)."""

    reference: Reference


class Block(Node):
    """`{ ... }`, or a whole file (B)."""

    items: tuple[Assignment | Include, ...]

    def assignments(self) -> Iterator[Assignment]:
        """The assignments in order, those of included files spliced in."""
        waiting = [iter(self.items)]
        while waiting:
            for item in waiting[-1]:
                if isinstance(item, Include):
                    waiting.append(iter(item.block.items))
                    break
                yield item
            else:
                waiting.pop()


class Extends(Node):
    """`extends A, { ... }, B`: prototypes in the order in which they are applied (P)."""

    prototypes: tuple[Reference | Block, ...]


Value: TypeAlias = BasicValue | Link | Extends | Further


class Assignment(Node):
    """`target value`: an attribute, or a placement if the target has more than one name (A)."""

    target: Reference
    value: Value


class Include(Node):
    """`#include "file"` and the block that the file holds."""

    path: str
    block: Block


class Specification(Node):
    """A whole program (SF)."""

    block: Block
