"""Ruby's `sprintf`, for `String(value, '%#x')` and for the function `sprintf`, and Ruby's way to read numbers.

The directives are `wherefrom.base.sprintf`'s; here is what a Puppet value is as a number or a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ...base.sprintf import Conversions, Formatter, text_literal
from ..kernel.type_failures import FormatProblem
from ..kernel.values import Value


def sprintf(template: str, arguments: Sequence[Value], shown: Callable[[Value], str] | None = None) -> str:
    """`template` with its directives replaced by the arguments; `shown` gives the text for `%s`."""
    return Formatter(template, arguments, _Conversions(shown or to_s)).run()


class _Conversions(Conversions):
    """Puppet values in formats."""

    def __init__(self, shown: Callable[[Value], str]) -> None:
        self._shown = shown

    def text(self, value: Value) -> str:
        return self._shown(value)

    def problem(self, words: str) -> Exception:
        return FormatProblem(words)

    def integer(self, value: Value) -> int:
        return to_integer(value)

    def float(self, value: Value) -> Any:
        return to_float(value)

    def inspect(self, value: Value) -> str:
        return inspect(value)

    def character(self, value: Value) -> str:
        return _character(value)

    def named(self, arguments: Sequence[Value], name: str, shown: str) -> Value:
        if len(arguments) != 1 or not isinstance(arguments[0], dict):
            raise FormatProblem("one hash required")
        if name not in arguments[0]:
            raise FormatProblem(f"key{shown} not found")
        return arguments[0][name]


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
    parts = re.fullmatch(r"\s*([+-]?)(0[xXbBoOdD])?([0-9a-zA-Z]+(?:_[0-9a-zA-Z]+)*)\s*", text)
    if parts is None:
        raise problem
    prefix = (parts[2] or "").lower()
    digits = parts[3].replace("_", "")
    named = {"0x": 16, "0b": 2, "0o": 8, "0d": 10}.get(prefix)
    if named is not None and radix is not None and named != radix:
        # `Integer('0b1', 16)`: the letter is a digit of the radix
        digits, named = prefix + digits, radix
    base = radix or named or (8 if digits.startswith("0") and len(digits) > 1 else 10)
    try:
        number = int(digits, base)
    except ValueError:
        raise problem from None
    return -number if parts[1] == "-" else number


def to_float(value: Value) -> object:
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
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return inspect(value)
    from ..kernel.values import Regexp
    from .printing import puppet_string
    from .regexps import group_text

    if isinstance(value, Regexp):
        return group_text(value.source)
    return puppet_string(value)


_URI_CLASSES = {
    **{scheme: scheme.upper() for scheme in ("ftp", "http", "https", "ldap", "ldaps", "ws", "wss")},
    "file": "File",
    "mailto": "MailTo",
}
"""The schemes that have a class of their own in Ruby."""


def inspect(value: Value) -> str:
    """Ruby's `inspect`."""
    if isinstance(value, list | dict):
        from ..kernel.values import weigh_text

        weigh_text(value)
    return _inspect(value)


def _inspect(value: Value) -> str:
    from ..kernel.values import URI, Default, Regexp, SemVerRange, Sensitive, key_value
    from .printing import puppet_string
    from .regexps import literal_text

    if value is None:
        return "nil"
    if isinstance(value, str):
        return text_literal(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(_inspect, value)) + "]"
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{_inspect(key_value(key))}=>{_inspect(element)}" for key, element in value.items()) + "}"
        )
    if isinstance(value, Default):
        return ":default"
    if isinstance(value, Regexp):
        return literal_text(value.source)
    if isinstance(value, Sensitive):
        return "#<Sensitive [value redacted]>"
    if isinstance(value, SemVerRange):
        return " || ".join(map(str, value.alternatives))
    if isinstance(value, URI):
        return f"#<URI::{_URI_CLASSES.get((value.scheme or '').lower(), 'Generic')} {value.text}>"
    return puppet_string(value)
