"""Ruby's regular expressions: what they match here is what they match there.  Expected results are Ruby 3.1's."""

from __future__ import annotations

import re
from random import Random

import pytest

from support.effort import effort
from wherefrom.base.diagnostics import LimitReached
from wherefrom.base.regex.ambiguity import is_risky
from wherefrom.base.regex.ruby import BoundedMatcher
from wherefrom.base.regex.ruby_syntax import translate
from wherefrom.puppet.kernel.regex import compile_regex
from wherefrom.puppet.kernel.type_failures import BadRegex

# pattern, text, what Ruby finds: start, end and groups, or nothing
MATCHES: list[tuple[str, str, tuple[int, int, tuple[str | None, ...]] | None]] = [
    (r"^b", "a\nb", (2, 3, ())),
    (r"a$", "a\nb", (0, 1, ())),
    (r"^$", "a\n", None),
    (r"\n^", "a\n", None),
    (r"\n$", "a\n", (1, 2, ())),
    (r"\Aa\Z", "a\n", (0, 1, ())),
    (r"\Aa\z", "a\n", None),
    (r"a.b", "a\nb", None),
    (r"(?m)a.b", "a\nb", (0, 3, ())),
    (r"(?m:a.)b", "a\nb", (0, 3, ())),
    (r"\w+", "é", None),
    (r"[[:alpha:]]+", "é1", (0, 1, ())),
    (r"\bé\b", "é", (0, 1, ())),
    (r"\h+", "xBEEFg", (1, 5, ())),
    (r"[^\h]", "aF9g", (3, 4, ())),
    (r"[[:upper:]][[:lower:]]", "aÄö", (1, 3, ())),
    (r"[[:punct:]]+", "a$+.b", (1, 4, ())),
    (r"[^[:space:]]+", " ab ", (1, 3, ())),
    (r"[a-z&&[^aeiou]]+", "aibcd", (2, 5, ())),
    (r"[a[bc]d]+", "xabcd", (1, 5, ())),
    (r"[]a]+", "x]a", (1, 3, ())),
    (r"(?<n>a)(b)", "ab", (0, 2, ("a",))),
    (r"(?<n>a)\k<n>", "aa", (0, 2, ("a",))),
    (r"(a)\1", "aa", (0, 2, ("a",))),
    (r"\A(?<p>\d+)(?:\.\g<p>)*\z", "1.22.3", (0, 6, ("1",))),
    (r"a(?i)b|c", "aC", (0, 2, ())),
    (r"(?i)A(?-i)b", "ab", (0, 2, ())),
    (r"(?x) a b # comment", "ab", (0, 2, ())),
    (r"a++b", "aab", (0, 3, ())),
    (r"(?>a+)ab", "aab", None),
    (r"a{1,2}+b", "aaaab", (0, 5, ())),
    (r"a{2}?", "a", (0, 0, ())),
    (r"a{,2}", "aaa", (0, 2, ())),
    (r"(?<=a|bc)d", "bcd", (2, 3, ())),
    (r"(?<!a|bc)d", "bcd", None),
    (r"\p{Lu}\P{Lu}", "Äa", (0, 2, ())),
    (r"\u0061\x62\t\/", "ab\t/", (0, 4, ())),
    (r"a\R", "a\r\n", (0, 3, ())),
    (r"(?<a>x)?(?(<a>)y|z)", "xy", (0, 2, ("x",))),
    (r"\101", "A", (0, 1, ())),
    (r"x{", "x{", (0, 2, ())),
    (r"(?#comment)a", "a", (0, 1, ())),
    (r"a**", "aa", (0, 2, ())),
]

# pattern, Ruby's words
ERRORS = [
    ("(", "end pattern with unmatched parenthesis"),
    (")", "unmatched close parenthesis"),
    ("[", "premature end of char-class"),
    ("[]", "empty char-class"),
    ("*", "target of repeat operator is not specified"),
    ("a|*", "target of repeat operator is not specified"),
    ("a{2,1}", "upper is smaller than lower in repeat range"),
    ("a{100001}", "too big number for repeat range"),
    ("[z-a]", "empty range in char class"),
    (r"[a-\d]", "char-class value at end of range"),
    ("[[:foo:]]", "invalid POSIX bracket type"),
    (r"\p{Foo}", "invalid character property name {Foo}"),
    (r"\k<x>", "undefined name <x> reference"),
    (r"\2(a)", "invalid backref number/name"),
    (r"(?<n>a)\1", "numbered backref/call is not allowed. (use name)"),
    ("(?<1>a)", "invalid group name <1>"),
    ("(?y)", "undefined group option"),
    ("(?<=a+)b", "invalid pattern in look-behind"),
    ("\\", "too short escape sequence"),
    (r"\x", "invalid hex escape"),
    (r"\u12", "invalid Unicode escape"),
]

REFUSED = [r"\K", r"\Ga", r"\X", "(?~abc)", r"(?<a>x\g<a>?)", r"\1(a)", r"\p{Greek}"]

RISKY = [
    "(a+)+$",
    "(a*)*b",
    "(a|a)*b",
    "(a|b|ab)*c",
    "(x+x+)+y",
    r"(\s*\w+)*z",
    "(a?b?)*c",
    "(a+b?a)*c",
    r"^/([^/]+/*)*$",
]
HARMLESS = [
    r"^([a-z0-9]+(-[a-z0-9]+)*\.)+[a-z]{2,}$",
    r"(\d{1,3}\.){3}\d{1,3}",
    "([a-z]{2})*",
    "^(/[^/]+)+$",
    "(foo|bar)*baz",
    r"\A[a-z][a-z0-9_]*(::[a-z][a-z0-9_]*)*\z",
]


@pytest.mark.parametrize(("pattern", "text", "wanted"), MATCHES)
def test_match(pattern: str, text: str, wanted: tuple[int, int, tuple[str | None, ...]] | None) -> None:
    """Place and groups of the first match."""
    found = compile_regex(pattern).search(text)
    assert (None if found is None else (found.start(), found.end(), found.groups())) == wanted
    assert compile_regex(pattern).test(text) == (wanted is not None)


@pytest.mark.parametrize(("pattern", "words"), ERRORS)
def test_errors_have_rubys_words(pattern: str, words: str) -> None:
    """What is wrong in Ruby is wrong here, and told alike."""
    with pytest.raises(BadRegex) as problem:
        compile_regex(pattern)
    assert problem.value.message == f"{words}: /{pattern}/"


@pytest.mark.parametrize("pattern", REFUSED)
def test_refused(pattern: str) -> None:
    """What cannot be carried over is refused, and said so."""
    with pytest.raises(BadRegex, match="not supported"):
        compile_regex(pattern)


@pytest.mark.parametrize("pattern", RISKY)
def test_risky_patterns_are_found(pattern: str) -> None:
    """Patterns of exponential cost are known as such, and run in bounded time."""
    assert is_risky(translate(pattern)[1])
    text = "/" + "ab" * 200 + "a" * 200 + "x" * 200 + "\x00/\n"
    regex = compile_regex(pattern)
    assert effort(lambda: (regex.search(text), regex.test(text))) < 200


@pytest.mark.parametrize("pattern", HARMLESS)
def test_harmless_patterns_are_left_alone(pattern: str) -> None:
    """Patterns whose rounds cannot trade characters are run by Python itself."""
    assert not is_risky(translate(pattern)[1])


@pytest.mark.parametrize(
    "pattern", [*RISKY, *HARMLESS, r"\A(a+)+\z", "(?:a|(b))*c?", "(a+)+(?=b)", "(a++)+b", "(a|b)+?$"]
)
def test_careful_matcher_agrees(pattern: str) -> None:
    """The careful matcher finds what Python finds: place and groups; and its yes or no agrees."""
    python, tree = translate(pattern)
    compiled = re.compile(python)
    careful = BoundedMatcher(tree, compiled)
    random = Random(1)
    for _ in range(150):
        text = "".join(random.choice("abcxz01/-.\n") for _ in range(random.randrange(9)))
        ours, theirs = careful.search(text), compiled.search(text)
        assert (ours and (ours.span(), ours.group())) == (theirs and (theirs.span(), theirs.group()))
        assert careful.test(text) == (theirs is not None)


def test_groups_of_a_careful_match() -> None:
    """A match found by the careful matcher offers what `re.Match` offers."""
    python, tree = translate("(?<x>a+)+(?<y>b)?")
    found = BoundedMatcher(tree, re.compile(python)).search("caab")
    assert found is not None
    assert (found[0], found["x"], found.group("x", "y"), found.groups()) == ("aab", "aa", ("aa", "b"), ("aa", "b"))
    assert (found.span("y"), found.groupdict(), found.lastindex) == ((3, 4), {"x": "aa", "y": "b"}, 2)
    with pytest.raises(IndexError):
        found.group(3)


def test_back_references_have_a_budget() -> None:
    """With back-references only a budget of steps bounds the search, and running out of it is an error."""
    with pytest.raises(LimitReached):
        compile_regex(r"((a+)+)+\1\2$").search("a" * 60 + "b")


def test_all_matches() -> None:
    """Matches follow one another; an empty one advances by a character."""
    spans = [found.span() for found in compile_regex("a*").finditer("baac")]
    assert spans == [(0, 0), (1, 3), (3, 3), (4, 4)]
