"""Dependency is sound on real modules: an input that an output is said not to depend on can not change it.

Catalogs of classes of Debian's modules, of a web server and of a cloud controller; what is changed, and how, is in
`support.debian_changes`. A violation is an output that is another (or gone) after a change of an input that is not
among those it depends on. Changes after which nothing compiles say nothing about outputs and are counted apart.
"""

from __future__ import annotations

import json
import lzma
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from support.debian_changes import BENCH, MODULES, Change, Machine, Outputs, changes

pytestmark = pytest.mark.skipif(not MODULES.is_dir(), reason="Debian's modules are not installed")

CATALOGS = 304
PER_CATALOG = 65
PER_NODE = 250
PARTS = 20


class Tally(Counter[str]):
    """Counts, and the violations with their words."""

    def __init__(self) -> None:
        super().__init__()
        self.violations: list[tuple[str, Change, str, Any, Any]] = []

    def told(self, limit: int = 8) -> str:
        """The counts and the first violations."""
        rows = [f"{name}: {count}" for name, count in self.items()]
        for name, change, path, old, new in self.violations[:limit]:
            rows.append(f"{name}: {change.what} ({change.input}): {path} was {_cut(old)}, is {_cut(new)}")
        return "\n".join(rows)


def _cut(value: Any) -> str:
    return repr(value)[:300]


def check(name: str, manifest: str, machine: Machine, random: Random, wanted: int, tally: Tally) -> None:
    """Compile a manifest, change it in many ways, and count."""
    machine.put(machine.site, manifest)
    before = machine.compiled()
    if before is None:  # what the facts of a cloud lead to may be refused, where Puppet's answer was asked without them
        tally["refused"] += 1
        return
    tally["catalogs"] += 1
    for change in changes(random, machine, before, wanted):
        after = machine.after(change)
        if after is None:
            tally["changes that break"] += 1
            continue
        tally["changes"] += 1
        compare(name, before, after, change, tally)


def compare(name: str, before: Outputs, after: Outputs, change: Change, tally: Tally) -> None:
    """Count the outputs of one change."""
    tally["pairs"] += len(before.values)
    changed = [path for path, value in before.values.items() if after.values.get(path, after) != value]
    tally["changed"] += len(changed)
    for path in set(changed) - (before.hanging_on(change.input) if changed else set()):
        tally["violations"] += 1
        tally.violations.append((name, change, path, before.values[path], after.values.get(path, "gone")))


def compiling() -> list[str]:
    """The classes that real Puppet compiles, in an order of no meaning."""
    text = lzma.decompress((BENCH / "classes.json.xz").read_bytes()).decode()
    answers: Iterator[tuple[str, dict[str, Any]]] = map(json.loads, text.splitlines())
    names = [name for name, answer in answers if "error" not in answer]
    Random(12).shuffle(names)
    return names


@pytest.mark.long
def test_a_few_catalogs(tmp_path: Path) -> None:
    """Some of the soak."""
    tally = Tally()
    machine = Machine(tmp_path)
    for name in compiling()[:2]:
        check(name, f"include {name}\n", machine, Random(name), 6, tally)
    assert not tally.violations, tally.told()
    assert tally["changed"] > 0, tally.told()


@pytest.mark.soak
@pytest.mark.parametrize("part", range(PARTS))
def test_classes(part: int, tmp_path: Path) -> None:
    """Classes of the modules."""
    tally = Tally()
    machine = Machine(tmp_path)
    for name in compiling()[:CATALOGS][part::PARTS]:
        check(name, f"include {name}\n", machine, Random(name), PER_CATALOG, tally)
    assert not tally.violations, tally.told()
    assert tally["changed"] > 0, tally.told()
    assert tally["refused"] < 3, tally.told()


@pytest.mark.soak
@pytest.mark.parametrize("node", ["lamp", "openstack"])
def test_nodes(node: str, tmp_path: Path) -> None:
    """Whole machines."""
    tally = Tally()
    manifest = (BENCH / f"{node}.pp").read_text(encoding="utf-8")
    check(node, manifest, Machine(tmp_path), Random(node), PER_NODE, tally)
    assert not tally.violations, tally.told()
    assert tally["changed"] > 0, tally.told()
    assert tally["refused"] == 0, tally.told()
