"""Where a line of a text came from: the pieces that are in the line, each with how it came about.

`options.texts` takes texts apart; here the pieces become an explanation. A piece that is a literal is told with its own
place. Of one that was computed the formula is told, unless its history is long, as that of a value which a module
system merged is: then the options it rests on.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ...base.diagnostics import PathNotFound
from ...language import line_of
from ...provenance.origins import Leaf, Origin, Step
from ..options.explain import Folded
from ..options.notes import walk
from ..options.texts import Piece, Pieces, file_leaf, stretch, text_behind
from ..trace.operations import COMPUTED, INTERPOLATE

if TYPE_CHECKING:
    from ...base.source import Span
    from ..kernel.values import Slot
    from .language import NixOutcome

MOST_STEPS = 2_000
"""Steps of the history of a piece that is told in full."""


def explain_line(outcome: NixOutcome, path: str, number: int, slot: Slot) -> Folded | None:
    """Where a line came from; nothing in a program without a module system, whose texts have short histories.

    Its inputs are those of the whole text.
    """
    machine = outcome.traced[0]
    behind = text_behind(slot, machine)
    if behind is None:
        raise PathNotFound(path, "the value is not a string, nor a file whose text is known, so it has no lines")
    if not machine.merges:
        return None
    start, line = line_of(path, behind.text, number)
    end = start + len(line)
    origins: list[Origin]
    span: Span | None = None
    if behind.file is not None:
        origins = [file_leaf(behind, start, end)]
    else:
        taken = Pieces(machine)
        pieces = list(taken.between(behind.slot, behind.start + start, behind.start + end))
        if len(pieces) > 1 and line.endswith("\n") and pieces[-1].end - pieces[-1].start == 1:
            pieces.pop()  # the end of the line
        origins, span = [_origin(outcome, piece) for piece in pieces], taken.joined
    origin = origins[0] if len(origins) == 1 else Step(INTERPOLATE, tuple(origins), span)
    return Folded(f"{path}, line {number}", line, lambda: origin, outcome.inputs_of(path), outcome.merges)


def _origin(outcome: NixOutcome, piece: Piece) -> Origin:
    note, start, end = piece
    if note[1].leaf is not None:
        return stretch(note[1].leaf, start, end)
    if len(list(islice(walk(note), MOST_STEPS))) < MOST_STEPS:
        return outcome.spine.whole(note)
    rests_on = [Leaf("literal", "", basis.place, basis.value) for basis in outcome.merges.rests_on(note)]
    return Step(COMPUTED, tuple(rests_on), note[1].span)
