"""Regular expressions as `builtins.match` and `builtins.split` understand them.

The syntax is that of POSIX extended expressions (IEEE 1003.1, section 9.4), over bytes. Which of several possible
matches is found is what Nix's own library finds, and that is not the POSIX rule to the letter:

* a repetition takes as much as it can and gives back only if nothing matches otherwise;
* when searching, both sides of an alternation are tried and the longer match wins, the left one if they are equal;
* when the whole text must match, the first way that does, left alternatives and long repetitions first, is taken;
* a repetition whose body matched nothing goes round once more at the same place and then stops.

Each rule speaks of a state and a place in the text and of nothing before it, so the best end reachable from
(state, place) can be remembered, and matching takes time proportional to states times characters however hostile the
expression: where a backtracking matcher needs 2^n steps for `(a|a)*b`, this one needs 2n. What is remembered is
bounded by `MAX_WORK`; an expression that compiles to more than `MAX_STATES` states is refused, as in Nix.

Most expressions in real configurations are harmless, and for those (`_Harmless` decides) Python's own `re`, which
agrees with these rules where no alternation is searched and no loop body is empty, does the work.

Texts here are strings of characters below 256, one for each byte: see `as_bytes_text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from .posix_syntax import ALL, DOT, Anchor, Chars, Either, Group, Node, Parser, RegexTooLarge, Repeat, Sequence

MAX_STATES = 100_000
MAX_WORK = 3_000_000
MAX_EMPTY_LOOPS = 64
HARMLESS_STEPS = 2_000_000

Groups: TypeAlias = list[str | None]


class RegexTooHard(Exception):
    """Matching needs more memory than allowed."""


# --- properties that decide how to run ------------------------------------------------------------------------------


def _nullable(node: Node) -> bool:
    """Whether `node` can match the empty text."""
    match node:
        case Chars():
            return False
        case Sequence(parts=parts):
            return all(_nullable(part) for part in parts)
        case Either(left=left, right=right):
            return _nullable(left) or _nullable(right)
        case Group(body=body):
            return _nullable(body)
        case Repeat(body=body, low=low):
            return low == 0 or _nullable(body)
        case _:
            return True


class _Harmless:
    """Whether Python's `re` may run an expression: it must agree with the rules above, and be quick.

    `loops` counts the repetitions that can go round many times and `ways` the other choices: a backtracking matcher
    needs at most about `length ** loops * ways` steps, if no loop holds another loop or a choice.
    """

    def __init__(self, tree: Node) -> None:
        self.agrees = True
        self.has_choice = False
        self.loops = 0
        self.ways = 1
        self._visit(tree, False)

    def _visit(self, node: Node, in_loop: bool) -> None:
        match node:
            case Sequence(parts=parts):
                for part in parts:
                    self._visit(part, in_loop)
            case Either(left=left, right=right):
                self.has_choice = True
                self.agrees = self.agrees and not in_loop
                self.ways = min(self.ways * 2, HARMLESS_STEPS)
                self._visit(left, in_loop)
                self._visit(right, in_loop)
            case Group(body=body):
                self._visit(body, in_loop)
            case Repeat(body=body, low=low, high=high):
                if in_loop or (_nullable(body) and high != 1):
                    self.agrees = False
                if high == 1 and low == 0:
                    self.ways = min(self.ways * 2, HARMLESS_STEPS)
                    self._visit(body, in_loop)
                elif low == high:
                    self._visit(body, not isinstance(body, Chars))
                else:
                    self.loops += 1
                    self._visit(body, True)
            case _:
                pass

    def allows(self, length: int, searching: bool) -> bool:
        if not self.agrees or (searching and self.has_choice):
            return False
        loops = self.loops + searching
        return loops <= 8 and self.ways * float(length + 1) ** loops <= HARMLESS_STEPS


def _to_python(node: Node) -> str:
    """The same expression in Python's notation."""
    match node:
        case Chars(mask=mask):
            if mask == 0:
                return "(?!)"
            if mask in (DOT, ALL):
                return "."
            members = [code for code in range(256) if mask >> code & 1]
            if len(members) == 1:
                return re.escape(chr(members[0]))
            return "[" + "".join(f"\\x{code:02x}" for code in members) + "]"
        case Sequence(parts=parts):
            return "".join(_to_python(part) for part in parts)
        case Either(left=left, right=right):
            return f"(?:{_to_python(left)}|{_to_python(right)})"
        case Group(body=body):
            return f"({_to_python(body)})"
        case Repeat(body=body, low=low, high=high):
            bounds = f"{{{low},{'' if high is None else high}}}"
            return f"(?:{_to_python(body)}){bounds}"
        case Anchor(at_start=at_start):
            return r"\A" if at_start else r"\Z"
    raise AssertionError(node)


# --- states ---------------------------------------------------------------------------------------------------------

_CHAR, _ALT, _LOOP, _OPEN, _CLOSE, _START, _END, _SKIP, _ACCEPT = range(9)


class _States:
    """The expression as a graph: `op[i]`, `arg[i]` and `next[i]`; an alternative or loop tries `arg` before `next`.

    `digit[i]`, for a loop that may come back to itself without consuming anything, is its place in the number that
    counts such visits in base 3.
    """

    def __init__(self, tree: Node) -> None:
        self.op: list[int] = []
        self.arg: list[int] = []
        self.next: list[int] = []
        self.digit: dict[int, int] = {}
        accept = self._new(_ACCEPT, 0, -1)
        self.start = self._build(tree, accept)

    def _new(self, op: int, arg: int, following: int) -> int:
        if len(self.op) >= MAX_STATES:
            raise RegexTooLarge
        self.op.append(op)
        self.arg.append(arg)
        self.next.append(following)
        return len(self.op) - 1

    def _build(self, node: Node, then: int) -> int:
        """States for `node` followed by state `then`; the first of them."""
        match node:
            case Chars(mask=mask):
                return self._new(_CHAR, mask, then)
            case Sequence(parts=parts):
                for part in reversed(parts):
                    then = self._build(part, then)
                return then
            case Either(left=left, right=right):
                return self._new(_ALT, self._build(left, then), self._build(right, then))
            case Group(number=number, body=body):
                closing = self._new(_CLOSE, number, then)
                return self._new(_OPEN, number, self._build(body, closing))
            case Anchor(at_start=at_start):
                return self._new(_START if at_start else _END, 0, then)
            case Repeat():
                return self._build_repeat(node, then)
        raise AssertionError(node)

    def _build_repeat(self, node: Repeat, then: int) -> int:
        body, low, high = node.body, node.low, node.high
        if high is None:
            first_inside = len(self.op)
            loop = self._new(_LOOP, -1, then)
            entry = self._build(body, loop)
            self.arg[loop] = entry
            if _nullable(body):
                for state in range(first_inside, len(self.op)):
                    if self.op[state] == _LOOP and state not in self.digit:
                        self.digit[state] = 3 ** len(self.digit)
                if len(self.digit) > MAX_EMPTY_LOOPS:
                    raise RegexTooLarge
            # `e+` enters through the body of its own loop; `e{2,}` has copies of the body before it.
            if low == 0:
                return loop
            then = entry
            low -= 1
        else:
            after = then
            for _ in range(high - low):
                optional = self._new(_LOOP, -1, after)
                self.arg[optional] = self._build(body, then)
                then = optional
        for _ in range(low):
            then = self._build(body, then)
        return then


class _Search:
    """The best end of a match from each (state, place) of one text, worked out on demand and remembered.

    `exact`: only matches up to the end of the text count. `refused` is a place where no match may end (an empty match
    that was found before), or -1.
    """

    def __init__(self, states: _States, text: str, exact: bool, refused: int = -1) -> None:
        self.states = states
        self.text = text
        self.exact = exact
        self.refused = refused
        self.best: dict[tuple[int, int, int], int] = {}

    def straight(self, state: int, at: int, visits: int) -> tuple[int, int, int] | int:
        """Follow states that leave no choice: to a choice, or to the end of a match, or -1."""
        states, text = self.states, self.text
        op, arg, following = states.op, states.arg, states.next
        length = len(text)
        while True:
            kind = op[state]
            if kind == _CHAR:
                if at >= length or not arg[state] >> ord(text[at]) & 1:
                    return -1
                at += 1
                visits = 0
            elif kind in (_ALT, _LOOP):
                return (state, at, visits)
            elif kind == _START:
                if at != 0:
                    return -1
            elif kind == _END:
                if at != length:
                    return -1
            elif kind == _ACCEPT:
                return -1 if at == self.refused or (self.exact and at != length) else at
            state = following[state]

    def entered(self, choice: tuple[int, int, int]) -> tuple[int, int, int] | int:
        """Where the first way out of a choice leads."""
        state, at, visits = choice
        digit = self.states.digit.get(state)
        if digit is not None:
            if visits // digit % 3 == 2:
                return -1
            visits += digit
        return self.straight(self.states.arg[state], at, visits)

    def left(self, choice: tuple[int, int, int]) -> tuple[int, int, int] | int:
        """Where the second way out of a choice leads."""
        state, at, visits = choice
        return self.straight(self.states.next[state], at, visits)

    def solve(self, start: tuple[int, int, int] | int) -> int:
        """The end of the best match from `start`, or -1."""
        if isinstance(start, int):
            return start
        best = self.best
        op = self.states.op
        stack = [start]
        while stack:
            choice = stack[-1]
            if choice in best:
                stack.pop()
                continue
            if len(best) > MAX_WORK:
                raise RegexTooHard
            first = self.entered(choice)
            if not isinstance(first, int):
                if first not in best:
                    stack.append(first)
                    continue
                first = best[first]
            if first >= 0 and (self.exact or op[choice[0]] == _LOOP):
                best[choice] = first
                stack.pop()
                continue
            second = self.left(choice)
            if not isinstance(second, int):
                if second not in best:
                    stack.append(second)
                    continue
                second = best[second]
            best[choice] = max(first, second)
            stack.pop()
        return best[start]

    def value(self, point: tuple[int, int, int] | int) -> int:
        return point if isinstance(point, int) else self.best[point]

    def captures(self, begin: int, end: int, count: int) -> Groups:
        """The groups of the match from `begin` to `end` that `solve` found: walk the same way again."""
        states, text = self.states, self.text
        opened = [0] * (count + 1)
        found: Groups = [None] * count
        state, at, visits = states.start, begin, 0
        while True:
            kind = states.op[state]
            if kind == _ACCEPT:
                return found
            if kind == _CHAR:
                at += 1
                visits = 0
            elif kind == _OPEN:
                opened[states.arg[state]] = at
            elif kind == _CLOSE:
                group = states.arg[state]
                found[group - 1] = text[opened[group] : at]
            elif kind in (_ALT, _LOOP):
                choice = (state, at, visits)
                if self.value(self.entered(choice)) == end:
                    visits += states.digit.get(state, 0)
                    state = states.arg[state]
                    continue
            state = states.next[state]


class Regex:
    """A compiled expression.  Raises `BadRegex` or `RegexTooLarge`."""

    def __init__(self, pattern: str) -> None:
        parser = Parser(pattern)
        try:
            self._tree = parser.parse()
            self._states = _States(self._tree)
            self._harmless = _Harmless(self._tree)
        except RecursionError:
            raise RegexTooLarge from None
        self.groups = parser.groups
        self._python: re.Pattern[str] | None = None

    def _as_python(self) -> re.Pattern[str]:
        if self._python is None:
            self._python = re.compile(_to_python(self._tree), re.DOTALL)
        return self._python

    def fullmatch(self, text: str) -> Groups | None:
        """The groups, if the whole of `text` matches; a group that took no part is nothing."""
        if self._harmless.allows(len(text), searching=False):
            found = self._as_python().fullmatch(text)
            return None if found is None else list(found.groups())
        search = _Search(self._states, text, exact=True)
        end = search.solve(search.straight(search.states.start, 0, 0))
        return None if end < 0 else search.captures(0, end, self.groups)

    def matches(self, text: str) -> Iterator[tuple[int, int, Groups]]:
        """Every match in `text`, from the left: start, end, groups.

        After an empty match a non-empty one is tried at the same place before the search moves on.
        """
        if self._harmless.allows(len(text), searching=True):
            for found in self._as_python().finditer(text):
                yield found.start(), found.end(), list(found.groups())
            return
        search = _Search(self._states, text, exact=False)
        start_state = search.states.start
        at = 0
        while at <= len(text):
            end = search.solve(search.straight(start_state, at, 0))
            if end < 0:
                at += 1
                continue
            yield at, end, search.captures(at, end, self.groups)
            if end == at:
                again = _Search(search.states, text, exact=False, refused=at)
                end = again.solve(again.straight(start_state, at, 0))
                if end < 0:
                    at += 1
                    continue
                yield at, end, again.captures(at, end, self.groups)
            at = end


_compiled: dict[str, Regex] = {}


def compile_regex(pattern: str) -> Regex:
    """A compiled expression, remembered for the next time."""
    found = _compiled.get(pattern)
    if found is None:
        if len(_compiled) >= 500:
            _compiled.clear()
        found = _compiled[pattern] = Regex(pattern)
    return found


def as_bytes_text(text: str) -> str:
    """`text` with one character for each of its UTF-8 bytes."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def from_bytes_text(text: str) -> str:
    """The inverse of `as_bytes_text`, for any part of such a text."""
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", "surrogateescape")
