"""The layout of a manifest: arrows below each other, two blanks for a tab, nothing at the ends of lines.

It is what `puppet-lint --fix` would do about blanks. Everything else stays as it is written: comments, line breaks,
quotes. Texts in quotes and heredocs are not touched, and a manifest with an error in it is left alone. The result is
parsed again: if it does not mean the same there is none.
"""

from __future__ import annotations

import re

from ...base.source import SourceFile
from .lexer import Lexer
from .parser import ParserSettings, parse

_INDENT = re.compile(r"[ \t]*")
_OPENING = frozenset("( [ { L[ W( ?{".split())
_CLOSING = frozenset(") ] }".split())
_ARROWS = ("=>", "+>")
_COMMENT = re.compile(r"#[^\n]*|/\*.*?\*/", re.DOTALL)


def formatted(source: SourceFile) -> str | None:
    """The text in good layout; nothing if it can not be read."""
    before = parse(source, ParserSettings(validated=False))
    if not before.ok:
        return None
    text = _aligned(_trimmed(source))
    after = parse(SourceFile(source.name, text), ParserSettings(validated=False))
    return text if after.ok and after.program == before.program else None


def _trimmed(source: SourceFile) -> str:
    """The text without blanks at the ends of lines and tabs at their beginnings."""
    kept = _inside_texts(source)
    lines: list[str] = []
    for number, line in enumerate(source.text.split("\n")):
        start = source.line_starts[number]
        if start not in kept:  # otherwise the line begins inside a text
            indent = _INDENT.match(line)
            assert indent is not None
            line = indent[0].replace("\t", "  ") + line[indent.end() :]
        if start + len(source.text.split("\n")[number]) not in kept:
            ending = "\r" if line.endswith("\r") else ""
            line = line.rstrip(" \t\r") + ending
        lines.append(line)
    return "\n".join(lines).rstrip("\n") + "\n" if source.text.strip() else source.text


def _inside_texts(source: SourceFile) -> set[int]:
    """The beginnings and ends of lines that are inside of texts in quotes, heredocs and comments over several lines."""
    lexer = Lexer(source).run()
    kept: set[int] = set()
    stretches: list[tuple[int, int]] = []
    after = 0
    for kind, start, end in zip(lexer.kinds, lexer.starts, lexer.ends, strict=True):
        if kind == "HEREDOC":
            stretches.append((start, len(source.text)))  # where its text ends is not worth knowing
        stretches.append((start, end))
        stretches += (
            [comment.span() for comment in _COMMENT.finditer(source.text, after, start)] if start > after else []
        )
        after = max(after, end)
    for start, end in stretches:
        at = source.text.find("\n", start, end)
        while at >= 0:
            kept.update((at, at + 1))
            at = source.text.find("\n", at + 1, end)
    return kept


def _aligned(text: str) -> str:
    """The text with the arrows of each group (the attributes of a body, the entries of a hash) below each other."""
    source = SourceFile("", text)
    lexer = Lexer(source).run()
    kinds, starts, ends = lexer.kinds, lexer.starts, lexer.ends
    groups: dict[tuple[int, ...], list[tuple[int, int, int]]] = {}
    several: set[int] = set()
    place: list[int] = [0]
    first_groups: dict[int, tuple[int, ...]] = {}
    for at, kind in enumerate(kinds):
        if kind in _OPENING:
            place.append(at)
        elif kind in _CLOSING and len(place) > 1:
            place.pop()
        elif kind in (";", ":"):
            place[-1] = at  # another body of a resource
        elif kind in _ARROWS and at:
            line = source.line_of(starts[at])
            line_start = source.line_starts[line - 1]
            key_start = line_start + len(text[line_start : starts[at]]) - len(text[line_start : starts[at]].lstrip())
            key = tuple(place)
            if line in first_groups:
                if first_groups[line] == key:
                    several.add(line)
                continue
            first_groups[line] = key
            if ends[at - 1] > key_start and source.line_of(ends[at - 1]) == line and key_start in starts:
                groups.setdefault(key, []).append((key_start, ends[at - 1], starts[at]))
    edits: list[tuple[int, int, str]] = []
    for rows in groups.values():
        rows = [row for row in rows if source.line_of(row[2]) not in several and not _opens_before(text, row)]
        width = max((source.line_and_column(end)[1] for _, end, _ in rows), default=0)
        for _, end, arrow in rows:
            blanks = " " * (width - source.line_and_column(end)[1] + 1)
            if text[end:arrow] != blanks and not text[end:arrow].strip():
                edits.append((end, arrow, blanks))
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _opens_before(text: str, row: tuple[int, int, int]) -> bool:
    """Whether a line has more before its arrow than a key: `file { '/x': mode => 1`."""
    return any(mark in text[row[0] : row[1]] for mark in "{(:;,")
