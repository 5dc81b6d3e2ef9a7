"""Live comparison with real Puppet: random programs, in every particular, and the recorded cases again.

`WHEREFROM_PROGRAMS` sets how many programs of each kind are compared (80 unless set; CI runs 2,000): expressions and
all of the language, catalogs, and environments with data. The seed is fixed, so that a run can be repeated;
`WHEREFROM_SEED` chooses another.

A difference is allowed if it is of a kind that is known and meant: `tests/support/puppet_explained.py`, docs/puppet.md.
`WHEREFROM_PROGRAMS` raises their number too.
"""

from __future__ import annotations

import json
import os
from random import Random
from typing import Any

import pytest

from support.puppet_cases import recorded_cases, request_of
from support.puppet_catalog_programs import make_catalog_program
from support.puppet_corner_programs import KINDS
from support.puppet_data_programs import make_environment
from support.puppet_explained import explained
from support.puppet_programs import FACTS, NODE, make_program
from support.puppet_real import ask, normal, ours

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.usefixtures("real_puppet"),
]

COUNT = int(os.environ.get("WHEREFROM_PROGRAMS", "80"))
SEED = int(os.environ.get("WHEREFROM_SEED", "1"))
CORNERS = min(COUNT, int(os.environ.get("WHEREFROM_CORNERS", "200")))
"""Of the programs about corners, whose kinds are nine, there are fewer; `WHEREFROM_CORNERS` allows more."""


def compare(requests: list[dict[str, Any]], share: int) -> None:
    """The same answers as real Puppet; at least one of `share` compiles, or the comparison would not say much."""
    compiled = 0
    for request, real in zip(requests, ask(requests), strict=True):
        compiled += real["ok"]
        mine = json.loads(json.dumps(normal(ours(request))))
        assert _same(normal(real), mine, request), json.dumps(request, indent=1)
    assert compiled >= COUNT // share


def _same(theirs: dict[str, Any], mine: dict[str, Any], request: dict[str, Any]) -> bool:
    """Whether two answers are equal, or differ as is known and meant."""
    return theirs == mine or explained(theirs, mine, request["manifest"]) is not None


def test_random_programs() -> None:
    """The same catalogs, logs and errors, over all of the language."""
    programs = (make_program(Random(SEED * 1_000_003 + index)) for index in range(COUNT))
    compare([{"manifest": text, "node": NODE, "facts": FACTS} for text in programs], 3)


def test_random_catalogs() -> None:
    """The same, for programs about what happens between resources."""
    facts = {"os": {"family": "Debian"}, "kernel": "Linux", "role": "web"}
    programs = (make_catalog_program(Random(SEED * 1_000_033 + index)) for index in range(COUNT))
    compare([{"manifest": text, "node": NODE, "facts": facts} for text in programs], 5)


def test_random_data() -> None:
    """The same, for environments with data of their own."""
    compare([make_environment(Random(SEED * 1_000_037 + index)) for index in range(COUNT)], 5)


@pytest.mark.parametrize("kind", KINDS)
def test_random_corners(kind: str) -> None:
    """The same, for what bulk comparison once found wanting; an answer that differs is asked for again alone."""
    requests = [KINDS[kind](Random(f"{kind} {SEED} {index}")) for index in range(CORNERS)]
    answers = [json.loads(json.dumps(normal(ours(request)))) for request in requests]
    theirs = ask(requests, together=True)
    suspects = [
        index for index, answer in enumerate(answers) if not _same(normal(theirs[index]), answer, requests[index])
    ]
    again = dict(zip(suspects, ask([requests[index] for index in suspects]), strict=True)) if suspects else {}
    differing = [index for index, real in again.items() if not _same(normal(real), answers[index], requests[index])]
    worst = json.dumps([requests[index] for index in differing[:3]], indent=1)
    assert not differing, worst


def test_recordings_are_true() -> None:
    """Real Puppet still says what was recorded."""
    cases = recorded_cases()
    for case, real in zip(cases, ask(request_of(case) for case in cases), strict=True):
        assert normal(real) == json.loads(case.sections["want.json"]), case.name
