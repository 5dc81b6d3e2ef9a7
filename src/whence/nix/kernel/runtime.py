"""What generated code calls: variables of `with`, functions' patterns, computed attribute names, calls of odd
things.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

from ..syntax.tree import Assert
from . import operators
from .errors import (
    AlreadyDefined,
    AssertionFailed,
    MissingArgument,
    NixError,
    NotCallable,
    TypeMismatch,
    UndefinedVariable,
    UnexpectedArgument,
)
from .values import Attrs, Builtin, FunctionInfo, Slot, Thunk, Value, describe_type, force, position_of

if TYPE_CHECKING:
    from ...base.source import Span

ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT", "__slots__": ()})()
"""What is in no slot: `Z` in generated code."""


def with_lookup(name: str, span: Span, *sets: Slot) -> Value:
    """A variable that no construct binds, from the enclosing `with`s, innermost first."""
    known: list[str] = []
    for slot in sets:
        attrs = slot.force() if type(slot) is Thunk else slot
        if type(attrs) is not Attrs:
            raise TypeMismatch(describe_type(attrs), "a set", span)
        found = attrs.table.get(name, ABSENT)
        if found is not ABSENT:
            return found.force() if type(found) is Thunk else found
        known.extend(attrs.table)
    raise UndefinedVariable(name, span, known)


def find(subject: Value, *steps: str | Callable[[], str]) -> Slot:
    """The slot at the end of an attribute path, or `ABSENT` as soon as something is not there or is not a set."""
    slot: Slot = subject
    for step in steps:
        value = slot.force() if type(slot) is Thunk else slot
        name = step if type(step) is str else step()  # type: ignore[operator]
        if type(value) is not Attrs:
            return ABSENT
        slot = value.table.get(name, ABSENT)
        if slot is ABSENT:
            return ABSENT
    return slot


def attribute_name(value: Value, span: Span | None) -> str:
    """A computed attribute name."""
    if not isinstance(value, str):
        raise TypeMismatch(describe_type(value), "a string", span)
    return str(value)


def nameable(value: Value, span: Span) -> Value:
    """A computed name, or null for none: Nix asks that of each before it computes the next."""
    if value is not None and type(value) is not str:
        if not isinstance(value, str):
            raise TypeMismatch(describe_type(value), "a string", span)
        raise NixError(f"the string '{value}' is not allowed to refer to a store path", span)
    return value


def add_dynamic(attrs: Attrs, *definitions: tuple[Value, Slot, Span]) -> Attrs:
    """A set with attributes whose names were computed; a name that is null defines nothing."""
    table = dict(attrs.table)
    positions = dict(attrs.positions or {})  # type: ignore[arg-type]
    for name, slot, span in definitions:
        if name is None:
            continue
        nameable(name, span)
        if name in table:
            raise AlreadyDefined(name, span, positions.get(name))
        table[name] = slot
        positions[name] = span
    return Attrs(table, positions)


def overriding_set(slot: Slot, span: Span) -> Attrs:
    """The set `__overrides`."""
    value = force(slot)
    if type(value) is not Attrs:
        raise TypeMismatch(describe_type(value), "a set", span)
    return value


def override(attrs: Attrs, overrides: Attrs) -> Attrs:
    """A recursive set with those of `__overrides` that it did not have; its own were replaced before."""
    positions = {name: span for name in overrides.table if (span := position_of(overrides, name)) is not None}
    own = {name: span for name in attrs.table if (span := position_of(attrs, name)) and name not in overrides.table}
    return Attrs(attrs.table | overrides.table, own | positions)


def match_formals(slot: Slot, info: FunctionInfo) -> Attrs:
    """The set given to a function with a pattern, once it is clear that it fits."""
    value = slot.force() if type(slot) is Thunk else slot[0] if type(slot) is tuple else slot
    if type(value) is not Attrs:
        raise TypeMismatch(describe_type(value), "a set", info.span)
    table, formals = value.table, info.formals
    assert formals is not None
    for name, (span, has_default) in formals.items():
        if not has_default and name not in table:
            raise MissingArgument(function_name(info), name, span)
    if not info.ellipsis and not table.keys() <= formals.keys():
        for name in value.sorted_names():
            if name not in formals:
                raise UnexpectedArgument(
                    function_name(info), name, formals, position_of(value, name) or info.span, info.span
                )
    return value


def function_name(info: FunctionInfo) -> str:
    """How messages call a function."""
    return f"function '{info.name}'" if info.name else f"anonymous function at {info.span.place}"


def callable_of(function: Value, span: Span) -> Callable[[Slot], Value]:
    """A Python function that calls a value that is not simply a function: a builtin or a functor."""
    if type(function) is Builtin:
        builtin = function

        def run(slot: Slot) -> Value:
            try:
                result = builtin(slot)
                return result.force() if type(result) is Thunk else result
            except NixError as problem:
                problem.at(span)
                raise

        return run
    if type(function) is Attrs and "__functor" in function.table:
        functor = force(function.table["__functor"])
        made = (functor if type(functor) is FunctionType else callable_of(functor, span))(function)
        made = force(made)
        return made if type(made) is FunctionType else callable_of(made, span)
    raise NotCallable(describe_type(function), span)


def call_builtin(builtin: Builtin, span: Span, *slots: Slot) -> Value:
    """Call a builtin with all its arguments."""
    try:
        result = builtin.function(builtin.machine, *slots)
        return result.force() if type(result) is Thunk else result
    except NixError as problem:
        problem.at(span)
        raise


def assertion_failed(node: Assert) -> NoReturn:
    """`assert` found false."""
    from ..syntax.printer import show

    raise AssertionFailed(show(node.test), node.test.span)


def current_position(span: Span) -> Attrs:
    """`__curPos`"""
    from .paths import position_set

    return position_set(span)


NAMES: dict[str, Any] = {
    "T": Thunk,
    "A": Attrs,
    "F": FunctionType,
    "Z": ABSENT,
    "QUICK": frozenset((int, str, bool)),
    "force": force,
    "wrap": operators.wrap,
    "add": operators.add,
    "subtract": operators.subtract,
    "multiply": operators.multiply,
    "divide": operators.divide,
    "less_than": operators.less_than,
    "equal": operators.equal,
    "update": operators.update,
    "updatable": operators.updatable,
    "addable": operators.addable,
    "interpolable": operators.interpolable,
    "concatenate": operators.concatenate,
    "select": operators.select,
    "interpolate": operators.interpolate,
    "interpolate_path": operators.interpolate_path,
    "not_boolean": operators.not_boolean,
    "with_lookup": with_lookup,
    "find": find,
    "attribute_name": attribute_name,
    "add_dynamic": add_dynamic,
    "nameable": nameable,
    "overriding_set": overriding_set,
    "override": override,
    "match_formals": match_formals,
    "callable_of": callable_of,
    "call_builtin": call_builtin,
    "assertion_failed": assertion_failed,
    "current_position": current_position,
}
"""The name space of generated code, besides its own constants."""
