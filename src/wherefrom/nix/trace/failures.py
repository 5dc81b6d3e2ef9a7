"""What a caught failure depends on: `builtins.tryEval` with recording on.

A value carries its history in its cell; a failure has no cell. What led to it is known from two sides. Generated code
keeps a stack of the tests it is computing under (`Machine.looked`: the test of each `if`, `assert` and `&&`, what
`or` found missing, operands whose type was checked before the next was computed); only `tryEval` catches, so there is
something on the stack only while one runs. And the functions of `cells`, and builtins, tell an error that passes them
what they had looked at (`NixError.blame`). `tryEval` takes both together.

A failed thunk remembers nothing: forced again it fails again, and the same is said again.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..kernel.errors import NixError
from ..kernel.values import Slot, Thunk, Value, transfer_source
from .cells import Cell, How

_VERDICT = How("produced", "tryEval", None)


def verdict(value: Value, because: Iterable[Slot]) -> Cell:
    """The slot of `success`, or of `value` after a failure."""
    return (value, _VERDICT, tuple(because))


def causes(looked: Iterable[object], problem: NixError) -> list[Slot]:
    """What led to a failure caught now, given what the attempt was computing under."""
    slots: dict[int, Slot] = {}
    for cause in [*looked, *problem.because]:
        for slot in cause if type(cause) is list else (cause,):
            if _is_telling(slot):
                slots[id(slot)] = slot
    return list(slots.values())


def _is_telling(slot: object) -> bool:
    """Whether a slot has a history, and is not plainly a function that the program writes: no input decided that."""
    if type(slot) is not tuple and type(slot) is not Thunk:
        return False
    note = transfer_source(slot)
    return not (type(note) is tuple and note[1].kind == "function")
