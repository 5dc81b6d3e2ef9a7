"""Floats as Ruby writes them.

`show` is `Float#to_s`: the shortest digits that read back, without exponent from 1e-4 to below 1e15, and beyond where
there is a fraction (Ruby 3.1 as Debian builds it; measured). `fixed` and `scientific` are `%.Nf` and `%.Ne`.

Ruby's digits come from David Gay's `dtoa` ("Correctly rounded binary-decimal and decimal-binary conversions", 1990)
with a change of its own: where the quick way, in floating point, can not tell the rest from one half, the rest
counts as a tie and goes to even. So `'%.2f' % 2.675` is 2.68 although the number is a little less. The quick way is
used for up to 14 digits; `_quick` walks it with the same operations on the same doubles.

>>> fixed(2.675, 2), fixed(0.025, 2), fixed(0.45, 1), fixed(0.05, 1), fixed(2.5, 0)
('2.68', '0.02', '0.4', '0.1', '2')
>>> show(1e15), show(1e15 + 0.5), show(1e14), show(0.0001), show(0.00001)
('1.0e+15', '1000000000000000.5', '100000000000000.0', '0.0001', '1.0e-05')
"""

from __future__ import annotations

import math

_TENS = [float(10**power) for power in range(23)]
_BIG_TENS = [1e16, 1e32, 1e64, 1e128, 1e256]
_QUICK_DIGITS = 14


def show(value: float) -> str:
    """The text of a Float."""
    if value != value:
        return "NaN"
    if value in (math.inf, -math.inf):
        return "Infinity" if value > 0 else "-Infinity"
    text = repr(value)
    if "e" not in text and (abs(value) < 1e15 or not value.is_integer()):
        if value == 0 or abs(value) >= 1e-4:
            return text
    digits, _, exponent = _shortest(value).partition("e")
    power = int(exponent)
    if -4 <= power < 15:
        return text
    if "." not in digits:
        digits += ".0"
    return f"{digits}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _shortest(value: float) -> str:
    """The shortest digits as `d.ddde[-]n`."""
    text = repr(value)
    sign = "-" if text.startswith("-") else ""
    text = text.lstrip("-")
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    power = int(exponent or 0) + len(whole) - 1
    digits = whole + fraction
    stripped = digits.lstrip("0")
    power -= len(digits) - len(stripped)
    stripped = stripped.rstrip("0") or "0"
    rest = stripped[1:]
    return f"{sign}{stripped[0]}{'.' + rest if rest else ''}e{power}"


def fixed(value: float, digits: int) -> str:
    """`%.Nf` of a finite value."""
    if digits > 340 or value == 0:
        return f"{value:.{digits}f}"
    decimal_power = _power(abs(value))
    tie = _quick(abs(value), decimal_power, digits + decimal_power + 1)
    if tie is None:
        return f"{value:.{digits}f}"
    number, power = tie
    return _sign(value) + _place(number, power, digits)


def scientific(value: float, digits: int) -> str:
    """`%.Ne` of a finite value."""
    if value == 0 or digits > 340:
        return f"{value:.{digits}e}"
    tie = _quick(abs(value), _power(abs(value)), digits + 1)
    if tie is None:
        return f"{value:.{digits}e}"
    number, power = tie
    text = str(number)
    power += len(text) - digits - 1
    text = text[: digits + 1]
    body = text[0] + ("." + text[1:] if digits else "")
    return f"{_sign(value)}{body}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _sign(value: float) -> str:
    return "-" if math.copysign(1.0, value) < 0 else ""


def _place(number: int, power: int, digits: int) -> str:
    """`number`, whose first digit stood at 10**power before any carry, with `digits` after the point."""
    text = str(number).rjust(digits + 1, "0")
    return f"{text[:-digits]}.{text[-digits:]}" if digits else text


def _power(value: float) -> int:
    """The power of ten of the first digit."""
    return int(_shortest(value).partition("e")[2]) if value else 0


def _quick(value: float, power: int, count: int) -> tuple[int, int] | None:
    """`count` digits of `value` by floating point, if they end in what counts as a tie: (digits as a number, power).

    Nothing when the exact way decides: no digit wanted, too many of them, or a rest that is clearly no half.
    """
    if count <= 0 or count > _QUICK_DIGITS:
        return None
    scaled = value
    noise = 2
    if power > 0:
        divisor = _TENS[power & 15]
        rest = power >> 4
        if rest & 16:
            rest &= 15
            scaled /= _BIG_TENS[4]
            noise += 1
        index = 0
        while rest:
            if rest & 1:
                noise += 1
                divisor *= _BIG_TENS[index]
            rest >>= 1
            index += 1
        scaled /= divisor
    elif power < 0:
        scaled *= _TENS[-power & 15]
        rest = -power >> 4
        index = 0
        while rest:
            if rest & 1:
                noise += 1
                scaled *= _BIG_TENS[index]
            rest >>= 1
            index += 1
    margin = math.ldexp(noise * scaled + 7.0, -52) * _TENS[count - 1]
    number = 0
    wanted = count
    for index in range(1, count + 1):
        digit = int(scaled)
        scaled -= digit
        number = number * 10 + digit
        if not scaled:
            # Every digit is known: nothing is left that could be a tie.
            return None
        if index == wanted:
            break
        scaled *= 10.0
    if scaled > 0.5 + margin or scaled < 0.5 - margin:
        return None
    return number + (number & 1), power
