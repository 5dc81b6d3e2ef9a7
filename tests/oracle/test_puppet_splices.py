"""Live comparison with real Puppet: programs spliced from recorded ones, and calls of functions of Debian's modules.

A verdict or a value that differs is a failure. Where both refuse and the words differ, as they do where a program has
two mistakes and Puppet comes to the other one first, a few are allowed; `tests/support/puppet_explained.py` knows the
kinds that are meant. `WHEREFROM_SPLICES` sets how many programs are compared, `WHEREFROM_SEED` chooses others.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from oracle.record_puppet_corners import FACTS
from oracle.record_stdlib import FACTS as DEBIAN_FACTS
from oracle.record_stdlib import RESULT
from support import debian_calls
from support.puppet_explained import explained
from support.puppet_real import ask, normal, ours
from support.puppet_splices import donors, programs, spliced

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("real_puppet")]

COUNT = int(os.environ.get("WHEREFROM_SPLICES", "60"))
SEED = int(os.environ.get("WHEREFROM_SEED", "1"))
PLACE = re.compile(r"(?: at \[.*\])?:?\n   \((?:file|location)[^\n]*\)\Z", re.DOTALL)
_REFUSED = re.compile(r"(; wherefrom has none|, which is not (allowed|used))\Z")
"""What is refused on purpose, in words of our own: Puppet's inner objects, other programs, the machine."""
Answer = dict[str, Any]


class Compared:
    """How many programs compiled, were refused on purpose, and what differs: in verdict or value, and in words."""

    def __init__(self, requests: list[dict[str, Any]]) -> None:
        self.compiled = 0
        self.refused = 0
        self.values: list[str] = []
        self.words: list[str] = []
        for request, real in zip(requests, ask(requests), strict=True):
            self.compiled += real["ok"]
            wanted, answer = _plain(normal(real)), _plain(normal(ours(request)))
            if answer == wanted or explained(wanted, answer, request["manifest"]) is not None:
                continue
            if _REFUSED.search(answer.get("error", "")):
                self.refused += 1
                continue
            told = f"{request['manifest']}\n   real: {json.dumps(wanted)[:600]}\n   ours: {json.dumps(answer)[:600]}"
            (self.words if "error" in wanted and "error" in answer else self.values).append(told)


def _plain(answer: Answer) -> Answer:
    """An answer as JSON has it, without the places that warnings end with: those may be lines of Puppet's own Ruby."""
    plain: Answer = json.loads(json.dumps(answer))
    plain["logs"] = [[level, PLACE.sub("", message)] for level, message in plain.get("logs", ())]
    return plain


def programs_of(random: Random) -> dict[str, Any]:
    """A spliced program."""
    return {"manifest": spliced(random), "node": "testnode", "facts": FACTS}


def call_of(random: Random) -> dict[str, Any]:
    """A call of a function of a module."""
    manifest = RESULT % debian_calls.call(random)
    modules = [str(debian_calls.MODULES)]
    return {"manifest": manifest, "node": "testnode.example.com", "facts": DEBIAN_FACTS, "modulepath": modules}


def compared(make: Callable[[Random], dict[str, Any]], seed: int, count: int) -> Compared:
    """So many of a kind."""
    random = Random(seed)
    return Compared([make(random) for _ in range(count)])


def test_there_is_enough_to_splice() -> None:
    """Programs, and expressions of many kinds."""
    assert len(programs()) > 500
    assert len(donors()) > 25
    assert len({spliced(Random(seed)) for seed in range(200)}) > 150


def test_spliced_programs() -> None:
    """A few in every run."""
    result = compared(programs_of, SEED, COUNT)
    assert not result.values, "\n".join(result.values)
    assert len(result.words) <= COUNT // 20, "\n".join(result.words)
    assert result.compiled > COUNT // 12


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 130))
def test_many_spliced_programs(seed: int) -> None:
    """30,000 programs."""
    result = compared(programs_of, seed, 1_000)
    assert not result.values, "\n".join(result.values)
    assert len(result.words) <= 30, "\n".join(result.words)


@pytest.mark.soak
@pytest.mark.skipif(not debian_calls.MODULES.is_dir(), reason="Debian's modules are not installed")
@pytest.mark.parametrize("seed", range(200, 220))
def test_many_calls_of_modules(seed: int) -> None:
    """20,000 calls; what differs in a value is told by function."""
    result = compared(call_of, seed, 1_000)
    assert not result.values, "\n".join(result.values)
    assert result.refused < 30
