"""Operators: arithmetic, comparison, matching, logic, assignment.

The common cases (integers, strings) are decided inside the closures; everything else, coercions and errors included, is
done by `wherefrom.puppet.compile.arithmetic` and the type system.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Diagnostic
from ...provenance.operations import ARRAY
from ...provenance.origins import Guard, Items, Origin, Step, Taken
from ..kernel.edge_labels import AND, OR
from ..kernel.failures import EvaluationError, a_an, placed
from ..kernel.operations import ADD, MEMBERSHIP, MODULO, MULTIPLY, NEGATE, NOT, OPERATORS, SUBTRACT
from ..kernel.shadow import Shadow
from ..kernel.type_failures import RubyFailure
from ..kernel.values import Regexp, SemVerRange, hash_key
from ..runtime.effects import Effects, effects_of
from ..runtime.library import Code
from ..syntax import tree
from ..types import compare, equals, includes, label
from ..types.callables import ClassType
from ..types.compare import in_range
from ..types.model import PuppetType
from ..types.ruby import kind_name
from .arithmetic import MAX_INTEGER, MIN_INTEGER, calculate, negate
from .build import build, builds
from .literals import constant

if TYPE_CHECKING:
    from ...base.source import Span
    from ..kernel.traced import Traced
    from ..runtime.library import Library
    from ..runtime.scope import Frame


# --- arithmetic -------------------------------------------------------------------------------------------------------


@builds(tree.Arithmetic)
def build_arithmetic(node: tree.Arithmetic, environment: Library, wanted: bool) -> Code:
    left = build(node.left, environment)
    right = build(node.right, environment)
    operator = node.operator
    span = node.span
    if operator == "+":

        def add(frame: Frame) -> Traced:
            a, a_origin = left(frame)
            b, b_origin = right(frame)
            if type(a) is int and type(b) is int:
                result = a + b
                if MIN_INTEGER <= result <= MAX_INTEGER:
                    return result, Step(ADD, (a_origin, b_origin), span)
            return calculate(frame, node, a, b, a_origin, b_origin)

        return add
    if operator == "-":

        def subtract(frame: Frame) -> Traced:
            a, a_origin = left(frame)
            b, b_origin = right(frame)
            if type(a) is int and type(b) is int:
                result = a - b
                if MIN_INTEGER <= result <= MAX_INTEGER:
                    return result, Step(SUBTRACT, (a_origin, b_origin), span)
            return calculate(frame, node, a, b, a_origin, b_origin)

        return subtract
    if operator == "*":

        def multiply(frame: Frame) -> Traced:
            a, a_origin = left(frame)
            b, b_origin = right(frame)
            if type(a) is int and type(b) is int:
                result = a * b
                if MIN_INTEGER <= result <= MAX_INTEGER:
                    return result, Step(MULTIPLY, (a_origin, b_origin), span)
            return calculate(frame, node, a, b, a_origin, b_origin)

        return multiply
    if operator == "%":

        def modulo(frame: Frame) -> Traced:
            a, a_origin = left(frame)
            b, b_origin = right(frame)
            if type(a) is int and type(b) is int and b != 0:
                return a % b, Step(MODULO, (a_origin, b_origin), span)
            return calculate(frame, node, a, b, a_origin, b_origin)

        return modulo

    def arithmetic(frame: Frame) -> Traced:
        a, a_origin = left(frame)
        b, b_origin = right(frame)
        return calculate(frame, node, a, b, a_origin, b_origin)

    return arithmetic


@builds(tree.Minus)
def build_minus(node: tree.Minus, environment: Library, wanted: bool) -> Code:
    if isinstance(node.operand, tree.Integer | tree.Float):  # `-1` is one literal for the question where -1 came from
        return constant(node, -node.operand.value)
    operand = build(node.operand, environment)
    at, span = node.at, node.span

    def minus(frame: Frame) -> Traced:
        value, origin = operand(frame)
        return negate(frame, value, at), Step(NEGATE, (origin,), span)

    return minus


# --- comparison -------------------------------------------------------------------------------------------------------


def _below(order: int) -> bool:
    return order < 0


def _at_most(order: int) -> bool:
    return order <= 0


def _above(order: int) -> bool:
    return order > 0


def _at_least(order: int) -> bool:
    return order >= 0


_ORDERS: dict[str, Callable[[int], bool]] = {"<": _below, "<=": _at_most, ">": _above, ">=": _at_least}


def compare_values(operator: str, a: object, b: object) -> bool:
    """`a operator b`.  Raises `TypeProblem` for what cannot be compared."""
    if operator == "==":
        return _equal(a, b)
    if operator == "!=":
        return not _equal(a, b)
    if isinstance(a, PuppetType):
        if not isinstance(b, PuppetType):
            return False
        small, large = (a, b) if operator in ("<", "<=") else (b, a)
        return large.assignable(small) and (len(operator) == 2 or not _same_type(a, b))
    return _ORDERS[operator](compare(a, b))


def _equal(a: object, b: object) -> bool:
    if isinstance(a, PuppetType):
        return isinstance(b, PuppetType) and _same_type(a, b)
    return equals(a, b)


def _same_type(a: PuppetType, b: PuppetType) -> bool:
    """Types are equal if they are written alike, or if each takes all that the other holds: `Tuple == Array`.

    The right one is asked first, which is seen where the other can not be asked (`Init[Callable] == Integer`).
    """
    return a == b or (b.assignable(a) and a.assignable(b))


def _incomparable(a: object, operator: str, b: object, at: Span, failure: Diagnostic) -> EvaluationError:
    return EvaluationError(
        f"Comparison of: {label(a)} {operator} {label(b)}, is not possible. Caused by '{failure.message}'.",
        at,
        issue="COMPARISON_NOT_POSSIBLE",
    )


@builds(tree.Comparison)
def build_comparison(node: tree.Comparison, environment: Library, wanted: bool) -> Code:
    left = build(node.left, environment)
    right = build(node.right, environment)
    operator, at, span = node.operator, node.at, node.span
    operation = OPERATORS[operator]
    if operator in ("==", "!="):
        negated = operator == "!="

        def equality(frame: Frame) -> Traced:
            a, a_origin = left(frame)
            b, b_origin = right(frame)
            if type(a) is int and type(b) is int:
                same = a == b
            else:
                try:
                    same = _equal(a, b)
                except Diagnostic as failure:
                    if isinstance(a, PuppetType) and not isinstance(failure, RubyFailure):
                        raise _incomparable(a, operator, b, at, failure) from None
                    raise placed(failure, node.text_of(), at) from None
            return same is not negated, Step(operation, (a_origin, b_origin), span)

        return equality
    decide = _ORDERS[operator]

    def order(frame: Frame) -> Traced:
        a, a_origin = left(frame)
        b, b_origin = right(frame)
        if type(a) is int and type(b) is int:
            result = decide((a > b) - (a < b))
        else:
            try:
                result = compare_values(operator, a, b)
            except RubyFailure as failure:
                raise placed(failure, node.text_of(), at) from None
            except Diagnostic as failure:
                raise _incomparable(a, operator, b, at, failure) from None
        return result, Step(operation, (a_origin, b_origin), span)

    return order


# --- matching ---------------------------------------------------------------------------------------------------------


@builds(tree.Match)
def build_match(node: tree.Match, environment: Library, wanted: bool) -> Code:
    left = build(node.left, environment)
    right = build(node.right, environment)
    negated = node.operator == "!~"
    operation = OPERATORS[node.operator]
    left_at, right_at, span, at = node.left.at, node.right.at, node.span, node.at

    def match(frame: Frame) -> Traced:
        value, value_origin = left(frame)
        pattern, pattern_origin = right(frame)
        origins = (value_origin, pattern_origin)
        if isinstance(pattern, PuppetType):
            try:
                matched = pattern.accepts(value)
            except Diagnostic as failure:
                raise placed(failure, node.text_of(), at) from None
        elif isinstance(pattern, SemVerRange):
            matched = in_range(value, pattern)
        else:
            hit = search(value, pattern, left_at, right_at, node.text_of(), at)
            matched = hit is not None
            if hit is not None:
                frame.match = ((hit.group(0), *hit.groups()), origins)
        return matched is not negated, Step(operation, origins, span)

    return match


def search(value: object, pattern: object, left_at: Span, right_at: Span, kind: str, at: Span) -> Any:
    """The match of a text with a regular expression, or with a string that is one."""
    try:
        if not isinstance(pattern, Regexp):
            if not isinstance(pattern, str):
                raise EvaluationError(
                    "Can not convert right match operand to a regular expression. Caused by "
                    f"'no implicit conversion of {kind_name(pattern)} into String'.",
                    right_at,
                    issue="MATCH_NOT_REGEXP",
                )
            pattern = Regexp(pattern)
        compiled = pattern.compiled
    except EvaluationError:
        raise
    except Diagnostic as failure:
        raise EvaluationError(
            f"Can not convert right match operand to a regular expression. Caused by '{failure.message}'.",
            right_at,
            issue="MATCH_NOT_REGEXP",
        ) from None
    if not isinstance(value, str):
        raise EvaluationError(
            f"Left match operand must result in a String value. Got {a_an(label(value))}.",
            left_at,
            issue="MATCH_NOT_STRING",
        )
    try:
        return compiled.search(value)
    except Diagnostic as failure:
        raise placed(failure, kind, at) from None


@builds(tree.In)
def build_in(node: tree.In, environment: Library, wanted: bool) -> Code:
    left = build(node.left, environment)
    right = build(node.right, environment)
    at, span = node.at, node.span

    def contained(frame: Frame) -> Traced:
        value, value_origin = left(frame)
        container, container_origin = right(frame)
        origins = (value_origin, container_origin)

        def on_match(hit: Any) -> None:
            if hit is not None:
                frame.match = ((hit.group(0), *hit.groups()), origins)

        try:
            return includes(container, value, on_match), Step(MEMBERSHIP, origins, span)
        except Diagnostic as failure:
            raise placed(failure, "'in' expression", at) from None

    return contained


# --- logic ------------------------------------------------------------------------------------------------------------


@builds(tree.And, tree.Or)
def build_logic(node: tree.And | tree.Or, environment: Library, wanted: bool) -> Code:
    left = build(node.left, environment)
    right = build(node.right, environment)
    stops = isinstance(node, tree.Or)
    operation, span = OPERATORS["or" if stops else "and"], node.span
    skipped = effects_of(node.right, environment.effects)
    if skipped is not None:
        return _acting_logic(node, left, right, skipped)

    def logic(frame: Frame) -> Traced:
        a, a_origin = left(frame)
        if (a is not None and a is not False) is stops:
            return stops, Step(operation, (a_origin,), span)
        b, b_origin = right(frame)
        return b is not None and b is not False, Step(operation, (a_origin, b_origin), span)

    return logic


def _acting_logic(node: tree.And | tree.Or, left: Code, right: Code, effects: Effects) -> Code:
    """`$a and return()`: the right side acts, and only if the left side lets it."""
    stops = isinstance(node, tree.Or)
    operation, span = OPERATORS["or" if stops else "and"], node.span
    how = OR if stops else AND
    done, not_done = Taken(True, node.right.span), Taken(False, span.file.span(span.end, span.end))
    leaves = bool(effects.jumps)

    def logic(frame: Frame) -> Traced:
        a, a_origin = left(frame)
        outer = frame.guard
        stopped = (a is not None and a is not False) is stops
        guard = Guard(a_origin, outer, node.left.span, how, not_done if stopped else done)
        if stopped:
            frame.run.note_absent(frame, effects, guard)
            if leaves:
                frame.guard = guard
            return stops, Step(operation, (a_origin,), span)
        frame.guard = guard
        b, b_origin = right(frame)
        if not leaves:
            frame.guard = outer
        return b is not None and b is not False, Step(operation, (a_origin, b_origin), span)

    return logic


@builds(tree.Not)
def build_not(node: tree.Not, environment: Library, wanted: bool) -> Code:
    operand = build(node.operand, environment)
    span = node.span

    def negation(frame: Frame) -> Traced:
        value, origin = operand(frame)
        return value is None or value is False, Step(NOT, (origin,), span)

    return negation


# --- assignment -------------------------------------------------------------------------------------------------------


@builds(tree.Assignment)
def build_assignment(node: tree.Assignment, environment: Library, wanted: bool) -> Code:
    value_code = build(node.right, environment)
    at, span = node.at, node.span
    target = node.left
    if isinstance(target, tree.Variable):
        name = target.name

        def assign(frame: Frame) -> Traced:
            value, origin = value_code(frame)
            try:
                frame.assign(name, value, origin, at)
            except Diagnostic as failure:
                raise placed(failure, "'=' expression", at) from None
            return value, origin

        return assign

    def assign_many(frame: Frame) -> Traced:
        value, origin = value_code(frame)
        _assign(frame, target, value, origin, node, at, span)
        return value, origin

    return assign_many


def _assign(
    frame: Frame, target: tree.Expression, value: object, origin: Origin, node: tree.Assignment, at: Span, span: Span
) -> None:
    """Assign to a variable, or to each variable of an array from an array, a hash or a class."""
    if isinstance(target, tree.Variable):
        frame.assign(target.name, value, origin, at)
        return
    assert isinstance(target, tree.Array)
    if isinstance(value, dict):
        shadow = Shadow(origin)
        keys = list(value)
        for item in target.items:
            names = _target_names(item)
            name = hash_key(names)
            if name not in value:
                from ..types.ruby import inspect

                shown = names if isinstance(names, str) else inspect(names)
                raise EvaluationError(
                    f"No value for required key '{shown}' in assignment to variables from hash",
                    at,
                    issue="MISSING_MULTI_ASSIGNMENT_KEY",
                )
            _assign(frame, item, value[name], shadow.value(name, keys.index(name)), node, at, span)
    elif isinstance(value, ClassType):
        _assign_from_class(frame, target, value, node, at)
    else:
        values = value if isinstance(value, list) else [value]
        shadow = Shadow(origin if isinstance(value, list) else Items((origin,), Step(ARRAY, ())))
        if len(values) != len(target.items):
            raise EvaluationError(
                f"Mismatched number of assignable entries and values, expected {len(target.items)}, got {len(values)}",
                at,
                issue="ILLEGAL_MULTI_ASSIGNMENT_SIZE",
            )
        for index, item in enumerate(target.items):
            _assign(frame, item, values[index], shadow.item(index), node, at, span)


def _target_names(node: tree.Expression) -> object:
    """The name of a variable, or the names in an array of them."""
    return [_target_names(item) for item in node.items] if isinstance(node, tree.Array) else getattr(node, "name", "")


def _assign_from_class(frame: Frame, target: tree.Array, value: ClassType, node: tree.Assignment, at: Span) -> None:
    from ..runtime.variables import read

    name = value.class_name or ""
    if frame.run.catalog.find("Class", name) is None:
        raise EvaluationError(
            f"Resource not found: Class['{name}']",
            node.right.at,
            issue="UNKNOWN_RESOURCE",
            help=frame.run.catalog.near_title("Class", name),
        )
    for variable in target.items:
        assert isinstance(variable, tree.Variable)
        full = f"{name.lower()}::{variable.name}"
        traced = read(frame, full)
        if traced is None:
            raise EvaluationError(
                f"No value for required variable '${full}' in assignment to variables from class reference",
                variable.at,
                issue="MISSING_MULTI_ASSIGNMENT_VARIABLE",
            )
        frame.assign(variable.name, traced[0], traced[1], at)
