"""The syntax of POSIX extended regular expressions, over bytes (IEEE 1003.1, section 9.4), as trees.

What Nix's library refuses is refused here: an escape of an ordinary character, a repetition of nothing, unknown
classes.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .tree import Alt, BadRegex, Chars, Empty, Group, Mark, Node, RegexTooLarge, Repeat, Seq

MAX_REPEATS = 100_000


ALL = (1 << 256) - 1
DOT = ALL & ~1  # any byte but NUL
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


@lru_cache(maxsize=1024)
def chars(mask: int) -> Chars:
    """One character out of a set, given as a bit mask over the 256 bytes."""
    members = frozenset(chr(code) for code in range(256) if mask >> code & 1)
    if not members:
        source = "(?:(?!))"
    elif mask in (DOT, ALL):
        source = "."
    elif len(members) == 1:
        source = re.escape(min(members))
    else:
        source = "[" + "".join(f"\\x{ord(member):02x}" for member in sorted(members)) + "]"
    return Chars(source, members)


class PosixParser:
    """Reads one expression by recursive descent."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0
        self.groups = 0
        self.depth = 0

    def parse(self) -> Node:
        tree = self.parse_alternatives()
        if self.at < len(self.pattern):
            raise BadRegex(self.pattern)
        return tree

    def peek(self) -> str:
        return self.pattern[self.at] if self.at < len(self.pattern) else ""

    def parse_alternatives(self) -> Node:
        branches = [self.parse_sequence()]
        while self.peek() == "|":
            self.at += 1
            branches.append(self.parse_sequence())
        return branches[0] if len(branches) == 1 else Alt(tuple(branches))

    def parse_sequence(self) -> Node:
        parts: list[Node] = []
        while (char := self.peek()) and char not in "|)":
            if char in "^$":
                self.at += 1
                parts.append(Mark(r"\A" if char == "^" else r"\Z"))
                continue
            part = self.parse_atom(char)
            while self.peek() and self.peek() in "*+?{":
                part = self.parse_quantifier(part)
            parts.append(part)
        return parts[0] if len(parts) == 1 else Seq(tuple(parts)) if parts else Empty()

    def parse_atom(self, char: str) -> Node:
        self.at += 1
        if char == "(":
            self.groups += 1
            self.depth += 1
            if self.depth > _MAX_NESTING:
                raise RegexTooLarge
            number = self.groups
            body = self.parse_alternatives()
            if self.peek() != ")":
                raise BadRegex(self.pattern)
            self.at += 1
            self.depth -= 1
            return Group(body, number)
        if char == ".":
            return chars(DOT)
        if char == "[":
            return self.parse_bracket()
        if char == "\\":
            escaped = self.peek()
            if not escaped or escaped not in _SPECIAL:
                raise BadRegex(self.pattern)
            self.at += 1
            return chars(1 << ord(escaped))
        if char in "*+?{":
            raise BadRegex(self.pattern)
        return chars(1 << ord(char))

    def parse_quantifier(self, body: Node) -> Node:
        char = self.pattern[self.at]
        self.at += 1
        if char != "{":
            return Repeat(body, 1 if char == "+" else 0, 1 if char == "?" else None, "")
        low = self.parse_number()
        high: int | None = low
        if self.peek() == ",":
            self.at += 1
            high = self.parse_number() if self.peek().isdigit() else None
        if self.peek() != "}":
            raise BadRegex(self.pattern)
        self.at += 1
        if high is not None and high < low:
            raise BadRegex(self.pattern)
        if max(low, high or 0) > MAX_REPEATS:
            raise RegexTooLarge
        return Repeat(body, low, high, "")

    def parse_number(self) -> int:
        start = self.at
        while self.peek() and self.peek() in "0123456789":
            self.at += 1
        digits = self.pattern[start : self.at]
        if not digits:
            raise BadRegex(self.pattern)
        if len(digits.lstrip("0")) > 9:
            raise BadRegex(self.pattern)
        return int(digits)

    def parse_bracket(self) -> Node:
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
                raise BadRegex(self.pattern)
            char = pattern[self.at]
            if char == "]" and not first:
                self.at += 1
                break
            first = False
            if char == "[" and self.at + 1 < len(pattern) and pattern[self.at + 1] in ".:=":
                kind, name = self.parse_bracket_name()
                if kind == ":":
                    class_mask = _CLASSES.get(name.lower())
                    if class_mask is None:
                        raise BadRegex(self.pattern)
                    mask |= class_mask
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
                    raise BadRegex(self.pattern)
                mask |= _mask((pending, high))
                pending = None
                continue
            if char == "-" and pending is None and mask and self.peek() not in ("]", ""):
                # A dash after a range or a class, and not the last character: no such expression.
                raise BadRegex(self.pattern)
            pending = ord(char)
            mask |= 1 << pending
        return chars(ALL & ~mask if negated else mask)

    def parse_bracket_name(self) -> tuple[str, str]:
        kind = self.pattern[self.at + 1]
        end = self.pattern.find(kind + "]", self.at + 2)
        if end < 0:
            raise BadRegex(self.pattern)
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
        raise BadRegex(name)
