"""Nodes compiled into a store: those whose trace no longer holds, on all cores, committed as they come.

The first node is compiled before the process forks, so that every worker begins with the environment loaded. A worker
sends each node's rows; the parent commits them every few seconds. Whenever the run is ended, what was committed stays,
and the next run goes on from there: a node whose trace holds is kept.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..base.collector import set_aside, sweep
from ..base.diagnostics import Diagnostic, ManyErrors, UsageError
from ..base.record import Record
from ..base.render import diagnostics_text
from ..base.witness import Reads
from .exports import ASKED, ASKED_ORIGINS, OWN, Sender, content_of
from .numbers import Sent, number_of
from .rounds import Exchange
from .rows import Rows
from .settled import Settled
from .store import TABLES, Store
from .workers import LOST, Result, available_cores, in_processes

if TYPE_CHECKING:
    from ..language import Outcome
    from .traces import Question, Side, Trace

COMPILED = "compiled"
FAILED = "failed"
SWEEP_NODES = 64
COMMIT_NODES = 250
COMMIT_SECONDS = 5.0
"""A commit is made after so many nodes, or so many seconds, whichever comes first."""

Run = Callable[[str, Reads], "Outcome"]
"""Compiles a node, and leaves what it read."""


class Summary(Record):
    """What a run did: the nodes it compiled, kept, and could not compile (with the reason), and the generation."""

    compiled: tuple[str, ...]
    kept: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    generation: int
    touched: tuple[str, ...] = ()
    """Nodes that hang on files which changed meanwhile: they are compiled again the next time."""


class Known(Record):
    """A node as a store has it: how it went, its catalog's digest, and what it hangs on."""

    status: str
    error: str
    catalog: str
    own: tuple[tuple[str, str, str], ...]
    shared: tuple[tuple[str, str, str], ...]
    evidence: tuple[tuple[str, str, str], ...]

    def changed(self, node: str, side: Side) -> list[Question]:
        """What its catalog hangs on that is other now."""
        return [*side.changed(node, self.own), *side.changed_set(self.shared)]


def known_nodes(store: Store) -> dict[str, Known]:
    """Every node of a store, with its trace; sets that nodes share are held once."""
    sets: dict[int, dict[tuple[str, str, str], None]] = {}
    for number, kind, name, digest in store.tuples("reads"):
        sets.setdefault(number, {})[kind, name, digest] = None
    whole = {number: tuple(entries) for number, entries in sets.items()}
    nodes: dict[str, Known] = {}
    for row in store.rows("nodes"):
        traces = [whole.get(row[name], ()) for name in ("own", "shared", "evidence")]
        nodes[row["node"]] = Known(row["status"], row["error"], row["catalog"], *traces)
    return nodes


class Worker:
    """Compiles nodes to results; one for each process, which remembers what it has sent."""

    def __init__(self, run: Run, side: Side) -> None:
        self._run = run
        self._side = side
        self._rows = Rows()
        self._sent = Sent()
        self._runs = 0
        self._exports = Sender()

    def result(self, node: str) -> Result:
        """The rows of a node, or why there are none; with what its compilation read in both cases."""
        begun = time.perf_counter()
        self._tidy()
        reads = Reads()
        given = self._side.given(node)
        evidence: list[Question] = []
        try:
            outcome = self._run(node, reads)
            result: Result = {"ok": True, **self._rows.of(node, outcome)}
            result["exports"] = self._exports.of(outcome)
            evidence = [self._side.answers.question("content", name) for name in outcome.sources]
        except ManyErrors as problems:
            result = _failure(problems.diagnostics)
        except Diagnostic as problem:
            result = _failure([problem])
        except UsageError as problem:
            result = {"ok": False, "message": str(problem)}
        sets: list[list[Any]] = []
        asked = [name for kind, name in reads.own if kind == ASKED]
        evidence += ((ASKED_ORIGINS, name) for name in asked)
        if asked:
            result["asks"] = self._side.trace([(kind, name) for name in asked for kind in (ASKED, ASKED_ORIGINS)])
        entries = [given, *self._side.trace(reads.own)]
        if result["ok"] or not asked:  # who fails on what it collects exports what it did before
            entries.append((OWN, node, self._side.of(content_of(result.get("exports")))))
        result["own"] = self._set(tuple(entries), sets)
        result["shared"] = self._set(self._side.trace(reads.shared), sets)
        result["evidence"] = self._set(self._side.trace(evidence), sets)
        result["reads"] = sets
        result["milliseconds"] = 1000 * (time.perf_counter() - begun)
        return result

    def _tidy(self) -> None:
        """What the first node loaded stays for all; what nodes leave behind is swept away now and then."""
        self._runs += 1
        if self._runs == 2:
            set_aside()
        elif self._runs % SWEEP_NODES == 0:
            sweep()

    def _set(self, trace: Trace, sets: list[list[Any]]) -> int:
        number = number_of(repr(trace).encode("utf-8", "surrogateescape"))
        if self._sent.first_time(number):
            sets += ([number, *entry] for entry in trace)
        return number


def _failure(problems: list[Diagnostic]) -> Result:
    """What is wrong, without hints: these come from whatever else the process has read."""
    return {
        "ok": False,
        "message": "\n".join(problem.message for problem in problems),
        "told": diagnostics_text(problems),
    }


def compile_fleet(
    store: Store,
    nodes: Sequence[str],
    run: Run,
    side: Side,
    processes: int | None = None,
    all_nodes: bool = True,
    shown: Callable[[Iterator[tuple[str, Result]], int], Iterator[tuple[str, Result]]] = lambda results, count: results,
    elsewhere: Callable[[Sequence[str]], Iterator[tuple[str, Result]]] | None = None,
    exchange: Exchange | None = None,
    known: dict[str, Known] | None = None,
    evidence: bool = True,
) -> Summary:
    """Bring a store up to date: compile the nodes that are not in it, or not as the files are now.

    Where these are `all_nodes`, others leave the store. What is to be compiled is compiled here, or `elsewhere`. By
    `exchange`, which `run` asks, nodes collect what others export. Without `evidence` it is enough that a node's
    catalog is as it would be compiled now.
    """
    os.makedirs(store.path, exist_ok=True)
    settled = Settled(side, store.path)
    exchange = exchange or Exchange.of_store(store.path)
    side.exchange = exchange
    known = known_nodes(store) if known is None else known
    exchange.join([*known, *nodes])
    kept = [node for node in nodes if node in known and holds(known[node], node, side, evidence)]
    keeping = set(kept)
    waiting = [node for node in nodes if node not in keeping]
    wanted = set(nodes)
    gone = [node for node in known if all_nodes and node not in wanted]
    for node in kept:
        asked = [*known[node].own, *(known[node].evidence if evidence else ())]
        exchange.know(node, known[node].status == COMPILED, asked)
    exchange.leave(gone)
    batch: dict[str, list[list[Any]]] = {name: [] for name in TABLES}
    compiled: dict[str, None] = {}
    failed = {node: known[node].error for node in kept if known[node].status == FAILED}
    again: set[str] = set()
    touched: set[str] = set()
    generation = store.current()["generation"]
    last = time.monotonic()

    def commit(leaving: Sequence[str] = ()) -> int:
        touched.difference_update(row[0] for row in batch["nodes"])
        touched.update(settled.mark(batch))
        exchange.save()
        number = store.commit(batch, leaving)
        for rows in batch.values():
            rows.clear()
        return number

    waiting = waiting or exchange.next_round(side.digest)
    while waiting:
        worker = Worker(run, side)  # what it has sent in an earlier round may have left the store
        results = each_result(waiting, worker, processes) if elsewhere is None else elsewhere(waiting)
        for node, result in shown(results, len(waiting)):
            again.add(node)
            compiled.pop(node, None)
            failed.pop(node, None)
            if result == LOST:
                failed[node] = "its process ended"
                continue
            if result["ok"]:
                compiled[node] = None
            else:
                failed[node] = result["message"]
            exchange.note(node, result)
            add(batch, node, result)
            if len(batch["nodes"]) >= COMMIT_NODES or time.monotonic() - last > COMMIT_SECONDS:
                generation = commit()
                last = time.monotonic()
        waiting = exchange.next_round(side.digest)
        if waiting and batch["nodes"]:  # some of them may come again
            generation = commit()
    if batch["nodes"] or gone or not generation:
        generation = commit(gone)
    exchange.save()
    exchange.settle(all_nodes or wanted.issuperset(exchange.snapshot.nodes))
    kept = [node for node in kept if node not in again]
    return Summary(tuple(compiled), tuple(kept), tuple(sorted(failed.items())), generation, tuple(sorted(touched)))


def each_result(nodes: Sequence[str], worker: Worker, processes: int | None) -> Iterator[tuple[str, Result]]:
    """The results of nodes as they come; the first is compiled here, for all that follow."""
    if not nodes:
        return
    if min(processes or available_cores(), len(nodes)) > 1:
        yield nodes[0], worker.result(nodes[0])
        nodes = nodes[1:]
    yield from in_processes(nodes, worker.result, processes)


def holds(known: Known, node: str, side: Side, evidence: bool = True) -> bool:
    """Whether a node in the store is as it would be compiled now, with all that is told about its values."""
    return not known.changed(node, side) and not (evidence and side.changed_set(known.evidence))


def add(batch: dict[str, list[list[Any]]], node: str, result: Result) -> None:
    """Add the rows of a node to those that wait for a commit."""
    status = COMPILED if result["ok"] else FAILED
    resources = result.get("resources", [])
    traces = [result["own"], result["shared"], result["evidence"]]
    catalog = result.get("catalog", "")
    message = result.get("message", "")
    batch["nodes"].append([node, status, message, len(resources), catalog, *traces, result["milliseconds"]])
    for name in ("resources", "attributes", "edges", "lookups"):
        batch[name] += ([node, *row] for row in result.get(name, ()))
    for name in ("inputs", "dependencies", "answers", "reads"):
        batch[name] += result.get(name, ())
