"""The house's matcher of Ruby's regular expressions, behind one name."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any


class BadPattern(Exception):
    """A text that is no regular expression."""


@lru_cache(maxsize=1)
def _matcher() -> Any:
    for name in ("whence.base.regex", "whence.puppet.kernel.regex"):
        try:
            return import_module(name)
        except ModuleNotFoundError:
            continue
    raise ModuleNotFoundError("whence.base.regex")


def compile_pattern(source: str) -> Any:
    """A compiled pattern: `search(text, start)`, `finditer(text)`, `test(text)`, `groups`."""
    matcher = _matcher()
    try:
        return matcher.compile_regex(source)
    except matcher.BadRegex as problem:
        raise BadPattern(str(problem)) from None
