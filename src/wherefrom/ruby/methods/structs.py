"""Struct and OpenStruct."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.keys import Symbol
from ..classes import OBJECT, STRUCT, checked, error, is_string, method, methods, singleton
from ..errors import RubyError
from ..hashing import number_of
from ..interpreter import Interpreter
from ..registry import LIBRARY_CONSTANTS
from ..showing import eql, equal, name_of
from ..values import Class, Keywords, Method, Object, StructValue, Value, truth
from .arrays import dig
from .enumerables import spread, to_hash
from .objects import Args


def _members(cls: Class) -> list[str]:
    for module in cls.line():
        if "*members" in module.constants:
            members: list[str] = module.constants["*members"]
            return members
    return []


@singleton(STRUCT, "new", 0, -1)
def new(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    if self is not STRUCT:
        return make(i, self, a, block)
    keyword_init = False
    if a and type(a[-1]) is Keywords:
        keyword_init = truth(a[-1].get(Symbol("keyword_init")))
        a = a[:-1]
    name = a.pop(0) if a and is_string(a[0]) else None
    cls = Class(None if name is None else f"Struct::{name}", STRUCT, make=StructValue)
    cls.constants["*members"] = [name_of(value) for value in a]
    cls.constants["*keywords"] = keyword_init
    for field in cls.constants["*members"]:
        cls.methods[field] = Method(field, checked(_reader(field), 0, 0), 0, 0, owner=cls)
        cls.methods[f"{field}="] = Method(f"{field}=", checked(_writer(field), 1, 1), 1, 1, owner=cls)
    if block is not None:
        i.call_with_self(block, cls, [cls], cls)
    return cls


def _reader(field: str) -> Any:
    return lambda i, self, a, b: self.fields.get(field)


def _writer(field: str) -> Any:
    def write(i: Interpreter, self: Value, a: Args, block: object) -> Value:
        i.check_frozen(self)
        self.fields[field] = a[0]
        return a[0]

    return write


def make(i: Interpreter, cls: Class, a: Args, block: object) -> StructValue:
    """An instance of a struct class."""
    struct = StructValue(cls)
    hook = cls.find("initialize")
    assert hook is not None
    hook.run(i, struct, a, block)
    return struct


@method(STRUCT, "initialize", 0, -1)
def initialize(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    members = _members(self.cls)
    keywords = any(module.constants.get("*keywords") for module in self.cls.line())
    if keywords:
        given = a[0] if a else {}
        unknown = [key.name for key in given if key.name not in members]
        if unknown:
            raise error("ArgumentError", f"unknown keywords: {', '.join(unknown)}")
        self.fields = {field: given.get(Symbol(field)) for field in members}
        return None
    a = [dict(value) if type(value) is Keywords else value for value in a]
    if len(a) > len(members):
        raise error("ArgumentError", "struct size differs")
    self.fields = {field: a[at] if at < len(a) else None for at, field in enumerate(members)}
    return None


def _field(self: StructValue, which: Value) -> str:
    if type(which) is int:
        names = list(self.fields)
        if not -len(names) <= which < len(names):
            size = len(names)
            side = "small" if which < 0 else "large"
            raise error("IndexError", f"offset {which} too {side} for struct(size:{size})")
        return names[which]
    name = name_of(which)
    if name not in self.fields:
        raise error("NameError", f"no member '{name}' in struct")
    return name


def _dug(self: StructValue, which: Value) -> Value:
    """The field that `dig` goes through; nothing if there is none."""
    try:
        return self.fields[_field(self, int(which) if type(which) is float else which)]
    except RubyError as problem:
        if problem.class_name in ("IndexError", "NameError"):
            return None
        raise


@method(STRUCT, "[]=", 2, mutates=True)
def store(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    i.check_frozen(self)
    self.fields[_field(self, a[0])] = a[1]
    return a[1]


@method(STRUCT, "each", 0)
def each(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    for value in list(self.fields.values()):
        block.one(value)
    return self


@method(STRUCT, "each_pair", 0)
def each_pair(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    for field, value in list(self.fields.items()):
        block.one([Symbol(field), value])
    return self


def _same(i: Interpreter, self: StructValue, other: Value, same: Callable[[Any, Value, Value], bool]) -> bool:
    """Whether another struct has the same fields."""
    return (
        isinstance(other, StructValue)
        and self.cls is other.cls
        and all(same(i, value, other.fields[field]) for field, value in self.fields.items())
    )


methods(STRUCT, 1, -1, {"dig": lambda i, s, a, b: dig(i, _dug(s, a[0]), a[1:])})
methods(STRUCT, 0, 0, {"members": lambda i, s, a, b: [Symbol(name) for name in _members(s)]}, own=True)
methods(
    STRUCT,
    0,
    0,
    {
        "to_a deconstruct values": lambda i, s, a, b: list(s.fields.values()),
        "to_h": lambda i, s, a, b: to_hash(
            i, [[Symbol(field), value] for field, value in s.fields.items()], b and spread(b), True
        ),
        "members": lambda i, s, a, b: [Symbol(field) for field in s.fields],
        "size length": lambda i, s, a, b: len(s.fields),
        "hash": lambda i, s, a, b: number_of(i, [s.cls.name, *s.fields.values()]),
    },
)
methods(
    STRUCT,
    1,
    1,
    {
        "[]": lambda i, s, a, b: s.fields[_field(s, a[0])],
        "==": lambda i, s, a, b: _same(i, s, a[0], equal),
        "eql?": lambda i, s, a, b: _same(i, s, a[0], eql),
    },
)

# --- OpenStruct ------------------------------------------------------------------------------------------------------

OPEN_STRUCT = Class("OpenStruct", OBJECT, make=Object)
LIBRARY_CONSTANTS["OpenStruct"] = OPEN_STRUCT


@method(OPEN_STRUCT, "initialize", 0, 1)
def open_initialize(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    self.host = {name_of(key): value for key, value in (a[0] if a else {}).items()}
    return None


@method(OPEN_STRUCT, "method_missing", 1, -1)
def open_missing(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    name = name_of(a[0])
    if name.endswith("="):
        self.host[name[:-1]] = a[1]
        return a[1]
    return self.host.get(name)


methods(
    OPEN_STRUCT,
    0,
    0,
    {
        "to_h": lambda i, s, a, b: {Symbol(field): value for field, value in s.host.items()},
        "hash": lambda i, s, a, b: number_of(i, s.host),
    },
)
methods(
    OPEN_STRUCT,
    1,
    2,
    {
        "[]": lambda i, s, a, b: s.host.get(name_of(a[0])),
        "respond_to?": lambda i, s, a, b: name_of(a[0]) in s.host,
        "==": lambda i, s, a, b: isinstance(a[0], Object) and s.cls is a[0].cls and equal(i, s.host, a[0].host),
        "eql?": lambda i, s, a, b: isinstance(a[0], Object) and s.cls is a[0].cls and eql(i, s.host, a[0].host),
    },
)
OPEN_STRUCT.frozen = True
