"""The formula of a Nix value is true: evaluated again from its inputs, it gives the value.

Programs are generated. A formula with a function in it is refused, not guessed at; the tests count how many were
computed again, so that refusing everything would not pass.
"""

from __future__ import annotations

from functools import partial

import pytest

from support.nix_language import evaluate
from support.nix_programs import program
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.diagnostics import WherefromError
from wherefrom.nix.trace.terms import NotData
from wherefrom.provenance.extract import Apply, Build, evaluate_term, expression, leaves

FUNCTION = "«"
"""How functions, and values that contain themselves, are shown in plain data."""


def check(seed: int, size: int) -> int:
    """Evaluate the formula of every value of a program again; returns how many were compound."""
    text = program(seed, size)
    try:
        outcome = evaluate(text, traced=True)
        outputs = list(outcome.outputs())
    except WherefromError:
        return 0
    compound = 0
    for selected in outputs:
        if FUNCTION in str(selected.value):
            continue
        term = expression(selected.origin)
        try:
            again = with_deep_stack(partial(evaluate_term, term, outcome.apply))
        except NotData:
            continue
        assert again == selected.value and type(again) is type(selected.value), (
            f"{text}\n{selected.path} = {selected.value!r}, but {term} gives {again!r}"
        )
        compound += isinstance(term, Apply | Build)
    return compound


@pytest.mark.parametrize("seeds", [range(start, start + 50) for start in range(0, 300, 50)], ids=str)
def test_formulas_give_the_value(seeds: range) -> None:
    """Three hundred programs."""
    assert sum(check(11_000 + seed, 5) for seed in seeds) > 10


@pytest.mark.soak
@pytest.mark.parametrize("seeds", [range(start, start + 500) for start in range(0, 5_000, 500)], ids=str)
def test_formulas_give_the_value_many(seeds: range) -> None:
    """Five thousand programs."""
    assert sum(check(60_000 + seed, 4 + seed % 5) for seed in seeds) > 100


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ('(builtins.parseDrvName "nix-0.12").version', '(builtins.parseDrvName "nix-1.5").version'),
        ('(builtins.fromTOML "x = 1").x', '(builtins.fromTOML "x = 2").x'),
        ('builtins.head (builtins.split "b" "abc")', 'builtins.head (builtins.split "b" "xbc")'),
    ],
)
def test_a_formula_computes(text: str, other: str) -> None:
    """No step holds its own answer: with another text in its place, the formula gives the other program's value."""
    outcome = evaluate(text, traced=True)
    (selected,) = outcome.outputs()
    (wanted,) = evaluate(other, traced=True).outputs()
    term = expression(selected.origin)
    given = {leaf.value for leaf in leaves(term)}
    changed = {leaf.value for leaf in leaves(expression(wanted.origin))} - given
    (new,) = changed
    (old,) = given - {leaf.value for leaf in leaves(expression(wanted.origin))}
    replaced = evaluate_term(term, outcome.apply, lambda leaf: new if leaf.value == old else leaf.value)
    assert replaced == wanted.value != selected.value
