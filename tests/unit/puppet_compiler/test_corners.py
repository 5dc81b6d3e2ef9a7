"""Corners of the language that bulk comparison with real Puppet found, each with Puppet's recorded answer."""

from __future__ import annotations

import json

import pytest

from oracle.record_puppet_corners import answers, requests
from support.puppet_real import normal, ours

REQUESTS = requests()
ANSWERS = answers()
STRIDE = 12
"""Programs are compared in this many lots: one test for each would drown the others in the report."""


def test_every_program_has_an_answer() -> None:
    assert len(REQUESTS) == len(ANSWERS) > 500


@pytest.mark.parametrize("lot", range(STRIDE))
def test_same_as_puppet(lot: int) -> None:
    """Resources, parameters, tags, places, edges, classes, logs, errors."""
    differing = []
    for request, wanted in list(zip(REQUESTS, ANSWERS, strict=True))[lot::STRIDE]:
        answer = json.loads(json.dumps(normal(ours(request))))
        if answer != wanted:
            differing.append((request, answer, wanted))
    assert not differing, differing[0]
