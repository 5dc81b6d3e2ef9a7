"""`sprintf`: Ruby's format language (Kernel#format), including its two's complement notation for negative numbers.

%[flags][width][.precision]type        flags: space # + - 0 * DIGITS$   types: d i u f e E g G a A b B o x X c s p %
%<name>...type    %{name}              the arguments are then one hash
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..values import DEFAULT
from . import ruby
from .registry import FunctionFailure, Value, function

_MAX_WIDTH = 1_000_000
_BASES = {"d": 10, "i": 10, "u": 10, "o": 8, "x": 16, "X": 16, "b": 2, "B": 2}
_PREFIXES = {"o": "0", "x": "0x", "X": "0X", "b": "0b", "B": "0B"}
_DIGITS = "0123456789abcdef"


@function("sprintf", "Any $format, Any *$arguments", legacy=True)
def sprintf(format: Value, *arguments: Value) -> str:
    """Text made by a format in the manner of C's `printf`, as Ruby understands it.

    With a hash as only argument, `%<name>d` and `%{name}` take its values by name.

    puppet> sprintf('%05.1f|%-4s|%x', 3.14159, 'ab', 255)
    '003.1|ab  |ff'
    puppet> sprintf('%<x>s is %<y>d', { 'x' => 'value', 'y' => 42 })
    'value is 42'
    """
    if not isinstance(format, str):
        raise FunctionFailure(f"no implicit conversion of {_implicit(format)} into String")
    return Formatter(format, arguments).run()


def _implicit(value: Value) -> str:
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    return ruby.ruby_class(value)


class _Directive:
    """What stands between `%` and the type's letter."""

    __slots__ = ("alternate", "has_value", "left", "name", "plus", "precision", "space", "value", "width", "zero")

    def __init__(self) -> None:
        self.alternate = self.left = self.plus = self.space = self.zero = False
        self.width: int | None = None
        self.precision: int | None = None
        self.name: str | None = None
        self.has_value = False
        self.value: Value = None


class Formatter:
    """One run over a format.  Arguments are taken in order, by number or by name; the three do not mix."""

    def __init__(self, text: str, arguments: Sequence[Value]) -> None:
        self.text = text
        self.arguments = arguments
        self.at = 0
        self.taken = 0
        self.mode: str | None = None

    def run(self) -> str:
        """The formatted text."""
        parts: list[str] = []
        text = self.text
        while True:
            percent = text.find("%", self.at)
            if percent < 0:
                parts.append(text[self.at :])
                return "".join(parts)
            parts.append(text[self.at : percent])
            self.at = percent + 1
            parts.append(self._directive())

    # --- reading

    def _directive(self) -> str:
        directive = _Directive()
        touched = False
        text, end = self.text, len(self.text)
        while True:
            if self.at >= end:
                raise FunctionFailure("incomplete format specifier; use %% (double %) instead")
            letter = text[self.at]
            self.at += 1
            if letter == " ":
                directive.space = True
            elif letter == "#":
                directive.alternate = True
            elif letter == "+":
                directive.plus = True
            elif letter == "-":
                directive.left = True
            elif letter == "0":
                directive.zero = True
            elif letter in "123456789":
                self.at -= 1
                number = self._number()
                if self._peek() == "$":
                    self.at += 1
                    if directive.has_value:
                        raise FunctionFailure(f"value given twice - {number}$")
                    directive.value, directive.has_value = self._numbered(number), True
                elif directive.width is not None:
                    raise FunctionFailure("width given twice")
                else:
                    directive.width = number
            elif letter in "<{":
                made = self._name(letter, directive)
                if made is not None:
                    return made
            elif letter == "*":
                if directive.width is not None:
                    raise FunctionFailure("width given twice")
                directive.width = self._star()
                if directive.width < 0:
                    directive.left = True
                    directive.width = -directive.width
            elif letter == ".":
                if directive.precision is not None:
                    raise FunctionFailure("precision given twice")
                if self._peek() == "*":
                    self.at += 1
                    directive.precision = max(self._star(), -1)
                    directive.precision = None if directive.precision < 0 else directive.precision
                else:
                    directive.precision = self._number()
            elif letter in "\n\0" and not touched:
                return "%" + letter
            elif letter == "%":
                if touched:
                    raise FunctionFailure("invalid format character - %")
                return "%"
            else:
                return self._formatted(letter, directive)
            touched = True

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _number(self) -> int:
        begin = self.at
        while self._peek().isdigit() and self._peek().isascii():
            self.at += 1
        number = int(self.text[begin : self.at] or 0)
        if number > _MAX_WIDTH:
            raise FunctionFailure("width too big" if number > 2**31 - 1 else f"width too big (limit: {_MAX_WIDTH})")
        return number

    def _star(self) -> int:
        value: Value
        begin = self.at
        if self._peek().isdigit():
            number = self._number()
            if self._peek() == "$":
                self.at += 1
                value = self._numbered(number)
            else:
                self.at = begin
                value = self._next()
        else:
            value = self._next()
        width = _integer(value)
        if abs(width) > _MAX_WIDTH:
            raise FunctionFailure(f"width too big (limit: {_MAX_WIDTH})")
        return width

    def _name(self, letter: str, directive: _Directive) -> str | None:
        """Read `<name>` or `{name}`.  The latter is complete and gives its text."""
        closing = ">" if letter == "<" else "}"
        close = self.text.find(closing, self.at)
        if close < 0:
            raise FunctionFailure("malformed name - unmatched parenthesis")
        name = self.text[self.at : close]
        self.at = close + 1
        shown = f"{letter}{name}{closing}"
        if directive.name is not None:
            raise FunctionFailure(f"named{shown} after <{directive.name}>")
        if self.mode == "unnumbered":
            raise FunctionFailure(f"named{shown} after unnumbered({self.taken})")
        if self.mode == "numbered":
            raise FunctionFailure(f"named{shown} after numbered")
        self.mode = "named"
        directive.name = name
        if len(self.arguments) != 1 or not isinstance(self.arguments[0], dict):
            raise FunctionFailure("one hash required")
        if name not in self.arguments[0]:
            raise FunctionFailure(f"key{shown} not found")
        directive.value, directive.has_value = self.arguments[0][name], True
        return self._formatted("s", directive) if letter == "{" else None

    def _next(self) -> Value:
        if self.mode not in (None, "unnumbered"):
            raise FunctionFailure(f"unnumbered({self.taken + 1}) mixed with {self.mode}")
        self.mode = "unnumbered"
        self.taken += 1
        if self.taken > len(self.arguments):
            raise FunctionFailure("too few arguments")
        return self.arguments[self.taken - 1]

    def _numbered(self, number: int) -> Value:
        if self.mode == "unnumbered":
            raise FunctionFailure(f"numbered({number}) after unnumbered({self.taken})")
        if self.mode == "named":
            raise FunctionFailure(f"numbered({number}) after named")
        self.mode = "numbered"
        if not 1 <= number <= len(self.arguments):
            raise FunctionFailure("too few arguments")
        return self.arguments[number - 1]

    # --- formatting

    def _formatted(self, letter: str, directive: _Directive) -> str:
        if letter not in _BASES and letter not in "fgGeEaAcsp":
            raise FunctionFailure(f"malformed format string - %{letter}")
        value = directive.value if directive.has_value else self._next()
        if letter == "c":
            return _padded(_character(value), directive)
        if letter in "sp":
            text = ruby.legacy_text(value) if letter == "s" else ruby.inspect(value)
            if directive.precision is not None:
                text = text[: directive.precision]
            return _padded(text, directive)
        if letter in _BASES:
            return _format_integer(_integer(value), letter, directive)
        return _format_float(_float(value), letter, directive)


def _padded(text: str, directive: _Directive) -> str:
    width = directive.width or 0
    return text.ljust(width) if directive.left else text.rjust(width)


def _character(value: Value) -> str:
    if isinstance(value, str):
        if len(value) != 1:
            raise FunctionFailure("%c requires a character")
        return value
    if value is None:
        raise FunctionFailure("no implicit conversion from nil to integer")
    if not ruby.is_number(value):
        raise FunctionFailure(f"no implicit conversion of {_implicit(value)} into Integer")
    try:
        return chr(int(value))
    except (ValueError, OverflowError):
        raise FunctionFailure("invalid character") from None


def _integer(value: Value) -> int:
    if isinstance(value, str):
        number = ruby.read_integer(value)
        if number is None:
            raise FunctionFailure(f"invalid value for Integer(): {ruby.inspect(value)}")
        return number
    if isinstance(value, float):
        if not math.isfinite(value):
            raise FunctionFailure(ruby.to_s(value))
        return int(value)
    if ruby.is_number(value):
        return int(value)
    raise FunctionFailure(f"can't convert {_implicit(value)} into Integer")


def _float(value: Value) -> Any:
    if isinstance(value, str):
        number = ruby.read_float(value)
        if number is None:
            raise FunctionFailure(f"invalid value for Float(): {ruby.inspect(value)}")
        return number
    if ruby.is_number(value):
        return value
    raise FunctionFailure(f"can't convert {_implicit(value) if value is not DEFAULT else 'Symbol'} into Float")


def _in_base(number: int, base: int) -> str:
    if base == 10:
        return str(number)
    return format(number, {2: "b", 8: "o", 16: "x"}[base])


def _format_integer(number: int, letter: str, directive: _Directive) -> str:
    base = _BASES[letter]
    sign = ""
    dots = False
    if number < 0 and base != 10 and not (directive.plus or directive.space):
        digits = _twos_complement(number, base)
        dots = True
    else:
        digits = _in_base(abs(number), base)
        if number < 0:
            sign = "-"
        elif directive.plus:
            sign = "+"
        elif directive.space:
            sign = " "
    prefix = _PREFIXES.get(letter, "") if directive.alternate and number != 0 else ""
    if letter == "o" and dots:
        prefix = ""
    if letter == "X":
        digits = digits.upper()
    width = directive.width or 0
    fill = digits[0] if dots else "0"
    if directive.precision is not None:
        if directive.precision == 0 and number == 0:
            digits = "0" if letter == "o" and directive.alternate else ""
        length = directive.precision - (2 if dots else 0)
        digits = digits.rjust(length, fill)
    elif directive.zero and not directive.left:
        length = width - len(sign) - len(prefix) - (2 if dots else 0)
        digits = digits.rjust(length, fill)
    return _padded(f"{sign}{prefix}{'..' if dots else ''}{digits}", directive)


def _twos_complement(number: int, base: int) -> str:
    """The digits of a negative number in two's complement, begun with one digit that stands for endlessly many."""
    bits = {2: 1, 8: 3, 16: 4}[base]
    length = (number.bit_length() // bits + 2) * bits
    digits = _in_base(number + (1 << length), base)
    top = _DIGITS[base - 1]
    return top + digits.lstrip(top)


def _format_float(number: Any, letter: str, directive: _Directive) -> str:
    flags = ("#" if directive.alternate else "") + ("+" if directive.plus else " " if directive.space else "")
    if isinstance(number, int) and letter == "f" and abs(number) >= 2**53:
        precision = 6 if directive.precision is None else directive.precision
        sign = "-" if number < 0 else flags.strip("#")
        text = sign + str(abs(number)) + ("." + "0" * precision if precision else "")
    else:
        number = float(number)
        if not math.isfinite(number):
            sign = "-" if number < 0 else flags.strip("#")
            return _padded(sign + ("NaN" if math.isnan(number) else "Inf"), directive)
        if letter in "aA":
            text = _hexadecimal(number, directive.precision, flags)
            text = text.upper() if letter == "A" else text
        else:
            digits = "" if directive.precision is None else f".{directive.precision}"
            text = f"%{flags}{digits}{letter}" % number
    if directive.zero and not directive.left:
        sign = text[:1] if text[:1] in "+- " else ""
        body = text[len(sign) :]
        lead = body[:2] if letter in "aA" else ""
        text = sign + lead + body[len(lead) :].rjust((directive.width or 0) - len(sign) - len(lead), "0")
    return _padded(text, directive)


def _hexadecimal(number: float, precision: int | None, flags: str) -> str:
    """`%a`: C's hexadecimal notation with as few digits as are needed, or rounded to `precision` of them."""
    sign = "-" if math.copysign(1.0, number) < 0 else flags.strip("#")
    number = abs(number)
    if number == 0:
        mantissa, exponent = 0, 0
    else:
        fraction, exponent = math.frexp(number)
        mantissa, exponent = int(fraction * 2**53), exponent - 1
    lead, rest = mantissa >> 52, mantissa & ((1 << 52) - 1)
    digits = f"{rest:013x}"
    if precision is None:
        digits = digits.rstrip("0")
    elif precision < 13:
        scale = 4 * (13 - precision)
        whole = (lead << 52) | rest
        kept, cut = whole >> scale, whole & ((1 << scale) - 1)
        half = 1 << (scale - 1)
        kept += 1 if cut > half or (cut == half and kept & 1) else 0
        if kept >> (4 * precision) > 1:
            kept >>= 1
            exponent += 1
        lead = kept >> (4 * precision)
        digits = f"{kept & ((1 << 4 * precision) - 1):0{precision}x}" if precision else ""
    else:
        digits = digits.ljust(precision, "0")
    return f"{sign}0x{lead}{'.' if digits or '#' in flags else ''}{digits}p{exponent:+d}"
