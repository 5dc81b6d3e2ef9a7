"""The table of rules in docs/semantics/nix.md is what the code says.  `WHEREFROM_UPDATE=1` writes it again."""

from __future__ import annotations

import os
from typing import Any

from support.cases import Case, load_cases
from support.rule_table import ROOT, filled, firing_cases, table
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.source import SourceFile
from wherefrom.nix.syntax.parser import parse
from wherefrom.semantics.nix import matching, operators, reduction
from wherefrom.semantics.nix.elaborate import elaborate
from wherefrom.semantics.nix.reduction import program
from wherefrom.semantics.nix.step import derive


def test_the_table_of_rules_is_true() -> None:
    """Every rule with its statement, its function and a case."""

    def run(case: Case) -> object:
        term = elaborate(parse(SourceFile("main.nix", case.sections["main.nix"])))
        return with_deep_stack(lambda: derive(program(term), 3_000))

    cases = [case for case in load_cases("mininix") if "outside" not in case.sections["want.mininix"]]
    relations: list[Any] = [reduction.base_step, operators.binop, matching.match_step]
    page = ROOT / "docs" / "semantics" / "nix.md"
    wanted = filled(page.read_text(), table(relations, firing_cases(cases, run)))
    if os.environ.get("WHEREFROM_UPDATE"):
        page.write_text(wanted)
    assert page.read_text() == wanted
