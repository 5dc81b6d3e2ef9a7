"""Functions on numbers, and the ones that look for a smallest or largest value."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from ...provenance.origins import Absent, Choice, Origin
from ..kernel.failures import FunctionFailure
from ..kernel.shadow import Shadow
from ..kernel.traced import Traced
from ..kernel.values import SemVer, Timespan, Timestamp, Value
from ..types import ruby
from .registry import Call, calling, function, mismatch

_DECIMAL = re.compile(r"-?\d+\.\d+")
_WHOLE = re.compile(r"-?\d+")
_NUMBER_TEXT = re.compile(r"-?\d+([._eE]\d+)?")


@calling("abs", "Numeric $val", "String $val")
def abs_(call: Call) -> Traced:
    """The absolute value of a number (or, deprecated, of a text that is one).

    puppet> abs(-5)
    5
    """
    value = call.values[0]
    if not isinstance(value, str):
        return call.computed(abs(value))
    _coerced(call, "Numeric")
    lines = value.split("\n")
    if any(map(_DECIMAL.fullmatch, lines)):
        return call.computed(abs(ruby.leading_float(value)))
    if any(map(_WHOLE.fullmatch, lines)):
        return call.computed(abs(ruby.leading_integer(value)))
    raise call.fail("abs(): Requires float or integer to work with - was given non decimal string")


def _coerced(call: Call, target: str) -> None:
    name = call.function.name
    call.machine.warn_once(
        f"{name}_function_numeric_coerce_string",
        f"The {name}() function's auto conversion of String to {target} is deprecated - "
        "change to convert input before calling",
        None,
    )


def _rounded(call: Call, towards: Callable[[float], int]) -> Traced:
    value = call.values[0]
    if isinstance(value, str):
        _coerced(call, "Float")
        from ..kernel.type_failures import FormatProblem
        from ..types.sprintf import float_from_text

        try:
            value = float_from_text(value)
        except FormatProblem:
            message = f"{call.function.name}(): cannot convert given value to a floating point value."
            raise call.fail(message) from None
    return call.computed(whole(value, towards))


def whole(number: float, towards: Callable[[float], int]) -> int:
    """`number` made whole, or Ruby's failure for what has no whole part."""
    if isinstance(number, float) and not math.isfinite(number):
        raise FunctionFailure(ruby.to_s(number))
    return towards(number)


@calling("ceiling", "Numeric $val", "String $val")
def ceiling(call: Call) -> Traced:
    """The smallest whole number that is not less than a number.

    puppet> ceiling(1.2)
    2
    """
    return _rounded(call, math.ceil)


@calling("floor", "Numeric $val", "String $val")
def floor(call: Call) -> Traced:
    """The largest whole number that is not greater than a number.

    puppet> floor(-1.2)
    -2
    """
    return _rounded(call, math.floor)


@function("round", "Numeric $val")
def round_(val: float) -> int:
    """The whole number nearest to a number; halves go away from zero.

    puppet> round(2.5)
    3
    puppet> round(-2.5)
    -3
    """
    return whole(val + 0.5 if val > 0 else val - 0.5, math.trunc)


_EXTREME = (
    "Numeric *$values",
    "String *$values",
    "Array[Numeric] $values, Callable[2,2] &$block?",
    "Array[String] $values, Callable[2,2] &$block?",
    "Array $values, Callable[2,2] &$block?",
    "Any *$values, Callable[2,2] &$block",
    "Any *$values",
)


@calling("max", *_EXTREME)
def max_(call: Call) -> Traced:
    """The largest of the arguments, or of the elements of one array; a lambda may say how two of them compare.

    puppet> max(3, 10, 7)
    10
    puppet> max(['b', 'abc'])
    'b'
    """
    return _extreme(call, 1)


@calling("min", *_EXTREME)
def min_(call: Call) -> Traced:
    """The smallest of the arguments, or of the elements of one array; a lambda may say how two of them compare.

    puppet> min(3, 10, 7)
    3
    """
    return _extreme(call, -1)


def _extreme(call: Call, sign: int) -> Traced:
    values: Sequence[Value] = call.values
    item: Callable[[int], Origin] = call.origins.__getitem__
    if call.signature.text.startswith("Array"):
        item = Shadow(call.origins[0]).item
        values = values[0]
    if call.block is None and not values:
        raise call.fail(f"{call.function.name}(): Wrong number of arguments need at least one")
    best = None
    tests: list[Origin] = list(call.origins)
    for index, value in enumerate(values):
        if best is None:
            best = index
            continue
        if call.block is None:
            order = _order(call, value, values[best])
        else:
            verdict, test = call.block.call((value, values[best]), (item(index), item(best)))
            tests.append(test)
            order = ruby.order_of(verdict, value, values[best])
        if order * sign > 0:
            best = index
    if best is None:
        return None, Absent(f"{call.function.name} of nothing", tuple(call.origins), call.span)
    return values[best], Choice(tuple(tests), item(best), call.span, call.function.label)


def _order(call: Call, left: Value, right: Value) -> int:
    if ruby.is_number(left) and ruby.is_number(right) and "Numeric" in call.signature.text:
        return ruby.compare_or_fail(left, right)
    one, other = ruby.to_s(left), ruby.to_s(right)
    name = call.function.name
    if _NUMBER_TEXT.fullmatch(one) and _NUMBER_TEXT.fullmatch(other):
        call.machine.warn_once(
            f"{name}_function_numeric_coerce_string",
            f"The {name}() function's auto conversion of String to Numeric is deprecated - "
            "change to convert input before calling, or use lambda",
            None,
        )
        return ruby.compare_or_fail(_to_f(left), _to_f(right))
    if not (isinstance(left, str) and isinstance(right, str) and "String" in call.signature.text):
        call.machine.warn_once(
            f"{name}_function_string_coerce_any",
            f"The {name}() function's auto conversion of Any to String is deprecated - "
            "change to convert input before calling, or use lambda",
            None,
        )
    return ruby.compare_or_fail(one, other)


def _to_f(value: Value) -> float:
    return ruby.leading_float(value) if isinstance(value, str) else float(value)


@function(
    "compare",
    "Numeric $a, Numeric $b",
    "String $a, String $b, Boolean $ignore_case?",
    "Semver $a, Semver $b",
    "Numeric $a, Variant[Timespan, Timestamp] $b",
    "Timestamp $a, Variant[Timestamp, Numeric] $b",
    "Timespan $a, Variant[Timespan, Numeric] $b",
)
def compare(a: Value, b: Value, ignore_case: bool = True) -> int:
    """Compares two values: -1, 0 or 1.  Texts are compared ignoring case, unless a third argument is `false`.

    puppet> compare(1, 2)
    -1
    puppet> compare('A', 'a')
    0
    puppet> compare('A', 'a', false)
    -1
    """
    if isinstance(a, str):
        return ruby.compare_ignoring_case(a, b) if ignore_case else ruby.compare_or_fail(a, b)
    if ruby.is_number(a) and isinstance(b, Timespan | Timestamp):
        return -ruby.compare_or_fail(b, a)
    return ruby.compare_or_fail(a, b)


@mismatch("compare")
def _compare_mismatch(values: Sequence[Value]) -> str | None:
    if len(values) < 2:
        return None
    from ..types import label

    a, b, *rest = values

    def comparable(value: Value) -> bool:
        return ruby.is_number(value) or isinstance(value, str | SemVer | Timespan | Timestamp)

    if not (comparable(a) and comparable(b)):
        return (
            "compare(): Non comparable type. Only values of the types Numeric, String, Semver, Timestamp and Timestamp "
            f"can be compared. Got {label(a)} and {label(b)}"
        )
    if rest:
        if not (isinstance(a, str) and isinstance(b, str)):
            return "compare(): The third argument (ignore case) can only be used when comparing strings"
        if len(rest) != 1:
            return f"compare(): Accepts at most 3 arguments, got {2 + len(rest)}"
        if not isinstance(rest[0], bool):
            return f"compare(): The third argument (ignore case) must be a Boolean. Got {label(rest[0])}"
    if ruby.ruby_class(a) != ruby.ruby_class(b):
        return (
            "compare(): Can only compare values of the same type (or for Timestamp/Timespan also against Numeric). "
            f"Got {label(a)} and {label(b)}"
        )
    return None
