"""Regular expressions: which match is found, and that no expression can take for ever."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import effort
from support.examples import examples
from wherefrom.base.regex import BadRegex, RegexTooHard, RegexTooLarge
from wherefrom.base.regex.posix import PosixRegex, as_bytes_text, compile_regex, from_bytes_text


@pytest.mark.parametrize(
    ("pattern", "text", "groups"),
    [
        ("(a|ab)(c|bcd)(d*)", "abcd", ["a", "bcd", ""]),
        ("((a)|b)*", "ab", ["b", "a"]),
        ("(a*)*", "aaa", [""]),
        ("(a*)+", "b", None),
        ("(a)?(b)", "b", [None, "b"]),
        ("(a?){0,3}", "a", [""]),
        ("", "", []),
        ("x{2,}", "x", None),
        ("[]a]+", "]a", []),
        ("[a-c[.hyphen.]]+", "a-c", []),
        ("[[=a=]]", "a", []),
        (".", "\n", []),
    ],
)
def test_whole_matches(pattern: str, text: str, groups: list[str | None] | None) -> None:
    """`fullmatch` finds what Nix's library finds (answers from real Nix)."""
    assert PosixRegex(pattern).fullmatch(text) == groups


@pytest.mark.parametrize(
    ("pattern", "text", "spans"),
    [
        ("a?(ab)?", "ab", [(0, 1), (1, 1), (2, 2)]),
        ("(a|ab)(c|bcd)?", "abcd", [(0, 4)]),
        ("x*", "axb", [(0, 0), (1, 2), (2, 2), (3, 3)]),
        ("a|ab|abc", "abcabd", [(0, 3), (3, 5)]),
        ("^a", "aaa", [(0, 1)]),
        ("a$", "aaa", [(2, 3)]),
    ],
)
def test_searches(pattern: str, text: str, spans: list[tuple[int, int]]) -> None:
    """`matches` finds what Nix's library finds: the longer alternative, greedy repetitions (answers from Nix)."""
    assert [(start, end) for start, end, _ in PosixRegex(pattern).matches(text)] == spans


@pytest.mark.parametrize(
    "pattern",
    [
        "*a",
        "a{2,1}",
        "(",
        ")",
        "[",
        "[a",
        "a{",
        "a{1",
        "a{x}",
        "\\",
        "\\d",
        "\\]",
        "[[:foo:]]",
        "[b-a]",
        "^*",
        "+",
        "a{,2}",
    ],
)
def test_malformed(pattern: str) -> None:
    """What is no expression is refused."""
    with pytest.raises(BadRegex):
        PosixRegex(pattern)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a|a)*b", "a" * 2_000),
        ("(a*)*b", "a" * 2_000),
        ("((a+)+)+b", "a" * 2_000),
        ("(a|aa)+b", "a" * 2_000),
        ("a*a*a*a*a*a*a*a*b", "a" * 2_000),
        ("(.*)(.*)(.*)(.*)x", "y" * 2_000),
        ("((a?){0,20}){0,20}b", "a" * 200),
        ("(x+x+)+y", "x" * 2_000),
    ],
)
def test_hostile(pattern: str, text: str) -> None:
    """Expressions that take a backtracking matcher for ever are answered, or refused, with bounded work."""

    def ask() -> None:
        for work in (lambda: PosixRegex(pattern).fullmatch(text), lambda: list(PosixRegex(pattern).matches(text))):
            with suppress(RegexTooHard, RegexTooLarge):
                assert not work()

    assert effort(ask) < 400


@pytest.mark.parametrize(
    "pattern", ["a{100001}", "((a{1,99}){1,99}){1,99}", "(" * 20_000 + ")" * 20_000, "(((a*)*)*{60}){60}"]
)
def test_too_large(pattern: str) -> None:
    """Expressions with too many states are refused."""
    with pytest.raises((RegexTooLarge, BadRegex)):
        PosixRegex(pattern)


PATTERNS = st.recursive(
    st.sampled_from(["a", "b", ".", "[ab]", "[^a]"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        inner.map(lambda x: f"({x})"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}"])).map(
            lambda pair: f"({pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=6,
)


@settings(derandomize=True, max_examples=examples(150), deadline=None)
@given(PATTERNS, st.text("abc", max_size=8))
def test_both_ways_agree(pattern: str, text: str) -> None:
    """The remembering matcher and Python's own, where that may be used, find the same."""
    quick = PosixRegex(pattern)
    slow = PosixRegex(pattern)
    slow._harmless.agrees = False
    assert quick.fullmatch(text) == slow.fullmatch(text)
    assert list(quick.matches(text)) == list(slow.matches(text))


def test_bytes() -> None:
    """Texts are matched byte by byte and come back whole."""
    assert as_bytes_text("é") == "Ã©"
    assert from_bytes_text(as_bytes_text("caf\udcff é")) == "caf\udcff é"


def test_compiled_once() -> None:
    """Compiled expressions are kept, and the store of them does not grow without bound."""
    first = compile_regex("a+")
    assert compile_regex("a+") is first
    for number in range(1_000):
        compile_regex(f"a{number}")
    assert compile_regex.cache_info().currsize <= 500
