"""Ruby's `sprintf`.

    %[flags][width][.precision]type        flags: space # + - 0 * DIGITS$   types: d i u f e E g G a A b B o x X c s p %
    %<name>...type    %{name}              the arguments are then one hash

Ruby differs from C and Python mainly in negative numbers: without a sign flag, `%x` of -255 is the two's complement
`..f01` (Ruby 3.1 core reference, Kernel#format), and in how it rounds (`wherefrom.base.floats`). What a value is as a
number or a text is for the language to say: it passes `Conversions`.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from .budget import current
from .floats import fixed, scientific


class Conversions(ABC):
    """What a format needs to know of values; each method raises the language's own error."""

    @abstractmethod
    def problem(self, words: str) -> Exception:
        """The error of a format that is wrong."""

    @abstractmethod
    def integer(self, value: Any) -> int:
        """`Integer(value)`"""

    @abstractmethod
    def float(self, value: Any) -> Any:
        """`Float(value)`; whole numbers stay as they are, for `%f` shows them to the last digit."""

    @abstractmethod
    def text(self, value: Any) -> str:
        """`value.to_s`"""

    @abstractmethod
    def inspect(self, value: Any) -> str:
        """`value.inspect`"""

    @abstractmethod
    def character(self, value: Any) -> str:
        """What `%c` shows."""

    @abstractmethod
    def named(self, arguments: Sequence[Any], name: str, shown: str) -> Any:
        """The value of `name` in the one hash that is given; `shown` is the directive, for the error."""


MAXIMUM_WIDTH = 1_000_000
FEW = 100  # characters; what is no longer draws nothing from the budget
_BASES = {"d": 10, "i": 10, "u": 10, "o": 8, "x": 16, "X": 16, "b": 2, "B": 2}
_PREFIXES = {"o": "0", "x": "0x", "X": "0X", "b": "0b", "B": "0B"}
_DIGITS = "0123456789abcdef"


class _Directive:
    """What stands between `%` and the type's letter."""

    __slots__ = ("alternate", "has_value", "left", "name", "plus", "precision", "space", "value", "width", "zero")

    def __init__(self) -> None:
        self.alternate = self.left = self.plus = self.space = self.zero = False
        self.width: int | None = None
        self.precision: int | None = None
        self.name: str | None = None
        self.has_value = False
        self.value: Any = None


class Formatter:
    """One run over a format.  Arguments are taken in order, by number or by name; the three do not mix."""

    def __init__(self, text: str, arguments: Sequence[Any], conversions: Conversions) -> None:
        self.text = text
        self.arguments = arguments
        self.conversions = conversions
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
            part = self._directive()
            if len(part) > FEW:
                current().draw("characters", len(part), "formatting a text")
            parts.append(part)

    # --- reading

    def _directive(self) -> str:
        directive = _Directive()
        touched = False
        text, end = self.text, len(self.text)
        while True:
            if self.at >= end:
                raise self.conversions.problem("incomplete format specifier; use %% (double %) instead")
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
                        raise self.conversions.problem(f"value given twice - {number}$")
                    directive.value, directive.has_value = self._numbered(number), True
                elif directive.width is not None:
                    raise self.conversions.problem("width given twice")
                else:
                    directive.width = number
            elif letter in "<{":
                named = self._name(letter, directive)
                if named is not None:
                    return named
            elif letter == "*":
                if directive.width is not None:
                    raise self.conversions.problem("width given twice")
                directive.width = self._star()
                if directive.width < 0:
                    directive.left = True
                    directive.width = -directive.width
            elif letter == ".":
                if directive.precision is not None:
                    raise self.conversions.problem("precision given twice")
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
                    raise self.conversions.problem("invalid format character - %")
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
        if number > MAXIMUM_WIDTH:
            raise self.conversions.problem(
                "width too big" if number > 2**31 - 1 else f"width too big (limit: {MAXIMUM_WIDTH})"
            )
        return number

    def _star(self) -> int:
        value: object
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
        width = self.conversions.integer(value)
        if abs(width) > MAXIMUM_WIDTH:
            raise self.conversions.problem(f"width too big (limit: {MAXIMUM_WIDTH})")
        return width

    def _name(self, letter: str, directive: _Directive) -> str | None:
        """Read `<name>` or `{name}`.  The latter is complete and gives its text."""
        closing = ">" if letter == "<" else "}"
        close = self.text.find(closing, self.at)
        if close < 0:
            raise self.conversions.problem("malformed name - unmatched parenthesis")
        name = self.text[self.at : close]
        self.at = close + 1
        shown = f"{letter}{name}{closing}"
        if directive.name is not None:
            raise self.conversions.problem(f"named{shown} after <{directive.name}>")
        if self.mode == "unnumbered":
            raise self.conversions.problem(f"named{shown} after unnumbered({self.taken})")
        if self.mode == "numbered":
            raise self.conversions.problem(f"named{shown} after numbered")
        self.mode = "named"
        directive.name = name
        directive.value, directive.has_value = self.conversions.named(self.arguments, name, shown), True
        return self._formatted("s", directive) if letter == "{" else None

    def _next(self) -> object:
        if self.mode not in (None, "unnumbered"):
            raise self.conversions.problem(f"unnumbered({self.taken + 1}) mixed with {self.mode}")
        self.mode = "unnumbered"
        self.taken += 1
        if self.taken > len(self.arguments):
            raise self.conversions.problem("too few arguments")
        return self.arguments[self.taken - 1]

    def _numbered(self, number: int) -> object:
        if self.mode == "unnumbered":
            raise self.conversions.problem(f"numbered({number}) after unnumbered({self.taken})")
        if self.mode == "named":
            raise self.conversions.problem(f"numbered({number}) after named")
        self.mode = "numbered"
        if not 1 <= number <= len(self.arguments):
            raise self.conversions.problem("too few arguments")
        return self.arguments[number - 1]

    # --- formatting

    def _formatted(self, letter: str, directive: _Directive) -> str:
        if letter not in _BASES and letter not in "fgGeEaAcsp":
            raise self.conversions.problem(f"malformed format string - %{letter}")
        value = directive.value if directive.has_value else self._next()
        size = (directive.width or 0) + (directive.precision or 0)
        if size > FEW:
            current().draw("characters", size, "formatting a text")
        if letter == "c":
            return _padded(self.conversions.character(value), directive)
        if letter in "sp":
            text = self.conversions.text(value) if letter == "s" else self.conversions.inspect(value)
            if directive.precision is not None:
                text = text[: directive.precision]
            return _padded(text, directive)
        if letter in _BASES:
            return _format_integer(self.conversions.integer(value), letter, directive)
        return _format_float(self.conversions.float(value), letter, directive)


def _padded(text: str, directive: _Directive) -> str:
    width = directive.width or 0
    return text.ljust(width) if directive.left else text.rjust(width)


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
    if letter == "o" and prefix and directive.precision is not None and directive.precision > len(digits):
        prefix = ""
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


def hexadecimal(number: int) -> str:
    """`"0x%x" % number`: a negative number in two's complement."""
    return f"0x{number:x}" if number >= 0 else f"0x..{_twos_complement(number, 16)}"


def _twos_complement(number: int, base: int) -> str:
    """The digits of a negative number in two's complement, begun with one digit that stands for endlessly many."""
    bits = {2: 1, 8: 3, 16: 4}[base]
    length = (number.bit_length() // bits + 2) * bits
    digits = _in_base(number + (1 << length), base)
    top = _DIGITS[base - 1]
    return top + digits.lstrip(top)


def _format_float(number: Any, letter: str, directive: _Directive) -> str:
    flags = ("#" if directive.alternate else "") + ("+" if directive.plus else " " if directive.space else "")
    if isinstance(number, int) and letter == "f":
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
            text = _decimal(number, letter, directive.precision, flags)
    if directive.zero and not directive.left:
        sign = text[:1] if text[:1] in "+- " else ""
        body = text[len(sign) :]
        lead = body[:2] if letter in "aA" else ""
        text = sign + lead + body[len(lead) :].rjust((directive.width or 0) - len(sign) - len(lead), "0")
    return _padded(text, directive)


def _decimal(number: float, letter: str, precision: int | None, flags: str) -> str:
    """`%f`, `%e` and `%g`, with Ruby's own rounding."""
    if letter in "gG" or "#" in flags:
        digits = "" if precision is None else f".{precision}"
        return f"%{flags}{digits}{letter}" % number
    digits_wanted = 6 if precision is None else precision
    text = fixed(number, digits_wanted) if letter == "f" else scientific(number, digits_wanted)
    if not text.startswith("-"):
        text = flags + text
    return text.upper() if letter == "E" else text


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


_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\x1b": "\\e", "\x07": "\\a", "\x08": "\\b",
    "\x0b": "\\v", "\x0c": "\\f",
}  # fmt: skip


def _escaped(char: str) -> str:
    code = ord(char)
    if char in _ESCAPES:
        return _ESCAPES[char]
    if code < 0x80:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\u{{{code:X}}}"


def text_literal(text: str, ascii_only: bool = False) -> str:
    """A text as Ruby writes it in its code: `inspect`, or `dump`, which has nothing but ASCII."""

    def is_plain(character: str) -> bool:
        return character not in _ESCAPES and character.isprintable() and (not ascii_only or character.isascii())

    written = "".join(character if is_plain(character) else _escaped(character) for character in text)
    return '"' + re.sub(r"#(?=[{$@])", r"\\#", written) + '"'
