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
from ..classes import KERNEL, error, method, methods, text_of
from ..interpreter import Interpreter
from ..methods.objects import Args
from ..registry import library_module
from ..showing import to_s, weigh_acyclic
from ..values import Object, Text, Value, key_of, truth, value_of

JSON = library_module("JSON")
_ESCAPED = re.compile(r'["\\\x00-\x1f]')
_NAMES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f", "\b": "\\b"}
MAXIMUM_NESTING = 100


def quote(text: str) -> str:
    """A JSON string."""
    return '"' + _ESCAPED.sub(lambda found: _NAMES.get(found.group()) or f"\\u{ord(found.group()):04x}", text) + '"'


def generate(i: Interpreter, value: Value, pretty: bool, depth: int = 0) -> str:
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
        if not math.isfinite(value):
            raise error("JSON::GeneratorError", f"{show(value)} not allowed in JSON")
        return show(value)
    if kind is Symbol:
        return quote(value.name)
    if depth > MAXIMUM_NESTING:
        raise error("JSON::NestingError", f"nesting of {depth} is too deep")
    if kind is list:
        return _wrapped("[", [generate(i, item, pretty, depth + 1) for item in value], "]", pretty, depth)
    if isinstance(value, dict):
        colon = ": " if pretty else ":"
        pairs = [
            f"{quote(to_s(i, value_of(key)))}{colon}{generate(i, item, pretty, depth + 1)}"
            for key, item in value.items()
        ]
        return _wrapped("{", pairs, "}", pretty, depth)
    if isinstance(value, Object):
        entry = value.cls.find("to_json")
        if entry is not None and entry.owner is not KERNEL:
            return to_s(i, entry.run(i, value, [], None))
        entry = value.cls.find("to_h")
        if entry is not None and entry.owner is not KERNEL and value.cls.find("to_hash") is not None:
            return generate(i, entry.run(i, value, [], None), pretty, depth)
    return quote(to_s(i, value))


def _wrapped(opening: str, items: list[str], closing: str, pretty: bool, depth: int) -> str:
    if not pretty:
        return opening + ",".join(items) + closing
    if not items:
        return ("[\n\n" if opening == "[" else "{\n") + "  " * depth + closing
    inside = "  " * (depth + 1)
    return f"{opening}\n{inside}" + f",\n{inside}".join(items) + f"\n{'  ' * depth}{closing}"


def written(i: Interpreter, value: Value, pretty: bool = False) -> str:
    """JSON text, counted against the budget."""
    if type(value) is list or isinstance(value, dict):
        weigh_acyclic(value)
    text = generate(i, value, pretty)
    i.make_text(len(text))
    return text


def parse(i: Interpreter, text: str, options: dict[Any, Value]) -> Value:
    """`JSON.parse`"""
    symbols = truth(options.get(Symbol("symbolize_names")))

    def pairs(items: list[tuple[str, Any]]) -> dict[Any, Value]:
        i.make_items(len(items))
        return {Symbol(key) if symbols else key_of(key): value for key, value in items}

    def constant(name: str) -> Any:
        raise ValueError(name)

    stripped = re.sub(r"/\*.*?\*/|^\s*//[^\n]*", "", text, flags=re.DOTALL | re.MULTILINE) if "/" in text else text
    if not stripped.strip():
        raise error("JSON::ParserError", "unexpected token at ''" if text else "unexpected end of input")
    try:
        return json.loads(stripped, object_pairs_hook=pairs, parse_constant=constant)
    except RecursionError:
        raise error("JSON::NestingError", "nesting of 101 is too deep") from None
    except ValueError as problem:
        at = getattr(problem, "pos", 0)
        raise error("JSON::ParserError", f"unexpected token at '{stripped[at:]}'") from None


def _options(a: Args) -> dict[Any, Value]:
    return a[-1] if len(a) > 1 and isinstance(a[-1], dict) else {}


@method(KERNEL, "to_json", 0, -1)
def to_json(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    return written(i, self)


methods(
    JSON,
    1,
    3,
    {
        "generate dump fast_generate": lambda i, s, a, b: written(i, a[0]),
        "pretty_generate": lambda i, s, a, b: written(i, a[0], True),
        "parse parse! load": lambda i, s, a, b: parse(i, text_of(a[0]), _options(a)),
    },
    own=True,
)
