"""Masks are sound: what a masked run says an output does not depend on can be changed without changing the output."""

from __future__ import annotations

from typing import Any

import pytest

from properties.test_nix_dependency import CHANGED, literals
from support.nix_language import evaluate
from support.nix_programs import failing_program, program
from wherefrom.base.diagnostics import WherefromError
from wherefrom.nix.front.language import NixOutcome, guarded, write_path
from wherefrom.nix.trace.history import plain


def outputs(outcome: NixOutcome) -> dict[str, tuple[Any, int]]:
    """The value and the mask of each output."""
    dependence = outcome.dependence

    def work() -> dict[str, tuple[Any, int]]:
        return {
            write_path(row.steps): ("fails" if row.error else plain(row.slot, strict=True), row.mask)
            for row in dependence.outputs()
        }

    return guarded(dependence.machine, work)


def check(text: str) -> tuple[int, int]:
    """Change every literal of a program: how many outputs changed, and of how many a mask says that they may."""
    try:
        outcome = evaluate(text)
        before = outputs(outcome)
    except WherefromError:
        return 0, 0
    masks = outcome.dependence.masks
    places = {(given.start, given.end): 1 << number for number, given in enumerate(masks.inputs) if given.source}
    changing = said = 0
    for kind, start, end in literals(text)[:16]:
        bits = sum({bit for (low, high), bit in places.items() if low <= start and end <= high})
        named = {path for path, (_, mask) in before.items() if mask & bits}
        said += len(named)
        touched: set[str] = set()
        for other in CHANGED[kind]:
            changed = text[:start] + other + text[end:]
            try:
                after = outputs(evaluate(changed))
            except WherefromError:
                touched |= set(before)
                assert named, f"{text}\nfails with {changed}"
                continue
            wrong = {path for path, (value, _) in before.items() if path not in after or after[path][0] != value}
            assert wrong <= named, f"{text}\nnot in the masks of {wrong - named}: {changed}"
            touched |= wrong
        changing += len(touched)
    return changing, said


@pytest.mark.parametrize(
    "seeds",
    [range(20), *(pytest.param(range(at, at + 20), marks=pytest.mark.long) for at in range(20, 120, 20))],
    ids=str,
)
def test_changed_literals(seeds: range) -> None:
    """Twenty programs, a hundred and twenty in `make long`, thousands in the soak."""
    assert sum(check(program(20_000 + seed, 5))[0] for seed in seeds) > 10


@pytest.mark.parametrize("seeds", [range(20), pytest.param(range(20, 60), marks=pytest.mark.long)], ids=str)
def test_what_led_to_a_caught_failure(seeds: range) -> None:
    """Programs that catch a `throw` or a failed assertion."""
    assert sum(check(failing_program(30_000 + seed))[0] for seed in seeds) > 4


@pytest.mark.soak
@pytest.mark.parametrize("seeds", [range(start, start + 500) for start in range(0, 10_000, 500)], ids=str)
def test_changed_literals_many(seeds: range) -> None:
    """Ten thousand programs, and as many that catch failures."""
    changing, said = map(sum, zip(*(check(program(200_000 + seed, 6)) for seed in seeds)))
    print(f"{changing} outputs changed, {said} were said to be able to")
    assert changing > 500
    assert sum(check(failing_program(300_000 + seed))[0] for seed in seeds) > 50
