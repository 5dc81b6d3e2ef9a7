"""Enumerable: everything that only needs `each`.  Array, Hash, Range, Set, Struct and Enumerator share it.

`elements` is the list of elements; a hash's are pairs. A block of two parameters takes a pair apart by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ...base.keys import Symbol
from ..classes import ENUMERABLE, class_name, error, is_string, kind_word, long_of, method, methods
from ..hashing import key_of
from ..interpreter import Interpreter
from ..iteration import collected, enumerated, iterate, size_of
from ..showing import compare, equal, name_of
from ..support import case_equal
from ..values import Enumerator, Hash, NativeProc, Proc, Range, Set, Value, truth
from .blocks import generated, given_each
from .objects import Args, compared
from .ordering import Order, extreme, extremes, ordering, several, sort_by, sort_values


def elements(i: Interpreter, value: Value) -> list[Value]:
    """All elements of something that can be iterated over."""
    if type(value) is list:
        return value
    if isinstance(value, Enumerator):
        return enumerated(i, value)
    if isinstance(value, Range):
        size = size_of(i, value)
        if size is not None:
            i.make_items(size)
    return list(iterate(i, value))


# --- the least and the greatest --------------------------------------------------------------------------------------


def extreme_of(i: Interpreter, self: Value, a: Args, block: Proc | None, sign: int) -> Value:
    """`min` and `max`.  An array without a block asks the best so far about the next, all else the other way."""
    order, values = ordering(i, block), elements(i, self)
    if a and a[0] is not None:
        return several(order, values, _count(a[0]), sign)
    return extreme(order, values, sign, newest_first=block is not None or type(self) is not list)


def extreme_by(i: Interpreter, values: list[Value], a: Args, block: Proc, sign: int) -> Value:
    """`min_by` and `max_by`."""
    keyed = [(block.one(value), value) for value in values]
    order = keys_ordering(i)
    if a and a[0] is not None:
        return [value for _, value in several(order, keyed, _count(a[0]), sign)]
    return extreme(order, keyed, sign)[1] if keyed else None


def keys_ordering(i: Interpreter) -> Order:
    """How two pairs of a key and a value are compared."""
    return lambda left, right: compared(i, left[0], right[0])


def _count(value: Value) -> int:
    count: int = long_of(value)
    if count < 0:
        raise error("ArgumentError", f"negative size ({count})")
    return count


def minmax(i: Interpreter, self: Value, block: Proc | None) -> list[Value]:
    """`minmax`"""
    order, values = ordering(i, block), elements(i, self)
    if type(self) is list and block is None:
        return [extreme(order, values, sign, newest_first=False) for sign in (-1, 1)]
    return list(extremes(order, values))


def minmax_by(i: Interpreter, values: list[Value], block: Proc) -> list[Value]:
    """`minmax_by`"""
    pairs = extremes(keys_ordering(i), [(block.one(value), value) for value in values])
    return [None if pair is None else pair[1] for pair in pairs]


# --- testing ---------------------------------------------------------------------------------------------------------


def test_of(i: Interpreter, a: Args, block: Proc | None) -> Any:
    """The test that `any?`, `all?`, `none?`, `one?`, `count` make of an element."""
    if a:
        return lambda value: case_equal(i, a[0], value)
    if block is not None:
        return lambda value: truth(block.one(value))
    return truth


def count(i: Interpreter, value: Value, a: Args, block: Proc | None) -> int:
    """`value.count`"""
    values = elements(i, value)
    if a:
        return sum(1 for item in values if equal(i, item, a[0]))
    if block is not None:
        return sum(1 for item in list(values) if truth(block.one(item)))
    return len(values)


def includes(i: Interpreter, values: list[Value], wanted: Value) -> bool:
    """`values.include?(wanted)`"""
    kind = type(wanted)
    if kind is str or kind is int or kind is Symbol:
        for item in values:
            if type(item) is kind:
                if item == wanted:
                    return True
            elif equal(i, item, wanted):
                return True
        return False
    return any(equal(i, item, wanted) for item in values)


# --- folding ---------------------------------------------------------------------------------------------------------


def inject(i: Interpreter, values: list[Value], a: Args, block: Proc | None) -> Value:
    """`values.inject(initial, operator) { }`"""
    rest = list(values)
    operator: str | None = None
    if len(a) == 2:
        initial, operator = a[0], name_of(a[1])
    elif len(a) == 1 and block is None:
        operator = name_of(a[0])
        if not rest:
            return None
        initial = rest.pop(0)
    elif a:
        initial = a[0]
    else:
        if not rest:
            return None
        initial = rest.pop(0)
    result = initial
    for value in rest:
        if operator is not None:
            i.budget.draw("steps", 1, "folding", i.at)
            result = i.send(result, operator, [value])
        else:
            if block is None:
                raise error("LocalJumpError", "no block given")
            result = block.two(result, value)
    return result


def total(i: Interpreter, values: list[Value], initial: Value, block: Proc | None) -> Value:
    """`values.sum`: floats are added with compensation (Kahan and Babuška), as Ruby does."""
    items = [block.one(value) for value in list(values)] if block is not None else values
    result: Value = initial
    carry = 0.0
    is_float = False
    for item in items:
        if type(item) is float and type(result) in (int, float) and not is_float:
            is_float, result = True, float(result)
        if is_float and type(item) in (int, float):
            number = float(item)
            new = result + number
            carry += (result - new) + number if abs(result) >= abs(number) else (number - new) + result
            result = new
        elif type(result) is int and type(item) is int:
            result += item
        else:
            if is_float:
                result, carry, is_float = result + carry, 0.0, False
            result = i.send(result, "+", [item])
    return result + carry if is_float else result


# --- grouping --------------------------------------------------------------------------------------------------------


def _width(size: Value, words: str) -> int:
    """How many elements `each_slice` and `each_cons` give at once."""
    width: int = long_of(size)
    if width <= 0:
        raise error("ArgumentError", words)
    return width


def slices(i: Interpreter, values: list[Value], size: Value) -> list[Value]:
    """`values.each_slice(size)`"""
    width = _width(size, "invalid slice size")
    return [values[at : at + width] for at in range(0, len(values), width)]


def conses(i: Interpreter, values: list[Value], size: Value) -> list[Value]:
    """`values.each_cons(size)`"""
    width = _width(size, "invalid size")
    i.make_items(max(0, len(values) - width + 1) * width)
    return [values[at : at + width] for at in range(len(values) - width + 1)]


def grouped(i: Interpreter, values: list[Value], block: Proc) -> dict[Any, Value]:
    """`values.group_by { }`"""
    groups: dict[Any, Value] = {}
    for value in list(values):
        groups.setdefault(key_of(i, block.one(value)), []).append(value)
    return groups


def partitioned(i: Interpreter, values: list[Value], block: Proc) -> list[Value]:
    """`values.partition { }`"""
    yes: list[Value] = []
    no: list[Value] = []
    for value in list(values):
        (yes if truth(block.one(value)) else no).append(value)
    return [yes, no]


def unique(i: Interpreter, values: list[Value], block: Proc | None) -> list[Value]:
    """`values.uniq`"""
    seen: dict[Any, Value] = {}
    for value in list(values):
        seen.setdefault(key_of(i, value if block is None else block.one(value)), value)
    return list(seen.values())


def to_hash(i: Interpreter, values: list[Value], block: Proc | None, of_hash: bool = False) -> dict[Any, Value]:
    """`values.to_h`"""
    result: dict[Any, Value] = {}
    for at, value in enumerate(list(values)):
        pair = value if block is None else block.one(value)
        if type(pair) is not list:
            where = "" if of_hash else f" at {at}"
            shown = kind_word(pair) if of_hash else class_name(pair)
            raise error("TypeError", f"wrong element type {shown}{where} (expected array)")
        if len(pair) != 2:
            lead = "element has wrong array length" if of_hash else f"wrong array length at {at}"
            raise error("ArgumentError", f"{lead} (expected 2, was {len(pair)})")
        result[key_of(i, pair[0])] = pair[1]
    return result


def spread(block: Proc) -> Proc:
    """A block that is called with two things, not with a pair: `|x|` is the key."""
    return NativeProc(lambda pair: block.two(*pair[0]))


def zipped(i: Interpreter, values: list[Value], a: Args) -> list[Value]:
    """`values.zip(...)`"""
    others = []
    for other in a:
        if type(other) is not list and not hasattr(other, "members") and i.find(other, "each") is None:
            raise error("TypeError", f"wrong argument type {kind_word(other)} (must respond to :each)")
        others.append(
            elements(i, other)
            if not (isinstance(other, Range) and other.last is None)
            else [other.first + at for at in range(len(values))]
        )
    i.make_items(len(values) * (len(others) + 1))
    return [[value, *(other[at] if at < len(other) else None for other in others)] for at, value in enumerate(values)]


def zip_each(self: Value, rows: list[Value], block: Proc | None) -> Value:
    """The rows of `zip`; a block gets each of them, and there is no result then.

    What is no array gives a block the element alone where there is nothing beside it.
    """
    if block is None:
        return rows
    return given_each(None, rows if type(self) is list else [row if len(row) > 1 else row[0] for row in rows], block)


def chunks(i: Interpreter, values: Iterable[Value], block: Proc) -> Iterator[Value]:
    """`values.chunk { }`: nothing and `:_separator` drop an element, `:_alone` leaves it alone."""
    chunk: list[Value] = []
    for value in values:
        key = block.one(value)
        name = key.name if type(key) is Symbol else ""
        if name.startswith("_") and name not in ("_alone", "_separator"):
            raise error("RuntimeError", "symbols beginning with an underscore are reserved")
        if chunk and (name == "_alone" or not equal(i, chunk[0], key)):
            yield chunk
            chunk = []
        if key is not None and name != "_separator":
            chunk = chunk or [key, []]
            chunk[1].append(value)
    if chunk:
        yield chunk


def slices_when(i: Interpreter, self: Value, block: Proc | None, while_: bool) -> Enumerator:
    """`slice_when` and `chunk_while`."""
    if block is None:
        raise error("ArgumentError", "tried to create Proc object without a block")
    asked = block

    def rows() -> Iterator[Value]:
        row: list[Value] = []
        for value in iterate(i, self):
            if row and truth(asked.two(row[-1], value)) is not while_:
                yield row
                row = []
            row.append(value)
        if row:
            yield row

    return generated(rows)


def slices_at(i: Interpreter, self: Value, a: Args, block: Proc | None, before: bool) -> Enumerator:
    """`slice_before` and `slice_after`: cut where an element is the first, or the last, of its slice."""
    if a and block is not None:
        given = "wrong number of arguments (given 1, expected 0)"
        raise error("ArgumentError", given if before else "both pattern and block are given")
    if not a and block is None:
        raise error("ArgumentError", "wrong number of arguments (given 0, expected 1)")
    test = test_of(i, a, block)

    def rows() -> Iterator[Value]:
        row: list[Value] = []
        for value in iterate(i, self):
            cut = test(value)
            if row and before and cut:
                yield row
                row = []
            row.append(value)
            if not before and cut:
                yield row
                row = []
        if row:
            yield row

    return generated(rows)


def tally(i: Interpreter, values: list[Value], result: Value) -> Value:
    """`values.tally(counts)`: counts that are given go on."""
    if not isinstance(result, dict):
        raise error("TypeError", f"can't convert {kind_word(result)} into Hash")
    i.check_frozen(result)
    for value in values:
        key = key_of(i, value)
        result[key] = result.get(key, 0) + 1
    return result


# --- the table -------------------------------------------------------------------------------------------------------


@method(ENUMERABLE, "each_with_index", 0)
def each_with_index(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    for at, value in enumerate(iterate(i, self)):
        block.two(value, at)
    return self


@method(ENUMERABLE, "each_with_object", 1)
def each_with_object(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    for value in iterate(i, self):
        block.two(value, a[0])
    return a[0]


@method(ENUMERABLE, "find detect", 0, 1)
def find(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    for value in iterate(i, self):
        if truth(block.one(value)):
            return value
    return i.send(a[0], "call", []) if a and a[0] is not None else None


@method(ENUMERABLE, "find_index", 0, 1)
def find_index(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    for at, value in enumerate(iterate(i, self)):
        if equal(i, value, a[0]) if a else truth(block.one(value)):
            return at
    return None


@method(ENUMERABLE, "each_slice", 1)
def each_slice(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    if block is None:
        _width(a[0], "invalid slice size")
        return Enumerator(self, "each_slice", a, True)
    for part in slices(i, elements(i, self), a[0]):
        block.one(part)
    return self


@method(ENUMERABLE, "each_cons", 1)
def each_cons(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    if block is None:
        _width(a[0], "invalid size")
        return Enumerator(self, "each_cons", a, True)
    for part in conses(i, elements(i, self), a[0]):
        block.one(part)
    return self


@method(ENUMERABLE, "reverse_each", 0)
def reverse_each(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    values = list(reversed(elements(i, self)))
    for value in values:
        block.one(value)
    return self


@method(ENUMERABLE, "cycle", 0, 1)
def cycle(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    values = elements(i, self)
    rounds = a[0] if a else None
    while values and (rounds is None or rounds > 0):
        i.budget.draw("steps", len(values), "going round", i.at)
        for value in list(values):
            block.one(value)
        rounds = None if rounds is None else rounds - 1
    return None


def taking_while(i: Interpreter, values: list[Value], block: Proc) -> int:
    """How many elements at the front pass the block."""
    for at, value in enumerate(list(values)):
        if not truth(block.one(value)):
            return at
    return len(values)


def take(i: Interpreter, self: Value, a: Args, what: str = "take") -> list[Value]:
    """`take`, and `first` with a number."""
    number = long_of(a[0])
    if number < 0:
        raise error("ArgumentError", f"attempt to {what} negative size" if what == "take" else "negative array size")
    if isinstance(self, Range) and self.last is None:
        values: list[Value] = []
        for value in iterate(i, self):
            if len(values) >= number:
                break
            values.append(value)
        return values
    if isinstance(self, Enumerator) and self.values is None:
        return collected(i, self.receiver, self.method, self.arguments, number)
    return elements(i, self)[:number]


def drop(i: Interpreter, self: Value, a: Args) -> list[Value]:
    """`drop`"""
    number = long_of(a[0])
    if number < 0:
        raise error("ArgumentError", "attempt to drop negative size")
    return elements(i, self)[number:]


def first(i: Interpreter, self: Value, a: Args) -> Value:
    """`first`"""
    if a:
        return take(i, self, a, "first")
    if isinstance(self, Enumerator):
        return (take(i, self, [1]) or [None])[0]
    for value in iterate(i, self):
        return value
    return None


def grep(i: Interpreter, values: list[Value], pattern: Value, block: Proc | None, wanted: bool) -> list[Value]:
    """`grep` and `grep_v`."""
    result = []
    for value in list(values):
        if case_equal(i, pattern, value) is wanted:
            result.append(value if block is None else block.one(value))
    return result


def flat_map(i: Interpreter, values: list[Value], block: Proc) -> list[Value]:
    """`flat_map`"""
    result: list[Value] = []
    for value in list(values):
        item = block.one(value)
        if type(item) is list:
            result.extend(item)
        else:
            result.append(item)
    i.make_items(len(result))
    return result


def filter_map(i: Interpreter, values: list[Value], block: Proc) -> list[Value]:
    """`filter_map`"""
    return [result for result in (block.one(value) for value in list(values)) if truth(result)]


def each_entry(i: Interpreter, self: Value, block: Proc) -> Value:
    """`each_entry`"""
    for value in iterate(i, self):
        block.one(value)
    return self


methods(
    ENUMERABLE,
    0,
    0,
    {
        "to_a entries": lambda i, s, a, b: list(elements(i, s)),
        "map collect": lambda i, s, a, b: [b.one(v) for v in iterate(i, s)],
        "flat_map collect_concat": lambda i, s, a, b: flat_map(i, elements(i, s), b),
        "filter_map": lambda i, s, a, b: filter_map(i, elements(i, s), b),
        "select filter find_all": lambda i, s, a, b: [v for v in iterate(i, s) if truth(b.one(v))],
        "reject": lambda i, s, a, b: [v for v in iterate(i, s) if not truth(b.one(v))],
        "partition": lambda i, s, a, b: partitioned(i, elements(i, s), b),
        "group_by": lambda i, s, a, b: grouped(i, elements(i, s), b),
        "sort": lambda i, s, a, b: sort_values(i, elements(i, s), b),
        "sort_by": lambda i, s, a, b: sort_by(i, list(elements(i, s)), b),
        "uniq": lambda i, s, a, b: unique(i, elements(i, s), b),
        "to_h": lambda i, s, a, b: to_hash(i, elements(i, s), b),
        "to_set": lambda i, s, a, b: Set({key_of(i, v if b is None else b.one(v)): True for v in elements(i, s)}),
        "take_while": lambda i, s, a, b: elements(i, s)[: taking_while(i, elements(i, s), b)],
        "drop_while": lambda i, s, a, b: elements(i, s)[taking_while(i, elements(i, s), b) :],
        "minmax": lambda i, s, a, b: minmax(i, s, b),
        "minmax_by": lambda i, s, a, b: minmax_by(i, elements(i, s), b),
        "each_entry": lambda i, s, a, b: each_entry(i, s, b),
        "chunk": lambda i, s, a, b: generated(lambda: chunks(i, iterate(i, s), b)),
        "chunk_while": lambda i, s, a, b: slices_when(i, s, b, True),
        "slice_when": lambda i, s, a, b: slices_when(i, s, b, False),
        "lazy": lambda i, s, a, b: elements(i, s) if isinstance(s, dict) else s,
        "force": lambda i, s, a, b: list(elements(i, s)),
        "compact": lambda i, s, a, b: [v for v in elements(i, s) if v is not None],
    },
)
methods(
    ENUMERABLE,
    0,
    1,
    {
        "slice_before": lambda i, s, a, b: slices_at(i, s, a, b, True),
        "slice_after": lambda i, s, a, b: slices_at(i, s, a, b, False),
        "any?": lambda i, s, a, b: any(map(test_of(i, a, b), iterate(i, s))),
        "all?": lambda i, s, a, b: all(map(test_of(i, a, b), iterate(i, s))),
        "none?": lambda i, s, a, b: not any(map(test_of(i, a, b), iterate(i, s))),
        "one?": lambda i, s, a, b: len(list(islice(filter(test_of(i, a, b), iterate(i, s)), 2))) == 1,
        "count": count,
        "first": lambda i, s, a, b: first(i, s, a),
        "min": lambda i, s, a, b: extreme_of(i, s, a, b, -1),
        "max": lambda i, s, a, b: extreme_of(i, s, a, b, 1),
        "min_by": lambda i, s, a, b: extreme_by(i, elements(i, s), a, b, -1),
        "max_by": lambda i, s, a, b: extreme_by(i, elements(i, s), a, b, 1),
        "sum": lambda i, s, a, b: total(i, elements(i, s), a[0] if a else 0, b),
    },
)
methods(
    ENUMERABLE,
    1,
    1,
    {
        "include? member?": lambda i, s, a, b: includes(i, elements(i, s), a[0]),
        "take": lambda i, s, a, b: take(i, s, a),
        "drop": lambda i, s, a, b: drop(i, s, a),
        "grep": lambda i, s, a, b: grep(i, elements(i, s), a[0], b, True),
        "grep_v": lambda i, s, a, b: grep(i, elements(i, s), a[0], b, False),
    },
)
methods(ENUMERABLE, 0, 1, {"tally": lambda i, s, a, b: tally(i, elements(i, s), a[0] if a else {})})
methods(ENUMERABLE, 0, 2, {"inject reduce": lambda i, s, a, b: inject(i, elements(i, s), a, b)})
methods(ENUMERABLE, 0, -1, {"zip": lambda i, s, a, b: zip_each(s, zipped(i, elements(i, s), a), b)})

__all__ = ["Hash", "compare", "is_string"]
