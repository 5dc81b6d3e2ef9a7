"""What generated code calls: variables of `with`, functions' patterns, computed attribute names, calls of odd
things.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, NoReturn

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
from .values import (
    Attrs,
    Builtin,
    ContextString,
    FunctionInfo,
    NixPath,
    Places,
    Slot,
    Thunk,
    Value,
    delay,
    describe_type,
    force,
    position_of,
)

if TYPE_CHECKING:
    from ...base.source import Span

ABSENT: object = type("Absent", (), {"__repr__": lambda self: "ABSENT", "__slots__": ()})()
"""What is in no slot: `Z` in generated code."""


def with_lookup(name: str, span: Span, *sets: Slot) -> Value:
    """A variable that no construct binds, from the enclosing `with`s, innermost first."""
    known: list[str] = []
    for slot in sets:
        attrs = slot.force() if type(slot) is Thunk else slot
        if type(attrs) is not Attrs:
            raise TypeMismatch(describe_type(attrs), "a set", span)
        attribute = attrs.table.get(name, ABSENT)
        if attribute is not ABSENT:
            return attribute.force() if type(attribute) is Thunk else attribute
        known.extend(attrs.table)
    raise UndefinedVariable(name, span, known)


def find(subject: Value, *steps: str | Callable[[], str]) -> Slot:
    """The slot at the end of an attribute path, or `ABSENT` as soon as something is not there or is not a set."""
    slot: Slot = subject
    for step in steps:
        value = slot.force() if type(slot) is Thunk else slot
        name = step if isinstance(step, str) else step()
        if type(value) is not Attrs:
            return ABSENT
        slot = value.table.get(name, ABSENT)
        if slot is ABSENT:
            return ABSENT
    return slot


def find_named(subject: Value, name: str) -> Slot:
    """The slot of an attribute, or `ABSENT` if there is none or the subject is no set."""
    return subject.table.get(name, ABSENT) if type(subject) is Attrs else ABSENT


def taken(subject: Slot, name: str, code: Callable[[Slot], Slot]) -> Slot:
    """A slot with an attribute: its value, if the set and the attribute have been computed; else a thunk with `code`.

    Lists and functions are not given away: printing and `==` tell one that is held by two from two that are alike.
    """
    attrs = subject
    if type(attrs) is Thunk:
        if attrs.code is not None:
            return delay(code, subject)
        attrs = attrs.value
    if type(attrs) is Attrs:
        slot = attrs.table.get(name, ABSENT)
        if type(slot) is Thunk:
            if slot.code is not None:
                return delay(code, subject)
            slot = slot.value
        if type(slot) not in _IDENTIFIED:
            return slot
    return delay(code, subject)


_IDENTIFIED = frozenset((list, FunctionType, Builtin, type(ABSENT)))
"""Values of which it shows whether two slots hold the same one."""


def picked(held: tuple[Slot, str, Span, Span]) -> Value:
    """`subject.name`: the code of a thunk, which holds the rest, and the place of the whole."""
    subject, name, span, _ = held
    return operators.select(subject, name, span)


def picked_two(held: tuple[Slot, str, str, Span, Span, Span]) -> Value:
    """`subject.first.second` in the same way."""
    subject, first, second, span, span_two, _ = held
    return operators.select_two(subject, first, second, span, span_two)


def attrs_of(places: Places, *slots: Slot) -> Attrs:
    """The set that was written at these places."""
    return Attrs(dict(zip(places.triples[::3], slots)), places)


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
    positions = {name: span for name in table if (span := position_of(attrs, name)) is not None}
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
    return Attrs(overrides.table | attrs.table, own | positions)


def match_formals(slot: Slot, info: FunctionInfo) -> Attrs:
    """The set given to a function with a pattern, once it is clear that it fits."""
    value = slot.force() if type(slot) is Thunk else slot[0] if type(slot) is tuple else slot
    if type(value) is not Attrs:
        raise TypeMismatch(describe_type(value), "a set", info.span)
    table = value.table
    for name in info.required:
        if name not in table:
            raise MissingArgument(function_name(info), name, (info.formals or {})[name][0])
    if not info.ellipsis and not table.keys() <= info.names:
        for name in value.sorted_names():
            if name not in info.names:
                raise UnexpectedArgument(
                    function_name(info), name, info.names, position_of(value, name) or info.span, info.span
                )
    return value


def function_name(info: FunctionInfo) -> str:
    """How messages call a function."""
    return f"function '{info.name}'" if info.name else f"anonymous function at {info.span.place}"


def callable_of(function: Value, span: Span) -> Callable[[Slot], Value]:
    """A Python function that calls a value that is not simply a function: a builtin or a functor."""
    if type(function) is Builtin:
        if len(function.arguments) + 1 == function.arity:
            return partial(_RUN[function.arity], function, span, *function.arguments)
        return partial(_call_builtin_value, function, span)
    if type(function) is Attrs and "__functor" in function.table:
        functor = force(function.table["__functor"])
        called = (functor if type(functor) is FunctionType else callable_of(functor, span))(function)
        called = force(called)
        return called if type(called) is FunctionType else callable_of(called, span)
    raise NotCallable(describe_type(function), span)


def _call_builtin_value(builtin: Builtin, span: Span, *slots: Slot) -> Value:
    """Give a builtin, which may have some of its arguments already, more of them; not more than it takes."""
    arguments = builtin.arguments + slots
    if len(arguments) < builtin.arity:
        return builtin.given(arguments)
    return _RUN[len(arguments)](builtin, span, *arguments)


def call_one(function: Value, span: Span, slot: Slot) -> Value:
    """Call a value that is not simply a function."""
    if type(function) is Builtin:
        given = function.arguments
        if not given and function.arity == 1:
            return run_one(function, span, slot)
        if len(given) == 1 and function.arity == 2:
            return run_two(function, span, given[0], slot)
    return callable_of(function, span)(slot)


def apply_one(function: Value, span: Span, slot: Slot) -> Value:
    """Call any value with one argument."""
    return function(slot) if type(function) is FunctionType else call_one(function, span, slot)


def call_two(function: Value, span: Span, first: Slot, second: Slot) -> Value:
    """Call a value with two arguments."""
    if type(function) is FunctionType:
        if function.__code__.co_argcount == 2:
            return function(first, second)
        function = function(first)
        if type(function) is FunctionType:
            return function(second)
        return callable_of(function, span)(second)
    if type(function) is Builtin:
        if function.arity == 2 and not function.arguments:
            return run_two(function, span, first, second)
        if len(function.arguments) + 2 <= function.arity:
            return _call_builtin_value(function, span, first, second)
    return call(callable_of(function, span)(first), span, second)


def call(function: Value, span: Span, *slots: Slot) -> Value:
    """Call a value with arguments, one after the other."""
    if type(function) is FunctionType and function.__code__.co_argcount == len(slots):
        return function(*slots)
    if type(function) is Builtin and len(function.arguments) + len(slots) <= function.arity:
        return _call_builtin_value(function, span, *slots)
    for slot in slots:
        function = (function if type(function) is FunctionType else callable_of(function, span))(slot)
    return function


def run_one(builtin: Builtin, span: Span, slot: Slot) -> Value:
    """Call a builtin of one argument.  This and the following are written out because each call counts."""
    try:
        result = builtin.function(builtin.machine, slot)
        return result.force() if type(result) is Thunk else result
    except NixError as problem:
        problem.at(span)
        raise


def run_two(builtin: Builtin, span: Span, first: Slot, second: Slot) -> Value:
    """Call a builtin of two arguments."""
    try:
        result = builtin.function(builtin.machine, first, second)
        return result.force() if type(result) is Thunk else result
    except NixError as problem:
        problem.at(span)
        raise


def run_three(builtin: Builtin, span: Span, first: Slot, second: Slot, third: Slot) -> Value:
    """Call a builtin of three arguments."""
    try:
        result = builtin.function(builtin.machine, first, second, third)
        return result.force() if type(result) is Thunk else result
    except NixError as problem:
        problem.at(span)
        raise


_RUN: tuple[Callable[..., Value], ...] = (run_one, run_one, run_two, run_three)
"""Calls a builtin with all its arguments, by how many it takes: none takes none, or more than three."""


def assertion_failed(condition: str, span: Span) -> NoReturn:
    """`assert` found false."""
    raise AssertionFailed(condition, span)


def current_position(span: Span) -> Attrs:
    """`__curPos`"""
    from .paths import position_set

    return position_set(span)


NAMES: dict[str, object] = {
    "T": Thunk,
    "D": delay,
    "A": Attrs,
    "F": FunctionType,
    "Z": ABSENT,
    "QUICK": frozenset((int, str, bool)),
    "NULL": type(None),
    "STRINGS": frozenset((str, ContextString)),
    "FUNCTIONS": frozenset((FunctionType, Builtin)),
    "PATH": NixPath,
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
    "addend": operators.addend,
    "interpolable": operators.interpolable,
    "concatenate": operators.concatenate,
    "select": operators.select,
    "select_two": operators.select_two,
    "interpolate": operators.interpolate,
    "interpolate_path": operators.interpolate_path,
    "not_boolean": operators.not_boolean,
    "truth": operators.truth,
    "with_lookup": with_lookup,
    "find": find,
    "find_named": find_named,
    "taken": taken,
    "picked": picked,
    "picked_two": picked_two,
    "attrs_of": attrs_of,
    "attribute_name": attribute_name,
    "add_dynamic": add_dynamic,
    "nameable": nameable,
    "overriding_set": overriding_set,
    "override": override,
    "match_formals": match_formals,
    "callable_of": callable_of,
    "call": call,
    "call_two": call_two,
    "call_one": call_one,
    "apply_one": apply_one,
    "run_one": run_one,
    "run_two": run_two,
    "run_three": run_three,
    "assertion_failed": assertion_failed,
    "current_position": current_position,
}
"""The name space of generated code, besides its own constants."""
