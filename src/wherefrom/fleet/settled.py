"""Files that change while nodes are compiled from them: such nodes are marked, and compiled again the next time.

A trace says with which content of each file a node was compiled. The file is read while the node is compiled and
digested beside that, so if somebody writes to it meanwhile, the two may not be of the same content. Whether somebody
did is seen by the file's time of change, which no program can set back: before anything is read, the run waits for the
next tick of the file system's clock, and a file whose time is that tick's or later was touched during the run. A node
that hangs on one gets a trace that never holds. It is in the store, as it was compiled from what was read; but nobody
takes it for the files as they are now.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .numbers import number_of
from .traces import NEVER, TOUCHED, Question

if TYPE_CHECKING:
    from .traces import Side

Rows = list[list[Any]]
Sets = Mapping[int, Sequence[Question]]
"""Sets of questions by their numbers."""

Touched = dict[Question | str, bool]
"""Whether files were, by their paths, and by what questions call these."""

MOST_QUESTIONS = 100_000
"""Questions of all sets that are remembered."""


class Settled:
    """Watches over one run.  `folder` is a place for a file whose time tells what the clock says.

    Nodes name sets of questions that were sent with another one, perhaps long before. Many of these are remembered, so
    many and no more; others are read from where they were committed (`committed`).
    """

    def __init__(
        self, side: Side, folder: str, committed: Callable[[Iterable[int]], Sets] = lambda numbers: {}
    ) -> None:
        self._side = side
        self._since = next_tick(folder)
        self._committed = committed
        self._sets: dict[int, Sequence[Question]] = {}
        self._questions: dict[Question, Question] = {}
        """Questions, each of which many sets have."""
        self._remembered = 0

    def mark(self, tables: dict[str, Rows]) -> list[str]:
        """Mark nodes that are about to be committed, if a file that they hang on was touched; their names."""
        sets: dict[int, Sequence[Question]] = {
            number: [(kind, name) for kind, name, _ in entries] for number, entries in tables["reads"]
        }
        shared = {number for row in tables["nodes"] for number in row[6:8]}
        sets.update((number, self._sets[number]) for number in shared.intersection(self._sets))
        sets.update(self._committed(shared.difference(sets)))
        for number in shared:
            self._remember(number, sets.setdefault(number, ()))
        touched: Touched = {}
        verdicts: dict[int, bool] = {}
        marked: list[str] = []
        for row in tables["nodes"]:
            node, traces = row[0], row[5:8]
            if any(self._is_touched(number, sets, touched, verdicts) for number in traces):
                trace = (TOUCHED[0], TOUCHED[1], NEVER)
                row[5] = number_of(repr((node, trace)).encode("utf-8", "surrogateescape"))
                tables["reads"].append([row[5], [trace]])
                marked.append(node)
        return marked

    def _remember(self, number: int, questions: Sequence[Question]) -> None:
        if number not in self._sets and len(questions) <= MOST_QUESTIONS:
            self._remembered += len(questions)
            if self._remembered > MOST_QUESTIONS:
                self._sets.clear()
                self._questions.clear()
                self._remembered = len(questions)
            self._sets[number] = tuple([self._questions.setdefault(question, question) for question in questions])

    def _is_touched(self, number: int, sets: Sets, touched: Touched, verdicts: dict[int, bool]) -> bool:
        verdict = verdicts.get(number)
        if verdict is None:
            verdict = False
            for kind, name in sets.get(number, ()):
                question = kind, name.partition("\0")[0]
                known = touched.get(question)
                if known is None:
                    path = self._side.answers.path_of(question)
                    known = False if path is None else touched.get(path)
                    if known is None:
                        known = touched[str(path)] = changed_since(str(path), self._since)
                    touched[question] = known
                if known:
                    verdict = True
                    break
            verdicts[number] = verdict
        return verdict


def next_tick(folder: str) -> int:
    """A time of the file system's clock that no change made before has, and every change made after has or exceeds."""
    with tempfile.TemporaryFile(dir=folder) as file:
        before = os.fstat(file.fileno()).st_ctime_ns
        while True:
            os.fchmod(file.fileno(), 0o600)
            now = os.fstat(file.fileno()).st_ctime_ns
            if now > before:
                return now
            time.sleep(0.001)


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
