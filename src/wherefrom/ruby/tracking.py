"""Where Ruby's values come from: what was read, since when, and under which conditions.

Values stay plain. Every read of an input (a variable of the host, the answer of a host's method) is *noted*: its
origin is appended to a list. What is computed in a region of the program (an assignment, a condition, a `<%= %>`)
depends on what was noted since the region began, so whatever is not followed finely is the union of what was read,
never nothing.

What is stored must be noted again when it is used: a local variable remembers the origin of the region that assigned it
(in the last place of its frame), parameters of a block that of the call they come from, a changed container that of the
change, by its identity, wherever it is met again. Conditions and loops are guards of what happens inside them; what a
branch *not* taken would have done (assigned, written, jumped) is attributed to the condition too.

A rendered text is a list of fragments with their origins: literal text is a leaf in the template, `<%= %>` a step of
its reads; a fragment of no length says what could have put text there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base.budget import Budget
from ..base.source import Span
from ..provenance.origins import Absent, Choice, Guard, Guarded, Leaf, Origin, Step
from .frames import Frame
from .operations import REACHED, RUBY, TEMPLATE
from .values import Set, Text, Value

MANY = 8
"""Past this many conditions that hang over everything, they are one."""


class Tracker:
    """The reads of one run, and the conditions in force."""

    __slots__ = (
        "budget",
        "changed",
        "fragments",
        "guard",
        "hanging",
        "reads",
        "region",
        "start",
        "touched",
        "variables",
    )

    def __init__(self) -> None:
        self.budget: Budget | None = None
        """The run's budget: following values is work too."""
        self.reads: list[Origin] = []
        self.region = 0
        """Where the innermost region (assignment, output, condition) began."""
        self.start = 0
        """Where the call began whose block is being made."""
        self.guard: Guard | None = None
        self.hanging: list[Origin] = []
        """Conditions that decide whether the program came to where it is at all."""
        self.fragments: list[tuple[str, Origin]] = []
        self.touched: list[Value] = []
        """Containers that a method is about to change."""
        self.changed: dict[int, tuple[Value, Origin]] = {}
        """Changed containers, by identity, with the origin of the change.  The host asks here what it must mend."""
        self.variables: dict[int, tuple[Value, dict[str, Origin]]] = {}
        """Instance variables that Ruby code has set, by the identity of their owner."""

    # --- noting ------------------------------------------------------------------------------------------------------

    def note(self, origin: Origin) -> None:
        """An input was read."""
        self.reads.append(origin)

    def since(self, mark: int, *more: Origin) -> Origin | None:
        """The origin of what was computed since `mark`: nothing if nothing was read."""
        reads = self.reads
        count = len(reads) - mark
        if count == 0 and len(more) < 2:
            return more[0] if more else None
        if count == 1 and not more:
            return reads[mark]
        if count > 64:
            self._spend(count)
        return fold([*reads[mark:], *more])

    def _spend(self, count: int) -> None:
        if self.budget is not None:
            self.budget.draw("steps", count // 16, "following what was read")

    def effect(self, origin: Origin) -> Origin:
        """The origin of something that happens here: under every condition in force."""
        if self.guard is not None:
            origin = Guarded(origin, self.guard)
        return Choice(tuple(self.hanging), origin, None, REACHED) if self.hanging else origin

    def hang(self, origin: Origin) -> None:
        """Everything from here on is only reached because of `origin`."""
        if not any(known is origin for known in self.hanging):
            self.hanging.append(origin)
            if len(self.hanging) > MANY:
                self.hanging = [Step(RUBY, tuple(self.hanging))]

    # --- what is stored ----------------------------------------------------------------------------------------------

    def parameters(self) -> dict[int | None, Origin] | None:
        """The origins of a method's parameters: what was read in the region that calls it."""
        origin = self.since(self.region)
        return None if origin is None else {None: origin}

    def remember(self, frame: Frame, slot: int, origin: Origin | None) -> None:
        """A local variable has a value of this origin."""
        cell = frame[-1]
        if cell is None:
            cell = frame[-1] = {}
        cell[slot] = origin

    def touch(self, frame: Frame, slot: int, test: Origin) -> None:
        """A local variable could have got another value, had `test` come out otherwise."""
        cell = frame[-1]
        if cell is None:
            cell = frame[-1] = {}
        known = cell.get(slot, cell.get(None))
        cell[slot] = test if known is None else fold([known, test])

    def read_variable(self, owner: Value, name: str) -> None:
        """`@name` of an object is read."""
        own = self.variables.get(id(owner))
        if own is not None and name in own[1]:
            self.reads.append(own[1][name])
            return
        origin_of = getattr(owner, "ruby_origin", None)
        if origin_of is not None:
            origin = origin_of(name)
            if origin is not None:
                self.reads.append(origin)

    def set_variable(self, owner: Value, name: str, origin: Origin) -> None:
        """`@name` of an object is set."""
        self.variables.setdefault(id(owner), (owner, {}))[1][name] = origin

    def change(self, origin: Origin | None) -> None:
        """The containers touched since the last call have been changed by something of this origin."""
        touched, self.touched = self.touched, []
        for value in touched:
            cause = self.effect(origin if origin is not None else Step(RUBY, ()))
            known = self.changed.get(id(value))
            self.changed[id(value)] = (value, cause if known is None else fold([known[1], cause]) or cause)

    def note_changes(self, value: Value) -> None:
        """Note the changes of every changed container in `value`."""
        seen: set[int] = set()
        stack = [value]
        while stack:
            here = stack.pop()
            kind = type(here)
            if kind is list or isinstance(here, dict) or kind is Text or kind is Set:
                if id(here) in seen:
                    continue
                seen.add(id(here))
                known = self.changed.get(id(here))
                if known is not None:
                    self.reads.append(known[1])
                if (kind is list or isinstance(here, dict)) and len(here) > 64:
                    self._spend(len(here))
                if kind is list:
                    stack.extend(item for item in here if not isinstance(item, (str, int, float)))
                elif isinstance(here, dict):
                    stack.extend(item for item in here.values() if not isinstance(item, (str, int, float)))

    def written(self, text: str) -> None:
        """A template has appended to its text by its own hand."""
        self.fragments.append((text, self.effect(self.since(self.region) or Step(RUBY, ()))))

    # --- for the host ------------------------------------------------------------------------------------------------

    def traced(self, work: Callable[[], Value], *arguments: Origin) -> tuple[Value, Origin]:
        """Run something in a region of its own: its value, and the origin of all that it read."""
        mark = len(self.reads)
        region, self.region = self.region, mark
        hanging, self.hanging = self.hanging, []
        try:
            self.reads.extend(arguments)
            value = work()
            if self.changed:
                self.note_changes(value)
            origin = self.since(mark) or Step(RUBY, ())
            return value, self.effect(origin)
        finally:
            self.region = region
            self.hanging = hanging


def fold(origins: list[Origin]) -> Origin | None:
    """One origin for several: the only one, or a step of them all, each once."""
    if len(origins) == 2 and origins[0] is not origins[1]:
        return Step(RUBY, tuple(origins))
    distinct = list({id(origin): origin for origin in origins}.values())
    if not distinct:
        return None
    return distinct[0] if len(distinct) == 1 else Step(RUBY, tuple(distinct))


def code(span: Span) -> Leaf:
    """A piece of code as an input: a change of it changes the outcome."""
    return Leaf("literal", "", span, span.text)


class Rendered:
    """A template's text: `fragments` are (start, end, origin), in order; those of no length are absences.

    `own` is what the text depends on as a whole: everything that was read, for whatever is read may end in an error.
    """

    __slots__ = ("fragments", "own", "text")

    def __init__(self, text: Any, pieces: list[tuple[str, Origin]], own: Origin | None) -> None:
        self.text = text
        self.own = own
        self.fragments: list[tuple[int, int, Origin]] = []
        at = 0
        for piece, origin in pieces:
            self.fragments.append((at, at + len(piece), origin))
            at += len(piece)

    @property
    def origin(self) -> Origin:
        """The origin of the whole text."""
        distinct = list({id(origin): origin for _, _, origin in self.fragments}.values())
        return Step(TEMPLATE, (*distinct, self.own) if self.own is not None else tuple(distinct))

    def at_line(self, line: int) -> list[tuple[int, int, Origin]]:
        """The fragments that have a part in a line of the text (from 1)."""
        lines = self.text.split("\n")
        if not 1 <= line <= len(lines):
            return []
        start = sum(len(text) + 1 for text in lines[: line - 1])
        end = start + len(lines[line - 1])
        return [
            piece
            for piece in self.fragments
            if (piece[0] < end and piece[1] > start) or (piece[0] == piece[1] and start <= piece[0] <= end)
        ]


__all__ = ["Absent", "Rendered", "Tracker", "code", "fold"]
