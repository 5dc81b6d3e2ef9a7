"""How a value that an assertion met came to be: what the error shows below the assertion.

An assertion fails while links are being followed, when there is no finished store to tell the history of (`history`).
The slots that were passed are there: what links led to, what prototypes and placements brought, what functions were
computed of. The words are those of an explanation.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...base.diagnostics import Label
from ...base.source import Span
from ..labels import DEFAULT, FromPrototype, LinkedFrom, PlacedBy
from ..store import Inherited, Slot, Written, span_of
from .nodes import Computed, Defaulted, Placed, Reached, Route
from .waiting import shortened

MOST = 8
"""How many steps an error shows."""


def chain(slot: Slot, at: Span | None) -> list[Label]:
    """The steps by which a value came, the last first; without those at the place that the error shows anyway."""
    labels: dict[tuple[str, int, int], Label] = {}
    for label in _steps(slot):
        span = label.span
        if span is not None and (at is None or (span.file, span.start, span.end) != (at.file, at.start, at.end)):
            labels.setdefault((span.file.name, span.start, span.end), label)
        if len(labels) == MOST:
            break
    return list(labels.values())


def _steps(slot: Slot) -> Iterator[Label]:
    here: Slot | None = slot
    while here is not None:
        match here:
            case Inherited() | Placed():
                yield from _brought(here)
                while isinstance(here, Inherited | Placed):
                    here = here.source
            case Reached(source=source, route=route):
                yield from _brought(source)
                yield Label(route.reference.span, f"`{route.reference.written}` is {_found(route)}")
                here = route.target
            case Computed(source=source, application=application):
                yield from _brought(source)
                yield Label(span_of(source), f"computed here: {shortened(here.value)}")
                for argument in application.arguments.entries.values():
                    if not isinstance(argument, Written):
                        yield from _steps(argument)
                return
            case Defaulted(source=source):
                yield Label(span_of(source), DEFAULT.words)
                return
            case Written():
                yield Label(span_of(here), "given here")
                return
            case _:
                return


def _brought(slot: Slot) -> Iterator[Label]:
    """The prototypes and placements that brought something to its place, the last first."""
    while isinstance(slot, Inherited | Placed):
        if isinstance(slot, Placed):
            yield Label(span_of(slot), PlacedBy(":".join(slot.key)).words)
        else:
            yield Label(slot.search.reference.span, FromPrototype(slot.search.path).words)
        slot = slot.source


def _found(route: Route) -> str:
    value = shortened(route.value)
    return f"{value}, {LinkedFrom(route.path).words}" if route.target is not None else value
