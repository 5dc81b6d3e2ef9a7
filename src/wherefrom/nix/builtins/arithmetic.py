"""Builtins on numbers: the operators as functions, bits, rounding, and the order `<`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..kernel.errors import DivisionByZero, NixError
from ..kernel.operators import less_than, wrap
from ..kernel.values import Slot, Value, force
from .errors import DivisionOverflow
from .registry import builtin
from .support import need_float, need_int

if TYPE_CHECKING:
    from ..kernel.world import Machine

SMALLEST = -(1 << 63)


def _compute(left: Slot, right: Slot, operation: Callable[[Value, Value], Value]) -> Slot:
    """`operation`, in floats if either side is one, else in integers of 64 bits."""
    if type(force(left)) is float or type(force(right)) is float:
        return operation(need_float(left), need_float(right))
    return wrap(operation(need_int(left), need_int(right)))


@builtin("add", forces=(0, 1))
def add(machine: Machine, left: Slot, right: Slot) -> Slot:
    """The sum of two numbers.  Unlike `+` it does not join strings.

    nix> builtins.add 1 2.5
    3.5
    """
    return _compute(left, right, lambda a, b: a + b)


@builtin("sub", forces=(0, 1))
def sub(machine: Machine, left: Slot, right: Slot) -> Slot:
    """The difference of two numbers.

    nix> builtins.sub 5 3
    2
    """
    return _compute(left, right, lambda a, b: a - b)


@builtin("mul", forces=(0, 1))
def mul(machine: Machine, left: Slot, right: Slot) -> Slot:
    """The product of two numbers.

    nix> builtins.mul 6 7
    42
    """
    return _compute(left, right, lambda a, b: a * b)


@builtin("div", forces=(0, 1))
def div(machine: Machine, left: Slot, right: Slot) -> Slot:
    """The quotient of two numbers; of integers without the fraction, rounded towards zero.

    nix> builtins.div (-7) 2
    -3
    """
    if need_float(right) == 0:
        raise DivisionByZero()
    if type(force(left)) is float or type(force(right)) is float:
        return need_float(left) / need_float(right)
    dividend, divisor = need_int(left), need_int(right)
    if dividend == SMALLEST and divisor == -1:
        raise DivisionOverflow()
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


@builtin("bitAnd", forces=(0, 1), checks=((0, "int"), (1, "int")))
def bit_and(machine: Machine, left: Slot, right: Slot) -> Slot:
    """The bitwise *and* of two integers.

    nix> builtins.bitAnd 12 10
    8
    """
    return need_int(left) & need_int(right)


@builtin("bitOr", forces=(0, 1), checks=((0, "int"), (1, "int")))
def bit_or(machine: Machine, left: Slot, right: Slot) -> Slot:
    """The bitwise *or* of two integers.

    nix> builtins.bitOr 12 10
    14
    """
    return need_int(left) | need_int(right)


@builtin("bitXor", forces=(0, 1), checks=((0, "int"), (1, "int")))
def bit_xor(machine: Machine, left: Slot, right: Slot) -> Slot:
    """The bitwise *exclusive or* of two integers.

    nix> builtins.bitXor 12 10
    6
    """
    return need_int(left) ^ need_int(right)


def _to_int(machine: Machine, name: str, number: float) -> int:
    """A float without a fraction as an integer; one that is too large becomes the smallest, as the processor has it.

    Since Nix 2.29 it is an error.
    """
    if not -9223372036854775808.0 <= number < 9223372036854775808.0:
        if machine.dialect.version >= (2, 29):
            raise NixError(f"NixFloat argument {number:g} is not in the range of integers, in 'builtins.{name}'")
        return SMALLEST
    return int(number)


@builtin("ceil", forces=(0,))
def ceil(machine: Machine, number: Slot) -> Slot:
    """The smallest integer that is not below `number`.

    nix> builtins.ceil 1.2
    2
    """
    value = need_float(number)
    whole = _to_int(machine, "ceil", value)
    return whole + 1 if SMALLEST < whole < value else whole


@builtin("floor", forces=(0,))
def floor(machine: Machine, number: Slot) -> Slot:
    """The largest integer that is not above `number`.

    nix> builtins.floor (-1.2)
    -2
    """
    value = need_float(number)
    whole = _to_int(machine, "floor", value)
    return whole - 1 if whole > SMALLEST and whole > value else whole


@builtin("lessThan", forces=(0, 1))
def less_than_(machine: Machine, left: Slot, right: Slot) -> Slot:
    """Whether `left` comes before `right`: `left < right`.

    Numbers, strings, paths, and lists of these can be compared.

    nix> builtins.lessThan "a" "b"
    true
    """
    one = force(left)
    return less_than(one, force(right))
