"""What the expressions of a source gave while they ran: from a place to values.

An outcome says where a value came from; whoever reads the source asks the other way round: what is `$port` here? A run
that is *observed* tells each value as it is made, under the place of its expression. An expression runs as often as its
body does (a define is declared many times, a lambda is called many times), so what is kept of it is how often it ran
and its first `MOST_VALUES` values, each with its origin and with whose code it was.

    for expression in outcome.observed("modules/ntp/manifests/init.pp"):
        expression.count                              # how often it ran
        [seen.value for seen in expression.seen]      # distinct values, as they may be shown

What is not there did not run. Languages that do not observe their runs, and files that hold no expressions (data,
templates in Ruby), answer with what can be read from the outputs: the places that these are copies of.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from operator import is_ as _is
from typing import Any

from ..base.record import Record
from ..base.secrets import Secret
from ..base.source import Span
from .composites import unwrapped
from .extract import where
from .origins import Choice, Guarded, Origin
from .rendered import Rendered

MOST_VALUES = 64
"""Values of one expression that are kept; beyond, they are counted."""

Place = tuple[str, int, int]
"""Name of the file, first offset, offset past the last."""


class Seen(Record):
    """A value that an expression gave: as it may be shown, with its origin; `owner` is whose code it was first."""

    value: Any
    origin: Origin
    owner: str
    count: int = 1


class Observed(Record):
    """An expression that ran: where it stands, how often it ran, and its distinct values as far as they were kept."""

    span: Span
    count: int
    seen: tuple[Seen, ...] = ()


class Note:
    """What is noted of one expression while a run goes on."""

    __slots__ = ("count", "values")

    def __init__(self) -> None:
        self.count = 0
        self.values: list[tuple[Any, Origin, Any]] = []


class Observations:
    """The notes of one run, by place."""

    def __init__(self) -> None:
        self.notes: dict[Place, Note] = {}

    def note(self, place: Place, traced: tuple[object, Origin] | None, owner: object) -> None:
        """An expression ran and gave a value (or one that nobody wanted), in code of `owner`."""
        note = self.notes.get(place)
        if note is None:
            note = self.notes[place] = Note()
        note.count += 1
        if traced is not None and len(note.values) < MOST_VALUES:
            note.values.append((*traced, owner))

    def changed(self, before: Mapping[int, tuple[object, object]]) -> None:
        """Some composites, by identity, are not what they were: what was noted of them is to stay (`before`)."""
        for note in self.notes.values():
            note.values = [(_as_it_was(value, before), origin, owner) for value, origin, owner in note.values]

    def of_file(self, file: str) -> Iterator[tuple[int, int, Note]]:
        """The notes of one file, by first and last offset."""
        for (name, start, end), note in self.notes.items():
            if name == file:
                yield start, end, note


def _as_it_was(value: object, before: Mapping[int, tuple[object, object]]) -> object:
    """A value with what was in it before; itself, if nothing in it has changed."""
    known = before.get(id(value), (value, value))[1]
    if type(known) is list:
        parts = [_as_it_was(part, before) for part in known]
        return value if known is value and all(map(_is, parts, known)) else parts
    if type(known) is dict:
        entries = {key: _as_it_was(part, before) for key, part in known.items()}
        return value if known is value and all(map(_is, entries.values(), known.values())) else entries
    return value


def distinct(values: Iterable[Seen]) -> tuple[Seen, ...]:
    """Equal values as one, counted."""
    kept: dict[Hashable, Seen] = {}
    for seen in values:
        key = repr(seen.value)
        known = kept.get(key)
        kept[key] = seen if known is None else Seen(known.value, known.origin, known.owner, known.count + 1)
    return tuple(kept.values())


def reaching(expressions: Iterable[Observed], offset: int) -> list[Observed]:
    """Those with values that reach an offset, the smallest first."""
    here = [item for item in expressions if item.seen and item.span.start <= offset <= item.span.end]
    return sorted(here, key=lambda item: (item.span.end - item.span.start, -item.span.start))


Ran = tuple[int, int, str]
"""An expression that ran: first offset, offset past the last, and its only value, or nothing."""


def decided(ran: Iterable[Ran], start: int, end: int) -> Ran | None:
    """What decided that a stretch did not run: the first thing that did in the smallest expression around it.

    That is the test of an `if`, what a `case` looks at, what a lambda would have been called for.
    """
    known = sorted(set(ran))
    around = [item for item in known if item[0] <= start and end <= item[1] and item[:2] != (start, end)]
    if not around:
        return None
    inner = min(around, key=lambda item: item[1] - item[0])
    before = [item for item in known if inner[0] <= item[0] and item[1] <= start and item[:2] != inner[:2]]
    return min(before, key=lambda item: (item[0], -item[1]), default=None)


def copies_in(file: str, outputs: Iterable[tuple[str, object, Origin]]) -> list[Observed]:
    """The places of a file that outputs (path, value, origin) are copies of, each with the paths as owners.

    Of a text that a template gave, the places of its parts: what each tag gave.
    """
    places: dict[tuple[int, int], tuple[Span, list[Seen]]] = {}
    for path, value, origin in outputs:
        leaf = where(origin)
        rows = [(leaf.span if leaf is not None else None, value, origin)]
        if isinstance(value, str) and not isinstance(value, Secret):
            rows += _parts_of(value, origin)
        for span, part, its in rows:
            if span is not None and span.file.name == file:
                places.setdefault((span.start, span.end), (span, []))[1].append(Seen(part, its, path))
    return [Observed(span, len(values), distinct(values)) for span, values in places.values()]


def _parts_of(text: str, origin: Origin) -> list[tuple[Span | None, object, Origin]]:
    """The parts of a text that a template gave: where each is written, what it gave, its origin."""
    here = unwrapped(origin)[1]
    if not isinstance(here, Rendered) or here.size != len(text):
        return []
    rows: list[tuple[Span | None, object, Origin]] = []
    at = 0
    for part, _ in here.between(0, here.size):
        end = at + here.lengths[len(rows)]
        rows.append((_written(part), text[at:end], part))
        at = end
    return rows


def _written(origin: Origin) -> Span | None:
    """Where a part of a text is written."""
    while isinstance(origin, Choice | Guarded):
        origin = origin.chosen if isinstance(origin, Choice) else origin.inner
    return getattr(origin, "span", None)
