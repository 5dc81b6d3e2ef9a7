"""What a caught failure depends on, read off the frames that it unwound: `builtins.tryEval` with recording on.

A value carries its history in its cell; a failure has no cell. But when `tryEval` catches a `throw` or a failed
`assert`, Python's traceback still holds every frame between the two, and with them everything that had been looked at
when the failure came about: the test of each `if` that was being decided, the operands already computed, the sets in
which names were found, what builtins had forced. All of those are cells and know their own past. So recording costs
nothing until something is caught, and a thunk that failed needs no memory of it: forced again it fails again, and its
frames are there again.

In generated code the variables that hold what was looked at are marked by their names (`Emitter.noted`); for the
functions of `trace`, `LOOKED` says which of their variables count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import CodeType, FrameType
from typing import Any

from ..emit.writer import GENERATED, NOTED
from ..kernel.errors import NixError
from ..kernel.values import Slot, Thunk, Value, first_hand
from . import cells as trace
from .cells import Cell, How

Variables = dict[str, Any]

LOOKED: dict[CodeType, Callable[[Variables], Iterable[Slot]]] = {
    trace.traced_call.__code__: lambda here: here.get("touched", ()),
    trace._watched.__code__: lambda here: here["touched"],
    trace.t_call.__code__: lambda here: (here["function"], here.get("functor")),
    trace.t_with.__code__: lambda here: here["sets"][: here.get("index", 0) + 1],
    trace.t_select.__code__: lambda here: (here["subject"],),
    trace.t_select_computed.__code__: lambda here: (here["subject"], here["name"]),
    trace.t_find.__code__: lambda here: here["seen"],
    trace.t_chosen.__code__: lambda here: here["found"][1],
    trace._taken_from.__code__: lambda here: (here["container"],),
    trace._default_beside.__code__: lambda here: (here["given"],),
    trace.t_arithmetic.__code__: lambda here: (here["left"], here["right"]),
    trace.t_less.__code__: lambda here: (here["left"], here["right"]),
    trace.t_equal.__code__: lambda here: (here["left"], here["right"]),
    trace.t_unequal.__code__: lambda here: (here["left"], here["right"]),
    trace.t_fit.__code__: lambda here: (here["operand"],),
    trace.t_interpolate.__code__: lambda here: here["parts"],
    trace.t_interpolate_path.__code__: lambda here: here["parts"],
}
"""What a function of `trace` had looked at when it failed, by its code."""

_VERDICT = How("produced", "tryEval", None)


def verdict(value: Value, because: Iterable[Slot]) -> Cell:
    """The slot of `success`, or of `value` after a failure."""
    return (value, _VERDICT, tuple(because))


def causes(problem: NixError) -> list[Slot]:
    """What had been looked at in the frames that a failure has passed on its way to the handler that asks."""
    found: dict[int, Slot] = {}
    failure: BaseException | None = problem
    while failure is not None:
        place = failure.__traceback__
        while place is not None:
            for slot in _looked_at(place.tb_frame):
                if (type(slot) is tuple or type(slot) is Thunk) and not _is_written_function(slot):
                    found[id(slot)] = slot
            place = place.tb_next
        failure = failure.__context__  # one that came while another was being told about (`addErrorContext`)
    return list(found.values())


def _looked_at(frame: FrameType) -> Iterator[Slot]:
    code = frame.f_code
    if code in LOOKED:
        yield from LOOKED[code](frame.f_locals)
    elif names := _marked(code):
        here = frame.f_locals
        for name in names:
            if name in here:
                yield from _slots(here[name])


@cache
def _marked(code: CodeType) -> tuple[str, ...]:
    """The variables of generated code that hold what it looked at."""
    if not code.co_filename.startswith(GENERATED):
        return ()
    names = (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
    return tuple(name for name in names if name.endswith(NOTED))


def _is_written_function(slot: Slot) -> bool:
    """Whether a slot plainly holds a function that the program writes: which one it is no input decided."""
    note = first_hand(slot)
    return type(note) is tuple and note[1].kind == "function"


def _slots(noted: Any) -> Iterable[Slot]:
    """The slots in a marked variable: a slot, or what `t_find` found on a path and the cells it looked at."""
    return noted[1] if type(noted) is tuple and type(noted[1]) is list else (noted,)
