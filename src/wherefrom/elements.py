"""Lists of two outcomes, element by element: what came and what went, wherever the others stand then.

Outputs are named by the numbers of elements, so that one element less would be a difference of every one behind it. The
elements of a list that is not the same on both sides are put side by side instead, as lines of a text are; those that
both have go together, and what is left came or went as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from .base.lines import changed_runs
from .base.record import Record
from .language import Selected
from .provenance.origins import Choice, Origin

_ELEMENT = re.compile(r"(?P<base>(?:[\w:]+\[.*?\]\.)?[^\[\]]+)\[(?P<index>\d+)\](?P<rest>.*)", re.DOTALL)
_MARK = "\0"


class Item(Record):
    """An element that came or went: of which list, and its parts."""

    base: str
    parts: tuple[tuple[str, str], ...]


class Pairs(Record):
    """The outputs of both sides by keys that equal what belongs together, and which keys are of single elements."""

    left: dict[str, Selected]
    right: dict[str, Selected]
    items: dict[str, Item]
    elsewhere: set[str]
    """Keys of elements that both sides have: their order says nothing about the lists they stand in."""


class Replaced(Record):
    """An element in whose place another one is: of which list, the parts of the old one and of the new one."""

    base: str
    parts: tuple[tuple[tuple[str, str], ...], ...]

    def counts(self, elements: Sequence[tuple[tuple[str, str], ...]]) -> tuple[int, ...]:
        """How often some elements have the old one and the new one."""
        return tuple(elements.count(parts) for parts in self.parts)


def replaced(path: str, before: object, after: object) -> Replaced | None:
    """The element at a path, if it is one as a whole, with another value."""
    match = _ELEMENT.fullmatch(path)
    if match is None or match["rest"]:
        return None
    return Replaced(match["base"], tuple((("", _part(value)),) for value in (before, after)))


Lists = dict[str, dict[int, list[tuple[str, Selected]]]]


def paired(left: dict[str, Selected], right: dict[str, Selected], unlike: Iterable[str]) -> Pairs:
    """Outputs by path, but for elements of lists that stand elsewhere on the other side.

    A list may be otherwise if the outputs at `unlike` paths, which are not the same on both sides, have one of it.
    """
    bases = {match["base"] for path in unlike if (match := _ELEMENT.fullmatch(path))}
    if not bases:
        return Pairs(left, right, {}, set())
    pairs = Pairs(dict(left), dict(right), {}, set())
    begin = tuple(f"{base}[" for base in bases)
    lists = tuple(_lists(output for path, output in side.items() if path.startswith(begin)) for side in (left, right))
    for base in lists[0]:
        if base in lists[1]:
            _align(pairs, base, lists[0][base], lists[1][base])
    return pairs


def _lists(outputs: Iterable[Selected]) -> Lists:
    lists: Lists = {}
    for output in outputs:
        match = _ELEMENT.fullmatch(output.path)
        if match is not None:
            elements = lists.setdefault(match["base"], {})
            elements.setdefault(int(match["index"]), []).append((match["rest"], output))
    return lists


def _parts(element: list[tuple[str, Selected]]) -> tuple[tuple[str, str], ...]:
    return tuple((rest, _part(output.value)) for rest, output in element)


def _part(value: object) -> str:
    return f"{type(value).__name__} {value!r}"


def _align(
    pairs: Pairs, base: str, old: dict[int, list[tuple[str, Selected]]], new: dict[int, list[tuple[str, Selected]]]
) -> None:
    """Rename what belongs together, and put whole elements in the place of their parts."""
    before, after = ([_parts(elements[index]) for index in sorted(elements)] for elements in (old, new))
    if before == after or sorted(old) != list(range(len(old))) or sorted(new) != list(range(len(new))):
        return
    runs = list(changed_runs([repr(parts) for parts in before], [repr(parts) for parts in after]))
    if all((i1, i2) == (j1, j2) for i1, i2, j1, j2 in runs):
        return  # every element stands where it stood
    for side, elements in ((pairs.left, old), (pairs.right, new)):
        for parts in elements.values():
            for _, output in parts:
                del side[output.path]
    i = j = 0
    for i1, i2, j1, j2 in [*runs, (len(before), len(before), len(after), len(after))]:
        while i < i1:
            for (_, mine), (_, theirs) in zip(old[i], new[j], strict=True):
                pairs.left[theirs.path], pairs.right[theirs.path] = mine, theirs
                pairs.elsewhere.add(theirs.path)
            i, j = i + 1, j + 1
        for side, mark, elements, numbers in (
            (pairs.left, "-", old, range(i1, i2)),
            (pairs.right, "+", new, range(j1, j2)),
        ):
            for index in numbers:
                key = f"{_MARK}{mark}{base}[{index}]"
                side[key] = _whole(f"{base}[{index}]", elements[index])
                pairs.items[key] = Item(base, _parts(elements[index]))
        i, j = i2, j2


def _whole(path: str, element: list[tuple[str, Selected]]) -> Selected:
    """An element as one output."""
    if len(element) == 1 and not element[0][0]:
        return element[0][1]
    origins: list[Origin] = [output.origin for _, output in element]
    value: object = {rest.removeprefix("."): output.value for rest, output in element}
    return Selected(path, value, Choice(tuple(origins[1:]), origins[0]))


class Neighbours:
    """Elements that only one side has: what else is in their lists decides at which number they stand."""

    def __init__(self) -> None:
        self._lists: dict[int, Lists] = {}

    def __call__(self, output: Selected | None, outputs: Mapping[str, Selected]) -> Selected | None:
        """The same output, whose history has those of the other elements too."""
        match = _ELEMENT.fullmatch(output.path) if output is not None else None
        if match is None or output is None:
            return output
        lists = self._lists.get(id(outputs))
        if lists is None:
            lists = self._lists[id(outputs)] = _lists(outputs.values())
        others = [other.origin for parts in lists[match["base"]].values() for _, other in parts if other is not output]
        return Selected(output.path, output.value, Choice(tuple(others), output.origin)) if others else output


def elements_of(outputs: Iterable[Selected], bases: Iterable[str]) -> dict[str, list[tuple[tuple[str, str], ...]]]:
    """The elements of some lists of an outcome."""
    wanted = set(bases)
    lists = _lists(output for output in outputs if "[" in output.path)
    return {base: [_parts(lists[base][index]) for index in sorted(lists[base])] for base in wanted if base in lists}
