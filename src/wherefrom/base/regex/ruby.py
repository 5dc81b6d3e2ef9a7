r"""Ruby's regular expressions, run by Python's `re` where that is safe, and else by the matcher with a memory.

`compile_regex` translates a pattern (`ruby_syntax`) and compiles it, once per pattern. Patterns whose repeats can
divide a text among themselves in exponentially many ways (`(a+)+$`) are found when they are compiled (`ambiguity`) and
run by the matcher of `machine`, which finds the same match and the same groups; so is any pattern on a text with which
it would have too much work (`work`). In any case a text longer than a limit is refused. What a search takes draws from
the budget.

>>> compile_regex(r"\A(?<name>\h+)\z").search("beef")["name"]
'beef'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from ..budget import current
from ..diagnostics import LimitReached
from ..patterns import compiled
from .ruby_syntax import translate
from .tree import Alt, BadRegex, Group, Node, RegexTooHard, Repeat, Seq, write
from .work import FEW_STEPS, MAXIMUM_WORK, STEPS, Work

MAXIMUM_TEXT = 10_000_000
"""Longest text that is searched."""

HARMLESS = 200
"""Length up to which a pattern with no more than one repeat costs next to nothing."""

SHORT = 10
"""Length up to which even a pattern of exponential cost is left to Python's matcher."""

# A loop after anything that leaves a choice: only then is there anything to look into.
_LOOKS_DANGEROUS = re.compile(r"[*+?}|].*[*+}]|\\\\[1-9kg]", re.DOTALL)


class RubyRegex:
    """A compiled regular expression."""

    __slots__ = ("_bounded", "_decided", "_short", "_tree", "_work", "pattern", "python", "source")

    def __init__(self, source: str) -> None:
        self.source = source
        self.python, self._tree = translate(source)
        try:
            self.pattern = compiled(self.python)
        except (re.error, OverflowError, RecursionError) as problem:
            raise BadRegex(_words(str(problem), source)) from None
        self._bounded: BoundedMatcher | None = None
        self._work: Work | None = None
        self._short = SHORT if _LOOKS_DANGEROUS.search(source) else HARMLESS
        self._decided: tuple[int, int, bool] = 0, 0, True
        """The hash and the length of the last long text, and whether it is left to Python's matcher."""

    @property
    def groups(self) -> int:
        """How many groups capture."""
        return self.pattern.groups

    def search(self, text: str, start: int = 0) -> Any:
        """The first match at or after `start`: something with the methods of `re.Match`, or nothing."""
        if len(text) <= self._short or self._is_quick(text):
            return self.pattern.search(text, start)
        return self._with_memory(text).search(text, start)

    def test(self, text: str) -> bool:
        """Is there a match anywhere?  Quicker than `search` for patterns that must be run with care."""
        if len(text) <= self._short or self._is_quick(text):
            return self.pattern.search(text) is not None
        return self._with_memory(text).test(text)

    def _is_quick(self, text: str) -> bool:
        """Whether a text is left to Python's matcher.  It is asked about one text again and again, in a loop."""
        if self._decided[1] == len(text) and self._decided[0] == hash(text):
            return self._decided[2]
        if len(text) > MAXIMUM_TEXT:
            raise LimitReached("text too long for a regular expression", MAXIMUM_TEXT)
        if self._work is None:
            self._work = Work(self._tree)
        steps = self._work.of(text, True, FEW_STEPS)
        is_quick = steps <= MAXIMUM_WORK
        if is_quick and steps > FEW_STEPS:
            current().draw("steps", int(steps) // STEPS, "matching a regular expression")
        if len(text) > HARMLESS:
            self._decided = hash(text), len(text), is_quick
        return is_quick

    def _with_memory(self, text: str) -> BoundedMatcher:
        if self._bounded is None:
            self._bounded = BoundedMatcher(self._tree, self.pattern)
        return self._bounded

    def finditer(self, text: str) -> Iterator[Any]:
        """All matches that do not overlap, from left to right; an empty match advances by one character."""
        at = 0
        while at <= len(text):
            match = self.search(text, at)
            if match is None:
                return
            yield match
            at = match.end() if match.end() > match.start() else match.end() + 1


def _words(problem: str, source: str) -> str:
    if "look-behind" in problem:
        return f"invalid pattern in look-behind: /{source}/"
    return f"{problem}: /{source}/"


@lru_cache(maxsize=4096)
def compile_regex(source: str) -> RubyRegex:
    """The compiled form of a Ruby pattern.  Raises `BadRegex`."""
    return RubyRegex(source)


# --- matching with a memory ------------------------------------------------------------------------------------------


class BoundedMatcher:
    """A pattern as a graph of states, run with a memory of what was tried."""

    def __init__(self, tree: Node, pattern: re.Pattern[str]) -> None:
        from .automaton import Automaton, is_plain
        from .machine import Rules, States

        self.pattern = pattern
        self._states = States(tree, Rules.RUBY, dict(pattern.groupindex))
        self._automaton = Automaton(self._states) if is_plain(self._states) else None
        self._eager = compiled(write(_possessive(tree)))
        self._eager_work = Work(_possessive(tree))

    def test(self, text: str) -> bool:
        """Is there a match at all?"""
        # Repeats that give nothing back find most of the matches there are, and quickly.
        steps = self._eager_work.of(text, True, FEW_STEPS)
        if steps <= MAXIMUM_WORK:
            current().draw("steps", int(steps) // STEPS, "matching a regular expression")
            if self._eager.search(text) is not None:
                return True
        if self._automaton is not None:
            current().draw("steps", len(text), "matching a regular expression")
            return self._automaton.test(text)
        return self.search(text) is not None

    def _search_in(self, text: str) -> Any:
        """A search in a text, the same for all matches in it: it remembers, and its bound is that of them all."""
        from .machine import Search

        search = _LAST.get()
        if search is None or search.states is not self._states or search.text is not text:
            search = Search(self._states, text)
            _LAST.set(search)
        return search

    def search(self, text: str, start: int = 0) -> BoundedMatch | None:
        """The leftmost match at or after `start`."""
        search = self._search_in(text)
        slots = 2 * (self.pattern.groups + 1)
        try:
            for at in range(start, len(text) + 1):
                if search.end_from(at, slots) >= 0:
                    return BoundedMatch(text, search.saved_from(at, slots), self.pattern)
        except RegexTooHard as problem:
            raise LimitReached("a regular expression took too many steps", problem.limit) from None
        return None


_LAST: ContextVar[Any] = ContextVar("wherefrom.regex.last", default=None)
"""The last search with a memory, which the next match in the same text begins with: one of all patterns."""


def _possessive(node: Node) -> Node:
    """The same pattern with possessive repeats: whatever it matches, the pattern itself matches too."""
    match node:
        case Repeat() if node.mode != "+":  # inside of one that is possessive already, another way is another match
            return Repeat(_possessive(node.body), node.low, node.high, "+" if node.low != node.high else "")
        case Seq():
            return Seq(tuple(map(_possessive, node.parts)))
        case Alt():
            return Alt(tuple(map(_possessive, node.options)))
        case Group():
            return Group(_possessive(node.body), node.number, node.name, node.flags)
    return node


class BoundedMatch:
    """What `re.Match` offers, for a match that `BoundedMatcher` found."""

    __slots__ = ("_saved", "pattern", "string")

    def __init__(self, string: str, saved: Sequence[int], pattern: re.Pattern[str]) -> None:
        self.string = string
        self._saved = saved
        self.pattern = pattern

    @property
    def re(self) -> re.Pattern[str]:
        """The pattern for Python."""
        return self.pattern

    @property
    def lastindex(self) -> int | None:
        """The last group that took part."""
        return max((number for number in range(1, self.pattern.groups + 1) if self.start(number) >= 0), default=None)

    def _number(self, group: int | str) -> int:
        number = self.pattern.groupindex[group] if isinstance(group, str) else group
        if not 0 <= number <= self.pattern.groups:
            raise IndexError("no such group")
        return number

    def start(self, group: int | str = 0) -> int:
        """Where the group starts, or -1."""
        return self._saved[2 * self._number(group)]

    def end(self, group: int | str = 0) -> int:
        """Where the group ends, or -1."""
        return self._saved[2 * self._number(group) + 1]

    def span(self, group: int | str = 0) -> tuple[int, int]:
        """Start and end of the group."""
        return self.start(group), self.end(group)

    def __getitem__(self, group: int | str) -> str | None:
        start, end = self.span(group)
        return None if start < 0 else self.string[start:end]

    def group(self, *groups: int | str) -> Any:
        """The text of one group, or of several."""
        if len(groups) > 1:
            return tuple(self[group] for group in groups)
        return self[groups[0] if groups else 0]

    def groups(self, default: object = None) -> tuple[Any, ...]:
        """The texts of all groups."""
        texts = (self[number] for number in range(1, self.pattern.groups + 1))
        return tuple(default if text is None else text for text in texts)

    def groupdict(self, default: object = None) -> dict[str, object]:
        """The texts of the named groups."""
        return {name: default if self[name] is None else self[name] for name in self.pattern.groupindex}
