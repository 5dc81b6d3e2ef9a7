"""A fleet compiled with moulds is the fleet compiled node by node: every row of every table, reads and sets included.

Over edits of a small fleet with roles, sites, systems, data, templates in EPP and ERB, functions, types and defines.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from support.fleets import FILES, build, edited, write
from support.moulds import invocation_for
from whence.fleet.compiling import Worker
from whence.fleet.moulds import Moulds

pytest.importorskip("pyarrow")


def results(root: Path, nodes: list[str], alone: bool) -> tuple[list[Any], int]:
    """What a worker gives for each node, with sets by content; how many nodes were compiled."""

    invocation = invocation_for(root)
    side = invocation.side(str(root), b"key")
    moulds = None if alone else Moulds(lambda node: invocation.inputs(str(root), node, trace=True)[2])
    compiled = 0

    def run(node: str, reads: Any) -> Any:
        nonlocal compiled
        compiled += 1
        return invocation.run(str(root), node, trace=True, reads=reads, ledger=not alone)

    worker = Worker(run, side, moulds)
    rows: list[Any] = []
    inputs: dict[int, Any] = {}
    sets: dict[int, set[Any]] = {}
    reads: dict[int, set[Any]] = {}
    with invocation.standing_still(str(root)):
        for node in nodes:
            result = worker.result(node)
            for number, *row in result.get("inputs", ()):
                inputs[number] = tuple(row)
            for number, member in result.get("dependencies", ()):
                sets.setdefault(number, set()).add(member)
            for number, *entry in result["reads"]:
                reads.setdefault(number, set()).add(tuple(entry))
            rows.append(result)
    told = []
    for result in rows:
        attributes = [[*row[:4], {inputs[member] for member in sets[row[4]]}] for row in result.get("attributes", ())]
        traces = [reads.get(result[name], set()) for name in ("own", "evidence")]
        others = [result.get(name) for name in ("ok", "message", "resources", "edges", "lookups", "catalog")]
        told.append([attributes, traces, others, reads.get(result["shared"], set())])
    return told, compiled


def compare(directory: Path, edits: int, count: int) -> tuple[int, int]:
    """How many nodes were looked at, and how many of them were compiled with moulds."""
    looked = compiled = 0
    files = dict(FILES)
    chance = random.Random(edits)
    for number in range(edits):
        root = directory / f"edit{number}"
        nodes = build(root, count)
        for name in FILES:
            if name not in files:
                (root / name).unlink()
        write(root, files)
        alone, _ = results(root, nodes, alone=True)
        moulded, runs = results(root, nodes, alone=False)
        for node, one, other in zip(nodes, alone, moulded):
            assert one[:3] == other[:3], (number, node)
            assert other[3] <= one[3], (number, node)  # whoever is compiled later shares with more
        looked += len(nodes)
        compiled += runs
        files = dict(FILES) if chance.random() < 0.3 else files
        files, _ = edited(files, chance)
    return looked, compiled


def test_edits_of_a_fleet(tmp_path: Path) -> None:
    looked, compiled = compare(tmp_path, 6, 16)
    assert looked == 96 and compiled < looked, (looked, compiled)


@pytest.mark.soak
def test_edits_of_a_fleet_for_long(tmp_path: Path) -> None:
    looked, compiled = compare(tmp_path, 500, 24)
    assert looked == 12_000 and compiled < looked / 2, (looked, compiled)
