"""Offsets in a text, and positions as the protocol has them: line and character from 0, in units that were agreed on.

Our offsets count code points. An editor counts `utf-16` units unless it says that it can do otherwise (`utf-32` are
code points, `utf-8` bytes). In a line of ASCII all three are the same, so nothing is counted there.
"""

from __future__ import annotations

from ..base.source import SourceFile, Span

_WIDTHS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2)}

Range = dict[str, dict[str, int]]
"""A range as the protocol writes it."""


def units(text: str, encoding: str) -> int:
    """How many units a text takes."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    codec, width = _WIDTHS[encoding]
    return len(text.encode(codec, "surrogatepass")) // width


def position_of(source: SourceFile, offset: int, encoding: str) -> dict[str, int]:
    """The position of an offset."""
    line, column = source.line_and_column(min(offset, len(source.text)))
    start = source.line_starts[line - 1]
    return {"line": line - 1, "character": units(source.text[start : start + column - 1], encoding)}


def range_of(span: Span, encoding: str) -> Range:
    """The range of a span."""
    return {
        "start": position_of(span.file, span.start, encoding),
        "end": position_of(span.file, span.end, encoding),
    }


def offset_of(source: SourceFile, position: tuple[int, int], encoding: str) -> int:
    """The offset of a position; past the end of a line, that end; past the last line, the end of the text."""
    line, character = position
    if line >= len(source.line_starts):
        return len(source.text)
    start = source.line_starts[line]
    text = source.line_text(line + 1)
    if encoding == "utf-32" or text.isascii():
        return start + min(character, len(text))
    taken = 0
    for number, letter in enumerate(text):
        if taken >= character:
            return start + number
        taken += units(letter, encoding)
    return start + len(text)


def whole_range(source: SourceFile, encoding: str) -> Range:
    """The whole text."""
    return range_of(source.whole(), encoding)
