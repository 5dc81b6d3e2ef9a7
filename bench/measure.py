"""Measuring: sides of a row run in turn, each in processes of its own, by the processor time that the system counts.

A *row* is one piece of work; its *sides* are those who do it: wherefrom, wherefrom with something switched off, the
real tool. A round runs each side once, one after the other, so that a machine that is busy for a while is busy for all
of them; the order turns from round to round. What is counted is processor time, user and system, of the process and all
that it waited for (`wait4`), never the wall clock: it says what the work costs, and other processes disturb it little.

There are two kinds of sides:

* a *command* counts from the start of its process to its end, as a user pays for it;
* a *driver* prints JSON lines `{"id": ..., "seconds": [...]}`: one process that does the same work again and again, as
  a server with everything loaded does. Its first repetition is thrown away.

Of the rounds the median counts; the least and the most are kept beside it as the spread.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Side:
    """One who does the work of a row."""

    command: Sequence[str]
    stdin: str = ""
    reports: bool = False
    """Whether it prints its own times, as a driver does."""
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    ends: int = 0
    """Its exit status: a policy that is broken ends with 4."""
    before: Callable[[], None] | None = None
    """What is done before each round and not counted: an empty cache, say."""
    normal: Callable[[str], object] | None = None
    """Its output as something that must be equal on all sides that have one."""


@dataclass(frozen=True)
class Row:
    """A piece of work and who does it."""

    group: str
    name: str
    sides: Mapping[str, Side]
    absent: Mapping[str, str] = field(default_factory=dict)
    """Sides that are not here, and why."""
    note: str = ""
    rounds: int = 0
    """How many rounds; as the command line says if 0."""


@dataclass(frozen=True)
class Special:
    """Rows that take more to measure than running processes in turn."""

    group: str
    name: str
    measure: Callable[[], Iterable[Result]]


@dataclass
class Sample:
    """What one run of a side took, by item (a command has one, whose name is empty)."""

    seconds: dict[str, float]
    megabytes: float
    output: str


@dataclass
class Figures:
    """What the rounds of a side gave: seconds of all items together."""

    median: float
    low: float
    high: float
    megabytes: float
    items: dict[str, float] = field(default_factory=dict)
    """The median of each item, where there are several."""

    def document(self) -> dict[str, Any]:
        """As it stands in the file of figures."""
        numbers = {"seconds": self.median, "low": self.low, "high": self.high, "megabytes": self.megabytes}
        return {name: _short(value) for name, value in numbers.items()}


@dataclass
class Result:
    """A row that was measured."""

    group: str
    name: str
    sides: dict[str, Figures]
    absent: dict[str, str] = field(default_factory=dict)
    note: str = ""
    differ: bool = False
    """Whether two sides gave different results: then the figures say nothing."""

    def document(self) -> dict[str, Any]:
        """As it stands in the file of figures."""
        found: dict[str, Any] = {"group": self.group, "name": self.name}
        found["sides"] = {name: side.document() for name, side in self.sides.items()}
        if self.ratio is not None:
            found["ratio"] = _short(self.ratio)
        worst = self.worst
        if worst is not None:
            found["items"] = len(next(iter(self.sides.values())).items)
            found["worst"] = {"item": worst[0], "ratio": _short(worst[1])}
        if self.absent:
            found["absent"] = self.absent
        if self.note:
            found["note"] = self.note
        if self.differ:
            found["differ"] = True
        return found

    @property
    def other(self) -> str | None:
        """The side that ours is compared with: the first that is not ours."""
        return next((name for name in self.sides if not name.startswith(OURS)), None)

    @property
    def ratio(self) -> float | None:
        """How many times faster ours is than the other: below 1 it is slower."""
        if self.other is None or OURS not in self.sides:
            return None
        return self.sides[self.other].median / self.sides[OURS].median

    @property
    def worst(self) -> tuple[str, float] | None:
        """Of several items the one where ours does worst."""
        if self.other is None or len(self.sides[OURS].items) < 2:
            return None
        ours, theirs = self.sides[OURS].items, self.sides[self.other].items
        return min(((name, theirs[name] / ours[name]) for name in ours if name in theirs), key=lambda each: each[1])


OURS = "wherefrom"
LAUNCH = Path(__file__).resolve().with_name("launch.py")


def _short(number: float) -> float:
    return float(f"{number:.4g}")


class NotRun(Exception):
    """A side that ended otherwise than it should."""


def run(side: Side) -> Sample:
    """Run a side once.  Raises `NotRun`."""
    if side.before is not None:
        side.before()
    environment = {**os.environ, "PYTHONHASHSEED": "0", **side.environment}
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as printed,
        tempfile.TemporaryFile() as told,
        tempfile.NamedTemporaryFile("r", encoding="ascii") as kept,
    ):
        given.write(side.stdin.encode())
        given.seek(0)
        command = [sys.executable, "-S", "-E", str(LAUNCH), kept.name, *side.command]
        subprocess.run(command, stdin=given, stdout=printed, stderr=told, env=environment, cwd=side.folder)
        printed.seek(0)
        told.seek(0)
        output = printed.read().decode()
        code, seconds_used, kilobytes = (float(word) for word in kept.read().split() or (-1, 0, 0))
        if code != side.ends:
            words = told.read().decode()[-2000:]
            raise NotRun(f"{' '.join(side.command)}: exit status {code:.0f}\n{words}")
    memory = kilobytes / 1024
    if not side.reports:
        return Sample({"": seconds_used}, memory, output)
    seconds: dict[str, float] = {}
    for line in output.splitlines():
        if line.startswith("{"):
            answer = json.loads(line)
            if answer.get("ok", True) is False:
                raise NotRun(f"{' '.join(side.command)}: {answer.get('error')}")
            if "calls" in answer:
                continue
            times = answer["seconds"][1:] or answer["seconds"]
            seconds[str(answer["id"])] = median(times)
    return Sample(seconds, memory, output)


def measured(row: Row, rounds: int) -> Result:
    """Run the sides of a row in turn, so many rounds. What can not be run leaves the row empty, with the reason."""
    try:
        return _measured(row, rounds)
    except NotRun as problem:
        print(problem, file=sys.stderr)
        return Result(row.group, row.name, {}, {**row.absent, OURS: "failed: see the output of `make bench`"})


def _measured(row: Row, rounds: int) -> Result:
    samples: dict[str, list[Sample]] = {name: [] for name in row.sides}
    seen: list[object] = []
    names = list(row.sides)
    for number in range(row.rounds or rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            side = row.sides[name]
            sample = run(side)
            samples[name].append(sample)
            if side.normal is not None and number == 0:
                seen.append(side.normal(sample.output))
            sample.output = ""
    differ = any(each != seen[0] for each in seen)
    sides = {name: figures(each) for name, each in samples.items()}
    return Result(row.group, row.name, sides, dict(row.absent), row.note, differ)


def figures(samples: Sequence[Sample]) -> Figures:
    """What the rounds say together."""
    totals = [sum(sample.seconds.values()) for sample in samples]
    names = samples[0].seconds
    items = {name: median(sample.seconds[name] for sample in samples) for name in names} if len(names) > 1 else {}
    memory = max(sample.megabytes for sample in samples)
    return Figures(median(totals), min(totals), max(totals), memory, items)
