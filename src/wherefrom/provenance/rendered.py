"""A text that was put together from parts, each with an origin of its own; and the origins of its lines.

The text of a template has parts: stretches of the template, and what its expressions gave. `Rendered` remembers how
long each of them is, so that `line_origin` can say where a line came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .composites import unwrapped, wrapped
from .operations import ARRAY, RENDER
from .origins import Items, Leaf, Origin, Step

if TYPE_CHECKING:
    from ..base.source import Span

_ARRAY = Step(ARRAY, ())


class Rendered(Step):
    """The text of a template: the origins of its parts in order, and how many characters each has.

    `decided` is what was read and decides that there is no more text.
    """

    __slots__ = ("lengths",)

    def __init__(
        self, parts: Sequence[Origin], lengths: Sequence[int], decided: Origin | None, span: Span | None
    ) -> None:
        own = _ARRAY if decided is None else Step(ARRAY, (decided,))
        super().__init__(RENDER, (Items(parts, own),), span)
        self.lengths = lengths

    @property
    def size(self) -> int:
        """How many characters the text has."""
        return sum(self.lengths)

    def between(self, start: int, end: int) -> list[tuple[Origin, int]]:
        """The origins of the parts in `[start, end)`, each with how far into it that begins.

        A part without characters is one, too: what gave nothing might have given something. It belongs to what stands
        behind it, or to the last characters of the text.
        """
        items = self.inputs[0]
        assert isinstance(items, Items)
        last = end == self.size
        parts: list[tuple[Origin, int]] = []
        at = 0
        for origin, length in zip(items.elements, self.lengths, strict=True):
            if at > end or (at == end and not last):
                break
            if at + length > start or at == start:
                parts.append((origin, max(0, start - at)))  # type: ignore[arg-type]
            at += length
        return parts


def rendered_parts(origin: Origin, start: int, end: int) -> list[tuple[Origin, int]]:
    """The parts of a text that have its characters `[start, end)`, each with how far into it that begins."""
    here = unwrapped(origin)[1]
    return here.between(start, end) if isinstance(here, Rendered) else []


def line_origin(origin: Origin, start: int, end: int) -> Origin:
    """The origin of the characters `[start, end)` of a text: of the parts that have them, where parts are known.

    Of a text that is the content of a file, it is the same characters of the file.
    """
    wrappers, here = unwrapped(origin)
    if isinstance(here, Leaf) and here.kind == "file" and here.span is not None and here.span.text == here.value:
        first = here.span.start
        part = here.span.file.span(first + start, first + end)
        return wrapped(wrappers, Leaf("file", here.name, part, part.text))
    if not isinstance(here, Rendered):
        return origin
    parts = [part for part, _ in here.between(start, end)]
    inner = parts[0] if len(parts) == 1 else Step(RENDER, (Items(parts, _ARRAY),), here.span)
    return wrapped(wrappers, inner)
