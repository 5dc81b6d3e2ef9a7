"""Reading numbers as Ruby does, and Ruby's `format`.

>>> to_i("12abc", 10), to_i("0x1f", 10), to_i("1_000", 10), to_i("z", 36)
(12, 0, 1000, 35)
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..base.diagnostics import LimitReached
from ..base.keys import Symbol
from ..base.sprintf import Conversions, Formatter
from .classes import class_name, error, integer_of, kind_word, refuse_digits
from .showing import inspect, quote, to_s
from .values import Text, Value

if TYPE_CHECKING:
    from .interpreter import Interpreter

_PREFIXES = {"0x": 16, "0b": 2, "0o": 8, "0d": 10}
_FLOAT = re.compile(r"[ \t\n\v\f\r]*([+-]?(?:\d+(?:_\d+)*)(?:\.\d+(?:_\d+)*)?(?:[eE][+-]?\d+(?:_\d+)*)?)")
_WHOLE_FLOAT = re.compile(r"\s*[+-]?(?:\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?\s*\Z")
_HEX_FLOAT = re.compile(r"\s*[+-]?0[xX][0-9a-fA-F]+(?:\.[0-9a-fA-F]+)?(?:[pP][+-]?\d+)?\s*\Z")
MAXIMUM_DIGITS = 100_000


def to_i(text: str, base: int) -> int:
    """`String#to_i`: as many digits as there are, else 0."""
    if base < 0 or base == 1 or base > 36:
        raise error("ArgumentError", f"invalid radix {base}")
    match = re.match(r"[ \t\n\v\f\r]*([+-]?)(0[xXbBoOdD])?", text)
    assert match is not None
    at = match.end()
    prefix = (match.group(2) or "").lower()
    if prefix and (_PREFIXES[prefix] == base or base == 0):
        base = _PREFIXES[prefix]
    else:
        at -= len(prefix)
        if base == 0:
            base = 8 if text[at : at + 1] == "0" else 10
    digits: list[str] = []
    last = ""
    for char in text[at:]:
        if char == "_":
            if last == "_" or not digits:
                break
        elif char.isascii() and char.isalnum() and int(char, 36) < base:
            digits.append(char)
        else:
            break
        last = char
    if len(digits) > MAXIMUM_DIGITS:
        raise LimitReached("a number has too many digits", MAXIMUM_DIGITS)
    number = int("".join(digits), base) if digits else 0
    return -number if match.group(1) == "-" else number


def to_f(text: str) -> float:
    """`String#to_f`: as much of a number as there is, else 0."""
    match = _FLOAT.match(text)
    if match is None:
        return 0.0
    try:
        return float(match.group(1).replace("_", ""))
    except (ValueError, OverflowError):
        return 0.0


def integer_from_text(text: str, base: int = 0) -> int:
    """`Integer(text)`: the whole text must be a number."""
    problem = error("ArgumentError", f"invalid value for Integer(): {quote(text)}")
    match = re.fullmatch(r"\s*([+-]?)(0[xXbBoOdD])?([0-9a-zA-Z]+(?:_[0-9a-zA-Z]+)*)\s*", text)
    if match is None or "\0" in text:
        raise problem
    if len(text) > MAXIMUM_DIGITS:
        raise LimitReached("a number has too many digits", MAXIMUM_DIGITS)
    prefix = (match[2] or "").lower()
    digits = match[3].replace("_", "")
    named = _PREFIXES.get(prefix)
    if named is not None and base and named != base:
        digits, named = prefix + digits, base
    radix = base or named or (8 if digits.startswith("0") and len(digits) > 1 else 10)
    try:
        number = int(digits, radix)
    except ValueError as unread:
        refuse_digits(unread)
        raise problem from None
    return -number if match[1] == "-" else number


def float_from_text(text: str) -> float:
    """`Float(text)`"""
    if _WHOLE_FLOAT.match(text):
        return float(text.replace("_", ""))
    if _HEX_FLOAT.match(text):
        return float.fromhex(text.strip())
    # Ruby shows the bytes of what is not ASCII here, and only here.
    shown = "".join(chr(byte) if byte < 0x80 else f"\\x{byte:02X}" for byte in quote(text).encode("utf-8", "replace"))
    raise error("ArgumentError", f"invalid value for Float(): {shown}")


def integer(interpreter: Interpreter, value: Value, base: int = 0) -> int:
    """`Integer(value)`"""
    kind = type(value)
    if type(value) is int and not base:
        return value
    if kind is str or kind is Text:
        return integer_from_text(value if kind is str else value.value, base)
    if base:
        raise error("ArgumentError", "base specified for non string value")
    if kind is float:
        return integer_of(value)
    if value is None:
        raise error("TypeError", "can't convert nil into Integer")
    method = interpreter.find(value, "to_int") or interpreter.find(value, "to_i")
    if method is not None:
        number: int = method.run(interpreter, value, [], None)
        return number
    raise error("TypeError", f"can't convert {kind_word(value)} into Integer")


def float_(interpreter: Interpreter, value: Value, keep_integers: bool = False) -> Any:
    """`Float(value)`"""
    kind = type(value)
    if kind is float:
        return value
    if kind is int:
        return value if keep_integers else float(value)
    if kind is str or kind is Text:
        return float_from_text(value if kind is str else value.value)
    if value is None:
        raise error("TypeError", "can't convert nil into Float")
    method = interpreter.find(value, "to_f")
    if method is not None and kind not in (list, dict, Symbol):
        return method.run(interpreter, value, [], None)
    raise error("TypeError", f"can't convert {kind_word(value)} into Float")


class RubyConversions(Conversions):
    """Ruby values in formats."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter

    def problem(self, words: str) -> Exception:
        return error("ArgumentError", words)

    def integer(self, value: Value) -> int:
        if type(value) is float:
            if not math.isfinite(value):
                return integer_of(value)
            return int(value)
        return integer(self.interpreter, value)

    def float(self, value: Value) -> Any:
        return float_(self.interpreter, value, True)

    def text(self, value: Value) -> str:
        return to_s(self.interpreter, value)

    def inspect(self, value: Value) -> str:
        return inspect(self.interpreter, value)

    def character(self, value: Value) -> str:
        if type(value) in (str, Text):
            text = to_s(None, value)
            if not text:
                raise error("ArgumentError", "%c requires a character")
            return text[0]
        code = integer_of(value)
        if not 0 <= code < 0x110000:
            raise error("ArgumentError", "invalid character")
        return chr(code)

    def named(self, arguments: Sequence[Value], name: str, shown: str) -> Value:
        if len(arguments) != 1 or not isinstance(arguments[0], dict):
            raise error("ArgumentError", "one hash required")
        values = arguments[0]
        key = Symbol(name)
        if key in values:
            return values[key]
        default = getattr(values, "default", None)
        if getattr(values, "default_proc", None) is not None:
            return values.default_proc.call([values, key])  # type: ignore[attr-defined]
        if default is None:
            raise error("KeyError", f"key{shown} not found", key=key, receiver=values)
        return default


def format_text(interpreter: Interpreter, template: str, arguments: list[Value]) -> str:
    """`format(template, *arguments)`"""
    text = Formatter(template, arguments, RubyConversions(interpreter)).run()
    interpreter.make_text(len(text))
    return text


__all__ = ["class_name", "float_", "format_text", "integer", "to_f", "to_i"]
