"""YAML: `to_yaml` as Psych 4 writes it, `YAML.load` as it reads it (plain data alone).

Which quotes a text gets are Psych's own rules (measured, Ruby 3.1): a text of several lines is a block; `y` and `n`,
and what begins with anything but a letter, digit or underscore, get double quotes; what would be read as something
else gets single quotes; the rest is left to the writer of YAML (PyYAML's, which folds and escapes as libyaml does).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from ...base.floats import show
from ...base.keys import Symbol
from ..classes import EXCEPTIONS, KERNEL, class_name, error, method, methods, text_of
from ..errors import NotSupported
from ..interpreter import Interpreter
from ..iteration import enumerated
from ..methods.objects import Args
from ..registry import library_module
from ..showing import module_name, to_s
from ..values import Enumerator, Module, Set, Text, Value, key_of, truth, value_of

YAML = library_module("YAML")
_NULL = "\ue000null"
"""What stands for nil until the text is written: libyaml leaves nothing, PyYAML would leave a blank."""

_NULL_KEY = "\ue000nullkey"
_EMPTY_KEY = "\ue000emptykey"

_INTEGER = re.compile(
    r"(?:[-+]?0[0-7_,]+|[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)|[-+]?0x[0-9a-fA-F_,]+|[-+]?0b[01_,]+)\Z"
)
_FLOAT = re.compile(r"(?:[-+]?(?:[0-9][0-9_,]*)?\.[0-9]*(?:[eE][+-][0-9]+)?(?:#.*)?)\Z")
_SIXTY = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}(?:\.[0-9_]*)?\Z")
_DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?)?\Z"
)
_WORDS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def scalar(text: str) -> Value:
    """What a plain text in YAML means to Ruby."""
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    lowered = text.lower()
    if lowered in _WORDS and text in (lowered, lowered.upper(), lowered.capitalize()):
        return _WORDS[lowered]
    if text[0] == ":" and len(text) > 1:
        name = text[1:]
        return Symbol(name[1:-1] if name[0] in "\"'" and name[-1] == name[0] else name)
    if text[0] not in "-+.0123456789":
        return text
    if lowered in (".inf", "+.inf"):
        return float("inf")
    if lowered == "-.inf":
        return float("-inf")
    if lowered == ".nan":
        return float("nan")
    if _INTEGER.match(text):
        return _integer(text.replace("_", "").replace(",", ""))
    if _FLOAT.match(text) and re.search(r"\d", text):
        cleaned = text.replace("_", "").replace(",", "")
        return float(cleaned + "0" if cleaned.endswith(".") else cleaned)
    if _SIXTY.match(text) and not text.startswith("0"):
        # Psych takes two parts for hours and minutes.
        parts = text.lstrip("+-").replace("_", "").split(":")
        total = sum((float(part) if "." in part else int(part)) * 60 ** abs(at - 2) for at, part in enumerate(parts))
        return -total if text.startswith("-") else total
    return text


def _integer(text: str) -> Value:
    sign = -1 if text.startswith("-") else 1
    body = text.lstrip("+-").lower()
    if body.startswith("0x"):
        return sign * int(body[2:], 16)
    if body.startswith("0b"):
        return sign * int(body[2:], 2)
    if len(body) > 1 and body.startswith("0"):
        return sign * int(body, 8)
    return sign * int(body)


def looks_otherwise(text: str) -> bool:
    """Whether a plain text would be read as something that is no text."""
    return type(scalar(text)) is not str or bool(_DATE.match(text)) or bool(re.match(r"0[0-7]*[89]\d*\Z", text))


# --- writing ---------------------------------------------------------------------------------------------------------


class _Writer:
    """One document being turned into events."""

    def __init__(self, i: Interpreter, width: int | None = None, canonical: bool = False) -> None:
        """`width`: texts that are longer are folded."""
        self.i = i
        self.width = width
        self.canonical = canonical
        self.counts: dict[int, int] = {}
        self.anchors: dict[int, str] = {}

    def count(self, value: Value, depth: int = 0) -> None:
        """How often each container stands in the value."""
        if depth > 500:
            raise NotSupported("YAML nested so deeply", self.i.at)
        if type(value) is list or isinstance(value, dict):
            self.counts[id(value)] = self.counts.get(id(value), 0) + 1
            if self.counts[id(value)] == 1:
                for item in value.values() if isinstance(value, dict) else value:
                    self.count(item, depth + 1)

    def events(self, value: Value) -> Iterator[Any]:
        """The events of a value."""
        kind = type(value)
        if kind is list or isinstance(value, dict):
            known = self.anchors.get(id(value))
            if known is not None:
                yield yaml.AliasEvent(known)
                return
            anchor = None
            if self.counts.get(id(value), 0) > 1:
                anchor = self.anchors[id(value)] = str(len(self.anchors) + 1)
            yield from self.container(value, anchor)
            return
        if isinstance(value, Set):
            yield yaml.MappingStartEvent(None, "!ruby/object:Set", False, flow_style=False)
            yield yaml.ScalarEvent(None, None, (True, False), "hash")
            yield from self.events(dict.fromkeys(value.members, True))
            yield yaml.MappingEndEvent()
            return
        if isinstance(value, Enumerator):
            yield from self.events(list(enumerated(self.i, value)))
            return
        yield self.scalar(value)

    def container(self, value: Value, anchor: str | None) -> Iterator[Any]:
        """An array or hash."""
        if type(value) is list:
            yield yaml.SequenceStartEvent(anchor, None, True, flow_style=not value)
            for item in value:
                yield from self.events(item)
            yield yaml.SequenceEndEvent()
            return
        yield yaml.MappingStartEvent(anchor, None, True, flow_style=not value)
        for key, item in value.items():
            if value_of(key) is None:
                yield yaml.ScalarEvent(None, None, (True, False), _NULL_KEY)
            elif key == "":
                yield yaml.ScalarEvent(None, None, (True, False), _EMPTY_KEY)
            else:
                yield from self.events(value_of(key))
            yield from self.events(item)
        yield yaml.MappingEndEvent()

    def scalar(self, value: Value) -> Any:
        """A value that is no container."""
        kind = type(value)
        if kind is str or kind is Text:
            return self.text(text_of(value))
        if value is None:
            return yaml.ScalarEvent(None, None, (True, False), _NULL)
        if kind is float:
            text = {"Infinity": ".inf", "-Infinity": "-.inf", "NaN": ".nan"}.get(show(value), show(value))
            return yaml.ScalarEvent(None, None, (True, False), text)
        if kind is Symbol:
            if not value.name:
                return yaml.ScalarEvent(None, "!ruby/symbol", (False, False), "", style="'")
            return yaml.ScalarEvent(None, None, (True, True), f":{value.name}")
        if kind is int or kind is bool:
            return yaml.ScalarEvent(None, None, (True, False), to_s(None, value))
        if isinstance(value, Module):
            tag = "!ruby/class" if value.is_class else "!ruby/module"
            return yaml.ScalarEvent(None, tag, (False, False), module_name(value), style="'")
        raise NotSupported(f"YAML of a {class_name(value)}", self.i.at)

    def text(self, text: str) -> Any:
        """A text in the quotes that Psych gives it."""
        style: str | None = None
        tag: str | None = None
        implicit = (True, True)
        if "\n" in text[:-1]:
            style = "|"
            if re.search(r"[ \t]\n|[^\n\t\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text):
                style = '"'
        elif text in ("y", "n"):
            style = '"'
        elif text == "<<":
            style, tag, implicit = "'", "tag:yaml.org,2002:str", (False, False)
        elif self.width is not None and len(text) > self.width:
            style = ">"
        elif re.match(r'[^\w][^"]*\Z', text):
            style = '"'
        elif text == "" or looks_otherwise(text):
            style = "'"
        elif re.search(r"[\t\x00-\x1f\x7f]", text):
            style = '"'
        return yaml.ScalarEvent(None, tag, implicit, text, style=style)


def dump(i: Interpreter, value: Value, options: dict[Any, Value] | None = None) -> str:
    """`value.to_yaml(indentation: 4, line_width: 120, canonical: true)`"""
    given = options or {}
    width = given.get(Symbol("line_width"))
    indent = given.get(Symbol("indentation"))
    canonical = truth(given.get(Symbol("canonical")))
    writer = _Writer(i, width if type(width) is int and width >= 0 else None, canonical)
    writer.count(value)
    events = [
        yaml.StreamStartEvent(),
        yaml.DocumentStartEvent(explicit=True),
        *writer.events(value),
        yaml.DocumentEndEvent(explicit=False),
        yaml.StreamEndEvent(),
    ]
    columns = 80 if type(width) is not int or not width else width if width > 0 else 1 << 30
    spaces = indent if type(indent) is int and 1 < indent < 10 else 2
    text = str(
        yaml.emit(events, Dumper=yaml.Dumper, width=columns, indent=spaces, canonical=canonical, allow_unicode=True)
    )
    if text.endswith("\n...\n") and not text.endswith("\n\n...\n"):
        text = text.removesuffix("...\n")
    text = text.replace(_NULL_KEY, "! ''").replace(_EMPTY_KEY, "''").replace(" " + _NULL, "").replace(_NULL, "")
    i.make_text(len(text))
    return text


# --- reading ---------------------------------------------------------------------------------------------------------


def load(i: Interpreter, text: str, options: dict[Any, Value]) -> Value:
    """`YAML.load`: data alone; an object of a class is refused."""
    symbolize = truth(options.get(Symbol("symbolize_names")))
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        place = f" at line {mark.line + 1} column {mark.column + 1}" if mark is not None else ""
        words = f"(<unknown>): {getattr(problem, 'problem', 'syntax error')}{place}"
        raise error("Psych::SyntaxError", words) from None
    except RecursionError:
        raise error("Psych::SyntaxError", "(<unknown>): nested too deeply") from None
    known: dict[int, Value] = {}

    def build(here: Any, depth: int) -> Value:
        if id(here) in known:
            return known[id(here)]
        i.budget.draw("nodes", 1, "reading YAML", i.at)
        if depth > 500:
            raise error("Psych::SyntaxError", "(<unknown>): nested too deeply")
        if isinstance(here, yaml.ScalarNode):
            if here.tag.startswith("!ruby/") or (here.tag.startswith("!") and here.tag != "!"):
                raise error("Psych::DisallowedClass", f"Tried to load unspecified class: {here.tag}")
            return scalar(here.value) if here.style is None else here.value
        if isinstance(here, yaml.SequenceNode):
            values: list[Value] = []
            known[id(here)] = values
            values.extend(build(item, depth + 1) for item in here.value)
            return values
        table: dict[Any, Value] = {}
        known[id(here)] = table
        for key, item in here.value:
            name = build(key, depth + 1)
            value = build(item, depth + 1)
            if name == "<<" and key.style is None and isinstance(value, (dict, list)):
                for part in value if isinstance(value, list) else [value]:
                    table.update({k: v for k, v in part.items() if k not in table})
            else:
                table[key_of(Symbol(name) if symbolize and type(name) is str else name)] = value
        return table

    return False if node is None and not text.strip() else None if node is None else build(node, 0)


@method(KERNEL, "to_yaml", 0, 1)
def to_yaml(i: Interpreter, self: Value, a: Args, block: Any) -> Value:
    return dump(i, self, a[-1] if a and isinstance(a[-1], dict) else None)


def _options(a: Args) -> dict[Any, Value]:
    return a[-1] if len(a) > 1 and isinstance(a[-1], dict) else {}


methods(
    YAML,
    1,
    3,
    {
        "dump": lambda i, s, a, b: dump(i, a[0], _options(a)),
        "load safe_load unsafe_load": lambda i, s, a, b: load(i, text_of(a[0]), _options(a)),
    },
    own=True,
)


def _load_file(i: Interpreter, a: Args) -> Value:
    from ..methods.files import read

    return load(i, read(i, a[:1]), _options(a))


methods(YAML, 1, 3, {"load_file safe_load_file": lambda i, s, a, b: _load_file(i, a)}, own=True)
for _name in ("Exception", "SyntaxError", "DisallowedClass"):
    YAML.constants[_name] = EXCEPTIONS[f"Psych::{_name}"]
