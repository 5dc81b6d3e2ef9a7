"""Ruby's `sprintf`, for `String(value, '%#x')` and for the function `sprintf`.

Directives are `%[flags][width][.precision]letter`, with positional (`%1$s`) and named (`%<name>d`, `%{name}`) arguments
and `*` for width and precision. Ruby differs from C and Python mainly in negative numbers: without a sign flag, `%x` of
-255 is the two's complement `..f01` (Ruby 3.1 core reference, format specifications).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..values import Value
from .errors import FormatProblem

_DIRECTIVE = re.compile(
    r"%(?P<flags>[ #+\-0]*)(?P<first>(?:\d+\$|<[^>]+>)?)(?P<more>[ #+\-0]*)"
    r"(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?(?P<second>(?:<[^>]+>)?)(?:(?P<named>\{[^}]+\})|(?P<letter>.))?",
    re.DOTALL,
)
MAXIMUM_WIDTH = 1_000_000


def sprintf(template: str, arguments: Sequence[Value]) -> str:
    """`template` with its directives replaced by the arguments."""
    taken = 0
    written = []
    at = 0

    def take() -> Value:
        nonlocal taken
        if taken >= len(arguments):
            raise FormatProblem("too few arguments")
        taken += 1
        return arguments[taken - 1]

    for found in _DIRECTIVE.finditer(template):
        written.append(template[at : found.start()])
        at = found.end()
        letter = found["letter"]
        flags = found["flags"] + found["more"]
        named = found["named"] or found["first"] or found["second"]
        if letter == "%" and len(found[0]) == 2:
            written.append("%")
            continue
        if letter in ("\n", "\0") or (letter is None and not found["named"]):
            if found[0] == "%" or letter is None:
                raise FormatProblem("incomplete format specifier; use %% (double %) instead")
            written.append(found[0])
            continue
        width = _count(take() if found["width"] == "*" else found["width"])
        if width is not None and width < 0:
            flags, width = flags + "-", -width
        precision_text = found["precision"]
        precision = _count(
            take() if precision_text == "*" else (precision_text or "0") if precision_text is not None else None
        )
        if found["named"] or (named and named[0] == "<"):
            value = _named(arguments, named.strip("<>{}"), named)
            if found["named"]:
                written.append(_pad(_text(value), flags, width, precision))
                continue
        elif named:
            index = int(named[:-1])
            if not 1 <= index <= len(arguments):
                raise FormatProblem("too few arguments" if index else "invalid index - 0$")
            value = arguments[index - 1]
        else:
            value = take()
        written.append(directive(flags, width, precision, letter or "", value))
    written.append(template[at:])
    return "".join(written)


def _count(given: Value) -> int | None:
    if given is None:
        return None
    number = to_integer(given)
    if abs(number) > MAXIMUM_WIDTH:
        raise FormatProblem("width too big")
    return number


def _named(arguments: Sequence[Value], name: str, shown: str) -> Value:
    if len(arguments) != 1 or not isinstance(arguments[0], dict):
        raise FormatProblem("one hash required")
    if name not in arguments[0]:
        raise FormatProblem(f"key{shown} not found")
    return arguments[0][name]


def directive(flags: str, width: int | None, precision: int | None, letter: str, value: Value) -> str:
    """One value under one directive."""
    if letter in ("d", "i", "u"):
        return _integer(flags, width, precision, 10, "", to_integer(value))
    if letter in _RADIX:
        base, prefix = _RADIX[letter]
        text = _integer(flags, width, precision, base, prefix, to_integer(value))
        return text.upper() if letter == "X" else text
    if letter in ("f", "e", "E", "g", "G", "a", "A"):
        return _float(flags, width, precision, letter, to_float(value))
    if letter == "s":
        return _pad(_text(value), flags, width, precision)
    if letter == "p":
        return _pad(inspect(value), flags, width, precision)
    if letter == "c":
        char = value[:1] if isinstance(value, str) else chr(to_integer(value))
        return _pad(char, flags, width, None)
    raise FormatProblem(f"malformed format string - %{letter}")


_RADIX = {"x": (16, "0x"), "X": (16, "0x"), "o": (8, "0"), "b": (2, "0b"), "B": (2, "0B")}


def _pad(text: str, flags: str, width: int | None, precision: int | None) -> str:
    if precision is not None:
        text = text[:precision]
    if width is None:
        return text
    return text.ljust(width) if "-" in flags else text.rjust(width)


def _digits(number: int, base: int) -> str:
    return {16: f"{number:x}", 8: f"{number:o}", 2: f"{number:b}"}.get(base, str(number))


def _integer(flags: str, width: int | None, precision: int | None, base: int, prefix: str, number: int) -> str:
    sign = ""
    if base != 10 and number < 0 and "+" not in flags and " " not in flags:
        digits, filler = _complement(number, base), {16: "f", 8: "7", 2: "1"}[base]
        dots = ".."
        if "0" in flags and width is not None and "-" not in flags:
            digits = digits.rjust(width - 2 - (len(prefix) if "#" in flags else 0), filler)
        if precision is not None:
            digits, dots = digits.rjust(precision, filler), ""
        body = (prefix if "#" in flags else "") + dots + digits
        return _pad(body, flags, width, None)
    sign = "-" if number < 0 else "+" if "+" in flags else " " if " " in flags else ""
    digits = _digits(abs(number), base)
    lead = prefix if "#" in flags and number != 0 else ""
    if precision is not None:
        digits = digits.zfill(precision)
    elif "0" in flags and "-" not in flags and width is not None:
        digits = digits.zfill(width - len(sign) - len(lead))
    return _pad(sign + lead + digits, flags, width, None)


def _complement(number: int, base: int) -> str:
    """The digits of a negative number in two's complement, starting with one digit of the endless left side."""
    bits = {16: 4, 8: 3, 2: 1}[base]
    count = 1
    while number < -(1 << (bits * count - 1)) and bits * count < 1 << 20:
        count += 1
    if base == 2:
        count = max(number.bit_length() + 1, 1)
        digits = _digits(number & ((1 << count) - 1), 2).zfill(count)
        return digits.lstrip("1").rjust(1, "1") if not digits.strip("1") else "1" + digits.lstrip("1")
    digits = _digits(number & ((1 << (bits * count)) - 1), base).zfill(count)
    filler = "f" if base == 16 else "7"
    return filler + digits.lstrip(filler)


def _float(flags: str, width: int | None, precision: int | None, letter: str, number: float) -> str:
    sign = "-" if str(number).startswith("-") else "+" if "+" in flags else " " if " " in flags else ""
    if number != number or number in (float("inf"), float("-inf")):
        return _pad(sign + ("NaN" if number != number else "Inf"), flags, width, None)
    size = abs(number)
    if letter in "aA":
        body = _hexadecimal(size, precision)
        body = body.upper() if letter == "A" else body
    else:
        body = f"%{'#' if '#' in flags else ''}.{6 if precision is None else precision}{letter}" % size
    if "0" in flags and "-" not in flags and width is not None:
        body = body.zfill(width - len(sign)) if letter not in "aA" else body[:2] + body[2:].zfill(width - len(sign) - 2)
    return _pad(sign + body, flags, width, None)


def _hexadecimal(size: float, precision: int | None) -> str:
    mantissa, _, exponent = size.hex().partition("p")
    whole, _, fraction = mantissa.partition(".")
    if precision is None:
        fraction = fraction.rstrip("0")
    else:
        digits = int("1" + fraction.ljust(13, "0")[:13], 16) if fraction else 1 << 52
        shift = 4 * max(13 - precision, 0)
        rounded = (digits + (1 << shift >> 1)) >> shift if shift else digits
        fraction = f"{rounded:x}"[1:].ljust(precision, "0")
    return f"{whole}{'.' if fraction else ''}{fraction}p{exponent}"


def to_integer(value: Value) -> int:
    """Ruby's `Integer(value)`."""
    from ..values import Timespan, Timestamp

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
        return int(value // 1)
    if isinstance(value, Timespan | Timestamp):
        return value.nanoseconds // 1_000_000_000
    if isinstance(value, str):
        return integer_from_text(value)
    from .access import ruby_class

    raise FormatProblem(f"can't convert {ruby_class(value)} into Integer")


_INTEGER = re.compile(
    r"\s*([+-]?)(0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[bB][01]+(?:_[01]+)*|0[oO]?[0-7]+(?:_[0-7]+)*"
    r"|0[dD]\d+|[1-9]\d*(?:_\d+)*|0)\s*"
)


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


def to_float(value: Value) -> float:
    """Ruby's `Float(value)`."""
    from ..values import Timespan, Timestamp

    if value is None:
        raise FormatProblem("can't convert nil into Float")
    if isinstance(value, bool):
        raise FormatProblem(f"can't convert {'true' if value else 'false'} into Float")
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, Timespan | Timestamp):
        return value.seconds
    if isinstance(value, str):
        return float_from_text(value)
    from .access import ruby_class

    raise FormatProblem(f"can't convert {ruby_class(value)} into Float")


def float_from_text(text: str) -> float:
    """`Float(text)`"""
    if re.fullmatch(r"\s*[+-]?\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?(?:[eE][+-]?\d+)?\s*", text):
        return float(text.replace("_", ""))
    if re.fullmatch(r"\s*[+-]?0[xX][0-9a-fA-F]+(?:\.[0-9a-fA-F]+)?(?:[pP][+-]?\d+)?\s*", text):
        return float.fromhex(text.strip())
    raise FormatProblem(f"invalid value for Float(): {inspect(text)}")


def _text(value: Value) -> str:
    """Ruby's `to_s`."""
    from .printing import puppet_string

    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return inspect(value)
    from ..values import Regexp

    if isinstance(value, Regexp):
        return f"(?-mix:{value.source})"
    return puppet_string(value)


_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\x1b": "\\e", "\x07": "\\a", "\x08": "\\b",
    "\x0b": "\\v", "\x0c": "\\f",
}  # fmt: skip


def inspect(value: Value) -> str:
    """Ruby's `inspect`."""
    from ..values import Default, Regexp, SemVerRange, Sensitive, key_value
    from .printing import puppet_string, regexp_text

    if value is None:
        return "nil"
    if isinstance(value, str):
        written = "".join(
            _ESCAPES.get(each) or (f"\\x{ord(each):02X}" if each < " " or each == "\x7f" else each) for each in value
        )
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
