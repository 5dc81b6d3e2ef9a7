"""What the expressions of a Nix file gave: read off the cells of a recorded run.

Nothing is probed while the program runs. The cells that lead to what was evaluated have the places of the expressions
that made them (`trace.cells`), so walking them afterwards gives, for each place, the values that it had. What was not
evaluated has none, and neither has a variable where it is read: it is its binding's cell that travels.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...base.budget import current
from ...provenance.observed import Observed, Seen, distinct
from ..kernel.errors import NixError
from ..kernel.values import Attrs, Slot, Thunk, force
from ..trace.cells import FORGOTTEN, Cell
from ..trace.history import is_derivation, plain

if TYPE_CHECKING:
    from ...base.source import Span
    from ..trace.history import History

MOST_FORCED = 20_000
"""Values of the result that are evaluated for the sake of who looks at the source."""
MOST_CELLS = 400_000
"""Cells that are walked."""
MOST_VALUES = 8
"""Values of one place that are kept."""
MOST_SHOWN = 1_000
"""Parts of one value that are shown; of larger ones, only how large they are."""
_GIVING = frozenset("leaf transfer step select element default set with update concat has call builtin".split())
"""The kinds of cells whose place is that of an expression (or of a name that is bound) with this value."""


def evaluated(root: Slot) -> None:
    """Evaluate the result, as far as that works and does not lead too far."""
    waiting, seen, count = [root], set[int](), 0
    while waiting and count < MOST_FORCED:
        slot = waiting.pop()
        with suppress(NixError):
            value = force(slot)
            count += 1
            if id(value) in seen or type(value) not in (list, Attrs) or is_derivation(value):
                continue
            seen.add(id(value))
            waiting.extend(reversed(_inside(value)))


def observed_in(file: str, root: Slot, history: History) -> list[Observed]:
    """The places of a file whose expressions were evaluated, with what they gave."""
    notes: dict[tuple[int, int], tuple[Span, int, list[Seen]]] = {}
    for note in _cells(root):
        span = note[1].span
        if span is None or span.file.name != file or not _is_of_expression(note):
            continue
        known = notes.get((span.start, span.end))
        count, values = (0, []) if known is None else known[1:]
        if len(values) < MOST_VALUES:
            values.append(Seen(_shown(note), history.own(note), ""))
        notes[span.start, span.end] = span, count + 1, values
    return [Observed(span, count, distinct(values)) for span, count, values in notes.values()]


def _shown(note: Cell) -> Any:
    """A value as plain data, if it is not too large for that."""
    value = note[0]
    waiting, count = [value], 0
    while waiting and count <= MOST_SHOWN:
        here = waiting.pop()
        count += 1
        if type(here) is Thunk:
            here = here.value if here.code is None else None
        elif type(here) is tuple:
            here = here[0]
        if type(here) in (list, Attrs) and not is_derivation(here):
            waiting += _inside(here)
    if count <= MOST_SHOWN:
        return plain(note)
    return f"«list of {len(value)}»" if type(value) is list else f"«set of {len(value.table)} attributes»"


def _is_of_expression(note: Cell) -> bool:
    """Whether the place of a cell is that of an expression, or of a name, with this value.

    `a.b.c = 1` makes three attributes and two sets, all at the place of the whole path: the last one has the value.
    """
    how = note[1]
    if how.span is None or note[0] is FORGOTTEN or how.kind not in _GIVING:
        return False
    text: str = how.span.text
    if how.kind == "set":
        return text.startswith(("{", "[", "rec")) and text.endswith(("}", "]"))
    return how.kind != "transfer" or "." not in text or text.endswith(f".{how.words}")


def _cells(root: Slot) -> Iterator[Cell]:
    """All cells that what was evaluated is made of, each once."""
    waiting: list[object] = [root]
    seen: set[int] = set()
    count = 0
    while waiting and count < MOST_CELLS:
        here = waiting.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        count += 1
        if count % 1024 == 0:
            current().draw("steps", 1024, "looking for what expressions gave")
        if type(here) is Thunk:
            if here.code is None:
                waiting += [here.origin, here.value]
        elif type(here) in (list, Attrs):
            waiting += _inside(here)
        elif type(here) is tuple:
            if len(here) > 1 and type(here[1]).__name__ == "How":
                yield here
                waiting += [here[0], *here[2:]]
            else:
                waiting += here


def _inside(value: Any) -> list[object]:
    return list(value) if type(value) is list else list(value.table.values())
