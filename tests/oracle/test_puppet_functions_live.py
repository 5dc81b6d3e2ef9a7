"""Random calls of core functions give what real Puppet gives.  Needs Puppet; skipped where it is not installed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from oracle import record_puppet_functions as record
from support.puppet_function_calls import calls
from support.puppet_requests import answer

HERE = Path(__file__).parent
needs_puppet = pytest.mark.skipif(
    shutil.which("puppet") is None or shutil.which("ruby") is None, reason="Puppet is not installed"
)

FACTS = {
    "networking": {
        "fqdn": "Node.example.com",
        "hostname": "node",
        "domain": "example.com",
        "interfaces": {"eth0": {"ip": "10.0.0.5"}},
    },
    "os": {"name": "Debian", "family": "Debian", "release": {"major": "12"}},
}

INTERNAL = re.compile(r"undefined method `|0x0000|^\s+\^+", re.MULTILINE)
"""Messages that show the insides of the real tool."""


def ours(manifest: str) -> tuple[object, ...]:
    """What wherefrom makes of a manifest: the result and the log, or the error."""
    reply = answer({"manifest": manifest, "node": "node.example.com", "facts": FACTS})
    if not reply["ok"]:
        return ("error", reply["error"]["message"].replace("manifests/site.pp", "site.pp"))
    (result,) = (each for each in reply["catalog"]["resources"] if each["title"] == "result")
    return (result["parameters"].get("message"), [[level, text] for level, text, *_ in reply["logs"]])


def theirs(reply: dict[str, Any]) -> tuple[object, ...]:
    """What Puppet made of it, in the same form."""
    if not reply["ok"]:
        return ("error", reply["message"])
    return (reply["resources"]["Notify[result]"].get("message"), reply["logs"])


def compared(seed: int, count: int) -> tuple[int, list[str]]:
    """How many calls gave a value, and the differences."""
    codes = calls(seed, count)
    manifests = [record.RESULT % code for code in codes]
    values = 0
    different = []
    for code, manifest, reply in zip(codes, manifests, record.ask(manifests), strict=True):
        wanted = theirs(reply)
        values += reply["ok"]
        if INTERNAL.search(str(wanted)):
            continue
        found = tuple(
            [[level, text.replace("manifests/site.pp", "site.pp")] for level, text in part]
            if isinstance(part, list)
            else part
            for part in ours(manifest)
        )
        if found != wanted:
            different.append(f"{code}\n  want {wanted}\n  got  {found}")
    return values, different


@needs_puppet
@pytest.mark.oracle
def test_random_calls() -> None:
    """A few calls in every run; the seed is fixed."""
    values, different = compared(seed=1, count=60)
    assert not different, "\n".join(different)
    assert values > 20


@needs_puppet
@pytest.mark.oracle
@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 105))
def test_many_random_calls(seed: int) -> None:
    """Many calls."""
    values, different = compared(seed=seed, count=1000)
    assert not different, "\n".join(different)
    assert values > 300
