"""Nodes that are likely to be made from one another are compiled one after the other."""

from __future__ import annotations

import random
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from support.fleets import build
from support.moulds import invocation_for
from wherefrom.cli.options import Invocation
from wherefrom.fleet import likeness, moulds
from wherefrom.fleet.likeness import alike_together
from wherefrom.fleet.moulds import Moulds
from wherefrom.language import Inputs


def given(invocation: Invocation, path: str, node: str) -> Inputs:
    """What a node is given."""
    return invocation.inputs(path, node, trace=True)[2]


def fleet(count: int) -> dict[str, dict[str, Any]]:
    """Facts of nodes: three roles, ten sites, a name and an address for each, and noise."""
    chance = random.Random(count)
    return {
        f"n{chance.randrange(10**9)}": {
            "role": f"role{number % 3}",
            "where": {"site": f"s{number % 10}", "rack": None},
            "address": f"10.0.{number // 250}.{number % 250}",
            "uptime": chance.randrange(10**6),
            "interfaces": ["eth0", {"mac": number}],
            "constant": {"a": [1, 2]},
        }
        for number in range(count)
    }


def test_equal_facts_stand_together() -> None:
    """Of every combination all nodes stand together, and none is lost or doubled; the order is the same each time."""
    facts = fleet(300)
    nodes = sorted(facts)
    ordered = alike_together(nodes, facts.__getitem__)
    assert sorted(ordered) == nodes
    combinations = [
        key for key, _ in groupby(ordered, key=lambda node: (facts[node]["role"], str(facts[node]["where"])))
    ]
    assert len(combinations) == len(set(combinations)) == 30
    assert alike_together(nodes, facts.__getitem__) == ordered


@pytest.mark.parametrize("count", [0, 1, likeness.FEW])
def test_few_nodes_stay_as_they_are(count: int) -> None:
    facts = fleet(count)
    assert alike_together(list(facts), facts.__getitem__) == list(facts)


def test_facts_of_any_shape() -> None:
    """What is a hash on one node and something else on another, absent, or no fact at all."""
    shapes: list[Any] = [{"a": {"b": 1}}, {"a": "text"}, {}, {"a": ["\udcff"]}, {"a": {"b": {"c": 2}}}]
    facts = {f"n{number:03d}": shapes[number % len(shapes)] for number in range(60)}
    ordered = alike_together(list(facts), facts.__getitem__)
    runs = [shape for shape, _ in groupby(ordered, key=lambda node: repr(facts[node]))]
    assert len(runs) == len(shapes)


def test_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Very many nodes are sorted block by block."""
    monkeypatch.setattr(likeness, "BLOCK", 50)
    facts = fleet(120)
    nodes = list(facts)
    ordered = alike_together(nodes, facts.__getitem__)
    assert set(ordered[:50]) == set(nodes[:50]) and sorted(ordered) == sorted(nodes)


def test_facts_that_can_not_be_read(tmp_path: Path) -> None:
    """They are told when the node is compiled, not when nodes are sorted."""
    nodes = build(tmp_path, likeness.FEW + 8)
    (tmp_path / f"facts/{nodes[3]}.json").write_text("{")
    invocation = invocation_for(tmp_path)
    shared = Moulds(partial(given, invocation, str(tmp_path)))
    assert sorted(shared.in_order(nodes)) == sorted(nodes)


def test_fewer_nodes_are_compiled_where_few_catalogs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is what the order is for: with one mould at a time, each kind of node is compiled once."""
    from wherefrom.fleet.compiling import compile_fleet
    from wherefrom.fleet.store import Store

    monkeypatch.setattr(moulds, "MOST_MOULDS", 1)
    nodes = build(tmp_path / "c", 64)
    counts: list[int] = []
    for few in (likeness.FEW, len(nodes)):
        monkeypatch.setattr(likeness, "FEW", few)
        invocation = invocation_for(tmp_path / "c")
        path = str(tmp_path / "c")
        compiled: list[str] = []

        def run(
            node: str, reads: Any, invocation: Any = invocation, path: str = path, compiled: list[str] = compiled
        ) -> Any:
            compiled.append(node)
            return invocation.run(path, node, trace=True, reads=reads, ledger=True)

        shared = Moulds(partial(given, invocation, path))
        with invocation.standing_still(path):
            store = Store(str(tmp_path / f"s{few}"))
            compile_fleet(store, nodes, run, invocation.side(path, b"key"), 1, moulds=shared)
        counts.append(len(compiled))
    assert counts[0] <= 10 < 4 * counts[0] <= counts[1], counts
