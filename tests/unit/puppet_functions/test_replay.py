"""What functions made can be made again from its term, on every recorded case, through the whole evaluator.

The law of expression provenance: the term of a value, evaluated again with the recorded inputs, is the value.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wherefrom.base.host import PureHost
from wherefrom.base.secrets import raw
from wherefrom.language import Inputs
from wherefrom.provenance.extract import depends, evaluate_term, expression
from wherefrom.puppet.front import LANGUAGE

GOLDENS = Path(__file__).parents[2] / "oracle" / "goldens" / "puppet_functions.json"
RESULT = "$__result = with() || {\n%s\n}\nnotify { 'result': message => String($__result, '%%p') }\n"
FACTS = {
    "networking": {"fqdn": "Node.example.com", "interfaces": {"eth0": {"ip": "10.0.0.5"}}},
    "os": {"name": "Debian", "family": "Debian"},
}
CASES: list[dict[str, Any]] = [
    case
    for case in json.loads(GOLDENS.read_text(encoding="utf-8"))["cases"]
    if case["kind"] == "expression" and "value" in case
]
NOT_AGAIN = {
    "type([1, 2].reverse_each)": "the type that an iterator says it has is that of the array it came from",
}


@pytest.mark.parametrize("name", sorted({case["function"] for case in CASES}))
def test_terms_evaluate_to_their_values(name: str) -> None:
    """Every case of a function that has a value."""
    wrong = []
    for case in CASES:
        if case["function"] != name or case["code"] in NOT_AGAIN:
            continue
        host = PureHost({"site.pp": RESULT % case["code"]})
        outcome = LANGUAGE.run("site.pp", host, Inputs("node.example.com", FACTS))
        selected = outcome.select("Notify[result].message")
        term = expression(selected.origin)
        again = evaluate_term(term, outcome.apply)
        if again != raw(selected.value):
            wrong.append(f"{case['code']}: {selected.value!r}, again {again!r}")
        assert depends(selected.origin)
    assert not wrong, "\n".join(wrong)
