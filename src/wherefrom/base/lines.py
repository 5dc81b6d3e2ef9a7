"""Line-by-line differences between two texts.

Python's `difflib` takes quadratic time on files whose lines repeat, and configuration files are full of closing braces.
So lines that occur once on either side go first (patience diff): those that both sides have in the same order are
anchors, and only what lies between two anchors is compared further. `difflib` gets what is left when no line is unique
any more, unless that is too long: then it counts as changed as a whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

Run = tuple[int, int, int, int]
"""Lines i1 to i2 of the one (the last excluded) stand where lines j1 to j2 of the other stand."""

MAX_PAIRS = 1_000_000


def changed_runs(old: Sequence[str], new: Sequence[str]) -> Iterator[Run]:
    """The runs of lines that differ, in order.

    >>> list(changed_runs(["a", "}", "b", "}"], ["a", "}", "x", "c", "}"]))
    [(2, 3, 2, 4)]
    """
    waiting: list[Run] = [(0, len(old), 0, len(new))]
    while waiting:
        i1, i2, j1, j2 = waiting.pop()
        while i1 < i2 and j1 < j2 and old[i1] == new[j1]:
            i1, j1 = i1 + 1, j1 + 1
        while i1 < i2 and j1 < j2 and old[i2 - 1] == new[j2 - 1]:
            i2, j2 = i2 - 1, j2 - 1
        if i1 == i2 or j1 == j2:
            if i1 < i2 or j1 < j2:
                yield i1, i2, j1, j2
        elif anchors := _anchors(old, new, (i1, i2, j1, j2)):
            ends = [(i1 - 1, j1 - 1), *anchors, (i2, j2)]
            between = [(i + 1, k, j + 1, m) for (i, j), (k, m) in pairwise(ends)]
            waiting.extend(reversed(between))
        elif (i2 - i1) * (j2 - j1) > MAX_PAIRS:
            yield i1, i2, j1, j2
        else:
            from difflib import SequenceMatcher

            matcher = SequenceMatcher(None, old[i1:i2], new[j1:j2], autojunk=False)
            for tag, k1, k2, m1, m2 in matcher.get_opcodes():
                if tag != "equal":
                    yield i1 + k1, i1 + k2, j1 + m1, j1 + m2


def _anchors(old: Sequence[str], new: Sequence[str], run: Run) -> list[tuple[int, int]]:
    """Lines that occur once on both sides: the longest sequence in the same order, as pairs of line numbers."""
    i1, i2, j1, j2 = run
    places = _unique(new, j1, j2)
    pairs = [(i, places[line]) for line, i in _unique(old, i1, i2).items() if line in places]
    # The longest increasing subsequence: `tails` are the ends of the best sequences of each length so far.
    tails: list[int] = []
    tail_pairs: list[int] = []
    before: list[int] = []
    for at, (_, j) in enumerate(pairs):
        length = bisect_left(tails, j)
        before.append(tail_pairs[length - 1] if length else -1)
        if length == len(tails):
            tails.append(j)
            tail_pairs.append(at)
        else:
            tails[length] = j
            tail_pairs[length] = at
    anchors: list[tuple[int, int]] = []
    at = tail_pairs[-1] if tail_pairs else -1
    while at >= 0:
        anchors.append(pairs[at])
        at = before[at]
    return anchors[::-1]


def _unique(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    """The lines of a range that occur there once, with their numbers, in order."""
    numbers: dict[str, int] = {}
    repeated: set[str] = set()
    for number in range(start, end):
        line = lines[number]
        if line in numbers:
            repeated.add(line)
        else:
            numbers[line] = number
    return {line: number for line, number in numbers.items() if line not in repeated}
