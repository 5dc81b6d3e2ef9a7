"""`grammar.txt` and the parser say the same."""

from __future__ import annotations

import re
from pathlib import Path

import wherefrom.smartfrog.parser as parser
from wherefrom.smartfrog.lexer import RESERVED

GRAMMAR = (Path(parser.__file__).parent / "grammar.txt").read_text()
RULES = dict(re.findall(r"^(\w+)\s*=\s*(.*?)(?:\s+#.*)?$", GRAMMAR, re.M))
TERMINALS = {"NAME", "NUMBER", "STRING", "END"}


def test_every_production_has_its_method_and_every_method_its_production() -> None:
    """One method `parse_<production>` for each line of the grammar."""
    methods = {name.removeprefix("parse_") for name in vars(parser.Parser) if name.startswith("parse_")}
    assert set(RULES) == methods


def test_productions_use_only_what_is_defined() -> None:
    """Every word on a right side is a production or comes from the lexer, and every production is used."""
    used = {word for right in RULES.values() for word in re.findall(r"[A-Za-z]+", re.sub(r'"[^"]*"', "", right))}
    assert used <= set(RULES) | TERMINALS
    assert set(RULES) - used == {"specification"}


def test_reserved_words_are_those_of_the_grammar() -> None:
    """Quoted words of the grammar are reserved (`#include` is no word)."""
    quoted = {word for right in RULES.values() for word in re.findall(r'"(\w+)"', right)}
    assert quoted == RESERVED
    assert set(re.search(r"^# Reserved: (.*)\.$", GRAMMAR, re.M)[1].split()) == RESERVED  # type: ignore[index]
