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

from support.fleets import build, write
from support.moulds import invocation_for
from support.stores import check_whole, content
from whence.fleet import merging, moulds, numbers, rows, traces
from whence.fleet.compiling import Worker, compile_fleet
from whence.fleet.moulds import Moulds
from whence.fleet.rounds import Exchange
from whence.fleet.settled import Settled
from whence.fleet.store import Store
from whence.puppet import answers
from whence.ruby.values import _method

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
        (numbers, "MOST_REMEMBERED"), (rows, "MOST_REMEMBERED"), (traces, "MOST_DIGESTS"),
        (answers, "MOST_ANSWERS"), (moulds, "MOST_MOULDS"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, 24)


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize("alone", [True, False], ids=["compiled", "made from others"])
def test_blocks_alive(tmp_path: Path, alone: bool) -> None:
    """Counted in blocks of Python's memory, after the collector has run."""
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


@pytest.mark.usefixtures("forgetful")
def test_blocks_alive_where_a_store_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From commit to commit, with parts that are merged; every node exports something, and nobody collects."""
    nodes = build(tmp_path / "c", MANY)
    exporting = (
        "class role::web { include profile::base\n  @@user { $trusted['certname']: comment => '" + EXPORTED + "' } }\n"
    )
    write(tmp_path / "c", {"site/role/manifests/web.pp": exporting})
    write(tmp_path / "c", {"site/role/manifests/db.pp": exporting.replace("web", "db")})
    monkeypatch.setattr("whence.fleet.compiling.COMMIT_NODES", 12)
    monkeypatch.setattr("whence.fleet.store.MOST_PARTS", 4)
    monkeypatch.setattr("whence.fleet.likeness.FEW", MANY)  # every kind of node comes early
    monkeypatch.setattr("whence.fleet.shelf.MOST_WAITING", 1 << 14)
    commit = Store.commit
    alive: dict[int, int] = {}
    held: dict[int, int] = {}

    def counted(store: Store, *arguments: Any) -> int:
        generation = commit(store, *arguments)
        _method.cache_clear()
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
        return invocation.run(path, node, trace=True, reads=reads, ledger=True, exports=exchange, storeconfigs=True)

    shared = Moulds(lambda node: invocation.inputs(path, node, trace=True)[2])
    tracemalloc.start()
    try:
        with invocation.standing_still(path):
            compile_fleet(store, nodes, run, invocation.side(path, b"key"), 1, exchange=exchange, moulds=shared)
    finally:
        tracemalloc.stop()
    assert len(exchange.exporters(nodes)) == MANY
    assert all(row.parameters["comment"] == EXPORTED for row in exchange.snapshot.nodes[nodes[0]].rows)
    assert alive[MANY] - alive[FEW] < PER_EXPORTER * (MANY - FEW), alive
    assert held[MANY] - held[FEW] < BYTES_PER_EXPORTER * (MANY - FEW), held


def test_sets_that_nodes_name_are_read_from_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few of them are remembered; a node whose set was not is still known to hang on a file that changes."""
    monkeypatch.setattr("whence.fleet.settled.MOST_QUESTIONS", 25)
    monkeypatch.setattr("whence.fleet.compiling.COMMIT_NODES", 4)
    nodes = build(tmp_path / "c", 24)
    for node in nodes:  # each points into a source of its own
        write(tmp_path / "c", {f"data/nodes/{node}.yaml": "profile::base::mode: '0600'\n"})
    path = str(tmp_path / "c")
    invocation = invocation_for(tmp_path / "c")
    store = Store(str(tmp_path / "s"))
    remembered: list[int] = []
    mark = Settled.mark

    def counted(settled: Settled, tables: Any) -> list[str]:
        marked = mark(settled, tables)
        remembered.append(sum(map(len, settled._sets.values())))
        if len(remembered) == 4:
            bound = tmp_path / "c/hiera.yaml"  # read for all of them, and no output points into it
            bound.write_text(bound.read_text())
        return marked

    monkeypatch.setattr(Settled, "mark", counted)

    def run(node: str, reads: Any) -> Any:
        return invocation.run(path, node, trace=True, reads=reads)

    with invocation.standing_still(path):
        summary = compile_fleet(store, nodes, run, invocation.side(path, b"key"), 1)
    assert len(summary.compiled) == 24 and len(summary.touched) == 8
    assert 0 < max(remembered) <= 25, remembered


def test_parts_are_written_anew_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are held at a time are as many for few nodes as for many; and the store says the same."""
    monkeypatch.setattr(merging, "PIECE_ROWS", 64)
    monkeypatch.setattr("whence.fleet.compiling.COMMIT_NODES", 4)
    monkeypatch.setattr("whence.fleet.store.MOST_PARTS", 3)
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
                monkeypatch.setattr("whence.fleet.store.MOST_PARTS", parts)
                store = Store(str(tmp_path / f"{name}{count}"))
                compile_fleet(store, nodes, run, invocation.side(path, b"key"), 1)
        most.append(max(held))
        check_whole(tmp_path / f"s{count}")
        assert content(tmp_path / f"s{count}") == content(tmp_path / f"whole{count}")
    assert max(most) <= 2 * 64
