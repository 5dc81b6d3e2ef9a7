"""Level production, the phase `place`: it does what visiting the tree again and again does, and costs less."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from support.examples import fresh
from support.smartfrog_levels import PROPERTIES, production_program
from support.smartfrog_placing import Visits, placing_program
from wherefrom.base.diagnostics import Diagnostic, ManyErrors
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.smartfrog.front import LANGUAGE
from wherefrom.smartfrog.production import evaluate


def result(host: PureHost) -> str:
    """The store as JSON, or the errors in words."""
    options = {"level": "production", "properties": PROPERTIES, "max_nodes": 3_000}
    try:
        return json.dumps(LANGUAGE.run("main.sf", host, Inputs(options=options)).document())
    except ManyErrors as problems:
        return "error " + "\n".join(map(str, problems.diagnostics))
    except Diagnostic as problem:
        return f"error {problem}"


def _many(seeds: range, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    kinds: Counter[str] = Counter()
    for seed in seeds:
        host = placing_program(seed) if seed % 4 else production_program(seed)
        fast = result(host)
        with monkeypatch.context() as patch:
            patch.setattr(evaluate, "PlacePhase", Visits)
            assert result(host) == fast, f"program {seed}"
        kinds["error" if fast.startswith("error") else "ok"] += 1
    return kinds


def test_placements_are_made_as_visits_of_the_tree_make_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same stores, order included, and the same errors in the same words, on 600 programs."""
    kinds = _many(range(600), monkeypatch)
    assert kinds["ok"] > 50, kinds
    assert kinds["error"] > 100, kinds


@pytest.mark.soak
def test_the_same_on_many_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same on 20,000 programs."""
    assert _many(fresh(range(20_000)), monkeypatch)["ok"] > 2_000


def test_a_placement_that_replaces_the_component_it_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """The visit that is inside of it stays there until it is through; what comes in its place is visited next."""
    text = "sfConfig extends { a extends { up PARENT; up:a extends { c 1; } up:d 2; up:e 3; } }"
    for _ in range(2):
        assert json.loads(result(PureHost({"main.sf": text}))) == {"a": {"c": 1}, "d": 2, "e": 3}
        monkeypatch.setattr(evaluate, "PlacePhase", Visits)
