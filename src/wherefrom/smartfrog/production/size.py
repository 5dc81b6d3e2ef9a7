"""How large a value of level production is when it is written out.

A component that links lead to stands in several places, and so does a vector that a function gave, but each is there
once: a few lines can mean any number of attributes. Whoever writes a value out, or looks at all of it, asks here first.
"""

from __future__ import annotations

from ...base.diagnostics import LimitReached
from ...base.source import Span
from ..parser import Limits
from ..store import MANY
from .nodes import Application, Node

Size = tuple[int, int]
"""Attributes and elements of vectors, and the depth of nesting."""
NOTHING: Size = (0, 0)


def written_size(value: object) -> Size:
    """The size of a value; each component and vector in it is looked at once."""
    return _size(value, {})


def _size(value: object, known: dict[int, Size]) -> Size:
    if type(value) is Application:
        value = value.arguments
    if type(value) is Node:
        inner = [slot.value for slot in value.entries.values()]
    elif type(value) is list:
        inner = value
    else:
        return NOTHING
    size = known.get(id(value))
    if size is None:
        known[id(value)] = (MANY, MANY)  # what holds itself has no end
        sizes = [_size(part, known) for part in inner if type(part) in _COMPOSITE]
        count = min(len(inner) + sum(size[0] for size in sizes), MANY)
        size = known[id(value)] = (count, 1 + max((size[1] for size in sizes), default=0))
    return size


def check_written(value: object, at: Span, limits: Limits) -> None:
    """Refuse a value that would be too large or too deep when written out."""
    count, depth = written_size(value)
    if count > limits.max_nodes:
        size = f"{count:,}" if count < MANY else f"more than {MANY:,}"
        what = "vector" if type(value) is list else "component"
        message = f"written out, this {what} has {size} attributes and elements"
        raise LimitReached(message, limits.max_nodes, at, "--max-size")
    if depth > limits.max_nesting:
        what = "the vector" if type(value) is list else "the result"
        raise LimitReached(f"{what} is nested too deeply", limits.max_nesting, at, "the option max_nesting")


_COMPOSITE = frozenset((Node, Application, list))
