"""Tokens: what depends on context, and where they are."""

from __future__ import annotations

import pytest

from wherefrom.base.source import SourceFile
from wherefrom.puppet.syntax.lexer import Lexer


def tokens(text: str, epp: bool = False) -> list[str]:
    """Kinds, with the value of those that have one of their own."""
    lexer = Lexer(SourceFile("x.pp", text), epp=epp).run()
    pairs = zip(lexer.kinds, lexer.values, strict=True)
    return [kind if value in (kind, None, "", "[", "(", "{") else f"{kind}:{value}" for kind, value in pairs][:-1]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("foo foo::bar ::foo", ["NAME:foo", "NAME:foo::bar", "NAME:::foo"]),
        ("foo-bar _x a::_b foo-", ["WORD:foo-bar", "WORD:_x", "WORD:a::_b", "NAME:foo", "-"]),
        ("Foo ::Foo Foo::Bar", ["REF:Foo", "REF:::Foo", "REF:Foo::Bar"]),
        ("$x $a::b $::c $", ["VAR:x", "VAR:a::b", "VAR:::c", "VAR"]),
        ("true undef type in", ["BOOL:True", "undef", "type", "in"]),
        ("1 0x1F 017 1.5 1e3 1.5E-3", ["NUM:1", "NUM:0x1F", "NUM:017", "NUM:1.5", "NUM:1e3", "NUM:1.5E-3"]),
        (r"'a\'b\\c\d'", [r"STR:a'b\c\d"]),
        (r'"a\tb\"c\u0041\u{1F600}"', ['STR:a\tb"cA\N{GRINNING FACE}']),
        ("$a[1] $a [1]", ["VAR:a", "[", "NUM:1", "]", "VAR:a", "L[", "NUM:1", "]"]),
        ("f(1)\n (2)", ["NAME:f", "(", "NUM:1", ")", "W(", "NUM:2", ")"]),
        ("$a ? {}", ["VAR:a", "?", "?{", "}"]),
        ("$a / 2 / 3", ["VAR:a", "/", "NUM:2", "/", "NUM:3"]),
        (r"=~ /a\/b/", ["=~", "REGEX:a/b"]),
        ("} /a/", ["}", "REGEX:a"]),
        (") /a/", [")", "/", "NAME:a", "/"]),
        ("<| |> <<| |>> << >> <- <~ -> ~> => +> += -=", "<| |> <<| |>> << >> <- <~ -> ~> => +> += -=".split()),
        ("a # b\n/* c\n */ d", ["NAME:a", "NAME:d"]),
        ('"a $b c"', ["DQPRE:a ", "VAR:b", "DQPOST: c"]),
        ('"${b}${c[1]}"', ["DQPRE", "VAR:b", "DQMID", "VAR:c", "[", "NUM:1", "]", "DQPOST"]),
        ('"${b + 1}"', ["DQPRE", "NAME:b", "+", "NUM:1", "DQPOST"]),
        ('"${if}${0}"', ["DQPRE", "VAR:if", "DQMID", "VAR:0", "DQPOST"]),
        ('"a $ b"', ["STR:a $ b"]),
        ('"${{a => "}"}}"', ["DQPRE", "{", "NAME:a", "=>", "STR:}", "}", "DQPOST"]),
        ("@file @@file", ["@", "NAME:file", "@@", "NAME:file"]),
        ("^ ~", ["OTHER", "~"]),
        ("\u00a0a\u3000[1]", ["NAME:a", "L[", "NUM:1", "]"]),
    ],
)
def test_tokens(text: str, want: list[str]) -> None:
    """The kinds and values of tokens."""
    assert tokens(text) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("@(END)\n a\n END\nb", ["HEREDOC", "STR: a\n", "NAME:b"]),
        ("@(END)\n a\n | END\n", ["HEREDOC", "STR:a\n"]),
        ("@(END)\n a\n |- END\n", ["HEREDOC", "STR:a"]),
        ("@(END:json/t)\n\\t\\n\nEND\n", ["HEREDOC:json", "STR:\t\\n\n"]),
        ('@("END")\n$a\nEND\n', ["HEREDOC", "DQPRE", "VAR:a", "DQPOST:\n"]),
        ('@("END"/L$)\n\\$a\\\nb\nEND\n', ["HEREDOC", "STR:$ab\n"]),
        (
            "f(@(A), @(B))\na\nA\nb\nB\nc",
            ["NAME:f", "(", "HEREDOC", "STR:a\n", ",", "HEREDOC", "STR:b\n", ")", "NAME:c"],
        ),
        ("@(A)\r\na\r\n- A\r\n", ["HEREDOC", "STR:a"]),
    ],
)
def test_heredocs(text: str, want: list[str]) -> None:
    """Texts of heredocs stand where their tags are, and the lines after go on."""
    assert tokens(text) == want


def test_places_in_a_heredoc() -> None:
    """Tokens of an interpolation in a heredoc are where they stand in the file, the margin notwithstanding."""
    source = SourceFile("x.pp", '$a = @("END")\n    one\n    two ${three}\n    | END\n')
    lexer = Lexer(source).run()
    at = lexer.values.index("three")
    assert source.text[lexer.starts[at] : lexer.ends[at]] == "three"
    assert source.line_and_column(lexer.starts[at]) == (3, 11)


def test_template_tokens() -> None:
    """Text and tags of a template."""
    text = "a<%= $x -%>\n b\n  <%- if true { -%>\nc<%% <%# no %>d<% } %>"
    want = ["EPP", "TEXT:a", "<%=:1", "VAR:x", "%>:-%>", "TEXT: b\n", "if", "BOOL:True", "{", "TEXT:c<% d", "}"]
    assert tokens(text, epp=True) == want


def test_error_is_a_token() -> None:
    """A broken token ends the tokens but does not hide those before it."""
    assert Lexer(SourceFile("x.pp", "a b 'c")).run().kinds == ["NAME", "NAME", "ERROR", "END"]


def test_error_in_a_string_hides_the_string() -> None:
    """A string and its interpolations are one to Puppet: an error inside comes first."""
    assert Lexer(SourceFile("x.pp", 'a "b ${c d} e')).run().kinds == ["NAME", "ERROR", "END"]
