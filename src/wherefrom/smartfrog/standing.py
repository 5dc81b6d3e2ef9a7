"""Which statements say what stands at a path.

Names are no inputs of values, but the order of a component depends on them: another name gives another component its
place at the path, or has a reference lead to another one. So the order of a component is told with every statement by
whose name it came to stand where it does: the one that put it, and through prototypes, links and placements those that
put what they led through (`Slot.causes`).
"""

from __future__ import annotations

from ..provenance.origins import Step
from .labels import POSITION
from .store import Slot, span_of


class Standing:
    """The statements behind the slots of one store, each slot told once."""

    def __init__(self) -> None:
        self._told: dict[Slot, Step] = {}

    def of(self, slot: Slot) -> Step:
        """The statement that put a slot, and those behind what it came of; called on a deep stack."""
        step = self._told.get(slot)
        if step is None:
            step = self._told[slot] = Step(POSITION, (), span_of(slot))  # a lookup may lead through what it is made for
            step.inputs = tuple(map(self.of, slot.causes))
        return step
