"""The canonical form, and trees that nobody parsed."""

from __future__ import annotations

from typing import TypedDict

import pytest

from support.puppet_printer import to_source
from wherefrom.base.source import SourceFile, Span
from wherefrom.puppet.syntax import tree
from wherefrom.puppet.syntax.parser import parse, parse_epp, parse_expression


class Place(TypedDict):
    """The keyword arguments that say where a node is."""

    file: SourceFile
    start: int
    end: int


def located(span: Span) -> Place:
    """The keyword arguments that put a node at `span`."""
    return {"file": span.file, "start": span.start, "end": span.end}


CANONICAL = """\
class web::server (
  Integer[1, 65535] $port = 80,
  Optional[String] $name_ = undef,
) inherits web::params {
  include web::log, web::cert
  file { "/etc/web/${name_}.conf":
    ensure  => file,
    content => epp('web/conf.epp', { 'port' => $port }),
    notify  => Service['web'],
  }
  -> service {
    'web':
      ensure => running;
    'log':
      ensure => $port ? {
        80 => running,
        default => stopped,
      };
  }
  if $port in [80, 443] and !$tls {
    $hosts.each |String $host, Integer $n = 0| {
      notice("host ${host} of ${facts['os']['family']}")
    }
  }
  elsif $port > 1024 {
    fail('no')
  }
  else {
    $motd = @(END)
Welcome.
END
  }
}
"""


def test_canonical_form() -> None:
    """The canonical form prints as itself."""
    program = parse(SourceFile("site.pp", CANONICAL)).program
    assert to_source(program) == CANONICAL


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("(", ")"), ("{a => ", "}"), ("-", ""), ("f(", ")")])
def test_deep_trees_print(opening: str, closing: str) -> None:
    """Two thousand levels print, and parse again."""
    text = "$x = " + opening * 2_000 + "1" + closing * 2_000
    printed = to_source(parse(SourceFile("site.pp", text)).program)
    assert parse(SourceFile("site.pp", printed)).ok


def test_canonical_template() -> None:
    """A template prints with its parameters first and code in tags."""
    text = "<%- | Integer $port, $name = 'x' | -%>\nlisten <%= $port %>;\n<% if $tls { %>tls\n<% } %>"
    program = parse_epp(SourceFile("a.epp", text)).program
    printed = to_source(program)
    assert printed == "<%- | Integer $port, $name = 'x' | -%>\nlisten <%= $port %>;\n<%\nif $tls {\n  %>tls\n<%\n}\n%>"
    assert parse_epp(SourceFile("a.epp", printed)).program == program


@pytest.mark.parametrize(
    ("inner", "want"),
    [
        ("1 + 2", "(1 + 2) * 3"),
        ("$a ? { 1 => 2 }", "$a ? {\n  1 => 2,\n} * 3"),
        ("$a =~ /b/", "$a =~ /b/ * 3"),
        ("$x = 1", "($x = 1) * 3"),
        ("a -> b", "(a\n-> b) * 3"),
        ("-1", "-1 * 3"),
        ("include foo", "(include foo) * 3"),
    ],
)
def test_adds_the_parentheses_that_a_made_tree_needs(inner: str, want: str) -> None:
    """A tree made by hand has no parentheses of its own; they are put where the meaning needs them."""
    left = parse(SourceFile("site.pp", inner)).program.body.statements[0]
    right = parse_expression(SourceFile("site.pp", "3"))
    place = located(left.span)
    assert to_source(tree.Arithmetic("*", left, right, operator_at=0, **place)) == want


@pytest.mark.parametrize(
    "value",
    [
        "",
        "it's",
        "a\nb",
        'say "hi"',
        "$x ${y}",
        "back\\slash",
        "\\'",
        "tab\t",
        "\r\n",
        "\ufdd0",
        "\x00",
        "é \N{GRINNING FACE}",
        "'''",
    ],
    ids=repr,
)
def test_strings(value: str) -> None:
    """Any string prints as a literal that means it."""
    source = SourceFile("site.pp", "''")
    printed = to_source(tree.String(value, **located(source.whole())))
    found = parse(SourceFile("site.pp", f"$x = {printed}")).program.body.statements[0]
    assert isinstance(found, tree.Assignment)
    assert found.right == tree.String(value, **located(source.whole()))


@pytest.mark.parametrize(
    "text", ["", "a", "a\n", "a\r", "a\r\n", "\n", "END\n", "x END\n", "$a ${b}\n", "\\n \\\\\n", "a\n\n"]
)
def test_heredocs(text: str) -> None:
    """Any text prints as a heredoc that means it."""
    place = located(SourceFile("site.pp", "x").whole())
    heredoc = tree.Heredoc("", tree.String(text, **place), **place)
    printed = "notice(" + to_source(heredoc).replace("\n", ")\n", 1)
    found = parse(SourceFile("site.pp", printed)).program.body.statements[0]
    assert isinstance(found, tree.Call)
    assert found.arguments == (heredoc,)
