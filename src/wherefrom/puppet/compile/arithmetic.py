"""Arithmetic in full: collections, coercion of strings to numbers, times, overflow, and all that can go wrong.

The closures of `operators` decide integers themselves and come here for everything else.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from ...base.budget import current
from ...base.diagnostics import Diagnostic, LimitReached
from ...provenance.origins import Items, Origin, Step
from ..kernel.failures import EvaluationError, Failure, a_an, a_an_uc, placed
from ..kernel.operations import ADD, NO_VALUE, OPERATORS, SUBTRACT
from ..kernel.shadow import Shadow
from ..kernel.values import (
    NANOSECONDS,
    URI,
    Binary,
    Regexp,
    SemVer,
    Timespan,
    Timestamp,
    freeze,
    hash_key,
    key_value,
    weigh,
)
from ..types import label, puppet_string

if TYPE_CHECKING:
    from ...base.source import Span
    from ..kernel.traced import Traced
    from ..runtime.scope import Frame
    from ..syntax import tree

MAX_INTEGER = 2**63 - 1
MIN_INTEGER = -(2**63)
MAX_SHIFT = 4096
_ARRAY_WEIGHT, _HASH_WEIGHT = 6, 8
"""What an element with its origin takes of the budget."""

_NUMERIC = re.compile(r"\A[ \t]*([-+]?)[ \t]*((0[xX][0-9A-Fa-f]+)|(0?\d+)((?:\.\d+)?(?:[eE]-?\d+)?))[ \t]*\Z", re.ASCII)


def to_number(value: object) -> int | float | None:
    """The number that a string says, or nothing; a number is itself."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if not isinstance(value, str) or value.endswith("\n"):
        return None
    parts = _NUMERIC.match(value)
    if parts is None:
        return None
    sign, text, hexadecimal, whole, fraction = parts.groups()
    number: int | float
    if fraction:
        # A zero with an exponent is no float to Puppet.
        if int(whole) == 0 and re.match(r"\A\.?0*[eE]", fraction):
            return None
        number = float(text)
        if math.isinf(number):
            return None
    elif hexadecimal:
        number = int(text, 16)
    elif len(whole) > 1 and whole[0] == "0":
        try:
            number = int(whole, 8)
        except ValueError:
            return None
    else:
        number = int(whole)
    return -number if sign == "-" else number


_NUMBERS = (int, float, Timespan, Timestamp, SemVer)


def coerce(frame: Frame, value: object, at: Span) -> Any:
    """`value` as a number (times are numbers here, and so are versions, until it is seen what for).

    A string is converted with a warning.  Fails for anything else.
    """
    if isinstance(value, _NUMBERS) and not isinstance(value, bool):
        return value
    number = to_number(value)
    if number is None:
        shown = f"(?-mix:{value.source})" if isinstance(value, Regexp) else shown_text(value)
        raise EvaluationError(f"The value '{shown}' cannot be converted to Numeric.", at, issue="NOT_NUMERIC")
    strict = frame.run.strict
    if strict != "off":
        message = f"The string '{value}' was automatically coerced to the numerical value {puppet_string(number)}"
        if strict == "error":
            raise EvaluationError(message, at, issue="NUMERIC_COERCION")
        frame.run.warn(message, at)
    return number


def shown_text(value: object) -> str:
    """A value as messages show it: composites as Ruby writes them."""
    from ..types.ruby import inspect

    return inspect(value) if isinstance(value, list | dict) else puppet_string(value)


def negate(frame: Frame, value: object, at: Span) -> Any:
    """`-value`"""
    number = coerce(frame, value, at)
    if isinstance(number, Timespan):
        return Timespan(-number.nanoseconds)
    if isinstance(number, SemVer):
        raise placed(Failure(_NO_FLOAT), "Unary Minus", at)
    return -number


def calculate(frame: Frame, node: tree.Arithmetic, a: object, b: object, a_origin: Origin, b_origin: Origin) -> Traced:
    """`a operator b`, whatever they are."""
    operator = node.operator
    if isinstance(a, list | dict) and operator in ("+", "-", "<<"):
        try:
            combined = _collection(operator, a, b, a_origin, b_origin, node)
            # What is built step by step keeps the origins of all its steps, so there is a bound on all of it.
            size = len(combined[0]) * (_HASH_WEIGHT if isinstance(a, dict) else _ARRAY_WEIGHT)
            frame.run.budget.draw("elements", size, "adding to arrays and hashes", node.at)
            return combined
        except Failure as failure:
            raise placed(failure, node.text_of(), node.at) from None
    if isinstance(a, URI | Binary) and operator == "+":
        try:
            return joined(a, b), Step(ADD, (a_origin, b_origin), node.span)
        except Failure as failure:
            raise placed(failure, node.text_of(), node.at) from None
    x = coerce(frame, a, node.left.at)
    y = coerce(frame, b, node.right.at)
    result = _numbers(operator, x, y, node)
    return result, Step(OPERATORS[operator], (a_origin, b_origin), node.span)


def apply_operator(operator: str, a: object, b: object) -> object:
    """`a operator b` on plain values, for evaluating a term again."""
    if isinstance(a, list | dict) and operator in ("+", "-", "<<"):
        return _collection(operator, a, b, _NONE, _NONE, None)[0]
    if isinstance(a, URI | Binary):
        return joined(a, b)
    x, y = to_number(a), to_number(b)
    return _numbers(operator, a if x is None else x, b if y is None else y, None)


_NONE: Origin = Step(NO_VALUE, ())


# --- numbers and times ------------------------------------------------------------------------------------------------


def _numbers(operator: str, a: Any, b: Any, node: tree.Arithmetic | None) -> object:
    left_at = node.left.at if node is not None else None
    if operator == "%" and (isinstance(a, float) or isinstance(b, float)):
        if isinstance(a, float):
            raise _not_applicable(operator, a, left_at)
        raise _not_applicable_when(operator, a, b, left_at)
    if isinstance(a, SemVer) or isinstance(b, SemVer):
        raise _no_versions(operator, a, b, node)
    if isinstance(a, Timespan | Timestamp) or isinstance(b, Timespan | Timestamp):
        return _times(operator, a, b, node)
    result: Any
    if operator == "+":
        result = a + b
    elif operator == "-":
        result = a - b
    elif operator == "*":
        result = a * b
    elif operator in ("/", "%"):
        result = _divide(operator, a, b, node)
    else:
        if isinstance(a, float):
            raise _not_applicable(operator, a, left_at)
        result = _shift(operator, a, int(b), node)
    if isinstance(result, float):
        if math.isinf(result):
            raise EvaluationError(
                f"The result of the {operator} expression is Infinity", left_at, issue="RESULT_IS_INFINITY"
            )
    elif not MIN_INTEGER <= result <= MAX_INTEGER:
        end = "max" if result > 0 else "min"
        kind = node.text_of() if node is not None else f"'{operator}' expression"
        shown = f"+0x{result:x}" if result > 0 else f"-0x{-result:x}"
        raise EvaluationError(
            f"{a_an_uc(kind)} resulted in a value outside of Puppet Integer {end} range, got '{shown}'",
            node.at if node is not None else None,
            issue="NUMERIC_OVERFLOW",
        )
    return result


_NO_FLOAT = "can't convert SemanticPuppet::Version into Float"


def _no_versions(operator: str, a: object, b: object, node: tree.Arithmetic | None) -> Diagnostic:
    """The error of calculating with a version, which depends on what the other side would have done with it."""
    left_at = node.left.at if node is not None else None
    if isinstance(b, Timespan | Timestamp):
        if operator == "+" or (operator == "*" and isinstance(b, Timespan)):
            a, b = b, a
        elif operator == "-" and isinstance(b, Timespan):
            return _not_applicable(operator, a, left_at)
        else:
            return _not_applicable_when(operator, a, b, left_at)
    if isinstance(a, SemVer) or operator in ("<<", ">>") or (isinstance(a, Timestamp) and operator not in ("+", "-")):
        return _not_applicable(operator, a, left_at)
    kind = "Timestamp" if isinstance(a, Timestamp) else "Timespan"
    words = _NO_FLOAT
    if isinstance(a, Timespan | Timestamp):
        words = {
            "+": f"A Version cannot be added to a {kind}",
            "-": f"A Version cannot be subtracted from a {kind}",
            "*": "A Timestamp cannot be multiplied by a Version",
            "/": "A Timespan cannot be divided by a Version",
            "%": "Can not do modulus on a Timespan using a a Version",
        }[operator]
    failure = Failure(words)
    return failure if node is None else placed(failure, node.text_of(), node.at)


def _divide(operator: str, a: Any, b: Any, node: tree.Arithmetic | None) -> object:
    if b == 0:
        if isinstance(a, float) or isinstance(b, float):
            return math.nan if a == 0 or math.isnan(a) else math.inf
        raise EvaluationError("Division by 0", node.right.at if node is not None else None, issue="DIV_BY_ZERO")
    if operator == "%":
        return a % b
    return a // b if isinstance(a, int) and isinstance(b, int) else a / b


def _shift(operator: str, a: int, b: int, node: tree.Arithmetic | None) -> int:
    if operator == ">>":
        b = -b
    if b > MAX_SHIFT and a != 0:
        raise LimitReached("shift too far", MAX_SHIFT, node.at if node is not None else None)
    return a << b if b >= 0 else a >> min(-b, MAX_SHIFT)


def _times(operator: str, a: Any, b: Any, node: tree.Arithmetic | None) -> object:
    left_at = node.left.at if node is not None else None
    if not isinstance(a, Timespan | Timestamp):
        if operator == "+" or (operator == "*" and isinstance(b, Timespan)):
            a, b = b, a
        elif operator == "-" and isinstance(b, Timespan):
            a = Timespan(int(a * NANOSECONDS))
        else:
            raise _not_applicable_when(operator, a, b, left_at)
    number = isinstance(b, int | float)
    if isinstance(a, Timestamp):
        if operator == "+" and (number or isinstance(b, Timespan)):
            return Timestamp(a.nanoseconds + _nanoseconds(b))
        if operator == "+" and isinstance(b, Timestamp):
            failure = Failure("A Timestamp cannot be added to a Timestamp")
            raise failure if node is None else placed(failure, node.text_of(), node.at)
        if operator == "-":
            if isinstance(b, Timestamp):
                return Timespan(a.nanoseconds - b.nanoseconds)
            return Timestamp(a.nanoseconds - _nanoseconds(b))
        raise _not_applicable(operator, a, left_at)
    if operator == "+":
        if isinstance(b, Timestamp):
            return Timestamp(a.nanoseconds + b.nanoseconds)
        return Timespan(a.nanoseconds + _nanoseconds(b))
    words = {
        "-": "{a} cannot be subtracted from a Timespan",
        "*": "A Timestamp cannot be multiplied by {b}",
        "/": "A Timespan cannot be divided by {b}",
        "%": "Can not do modulus on a Timespan using a {b}",
    }.get(operator)
    if words is None:
        raise _not_applicable(operator, a, left_at)
    if isinstance(b, Timestamp) or (isinstance(b, Timespan) and operator in ("*", "%")):
        failure = Failure(words.format(a=a_an_uc(label(b)), b=a_an(label(b))))
        raise failure if node is None else placed(failure, node.text_of(), node.at)
    if operator == "-":
        return Timespan(a.nanoseconds - _nanoseconds(b))
    if operator == "*":
        return Timespan(int(a.nanoseconds * b))
    return _divide_span(operator, a, b, node)


def _divide_span(operator: str, a: Timespan, b: Any, node: tree.Arithmetic | None) -> object:
    if (b.nanoseconds if isinstance(b, Timespan) else b) == 0:
        raise EvaluationError("Division by 0", node.right.at if node is not None else None, issue="DIV_BY_ZERO")
    if isinstance(b, Timespan):
        return a.nanoseconds / b.nanoseconds
    if operator == "%":
        return a.nanoseconds // NANOSECONDS % b if isinstance(b, int) else a.nanoseconds / NANOSECONDS % b
    return Timespan(int(a.nanoseconds // b))


def _nanoseconds(value: Any) -> int:
    if isinstance(value, Timespan | Timestamp):
        return value.nanoseconds
    return value * NANOSECONDS if isinstance(value, int) else int(value * NANOSECONDS)


def _not_applicable(operator: str, value: object, at: Span | None) -> EvaluationError:
    return EvaluationError(
        f"Operator '{operator}' is not applicable to {a_an(label(value))}.", at, issue="OPERATOR_NOT_APPLICABLE"
    )


def _not_applicable_when(operator: str, a: object, b: object, at: Span | None) -> EvaluationError:
    return EvaluationError(
        f"Operator '{operator}' is not applicable to {a_an(label(a))} when right side is {a_an(label(b))}.",
        at,
        issue="OPERATOR_NOT_APPLICABLE_WHEN",
    )


# --- collections ------------------------------------------------------------------------------------------------------


def joined(a: Any, b: Any) -> object:
    """`a + b` for a URI or a binary."""
    if isinstance(a, Binary):
        if not isinstance(b, Binary):
            raise Failure("Can only append Binary to a Binary")
        return Binary(a.data + b.data)
    if not isinstance(b, str | URI):
        raise Failure("An URI can only be merged with an URI or String")
    from urllib.parse import urljoin

    from ..types import named_type, new_instance

    kind = named_type("uri")
    assert kind is not None
    return new_instance(kind, [urljoin(a.text, b if isinstance(b, str) else b.text)])


def _parts(value: object, origin: Origin) -> tuple[list[Any], list[Origin]]:
    """What an array gets appended or taken away."""
    if isinstance(value, list):
        shadow = Shadow(origin)
        return value, [shadow.item(index) for index in range(len(value))]
    if isinstance(value, dict):
        shadow = Shadow(origin)
        pairs = [[key_value(key), element] for key, element in value.items()]
        return pairs, [shadow.pair(key, index) for index, key in enumerate(value)]
    return [value], [origin]


def _collection(
    operator: str, a: Any, b: Any, a_origin: Origin, b_origin: Origin, node: tree.Arithmetic | None
) -> Traced:
    own = Step(
        OPERATORS[operator], (Shadow(a_origin).own, Shadow(b_origin).own), node.span if node is not None else None
    )
    if isinstance(a, list):
        values, origins = _parts(a, a_origin)
        if operator == "<<":
            return [*values, b], Items([*origins, b_origin], own)
        if operator == "+":
            more, shadows = _parts(b, b_origin)
            if not current().allows("elements", len(values) + len(more)):
                current().over("elements", "joining two arrays", node.at if node is not None else None)
            return [*values, *more], Items([*origins, *shadows], own)
        gone, gone_origins = _parts(b, b_origin)
        for operand in (a, gone):
            weigh(operand, node.at if node is not None else None)
        equals = _Equals(gone)
        kept = [index for index, element in enumerate(values) if element not in equals]
        decided = Step(SUBTRACT, (a_origin, b_origin), node.span if node is not None else None)
        del gone_origins
        return [values[index] for index in kept], Items([origins[index] for index in kept], decided)
    if operator == "<<":
        raise _not_applicable(operator, a, node.left.at if node is not None else None)
    shadow = Shadow(a_origin)
    entries = dict(a)
    shadows_of = {key: shadow.value(key, index) for index, key in enumerate(a)}
    placed_by = {key: shadow.key(key, index) for index, key in enumerate(a)}
    other = Shadow(b_origin)
    if operator == "+":
        for key, value, key_origin, origin in _entries(b, other, b_origin):
            entries[key] = value
            shadows_of[key] = origin
            placed_by.setdefault(key, key_origin)
        return entries, Items(shadows_of, own, placed_by)
    keys = b if isinstance(b, list) else list(map(key_value, b)) if isinstance(b, dict) else [b]
    for name in keys:
        key = hash_key(name)
        entries.pop(key, None)
        shadows_of.pop(key, None)
        placed_by.pop(key, None)
    return entries, Items(
        shadows_of, Step(SUBTRACT, (shadow.own, b_origin), node.span if node is not None else None), placed_by
    )


class _Equals:
    """Values that elements of an array are compared with by Ruby's `==`: numbers by amount, and times with seconds."""

    def __init__(self, values: list[Any]) -> None:
        self.stand_ins = set(map(_stand_in, values))
        self.seconds = {value.nanoseconds / NANOSECONDS for value in values if isinstance(value, Timestamp | Timespan)}

    def __contains__(self, value: object) -> bool:
        if _stand_in(value) in self.stand_ins:
            return True
        if isinstance(value, Timestamp | Timespan):
            return value.nanoseconds / NANOSECONDS in self.stand_ins
        return type(value) in (int, float) and value in self.seconds


def _stand_in(value: Any) -> object:
    """Hashable, and equal where `==` is."""
    kind = type(value)
    if kind is float:
        return value
    if kind is list:
        return ("array", tuple([_stand_in(element) for element in value]))
    if kind is dict:
        return ("hash", frozenset((key, _stand_in(element)) for key, element in value.items()))
    return freeze(value)


def _entries(value: object, shadow: Shadow, origin: Origin) -> list[tuple[Any, Any, Origin, Origin]]:
    """The entries that `hash + value` puts in: of a hash, of an array of pairs, of a flat array."""
    if isinstance(value, dict):
        return [
            (key, element, shadow.key(key, index), shadow.value(key, index))
            for index, (key, element) in enumerate(value.items())
        ]
    if not isinstance(value, list):
        raise Failure("Can only append Array or Hash to a Hash")
    if value and all(isinstance(entry, list) for entry in value):
        entries = []
        for index, pair in enumerate(value):
            if not 1 <= len(pair) <= 2:
                raise Failure(f"invalid number of elements ({len(pair)} for 1..2)")
            inner = Shadow(shadow.item(index))
            second = pair[1] if len(pair) == 2 else None
            entries.append((hash_key(pair[0]), second, inner.item(0), inner.item(1)))
        return entries
    if len(value) % 2:
        raise Failure("odd number of arguments for Hash")
    return [
        (hash_key(value[index]), value[index + 1], shadow.item(index), shadow.item(index + 1))
        for index in range(0, len(value), 2)
    ]
