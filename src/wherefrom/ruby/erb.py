"""Templates: ERB with trim mode `-`, as Puppet uses it.

A template is turned into Ruby text of the shape that Ruby's own ERB makes, so that what surprises there surprises
here (a `#` comment in a tag swallows the text up to the next tag, because both stand on one line). Each stretch of
literal text becomes a mark with its number; each `<%= %>` a call that writes its value. Line ends of the template
are kept, so that lines agree; a list of pieces maps every offset of the Ruby text back to the template.

Rules (Ruby 3.1, ERB; measured against it): `<%-` after nothing but blanks on its line eats them; `-%>` directly
before a line end eats it; `<%%` is `<%` in text and `%%>` is `%>` in a tag; `<%#` is a comment.

>>> scan("a\\n  <%- if x -%>\\nb<%= 1 %>")
[('text', 'a\\n', 0), ('code', ' if x ', 7), ('eaten', '\\n', 16), ('text', 'b', 17), ('output', ' 1 ', 21)]
"""

from __future__ import annotations

import re

import wherefrom.ruby.nodes as n

from ..base.source import SourceFile, Span
from .errors import RubySyntaxError
from .parser import Parser, Places
from .reading import OUTPUT_MARK, TEXT_MARK

_OPEN = re.compile(r"<%%|(^[ \t]*)?<%-|<%=|<%#|<%", re.MULTILINE)
_CLOSE = re.compile(r"%%>|-%>(\r?\n|\Z)?|%>")
VISIBLE_LOCALS = ("_erbout", "string", "template_source", "escaped_template_source", "result", "template")
"""Local variables that a template can see because of how it is evaluated."""


def scan(text: str) -> list[tuple[str, str, int]]:
    """The parts of a template: (kind, text, offset); kinds are text, code, output, comment and eaten."""
    parts: list[tuple[str, str, int]] = []
    at = 0
    start = 0
    pending: list[str] = []

    def flush(end: int) -> None:
        nonlocal pending
        pending.append(text[at:end])
        whole = "".join(pending)
        if whole:
            parts.append(("text", whole, start))
        pending = []

    while True:
        match = _OPEN.search(text, at)
        if match is None:
            flush(len(text))
            return parts
        if match.group() == "<%%":
            pending.append(text[at : match.start()] + "<%")
            at = match.end()
            continue
        opening = match.group().lstrip(" \t")
        start_of_tag = match.start()
        if opening == "<%-" and not text[at:start_of_tag].strip(" \t"):
            # For Ruby's scanner a line also begins where the last tag has ended.
            start_of_tag = at
        flush(start_of_tag)
        close = _CLOSE.search(text, match.end())
        code_start = match.end()
        while close is not None and close.group() == "%%>":
            close = _CLOSE.search(text, close.end())
        if close is None:
            # Ruby takes an unfinished tag as code up to the end, and the text is lost.
            parts.append((_kind(opening), text[code_start:].replace("%%>", "%>"), code_start))
            return parts
        code = text[code_start : close.start()].replace("%%>", "%>")
        parts.append((_kind(opening), code, code_start))
        at = start = close.end()
        if close.group(1):
            parts.append(("eaten", close.group(1), close.start(1)))


def _kind(opening: str) -> str:
    return {"<%=": "output", "<%#": "comment"}.get(opening, "code")


def parse_erb(source: SourceFile) -> n.Root:
    """A template as nodes."""
    out: list[str] = []
    length = 0
    pieces: list[tuple[int, int, int]] = []
    chunks: list[tuple[str, Span]] = []

    def write(text: str) -> None:
        nonlocal length
        out.append(text)
        length += len(text)

    def write_piece(text: str, offset: int) -> None:
        pieces.append((length, offset, len(text)))
        write(text)

    for kind, text, offset in scan(source.text):
        if kind == "text":
            pieces.append((length, offset, 0))
            write(f"{TEXT_MARK} {len(chunks)}" + "\n" * text.count("\n") + "; ")
            chunks.append((text, Span(source, offset, offset + len(text))))
        elif kind == "eaten":
            pieces.append((length, offset, 0))
            write("\n")
        elif kind == "comment":
            write("\n" * text.count("\n") + "; ")
        elif kind == "output":
            write(f"{OUTPUT_MARK}((")
            write_piece(text, offset)
            write(")); ")
        else:
            write_piece(text, offset)
            write("; ")
    data = "".join(out).encode("utf-8", "surrogateescape")
    places = Places(source, data, pieces)
    return Parser(data, places, chunks, VISIBLE_LOCALS).root()


__all__ = ["OUTPUT_MARK", "TEXT_MARK", "RubySyntaxError", "parse_erb", "scan"]
