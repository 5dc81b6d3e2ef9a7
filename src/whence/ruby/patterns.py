"""The house's matcher of Ruby's regular expressions, behind one name."""

from __future__ import annotations

from typing import Any

from ..base.regex import BadRegex, compile_regex


class BadPattern(Exception):
    """A text that is no regular expression."""


def compile_pattern(source: str) -> Any:
    """A compiled pattern: `search(text, start)`, `finditer(text)`, `test(text)`, `groups`."""
    try:
        return compile_regex(source)
    except BadRegex as problem:
        raise BadPattern(str(problem)) from None
