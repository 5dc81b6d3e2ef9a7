"""Whether the causes that a comparison names are causes, found out by compiling again.

Every edit is taken back alone, and the second side is compiled once more. A cause is *right* if the value is another
one then, or nothing compiles; if two edits did the same, each alone, it is right if making it alone on the first side
changes the value there. A cause is *missed* if an edit that is not named changes the value when it is taken back
alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from wherefrom.causes import Again
from wherefrom.comparison import Difference, compare
from wherefrom.edits import EditedSide, Edits, History, with_inputs
from wherefrom.language import Inputs, Outcome, Selected

_ELEMENT = re.compile(r"(?P<base>(?:[\w:]+\[.*?\]\.)?[^\[\]]+)\[\d+\]", re.DOTALL)
Files = dict[str, str]
Compile = Callable[[Files, Inputs], Outcome | None]
_NOTHING = object()


class Side(NamedTuple):
    """Everything that one side is compiled from."""

    files: Files
    inputs: Inputs


def again(compiled: Compile, sides: tuple[Side, Side]) -> Again:
    """Who compiles a side with changes, for a comparison."""

    def once_more(side: int, changes: Any) -> Outcome | None:
        return compiled(*edited_side(sides[side], changes))

    return once_more


def edited_side(side: Side, changes: EditedSide) -> Side:
    """A side with changes to files and inputs."""
    files = {name: text for name, text in side.files.items() if name not in changes.files}
    files |= {name: content.decode() for name, content in changes.files.items() if content is not None}
    return Side(files, with_inputs(side.inputs, changes.inputs))


class Judged(NamedTuple):
    """The verdict on one comparison."""

    counts: Counter[str]
    complaints: list[str]


def judge(compiled: Compile, sides: tuple[Side, Side]) -> Judged | None:
    """Compare two sides, and try every cause; nothing if one of them does not compile."""
    outcomes = [compiled(*side) for side in sides]
    if outcomes[0] is None or outcomes[1] is None:
        return None
    tries = 0
    once_more = again(compiled, sides)

    def counted(side: int, changes: Any) -> Outcome | None:
        nonlocal tries
        tries += 1
        return once_more(side, changes)

    comparison = compare(outcomes[0], outcomes[1], counted)
    counts: Counter[str] = Counter(comparisons=1, same=comparison.same, tries=tries)
    complaints: list[str] = []
    if not comparison.differences:
        return Judged(counts, complaints)
    edits = Edits(outcomes[0], outcomes[1], [history_of(outcomes[0], outcomes[1])])
    counts["edits"] = len(edits.all)
    trials = Trials(once_more, edits)
    for difference in comparison.differences:
        _judge_one(difference, trials, counts, complaints)
    return Judged(counts, complaints)


def all_of(outcome: Outcome) -> Iterator[Selected]:
    """The outputs, and contents that they point at."""
    yield from outcome.outputs()
    yield from outcome.contents() or ()


def history_of(*outcomes: Outcome) -> History:
    """What all outputs of some outcomes rest on."""
    return History([output.origin for outcome in outcomes for output in all_of(outcome)])


class Trials:
    """The values of a side with some edits taken back or made."""

    def __init__(self, once_more: Again, edits: Edits) -> None:
        self._once_more = once_more
        self._edits = edits
        self.numbers = {edit: number for number, edit in enumerate(edits.all)}
        self._values: dict[tuple[int, frozenset[int]], Mapping[str, Any] | None] = {}

    @property
    def is_small(self) -> bool:
        """Whether there are so few edits that every one can be tried."""
        return len(self._edits.all) <= 8

    def values(self, side: int, numbers: frozenset[int]) -> Mapping[str, Any] | None:
        key = side, numbers
        if key not in self._values:
            changes = self._edits.changes(side, numbers)
            assert changes is not None
            outcome = self._once_more(side, changes)
            self._values[key] = None if outcome is None else {each.path: each.value for each in all_of(outcome)}
        return self._values[key]

    def changes(self, difference: Difference, side: int, *numbers: int) -> bool | None:
        """Whether the value is another one on a side without (or with) these edits; nothing if that fails."""
        values = self.values(side, frozenset(numbers))
        if values is None:
            return None
        if difference.change == "order":
            mine = difference.after if side else difference.before
            return bool([path for path in values if path in set(mine)] != mine)
        element = _ELEMENT.fullmatch(difference.path)
        if element is not None and difference.change in ("added", "removed") and self._are_lists(element["base"]):
            return self._counted(element["base"], difference, side, values)
        absent = "added" if side == 0 else "removed"
        value = _NOTHING if difference.change == absent else difference.after if side else difference.before
        return bool(values.get(difference.path, _NOTHING) != value)

    def _are_lists(self, base: str) -> bool:
        """Whether both sides have a list."""
        both = [self.values(which, frozenset()) or {} for which in (0, 1)]
        return all(any(path.startswith(f"{base}[") for path in known) for known in both)

    def _counted(self, base: str, difference: Difference, side: int, values: Mapping[str, Any]) -> bool:
        """Whether a list has an element more or less often; if both have it as often, whether the list is other."""
        value = difference.before if difference.change == "removed" else difference.after
        lists = [self.values(which, frozenset()) or {} for which in (0, 1)]
        old, new = ([known[path] for path in known if path.startswith(f"{base}[")] for known in lists)
        elements = [values[path] for path in values if path.startswith(f"{base}[")]
        if old.count(value) == new.count(value):
            return elements != (new if side else old)
        return elements.count(value) != (new if side else old).count(value)


def _judge_one(difference: Difference, trials: Trials, counts: Counter[str], complaints: list[str]) -> None:
    counts["differences"] += 1
    told = [trials.numbers[edit] for edit in difference.edits]
    if not told:
        counts["unidentified"] += 1
        complaints.append(f"no cause: {difference}")
        return
    if not difference.proved:
        counts["not proved"] += 1
        if trials.is_small:
            complaints.append(f"not proved: {difference}")
        return
    counts[f"{min(len(told), 3)} causes"] += 1
    together = trials.changes(difference, 1, *told)
    for number in told:
        alone = trials.changes(difference, 1, number)
        if alone is None:
            counts["can not be taken back alone"] += 1
        elif not alone and not trials.changes(difference, 0, number) and not (len(told) > 1 and together):
            complaints.append(f"no cause is {difference.edits[told.index(number)]}: {difference}")
    for edit, number in trials.numbers.items():
        if number not in told and trials.changes(difference, 1, number):
            complaints.append(f"missed {edit}: {difference}")
