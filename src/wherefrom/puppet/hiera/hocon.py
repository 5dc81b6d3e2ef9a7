"""HOCON, as far as data goes: objects, arrays, strings, numbers, comments, dotted keys, values that are not in quotes.

What would need more than the one text (includes, `${...}`) is refused. Every scalar keeps its place in the file.
(HOCON specification, "Syntax".)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import Refused
from ...provenance.origins import Items, Leaf, Origin
from .errors import HieraError

if TYPE_CHECKING:
    from ...base.source import SourceFile
    from ..kernel.traced import Traced

_BLANK = re.compile(r"(?:[ \t\r]|#[^\n]*|//[^\n]*)+")
_QUOTED = re.compile(r'"""(.*?)"""(?!")|"((?:[^"\\\n]|\\.)*)"', re.DOTALL)
_PLAIN = re.compile(r"(?:(?!//)[^\s\"${}\[\]:=,+#`^?!@*&\\])+")
_NAME = re.compile(r"[^\s.\"${}\[\]:=,+#`^?!@*&\\]+")
_SPACES = re.compile(r"[ \t]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WORDS = {"true": True, "false": False, "null": None}


def read_hocon(source: SourceFile) -> Traced:
    """The object in a text."""
    return _Reader(source).whole()


class _Reader:
    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.text = source.text
        self.at = 0

    def whole(self) -> Traced:
        self.skip()
        if self.text[self.at : self.at + 1] == "{":
            document = self.value("")
        else:
            document = self.members("", "")
        self.skip()
        if self.at < len(self.text):
            raise self.failed()
        return document

    def failed(self, words: str = "unexpected {}") -> HieraError:
        """An error here; `{}` in its words is what stands here instead."""
        line = self.source.line_and_column(self.at)[0]
        token = self.text[self.at : self.at + 1]
        shown = f"'{token}'" if token in tuple("{}[]:=,+") else token or "end of file"
        return HieraError(f"Unable to parse ({self.source.name}): String: {line}: {words.format(shown)}")

    def skip(self, lines: bool = True) -> bool:
        """Pass over blanks and comments; whether a line ended there."""
        ended = False
        while self.at < len(self.text):
            blank = _BLANK.match(self.text, self.at)
            if blank:
                self.at = blank.end()
            elif lines and self.text[self.at] == "\n":
                self.at += 1
                ended = True
            else:
                break
        return ended

    def members(self, path: str, close: str) -> Traced:
        """The fields of an object up to `close`."""
        begin = self.at
        values: dict[Any, object] = {}
        shadows: dict[Any, Origin] = {}
        while True:
            self.skip()
            while self.text[self.at : self.at + 1] == ",":
                self.at += 1
                self.skip()
            if self.at >= len(self.text) and close:
                raise self.failed("expecting a close brace or a field name here, got {}")
            if self.text[self.at : self.at + 1] == close:
                self.at += len(close)
                return values, Items(shadows, Leaf("hiera", path, self.source.span(begin, self.at), values))
            names = self.key()
            self.skip()
            if self.text[self.at : self.at + 1] in (":", "="):
                self.at += 1
                self.skip()
            elif self.text[self.at : self.at + 1] != "{":
                raise self.failed(f"Key '{'.'.join(names)}' may not be followed by token: {{}}")
            value, origin = self.value(".".join((*((path,) if path else ()), *names)))
            for depth in range(len(names) - 1, 0, -1):
                value = {names[depth]: value}
                above = ".".join((*((path,) if path else ()), *names[:depth]))
                own = Leaf("hiera", above, self.source.span(begin, self.at), value)
                origin = Items({names[depth]: origin}, own)
            _join(values, shadows, names[0], value, origin)

    def key(self) -> list[str]:
        names: list[str] = []
        while True:
            quoted = _QUOTED.match(self.text, self.at)
            word = quoted or _NAME.match(self.text, self.at)
            if word is None or word.group() == "include":
                raise self.refused() if word else self.failed()
            names.append(_unescaped(word) if quoted else word[0])
            self.at = word.end()
            if self.text[self.at : self.at + 1] != ".":
                return names
            self.at += 1

    def refused(self) -> Refused:
        return Refused("HOCON files that include others or refer to values are not read", self.source.span(self.at))

    def value(self, path: str) -> Traced:
        start = self.at
        opening = self.text[self.at : self.at + 1]
        if opening == "{":
            self.at += 1
            return self.members(path, "}")
        if opening == "[":
            self.at += 1
            return self.elements(path)
        parts: list[object] = []
        end = start
        while self.at < len(self.text):
            quoted = _QUOTED.match(self.text, self.at)
            plain = None if quoted else _PLAIN.match(self.text, self.at)
            if self.text.startswith("${", self.at):
                raise self.refused()
            unit = quoted or plain
            if unit is None:
                break
            parts.append(_unescaped(unit) if quoted else _plain(unit[0]))
            end = self.at = unit.end()
            blank = _SPACES.match(self.text, self.at)
            assert blank is not None
            following = blank.end()
            if _QUOTED.match(self.text, following) or _PLAIN.match(self.text, following):
                parts.append(blank[0])
                self.at = following
            elif self.text.startswith("${", following):
                self.at = following
        if not parts:
            raise self.failed("Expecting a value but got wrong token: {}")
        value = parts[0] if len(parts) == 1 else "".join(map(_word, parts))
        return value, Leaf("hiera", path, self.source.span(start, end), value)

    def elements(self, path: str) -> Traced:
        begin = self.at
        values: list[object] = []
        shadows: list[Origin] = []
        while True:
            self.skip()
            if self.text[self.at : self.at + 1] == "]":
                self.at += 1
                return values, Items(shadows, Leaf("hiera", path, self.source.span(begin, self.at), values))
            if self.at >= len(self.text):
                raise self.failed()
            value, origin = self.value(f"{path}.{len(values)}")
            values.append(value)
            shadows.append(origin)
            ended = self.skip()
            if self.text[self.at : self.at + 1] == ",":
                self.at += 1
            elif not ended and self.text[self.at : self.at + 1] != "]":
                raise self.failed()


def _join(values: dict[Any, Any], shadows: dict[Any, Origin], name: str, value: object, origin: Origin) -> None:
    """Set a field; objects that are given twice are joined."""
    known, above = values.get(name), shadows.get(name)
    if isinstance(known, dict) and isinstance(value, dict) and isinstance(above, Items) and isinstance(origin, Items):
        for key, element in value.items():
            _join(known, above.elements, key, element, origin.elements[key])  # type: ignore[arg-type]
        return
    values[name], shadows[name] = value, origin


def _plain(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    number = _NUMBER.fullmatch(text)
    if number:
        return float(text) if number[1] or number[2] else int(text)
    return text


def _word(value: object) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _unescaped(quoted: re.Match[str]) -> str:
    if quoted[1] is not None:
        return quoted[1]
    return re.sub(
        r"\\u([0-9a-fA-F]{4})|\\(.)",
        lambda match: chr(int(match[1], 16)) if match[1] else _ESCAPES.get(match[2], match[2]),
        quoted[2],
    )
