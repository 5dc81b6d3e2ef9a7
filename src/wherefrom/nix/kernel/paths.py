"""Places as Nix counts them.

Nix counts columns in bytes and takes a lone carriage return for a line end too. `position_set` is what `__curPos` and
`builtins.unsafeGetAttrPos` give.
"""

from __future__ import annotations

import os.path

from ...base.source import Span
from .values import Attrs

STRING = "«string»"
"""The name of a source that is not a file."""


def line_and_column(span: Span) -> tuple[int, int]:
    """Line and column of the start of a span, both from 1, as Nix counts them."""
    text = span.file.text
    if "\r" not in text:
        line, column = span.file.line_and_column(span.start)
        if not text.isascii():
            begin = span.start - column + 1
            column = len(text[begin : span.start].encode("utf-8", "surrogateescape")) + 1
        return line, column
    before = text[: span.start].replace("\r\n", "\n").replace("\r", "\n")
    last = before.rpartition("\n")[2]
    return before.count("\n") + 1, len(last.encode("utf-8", "surrogateescape")) + 1


def position_set(span: Span) -> Attrs:
    """`{ file, line, column }`"""
    line, column = line_and_column(span)
    return Attrs({"column": column, "file": file_name(span), "line": line})


def file_name(span: Span) -> str:
    """What Nix gives as the file of a place: an absolute path; for a text from the command line, the text itself."""
    name = span.file.name
    if name == STRING:
        return span.file.text
    if name.startswith("«"):  # a text of the language's own
        return f"//builtin/{name[1:-1]}"
    return os.path.abspath(name)


def known_name(path: str, below: str | None) -> str:
    """The name by which the user knows an absolute path: relative, if it lies below the directory `below`."""
    if below is not None and path.startswith(below.rstrip("/") + "/"):
        return path[len(below.rstrip("/")) + 1 :]
    return path
