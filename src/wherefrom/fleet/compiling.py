"""Nodes compiled into a store: those whose trace no longer holds, on all cores, committed as they come.

The first node is compiled before the process forks, so that every worker begins with the environment loaded. A worker
sends each node's rows; the parent commits them every few seconds. Whenever the run is ended, what was committed stays,
and the next run goes on from there: a node whose trace holds is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..base.budget import Budget
from ..base.cache import Cache
from ..base.collector import set_aside, sweep
from ..base.diagnostics import Diagnostic, ManyErrors, UsageError
from ..base.record import Record, replace
from ..base.recording import ReadSet
from .answers import AnswerRows
from .exports import ASKED, ASKED_ORIGINS, OWN, ExportsFile, Sender, sending_of, whole_of
from .numbers import Sent, number_of
from .origins import OriginsFile
from .rounds import Exchange
from .rows import CatalogColumns, lengths
from .stable import StableFiles
from .store import BY_COLUMN, TABLES, Store
from .traces import CODE, NEVER, TOUCHED
from .workers import Result, in_processes, is_lost

if TYPE_CHECKING:
    from ..language import Outcome
    from .traces import DigestedSnapshot, Question, Trace

COMPILED = "compiled"
FAILED = "failed"
UNKNOWN: Trace = ((*TOUCHED, NEVER),)
"""A trace that vouches for nothing."""
SWEEP_NODES = 64
SWEEP_OUTPUTS = 100_000
"""What nodes leave behind is swept away after so many of them, or so many values of those that were compiled."""
LEFT_BY_FAILURE = 12_500
"""A node that does not compile counts as so many values: nobody takes its catalog apart."""
SWEEP_LITTLE = 2_000
SWEEP_MOST = 2_048
"""Where that was fewer objects, it is done half as often, down to once for so many nodes."""
SWEEP_WHOLE = 8
"""Of the sweeps for nodes that leave little, one in so many looks at what earlier ones found alive."""
SET_ASIDE = (1, 4, 16, 64)
"""Of the times that many values were swept away, those after which what is left is set aside."""
MOST_SOURCES = 1_000
"""Combinations of sources that nodes point into, of which a worker knows the digests."""
COMMIT_NODES = 500
COMMIT_ROWS = 100_000
COMMIT_SECONDS = 5.0
"""A commit is made after so many nodes, so many values of nodes, or so many seconds, whichever comes first."""
COMMIT_PAUSE = 20
"""Seconds count from so many times what the last commit took: a busy machine has other things to do than commit."""

Run = Callable[[str, ReadSet], "Outcome"]
"""Compiles a node, and leaves what it read."""


class FleetSummary(Record):
    """What a run did: the nodes it compiled, kept, and could not compile (with the reason), and the generation."""

    compiled: tuple[str, ...]
    kept: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    generation: int
    touched: tuple[str, ...] = ()
    """Nodes that depend on files which changed meanwhile: they are compiled again the next time."""
    rebuilt: tuple[str, ...] = ()
    """In words, what of the store was removed before, since it could not be used, and what was done about it."""


class Known(Record):
    """A node as a store has it: how it went, its catalog's digest, and what it depends on."""

    status: str
    error: str
    catalog: str
    content: str
    """The digest of the values alone."""
    own: tuple[tuple[str, str, str], ...]
    shared: tuple[tuple[str, str, str], ...]
    evidence: tuple[tuple[str, str, str], ...]

    def changed(self, node: str, side: DigestedSnapshot) -> list[Question]:
        """What its catalog depends on that is other now."""
        with Budget().in_force():
            return [*side.changed(node, self.own), *side.changed_set(self.shared)]


def known_nodes(store: Store) -> dict[str, Known]:
    """Every node of a store, with its trace; sets that nodes share are held once, and so is each read of many sets."""
    return store.together(("reads", "nodes"), _known_of)


def _known_of(reads: Iterable[tuple[Any, ...]], rows: Iterable[tuple[Any, ...]]) -> dict[str, Known]:
    entries: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    sets: dict[int, Trace] = {_set_number(()): ()}
    for number, rows_of_set in groupby(reads, itemgetter(0)):
        trace = tuple([entries.setdefault(entry, entry) for entry in (row[1:] for row in rows_of_set)])
        before = sets.get(number)
        sets[number] = trace if before is None else tuple(dict.fromkeys(before + trace))  # parts may have the same
    nodes: dict[str, Known] = {}
    for node, status, error, _, catalog, *numbers, _, content in rows:
        own, shared, evidence = (sets.get(number, UNKNOWN) for number in numbers)
        nodes[node] = Known(status, error, catalog, content, own, shared, evidence)
    return nodes


def usable(store: Store) -> list[str]:
    """See to it that a store can be used, by who has the files that its nodes were compiled from: in words, what of it
    was removed since another version wrote it or it is damaged, and what is done about it."""
    words = store.started_anew()
    if words is not None:
        return [f"{words}: all nodes are compiled again"]
    exports, origins = ExportsFile(store.path).started_anew(), OriginsFile(store.path).started_anew()
    told = [] if exports is None else [f"{exports}: nodes that export resources are compiled again"]
    return told if origins is None else [*told, f"{origins}: dependencies are computed again"]


def _set_number(trace: Trace) -> int:
    """The number of a set of reads."""
    return number_of(repr(trace).encode("utf-8", "surrogateescape"))


class NotCompiled(Exception):
    """A node that does not compile: what is to be told about it, what was read, and the sources that it points into."""

    def __init__(self, problems: Sequence[Diagnostic | UsageError], reads: ReadSet) -> None:
        super().__init__()
        # Without hints: these come from whatever else the process has read.
        self.result: Result = {"ok": False, "message": "\n".join(map(str, problems))}
        self.reads = reads
        labels = [label for problem in problems if isinstance(problem, Diagnostic) for label in problem.labels]
        self.files = tuple(sorted({label.span.file.identity for label in labels}))


class Worker:
    """Compiles nodes to results; one for each process, which remembers what it has sent."""

    def __init__(self, run: Run, side: DigestedSnapshot) -> None:
        self._run = run
        self._side = side
        self._answers = AnswerRows()
        self._pointed: Cache[tuple[Any, ...], tuple[Trace, int]] = Cache(MOST_SOURCES)
        self._shared: Cache[frozenset[Question], tuple[Trace, int]] = Cache(SWEEP_NODES)
        self._sent = Sent()
        self._runs = 0
        self._sweeps = 0
        self._young = 0
        """Sweeps of what was made since the one before."""
        self._left = 0
        """Values of nodes that were compiled since the last sweep."""
        self._sweep_after = self._sweep_at = SWEEP_NODES
        self._exports = Sender()

    def result(self, node: str) -> Result:
        """The rows of a node, or why there are none; with what its compilation read in both cases."""
        with Budget().in_force():
            return self._result(node)

    def _result(self, node: str) -> Result:
        begun = time.perf_counter()
        self._tidy()
        given = self._side.given(node)
        sets: list[list[Any]] = []
        try:
            told, reads, exports, consulted = self._told(node)
            files = told.files
            if exports is not None:
                files |= {source["name"] for source in exports["sources"].values()}
                exports = self._exports.sent(exports)
            evidence, number = self._evidence(tuple(sorted(files)), consulted)
            result: Result = {"ok": True, **told.result(self._answers), "exports": exports}
        except NotCompiled as problem:
            result, reads = problem.result, problem.reads
            evidence, number = self._evidence(problem.files, ())
        own, (shared, shared_number) = self._side.trace(reads.own), self._shared_set(reads)
        asked = [name for kind, name, _ in own if kind == ASKED]
        if asked:
            evidence = (*evidence, *self._side.trace((ASKED_ORIGINS, name) for name in asked))
            number = _set_number(evidence)
            result["asks"] = self._side.trace([(kind, name) for name in asked for kind in (ASKED, ASKED_ORIGINS)])
        entries = [given, *own]
        if result["ok"] or not asked:  # who fails on what it collects exports what it did before
            entries.append((OWN, node, self._side.of(whole_of(node, result.get("exports")))))
        own = tuple(entries)
        result["own"] = self._sent_set(own, _set_number(own), sets)
        result["shared"] = self._sent_set(shared, shared_number, sets)
        result["evidence"] = self._sent_set(evidence, number, sets)
        result["reads"] = sets
        result["milliseconds"] = 1000 * (time.perf_counter() - begun)
        return result

    def _told(self, node: str) -> tuple[CatalogColumns, ReadSet, dict[str, Any] | None, tuple[tuple[str, str], ...]]:
        """What a node's catalog says, what it read, what it exports, and what the histories of that depend on.

        Raises `NotCompiled`.
        """
        reads = ReadSet()
        try:
            outcome = self._run(node, reads)
            told = CatalogColumns(outcome, self._side.of)
            self._left += lengths(told.attributes)
            sending = sending_of(outcome)
            consulted = () if sending is None else tuple(sorted(outcome.consulted()))
            outcome.let_go()
            return told, reads, sending, consulted
        except ManyErrors as problems:
            self._left += LEFT_BY_FAILURE
            raise NotCompiled(problems.diagnostics, reads) from None
        except (Diagnostic, UsageError) as problem:
            self._left += LEFT_BY_FAILURE
            raise NotCompiled([problem], reads) from None

    def _evidence(self, files: tuple[str, ...], consulted: tuple[tuple[str, str], ...]) -> tuple[Trace, int]:
        """The content of every source that outputs point into, and what other code would do; the number of the set."""
        known = self._pointed.get((files, consulted))
        if known is None:
            entries = list(self._side.trace(self._side.answers.question("content", name) for name in files))
            for name, answer in consulted:
                entries.append((CODE, name, self._side.of(answer.encode("utf-8", "surrogateescape"))))
            trace = tuple(sorted(entries))
            known = self._pointed.keep((files, consulted), (trace, _set_number(trace)))
        return known

    def _tidy(self) -> None:
        """What the first node loaded stays for all; what nodes leave behind is swept away now and then.

        Where catalogs are large, so is what others load later: some of the times all that is left after sweeping is set
        aside too.
        """
        self._runs += 1
        if self._runs == 2:
            set_aside()
        elif self._left > SWEEP_OUTPUTS:
            self._left = 0
            self._sweeps += 1
            sweep()
            if self._sweeps in SET_ASIDE:
                set_aside()
        elif self._runs >= self._sweep_at:
            self._left = 0
            self._young += 1
            is_little = sweep(young=self._young % SWEEP_WHOLE != 0) < SWEEP_LITTLE
            self._sweep_after = min(2 * self._sweep_after, SWEEP_MOST) if is_little else SWEEP_NODES
            self._sweep_at = self._runs + self._sweep_after

    def _shared_set(self, reads: ReadSet) -> tuple[Trace, int]:
        """What a run shares with others, as a trace, and its number: the same for most nodes, and worked out once."""
        questions = frozenset(reads.shared)
        known = self._shared.get(questions)
        if known is None:
            trace = self._side.trace(questions)
            known = self._shared.keep(questions, (trace, _set_number(trace)))
        return known

    def _sent_set(self, trace: Trace, number: int, sets: list[list[Any]]) -> int:
        """The number of a set of reads; a new set's rows are added."""
        if self._sent.first_time(number):
            sets.append([number, trace])
        return number


def compile_fleet(
    store: Store,
    nodes: Sequence[str],
    run: Run,
    side: DigestedSnapshot,
    processes: int | None = None,
    all_nodes: bool = True,
    shown: Callable[[Iterator[tuple[str, Result]], int], Iterator[tuple[str, Result]]] = lambda results, count: results,
    elsewhere: Callable[[Sequence[str]], Iterator[tuple[str, Result]]] | None = None,
    exchange: Exchange | None = None,
    known: dict[str, Known] | None = None,
    evidence: bool = True,
) -> FleetSummary:
    """Bring a store up to date: compile the nodes that are not in it, or not as the files are now.

    Where these are `all_nodes`, others leave the store. What is to be compiled is compiled here, or `elsewhere`. By
    `exchange`, which `run` asks, nodes collect what others export. Without `evidence` it is enough that a node's
    catalog is as it would be compiled now. If what is `known` is given, it is brought up to date too: whoever relies on
    it does not have to read what another run may have written over.
    """
    with store.relied_on():
        store.make()
        stable = StableFiles(side, store.path, store.questions_of)
        exchange = exchange or Exchange.of_store(store.path)
        side.exchange = exchange
        learnt = None if known is None else Learnt(known)
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
        compiled: dict[str, None] = {}
        failed = {node: known[node].error for node in kept if known[node].status == FAILED}
        again: set[str] = set()
        batch = Batch(store, stable, exchange, learnt)
        waiting = waiting or exchange.next_round(side.digest)
        while waiting:
            if elsewhere is None:
                results = each_result(waiting, Worker(run, side), processes)
            else:
                results = elsewhere(waiting)
            for node, result in shown(results, len(waiting)):
                if node in keeping:
                    again.add(node)
                compiled.pop(node, None)
                failed.pop(node, None)
                if is_lost(result):
                    failed[node] = result["message"]
                    batch.lose(node)
                    continue
                if result["ok"]:
                    compiled[node] = None
                else:
                    failed[node] = result["message"]
                exchange.note(node, result)
                batch.add(node, result)
            waiting = exchange.next_round(side.digest)
            if waiting:  # some of them may come again
                batch.commit()
        batch.end(gone)
        with store.alone() as is_alone:
            exchange.save()
            exchange.settle(all_nodes or wanted.issuperset(exchange.snapshot.nodes), is_alone)
        OriginsFile(store.path).forget([*compiled, *failed.keys() - set(kept), *gone])
        kept = [node for node in kept if node not in again]
        touched = tuple(sorted(batch.touched))
        return FleetSummary(tuple(compiled), tuple(kept), tuple(sorted(failed.items())), batch.generation, touched)


class Learnt:
    """What is known of nodes, brought up to date as they are compiled."""

    def __init__(self, known: dict[str, Known]) -> None:
        self._known = known
        self._sets: dict[int, Trace] = {}
        """Sets that nodes share are held once."""
        self._entries: dict[tuple[str, str, str], tuple[str, str, str]] = {}
        """And so is each entry of many sets."""

    def add(self, node: str, result: Result) -> None:
        """A node that was compiled, or could not be."""
        for number, entries in result["reads"]:
            if number not in self._sets:
                self._sets[number] = tuple([self._entries.setdefault(entry, entry) for entry in map(tuple, entries)])
        traces = [self._sets[result[name]] for name in ("own", "shared", "evidence")]
        status = COMPILED if result["ok"] else FAILED
        told = (result.get(name, "") for name in ("message", "catalog", "content"))
        self._known[node] = Known(status, *told, *traces)

    def touch(self, nodes: Iterable[str]) -> None:
        """Nodes that depend on files which changed meanwhile: what is known of them vouches for nothing."""
        for node in nodes:
            self._known[node] = replace(self._known[node], own=UNKNOWN)

    def lose(self, node: str) -> None:
        """A node whose process ended: what it was is not what it is now."""
        self._known.pop(node, None)


class Batch:
    """Results that wait for a commit, which is made now and then."""

    def __init__(self, store: Store, stable: StableFiles, exchange: Exchange, learnt: Learnt | None) -> None:
        self._store = store
        self._stable = stable
        self._exchange = exchange
        self._learnt = learnt
        self._rows: dict[str, list[list[Any]]] = {name: [] for name in TABLES}
        self._last = time.monotonic()
        self._pause = COMMIT_SECONDS
        self.generation: int = store.current()["generation"]
        self.touched: set[str] = set()
        """Nodes that depend on files which changed meanwhile."""

    def add(self, node: str, result: Result) -> None:
        """A node that was compiled, or could not be."""
        add(self._rows, node, result)
        if self._learnt is not None:
            self._learnt.add(node, result)
        values = len(self._rows["attributes"][0]) if self._rows["attributes"] else 0
        is_full = len(self._rows["nodes"]) >= COMMIT_NODES or values >= COMMIT_ROWS
        begun = time.monotonic()
        if is_full or begun - self._last > self._pause:
            self.commit()
            self._last = time.monotonic()
            self._pause = max(COMMIT_SECONDS, COMMIT_PAUSE * (self._last - begun))

    def lose(self, node: str) -> None:
        """A node whose process ended."""
        if self._learnt is not None:
            self._learnt.lose(node)

    def commit(self) -> None:
        """Write what waits."""
        if self._rows["nodes"]:
            self._commit((), False)

    def end(self, gone: Sequence[str]) -> None:
        """Write what waits, and that some nodes are gone; nothing comes after it."""
        if self._rows["nodes"] or gone or not self.generation:
            self._commit(gone, True)
        else:
            self.generation = self._store.sweep()

    def _commit(self, gone: Sequence[str], last: bool) -> None:
        nodes = {row[0] for row in self._rows["nodes"]}
        touched = self._stable.mark(self._rows)
        self.touched = (self.touched - nodes).union(touched)
        if self._learnt is not None:
            self._learnt.touch(touched)
        self.generation = self._store.commit(self._rows, gone, self._exchange.save, last)
        for rows in self._rows.values():
            rows.clear()


def each_result(nodes: Sequence[str], worker: Worker, processes: int | None) -> Iterator[tuple[str, Result]]:
    """The results of nodes as they come.  The first is compiled here: what it loads is there for all that follow."""
    if nodes:
        yield nodes[0], worker.result(nodes[0])
        yield from in_processes(nodes[1:], worker.result, processes)


def holds(known: Known, node: str, side: DigestedSnapshot, evidence: bool = True) -> bool:
    """Whether a node in the store is as it would be compiled now, with all that is told about its values."""
    return not known.changed(node, side) and not (evidence and side.changed_set(known.evidence))


def add(batch: dict[str, list[list[Any]]], node: str, result: Result) -> None:
    """Add the rows of a node to those that wait for a commit."""
    status = COMPILED if result["ok"] else FAILED
    count = 0
    for name in BY_COLUMN:
        columns = result.get(name)
        if columns:
            count = len(columns[0]) if name == "resources" else count
            waiting = batch[name]
            if not waiting:
                waiting += ([] for _ in TABLES[name])
            waiting[0] += repeat(node, len(columns[0]))
            for column, more in zip(waiting[1:], columns, strict=True):
                column += more
    traces = [result["own"], result["shared"], result["evidence"]]
    catalog = result.get("catalog", "")
    message, content = result.get("message", ""), result.get("content", "")
    batch["nodes"].append([node, status, message, count, catalog, *traces, result["milliseconds"], content])
    for name in ("answers", "reads"):
        batch[name] += result.get(name, ())
