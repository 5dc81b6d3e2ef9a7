"""Corners of the language that bulk comparison with real Puppet found, each with Puppet's recorded answer."""

from __future__ import annotations

import json

import pytest

from oracle.record_puppet_corners import INTERNAL, answers, answers_of, requests, requests_of
from support.puppet_explained import explained
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


def test_errors_of_ruby_are_refused_at_the_same_place() -> None:
    """What stops Puppet inside of its own code is refused at the same line, after the same log, in words of ours."""
    recorded = list(zip(requests_of(INTERNAL), answers_of(INTERNAL), strict=True))
    assert len(recorded) > 20
    for request, wanted in recorded:
        answer = json.loads(json.dumps(normal(ours(request))))
        assert explained(wanted, answer, request["manifest"]) == "error of Ruby", (request, answer, wanted)
