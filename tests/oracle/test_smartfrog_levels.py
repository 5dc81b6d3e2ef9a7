"""Recorded programs of SmartFrog's levels, a set kept aside: the evaluators say what the rules said of them."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from support.examples import fresh
from support.smartfrog_shuffled import shuffled_program
from wherefrom.base.diagnostics import Diagnostic, ManyErrors
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.smartfrog.front import LANGUAGE

GOLDENS = Path(__file__).resolve().parent / "goldens" / "smartfrog_levels.json.xz"
CASES: list[dict[str, Any]] = json.loads(lzma.decompress(GOLDENS.read_bytes()))


def evaluated(files: dict[str, str], level: str) -> dict[str, Any]:
    """The store, or the code of the error."""
    try:
        return {"store": LANGUAGE.run("main.sf", PureHost(files), Inputs(options={"level": level})).document()}
    except ManyErrors as problems:
        return {"error": problems.diagnostics[0].code}
    except Diagnostic as problem:
        return {"error": problem.code}


def test_recorded_programs_mean_what_the_rules_say() -> None:
    """Values, order of attributes and errors, of all."""
    kinds: Counter[str] = Counter()
    for number, case in enumerate(CASES):
        expected = {name: case[name] for name in ("store", "error") if name in case}
        assert json.dumps(evaluated(case["files"], case["level"])) == json.dumps(expected), f"case {number}"
        kinds[f"{case['level']} {'store' if 'store' in case else 'error'}"] += 1
    assert kinds == {"forward store": 150, "forward error": 150, "production store": 200}


def check_shuffled(seeds: range) -> None:
    """Programs of level production against the core on the same statements, sorted."""
    refused = 0
    for seed in seeds:
        program = shuffled_program(seed)
        core = evaluated({"main.sf": program.sorted}, "core")["store"]
        there = evaluated({"main.sf": program.shuffled}, "production")
        assert json.dumps(there) == json.dumps({"store": program.in_order(core)}), f"program {seed}\n{program.shuffled}"
        refused += "error" in evaluated({"main.sf": program.shuffled}, "core")
    assert refused > len(seeds) // 2  # most of them refer forwards


def test_production_gives_forwards_what_the_core_gives_sorted() -> None:
    """Forward prototypes, links and placements mean what they mean where everything comes before it is used."""
    check_shuffled(range(200))


@pytest.mark.soak
def test_the_same_on_many_programs() -> None:
    """The same on 10,000 programs."""
    check_shuffled(fresh(range(10_000)))
