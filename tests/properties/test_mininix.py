"""Mininix' theorems on generated programs: soundness, completeness, confluence, and what follows from them."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.mininix_programs import generate
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.source import SourceFile
from wherefrom.nix.syntax.parser import parse
from wherefrom.semantics.nix.elaborate import elaborate
from wherefrom.semantics.nix.interpreter import NO_FUEL, Failure, run
from wherefrom.semantics.nix.reduction import program, step, steps
from wherefrom.semantics.nix.show import plain
from wherefrom.semantics.nix.syntax import PRELUDE, Force, Let, RecBinding, Term, is_strong, is_value

FUEL = 150
WORK = 20_000
STEPS = 2_000


@st.composite
def programs(draw: st.DrawFn) -> Term:
    """A closed term: a generated program with its prelude."""
    text = generate(lambda below: draw(st.integers(0, below - 1)), depth=3)
    return program(elaborate(parse(SourceFile("generated.nix", text))), strict=False)


def many(count: int, seed: int) -> list[Term]:
    source = random.Random(seed)
    texts = (generate(source.randrange, depth=4) for _ in range(count))
    return [program(elaborate(parse(SourceFile("generated.nix", text))), strict=False) for text in texts]


def reduced(e: Term, limit: int = STEPS) -> Term | None:
    """e ->* d where d makes no step; nothing if that takes too long."""
    for _ in range(limit):
        found = step(e)
        if found is None:
            return e
        e = found[1]
    return None


def check_agreement(e: Term) -> None:
    """T1 and T2: the interpreter gives v under `uf` exactly when e, under `force`, reduces to v."""
    for uf in (False, True):
        answer = run(FUEL, uf, e, WORK)
        end = reduced(Force(e) if uf else e)
        if answer is NO_FUEL or end is None:
            continue
        if isinstance(answer, Failure):
            assert not (is_strong(end) if uf else is_value(end))
        else:
            assert end == answer


@settings(derandomize=True, max_examples=examples(150), deadline=None)
@given(programs())
def test_soundness_and_completeness(e: Term) -> None:
    """Theorems 1 and 2 (eval_sound_strong, eval_complete)."""
    with_deep_stack(lambda: check_agreement(e))


@settings(derandomize=True, max_examples=examples(100), deadline=None)
@given(programs(), st.randoms(use_true_random=False))
def test_confluence(e: Term, chance: random.Random) -> None:
    """Theorem 3: whichever member of a set is reduced first, the end is the same."""

    def one_way(e: Term) -> Term | None:
        for _ in range(STEPS):
            possible = list(steps(e))
            if not possible:
                return e
            e = chance.choice(possible)[1]
        return None

    first, second = with_deep_stack(lambda: (reduced(Force(e)), one_way(Force(e))))
    assume(first is not None and second is not None)
    if is_strong(first):  # type: ignore[arg-type]
        assert first == second
    else:
        assert not is_strong(second)  # type: ignore[arg-type]


@settings(derandomize=True, max_examples=examples(100), deadline=None)
@given(programs(), st.integers(1, 100))
def test_more_fuel_never_changes_a_result(e: Term, less: int) -> None:
    """Lemma 6 (eval_le)."""
    small, large = with_deep_stack(lambda: (run(less, True, e, WORK), run(FUEL, True, e, WORK * 10)))
    if small is not NO_FUEL:
        assert small == large


@settings(derandomize=True, max_examples=examples(100), deadline=None)
@given(programs())
def test_weak_then_strict_is_strict(e: Term) -> None:
    """Forcing a weak result gives the strict result."""
    weak = with_deep_stack(lambda: run(FUEL, False, e, WORK))
    assume(not isinstance(weak, Failure))
    later, at_once = with_deep_stack(lambda: (run(FUEL, True, weak, WORK), run(FUEL, True, e, WORK)))  # type: ignore[arg-type]
    assume(NO_FUEL not in (later, at_once))
    assert later == at_once


@settings(derandomize=True, max_examples=examples(100), deadline=None)
@given(st.integers(0, 10**9))
def test_the_prelude_is_a_let(seed: int) -> None:
    """e with the prelude substituted means `let prelude in e`."""
    e = elaborate(parse(SourceFile("generated.nix", generate(random.Random(seed).randrange, depth=3))))
    as_let = Let({x: RecBinding(False, d) for x, d in PRELUDE.items()}, e)
    one, other = with_deep_stack(lambda: (run(FUEL, True, program(e, False), WORK), run(FUEL, True, as_let, WORK)))
    assume(NO_FUEL not in (one, other))
    assert one == other


def test_the_generator_makes_mostly_valid_programs() -> None:
    """More than half of the programs have a value; some are stuck; sets, functions and scalars all occur."""
    answers = with_deep_stack(lambda: [run(FUEL, True, e, WORK) for e in many(300, seed=1)])
    values = [answer for answer in answers if not isinstance(answer, Failure)]
    assert len(values) > 150
    assert len(values) < len(answers)
    assert {type(plain(value)) for value in values} >= {int, str, bool, dict}


@pytest.mark.soak
def test_soundness_and_completeness_at_length() -> None:
    """Five thousand larger programs."""

    def run_all() -> None:
        for e in many(5_000, seed=7):
            check_agreement(e)

    with_deep_stack(run_all)
