"""What Ruby does to plain values, where Puppet's functions let it show through.

Several of Puppet's functions are thin covers over a method of Ruby's core classes: `join` is `Array#join`, `sort` is
`Array#sort`, `round`, `chomp`, `downcase` and so on. Their results, and the words of their errors, are Ruby's; this
module holds those rules in one place (Ruby 3.1, core reference: Array, Comparable, Float, Integer, Kernel, String).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ..types.printing import float_text
from ..values import (
    DEFAULT,
    URI,
    Binary,
    Deferred,
    Iterator,
    ObjectValue,
    Regexp,
    SemVer,
    SemVerRange,
    Sensitive,
    Timespan,
    Timestamp,
    freeze,
    key_value,
)
from .registry import FunctionFailure, Value

WHITESPACE = "\t\n\v\f\r "


# --- text ------------------------------------------------------------------------------------------------------------


def to_s(value: Value) -> str:
    """`to_s`, as `join`, `fail` and `%s` use it."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list | dict):
        return inspect(value)
    return _text(value)


def _text(value: Value) -> str:
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return float_text(value)
    if value is DEFAULT:
        return "default"
    if isinstance(value, Regexp):
        return regexp_text(value)
    if isinstance(value, Sensitive):
        return "Sensitive [value redacted]"
    if isinstance(value, Binary):
        return value.base64()
    if isinstance(value, Iterator):
        return "Iterator-Value"
    return str(value)


def legacy_text(value: Value) -> str:
    """`to_s` as functions of the old interface see it: references to resources are shown without quotes."""
    if isinstance(value, str):
        return value
    from ..types.callables import ClassType, ResourceType

    if isinstance(value, ResourceType) and value.type_name and value.title is not None:
        return f"{str(value).partition('[')[0]}[{value.title}]"
    if isinstance(value, ClassType) and value.class_name is not None:
        return f"Class[{'::'.join(map(capitalize, value.class_name.split('::')))}]"
    return to_s(value)


def regexp_text(value: Regexp) -> str:
    """`Regexp#to_s`: the source in a group that fixes its options."""
    found = re.fullmatch(r"\(\?([mix]*)(?:-([mix]*))?:(.*)\)", value.source, re.DOTALL)
    if found is not None and _balanced(found[3]):
        on = "".join(each for each in "mix" if each in found[1])
        off = "".join(each for each in "mix" if each not in on)
        return f"(?{on}{'-' if off else ''}{off}:{found[3]})"
    return f"(?-mix:{value.source})"


def _balanced(source: str) -> bool:
    depth = 0
    escaped = False
    for each in source:
        if escaped:
            escaped = False
        elif each == "\\":
            escaped = True
        elif each == "(":
            depth += 1
        elif each == ")":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\f": "\\f",
    "\v": "\\v",
    "\b": "\\b",
    "\a": "\\a",
    "\x1b": "\\e",
}


def inspect(value: Value) -> str:
    """`inspect`, as `%p` and the elements of an array in `to_s` show it."""
    if isinstance(value, str):
        return inspect_text(value)
    if value is None:
        return "nil"
    if isinstance(value, list):
        return "[" + ", ".join(map(inspect, value)) + "]"
    if isinstance(value, dict):
        if not value:
            return "{}"
        return "{" + ", ".join(f"{inspect(key_value(key))}=>{inspect(each)}" for key, each in value.items()) + "}"
    if value is DEFAULT:
        return ":default"
    if isinstance(value, Regexp):
        return f"/{value.source}/"
    return _text(value)


def inspect_text(text: str) -> str:
    """`String#inspect`."""
    parts = ['"']
    for index, each in enumerate(text):
        escape = _ESCAPES.get(each)
        if escape is not None:
            parts.append(escape)
        elif each == "#" and text[index + 1 : index + 2] in ("{", "$", "@"):
            parts.append("\\#")
        elif each.isprintable():
            parts.append(each)
        else:
            code = ord(each)
            if code < 0x80:
                parts.append(f"\\x{code:02X}")
            else:
                parts.append(f"\\u{code:04X}" if code < 0x10000 else f"\\u{{{code:X}}}")
    parts.append('"')
    return "".join(parts)


def join(values: Sequence[Value], separator: str) -> str:
    """`Array#join`: arrays inside are joined with the same separator."""
    parts = []
    for each in values:
        if isinstance(each, list):
            parts.append(join(each, separator))
        elif isinstance(each, Iterator):
            parts.append(to_s(each))
        else:
            parts.append(to_s(each))
    return separator.join(parts)


def class_name(value: Value) -> str:
    """The name of the Ruby class a value has in Puppet."""
    for kind, name in _CLASSES:
        if isinstance(value, kind):
            return name
    if value is None:
        return "NilClass"
    if value is True:
        return "TrueClass"
    if value is False:
        return "FalseClass"
    if value is DEFAULT:
        return "Symbol"
    return f"Puppet::Pops::Types::P{_type_class(value)}Type"


def _type_class(value: Value) -> str:
    return type(value).__name__.removesuffix("Type")


_CLASSES: tuple[tuple[Any, str], ...] = (
    (str, "String"),
    (float, "Float"),
    (list, "Array"),
    (dict, "Hash"),
    (Regexp, "Regexp"),
    (Sensitive, "Puppet::Pops::Types::PSensitiveType::Sensitive"),
    (Binary, "Puppet::Pops::Types::PBinaryType::Binary"),
    (Timestamp, "Puppet::Pops::Time::Timestamp"),
    (Timespan, "Puppet::Pops::Time::Timespan"),
    (SemVer, "SemanticPuppet::Version"),
    (SemVerRange, "SemanticPuppet::VersionRange"),
    (URI, "URI::Generic"),
    (Deferred, "Puppet::DataTypes::Deferred"),
    (ObjectValue, "Puppet::Pops::Types::PuppetObject"),
    (Iterator, "Puppet::Pops::Types::Iterator"),
)


def ruby_class(value: Value) -> str:
    """`value.class`, with integers told from booleans."""
    if isinstance(value, int) and not isinstance(value, bool):
        return "Integer"
    return class_name(value)


# --- comparing -------------------------------------------------------------------------------------------------------


def is_number(value: Value) -> bool:
    """Whether a value is an Integer or a Float."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def equal(left: Value, right: Value) -> bool:
    """`==`: numbers by amount, the rest by content.  Unlike Puppet's `==`, strings keep their case."""
    if is_number(left) and is_number(right):
        return bool(left == right)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(each, right[key]) for key, each in left.items())
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


def merge_sort(values: list[Any], order: Callable[[Any, Any], int]) -> list[Any]:
    """Sort by an order that may have effects: the comparisons and their sequence are those of a plain merge sort.

    Ruby leaves sorting to the C library's `qsort_r`, which on the platforms of the real tool is a merge sort that
    halves the array, rounding down.
    """
    count = len(values)
    if count < 2:
        return list(values)
    middle = count // 2
    left = merge_sort(values[:middle], order)
    right = merge_sort(values[middle:], order)
    merged: list[Any] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if order(left[i], right[j]) <= 0:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    merged.extend(left[i:])
    merged.extend(right[j:])
    return merged


# --- reading numbers -------------------------------------------------------------------------------------------------

_INTEGER = re.compile(
    r"\s*([-+]?)(0[bB][01]+(?:_[01]+)*|0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[oO]?[0-7]+(?:_[0-7]+)*|"
    r"0[dD][0-9]+(?:_[0-9]+)*|[1-9][0-9]*(?:_[0-9]+)*|0(?:_[0-7]+)*)\s*"
)
_FLOAT = re.compile(
    r"\s*[-+]?(?:0[xX][0-9a-fA-F]+(?:\.[0-9a-fA-F]+)?(?:[pP][-+]?\d+)?"
    r"|\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?(?:[eE][-+]?\d+(?:_\d+)*)?"
    r"|\.\d+(?:_\d+)*(?:[eE][-+]?\d+(?:_\d+)*)?)\s*"
)
_FLOAT_PREFIX = re.compile(r"\s*([-+]?\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?(?:[eE][-+]?\d+)?)")
_INTEGER_PREFIX = re.compile(r"\s*([-+]?\d+(?:_\d+)*)")


def read_integer(text: str) -> int | None:
    """`Integer(text)`: a whole number in any of Ruby's notations, or nothing."""
    found = _INTEGER.fullmatch(text)
    if found is None:
        return None
    sign, digits = found[1], found[2].replace("_", "").lower()
    if digits.startswith("0d"):
        number = int(digits[2:])
    elif len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
        number = int(digits, 8)
    else:
        number = int(digits, 0)
    return -number if sign == "-" else number


def read_float(text: str) -> float | None:
    """`Float(text)`, or nothing."""
    if _FLOAT.fullmatch(text) is None:
        return None
    plain = text.strip().replace("_", "")
    return float.fromhex(plain) if "x" in plain.lower() else float(plain)


def leading_float(text: str) -> float:
    """`String#to_f`: the number a text begins with, or zero."""
    found = _FLOAT_PREFIX.match(text)
    return float(found[1].replace("_", "")) if found else 0.0


def leading_integer(text: str) -> int:
    """`String#to_i`: the whole number a text begins with, or zero."""
    found = _INTEGER_PREFIX.match(text)
    return int(found[1].replace("_", "")) if found else 0


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
