"""The grammar file against the parser: same productions, same programs."""

from __future__ import annotations

import inspect
import random
from functools import cache

import pytest

from support import grammar
from support.cases import Case
from support.puppet_printer import to_source
from support.puppet_syntax import key, parse_snippet, snippets
from wherefrom.base.source import SourceFile
from wherefrom.puppet.syntax.definitions import Definitions
from wherefrom.puppet.syntax.expressions import PREFIX, Expressions
from wherefrom.puppet.syntax.lexer import Lexer
from wherefrom.puppet.syntax.parser import Parser, parse
from wherefrom.puppet.syntax.stream import Stream

HELPERS = {
    *("gathered", "bare_hash", "without_title", "defined", "hash_or_block", "object_type"),
    *("with_calls", "earlier", "note", "recover", "starts_line", "whole"),
}
"""Methods that put together what others have read, or that recover from errors."""


@cache
def the_grammar() -> grammar.Grammar:
    return grammar.load()


def test_methods() -> None:
    """Every method of the parser that reads something has its productions, and every production its method."""
    shared = {name for name, _ in inspect.getmembers(Stream, inspect.isfunction)}
    abstract = Stream.__abstractmethods__
    methods = {
        name
        for part in (Expressions, Definitions, Parser)
        for name in vars(part)
        if inspect.isfunction(vars(part)[name]) and (name not in shared or name in abstract)
    }
    named = set(the_grammar().methods)
    assert methods - HELPERS - named == set()
    assert named - methods - {"definition_name"} == set()


def test_every_production_is_defined_and_used() -> None:
    """No production is missing, and none stands there for nothing."""
    used = set()

    def visit(part: grammar.Part) -> None:
        kind, inner = part
        if kind == "ref":
            used.add(inner)
        elif isinstance(inner, list):
            for each in inner:
                visit(each)
        elif kind != "tok":
            visit(inner)  # type: ignore[arg-type]

    for part in the_grammar().productions.values():
        visit(part)
    productions = set(the_grammar().productions)
    assert used - productions == set()
    assert productions - used == {"program", "template", "plan", "apply"}


def test_every_operand_is_in_the_grammar() -> None:
    """What may start an expression, according to the parser's table, may do so in the grammar."""
    start = the_grammar()
    for kind in set(PREFIX) - {"plan", "apply"}:
        first = any(start.accepts("program", [kind, *rest]) for rest in COMPLETIONS)
        assert first, kind


COMPLETIONS = [
    [],
    ["]"],
    [*("}",)],
    ["NAME", ")"],
    ["VAR"],
    ["VAR", "DQPOST"],
    ["STR"],
    ["VAR", "{", "}"],
    ["VAR", "{", "NUM", ":", "{", "}", "}"],
    ["NAME", "{", "}"],
    ["VAR", "%>"],
    ["REF", "=", "REF"],
]


@pytest.mark.parametrize(("case", "name"), snippets(), ids=[key(*each) for each in snippets()])
def test_recognises_what_the_parser_accepts(case: Case, name: str) -> None:
    """The productions derive every text of the cases that the parser reads without a syntax error."""
    result = parse_snippet(case, name)
    if case.header.get("tasks") or any(each.code < "P050" and each.severity == "error" for each in result.diagnostics):
        return
    epp = name.endswith(".epp")
    tokens = Lexer(SourceFile("site.pp", case.sections[name]), epp=epp).run().kinds[:-1]
    assert the_grammar().accepts("template" if epp else "program", tokens)


def test_parses_what_the_grammar_makes() -> None:
    """Random programs made from the productions parse and print back; all productions take part.

    Some sentences are lost to the two rules that the grammar's own text states (a brace or bar that belongs to what is
    before it), and some mean nothing (`@` before what is no resource): no more than one in five, and of syntax errors
    no more than one in fifty.
    """
    rng = random.Random(21)
    made = the_grammar()
    covered: set[str] = set()
    refused = misread = 0
    count = 1_000
    for _ in range(count):
        text = grammar.write(made.sentence("program", rng), rng)
        result = parse(SourceFile("site.pp", text))
        if any(each.code < "P050" and each.severity == "error" for each in result.diagnostics):
            refused += 1
            misread += result.diagnostics[0].code in ("P035", "P042", "P043")
            continue
        covered |= made.used
        printed = to_source(result.program)
        again = parse(SourceFile("site.pp", printed))
        assert again.program == result.program, text
    assert refused < count / 5
    assert misread < count / 50
    left_out = {"plan", "apply", "template", "program", *grammar.NOT_MADE}
    assert set(made.productions) - covered - left_out == set()
