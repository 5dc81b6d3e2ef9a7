"""The operations of terms, done again on plain values: how an `expression` is checked.

A term's operations are those that the recording names (`+`, `interpolate`, `? a.b`, `call NAME`, ...), its leaves are
literals and other inputs. Plain data goes in and comes out; functions stay what they are.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from . import operators
from .history import plain
from .values import Attrs, NixPath, Value, force

if TYPE_CHECKING:
    from .machine import Machine


def apply_operation(machine: Machine, op: str, arguments: list[object]) -> object:
    """The result of `op` on plain values."""
    if op.startswith("value "):
        return json.loads(op[6:])
    if op.startswith("? "):
        return _has(op[2:].split("."), arguments)
    if op in ("set", "list", "update"):
        return {} if op == "set" else []
    if op in ("built in", "untraced"):
        return None
    values = [to_value(each) for each in arguments]
    return plain(_compute(machine, op, values), strict=True)


def _has(steps: list[str], reached: list[object]) -> bool:
    """`?`: the sets that were reached, in order, must have the names of the path."""
    sets = [each for each in reached if not isinstance(each, str)]
    return len(sets) == len(steps) and all(isinstance(one, dict) and name in one for one, name in zip(sets, steps))


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
            return operators.interpolate_path(machine, None, NixPath(str(head)), *parts)
    if op.startswith("call "):
        builtin = machine.builtin(op[5:])
        return force(machine.call_builtin(builtin, tuple(values)))
    raise LookupError(op)


def to_value(data: Any) -> Value:
    """Plain data as a Nix value."""
    if isinstance(data, dict):
        return Attrs({name: to_value(each) for name, each in data.items()})
    if isinstance(data, list):
        return [to_value(each) for each in data]
    return data
