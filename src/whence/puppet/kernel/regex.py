r"""Regular expressions of Puppet, which are Ruby's, run by Python's `re`.

`compile_regex` translates a pattern (`regex_syntax`) and compiles it, once per pattern. Matching is bounded: patterns
whose repeats can divide a text among themselves in exponentially many ways (`(a+)+$`) are found when they are compiled
(`regex_safe`) and run by a matcher that remembers where it failed; all others need no more than polynomial time. In any
case a text longer than a limit is refused.

>>> compile_regex(r"\A(?<name>\h+)\z").search("beef")["name"]
'beef'
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ...base.diagnostics import LimitReached
from .regex_syntax import translate
from .type_failures import BadRegex

MAXIMUM_TEXT = 10_000_000
"""Longest text that is searched."""

SHORT = 10
"""Length up to which even a pattern of exponential cost is left to Python's matcher."""

MAXIMUM_WORK = 10**11
"""Text length to the power of the overlapping repeats that is left to Python's matcher."""

# A loop after anything that leaves a choice: only then is there anything to look into.
_LOOKS_DANGEROUS = re.compile(r"[*+?}|].*[*+}]", re.DOTALL)


class Regex:
    """A compiled regular expression."""

    __slots__ = ("_limit", "_safe", "_tree", "pattern", "python", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self.python, self._tree = translate(source)
        try:
            self.pattern = re.compile(self.python)
        except (re.error, OverflowError, RecursionError) as problem:
            raise BadRegex(_words(str(problem), source)) from None
        self._safe: Any = None
        self._limit = MAXIMUM_TEXT
        if _LOOKS_DANGEROUS.search(source):
            from .regex_safe import is_risky, overlapping_repeats

            degree = overlapping_repeats(self._tree)
            if is_risky(self._tree):
                self._limit = SHORT
            elif degree > 1:
                self._limit = min(MAXIMUM_TEXT, int(MAXIMUM_WORK ** (1 / degree)))

    @property
    def groups(self) -> int:
        """How many groups capture."""
        return self.pattern.groups

    def search(self, text: str, start: int = 0) -> Any:
        """The first match at or after `start`: something with the methods of `re.Match`, or nothing."""
        if len(text) <= self._limit:
            return self.pattern.search(text, start)
        return self._bounded(text).search(text, start)

    def test(self, text: str) -> bool:
        """Is there a match anywhere?  Quicker than `search` for patterns that must be run with care."""
        if len(text) <= self._limit:
            return self.pattern.search(text) is not None
        return bool(self._bounded(text).test(text))

    def _bounded(self, text: str) -> Any:
        if len(text) > MAXIMUM_TEXT:
            raise LimitReached("text too long for a regular expression", MAXIMUM_TEXT)
        if self._safe is None:
            from .regex_safe import SafeMatcher

            self._safe = SafeMatcher(self._tree, self.pattern)
        return self._safe

    def finditer(self, text: str) -> Any:
        """All matches that do not overlap, from left to right; an empty match advances by one character."""
        at = 0
        while at <= len(text):
            found = self.search(text, at)
            if found is None:
                return
            yield found
            at = found.end() if found.end() > found.start() else found.end() + 1


def _words(problem: str, source: str) -> str:
    if "look-behind" in problem:
        return f"invalid pattern in look-behind: /{source}/"
    return f"{problem}: /{source}/"


@lru_cache(maxsize=4096)
def compile_regex(source: str) -> Regex:
    """The compiled form of a Ruby pattern.  Raises `BadRegex`."""
    return Regex(source)
