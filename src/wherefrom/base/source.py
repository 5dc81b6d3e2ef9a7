"""Source texts and places in them.

A `SourceFile` owns the text of one file; a `Span` is a half-open range of character offsets in it. Nothing else in the
program knows what a line is: line and column numbers are worked out from an offset only when somebody asks (an error
message, an explanation, JSON), by bisection in a table of line starts that is built on first use.

Offsets count characters (code points) of the decoded text. A byte order mark is dropped before counting. Carriage
returns stay in the text, so offsets remain true, and are left out of the line shown to a person.
"""

from __future__ import annotations

from bisect import bisect_right
from zlib import crc32

from .diagnostics import NotText


class SourceFile:
    """The text of one file, under the name by which the user knows it.

    A text that stands inside of another (a template in a string) may share its name with others; `place` says where it
    stands, and `identity` is a name that no other text has.
    """

    __slots__ = ("_line_starts", "identity", "name", "text")

    def __init__(self, name: str, text: str, place: str = "") -> None:
        self.name = name
        self.text = text
        self.identity = f"{name} at {place}, {crc32(text.encode('utf-8', 'replace')):x}" if place else name
        self._line_starts: list[int] | None = None

    @classmethod
    def from_bytes(cls, name: str, data: bytes) -> SourceFile:
        """Decode UTF-8, with or without a byte order mark.  Raises `NotText` for anything else."""
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as problem:
            before = data[: problem.start]
            line = before.count(b"\n") + 1
            raise NotText(name, line, problem.start, data[problem.start]) from None
        return cls(name, text.removeprefix("\ufeff"))

    def __repr__(self) -> str:
        return f"SourceFile({self.name!r})"

    def __reduce__(self) -> tuple[type[SourceFile], tuple[str, str]]:
        return SourceFile, (self.name, self.text)

    @property
    def line_starts(self) -> list[int]:
        """Offset of the first character of every line."""
        if self._line_starts is None:
            starts = [0]
            find = self.text.find
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
            self._line_starts = starts
        return self._line_starts

    def line_of(self, offset: int) -> int:
        """Number, from 1, of the line that holds `offset`."""
        return bisect_right(self.line_starts, offset)

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Line and column of `offset`, both from 1, the column in characters."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """The text of line `line` (from 1), without its line end; empty if there is no such line."""
        starts = self.line_starts
        if not 1 <= line <= len(starts):
            return ""
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].removesuffix("\r")

    def span(self, start: int, end: int | None = None) -> Span:
        """Characters [start, end) of this file; without `end`, the empty place at `start`."""
        return Span(self, start, start if end is None else end)

    def whole(self) -> Span:
        """The whole text."""
        return Span(self, 0, len(self.text))


class Span:
    """Characters [start, end) of `file`.  Immutable by convention; equal when file name and offsets are."""

    __slots__ = ("end", "file", "start")

    def __init__(self, file: SourceFile, start: int, end: int) -> None:
        self.file = file
        self.start = start
        self.end = end

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Span):
            return NotImplemented
        return self.start == other.start and self.end == other.end and self.file.name == other.file.name

    def __hash__(self) -> int:
        return hash((self.file.name, self.start, self.end))

    def __repr__(self) -> str:
        return f"Span({self.file.name}:{self.line}:{self.column}, {self.text[:40]!r})"

    def __reduce__(self) -> tuple[type[Span], tuple[SourceFile, int, int]]:
        return Span, (self.file, self.start, self.end)

    @property
    def line(self) -> int:
        """Line of the first character, from 1."""
        return self.file.line_of(self.start)

    @property
    def column(self) -> int:
        """Column of the first character, from 1, in characters."""
        return self.file.line_and_column(self.start)[1]

    @property
    def text(self) -> str:
        """The characters themselves."""
        return self.file.text[self.start : self.end]

    @property
    def place(self) -> str:
        """`file:line:column`, as editors understand it."""
        line, column = self.file.line_and_column(self.start)
        return f"{self.file.name}:{line}:{column}"

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of `other`."""
        return Span(self.file, self.start, other.end)


def lines_of(text: str, keep_ends: bool = False) -> list[str]:
    r"""The lines of a text, as editors count them: only `\n` ends one, with a `\r` before it or without.

    This is the one place where texts are cut into lines. Python's own method also cuts at form feeds, vertical tabs and
    some characters beyond ASCII, and so counts other lines than those that are told.

    >>> lines_of("a\r\nb\x0cc\n")
    ['a', 'b\x0cc']
    """
    lines = text.split("\n")
    last = lines.pop()
    if keep_ends:
        return [f"{line}\n" for line in lines] + ([last] if last else [])
    return [line.removesuffix("\r") for line in lines] + ([last.removesuffix("\r")] if last else [])


def pieces_of(text: str) -> list[str]:
    """A text cut wherever anybody could take it for the end of a line: for what is to stand on one, or to be hidden."""
    return text.splitlines()
