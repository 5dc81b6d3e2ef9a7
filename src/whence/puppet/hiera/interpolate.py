"""`%{...}` in data: variables, other keys, literals.

    %{facts.os.family}   %{::environment}   a variable, and parts of it
    %{lookup('key')}     %{hiera('key')}    another key, as text
    %{alias('key')}                         another key, whatever it is; must be the whole string
    %{literal('%')}      %{scope('x')}      a text; a variable again

What was filled in is part of the value's origin.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...base.budget import current
from ...provenance.origins import Absent, Choice, Items, Origin, Step
from ..kernel.shadow import Shadow
from ..kernel.values import key_value
from ..types import puppet_string
from .errors import HieraError

if TYPE_CHECKING:
    from ..kernel.traced import Traced
    from .lookup import Search

_EXPRESSION = re.compile(r"%\{([^}]*)\}")
_METHOD = re.compile(r"^(\w+)\((?:\"([^\"]+)\"|'([^']+)')\)$", re.MULTILINE)
_EMPTY = ("", "::", '""', "''", '"::"', "'::'")


def interpolated(search: Search, value: Any, origin: Origin, methods: bool = True) -> Traced:
    """A value with everything in it filled in."""
    if isinstance(value, str):
        return _text(search, value, origin, methods) if "%{" in value else (value, origin)
    if isinstance(value, list):
        if not _needs(value):
            return value, origin
        shadow = Shadow(origin)
        pairs = [interpolated(search, each, shadow.item(index), methods) for index, each in enumerate(value)]
        return [each for each, _ in pairs], Items([each for _, each in pairs], shadow.own)
    if isinstance(value, dict):
        if not _needs(value):
            return value, origin
        shadow = Shadow(origin)
        made: dict[Any, Any] = {}
        shadows: dict[Any, Origin] = {}
        keys: list[Origin] = []
        for index, (key, each) in enumerate(value.items()):
            name = key
            if isinstance(key, str) and "%{" in key:
                name, key_origin = interpolated(search, key, shadow.own, methods)
                keys.append(key_origin)
            made[name], shadows[name] = interpolated(search, each, shadow.value(key, index), methods)
        own = shadow.own if not keys else Choice(tuple(keys), shadow.own)
        return made, Items(shadows, own)
    return value, origin


def _needs(value: Any) -> bool:
    stack = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, str):
            if "%{" in each:
                return True
        elif isinstance(each, list):
            stack.extend(each)
        elif isinstance(each, dict):
            stack.extend(each.values())
            stack.extend(map(key_value, each))
    return False


def _text(search: Search, text: str, origin: Origin, methods: bool) -> Traced:
    parts: list[str] = []
    origins: list[Origin] = [origin]
    at = 0
    budget = current()
    for found in _EXPRESSION.finditer(text):
        parts.append(text[at : found.start()])
        at = found.end()
        expression = found[1].strip()
        if expression in _EMPTY:
            continue
        budget.draw("interpolations", 1, f"filling in {found[0][:60]}")
        name, argument = _method(expression, methods)
        if name == "alias" and found[0] != text:
            raise _failed(
                "HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING",
                "'alias' interpolation is only permitted if the expression is equal to the entire string",
            )
        value, value_origin = _value(search, name, argument, text)
        if name == "alias":
            return value, Choice((origin,), value_origin, None, "alias")
        value, value_origin = search.guarded(
            f"scope:{argument}" if name == "scope" else argument,
            lambda value=value, value_origin=value_origin: interpolated(search, value, value_origin, methods),  # type: ignore[misc]
        )
        origins.append(value_origin)
        parts.append("" if value is None else ruby_text(value))
    parts.append(text[at:])
    budget.draw("characters", sum(map(len, parts)), "filling in data")
    return "".join(parts), Step("hiera text", (Items(origins, Step("array", ())),))


def _method(text: str, allowed: bool) -> tuple[str, str]:
    """What an expression asks for: the way and the name."""
    found = _METHOD.match(text)
    if found is None:
        return "scope", text
    if not allowed:
        raise _failed(
            "HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED",
            "Interpolation using method syntax is not allowed in this context",
        )
    return found[1], found[2] or found[3]


def _value(search: Search, name: str, argument: str, text: str) -> Traced:
    if name == "literal":
        return argument, Step(f"built in {argument}", ())
    if name == "scope":
        return search.variable(argument, f"string: {text}")
    if name in ("lookup", "hiera", "alias"):
        found = search.nested().lookup_or_default(argument)
        return ("", Choice((found,), Step("built in ", ()))) if isinstance(found, Absent) else found
    raise _failed("HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD", f"Unknown interpolation method '{name}'")


def _failed(issue: str, message: str) -> HieraError:
    return HieraError(message, "Hiera interpolation", issue)


def ruby_text(value: Any) -> str:
    """A value as Ruby puts it into a string: composites as they would be written in Ruby."""
    if isinstance(value, list | dict):
        from ..types.sprintf import inspect

        return inspect(value)
    return puppet_string(value)
