"""Builtins that read and write other notations: JSON, TOML, XML."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from ..kernel.output import print_json, print_xml
from ..kernel.values import Attrs, Slot, Value, with_context
from .errors import BadJson, BadToml
from .registry import builtin
from .support import need_plain_string

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..kernel.versions import Dialect
    from ..kernel.world import Machine

_LARGEST = (1 << 63) - 1
_SMALLEST = -(1 << 63)


@builtin("toJSON")
def to_json(machine: Machine, value: Slot) -> Slot:
    """The value as JSON.  Sets with `__toString` or `outPath` become strings; paths are copied to the store.

    nix> builtins.toJSON { a = [ 1 null ]; b = "x"; }
    "{\\"a\\":[1,null],\\"b\\":\\"x\\"}"
    """
    context: set[str] = set()
    text = print_json(machine, value, True, context)
    return with_context(text, context)


@builtin("toXML", looks=True)
def to_xml(machine: Machine, value: Slot) -> Slot:
    """The value as an XML document.

    nix> builtins.toXML 1
    "<?xml version='1.0' encoding='utf-8'?>\\n<expr>\\n  <int value=\\"1\\" />\\n</expr>\\n"
    """
    context: set[str] = set()
    text = print_xml(machine, value, strict=True, context=context)
    return with_context(text, context)


# --- JSON -----------------------------------------------------------------------------------------------------------


@builtin("fromJSON", forces=(0,))
def from_json(machine: Machine, text: Slot) -> Slot:
    """The value that a JSON text stands for.

    nix> builtins.fromJSON "{\\"a\\": [1, 2.5, null]}"
    { a = [ 1 2.5 null ]; }
    """
    import json

    source = need_plain_string(text)
    exact = machine.dialect.version >= (2, 25)
    decoder = json.JSONDecoder(
        object_pairs_hook=_object,
        parse_int=_json_exact if exact else _json_int,
        parse_float=_json_float,
        parse_constant=_no_constant,
    )
    try:
        start = len(source) - len(source.lstrip(" \t\n\r"))
        value, end = decoder.raw_decode(source, start)
        if source[end:].strip(" \t\n\r"):
            raise json.JSONDecodeError("unexpected text after the value", source, end)
        _check_unicode(source)
        if machine.dialect.version >= (2, 26) and re.search(r"(?<!\\)(?:\\\\)*\\u0000", source):
            raise ValueError("a string cannot contain a NUL character")
    except json.JSONDecodeError as problem:
        raise BadJson(
            f"parse error at line {problem.lineno}, column {problem.colno}: {problem.msg[0].lower()}{problem.msg[1:]}"
        ) from None
    except ValueError as problem:
        raise BadJson(f"parse error: {problem}") from None
    except RecursionError:
        raise BadJson("parse error: nested too deeply") from None
    return value


def _object(pairs: list[tuple[str, Value]]) -> Attrs:
    return Attrs({_well_formed(name): value for name, value in pairs})


def _json_int(digits: str) -> int | float:
    """An integer; above the largest it wraps as long as it fits 64 bits without a sign, and beyond that is a float."""
    if len(digits) > 20:
        return _json_float(digits)
    number = int(digits)
    if number > _LARGEST:
        return number - (1 << 64) if number < 1 << 64 else float(number)
    return number if number >= _SMALLEST else float(number)


def _json_exact(digits: str) -> int | float:
    """An integer; one that does not fit is an error (since Nix 2.25), and what no 64 bits hold is a float."""
    number = int(digits) if len(digits) <= 20 else None
    if number is not None and _LARGEST < number < 1 << 64:
        raise ValueError(f"unsigned json number {number} outside of Nix integer range")
    return _json_int(digits)


def _json_float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"number overflow parsing '{digits}'")
    return number


def _no_constant(name: str) -> Value:
    raise ValueError(f"invalid literal; last read: '{name}'")


def _well_formed(text: str) -> str:
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("invalid string: half of a surrogate pair") from None
    return text


def _check_unicode(source: str) -> None:
    """Refuse bytes that are not UTF-8, and escapes that stand for half of a surrogate pair."""
    _well_formed(source)
    if "\\u" not in source:
        return
    for sequence in re.finditer(r"\\\\|\\u[dD]([89abAB])..(?:\\u[dD][c-fC-F]..)?|\\u[dD][c-fC-F]..", source):
        escape = sequence.group()
        if escape != "\\\\" and len(escape) != 12:
            raise ValueError("invalid string: surrogate U+D800..U+DBFF must be followed by U+DC00..U+DFFF")


# --- TOML -----------------------------------------------------------------------------------------------------------


@builtin("fromTOML")
def from_toml(machine: Machine, text: Slot) -> Slot:
    """The value that a TOML text stands for.  Dates and times are not supported.

    nix> fromTOML "x = 1\\n[table]\\ny = [ 'a', 'b' ]"
    { table = { y = [ "a" "b" ]; }; x = 1; }
    """
    import tomllib

    source = need_plain_string(text)
    _utf8(source)
    if "\0" in source and machine.dialect.version >= (2, 26):
        raise BadToml("a string cannot contain a NUL character")
    try:
        value = tomllib.loads(source)
        stamps: dict[str, str] = {}
        if machine.dialect.has("parse-toml-timestamps") and _FINE.search(source):
            source, stamps = _with_fine_timestamps(source, repr(value))
            value = tomllib.loads(source)
        return _from_python(value, machine.dialect, stamps)
    except (ValueError, RecursionError) as problem:  # what is no TOML; also a number of too many digits, an odd date
        raise BadToml(str(problem) or "nested too deeply") from None


_FINE = re.compile(r":\d\d\.\d{6}0*[1-9]")
"""A time with more digits of a second than Python's times have."""

_STRING_OR_TIME = re.compile(
    r'"""(?:[^"\\]|\\.|""?(?!"))*"{3,5}|' + r"'''(?:[^']|''?(?!'))*'{3,5}|"
    r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'|#[^\n]*"
    r"|(?P<time>(?:\d{4}-\d\d-\d\d[Tt ])?\d\d:\d\d:\d\d\.)(?P<digits>\d{7,})(?P<zone>[Zz]|[+-]\d\d:\d\d)?",
    re.DOTALL,
)


def _with_fine_timestamps(source: str, value: str) -> tuple[str, dict[str, str]]:
    """A TOML text with a string for each time of more than six digits, and the times that these stand for.

    Python's times end at microseconds, those of Nix at nanoseconds; the text has been read once, so it is well formed.
    """
    stamps: dict[str, str] = {}
    mark = "timestamp "
    while mark in source or mark in value:
        mark += "~"

    def replaced(match: re.Match[str]) -> str:
        if match["time"] is None:
            return match[0]
        head, digits = match["time"].replace(" ", "T").upper(), match["digits"][:9].ljust(9, "0")
        zone = (match["zone"] or "").upper()
        word = f"{mark}{len(stamps)}"
        stamps[word] = head + _fraction(digits) + ("Z" if zone == "+00:00" else zone)
        return f'"{word}"'

    return _STRING_OR_TIME.sub(replaced, source), stamps


def _from_python(value: Any, dialect: Dialect, stamps: Mapping[str, str]) -> Value:
    if isinstance(value, dict):
        if any("\0" in name for name in value) and dialect.version >= (2, 26):
            raise BadToml("a name cannot contain a NUL character")
        return Attrs({name: _from_python(element, dialect, stamps) for name, element in value.items()})
    if isinstance(value, list):
        return [_from_python(element, dialect, stamps) for element in value]
    if isinstance(value, str):
        if value in stamps:
            return Attrs({"_type": "timestamp", "value": stamps[value]})
        if "\0" in value and dialect.version >= (2, 26):
            raise BadToml("a string cannot contain a NUL character")
        return value
    if isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        if not _SMALLEST <= value <= _LARGEST and dialect.version >= (2, 32):
            raise BadToml(f"the number {value} is out of range")
        return max(min(value, _LARGEST), _SMALLEST)
    if dialect.has("parse-toml-timestamps"):
        return Attrs({"_type": "timestamp", "value": _timestamp(value)})
    raise BadToml("Dates and times are not supported")


def _utf8(text: str) -> None:
    """Refuse bytes that are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadToml("invalid utf8 sequence found") from None


def _timestamp(value: Any) -> str:
    """A date or time as TOML writes it; fractions of a second in three digits or six, as Nix has them."""
    text = str(value.isoformat())
    head, dot, rest = text.partition(".")
    if dot:
        text = f"{head}.{_fraction(rest[:6])}{rest[6:]}"
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def _fraction(digits: str) -> str:
    """The digits of a fraction of a second, without threes that are zero at their end."""
    while len(digits) > 3 and digits.endswith("000"):
        digits = digits[:-3]
    return digits
