"""Every builtin of the three languages with large arguments and a small budget: it ends, soon.

What loops in C sees no clock, so it draws from the budget by the size of what it is given. The tables of the languages
say which builtins there are; each is called with texts, lists, hashes and integers of a million characters, elements or
bits. What may be used is a two-hundredth of the default budget; what is measured is processor time, and a call that
takes many times of what the budget stands for is one that draws nothing.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from attacks.running import wherefrom
from wherefrom import Session, WherefromError
from wherefrom.base.budget import Budget
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.nix.builtins import load_all
from wherefrom.nix.builtins.registry import REGISTRY
from wherefrom.puppet.functions.table import names as puppet_names
from wherefrom.ruby import Interpreter, NativeProc, RubyError, compile_ruby
from wherefrom.ruby.errors import Jump
from wherefrom.ruby.manual import modules

SMALL = {"steps": 100_000, "elements": 2_000_000, "characters": 8_000_000, "pairs": 50_000, "depth": 2_000}
GIVEN = "steps=200000,elements=4000000,characters=8000000,pairs=50000"
NIX_GIVEN = {"steps": 200_000, "elements": 4_000_000, "characters": 8_000_000, "pairs": 50_000, "seconds": 4}
MOST = 4.0
"""Seconds of the processor.  A step stands for a microsecond or a few: this is ten times of what was allowed."""

LARGE_VALUES = """
['a' * 1_000_000, ' ' * 500_000 + 'b', "ab\\n" * 200_000, (1..200_000).to_a, ['a'] * 200_000, 7**300_000, -(3**400_000),
 (1..50_000).map { |x| [x, x.to_s] }.to_h, (1..10**9), Set.new((1..50_000).to_a), 'é' * 300_000]
"""
SMALL_VALUES = "[3, 'a', /a*b/, 'a-z', [1], {1 => 2}, 10**6, nil, 'NFD', 'C*', '%s', 0..5, 2.5, 7**3_000]"
WAITING = frozenset("loop sleep cycle gets readline readlines read".split())
"""Methods that end when somebody says so: each round of theirs is a step."""


def method_names() -> list[str]:
    """Every method of every class of Ruby's."""
    return sorted({name for module in modules() for name in module.methods} - WAITING)


def values_of(text: str) -> list[Any]:
    """Values, made by Ruby."""
    values: list[Any] = Interpreter(budget=Budget(steps=10**8, elements=10**8, characters=10**9)).run(
        compile_ruby(text)
    )
    return values


def slow_calls(name: str, chance: Random, large: list[Any]) -> list[tuple[str, int, float]]:
    """The calls of a method that take too long: on each large receiver, with large and small arguments."""
    small = values_of(SMALL_VALUES)
    slow: list[tuple[str, int, float]] = []
    for number, receiver in enumerate(large):
        for arguments in ([], [chance.choice(large)], [chance.choice(small)], [*chance.sample(small, 2)]):
            interpreter = Interpreter(budget=Budget(**SMALL))
            block = chance.choice([None, NativeProc(lambda given: given[0] if given else None)])
            begun = time.process_time()
            with interpreter.budget.in_force(), contextlib.suppress(RubyError, Diagnostic, Jump):
                interpreter.send(receiver, name, arguments, block)
            taken = time.process_time() - begun
            if taken > MOST:
                slow.append((name, number, taken))
    return slow


@pytest.mark.parametrize("count", [2, pytest.param(12, marks=pytest.mark.long)])
def test_methods_of_ruby(count: int) -> None:
    """Some of them in each run."""
    chance, large = Random(1), values_of(LARGE_VALUES)
    for name in chance.sample(method_names(), count):
        assert slow_calls(name, chance, large) == []


@pytest.mark.soak
def test_all_methods_of_ruby() -> None:
    """All of them."""
    chance, large = Random(2), values_of(LARGE_VALUES)
    slow = []
    for number, name in enumerate(method_names()):
        large = large if number % 10 else values_of(LARGE_VALUES)  # some methods change them
        slow += slow_calls(name, chance, large)
    assert slow == []


INTEGERS = [
    "3.pow(m, m + 2)", "m.digits", "m.digits(7)", "m.digits(m / 2)", "(m * m) / (m + 1)", "(m * m) % (m + 3)",
    "(m * m).divmod(m + 1)", "m.gcd(m * m + 1)", "m.lcm(m + 1)", "m.to_s(7)", "m.to_s", "Integer.sqrt(m)",
    "x = m; 50.times { x = x * m }", "m.pow(m, 7)", "x = m; loop { x = x / 3 * 3 + x % m }",
    "(m * m).remainder(m + 1)", "(m * m).fdiv(m)", "(m * m).modulo(m + 5)", "m.round(-9000)",
    "x = 3; 100.times { x = x ** 3 }", "m.to_s(36).to_i(36)", "m.hash; [m, m + 1].max; [m, m].uniq; m.inspect",
]  # fmt: skip


@pytest.mark.parametrize("expression", INTEGERS)
def test_large_integers(expression: str) -> None:
    """A million bits: arithmetic draws for the work that its algorithm has."""
    interpreter = Interpreter(budget=Budget(**SMALL))
    begun = time.process_time()
    with interpreter.budget.in_force(), contextlib.suppress(RubyError, Diagnostic):
        interpreter.run(compile_ruby(f"m = 7**350_000; {expression}"))
    assert time.process_time() - begun < MOST


TEXTS = "sprintf('%999999s', 'x')", "regsubst(sprintf('%999999s', 'x'), ' ', 'ab', 'G')"
LISTS = "Integer[1, 100000].map |$i| { $i }", "split(sprintf('%99999s', 'x'), '')"
SHAPES = [
    "{s}", "{s}, {t}", "{s}, 'x'", "{l}", "{l}, {k}", "{l}, {s}", "{s}, {l}", "{s}, 'x', 'y'", "{s}, '\\s+$', 'y'",
    "'%s', {s}",
]  # fmt: skip
"""Arguments: texts and lists."""


def functions(folder: Path, names: list[str], shape: str) -> None:
    """Call functions of Puppet one by one, each in a program of its own."""
    arguments = shape.format(s=TEXTS[0], t=TEXTS[1], l=LISTS[0], k=LISTS[1])
    for name in names:
        (folder / "a.pp").write_text(f"$r = {name}({arguments})\n")
        ran = wherefrom("compile", "a.pp", "--budget", GIVEN, cwd=folder)
        assert ran.status in (0, 1), (name, shape, ran)
        assert b"internal error" not in ran.err, (name, shape, ran)
        assert ran.seconds < MOST, (name, shape, ran)


@pytest.mark.parametrize("shape", SHAPES)
def test_functions_of_puppet(shape: str, tmp_path: Path) -> None:
    """Some of them in each run."""
    functions(tmp_path, Random(shape).sample(sorted(puppet_names()), 4), shape)


@pytest.mark.soak
@pytest.mark.parametrize("shape", SHAPES)
def test_all_functions_of_puppet(shape: str, tmp_path: Path) -> None:
    """All of them."""
    functions(tmp_path, sorted(puppet_names()), shape)


NIX = """let
  text = builtins.foldl' (s: _: s + s) "ab c" (builtins.genList (i: i) 18);
  list = builtins.genList (i: i) 100000;
  set = builtins.listToAttrs (builtins.genList (i: { name = "n${toString i}"; value = i; }) 20000);
in %s"""
NIX_SHAPES = [
    "text", "text text", "list", "list list", "(x: x) list", "(x: y: x < y) list", "set", "set set",
    '["a"] ["b"] text', '"(a|b)*c" text', '"x" text', '"x" list', "(x: y: y) set", "1 text", "0 9 text",
    "(x: y: x) 0 list",
]  # fmt: skip


NIX_MORE = [
    "set text", "text set", "list set", '"." text', "[text] [text] text", '"n1" set', '["n1"] set',
    "(x: { name = toString x; value = x; }) list", "0 1000000000 text", "(a: b: b) text list", "100000",
    "(builtins.toJSON list)", "(x: true) list", "(x: toString x) list", "[list list]", "[set set]", '"a" [set set]',
    '["a" "b"] ["x" "y"] text', '" " list', "(x: [ x x ]) list", "(x: y: true) list",
    '"sha256" text', "{ attrs = set; }",
]  # fmt: skip


def builtins_of_nix(calls: Iterable[tuple[str, str]]) -> None:
    """Evaluate calls to the end: where seconds end one, and not what it is given, it draws too little."""
    session = Session(budget=Budget(**NIX_GIVEN), contained=True)
    wrong: list[str] = []
    for name, shape in calls:
        try:
            session.evaluate(NIX % f"builtins.seq (builtins.{name} {shape}) 1")
        except WherefromError as problem:
            if "budget of seconds" in str(problem) or "internal error" in str(problem) or "W011" in str(problem):
                wrong.append(f"{name} {shape}: {problem}")
    session.close()
    assert wrong == []


def nix_names() -> list[str]:
    """The builtins that there are."""
    load_all()
    return sorted(name for name in REGISTRY if name.isalnum())


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.long)])
def test_builtins_of_nix(every: int) -> None:
    """Each of them, or each tenth, with one of the shapes."""
    chance = Random(3)
    names = nix_names()
    assert len(names) > 100
    builtins_of_nix((name, chance.choice(NIX_SHAPES + NIX_MORE)) for name in names[::every])


@pytest.mark.soak
def test_all_builtins_of_nix() -> None:
    """All of them, with all shapes."""
    builtins_of_nix(product(nix_names(), NIX_SHAPES + NIX_MORE))


def test_calls_that_wait_count_ten_elements() -> None:
    """`genList` makes as many as the manual says."""
    for count, status in ((1_000, 0), (1_001, 1)):
        ran = wherefrom(
            "eval", "-E", f"builtins.length (builtins.genList (i: i) {count})", "--budget", "elements=10000"
        )
        assert ran.status == status, ran
