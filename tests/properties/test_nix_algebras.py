"""Plain and recording code agree: the same value, or the same error at the same place, whatever the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.cases import load_cases
from support.nix_language import evaluate
from support.nix_programs import failing_program, program
from wherefrom.api import compile
from wherefrom.base.diagnostics import Diagnostic, ManyErrors
from wherefrom.nix.builtins import find
from wherefrom.nix.builtins.manual import examples
from wherefrom.nix.kernel.names import INDEX
from wherefrom.nix.trace.history import plain as plain_data

ROOT = Path(__file__).resolve().parents[2]

POINTERS = [
    "let f = x: x; in [ f ] == [ f ]",
    "let f = x: x; in { a = f; } == { a = f; }",
    "let f = x: y: x; in f == f",
    'let x = throw "a"; in builtins.tryEval ([ x ] == [ x ])',
    'let x = throw "a"; s = { inherit x; }; in builtins.tryEval (s == s)',
    "[ builtins.add ] == [ builtins.add ]",
    "[ map ] == [ map ]",
    "let inherit (builtins) add; in [ add ] == [ add ]",
    "let a = { f = x: x; }; b = a // { g = 1; }; in [ a.f ] == [ b.f ]",
    "let f = { x ? y: y }: x; in [ (f { }) ] == [ (f { }) ]",
    "let g = x: x; f = { x }: x; in [ (f { x = g; }) ] == [ (f { x = g; }) ]",
    "rec { a = 1; b = a; __overrides = { a = 20; }; }",
    "rec { a = x: x; b = a 2; __overrides = { a = x: x + 1; }; }",
    "let f = a: b: c: d: e: g: h: a + b + c + d + e + g + h; in f 1 2 3 4 5 6 7",
    "let f = a: b: c: a + b + c; g = f 1; h = g 2; in [ (h 3) (g 4 5) (map (f 1 2) [ 6 ]) ]",
    "builtins.functionArgs (let f = { a, b ? 1 }: c: a; in f)",
    "let inherit (builtins) elemAt; in elemAt [ 1 ] 5",
    "let l = [ 1 ]; in builtins.head (builtins.tail l)",
    'let builtins = { add = a: b: "mine"; }; inherit (builtins) add; in add 1 2',
    '"a" + (assert 1 == 2; "b")',
    "(x: x.y.z) { y = 1; }",
    "({ a, b ? a.c }: b) { a = { }; }",
    "with { a = 1; }; with null; a",
    "{ a = 1; }.b.c or (1 + {})",
]


def told(text: str, traced: bool) -> str:
    """The value as data, or the error with its code, words and place.

    What Nix prints also tells which parts of a value are one and the same; that is asked of plain runs alone.
    """
    try:
        outcome = evaluate(text, traced=traced)
        outcome.printed("text", strict=True)
        return repr(plain_data(outcome.root, strict=True))
    except ManyErrors as problems:
        problem: Diagnostic = problems.diagnostics[0]
    except Diagnostic as single:
        problem = single
    place = problem.span.place if problem.span is not None else "nowhere"
    return f"error {problem.code} at {place}: {problem.message}"


@pytest.mark.parametrize("text", POINTERS)
def test_agree_on_identity_places_and_arguments(text: str) -> None:
    """Where the two could most easily part: the same slot twice, functions of many arguments, errors in odd places."""
    assert told(text, traced=True) == told(text, traced=False)


@pytest.mark.parametrize("area", ["nix/builtins", "nix/language"])
def test_agree_on_all_cases(area: str) -> None:
    """Every expression of the cases, those that fail among them: value, error and place."""
    texts = [text for case in load_cases(area) for text in case.files.get("expressions", "").splitlines()]
    assert len(texts) > 200
    for text in texts:
        if "100000" not in text and "50000" not in text:  # these ask for depth, and take long
            assert told(text, traced=True) == told(text, traced=False), text


def test_agree_on_the_examples_of_every_builtin() -> None:
    """The manual's examples of all builtins."""
    shown = [text for name in sorted(INDEX) for text, _ in examples(find(name).manual)]
    assert len(shown) > 100
    for text in shown:
        if "getFlake" not in text:
            assert told(text, traced=True) == told(text, traced=False), text


@pytest.mark.parametrize("host", ["web", "gate", "db"])
def test_agree_on_a_flake_with_modules(host: str) -> None:
    """Many files, a module system, a flake with inputs: options of a host, or why they have no value."""
    flake = str(ROOT / "examples" / "flake")
    answers = []
    for traced in (False, True):
        outcome = compile(flake, language="nix", flake=True, trace=traced)
        told = []
        for option in ("web.port", "web.enable", "openssh.ports", "nothing"):
            try:
                told.append(repr(outcome.select(f"nixosConfigurations.{host}.config.services.{option}").value))
            except Diagnostic as problem:
                told.append(f"{problem.code} {problem.message}")
        answers.append(told)
    assert answers[0] == answers[1]


def check(seeds: range) -> int:
    """Compare on generated programs; returns how many of them failed, on both sides alike."""
    failed = 0
    for seed in seeds:
        for text in (program(seed, 3 + seed % 5), failing_program(seed)):
            plain = told(text, traced=False)
            assert told(text, traced=True) == plain, text
            failed += plain.startswith("error")
    return failed


def test_agree_on_generated_programs() -> None:
    """A few hundred programs, values and failures."""
    assert check(range(100)) > 10


@pytest.mark.soak
def test_agree_on_twenty_thousand_programs() -> None:
    """The same, for long."""
    assert check(range(1_000, 11_000)) > 1_000
