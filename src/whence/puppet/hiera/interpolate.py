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

from ...provenance.origins import Absent, Choice, Items, Origin, Step
from ..errors import CatalogError
from ..functions.shadow import Shadow
from ..types import puppet_string
from ..values import key_value

if TYPE_CHECKING:
    from ..runtime.scope import Traced
    from .lookup import Search

_EXPRESSION = re.compile(r"%\{([^}]*)\}")
_METHOD = re.compile(r"\A(\w+)\((?:[\"]([^\"]+)[\"]|[']([^']+)['])\)\Z")
_EMPTY = re.compile(r"\A(?:::)*\Z")


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
        for index, (key, each) in enumerate(value.items()):
            name = interpolated(search, key, origin, methods)[0] if isinstance(key, str) else key
            made[name], shadows[name] = interpolated(search, each, shadow.value(key, index), methods)
        return made, Items(shadows, shadow.own)
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
    whole = _EXPRESSION.fullmatch(text)
    parts: list[str] = []
    origins: list[Origin] = [origin]
    at = 0
    for found in _EXPRESSION.finditer(text):
        parts.append(text[at : found.start()])
        at = found.end()
        value, value_origin, alias = _expression(search, found.group(1).strip(), methods)
        if alias:
            if whole is None:
                raise CatalogError(
                    "'alias' interpolation is only permitted if the expression is equal to the entire string",
                    None,
                    issue=None,
                    kind="Hiera interpolation",
                    lead="",
                )
            return value, Choice((origin,), value_origin, None, "alias")
        origins.append(value_origin)
        parts.append("" if value is None else puppet_string(value))
    parts.append(text[at:])
    return "".join(parts), Step("hiera text", (Items(origins, Step("array", ())),))


def _expression(search: Search, text: str, methods: bool) -> tuple[Any, Origin, bool]:
    method = _METHOD.match(text)
    if method is None:
        if _EMPTY.match(text.strip("'\"")):
            return "", Step("nothing", ()), False
        value, origin = search.filled_variable(text)
        return value, origin, False
    if not methods:
        raise CatalogError(
            "Interpolation using method syntax is not allowed in this context",
            None,
            issue=None,
            kind="Hiera interpolation",
            lead="",
        )
    name, argument = method.group(1), method.group(2) or method.group(3)
    if name == "literal":
        return argument, Step(f"built in {argument}", ()), False
    if name == "scope":
        value, origin = search.filled_variable(argument)
        return value, origin, False
    if name in ("lookup", "hiera", "alias"):
        try:
            found = search.lookup(argument, None)
        except CatalogError as problem:
            prefix = "" if problem.message.startswith("Lookup of key") else f"Lookup of key '{argument}' failed: "
            raise CatalogError(
                f"{prefix}{problem.message}", None, issue=None, kind="Hiera interpolation", lead=""
            ) from None
        if found is None:
            return None, Absent(f"Hiera key {argument}"), name == "alias"
        return found[0], found[1], name == "alias"
    raise CatalogError(f"Unknown interpolation method '{name}'", None, issue=None, kind="Hiera interpolation", lead="")
