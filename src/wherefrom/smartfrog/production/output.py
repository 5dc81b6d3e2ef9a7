"""Values of level production as text and as data.

`typed` is the form of the batch protocol, in which nothing is lost: `{"$long": 1}`, `{"$ref": "LAZY a:b"}`. `plain` is
that of `--json`: numbers are numbers, data references `$.a:b` as at the other levels, and what is left for the run time
has the typed form. `value_text` writes as SmartFrog's own compiler does, which does not read all of that again: short
decimals have no suffix there, components without attributes no braces, and a vector may hold components. `program_text`
writes what compiles to the same value.
"""

from __future__ import annotations

import json
import math

from ..store import Component, DataPath
from .nodes import Application, Key, Node
from .tree import Null, Part, Path, ToBeDefined, Variable
from .values import ByteArray, Float, Long, java_text

_PLAIN = frozenset((bool, int, str, type(None)))


def key_text(key: Key) -> str:
    """The name of an attribute; a placement that stays has its path."""
    return key if isinstance(key, str) else ":".join(key)


def path_text(path: Path, again: bool = False) -> str:
    """All of a reference, as SmartFrog's own compiler prints it, or so that it can be compiled `again`."""
    text = "LAZY " if path.lazy else ""
    if path.default is not None:
        text += "OPTIONAL "
        if path.default.value is not None and not isinstance(path.default.value, Null):
            text += f" ({_text(path.default.plain, 0, again)}) "
    written = path.written
    if again and any(map(_odd, path.parts)):
        written = ":".join(map(_part_text, path.parts))
    return text + ("DATA " if path.data else "") + written


def _odd(part: Part) -> bool:
    """Whether the name in a part of a path needs quotes."""
    return bool(part.name) and name_text(part.name) != part.name


def _part_text(part: Part) -> str:
    """A part of a path with its kind."""
    return f"{part.kind} {name_text(part.name)}" if part.name else part.kind


def typed(value: object) -> object:
    """A value in the form of the batch protocol."""
    match value:
        case Component():
            return {key_text(name): typed(slot.value) for name, slot in value.entries.items()}
        case None | bool() | str():
            return {"$ref": f"DATA {value[2:]}"} if isinstance(value, DataPath) else value
        case Long():
            return {"$long": int(value)}
        case int():
            return value
        case float():
            number: object = java_text(value) if not math.isfinite(value) else float(value)
            return {"$float" if isinstance(value, Float) else "$double": number}
        case ByteArray():
            return {"$bytes": value.hex().upper()}
        case list():
            return [typed(item) for item in value]
        case Path():
            return {"$ref": path_text(value)}
        case Application():
            kind = "$apply" if value.kind == "APPLY" else "$assert"
            return {kind: typed(value.arguments), "lazy": value.lazy, "data": value.data}
        case ToBeDefined():
            return {"$tbd": True}
        case Variable():
            return {"$var": True}
        case _:
            raise AssertionError(value)


def plain(value: object) -> object:
    """A value as plain, JSON-like data."""
    match value:
        case Component():
            return {
                name if name.__class__ is str else key_text(name): (
                    inner if (inner := slot.value).__class__ in _PLAIN else plain(inner)
                )
                for name, slot in value.entries.items()
            }
        case list():
            return [item if item.__class__ in _PLAIN else plain(item) for item in value]
        case Path(data=True, lazy=False, default=None):
            return f"$.{value.written}"
        case Long():
            return int(value)
        case float():
            if not math.isfinite(value):
                return java_text(value)
            return float(java_text(value)) if isinstance(value, Float) else value
        case Application():
            kind = "$apply" if value.kind == "APPLY" else "$assert"
            return {kind: plain(value.arguments), "lazy": value.lazy}
        case Path() | ToBeDefined() | Variable() | ByteArray():
            return typed(value)
        case _:
            return value


def value_text(value: object, indent: int = 0) -> str:
    """A value as SmartFrog's own compiler writes it."""
    return _text(value, indent, False)


def program_text(value: object) -> str:
    """A value as a program has it: what compiles to the same one."""
    return _text(value, 0, True)


def _text(value: object, indent: int, again: bool) -> str:
    """A value; `again` says whether it is to be compiled again."""
    match value:
        case None:
            return "NULL"
        case DataPath():
            return f"DATA {value[2:]}"
        case bool():
            return "true" if value else "false"
        case str():
            return quoted(value)
        case Long():
            return f"{int(value)}L"
        case float():
            suffix = "D" if not isinstance(value, Float) else "f" if again else ""
            if again and not math.isfinite(value):
                dividend = "0" if value != value else "1" if value > 0 else "-1"
                return f"({dividend}.0{suffix} / 0.0{suffix})"
            return java_text(value) + suffix
        case int():
            return str(value)
        case ByteArray():
            return f"#HEX#{value.hex().upper()}#"
        case list():
            if again and not all(map(_stands_for_itself, value)):
                items = (_text(item, 0, True) for item in value)
                return f"[{', '.join(f'({text})' if text.startswith('extends ') else text for text in items)}]"
            return "[|" + ", ".join(_text(item, 0, again) for item in value) + "|]"
        case Path():
            return path_text(value, again)
        case Application():
            head = f"{'LAZY ' if value.lazy else ''}{'DATA ' if value.data else ''}{value.kind} {{"
            return f"{head}{''.join(lines_of(value.arguments, 0, again))}}}"
        case Component():
            head = "extends DATA " if type(value) is Node and value.data else "extends "
            if not value.entries:
                return f"{head}{{}}" if again else f"{head};"
            return f"{head}{{\n{''.join(lines_of(value, indent + 1, again))}{'  ' * indent}}}"
        case ToBeDefined():
            return "TBD"
        case _:
            return "VAR"


def _stands_for_itself(value: object) -> bool:
    """Whether a value may be written in a literal vector."""
    if isinstance(value, list):
        return all(map(_stands_for_itself, value))
    finite = not isinstance(value, float) or math.isfinite(value)
    return finite and not isinstance(value, Component | Application)


def lines_of(component: Component, indent: int, again: bool = False) -> list[str]:
    """The attributes of a component, a line each."""
    lines = []
    for key, slot in component.entries.items():
        tags = component.tags.get(key, ()) if type(component) is Node else ()
        mark = f"[ {' '.join(map(name_text, sorted(tags)))} ] " if tags else ""
        text = _text(slot.value, indent, again)
        end = "" if isinstance(slot.value, Component) else ";"
        name = name_text(key) if isinstance(key, str) else ":".join([*key[:-1], name_text(key[-1])])
        lines.append(f"{'  ' * indent}{mark}{name} {text}{end}\n")
    return lines


def name_text(name: str) -> str:
    """The name of an attribute, in quotes if it needs them."""
    from ...base.source import SourceFile
    from .lexer import NAME, RESERVED, tokenize

    tokens, problems = tokenize(SourceFile("", name))
    single = not problems and len(tokens.kinds) == 2 and tokens.kinds[0] == NAME and tokens.texts[0] == name
    return name if single and name not in RESERVED else quoted(name)


def quoted(text: str) -> str:
    """A string in quotes, with the escapes that the language knows."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
    return '"' + "".join(escapes.get(character, character) for character in text) + '"'


__all__ = ["json", "key_text", "lines_of", "name_text", "plain", "program_text", "quoted", "typed", "value_text"]
