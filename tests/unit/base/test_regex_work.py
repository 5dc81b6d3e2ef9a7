"""The estimate of a matcher's work is no less than what a backtracking matcher does, and patterns take bounded time."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from functools import cache

import pytest

from support.effort import lines
from support.examples import examples
from wherefrom.base.budget import Budget, OverBudget
from wherefrom.base.diagnostics import LimitReached
from wherefrom.base.regex import compile_regex
from wherefrom.base.regex.ruby_syntax import translate
from wherefrom.base.regex.tree import Alt, Chars, Empty, Group, Mark, Node, Repeat, Seq
from wherefrom.base.regex.work import MAXIMUM_WORK, Work

MOST = 300_000
"""Steps after which counting ends: the estimate is larger then, or the test fails."""


class Enough(Exception):
    """So many steps."""


class Counter:
    """A backtracking matcher that counts the characters it looks at."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0

    def matches(self, node: Node, at: int, then: Callable[[int], bool]) -> bool:
        """Whether the node matches at a place, and what comes then."""
        match node:
            case Chars():
                self.steps += 1
                if self.steps > MOST:
                    raise Enough
                return at < len(self.text) and in_class(node.source, self.text[at]) and then(at + 1)
            case Empty():
                return then(at)
            case Seq(parts=parts):
                return self.sequence(parts, at, then)
            case Alt(options=options):
                return any(self.matches(option, at, then) for option in options)
            case Group(body=body):
                return self.matches(body, at, then)
            case Mark(source=source):
                holds = {r"\A": at == 0, r"\Z": at == len(self.text)}[source]
                return holds and then(at)
            case Repeat():
                return self.repeat(node, 0, at, then)
        raise AssertionError(node)

    def sequence(self, parts: tuple[Node, ...], at: int, then: Callable[[int], bool]) -> bool:
        if not parts:
            return then(at)
        return self.matches(parts[0], at, lambda after: self.sequence(parts[1:], after, then))

    def repeat(self, node: Repeat, rounds: int, at: int, then: Callable[[int], bool]) -> bool:
        def again() -> bool:
            if node.high is not None and rounds >= node.high:
                return False
            return self.matches(
                node.body,
                at,
                lambda after: (after > at or rounds < node.low) and self.repeat(node, rounds + 1, after, then),
            )

        if rounds < node.low:
            return again()
        return then(at) or again() if node.mode == "?" else again() or then(at)


@cache
def in_class(source: str, character: str) -> bool:
    """Whether a class of characters matches one."""
    import re

    return re.compile(source).match(character) is not None


def pattern(chance: random.Random, depth: int) -> str:
    """A pattern in Ruby's notation, of few characters, so that its parts trade them."""
    if depth == 0:
        return chance.choice(["a", "b", "[ab]", ".", "c", "[^b]"])
    inner = pattern(chance, depth - 1)
    match chance.randrange(6):
        case 0:
            return f"{inner}{pattern(chance, depth - 1)}"
        case 1:
            return f"(?:{inner}|{pattern(chance, depth - 1)})"
        case 2 | 3:
            times = chance.choice(["*", "+", "?", "*?", "{2}", "{0,3}", "{7}", "{3,9}", "{2,}"])
            return f"(?:{inner}){times}" if len(inner) > 1 else inner + times
        case 4:
            return f"{inner}{pattern(chance, 0)}{chance.choice('*+')}"
    return f"({inner})"


def compared(seed: int) -> float | None:
    """The estimate as a multiple of the steps, for a pattern and a text; nothing if it is infinite."""
    chance = random.Random(f"work {seed}")
    source = chance.choice(["", "", "\\A"]) + "".join(pattern(chance, chance.randint(0, 3)) for _ in range(2))
    source += chance.choice(["", "z", "\\z", "q"])
    unit = "".join(chance.choice("abc") for _ in range(chance.randint(1, 3)))
    text = (unit * 20)[: chance.randint(1, 18)] + chance.choice(["", "a", "b\n", "c"])
    tree = translate(source)[1]
    for searching in (False, True):
        work = Work(tree).of(text, searching, 0)
        counter = Counter(text)
        with suppress(Enough):
            any(counter.matches(tree, at, lambda _: True) for at in range(len(text) + 1 if searching else 1))
        assert counter.steps <= work, (source, text, searching, counter.steps, work)
    return work / max(1, counter.steps)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2, 3))])
def test_the_estimate_is_no_less_than_the_steps(seed: int) -> None:
    """For generated patterns and texts, for a search and for a match at one place."""
    for number in range(examples(200)):
        compared(seed * 1_000_000 + number)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"\s+$", (" " * 75 + "x\n") * 2_000),
        (r"(\w+)\s*=\s*(\w+)", "abc = def\n" * 20_000),
        (r"^\s*#.*$", ("# " + "word " * 15 + "\n") * 1_000),
        (r"\A[a-z0-9._-]+\z", "a" * 500_000),
        (r"[^:]+:[^:]*:(\d+)", "root:x:0:0:root:/root:/bin/bash\n" * 5_000),
    ],
)
def test_what_is_quick_is_left_to_python(source: str, text: str) -> None:
    """The longest stretch counts, not the whole text."""
    assert Work(translate(source)[1]).of(text, True, 0) <= MAXIMUM_WORK


def test_rounds_that_take_nothing_are_ways_too() -> None:
    """Which rounds of a counted repeat are empty, no text tells: such a pattern is not left to Python's matcher."""
    assert Work(translate("(?:c?){7}[^b]+(?:..){7}")[1]).of("c" * 15, False, 0) > MAXIMUM_WORK
    assert Work(translate("(?:c?){3}[^b]+")[1]).of("c" * 15, False, 0) <= MAXIMUM_WORK


BLANKS = " " * 999_998 + "x"
HARD = [
    (r"\s+$", BLANKS), (r" *?y", BLANKS), ("a*?b", "a" * 900_000), ("a*c|a", "a" * 60_000),
    ("(a|b|ab)*c", "ab" * 60_000),
    (r"(\d+)(\w*)(\d+)z", "1" * 20_000), (r"(x+x+)+y", "x" * 20_000), (r"(a*)\1b", "a" * 5_000),
    (r"(?=a*b)a", "a" * 20_000),
    ("a?" * 30 + "a" * 30, "a" * 29), ("(?:a|a)(?:a|a)(?:a|a)" * 8 + "b", "a" * 30), (".*.*.*=", "x" * 5_000),
]  # fmt: skip
"""Patterns and texts that a backtracking matcher never comes to an end with."""


@pytest.mark.parametrize("way", ["test", *(pytest.param(way, marks=pytest.mark.long) for way in ("search", "all"))])
@pytest.mark.parametrize(("source", "text"), HARD, ids=[source[:20] for source, _ in HARD])
def test_what_is_hard_ends(source: str, text: str, way: str) -> None:
    """With an answer, or at a bound: without one, none of them would end while anybody waits."""
    regex = compile_regex(source)
    with suppress(LimitReached, OverBudget), Budget().in_force():
        match way:
            case "search":
                regex.search(text)
            case "test":
                regex.test(text)
            case _:
                sum(1 for _ in regex.finditer(text))


def test_a_search_draws_from_the_budget() -> None:
    """What it may take at most, a hundred steps for one."""
    with Budget(steps=10_000).in_force(), pytest.raises(OverBudget, match="matching a regular expression"):
        compile_regex("a*?b").search("a" * 6_000)
    assert lines(lambda: compile_regex("a*?c").search("a" * 100)) < 1_000
