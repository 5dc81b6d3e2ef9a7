"""What is known of one open file: what is wrong with it, and what its expressions gave when it was last compiled.

A compilation is of an earlier text than the one on the screen, if somebody types. Places are carried over: what stands
before the first change or behind the last has moved and nothing else (`Carried`), and of what was changed nothing is
said until the next compilation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..base.record import Record
from ..base.source import SourceFile
from .texts import Carried, Text


class Value(Record):
    """A value as it is shown, how often it was given, and in whose code first."""

    text: str
    count: int
    owner: str


class Expression(Record):
    """An expression that ran: its place in the text of now and in the one that was compiled, and what it gave."""

    start: int
    end: int
    compiled: tuple[int, int]
    count: int
    distinct: int
    values: tuple[Value, ...]


class View:
    """An open file, and what is known of it."""

    def __init__(self, text: Text, place: str | None) -> None:
        self.text = text
        self.place = place
        self.syntax: list[Any] = []
        """What is wrong with the text that was read last, in the form of the protocol."""
        self.read: SourceFile | None = None
        """The text that was read last."""
        self.compiled: SourceFile | None = None
        """The text that was compiled last."""
        self.is_read = False
        """Whether the compilation read the file."""
        self._observed: Sequence[Any] = ()
        self._expressions: list[Expression] | None = None
        self._of: SourceFile | None = None

    def compiled_as(self, source: SourceFile, observed: Sequence[object] | None) -> None:
        """A compilation of this text came to an end; `observed` is what its expressions gave, if it was read."""
        self.compiled = source
        self.is_read = observed is not None
        self._observed = observed or ()
        self._expressions = None

    def same_text(self) -> bool:
        """Whether what was compiled is what is on the screen."""
        return self.compiled is not None and self.compiled.text == self.text.source.text

    @property
    def expressions(self) -> list[Expression]:
        """The expressions that ran, where they are now."""
        if self._expressions is None or self._of is not self.text.source:
            self._of = self.text.source
            self._expressions = list(self._carried())
        return self._expressions

    def _carried(self) -> Iterator[Expression]:
        if self.compiled is None:
            return
        carried = Carried(self.compiled.text, self.text.source.text)
        for start, end, count, distinct, values in self._observed:
            now = carried.stretch(start, end)
            if now is not None:
                yield Expression(*now, (start, end), count, distinct, tuple(Value(*value) for value in values))

    def at(self, offset: int) -> Expression | None:
        """The smallest expression with values that reaches an offset."""
        here = [item for item in self.expressions if item.values and item.start <= offset <= item.end]
        return min(here, key=lambda item: item.end - item.start, default=None)

    def exactly(self, start: int, end: int) -> Expression | None:
        """The expression that stands from one offset to another."""
        return next((item for item in self.expressions if (item.start, item.end) == (start, end)), None)
