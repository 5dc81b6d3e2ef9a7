"""Trees, places, recovery after errors, and bad input of every kind."""

from __future__ import annotations

import pytest

from support.effort import effort
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.source import SourceFile
from wherefrom.puppet.kernel.issues import PuppetError, verdict
from wherefrom.puppet.syntax import tree
from wherefrom.puppet.syntax.parser import ParseResult, check, parse, parse_epp, parse_expression


def program(text: str) -> tree.Program:
    result = parse(SourceFile("site.pp", text))
    assert result.diagnostics == ()
    return result.program


def errors(text: str) -> list[str]:
    return [str(each) for each in parse(SourceFile("site.pp", text)).diagnostics]


def test_spans_cover_the_words_and_anchors_are_puppets() -> None:
    """`span` is all of a construct; `at` begins where Puppet's messages point."""
    (statement,) = program("$total = $a + $b").body.statements
    assert isinstance(statement, tree.Assignment)
    assert statement.span.text == "$total = $a + $b"
    assert statement.at.column == 8
    assert statement.right.span.text == "$a + $b"
    assert statement.right.at.text == "+ $b"


def test_place_of_a_parameter_is_its_variable() -> None:
    """A parameter spans its type and default; Puppet names the variable."""
    (definition,) = program("class a(Optional[String] $x = 'y') { }").body.statements
    assert isinstance(definition, tree.ClassDefinition)
    (parameter,) = definition.parameters
    assert parameter.span.text == "Optional[String] $x = 'y'"
    assert parameter.at.text == "$x = 'y'"


def test_every_node_has_its_words() -> None:
    """The span of each node lies within that of the node around it."""
    text = (
        'define d($x) { if $x[1] { file { "a${x.f}": * => {a => 1}, mode => $x ? { 1 => 2 } } -> File <| a == b |> } }'
    )
    for node in tree.walk(program(text)):
        assert 0 <= node.start <= node.end <= len(text)
        assert node.start <= node.anchor < node.end or isinstance(node, tree.ResourceBody)
        for child in node.children():
            assert node.start <= child.start, (node, child)
            assert child.end <= node.end, (node, child)


def test_definitions_are_collected_inner_first() -> None:
    """All definitions of a file, in the order of their closing braces, with qualified names."""
    found = program("class a { class b { } define c { } } function d { 1 }").definitions
    assert [each.name for each in found] == ["a::b", "a::c", "a", "d"]  # type: ignore[attr-defined]


def test_recovers_at_statements() -> None:
    """One run reports the errors of several statements, and keeps the statements that are right."""
    text = "$a = = 1\n$b = 2\nfile { 'x' mode => 1 }\nclass c {\n  $d = )\n  $e = 1\n}\n$f = 3\n"
    result = parse(SourceFile("site.pp", text))
    assert [each.span.line for each in result.diagnostics if each.span] == [1, 3, 5]
    names = [each.left.name for each in tree.walk(result.program) if isinstance(each, tree.Assignment)]  # type: ignore[attr-defined]
    assert names == ["b", "e", "f"]


def test_first_error_is_puppets_whatever_follows() -> None:
    """However many errors are found, the verdict is the one that Puppet reports."""
    result = parse(SourceFile("site.pp", "$a = = 1\n$b = = 2\n"))
    assert len(result.diagnostics) == 2
    found = verdict(result.diagnostics)
    assert found is not None
    assert (found.message, found.issue_code, found.puppet_place) == (
        "Syntax error at '='",
        "SYNTAX_ERROR",
        ("site.pp", 1, 6),
    )


def test_names_the_brace_that_is_not_closed() -> None:
    """At the end of the text the place of the open bracket is told; Puppet itself reports no line."""
    (problem,) = parse(SourceFile("site.pp", "class a {\n  $x = 1\n")).diagnostics
    assert isinstance(problem, PuppetError)
    assert problem.message == "Syntax error at end of input"
    assert problem.puppet_place == ("site.pp", None, None)
    assert [(label.span.place, label.text) for label in problem.labels[1:]] == [
        ("site.pp:1:9", "this `{` is not closed")
    ]


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("file { 'a' mode => 1 }", "a title ends with a colon: `'a':`"),
        ("file { 'a': mode => 1 owner => 2 }", "a comma is missing before `owner`"),
        ("$x = { a => 1 b => 2 }", "a comma is missing before `b`"),
        ("if true { } else if false { }", "an `else` that tests again is written `elsif`"),
        ("$x = = 1", None),
    ],
)
def test_hints(text: str, help: str | None) -> None:
    """The usual slips are named."""
    (problem,) = parse(SourceFile("site.pp", text)).diagnostics
    assert problem.help == help


def test_unclosed_string_tells_its_beginning() -> None:
    """Puppet points at the end of what it could read; the quote that opened the string is told as well."""
    (problem,) = parse(SourceFile("site.pp", 'notice("a ${b}\n')).diagnostics
    assert [(label.span.column, label.text) for label in problem.labels] == [(15, ""), (8, "the string begins here")]


def test_errors_stop_at_fifty() -> None:
    """A file that is no Puppet at all does not fill the screen."""
    assert len(errors("$x = = 1\n" * 1000)) == 50


def test_parse_expression() -> None:
    """One expression, such as a type in a string."""
    found = parse_expression(SourceFile("type", "Optional[Integer[1, 2]]"))
    assert isinstance(found, tree.Access)
    assert found.span.text == "Optional[Integer[1, 2]]"
    for wrong in ("", "1 2", "Foo[", "Foo]"):
        with pytest.raises(Diagnostic):
            parse_expression(SourceFile("type", wrong))


def test_check_goes_by_the_name() -> None:
    """A file named `.epp` is a template."""
    assert check(SourceFile("a.epp", "text <%= $x %>")) == []
    assert check(SourceFile("a.pp", "text <%= $x %>")) != []


DEEP = 10_000


@pytest.mark.parametrize(
    "text",
    [
        "$x = " + "(" * DEEP + "1" + ")" * DEEP,
        "$x = " + "[" * DEEP + "1" + "]" * DEEP,
        "$x = " + "{a=>" * DEEP + "1" + "}" * DEEP,
        "$x = " + "!" * DEEP + "1",
        "$x = " + "- " * DEEP + "1",
        "$x = " * DEEP + "1",
        "$x = " + "1 + " * DEEP + "1",
        "$x = " + "$a ? a => " * DEEP + "1",
        "notice(" + '"${' * DEEP + "1" + '}"' * DEEP + ")",
        "if true { " * DEEP + "notice(1)" + "}" * DEEP,
        "if true { }" + " elsif true { }" * DEEP,
        "notice($x" + ".f" * DEEP + ")",
        "$x = $y" + "[1]" * DEEP,
        "$x.f |$y| { " * DEEP + "}" * DEEP,
    ],
    ids=lambda text: text[:12],
)
def test_deep_nesting(text: str) -> None:
    """Ten thousand levels parse and validate, with no more work than their number asks for."""
    results: list[ParseResult] = []
    assert effort(lambda: results.append(parse(SourceFile("site.pp", text)))) < 400
    assert results[0].ok


@pytest.mark.long
def test_too_deep_is_an_error() -> None:
    """Nesting has an end, and it is told."""
    (problem,) = parse(SourceFile("site.pp", "$x = " + "-" * 400_000)).diagnostics
    assert problem.message == "Nested too deeply: more than 300,000 levels"
    text = "".join(f"class a{n} {{" for n in range(2000)) + "}" * 2000
    assert errors(text)[0].endswith("Nested too deeply: more than 500 levels")


def test_too_large_is_an_error() -> None:
    """A file of 50 MB is refused before it is read through: not even a line of it is looked at."""
    source = SourceFile("site.pp", "notice(1) " * 5_000_000)
    results: list[ParseResult] = []
    assert effort(lambda: results.append(parse(source))) < 20
    (problem,) = results[0].diagnostics
    assert problem.message == "The text has 50,000,000 characters, more than the 8,000,000 that are parsed"


@pytest.mark.parametrize(
    "text",
    [
        "\0",
        "\0" * 1000,
        "notice('\0')",
        "$" * 10_000,
        "'" * 9_999,
        '"' * 9_999,
        "/" * 9_999,
        "/*" * 9_999,
        "@(" * 9_999,
        "@(A)\n" * 999,
        "\\" * 999,
        "::" * 999,
        "a::" * 9_999,
        "0x" * 999,
        "9" * 99_999,
        "<|" * 999,
        "}" * 9_999,
        "{" * 9_999,
        "\ud800",
        "\ufeff",
        "\x1b\x7f\u2028\u2029",
    ],
    ids=lambda text: repr(text[:6]),
)
def test_no_text_breaks_the_parser(text: str) -> None:
    """Whatever the text, the answer is a result, soon."""
    pieces = (text, f"$x = {text}", f'"a ${{{text}', f"<% {text}", f"<%= {text} %>")
    assert effort(lambda: [read(SourceFile("site.pp", piece)) for read in (parse, parse_epp) for piece in pieces]) < 400


def test_pieces_of_a_program() -> None:
    """Every beginning of a program is a program or an error, never anything else."""
    text = "class a(Integer $x = 1) { file { \"/a/${x}\": mode => @(E) }\n text\n E\n File <| a == 'b' |> -> B['c'] }"
    for end in range(len(text)):
        result = parse(SourceFile("site.pp", text[:end]))
        assert isinstance(result.program, tree.Program)
