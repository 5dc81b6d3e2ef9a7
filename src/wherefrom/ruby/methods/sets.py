"""Set: ordered, as Ruby's is."""

from __future__ import annotations

from typing import Any

from ..classes import SET, error, method, methods, singleton
from ..hashing import key_of
from ..interpreter import Interpreter
from ..iteration import iterate
from ..showing import default_inspect
from ..values import Set, Value, truth, value_of
from .enumerables import elements
from .objects import Args


@singleton(SET, "new", 0, 1)
def new(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    values = [] if not a or a[0] is None else elements(i, a[0])
    return Set({key_of(i, value if block is None else block.one(value)): True for value in list(values)})


@singleton(SET, "[]", 0, -1)
def literal(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return Set({key_of(i, value): True for value in a})


def members(i: Interpreter, value: Value) -> dict[Any, bool]:
    """The keys of a set or of anything that can be iterated over."""
    if isinstance(value, Set):
        return value.members
    if type(value) is not list and i.find(value, "each") is None:
        raise error("ArgumentError", "value must be enumerable")
    return {key_of(i, item): True for item in iterate(i, value)}


def require_set(value: Value) -> Set:
    """A set, where nothing else will do."""
    if not isinstance(value, Set):
        raise error("ArgumentError", "value must be a set")
    return value


@method(SET, "each", 0)
def each(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    for key in list(self.members):
        block.one(value_of(key))
    return self


@method(SET, "add <<", 1, mutates=True)
def add(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    i.check_frozen(self)
    i.make_items(17 if len(self.members) > 1_000_000 else 0)
    self.members[key_of(i, a[0])] = True
    return self


@method(SET, "add?", 1, mutates=True)
def add_new(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if key_of(i, a[0]) in self.members:
        return None
    return add(i, self, a, block)


@method(SET, "delete", 1, mutates=True)
def delete(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    i.check_frozen(self)
    self.members.pop(key_of(i, a[0]), None)
    return self


@method(SET, "merge", 0, -1, mutates=True)
def merge(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    i.check_frozen(self)
    for other in a:
        self.members.update(members(i, other))
    return self


@method(SET, "subtract", 1, mutates=True)
def subtract(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    i.check_frozen(self)
    for key in members(i, a[0]):
        self.members.pop(key, None)
    return self


@method(SET, "clear", 0, mutates=True)
def clear(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    i.check_frozen(self)
    self.members.clear()
    return self


def kept(i: Interpreter, value: Set, block: Any, wanted: bool) -> Set:
    """`select` and `reject`"""
    return Set({key: True for key in list(value.members) if truth(block.one(value_of(key))) is wanted})


def change(i: Interpreter, self: Set, keys: dict[Any, bool]) -> bool:
    """Give a set other members; whether there were others before."""
    i.check_frozen(self)
    before = list(self.members)
    self.members.clear()
    self.members.update(keys)
    return before != list(keys)


@method(SET, "delete?", 1, mutates=True)
def delete_old(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return delete(i, self, a, block) if key_of(i, a[0]) in self.members else None


def _changing(wanted: bool, or_nothing: bool) -> Any:
    def run(i: Interpreter, self: Set, a: Args, block: object) -> Value:
        changed = change(i, self, dict(kept(i, self, block, wanted).members))
        return self if changed or not or_nothing else None

    return run


methods(SET, 0, 0, {"delete_if": _changing(False, False), "reject!": _changing(False, True)}, mutates=True)
methods(SET, 0, 0, {"keep_if": _changing(True, False), "select! filter!": _changing(True, True)}, mutates=True)


@method(SET, "map! collect!", 0, mutates=True)
def map_members(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    change(i, self, {key_of(i, block.one(value_of(key))): True for key in list(self.members)})
    return self


@method(SET, "replace", 1, mutates=True)
def replace(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    change(i, self, dict(members(i, a[0])))
    return self


def classified(i: Interpreter, value: Set, block: Any) -> dict[Any, Value]:
    """`set.classify`: sets of members, by what the block says of them."""
    classes: dict[Any, Value] = {}
    for key in list(value.members):
        classes.setdefault(key_of(i, block.one(value_of(key))), Set()).members[key] = True
    return classes


def flat(i: Interpreter, value: Set) -> Set:
    """`set.flatten`"""
    keys: dict[Any, bool] = {}
    for key in value.members:
        member = value_of(key)
        keys.update(flat(i, member).members if isinstance(member, Set) else {key: True})
    return Set(keys)


def _is_subset(small: Set, large: Set) -> bool:
    return all(key in large.members for key in small.members)


methods(
    SET,
    0,
    0,
    {
        "size length": lambda i, s, a, b: len(s.members),
        "empty?": lambda i, s, a, b: not s.members,
        "to_a": lambda i, s, a, b: [value_of(key) for key in s.members],
        "to_set": lambda i, s, a, b: s if b is None else new(i, None, [s], b),
        "inspect to_s": lambda i, s, a, b: default_inspect(i, s),
        "classify": lambda i, s, a, b: classified(i, s, b),
        "flatten": lambda i, s, a, b: flat(i, s),
        "reset": lambda i, s, a, b: s,
    },
)
methods(SET, 0, 1, {"join": lambda i, s, a, b: i.send([value_of(key) for key in s.members], "join", a)})
methods(
    SET,
    1,
    1,
    {
        "include? member? === contain?": lambda i, s, a, b: key_of(i, a[0]) in s.members,
        "| + union": lambda i, s, a, b: Set({**s.members, **members(i, a[0])}),
        "& intersection": lambda i, s, a, b: Set({key: True for key in members(i, a[0]) if key in s.members}),
        "- difference": lambda i, s, a, b: Set({k: True for k in s.members if k not in members(i, a[0])}),
        "^": lambda i, s, a, b: Set(
            {
                **{k: True for k in members(i, [] if a[0] is None else a[0]) if k not in s.members},
                **{k: True for k in s.members if k not in members(i, [] if a[0] is None else a[0])},
            }
        ),
        "==": lambda i, s, a, b: isinstance(a[0], Set) and set(s.members) == set(a[0].members),
        "subset? <=": lambda i, s, a, b: _is_subset(s, require_set(a[0])),
        "superset? >=": lambda i, s, a, b: _is_subset(require_set(a[0]), s),
        "proper_subset? <": lambda i, s, a, b: len(s.members) < len(a[0].members) and _is_subset(s, a[0]),
        "proper_superset? >": lambda i, s, a, b: len(s.members) > len(a[0].members) and _is_subset(a[0], s),
        "disjoint?": lambda i, s, a, b: not any(key in s.members for key in members(i, a[0])),
        "intersect?": lambda i, s, a, b: any(key in s.members for key in members(i, a[0])),
    },
)
