"""Texts for a terminal, as a test can read them: `[key web:port] = [value 8080]`."""

from __future__ import annotations

from wherefrom.base.render import Styled
from wherefrom.base.source import SourceFile, Span


def marked(pieces: Styled) -> str:
    """The text, each piece in brackets that say its style; line ends stand outside of them."""
    texts: list[str] = []
    for text, style in pieces:
        line = text.removesuffix("\n")
        texts.append(f"[{style} {line}]" if style else line)
        texts.append(text[len(line) :])
    return "".join(texts)


def at(file: SourceFile, text: str) -> Span:
    """The first place in a file that has a text."""
    start = file.text.index(text)
    return file.span(start, start + len(text))
