"""Comparing values: `==`, `<`, `in` and matching, as Puppet's operators do it.

Strings are compared regardless of letter case (the letters A to Z only), numbers by value whatever their kind. Nothing
else is converted. Matching is what `case`, selectors and `in` use: a regular expression searches, a type asks for an
instance, an array or hash matches element by element.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..kernel.type_failures import RubyFailure, TypeProblem
from ..kernel.values import (
    NANOSECONDS,
    Binary,
    Default,
    Reference,
    Regexp,
    SemVer,
    SemVerRange,
    Timespan,
    Timestamp,
    Value,
    key_value,
    weigh,
)
from .model import PuppetType
from .scalars import fold

OnMatch = Callable[[Any], None]
COMPARISON = "COMPARISON_NOT_POSSIBLE"


def equals(a: Value, b: Value) -> bool:
    """`a == b`"""
    if type(a) is list or type(a) is dict:
        if a is b:
            return True
        if type(a) is not type(b) or len(a) != len(b):
            return False
        weigh(a)
    return _equals(a, b)


def _equals(a: Value, b: Value) -> bool:
    kind = type(a)
    if kind is str:
        return type(b) is str and (a == b or fold(a) == fold(b))
    if kind is int or kind is float:
        if isinstance(b, Timespan | Timestamp):
            return _compare_time(b, a) == 0
        return (type(b) is int or type(b) is float) and a == b
    if kind is bool or a is None:
        return a is b
    if kind is list:
        return type(b) is list and len(a) == len(b) and all(map(_equals, a, b))
    if kind is dict:
        # A key that `b` lacks reads as undef there.
        return type(b) is dict and len(a) == len(b) and all(_equals(b.get(key), value) for key, value in a.items())
    if (kind is Timespan or kind is Timestamp) and (type(b) is int or type(b) is float):
        return _compare_time(a, b) == 0
    if kind is Reference and _is_titled(b):
        raise TypeProblem(f"undefined method `type' for {b}")
    return bool(type(a) is type(b) and a == b)


def _is_titled(value: Value) -> bool:
    """Whether Puppet takes a type for a resource when it compares it with a reference, and fails."""
    from .callables import ResourceType

    return isinstance(value, ResourceType)


def compare(a: Value, b: Value) -> int:
    """Below, equal to or above zero.  Raises `TypeProblem` with Puppet's reason for what has no order."""
    if isinstance(a, str):
        if not isinstance(b, str):
            raise TypeProblem("A String is not comparable to a non String", COMPARISON)
        return _order(fold(a).encode(), fold(b).encode())
    if _is_number(a):
        if _is_number(b):
            return _order(a, b)
        if isinstance(b, Timespan | Timestamp):
            return -_compare_time(b, a)
        if isinstance(b, SemVer):
            raise RubyFailure("can't convert SemanticPuppet::Version into Float")
        raise TypeProblem("A Numeric is not comparable to non Numeric", COMPARISON)
    if isinstance(a, Timespan):
        if isinstance(b, Timespan) or _is_number(b):
            return _compare_time(a, b)
        raise TypeProblem("Timespans are only comparable to Timespans, Integers, and Floats", COMPARISON)
    if isinstance(a, Timestamp):
        if isinstance(b, Timestamp) or _is_number(b):
            return _compare_time(a, b)
        raise TypeProblem("Timestamps are only comparable to Timestamps, Integers, and Floats", COMPARISON)
    if isinstance(a, SemVer):
        if isinstance(b, SemVer):
            return _order(a.order, b.order)
        raise TypeProblem("Versions not comparable to non Versions", COMPARISON)
    if isinstance(a, Default):
        if isinstance(b, Default):
            return 0
        raise TypeProblem("Symbol not comparable to non Symbol", COMPARISON)
    raise TypeProblem("Only Strings, Numbers, Timespans, Timestamps, and Versions are comparable", COMPARISON)


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _order(a: Any, b: Any) -> int:
    return int(a > b) - int(a < b)


def _compare_time(time: Timespan | Timestamp, other: Value) -> int:
    """Times are compared with integers by whole seconds, with floats by seconds."""
    if isinstance(other, Timespan | Timestamp):
        return _order(time.nanoseconds, other.nanoseconds)
    if isinstance(other, int):
        return _order(time.nanoseconds // NANOSECONDS, other)
    return _order(time.seconds, other)


def match(value: Value, pattern: Value, on_match: OnMatch | None = None) -> bool:
    """Does `value` match `pattern`?  `on_match` hears of every regular expression that was tried."""
    weigh(pattern)
    return _match(value, pattern, on_match)


def _match(value: Value, pattern: Value, on_match: OnMatch | None) -> bool:
    kind = type(pattern)
    if kind is str or kind is int or pattern is None or kind is bool or kind is float:
        return equals(value, pattern)
    if kind is Regexp:
        if type(value) is not str:
            return False
        hit = pattern.search(value)
        if on_match is not None:
            on_match(hit)
        return hit is not None
    if isinstance(pattern, PuppetType):
        return pattern.accepts(value)
    if isinstance(pattern, Default):
        return True
    if kind is list:
        return (
            type(value) is list
            and len(value) == len(pattern)
            and all(_match(element, wanted, on_match) for element, wanted in zip(value, pattern))
        )
    if kind is dict:
        return type(value) is dict and all(_match(value.get(key), wanted, on_match) for key, wanted in pattern.items())
    if isinstance(pattern, SemVer):
        version = _as_version(value)
        return version is not None and version == pattern
    if isinstance(pattern, SemVerRange):
        return in_range(value, pattern)
    return equals(value, pattern)


def _as_version(value: Value) -> SemVer | None:
    if isinstance(value, SemVer):
        return value
    if isinstance(value, str):
        from .versions import parse_version

        try:
            return parse_version(value)
        except TypeProblem:
            return None
    return None


def in_range(value: Value, range: SemVerRange) -> bool:
    """Is a version, or text that says one, in the range?"""
    from .versions import includes as range_includes

    version = _as_version(value)
    return version is not None and range_includes(range, version)


def includes(container: Value, wanted: Value, on_match: OnMatch | None = None) -> bool:
    """`wanted in container`"""
    kind = type(container)
    if kind is str:
        if type(wanted) is str:
            return wanted.lower() in container.lower()
        return isinstance(wanted, Regexp) and match(container, wanted, on_match)
    if kind is list:
        return _array_includes(container, wanted, on_match)
    if kind is dict:
        return _array_includes([key_value(key) for key in container], wanted, on_match)
    if isinstance(container, SemVerRange):
        return in_range(wanted, container)
    if isinstance(container, Binary):
        if isinstance(wanted, Binary):
            return wanted.data in container.data
        if isinstance(wanted, str):
            return wanted.encode() in container.data
        return _is_number(wanted) and any(byte == wanted for byte in container.data)
    return False


def _array_includes(elements: list[Value], wanted: Value, on_match: OnMatch | None) -> bool:
    if isinstance(wanted, Regexp):
        first_hit = next(
            (hit for element in elements if type(element) is str and (hit := wanted.search(element))), None
        )
        if on_match is not None:
            on_match(first_hit)
        return first_hit is not None
    if isinstance(wanted, str | SemVer):
        # Here the elements are the patterns: an array may hold regular expressions and types.
        return any(match(wanted, element, on_match) for element in elements)
    if isinstance(wanted, PuppetType):
        return any(map(wanted.accepts, elements))
    return any(equals(element, wanted) for element in elements)
