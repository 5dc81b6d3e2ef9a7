"""A store has of each node what a compilation of that node alone, in a session of its own, says: nothing is guessed.

Random fleets are compiled into stores, by one process or by several; then each node is compiled as if there were no
other. Resources with their parameters, edges, lookups with their answers, what is exported, and the words of errors
must be equal. What a store shows is read from its tables; the other side from the document for readers, so that the two
have no code in common that could be wrong on both.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.fleet_programs import facts_files, fleet
from support.fleets import write
from wherefrom.base.diagnostics import Diagnostic, ManyErrors
from wherefrom.base.secrets import Secrets
from wherefrom.cli.main import status_of
from wherefrom.fleet import compiling
from wherefrom.fleet.exports import ExportsFile, sending_of, whole_of
from wherefrom.fleet.rounds import Exchange
from wherefrom.fleet.store import Store
from wherefrom.language import data_of
from wherefrom.session import Session

pytest.importorskip("pyarrow")

NODES = 40
COUNT = int(os.environ.get("WHEREFROM_NODES", "200000"))
"""Nodes of the long test."""


def flat(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """A value by its leaves, as the table `attributes` has them."""
    if isinstance(value, dict) and value and "__ptype" not in value:
        for key, each in value.items():
            yield from flat(f"{path}.{key}", each)
    elif isinstance(value, list) and value:
        for place, each in enumerate(value):
            yield from flat(f"{path}[{place}]", each)
    else:
        yield path, json.dumps(value, sort_keys=True)


def alone(root: Path, node: str, facts: dict[str, Any], exchange: Exchange) -> dict[str, Any]:
    """A node compiled in a session that has seen no other."""
    try:
        outcome = Session(no_cache=True).compile(
            str(root), node=node, facts=facts, exports=exchange, storeconfigs=True, trace=True
        )
    except ManyErrors as problems:
        return {"error": "\n".join(problem.message for problem in problems.diagnostics)}
    except Diagnostic as problem:
        return {"error": problem.message}
    document = Secrets(outcome.secrets()).redacted_data([outcome.shown()])[0]
    values: list[Any] = []
    for each in document["resources"]:
        if each["type"] in ("Stage", "Class") and each["title"] in ("main", "Settings"):
            continue
        for name, value in each.get("parameters", {}).items():
            values += ((each["type"], each["title"], *leaf) for leaf in flat(name, value))
    return {
        "values": sorted(values),
        "resources": sorted((each["type"], each["title"], each.get("line") or 0) for each in document["resources"]),
        "edges": sorted((edge["source"], edge["target"]) for edge in document["edges"]),
        "lookups": sorted(
            (answer.key, answer.has_value, [(place.level, place.file, place.line) for place in answer.places])
            for answer in data_of(outcome).key_answers()
        ),
        "exports": whole_of(node, sending_of(outcome)),
    }


def stored(store: Path, node_names: list[str]) -> dict[str, dict[str, Any]]:
    """What a store says of each node."""
    opened = Store(str(store))
    nodes: dict[str, dict[str, Any]] = {}
    for row in opened.rows("nodes"):
        if row["status"] != "compiled":
            nodes[row["node"]] = {"error": row["error"]}
        else:
            nodes[row["node"]] = {name: [] for name in ("values", "resources", "edges", "lookups")}
    for row in opened.rows("attributes"):
        if row["attribute"] and not (row["type"] in ("Stage", "Class") and row["title"] in ("main", "Settings")):
            value = json.dumps(json.loads(row["value"]), sort_keys=True)
            nodes[row["node"]]["values"].append((row["type"], row["title"], row["attribute"], value))
    for row in opened.rows("resources"):
        nodes[row["node"]]["resources"].append((row["type"], row["title"], row["line"]))
    for row in opened.rows("edges"):
        nodes[row["node"]]["edges"].append((row["source"], row["target"]))
    answers: dict[Any, dict[int, Any]] = {}
    for row in opened.rows("answers"):  # two processes may have sent the same
        answers.setdefault(row["answer"], {})[row["place"]] = row
    for row in opened.rows("lookups"):
        rows = [answers[row["answer"]][place] for place in sorted(answers[row["answer"]])]
        places = [(each["level"], each["file"], each["line"]) for each in rows if each["level"] or each["file"]]
        nodes[row["node"]]["lookups"].append((row["key"], rows[0]["found"], places))
    snapshot, settled = ExportsFile(str(store)).snapshot()
    assert settled
    for node, told in nodes.items():
        if "error" not in told:
            for rows in told.values():
                rows.sort()
            exports = snapshot.nodes.get(node)
            told["exports"] = whole_of(node, None) if exports is None else exports.whole()
    assert sorted(nodes) == sorted(node_names)
    return nodes


def check(folder: Path, seed: int, nodes: int) -> tuple[int, int]:
    """Compare the nodes of one fleet; how many, and how many of them compile."""
    chance = random.Random(f"fleet {seed}")
    files, known = fleet(chance, nodes)
    shutil.rmtree(folder, ignore_errors=True)
    root, store = folder / "c", folder / "s"
    write(root, {**files, **facts_files(known)})
    jobs = "2" if chance.random() < 0.1 else "1"
    words = ["--facts", str(root / "facts"), "--store", str(store), "--jobs", jobs, "--no-settings"]
    status = status_of(["fleet", "compile", str(root), *words])
    if status == 1 and not (store / "current.json").exists():
        raise AssertionError(f"seed {seed}: nothing was compiled")
    said = stored(store, list(known))
    assert status == int(any("error" in each for each in said.values()))
    exchange = Exchange.of_store(str(store))
    for node, facts in known.items():
        expected = alone(root, node, facts, exchange)
        got = said[node]
        if "error" in expected:
            assert "error" in got and all(line in got["error"] for line in expected["error"].splitlines()), (seed, node)
            continue
        assert got == expected, f"seed {seed}, {node}: {difference(got, expected)}"
    return len(known), sum("error" not in each for each in said.values())


def difference(got: dict[str, Any], expected: dict[str, Any]) -> Any:
    """Where two nodes first differ."""
    for name in expected:
        if got.get(name) != expected[name]:
            if isinstance(expected[name], list) and isinstance(got.get(name), list):
                return (
                    name,
                    [each for each in got[name] if each not in expected[name]][:3],
                    [each for each in expected[name] if each not in got[name]][:3],
                )
            return name, got.get(name), expected[name]
    return None


def test_a_store_says_what_each_node_alone_says(tmp_path: Path) -> None:
    """A few fleets."""
    told = [check(tmp_path / "fleet", seed, 12) for seed in range(8)]
    assert sum(compiled for _, compiled in told) > 40


@pytest.mark.soak
def test_a_store_says_what_each_node_alone_says_for_long(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two hundred thousand nodes, or `WHEREFROM_NODES`."""
    seed = int(os.environ.get("WHEREFROM_SEED", "1")) * 1_000_003
    nodes = compiled = 0
    while nodes < COUNT:
        seed += 1
        told = check(tmp_path / "fleet", seed, NODES)
        nodes, compiled = nodes + told[0], compiled + told[1]
    with capsys.disabled():
        print(f"\n{nodes:,} nodes, {compiled:,} of them compile: no difference")
    assert compiled > nodes // 2


def test_a_planted_bug_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A node that gets the values of an earlier one which has as many of them: each of these fleets shows it."""
    add = compiling.add
    earlier: dict[int, Any] = {}

    def guessed(batch: Any, node: str, result: Any) -> None:
        columns = result.get("attributes")
        if columns:
            result["attributes"] = earlier.setdefault(len(columns[0]), columns)
        add(batch, node, result)

    monkeypatch.setattr(compiling, "add", guessed)
    for seed in range(4):
        with pytest.raises(AssertionError, match="seed"):
            check(tmp_path / "fleet", seed, 12)
