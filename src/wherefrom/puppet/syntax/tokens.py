"""The pieces of a manifest or template for who colours and folds it: tokens with their kinds, comments among them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...base.mentions import Token
from ...base.source import SourceFile
from .lexer import BOOLEANS, KEYWORDS, Lexer

_COMMENT = re.compile(r"#[^\n]*|/\*.*?\*/", re.DOTALL)
_OPENING = frozenset("( [ { L[ W( ?{".split())
_CLOSING = frozenset(") ] }".split())
_KINDS = {
    "NAME": "", "WORD": "string", "REF": "type", "VAR": "variable", "STR": "string", "NUM": "number", "BOOL": "keyword",
    "REGEX": "regexp", "DQPRE": "string", "DQMID": "string", "DQPOST": "string", "HEREDOC": "string",
    "<%=": "operator", "%>": "operator",
}  # fmt: skip
_SILENT = frozenset(("EPP", "TEXT", "OTHER", "ERROR", "END"))


def tokens_of(source: SourceFile) -> Iterator[Token]:
    """The pieces of a text, as far as its quotes fit."""
    lexer = Lexer(source, epp=source.name.endswith(".epp")).run()
    kinds, starts, ends, text = lexer.kinds, lexer.starts, lexer.ends, source.text
    covered = 0
    for at, kind in enumerate(kinds):
        start, end = starts[at], ends[at]
        if start > covered:
            yield from _comments(text, covered, start)
        covered = max(covered, end)
        if kind in _SILENT or end <= start:
            continue
        if kind in _OPENING or kind in _CLOSING:
            yield Token(start, end, "open" if kind in _OPENING else "close")
        elif kind == "NAME":
            following = kinds[at + 1]
            if following in ("=>", "+>"):
                yield Token(start, end, "property")
            elif text[start:end] in BOOLEANS:
                yield Token(start, end, "keyword")
            else:
                yield Token(start, end, "string" if following not in ("(", "{", ".") else "function")
        elif kind in _KINDS:
            yield Token(start, end, _KINDS[kind])
        elif kind in KEYWORDS:
            yield Token(start, end, "property" if kinds[at + 1] in ("=>", "+>") else "keyword")
        else:
            yield Token(start, end, "operator")


def _comments(text: str, start: int, end: int) -> Iterator[Token]:
    for comment in _COMMENT.finditer(text, start, end):
        yield Token(comment.start(), comment.end(), "comment")
