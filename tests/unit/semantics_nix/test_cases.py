"""The thesis' examples, the known differences from Nix, and stuck programs, one case each; every rule fires in some."""

from __future__ import annotations

import json

import pytest

from support.cases import Case, load_cases
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.source import SourceFile
from wherefrom.nix.syntax.parser import parse
from wherefrom.semantics import rules
from wherefrom.semantics.nix import matching, operators, reduction
from wherefrom.semantics.nix.elaborate import OutsideMininix, elaborate
from wherefrom.semantics.nix.interpreter import Failure, run_program
from wherefrom.semantics.nix.reduction import program, step, stuck_redex
from wherefrom.semantics.nix.show import plain
from wherefrom.semantics.nix.step import derive
from wherefrom.semantics.nix.syntax import Term, is_strong

CASES = load_cases("mininix")
FUEL = 600
STEPS = 3_000


def term_of(case: Case) -> Term:
    return elaborate(parse(SourceFile("main.nix", case.sections["main.nix"])))


def answer_of_interpreter(case: Case) -> str:
    """What the fuel interpreter says: a value as JSON, `stuck`, `out of fuel`, or what is outside Mininix."""
    try:
        term = term_of(case)
    except OutsideMininix as problem:
        return f"outside: {problem.message.removeprefix('Mininix has no ')}"
    value = with_deep_stack(lambda: run_program(FUEL, term, work=200_000))
    return value.value if isinstance(value, Failure) else json.dumps(plain(value))


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_interpreter(case: Case) -> None:
    """The fuel interpreter gives what the case wants."""
    case.expect("want.mininix", answer_of_interpreter(case) + "\n")


@pytest.mark.parametrize("case", [case for case in CASES if "outside" not in case.sections["want.mininix"]], ids=repr)
def test_reduction(case: Case) -> None:
    """The reduction relation ends where the interpreter does (soundness and completeness, on the case)."""
    derivation = with_deep_stack(lambda: derive(program(term_of(case)), STEPS))
    wanted = case.sections["want.mininix"].strip()
    last = derivation.last
    if wanted == "out of fuel":
        assert len(derivation.steps) == STEPS
    elif wanted == "stuck":
        assert step(last) is None
        assert not is_strong(stuck_redex(last))
    else:
        assert json.dumps(plain(last)) == wanted


def test_every_rule_fires_in_some_case() -> None:
    """No rule is there for show."""
    rules.FIRED.clear()
    for case in CASES:
        if "outside" not in case.sections["want.mininix"]:
            with_deep_stack(lambda case=case: derive(program(term_of(case)), STEPS))  # type: ignore[misc]
    relations = (reduction.base_step, operators.binop, matching.match_step)
    names = {rule.full_name for relation in relations for rule in relation.rules.values()}
    assert names - rules.FIRED.keys() == set()
