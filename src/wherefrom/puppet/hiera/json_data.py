"""JSON as Ruby reads it, with an origin for every part.

Ruby's reader takes comments, and a backslash before any character; it refuses what Python's would take (`NaN`), and
nesting beyond a hundred levels. What it says of a text that it can not read is particular: inside of an array it names
the element that is wrong, elsewhere the whole text. (Some versions put the line of their own source in front.)
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ...provenance.origins import Items, Leaf, Origin
from .errors import HieraError, unparsed

if TYPE_CHECKING:
    from ...base.source import SourceFile
    from ..kernel.traced import Traced

MAX_NESTING = 100

_BLANK = re.compile(r"(?:[ \t\r\n]|//[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"((?:[^"\\\x00-\x1f]|\\u[0-9a-fA-F]{4}|\\[^u\x00-\x1f])*)"')
_ESCAPE = re.compile(r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([0-9a-fA-F]{4})|u([0-9a-fA-F]{4})|(.))")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_SCALAR = re.compile(
    r"-?(?:0|[1-9]\d*)(?:\.\d+(?:[eE][-+]?\d+)?|[eE][-+]?\d+)(?![\d.eE-])|-?(?:0|[1-9]\d*)(?!\d)|true|false|null"
)


def read_json(source: SourceFile) -> Traced:
    """The value in a text.  Raises `HieraError`."""
    return _Reader(source).whole()


class _Unreadable(Exception):
    """Something is wrong here; who reports it depends on what is round it."""


class _Reader:
    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.text = source.text
        self.at = 0
        self.depth = 0

    def whole(self) -> Traced:
        self.skip()
        start = self.at
        try:
            document = self.value("")
            self.skip()
            start = self.at
            if start < len(self.text):
                raise _Unreadable
        except _Unreadable:
            raise self.refused(start) from None
        return document

    def refused(self, start: int, words: str = "unexpected token") -> HieraError:
        """The error, at the place where reading stopped; a slash has been taken for the beginning of a comment."""
        start += self.text.startswith("/", start)
        message = f"Unable to parse ({self.source.name}): {words} at '{self.text[start:]}'"
        return unparsed(message, self.source.span(min(max(self.at, start), len(self.text))))

    def skip(self) -> None:
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank else self.at

    def takes(self, mark: str) -> bool:
        """Pass over blanks and `mark`, if it comes next."""
        self.skip()
        if not self.text.startswith(mark, self.at):
            return False
        self.at += 1
        return True

    def value(self, path: str) -> Traced:
        opening = self.text[self.at : self.at + 1]
        if opening in ("{", "["):
            self.depth += 1
            if self.depth > MAX_NESTING:
                words = f"Unable to parse ({self.source.name}): nesting of {self.depth} is too deep"
                raise unparsed(words, self.source.span(self.at))
            self.at += 1
            container = self.members(path) if opening == "{" else self.elements(path)
            self.depth -= 1
            return container
        start = self.at
        value = self.string() if opening == '"' else self.scalar()
        return value, Leaf("hiera", path, self.source.span(start, self.at), value)

    def scalar(self) -> object:
        token = _SCALAR.match(self.text, self.at)
        if token is None:
            if self.text.startswith("NaN", self.at):
                raise self.refused(self.at)
            if self.text.startswith("Infinity", self.at):
                raise self.refused(max(self.at - 1, 0))
            raise _Unreadable
        self.at = token.end()
        return json.loads(token[0])

    def string(self) -> str:
        literal = _STRING.match(self.text, self.at)
        if literal is None:
            raise _Unreadable
        start = self.at + 1
        self.at = literal.end()
        return _ESCAPE.sub(lambda escape: self.character(escape, start), literal[1])

    def character(self, escape: re.Match[str], start: int) -> str:
        first, second, single, other = escape.groups()
        if first:
            # Ruby takes whatever comes second for the second half of a pair.
            return chr(0x10000 + ((int(first, 16) & 0x3FF) << 10 | int(second, 16) & 0x3FF))
        if single is None:
            return _ESCAPES.get(other, other)
        if 0xD800 <= int(single, 16) < 0xDC00:
            raise self.refused(start + escape.start(), "incomplete surrogate pair")
        return chr(int(single, 16))

    def members(self, path: str) -> Traced:
        begin = self.at
        values: dict[Any, object] = {}
        shadows: dict[Any, Origin] = {}
        if not self.takes("}"):
            while True:
                self.skip()
                if self.text[self.at : self.at + 1] != '"':
                    raise _Unreadable
                name = self.string()
                if not self.takes(":"):
                    raise _Unreadable
                self.skip()
                values[name], shadows[name] = self.value(f"{path}.{name}" if path else name)
                if self.takes("}"):
                    break
                if not self.takes(","):
                    raise _Unreadable
        return values, Items(shadows, Leaf("hiera", path, self.source.span(begin, self.at), values))

    def elements(self, path: str) -> Traced:
        begin = self.at
        values: list[object] = []
        shadows: list[Origin] = []
        if not self.takes("]"):
            while True:
                self.skip()
                start = self.at
                try:
                    value, origin = self.value(f"{path}.{len(values)}")
                    values.append(value)
                    shadows.append(origin)
                    if self.takes("]"):
                        break
                    start = self.at
                    if not self.takes(","):
                        raise _Unreadable
                except _Unreadable:
                    raise self.refused(start) from None
        return values, Items(shadows, Leaf("hiera", path, self.source.span(begin, self.at), values))
