"""Random fleets whose nodes export and collect: rounds end where compiling every node again and again ends.

The reference is the plain fixpoint: nothing is exported at first; every node is compiled with what all had exported;
and again, until nothing changes or a state comes back. It has its own reading of a collector's query. Fleets have
chains (a collected define that exports), tests of what was collected (so that some never settle), and titles that clash
(so that some nodes fail).
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from support.fleets import write
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.cli.facts import read_facts
from wherefrom.fleet.compiling import compile_fleet
from wherefrom.fleet.exports import ExportsFile, digest_of
from wherefrom.fleet.rounds import Exchange, NeverSettles
from wherefrom.fleet.rows import CatalogColumns
from wherefrom.fleet.store import Store
from wherefrom.fleet.traces import DigestedSnapshot
from wherefrom.language import Exports, Inputs, Outcome
from wherefrom.provenance.exported import Exported
from wherefrom.session import Session

pytest.importorskip("pyarrow")

COMMON = """\
define note($weight = 1) { notify { "note ${title}": message => "${weight}" } }
define hop($left) {
  if $left > 0 { @@hop { "${title}/${trusted['certname']}": left => $left - 1, tag => 'hop' } }
}
define unless_there($want, $make) { unless defined(Note[$want]) { @@note { $make: tag => 'a' } } }
define if_there($want, $make) { if defined(Note[$want]) { @@note { $make: tag => 'b' } } }
"""
MOST_ROUNDS = 30


def statement(node: str, count: int, chance: random.Random) -> str:
    """One statement of a node: it exports, collects, or exports by what it finds."""
    title = chance.choice((f"{node} x", f"{node} y", "same")) if chance.random() < 0.95 else "same"
    number, mark = chance.randrange(3), chance.choice("ab")
    other = f"n{chance.randrange(count)} {chance.choice('xyz')}"
    if chance.random() < 0.4:
        test = chance.choice(("unless_there", "unless_there", "if_there"))
        return (
            f"Note <<| |>> {test} {{ '{node} {number}': want => 'n{chance.randrange(count)} z', make => '{node} z' }}"
        )
    return chance.choice(
        (
            f"@@note {{ '{title}': weight => {number}, tag => '{mark}' }}",
            f"@@user {{ '{title}': uid => {number}, groups => ['{mark}', 'c'], tag => ['{mark}', 'Lan'] }}",
            f"@@hop {{ '{node}': left => {number}, tag => 'hop' }}",
            f"Note <<| tag == '{mark}' |>>",
            f"Note <<| title != '{other}' and (weight == {number} or tag == '{mark}') |>> {{ weight => 7 }}",
            "Note <<| |>>",
            f"User <<| uid == {number} |>> {{ comment => 'found' }}",
            f"User <<| tag == 'lan' and groups != ['{mark}', 'c'] |>>",
            "Hop <<| tag == 'hop' |>>",
        )
    )


def program(count: int, chance: random.Random) -> str:
    """A manifest for so many nodes."""
    blocks = [COMMON]
    ring = chance.random() < 0.2
    for number in range(count):
        most = 3 if ring else 6
        lines = dict.fromkeys(statement(f"n{number}", count, chance) for _ in range(chance.randrange(1, most)))
        if ring:  # each exports unless the next one does
            wanted = f"n{(number + 1) % count} z"
            lines[f"Note <<| |>> unless_there {{ 'ring': want => '{wanted}', make => 'n{number} z' }}"] = None
        blocks.append("\n".join([f"node 'n{number}' {{", *lines, "}"]))
    return "\n".join(blocks) + "\n"


class World:
    """What all nodes exported in the last round, asked by a collector; and whether it was."""

    def __init__(self, exports: dict[str, list[Exported]]) -> None:
        self.exports = exports
        self.asked = False

    def search(self, query: Sequence[Any]) -> list[Exported]:
        """By node and title."""
        self.asked = True
        listed = [row for node in sorted(self.exports) for row in self.exports[node] if _is_meant(query, row)]
        return sorted(listed, key=lambda row: (row.node, row.title))


def _is_meant(query: Sequence[Any], row: Exported) -> bool:
    operator, *parts = query
    if operator == "and":
        return all(_is_meant(part, row) for part in parts)
    if operator == "or":
        return any(_is_meant(part, row) for part in parts)
    if operator == "not":
        return not _is_meant(parts[0], row)
    field, value = parts
    if field == "tag":
        return value in row.tags
    if isinstance(field, list):
        return field[1] in row.parameters and json.dumps(row.parameters[field[1]]) == json.dumps(value)
    return bool({"type": row.type, "title": row.title, "certname": row.node, "exported": True}[field] == value)


def _content(exports: dict[str, list[Exported]]) -> str:
    return json.dumps(
        {
            node: sorted([row.type, row.title, sorted(row.tags), row.parameters] for row in rows)
            for node, rows in sorted(exports.items())
        }
    )


class Fleet:
    """An environment of one manifest, with nodes."""

    def __init__(self, root: Path, manifest: str, count: int) -> None:
        self.root = root
        self.nodes = [f"n{number}" for number in range(count)]
        facts = {f"facts/{node}.yaml": "role: any\n" for node in self.nodes}
        write(root, {"manifests/site.pp": manifest, **facts})
        self.session = Session()

    def outcome(self, node: str, exports: Any, reads: Any = None) -> Outcome:
        """A node, compiled with what others export."""
        facts = read_facts(str(self.root / "facts"), node)
        more = {"trace": True, "reads": reads, "exports": exports, "storeconfigs": True}
        return self.session.compile(str(self.root), node=node, facts=facts, **more)

    def reference(self) -> dict[str, str] | None:
        """Each node's catalog, by digest, or what is wrong; nothing if it never ends."""
        exports: dict[str, list[Exported]] = {node: [] for node in self.nodes}
        seen = {_content(exports)}
        for _ in range(MOST_ROUNDS):
            results: dict[str, str] = {}
            after: dict[str, list[Exported]] = {}
            for node in self.nodes:
                world = World(exports)
                try:
                    outcome = self.outcome(node, world)
                    results[node] = CatalogColumns(outcome, digest_of).digest
                    assert isinstance(outcome, Exports)
                    after[node] = list(outcome.exports())
                except Diagnostic as problem:
                    results[node] = str(problem)
                    after[node] = exports[node] if world.asked else []
            if _content(after) == _content(exports):
                return results
            exports = after
            if _content(exports) in seen:
                return None
            seen.add(_content(exports))
        return None

    def rounds(self, store: Path, nodes: list[str], processes: int) -> dict[str, str] | None:
        """The same by way of a store."""
        place = Store(str(store))
        exchange = Exchange.of_store(place.path)
        answers = self.session.answers(str(self.root), Inputs(None, {}, {}))
        side = DigestedSnapshot(answers, lambda node: (self.root / "facts" / f"{node}.yaml").read_bytes(), place.key())
        try:
            compile_fleet(
                place,
                nodes,
                lambda node, reads: self.outcome(node, exchange, reads),
                side,
                processes,
                exchange=exchange,
            )
        except NeverSettles:
            return None
        return {row["node"]: row["catalog"] or row["error"] for row in place.rows("nodes")}


def check(folder: Path, seed: int) -> str:
    """Compare one fleet; how it ended."""
    chance = random.Random(seed)
    count = chance.randrange(2, 5)
    fleet = Fleet(folder / "environment", program(count, chance), count)
    expected = fleet.reference()
    shuffled = chance.sample(fleet.nodes, count)
    told = [
        fleet.rounds(folder / "one", fleet.nodes, 1),
        fleet.rounds(folder / "two", shuffled, 1 + seed % 2),
        fleet.rounds(folder / "one", shuffled, 1),  # once more: nothing changes
    ]
    assert all(results == expected for results in told), (seed, expected, told)
    if expected is None:
        return "never settles"
    return "settles" if all(" " not in result for result in expected.values()) else "fails"


def test_rounds_end_where_the_plain_fixpoint_ends(tmp_path: Path) -> None:
    """Some fleets of each kind."""
    ends = {check(tmp_path / str(seed), seed) for seed in range(9)}
    assert ends == {"settles", "fails", "never settles"}


def test_what_never_settles_does_not_settle_by_asking_again(tmp_path: Path) -> None:
    """Each exports unless the other does: however often a store is brought up to date, with whatever it was left."""
    other = "if $trusted['certname'] == 'n0' { $other = 'n1' } else { $other = 'n0' }"
    test = "unless_there { 'x': want => $other, make => $trusted['certname'] }"
    fleet = Fleet(tmp_path / "environment", f"{COMMON}node default {{ {other} Note <<| |>> {test} }}\n", 2)
    assert fleet.reference() is None
    assert [fleet.rounds(tmp_path / "store", fleet.nodes, 1) for _ in range(3)] == [None, None, None]
    assert check(tmp_path / "146", 146) == check(tmp_path / "272", 272) == "never settles"


def test_who_fails_with_nothing_to_collect_has_exported_nothing(tmp_path: Path) -> None:
    """Though it did not fail in rounds before, when these began with what a store was left."""
    assert check(tmp_path, 1127) == "never settles"


@pytest.mark.soak
def test_rounds_end_where_the_plain_fixpoint_ends_for_long(tmp_path: Path) -> None:
    """Two thousand fleets."""
    ends = [check(tmp_path / str(seed), seed) for seed in range(2_000)]
    assert min(ends.count(kind) for kind in ("settles", "fails", "never settles")) > 20


def test_histories_that_hang_on_each_other_do_not_multiply(tmp_path: Path) -> None:
    """Every node exports by what all others export: what their histories share stands there once."""
    test = "unless_there { 'x': want => 'none', make => $trusted['certname'] }"
    fleet = Fleet(tmp_path / "environment", f"{COMMON}node default {{ Note <<| |>> {test} }}\n", 4)
    results = fleet.rounds(tmp_path / "store", fleet.nodes, 1)
    assert results == fleet.reference()
    snapshot, _ = ExportsFile(str(tmp_path / "store")).snapshot()
    assert len(snapshot.nodes) == 4 and all(exports.chained for exports in snapshot.nodes.values())
    tables = snapshot.origins.packed(exports.document for exports in snapshot.nodes.values())
    assert max(len(table["nodes"]) for table in tables.values()) < 2_000
