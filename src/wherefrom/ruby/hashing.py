"""Keys of hashes, members of sets, `uniq`: when two values are the same, which their classes may say themselves.

A key is the `dict` key of `wherefrom.base.keys`. An object whose class has a `hash` of its own, written in Ruby or one
of Ruby's (`Struct`, `Gem::Version`), is known in there by a `Stand`: the number that `hash` gave when the key was made,
and the question `eql?` where another has the same number. Every other object is only the same as itself.
"""

from __future__ import annotations

import zlib
from typing import Any

from ..base.keys import HashKey, Key, Symbol
from .classes import KERNEL, error, kind_word
from .errors import RubyRefused
from .showing import inspect, weigh_acyclic
from .values import HostObject, Module, Object, Range, Regexp, Set, Text, Value, truth, unboxed, value_of

_KNOWN = (Range, Regexp, Symbol, Set, Text, Module)
"""Kinds of Ruby's own that are compared as they are."""


class Stand:
    """The `dict` key of an object whose class defines `eql?` and `hash`."""

    __slots__ = ("interpreter", "number", "value")

    def __init__(self, interpreter: Any, value: Value, number: int) -> None:
        self.interpreter = interpreter
        self.value = value
        self.number = number

    def __hash__(self) -> int:
        return hash(self.number)

    def __eq__(self, other: object) -> bool:
        """Asked by the stored key about the one that is looked for; Ruby asks the latter."""
        if not isinstance(other, Stand) or self.number != other.number:
            return False
        return self.value is other.value or truth(self.interpreter.send(other.value, "eql?", [self.value]))


class Itself:
    """The `dict` key of an object that is compared by identity, whatever `__eq__` it has in Python."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and self.value is other.value


def key_of(interpreter: object, value: Value) -> HashKey:
    """The `dict` key for a value; a string that can change is copied, as Ruby does."""
    kind = type(value)
    if kind is str or kind is int or kind is Symbol:
        plain: HashKey = value
        return plain
    if type(value) is Text:
        return value.value
    if kind is list or isinstance(value, dict):
        value = unboxed(value)
    return Key(value, lambda part: _stand_in(interpreter, part))


def _stand_in(interpreter: Any, value: Value) -> object:
    """What is hashed for a value that is none of Ruby's plain ones."""
    if isinstance(value, _KNOWN):
        return value
    method = interpreter.find(value, "hash")
    if method is None or method is KERNEL.methods["hash"]:
        same = interpreter.find(value, "eql?")
        return Itself(value) if same is None or same is KERNEL.methods["eql?"] else value
    return Stand(interpreter, value, _number(interpreter, method.run(interpreter, value, [], None)))


def _number(interpreter: Any, given: Value) -> int:
    """The number that an object's own `hash` gave."""
    if type(given) is not int:
        conversion = interpreter.find(given, "to_int")
        if conversion is None:
            raise error("TypeError", f"can't convert {kind_word(given)} to Integer")
        given = conversion.run(interpreter, given, [], None)
    return int(given)


def number_of(interpreter: Any, value: Value) -> int:
    """`value.hash`: not Ruby's number, which is another in every process; the same for equal values."""
    if isinstance(value, Object | HostObject):
        method = interpreter.find(value, "hash")
        if method is None or method is KERNEL.methods["hash"]:
            words = "`hash` of an object depends on memory addresses, which is not allowed"
            raise RubyRefused(words, interpreter.at)
        return _number(interpreter, method.run(interpreter, value, [], None))
    if (type(value) is list or isinstance(value, dict)) and _has_objects(value, set()):
        weigh_acyclic(value)
        return _numbers(interpreter, value, set())
    return zlib.crc32(inspect(interpreter, value).encode("utf-8", "surrogateescape"))


def _numbers(interpreter: object, container: Value, around: set[int]) -> int:
    """Of a container with objects in it: made of its parts' numbers; the order of a hash does not count."""
    if id(container) in around:
        return 0
    around = around | {id(container)}
    if type(container) is list:
        return zlib.crc32(repr([_numbers(interpreter, part, around) for part in container]).encode())
    if not isinstance(container, dict):
        return number_of(interpreter, container)
    return sum(
        zlib.crc32(f"{number_of(interpreter, value_of(key))} {_numbers(interpreter, part, around)}".encode())
        for key, part in container.items()
    )


def _has_objects(container: Value, seen: set[int]) -> bool:
    """Whether a container holds, however deep, what has a `hash` of its own class."""
    if id(container) in seen:
        return False
    seen.add(id(container))
    parts: list[Value] = container
    if isinstance(container, dict):
        parts = [*(value_of(key) for key in container), *container.values()]
    return any(
        _has_objects(part, seen)
        if type(part) is list or isinstance(part, dict)
        else isinstance(part, Object | HostObject)
        for part in parts
    )
