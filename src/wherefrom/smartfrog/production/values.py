"""Values of level production that Python has no kinds for, Java's arithmetic on numbers, and how Java prints them.

A whole number is an `int` of 32 bits, with `L` a `Long` of 64; a decimal is a `float` (Java's double), with `f` a
`Float` of 32 bits. Sums and products wrap, division goes towards zero; the result has the wider kind of the two.
"""

from __future__ import annotations

import math
import struct
from decimal import Decimal

INTEGERS = (-(1 << 31), (1 << 31) - 1)
LONGS = (-(1 << 63), (1 << 63) - 1)


class Long(int):
    """A whole number of 64 bits."""

    __slots__ = ()


class Float(float):
    """A decimal number of 32 bits."""

    __slots__ = ()

    def __new__(cls, value: float) -> Float:
        return super().__new__(cls, narrowed(value))


class ByteArray(bytes):
    """Bytes, as `#HEX#..#` gives them."""

    __slots__ = ()


def narrowed(value: float) -> float:
    """The nearest decimal of 32 bits."""
    try:
        narrow: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return narrow


def is_number(value: object) -> bool:
    """Whether a value is a number; a boolean is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


WIDTHS = {int: 0, Long: 1, Float: 2, float: 3}


def width(value: int | float) -> int:
    """How wide the kind of a number is: whole, long, short decimal, decimal."""
    return WIDTHS[type(value)]


def of_width(value: int | float, wide: int) -> int | float:
    """A result as a number of a kind; whole ones wrap."""
    match wide:
        case 0:
            return (int(value) + (1 << 31)) % (1 << 32) - (1 << 31)
        case 1:
            return Long((int(value) + (1 << 63)) % (1 << 64) - (1 << 63))
        case 2:
            return Float(value)
        case _:
            return float(value)


def added(a: int | float, b: int | float) -> int | float:
    """`a + b`."""
    wide = max(width(a), width(b))
    return of_width(a + b if wide < 2 else float(a) + float(b), wide)


def subtracted(a: int | float, b: int | float) -> int | float:
    """`a - b`."""
    wide = max(width(a), width(b))
    return of_width(a - b if wide < 2 else float(a) - float(b), wide)


def multiplied(a: int | float, b: int | float) -> int | float:
    """`a * b`."""
    wide = max(width(a), width(b))
    return of_width(a * b if wide < 2 else float(a) * float(b), wide)


def divided(a: int | float, b: int | float) -> int | float:
    """`a / b`.  Raises `ZeroDivisionError` for whole numbers."""
    wide = max(width(a), width(b))
    if wide < 2:
        whole = abs(int(a)) // abs(int(b))
        return of_width(whole if (a < 0) == (b < 0) else -whole, wide)
    if b == 0:
        if a == 0 or a != a:
            return of_width(math.nan, wide)
        return of_width(math.copysign(math.inf, a) * math.copysign(1, b), wide)
    return of_width(float(a) / float(b), wide)


def remainder(a: int, b: int) -> int | float:
    """`a % b`, with the sign of `a`.  Raises `ZeroDivisionError`."""
    rest = abs(int(a)) % abs(int(b))
    return of_width(-rest if a < 0 else rest, max(width(a), width(b)))


def java_text(value: int | float) -> str:
    """A number as Java prints it: `1.0`, `1.0E10`."""
    if isinstance(value, int):
        return str(int(value))
    if value != value:
        return "NaN"
    if value in (math.inf, -math.inf):
        return "Infinity" if value > 0 else "-Infinity"
    sign, digits, exponent = Decimal(_shortest(value)).as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits)).rstrip("0") or "0"
    exponent += len(digits) - len(text)
    minus = "-" if sign else ""
    if text == "0":
        return f"{minus}0.0"
    point = len(text) + exponent  # where the decimal point stands, counted from the first digit
    if -2 <= point <= 7:
        if point <= 0:
            return f"{minus}0.{'0' * -point}{text}"
        whole, rest = text[:point].ljust(point, "0"), text[point:]
        return f"{minus}{whole}.{rest or '0'}"
    return f"{minus}{text[0]}.{text[1:] or '0'}E{point - 1}"


def _shortest(value: float) -> str:
    """The shortest digits that mean the number among those of its kind."""
    if isinstance(value, Float):
        for digits in range(1, 10):
            text = f"{float(value):.{digits}g}"
            if narrowed(float(text)) == float(value):
                return text
    return repr(float(value))
