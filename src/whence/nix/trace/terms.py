"""The operations of terms, done again on plain values: how an `expression` is checked.

A term's operations are those that the recording names (`+`, `interpolate`, `? a.b`, `call NAME`, ...), its leaves are
literals and other inputs. Plain data goes in and comes out. A builtin that was given a function (`all`, `any`) is not
done again: what the function looked at is no part of the term, so doing it on the parts that are would mislead.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Refused
from ..kernel import operators
from ..kernel.values import Attrs, NixPath, PathText, Value, force
from .cells import path_steps
from .history import plain

if TYPE_CHECKING:
    from ..kernel.world import Machine


class NotData(Refused):
    """A term with a function in it, or with what a text carries beside its characters."""

    def __init__(self, op: str, given: str = "a function") -> None:
        super().__init__(
            f"'{op.removeprefix('call ')}' was given {given}: it can not be computed again from data alone",
            help="run the program again to see what another input would give",
        )


def apply_operation(machine: Machine, op: str, arguments: list[object]) -> object:
    """The result of `op` on plain values."""
    if op.startswith("value "):
        return json.loads(op[6:])
    if op.startswith("? "):
        return _has(op[2:], arguments)
    if op.startswith(("attribute ", "element ")):
        name = op.partition(" ")[2]
        whole: Any = arguments[0]
        return whole[int(name)] if isinstance(whole, list) else whole[name]
    if op in ("set", "list", "update"):
        return {} if op == "set" else []
    if op in ("built in", "function"):
        return _a_function
    if op == "untraced":
        return None
    if op.startswith("call ") and not op.startswith(("call is", "call typeOf")) and any(map(callable, arguments)):
        raise NotData(op)
    if op in _NOT_OF_DATA:
        raise NotData(op, _NOT_OF_DATA[op])
    if op == "call toFile" and "/nix/store/" in str(arguments[1]):
        raise NotData(op, "the context of a text")
    if any(isinstance(argument, dict) and "__toString" in argument for argument in arguments):
        raise NotData(op)
    values = [to_value(argument) for argument in arguments]
    return plain(_compute(machine, op, values), strict=True)


_NOT_OF_DATA = {
    "call getContext": "the context of a text",
    "call hasContext": "the context of a text",
    "call unsafeGetAttrPos": "the place of an attribute",
}
"""Builtins that look at what values carry beside their data."""


def _a_function(argument: object) -> object:
    """Stands for a builtin function that a term passes on; only its type is ever asked for."""
    raise NotData("call")


def _has(path: str, reached: list[object]) -> bool:
    """`?`: the sets that were reached, in order, each followed by the name if that was computed."""
    rest = iter(reached)
    for step in path_steps(path):
        here = next(rest, None)
        name = next(rest, None) if step is None else step
        if not isinstance(here, dict) or name not in here:
            return False
    return True


def _compute(machine: Machine, op: str, values: list[Value]) -> Value:
    match op, values:
        case "+", [left, right]:
            return operators.add(left, right, None, machine)
        case "-", [left, right]:
            return operators.subtract(left, right)
        case "*", [left, right]:
            return operators.multiply(left, right)
        case "/", [left, right]:
            return operators.divide(left, right)
        case "negate", [operand]:
            return operators.subtract(0, operand)
        case "!", [operand]:
            return not operand
        case "==", [left, right]:
            return operators.equal(left, right)
        case "!=", [left, right]:
            return not operators.equal(left, right)
        case "<", [left, right]:
            return operators.less_than(left, right)
        case ">", [left, right]:
            return operators.less_than(right, left)
        case "<=", [left, right]:
            return not operators.less_than(right, left)
        case ">=", [left, right]:
            return not operators.less_than(left, right)
        case (("&&" | "||" | "->"), [_, right]):
            return right
        case (("&& decided by" | "|| decided by" | "-> decided by"), [left]):
            return left if op[0] != "-" else True
        case "//", [left, right]:
            return operators.update(left, right)
        case "++", [left, right]:
            return operators.concatenate(left, right)
        case "interpolate", parts:
            return operators.interpolate(machine, None, *parts)
        case "path", [head, *parts]:
            start = head if isinstance(head, NixPath) else NixPath(str(head))
            return operators.interpolate_path(machine, None, start, *parts)
    if op.startswith("call "):
        builtin = machine.builtin(op[5:])
        return force(machine.call_builtin(builtin, tuple(values)))
    raise LookupError(op)


def to_value(data: Any) -> Value:
    """Plain data as a Nix value."""
    if isinstance(data, dict):
        return Attrs({name: to_value(element) for name, element in data.items()})
    if isinstance(data, list):
        return [to_value(element) for element in data]
    if isinstance(data, PathText):
        return NixPath(str(data))
    return data
