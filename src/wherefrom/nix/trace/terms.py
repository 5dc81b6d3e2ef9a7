"""The operations of terms, done again on plain values: how an `expression` is checked.

A term's operations are the records of `wherefrom.nix.trace.operations`, its leaves literals and other inputs. Plain
data goes in and comes out. A builtin that was given a function (`all`, `any`) is not done again: what the function
looked at is no part of the term, so doing it on the parts that are would mislead.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Refused
from ...provenance.operations import Computations, FunctionCall, Op, Provided, Untraced
from ..kernel import operators
from ..kernel.values import Attrs, NixPath, PathText, Value, force
from . import operations as ops
from .history import plain
from .steps import path_steps

if TYPE_CHECKING:
    from ..kernel.world import Machine


class NotData(Refused):
    """A term with a function in it, or with what a text carries beside its characters."""

    def __init__(self, op: Op | str, given: str = "a function") -> None:
        super().__init__(
            f"'{op.shown if isinstance(op, Op) else op}' was given {given}: "
            "it cannot be computed again from data alone",
            help="evaluate again to see the result for another input",
        )


COMPUTATIONS: Computations[Machine] = Computations()
computes = COMPUTATIONS.of


def apply_operation(machine: Machine, op: Op, arguments: list[object]) -> object:
    """The result of `op` on plain values."""
    return COMPUTATIONS.apply(op, arguments, machine)


# --- constants, parts ------------------------------------------------------------------------------------------------


@computes(ops.Constant)
def _constant(op: ops.Constant, arguments: Sequence[object], machine: Machine) -> object:
    return json.loads(op.name)


@computes(ops.EmptySet)
def _set(op: ops.EmptySet, arguments: Sequence[object], machine: Machine) -> object:
    return {}


@computes(ops.EmptyList)
def _list(op: ops.EmptyList, arguments: Sequence[object], machine: Machine) -> object:
    return []


@computes(ops.FunctionHead, Provided)
def _function(op: Op, arguments: Sequence[object], machine: Machine) -> object:
    return _a_function


def _a_function(argument: object) -> object:
    """Stands for a builtin function that a term passes on; only its type is ever asked for."""
    raise NotData("call")


@computes(Untraced)
def _untraced(op: Untraced, arguments: Sequence[object], machine: Machine) -> object:
    return None


@computes(ops.Attribute)
def _attribute(op: ops.Attribute, arguments: Sequence[Any], machine: Machine) -> object:
    whole = arguments[0]
    return whole[int(op.name)] if isinstance(whole, list) else whole[op.name]


@computes(ops.Element)
def _element(op: ops.Element, arguments: Sequence[Any], machine: Machine) -> object:
    return arguments[0][op.index]


@computes(ops.Has)
def _has(op: ops.Has, arguments: Sequence[object], machine: Machine) -> object:
    """`?`: the sets that were reached, in order, each followed by the name if that was computed."""
    rest = iter(arguments)
    for step in path_steps(op.name):
        here = next(rest, None)
        name = next(rest, None) if step is None else step
        if not isinstance(here, dict) or name not in here:
            return False
    return True


# --- operators -------------------------------------------------------------------------------------------------------

_BINARY: Mapping[str, Callable[[Value, Value, Machine], Value]] = {
    "+": lambda left, right, machine: operators.add(left, right, None, machine),
    "-": lambda left, right, _: operators.subtract(left, right),
    "*": lambda left, right, _: operators.multiply(left, right),
    "/": lambda left, right, _: operators.divide(left, right),
    "==": lambda left, right, _: operators.equal(left, right),
    "!=": lambda left, right, _: not operators.equal(left, right),
    "<": lambda left, right, _: operators.less_than(left, right),
    ">": lambda left, right, _: operators.less_than(right, left),
    "<=": lambda left, right, _: not operators.less_than(right, left),
    ">=": lambda left, right, _: not operators.less_than(left, right),
    "&&": lambda _, right, __: right,
    "||": lambda _, right, __: right,
    "->": lambda _, right, __: right,
    "//": lambda left, right, _: operators.update(left, right),
    "++": lambda left, right, _: operators.concatenate(left, right),
}


def _of_values(op: Op, arguments: Sequence[object], compute: Callable[[list[Value]], Value]) -> object:
    """Compute on Nix values, and give plain data."""
    if any(isinstance(argument, dict) and "__toString" in argument for argument in arguments):
        raise NotData(op)
    return plain(compute([to_value(argument) for argument in arguments]), strict=True)


@computes(ops.Operator)
def _operator(op: ops.Operator, arguments: Sequence[object], machine: Machine) -> object:
    if op.symbol in ("==", "!=") and any(map(_holds_function, arguments)):
        raise NotData(op)  # whether the two are one and the same is not in the data
    compute = _BINARY[op.symbol]
    return _of_values(op, arguments, lambda values: compute(values[0], values[1], machine))


def _holds_function(data: object) -> bool:
    """Whether there is a function inside a list or set."""
    waiting = [data]
    while waiting:
        here = waiting.pop()
        if isinstance(here, list | dict):
            inside = here.values() if isinstance(here, dict) else here
            if any(map(callable, inside)):
                return True
            waiting.extend(inside)
    return False


@computes(ops.Decided)
def _decided(op: ops.Decided, arguments: Sequence[object], machine: Machine) -> object:
    return True if op == _IMPLIED else arguments[0]


_IMPLIED = ops.Decided("->")


@computes(ops.Negate)
def _negate(op: ops.Negate, arguments: Sequence[object], machine: Machine) -> object:
    return _of_values(op, arguments, lambda values: operators.subtract(0, values[0]))


@computes(ops.Not)
def _not(op: ops.Not, arguments: Sequence[object], machine: Machine) -> object:
    return not arguments[0]


@computes(ops.Interpolate)
def _interpolate(op: ops.Interpolate, arguments: Sequence[object], machine: Machine) -> object:
    return _of_values(op, arguments, lambda values: operators.interpolate(machine, None, *values))


@computes(ops.InterpolatePath)
def _interpolate_path(op: ops.InterpolatePath, arguments: Sequence[object], machine: Machine) -> object:
    def compute(values: list[Value]) -> Value:
        head, *parts = values
        start = head if isinstance(head, NixPath) else NixPath(str(head))
        return operators.interpolate_path(machine, None, start, *parts)

    return _of_values(op, arguments, compute)


# --- builtins --------------------------------------------------------------------------------------------------------

_NOT_OF_DATA = {
    "getContext": "string context",
    "hasContext": "string context",
    "unsafeGetAttrPos": "the place of an attribute",
}
"""Builtins that look at what values carry beside their data."""
_OF_FUNCTIONS = ("is", "typeOf")
"""How the names of builtins begin that look at the type of a function alone."""


@computes(FunctionCall)
def _call(op: FunctionCall, arguments: Sequence[object], machine: Machine) -> object:
    if not op.name.startswith(_OF_FUNCTIONS) and any(map(callable, arguments)):
        raise NotData(op)
    if op.name in _NOT_OF_DATA:
        raise NotData(op, _NOT_OF_DATA[op.name])
    if op == _TO_FILE and "/nix/store/" in str(arguments[1]):
        raise NotData(op, "string context")
    builtin = machine.builtin(op.name)
    return _of_values(op, arguments, lambda values: force(machine.call_builtin(builtin, tuple(values))))


_TO_FILE = FunctionCall("toFile")


def to_value(data: object) -> Value:
    """Plain data as a Nix value."""
    if isinstance(data, dict):
        return Attrs({name: to_value(element) for name, element in data.items()})
    if isinstance(data, list):
        return [to_value(element) for element in data]
    if isinstance(data, PathText):
        return NixPath(str(data))
    return data
