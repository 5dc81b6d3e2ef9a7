"""Files that change during a run: nodes that read one are marked, and compiled again the next time.

A trace says with which content of each file a node was compiled. The file is read by the compilation and digested
separately, so if it is written in between, the two may see different contents. Whether it was written is seen from its
time of change (ctime), which no program can set back: before anything is read, the run waits for the next tick of the
file system's clock, and a file whose ctime is that tick's or later was touched during the run.

    tick 1000 | read a.yaml (ctime 990), write a.yaml (ctime 1003), digest a.yaml | commit: 1003 >= 1000, touched

A node that depends on a touched file is stored as it was compiled, with a trace that never holds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..base.diagnostics import UsageError
from .numbers import number_of
from .place import place_of
from .traces import NEVER, TOUCHED, Question

if TYPE_CHECKING:
    from .traces import DigestedSnapshot

Rows = list[list[Any]]
Sets = Mapping[int, Sequence[Question]]
"""Sets of questions by their numbers."""

MOST_QUESTIONS = 100_000
"""Most questions, over all sets, that are kept in memory."""


class StableFiles:
    """Which files stayed unchanged during one run.  In `folder` a file is made to read the file system's clock.

    Nodes refer by number to sets of questions that were sent with an earlier node. A bounded number of sets is kept in
    memory; others are read from the store (`committed`).
    """

    def __init__(
        self, side: DigestedSnapshot, folder: str, committed: Callable[[Iterable[int]], Sets] = lambda numbers: {}
    ) -> None:
        self._side = side
        self._since = next_tick(folder)
        self._committed = committed
        self._sets: dict[int, Collection[Question]] = {}
        self._questions: dict[Question, Question] = {}
        """Questions, each of which many sets have."""
        self._remembered = 0

    def mark(self, tables: dict[str, Rows]) -> list[str]:
        """Mark the nodes about to be committed that depend on a touched file; their names."""
        sent = {number: {(kind, name) for kind, name, _ in entries} for number, entries in tables["reads"]}
        shared = {number for row in tables["nodes"] for number in row[6:8]}
        sets: dict[int, Collection[Question]] = {**sent}
        sets.update((number, self._sets[number]) for number in shared.intersection(self._sets))
        sets.update(self._committed(shared.difference(sets)))
        for number in shared:
            self._remember(number, sets.setdefault(number, ()))
        touched = self._touched(set().union(*sets.values()))
        if not touched:
            return []
        marked: list[str] = []
        for row in tables["nodes"]:
            node, traces = row[0], row[5:8]
            if any(not touched.isdisjoint(sets.get(number, ())) for number in traces):
                trace = (TOUCHED[0], TOUCHED[1], NEVER)
                row[5] = number_of(repr((node, trace)).encode("utf-8", "surrogateescape"))
                tables["reads"].append([row[5], [trace]])
                marked.append(node)
        return marked

    def _touched(self, questions: Iterable[Question]) -> set[Question]:
        """Those of some questions whose files were touched; each file is looked at once."""
        verdicts: dict[str | None, bool] = {None: False}
        by_place: dict[Question, bool] = {}
        touched: set[Question] = set()
        for question in questions:
            kind, name = question
            place = kind, name.partition("\0")[0]
            verdict = by_place.get(place)
            if verdict is None:
                path = self._side.answers.path_of(place)
                if path not in verdicts:
                    verdicts[path] = changed_since(str(path), self._since)
                verdict = by_place[place] = verdicts[path]
            if verdict:
                touched.add(question)
        return touched

    def _remember(self, number: int, questions: Collection[Question]) -> None:
        if number not in self._sets and len(questions) <= MOST_QUESTIONS:
            self._remembered += len(questions)
            if self._remembered > MOST_QUESTIONS:
                self._sets.clear()
                self._questions.clear()
                self._remembered = len(questions)
            self._sets[number] = tuple([self._questions.setdefault(question, question) for question in questions])


def next_tick(folder: str) -> int:
    """A time of the file system's clock that no change made before has, and every change made after has or exceeds."""
    try:
        descriptor = place_of(folder).unnamed()
        try:
            before = os.fstat(descriptor).st_ctime_ns
            while True:
                os.fchmod(descriptor, 0o600)
                now = os.fstat(descriptor).st_ctime_ns
                if now > before:
                    return now
                time.sleep(0.001)
        finally:
            os.close(descriptor)
    except OSError as problem:
        raise UsageError(f"cannot write {folder}: {(problem.strerror or str(problem)).lower()}") from None


def changed_since(path: str, since: int) -> bool:
    """Whether what is at a path was touched; where there is nothing, whether the directory was that it would be in."""
    while True:
        try:
            return os.stat(path).st_ctime_ns >= since
        except (OSError, ValueError):
            above = os.path.dirname(path)
            if above == path:
                return False
            path = above or os.curdir
