"""Numeric, Integer and Float.

Integers have any size (within the run's bounds); division and remainder round towards minus infinity, as in Ruby.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ...base.floats import show
from ...base.keys import Symbol
from ..classes import FLOAT, INTEGER, NUMERIC, error, integer_of, kind_word, method, methods, singleton
from ..errors import NotSupported
from ..interpreter import Interpreter
from ..showing import compare, decimal, equal, inspect
from ..values import Keywords, Range, Value
from .objects import Args, comparison_words, is_same


def is_number(value: Value) -> bool:
    """Integer or Float?"""
    kind = type(value)
    return kind is int or kind is float


def coerced(i: Interpreter, left: Value, operator: str, right: Value) -> Value:
    """`left op right` where `right` is not a number: it may know how (`coerce`), else TypeError."""
    entry = i.find(right, "coerce")
    if entry is not None and not is_number(right):
        pair = entry.run(i, right, [left], None)
        return i.send(pair[0], operator, [pair[1]])
    into = "Integer" if type(left) is int else "Float"
    shown = inspect(i, right) if right is None or type(right) in (bool, Symbol) else kind_word(right)
    raise error("TypeError", f"{shown} can't be coerced into {into}")


def _arithmetic(name: str, operation: Callable[[Any, Any], Any]) -> None:
    def run(i: Interpreter, self: Value, a: Args, block: object) -> Value:
        other = a[0]
        if is_number(other):
            if name == "*" and type(self) is int and type(other) is int:
                i.make_bits(self.bit_length() + other.bit_length())
                i.multiply_bits(self.bit_length(), other.bit_length())
            try:
                return operation(self, other)
            except OverflowError:
                return math.inf if (self > 0) == (other > 0) else -math.inf
        return coerced(i, self, name, other)

    methods(INTEGER, 1, 1, {name: run})
    methods(FLOAT, 1, 1, {name: run})


_arithmetic("+", lambda x, y: x + y)
_arithmetic("-", lambda x, y: x - y)
_arithmetic("*", lambda x, y: x * y)


def divide(i: Interpreter, left: Value, right: Value) -> Value:
    """`left / right`"""
    if not is_number(right):
        return coerced(i, left, "/", right)
    if type(left) is int and type(right) is int:
        if right == 0:
            raise error("ZeroDivisionError", "divided by 0")
        i.divide_bits(left.bit_length(), right.bit_length())
        return left // right
    return _float_division(left, right)


def _float_division(left: Value, right: Value) -> float:
    try:
        return float(left) / float(right)
    except ZeroDivisionError:
        if left == 0 or left != left:
            return math.nan
        return math.copysign(math.inf, left) * math.copysign(1.0, right)
    except OverflowError:
        return math.inf


def modulo(i: Interpreter, left: Value, right: Value, name: str = "%") -> Value:
    """`left % right`: the sign is the divisor's."""
    if not is_number(right):
        return coerced(i, left, name, right)
    if type(left) is int and type(right) is int:
        if right == 0:
            raise error("ZeroDivisionError", "divided by 0")
        i.divide_bits(left.bit_length(), right.bit_length())
        return left % right
    if right == 0:  # with floats, too
        raise error("ZeroDivisionError", "divided by 0")
    if math.isinf(left):
        return math.nan
    return _float_rest(float(left), float(right))


def _float_rest(left: float, right: float) -> float:
    """The rest as C's `fmod` has it, which keeps the sign of a zero, moved to the divisor's side."""
    if math.isinf(right) and not math.isinf(left):
        rest = left
    else:
        rest = math.fmod(left, right)
    return rest + right if right * rest < 0 else rest


def integer_division(i: Interpreter, left: Value, right: Value) -> Value:
    """`left.div(right)`"""
    if right == 0:
        raise error("ZeroDivisionError", "divided by 0")
    if not is_number(right):
        return coerced(i, left, "div", right)
    if type(left) is int and type(right) is int:
        i.divide_bits(left.bit_length(), right.bit_length())
        return left // right
    return math.floor(left / right)


def power(i: Interpreter, left: Value, right: Value) -> Value:
    """`left ** right`"""
    if not is_number(right):
        return coerced(i, left, "**", right)
    if type(left) is int and type(right) is int:
        if left in (1, -1):
            return left if right % 2 else 1
        if right < 0:
            raise NotSupported("a negative power of an integer is a Rational, which", i.at)
        bits = left.bit_length() * right
        i.make_bits(bits)
        i.multiply_bits(bits // 2, bits // 2)
        return left**right
    try:
        result = float(left) ** float(right)
    except OverflowError:
        return math.inf
    except ZeroDivisionError:
        return math.inf
    if isinstance(result, complex):
        raise NotSupported("a fractional power of a negative number is a Complex, which", i.at)
    return result


def ordered(name: str, test: Callable[[Any, Any], bool]) -> None:
    """A comparison of numbers."""

    def run(i: Interpreter, self: Value, a: Args, block: object) -> Value:
        if is_number(a[0]):
            return test(self, a[0])
        if i.find(a[0], "coerce") is not None:
            return coerced(i, self, name, a[0])
        raise error("ArgumentError", comparison_words(i, self, a[0]))

    methods(INTEGER, 1, 1, {name: run})
    methods(FLOAT, 1, 1, {name: run})


ordered("<", lambda x, y: bool(x < y))
ordered(">", lambda x, y: bool(x > y))
ordered("<=", lambda x, y: bool(x <= y))
ordered(">=", lambda x, y: bool(x >= y))


def shift(i: Interpreter, number: int, by: int) -> int:
    """`number << by`"""
    if by >= 0:
        i.make_bits(number.bit_length() + by)
        return number << by
    return number >> min(-by, number.bit_length() + 1)


def _bit_operand(i: Interpreter, left: int, name: str, right: Value) -> int:
    if type(right) is not int:
        if type(right) is float:
            raise error("TypeError", "can't convert Float into Integer for bitwise operation")
        coerced(i, left, name, right)
    number: int = right
    return number


# --- rounding --------------------------------------------------------------------------------------------------------


def _round_half_up(value: float, scale: float) -> float:
    """Ruby's `round_half_up`: round, then mend what scaling has spoilt (Ruby 3.1, numeric.c)."""
    scaled = value * scale
    size = abs(scaled)
    whole = math.floor(size)
    result = math.copysign(whole + (size - whole >= 0.5), scaled)
    if scale == 1.0:
        return result
    if value > 0:
        if (result + 0.5) / scale <= value:
            result += 1
    elif (result - 0.5) / scale >= value:
        result -= 1
    return result


def round_float(i: Interpreter, value: float, digits: int, how: str = "half_up") -> Value:
    """`value.round(digits)`"""
    if not math.isfinite(value):
        if digits > 0:
            return value
        raise error("FloatDomainError", show(value))
    if digits <= 0:
        whole = _to_whole(value, how)
        return round_integer(whole, digits, how) if digits else whole
    exponent = math.frexp(value)[1]
    if digits >= 17 - (exponent // 4 if exponent > 0 else exponent // 3 - 1):
        return value
    if digits < -(exponent // 3 + 1 if exponent > 0 else exponent // 4):
        return 0.0
    if digits > 14:
        exact = Fraction(value) * 10**digits
        return float(Fraction(_to_whole_exact(exact, how), 10**digits))
    scale = 10.0**digits
    if how == "half_up":
        return _round_half_up(value, scale) / scale
    scaled = value * scale
    if how == "half_even":
        return round(scaled) / scale
    if how == "half_down":
        return math.ceil(abs(scaled) - 0.5) * math.copysign(1.0, scaled) / scale
    if how == "floor":
        result = math.floor(scaled) / scale
        return (math.floor(scaled) + 1) / scale if (math.floor(scaled) + 1) / scale <= value else result
    result = math.ceil(scaled) / scale
    return (math.ceil(scaled) - 1) / scale if (math.ceil(scaled) - 1) / scale >= value else result


def _to_whole(value: float, how: str) -> int:
    return _to_whole_exact(Fraction(value), how)


def _to_whole_exact(value: Fraction, how: str) -> int:
    if how == "floor":
        return math.floor(value)
    if how == "ceil":
        return math.ceil(value)
    if how == "truncate":
        return math.trunc(value)
    floor = math.floor(value)
    rest = value - floor
    if rest * 2 != 1:
        return floor + (rest * 2 > 1)
    if how == "half_even":
        return floor + (floor & 1)
    if how == "half_down":
        return floor if value > 0 else floor + 1
    return int(floor + 1 if value > 0 else floor)


def round_integer(value: int, digits: int, how: str) -> int:
    """`value.round(-2)`"""
    if digits >= 0:
        return value
    if -digits > 10_000:
        return 0
    scale: int = 10**-digits
    if how == "ceil" and not -(2**62) <= value < 2**62:  # Ruby 3.1 adds a whole step to a large multiple, too
        return value + scale - value % scale
    return _to_whole_exact(Fraction(value, scale), how) * int(scale)


def _rounding(a: Args, default: str) -> tuple[int, str]:
    how = default
    if a and isinstance(a[-1], dict):
        half = a[-1].get(Symbol("half"))
        name = half.name if type(half) is Symbol else half
        if name not in (None, "up", "even", "down"):
            raise error("ArgumentError", f"invalid rounding mode: {name}")
        how = f"half_{name or 'up'}"
        a = a[:-1]
    return (integer_of(a[0]) if a else 0), how


def _rounder(default: str) -> Any:
    def run(i: Interpreter, self: Value, a: Args, block: object) -> Value:
        digits, how = _rounding(a, default)
        if type(self) is int:
            return round_integer(self, digits, how)
        if how == "truncate":
            how = "floor" if self > 0 else "ceil"
        return round_float(i, self, digits, how)

    return run


for _class in (INTEGER, FLOAT):
    methods(
        _class,
        0,
        2,
        {
            "round": _rounder("half_up"),
            "floor": _rounder("floor"),
            "ceil": _rounder("ceil"),
            "truncate": _rounder("truncate"),
        },
    )

# --- Integer ---------------------------------------------------------------------------------------------------------


def to_base(i: Interpreter, value: int, base: int) -> str:
    """`value.to_s(base)`"""
    if not 2 <= base <= 36:
        raise error("ArgumentError", f"invalid radix {base}")
    if base == 10:
        if value.bit_length() > 14_000:
            i.make_text(value.bit_length())
        return decimal(value)
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    number = abs(value)
    if base in (2, 8, 16):
        text = format(number, {2: "b", 8: "o", 16: "x"}[base])
    else:
        parts = []
        _draw_digits(i, number, base)
        while number:
            number, rest = divmod(number, base)
            parts.append(digits[rest])
        text = "".join(reversed(parts)) or "0"
    return f"-{text}" if value < 0 else text


@method(INTEGER, "times", 0)
def times(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    i.budget.draw("steps", max(0, self), "counting", i.at)
    for number in range(self):
        block.one(number)
    return self


@method(INTEGER, "upto", 1)
def upto(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    if not is_number(a[0]):
        raise error("ArgumentError", comparison_words(i, self, a[0]))
    i.budget.draw("steps", max(0, math.floor(a[0]) - self), "counting", i.at)
    for number in range(self, math.floor(a[0]) + 1):
        block.one(number)
    return self


@method(INTEGER, "downto", 1)
def downto(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    i.budget.draw("steps", max(0, self - math.ceil(a[0])), "counting", i.at)
    for number in range(self, math.ceil(a[0]) - 1, -1):
        block.one(number)
    return self


@method(NUMERIC, "step", 0, 3)
def step(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    options: dict[Any, Value] = {}
    if a and type(a[-1]) is Keywords:
        options, a = a[-1], a[:-1]
    limit = a[0] if a else options.get(Symbol("to"))
    by = a[1] if len(a) > 1 else options.get(Symbol("by"), 1)
    if by == 0:
        raise error("ArgumentError", "step can't be 0")
    values = stepped(i, self, limit, by)
    for value in values:
        block.one(value)
    return self


def stepped(i: Interpreter, first: Value, last: Value, by: Value, exclusive: bool = False) -> Any:
    """The numbers from `first` to `last` by steps."""
    if float in (type(first), type(last), type(by)):
        if last is None:
            raise NotSupported("an endless step of floats", i.at)
        noise = (abs(first) + abs(last) + abs(last - first)) / abs(by) * 2.220446049250313e-16
        count = math.floor((last - first) / by + min(noise, 0.5)) + 1
        i.make_items(max(0, count))
        values = [first + index * float(by) for index in range(max(0, count))]
        if exclusive and values and values[-1] >= last:
            values.pop()
        return values
    return _whole_steps(i, first, last, by, exclusive)


def _whole_steps(i: Interpreter, first: int, last: int | None, by: int, exclusive: bool) -> object:
    value = first
    while last is None or (value < last if by > 0 else value > last) or (value == last and not exclusive):
        i.budget.draw("steps", 1, "counting", i.at)
        yield value
        value += by


def _draw_digits(i: Interpreter, number: int, base: int) -> None:
    """Draw for taking a number apart, digit by digit: each divides what is left."""
    bits = number.bit_length()
    count = bits // max(1, base.bit_length() - 1) + 1
    i.budget.draw(
        "steps", count // 8 + int(count * (bits / 30) * max(1.0, base.bit_length() / 30) / 1600), "taking digits", i.at
    )
    i.budget.draw("elements", count, "taking digits", i.at)


def digits_of(i: Interpreter, value: int, base: int) -> Value:
    """`value.digits(base)`"""
    if value < 0:
        raise error("Math::DomainError", "out of domain")
    if base < 2:
        raise error("ArgumentError", f"invalid radix {base}")
    digits = []
    _draw_digits(i, value, base)
    while True:
        value, rest = divmod(value, base)
        digits.append(rest)
        if not value:
            return digits


def bit_place(value: Value) -> int:
    """The place of a bit."""
    if value is None:
        raise error("TypeError", "no implicit conversion of nil into Integer")
    return integer_of(value)


def bit_at(value: int, at: Value) -> Value:
    """`value[at]`"""
    if isinstance(at, Range):
        low = at.first or 0
        count = None if at.last is None or at.last < 0 else at.last - low + (0 if at.exclusive else 1)
        return (value >> low) if count is None else (value >> low) & ((1 << min(count, 100_000)) - 1)
    place = bit_place(at)
    return (value >> place) & 1 if place >= 0 else 0


@method(INTEGER, "pow", 1, 2)
def pow_(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if len(a) == 1:
        return power(i, self, a[0])
    bits = a[1].bit_length()
    i.make_bits(bits * 2)
    # A square and, for half of the bits, a product, each of them reduced.
    words = bits / 30
    i.budget.draw("steps", int(abs(a[0]).bit_length() * 1.5 * words * (words / 400 + 0.02) / 4), "powers", i.at)
    i.divide_bits(self.bit_length(), bits)
    return pow(self, a[0], a[1])


def _chr(value: int, a: Args) -> str:
    if not a and not 0 <= value <= 255:
        raise error("RangeError", f"{value} out of char range")
    if not a and value > 127:
        return bytes([value]).decode("utf-8", "surrogateescape")
    try:
        return chr(value)
    except (ValueError, OverflowError):
        raise error("RangeError", f"{value} out of char range") from None


methods(
    INTEGER,
    0,
    0,
    {
        "-@": lambda i, s, a, b: -s,
        "+@ to_i to_int ord numerator": lambda i, s, a, b: s,
        "~": lambda i, s, a, b: ~s,
        "abs magnitude": lambda i, s, a, b: abs(s),
        "to_f": lambda i, s, a, b: big_float(s),
        "succ next": lambda i, s, a, b: s + 1,
        "pred": lambda i, s, a, b: s - 1,
        "zero?": lambda i, s, a, b: s == 0,
        "even?": lambda i, s, a, b: s % 2 == 0,
        "odd?": lambda i, s, a, b: s % 2 == 1,
        "integer? finite?": lambda i, s, a, b: True,
        "nan?": lambda i, s, a, b: False,
        "infinite?": lambda i, s, a, b: None,
        "bit_length": lambda i, s, a, b: (s if s >= 0 else ~s).bit_length(),
        "size": lambda i, s, a, b: 8 if s.bit_length() < 64 else (s.bit_length() + 63) // 64 * 8,
        "hash": lambda i, s, a, b: s,
        "denominator": lambda i, s, a, b: 1,
    },
)
methods(
    INTEGER,
    1,
    1,
    {
        "/": lambda i, s, a, b: divide(i, s, a[0]),
        "div": lambda i, s, a, b: integer_division(i, s, a[0]),
        "% modulo": lambda i, s, a, b: modulo(i, s, a[0]),
        "remainder": lambda i, s, a, b: remainder(i, s, a[0]),
        "**": lambda i, s, a, b: power(i, s, a[0]),
        "fdiv": lambda i, s, a, b: _float_division(s, a[0]),
        "divmod": lambda i, s, a, b: divmod_(i, s, a[0]),
        "&": lambda i, s, a, b: s & _bit_operand(i, s, "&", a[0]),
        "|": lambda i, s, a, b: s | _bit_operand(i, s, "|", a[0]),
        "^": lambda i, s, a, b: s ^ _bit_operand(i, s, "^", a[0]),
        "<<": lambda i, s, a, b: shift(i, s, bit_place(a[0])),
        ">>": lambda i, s, a, b: shift(i, s, -bit_place(a[0])),
        "== ===": lambda i, s, a, b: equal(i, s, a[0]) if is_number(a[0]) else False,
        "<=>": lambda i, s, a, b: compare(i, s, a[0]),
        "eql?": lambda i, s, a, b: type(a[0]) is int and s == a[0],
        "equal?": lambda i, s, a, b: is_same(s, a[0]),
        "gcd": lambda i, s, a, b: math.gcd(s, _divided(i, s, a[0])),
        "lcm": lambda i, s, a, b: math.lcm(s, _divided(i, s, a[0])),
        "gcdlcm": lambda i, s, a, b: [math.gcd(s, _divided(i, s, a[0])), math.lcm(s, a[0])],
        "allbits?": lambda i, s, a, b: s & bit_place(a[0]) == bit_place(a[0]),
        "anybits?": lambda i, s, a, b: s & bit_place(a[0]) != 0,
        "nobits?": lambda i, s, a, b: s & bit_place(a[0]) == 0,
        "coerce": lambda i, s, a, b: [a[0], s] if type(a[0]) is int else [float(a[0]), float(s)],
    },
)
methods(
    INTEGER,
    0,
    1,
    {
        "to_s inspect": lambda i, s, a, b: to_base(i, s, a[0] if a else 10),
        "chr": lambda i, s, a, b: _chr(s, a),
        "digits": lambda i, s, a, b: digits_of(i, s, integer_of(a[0]) if a else 10),
    },
)
methods(
    INTEGER,
    1,
    2,
    {
        "[]": lambda i, s, a, b: (
            bit_at(s, a[0])
            if len(a) == 1
            else (s >> a[0] if a[0] >= 0 else s << min(-a[0], 512)) & ((1 << min(a[1], 512)) - 1)
        )
    },
)


def big_float(value: int) -> float:
    """An integer as a Float."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def remainder(i: Interpreter, left: Value, right: Value) -> Value:
    """`left.remainder(right)`: the sign is the dividend's."""
    if not is_number(right):
        return coerced(i, left, "remainder", right)
    if right == 0:
        raise error("ZeroDivisionError", "divided by 0")
    if math.isinf(left):
        return math.nan
    result = math.fmod(left, right) if float in (type(left), type(right)) else abs(left) % abs(right)
    return result if type(result) is float else (-result if left < 0 else result)


def _divided(i: Interpreter, left: int, right: Value) -> Value:
    """`right`, by which `left` is about to be divided until nothing is left."""
    if type(right) is int:
        bits = max(left.bit_length(), right.bit_length())
        i.divide_bits(bits, min(left.bit_length(), right.bit_length()))
    return right


def divmod_(i: Interpreter, left: Value, right: Value) -> Value:
    """`left.divmod(right)`"""
    if right == 0:
        raise error("ZeroDivisionError", "divided by 0")
    if not is_number(right):
        return coerced(i, left, "divmod", right)
    if type(left) is int and type(right) is int:
        i.divide_bits(left.bit_length(), right.bit_length())
    quotient, rest = divmod(left, right)
    if float in (type(left), type(right)):
        rest = _float_rest(float(left), float(right))
    return [int(quotient), rest]


@singleton(INTEGER, "sqrt", 1)
def sqrt(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    if a[0] < 0:
        raise error("ArgumentError", 'Numerical argument is out of domain - "isqrt"')
    bits = integer_of(a[0]).bit_length()
    i.divide_bits(bits, bits)
    return math.isqrt(integer_of(a[0]))


# --- Float -----------------------------------------------------------------------------------------------------------

methods(
    FLOAT,
    0,
    0,
    {
        "-@": lambda i, s, a, b: -s,
        "+@ to_f": lambda i, s, a, b: s,
        "abs magnitude": lambda i, s, a, b: abs(s),
        "to_i to_int": lambda i, s, a, b: integer_of(s),
        "to_s inspect": lambda i, s, a, b: show(s),
        "zero?": lambda i, s, a, b: s == 0,
        "nan?": lambda i, s, a, b: s != s,
        "infinite?": lambda i, s, a, b: (1 if s > 0 else -1) if math.isinf(s) else None,
        "finite?": lambda i, s, a, b: math.isfinite(s),
        "integer?": lambda i, s, a, b: False,
        "next_float": lambda i, s, a, b: math.nextafter(s, math.inf),
        "prev_float": lambda i, s, a, b: math.nextafter(s, -math.inf),
    },
)
methods(
    FLOAT,
    1,
    1,
    {
        "/ fdiv quo": lambda i, s, a, b: divide(i, s, a[0]),
        "% modulo": lambda i, s, a, b: modulo(i, s, a[0]),
        "remainder": lambda i, s, a, b: remainder(i, s, a[0]),
        "div": lambda i, s, a, b: integer_division(i, s, a[0]),
        "divmod": lambda i, s, a, b: divmod_(i, s, a[0]),
        "** pow": lambda i, s, a, b: power(i, s, a[0]),
        "== ===": lambda i, s, a, b: is_number(a[0]) and s == a[0],
        "<=>": lambda i, s, a, b: compare(i, s, a[0]),
        "eql?": lambda i, s, a, b: type(a[0]) is float and s == a[0],
        "coerce": lambda i, s, a, b: [float(a[0]), s],
    },
)
methods(
    NUMERIC,
    0,
    0,
    {
        "positive?": lambda i, s, a, b: s > 0,
        "negative?": lambda i, s, a, b: s < 0,
        "nonzero?": lambda i, s, a, b: None if s == 0 else s,
        "real?": lambda i, s, a, b: True,
        "real": lambda i, s, a, b: s,
    },
)
