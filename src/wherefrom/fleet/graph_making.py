"""The graphs of nodes made: compiled once more, if that gives what was compiled, and condensed.

See `origins` for what is kept and when it is true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ..base.budget import Budget
from ..base.collector import set_aside, sweep
from ..base.diagnostics import UsageError, WherefromError
from ..base.json_bytes import json_bytes
from ..base.plural import count_of
from ..base.recording import ReadSet
from .exports import ASKED, ASKED_ORIGINS
from .graphs import graph_of
from .numbers import number_of
from .origins import OriginsFile
from .rows import CatalogColumns
from .traces import CODE
from .workers import in_processes

if TYPE_CHECKING:
    from .compiling import Known, Run
    from .traces import DigestedSnapshot
    from .workers import Result

COMMIT_NODES = 100
SWEEP_NODES = 8
"""Nodes whose graphs were made, after which what they left behind is swept away."""
MOST_NAMED = 5
"""Nodes that are named where many can not be told about."""

Shown = Callable[[Iterator[tuple[str, "Result"]], int], Iterator[tuple[str, "Result"]]]


def stamp_of(known: Known) -> int:
    """What tells one compilation of a node from others: its catalog, and what it read."""
    told = repr((known.catalog, known.own, known.shared)).encode("utf-8", "surrogateescape")
    return number_of(told)


class GraphMaker:
    """Makes graphs; one for each process."""

    def __init__(self, run: Run, side: DigestedSnapshot, known: Mapping[str, Known]) -> None:
        self._run = run
        self._side = side
        self._known = known
        self._runs = 0

    def result(self, node: str) -> Result:
        """The inputs of a node and the graph over them, or why there is none."""
        self._runs += 1
        if self._runs == 2:
            set_aside()
        elif self._runs % SWEEP_NODES == 0:
            sweep()
        with Budget().in_force():
            try:
                reads = ReadSet()
                outcome = self._run(node, reads)
                if CatalogColumns(outcome, self._side.of).digest != self._known[node].catalog:
                    return {
                        "ok": False,
                        "message": "compiling it again gave another catalog, though its inputs are the same",
                    }
                inputs, graph, files = graph_of(outcome)
                questions = [self._side.answers.question("content", file) for file in files]
                asked = ((ASKED_ORIGINS, name) for kind, name in reads.own if kind == ASKED)
                told = [
                    (CODE, name, self._side.of(answer.encode("utf-8", "surrogateescape")))
                    for name, answer in outcome.consulted()
                ]
                evidence = sorted([*self._side.trace([*questions, *asked]), *told])
                outcome.let_go()
            except WherefromError as problem:
                return {"ok": False, "message": str(problem)}
        return {
            "ok": True,
            "inputs": [json_bytes(entry).decode() for entry in inputs],
            "graph": graph.packed(),
            "evidence": evidence,
        }


def make(
    file: OriginsFile,
    nodes: Iterable[str],
    known: Mapping[str, Known],
    run: Run,
    side: DigestedSnapshot,
    processes: int | None,
    shown: Shown,
) -> None:
    """Make the graphs of those of some nodes that have none, or one that is no longer true.

    Raises `UsageError` if a node can not be told about: it would be compiled otherwise now.
    """
    stamps, evidence = file.stamps(), file.evidence()
    current = {node: stamp_of(known[node]) for node in nodes}
    missing: list[str] = []
    stale: list[str] = []
    for node, stamp in current.items():
        has, number = stamps.get(node, (None, 0))
        if has != stamp or number not in evidence or side.changed_set(evidence[number]):
            (stale if known[node].changed(node, side) else missing).append(node)
    untold = [node for node in stale if stamps.get(node, (None,))[0] != current[node]]
    if untold:
        names = ", ".join(untold[:MOST_NAMED]) + (", ..." if len(untold) > MOST_NAMED else "")
        raise UsageError(
            f"the store is out of date for {count_of(len(untold), 'node')} ({names}): run `wherefrom fleet compile` to "
            "see what their values depend on"
        )
    ready: dict[str, tuple[int, Result]] = {}
    for node, result in shown(in_processes(missing, GraphMaker(run, side, known).result, processes), len(missing)):
        if not result["ok"]:
            raise UsageError(f"cannot compute the dependencies of {node}: {result['message']}")
        ready[node] = current[node], result
        if len(ready) >= COMMIT_NODES:
            file.write(ready)
            ready.clear()
    if ready:
        file.write(ready)
