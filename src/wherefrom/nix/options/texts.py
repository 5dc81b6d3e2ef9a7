"""Where a part of a text came from: the pieces that a text was put together from, and the texts behind files.

A configuration file is rarely one literal. It is merged from the lines of many modules, interpolated, and then written
by a derivation. `text_behind` finds the text behind a value:

* a string is its own text;
* a derivation that writes a text (`writeText` and all that is made of it: `text` is passed as a file) has that text;
* so has one whose `buildCommand` writes a here-document to `$out`, if the shell changes nothing in it;
* the path of a file stands for what is in the file; that of `builtins.toFile` for what was given to it.

`pieces` then follows the recorded cells from a stretch of the text to the literals and computations it consists of,
through interpolation, `+` and `concatStringsSep`, whose parts stand in the text one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ...base.source import SourceFile
from ...provenance.origins import Leaf
from ..kernel import operators
from ..kernel.errors import NixError
from ..kernel.paths import known_name
from ..kernel.values import NixPath, Slot, Value, force, from_bytes
from ..trace.cells import FORGOTTEN, Cell, cell
from ..trace.history import is_derivation
from .notes import attribute, passed_on

if TYPE_CHECKING:
    from ...base.source import Span
    from ..kernel.world import Machine

_HEREDOC = re.compile(
    r"^[ \t]*cat[ \t]*>[ \t]*\"?\$\{?out\}?\"?[ \t]*<<[ \t]*(?P<quote>['\"]?)(?P<word>\w+)(?P=quote)[ \t]*\n"
    r"(?P<text>(?:.*\n)*?)(?P=word)[ \t]*$"
    r"|^[ \t]*cat[ \t]*<<[ \t]*(?P<quote2>['\"]?)(?P<word2>\w+)(?P=quote2)[ \t]*>[ \t]*\"?\$\{?out\}?\"?[ \t]*\n"
    r"(?P<text2>(?:.*\n)*?)(?P=word2)[ \t]*$",
    re.MULTILINE,
)
_CHANGES = re.compile(r"(?:>|\btee\b|\bsed\b.*-i|\bsubstitute\w*|\bmv\b|\bcp\b|\bln\b|\binstall\b).*\$\{?out\b")
"""What may write to `$out`."""


class Written(NamedTuple):
    """The text behind a value: it stands in the text of `slot` from `start` on, or is that of a file."""

    text: str
    slot: Slot
    start: int = 0
    file: SourceFile | None = None


class Piece(NamedTuple):
    """A part of a text: the note of what made it, and which of its characters they are."""

    note: Cell
    start: int
    end: int


def text_behind(slot: Slot, machine: Machine) -> Written | None:
    """The text behind a value, if there is one and it is known."""
    value = force(slot)
    if type(value) is NixPath:
        return _of_file(value.text, slot, machine)
    if isinstance(value, str):
        content = _given_to_file(slot)
        if content is not None:
            return Written(str(force(content)), content)
        return Written(str(value), slot)
    return _of_derivation(value) if is_derivation(value) else None


def _of_file(path: str, slot: Slot, machine: Machine) -> Written | None:
    if not machine.host.is_file(path):
        return None
    text = from_bytes(machine.host.read_bytes(path))
    return Written(text, slot, 0, SourceFile(known_name(machine.host.real(path), machine.names_below), text))


def _given_to_file(slot: Slot) -> Slot | None:
    """What `builtins.toFile` was given, if a string is what that gave."""
    note = cell(slot)
    while (source := passed_on(note)) is not None:
        note = cell(source)
    content: Slot | None = note[2][1] if (note[1].kind, note[1].op) in _WRITING else None
    return content


_WRITING = frozenset({("builtin", "toFile")})
"""The notes of calls that gave the path of a file made of their second argument."""


def _of_derivation(value: Value) -> Written | None:
    command = _string(attribute(value, "buildCommand"))
    text = _string(attribute(value, "text"))
    passed = attribute(value, "passAsFile")
    if text is not None and passed is not None and command is not None and "textPath" in command:
        names = force(passed)
        if type(names) is list and any(force(name) == "text" for name in names):
            return Written(text, value.table["text"])
    if command is None:
        return None
    heredoc = _HEREDOC.search(command)
    if heredoc is None:
        return None
    group = "text" if heredoc["word"] else "text2"
    body = heredoc[group]
    quoted = heredoc["quote"] or heredoc["quote2"]
    rest = command[: heredoc.start()] + command[heredoc.end() :]
    if (not quoted and re.search(r"[$`\\]", body)) or _CHANGES.search(rest):
        return None
    return Written(body, value.table["buildCommand"], heredoc.start(group))


def _string(slot: Slot | None) -> str | None:
    value = None if slot is None else force(slot)
    return str(value) if isinstance(value, str) else None


# --- pieces ---


class Pieces:
    """Takes texts apart; remembers those that recording has forgotten."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.joined: Span | None = None
        """Where what was asked for last was put together of several pieces."""
        self._texts: dict[int, str | None] = {}

    def between(self, slot: Slot, start: int, end: int) -> Iterator[Piece]:
        """The pieces of the characters `[start, end)` of a text, in order."""
        self.joined = None
        return self._between(slot, start, end, True)

    def _between(self, slot: Slot, start: int, end: int, whole: bool) -> Iterator[Piece]:
        note = cell(slot)
        parts = self._parts(note)
        if parts is not None:
            at = 0
            inside: list[tuple[Slot, int, int]] = []
            for part, text in parts:
                low, high = max(start, at), min(end, at + len(text))
                if low < high:
                    inside.append((part, low - at, high - at))
                at += len(text)
            if whole and len(inside) > 1:
                self.joined = note[1].span
            for part, low, high in inside:
                yield from self._between(part, low, high, whole and len(inside) == 1)
            return
        source = passed_on(note)
        if source is not None and self._text(cell(source)) == self._text(note):
            yield from self._between(source, start, end, whole)
        else:
            yield Piece(note, start, end)

    def _parts(self, note: Cell) -> list[tuple[Slot, str]] | None:
        """What stands in a text one after the other, if it was put together so."""
        slots = _put_together(note)
        if slots is None:
            return None
        texts = [self._text(cell(slot)) for slot in slots]
        known = [text for text in texts if text is not None]
        if len(known) < len(texts) or (note[0] is not FORGOTTEN and "".join(known) != note[0]):
            return None
        return list(zip(slots, known, strict=True))

    def _text(self, note: Cell) -> str | None:
        """The text that a value is, or is made into where it is put into a text."""
        if id(note) not in self._texts:
            self._texts[id(note)] = self._made(note)
        return self._texts[id(note)]

    def _made(self, note: Cell) -> str | None:
        value = note[0]
        if value is FORGOTTEN:
            slots = _put_together(note)
            if slots is not None:
                texts = [self._text(cell(slot)) for slot in slots]
                return None if None in texts else "".join(text for text in texts if text is not None)
            source = passed_on(note)
            return None if source is None else self._text(cell(source))
        if isinstance(value, str):
            return str(value)
        try:
            return operators.coerce_to_string(value, set(), self.machine, copy=True)
        except NixError:
            return None


def _put_together(note: Cell) -> list[Slot] | None:
    """The slots of what was joined to a text, in order."""
    how = note[1]
    joined = _JOINING.get((how.kind, how.op))
    if joined is None or not (note[0] is FORGOTTEN or isinstance(note[0], str)):
        return None
    return joined(note)


def _operands(note: Cell) -> list[Slot]:
    return [part for part in note[2:] if type(part) is not list]


def _interleaved(note: Cell) -> list[Slot]:
    separator, elements = note[2]
    joined: list[Slot] = []
    for element in force(elements):
        joined += [separator, element] if joined else [element]
    return joined


_JOINING: Mapping[tuple[str, str], Callable[[Cell], list[Slot]]] = {
    ("step", "interpolate"): _operands,
    ("step", "+"): _operands,
    ("builtin", "concatStringsSep"): _interleaved,
}
"""What puts texts one after the other, by the notes of it."""


def stretch(leaf: Leaf, start: int, end: int) -> Leaf:
    """The characters `[start, end)` of a literal, at their own place if they stand in one line of it."""
    text = leaf.value
    if leaf.kind != "literal" or not isinstance(text, str) or leaf.span is None or "\n" in text[start:end].rstrip("\n"):
        return leaf
    place = _line_of(leaf.span, text, start, end)
    return leaf if place is None else Leaf("literal", leaf.name, place, text[start:end])


def _line_of(span: Span, text: str, start: int, end: int) -> Span | None:
    """Where a stretch of one line stands in an indented string, whose lines are those of the source without blanks."""
    line = text[start:end].rstrip("\n")
    lines = span.text.split("\n")
    skipped = 0
    if lines[0].startswith("''") and not lines[0][2:].strip(" "):
        skipped = 1
    if len(lines) - skipped != text.count("\n") + 1:
        return None
    number = text.count("\n", 0, start) + skipped
    column = lines[number].find(line)
    if not line or column < 0 or lines[number].count(line) != 1:
        return None
    at = span.start + sum(len(before) + 1 for before in lines[:number]) + column
    return span.file.span(at, at + len(line))


def file_leaf(text: Written, start: int, end: int) -> Leaf:
    """The characters of a file that a value is the path of."""
    assert text.file is not None
    part = text.file.span(start, end)
    return Leaf("file", text.file.name, part, part.text)
