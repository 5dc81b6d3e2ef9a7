"""SmartFrog: the fast evaluator says what the paper's definitions say, or gives the same error at the same place."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings

from support.cases import Case, load_cases
from support.examples import examples, fresh
from support.smartfrog_programs import Generated, programs, random_program
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.diagnostics import ManyErrors, WherefromError
from wherefrom.base.host import Host, PureHost
from wherefrom.language import Inputs
from wherefrom.semantics.smartfrog.domains import plain
from wherefrom.semantics.smartfrog.valuation import specification
from wherefrom.smartfrog.front import LANGUAGE
from wherefrom.smartfrog.parser import load


def reference(host: Host) -> str:
    """The paper's answer: the store as JSON text (so that order and 1, 1.0, true count), or the error and its place."""
    try:
        store = with_deep_stack(lambda: specification(load(host.source("main.sf"), host).checked().tree))
    except WherefromError as problem:
        return shown(problem)
    return json.dumps(plain(store))


def production(host: Host) -> str:
    """The fast evaluator's answer."""
    try:
        return json.dumps(LANGUAGE.run("main.sf", host, Inputs()).document())
    except WherefromError as problem:
        return shown(problem)


def shown(problem: WherefromError) -> str:
    """Codes and places of an error."""
    problems = problem.diagnostics if isinstance(problem, ManyErrors) else [problem]
    return ", ".join(f"{each.code} {each.span and each.span.place}" for each in problems)  # type: ignore[attr-defined]


@pytest.mark.parametrize("case", [case for case in load_cases("smartfrog") if "main.sf" in case.files], ids=str)
def test_cases_agree(case: Case) -> None:
    """On every case that is a program the two agree (limits are the evaluator's alone)."""
    host = PureHost(case.files)
    if case.header.get("reference", True):
        assert production(host) == reference(host)


@settings(max_examples=examples(125), derandomize=True, deadline=None)
@given(programs())
def test_generated_programs_agree(program: Generated) -> None:
    """On programs that Hypothesis makes, and makes smaller when they fail."""
    assert production(program.host) == reference(program.host)


def _many(seeds: range) -> Counter[str]:
    kinds: Counter[str] = Counter()
    for seed in seeds:
        host = random_program(seed).host
        expected = reference(host)
        assert production(host) == expected, f"program {seed}"
        kinds["ok" if expected.startswith("{") else expected.split()[0]] += 1
    return kinds


@pytest.mark.parametrize(
    ("seeds", "errors"),
    [
        (range(240, 320), "S001 S002"),
        pytest.param(range(240, 540), "S001 S002 S004 S005 S007", marks=pytest.mark.long),
    ],
    ids=str,
)
def test_random_programs_agree(seeds: range, errors: str) -> None:
    """Numbered programs; most compile, and every error that a program can make is among them."""
    kinds = _many(seeds)
    assert kinds["ok"] > 0.7 * len(seeds)
    assert set(errors.split()) <= set(kinds)


@pytest.mark.soak
def test_ten_thousand_programs_agree() -> None:
    """The same, 10,000 times."""
    assert _many(fresh(range(10_750)))["ok"] > 8_000
