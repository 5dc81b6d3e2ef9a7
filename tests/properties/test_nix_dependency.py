"""Dependency is sound for Nix: a literal that a value is said not to depend on can be changed without changing it."""

from __future__ import annotations

import pytest

from support.nix_language import evaluate
from support.nix_programs import program
from whence.base.diagnostics import WhenceError
from whence.base.source import SourceFile
from whence.nix.lexer import tokenize
from whence.provenance.extract import depends

CHANGED = {"INT": ("5", "0", "31"), "FLOAT": ("7.25",), "true": ("false",), "false": ("true",)}


def literals(text: str) -> list[tuple[str, int, int]]:
    """The numbers and Booleans in a program: kind, start and end.

    Where `tryEval` may catch a failure Booleans are left alone: what led to a failure is not recorded (docs/nix.md).
    """
    words = () if "tryEval" in text else ("true", "false")
    tokens = tokenize(SourceFile("x", text))
    found = []
    for kind, start, end in zip(tokens.kinds, tokens.starts, tokens.ends):
        kind = text[start:end] if text[start:end] in words else kind
        if kind in CHANGED:
            found.append((kind, start, end))
    return found


def check(seed: int, size: int) -> int:
    """Change every number and Boolean that some output does not depend on; returns how many changes were tried."""
    text = program(seed, size)
    try:
        outcome = evaluate(text, traced=True)
        outputs = list(outcome.outputs())
    except WhenceError:
        return 0
    tried = 0
    for selected in outputs[:4]:
        used = {
            (leaf.span.start, leaf.span.end)
            for leaf in depends(selected.origin)
            if leaf.kind == "literal" and leaf.span
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


@pytest.mark.parametrize("seeds", [range(start, start + 20) for start in range(0, 100, 20)], ids=str)
def test_numbers_without_influence(seeds: range) -> None:
    """A hundred programs."""
    assert sum(check(7_000 + seed, 5) for seed in seeds) > 10


@pytest.mark.soak
@pytest.mark.parametrize("seeds", [range(start, start + 200) for start in range(0, 3_000, 200)], ids=str)
def test_numbers_without_influence_many(seeds: range) -> None:
    """Three thousand programs."""
    assert sum(check(50_000 + seed, 6) for seed in seeds) > 100
