"""SmartFrog with forward links: the evaluator says what the rules say; and what it means beside the core."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from support.cases import Case, load_cases
from support.examples import fresh
from support.smartfrog_differences import AROUND, IN_PROTOTYPE, KINDS, LATER, PLACED, THROUGH, differences
from support.smartfrog_levels import forward_program
from support.smartfrog_programs import random_program
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.diagnostics import Diagnostic, ManyErrors
from wherefrom.base.host import Host, PureHost
from wherefrom.language import Inputs
from wherefrom.semantics.smartfrog.domains import plain
from wherefrom.semantics.smartfrog.forward import specification
from wherefrom.smartfrog.front import LANGUAGE
from wherefrom.smartfrog.parser import load

ROOT = Path(__file__).resolve().parents[2]


def by_the_rules(host: Host) -> str:
    """The store as JSON text, order included, or the code of the error."""
    try:
        program = load(host.source("main.sf"), host).checked()
        return json.dumps(plain(with_deep_stack(lambda: specification(program.tree))))
    except ManyErrors as problems:
        return problems.diagnostics[0].code
    except Diagnostic as problem:
        return problem.code


def evaluated(host: Host, level: str = "forward") -> str:
    """The same of the evaluator."""
    try:
        return json.dumps(LANGUAGE.run("main.sf", host, Inputs(options={"level": level})).document())
    except ManyErrors as problems:
        return problems.diagnostics[0].code
    except Diagnostic as problem:
        return problem.code


def _many(seeds: range) -> Counter[str]:
    kinds: Counter[str] = Counter()
    for seed in seeds:
        host = forward_program(seed) if seed % 3 else random_program(seed).host
        expected = by_the_rules(host)
        assert evaluated(host) == expected, f"program {seed}"
        kinds["ok" if expected.startswith("{") else expected] += 1
    return kinds


LEVELED = [case for case in load_cases("smartfrog/forward") if "main.sf" in case.files]


@pytest.mark.parametrize("case", LEVELED, ids=str)
def test_cases_agree(case: Case) -> None:
    """On every case of the level."""
    host = PureHost(case.files)
    assert evaluated(host) == by_the_rules(host)


@pytest.mark.parametrize(
    ("seeds", "errors"),
    [
        (range(150), "S001 S002"),
        pytest.param(range(600), "S001 S002 S004 S005 S008", marks=pytest.mark.long),
    ],
    ids=str,
)
def test_random_programs_agree(seeds: range, errors: str) -> None:
    """Numbered programs: stores, and every error that there is."""
    kinds = _many(seeds)
    assert kinds["ok"] > len(seeds) / 8
    assert set(errors.split()) <= set(kinds)


@pytest.mark.soak
def test_twenty_thousand_programs_agree() -> None:
    """The same, 20,000 times."""
    assert _many(fresh(range(20_000)))["ok"] > 3_000


def check_differences(seeds: range) -> Counter[str]:
    """Programs that compile in the core mean the same at level forward, unless they have a kind of difference."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        host = random_program(seed).host if seed % 2 else forward_program(seed)
        core = evaluated(host, "core")
        if not core.startswith("{"):
            continue
        tree = load(host.source("main.sf"), host).checked().tree
        kinds = with_deep_stack(lambda tree=tree: differences(tree))  # type: ignore[misc]
        same = evaluated(host) == core
        assert same or kinds, f"program {seed}"
        counts["same" if same else "differ"] += 1
        counts["none"] += not kinds
        if not same and len(kinds) == 1:
            counts.update(kinds)
    return counts


@pytest.mark.parametrize("seeds", [range(90), pytest.param(range(90, 300), marks=pytest.mark.long)], ids=str)
def test_core_programs_mean_the_same_but_for_the_differences_that_the_page_lists(seeds: range) -> None:
    """On programs that nobody wrote; half of them have a difference, and a third has none of the kinds."""
    counts = check_differences(seeds)
    assert counts["differ"] > len(seeds) / 10
    assert counts["none"] > len(seeds) / 10


@pytest.mark.soak
def test_the_same_on_many_core_programs() -> None:
    """The same on 10,000 programs; each kind but placed links makes a difference by itself in some."""
    counts = check_differences(fresh(range(10_000)))
    assert all(counts[kind] for kind in KINDS if kind != PLACED), counts


@pytest.mark.parametrize(
    ("kind", "text", "core", "forward"),
    [
        (IN_PROTOTYPE, "P extends { a 1; b a; } sfConfig extends P, { c 0; } sfConfig:d 0;", None, None),
        (IN_PROTOTYPE, "a 1; P extends { b a; } sfConfig extends { a 2; c extends P }", '{"b": 1}', '{"b": 2}'),
        (PLACED, "sfConfig extends { x 3; c extends { x 2; } c:y x; }", '{"x": 2, "y": 3}', '{"x": 2, "y": 2}'),
        (THROUGH, "a extends { x 1; } sfConfig extends { c a; c:x 2; }", '{"x": 2}', "S001"),
        (THROUGH, "a extends { x 1; } b a; sfConfig extends { c extends { y b:x; } }", '{"y": 1}', "S005"),
        (AROUND, "sfConfig extends { c extends { d c; } }", '{"d": {}}', "S008"),
        (LATER, "x 1; sfConfig extends { c extends { y x; x 2; } }", '{"y": 1, "x": 2}', '{"y": 2, "x": 2}'),
        (LATER, "sfConfig extends { c extends { } a c; c a; }", "{}", "S008"),
    ],
)
def test_each_kind_of_difference_is_one(kind: str, text: str, core: str | None, forward: str | None) -> None:
    """A program of each kind, with the component `c` at both levels; the first has the kind and means the same."""
    host = PureHost({"main.sf": text})
    assert differences(load(host.source("main.sf"), host).checked().tree) == {kind}
    results = [evaluated(host, level) for level in ("core", "forward")]
    if core is None:
        assert results[0] == results[1]
    else:
        shown = [json.dumps(json.loads(each)["c"]) if each.startswith("{") else each for each in results]
        assert shown == [core, forward]
        page = (ROOT / "docs" / "smartfrog.md").read_text()
        assert f"| {kind} | `{text}` | `{core}` | `{forward}` |" in page
