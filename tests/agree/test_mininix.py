"""Mininix and the production evaluator of Nix say the same, up to the documented differences.

A program's reference answer is what the fuel interpreter gives (a strong value, or stuck); production's is the value
evaluated throughout, or an error. They must be equal, except where `docs/semantics/nix.md` says that Nix itself
differs; each exception is recognised by what the reference did. Running out of fuel is no answer: such programs are
counted and must stay few.
"""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.cases import Case, load_cases
from support.examples import examples
from support.mininix_programs import generate
from wherefrom.api import evaluate
from wherefrom.base.budget import Budget
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.diagnostics import Diagnostic, ManyErrors
from wherefrom.base.source import SourceFile
from wherefrom.nix.front.language import NixOutcome, guarded
from wherefrom.nix.syntax.parser import parse
from wherefrom.nix.trace.history import plain as nix_plain
from wherefrom.semantics.nix.elaborate import elaborate
from wherefrom.semantics.nix.interpreter import NO_FUEL, STUCK, Failure, run_program
from wherefrom.semantics.nix.reduction import program, reduce, stuck_redex
from wherefrom.semantics.nix.show import plain
from wherefrom.semantics.nix.step import derive
from wherefrom.semantics.nix.syntax import PRELUDE, Attrs, Fun, Int, MatchFun, Op, SelectOr, Term, free, is_value

BOUND = 2**63


def reference(text: str) -> tuple[Term, object]:
    """The Mininix term and its answer: plain data, `STUCK` or `NO_FUEL`."""
    term = elaborate(parse(SourceFile("generated.nix", text)))
    answer = run_program(200, term, work=20_000)
    return term, answer if isinstance(answer, Failure) else plain(answer)


def production(text: str) -> object:
    """Plain data, or `STUCK` for an error.

    The program stands in a set, because a function at the top with defaults for all its arguments would be called.
    """
    try:
        outcome = evaluate(f"{{ it = {text}; }}")
        assert isinstance(outcome, NixOutcome)
        with Budget().in_force():  # outside of a run: each program has its own
            value = guarded(outcome.machine, lambda: nix_plain(outcome.root, strict=True))
    except (Diagnostic, ManyErrors):
        return STUCK
    return value["it"]


def same(answer: object, actual: object) -> bool:
    """Equal data of equal types; a function is a function."""
    match answer, actual:
        case ("<LAMBDA>", "«lambda»"):
            return True
        case (dict(), dict()):
            return answer.keys() == actual.keys() and all(same(answer[name], actual[name]) for name in answer)
    return type(answer) is type(actual) and answer == actual


def differs_by_design(term: Term, answer: object) -> str | None:
    """Which of the documented differences explains that Nix may answer otherwise, if one does."""
    if free(term) - PRELUDE.keys():
        return "D13"
    if answer is not STUCK:
        return _on_the_way(term)
    match stuck_redex(reduce(program(term), 2_000)[0]):
        case SelectOr(subject) if is_value(subject) and not isinstance(subject, Attrs):
            return "D3"
        case Op("+", Attrs(), _) | Op("+", _, Attrs()):
            return "D11"
    return None


def _on_the_way(term: Term) -> str | None:
    """A difference met while reducing: a division that rounds (D8), or functions compared inside sets (D5)."""
    for state in derive(program(term), 5_000).states():
        match stuck_redex(state):
            case Op("/", Int(a), Int(b)) if b and a % b and (a < 0) != (b < 0):
                return "D8"
            case Op("=", Attrs() as one, Attrs() as other) if _has_function(one) and _has_function(other):
                return "D5"
    return None


def _has_function(value: Term) -> bool:
    return isinstance(value, Fun | MatchFun) or (isinstance(value, Attrs) and any(map(_has_function, value.b.values())))


def compare(text: str) -> str:
    """`equal`, `no fuel`, or the difference's name; raises if there is an unexplained one."""
    term, answer = reference(text)
    if answer is NO_FUEL:
        return "no fuel"
    actual = production(text)
    if answer is STUCK and actual is STUCK:
        return "equal"
    if answer is not STUCK and same(answer, actual):
        return "equal"
    why = differs_by_design(term, answer)
    assert why is not None, f"{text}\n  reference: {answer}\n  production: {actual}"
    return why


@pytest.mark.parametrize("case", load_cases("mininix"), ids=repr)
def test_production_on_the_cases(case: Case) -> None:
    """On every case production gives what real Nix gave when the case was recorded."""
    wanted = case.sections["want.nix"].strip()
    text = case.sections["main.nix"]
    try:
        value = evaluate(text).printed("json", strict=True)  # type: ignore[attr-defined]
        assert json.loads(value) == json.loads(wanted)
    except Diagnostic as problem:
        assert wanted.startswith("error"), problem
        assert ("infinite recursion" in wanted) == ("infinite recursion" in str(problem))


@settings(derandomize=True, max_examples=examples(100), deadline=None)
@given(st.data())
def test_generated_programs(data: st.DataObject) -> None:
    """Hypothesis draws the program, and shrinks it when the two disagree."""
    text = generate(lambda below: data.draw(st.integers(0, below - 1)), depth=3)
    with_deep_stack(lambda: compare(text))


def many(count: int, seed: int) -> Counter[str]:
    source = random.Random(seed)
    return with_deep_stack(lambda: Counter(compare(generate(source.randrange, depth=4)) for _ in range(count)))


def test_many_programs() -> None:
    """A few hundred larger programs, nearly all of them compared."""
    count = examples(300)
    assert many(count, seed=3)["equal"] > 0.8 * count


@pytest.mark.soak
def test_agreement_at_length() -> None:
    """Twenty thousand programs."""
    found = many(20_000, seed=11)
    assert found["equal"] > 16_000


def test_integers_stay_within_nix_bounds() -> None:
    """The generator makes no integer that Nix would wrap, so D9 needs no exception here."""
    source = random.Random(5)
    for _ in range(200):
        _, answer = with_deep_stack(lambda: reference(generate(source.randrange, depth=4)))
        assert not isinstance(answer, int) or abs(answer) < BOUND
