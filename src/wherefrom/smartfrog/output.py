"""Finished stores as text: SmartFrog's own syntax, and YAML.

Both keep the order of attributes, which is part of a store's meaning. The SmartFrog form is a program again, and
compiles to the same store. The YAML form is the paper's (figure 3): strings are always in quotes and data references
never are, so the two can be told apart, and nothing is written as an alias. In JSON a data reference is the string
`$.a:b`, as the authors' compilers print it.

Writers are loops over a stack, so nesting is no matter; lines are given one by one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from .store import Component, DataPath, Plain

_YAML_WORDS = frozenset("y n yes no on off true false null".split())
"""Names that YAML 1.1 would read as something else than a string, in any case of letters."""


def smartfrog_lines(store: Component) -> Iterator[str]:
    """The store as a SmartFrog program."""
    if not store.entries:
        yield "sfConfig extends {}"
        return
    yield "sfConfig extends {"
    stack = [iter(store.entries.items())]
    while stack:
        indent = "  " * len(stack)
        for name, slot in stack[-1]:
            value = slot.value
            if not isinstance(value, Component):
                yield f"{indent}{name} {smartfrog_value(value)};"
            elif value.entries:
                yield f"{indent}{name} extends {{"
                stack.append(iter(value.entries.items()))
                break
            else:
                yield f"{indent}{name} extends {{}}"
        else:
            stack.pop()
            yield "  " * len(stack) + "}"


def yaml_lines(store: Component) -> Iterator[str]:
    """The store as a YAML document."""
    if not store.entries:
        yield "{}"
        return
    stack = [iter(store.entries.items())]
    while stack:
        indent = "  " * (len(stack) - 1)
        for name, slot in stack[-1]:
            value = slot.value
            if isinstance(value, Component) and value.entries:
                yield f"{indent}{_yaml_name(name)}:"
                stack.append(iter(value.entries.items()))
                break
            yield f"{indent}{_yaml_name(name)}: {yaml_value(value)}"
        else:
            stack.pop()


def smartfrog_value(value: Plain) -> str:
    """A basic value in SmartFrog's syntax."""
    match value:
        case None:
            return "NULL"
        case DataPath():
            return f"DATA {value[2:]}"
        case list():
            return "[" + ", ".join(map(smartfrog_value, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)


def yaml_value(value: Plain | Component) -> str:
    """A value without attributes of its own as YAML, on one line."""
    match value:
        case Component():
            return "{}"
        case DataPath():
            return _yaml_name(value[2:])
        case list():
            return "[" + ", ".join(map(yaml_value, value)) + "]"
        case str():
            # JSON's escapes are YAML's; YAML wants a few more characters escaped than JSON does.
            text = json.dumps(value, ensure_ascii=False)
            return text if text.isprintable() else json.dumps(value)
        case float():
            text = json.dumps(value)
            return text if "." in text else text.replace("e", ".0e")  # YAML 1.1 wants a point
        case _:
            return json.dumps(value)


def _yaml_name(name: str) -> str:
    return f'"{name}"' if name.lower() in _YAML_WORDS else name
