"""YAML: `to_yaml` as Psych 4 writes it (how it reads is in `yaml_reading`).

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
from ..classes import EXCEPTIONS, KERNEL, class_name, method, methods, text_of
from ..errors import NotSupported
from ..interpreter import Interpreter
from ..iteration import enumerated
from ..methods.objects import Args
from ..registry import library_module
from ..showing import inspect_regexp, module_name, to_s
from ..values import Enumerator, Module, Range, Regexp, Set, Text, Value, truth, value_of
from .yaml_reading import Reader, arguments_of, is_moment, scalar

YAML = library_module("YAML")
YAML.constants["VERSION"] = "4.0.3"  # of Ruby 3.1
_NULL = "\ue000null"
"""The placeholder of nil until the text is written: libyaml leaves nothing, PyYAML would leave a blank."""

_PATTERN = "\ue000pattern"
"""The placeholder of a regular expression, by number: libyaml writes it without quotes, though it has a tag."""

_SHARED = (list, dict, Set, Range, Regexp, Module)
"""What is written once, and referred to wherever it stands again."""

_NULL_KEY = "\ue000nullkey"
_EMPTY_KEY = "\ue000emptykey"


def looks_otherwise(text: str) -> bool:
    """Whether a plain text would be read as something that is no text."""
    return type(scalar(text)) is not str or is_moment(text) or bool(re.match(r"0[0-7]*[89]", text))


# --- writing ---------------------------------------------------------------------------------------------------------


class _Writer:
    """One document being turned into events."""

    def __init__(self, i: Interpreter, width: int | None = None, canonical: bool = False) -> None:
        """`width`: texts that are longer are folded."""
        self.i = i
        self.width = width
        self.canonical = canonical
        self.met: set[int] = set()
        self.anchors: dict[int, str] = {}
        """The anchors of values that occur more than once, in the order in which they recur."""
        self.written: set[int] = set()
        self.patterns: list[str] = []

    def count(self, value: Value, depth: int = 0) -> None:
        """Find the objects that occur in the value more than once."""
        if depth > 500:
            raise NotSupported("YAML that is nested so deeply", self.i.at)
        if not isinstance(value, _SHARED):
            return
        if id(value) in self.met:
            self.anchors.setdefault(id(value), str(len(self.anchors) + 1))
            return
        self.met.add(id(value))
        if isinstance(value, dict):
            for key, item in value.items():
                self.count(value_of(key), depth + 1)
                self.count(item, depth + 1)
        elif isinstance(value, list):
            for item in value:
                self.count(item, depth + 1)

    def events(self, value: Value) -> Iterator[object]:
        """The events of a value."""
        anchor = self.anchors.get(id(value)) if isinstance(value, _SHARED) else None
        if anchor is not None:
            if id(value) in self.written:
                yield yaml.AliasEvent(anchor)
                return
            self.written.add(id(value))
        if type(value) is list or isinstance(value, dict):
            yield from self.container(value, anchor)
            return
        if isinstance(value, Set):
            yield yaml.MappingStartEvent(anchor, "!ruby/object:Set", False, flow_style=False)
            yield yaml.ScalarEvent(None, None, (True, False), "hash")
            yield from self.events(dict.fromkeys(value.members, True))
            yield yaml.MappingEndEvent()
            return
        if isinstance(value, Range):
            yield yaml.MappingStartEvent(anchor, "!ruby/range", False, flow_style=False)
            for name, part in (("begin", value.first), ("end", value.last), ("excl", value.exclusive)):
                yield yaml.ScalarEvent(None, None, (True, False), name)
                yield from self.events(part)
            yield yaml.MappingEndEvent()
            return
        if isinstance(value, Enumerator):
            yield from self.events(list(enumerated(self.i, value)))
            return
        yield self.scalar(value, anchor)

    def container(self, value: Value, anchor: str | None) -> Iterator[object]:
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

    def scalar(self, value: Value, anchor: str | None = None) -> object:
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
        if kind is Regexp:
            self.patterns.append(inspect_regexp(value))
            return yaml.ScalarEvent(anchor, None, (True, False), f"{_PATTERN}{len(self.patterns) - 1}.")
        if isinstance(value, Module):
            tag = "!ruby/class" if value.is_class else "!ruby/module"
            return yaml.ScalarEvent(anchor, tag, (False, False), module_name(value), style="'")
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
    for number, pattern in enumerate(writer.patterns):
        text = text.replace(f"{_PATTERN}{number}.", f"!ruby/regexp {pattern}")
    i.make_text(len(text))
    return text


# --- methods ---------------------------------------------------------------------------------------------------------


@method(KERNEL, "to_yaml", 0, 1)
def to_yaml(i: Interpreter, self: Value, a: Args, block: object) -> Value:
    return dump(i, self, a[-1] if a and isinstance(a[-1], dict) else None)


def _options(a: Args) -> dict[Any, Value]:
    return a[-1] if len(a) > 1 and isinstance(a[-1], dict) else {}


def _loading(way: str) -> Any:
    """`YAML.load(text, ...)`, `YAML.load_file(path, ...)`"""
    return lambda i, s, a, b: Reader(i, way, arguments_of(way, a)).first(text_of(a[0]))


def _loading_file(way: str) -> Any:
    from ..methods.files import read

    return lambda i, s, a, b: Reader(i, way, arguments_of(way, a)).first(read(i, a[:1]))


def _load_stream(i: Interpreter, a: Args) -> Value:
    return Reader(i, "unsafe_load", {}).documents(text_of(a[0]))


methods(
    YAML,
    1,
    -1,
    {
        "dump": lambda i, s, a, b: dump(i, a[0], _options(a)),
        "load_stream": lambda i, s, a, b: _load_stream(i, a),
        **{way: _loading(way) for way in ("load", "safe_load", "unsafe_load")},
        **{f"{way}_file": _loading_file(way) for way in ("load", "safe_load", "unsafe_load")},
    },
    own=True,
)
for _name in ("Exception", "SyntaxError", "DisallowedClass", "BadAlias"):
    YAML.constants[_name] = EXCEPTIONS[f"Psych::{_name}"]
