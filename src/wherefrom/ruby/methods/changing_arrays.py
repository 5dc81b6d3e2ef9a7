"""The methods of Array that change it in place."""

from __future__ import annotations

from typing import Any

import wherefrom.ruby.methods.arrays as arrays

from ..classes import ARRAY, error, long_of, method, methods
from ..interpreter import Interpreter
from ..showing import equal, inspect
from ..support import index_range
from ..values import Range, Value, truth
from .enumerables import unique
from .objects import Args
from .ordering import sort_by, sort_values


def writable(i: Interpreter, values: list[Value]) -> list[Value]:
    """Refuse to change a frozen array."""
    i.check_frozen(values)
    return values


def changed(values: list[Value], new: list[Value], nil_if_same: bool = False) -> Value:
    """Put new elements in; nil if the method says so when nothing was taken out."""
    same = len(values) == len(new)
    values[:] = new
    return None if nil_if_same and same else values


@method(ARRAY, "<<", 1, mutates=True)
def append(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    i.check_frozen(self)
    i.budget.elements -= 1
    if i.budget.elements < 0:
        i.make_items(17)
    self.append(a[0])
    return self


@method(ARRAY, "push append", 0, -1, mutates=True)
def push(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self).extend(a)
    i.budget.elements -= len(a)
    i.make_items(17 if i.budget.elements < 0 else 0)
    return self


@method(ARRAY, "[]=", 2, 3, mutates=True)
def store(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    value = a[-1]
    if len(a) == 2 and not isinstance(a[0], Range):
        at = long_of(a[0])
        if at < 0:
            if at + len(self) < 0:
                raise error("IndexError", f"index {at} too small for array; minimum: -{len(self)}")
            at += len(self)
        if at >= len(self):
            i.make_items(at + 17)
            self.extend([None] * (at + 1 - len(self)))
        self[at] = value
        return value
    if len(a) == 3:
        start, count = long_of(a[0]), long_of(a[1])
        if count < 0:
            raise error("IndexError", f"negative length ({count})")
        if start < 0:
            if start + len(self) < 0:
                raise error("IndexError", f"index {start} too small for array; minimum: -{len(self)}")
            start += len(self)
    else:
        place = index_range(Range(a[0].first, a[0].last, a[0].exclusive), max(len(self), a[0].first or 0))
        if place is None:
            raise error("RangeError", f"{i.send(a[0], 'to_s')} out of range")
        start, count = place
    if start > len(self):
        i.make_items(start)
        self.extend([None] * (start - len(self)))
    self[start : start + count] = value if type(value) is list else [value]
    return value


@method(ARRAY, "concat", 0, -1, mutates=True)
def concat(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    more = [value for other in a for value in arrays.array_of(i, other)]
    i.make_items(len(more) + 17)
    self.extend(more)
    return self


@method(ARRAY, "unshift prepend", 0, -1, mutates=True)
def unshift(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)[:0] = a
    i.make_items(17)
    return self


@method(ARRAY, "insert", 1, -1, mutates=True)
def insert(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    at = long_of(a[0])
    if at < 0:
        at += len(self) + 1
        if at < 0:
            raise error("IndexError", f"index {at - len(self) - 1} too small for array; minimum: -{len(self) + 1}")
    if at > len(self):
        i.make_items(at)
        self.extend([None] * (at - len(self)))
    self[at:at] = a[1:]
    return self


@method(ARRAY, "pop", 0, 1, mutates=True)
def pop(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    if not a:
        return self.pop() if self else None
    count = long_of(a[0])
    taken = self[len(self) - min(count, len(self)) :]
    del self[len(self) - len(taken) :]
    return taken


@method(ARRAY, "shift", 0, 1, mutates=True)
def shift(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    if not a:
        return self.pop(0) if self else None
    taken = self[: long_of(a[0])]
    del self[: len(taken)]
    return taken


@method(ARRAY, "delete", 1, mutates=True)
def delete(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    gone = [value for value in self if equal(i, value, a[0])]
    if not gone:
        return block.one(a[0]) if block is not None else None
    writable(i, self)[:] = [value for value in self if not equal(i, value, a[0])]
    return gone[-1]


@method(ARRAY, "delete_at", 1, mutates=True)
def delete_at(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    at = long_of(a[0])
    return self.pop(at) if -len(self) <= at < len(self) else None


@method(ARRAY, "slice!", 1, 2, mutates=True)
def slice_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    if len(a) == 1 and not isinstance(a[0], Range):
        return delete_at(i, self, a, block)
    taken = arrays.slice_array(i, self, a)
    if taken:
        if len(a) == 2:
            start = a[0] if a[0] >= 0 else a[0] + len(self)
        else:
            place = index_range(a[0], len(self))
            assert place is not None
            start = place[0]
        del self[start : start + len(taken)]
    return taken


def _filled(i: Interpreter, values: list[Value], places: Args) -> tuple[int, int]:
    """Where `fill` begins and ends."""
    first = places[0] if places else None
    if isinstance(first, Range) and len(places) == 1:
        start = 0 if first.first is None else long_of(first.first)
        end = -1 if first.last is None else long_of(first.last)
        end = (end + len(values) if end < 0 else end) + (first.last is None or not first.exclusive)
        if start + len(values) < 0:
            raise error("RangeError", f"{inspect(i, first)} out of range")
        return start + len(values) if start < 0 else start, end
    start = 0 if first is None else long_of(first)
    start = max(0, start + len(values)) if start < 0 else start
    return start, start + long_of(places[1]) if len(places) > 1 and places[1] is not None else len(values)


@method(ARRAY, "fill", 0, 3, mutates=True)
def fill(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    writable(i, self)
    if block is None and not a:
        raise error("ArgumentError", "wrong number of arguments (given 0, expected 1..3)")
    start, end = _filled(i, self, a if block is not None else a[1:])
    i.make_items(max(0, end - start))
    if end > start:
        self.extend([None] * (end - len(self)))
    for at in range(start, end):
        self[at] = block.one(at) if block is not None else a[0]
    return self


@method(ARRAY, "map! collect!", 0, mutates=True)
def map_(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    writable(i, self)
    for at in range(len(self)):
        self[at] = block.one(self[at])
    return self


@method(ARRAY, "sort_by!", 0, mutates=True)
def sort_by_(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    return changed(writable(i, self), sort_by(i, list(self), block))


def _kept(i: Interpreter, values: list[Value], block: Any, wanted: bool) -> list[Value]:
    i.check_frozen(values)
    return [value for value in list(values) if truth(block.one(value)) is wanted]


def _flatten(i: Interpreter, values: list[Value], a: Args) -> Value:
    had = any(type(value) is list for value in values)
    changed(writable(i, values), arrays.flatten(i, values, long_of(a[0]) if a and a[0] is not None else -1))
    return values if had else None


methods(
    ARRAY,
    0,
    1,
    {
        "compact!": lambda i, s, a, b: changed(writable(i, s), [value for value in s if value is not None], True),
        "flatten!": lambda i, s, a, b: _flatten(i, s, a),
        "uniq!": lambda i, s, a, b: changed(writable(i, s), unique(i, s, b), True),
        "reverse!": lambda i, s, a, b: changed(writable(i, s), s[::-1]),
        "rotate!": lambda i, s, a, b: changed(writable(i, s), arrays.rotate(s, long_of(a[0]) if a else 1)),
        "sort!": lambda i, s, a, b: changed(writable(i, s), sort_values(i, s, b)),
        "shuffle!": lambda i, s, a, b: changed(writable(i, s), arrays.shuffled(i, s, a)),
        "select! filter!": lambda i, s, a, b: changed(s, _kept(i, s, b, True), True),
        "keep_if": lambda i, s, a, b: changed(s, _kept(i, s, b, True)),
        "reject!": lambda i, s, a, b: changed(s, _kept(i, s, b, False), True),
        "delete_if": lambda i, s, a, b: changed(s, _kept(i, s, b, False)),
        "clear": lambda i, s, a, b: changed(writable(i, s), []),
        "replace initialize_copy": lambda i, s, a, b: changed(writable(i, s), list(arrays.array_of(i, a[0]))),
    },
    mutates=True,
)
