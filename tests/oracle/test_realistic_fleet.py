"""The realistic fleet in a store, beside real Puppet: every catalog, with what nodes collect from each other.

Puppet compiles each node in one process, as a server does (`fleet.rb`); those that collect once more, with what all
export. The catalog that Puppet gives then must be the one that the store has: resources with their parameters, and
edges; tags, and parameters that say the title or a part of it again, are left aside. A few nodes in `make oracle`; 500
in `make soak`, or `WHEREFROM_FLEET`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.fleet_generator import MODULES, generate

from wherefrom.cli.main import status_of
from wherefrom.fleet.store import Store

pytest.importorskip("pyarrow")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(
        shutil.which("puppet") is None or not MODULES.is_dir(),
        reason="needs Puppet and Debian's packages puppet-module-*",
    ),
]
FEW = 24
MANY = int(os.environ.get("WHEREFROM_FLEET", "500"))
SEED = int(os.environ.get("WHEREFROM_SEED", "7"))
COLLECTING = ("bastion", "cache", "monitor")
"""Roles whose nodes collect: only their catalogs can be others when the exports are known."""


def leaves(path: str, value: Any) -> list[tuple[str, str]]:
    """A value by its leaves, as the table `attributes` has them."""
    if isinstance(value, dict) and value and "__ptype" not in value:
        return [leaf for key, each in value.items() for leaf in leaves(f"{path}.{key}", each)]
    if isinstance(value, list) and value:
        return [leaf for place, each in enumerate(value) for leaf in leaves(f"{path}[{place}]", each)]
    return [(path, json.dumps(value, sort_keys=True))]


def says_the_title(title: str, value: str) -> bool:
    """Whether a parameter says a title again, or a part of one that has several (`REGION/NAME::TYPE`, `USER@PROJECT`).

    Puppet leaves out the first and adds the second; the store has what was written.
    """
    return json.loads(value) in (title, *re.split("[/:@]+", title))


def real(folder: Path, nodes: list[str]) -> dict[str, Any]:
    """What Puppet says of each node."""
    script = Path(__file__).with_name("fleet.rb")
    with subprocess.Popen(
        ["ruby", str(script), str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as ruby:
        assert ruby.stdin is not None and ruby.stdout is not None

        def asked(node: str, more: dict[str, Any]) -> Any:
            assert ruby.stdin is not None and ruby.stdout is not None
            facts = json.loads((folder / f"facts/{node}.json").read_text())
            ruby.stdin.write(json.dumps({"node": node, "facts": facts, **more}) + "\n")
            ruby.stdin.flush()
            return json.loads(ruby.stdout.readline())

        answers = {node: asked(node, {}) for node in nodes}
        exported = [row for answer in answers.values() for row in answer.get("exported", ())]
        more: dict[str, Any] = {"exported": exported}
        for node in nodes:
            if node.startswith(COLLECTING):
                answers[node] = asked(node, more)
                more = {}
        ruby.stdin.close()
    return answers


def of_puppet(answer: dict[str, Any]) -> dict[str, Any]:
    """A catalog of Puppet's, as the store tells it."""
    if "error" in answer:
        return {"failed": True}
    catalog = answer["catalog"]
    values = [
        (each["type"], each["title"], *leaf)
        for each in catalog["resources"]
        for name, value in each.get("parameters", {}).items()
        for leaf in leaves(name, value)
        if each["type"] != "Stage" and (each["type"], each["title"]) not in (("Class", "main"), ("Class", "Settings"))
        if not says_the_title(each["title"], leaf[1])
    ]
    return {
        "resources": sorted((each["type"], each["title"], each["exported"]) for each in catalog["resources"]),
        "values": sorted(values),
        "edges": sorted((edge["source"], edge["target"]) for edge in catalog["edges"]),
    }


def of_store(path: Path) -> dict[str, dict[str, Any]]:
    """What the store has of each node."""
    store = Store(str(path))
    nodes: dict[str, dict[str, Any]] = {}
    for row in store.rows("nodes"):
        is_compiled = row["status"] == "compiled"
        nodes[row["node"]] = {"resources": [], "values": [], "edges": []} if is_compiled else {"failed": True}
    for row in store.rows("resources"):
        nodes[row["node"]]["resources"].append((row["type"], row["title"], row["exported"]))
    for row in store.rows("attributes"):
        if (
            row["attribute"]
            and row["type"] != "Stage"
            and (row["type"], row["title"]) not in (("Class", "main"), ("Class", "Settings"))
        ):
            value = json.dumps(json.loads(row["value"]), sort_keys=True)
            if not says_the_title(row["title"], value):
                nodes[row["node"]]["values"].append((row["type"], row["title"], row["attribute"], value))
    for row in store.rows("edges"):
        nodes[row["node"]]["edges"].append((row["source"], row["target"]))
    for told in nodes.values():
        for rows in told.values():
            if isinstance(rows, list):
                rows.sort()
    return nodes


def compare(folder: Path, count: int) -> tuple[int, int]:
    """Compare all nodes of a fleet; how many compile, and how many resources they have."""
    kinds = generate(folder / "c", count, seed=SEED, plain=True)
    nodes = [node for names in kinds.values() for node in names]
    words = ["--facts", str(folder / "c/facts"), "--modulepath", f"site:{MODULES}", "--no-settings"]
    assert status_of(["fleet", "compile", str(folder / "c"), "--store", str(folder / "s"), *words]) in (0, 1)
    ours, theirs = of_store(folder / "s"), real(folder / "c", nodes)
    differing: dict[str, Any] = {}
    for node in nodes:
        expected = of_puppet(theirs[node])
        if ours[node] != expected:
            differing[node] = theirs[node].get("error") or {
                name: (
                    [row for row in ours[node].get(name, ()) if row not in expected.get(name, ())][:3],
                    [row for row in expected.get(name, ()) if row not in ours[node].get(name, ())][:3],
                )
                for name in ("resources", "values", "edges")
            }
    assert not differing, f"{len(differing)} of {len(nodes)} differ: {list(differing.items())[:3]}"
    compiled = [told for told in ours.values() if "failed" not in told]
    return len(compiled), sum(len(told["resources"]) for told in compiled)


def test_some_nodes_are_those_of_puppet(tmp_path: Path) -> None:
    """Of every kind."""
    compiled, _ = compare(tmp_path, FEW)
    assert compiled == FEW


@pytest.mark.soak
def test_many_nodes_are_those_of_puppet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Five hundred of them."""
    compiled, resources = compare(tmp_path, MANY)
    with capsys.disabled():
        print(f"\n{compiled} nodes, {resources:,} resources: no difference")
    assert compiled == MANY
