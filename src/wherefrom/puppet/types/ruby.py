"""What Ruby does to plain values, where Puppet's functions let it show through.

Several of Puppet's functions are thin covers over a method of Ruby's core classes: `join` is `Array#join`, `sort` is
`Array#sort`, `round`, `chomp`, `downcase` and so on. Their results, and the words of their errors, are Ruby's; this
module holds those rules in one place (Ruby 3.1, core reference: Array, Comparable, Float, Integer, Kernel, String).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...base.diagnostics import LimitReached
from ..kernel.failures import FunctionFailure
from ..kernel.values import DEFAULT, SemVer, Timespan, Timestamp, Value, freeze, weigh_text
from .access import ruby_class
from .sprintf import inspect, to_s

__all__ = ["inspect", "ruby_class", "to_s"]

MAXIMUM_DIGITS = 4_000
"""How many digits a text may have to be read as a number."""

WHITESPACE = "\t\n\v\f\r "


# --- text ------------------------------------------------------------------------------------------------------------


def legacy_text(value: Value) -> str:
    """`to_s` as functions of the old interface see it: references to resources are shown without quotes."""
    if isinstance(value, str):
        return value
    from .callables import ClassType, ResourceType

    if isinstance(value, ResourceType) and value.type_name and value.title is not None:
        return f"{str(value).partition('[')[0]}[{value.title}]"
    if isinstance(value, ClassType) and value.class_name is not None:
        return f"Class[{'::'.join(map(capitalize, value.class_name.split('::')))}]"
    return to_s(value)


def kind_name(value: Value) -> str:
    """What Ruby calls an argument (of the old interface) that can not be converted: `nil`, `true`, or its class."""
    if value is None or isinstance(value, bool):
        return inspect(value)
    from .callables import CatalogEntryType

    return "Puppet::Resource" if isinstance(value, CatalogEntryType) else ruby_class(value)


def join(values: Sequence[Value], separator: str) -> str:
    """`Array#join`: arrays inside are joined with the same separator."""
    weigh_text(list(values), separator=len(separator))
    return _join(values, separator)


def _join(values: Sequence[Value], separator: str) -> str:
    parts = []
    for element in values:
        if isinstance(element, list):
            parts.append(_join(element, separator))
        else:
            parts.append(to_s(element))
    return separator.join(parts)


# --- comparing -------------------------------------------------------------------------------------------------------


def is_number(value: Value) -> bool:
    """Whether a value is an Integer or a Float."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def equal(left: Value, right: Value) -> bool:
    """`==`: numbers by amount, the rest by content.  Unlike Puppet's `==`, strings keep their case."""
    if is_number(left) and is_number(right):
        return bool(left == right)
    if isinstance(left, list) and isinstance(right, list):
        return left is right or (len(left) == len(right) and all(map(equal, left, right)))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(element, right[key]) for key, element in left.items())
    return bool(freeze(left) == freeze(right))


def compare(left: Value, right: Value) -> int | None:
    """`<=>`: negative, zero or positive, or nothing where the two have no order."""
    if is_number(left) and is_number(right):
        if left != left or right != right:
            return None
        return int(left > right) - int(left < right)
    if isinstance(left, str) and isinstance(right, str):
        return int(left > right) - int(left < right)
    if isinstance(left, list) and isinstance(right, list):
        for one, other in zip(left, right, strict=False):
            order = compare(one, other)
            if order != 0:
                return order
        return compare(len(left), len(right))
    if isinstance(left, Timestamp | Timespan):
        if type(right) is type(left):
            return compare(left.nanoseconds, right.nanoseconds)
        return compare(left.nanoseconds, right * 1_000_000_000) if is_number(right) else None
    if isinstance(left, SemVer) and isinstance(right, SemVer):
        return int(right < left) - int(left < right)
    if type(left) is type(right) and freeze(left) == freeze(right):
        return 0
    return None


def incomparable(left: Value, right: Value) -> FunctionFailure:
    """The failure of comparing two values that have no order, in Ruby's words."""
    special = right is None or isinstance(right, bool | int | float) or right is DEFAULT
    shown = inspect(right) if special else ruby_class(right)
    return FunctionFailure(f"comparison of {ruby_class(left)} with {shown} failed")


def compare_or_fail(left: Value, right: Value) -> int:
    """`<=>` where an order is needed."""
    order = compare(left, right)
    if order is None:
        raise incomparable(left, right)
    return order


def order_of(result: Value, left: Value, right: Value) -> int:
    """What a comparing block's result means (`rb_cmpint`): a number's sign; nothing is a failure to compare."""
    if result is None:
        raise incomparable(left, right)
    if is_number(result):
        return int(result > 0) - int(result < 0)
    if isinstance(result, str | list):
        if isinstance(result, str):
            raise FunctionFailure("comparison of String with 0 failed")
        raise FunctionFailure(f"undefined method `>' for {inspect(result)}:Array")
    raise FunctionFailure(f"undefined method `>' for {inspect(result)}:{ruby_class(result)}")


# --- reading numbers -------------------------------------------------------------------------------------------------

_FLOAT_PREFIX = re.compile(r"\s*([-+]?\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?(?:[eE][-+]?\d+)?)")
_INTEGER_PREFIX = re.compile(r"\s*([-+]?\d+(?:_\d+)*)")


def leading_float(text: str) -> float:
    """`String#to_f`: the number a text begins with, or zero."""
    number = _FLOAT_PREFIX.match(text)
    return float(number[1].replace("_", "")) if number else 0.0


def leading_integer(text: str) -> int:
    """`String#to_i`: the whole number a text begins with, or zero."""
    number = _INTEGER_PREFIX.match(text)
    return whole_number(number[1].replace("_", "")) if number else 0


def whole_number(digits: str, base: int = 10) -> int:
    """`digits` as a number, if there are not more of them than anybody would want to reckon with."""
    if len(digits) > MAXIMUM_DIGITS:
        raise LimitReached(f"a number of {len(digits):,} digits", MAXIMUM_DIGITS)
    return int(digits, base)


# --- strings ---------------------------------------------------------------------------------------------------------


def downcase(text: str) -> str:
    """`String#downcase`: full Unicode mapping, but a sigma never becomes a final one."""
    if "\u03a3" in text:
        return "".join(map(str.lower, text))
    return text.lower()


def capitalize(text: str) -> str:
    """`String#capitalize`."""
    return text[:1].title() + downcase(text[1:])


def chomp(text: str) -> str:
    """`String#chomp`: without one line end."""
    if text.endswith("\r\n"):
        return text[:-2]
    return text[:-1] if text.endswith(("\n", "\r")) else text


def chop(text: str) -> str:
    """`String#chop`: without the last character, a CR LF counting as one."""
    return text[:-2] if text.endswith("\r\n") else text[:-1]


def compare_ignoring_case(left: str, right: str) -> int:
    """`String#casecmp`: order of bytes with the letters A to Z taken for a to z."""
    one, other = left.encode("utf-8").lower(), right.encode("utf-8").lower()
    return int(one > other) - int(one < other)
