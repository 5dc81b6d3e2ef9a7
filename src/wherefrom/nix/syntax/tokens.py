"""The pieces of a Nix file for who colours and folds it: tokens with their kinds, comments among them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...base.diagnostics import Diagnostic
from ...base.mentions import Token
from ...base.source import SourceFile
from .lexer import KEYWORDS, tokenize

_COMMENT = re.compile(r"#[^\r\n]*|/\*.*?\*/", re.DOTALL)
_KINDS = {
    "ID": "variable", "INT": "number", "FLOAT": "number", "URI": "string", "SPATH": "string", "PATH": "string",
    "STRING": "string", "STR": "string", "IND_STR": "string", '"': "string", "''": "string", "PATH_BEGIN": "string",
    "PATH_END": "string", "{": "open", "(": "open", "[": "open", "${": "open", "}": "close", ")": "close",
    "]": "close",
}  # fmt: skip


def tokens_of(source: SourceFile) -> Iterator[Token]:
    """The pieces of a text; none if it can not be cut."""
    try:
        tokens = tokenize(source)
    except Diagnostic:
        return
    covered = 0
    for kind, start, end in zip(tokens.kinds, tokens.starts, tokens.ends, strict=True):
        if start > covered:
            for comment in _COMMENT.finditer(source.text, covered, start):
                yield Token(comment.start(), comment.end(), "comment")
        covered = max(covered, end)
        if end > start:
            yield Token(start, end, "keyword" if kind in KEYWORDS else _KINDS.get(kind, "operator"))
