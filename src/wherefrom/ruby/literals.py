r"""Ruby's literals: escapes in strings, numbers, the indentation of `<<~`.

Texts are worked out from the source itself, not from the parser's tokens, so that quotes of all kinds go one way.

>>> unescape(r"a\tb\u00e9\x41")
'a\tbéA'
>>> integer("0b1_01"), integer("017"), integer("0x1F")
(5, 15, 31)
"""

from __future__ import annotations

import re

_SIMPLE = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "0": "\0",
    "e": "\x1b",
    "s": " ",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "\n": "",
}
_ESCAPE = re.compile(
    r"\\(?:u\{\s*([0-9a-fA-F\s]+)\}|u([0-9a-fA-F]{4})|((?:x[0-9a-fA-F]{1,2}\\?)*x[0-9a-fA-F]{1,2})"
    r"|([0-7]{1,3})|[Cc]-?(.)|M-(.)|(.))",
    re.DOTALL,
)


def unescape(raw: str) -> str:
    """The text of a double-quoted literal without interpolation."""
    if "\\" not in raw:
        return raw

    def replace(match: re.Match[str]) -> str:
        codes, code, byte, octal, control, _meta, other = match.groups()
        if codes:
            return "".join(chr(int(digits, 16)) for digits in codes.split())
        if code:
            return chr(int(code, 16))
        if byte:
            data = bytes(int(digits, 16) for digits in re.findall(r"x([0-9a-fA-F]{1,2})", byte))
            return data.decode("utf-8", "surrogateescape")
        if octal:
            return bytes([int(octal, 8) & 255]).decode("utf-8", "surrogateescape")
        if control:
            return chr(ord(control) & 31)
        return _SIMPLE.get(other, other) if other else ""

    return _ESCAPE.sub(replace, raw)


def unquote(raw: str, closing: str) -> str:
    r"""The text of a single-quoted literal: `\\` and the escaped quote are all it knows."""
    if "\\" not in raw:
        return raw
    opening = {")": "(", "]": "[", "}": "{", ">": "<"}.get(closing, closing)
    return re.sub(r"\\([\\" + re.escape(closing) + re.escape(opening) + "])", r"\1", raw)


def unescape_word(raw: str) -> str:
    """The text of one word of `%w[]`."""
    return re.sub(r"\\([\\\s\[\](){}<>])", r"\1", raw)


def integer(text: str) -> int:
    """The value of an integer literal."""
    text = text.replace("_", "").lower()
    if text.startswith("0") and len(text) > 1:
        prefix = text[1]
        base = {"x": 16, "b": 2, "o": 8, "d": 10}.get(prefix)
        return int(text[2:], base) if base else int(text, 8)
    return int(text)


def dedent(parts: list[str | None]) -> list[str | None]:
    """Text parts of a `<<~` heredoc without their common indentation; `None` stands for an interpolation.

    Lines of blanks alone do not count; a tab reaches to the next multiple of eight (Ruby 3.1, Here Documents).
    """
    smallest: int | None = None
    at_start = True
    width = 0
    for part in parts:
        if part is None:
            if at_start:
                smallest = width if smallest is None else min(smallest, width)
            at_start = False
            continue
        for char in part:
            if char == "\n":
                at_start, width = True, 0
            elif at_start:
                if char == " ":
                    width += 1
                elif char == "\t":
                    width = (width // 8 + 1) * 8
                else:
                    smallest = width if smallest is None else min(smallest, width)
                    at_start = False
    if not smallest:
        return parts
    result: list[str | None] = []
    at_start = True
    for part in parts:
        if part is None:
            result.append(None)
            at_start = False
            continue
        lines = part.split("\n")
        for index, line in enumerate(lines):
            if index > 0 or at_start:
                lines[index] = _without(line, smallest)
        result.append("\n".join(lines))
        at_start = part.endswith("\n") or (at_start and not part)
    return result


def _without(line: str, columns: int) -> str:
    width = 0
    for index, char in enumerate(line):
        if width >= columns or char not in " \t":
            return line[index:]
        width = (width // 8 + 1) * 8 if char == "\t" else width + 1
        if width > columns:
            return line[index:]
    return ""
