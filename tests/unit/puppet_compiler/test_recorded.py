"""Every recorded case compiles to what real Puppet said, in every particular."""

from __future__ import annotations

import json

import pytest

from support.cases import Case
from support.puppet_cases import recorded_cases, request_of
from support.puppet_real import normal, ours

CASES = recorded_cases()
TABLE_1 = {
    "Assignment": 2,
    "Case": 1,
    "If": 4,
    "Unless": 4,
    "Resource basics": 2,
    "Resource variables": 3,
    "User defined resource types": 5,
    "Virtual resources": 1,
    "Default values": 1,
    "Resource extension": 4,
    "Ordering constraints": 2,
    "Class basics": 4,
    "Inheritance": 3,
    "Class scope": 2,
    "Variables and classes": 6,
    "Class parameters": 6,
    "Overriding": 5,
    "Nesting and redefinition": 6,
    "Nodes": 8,
    "Collector basics": 1,
    "Collectors, references and variables": 3,
    "Application order": 5,
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_same_as_puppet(case: Case) -> None:
    """Resources, parameters, tags, places, edges, classes, logs, errors."""
    answer = json.loads(json.dumps(normal(ours(request_of(case)))))
    assert answer == json.loads(case.sections["want.json"]), case.title


def test_table_1_is_complete() -> None:
    """The tests of the muPuppet paper's Table 1: 78, by feature, none left out."""
    counted: dict[str, int] = {}
    for case in CASES:
        if case.name.startswith("puppet/mupuppet/"):
            feature = case.header["feature"]
            counted[feature] = counted.get(feature, 0) + 1
    assert counted == TABLE_1
    assert sum(counted.values()) == 78
