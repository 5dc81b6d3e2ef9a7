"""Builtins on attribute sets.  Those that move attributes move their slots, so each keeps its laziness and history."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING

from ..kernel.errors import CannotCompare
from ..kernel.operators import check_list_size, less_than
from ..kernel.paths import position_set
from ..kernel.values import (
    Attrs,
    NixPath,
    Positions,
    Slot,
    Value,
    apply,
    delay,
    describe_type,
    force,
    is_ready,
    position_of,
)
from .errors import ArgumentAttributeMissing, KeyRequired
from .registry import builtin
from .support import CALL, need_attrs, need_function, need_list, need_plain_string, walk_list

if TYPE_CHECKING:
    from ...base.source import Span
    from ..kernel.world import Machine


@builtin("attrNames", forces=(0,))
def attr_names(machine: Machine, attrs: Slot) -> Slot:
    """The names of the attributes of a set, sorted.

    nix> builtins.attrNames { y = 1; x = "foo"; }
    [ "x" "y" ]
    """
    names = need_attrs(attrs).sorted_names()
    check_list_size(len(names), "'attrNames'")
    return list(names)


@builtin("attrValues", forces=(0,))
def attr_values(machine: Machine, attrs: Slot) -> Slot:
    """The values of the attributes of a set, in the order of their names.

    nix> builtins.attrValues { y = 1; x = "foo"; }
    [ "foo" 1 ]
    """
    forced = need_attrs(attrs)
    check_list_size(len(forced.table), "'attrValues'")
    return [forced.table[name] for name in forced.sorted_names()]


@builtin("getAttr", forces=(0, 1), checks=((0, "str"), (1, "attrs")))
def get_attr(machine: Machine, name: Slot, attrs: Slot) -> Slot:
    """The attribute called `name`: `attrs.${name}`.

    nix> builtins.getAttr "x" { x = 1; }
    1
    """
    wanted = need_plain_string(name)
    table = need_attrs(attrs).table
    if wanted not in table:
        raise ArgumentAttributeMissing(wanted, "getAttr")
    return table[wanted]


@builtin("hasAttr", forces=(0, 1), checks=((0, "str"), (1, "attrs")))
def has_attr(machine: Machine, name: Slot, attrs: Slot) -> Slot:
    """Whether the set has an attribute called `name`: `attrs ? ${name}`.

    nix> builtins.hasAttr "x" { y = 1; }
    false
    """
    wanted = need_plain_string(name)
    return wanted in need_attrs(attrs).table


@builtin("unsafeGetAttrPos")
def unsafe_get_attr_pos(machine: Machine, name: Slot, attrs: Slot) -> Slot:
    """Where an attribute was defined: `{ file, line, column }`, or null if that is not known.

    nix> (builtins.unsafeGetAttrPos "b" { a = 1; b = 2; }).column
    41
    """
    wanted = need_plain_string(name)
    forced = need_attrs(attrs)
    if wanted not in forced.table:
        return None
    span = position_of(forced, wanted)
    return None if span is None else position_set(span)


@builtin("removeAttrs", forces=(0, 1), checks=((0, "attrs"), (1, "list")))
def remove_attrs(machine: Machine, attrs: Slot, names: Slot) -> Slot:
    """The set without the attributes named in the list; names it does not have are ignored.

    nix> removeAttrs { x = 1; y = 2; } [ "x" "z" ]
    { y = 2; }
    """
    forced = need_attrs(attrs)
    unwanted = {need_plain_string(name) for name in walk_list(names, "removing attributes")}
    check_list_size(len(forced.table), "'removeAttrs'")
    return Attrs({name: slot for name, slot in forced.table.items() if name not in unwanted}, forced.positions)


@builtin("intersectAttrs", forces=(0, 1), checks=((0, "attrs"), (1, "attrs")))
def intersect_attrs(machine: Machine, left: Slot, right: Slot) -> Slot:
    """The attributes of `right` whose names are also in `left`.

    nix> builtins.intersectAttrs { a = 1; b = 2; } { b = 3; c = 4; }
    { b = 3; }
    """
    wanted = need_attrs(left).table
    forced = need_attrs(right)
    table = forced.table
    # Walk through the smaller of the two.
    check_list_size(min(len(wanted), len(table)), "'intersectAttrs'")
    if len(wanted) < len(table):
        return Attrs({name: table[name] for name in wanted if name in table}, forced.positions)
    return Attrs({name: slot for name, slot in table.items() if name in wanted}, forced.positions)


@builtin("catAttrs")
def cat_attrs(machine: Machine, name: Slot, sets: Slot) -> Slot:
    """The attribute called `name` of every set in a list that has one.

    nix> builtins.catAttrs "a" [ { a = 1; } { b = 0; } { a = 2; } ]
    [ 1 2 ]
    """
    wanted = need_plain_string(name)
    tables = [need_attrs(element).table for element in walk_list(sets, "picking attributes")]
    return [table[wanted] for table in tables if wanted in table]


@builtin("listToAttrs", forces=(0,))
def list_to_attrs(machine: Machine, pairs: Slot) -> Slot:
    """A set made of a list of `{ name, value }`.  If a name comes twice the first one counts.

    nix> builtins.listToAttrs [ { name = "a"; value = 1; } { name = "a"; value = 2; } ]
    { a = 1; }
    """
    table: dict[str, Slot] = {}
    positions: dict[str, Span] = {}
    items = walk_list(pairs, "making a set of a list")
    check_list_size(len(items), "'listToAttrs'")
    for element in items:
        pair = need_attrs(element)
        if "name" not in pair.table:
            raise ArgumentAttributeMissing("name", "listToAttrs")
        name = need_plain_string(pair.table["name"])
        if name in table:
            continue
        if "value" not in pair.table:
            raise ArgumentAttributeMissing("value", "listToAttrs")
        table[name] = pair.table["value"]
        place = position_of(pair, "value")
        if place is not None:
            positions[name] = place
    known: Positions = positions
    return Attrs(table, known)


@builtin("mapAttrs", forces=(1,), repeats=(0,))
def map_attrs(machine: Machine, function: Slot, attrs: Slot) -> Slot:
    """The set with each value replaced by `function name value`, computed when it is looked at.

    nix> builtins.mapAttrs (name: value: name + value) { a = "1"; b = "2"; }
    { a = "a1"; b = "b2"; }
    """
    table = need_attrs(attrs).table
    check_list_size(len(table) * CALL, "'mapAttrs'")
    call = _named_caller(function)
    return Attrs({name: delay(_called, (call, name, slot)) for name, slot in table.items()})


def _named_caller(function: Slot) -> Callable[[str, Slot], Slot]:
    """A Python function that calls `function` with a name and a slot.  As in Nix, it is not looked at before."""
    ready = function.value if is_ready(function) else function
    if type(ready) is tuple:  # a cell, with tracing on
        ready = ready[0]
    if type(ready) is FunctionType and ready.__code__.co_argcount == 2:
        return ready  # the quick way: nothing between the thunk and the function
    return partial(_call_named, function)


def _called(held: tuple[Callable[[str, Slot], Slot], str, Slot]) -> Slot:
    """The code of a thunk for a call with a name and a slot: it holds all three."""
    function, name, slot = held
    return function(name, slot)


def _call_named(function: Slot, name: str, slot: Slot) -> Slot:
    return apply(force(apply(force(function), name)), slot)


@builtin("zipAttrsWith", repeats=(0,))
def zip_attrs_with(machine: Machine, function: Slot, sets: Slot) -> Slot:
    """One set out of many: each name with `function name values`, where `values` are those the sets have for it.

    nix> builtins.zipAttrsWith (name: values: values) [ { a = 1; } { a = 2; b = 3; } ]
    { a = [ 1 2 ]; b = [ 3 ]; }
    """
    need_function(function)
    gathered: dict[str, list[Slot]] = {}
    for element in walk_list(sets, "zipping sets"):
        check_list_size(len(need_attrs(element).table) * CALL, "'zipAttrsWith'")
        for name, slot in need_attrs(element).table.items():
            gathered.setdefault(name, []).append(slot)
    call = _named_caller(function)
    return Attrs({name: delay(_called, (call, name, slots)) for name, slots in gathered.items()})


# --- genericClosure -------------------------------------------------------------------------------------------------


@builtin("genericClosure")
def generic_closure(machine: Machine, request: Slot) -> Slot:
    """Everything reachable: the sets in `startSet`, what `operator` gives for each, and so on, each `key` once.

    nix> map (x: x.key) (__genericClosure { startSet = [ { key = 9; } ]; operator = x: [ { key = x.key / 2; } ]; })
    [ 9 4 2 1 0 ]
    """
    table = need_attrs(request).table
    if "startSet" not in table:
        raise ArgumentAttributeMissing("startSet", "genericClosure")
    waiting = deque(need_list(table["startSet"]))
    if "operator" not in table:
        raise ArgumentAttributeMissing("operator", "genericClosure")
    operator = force(table["operator"])
    keys = _Keys()
    reached: list[Slot] = []
    while waiting:
        item = waiting.popleft()
        attrs = need_attrs(item)
        if "key" not in attrs.table:
            raise KeyRequired()
        if not keys.add(force(attrs.table["key"])):
            continue
        reached.append(item)
        check_list_size(CALL, "'genericClosure'")
        for following in walk_list(apply(operator, item), "making a closure"):
            force(following)
            waiting.append(following)
    return reached


class _Keys:
    """The keys met so far, which must be comparable; numbers, strings and paths are looked up by hash."""

    def __init__(self) -> None:
        self.first: Value = None
        self.empty = True
        self.hashed: set[Value] = set()
        self.ordered: list[Value] = []

    def add(self, key: Value) -> bool:
        """Whether `key` is new."""
        group = _comparable_group(key)
        if self.empty:
            self.empty = False
            self.first = key
        elif group is None or group != _comparable_group(self.first):
            raise CannotCompare(describe_type(key), describe_type(self.first))
        if group is not None and group != "list":
            if key in self.hashed:
                return False
            self.hashed.add(key)
            return True
        return self._add_ordered(key)

    def _add_ordered(self, key: Value) -> bool:
        low, high = 0, len(self.ordered)
        while low < high:
            middle = (low + high) // 2
            if less_than(self.ordered[middle], key):
                low = middle + 1
            else:
                high = middle
        if low < len(self.ordered) and not less_than(key, self.ordered[low]):
            return False
        self.ordered.insert(low, key)
        return True


def _comparable_group(key: Value) -> str | None:
    kind = type(key)
    if kind is int or kind is float:
        return "number"
    if isinstance(key, str):
        return "string"
    if kind is NixPath:
        return "path"
    return "list" if kind is list else None
