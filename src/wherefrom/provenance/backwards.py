"""Evaluation backwards: which inputs would have to be what, so that a value becomes another one.

A walk down an origin with the wanted value in hand. At each node it says which value the part below would need:

| node                            | wanted below                                                              |
|---------------------------------|---------------------------------------------------------------------------|
| copy, choice, guard, override   | the same                                                                  |
| composite                       | of each element that differs, that element; of the whole, the whole        |
| a text made of texts            | of one part at a time, what stands between what the others say             |
| a list made of lists            | the same                                                                  |
| sum, difference, product, `not` | the inverse                                                               |
| any other operation             | of an input whose value went through unchanged, the same                  |

It is generous and never sure: an operation may do more than this table knows, one value may go two ways, a test may
come out differently. So a `Goal` is a guess about one node. Whoever has one changes the source and compiles again; what
does not give the wanted value then is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..base.diagnostics import WherefromError
from ..base.record import Record
from ..base.secrets import REDACTED
from .extract import evaluate_term, expression
from .operations import Op
from .origins import Items, Leaf, Origin, Step

MOST_GOALS = 5_000
"""Nodes of one walk: a value that very many inputs flow into has no use for a longer list."""


class Goal(Record):
    """A node of a history, its value in the run, and the value that it would need; `inside` of a longer text."""

    origin: Origin
    value: Any
    wanted: Any
    inside: bool = False


Apply = Callable[[Op, list[object]], object]


def goals(origin: Origin, value: object, wanted: object, apply: Apply) -> Iterator[Goal]:
    """Every node below `origin` that could be made another, the nearest first."""
    waiting = [Goal(origin, value, wanted)]
    seen: set[tuple[int, str]] = set()
    kept: list[Origin] = []  # so that no identity is used again
    while waiting and len(seen) < MOST_GOALS:
        goal = waiting.pop()
        mark = id(goal.origin), repr(goal.wanted)
        if mark in seen or same(goal.value, goal.wanted):
            continue
        seen.add(mark)
        kept.append(goal.origin)
        yield goal
        waiting += reversed(list(_below(goal, apply)))


def same(one: Any, other: Any) -> bool:
    """Whether two plain values are the same, kinds included: 1 is neither `true` nor 1.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


def _below(goal: Goal, apply: Apply) -> Iterator[Goal]:
    origin = goal.origin
    before = origin.passed_from
    if before is not None:
        yield Goal(before, goal.value, goal.wanted, goal.inside)
    elif isinstance(origin, Items):
        yield from _elements(origin, goal.value, goal.wanted)
    elif isinstance(origin, Step):
        yield from _inputs(origin, goal, apply)


def _elements(items: Items, value: object, wanted: object) -> Iterator[Goal]:
    """Of a composite of the same shape, each element that differs."""
    elements = items.elements
    if isinstance(value, dict) and isinstance(wanted, dict) and isinstance(elements, Mapping):
        pairs = [(elements.get(key), value[key], wanted[key]) for key in value if key in wanted]
    elif isinstance(value, list) and isinstance(wanted, list) and isinstance(elements, Sequence):
        pairs = list(zip(elements, value, wanted)) if len(value) == len(wanted) == len(elements) else []
    else:
        pairs = []
    for origin, old, new in pairs:
        if origin is not None and not same(old, new):
            yield Goal(origin, old, new)


def _inputs(step: Step, goal: Goal, apply: Apply) -> Iterator[Goal]:
    parts = [(origin, _value(origin, apply)) for origin in step.inputs]
    if len(parts) == 1 and isinstance(step.inputs[0], Items) and isinstance(parts[0][1], list):
        elements = step.inputs[0].elements
        if isinstance(elements, Sequence) and len(elements) == len(parts[0][1]):  # a template: its pieces
            parts = list(zip(elements, parts[0][1]))
    value, wanted = goal.value, goal.wanted
    if isinstance(value, str) and isinstance(wanted, str):
        yield from _holes(parts, value, wanted)
        yield from _list_joined(parts, value, wanted)
    elif isinstance(value, list) and isinstance(wanted, list):
        yield from _list_parts(parts, value, wanted)
    elif isinstance(value, bool) and isinstance(wanted, bool):
        if len(parts) == 1 and isinstance(parts[0][1], bool) and parts[0][1] is not value:
            yield Goal(parts[0][0], parts[0][1], not wanted)
    elif _is_number(value) and _is_number(wanted) and len(parts) == 2:
        yield from _arithmetic(step.op.words, parts, wanted)
    for origin, part in parts:
        if part is not None and same(part, value):
            yield Goal(origin, part, wanted)
        elif part is REDACTED and len(parts) == 1:  # a secret, which an origin does not tell
            yield Goal(origin, value, wanted)


def _value(origin: Origin, apply: Apply) -> Any:
    """The value of a part, computed again; nothing where that can not be done."""
    if isinstance(origin, Leaf):
        return origin.value
    try:
        return evaluate_term(expression(origin), apply)
    except (WherefromError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
        return None  # an operation that can not be done again: this part is not gone into


# --- texts -----------------------------------------------------------------------------------------------------------


def _text(value: object) -> str | None:
    """The text of a part, as rendered."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else None


def _typed(text: str, like: object) -> object:
    """The value, of the same type, that a part must have to be rendered as this text."""
    if isinstance(like, bool):
        return {"true": True, "false": False}.get(text, text)
    if isinstance(like, int | float):
        try:
            return type(like)(text)
        except ValueError:
            return text
    return text


def _holes(parts: Sequence[tuple[Origin, object]], value: str, wanted: str) -> Iterator[Goal]:
    """One part at a time: what stands before and behind it must stand there in the wanted text as well."""
    texts = [_text(part) for _, part in parts]
    if all(text is not None for text in texts) and "".join(map(str, texts)) == value:
        starts = [sum(len(str(text)) for text in texts[:number]) for number in range(len(texts))]
    else:
        starts = [value.find(text) if text and value.count(text) == 1 else -1 for text in texts]
    for (origin, part), text, start in zip(parts, texts, starts):
        if text is None or start < 0:
            continue
        middle = _between(value, wanted, start, start + len(text))
        if middle is not None:
            yield Goal(origin, part, _typed(middle, part), inside=True)


def _between(value: str, wanted: str, start: int, end: int) -> str | None:
    before, behind = value[:start], value[end:]
    if len(wanted) < len(before) + len(behind) or not (wanted.startswith(before) and wanted.endswith(behind)):
        return None
    return wanted[len(before) : len(wanted) - len(behind)]


def _list_joined(parts: Sequence[tuple[Origin, object]], value: str, wanted: str) -> Iterator[Goal]:
    """Elements of a list with a separator between them: another list of texts, and each element alone."""
    lists = [(origin, part) for origin, part in parts if isinstance(part, list) and part]
    separators = [part for _, part in parts if isinstance(part, str)] or [""]
    if len(lists) != 1 or len(separators) != 1:
        return
    origin, elements = lists[0]
    texts = [_text(element) for element in elements]
    separator = separators[0]
    if any(text is None for text in texts) or separator.join(map(str, texts)) != value:
        return
    start = 0
    for index, (element, text) in enumerate(zip(elements, map(str, texts))):
        middle = _between(value, wanted, start, start + len(text))
        if middle is not None:
            yield Goal(origin, elements, [*elements[:index], _typed(middle, element), *elements[index + 1 :]])
        start += len(text) + len(separator)
    if separator and all(isinstance(element, str) for element in elements):
        yield Goal(origin, elements, wanted.split(separator) if wanted else [])


# --- lists and numbers -----------------------------------------------------------------------------------------------


def _list_parts(parts: Sequence[tuple[Origin, object]], value: list[Any], wanted: list[Any]) -> Iterator[Goal]:
    """A list put together from lists and single elements: one of them at a time."""
    pieces = [part if isinstance(part, list) else [part] for _, part in parts]
    if not same([element for piece in pieces for element in piece], value):
        return
    start = 0
    for (origin, part), piece in zip(parts, pieces):
        before, behind = value[:start], value[start + len(piece) :]
        start += len(piece)
        middle_end = len(wanted) - len(behind)
        if middle_end < len(before) or not (same(wanted[: len(before)], before) and same(wanted[middle_end:], behind)):
            continue
        middle = wanted[len(before) : middle_end]
        if isinstance(part, list):
            yield Goal(origin, part, middle)
        elif len(middle) == 1:
            yield Goal(origin, part, middle[0])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _arithmetic(symbol: str, parts: Sequence[tuple[Origin, Any]], wanted: Any) -> Iterator[Goal]:
    (left_origin, left), (right_origin, right) = parts
    if not (_is_number(left) and _is_number(right)):
        return
    inverses: tuple[object, object] = (None, None)
    if symbol == "+":
        inverses = wanted - right, wanted - left
    elif symbol == "-":
        inverses = wanted + right, left - wanted
    elif symbol == "*":
        inverses = _quotient(wanted, right), _quotient(wanted, left)
    elif symbol == "/":
        inverses = wanted * right, _quotient(left, wanted)
    for origin, old, new in ((left_origin, left, inverses[0]), (right_origin, right, inverses[1])):
        if new is not None:
            yield Goal(origin, old, new)


def _quotient(number: Any, by: Any) -> object:
    if not by:
        return None
    if isinstance(number, int) and isinstance(by, int):
        return number // by if number % by == 0 else None
    return number / by
