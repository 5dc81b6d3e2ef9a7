"""Texts in the middle of being written: prefixes of a file, and tokens taken away; what is still known of them.

`kept(...)` counts the definitions that a broken text should still have in its outline: of a prefix those that end
before it does, of a text without a token those that the token was not in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from wherefrom.base.source import SourceFile
from wherefrom.languages import load_language

_TOKEN = re.compile(r"\w+|[^\w\s]+")
Outline = set[tuple[str, str]]


def outline(language: str, name: str, text: str) -> dict[tuple[str, str], tuple[int, int]]:
    """The definitions of a text that an outline shows, by kind and own name, with their extents."""
    return {
        (mention.kind, mention.at.text): (mention.extent.start, mention.extent.end)
        for mention in load_language(language).mentions(SourceFile(name, text))
        if mention.defines and mention.extent is not None and ("@" not in mention.names[-1] or mention.detail == "let")
    }


def prefixes(text: str, random: Random, most: int) -> Iterator[tuple[str, int, int]]:
    """Some prefixes, each with the stretch that is broken."""
    for at in random.sample(range(len(text) + 1), min(most, len(text) + 1)):
        yield text[:at], at, len(text)


def without_tokens(text: str, random: Random, most: int) -> Iterator[tuple[str, int, int]]:
    """The text without one of its tokens, for some of them."""
    tokens = list(_TOKEN.finditer(text))
    for token in random.sample(tokens, min(most, len(tokens))):
        yield text[: token.start()] + text[token.end() :], token.start(), token.end()


def kept(language: str, name: str, text: str, broken: str, start: int, end: int) -> tuple[int, int]:
    """How many definitions that the broken stretch is not in are still known, of how many."""
    full = outline(language, name, text)
    others = {key for key, (first, last) in full.items() if last <= start or (first >= end and end < len(text))}
    return len(others & outline(language, name, broken).keys()), len(others)
