"""Range."""

from __future__ import annotations

import math
from itertools import islice
from typing import Any

from ..classes import RANGE, class_name, error, is_string, long_of, method, methods, singleton, text_of
from ..interpreter import Interpreter
from ..iteration import range_values, size_of
from ..showing import compare, eql, equal, inspect, to_s
from ..support import check_range
from ..values import Range, Value, truth
from .enumerables import elements, extreme_of, first, minmax, total
from .numbers import is_number, stepped
from .objects import Args


@singleton(RANGE, "new", 2, 3)
def new(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    check_range(i, a[0], a[1])
    return Range(a[0], a[1], len(a) > 2 and truth(a[2]))


def covers(i: Interpreter, value: Range, item: Value) -> bool:
    """`value.cover?(item)`"""
    if isinstance(item, Range):
        return covers(i, value, item.first) and (
            covers(i, value, item.last)
            or (item.exclusive and value.exclusive and equal(i, value.last, item.last))
            or (item.exclusive and not value.exclusive and equal(i, value.last, item.last))
        )
    if value.first is not None:
        order = compare(i, value.first, item)
        if order is None or order > 0:
            return False
    if value.last is not None:
        order = compare(i, item, value.last)
        if order is None or order > 0 or (order == 0 and value.exclusive):
            return False
    return True


def includes(i: Interpreter, value: Range, item: Value) -> bool:
    """`value.include?(item)`"""
    if is_string(value.first) and is_string(value.last):
        if not is_string(item):
            return False
        one = text_of(value.first), text_of(value.last)
        if all(len(end) == 1 for end in one) and len(text_of(item)) == 1:
            return covers(i, value, item)
        return any(text_of(item) == text for text in range_values(i, value))
    return not isinstance(item, Range) and covers(i, value, item)


@method(RANGE, "each", 0)
def each(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    for value in range_values(i, self):
        block.one(value)
    return self


@method(RANGE, "step %", 0, 1)
def step(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    by = a[0] if a else 1
    if is_number(by) and by == 0:
        raise error("ArgumentError", "step can't be 0")
    if is_number(by) and by < 0:
        raise error("ArgumentError", "step can't be negative")
    if is_number(self.first):
        values = stepped(i, self.first, self.last, by, self.exclusive)
    else:
        values = islice(range_values(i, self), 0, None, long_of(by))
    for value in values:
        block.one(value)
    return self


def last(i: Interpreter, value: Range, a: Args) -> Value:
    """`value.last`"""
    if value.last is None:
        raise error("RangeError", "cannot get the last element of endless range")
    if not a:
        return value.last
    count = long_of(a[0])
    return elements(i, value)[-count:] if count else []


def first_of(i: Interpreter, value: Range, a: Args) -> Value:
    """`value.first`"""
    if value.first is None:
        raise error("RangeError", "cannot get the first element of beginless range")
    return first(i, value, a) if a else value.first


def minimum(i: Interpreter, value: Range, a: Args, block: Any, sign: int) -> Value:
    """`min` and `max`"""
    if a or block is not None or not is_number(value.first) or not is_number(value.last):
        if not a and block is None and (value.first is None or value.last is None):
            end = value.first if sign < 0 else value.last
            if end is None:
                which, side = ("minimum", "beginless") if sign < 0 else ("maximum", "endless")
                raise error("RangeError", f"cannot get the {which} of {side} range")
            return end
        if not a and block is None:
            order = compare(i, value.first, value.last)
            if order is None or order > 0 or (order == 0 and value.exclusive):
                return None
            if sign < 0:
                return value.first
            if not value.exclusive:
                return value.last
        return extreme_of(i, value, a, block, sign)
    if value.first > value.last or (value.exclusive and value.first == value.last):
        return None
    if sign < 0:
        return value.first
    if value.exclusive:
        if type(value.last) is float:
            raise error("TypeError", "cannot exclude non Integer end value")
        return value.last - 1
    return value.last


def summed(i: Interpreter, value: Range, a: Args, block: Any) -> Value:
    """`sum`: of whole numbers by formula."""
    count = size_of(i, value)
    if block is None and count is not None and type(value.last) is int and (not a or type(a[0]) is int):
        return count * (2 * value.first + count - 1) // 2 + (a[0] if a else 0)
    return total(i, elements(i, value), a[0] if a else 0, block)


def _size(i: Interpreter, value: Range) -> Value:
    if is_number(value.last) and value.first is None:
        return math.inf
    if is_number(value.first) and (value.last is None or value.last == math.inf):
        return math.inf
    if type(value.first) is float and is_number(value.last):
        return len(stepped(i, value.first, value.last, 1, value.exclusive))
    return size_of(i, value)


def _to_a(i: Interpreter, value: Range) -> list[Value]:
    if value.last is None:
        raise error("RangeError", "cannot convert endless range to an array")
    return list(elements(i, value))


def _case(i: Interpreter, value: Range, item: Value) -> bool:
    return not isinstance(item, Range) and covers(i, value, item)


methods(
    RANGE,
    0,
    0,
    {
        "begin": lambda i, s, a, b: s.first,
        "end": lambda i, s, a, b: s.last,
        "exclude_end?": lambda i, s, a, b: s.exclusive,
        "size": lambda i, s, a, b: _size(i, s),
        "to_a entries": lambda i, s, a, b: _to_a(i, s),
        "to_s": lambda i, s, a, b: to_s(i, s),
        "inspect": lambda i, s, a, b: inspect(i, s),
        "minmax": lambda i, s, a, b: minmax(i, s, b) if b else [minimum(i, s, [], b, -1), minimum(i, s, [], b, 1)],
    },
)
methods(
    RANGE,
    1,
    1,
    {
        "===": lambda i, s, a, b: _case(i, s, a[0]),
        "cover?": lambda i, s, a, b: covers(i, s, a[0]),
        "include? member?": lambda i, s, a, b: includes(i, s, a[0]),
        "==": lambda i, s, a, b: (
            isinstance(a[0], Range)
            and equal(i, s.first, a[0].first)
            and equal(i, s.last, a[0].last)
            and s.exclusive == a[0].exclusive
        ),
        "eql?": lambda i, s, a, b: isinstance(a[0], Range) and s == a[0] and eql(i, s.first, a[0].first),
    },
)
methods(
    RANGE,
    0,
    1,
    {
        "first": lambda i, s, a, b: first_of(i, s, a),
        "last": lambda i, s, a, b: last(i, s, a),
        "min": lambda i, s, a, b: minimum(i, s, a, b, -1),
        "max": lambda i, s, a, b: minimum(i, s, a, b, 1),
        "sum": summed,
        "count": lambda i, s, a, b: _size(i, s) if not a and b is None and type(s.first) is int else _count(i, s, a, b),
    },
)


def _count(i: Interpreter, value: Range, a: Args, block: Any) -> int:
    from .enumerables import count

    return count(i, value, a, block)


__all__ = ["class_name"]
