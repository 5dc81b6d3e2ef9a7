"""Live comparison with real Puppet: random programs, in every particular, and the recorded cases again.

`WHENCE_PROGRAMS` sets how many programs are compared (80 unless set; CI runs 2,000). The seed is fixed, so that a run
can be repeated; `WHENCE_SEED` chooses another.
"""

from __future__ import annotations

import json
import os
from random import Random

import pytest

from support.puppet_cases import recorded_cases, request_of
from support.puppet_programs import FACTS, NODE, make_program
from support.puppet_real import ask, installed, normal, ours

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(not installed(), reason="Puppet is not installed"),
]

COUNT = int(os.environ.get("WHENCE_PROGRAMS", "80"))
SEED = int(os.environ.get("WHENCE_SEED", "1"))


def test_random_programs() -> None:
    """The same catalogs, logs and errors as real Puppet."""
    requests = [
        {"manifest": make_program(Random(SEED * 1_000_003 + index)), "node": NODE, "facts": FACTS}
        for index in range(COUNT)
    ]
    compiled = 0
    for request, real in zip(requests, ask(requests), strict=True):
        compiled += real["ok"]
        mine = json.loads(json.dumps(normal(ours(request))))
        assert mine == normal(real), request["manifest"]
    assert compiled >= COUNT // 3, "too few of the programs compile to say much"


def test_recordings_are_true() -> None:
    """Real Puppet still says what was recorded."""
    cases = recorded_cases()
    for case, real in zip(cases, ask(request_of(case) for case in cases), strict=True):
        assert normal(real) == json.loads(case.sections["want.json"]), case.name
