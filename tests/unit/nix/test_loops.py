"""What makes loops quick, and what must not be lost by it: counted calls, causes of failures, functions in a piece."""

from __future__ import annotations

import pytest

from support.nix_language import evaluate
from wherefrom.base.budget import Budget
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.source import SourceFile
from wherefrom.nix.builtins import find
from wherefrom.nix.emit.plain import Plain
from wherefrom.nix.emit.traced import Traced
from wherefrom.nix.front.language import NixOutcome
from wherefrom.nix.front.machine import ALLOWANCE, METERED
from wherefrom.nix.kernel.paths import STRING
from wherefrom.nix.kernel.running import running_here
from wherefrom.provenance.extract import depends

TESTED = "if 1 < 2 then throw x else 3"


def run(text: str, traced: bool, budget: Budget) -> str:
    """The value of a program, which may use so much."""
    with budget.in_force():
        return with_deep_stack(lambda: evaluate(text, traced).printed("text", strict=True))


def steps(text: str, traced: bool) -> int:
    """What a program draws from the budget of steps."""
    budget = Budget()
    run(text, traced, budget)
    return budget.used()["steps"]


@pytest.mark.parametrize("traced", [False, True])
def test_only_branches_that_call_twice_are_counted(traced: bool) -> None:
    """Half of the calls of a doubly recursive function are its leaves; a loop that calls once is not counted."""
    fib = "let fib = n: if n < 2 then n else fib (n - 1) + fib (n - 2); in fib 19"
    inner = 6_764  # of 13,529 calls
    assert inner * METERED <= steps(fib, traced) < (inner + ALLOWANCE) * METERED
    assert steps("let go = n: if n == 0 then 0 else go (n - 1); in go 5000", traced) == 0


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "let f = n: if n == 0 then 1 else f (n - 1) + f (n - 1); in f 60",
        "let f = n: if n != 0 && f (n - 1) == 0 then 1 else f (n - 1); in f 60",
        "let f = n: if n == 0 then 1 else if n == 1 then f 0 + f 0 else f (n - 1) + f (n - 1); in f 60",
        "let f = { n }: if n == 0 then 1 else f { n = n - 1; } + f { n = n - 1; }; in f { n = 60; }",
        "let f = n: a: if n == 0 then 1 else f (n - 1) a + f (n - 1) a; in f 60 1",
        "let f = n: builtins.all (x: if n == 0 then true else f (n - 1) && f (n - 1)) [ 1 ]; in f 60",
        "let f = n: if n == 0 then 1 else builtins.foldl' (a: x: f (n - 1)) 0 [ 1 2 ]; in f 60",
    ],
)
def test_what_doubles_is_refused(text: str, traced: bool) -> None:
    """Wherever the two calls stand, a function that calls itself twice is stopped by the budget."""
    with pytest.raises(Diagnostic, match="the budget of steps is spent"):
        run(text, traced, Budget(steps=50_000))


def looked(outcome: NixOutcome) -> list[object]:
    """The tests in force, after everything is done."""
    return outcome.machine.looked


def test_tests_are_noted_only_inside_tryeval() -> None:
    """A failure that nobody catches notes no tests; one that is caught does; afterwards nothing is left."""
    with pytest.raises(Diagnostic):
        evaluate(f'let x = "a"; in {TESTED}', traced=True)
    outcome = evaluate(f'let x = "a"; in (builtins.tryEval ({TESTED})).success', traced=True)
    assert {leaf.value for leaf in depends(outcome.select("").origin)} >= {1, 2}
    assert looked(outcome) == []


def test_nothing_is_left_after_an_error_that_nobody_catches() -> None:
    """An error passes `tryEval` by: the next attempt of the same evaluation begins with nothing."""
    attempts = ['if 1 < 2 then abort "no" else 3', 'if 4 < 5 then throw "no" else 6']
    outcome = evaluate("let t = builtins.tryEval; in {{ a = t ({}); b = t ({}); }}".format(*attempts), traced=True)
    with pytest.raises(Diagnostic):
        outcome.select("a.success")
    assert looked(outcome) == []
    assert {leaf.value for leaf in depends(outcome.select("b.success").origin)} >= {4, 5}
    assert not {leaf.value for leaf in depends(outcome.select("b.success").origin)} & {1, 2}
    assert looked(outcome) == []


@pytest.mark.parametrize(
    ("failing", "numbers"),
    [
        ("let s = { a = 1; b = throw s.c; c = toString 7; }; in s.a < s.b", {1, 7}),
        ("let s = { a = 1; b = throw s.c; c = toString 7; }; in if s.a == 1 then s.b else 2", {1, 7}),
        ("let s = { a = 1; b = throw s.c; c = toString 7; }; in s.b or 3", {7}),
        ("let s = { a = 1; c = toString 7; }; in s.b or (throw s.c)", {7}),
        ("let s = { a = 8; }; b = throw (toString 7); in s.a + b", {7, 8}),
    ],
)
def test_operands_and_attributes_tell_what_led_to_a_failure(failing: str, numbers: set[int]) -> None:
    """Variables and attributes are computed without putting anything aside, and still all that led there is known."""
    origin = evaluate(f"(builtins.tryEval ({failing})).success", traced=True).select("").origin
    assert {leaf.value for leaf in depends(origin)} >= numbers


@pytest.mark.parametrize("emitter", [Plain, Traced])
def test_a_function_that_is_called_again_and_again_stays_in_one_piece(emitter: type[Plain] | type[Traced]) -> None:
    """One that is given to `sort` is no unit of its own; the same function elsewhere is, when it is that long."""
    function = (
        "(a: b: a.first.second.third + a.weight * 100003 - a.height < b.first.second.third + b.weight * 7 - b.height)"
    )
    machine = evaluate("1").machine
    units = []
    for text in (f"builtins.sort {function} [ ]", f"{{ f = {function}; }}"):
        source = SourceFile(STRING, text)
        units.append(len(emitter(machine, source).compile(machine.parse(source, "/")).unit_names))
    assert units == [1, 2]


def test_builtins_say_which_functions_they_repeat() -> None:
    """What they repeat is one of their arguments."""
    for name in ("map", "filter", "sort", "foldl'", "genList", "mapAttrs", "any", "all", "concatMap"):
        assert find(name).repeats == (0,)
    assert find("tryEval").repeats == ()


def test_nothing_is_recorded_where_no_evaluation_runs() -> None:
    """All threads find the same there, so nobody may change it."""
    with pytest.raises(AssertionError):
        running_here().touched = []
    assert running_here().touched is None
