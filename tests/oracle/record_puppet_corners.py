"""Record what real Puppet says to the programs of `puppet_corners*.jsonl`.

    .venv/bin/python tests/oracle/record_puppet_corners.py [FILE...]

Each line is a request with what it is about: references that attributes hold, reserved names, jumps out of templates,
equality and printing of types, what classifiers and data files get wrong. Needs Ruby and Puppet 7; the answers are
committed in `goldens`, in a file for each, so that tests need neither.
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

PROGRAMS = tuple(HERE / f"puppet_corners{part}.jsonl" for part in ("", "_types", "_inputs", "_edges", "_values"))
INTERNAL = HERE / "puppet_corners_internal.jsonl"
"""Programs that make Puppet stop with an error of Ruby's: it shows its own code then, which we do not."""
FACTS = {"os": {"family": "Debian", "name": "Debian"}, "kernel": "Linux"}


def goldens(programs: Path) -> Path:
    """Where the answers to the programs of a file are."""
    return HERE / "goldens" / f"{programs.stem}.json.xz"


def requests_of(programs: Path) -> list[dict[str, Any]]:
    """The programs of a file, in the order of their answers."""
    lines = [json.loads(line) for line in programs.read_text().splitlines()]
    plain = [{key: value for key, value in line.items() if key != "about"} for line in lines]
    return [{"node": "testnode", "facts": FACTS, **each} for each in plain]


def requests() -> list[dict[str, Any]]:
    """All programs."""
    return [request for programs in PROGRAMS for request in requests_of(programs)]


def answers_of(programs: Path) -> list[dict[str, Any]]:
    """What was recorded for the programs of a file."""
    recorded: list[dict[str, Any]] = json.loads(lzma.decompress(goldens(programs).read_bytes()))
    return recorded


def answers() -> list[dict[str, Any]]:
    """What was recorded for all."""
    return [answer for programs in PROGRAMS for answer in answers_of(programs)]


def main() -> None:
    """Ask Puppet and write what it says."""
    for programs in map(Path, sys.argv[1:]) if sys.argv[1:] else (*PROGRAMS, INTERNAL):
        recorded = [normal(answer) for answer in ask(requests_of(programs))]
        goldens(programs).write_bytes(lzma.compress(json.dumps(recorded).encode()))
        print(f"{programs.name}: {len(recorded)} answers")


if __name__ == "__main__":
    main()
