"""The functions of the language: what each class of SmartFrog's own compiler gives for its arguments.

A function gets its arguments in order, by name, without `sfFunctionClass`. Those that fold (`+`, `++`, ...) take all
arguments as operands, whatever they are called; one operand alone is the result. `Wrong` says what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...base.budget import current
from .nodes import Application, Node
from .tree import Path
from .values import (
    ByteArray,
    Float,
    added,
    divided,
    is_number,
    java_text,
    multiplied,
    remainder,
    subtracted,
)


class Wrong(Exception):
    """What is wrong with an argument, if one can be named."""

    def __init__(self, reason: str, argument: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.argument = argument


Arguments = Mapping[str, object]
Function = Callable[[Arguments], object]
Step = Callable[[Any, Any], object]
"""A function of two operands, which were checked to be of the kind that it is for."""


def _folding(step: Step, check: Callable[[object], bool], wanted: str) -> Function:
    def fold(arguments: Arguments) -> object:
        names = list(arguments)
        if not names:
            raise Wrong("it needs an argument")
        result = arguments[names[0]]
        for number, name in enumerate(names[1:]):
            for given, at in ((result, names[0] if number == 0 else None), (arguments[name], name)):
                if not check(given):
                    raise Wrong(f"{named_kind(given)} is not a {wanted}", at)
            result = step(result, arguments[name])
        return result

    return fold


def _pair(step: Step, check: Callable[[object], bool], wanted: str) -> Function:
    def compute(arguments: Arguments) -> object:
        for name in ("left", "right"):
            if name not in arguments:
                raise Wrong(f"it needs an argument `{name}`")
            if not check(arguments[name]):
                raise Wrong(f"{named_kind(arguments[name])} is not a {wanted}", name)
        try:
            return step(arguments["left"], arguments["right"])
        except ZeroDivisionError:
            raise Wrong("division by zero", "right") from None

    return compute


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_boolean(value: object) -> bool:
    return isinstance(value, bool)


def _anything(value: object) -> bool:
    return True


def _not(arguments: Arguments) -> object:
    if "data" not in arguments:
        raise Wrong("it needs an argument `data`")
    value = arguments["data"]
    if not isinstance(value, bool):
        raise Wrong(f"{named_kind(value)} is not a boolean", "data")
    return not value


def equal(a: object, b: object) -> bool:
    """Equality of kind and value."""
    if isinstance(a, Node) or isinstance(b, Node):
        current().draw("pairs", 1, "comparing components")
        if not (isinstance(a, Node) and isinstance(b, Node)) or list(a.entries) != list(b.entries):
            return False
        return all(equal(slot.value, b.entries[name].value) for name, slot in a.entries.items())
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, Path):
        return isinstance(b, Path) and a.parts == b.parts
    return type(a) is type(b) and a == b


def _compared(test: Callable[[float, float], bool]) -> Function:
    def compare(a: float, b: float) -> bool:
        wide = isinstance(a, float) or isinstance(b, float)
        return test(float(a), float(b)) if wide else test(a, b)

    return _pair(compare, is_number, "number")


def _condition(arguments: Arguments) -> object:
    for name in ("if", "then", "else"):
        if name not in arguments:
            raise Wrong(f"it needs an argument `{name}`")
    return arguments["then" if chosen(arguments) == "then" else "else"]


def chosen(arguments: Arguments) -> str | None:
    """Which argument of a condition or of a SWITCH is the result: its name, or nothing."""
    if "if" in arguments:
        if not isinstance(arguments["if"], bool):
            raise Wrong(f"{named_kind(arguments['if'])} is not a boolean", "if")
        return "then" if arguments["if"] else "else"
    for name, value in arguments.items():
        if name.startswith("IF"):
            if not isinstance(value, bool):
                raise Wrong(f"{named_kind(value)} is not a boolean", name)
            then = f"THEN{name[2:]}"
            if then not in arguments:
                raise Wrong(f"it needs an argument `{then}`")
            if value:
                return then
    return None


def _switch(arguments: Arguments) -> object:
    name = chosen(arguments)
    return None if name is None else arguments[name]


def _vector(arguments: Arguments) -> object:
    return list(arguments.values())


def _append(arguments: Arguments) -> object:
    vectors = [value for value in arguments.values() if isinstance(value, list)]
    current().draw("elements", sum(map(len, vectors)), "joining vectors")
    return [item for vector in vectors for item in vector]


def _concatenate(arguments: Arguments) -> object:
    operands = list(arguments.values())
    if not operands:
        raise Wrong("it needs an argument")
    return joined("", list(map(text_of, operands))) if len(operands) > 1 else operands[0]


def joined(separator: str, pieces: list[str]) -> str:
    """Texts in one."""
    current().draw("characters", sum(map(len, pieces)) + len(separator) * len(pieces), "joining texts")
    return separator.join(pieces)


def _format(arguments: Arguments) -> object:
    given = arguments.get("format")
    if given is not None and not isinstance(given, str):
        raise Wrong(f"{named_kind(given)} is not a string", "format")
    result = given or ""
    for number in range(10):
        given = arguments.get(f"s{number}")
        if f"s{number}" not in arguments and f"${number}" in result:
            raise Wrong(f"it needs an argument `s{number}`")
        text = given if isinstance(given, str) else ""
        current().draw("characters", len(result) + result.count(f"${number}") * len(text), "filling in a text")
        result = result.replace(f"${number}", text)
    return result


def _qualified(arguments: Arguments) -> object:
    operands = {name: value for name, value in arguments.items() if name != "sfFunctionQual"}
    return FUNCTIONS["Sum" if arguments.get("sfFunctionQual") == "sum" else "Product"](operands)


def _all_different(arguments: Arguments) -> object:
    values = list(arguments.values())
    current().draw("pairs", len(values) * (len(values) - 1) // 2, "comparing values")
    return not any(equal(a, b) for number, a in enumerate(values) for b in values[number + 1 :])


def _system(arguments: Arguments) -> object:
    return arguments.get("system")


FUNCTIONS: dict[str, Function] = {
    "Sum": _folding(added, is_number, "number"),
    "Product": _folding(multiplied, is_number, "number"),
    "Minus": _pair(subtracted, is_number, "number"),
    "Divide": _pair(divided, is_number, "number"),
    "Mod": _pair(remainder, _is_whole, "whole number"),
    "And": _folding(lambda a, b: a and b, _is_boolean, "boolean"),
    "Or": _folding(lambda a, b: a or b, _is_boolean, "boolean"),
    "Xor": _folding(lambda a, b: a != b, _is_boolean, "boolean"),
    "Implies": _folding(lambda a, b: not a or b, _is_boolean, "boolean"),
    "Not": _not,
    "EQ": _pair(equal, _anything, "value"),
    "NE": _pair(lambda a, b: not equal(a, b), _anything, "value"),
    "GE": _compared(lambda a, b: a >= b),
    "GT": _compared(lambda a, b: a > b),
    "LE": _compared(lambda a, b: a <= b),
    "LT": _compared(lambda a, b: a < b),
    "Concatenate": _concatenate,
    "Vector": _vector,
    "Append": _append,
    "Format": _format,
    "IfThenElse": _condition,
    "Switch": _switch,
    "NSumProduct": _qualified,
    "AllDifferent": _all_different,
    "SystemComponent": _system,
}
"""What depends on its arguments alone, by class; `link` has those that look around or count."""
LOOKING_INSIDE = frozenset(("Concatenate", "EQ", "NE", "AllDifferent"))
"""Functions that look at all of an argument."""


def named_kind(value: object) -> str:
    """What a value is, for messages."""
    from ..store import kind_of

    if isinstance(value, Path | Application):
        return "a reference"
    if isinstance(value, ByteArray):
        return "an array of bytes"
    return kind_of(value)


def text_of(value: object) -> str:
    """A value as text, as `++` makes it."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int() | float():
            return java_text(value)
        case list():
            return f"[{joined(', ', list(map(text_of, value)))}]"
        case _:
            from .output import value_text

            return value_text(value)


__all__ = ["FUNCTIONS", "Float", "Wrong", "chosen", "equal", "named_kind", "text_of"]
