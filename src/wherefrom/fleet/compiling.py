"""Nodes compiled into a store: those whose trace no longer holds, on all cores, committed as they come.

The first node is compiled before the process forks, so that every worker begins with the environment loaded. A worker
sends each node's rows; the parent commits them every few seconds. Whenever the run is ended, what was committed stays,
and the next run goes on from there: a node whose trace holds is kept.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..base.budget import Budget
from ..base.collector import set_aside, sweep
from ..base.diagnostics import Diagnostic, ManyErrors, UsageError, WherefromError
from ..base.record import Record
from ..base.witness import Reads
from .exports import ASKED, ASKED_ORIGINS, OWN, Sender, sending_of, whole_of
from .moulds import Kept, Moulds
from .numbers import Sent, number_of
from .rounds import Exchange
from .rows import Form, Rows
from .settled import Settled
from .store import BY_COLUMN, TABLES, Store
from .traces import CODE, NEVER, TOUCHED
from .workers import LOST, Result, in_processes

if TYPE_CHECKING:
    from ..language import Outcome
    from .traces import Question, Side, Trace

COMPILED = "compiled"
FAILED = "failed"
UNKNOWN: Trace = ((*TOUCHED, NEVER),)
"""A trace that vouches for nothing."""
SWEEP_NODES = 64
SWEEP_OUTPUTS = 25_000
"""What nodes leave behind is swept away after so many of them, or so many values of those that were compiled."""
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

MOST_FIRST = 4
"""Nodes that are tried after the first, before the work is shared."""

Run = Callable[[str, Reads], "Outcome"]
"""Compiles a node, and leaves what it read."""
Made = tuple[Form, "Trace", "Trace", Any]
"""The rows of a node, what it read itself and with others, and what it exports."""


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
    for node, status, error, _, catalog, *numbers, _ in rows:
        own, shared, evidence = (sets.get(number, UNKNOWN) for number in numbers)
        nodes[node] = Known(status, error, catalog, own, shared, evidence)
    return nodes


def _set_number(trace: Trace) -> int:
    """The number of a set of reads."""
    return number_of(repr(trace).encode("utf-8", "surrogateescape"))


class NotCompiled(Exception):
    """A node that does not compile: what is to be told about it, what was read, and the sources that it points into."""

    def __init__(self, problems: Sequence[Diagnostic | UsageError], reads: Reads) -> None:
        super().__init__()
        # Without hints: these come from whatever else the process has read.
        self.result: Result = {"ok": False, "message": "\n".join(map(str, problems))}
        self.reads = reads
        labels = [label for problem in problems if isinstance(problem, Diagnostic) for label in problem.labels]
        self.files = tuple(sorted({label.span.file.identity for label in labels}))


class Worker:
    """Compiles nodes to results; one for each process, which remembers what it has sent."""

    def __init__(self, run: Run, side: Side, moulds: Moulds | None = None) -> None:
        self._run = run
        self._side = side
        self._rows = Rows()
        self._moulds = moulds
        self._pointed: dict[tuple[Any, ...], tuple[Trace, int]] = {}
        self._numbers: dict[int, tuple[Trace, int]] = {}
        self._sent = Sent()
        self._runs = 0
        self._sweeps = 0
        self._young = 0
        """Sweeps of what was made since the one before."""
        self._left = 0
        """Values of nodes that were compiled since the last sweep."""
        self._sweep_after = self._sweep_at = SWEEP_NODES
        self._exports = Sender()

    def in_order(self, nodes: Sequence[str]) -> Sequence[str]:
        """Nodes that are to be compiled, those together that are likely to be made from one another."""
        return nodes if self._moulds is None else self._moulds.in_order(nodes)

    def result(self, node: str) -> Result:
        """The rows of a node, or why there are none; with what its compilation read in both cases."""
        with Budget().in_force():
            return self._result(node)

    def cast_result(self, node: str) -> Result | None:
        """The same of a node that can be made from another; nothing of one that is to be compiled."""
        with Budget().in_force(), suppress(WherefromError):
            form = self._made(node)
            return None if form is None else self._result(node, form)
        return None

    def _result(self, node: str, cast: Made | None = None) -> Result:
        begun = time.perf_counter()
        self._tidy()
        given = self._side.given(node)
        sets: list[list[Any]] = []
        asked: list[str] = []
        try:
            form, own, shared, exports = cast or self._form(node)
            result: Result = {"ok": True, **self._rows.of(form), "exports": exports}
            evidence, number = self._evidence(form.files, form.consulted)
        except NotCompiled as problem:
            result = problem.result
            own, shared = self._side.trace(problem.reads.own), self._side.trace(problem.reads.shared)
            evidence, number = self._evidence(problem.files, ())
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
        result["shared"] = self._sent_set(shared, self._number(shared), sets)
        result["evidence"] = self._sent_set(evidence, number, sets)
        result["reads"] = sets
        result["milliseconds"] = 1000 * (time.perf_counter() - begun)
        return result

    def _made(self, node: str) -> Made | None:
        """The rows of a node and what it read, made from those of another node, if that can be done."""
        moulded = self._moulds.fitting(node, self._side.digest) if self._moulds is not None else None
        if moulded is None:
            return None
        kept, cast, sent = moulded
        form = kept.form.cast(cast)
        if form is None:
            return None
        return form, *self._exchanged(kept, cast.paths, node), None if sent is None else self._exports.sent(sent)

    def _form(self, node: str) -> Made:
        """The same, made from those of another node or compiled.  Raises `NotCompiled`."""
        reads = Reads()
        try:
            moulded = self._made(node)
            if moulded is not None:
                return moulded
            outcome = self._run(node, reads)
            form = Form(outcome)
            self._left += len(form.attributes)
            own, shared = self._side.trace(reads.own), self._side.trace(reads.shared)
            sending = sending_of(outcome)
            if self._moulds is not None:
                self._moulds.add(outcome, form, own, shared, sending, self._side.digest)
            return form, own, shared, None if sending is None else self._exports.sent(sending.document())
        except ManyErrors as problems:
            raise NotCompiled(problems.diagnostics, reads) from None
        except (Diagnostic, UsageError) as problem:
            raise NotCompiled([problem], reads) from None

    def _exchanged(self, kept: Kept, paths: Mapping[str, str], node: str) -> tuple[Trace, Trace]:
        """What was asked about some files, asked about others; what was asked for one node, asked for another.

        With all that stays as it was: that is the same for many nodes, as what they share is.
        """
        question, digest = self._side.answers.question, self._side.digest
        exchanged = [(ASKED, ask.of(node), ask.answers[0]) for ask in kept.asks]
        places = [ask.place for ask in kept.asks]
        for before, after in paths.items():
            path = kept.paths.get(before)
            if path is None:
                path = kept.paths[before] = question("kind", before)[1]
            numbers = kept.asked.get(path)
            if numbers is None:
                continue
            places += numbers
            entries = kept.exchanged.get((before, after))
            if entries is None:
                other = question("kind", after)[1]
                entries = []
                for number in numbers:
                    kind, name, _ = kept.own[number]
                    name = f"{other}{name[len(path) :]}"
                    entries.append((kind, name, digest((kind, name))))
                kept.exchange(before, after, entries)
            exchanged += entries
        exchanged.sort()
        return tuple(exchanged), kept.staying(tuple(places))

    def _evidence(self, files: tuple[str, ...], consulted: tuple[tuple[str, str], ...]) -> tuple[Trace, int]:
        """The content of every source that outputs point into, and what other code would do; the number of the set."""
        known = self._pointed.get((files, consulted))
        if known is None:
            if len(self._pointed) >= MOST_SOURCES:
                self._pointed.clear()
            entries = list(self._side.trace(self._side.answers.question("content", name) for name in files))
            for name, answer in consulted:
                entries.append((CODE, name, self._side.of(answer.encode("utf-8", "surrogateescape"))))
            trace = tuple(sorted(entries))
            known = self._pointed[files, consulted] = trace, _set_number(trace)
        return known

    def _tidy(self) -> None:
        """What the first node loaded stays for all; what nodes leave behind is swept away now and then.

        Where catalogs are large, so is what others load later: some of the times all that is left after sweeping is set
        aside too, but for moulds, which do not last.
        """
        self._runs += 1
        if self._runs == 2:
            set_aside()
        elif self._left > SWEEP_OUTPUTS:
            self._left = 0
            self._sweeps += 1
            is_time = self._sweeps in SET_ASIDE
            if is_time and self._moulds is not None:
                self._moulds.forget()
            sweep()
            if is_time:
                set_aside()
        elif self._runs >= self._sweep_at:
            self._left = 0
            self._young += 1
            is_little = sweep(young=self._young % SWEEP_WHOLE != 0) < SWEEP_LITTLE
            self._sweep_after = min(2 * self._sweep_after, SWEEP_MOST) if is_little else SWEEP_NODES
            self._sweep_at = self._runs + self._sweep_after

    def _number(self, trace: Trace) -> int:
        """The number of a set of reads that nodes share: the very same set is looked at once."""
        known = self._numbers.get(id(trace))
        if known is None:
            if len(self._numbers) >= SWEEP_NODES:
                self._numbers.clear()
            known = self._numbers[id(trace)] = trace, _set_number(trace)
        return known[1]

    def _sent_set(self, trace: Trace, number: int, sets: list[list[Any]]) -> int:
        """The number of a set of reads; a new set's rows are added."""
        if self._sent.first_time(number):
            sets.append([number, trace])
        return number


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
    moulds: Moulds | None = None,
) -> Summary:
    """Bring a store up to date: compile the nodes that are not in it, or not as the files are now.

    Where these are `all_nodes`, others leave the store. What is to be compiled is compiled here, or `elsewhere`. By
    `exchange`, which `run` asks, nodes collect what others export. Without `evidence` it is enough that a node's
    catalog is as it would be compiled now. If what is `known` is given, it is brought up to date too: whoever relies on
    it does not have to read what another run may have written over.
    """
    with store.relied_on():
        os.makedirs(store.path, exist_ok=True)
        settled = Settled(side, store.path, store.questions_of)
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
        batch = Batch(store, settled, exchange, learnt)
        waiting = waiting or exchange.next_round(side.digest)
        while waiting:
            worker = Worker(run, side, moulds)
            if elsewhere is None:
                results = each_result(waiting, worker, processes)
            else:
                results = elsewhere(worker.in_order(waiting))
            for node, result in shown(results, len(waiting)):
                if node in keeping:
                    again.add(node)
                compiled.pop(node, None)
                failed.pop(node, None)
                if result == LOST:
                    failed[node] = "its process ended"
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
        kept = [node for node in kept if node not in again]
        touched = tuple(sorted(batch.touched))
        return Summary(tuple(compiled), tuple(kept), tuple(sorted(failed.items())), batch.generation, touched)


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
        self._known[node] = Known(status, result.get("message", ""), result.get("catalog", ""), *traces)

    def touch(self, nodes: Iterable[str]) -> None:
        """Nodes that hang on files which changed meanwhile: what is known of them vouches for nothing."""
        for node in nodes:
            known = self._known[node]
            self._known[node] = Known(known.status, known.error, known.catalog, UNKNOWN, known.shared, known.evidence)

    def lose(self, node: str) -> None:
        """A node whose process ended: what it was is not what it is now."""
        self._known.pop(node, None)


class Batch:
    """Results that wait for a commit, which is made now and then."""

    def __init__(self, store: Store, settled: Settled, exchange: Exchange, learnt: Learnt | None) -> None:
        self._store = store
        self._settled = settled
        self._exchange = exchange
        self._learnt = learnt
        self._rows: dict[str, list[list[Any]]] = {name: [] for name in TABLES}
        self._last = time.monotonic()
        self.generation: int = store.current()["generation"]
        self.touched: set[str] = set()
        """Nodes that hang on files which changed meanwhile."""

    def add(self, node: str, result: Result) -> None:
        """A node that was compiled, or could not be."""
        add(self._rows, node, result)
        if self._learnt is not None:
            self._learnt.add(node, result)
        values = len(self._rows["attributes"][0]) if self._rows["attributes"] else 0
        is_full = len(self._rows["nodes"]) >= COMMIT_NODES or values >= COMMIT_ROWS
        if is_full or time.monotonic() - self._last > COMMIT_SECONDS:
            self.commit()
            self._last = time.monotonic()

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
        touched = self._settled.mark(self._rows)
        self.touched = (self.touched - nodes).union(touched)
        if self._learnt is not None:
            self._learnt.touch(touched)
        self.generation = self._store.commit(self._rows, gone, self._exchange.save, last)
        for rows in self._rows.values():
            rows.clear()


def each_result(nodes: Sequence[str], worker: Worker, processes: int | None) -> Iterator[tuple[str, Result]]:
    """The results of nodes as they come.

    The first is compiled here, for all that follow; and one is made from it here, so that what that takes is loaded
    once. Others, of which nobody knows yet what they do to a process, are for those that may end.
    """
    if not nodes:
        return
    yield nodes[0], worker.result(nodes[0])
    others = nodes[1:]
    for place, node in enumerate(others[:MOST_FIRST]):
        result = worker.cast_result(node)
        if result is not None:
            yield node, result
            others = [*others[:place], *others[place + 1 :]]
            break
    yield from in_processes(worker.in_order(others), worker.result, processes)


def holds(known: Known, node: str, side: Side, evidence: bool = True) -> bool:
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
    message = result.get("message", "")
    batch["nodes"].append([node, status, message, count, catalog, *traces, result["milliseconds"]])
    for name in ("inputs", "bundles", "portions", "sets", "answers", "reads"):
        batch[name] += result.get(name, ())
