"""Sorting, and the least and greatest, in the order in which Ruby 3.1 compares.

The order shows in two ways: an error names the first two values that can not be compared, and a block may look at what
it is called with. Sorting is a merge sort (`base.sorting`); `min` and `max` of a number are Ruby's own
selection in a buffer (`rb_nmin_run`), which is not stable.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter

from ...base.sorting import merge_sort
from ..classes import error
from ..interpreter import Interpreter
from ..values import Proc, Value
from .objects import compared, comparison_words

Order = Callable[[Value, Value], float]
"""Below nought where the first comes first."""

FILLED = 4
"""How many times more values than requested are kept before the worst are dropped."""


def ordering(i: Interpreter, block: Proc | None) -> Order:
    """How two values are compared: by a block, if there is one."""
    if block is None:
        return lambda left, right: compared(i, left, right)

    def order(left: Value, right: Value) -> float:
        result = block.two(left, right)
        if type(result) is int or type(result) is float:
            return result
        raise error("ArgumentError", comparison_words(i, left, right))

    return order


def sort_values(i: Interpreter, values: list[Value], block: Proc | None) -> list[Value]:
    """`values.sort`"""
    i.budget.draw("steps", len(values) // 4, "sorting", i.at)
    if block is None and _are_simple(values):
        return sorted(values)
    return merge_sort(values, ordering(i, block))


def sort_by(i: Interpreter, values: list[Value], block: Proc) -> list[Value]:
    """`values.sort_by { }`"""
    keyed = [(block.one(value), value) for value in values]
    if _are_simple([key for key, _ in keyed]):
        return [value for _, value in sorted(keyed, key=itemgetter(0))]
    return [value for _, value in merge_sort(keyed, lambda left, right: compared(i, left[0], right[0]))]


def _are_simple(values: list[Value]) -> bool:
    """Whether Python has the same order for them."""
    kinds = set(map(type, values))
    return kinds == {int} or (kinds == {str} and all(text.isascii() for text in values))


# --- the least and the greatest --------------------------------------------------------------------------------------


def extreme(order: Order, values: list[Value], sign: int, newest_first: bool = True) -> Value:
    """The least (`sign` is -1) or the greatest; `newest_first` says which of two is asked about the other."""
    best: Value = values[0] if values else None
    for value in values[1:]:
        if (order(value, best) if newest_first else -order(best, value)) * sign > 0:
            best = value
    return best


def extremes(order: Order, values: list[Value]) -> tuple[Value, Value]:
    """The least and the greatest, two values at a time."""
    least = most = values[0] if values else None
    for at in range(0, len(values), 2):
        low = high = values[at]
        if at + 1 < len(values):
            rank = order(low, values[at + 1])
            if rank > 0:
                low = values[at + 1]
            elif rank < 0:
                high = values[at + 1]
        if at == 0:
            least, most = low, high
            continue
        if order(low, least) < 0:
            least = low
        if order(high, most) > 0:
            most = high
    return least, most


def several(order: Order, values: list[Value], count: int, sign: int) -> list[Value]:
    """The `count` least (`sign` is -1) or greatest, the foremost first."""
    ranked: Order = (lambda left, right: -order(left, right)) if sign > 0 else order
    kept: list[Value] = []
    limit: list[Value] = []
    for value in values if count else ():
        if limit and ranked(value, limit[0]) >= 0:
            continue
        kept.append(value)
        if len(kept) == count * FILLED:
            limit = [_select(ranked, kept, count)]
            del kept[count:]
    if len(kept) > count:
        _select(ranked, kept, count)
        del kept[count:]
    in_order = merge_sort(kept, order)
    return in_order[::-1] if sign > 0 else in_order


def _select(ranked: Order, kept: list[Value], count: int) -> Value:
    """Bring the `count` foremost to the front; the last value that the others were compared with."""
    left, right = 0, len(kept) - 1
    while True:
        middle = left + (right - left) // 2
        kept[middle], kept[right] = kept[right], kept[middle]
        pivot, pivots = right, 1
        store = at = left
        while at <= right - pivots:
            rank = ranked(kept[at], kept[pivot])
            if rank == 0:
                kept[at], kept[right - pivots] = kept[right - pivots], kept[at]
                pivots += 1
                continue
            if rank < 0:
                kept[at], kept[store] = kept[store], kept[at]
                store += 1
            at += 1
        place = store
        for at in range(right, right - pivots, -1):
            if at <= place:
                break
            kept[place], kept[at] = kept[at], kept[place]
            place += 1
        if store <= count <= store + pivots:
            return kept[store]
        if count < store:
            right = store - 1
        else:
            left = store + pivots
