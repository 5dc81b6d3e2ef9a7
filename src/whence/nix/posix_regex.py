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

MAX_STATES = 100_000
MAX_WORK = 3_000_000
MAX_REPEATS = 100_000
HARMLESS_STEPS = 2_000_000

Groups: TypeAlias = list[str | None]


class BadRegex(Exception):
    """The expression is not well formed."""


class RegexTooLarge(Exception):
    """The expression needs more states than allowed."""


class RegexTooHard(Exception):
    """Matching needs more memory than allowed."""


# --- syntax ---------------------------------------------------------------------------------------------------------


class _Node:
    __slots__ = ()


class _Chars(_Node):
    """One character out of a set, given as a bit mask over the 256 bytes."""

    __slots__ = ("mask",)

    def __init__(self, mask: int) -> None:
        self.mask = mask


class _Sequence(_Node):
    __slots__ = ("parts",)

    def __init__(self, parts: list[_Node]) -> None:
        self.parts = parts


class _Either(_Node):
    """`left | right`; longer chains nest to the right."""

    __slots__ = ("left", "right")

    def __init__(self, left: _Node, right: _Node) -> None:
        self.left = left
        self.right = right


class _Group(_Node):
    __slots__ = ("body", "number")

    def __init__(self, number: int, body: _Node) -> None:
        self.number = number
        self.body = body


class _Repeat(_Node):
    """`body` at least `low` and at most `high` times (no bound if `high` is nothing)."""

    __slots__ = ("body", "high", "low")

    def __init__(self, body: _Node, low: int, high: int | None) -> None:
        self.body = body
        self.low = low
        self.high = high


class _Anchor(_Node):
    __slots__ = ("at_start",)

    def __init__(self, at_start: bool) -> None:
        self.at_start = at_start


_ALL = (1 << 256) - 1
_DOT = _ALL & ~1  # any byte but NUL
_SPECIAL = frozenset(".[\\()*+?{|^$")


def _mask(*ranges: tuple[int, int]) -> int:
    bits = 0
    for low, high in ranges:
        bits |= ((1 << (high + 1)) - 1) & ~((1 << low) - 1)
    return bits


_DIGIT = _mask((48, 57))
_UPPER = _mask((65, 90))
_LOWER = _mask((97, 122))
_GRAPH = _mask((33, 126))
_CLASSES = {
    "alpha": _UPPER | _LOWER,
    "digit": _DIGIT,
    "d": _DIGIT,
    "alnum": _UPPER | _LOWER | _DIGIT,
    "w": _UPPER | _LOWER | _DIGIT | _mask((95, 95)),
    "upper": _UPPER,
    "lower": _LOWER,
    "space": _mask((9, 13), (32, 32)),
    "s": _mask((9, 13), (32, 32)),
    "blank": _mask((9, 9), (32, 32)),
    "punct": _GRAPH & ~(_UPPER | _LOWER | _DIGIT),
    "print": _mask((32, 126)),
    "graph": _GRAPH,
    "cntrl": _mask((0, 31), (127, 127)),
    "xdigit": _DIGIT | _mask((65, 70), (97, 102)),
}
_NAMED = (
    "NUL SOH STX ETX EOT ENQ ACK alert backspace tab newline vertical-tab form-feed carriage-return SO SI DLE DC1 DC2 "
    "DC3 DC4 NAK SYN ETB CAN EM SUB ESC IS4 IS3 IS2 IS1 space exclamation-mark quotation-mark number-sign dollar-sign "
    "percent-sign ampersand apostrophe left-parenthesis right-parenthesis asterisk plus-sign comma hyphen period slash "
    "zero one two three four five six seven eight nine colon semicolon less-than-sign equals-sign greater-than-sign "
    "question-mark commercial-at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z left-square-bracket backslash "
    "right-square-bracket circumflex underscore grave-accent a b c d e f g h i j k l m n o p q r s t u v w x y z "
    "left-curly-bracket vertical-line right-curly-bracket tilde DEL"
).split()
"""Names of the characters 0 to 127 for `[.name.]`."""

_MAX_NESTING = 1_000
_MAX_EMPTY_LOOPS = 64


class _Parser:
    """Reads one expression by recursive descent."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.groups = 0
        self.depth = 0

    def parse(self) -> _Node:
        tree = self.parse_alternatives()
        if self.at < len(self.pattern):
            raise BadRegex
        return tree

    def peek(self) -> str:
        return self.pattern[self.at] if self.at < len(self.pattern) else ""

    def parse_alternatives(self) -> _Node:
        branches = [self.parse_sequence()]
        while self.peek() == "|":
            self.at += 1
            branches.append(self.parse_sequence())
        tree = branches.pop()
        while branches:
            tree = _Either(branches.pop(), tree)
        return tree

    def parse_sequence(self) -> _Node:
        parts: list[_Node] = []
        while (char := self.peek()) and char not in "|)":
            if char in "^$":
                self.at += 1
                parts.append(_Anchor(char == "^"))
                continue
            part = self.parse_atom(char)
            while self.peek() and self.peek() in "*+?{":
                part = self.parse_quantifier(part)
            parts.append(part)
        return parts[0] if len(parts) == 1 else _Sequence(parts)

    def parse_atom(self, char: str) -> _Node:
        self.at += 1
        if char == "(":
            self.groups += 1
            self.depth += 1
            if self.depth > _MAX_NESTING:
                raise RegexTooLarge
            number = self.groups
            body = self.parse_alternatives()
            if self.peek() != ")":
                raise BadRegex
            self.at += 1
            self.depth -= 1
            return _Group(number, body)
        if char == ".":
            return _Chars(_DOT)
        if char == "[":
            return self.parse_bracket()
        if char == "\\":
            escaped = self.peek()
            if not escaped or escaped not in _SPECIAL:
                raise BadRegex
            self.at += 1
            return _Chars(1 << ord(escaped))
        if char in "*+?{":
            raise BadRegex
        return _Chars(1 << ord(char))

    def parse_quantifier(self, body: _Node) -> _Node:
        char = self.pattern[self.at]
        self.at += 1
        if char != "{":
            return _Repeat(body, 1 if char == "+" else 0, 1 if char == "?" else None)
        low = self.parse_number()
        high: int | None = low
        if self.peek() == ",":
            self.at += 1
            high = self.parse_number() if self.peek().isdigit() else None
        if self.peek() != "}":
            raise BadRegex
        self.at += 1
        if high is not None and high < low:
            raise BadRegex
        if max(low, high or 0) > MAX_REPEATS:
            raise RegexTooLarge
        return _Repeat(body, low, high)

    def parse_number(self) -> int:
        start = self.at
        while self.peek() and self.peek() in "0123456789":
            self.at += 1
        digits = self.pattern[start : self.at]
        if not digits:
            raise BadRegex
        if len(digits.lstrip("0")) > 9:
            raise BadRegex
        return int(digits)

    def parse_bracket(self) -> _Node:
        """`[...]` after the opening bracket (POSIX, section 9.3.5; a backslash is an ordinary character)."""
        pattern = self.pattern
        negated = self.peek() == "^"
        if negated:
            self.at += 1
        mask = 0
        pending: int | None = None  # a single character that may begin a range
        first = True
        while True:
            if self.at >= len(pattern):
                raise BadRegex
            char = pattern[self.at]
            if char == "]" and not first:
                self.at += 1
                break
            first = False
            if char == "[" and self.at + 1 < len(pattern) and pattern[self.at + 1] in ".:=":
                kind, name = self.parse_bracket_name()
                if kind == ":":
                    found = _CLASSES.get(name.lower())
                    if found is None:
                        raise BadRegex
                    mask |= found
                    pending = None
                    continue
                code = self.collating(name)
                mask |= 1 << code
                # An equivalence class can not begin a range.
                pending = code if kind == "." else None
                continue
            self.at += 1
            if char == "-" and pending is not None and self.peek() not in ("]", ""):
                high = self.range_end()
                if high < pending:
                    raise BadRegex
                mask |= _mask((pending, high))
                pending = None
                continue
            if char == "-" and pending is None and mask and self.peek() not in ("]", ""):
                # A dash after a range or a class, and not the last character: no such expression.
                raise BadRegex
            pending = ord(char)
            mask |= 1 << pending
        return _Chars(_ALL & ~mask if negated else mask)

    def parse_bracket_name(self) -> tuple[str, str]:
        kind = self.pattern[self.at + 1]
        end = self.pattern.find(kind + "]", self.at + 2)
        if end < 0:
            raise BadRegex
        name = self.pattern[self.at + 2 : end]
        self.at = end + 2
        return kind, name

    def range_end(self) -> int:
        char = self.pattern[self.at]
        if char == "[" and self.pattern[self.at + 1 : self.at + 2] == ".":
            return self.collating(self.parse_bracket_name()[1])
        self.at += 1
        return ord(char)

    @staticmethod
    def collating(name: str) -> int:
        if name in _NAMED:
            return _NAMED.index(name)
        raise BadRegex


# --- properties that decide how to run ------------------------------------------------------------------------------


def _nullable(node: _Node) -> bool:
    """Whether `node` can match the empty text."""
    match node:
        case _Chars():
            return False
        case _Sequence(parts=parts):
            return all(_nullable(part) for part in parts)
        case _Either(left=left, right=right):
            return _nullable(left) or _nullable(right)
        case _Group(body=body):
            return _nullable(body)
        case _Repeat(body=body, low=low):
            return low == 0 or _nullable(body)
        case _:
            return True


class _Harmless:
    """Whether Python's `re` may run an expression: it must agree with the rules above, and be quick.

    `loops` counts the repetitions that can go round many times and `ways` the other choices: a backtracking matcher
    needs at most about `length ** loops * ways` steps, if no loop holds another loop or a choice.
    """

    def __init__(self, tree: _Node) -> None:
        self.agrees = True
        self.has_choice = False
        self.loops = 0
        self.ways = 1
        self._visit(tree, False)

    def _visit(self, node: _Node, in_loop: bool) -> None:
        match node:
            case _Sequence(parts=parts):
                for part in parts:
                    self._visit(part, in_loop)
            case _Either(left=left, right=right):
                self.has_choice = True
                self.agrees = self.agrees and not in_loop
                self.ways = min(self.ways * 2, HARMLESS_STEPS)
                self._visit(left, in_loop)
                self._visit(right, in_loop)
            case _Group(body=body):
                self._visit(body, in_loop)
            case _Repeat(body=body, low=low, high=high):
                if in_loop or (_nullable(body) and high != 1):
                    self.agrees = False
                if high == 1 and low == 0:
                    self.ways = min(self.ways * 2, HARMLESS_STEPS)
                    self._visit(body, in_loop)
                elif low == high:
                    self._visit(body, not isinstance(body, _Chars))
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


def _to_python(node: _Node) -> str:
    """The same expression in Python's notation."""
    match node:
        case _Chars(mask=mask):
            if mask == 0:
                return "(?!)"
            if mask in (_DOT, _ALL):
                return "."
            members = [code for code in range(256) if mask >> code & 1]
            if len(members) == 1:
                return re.escape(chr(members[0]))
            return "[" + "".join(f"\\x{code:02x}" for code in members) + "]"
        case _Sequence(parts=parts):
            return "".join(_to_python(part) for part in parts)
        case _Either(left=left, right=right):
            return f"(?:{_to_python(left)}|{_to_python(right)})"
        case _Group(body=body):
            return f"({_to_python(body)})"
        case _Repeat(body=body, low=low, high=high):
            bounds = f"{{{low},{'' if high is None else high}}}"
            return f"(?:{_to_python(body)}){bounds}"
        case _Anchor(at_start=at_start):
            return r"\A" if at_start else r"\Z"
    raise AssertionError(node)


# --- states ---------------------------------------------------------------------------------------------------------

_CHAR, _ALT, _LOOP, _OPEN, _CLOSE, _START, _END, _SKIP, _ACCEPT = range(9)


class _States:
    """The expression as a graph: `op[i]`, `arg[i]` and `next[i]`; an alternative or loop tries `arg` before `next`.

    `digit[i]`, for a loop that may come back to itself without consuming anything, is its place in the number that
    counts such visits in base 3.
    """

    def __init__(self, tree: _Node) -> None:
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

    def _build(self, node: _Node, then: int) -> int:
        """States for `node` followed by state `then`; the first of them."""
        match node:
            case _Chars(mask=mask):
                return self._new(_CHAR, mask, then)
            case _Sequence(parts=parts):
                for part in reversed(parts):
                    then = self._build(part, then)
                return then
            case _Either(left=left, right=right):
                return self._new(_ALT, self._build(left, then), self._build(right, then))
            case _Group(number=number, body=body):
                closing = self._new(_CLOSE, number, then)
                return self._new(_OPEN, number, self._build(body, closing))
            case _Anchor(at_start=at_start):
                return self._new(_START if at_start else _END, 0, then)
            case _Repeat():
                return self._build_repeat(node, then)
        raise AssertionError(node)

    def _build_repeat(self, node: _Repeat, then: int) -> int:
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
                if len(self.digit) > _MAX_EMPTY_LOOPS:
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
        parser = _Parser(pattern)
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
