"""One matcher for two notations: it finds what Ruby finds, groups included, and its yes or no is the same."""

from __future__ import annotations

import re
from random import Random

import pytest

from support.effort import lines
from wherefrom.base.regex import BadRegex, compile_regex, posix
from wherefrom.base.regex.ruby import BoundedMatcher
from wherefrom.base.regex.ruby_syntax import translate

EMPTY_ROUNDS = [
    (r"((.)*)*+", "bb", ("", "b")),
    (r"((((b)*)){1,})*", "b\na", ("", "", "", "b")),
    (r"(((.)*)?)*", "aabcb\ncc", ("", "", "b")),
    (r"((.){0,2}(\b|\w|$))*(.)??", "b", ("", "b", "", None)),
    (r"((.)*?)*a", "caa", ("", "c")),
]


@pytest.mark.parametrize(("pattern", "text", "groups"), EMPTY_ROUNDS)
def test_rounds_that_take_nothing(pattern: str, text: str, groups: tuple[str | None, ...]) -> None:
    """What groups hold after a round of a loop that matched nothing (answers from Ruby 3.1)."""
    python, tree = translate(pattern)
    found = BoundedMatcher(tree, re.compile(python)).search(text)
    assert found is not None
    assert found.groups() == groups


def pattern_of(random: Random, depth: int) -> str:
    """Some pattern in Ruby's notation."""
    kind = random.random()
    if depth == 0 or kind < 0.25:
        return random.choice(["a", "b", ".", "[ab]", "[^a]", "c", r"\w", r"\b", "^", "$", "(?i:A)", r"\z"])
    inner = pattern_of(random, depth - 1)
    if kind < 0.5:
        return inner + pattern_of(random, depth - 1)
    if kind < 0.62:
        return f"({inner})"
    if kind < 0.78:
        return f"({inner}|{pattern_of(random, depth - 1)})"
    if kind < 0.84:
        return f"{random.choice(['(?=', '(?!', '(?>', '(?:'])}{inner})"
    return f"({inner}){random.choice(['*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?', '??', '*+', '++'])}"


def test_agrees_with_a_backtracking_matcher() -> None:
    """On patterns nobody wrote: place, groups, and whether there is a match at all."""
    random = Random(7)
    for _ in range(1_500):
        pattern = pattern_of(random, random.randrange(1, 5))
        text = "".join(random.choice("abc\n") for _ in range(random.randrange(9)))
        python, tree = translate(pattern)
        compiled = re.compile(python)
        theirs = compiled.search(text)
        careful = BoundedMatcher(tree, compiled)
        ours = careful.search(text)
        assert (ours and (ours.span(), ours.groups())) == (theirs and (theirs.span(), theirs.groups())), (pattern, text)
        assert careful.test(text) == (theirs is not None), (pattern, text)


@pytest.mark.parametrize("pattern", ["(a+)+(?=b)c", "(?:(a*)*)*(?!x)b", "(a|a)*?b", "((a++|a)+)+$b"])
def test_work_grows_with_the_text(pattern: str) -> None:
    """Four times the text is four times the work, with look-around too; backtracking would never end."""
    regex = compile_regex(pattern)
    small, large = lines(lambda: regex.search("a" * 500)), lines(lambda: regex.search("a" * 2_000))
    assert large / small < 4.5


def test_both_notations_are_told_apart() -> None:
    """The same letters, two languages."""
    assert compile_regex(r"\d+").search("a12")[0] == "12"
    with pytest.raises(BadRegex):
        posix.compile_regex(r"\d+")
    found = compile_regex("a|ab").search("ab")
    assert found[0] == "a"
    assert next(posix.compile_regex("a|ab").matches("ab"))[:2] == (0, 2)
