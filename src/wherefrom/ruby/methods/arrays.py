"""Array, without the methods that change it."""

from __future__ import annotations

import re
from itertools import combinations, permutations, product
from math import comb, perm
from typing import Any

from ...base.keys import Symbol
from ..classes import ARRAY, class_name, error, is_string, kind_word, long_of, method, methods, singleton, text_of
from ..hashing import key_of
from ..interpreter import Interpreter
from ..showing import compare, eql, equal, inspect, to_s, weigh_acyclic
from ..support import slice_range
from ..values import Enumerator, Hash, Keywords, Object, Proc, Range, Text, Value, truth
from .blocks import given_each
from .enumerables import elements, includes, unique
from .objects import Args
from .ordering import sort_values


@singleton(ARRAY, "new", 0, 2)
def new(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    if a and type(a[0]) is list:
        return list(a[0])
    count = long_of(a[0]) if a else 0
    if count < 0:
        raise error("ArgumentError", "negative array size")
    i.make_items(count)
    if block is not None:
        return [block.one(at) for at in range(count)]
    return [a[1] if len(a) > 1 else None] * count


@singleton(ARRAY, "[]", 0, -1)
def literal(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return list(a)


@singleton(ARRAY, "try_convert", 1)
def try_convert(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return a[0] if type(a[0]) is list else None


def array_of(i: Interpreter, value: Value) -> list[Value]:
    """An Array, or what converts itself; else TypeError."""
    if type(value) is list:
        return value
    entry = i.find(value, "to_ary")
    if entry is not None:
        elements: list[Value] = entry.run(i, value, [], None)
        return elements
    raise error("TypeError", f"no implicit conversion of {kind_word(value)} into Array")


def slice_array(i: Interpreter, values: list[Value], a: Args) -> Value:
    """`values[...]`"""
    first = a[0]
    if len(a) == 2:
        start, count = long_of(first), long_of(a[1])
        if start < 0:
            start += len(values)
        if start < 0 or start > len(values) or count < 0:
            return None
        return values[start : start + count]
    if isinstance(first, Range):
        return slice_range(values, first)
    at = long_of(first)
    return values[at] if -len(values) <= at < len(values) else None


@method(ARRAY, "each", 0)
def each(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    at = 0
    one = block.one
    while at < len(self):
        one(self[at])
        at += 1
    return self


@method(ARRAY, "each_index", 0)
def each_index(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    at = 0
    while at < len(self):
        block.one(at)
        at += 1
    return self


@method(ARRAY, "fetch", 1, 2)
def fetch(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    at = long_of(a[0])
    if -len(self) <= at < len(self):
        return self[at]
    if block is not None:
        return block.one(a[0])
    if len(a) > 1:
        return a[1]
    raise error("IndexError", f"index {at} outside of array bounds: {-len(self)}...{len(self)}")


def dig(i: Interpreter, value: Value, path: Args) -> Value:
    """`value.dig(...)`"""
    here = value
    for step in path:
        if here is None:
            return None
        if type(here) is list or isinstance(here, dict):
            here = i.send(here, "[]", [step])
        elif isinstance(here, Object) and i.find(here, "dig") is not None:
            here = i.send(here, "dig", [step])
        else:
            raise error("TypeError", f"{class_name(here)} does not have #dig method")
    return here


def join(i: Interpreter, values: list[Value], separator: str, around: tuple[int, ...] = ()) -> str:
    """`values.join(separator)`"""
    if id(values) in around:
        raise error("ArgumentError", "recursive array join")
    if not around and any(type(value) is list for value in values):
        weigh_acyclic(values)
    parts: list[str] = []
    for value in values:
        kind = type(value)
        if kind is str:
            parts.append(value)
        elif kind is list:
            parts.append(join(i, value, separator, (*around, id(values))))
        else:
            parts.append(to_s(i, value))
    i.make_text(sum(map(len, parts)) + len(separator) * max(0, len(parts) - 1))
    return separator.join(parts)


def flatten(i: Interpreter, values: list[Value], depth: int, around: tuple[int, ...] = ()) -> list[Value]:
    """`values.flatten(depth)`; a negative depth is all of it."""
    if id(values) in around:
        raise error("ArgumentError", "tried to flatten recursive array")
    if not around and any(type(value) is list for value in values):
        weigh_acyclic(values)
    result: list[Value] = []
    for value in values:
        if type(value) is list and depth != 0:
            result.extend(flatten(i, value, depth - 1, (*around, id(values))))
        else:
            result.append(value)
    i.make_items(len(result))
    return result


def transpose(i: Interpreter, values: list[Value]) -> list[Value]:
    """`values.transpose`"""
    rows = [array_of(i, row) for row in values]
    if not rows:
        return []
    width = len(rows[0])
    for row in rows:
        if len(row) != width:
            raise error("IndexError", f"element size differs ({len(row)} should be {width})")
    i.make_items(len(rows) * width)
    return [[row[at] for row in rows] for at in range(width)]


def minus(i: Interpreter, values: list[Value], other: Value) -> list[Value]:
    """`values - other`"""
    out = {key_of(i, value) for value in array_of(i, other)}
    return [value for value in values if key_of(i, value) not in out]


def both(i: Interpreter, values: list[Value], other: Value) -> list[Value]:
    """`values & other`"""
    inside = {key_of(i, value) for value in array_of(i, other)}
    return unique(i, [value for value in values if key_of(i, value) in inside], None)


def either(i: Interpreter, values: list[Value], others: Args) -> list[Value]:
    """`values | other`"""
    result = list(values)
    for other in others:
        result.extend(array_of(i, other))
    i.make_items(len(result))
    return unique(i, result, None)


def plus(i: Interpreter, values: list[Value], other: Value) -> list[Value]:
    """`values + other`"""
    more = array_of(i, other)
    i.make_items(len(values) + len(more))
    return values + more


def times(i: Interpreter, values: list[Value], by: Value) -> Value:
    """`values * by`: repeated, or joined by a text."""
    if is_string(by):
        return join(i, values, text_of(by))
    count = long_of(by)
    if count < 0:
        raise error("ArgumentError", "negative argument")
    i.make_items(len(values) * count)
    return values * count


def index_of(i: Interpreter, values: list[Value], a: Args, block: Proc | None, last: bool) -> Value:
    """`index` and `rindex`."""
    places = range(len(values) - 1, -1, -1) if last else range(len(values))
    for at in places:
        if equal(i, values[at], a[0]) if a else block is not None and truth(block.one(values[at])):
            return at
    return None


def rotate(values: list[Value], by: int) -> list[Value]:
    """`values.rotate(by)`"""
    if not values:
        return []
    by %= len(values)
    return values[by:] + values[:by]


def choices(i: Interpreter, values: list[Value], size: int, kind: str) -> list[Value]:
    """`combination` and `permutation`."""
    number = comb(len(values), size) if kind == "combination" and size >= 0 else perm(len(values), max(size, 0))
    if size < 0 or size > len(values):
        return []
    i.make_items(number * max(1, size))
    make = combinations if kind == "combination" else permutations
    return [list(choice) for choice in make(values, size)]


def combination(i: Interpreter, self: list[Value], a: Args, block: Proc | None) -> Value:
    """`values.combination(size)`"""
    rows = choices(i, self, long_of(a[0]), "combination")
    return Enumerator(self, "combination", a, True) if block is None else given_each(self, rows, block)


def values_at(i: Interpreter, values: list[Value], a: Args) -> list[Value]:
    """`values.values_at(...)`: places and ranges of places; where there is no element there is nothing."""
    result: list[Value] = []
    for which in a:
        if not isinstance(which, Range):
            result.append(slice_array(i, values, [which]))
            continue
        first = 0 if which.first is None else long_of(which.first)
        last = -1 if which.last is None else long_of(which.last)
        start = first + len(values) if first < 0 else first
        if start < 0:
            raise error("RangeError", f"{inspect(i, which)} out of range")
        end = (last + len(values) if last < 0 else last) + (which.last is None or not which.exclusive)
        i.make_items(max(0, end - start))
        result += values[start:end]
        result += [None] * max(0, end - max(start, len(values)))
    return result


def all_products(i: Interpreter, values: list[Value], others: Args, block: Proc | None) -> Value:
    """`values.product(...)`"""
    lists = [values, *(array_of(i, other) for other in others)]
    size = 1
    for part in lists:
        size *= len(part)
    i.make_items(size * len(lists))
    rows: list[Value] = [list(choice) for choice in product(*lists)]
    return rows if block is None else given_each(values, rows, block)


def shuffled(i: Interpreter, values: list[Value], a: Args) -> list[Value]:
    """`values.shuffle`: with a seeded generator the order is Ruby's; without one it is refused."""
    result = list(values)
    generator = a[-1].get(Symbol("random")) if a and isinstance(a[-1], dict) else None
    for at in range(len(result), 1, -1):
        if generator is None:
            other = int(i.world.random("shuffle", i.at) * at)
        else:
            other = i.send(generator, "rand", [at])
        result[at - 1], result[other] = result[other], result[at - 1]
    return result


def sample(i: Interpreter, values: list[Value], a: Args) -> Value:
    """`values.sample`"""
    generator = a[-1].get(Symbol("random")) if a and isinstance(a[-1], dict) else None
    if not values:
        return None
    if generator is None:
        return values[int(i.world.random("sample", i.at) * len(values))]
    return values[i.send(generator, "rand", [len(values)])]


def first_of(i: Interpreter, values: list[Value], a: Args, last: bool) -> Value:
    """`first` and `last`."""
    if not a:
        return (values[-1] if last else values[0]) if values else None
    count = long_of(a[0])
    if count < 0:
        raise error("ArgumentError", "negative array size")
    return (values[-count:] if count else []) if last else values[:count]


def assoc(i: Interpreter, values: list[Value], wanted: Value, at: int) -> Value:
    """`assoc` and `rassoc`."""
    for value in values:
        if type(value) is list and len(value) > at and equal(i, value[at], wanted):
            return value
    return None


def bsearch(i: Interpreter, values: list[Value], block: Proc) -> Value:
    """`values.bsearch { }`"""
    low, high = 0, len(values)
    result: Value = None
    while low < high:
        middle = (low + high) // 2
        answer = block.one(values[middle])
        if answer is True or (type(answer) in (int, float) and answer == 0):
            result = values[middle]
            if answer is not True:
                return result
            high = middle
        elif answer is None or answer is False or (type(answer) in (int, float) and answer > 0):
            low = middle + 1
        elif type(answer) in (int, float):
            high = middle
        else:
            raise error("TypeError", f"wrong argument type {class_name(answer)} (must be numeric, true, false or nil)")
    return result


def pack(i: Interpreter, values: list[Value], template: str) -> str:
    """`values.pack(...)`"""
    from ..packing import pack as run

    text = run(values, template).decode("utf-8", "surrogateescape")
    return text if _ENCODED.fullmatch(template) else i.binary(text)


_ENCODED = re.compile(r"[mMu\d*\s]*|U[UmMu\d*\s]*")
"""Directives that give texts of ASCII or UTF-8; all others give bytes."""


methods(
    ARRAY,
    0,
    0,
    {
        "to_a entries to_ary": lambda i, s, a, b: s,
        "to_s inspect": lambda i, s, a, b: inspect(i, s),
        "length size": lambda i, s, a, b: len(s),
        "empty?": lambda i, s, a, b: not s,
        "reverse": lambda i, s, a, b: s[::-1],
        "compact": lambda i, s, a, b: [value for value in s if value is not None],
        "transpose": lambda i, s, a, b: transpose(i, s),
        "bsearch": lambda i, s, a, b: bsearch(i, s, b),
        "map collect": lambda i, s, a, b: [b.one(value) for value in list(s)],
        "select filter": lambda i, s, a, b: [value for value in list(s) if truth(b.one(value))],
    },
)
methods(
    ARRAY,
    1,
    1,
    {
        "+": lambda i, s, a, b: plus(i, s, a[0]),
        "-": lambda i, s, a, b: minus(i, s, a[0]),
        "*": lambda i, s, a, b: times(i, s, a[0]),
        "&": lambda i, s, a, b: both(i, s, a[0]),
        "|": lambda i, s, a, b: either(i, s, a),
        "==": lambda i, s, a, b: equal(i, s, a[0]),
        "eql?": lambda i, s, a, b: type(a[0]) is list and eql(i, s, a[0]),
        "<=>": lambda i, s, a, b: compare(i, s, a[0]) if type(a[0]) is list else None,
        "include? member?": lambda i, s, a, b: includes(i, s, a[0]),
        "at": lambda i, s, a, b: slice_array(i, s, [long_of(a[0])]),
        "assoc": lambda i, s, a, b: assoc(i, s, a[0], 0),
        "rassoc": lambda i, s, a, b: assoc(i, s, a[0], 1),
        "combination": combination,
        "pack": lambda i, s, a, b: pack(i, s, text_of(a[0])),
        "intersect?": lambda i, s, a, b: bool(both(i, s, a[0])),
    },
)
methods(ARRAY, 1, 2, {"[] slice": lambda i, s, a, b: slice_array(i, s, a)})
methods(
    ARRAY,
    0,
    1,
    {
        "first": lambda i, s, a, b: first_of(i, s, a, False),
        "last": lambda i, s, a, b: first_of(i, s, a, True),
        "join": lambda i, s, a, b: join(i, s, text_of(a[0]) if a and a[0] is not None else ""),
        "flatten": lambda i, s, a, b: flatten(i, s, long_of(a[0]) if a and a[0] is not None else -1),
        "rotate": lambda i, s, a, b: rotate(s, long_of(a[0]) if a else 1),
        "index find_index": lambda i, s, a, b: index_of(i, s, a, b, False),
        "rindex": lambda i, s, a, b: index_of(i, s, a, b, True),
        "permutation": lambda i, s, a, b: given_each(s, choices(i, s, long_of(a[0]) if a else len(s), "perm"), b),
        "shuffle": lambda i, s, a, b: shuffled(i, s, a),
        "sample": lambda i, s, a, b: sample(i, s, a),
    },
)
methods(
    ARRAY,
    0,
    -1,
    {
        "values_at": lambda i, s, a, b: values_at(i, s, a),
        "dig": lambda i, s, a, b: dig(i, s, a),
        "product": all_products,
        "union": lambda i, s, a, b: either(i, s, a),
        "difference": lambda i, s, a, b: minus(i, s, [value for other in a for value in array_of(i, other)]),
        "intersection": lambda i, s, a, b: _all_both(i, s, a),
        "sort": lambda i, s, a, b: sort_values(i, s, b),
    },
)


def _all_both(i: Interpreter, values: list[Value], others: Args) -> list[Value]:
    for other in others:
        values = both(i, values, other)
    return unique(i, values, None)


__all__ = ["Hash", "Keywords", "Text", "elements"]
