"""What Nix's operators do to values: arithmetic, comparison, equality, `+`, `//`, `++`, selection, coercion to strings.

Generated code does the common cases itself (two ready integers, a plain string) and comes here for the rest;
builtins use the same functions. All take values in weak head normal form (slots only where it says so) and, last,
the place to blame. Operators on integers wrap at 64 bits, as in Nix 2.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, NoReturn

from ...base.budget import current
from . import values
from .canonical import canonical_path
from .errors import (
    AttributeMissing,
    CannotAdd,
    CannotCoerce,
    CannotCompare,
    DivisionByZero,
    IntegerOverflow,
    NixError,
    PathProblem,
    TypeMismatch,
)
from .running import running_here
from .values import (
    Attrs,
    Builtin,
    ContextString,
    NixPath,
    Slot,
    Thunk,
    UpdatedPositions,
    Value,
    apply,
    describe_type,
    force,
    to_bytes,
    with_context,
)

if TYPE_CHECKING:
    from ...base.source import Span
    from .world import Machine

MAX = 2**63 - 1
MIN = -(2**63)

FEW = 8
"""Elements; fewer are not counted, the step that makes a list or set of them is."""

SHORT = 64
"""Characters; shorter strings are not counted, the step that makes one is."""


def check_list_size(size: int, maker: str, span: Span | None = None) -> None:
    """Draw from the budget for a list or set that is about to be made."""
    if size > FEW:
        budget = current()
        budget.elements -= size
        if budget.elements < 0:
            budget.over("elements", f"making a list or set by {maker}", span)


def check_string_size(size: int, maker: str, span: Span | None = None) -> None:
    """Draw from the budget for a string that is about to be made."""
    if size > SHORT:
        budget = current()
        budget.characters -= size
        if budget.characters < 0:
            budget.over("characters", f"making a string by {maker}", span)


def growth(one: int, two: int) -> int:
    """What is drawn for two things of these sizes put together: the smaller, and a little for copying the larger.

    A text or list that grows piece by piece in a loop is copied each time, and the copy before is forgotten.
    """
    return min(one, two) + (max(one, two) >> 6)


def wrap(number: int, span: Span | None = None) -> int:
    """An integer as 64 bits hold it; since Nix 2.25 one that they do not hold is an error."""
    if not running_here().overflow and not MIN <= number <= MAX:
        raise IntegerOverflow(span)
    return (number - MIN & 0xFFFFFFFFFFFFFFFF) + MIN


# --- arithmetic -----------------------------------------------------------------------------------------------------


def _numbers(left: Value, right: Value, span: Span | None) -> bool:
    """Whether one of two numbers is a float.  Raises `TypeMismatch` unless both are numbers."""
    for operand in (left, right):
        if type(operand) is not int and type(operand) is not float:
            expected = "a float" if type(left) is float or type(right) is float else "an integer"
            raise TypeMismatch(describe_type(operand), expected, span)
    return type(left) is float or type(right) is float


def subtract(left: Value, right: Value, span: Span | None = None) -> int | float:
    """`left - right`"""
    if _numbers(left, right, span):
        return float(left) - float(right)
    return wrap(left - right, span)


def multiply(left: Value, right: Value, span: Span | None = None) -> int | float:
    """`left * right`"""
    if _numbers(left, right, span):
        return float(left) * float(right)
    return wrap(left * right, span)


def divide(left: Value, right: Value, span: Span | None = None) -> int | float:
    """`left / right`; integers are cut off towards zero."""
    floating = _numbers(left, right, span)
    if right == 0:
        raise DivisionByZero(span)
    if floating:
        return float(left) / float(right)
    if left == MIN and right == -1:
        raise NixError("overflow in integer division", span)
    quotient: int = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def add_numbers(left: Value, right: Value, span: Span | None = None) -> int | float:
    """`builtins.add`: numbers alone."""
    if _numbers(left, right, span):
        return float(left) + float(right)
    return wrap(left + right, span)


def add(left: Value, right: Value, span: Span | None, machine: Machine) -> Value:
    """`left + right`: numbers, strings, paths and what can be made a string."""
    kind = type(left)
    if kind is str and type(right) is str:
        check_string_size(growth(len(left), len(right)), "`+`", span)
        return left + right
    if kind is int or kind is float:
        if type(right) is int or type(right) is float:
            return add_numbers(left, right, span)
        raise CannotAdd(describe_type(right), describe_type(left), span)
    context: set[str] = set()
    is_string = kind is str or kind is ContextString
    one = coerce_to_string(left, context, machine, span, copy=is_string)
    two = coerce_to_string(right, context, machine, span, copy=is_string)
    check_string_size(growth(len(one), len(two)), "`+`", span)
    text = one + two
    if kind is NixPath:
        if context:
            raise PathProblem("a string that refers to a store path cannot be appended to a path", span)
        return NixPath(canonical_path(text))
    return with_context(text, context)


def addable(value: Value, span: Span | None) -> bool:
    """Whether `value` may stand left of `+`: Nix asks that before it computes the right side.  Raises if not."""
    kind = type(value)
    if kind is int or kind is float:
        return True
    interpolable(value, span)
    return True


def addend(value: Value, span: Span | None) -> Value:
    """`value`, if it may stand left of `+`."""
    addable(value, span)
    return value


def interpolable(value: Value, span: Span | None) -> Value:
    """`value`, if it can be made a string: Nix asks that of each part of a text before it computes the next."""
    kind = type(value)
    if kind is str or kind is ContextString or kind is NixPath:
        return value
    if kind is Attrs and ("__toString" in value.table or "outPath" in value.table):
        return value
    raise CannotCoerce(describe_type(value), span=span)


# --- strings --------------------------------------------------------------------------------------------------------


def coerce_to_string(
    value: Value,
    context: set[str],
    machine: Machine,
    span: Span | None = None,
    *,
    copy: bool = False,
    more: bool = False,
) -> str:
    """`value` as text; its store context is added to `context`.

    Strings, paths, and sets with `__toString` or `outPath` always; with `more` also Booleans, numbers, null and
    lists, as `builtins.toString` does. With `copy` a path becomes its (would-be) store path.
    """
    kind = type(value)
    if type(value) is str:
        return value
    if kind is ContextString:
        context |= value.context
        return str(value)
    if kind is NixPath:
        if copy:
            copied = machine.copy_to_store(value)
            context |= values.context_of(copied)
            return str(copied)
        text: str = value.text
        return text
    if kind is Attrs:
        table = value.table
        if "__toString" in table:
            text = force(apply(force(table["__toString"]), value))
            return coerce_to_string(text, context, machine, span, copy=copy, more=more)
        if "outPath" in table:
            return coerce_to_string(force(table["outPath"]), context, machine, span, copy=copy, more=more)
    elif more:
        if kind is bool:
            return "1" if value else ""
        if kind is int:
            return str(value)
        if kind is float:
            return f"{value:f}"
        if value is None:
            return ""
        if kind is list:
            return _join(value, context, machine, span, copy)
    raise CannotCoerce(describe_type(value), span=span)


def _join(items: list[Slot], context: set[str], machine: Machine, span: Span | None, copy: bool) -> str:
    """A list's elements with blanks between them.  An empty list inside leaves no blank after it."""
    pieces: list[str] = []
    last = len(items) - 1
    current().draw("steps", 3 * len(items), "making a list a string", span)
    for index, slot in enumerate(items):
        element = force(slot)
        pieces.append(coerce_to_string(element, context, machine, span, copy=copy, more=True))
        if index < last and not (type(element) is list and not element):
            pieces.append(" ")
    check_string_size(sum(map(len, pieces)), "joining a list", span)
    return "".join(pieces)


def interpolate(machine: Machine, span: Span | None, *parts: Value) -> str:
    """`"${a}b${c}"`"""
    if all(type(part) is str for part in parts):
        check_string_size(sum(map(len, parts)), "interpolation", span)
        return "".join(parts)
    context: set[str] = set()
    texts = [coerce_to_string(part, context, machine, span, copy=True) for part in parts]
    check_string_size(sum(map(len, texts)), "interpolation", span)
    return with_context("".join(texts), context)


def interpolate_path(machine: Machine, span: Span | None, head: NixPath, *parts: Value) -> NixPath:
    """`./a${b}/c`"""
    context: set[str] = set()
    text = head.text + "".join([coerce_to_string(part, context, machine, span) for part in parts])
    if context:
        raise PathProblem("a string that refers to a store path cannot be appended to a path", span)
    return NixPath(canonical_path(text))


# --- comparison -----------------------------------------------------------------------------------------------------


def less_than(left: Value, right: Value, span: Span | None = None) -> bool:
    """`left < right`: numbers, strings, paths, and lists of such."""
    kind, other = type(left), type(right)
    if kind is int or kind is float:
        if other is int or other is float:
            smaller: bool = left < right
            return smaller
    elif kind is str or kind is ContextString:
        if other is str or other is ContextString:
            if left.isascii() and right.isascii():
                return str.__lt__(left, right)
            return to_bytes(left) < to_bytes(right)
    elif kind is NixPath:
        if other is NixPath:
            return to_bytes(left.text) < to_bytes(right.text)
    elif kind is list and other is list:
        current().draw("pairs", min(len(left), len(right)), "comparing lists", span)
        for mine, theirs in zip(left, right):
            if not _equal_slots(mine, theirs):
                return less_than(force(mine), force(theirs), span)
        return len(left) < len(right)
    raise CannotCompare(describe_type(left), describe_type(right), span)


def equal(left: Value, right: Value) -> bool:
    """`left == right`.  Functions are never equal; the same *slot* inside two lists or sets always is, as in Nix."""
    kind, other = type(left), type(right)
    if kind is not other:
        if kind is ContextString or other is ContextString:
            return isinstance(left, str) and isinstance(right, str) and str.__eq__(left, right)
        if (kind is int and other is float) or (kind is float and other is int):
            same_number: bool = left == right
            return same_number
        return False
    if kind is list:
        if len(left) != len(right):
            return False
        current().draw("pairs", 2 * len(left), "comparing lists")
        # No generators: with one inside of another, every exception walks them all.
        for mine, theirs in zip(left, right):  # noqa: SIM110
            if not _equal_slots(mine, theirs):
                return False
        return True
    if kind is Attrs:
        return _equal_sets(left, right)
    if kind is FunctionType or kind is Builtin:
        return False
    same: bool = left == right
    return same


def _equal_sets(left: Attrs, right: Attrs) -> bool:
    mine, theirs = left.table, right.table
    if is_derivation(left) and is_derivation(right) and "outPath" in mine and "outPath" in theirs:
        return equal(force(mine["outPath"]), force(theirs["outPath"]))
    if mine.keys() != theirs.keys():
        return False
    # a set beside itself is only walked through: each attribute must be computed, as in Nix, but none is compared
    current().draw("pairs", len(mine) // 4 if mine is theirs else 4 * len(mine), "comparing sets")
    for name in _walk_order(mine, theirs):  # noqa: SIM110 - see `equal`
        if not _equal_slots(mine[name], theirs[name]):
            return False
    return True


def _walk_order(mine: Mapping[str, Slot], theirs: Mapping[str, Slot]) -> Iterable[str]:
    order = values.walk_order(mine)
    return values.walk_order(theirs) if order is mine else order


def _equal_slots(mine: Slot, theirs: Slot) -> bool:
    """Whether two elements are equal: the same slot always is, even if it holds a function."""
    one, two = force(mine), force(theirs)
    if mine is theirs or equal(one, two):
        return True
    return (
        one is two and type(mine) in (tuple, Thunk) and values.transfer_source(mine) is values.transfer_source(theirs)
    )


def is_derivation(attrs: Attrs) -> bool:
    """Whether a set says that it is a derivation: `type = "derivation"`."""
    slot = attrs.table.get("type")
    return slot is not None and force(slot) == "derivation"


# --- sets and lists -------------------------------------------------------------------------------------------------


def updatable(value: Value, span: Span | None) -> Attrs:
    """`value`, if it may stand left of `//`: Nix asks that before it computes the right side."""
    if type(value) is not Attrs:
        raise TypeMismatch(describe_type(value), "a set", span)
    return value


def update(left: Value, right: Value, span: Span | None = None) -> Attrs:
    """`left // right`"""
    if type(left) is not Attrs:
        raise TypeMismatch(describe_type(left), "a set", span)
    if type(right) is not Attrs:
        raise TypeMismatch(describe_type(right), "a set", span)
    mine, theirs = left.table, right.table
    if not mine:
        return right
    if not theirs:
        return left
    if len(mine) + len(theirs) > FEW:
        check_list_size(growth(len(mine), len(theirs)), "`//`", span)
    positions = None
    if left.positions is not None or right.positions is not None:
        positions = UpdatedPositions(left, right)
    return Attrs(mine | theirs, positions)


def concatenate(left: Value, right: Value, span: Span | None = None) -> list[Slot]:
    """`left ++ right`"""
    if type(left) is not list:
        raise TypeMismatch(describe_type(left), "a list", span)
    if type(right) is not list:
        raise TypeMismatch(describe_type(right), "a list", span)
    if len(left) + len(right) > FEW:
        check_list_size(growth(len(left), len(right)), "`++`", span)
    return left + right


def select(subject: Slot, name: str, span: Span | None = None) -> Value:
    """`subject.name`, given the subject or a thunk of it."""
    if type(subject) is Thunk:
        subject = subject.value if subject.code is None else subject.force()
    try:
        slot = subject.table[name]
    except (AttributeError, KeyError):
        missing(subject, name, span)
    if type(slot) is Thunk:
        return slot.value if slot.code is None else slot.force()
    return slot


def select_two(subject: Slot, first: str, second: str, span: Span | None, span_two: Span | None) -> Value:
    """`subject.first.second`"""
    if type(subject) is Thunk:
        subject = subject.value if subject.code is None else subject.force()
    try:
        slot = subject.table[first]
    except (AttributeError, KeyError):
        missing(subject, first, span)
    if type(slot) is Thunk:
        slot = slot.value if slot.code is None else slot.force()
    try:
        inner = slot.table[second]
    except (AttributeError, KeyError):
        missing(slot, second, span_two)
    if type(inner) is Thunk:
        return inner.value if inner.code is None else inner.force()
    return inner


def missing(subject: Value, name: str, span: Span | None) -> NoReturn:
    """Complain that `subject` has no attribute `name`."""
    if type(subject) is not Attrs:
        raise TypeMismatch(describe_type(subject), "a set", span)
    raise AttributeMissing(name, subject.table, span)


def truth(value: Value, span: Span) -> bool:
    """A value that must be a Boolean."""
    return value if type(value) is bool else not_boolean(value, span)


def not_boolean(value: Value, span: Span | None) -> NoReturn:
    """Complain that a test is not a Boolean."""
    raise TypeMismatch(describe_type(value), "a Boolean", span)
