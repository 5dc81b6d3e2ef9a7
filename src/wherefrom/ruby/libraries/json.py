r"""JSON: `to_json`, `JSON.generate`, `JSON.pretty_generate`, `JSON.parse` as Ruby's json 2.6 does them.

Empty containers get a line end when written prettily; a nil key is the empty text; NaN is an error; `/` and what is
not ASCII stay as they are.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from ...base.floats import show
from ...base.keys import Symbol
from ..classes import KERNEL, class_name, error, method, methods, refuse_digits, text_of
from ..interpreter import Interpreter
from ..methods.objects import Args
from ..registry import library_module
from ..showing import to_s, weigh_acyclic
from ..values import Object, Text, Value, truth, value_of

JSON = library_module("JSON")
_ESCAPED = re.compile(r'["\\\x00-\x1f]')
_NAMES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", "\b": "\\b"}
MAXIMUM_NESTING = 100


def quote(text: str) -> str:
    """A JSON string."""
    return (
        '"'
        + _ESCAPED.sub(lambda character: _NAMES.get(character.group()) or f"\\u{ord(character.group()):04x}", text)
        + '"'
    )


class Layout:
    """How JSON is laid out: what stands before each item by its depth, round the colon, at line ends.

    A line end of no length that was asked for still lets the closing bracket stand under its depth; none does not.
    """

    __slots__ = ("allow_nan", "array_nl", "indent", "max_nesting", "object_nl", "space", "space_before")

    def __init__(self, pretty: bool, options: dict[Any, Value]) -> None:
        def text(name: str, default: str | None) -> str | None:
            value = options.get(Symbol(name), options.get(name))
            if value is None:
                return default
            if type(value) is not str and type(value) is not Text:
                raise error("TypeError", f"wrong argument type {class_name(value)} (expected String)")
            return text_of(value)

        self.indent = text("indent", "  " if pretty else "") or ""
        self.space = text("space", " " if pretty else "") or ""
        self.space_before = text("space_before", "") or ""
        self.object_nl = text("object_nl", "\n" if pretty else None)
        self.array_nl = text("array_nl", "\n" if pretty else None)
        self.allow_nan = truth(options.get(Symbol("allow_nan")))
        deepest = options.get(Symbol("max_nesting"), MAXIMUM_NESTING)
        self.max_nesting = deepest if type(deepest) is int else 0 if deepest is not None else MAXIMUM_NESTING


_COMPACT = Layout(False, {})
_PRETTY = Layout(True, {})


def generate(i: Interpreter, value: Value, layout: Layout, depth: int = 0) -> str:
    """JSON text of a value."""
    kind = type(value)
    if kind is str or kind is Text:
        return quote(text_of(value))
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value)
    if kind is float:
        if not math.isfinite(value) and not layout.allow_nan:
            raise error("JSON::GeneratorError", f"{show(value)} not allowed in JSON")
        return show(value)
    if kind is Symbol:
        return quote(value.name)
    if kind is list or isinstance(value, dict):
        if layout.max_nesting and depth >= layout.max_nesting:
            raise error("JSON::NestingError", f"nesting of {depth} is too deep")
        if kind is list:
            return _array([generate(i, item, layout, depth + 1) for item in value], layout, depth)
        colon = f"{layout.space_before}:{layout.space}"
        pairs = [
            f"{quote(to_s(i, value_of(key)))}{colon}{generate(i, item, layout, depth + 1)}"
            for key, item in value.items()
        ]
        return _object(pairs, layout, depth)
    if isinstance(value, Object):
        entry = value.cls.find("to_json")
        if entry is not None and entry.owner is not KERNEL:
            return to_s(i, entry.run(i, value, [], None))
        entry = value.cls.find("to_h")
        if entry is not None and entry.owner is not KERNEL and value.cls.find("to_hash") is not None:
            return generate(i, entry.run(i, value, [], None), layout, depth)
    return quote(to_s(i, value))


def _array(items: list[str], layout: Layout, depth: int) -> str:
    line = layout.array_nl or ""
    inside = layout.indent * (depth + 1)
    closing = "" if layout.array_nl is None else line + layout.indent * depth
    return "[" + line + f",{line}".join([inside + item for item in items]) + closing + "]"


def _object(pairs: list[str], layout: Layout, depth: int) -> str:
    line = layout.object_nl or ""
    inside = line + layout.indent * (depth + 1)
    closing = "" if layout.object_nl is None else line + layout.indent * depth
    return "{" + ",".join([inside + pair for pair in pairs]) + closing + "}"


def written(i: Interpreter, value: Value, a: Args, pretty: bool = False) -> str:
    """JSON text, counted against the budget; `a` may end in options."""
    options = a[-1] if a else None
    if options is not None and not isinstance(options, dict):
        if isinstance(options, Object):  # the state that a generator hands to `to_json`
            options = None
        else:
            raise error("TypeError", f"can't convert {class_name(options)} into Hash")
    if type(value) is list or isinstance(value, dict):
        weigh_acyclic(value)
    layout = Layout(pretty, options) if options else _PRETTY if pretty else _COMPACT
    text = generate(i, value, layout)
    i.make_text(len(text))
    return text


def parse(i: Interpreter, text: str, options: dict[Any, Value]) -> Value:
    """`JSON.parse`"""
    symbols = truth(options.get(Symbol("symbolize_names")))

    def pairs(items: list[tuple[str, Any]]) -> dict[Any, Value]:
        i.make_items(len(items))
        return {Symbol(key) if symbols else key: value for key, value in items}

    def constant(name: str) -> Any:
        raise ValueError(name)

    stripped = re.sub(r"/\*.*?\*/|^\s*//[^\n]*", "", text, flags=re.DOTALL | re.MULTILINE) if "/" in text else text
    if not stripped.strip():
        raise error("JSON::ParserError", "859: unexpected token at ''")
    try:
        return json.loads(stripped, object_pairs_hook=pairs, parse_constant=constant)
    except RecursionError:
        raise error("JSON::NestingError", "nesting of 101 is too deep") from None
    except ValueError as problem:
        refuse_digits(problem)
        raise error("JSON::ParserError", _unexpected(stripped, getattr(problem, "pos", None))) from None


_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def _unexpected(text: str, at: int | None) -> str:
    """The words about a place that can not be read.  Ruby's reader tells the line of its own source: that of arrays
    for what stands in one; an object is unreadable as a whole, from its brace on.
    """
    if at is None:
        number = re.search(r"NaN|-?Infinity", text)
        assert number is not None
        at = number.start()
        return f"225: unexpected token at '{text[at:]}'"
    opened: list[int] = []
    for mark in _MARKS.finditer(text, 0, at):
        if mark[0] in "[{":
            opened.append(mark.start())
        elif mark[0] in "]}" and opened:
            opened.pop()
    while opened:
        start = opened.pop()
        if text[start] == "[":
            return f"451: unexpected token at '{text[at:]}'"
        at = start
    return f"859: unexpected token at '{text[at:]}'"


def _options(a: Args) -> dict[Any, Value]:
    return a[-1] if len(a) > 1 and isinstance(a[-1], dict) else {}


@method(KERNEL, "to_json", 0, -1)
def to_json(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return written(i, self, a)


methods(
    JSON,
    1,
    3,
    {
        "generate fast_generate": lambda i, s, a, b: written(i, a[0], a[1:]),
        "dump": lambda i, s, a, b: written(i, a[0], []),
        "pretty_generate": lambda i, s, a, b: written(i, a[0], a[1:], True),
        "parse parse! load": lambda i, s, a, b: parse(i, text_of(a[0]), _options(a)),
    },
    own=True,
)
