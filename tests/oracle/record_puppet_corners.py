"""Record what real Puppet says to the programs of `puppet_corners.jsonl`.

    .venv/bin/python tests/oracle/record_puppet_corners.py

Each line is a request with what it is about: references that attributes hold, reserved names, jumps out of templates,
equality and printing of types, what classifiers and data files get wrong. Needs Ruby and Puppet 7; the answers are
committed in `goldens/puppet_corners.json.xz`, so that tests need neither.
"""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "src")]

from support.puppet_real import ask, normal  # noqa: E402

PROGRAMS = HERE / "puppet_corners.jsonl"
GOLDENS = HERE / "goldens" / "puppet_corners.json.xz"
FACTS = {"os": {"family": "Debian", "name": "Debian"}, "kernel": "Linux"}


def requests() -> list[dict[str, Any]]:
    """The programs, in the order of their answers."""
    lines = [json.loads(line) for line in PROGRAMS.read_text().splitlines()]
    plain = [{key: value for key, value in line.items() if key != "about"} for line in lines]
    return [{"node": "testnode", "facts": FACTS, **each} for each in plain]


def answers() -> list[dict[str, Any]]:
    """What was recorded."""
    recorded: list[dict[str, Any]] = json.loads(lzma.decompress(GOLDENS.read_bytes()))
    return recorded


def main() -> None:
    """Ask Puppet and write what it says."""
    recorded = [normal(answer) for answer in ask(requests())]
    GOLDENS.write_bytes(lzma.compress(json.dumps(recorded).encode()))
    print(f"{len(recorded)} answers")


if __name__ == "__main__":
    main()
