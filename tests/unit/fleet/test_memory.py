"""Memory does not grow with the nodes: what is alive after many is what was alive after few."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

import pytest

from support.fleets import build
from support.moulds import invocation_for
from whence.fleet import moulds, numbers, rows, traces
from whence.fleet.compiling import Worker
from whence.fleet.moulds import Moulds
from whence.puppet import answers
from whence.ruby.values import _method

pytest.importorskip("pyarrow")

FEW, MANY = 96, 288
PER_NODE = 10
"""Blocks of memory a node that may be left: less than one row."""


@pytest.mark.parametrize("alone", [True, False], ids=["compiled", "made from others"])
def test_blocks_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: bool) -> None:
    """Counted in blocks of Python's memory, after the collector has run; what is remembered is kept short."""
    for module, name in (
        (numbers, "MOST_REMEMBERED"), (rows, "MOST_REMEMBERED"), (traces, "MOST_DIGESTS"),
        (answers, "MOST_ANSWERS"), (moulds, "MOST_MOULDS"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, 24)
    nodes = build(tmp_path, MANY)
    invocation = invocation_for(tmp_path)
    path = str(tmp_path)

    def run(node: str, reads: Any) -> Any:
        return invocation.run(path, node, trace=True, reads=reads, ledger=not alone)

    shared = None if alone else Moulds(lambda node: invocation.inputs(path, node, trace=True)[2])
    worker = Worker(run, invocation.side(path, b"key"), shared)
    alive: list[int] = []
    with invocation.standing_still(path):
        for number, node in enumerate(nodes, 1):
            assert worker.result(node)["ok"]
            if number in (FEW, MANY):
                _method.cache_clear()  # it takes so many and no more, which is not reached here
                gc.collect()
                alive.append(sys.getallocatedblocks())
    assert alive[1] - alive[0] < PER_NODE * (MANY - FEW), alive
