"""Memory does not grow with the nodes: what is alive after many is what was alive after few.

Whoever writes a store knows the nodes' names, and where what each exports lies on disk; nothing else of a node outlives
the commit of its rows, and parts are written anew in pieces.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from support.fleets import build, invocation_for, write
from support.stores import check_whole, content
from wherefrom.fleet import differing, merging, numbers, traces
from wherefrom.fleet.compiling import Worker, compile_fleet, known_nodes
from wherefrom.fleet.rounds import Exchange
from wherefrom.fleet.stable import StableFiles
from wherefrom.fleet.store import Store
from wherefrom.puppet import answers
from wherefrom.ruby.values import _method

pytest.importorskip("pyarrow")

FEW, MANY = 96, 288
PER_NODE = 10
"""Blocks of memory a node that may be left: less than one row."""
PER_EXPORTER = 7
"""The same where a store is written, with the name of the node and where its exports are."""
BYTES_PER_EXPORTER = 700
"""The same in bytes, whatever it exports."""
EXPORTED = "x" * 3_000


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered up to some number is kept short, so that it is full soon."""
    for module, name in (
        (numbers, "MOST_REMEMBERED"), (traces, "MOST_DIGESTS"),
        (answers, "MOST_ANSWERS"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, 24)


def forget_bounded() -> None:
    """Empty caches that take so many entries and no more, which so few nodes do not reach."""
    for cache in (_method, answers.relative):
        cache.cache_clear()


@pytest.mark.usefixtures("forgetful")
@pytest.mark.long
def test_blocks_alive(tmp_path: Path) -> None:
    """Counted in blocks of Python's memory, after the collector has run."""
    nodes = build(tmp_path, MANY)
    invocation = invocation_for(tmp_path)
    path = str(tmp_path)

    def run(node: str, reads: Any) -> Any:
        return invocation.run(path, node, trace=True, reads=reads)

    worker = Worker(run, invocation.side(path, b"key"))
    alive: list[int] = []
    with invocation.standing_still(path):
        for number, node in enumerate(nodes, 1):
            assert worker.result(node)["ok"]
            if number in (FEW, MANY):
                forget_bounded()
                gc.collect()
                alive.append(sys.getallocatedblocks())
    assert alive[1] - alive[0] < PER_NODE * (MANY - FEW), alive


@pytest.mark.usefixtures("forgetful")
@pytest.mark.long
def test_blocks_alive_where_a_store_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From commit to commit, with parts that are merged; every node exports something, and nobody collects."""
    nodes = build(tmp_path / "c", MANY)
    exporting = (
        "class role::web { include profile::base\n  @@user { $trusted['certname']: comment => '" + EXPORTED + "' } }\n"
    )
    write(tmp_path / "c", {"site/role/manifests/web.pp": exporting})
    write(tmp_path / "c", {"site/role/manifests/db.pp": exporting.replace("web", "db")})
    monkeypatch.setattr("wherefrom.fleet.compiling.COMMIT_NODES", 12)
    monkeypatch.setattr("wherefrom.fleet.store.MOST_PARTS", 4)
    monkeypatch.setattr("wherefrom.fleet.spill.MOST_WAITING", 1 << 14)
    commit = Store.commit
    alive: dict[int, int] = {}
    held: dict[int, int] = {}

    def counted(store: Store, *arguments: Any) -> int:
        generation = commit(store, *arguments)
        forget_bounded()
        gc.collect()
        alive[12 * generation] = sys.getallocatedblocks()
        held[12 * generation] = tracemalloc.get_traced_memory()[0]
        return generation

    monkeypatch.setattr(Store, "commit", counted)
    path = str(tmp_path / "c")
    invocation = invocation_for(tmp_path / "c")
    store = Store(str(tmp_path / "s"))
    exchange = Exchange.of_store(store.path)

    def run(node: str, reads: Any) -> Any:
        return invocation.run(path, node, trace=True, reads=reads, exports=exchange, storeconfigs=True)

    tracemalloc.start()
    try:
        with invocation.standing_still(path):
            compile_fleet(store, nodes, run, invocation.side(path, b"key"), 1, exchange=exchange)
    finally:
        tracemalloc.stop()
    assert len(exchange.exporters(nodes)) == MANY
    assert all(row.parameters["comment"] == EXPORTED for row in exchange.snapshot.nodes[nodes[0]].rows)
    assert alive[MANY] - alive[FEW] < PER_EXPORTER * (MANY - FEW), alive
    assert held[MANY] - held[FEW] < BYTES_PER_EXPORTER * (MANY - FEW), held


def test_sets_that_nodes_name_are_read_from_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few of them are remembered; a node whose set was not is still known to depend on a file that changes."""
    monkeypatch.setattr("wherefrom.fleet.stable.MOST_QUESTIONS", 25)
    monkeypatch.setattr("wherefrom.fleet.compiling.COMMIT_NODES", 4)
    nodes = build(tmp_path / "c", 24)
    for node in nodes:  # each points into a source of its own
        write(tmp_path / "c", {f"data/nodes/{node}.yaml": "profile::base::mode: '0600'\n"})
    path = str(tmp_path / "c")
    invocation = invocation_for(tmp_path / "c")
    store = Store(str(tmp_path / "s"))
    remembered: list[int] = []
    mark = StableFiles.mark

    def counted(settled: StableFiles, tables: Any) -> list[str]:
        marked = mark(settled, tables)
        remembered.append(sum(map(len, settled._sets.values())))
        if len(remembered) == 4:
            bound = tmp_path / "c/hiera.yaml"  # read for all of them, and no output points into it
            bound.write_text(bound.read_text())
        return marked

    monkeypatch.setattr(StableFiles, "mark", counted)

    def run(node: str, reads: Any) -> Any:
        return invocation.run(path, node, trace=True, reads=reads)

    with invocation.standing_still(path):
        summary = compile_fleet(store, nodes, run, invocation.side(path, b"key"), 1)
    assert len(summary.compiled) == 24 and len(summary.touched) == 8
    assert 0 < max(remembered) <= 25, remembered


@pytest.mark.long
def test_parts_are_written_anew_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are held at a time are as many for few nodes as for many; and the store says the same."""
    monkeypatch.setattr(merging, "PIECE_ROWS", 64)
    monkeypatch.setattr("wherefrom.fleet.compiling.COMMIT_NODES", 4)
    monkeypatch.setattr("wherefrom.fleet.store.MOST_PARTS", 3)
    held: list[int] = []
    add = merging.Pieces.add

    def counted(pieces: merging.Pieces, table: Any) -> None:
        held.append(pieces._rows + table.num_rows)
        add(pieces, table)

    monkeypatch.setattr(merging.Pieces, "add", counted)
    most: list[int] = []
    for count in (20, 60):
        nodes = build(tmp_path / f"c{count}", count)
        invocation = invocation_for(tmp_path / f"c{count}")
        path = str(tmp_path / f"c{count}")

        def run(node: str, reads: Any, path: str = path, invocation: Any = invocation) -> Any:
            return invocation.run(path, node, trace=True, reads=reads)

        with invocation.standing_still(path):
            for name, parts in (("s", 3), ("whole", 1_000)):
                monkeypatch.setattr("wherefrom.fleet.store.MOST_PARTS", parts)
                store = Store(str(tmp_path / f"{name}{count}"))
                compile_fleet(store, nodes, run, invocation.side(path, b"key"), 1)
        most.append(max(held))
        check_whole(tmp_path / f"s{count}")
        assert content(tmp_path / f"s{count}") == content(tmp_path / f"whole{count}")
    assert max(most) <= 2 * 64


def rows_with_sets(node: str, own: int, common: range) -> dict[str, list[list[Any]]]:
    """The rows of a node with some values, and as many answers: some are its own, others other nodes have too."""
    sets = [*range(own, own + len(common)), *common]
    reads = [("content", f"file{number}", "digest") for number in common]
    count = len(sets)
    return {
        "nodes": [[node, "compiled", "", 1, "", own, own, own, 1.0, ""]],
        "resources": [[node], ["File"], ["/a"], [""], [0], [False]],
        "attributes": [[node] * count, ["File"] * count, ["/a"] * count, list(map(str, sets)), ["{}"] * count],
        "edges": [],
        "lookups": [[node] * count, list(map(str, sets)), sets],
        "answers": [[number, place, True, "1", "", "", "", 1] for number in sets for place in range(2)],
        "reads": [[own, [*reads, ("given", node, "digest")]]],
    }  # fmt: skip


@pytest.mark.long
def test_numbers_that_are_held_while_parts_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part that is full is left alone: however many nodes there are, as many numbers are held at a time, and a row is
    written anew as often."""
    monkeypatch.setattr("wherefrom.fleet.store.MOST_PARTS", 4)
    monkeypatch.setattr("wherefrom.fleet.store.FULL_VALUES", 200)
    monkeypatch.setattr("wherefrom.fleet.store.MANY_TIMES", 1_000)
    held: list[int] = []
    written: list[int] = []
    joined, add = merging._joined, merging.Pieces.add

    def held_now(several: Any) -> Any:
        numbers = joined(several)
        held.append(len(numbers))
        return numbers

    def written_now(pieces: merging.Pieces, table: Any) -> None:
        written.append(table.num_rows)
        add(pieces, table)

    monkeypatch.setattr(merging, "_joined", held_now)
    monkeypatch.setattr(merging.Pieces, "add", written_now)
    most: list[int] = []
    rows: list[int] = []
    store = Store(str(tmp_path / "s"))
    with store.relied_on():
        for node in range(120):
            store.commit(rows_with_sets(f"n{node}", 1_000 + 10 * node, range(10)))
            if node in (59, 119):
                most.append(max(held))
                rows.append(sum(written))
    assert most[0] == most[1] <= 2 * 220, most
    assert rows[1] < 2.2 * rows[0], rows
    full = [part for part in store.current()["parts"] if part["values"] >= 200]
    assert len(full) >= 8 and all(part["values"] < 2 * 220 for part in full)
    check_whole(tmp_path / "s")
    assert {row["answer"] for row in store.rows("answers")} == {*range(10), *range(1_000, 2_200)}
    for file in store.files("answers")["answers"]:  # each answer once in a part
        rows_in = [number for piece in merging.tables(file) for number in piece["answer"].to_pylist()]
        assert len(rows_in) == 2 * len(set(rows_in))


@pytest.mark.long
def test_full_parts_are_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes that are compiled again leave full parts: these become small again, and what nobody names goes."""
    monkeypatch.setattr("wherefrom.fleet.store.MOST_PARTS", 2)
    monkeypatch.setattr("wherefrom.fleet.store.FULL_VALUES", 60)
    store = Store(str(tmp_path / "s"))
    for generation in range(3):
        with store.relied_on():
            for node in range(12):
                own = 1_000 * (generation + 1) + 10 * node
                store.commit(rows_with_sets(f"n{node}", own, range(10)), last=node == 11)
        check_whole(tmp_path / "s")
    sets = {row["answer"] for row in store.rows("answers")}
    named = {row["answer"] for row in store.rows("lookups")}
    assert len(named) == 130
    assert len(sets - named) <= 60, len(sets - named)  # of parts that are not full, and were not merged since
    assert len(store.current()["parts"]) <= 12


def test_what_is_known_of_nodes_is_held_once(tmp_path: Path) -> None:
    """A node's trace is its own, most of its entries are not."""
    store = Store(str(tmp_path / "s"))
    for node in range(6):
        store.commit(rows_with_sets(f"n{node}", 1_000 + 100 * node, range(100)))
    known = known_nodes(store)
    entries = [entry for node in known.values() for entry in node.own]
    assert len(known) == 6 and len(entries) == 6 * 101
    assert len({id(entry) for entry in entries}) == 100 + 6


def test_what_many_nodes_name_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process has sent and sends no more: sets of many nodes, however many sets nodes have of their own."""
    monkeypatch.setattr(numbers, "MOST_REMEMBERED", 100)
    sent = numbers.Sent()
    again = 0
    for node in range(200):
        again += sum(sent.first_time(number) for number in range(10))
        assert all(sent.first_time(1_000 + 20 * node + number) for number in range(20))
        assert len(sent._numbers) + len(sent._earlier) <= 100
    assert again == 10


@pytest.mark.long
@pytest.mark.parametrize("processes", [1, 2])
def test_what_compared_nodes_leave_behind_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    """In every process that compares: objects that name each other are gone after some nodes."""
    monkeypatch.setattr("wherefrom.base.collector._rest.owned", True)
    monkeypatch.setattr(differing, "set_aside", lambda: None)
    monkeypatch.setattr(differing, "SWEEP_COMPARED", 4)

    class Knot:
        """Something that only a sweep takes away."""

        def __init__(self) -> None:
            self.own = self

    def compare(node: str) -> Any:
        Knot()
        return {"alive": sum(isinstance(thing, Knot) for thing in gc.get_objects())}

    gc.collect()
    gc.disable()
    try:
        nodes = [f"n{number}" for number in range(24)]
        results = dict(differing.compared(nodes, compare, processes, lambda several, count: several))
    finally:
        gc.enable()
    alive = [result["alive"] for result in results.values() if result is not None]
    assert len(alive) == 24 and 1 < max(alive) <= 4
