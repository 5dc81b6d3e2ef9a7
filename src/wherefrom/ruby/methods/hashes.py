"""Hash.  Keys are those of `values.key_of`; blocks of two parameters get key and value, of one the pair.

`select`, `reject`, `filter_map` and their like differ in what a block of one parameter gets: see `pair_test`.
"""

from __future__ import annotations

from typing import Any

from ...base.keys import Symbol
from ..classes import HASH, class_name, error, kind_word, long_of, method, methods, singleton
from ..hashing import key_of
from ..interpreter import Interpreter
from ..showing import equal, inspect
from ..support import look_up
from ..values import Hash, Keywords, NativeProc, Proc, Range, Value, truth, value_of
from .arrays import dig, flatten
from .enumerables import extreme_by, spread, to_hash, total
from .objects import Args
from .ordering import sort_values

Table = dict[Any, Value]


@singleton(HASH, "new", 0, 1)
def new(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if block is not None:
        return Hash((), None, block)
    return Hash((), a[0]) if a else {}


@singleton(HASH, "[]", 0, -1)
def literal(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if len(a) == 1:
        if isinstance(a[0], dict):
            return dict(a[0])
        if type(a[0]) is list:
            result: Table = {}
            for pair in a[0]:
                if type(pair) is not list:
                    words = f"wrong element type {class_name(pair)} at {a[0].index(pair)} (expected array)"
                    raise error("ArgumentError", words)
                if not 1 <= len(pair) <= 2:
                    raise error("ArgumentError", f"invalid number of elements ({len(pair)} for 1..2)")
                result[key_of(i, pair[0])] = pair[1] if len(pair) > 1 else None
            return result
    if len(a) % 2:
        raise error("ArgumentError", "odd number of arguments for Hash")
    return {key_of(i, a[at]): a[at + 1] for at in range(0, len(a), 2)}


def writable(i: Interpreter, table: Table) -> Table:
    """Refuse to change a frozen hash."""
    i.check_frozen(table)
    return table


def put(i: Interpreter, table: Table, key: object, value: Value) -> None:
    """`table[key] = value`"""
    if i.iterating and id(table) in i.iterating and key not in table:
        raise error("RuntimeError", "can't add a new key into hash during iteration")
    i.budget.elements -= 1
    if i.budget.elements < 0:
        i.make_items(17)
    table[key] = value


@method(HASH, "[]= store", 2, mutates=True)
def store(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    i.check_frozen(self)
    put(i, self, key_of(i, a[0]), a[1])
    return a[1]


def key_missing(i: Interpreter, table: Table, key: Value) -> Any:
    """The error of `fetch`."""
    return error("KeyError", f"key not found: {inspect(i, key)}", key=key, receiver=table)


@method(HASH, "fetch", 1, 2)
def fetch(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    key = key_of(i, a[0])
    if key in self:
        return self[key]
    if block is not None:
        return block.one(a[0])
    if len(a) > 1:
        return a[1]
    raise key_missing(i, self, a[0])


@method(HASH, "each each_pair", 0)
def each(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    pairs = block.width > 1 and not block.is_lambda
    iterating = i.iterating
    iterating[id(self)] = iterating.get(id(self), 0) + 1
    try:
        for key in list(self):
            if key in self:
                value = key if type(key) is str else value_of(key)
                if pairs:
                    block.two(value, self[key])
                else:
                    block.one([value, self[key]])
    finally:
        iterating[id(self)] -= 1
        if not iterating[id(self)]:
            del iterating[id(self)]
    return self


def pair_test(block: Proc) -> Any:
    """A block called with key and value, or with the key alone where it takes one thing: `select`, `reject`, `any?`."""
    return lambda key, value: truth(block.two(value_of(key), value))


def whole_pair(block: Proc) -> Any:
    """A block called with the pair."""
    return lambda key, value: block.one([value_of(key), value])


def selected(i: Interpreter, table: Table, block: Proc, wanted: bool) -> Table:
    """`select` and `reject`."""
    test = pair_test(block)
    return {key: value for key, value in list(table.items()) if test(key, value) is wanted}


def hash_of(i: Interpreter, value: Value) -> Table:
    """A Hash, or what converts itself; else TypeError."""
    if isinstance(value, dict):
        return value
    entry = i.find(value, "to_hash")
    if entry is not None:
        table: Table = entry.run(i, value, [], None)
        return table
    raise error("TypeError", f"no implicit conversion of {kind_word(value)} into Hash")


def merged(i: Interpreter, table: Table, others: Args, block: Proc | None) -> None:
    """`merge!`"""
    for other in others:
        more = hash_of(i, other)
        i.make_items(len(more))
        for key, value in list(more.items()):
            if block is not None and key in table:
                value = block.call([value_of(key), table[key], value])
            put(i, table, key, value)


def merge(i: Interpreter, self: Table, a: Args, block: Any) -> Table:
    """`merge`"""
    result = copied(self)
    i.make_items(len(result))
    merged(i, result, a, block)
    return result


def copied(table: Table) -> Table:
    """A copy with its defaults."""
    return Hash(table, table.default, table.default_proc) if type(table) is Hash else dict(table)


@method(HASH, "merge! update", 0, -1, mutates=True)
def merge_(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    merged(i, writable(i, self), a, block)
    return self


@method(HASH, "delete", 1, mutates=True)
def delete(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    writable(i, self)
    key = key_of(i, a[0])
    if key in self:
        return self.pop(key)
    return block.one(a[0]) if block is not None else None


@method(HASH, "shift", 0, mutates=True)
def shift(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    writable(i, self)
    if not self:
        return None
    key = next(iter(self))
    return [value_of(key), self.pop(key)]


def replaced(table: Table, new: Table, nil_if_same: bool = False) -> Value:
    """Put new pairs in."""
    same = len(table) == len(new)
    table.clear()
    table.update(new)
    return None if nil_if_same and same else table


@method(HASH, "map collect", 0)
def map_(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    if block.width > 1 and not block.is_lambda:
        return [block.two(value_of(key), value) for key, value in list(self.items())]
    return [block.one([value_of(key), value]) for key, value in list(self.items())]


@method(HASH, "any?", 0, 1)
def any_(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    if a:
        from ..support import case_equal

        return any(case_equal(i, a[0], [value_of(key), value]) for key, value in self.items())
    if block is None:
        return bool(self)
    call = pair_test(block) if block.width > 1 else whole_pair(block)
    return any(truth(call(key, value)) for key, value in list(self.items()))


@method(HASH, "to_h", 0)
def to_h(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    if block is None:
        return self if type(self) is dict else dict(self) if type(self) is Keywords else self
    return to_hash(i, [[value_of(key), value] for key, value in self.items()], spread(block), True)


@method(HASH, "transform_keys", 0, 1)
def transform_keys(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    result: Table = {}
    for key, value in list(self.items()):
        written = value_of(key)
        if a and isinstance(a[0], dict) and key in a[0]:
            result[key_of(i, a[0][key])] = value
        elif block is not None:
            result[key_of(i, block.one(written))] = value
        else:
            result[key] = value
    return result


@method(HASH, "transform_keys!", 0, 1, mutates=True)
def transform_keys_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return replaced(writable(i, self), transform_keys(i, self, a, block))


def transformed(i: Interpreter, self: Table, block: Proc) -> Table:
    """`transform_values`"""
    return {key: block.one(value) for key, value in list(self.items())}


@method(HASH, "each_key", 0)
def each_key(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    for key in list(self):
        block.one(value_of(key))
    return self


@method(HASH, "each_value", 0)
def each_value(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    for value in list(self.values()):
        block.one(value)
    return self


@method(HASH, "sum", 0, 1)
def sum_(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    pairs = [[value_of(key), value] for key, value in self.items()]
    return total(i, pairs, a[0] if a else 0, block)


@method(HASH, "sort", 0)
def sort(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    return sort_values(i, [[value_of(key), value] for key, value in self.items()], block)


def key_of_value(i: Interpreter, table: Table, wanted: Value) -> Value:
    """`table.key(value)`"""
    return next((value_of(key) for key, value in table.items() if equal(i, value, wanted)), None)


def inverted(i: Interpreter, table: Table) -> Table:
    """`table.invert`"""
    return {key_of(i, value): value_of(key) for key, value in table.items()}


def sliced(i: Interpreter, table: Table, keys: Args) -> Table:
    """`table.slice(...)`"""
    return {key_of(i, key): table[key_of(i, key)] for key in keys if key_of(i, key) in table}


def excepted(i: Interpreter, table: Table, keys: Args) -> Table:
    """`table.except(...)`"""
    out = {key_of(i, key) for key in keys}
    return {key: value for key, value in table.items() if key not in out}


def first(table: Table, a: Args) -> Value:
    """`table.first`"""
    pairs = [[value_of(key), value] for key, value in table.items()]
    if not a:
        return pairs[0] if pairs else None
    return pairs[: long_of(a[0])]


def compare_tables(i: Interpreter, small: Value, large: Value) -> bool:
    """`small <= large`"""
    return all(key in large and equal(i, value, large[key]) for key, value in small.items())


def filtered_pairs(i: Interpreter, table: Table, block: Proc) -> list[Value]:
    """`filter_map`, `find_all` and others give the pair to a block."""
    return [[value_of(key), value] for key, value in list(table.items()) if truth(block.one([value_of(key), value]))]


def partition(i: Interpreter, table: Table, block: Proc) -> list[Value]:
    """`partition`"""
    yes: list[Value] = []
    no: list[Value] = []
    for key, value in list(table.items()):
        (yes if truth(block.one([value_of(key), value])) else no).append([value_of(key), value])
    return [yes, no]


def set_default(i: Interpreter, table: Table, value: Value) -> Value:
    """`table.default = value`"""
    if type(table) is not Hash:
        from ..errors import NotSupported

        raise NotSupported("adding a default to an existing hash", i.at)
    table.default = value
    return value


methods(
    HASH,
    0,
    0,
    {
        "keys": lambda i, s, a, b: [value_of(key) for key in s],
        "values": lambda i, s, a, b: list(s.values()),
        "to_a": lambda i, s, a, b: [[value_of(key), value] for key, value in s.items()],
        "to_hash": lambda i, s, a, b: s,
        "to_s inspect": lambda i, s, a, b: inspect(i, s),
        "length size": lambda i, s, a, b: len(s),
        "empty?": lambda i, s, a, b: not s,
        "invert": lambda i, s, a, b: inverted(i, s),
        "select filter": lambda i, s, a, b: selected(i, s, b, True),
        "reject": lambda i, s, a, b: selected(i, s, b, False),
        "find_all": lambda i, s, a, b: filtered_pairs(i, s, b),
        "partition": lambda i, s, a, b: partition(i, s, b),
        "min_by": lambda i, s, a, b: extreme_by(i, first(s, [len(s)]), [], b, -1),
        "max_by": lambda i, s, a, b: extreme_by(i, first(s, [len(s)]), [], b, 1),
        "compact": lambda i, s, a, b: {key: value for key, value in s.items() if value is not None},
        "transform_values": lambda i, s, a, b: transformed(i, s, b),
        "default_proc": lambda i, s, a, b: getattr(s, "default_proc", None),
        "to_proc": lambda i, s, a, b: NativeProc(lambda given: look_up(i, s, key_of(i, given[0]), given[0]), 1),
        "rehash": lambda i, s, a, b: replaced(s, {key_of(i, value_of(key)): item for key, item in s.items()}),
    },
)
methods(
    HASH,
    1,
    1,
    {
        "[]": lambda i, s, a, b: look_up(i, s, key_of(i, a[0]), a[0]),
        "key? has_key? include? member?": lambda i, s, a, b: key_of(i, a[0]) in s,
        "value? has_value?": lambda i, s, a, b: any(equal(i, value, a[0]) for value in s.values()),
        "key": lambda i, s, a, b: key_of_value(i, s, a[0]),
        "==": lambda i, s, a, b: equal(i, s, a[0]),
        "<=": lambda i, s, a, b: compare_tables(i, s, a[0]),
        ">=": lambda i, s, a, b: compare_tables(i, a[0], s),
        "<": lambda i, s, a, b: len(s) < len(a[0]) and compare_tables(i, s, a[0]),
        ">": lambda i, s, a, b: len(s) > len(a[0]) and compare_tables(i, a[0], s),
        "rassoc": lambda i, s, a, b: next(
            ([value_of(key), item] for key, item in s.items() if equal(i, item, a[0])), None
        ),
        "assoc": lambda i, s, a, b: [a[0], s[key_of(i, a[0])]] if key_of(i, a[0]) in s else None,
        "default=": lambda i, s, a, b: set_default(i, s, a[0]),
    },
)
methods(
    HASH,
    0,
    1,
    {
        "first": lambda i, s, a, b: first(s, a),
        "default": lambda i, s, a, b: getattr(s, "default", None),
        "flatten": lambda i, s, a, b: flatten(i, first(s, [len(s)]), long_of(a[0]) if a else 1),
    },
)
methods(
    HASH,
    0,
    -1,
    {
        "merge": merge,
        "dig": lambda i, s, a, b: dig(i, s, a),
        "values_at": lambda i, s, a, b: [look_up(i, s, key_of(i, key), key) for key in a],
        "fetch_values": lambda i, s, a, b: [fetch(i, s, [key], b) for key in a],
        "slice": lambda i, s, a, b: sliced(i, s, a),
        "except": lambda i, s, a, b: excepted(i, s, a),
    },
)
methods(
    HASH,
    0,
    1,
    {
        "select! filter!": lambda i, s, a, b: replaced(writable(i, s), selected(i, s, b, True), True),
        "keep_if": lambda i, s, a, b: replaced(writable(i, s), selected(i, s, b, True)),
        "reject!": lambda i, s, a, b: replaced(writable(i, s), selected(i, s, b, False), True),
        "delete_if": lambda i, s, a, b: replaced(writable(i, s), selected(i, s, b, False)),
        "compact!": lambda i, s, a, b: replaced(
            writable(i, s), {key: value for key, value in s.items() if value is not None}, True
        ),
        "transform_values!": lambda i, s, a, b: replaced(writable(i, s), transformed(i, s, b)),
        "clear": lambda i, s, a, b: replaced(writable(i, s), {}),
        "replace initialize_copy": lambda i, s, a, b: replaced(writable(i, s), dict(hash_of(i, a[0]))),
    },
    mutates=True,
)

__all__ = ["Range", "Symbol"]
