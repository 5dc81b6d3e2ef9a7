"""`%{...}` in data: variables, other keys, literals.

    %{facts.os.family}   %{::environment}   a variable, and parts of it
    %{lookup('key')}     %{hiera('key')}    another key, as text
    %{alias('key')}                         another key, whatever it is; must be the whole string
    %{literal('%')}      %{scope('x')}      a text; a variable again

What was filled in is part of the value's origin.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.budget import current
from ...provenance.operations import ARRAY
from ...provenance.origins import Absent, Choice, Items, Origin, Step, built_in
from ..kernel.edge_labels import ALIAS
from ..kernel.operations import HIERA_TEXT
from ..kernel.shadow import Shadow
from ..kernel.values import key_value
from ..types import puppet_string
from .errors import HieraError

if TYPE_CHECKING:
    from ..kernel.traced import Traced
    from .lookup import Search

_EXPRESSION = re.compile(r"%\{([^}]*)\}")
_METHOD = re.compile(r"^(\w+)\((?:\"([^\"]+)\"|'([^']+)')\)$", re.MULTILINE)
EMPTY = ("", "::", '""', "''", '"::"', "'::'")


def interpolated(search: Search, value: object, origin: Origin, methods: bool = True) -> Traced:
    """A value with everything in it filled in."""
    if isinstance(value, str):
        return _text(search, value, origin, methods) if "%{" in value else (value, origin)
    if isinstance(value, list):
        if not _needs(value):
            return value, origin
        shadow = Shadow(origin)
        pairs = [interpolated(search, element, shadow.item(index), methods) for index, element in enumerate(value)]
        return [element for element, _ in pairs], Items([element_origin for _, element_origin in pairs], shadow.own)
    if isinstance(value, dict):
        if not _needs(value):
            return value, origin
        shadow = Shadow(origin)
        filled: dict[Any, object] = {}
        shadows: dict[Any, Origin] = {}
        keys: list[Origin] = []
        for index, (key, element) in enumerate(value.items()):
            name = key
            if isinstance(key, str) and "%{" in key:
                name, key_origin = interpolated(search, key, shadow.own, methods)
                keys.append(key_origin)
            filled[name], shadows[name] = interpolated(search, element, shadow.value(key, index), methods)
        own = shadow.own if not keys else Choice(tuple(keys), shadow.own)
        return filled, Items(shadows, own)
    return value, origin


def _needs(value: object) -> bool:
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            if "%{" in part:
                return True
        elif isinstance(part, list):
            stack.extend(part)
        elif isinstance(part, dict):
            stack.extend(part.values())
            stack.extend(map(key_value, part))
    return False


def _text(search: Search, text: str, origin: Origin, methods: bool) -> Traced:
    parts: list[str] = []
    origins: list[Origin] = [origin]
    at = 0
    budget = current()
    for hole in _EXPRESSION.finditer(text):
        parts.append(text[at : hole.start()])
        at = hole.end()
        expression = hole[1].strip()
        if expression in EMPTY:
            continue
        budget.draw("interpolations", 1, f"filling in {hole[0][:60]}")
        name, argument = _method(expression, methods)
        if name == "alias" and hole[0] != text:
            raise _failed(
                "HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING",
                "'alias' interpolation is only permitted if the expression is equal to the entire string",
            )
        value, value_origin = _value(search, name, argument, text)
        if name == "alias":
            return value, Choice((origin,), value_origin, None, ALIAS)
        value, value_origin = search.guarded(
            f"scope:{argument}" if name == "scope" else argument,
            partial(interpolated, search, value, value_origin, methods),
        )
        origins.append(value_origin)
        parts.append("" if value is None else ruby_text(value))
    parts.append(text[at:])
    budget.draw("characters", sum(map(len, parts)), "filling in data")
    filled = "".join(parts), Step(HIERA_TEXT, (Items(origins, Step(ARRAY, ())),))
    return filled


def _method(text: str, allowed: bool) -> tuple[str, str]:
    """What an expression asks for: the way and the name."""
    call = _METHOD.match(text)
    if call is None:
        return "scope", text
    if not allowed:
        raise _failed(
            "HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED",
            "Interpolation using method syntax is not allowed in this context",
        )
    return call[1], call[2] or call[3]


def _value(search: Search, name: str, argument: str, text: str) -> Traced:
    if name == "literal":
        return argument, built_in(argument)
    if name == "scope":
        return search.variable(argument, f"string: {text}")
    if name in ("lookup", "hiera", "alias"):
        answer = search.nested().lookup_or_default(argument)
        return ("", Choice((answer,), built_in(""))) if isinstance(answer, Absent) else answer
    raise _failed("HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD", f"Unknown interpolation method '{name}'")


def _failed(issue: str, message: str) -> HieraError:
    return HieraError(message, "Hiera interpolation", issue)


def ruby_text(value: object) -> str:
    """A value as Ruby puts it into a string: composites as they would be written in Ruby."""
    if isinstance(value, list | dict):
        from ..types.sprintf import inspect

        return inspect(value)
    return puppet_string(value)
