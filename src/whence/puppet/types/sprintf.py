"""Ruby's `sprintf`, for `String(value, '%#x')` and for the function `sprintf`, and Ruby's way to read numbers.

    %[flags][width][.precision]type        flags: space # + - 0 * DIGITS$   types: d i u f e E g G a A b B o x X c s p %
    %<name>...type    %{name}              the arguments are then one hash

Ruby differs from C and Python mainly in negative numbers: without a sign flag, `%x` of -255 is the two's complement
`..f01` (Ruby 3.1 core reference, Kernel#format).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from ..kernel.type_failures import FormatProblem
from ..kernel.values import Value

MAXIMUM_WIDTH = 1_000_000
_BASES = {"d": 10, "i": 10, "u": 10, "o": 8, "x": 16, "X": 16, "b": 2, "B": 2}
_PREFIXES = {"o": "0", "x": "0x", "X": "0X", "b": "0b", "B": "0B"}
_DIGITS = "0123456789abcdef"


def sprintf(template: str, arguments: Sequence[Value], shown: Callable[[Value], str] | None = None) -> str:
    """`template` with its directives replaced by the arguments; `shown` gives the text for `%s`."""
    return _Formatter(template, arguments, shown or to_s).run()


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


class _Formatter:
    """One run over a format.  Arguments are taken in order, by number or by name; the three do not mix."""

    def __init__(self, text: str, arguments: Sequence[Value], shown: Callable[[Value], str]) -> None:
        self.text = text
        self.arguments = arguments
        self.shown = shown
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
                raise FormatProblem("incomplete format specifier; use %% (double %) instead")
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
                        raise FormatProblem(f"value given twice - {number}$")
                    directive.value, directive.has_value = self._numbered(number), True
                elif directive.width is not None:
                    raise FormatProblem("width given twice")
                else:
                    directive.width = number
            elif letter in "<{":
                made = self._name(letter, directive)
                if made is not None:
                    return made
            elif letter == "*":
                if directive.width is not None:
                    raise FormatProblem("width given twice")
                directive.width = self._star()
                if directive.width < 0:
                    directive.left = True
                    directive.width = -directive.width
            elif letter == ".":
                if directive.precision is not None:
                    raise FormatProblem("precision given twice")
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
                    raise FormatProblem("invalid format character - %")
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
            raise FormatProblem("width too big" if number > 2**31 - 1 else f"width too big (limit: {MAXIMUM_WIDTH})")
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
        width = to_integer(value)
        if abs(width) > MAXIMUM_WIDTH:
            raise FormatProblem(f"width too big (limit: {MAXIMUM_WIDTH})")
        return width

    def _name(self, letter: str, directive: _Directive) -> str | None:
        """Read `<name>` or `{name}`.  The latter is complete and gives its text."""
        closing = ">" if letter == "<" else "}"
        close = self.text.find(closing, self.at)
        if close < 0:
            raise FormatProblem("malformed name - unmatched parenthesis")
        name = self.text[self.at : close]
        self.at = close + 1
        shown = f"{letter}{name}{closing}"
        if directive.name is not None:
            raise FormatProblem(f"named{shown} after <{directive.name}>")
        if self.mode == "unnumbered":
            raise FormatProblem(f"named{shown} after unnumbered({self.taken})")
        if self.mode == "numbered":
            raise FormatProblem(f"named{shown} after numbered")
        self.mode = "named"
        directive.name = name
        if len(self.arguments) != 1 or not isinstance(self.arguments[0], dict):
            raise FormatProblem("one hash required")
        if name not in self.arguments[0]:
            raise FormatProblem(f"key{shown} not found")
        directive.value, directive.has_value = self.arguments[0][name], True
        return self._formatted("s", directive) if letter == "{" else None

    def _next(self) -> Value:
        if self.mode not in (None, "unnumbered"):
            raise FormatProblem(f"unnumbered({self.taken + 1}) mixed with {self.mode}")
        self.mode = "unnumbered"
        self.taken += 1
        if self.taken > len(self.arguments):
            raise FormatProblem("too few arguments")
        return self.arguments[self.taken - 1]

    def _numbered(self, number: int) -> Value:
        if self.mode == "unnumbered":
            raise FormatProblem(f"numbered({number}) after unnumbered({self.taken})")
        if self.mode == "named":
            raise FormatProblem(f"numbered({number}) after named")
        self.mode = "numbered"
        if not 1 <= number <= len(self.arguments):
            raise FormatProblem("too few arguments")
        return self.arguments[number - 1]

    # --- formatting

    def _formatted(self, letter: str, directive: _Directive) -> str:
        if letter not in _BASES and letter not in "fgGeEaAcsp":
            raise FormatProblem(f"malformed format string - %{letter}")
        value = directive.value if directive.has_value else self._next()
        if letter == "c":
            return _padded(_character(value), directive)
        if letter in "sp":
            text = self.shown(value) if letter == "s" else inspect(value)
            if directive.precision is not None:
                text = text[: directive.precision]
            return _padded(text, directive)
        if letter in _BASES:
            return _format_integer(to_integer(value), letter, directive)
        return _format_float(to_float(value), letter, directive)


def _padded(text: str, directive: _Directive) -> str:
    width = directive.width or 0
    return text.ljust(width) if directive.left else text.rjust(width)


def _character(value: Value) -> str:
    if isinstance(value, str):
        if len(value) != 1:
            raise FormatProblem("%c requires a character")
        return value
    if value is None:
        raise FormatProblem("no implicit conversion from nil to integer")
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise FormatProblem(f"no implicit conversion of {_implicit(value)} into Integer")
    try:
        return chr(int(value))
    except (ValueError, OverflowError):
        raise FormatProblem("invalid character") from None


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


# --- reading and showing values --------------------------------------------------------------------------------------


def _implicit(value: Value) -> str:
    from .access import ruby_class

    if value is None:
        return "nil"
    return str(value).lower() if isinstance(value, bool) else ruby_class(value)


def to_integer(value: Value) -> int:
    """Ruby's `Integer(value)`."""
    from ..kernel.values import Timespan, Timestamp

    if value is None:
        raise FormatProblem("can't convert nil into Integer")
    if isinstance(value, bool):
        raise FormatProblem(f"can't convert {'true' if value else 'false'} into Integer")
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            from .printing import float_text

            raise FormatProblem(float_text(value))
        return int(value)
    if isinstance(value, Timespan | Timestamp):
        return value.nanoseconds // 1_000_000_000
    if isinstance(value, str):
        return integer_from_text(value)
    from .access import ruby_class

    raise FormatProblem(f"can't convert {ruby_class(value)} into Integer")


def integer_from_text(text: str, radix: int | None = None) -> int:
    """`Integer(text)` or `Integer(text, radix)`: prefixes say the radix; anything else is an error."""
    problem = FormatProblem(f"invalid value for Integer(): {inspect(text)}")
    found = re.fullmatch(r"\s*([+-]?)(0[xXbBoOdD])?([0-9a-zA-Z]+(?:_[0-9a-zA-Z]+)*)\s*", text)
    if found is None:
        raise problem
    prefix = (found[2] or "").lower()
    digits = found[3].replace("_", "")
    named = {"0x": 16, "0b": 2, "0o": 8, "0d": 10}.get(prefix)
    if named is not None and radix is not None and named != radix:
        # `Integer('0b1', 16)`: the letter is a digit of the radix
        digits, named = prefix + digits, radix
    base = radix or named or (8 if digits.startswith("0") and len(digits) > 1 else 10)
    try:
        number = int(digits, base)
    except ValueError:
        raise problem from None
    return -number if found[1] == "-" else number


def to_float(value: Value) -> Any:
    """Ruby's `Float(value)`; whole numbers stay as they are, for `%f` shows them to the last digit."""
    from ..kernel.values import Timespan, Timestamp

    if value is None:
        raise FormatProblem("can't convert nil into Float")
    if isinstance(value, bool):
        raise FormatProblem(f"can't convert {'true' if value else 'false'} into Float")
    if isinstance(value, int | float):
        return value
    if isinstance(value, Timespan | Timestamp):
        return value.seconds
    if isinstance(value, str):
        return float_from_text(value)
    from .access import ruby_class

    raise FormatProblem(f"can't convert {ruby_class(value)} into Float")


def float_from_text(text: str) -> float:
    """`Float(text)`"""
    digits = r"\d+(?:_\d+)*"
    if re.fullmatch(rf"\s*[+-]?(?:{digits}(?:\.{digits})?|\.{digits})(?:[eE][+-]?{digits})?\s*", text):
        return float(text.replace("_", ""))
    if re.fullmatch(r"\s*[+-]?0[xX][0-9a-fA-F]+(?:\.[0-9a-fA-F]+)?(?:[pP][+-]?\d+)?\s*", text):
        return float.fromhex(text.strip())
    # Ruby shows the bytes of what is not ASCII here, and only here.
    shown = inspect(text).encode("utf-8")
    raise FormatProblem("invalid value for Float(): " + "".join(chr(b) if b < 0x80 else f"\\x{b:02X}" for b in shown))


def to_s(value: Value) -> str:
    """Ruby's `to_s`."""
    from .printing import puppet_string

    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return inspect(value)
    from ..kernel.values import Regexp

    if isinstance(value, Regexp):
        return _regexp_to_s(value.source)
    return puppet_string(value)


def _regexp_to_s(source: str) -> str:
    """`Regexp#to_s`: the source in a group that fixes its options."""
    found = re.fullmatch(r"\(\?([mix]*)(?:-([mix]*))?:(.*)\)", source, re.DOTALL)
    if found is not None and _balanced(found[3]):
        on = "".join(each for each in "mix" if each in found[1])
        off = "".join(each for each in "mix" if each not in on)
        return f"(?{on}{'-' if off else ''}{off}:{found[3]})"
    return f"(?-mix:{source})"


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


def inspect(value: Value) -> str:
    """Ruby's `inspect`."""
    from ..kernel.values import Default, Regexp, SemVerRange, Sensitive, key_value
    from .printing import puppet_string, regexp_text

    if value is None:
        return "nil"
    if isinstance(value, str):
        written = "".join(each if each not in _ESCAPES and each.isprintable() else _escaped(each) for each in value)
        return '"' + re.sub(r"#(?=[{$@])", r"\\#", written) + '"'
    if isinstance(value, list):
        return "[" + ", ".join(map(inspect, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{inspect(key_value(key))}=>{inspect(each)}" for key, each in value.items()) + "}"
    if isinstance(value, Default):
        return ":default"
    if isinstance(value, Regexp):
        return regexp_text(value.source)
    if isinstance(value, Sensitive):
        return "#<Sensitive [value redacted]>"
    if isinstance(value, SemVerRange):
        return " || ".join(map(str, value.alternatives))
    return puppet_string(value)
