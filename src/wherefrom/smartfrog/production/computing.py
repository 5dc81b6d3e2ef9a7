"""How operators and functions of level production are computed again from the values of their inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...provenance.operations import Computations, NotComputed
from ..labels import Calling, Operator, ReadValue
from .functions import FUNCTIONS, Wrong
from .output import plain
from .parser import CHAINS, PAIRS
from .resolve import read_value

COMPUTATIONS: Computations[None] = Computations()
_BY_SYMBOL = {**CHAINS, **PAIRS, "!": "Not"}


@COMPUTATIONS.of(Operator)
def operator(op: Operator, inputs: Sequence[object], world: None) -> object:
    """`a + b`, `! a`."""
    name = _BY_SYMBOL[op.symbol]
    keys = ("left", "right") if op.symbol in PAIRS else ("data",) if name == "Not" else None
    named = dict(zip(keys or map(str, range(len(inputs))), inputs, strict=True))
    return _computed(name, named, op)


@COMPUTATIONS.of(Calling)
def calling(op: Calling, inputs: Sequence[object], world: None) -> object:
    """`extends sum { .. }`."""
    return _computed(op.name, dict(zip(op.keys, inputs, strict=True)), op)


@COMPUTATIONS.of(ReadValue)
def read(op: ReadValue, inputs: Sequence[Any], world: None) -> object:
    """The text of a property as a value."""
    return plain(read_value(inputs[0]))


def _computed(name: str, arguments: dict[str, object], op: Operator | Calling) -> object:
    if any(isinstance(value, dict) for value in arguments.values()):
        raise NotComputed(f"'{op.shown}'", "a component is among its inputs")
    try:
        return FUNCTIONS[name](arguments)
    except Wrong as wrong:
        raise NotComputed(f"'{op.shown}'", wrong.reason) from None
