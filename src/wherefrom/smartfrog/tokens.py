"""The pieces of a SmartFrog file for who colours and folds it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..base.mentions import Token
from ..base.source import SourceFile
from .lexer import RESERVED

_PIECE = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<directive>\#include)|(?P<open>[{\[])"
    r"|(?P<close>[}\]])|(?P<number>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(?P<word>\w+)|(?P<operator>[:;,])",
    re.DOTALL,
)


def tokens_of(source: SourceFile) -> Iterator[Token]:
    """The pieces of a text."""
    for piece in _PIECE.finditer(source.text):
        kind = piece.lastgroup or "operator"
        if kind == "word":
            kind = "keyword" if piece[0] in RESERVED else "property"
        yield Token(piece.start(), piece.end(), "keyword" if kind == "directive" else kind)
