"""Every rule states itself, fires in some case, and stands in the table of docs/semantics/puppet.md.

The table is generated: `WHEREFROM_UPDATE=1 pytest tests/unit/semantics_puppet/test_rules.py` writes it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.cases import load_cases
from wherefrom.base.source import SourceFile
from wherefrom.semantics.puppet.annotations import everything
from wherefrom.semantics.puppet.elaborate import elaborate_source
from wherefrom.semantics.puppet.environment import baseof
from wherefrom.semantics.puppet.judgement import Judgement, Machine, State, Switches
from wherefrom.semantics.puppet.run import LIMIT, run
from wherefrom.semantics.puppet.syntax import TOP
from wherefrom.semantics.rules import FIRED, RELATIONS, Relation, Rule, TwoRulesApply

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "docs" / "semantics" / "puppet.md"
START, END = "<!-- rules: generated -->\n", "<!-- end of rules -->\n"


def judgements() -> list[Judgement]:
    return [each for each in RELATIONS.values() if isinstance(each, Judgement) and each.name.startswith("puppet.")]


@functools.cache
def first_case() -> dict[str, str]:
    """For every rule the first case in which it fires."""
    found: dict[str, str] = {}
    for case in load_cases("mupuppet"):
        if "want.catalog" not in case.sections:
            continue
        before = FIRED.copy()
        run(
            elaborate_source(SourceFile("site.pp", case.sections["site.pp"])),
            case.header.get("node", "default"),
            everything(),
            Switches(**dict.fromkeys(case.header.get("switches", ()), True)),
            limit=case.header.get("limit", LIMIT),
        )
        for name in FIRED:
            if FIRED[name] > before[name]:
                found.setdefault(name, case.name)
    return found


def test_every_rule_fires_in_some_case() -> None:
    """No rule is there for show."""
    rules = {rule.full_name for each in judgements() for rule in each.rules.values()}
    assert len(rules) > 120
    assert rules - set(first_case()) == set()


def statement(rule: Rule[State]) -> str:
    """The rule as its docstring states it, without the remarks that follow."""
    first = rule.statement.split("\n\n")[0]
    return "`" + " ".join(first.split()).replace("|", "\\|") + "`"


def table() -> Iterator[str]:
    yield "| rule | statement | judgement | where it stands | function | first case |\n|---|---|---|---|---|---|\n"
    for judgement in judgements():
        for rule in judgement.rules.values():
            function = rule.try_on
            place = f"`{function.__module__.rpartition('.')[2]}.{function.__name__}`"
            case = first_case().get(rule.full_name, "").removeprefix("mupuppet/")
            kind = judgement.name.removeprefix("puppet.")
            said = statement(rule)
            yield f"| {rule.name} | {said} | {kind} | {judgement.places[rule.name]} | {place} | {case} |\n"


def test_table_of_rules() -> None:
    """docs/semantics/puppet.md has the rules as they are."""
    text = DOCUMENT.read_text()
    head, rest = text.split(START)
    old, tail = rest.split(END)
    new = "".join(table())
    if os.environ.get("WHEREFROM_UPDATE") and new != old:
        DOCUMENT.write_text(head + START + new + END + tail)
        old = new
    assert old == new


def test_two_rules_never_apply() -> None:
    """A judgement with two rules for one term says so instead of choosing."""
    judgement = Judgement("test.two", "nowhere")
    try:
        for name in ("One", "Two"):

            @judgement.on(name)
            def rule(c: State) -> str:
                """c → c'"""
                return "next"

        from wherefrom.semantics.puppet.judgement import Environments

        with pytest.raises(TwoRulesApply):
            judgement.step(Environments(Machine(everything(), Switches(), "n"), {}, {}), TOP, "term")
    finally:
        RELATIONS.pop("test.two")


def test_statements_of_rules() -> None:
    """A rule's docstring is the rule."""
    for judgement in judgements():
        for rule in judgement.rules.values():
            assert isinstance(rule, Rule) and isinstance(judgement, Relation)
            assert any(sign in rule.statement for sign in ("→", "⟹", "baseof", "parentof", "waits")), rule.full_name
    assert baseof in judgements()
