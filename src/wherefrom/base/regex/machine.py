"""The matcher: expressions as graphs of states, run with a memory, so that no expression takes for ever.

From a state and a place in the text the rest of a match is decided, whatever came before: so the end of the best match
from each pair is worked out once and remembered, and matching takes time proportional to states times characters.
Where a backtracking matcher needs 2^n steps for `(a|a)*b`, this one needs 2n. `Search.solve` works the ends out, with
a stack of its own; `Search.follow` then walks the way that was found once more, and notes where the groups are.

Three things add to what decides the rest. A loop whose body can match nothing must not go round for ever at one place:
`visits` counts, for the loops that are concerned, how often they were entered since a character was taken (in base 3,
a digit for each loop). Back-references and conditionals look at the groups: for them what was saved so far is part of
the pair, which makes all pairs different, and a bound on the work is all that helps. Look-arounds and atomic groups
are graphs of their own inside the graph; each is asked at a place and answered as a whole.

Which of several matches is best is what the two families of languages differ in (`Rules`):

| | `RUBY`: Onigmo, as Python's `re` | `POSIX`: C++'s `std::regex`, as Nix has it |
|---|---|---|
| alternatives | the first that leads to a match | when searching, the one with the longer match |
| a round of a loop that took nothing | is the last one | may be followed by one more at the same place |
| `a{0,3}` | three choices in a row | three loops, which count as loops |
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Any, TypeAlias

from ..budget import current
from .ambiguity import flags_in
from .tree import (
    Alt,
    Backref,
    Chars,
    Conditional,
    Empty,
    Group,
    Look,
    Mark,
    Node,
    RegexTooHard,
    RegexTooLarge,
    Repeat,
    Seq,
    can_be_empty,
    walk,
    write,
)

MAX_STATES = 100_000
MAX_WORK = 3_000_000
MAX_BLIND_WORK = 200_000
"""The same for expressions that look at their groups, where memory does not help."""
AT_ONCE = 500
"""Steps that are drawn from the budget together; the bounds are multiples of it."""
MAX_EMPTY_LOOPS = 64

# What a state does.  A choice tries `arg` before `next`, except `LAZY`, which is a loop that tries `next` first.
MEMBER, MATCH, ALT, LOOP, LAZY, SAVE, MARK, INNER, BACKREF, GIVEN, DONE, ACCEPT = range(12)

Saved: TypeAlias = tuple[int, ...] | None
Point: TypeAlias = tuple[int, int, int, Saved]
"""A choice that is reached: state, place, visits, and what was saved, where that matters."""


class Rules(Enum):
    """Which of several matches is found; see the module's text."""

    RUBY = "ruby"
    POSIX = "posix"


class States:
    """An expression as a graph: what each state does (`op`, `arg`) and which is `next`.

    `digit[i]`, for a loop that may come back to itself without taking anything, is its place in the number that counts
    such visits. `knows_groups`: whether anything looks at what groups have matched.
    """

    def __init__(self, tree: Node, rules: Rules, names: dict[str, int] | None = None) -> None:
        self.rules = rules
        self.names = names or {}
        self.op: list[int] = []
        self.arg: list[Any] = []
        self.next: list[int] = []
        self.text: dict[int, str] = {}
        """How Python writes the set or assertion of a state."""
        self.digit: dict[int, int] = {}
        self.knows_groups = any(isinstance(inside, Backref | Conditional) for inside in walk(tree))
        self._accept = self._new(ACCEPT, None, -1)
        self._done = self._new(DONE, None, -1)
        self.start = self._build(tree, self._accept, 0)

    def _new(self, op: int, arg: object, following: int) -> int:
        if len(self.op) >= MAX_STATES:
            raise RegexTooLarge
        self.op.append(op)
        self.arg.append(arg)
        self.next.append(following)
        return len(self.op) - 1

    def _build(self, node: Node, then: int, flags: int) -> int:
        """States for `node` followed by state `then`; the first of them."""
        match node:
            case Empty():
                return then
            case Chars():
                return self._characters(node, then, flags)
            case Mark():
                return self._mark(node.source, then, flags)
            case Seq():
                for part in reversed(node.parts):
                    then = self._build(part, then, flags)
                return then
            case Alt():
                first = self._build(node.options[-1], then, flags)
                for option in reversed(node.options[:-1]):
                    first = self._new(ALT, self._build(option, then, flags), first)
                return first
            case Group():
                inner = flags_in(flags, node.flags)
                if node.number is None:
                    return self._build(node.body, then, inner)
                closing = self._new(SAVE, 2 * node.number + 1, then)
                return self._new(SAVE, 2 * node.number, self._build(node.body, closing, inner))
            case Repeat():
                if node.mode == "+":
                    greedy = Repeat(node.body, node.low, node.high, "")
                    return self._new(INNER, (self._build(greedy, self._done, flags), True, True), then)
                return self._repeat(node, then, flags)
            case Look() if node.kind in ("<=", "<!"):
                return self._mark(write(node), then, flags)
            case Look():
                entry = self._build(node.body, self._done, flags)
                return self._new(INNER, (entry, node.kind != "!", node.kind == ">"), then)
            case Backref():
                return self._new(BACKREF, self._number(node.group), then)
            case Conditional():
                yes = self._build(node.yes, then, flags)
                return self._new(GIVEN, (self._number(node.group), yes), self._build(node.no, then, flags))
        raise TypeError(node)

    def _number(self, group: str) -> int:
        return int(group) if group.isdigit() else self.names[group]

    def _characters(self, node: Chars, then: int, flags: int) -> int:
        if node.members is not None and not flags & re.IGNORECASE:
            state = self._new(MEMBER, node.members, then)
        else:
            state = self._new(MATCH, re.compile(node.source, flags).match, then)
        self.text[state] = node.source
        return state

    def _mark(self, source: str, then: int, flags: int) -> int:
        state = self._new(MARK, re.compile(source, flags).match, then)
        self.text[state] = source
        return state

    def _repeat(self, node: Repeat, then: int, flags: int) -> int:
        body, low, high = node.body, node.low, node.high
        kind = LAZY if node.mode == "?" else LOOP
        if high is None:
            first_inside = len(self.op)
            loop = self._new(kind, -1, then)
            entry = self._build(body, loop, flags)
            self.arg[loop] = entry
            if can_be_empty(body):
                self._count_visits(loop, first_inside)
            # `e+` enters through the body of its own loop; `e{2,}` has copies of the body before it.
            if low == 0:
                return loop
            then = entry
            low -= 1
        else:
            after = then
            for _ in range(high - low):
                if self.rules is Rules.POSIX:
                    optional = self._new(LOOP, -1, after)
                    self.arg[optional] = self._build(body, then, flags)
                    then = optional
                else:
                    inside = self._build(body, then, flags)
                    then = self._new(ALT, after, inside) if kind == LAZY else self._new(ALT, inside, after)
        for _ in range(low):
            then = self._build(body, then, flags)
        return then

    def _count_visits(self, loop: int, first_inside: int) -> None:
        """Count the visits of a loop with a body that can be empty; by POSIX's rules, of all loops inside of it too."""
        if self.rules is Rules.RUBY:
            self.digit[loop] = 3 ** len(self.digit)
            return
        for state in range(first_inside, len(self.op)):
            if self.op[state] == LOOP and state not in self.digit:
                self.digit[state] = 3 ** len(self.digit)
        if len(self.digit) > MAX_EMPTY_LOOPS:
            raise RegexTooLarge


class Search:
    """The best end of a match from each point of one text, worked out on demand and remembered.

    `exact`: only matches up to the end of the text count. `refused` is a place where no match may end (an empty match
    that was found before), or -1.
    """

    def __init__(self, states: States, text: str, exact: bool = False, refused: int = -1) -> None:
        self.states = states
        self.text = text
        self.exact = exact
        self.refused = refused
        self.best: dict[Point, int] = {}
        self._first_wins = exact or states.rules is Rules.RUBY
        self._one_empty_round = states.rules is Rules.RUBY
        self._limit = MAX_BLIND_WORK if states.knows_groups else MAX_WORK
        self._left = self._limit

    def end_from(self, at: int, slots: int) -> int:
        """The end of the match that begins at `at`, or -1."""
        return self.solve(self.straight(self.states.start, at, 0, self._nothing(slots)))

    def saved_from(self, at: int, slots: int) -> list[int]:
        """Where the groups of the match that begins at `at`, and was found, start and end; -1 for none."""
        places = [-1] * slots
        places[0] = at
        places[1], _ = self.follow(self.states.start, at, self._nothing(slots), places)
        return places

    def _nothing(self, slots: int) -> Saved:
        return (-1,) * slots if self.states.knows_groups else None

    def straight(self, state: int, at: int, visits: int, saved: Saved) -> Point | int:
        """Follow states that leave no choice: to a choice, or to the end of a match, or -1."""
        states, text = self.states, self.text
        op, arg, following = states.op, states.arg, states.next
        length = len(text)
        while True:
            kind = op[state]
            if kind == MEMBER:
                if at >= length or text[at] not in arg[state]:
                    return -1
                at += 1
                visits = 0
            elif kind == MATCH:
                match = arg[state](text, at)
                if match is None:
                    return -1
                at = match.end()
                visits = 0
            elif kind == ALT:
                return (state, at, visits, saved)
            elif kind in (LOOP, LAZY):
                if self._one_empty_round and visits:
                    digit = states.digit.get(state)
                    if digit is not None and visits // digit % 3:
                        visits -= digit
                        state = following[state]
                        continue
                return (state, at, visits, saved)
            elif kind == SAVE:
                if saved is not None:
                    slot = arg[state]
                    saved = (*saved[:slot], at, *saved[slot + 1 :])
            elif kind == MARK:
                if arg[state](text, at) is None:
                    return -1
            elif kind == INNER:
                entry, wanted, moves = arg[state]
                end = self.solve(self.straight(entry, at, 0, saved))
                if (end >= 0) != wanted:
                    return -1
                if wanted and saved is not None:
                    _, saved = self.follow(entry, at, saved, None)
                if moves and end != at:
                    at, visits = end, 0
            elif kind == BACKREF:
                assert saved is not None
                first, last = saved[2 * arg[state]], saved[2 * arg[state] + 1]
                if first < 0 or not text.startswith(text[first:last], at):
                    return -1
                if last > first:
                    at, visits = at + last - first, 0
            elif kind == GIVEN:
                assert saved is not None
                group, yes = arg[state]
                if saved[2 * group + 1] >= 0:
                    state = yes
                    continue
            elif kind == DONE:
                return at
            else:
                return -1 if at == self.refused or (self.exact and at != length) else at
            state = following[state]

    def first(self, choice: Point) -> Point | int:
        """Where the way out of a choice that is tried first leads."""
        state, at, visits, saved = choice
        states = self.states
        if states.op[state] == LAZY:
            return self.straight(states.next[state], at, visits, saved)
        return self._enter(state, at, visits, saved)

    def second(self, choice: Point) -> Point | int:
        """Where the other way out of a choice leads."""
        state, at, visits, saved = choice
        states = self.states
        if states.op[state] == LAZY:
            return self._enter(state, at, visits, saved)
        return self.straight(states.next[state], at, visits, saved)

    def _enter(self, state: int, at: int, visits: int, saved: Saved) -> Point | int:
        digit = self.states.digit.get(state)
        if digit is not None:
            if visits // digit % 3 == 2:
                return -1
            visits += digit
        return self.straight(self.states.arg[state], at, visits, saved)

    def solve(self, start: Point | int) -> int:
        """The end of the best match from `start`, or -1."""
        if isinstance(start, int):
            return start
        best = self.best
        op = self.states.op
        first_wins = self._first_wins
        stack = [start]
        while stack:
            choice = stack[-1]
            if choice in best:
                stack.pop()
                continue
            self._left -= 1
            if not self._left % AT_ONCE:
                if self._left <= 0:
                    raise RegexTooHard(self._limit)
                current().draw("steps", AT_ONCE, "matching a regular expression")
            first = self.first(choice)
            if not isinstance(first, int):
                if first not in best:
                    stack.append(first)
                    continue
                first = best[first]
            if first >= 0 and (first_wins or op[choice[0]] != ALT):
                best[choice] = first
                stack.pop()
                continue
            second = self.second(choice)
            if not isinstance(second, int):
                if second not in best:
                    stack.append(second)
                    continue
                second = best[second]
            best[choice] = max(first, second)
            stack.pop()
        return best[start]

    def follow(self, state: int, at: int, saved: Saved, places: list[int] | None) -> tuple[int, Saved]:
        """Walk the way that `solve` found: where it ends, and what it saved; the groups' ends go to `places` too."""
        states, text, best = self.states, self.text, self.best
        op, arg, following = states.op, states.arg, states.next
        visits = 0
        while True:
            kind = op[state]
            if kind == MEMBER:
                at, visits = at + 1, 0
            elif kind == MATCH:
                at, visits = arg[state](text, at).end(), 0
            elif kind == SAVE:
                slot = arg[state]
                if places is not None:
                    places[slot] = at
                if saved is not None:
                    saved = (*saved[:slot], at, *saved[slot + 1 :])
            elif kind == INNER:
                entry, wanted, moves = arg[state]
                if wanted:
                    end, saved = self.follow(entry, at, saved, places)
                    if moves and end != at:
                        at, visits = end, 0
            elif kind == BACKREF:
                assert saved is not None
                taken = saved[2 * arg[state] + 1] - saved[2 * arg[state]]
                if taken:
                    at, visits = at + taken, 0
            elif kind == GIVEN:
                assert saved is not None
                group, yes = arg[state]
                if saved[2 * group + 1] >= 0:
                    state = yes
                    continue
            elif kind in (DONE, ACCEPT):
                return at, saved
            elif kind in (ALT, LOOP, LAZY):
                digit = states.digit.get(state, 0)
                if self._one_empty_round and digit and visits // digit % 3:
                    visits -= digit
                else:
                    choice = (state, at, visits, saved)
                    first = self.first(choice)
                    value = first if isinstance(first, int) else best[first]
                    if (value == best[choice]) != (kind == LAZY):
                        visits += digit
                        state = arg[state]
                        continue
            state = following[state]
