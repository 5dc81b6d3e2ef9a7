"""Dependency is sound for Nix: a literal that a value is said not to depend on can be changed without changing it."""

from __future__ import annotations

import pytest

from support.nix_language import evaluate
from support.nix_programs import failing_program, program
from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.source import SourceFile
from wherefrom.nix.kernel.values import is_function
from wherefrom.nix.syntax.lexer import tokenize
from wherefrom.provenance.extract import depends

CHANGED = {"INT": ("5", "0", "31"), "FLOAT": ("7.25",), "true": ("false",), "false": ("true",), "STRING": ("a", "zz")}


def literals(text: str) -> list[tuple[str, int, int]]:
    """The numbers, Booleans and plain strings in a program: kind, start and end.

    A string that is a written attribute name is no literal, so what stands where a name may stand is left alone; and
    `0.a` selects from a number, but `5.a` would begin with a float.
    """
    tokens = tokenize(SourceFile("x", text))
    kinds = tokens.kinds
    found = []
    for index, (kind, start, end) in enumerate(zip(kinds, tokens.starts, tokens.ends)):
        kind = text[start:end] if text[start:end] in CHANGED else kind
        if kind == "STRING":
            before = index - 1
            while kinds[before] == "(":  # `${("a")}` is a written name too
                before -= 1
            start, end = start + 1, end - 1
            if start == end or kinds[before] in (".", "?", "${") or kinds[index + 1] in ("=", "."):
                continue
        if kind in CHANGED and text[end : end + 1] != ".":
            found.append((kind, start, end))
    return found


def check(seed: int, size: int) -> int:
    """Change every number and Boolean that some output does not depend on; returns how many changes were tried."""
    text = program(seed, size)
    try:
        outcome = evaluate(text, traced=True)
        outputs = list(outcome.outputs())
    except WherefromError:
        return 0
    tried = 0
    for selected in outputs[:4]:
        used = {
            (leaf.span.start, leaf.span.end)
            for leaf in depends(selected.origin)
            if leaf.kind == "literal" and leaf.span and not is_function(leaf.value)
        }
        inside = [(start, end) for start, end in used]
        for kind, start, end in literals(text)[:12]:
            if any(low <= start and end <= high for low, high in inside):
                continue  # it depends on this literal, or on a function or string that holds it
            for other in CHANGED[kind]:
                changed = text[:start] + other + text[end:]
                value = evaluate(changed).select(selected.path).value
                assert value == selected.value, (
                    f"{text}\n{selected.path} = {selected.value}, but with {changed}: {value}"
                )
                tried += 1
    return tried


def check_failing(seed: int) -> int:
    """Change every number and Boolean of a program that catches failures; returns how many changes turned it over."""
    text = failing_program(seed)
    try:
        selected = evaluate(text, traced=True).select("")
    except WherefromError:
        return 0
    leaves = [leaf for leaf in depends(selected.origin) if not is_function(leaf.value)]
    used = [leaf.span for leaf in leaves if leaf.kind == "literal" and leaf.span]
    turned = 0
    for kind, start, end in literals(text):
        known = any(span.start <= start and end <= span.end for span in used)
        for other in CHANGED[kind]:
            changed = text[:start] + other + text[end:]
            try:
                value = evaluate(changed).select("").value
            except WherefromError:
                value = "an error"
            assert known or value == selected.value, f"{text}\n{selected.value}, but with {changed}: {value}"
            turned += value is not selected.value
    return turned


@pytest.mark.parametrize(
    "seeds", [range(20), *(pytest.param(range(at, at + 20), marks=pytest.mark.long) for at in (20, 40))], ids=str
)
def test_numbers_without_influence(seeds: range) -> None:
    """Twenty programs, sixty in `make long`; the soak has thousands."""
    assert sum(check(7_000 + seed, 5) for seed in seeds) > 10


@pytest.mark.parametrize("seeds", [range(25), pytest.param(range(25, 50), marks=pytest.mark.long)], ids=str)
def test_what_led_to_a_caught_failure(seeds: range) -> None:
    """Programs that catch a `throw` or a failed assertion: what `success` does not depend on has no say."""
    assert sum(check_failing(seed) for seed in seeds) > 4


@pytest.mark.soak
@pytest.mark.parametrize("seeds", [range(start, start + 250) for start in range(0, 5_000, 250)], ids=str)
def test_what_led_to_a_caught_failure_many(seeds: range) -> None:
    """Five thousand of them."""
    assert sum(check_failing(90_000 + seed) for seed in seeds) > 100


@pytest.mark.soak
@pytest.mark.parametrize("seeds", [range(start, start + 200) for start in range(0, 3_000, 200)], ids=str)
def test_numbers_without_influence_many(seeds: range) -> None:
    """Three thousand programs."""
    assert sum(check(50_000 + seed, 6) for seed in seeds) > 100
