"""Builtins that ask what a value is."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING

from ..kernel.values import Attrs, Builtin, NixPath, Slot, force, function_info, is_function, type_name
from .errors import FunctionRequired
from .registry import builtin

if TYPE_CHECKING:
    from ..kernel.world import Machine


@builtin("typeOf", forces=(0,), looks=True)
def type_of(machine: Machine, value: Slot) -> Slot:
    """The type: `"int"`, `"bool"`, `"string"`, `"path"`, `"null"`, `"set"`, `"list"`, `"lambda"` or `"float"`.

    nix> builtins.typeOf [ 1 ]
    "list"
    """
    return type_name(force(value))


@builtin("isAttrs", forces=(0,), looks=True)
def is_attrs(machine: Machine, value: Slot) -> Slot:
    """Whether `value` is an attribute set.

    nix> builtins.isAttrs { }
    true
    """
    return type(force(value)) is Attrs


@builtin("isBool", forces=(0,), looks=True)
def is_bool(machine: Machine, value: Slot) -> Slot:
    """Whether `value` is a Boolean.

    nix> builtins.isBool (1 < 2)
    true
    """
    return type(force(value)) is bool


@builtin("isFloat", forces=(0,), looks=True)
def is_float(machine: Machine, value: Slot) -> Slot:
    """Whether `value` is a floating-point number.

    nix> builtins.isFloat 1
    false
    """
    return type(force(value)) is float


@builtin("isFunction", forces=(0,), looks=True)
def is_function_(machine: Machine, value: Slot) -> Slot:
    """Whether `value` is a function.  A set with `__functor` can be called but is not one.

    nix> builtins.isFunction (x: x)
    true
    """
    return is_function(force(value))


@builtin("isInt", forces=(0,), looks=True)
def is_int(machine: Machine, value: Slot) -> Slot:
    """Whether `value` is an integer.

    nix> builtins.isInt 1
    true
    """
    return type(force(value)) is int


@builtin("isList", forces=(0,), looks=True)
def is_list(machine: Machine, value: Slot) -> Slot:
    """Whether `value` is a list.

    nix> builtins.isList [ ]
    true
    """
    return type(force(value)) is list


@builtin("isNull", forces=(0,), looks=True)
def is_null(machine: Machine, value: Slot) -> Slot:
    """Whether `value` is null.  The same as `value == null`.

    nix> isNull null
    true
    """
    return force(value) is None


@builtin("isPath", forces=(0,), looks=True)
def is_path(machine: Machine, value: Slot) -> Slot:
    """Whether `value` is a path.

    nix> builtins.isPath "/etc"
    false
    """
    return type(force(value)) is NixPath


@builtin("isString", forces=(0,), looks=True)
def is_string(machine: Machine, value: Slot) -> Slot:
    """Whether `value` is a string.

    nix> builtins.isString "x"
    true
    """
    return isinstance(force(value), str)


@builtin("functionArgs", forces=(0,), looks=True)
def function_args(machine: Machine, function: Slot) -> Slot:
    """The formal arguments of a function with a pattern: a set from each name to whether it has a default.

    A function of one plain argument, and a builtin, have none.

    nix> builtins.functionArgs ({ x, y ? 1 }: x)
    { x = false; y = true; }
    """
    value = force(function)
    if type(value) is Builtin:
        return Attrs({})
    if type(value) is not FunctionType:
        raise FunctionRequired()
    formals = function_info(value).formals or {}
    return Attrs(
        {name: has_default for name, (_, has_default) in formals.items()},
        {name: span for name, (span, _) in formals.items()},
    )
