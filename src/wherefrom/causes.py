"""Which edits are the causes of differences: candidates from histories, verdicts from compiling again.

A difference can only be caused by edits that the value's histories rest on (`wherefrom.edits`): dependency is sound. So
one edit is the cause, and nothing is compiled. Where there are several, each is taken back alone from the second side,
which is compiled again: an edit without which the value would be another one is a cause, and one without which it would
be the same is not. An edit that changes more of a manifest than its literals is asked about for every difference, since
what is not written any more stands in no history. Where no single edit is needed (each of two would do alone), each is
made alone on the first side. Edits that can not be taken back alone, since nothing compiles without them (one half of a
renamed parameter), are taken back together; where a part of them would do (a new `include`, without its new class), the
others are causes of what rests on them.

How many compilations that may take is bounded, for one comparison (`MOST_TRIES`) and for all that share an `Experience`
(`MOST_TRIES_OF_ALL`). Of many nodes the same is not asked again: where the histories rest on one edit, and it was the
cause on another node, the other edits of the code do not matter here either. Once all compilations are spent, an equal
difference with equal candidates has the causes that it had on another node. What is not decided is told as not proved.
Without anybody who compiles again (saved outcomes), every candidate is named, and several are not proved.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from .base.record import Record
from .edits import Edit, EditedSide, Edits, same
from .language import Outcome

MOST_TRIES = 40
"""Compilations of one side with some edits taken back, for one comparison."""

FEW = 3
"""So many candidates are named even if they are all the edits that there are."""

Again: TypeAlias = Callable[[int, EditedSide], Outcome | None]
"""Compiles the first (0) or second (1) side with changes to files and inputs; nothing if that does not compile."""

MOST_TRIES_OF_ALL = 400
"""The same for all comparisons of one command."""

NOTHING = object()
"""The value of an output that is not there."""


class Case(Record):
    """A difference whose causes are asked for: values on both sides, and the edits that the histories rest on there.

    A value that is not there is `NOTHING`, and has the edits of what stands in its place.
    """

    path: str
    before: Any
    after: Any
    behind_before: frozenset[int]
    behind_after: frozenset[int]


class Verdict(Record):
    """The causes of a difference, by number, and whether they are proved to be the causes."""

    causes: tuple[int, ...]
    proved: bool


class Experience:
    """What comparisons of many nodes share: how many compilations are left, and what differences were caused by."""

    def __init__(self, tries: int = MOST_TRIES_OF_ALL) -> None:
        self.left = tries
        self.causes: dict[Hashable, frozenset[Edit]] = {}


class Judge:
    """Decides about the causes of many differences of two outcomes; `values` reads the value at a path off another."""

    def __init__(
        self,
        edits: Edits,
        again: Again | None,
        values: Callable[[Outcome, Collection[str]], Mapping[str, Any]],
        experience: Experience | None = None,
    ) -> None:
        self._experience = experience or Experience()
        self._edits = edits
        self._again = again
        self._values = values
        self._tried: dict[tuple[int, frozenset[int]], Mapping[str, Any] | None] = {}
        self._left = MOST_TRIES
        self._grouped: dict[frozenset[int], list[frozenset[int]]] = {}
        self._paths: frozenset[str] = frozenset()
        self._resting: set[int] = set()
        """Edits that the value rests on, and without which nothing compiles while others are there."""

    def verdicts(self, cases: Sequence[Case]) -> list[Verdict]:
        """The causes of each difference."""
        everything = frozenset(range(len(self._edits.all)))
        verdicts: dict[int, Verdict] = {}
        open_cases: list[tuple[int, Case, frozenset[int]]] = []
        for index, case in enumerate(cases):
            verdict = self._plain(case, everything)
            if verdict is not None:
                verdicts[index] = verdict
            else:
                open_cases.append((index, case, self._pool(case) or everything))
        if open_cases and self._again is None:
            for index, _, pool in open_cases:
                tells = len(pool) < len(everything) or len(pool) <= FEW
                verdicts[index] = Verdict(tuple(sorted(pool)) if tells else (), False)
            return [verdicts[index] for index in range(len(cases))]
        unlike: list[tuple[int, Case, frozenset[int]]] = []
        for index, case, pool in open_cases:
            verdict = self._known(self._alone(case, pool))
            if verdict is not None:
                verdicts[index] = verdict
            else:
                unlike.append((index, case, pool))
        self._paths = frozenset(case.path for _, case, _ in unlike)
        self._try_often_wanted(pool for _, _, pool in unlike)
        for index, case, pool in unlike:
            alone = self._alone(case, pool)
            alike = case.path, repr(case.before), repr(case.after), self._told(pool)
            verdict = self._known(alike) if self._experience.left <= 0 else None
            if verdict is None:
                verdict = self._judged(case, pool, everything)
                if verdict.proved and verdict.causes:
                    causes = self._told(verdict.causes)
                    self._experience.causes[alike] = causes
                    if alone is not None and causes == alone[1]:
                        self._experience.causes[alone] = causes
            verdicts[index] = verdict
        return [verdicts[index] for index in range(len(cases))]

    def _told(self, numbers: Iterable[int]) -> frozenset[Edit]:
        return frozenset(self._edits.all[number] for number in numbers)

    def _known(self, alike: Hashable) -> Verdict | None:
        """The causes of an alike difference on another node."""
        causes = self._experience.causes.get(alike)
        if causes is None:
            return None
        return Verdict(tuple(number for number, edit in enumerate(self._edits.all) if edit in causes), True)

    def _alone(self, case: Case, pool: frozenset[int]) -> tuple[Hashable, ...] | None:
        """A difference whose histories rest on one edit, whatever the values, among the edits that might count too."""
        behind = case.behind_before | case.behind_after
        if len(behind) != 1:
            return None
        return (case.path, self._told(behind), bool(case.behind_before), bool(case.behind_after), self._told(pool))

    def _plain(self, case: Case, everything: frozenset[int]) -> Verdict | None:
        """The verdict where nothing needs to be compiled."""
        if not everything:
            return Verdict((), False)
        if len(everything) == 1:
            return Verdict(tuple(everything), True)
        pool = self._pool(case)
        if len(pool) == 1 and (
            case.before is NOTHING or case.after is NOTHING or pool <= case.behind_before & case.behind_after
        ):
            return Verdict(tuple(pool), self._again is not None or not self._edits.structural)
        return None  # several, or histories that have no edit in common: one of them says too little

    def _pool(self, case: Case) -> frozenset[int]:
        """The edits that may be causes: those that the value rests on, and those that give the code another shape.

        What is not written any more stands in no history of the second side, and names of parameters in none at all.
        """
        pool = case.behind_before | case.behind_after
        return pool | self._edits.structural if self._again is not None else pool

    def _try_often_wanted(self, pools: Iterable[frozenset[int]]) -> None:
        """Take back each edit alone that is asked about, those first that most differences ask about."""
        wanted: dict[int, int] = {}
        for pool in pools:
            for number in pool:
                wanted[number] = wanted.get(number, 0) + 1
        for number in sorted(wanted, key=lambda number: (-wanted[number], number)):
            self._without(frozenset((number,)))

    def _judged(self, case: Case, pool: frozenset[int], everything: frozenset[int]) -> Verdict:
        self._resting = set()
        verdict = self._needed(case, pool)
        if verdict is None:
            verdict = self._enough(case, pool)
        if verdict is None and pool != everything:
            verdict = self._needed(case, everything) or self._enough(case, everything)
        if verdict is None:
            return Verdict((), False)
        return Verdict(tuple(sorted(self._resting.union(verdict.causes))), verdict.proved)

    def _needed(self, case: Case, pool: frozenset[int]) -> Verdict | None:
        """The edits of a pool without which the value would be another."""
        causes: set[int] = set()
        failing: set[int] = set()
        unknown: set[int] = set()
        for number in pool:
            match self._changes(case, 1, frozenset((number,))):
                case True:
                    causes.add(number)
                case None:
                    (failing if self._was_tried(1, frozenset((number,))) else unknown).add(number)
        undecided: set[int] = set()
        for group in self._groups(frozenset(failing)):
            together = self._changes(case, 1, group)
            others = group - failing
            if together is None:
                undecided |= group & failing
            elif together and not (others and self._is_same(case, others, group)):
                causes |= group & failing
            elif together:
                self._resting |= group & failing & (case.behind_before | case.behind_after)
        proved = not (unknown or undecided)
        causes |= unknown | (undecided & (case.behind_before | case.behind_after))
        return Verdict(tuple(sorted(causes)), proved) if causes else None

    def _groups(self, failing: frozenset[int]) -> list[frozenset[int]]:
        """Edits that can not be taken back alone, in groups that can: each with those without which that fails."""
        known = self._grouped.get(failing)
        if known is None:
            known = []
            left = sorted(failing)
            while left:
                group = self._smallest_with(left[0], failing)
                known.append(group)
                left = [number for number in left if number not in group]
            self._grouped[failing] = known
        return known

    def _smallest_with(self, number: int, failing: frozenset[int]) -> frozenset[int]:
        """A group that can be taken back and has an edit that can not, such that no smaller part of it would do."""
        mine = frozenset((number,))
        everything = frozenset(range(len(self._edits.all)))
        whole = next((group for group in (failing, everything) if self._compiles(group | mine)), None)
        if whole is None:
            return mine
        rest = sorted(whole - mine)
        size = max(1, len(rest) // 2)
        while size:
            at = 0
            while at < len(rest):
                fewer = rest[:at] + rest[at + size :]
                if self._compiles(frozenset(fewer) | mine):
                    rest = fewer
                else:
                    at += size
            size //= 2
        return frozenset(rest) | mine

    def _compiles(self, numbers: frozenset[int]) -> bool:
        return self._without(numbers) is not None

    def _is_same(self, case: Case, few: frozenset[int], many: frozenset[int]) -> bool:
        """Whether a value is the same without few edits as without many."""
        one, other = (self._without(numbers) for numbers in (few, many))
        if one is None or other is None:
            return False
        return same(one.get(case.path, NOTHING), other.get(case.path, NOTHING))

    def _enough(self, case: Case, pool: frozenset[int]) -> Verdict | None:
        """Where no single edit is needed: those each of which would do, or all of them together."""
        enough = {number for number in pool if self._changes(case, 0, frozenset((number,)))}
        if enough:
            return Verdict(tuple(sorted(enough)), True)
        return Verdict(tuple(sorted(pool)), True) if self._changes(case, 1, pool) else None

    def _changes(self, case: Case, side: int, numbers: frozenset[int]) -> bool | None:
        """Whether the value on a side would be another; nothing if that is not known."""
        values = self._without(numbers, side)
        if values is None:
            return None
        return not same(values.get(case.path, NOTHING), case.after if side else case.before)

    def _was_tried(self, side: int, numbers: frozenset[int]) -> bool:
        return (side, numbers) in self._tried

    def _without(self, numbers: frozenset[int], side: int = 1) -> Mapping[str, Any] | None:
        """The values that are asked about, on a side that is what the other is as far as these edits say."""
        key = side, numbers
        if key in self._tried:
            return self._tried[key]
        changes = self._edits.changes(side, numbers)
        if changes is None or min(self._left, self._experience.left) <= 0 or self._again is None:
            return None
        self._left -= 1
        self._experience.left -= 1
        outcome = self._again(side, changes)
        known = self._tried[key] = None if outcome is None else self._values(outcome, self._paths)
        return known
