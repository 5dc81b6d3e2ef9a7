"""Iterating over anything that Ruby can iterate over, from Python."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .classes import class_name, error
from .counting import successors
from .showing import compare
from .values import Enumerator, NativeProc, Range, Set, StructValue, Text, Value, value_of

if TYPE_CHECKING:
    from .interpreter import Interpreter


def iterate(interpreter: Interpreter, value: Value) -> Iterator[Value]:
    """The elements of `value`, as `each` gives them; pairs of a hash are arrays.

    An array may grow or shrink while it is gone over, as in Ruby; keys that a hash has lost are left out.
    """
    if type(value) is list:
        return _array(value)
    if isinstance(value, dict):
        return _hash(interpreter, value)
    if isinstance(value, Range):
        return range_values(interpreter, value)
    if isinstance(value, Set):
        return iter([value_of(key) for key in value.members])
    if isinstance(value, StructValue):
        return iter(list(value.fields.values()))
    if isinstance(value, Enumerator):
        return iter(enumerated(interpreter, value))
    method = interpreter.find(value, "each")
    if method is None:
        raise error("NoMethodError", f"undefined method `each' for {interpreter.shown_receiver(value)}")
    return iter(collected(interpreter, value, "each", []))


def _array(values: list[Value]) -> Iterator[Value]:
    at = 0
    while at < len(values):
        yield values[at]
        at += 1


def _hash(interpreter: Interpreter, values: dict[Value, Value]) -> Iterator[Value]:
    for key in list(values):
        if key in values:
            yield [value_of(key), values[key]]


class _EnoughError(Exception):
    """As many values were given as somebody wants; ends the iteration."""


def collected(
    interpreter: Interpreter, value: Value, method: str, arguments: list[Value], most: int | None = None
) -> list[Value]:
    """What `value.method(*arguments)` yields, as a list; several values at once as an array. No more than `most`."""
    items: list[Value] = []
    enough = _EnoughError()

    def take(given: list[Value]) -> Value:
        items.append(given[0] if len(given) == 1 else given)
        if len(items) & 1023 == 0:
            interpreter.make_items(1024)
        if len(items) == most:
            raise enough
        return None

    if most != 0:
        try:
            interpreter.send(value, method, arguments, NativeProc(take, is_lambda=False))
        except _EnoughError as end:
            if end is not enough:
                raise
    return items


def enumerated(interpreter: Interpreter, value: Enumerator) -> list[Value]:
    """The elements of an enumerator."""
    if value.values is None:
        return collected(interpreter, value.receiver, value.method, value.arguments)
    return value.values


def range_values(interpreter: Interpreter, value: Range) -> Iterator[Value]:
    """The elements of a range."""
    first, last = value.first, value.last
    if type(first) is int:
        if last is None:
            return _endless(interpreter, first)
        if type(last) is float:
            if last == float("inf"):
                return _endless(interpreter, first)
            end = int(last) if last >= 0 or last == int(last) else int(last) - 1
            if value.exclusive and end == last:
                end -= 1
            interpreter.make_items(max(0, end - first + 1))
            return iter(range(first, end + 1))
        count = last - first + (0 if value.exclusive else 1)
        if count > 0:
            interpreter.budget.draw("steps", count, "going over a range", interpreter.at)
        return iter(range(first, first + max(0, count)))
    if type(first) in (str, Text):
        return successors(interpreter, to_text(first), None if last is None else to_text(last), value.exclusive)
    if interpreter.find(first, "succ") is None:
        raise error("TypeError", f"can't iterate from {class_name(first)}")
    return _objects(interpreter, first, last, value.exclusive)


def to_text(value: Value) -> str:
    """The text of a String."""
    return str(value.value if type(value) is Text else value)


def _endless(interpreter: Interpreter, first: int) -> Iterator[Value]:
    while True:
        interpreter.budget.draw("steps", 1, "going over an endless range", interpreter.at)
        yield first
        first += 1


def _objects(interpreter: Interpreter, first: Value, last: Value, exclusive: bool) -> Iterator[Value]:
    here = first
    while True:
        order = -1 if last is None else compare(interpreter, here, last)
        if order is None or order > 0 or (order == 0 and exclusive):
            return
        interpreter.budget.draw("steps", 1, "going over a range", interpreter.at)
        yield here
        if order == 0:
            return
        here = interpreter.send(here, "succ")


def size_of(interpreter: Interpreter, value: Range) -> int | None:
    """How many elements a range of integers has, if it has an end."""
    if type(value.first) is not int or type(value.last) not in (int, float) or value.last == math.inf:
        return None
    last: int = math.floor(value.last)
    exclusive = value.exclusive and last == value.last
    return max(0, last - int(value.first) + (0 if exclusive else 1))
