"""Sorting in the order in which Ruby compares.

Ruby leaves sorting to the C library's `qsort_r`, which on the platforms of the real tools (glibc) is a merge sort that
halves the array, rounding down. The order shows where comparing has effects: a block may look at what it is called
with, and an error names the first two values that can not be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def merge_sort(values: Sequence[Item], order: Callable[[Item, Item], float]) -> list[Item]:
    """Values in order, stable; `order` is below nought where the first of two comes first."""
    if len(values) < 2:
        return list(values)
    half = len(values) // 2
    left, right = merge_sort(values[:half], order), merge_sort(values[half:], order)
    merged: list[Item] = []
    at = other = 0
    while at < len(left) and other < len(right):
        if order(left[at], right[other]) <= 0:
            merged.append(left[at])
            at += 1
        else:
            merged.append(right[other])
            other += 1
    return [*merged, *left[at:], *right[other:]]
