"""`String(value, formats)`: values as text, by formats that are chosen by type.

A format is a directive (`%#x`), or for arrays and hashes a hash with `format`, `separator`, `separator2` and
`string_formats` (what is inside). Formats are given as a hash from types to formats; the user's are merged over the
default ones, ordered so that narrower types come first, and the first type that the value's type is assignable to wins.
The directive letters that each kind of value understands are in one function per kind below.

Reference: Puppet's documentation of the function `new`, section "Conversion to String".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import Any

from ..kernel.type_failures import FormatProblem
from ..kernel.values import DEFAULT, Binary, Iterator, Value, key_value, weigh_text
from .callables import RuntimeType
from .containers import ARRAY, HASH, ArrayType, HashType, IteratorType, StructType, TupleType
from .infer import infer_set
from .model import ANY, DefaultType, PuppetType, TypeType, UndefType
from .objects import OBJECT, ObjectType, ObjectTypeExtension
from .printing import puppet_string, quote, type_text, value_text
from .regexps import data_text, written_text
from .scalars import (
    BINARY,
    FLOAT,
    NUMERIC,
    BinaryType,
    BooleanType,
    EnumType,
    FloatType,
    IntegerType,
    PatternType,
    RegexpType,
    StringType,
    URIType,
)
from .sprintf import inspect, sprintf

_FORMAT = re.compile(r"^%([\s\[+#0{<(|-]*)([1-9][0-9]*)?(?:\.([0-9]+))?([a-zA-Z])$", re.MULTILINE)
_DELIMITERS = {"[": "[]", "{": "{}", "(": "()", "<": "<>", "|": "||"}
FormatMap = Sequence[tuple[PuppetType, "Format"]]


class Format:
    """One directive, taken apart, with the separators and inner formats of a container."""

    __slots__ = (
        "alternative",
        "delimiter",
        "inner",
        "left",
        "letter",
        "precision",
        "second_separator",
        "separator",
        "space",
        "text",
        "width",
    )

    def __init__(self, text: str) -> None:
        parts = _FORMAT.search(text) if isinstance(text, str) else None
        if parts is None:
            raise FormatProblem(
                f"The format '{text}' is not a valid format on the form '%<flags><width>.<prec><format>'"
            )
        flags = parts[1]
        if len(set(flags)) != len(flags):
            raise FormatProblem(f"The same flag can only be used once, got '{text}'")
        given = [flag for flag in flags if flag in _DELIMITERS]
        if len(given) > 1:
            raise FormatProblem(f"Only one of the delimiters [ {{ ( < | can be given in the format flags, got '{text}'")
        self.text = text
        self.letter = parts[4]
        self.left = "-" in flags
        self.alternative = "#" in flags
        self.space = " " in flags
        self.delimiter = given[0] if given else None
        self.width = int(parts[2]) if parts[2] else None
        self.precision = int(parts[3]) if parts[3] else None
        self.separator: str | None = None
        self.second_separator: str | None = None
        self.inner: FormatMap | None = None

    def delimiters(self, usual: str) -> tuple[str, str]:
        """What stands around a container: the flag's pair, nothing for the blank flag, or the usual pair."""
        if self.delimiter is not None:
            pair = _DELIMITERS[self.delimiter]
            return pair[0], pair[1]
        return ("", "") if self.space else (usual[0], usual[1])

    def over(self, lower: Format) -> Format:
        """This format, with what it does not say taken from `lower`."""
        merged = Format(self.text)
        merged.separator = self.separator if self.separator is not None else lower.separator
        merged.second_separator = self.second_separator if self.second_separator is not None else lower.second_separator
        merged.inner = merge_formats(lower.inner, self.inner)
        return merged

    def pad(self, text: str) -> str:
        """Width, precision and side of `text`."""
        if self.precision is not None:
            text = text[: self.precision]
        if self.width is not None:
            text = text.ljust(self.width) if self.left else text.rjust(self.width)
        return text

    def with_letter(self, letter: str) -> str:
        """The directive with another letter."""
        return self.text[:-1] + letter


def _container(text: str, separator: str, second: str) -> Format:
    container = Format(text)
    container.separator, container.second_separator, container.inner = separator, second, _DEFAULT_INNER
    return container


_DEFAULT_INNER: FormatMap = ((ANY, Format("%p")),)
_DEFAULT_ARRAY = _container("%a", ", ", ", ")
_DEFAULT_HASH = _container("%h", ", ", " => ")
_DEFAULTS: FormatMap = (
    (OBJECT, Format("%p")),
    (FLOAT, Format("%f")),
    (NUMERIC, Format("%d")),
    (ARRAY, _DEFAULT_ARRAY),
    (HASH, _DEFAULT_HASH),
    (BINARY, Format("%B")),
    (ANY, Format("%s")),
)


def merge_formats(lower: FormatMap | None, higher: FormatMap | None) -> FormatMap | None:
    """Two maps as one: `higher` replaces what it covers and is merged with what has the same type."""
    if lower is None or higher is None:
        return lower or higher
    high, low = dict(higher), dict(lower)
    kept = {type: format for type, format in low.items() if not any(h != type and h.assignable(type) for h in high)}
    merged: list[tuple[PuppetType, Format]] = []
    for type in dict.fromkeys((*kept, *high)):
        if type not in high:
            merged.append((type, kept[type]))
        elif type not in kept:
            merged.append((type, high[type]))
        else:
            merged.append((type, high[type].over(kept[type])))
    return sorted(merged, key=cmp_to_key(_narrower_first))


def _narrower_first(left: tuple[PuppetType, Format], right: tuple[PuppetType, Format]) -> int:
    a, b = left[0], right[0]
    if a == b:
        return 0
    below, above = b.assignable(a), a.assignable(b)
    if below != above:
        return -1 if below else 1
    rank_a, rank_b = _rank(a), _rank(b)
    if rank_a == 0 or rank_b == 0:
        return (str(a) > str(b)) - (str(a) < str(b))
    return (rank_a > rank_b) - (rank_a < rank_b)


def _rank(type: PuppetType) -> int:
    for kind, rank in (
        (StructType, 1),
        (HashType, 2),
        (TupleType, 3),
        (ArrayType, 4),
        (PatternType, 10),
        (EnumType, 11),
        (StringType, 12),
    ):
        if isinstance(type, kind):
            return rank
    return 0


def read_formats(given: dict[Any, Value]) -> FormatMap:
    """The user's hash from types to formats."""
    pairs = []
    for key, value in given.items():
        type = key_value(key)
        if not isinstance(type, PuppetType):
            from .access import ruby_class

            raise FormatProblem(
                f"top level keys in the format hash must be data types, got instance of '{ruby_class(type)}'"
            )
        pairs.append((type, _read_container(value) if isinstance(value, dict) else Format(value)))
    return pairs


def _read_container(given: dict[Any, Value]) -> Format:
    allowed = ("separator", "separator2", "format", "string_formats")
    if any(name not in allowed for name in given):
        names = ", ".join(f"'{name}'" for name in allowed)
        raise FormatProblem(f"only {names} are allowed in a container format, got {inspect(given)}")
    container = Format(given.get("format", ""))
    container.separator = given.get("separator")
    container.second_separator = given.get("separator2")
    inner = given.get("string_formats")
    container.inner = None if inner is None else read_formats(inner)
    return container


class Indent:
    """Where in an indented text we are."""

    __slots__ = ("active", "first", "level")

    def __init__(self, level: int = 0, first: bool = True, active: bool = False) -> None:
        self.level = level
        self.first = first
        self.active = active

    def deeper(self, active: bool = False) -> Indent:
        """One level in."""
        return Indent(self.level + 1, True, active)

    @property
    def breaks(self) -> bool:
        """Does a new container start on a line of its own?"""
        return self.active and self.level > 0 and not self.first

    @property
    def padding(self) -> str:
        """Two blanks per level."""
        return "  " * self.level


def format_value(value: Value, formats: object = DEFAULT) -> str:
    """The text of `value`."""
    if value.__class__ is list or isinstance(value, dict):
        weigh_text(value)
    type = infer_set(value)
    chosen = _DEFAULTS
    if isinstance(formats, str):
        if ARRAY.assignable(type):
            user: FormatMap = [(ARRAY, _read_container({"format": formats}))]
        elif HASH.assignable(type):
            user = [(HASH, _read_container({"format": formats}))]
        else:
            user = [(type, Format(formats))]
        chosen = merge_formats(_DEFAULTS, user) or _DEFAULTS
    elif isinstance(formats, dict):
        chosen = merge_formats(_DEFAULTS, read_formats(formats)) or _DEFAULTS
    elif formats is not DEFAULT:
        from .access import ruby_class

        raise FormatProblem(
            "string conversion expects a Default value or a Hash of type to format mappings, "
            f"got a '{ruby_class(formats)}'"
        )
    return _convert(type, value, chosen, Indent())


def _convert(type: PuppetType, value: Value, formats: FormatMap, indent: Indent) -> str:
    for kind in type.__class__.__mro__:
        show = _SHOW.get(kind)
        if show is not None:
            return show(type, value, formats, indent)
    return sprintf(_pick(type, formats).text, [value])


def _pick(type: PuppetType, formats: FormatMap) -> Format:
    for key, format in formats:
        if key.assignable(type):
            return format
    return Format("%s")


def _illegal(kind: str, format: Format, expected: str) -> FormatProblem:
    return FormatProblem(
        f"Illegal format '{format.letter}' specified for value of {kind} type - expected one of the characters "
        f"'{expected}'"
    )


# --- one function per kind of value ----------------------------------------------------------------------------------


def _object(type: PuppetType, value: Value, formats: FormatMap, indent: Indent) -> str:
    # of an object with type parameters, the format is chosen by the type without them
    format = _pick(type.base if isinstance(type, ObjectTypeExtension) else type, formats)
    if format.letter == "p":
        return value_text(value, indent.level if format.alternative or indent.active else None)
    if format.letter in "sq":
        return value_text(value)
    raise _illegal("Object", format, "spq")


def _runtime(type: PuppetType, value: Value, formats: FormatMap, indent: Indent) -> str:
    format = _pick(type, formats)
    if format.letter == "s":
        return str(value)
    if format.letter == "p":
        return quote(str(value))
    if format.letter == "q":
        return inspect(value)
    raise _illegal("Runtime", format, "spq")


def _default(type: PuppetType, value: Value, formats: FormatMap, indent: Indent) -> str:
    format = _pick(type, formats)
    if format.letter in "dsp":
        return format.pad('"default"' if format.alternative else "default")
    if format.letter == "D":
        return format.pad('"Default"' if format.alternative else "Default")
    raise _illegal("Default", format, "dDsp")


_UNDEF_TEXTS = {
    "n": ("nil", "null"),
    "u": ("undef", "undefined"),
    "v": ("n/a", "n/a"),
    "V": ("N/A", "N/A"),
    "s": ("", '""'),
    "p": ("undef", '"undef"'),
    **dict.fromkeys("dxXobBeEfgGaA", ("NaN", "NaN")),
}


def _undef(type: PuppetType, value: Value, formats: FormatMap, indent: Indent) -> str:
    format = _pick(type, formats)
    texts = _UNDEF_TEXTS.get(format.letter)
    if texts is None:
        raise _illegal("Undef", format, "nudxXobBeEfgGaAvVsp")
    return format.pad(texts[format.alternative])


def _boolean(type: PuppetType, value: Value, formats: FormatMap, indent: Indent) -> str:
    format = _pick(type, formats)
    letter = format.letter
    words = {"t": ("false", "true"), "T": ("False", "True"), "y": ("no", "yes"), "Y": ("No", "Yes")}.get(letter)
    if words is not None:
        word = words[bool(value)]
        return format.pad(word[0] if format.alternative else word)
    if letter in "dxXobB":
        return _integer(IntegerType(), int(value), [(ANY, format)], indent)
    if letter in "eEfgGaA":
        return _float(FloatType(), float(value), [(ANY, format)], indent)
    if letter in "sp":
        return format.pad("true" if value else "false")
    raise _illegal("Boolean", format, "tTyYdxXobBeEfgGaAsp")


def _integer(type: PuppetType, value: Value, formats: FormatMap, indent: Indent) -> str:
    format = _pick(type, formats)
    letter = format.letter
    if letter in "dxXobBp":
        return sprintf(format.text, [value])
    if letter in "eEfgGaA":
        return sprintf(format.text, [float(value)])
    if letter == "c":
        try:
            char = chr(value)
        except (ValueError, OverflowError):
            raise FormatProblem("pack(U): value out of range") from None
        return sprintf(format.with_letter("s"), [f'"{char}"' if format.alternative else char])
    if letter == "s":
        return sprintf(format.with_letter("p" if format.alternative else "s"), [str(value)])
    raise _illegal("Integer", format, "dxXobBeEfgGaAspc")


def _float(type: PuppetType, value: Value, formats: FormatMap, indent: Indent) -> str:
    format = _pick(type, formats)
    letter = format.letter
    if letter in "dxXobB":
        return sprintf(format.text, [int(value)])
    if letter in "eEfgGaAp":
        return sprintf(format.text, [value])
    if letter == "s":
        shown = puppet_string(value)
        return sprintf(format.text, [f'"{shown}"' if format.alternative else shown])
    raise _illegal("Float", format, "dxXobBeEfgGaAsp")


def _binary(type: PuppetType, value: Binary, formats: FormatMap, indent: Indent) -> str:
    format = _pick(type, formats)
    letter = "p" if format.alternative else "s"
    strict = value.base64()
    if format.letter == "s":
        try:
            text = value.data.decode("utf-8")
        except UnicodeDecodeError as problem:
            if not format.alternative:
                raise FormatProblem(f'"\\x{value.data[problem.start]:02X}" from ASCII-8BIT to UTF-8') from None
            text = value.data.decode("latin-1")
        return sprintf(format.with_letter(letter), [text])
    if format.letter == "p":
        return f'Binary("{sprintf(format.with_letter("s"), [strict])}")'
    texts = {
        "b": "".join(strict[at : at + 60] + "\n" for at in range(0, len(strict), 60)),
        "B": strict,
        "u": strict.replace("+", "-").replace("/", "_"),
        "t": "Binary",
        "T": "BINARY",
    }
    if format.letter not in texts:
        raise _illegal("Binary", format, "bButTsp")
    return sprintf(format.with_letter(letter), [texts[format.letter]])


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:].lower()


_STRING_CHANGES: dict[str, Callable[[str], str]] = {
    "c": _capitalize,
    "C": lambda text: "::".join(map(_capitalize, text.split("::"))),
    "u": str.upper,
    "d": str.lower,
    "t": lambda text: text.strip(" \t\n\v\f\r\0"),
}


def _string(type: PuppetType, value: str, formats: FormatMap, indent: Indent) -> str:
    format = _pick(type, formats)
    if format.letter == "s":
        return sprintf(format.text, [value])
    if format.letter == "p":
        return format.pad(quote(value, format.alternative))
    change = _STRING_CHANGES.get(format.letter)
    if change is None:
        raise _illegal("String", format, "cCudspt")
    changed = change(value)
    return format.pad(quote(changed)) if format.alternative else sprintf(format.with_letter("s"), [changed])


def _regexp(type: PuppetType, value: Value, formats: FormatMap, indent: Indent) -> str:
    format = _pick(type, formats)
    if format.letter == "p":
        return sprintf(format.with_letter("s"), [written_text(value.source)])
    if format.letter == "s":
        return sprintf(format.text, [quote(data_text(value.source)) if format.alternative else data_text(value.source)])
    raise _illegal("Regexp", format, "sp")


def _is_container(type: PuppetType) -> bool:
    return isinstance(type, ArrayType | HashType | StructType | TupleType | ObjectType)


def _array(type: PuppetType, value: list[Value], formats: FormatMap, indent: Indent) -> str:
    format = _pick(type, formats)
    if format.letter not in "asp":
        raise _illegal("Array", format, "asp")
    separator = ", " if format.separator is None else format.separator
    inner = _DEFAULT_INNER if format.inner is None else format.inner
    opening, closing = format.delimiters("[]")
    indent = Indent(indent.level, indent.first, format.alternative or indent.active)
    written = f"\n{indent.padding}" if indent.breaks else ""
    written += opening
    children = indent.deeper(format.alternative)
    children.first = False
    shown = []
    for element in value:
        element_type = infer_set(element)
        shown.append(_convert(element_type, element, formats if _is_container(element_type) else inner, children))
    nested = [isinstance(element, list | dict) for element in value]
    breaks = False
    if format.alternative and format.width:
        # An array that is wider than the width is written one element per line.
        widest = current = 0
        for text, is_nested in zip(shown, nested):
            current = 0 if is_nested else current + len(text)
            widest = max(widest, current)
        breaks = widest > format.width
    for index, (text, is_nested) in enumerate(zip(shown, nested)):
        if index == 0:
            if breaks and not is_nested:
                written += " "
        else:
            written += separator
            if (breaks and not is_nested) or (format.alternative and nested[index - 1] and not is_nested):
                if not written.endswith("\n"):
                    written = written.rstrip()
                written += f"\n{children.padding}"
        if written.endswith(" ") and text.startswith("\n"):
            written = written.rstrip()
        written += text
    return written + closing


def _iterator(type: PuppetType, value: Iterator, formats: FormatMap, indent: Indent) -> str:
    elements = list(value)
    return _convert(infer_set(elements), elements, formats, indent)


def _hash(type: PuppetType, value: dict[Any, Value], formats: FormatMap, indent: Indent) -> str:
    format = _pick(type, formats)
    if format.letter == "a":
        pairs = [[key_value(key), element] for key, element in value.items()]
        return _convert(infer_set(pairs), pairs, formats, indent)
    if format.letter not in "hsp":
        raise _illegal("Hash", format, "hasp")
    separator = ", " if format.separator is None else format.separator
    arrow = " => " if format.second_separator is None else format.second_separator
    inner = _DEFAULT_INNER if format.inner is None else format.inner
    opening, closing = format.delimiters("{}")
    if format.alternative:
        separator = (separator if separator.endswith("\n") else separator.rstrip()) + "\n"
    indent = Indent(indent.level, indent.first, format.alternative or indent.active)
    children = indent.deeper()
    padding = children.padding if format.alternative else ""
    entries = []
    for key, element in value.items():
        key = key_value(key)
        key_type, element_type = infer_set(key), infer_set(element)
        shown_key = _convert(key_type, key, formats if _is_container(key_type) else inner, children)
        shown = _convert(element_type, element, formats if _is_container(element_type) else inner, children)
        entries.append(f"{padding}{shown_key}{arrow}{shown}")
    written = f"\n{indent.padding}" if indent.breaks else ""
    written += opening + ("\n" if format.alternative else "") + separator.join(entries)
    if format.alternative:
        written += f"\n{indent.padding}"
    return written + closing


def _type(type: PuppetType, value: PuppetType, formats: FormatMap, indent: Indent) -> str:
    format = _pick(type, formats)
    shown = type_text(value) if isinstance(value, PuppetType) else str(value)
    if format.letter == "s":
        return sprintf(format.text, [f'"{shown}"' if format.alternative else shown])
    if format.letter == "p":
        return sprintf(format.with_letter("s"), [shown])
    raise _illegal("Type", format, "sp")


def _uri(type: PuppetType, value: Value, formats: FormatMap, indent: Indent) -> str:
    format = _pick(type, formats)
    if format.letter == "p":
        return value_text(value, indent.level if format.alternative or indent.active else None)
    if format.letter == "s":
        return sprintf(format.text, [quote(str(value)) if format.alternative else str(value)])
    raise _illegal("URI", format, "sp")


_SHOW: dict[type, Callable[[Any, Any, FormatMap, Indent], str]] = {
    ObjectType: _object,
    ObjectTypeExtension: _object,
    RuntimeType: _runtime,
    DefaultType: _default,
    UndefType: _undef,
    BooleanType: _boolean,
    IntegerType: _integer,
    FloatType: _float,
    BinaryType: _binary,
    StringType: _string,
    RegexpType: _regexp,
    ArrayType: _array,
    TupleType: _array,
    IteratorType: _iterator,
    HashType: _hash,
    StructType: _hash,
    TypeType: _type,
    URIType: _uri,
}
