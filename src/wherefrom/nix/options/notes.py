"""Walking the cells of a recorded run without turning them into origins.

`history` converts cells to the origins that all languages share, which is worth its price when formulas and
dependencies are asked for.  To find who defined an option it is enough to follow a value backwards through the
transfers that passed it on, and that is done here, on the cells themselves (`trace` says what each kind of note holds).
Nothing here evaluates anything: what the program did not compute stays uncomputed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ..emit.program import is_written, place_of
from ..kernel.values import Attrs, Slot, Thunk, Value
from ..trace.cells import Cell, How, cell

if TYPE_CHECKING:
    from ...base.source import Span

_PASSING = frozenset({"transfer", "choice", "with", "select", "default", "call"})

MAX_WALK = 200_000
"""No walk goes past so many notes: an answer that counts more says so."""


def note_of(slot: Slot) -> Cell | None:
    """The note of a slot, if it has been computed."""
    if type(slot) is tuple:
        return slot
    if type(slot) is Thunk and slot.code is None:
        return cell(slot)
    return None


def computed(slot: Slot) -> Value:
    """The value of a slot, or `UNKNOWN` if it has not been computed."""
    if type(slot) is tuple:
        return slot[0]
    if type(slot) is Thunk:
        return slot.value if slot.code is None else UNKNOWN
    return slot


UNKNOWN: Any = type("Unknown", (), {"__repr__": lambda self: "UNKNOWN", "__slots__": ()})()
"""Stands for a value that the program did not compute."""


def passed_on(note: Cell) -> Slot | None:
    """The slot whose value this note only passes on; nothing if the value was made here."""
    kind = note[1].kind
    if kind in _PASSING:
        return note[2]
    if kind == "builtin" and len(note) == 5:
        return note[4]
    return None


def chain(slot: Slot) -> Iterator[Cell]:
    """The notes through which a value came, the last first."""
    note = note_of(slot)
    seen: set[int] = set()
    while note is not None and id(note) not in seen:
        seen.add(id(note))
        yield note
        source = passed_on(note)
        note = None if source is None else note_of(source)


def inputs(note: Cell) -> Iterator[Slot]:
    """Every slot that a note rests on directly."""
    kind = note[1].kind
    if kind == "call":
        yield note[2]
        yield from note[4:]  # what was called is a function: only its result counts
        return
    for part in note[2:]:
        if type(part) is list or (type(part) is tuple and not _is_cell(part)):
            yield from part
        else:
            yield part


def decisive(note: Cell) -> Iterator[Slot]:
    """The slots that a value was computed from, without the sets it was picked out of."""
    kind = note[1].kind
    if kind in ("select", "default", "with"):
        yield note[2]
    elif kind != "element":
        yield from inputs(note)


def _is_cell(part: tuple[object, ...]) -> bool:
    return len(part) > 1 and type(part[1]) is How


def walk(
    slot: Slot, stop: Callable[[Cell], bool] = lambda note: False, step: Callable[[Cell], Iterator[Slot]] = inputs
) -> Iterator[Cell]:
    """Every note that a value rests on, each once; what lies behind a note for which `stop` holds is left out."""
    seen: set[int] = set()
    waiting: list[Slot] = [slot]
    while waiting and len(seen) < MAX_WALK:
        note = note_of(waiting.pop())
        if note is None or id(note) in seen:
            continue
        seen.add(id(note))
        yield note
        if not stop(note):
            waiting.extend(step(note))


def source_span(slot: Slot) -> Span | None:
    """Where the expression of a slot stands in the program, computed or not."""
    while type(slot) is Thunk and slot.code is not None:
        inner = passed_by(slot)
        if inner is None:
            return place_of(slot.code) or _span(slot.origin)
        slot = inner
    for note in chain(slot):
        span: Span | None = note[1].span
        if note[1].kind == "call" or (note[1].kind not in ("transfer", "select", "default") and span is not None):
            return span
    return None


def passed_by(thunk: Thunk) -> Slot | None:
    """The slot that a thunk of `trace` passes on, or that a call which waits is given."""
    code = thunk.code
    if isinstance(code, partial):
        return code.args[0]
    return thunk.value if code is cell or is_written(code) else None


def _span(how: object) -> Span | None:
    return how.span if type(how) is How else None


def attribute(value: Value, name: str) -> Slot | None:
    """The slot of an attribute, if `value` is a set that has it."""
    return value.table.get(name) if type(value) is Attrs else None
