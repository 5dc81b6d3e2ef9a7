"""What iterating methods give without a block: an Enumerator of the very call, by one table for all classes.

A method of the table that is called without a block does nothing: the enumerator repeats the call, with its name and
its arguments, when somebody brings a block. What stands behind a method (`each_slice/1`, `find/0-1`) is with how many
arguments it does so; with others it has an answer at once (`index(3)`).
"""

from __future__ import annotations

import re
from typing import Any

from ..classes import (
    ARRAY,
    ENUMERABLE,
    ENUMERATOR,
    HASH,
    INTEGER,
    KERNEL,
    NUMERIC,
    RANGE,
    SET,
    STRING,
    STRUCT,
)
from ..interpreter import Interpreter
from ..values import Enumerator, Method, Module, Native, Value
from .objects import Args

_COLLECTIONS = """
    each each_pair each_key each_value each_index each_entry reverse_each each_with_index with_index/0-1
    each_with_object/1 with_object/1 cycle/0-1 chunk classify
    map collect flat_map collect_concat filter_map map! collect! transform_values transform_values! transform_keys
    transform_keys! select filter find_all select! filter! keep_if reject reject! delete_if partition group_by
    sort_by sort_by! min_by/0-1 max_by/0-1 minmax_by take_while drop_while find/0-1 detect/0-1 find_index index rindex
    bsearch permutation/0-1 step/0-1 %/1
"""
_TABLE: dict[Module, str] = {
    **dict.fromkeys((ARRAY, HASH, SET, STRUCT, RANGE, ENUMERATOR, ENUMERABLE), _COLLECTIONS.replace(" index ", " ")),
    ARRAY: _COLLECTIONS,
    ENUMERATOR: _COLLECTIONS.replace(" each ", " "),
    STRING: "each_char each_byte each_line/0-2 upto/1-2 gsub/1",
    INTEGER: "times upto/1 downto/1",
    NUMERIC: "step/0-3",
    KERNEL: "loop then yield_self",
}
_RENAMED = {"filter!": "select!", "map!": "collect!"}
"""Methods of sets that call the other one by name."""
NO_SIZE = frozenset("find detect find_index index rindex take_while drop_while bsearch each_line gsub".split())
"""Methods whose enumerators do not know how many they will give."""


def _lazily(entry: Method, name: str, low: int, high: int) -> Native:
    run = entry.run

    def run_or_wait(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
        if block is None and low <= len(a) <= high:
            return Enumerator(self, name, a, name not in NO_SIZE)
        return run(i, self, a, block)

    return run_or_wait


for _owner, _names in _TABLE.items():
    for _name, _low, _high in re.findall(r"([^\s/]+)(?:/(\d)(?:-(\d))?)?(?!\S)", _names):
        _entry = _owner.methods.get(_name)
        if _entry is not None and _entry.owner is _owner:
            _bounds = int(_low or 0), int(_high or _low or 0)
            _entry.run = _lazily(_entry, _RENAMED.get(_name, _name) if _owner is SET else _name, *_bounds)
