"""Regular expressions as `builtins.match` and `builtins.split` understand them.

The syntax is that of POSIX extended expressions (IEEE 1003.1, section 9.4), over bytes. Which of several possible
matches is found is what Nix's own library finds, and that is not the POSIX rule to the letter:

* a repetition takes as much as it can and gives back only if nothing matches otherwise;
* when searching, both sides of an alternation are tried and the longer match wins, the left one if they are equal;
* when the whole text must match, the first way that does, left alternatives and long repetitions first, is taken;
* a repetition whose body matched nothing goes round once more at the same place and then stops.

The matcher of `machine` has these rules, and takes time proportional to states times characters however hostile the
expression; one that compiles to more than `MAX_STATES` states is refused, as in Nix.

Most expressions in real configurations are harmless, and for those (`_Harmless` decides) Python's own `re`, which
agrees with these rules where no alternation is searched and no loop body is empty, does the work.

Texts here are strings of characters below 256, one for each byte: see `as_bytes_text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from ..budget import current
from ..patterns import compiled
from .machine import Rules, Search, States
from .posix_syntax import PosixParser
from .tree import Alt, Chars, Group, Node, RegexTooLarge, Repeat, Seq, can_be_empty, write
from .work import FEW_STEPS, MAXIMUM_WORK, STEPS, Work

Groups: TypeAlias = list[str | None]


class _Harmless:
    """Whether Python's `re` may run an expression: it must agree with the rules above, and be quick (`work`)."""

    def __init__(self, tree: Node) -> None:
        self.agrees = True
        self.has_choice = False
        self._work: Work | None = None
        self._tree = tree
        self._visit(tree, False)

    def _visit(self, node: Node, in_loop: bool) -> None:
        match node:
            case Seq():
                for part in node.parts:
                    self._visit(part, in_loop)
            case Alt():
                self.has_choice = True
                self.agrees = self.agrees and not in_loop
                for option in node.options:
                    self._visit(option, in_loop)
            case Group(body=body):
                self._visit(body, in_loop)
            case Repeat(body=body, low=low, high=high):
                if in_loop or (can_be_empty(body) and high != 1):
                    self.agrees = False
                if high == 1 and low == 0:
                    self._visit(body, in_loop)
                elif low == high:
                    self._visit(body, not isinstance(body, Chars))
                else:
                    self._visit(body, True)
            case _:
                pass

    def allows(self, text: str, searching: bool) -> bool:
        """Whether a text is left to Python's matcher; what that takes is drawn from the budget."""
        if not self.agrees or (searching and self.has_choice):
            return False
        if self._work is None:
            self._work = Work(self._tree)
        steps = self._work.of(text, searching, FEW_STEPS)
        if FEW_STEPS < steps <= MAXIMUM_WORK:
            current().draw("steps", int(steps) // STEPS, "matching a regular expression")
        return steps <= MAXIMUM_WORK


class PosixRegex:
    """A compiled expression.  Raises `BadRegex` or `RegexTooLarge`."""

    def __init__(self, pattern: str) -> None:
        parser = PosixParser(pattern)
        try:
            self._tree = parser.parse()
            self._states = States(self._tree, Rules.POSIX)
            self._harmless = _Harmless(self._tree)
        except RecursionError:
            raise RegexTooLarge from None
        self.groups = parser.groups
        self._slots = 2 * (self.groups + 1)
        self._python: re.Pattern[str] | None = None

    def _as_python(self) -> re.Pattern[str]:
        if self._python is None:
            self._python = compiled(write(self._tree), re.DOTALL)
        return self._python

    def fullmatch(self, text: str) -> Groups | None:
        """The groups, if the whole of `text` matches; a group that took no part is nothing."""
        if self._harmless.allows(text, searching=False):
            match = self._as_python().fullmatch(text)
            return None if match is None else list(match.groups())
        search = Search(self._states, text, exact=True)
        return None if search.end_from(0, self._slots) < 0 else self._groups(search, 0)

    def matches(self, text: str) -> Iterator[tuple[int, int, Groups]]:
        """Every match in `text`, from the left: start, end, groups.

        After an empty match a non-empty one is tried at the same place before the search moves on.
        """
        if self._harmless.allows(text, searching=True):
            for match in self._as_python().finditer(text):
                yield match.start(), match.end(), list(match.groups())
            return
        search = Search(self._states, text)
        at = 0
        while at <= len(text):
            end = search.end_from(at, self._slots)
            if end < 0:
                at += 1
                continue
            yield at, end, self._groups(search, at)
            if end == at:
                again = Search(self._states, text, refused=at)
                end = again.end_from(at, self._slots)
                if end < 0:
                    at += 1
                    continue
                yield at, end, self._groups(again, at)
            at = end

    def _groups(self, search: Search, at: int) -> Groups:
        """The texts of the groups of the match that begins at `at`."""
        places = search.saved_from(at, self._slots)
        text = search.text
        return [
            text[places[2 * number] : places[2 * number + 1]] if places[2 * number + 1] >= 0 else None
            for number in range(1, self.groups + 1)
        ]


@lru_cache(maxsize=500)
def compile_regex(pattern: str) -> PosixRegex:
    """A compiled expression, remembered for the next time."""
    return PosixRegex(pattern)


def as_bytes_text(text: str) -> str:
    """`text` with one character for each of its UTF-8 bytes."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def from_bytes_text(text: str) -> str:
    """The inverse of `as_bytes_text`, for any part of such a text."""
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", "surrogateescape")
