"""Names in a source: where a thing is defined, and where it is meant, file by file and without running anything.

A `Mention` is one name at one place. What it means is known by `kind` and `names`: the name that is defined, or, of a
use, the names that it may mean, the nearest first; the first of them that something defines is the one. So files are
read one by one, and what belongs together is found by comparing names.
"""

from __future__ import annotations

from collections.abc import Iterable

from .record import Record
from .source import SourceFile, Span


class Mention(Record):
    """A name: `span` is where it stands, `at` the part of it that is the thing's own name (what a rename replaces).

    Of a definition, `extent` is all that belongs to it, and `detail` a few words for people.
    """

    kind: str
    names: tuple[str, ...]
    span: Span
    at: Span
    defines: bool = False
    extent: Span | None = None
    detail: str = ""

    @property
    def name(self) -> str:
        """What is defined; of a use, the nearest that it may mean."""
        return self.names[0]


class Expected(Record):
    """What may be written at a place: what begins at `start` is a name of one of these kinds, or one of `words`.

    `owner` is the type whose attributes, or the fact or name whose parts, are meant; with `capital`, names are those of
    types.
    """

    start: int
    kinds: tuple[str, ...]
    owner: str = ""
    words: tuple[str, ...] = ()
    capital: bool = False


def expected_name(
    source: SourceFile, tokens: Iterable[Token], offset: int, letters: str, joint: str, words: Iterable[str]
) -> Expected | None:
    """A name at an offset, in a language whose names are of these `letters`, parts of them behind a `joint`.

    What is meant is a name of any kind (or one of `words`), behind a joint a part of what stands before it; nothing
    inside of a comment, text or number.
    """
    for token in tokens:
        if token.start < offset and (offset < token.end or (offset == token.end and token.kind in _WHOLE)):
            if token.kind in (*_WHOLE, "string"):
                return None
    text = source.text
    start = _begin(text, offset, letters)
    if start > 0 and text[start - 1] == joint:
        first = _begin(text, start - 1, letters + joint)
        return Expected(start, ("part",), text[first : start - 1])
    return Expected(start, ("name",), words=tuple(words))


_WHOLE = ("comment", "number")


def _begin(text: str, end: int, letters: str) -> int:
    while end > 0 and (text[end - 1].isalnum() or text[end - 1] in letters):
        end -= 1
    return end


class Token(Record):
    """A piece of a text and what it is: `keyword`, `string`, `number`, `comment`, `regexp`, `operator`, `variable`,
    `function`, `class`, `type`, `parameter`, `property`; `open` and `close` are brackets."""

    start: int
    end: int
    kind: str


class Called(Record):
    """A call that is being written: the function's name, and which argument (from 0) a place is in."""

    name: str
    argument: int


class Described(Record):
    """One way to call a function: its parameters as they are written, and a page about it."""

    parameters: tuple[str, ...]
    page: str = ""
