"""Where only a yes or no is wanted: a graph of states as an automaton, one look-up for each character.

Types such as `Stdlib::Unixpath` have patterns that must be run with care, and are asked for every value; whether there
is a match is all that matters to them.
"""

from __future__ import annotations

from typing import Any

from .machine import ACCEPT, ALT, BACKREF, GIVEN, INNER, LAZY, LOOP, MARK, MATCH, MEMBER, States
from .tree import LINE_START

_ENDS = frozenset({r"\A", r"\Z", r"(?=\n?\Z)", LINE_START, "(?m:$)"})
MAXIMUM_KNOWN = 10_000
_UNKNOWN: Any = object()
_EDGES = ("", "\n")


def is_plain(states: States) -> bool:
    """Can the graph be run by an automaton?  Only ends of lines and of the text may be asserted."""
    for state, op in enumerate(states.op):
        if op in (INNER, BACKREF, GIVEN) or (op == MARK and states.text[state] not in _ENDS):
            return False
        if op == MATCH and states.text[state].startswith("(?>"):
            return False
    return True


class _State:
    """A set of instructions to go on with, and the states after it that are known already.

    `ordinary` has those for a next character in the middle of a line, by that character; `special` has those for the
    ends of lines and of the text, where assertions may hold, by the kind of place and the character.
    """

    __slots__ = ("instructions", "ordinary", "special")

    def __init__(self, instructions: frozenset[int]) -> None:
        self.instructions = instructions
        self.ordinary: dict[str, _State | None] = {}
        self.special: dict[tuple[int, str], _State | None] = {}


class Automaton:
    """A graph as an automaton whose states are made when first needed: one look-up per character."""

    def __init__(self, graph: States) -> None:
        self.graph = graph
        self.states: dict[frozenset[int], _State] = {}

    def test(self, text: str) -> bool:
        """Is there a match anywhere in `text`?"""
        if len(self.states) > MAXIMUM_KNOWN:
            self.states.clear()
        state = self.state(frozenset((self.graph.start,)))
        last = len(text)
        before = ""
        for at, char in enumerate(text):
            if before not in _EDGES and char != "\n" and at < last - 1:
                following = state.ordinary.get(char, _UNKNOWN)
                if following is _UNKNOWN:
                    following = state.ordinary[char] = self.step(state.instructions, before, char, False, False)
            else:
                following = self.special(state, before, char, at, last)
            if following is None:
                return True
            state = following
            before = char
        return self.special(state, before, "", last, last) is None

    def state(self, instructions: frozenset[int]) -> _State:
        known = self.states.get(instructions)
        if known is None:
            known = self.states[instructions] = _State(instructions)
        return known

    def special(self, state: _State, before: str, char: str, at: int, last: int) -> _State | None:
        place = (before == "") | (before == "\n") << 1 | (at == last - 1) << 2
        following = state.special.get((place, char), _UNKNOWN)
        if following is _UNKNOWN:
            reached = self.step(state.instructions, before, char, at == last, at == last - 1)
            following = state.special[place, char] = reached
        known: _State | None = following
        return known

    def step(self, state: frozenset[int], before: str, char: str, at_end: bool, is_last: bool) -> _State | None:
        """The state after `char`, or `None` if a match ends before it."""
        op, arg, following = self.graph.op, self.graph.arg, self.graph.next
        reached: set[int] = set()
        after = {self.graph.start}
        pending = list(state)
        while pending:
            at = pending.pop()
            if at in reached:
                continue
            reached.add(at)
            kind = op[at]
            if kind == ACCEPT:
                return None
            if kind == MEMBER:
                if char in arg[at]:
                    after.add(following[at])
            elif kind == MATCH:
                if char and arg[at](char, 0) is not None:
                    after.add(following[at])
            elif kind != MARK or _holds(self.graph.text[at], before, char, at_end, is_last):
                pending.append(following[at])
                if kind in (ALT, LOOP, LAZY):
                    pending.append(arg[at])
        return self.state(frozenset(after))


def _holds(mark: str, before: str, char: str, at_end: bool, is_last: bool) -> bool:
    """Is an assertion true at a place between two characters (nothing at the ends of the text)?"""
    if mark == r"\A":
        return before == ""
    if mark == r"\Z":
        return at_end
    if mark == LINE_START:
        return before == "" or (before == "\n" and not at_end)
    if mark == "(?m:$)":
        return at_end or char == "\n"
    return at_end or (char == "\n" and is_last)
