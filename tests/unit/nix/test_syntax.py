"""The front end: tokens, trees, spans, messages, and the grammar file."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

import wherefrom.nix.syntax.parser
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.source import SourceFile
from wherefrom.nix.kernel.canonical import canonical_path
from wherefrom.nix.kernel.errors import AlreadyDefined, DuplicateFormal, DynamicNotAllowed, SyntaxProblem
from wherefrom.nix.syntax.lexer import _TOKENS, tokenize
from wherefrom.nix.syntax.parser import Parser, parse
from wherefrom.nix.syntax.printer import show
from wherefrom.nix.syntax.scope import check_names
from wherefrom.nix.syntax.tree import (
    Assert,
    AttrSet,
    Binary,
    Call,
    If,
    Interpolation,
    Lambda,
    Let,
    Node,
    PatternLambda,
    Select,
    StringLiteral,
    Variable,
)


def tree(text: str) -> Node:
    return parse(SourceFile("test.nix", text), "/base", "/home/nobody")


def kinds(text: str) -> list[str]:
    return tokenize(SourceFile("test.nix", text)).kinds[:-1]


def test_grammar_matches_parser() -> None:
    """Each production of grammar.txt has its parsing method, and each method its production."""
    text = Path(wherefrom.nix.syntax.parser.__file__).with_name("grammar.txt").read_text()
    productions = set(re.findall(r"^([a-z_]+) +=", text, re.M))
    methods = {name.removeprefix("parse_") for name in vars(Parser) if name.startswith("parse_")}
    assert productions == methods


def test_grammar_uses_only_what_it_defines() -> None:
    """Every lower-case word on a right-hand side is itself a production."""
    text = Path(wherefrom.nix.syntax.parser.__file__).with_name("grammar.txt").read_text()
    rules = [line for line in text.splitlines() if re.match(r"[a-z_]+ +=|  +[|(\[]", line)]
    named = set(re.findall(r"^([a-z_]+) +=", text, re.M))
    used: set[str] = set()
    for line in rules:
        without = re.sub(r"\"[^\"]*\"|'[^']*'", "", line.partition("=")[2] if "=" in line else line)
        used |= set(re.findall(r"\b[a-z_]{3,}\b", without))
    assert used <= named | {"operator"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a/b", ["PATH"]),
        ("a /b", ["ID", "PATH"]),
        ("a'/b", ["ID", "PATH"]),
        ("a.b/c a.b.c", ["PATH", "ID", ".", "ID", ".", "ID"]),
        ("~/a ~ b/c", ["PATH", "~", "PATH"]),
        ("/a//b", ["PATH_BEGIN", "STR", "PATH_END"]),
        ("a / b", ["ID", "/", "ID"]),
        ("x:x", ["URI"]),
        ("x: x", ["ID", ":", "ID"]),
        ("x.y+z:x", ["URI"]),
        ("x.y+z: x", ["ID", ".", "ID", "+", "ID", ":", "ID"]),
        ("1.5e3", ["FLOAT"]),
        ("1e3", ["INT", "ID"]),
        ("<a/b> < c", ["SPATH", "<", "ID"]),
        ("a-b'", ["ID"]),
        ("a -> b", ["ID", "->", "ID"]),
        ('"a${b}c"', ['"', "STR", "${", "ID", "}", "STR", '"']),
        ("''a${b}''", ["''", "IND_STR", "${", "ID", "}", "''"]),
        ('"a" "$" "$${a}" "\\${a}"', ["STRING"] * 4),
        ('"$a\\"" 1', ["STRING", "INT"]),
        ('"a', ['"', "STR"]),
        ("./a/${b}c", ["PATH_BEGIN", "${", "ID", "}", "STR", "PATH_END"]),
        ("{ a = { }; }", ["{", "ID", "=", "{", "}", ";", "}"]),
        ("# c\n/* d */ 1", ["INT"]),
        ("/***/ 1 /* * / ** */ 2 # end", ["INT", "INT"]),
        ("inherit or then", ["inherit", "or", "then"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    """Nix's scanner takes the longest match."""
    assert kinds(text) == expected


@pytest.mark.parametrize("link", ["1.", "a.", "1+", "a+", "_.", "a._.", "-1", "..", "1.e5", "a.b+c-"])
@pytest.mark.parametrize("tail", ["1", " x", ":x", ":", "/x", "/ x", "_:x", "a:x.y", ".", "->1", "//x", ";", "'b"])
def test_a_long_chain_has_the_tokens_of_any_text(link: str, tail: str) -> None:
    """What is taken apart link by link, since it is long, has the tokens that looking ahead from each would find."""
    text = f"( {link * 400}{tail}"
    tokens = tokenize(SourceFile("test", text))
    assert tokens.texts == [name or other for _, name, other in _TOKENS.findall(text) if name or other] + [""]
    assert [text[start:end] for start, end in zip(tokens.starts, tokens.ends)] == tokens.texts


@pytest.mark.parametrize("link", ["1.", "a.", "1+1+", "a._.", ".", "-a.b"])
@pytest.mark.parametrize("tail", [" ", ":x", "_:x", "/ "])
def test_a_chain_takes_time_by_its_length(link: str, tail: str) -> None:
    """Eight times as many links take about eight times as long, not sixty-four times."""

    def spent(count: int) -> float:
        text = link * count + tail
        times = []
        for _ in range(3):
            before = time.process_time()
            tokenize(SourceFile("test", text))
            times.append(time.process_time() - before)
        return min(times)

    assert spent(16_000) < 24 * max(spent(2_000), 0.001)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\n\t\r\\\"\$\q"', '\n\t\r\\"$q'),
        ('"a\r\nb\rc"', "a\nb\nc"),
        ('"$${a}"', "$${a}"),
        ('"$"', "$"),
        ("''\n  a\n    b\n  ''", "a\n  b\n"),
        ("''a ''${b} ''' ''\\n''", "a ${b} '' \n"),
        ("''\n\n  a\n ''", "\na\n"),
        ("''   ''", ""),
    ],
)
def test_strings(text: str, value: str) -> None:
    """Escapes, line ends and indentation."""
    found = tree(text)
    parts = found.parts if isinstance(found, Interpolation) else (found,)
    assert "".join(part.value for part in parts if isinstance(part, StringLiteral)) == value


@pytest.mark.parametrize(
    ("text", "inner", "covered"),
    [
        ("  (a + b) * c ", Binary, "(a + b) * c"),
        ("f (x) y", Call, "f (x) y"),
        ("{ a = 1; }.a", Select, "{ a = 1; }.a"),
        ("x: x", Lambda, "x: x"),
        ("{ a }: a", PatternLambda, "{ a }: a"),
        ("let a = 1; in a", Let, "let a = 1; in a"),
        ("if a then b else c", If, "if a then b else c"),
        ("assert a; b", Assert, "assert a; b"),
        ("rec { a = 1; }", AttrSet, "rec { a = 1; }"),
    ],
)
def test_spans(text: str, inner: type, covered: str) -> None:
    """A node's span is its text, without blanks around it."""
    found = tree(text)
    assert isinstance(found, inner)
    assert found.span.text == covered


def test_operator_and_step_spans() -> None:
    """Operators and the steps of a selection know their own places."""
    sum_ = tree("a  + b")
    assert isinstance(sum_, Binary)
    assert sum_.operator_span.text == "+"
    selection = tree('a.b."c d".e')
    assert isinstance(selection, Select)
    assert [span.text for span in selection.step_spans] == ["b", '"c d"', "e"]


@pytest.mark.parametrize(
    ("text", "problem", "place", "words"),
    [
        ("{ a = 1 }", SyntaxProblem, "1:9", "unexpected '}', expecting ';'"),
        ("let a = 1;", SyntaxProblem, "1:11", "unexpected end of file, expecting 'in'"),
        ("[ 1 2", SyntaxProblem, "1:6", "expecting an element or ']'"),
        ('"abc', SyntaxProblem, "1:5", "unexpected end of file"),
        ("/* abc", SyntaxProblem, "1:1", "unterminated comment"),
        ("a == b == c", SyntaxProblem, "1:8", "does not chain"),
        ("99999999999999999999", SyntaxProblem, "1:1", "invalid integer"),
        ("1.0e999", SyntaxProblem, "1:1", "invalid float"),
        ("./a/", SyntaxProblem, "1:4", "trailing slash"),
        ("{ a = 1;\n  a = 2; }", AlreadyDefined, "2:3", "'a' already defined"),
        ("{ a.b = 1; a = 2; }", AlreadyDefined, "1:12", "'a' already defined"),
        ("{ a, b, a }: a", DuplicateFormal, "1:9", "'a'"),
        ("a@{ a }: a", DuplicateFormal, "1:1", "'a'"),
        ("let ${x} = 1; in 1", DynamicNotAllowed, "1:5", "let"),
        ("{ inherit ${x}; }", DynamicNotAllowed, "1:11", "inherit"),
    ],
)
def test_errors(text: str, problem: type[Diagnostic], place: str, words: str) -> None:
    """Errors have a place and say what was found."""
    with pytest.raises(problem) as raised:
        tree(text)
    assert raised.value.span is not None
    assert raised.value.span.place == f"test.nix:{place}"
    assert words in raised.value.message


def test_unfinished_construct_is_labelled() -> None:
    """The message also points at what was left open."""
    with pytest.raises(SyntaxProblem) as raised:
        tree("(1 + 2")
    assert raised.value.labels[1].span.text == "("
    assert "not finished" in raised.value.labels[1].text


def test_unbound_names() -> None:
    """All names that nothing binds, with a hint; none inside a `with`."""
    problems = list(check_names(tree("let port = 1; in { a = prot; b = nope; c = with { }; maybe; d = __add; }")))
    assert sorted(problem.name for problem in problems) == ["nope", "prot"]
    assert [problem.help for problem in problems if problem.name == "prot"] == ["did you mean 'port'?"]


def test_calls_are_flat() -> None:
    """`(f a) b` is one call, as Nix has it."""
    assert tree("(f a) b") == tree("f a b")
    assert tree("f or") == Call(
        Variable("f", span=tree("f").span), (Variable("or", span=tree("f").span),), span=tree("f").span
    )


def test_canonical_path() -> None:
    """Paths lose `.`, `..` and double slashes."""
    assert canonical_path("/a/./b//../c/") == "/a/c"
    assert canonical_path("/../..") == "/"


def test_printing_is_stable() -> None:
    """What is printed reads back as the same tree (interpolation aside: it is printed as a sum)."""
    for text in ("{ a, b ? a, ... } @ c: [ a (b + c) ]", 'let x.y = z; z = 1; in x ? y."q r"'):
        once = show(tree(text))
        assert show(tree(once)) == once


@pytest.mark.parametrize(
    "open_, close", [("(", ")"), ("[", "]"), ("{ a = ", "; }"), ("x: ", ""), ("!", ""), ("- ", "")]
)
def test_parse_bombs(open_: str, close: str) -> None:
    """Nesting beyond the bound is an error with a place, never a crash; just below it is fine."""
    with pytest.raises(SyntaxProblem, match="nested more than"):
        with_deep_stack(lambda: tree(open_ * 60_000 + "1" + close * 60_000))
    with_deep_stack(lambda: tree(open_ * 900 + "1" + close * 900))
