"""What a session saves when a file changes, and what writing an outcome costs: measured by `bench/session.py`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Figures, Result, Special
from bench.rows.common import ROOT

GROUP = "Sessions"


def rows(scratch: Path) -> Iterator[Special]:
    """All of them in one process."""
    yield Special(GROUP, "500 manifests compiled again; outcomes of 10,000 items written", _measure)


def _measure() -> Iterator[Result]:
    command = [sys.executable, str(ROOT / "bench" / "session.py"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    changes = found["changes"]
    for name, key in (("in a fresh session", "cold"), ("again", "same"), ("after an edit of one file", "changed")):
        yield Result(GROUP, f"500 manifests, {name}", {"wherefrom": _once(changes[key])})
    for name, row in found["writing"].items():
        sides = {"wherefrom": _once(row["write"]), "wherefrom, compiled": _once(row["compile"])}
        yield Result(GROUP, f"{name} of 10,000 items written as JSON", sides)


def _once(seconds: float) -> Figures:
    return Figures(seconds, seconds, seconds, 0)
