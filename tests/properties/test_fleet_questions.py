"""What a store answers, against single compilations: impact, where-used, drift, dead, find, lookup, the plot of reach.

Random fleets of sixty nodes. The other side holds nothing together: every node is compiled alone, each question is put
to each outcome, and what the outcomes say is put together here.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.fleet_programs import DATA, facts_files, fleet
from support.fleets import write
from wherefrom.base.diagnostics import Diagnostic, UsageError, WherefromError
from wherefrom.base.secrets import Secrets
from wherefrom.cli.main import status_of
from wherefrom.fleet.rounds import Exchange
from wherefrom.language import Outcome, data_of
from wherefrom.provenance.extract import depends
from wherefrom.session import Session

pytest.importorskip("duckdb")

NODES = 60
FLEETS = int(os.environ.get("WHEREFROM_FLEETS", "20"))
"""Of the long test."""
SEED = int(os.environ.get("WHEREFROM_SEED", "0")) * 1_000_003
FACTS = ("host", "role", "dns", "list", "nested", "n", "mixed", "which", "absent", "ensure")
KEYS = ("users", "words", "nothing", "text", "several", "other", "p::limit", "p::list", "c2::word", "users.ann", "none")
Ask = Callable[..., Any]


class Brute:
    """Sixty outcomes."""

    def __init__(self, root: Path, store: Path, known: dict[str, dict[str, Any]]) -> None:
        self.root = root
        self.outcomes: dict[str, Outcome] = {}
        self.values: dict[str, dict[tuple[str, str, str], Any]] = {}
        exchange = Exchange.of_store(str(store))
        for node, facts in known.items():
            try:
                outcome = Session(no_cache=True).compile(
                    str(root), node=node, facts=facts, exports=exchange, storeconfigs=True, trace=True
                )
            except Diagnostic:
                continue
            self.outcomes[node] = outcome
            secrets = Secrets(outcome.secrets())
            rows = [row for row in outcome.values() if row[2] or row[0] != "Stage"]
            self.values[node] = {
                row[:3]: "(sensitive)" if type(row[3]).__name__ == "Secret" else secrets.redacted_data([row[3]])[0]
                for row in rows
            }

    def impact(self, words: str) -> set[tuple[str, str]]:
        """The nodes and outputs that may change with an input."""
        affected = set()
        for node, outcome in self.outcomes.items():
            try:
                told = outcome.impact(words).to_json()["affected"]
            except (UsageError, WherefromError):
                continue
            affected |= {(node, row["path"]) for row in told}
        return affected

    def drift(self, part: float) -> list[tuple[str, Any, Any, list[str]]]:
        """Values that few have, by counting."""
        counted: dict[Any, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for node, values in self.values.items():
            for name, value in values.items():
                if name[2]:
                    counted[name][json.dumps(value, sort_keys=True)].append(node)
        odd = []
        for (type_name, title, attribute), by_value in counted.items():
            total = sum(map(len, by_value.values()))
            rare = {value: nodes for value, nodes in by_value.items() if len(nodes) <= part * total}
            if len(by_value) < 2 or 2 * sum(map(len, rare.values())) >= total:
                continue
            most = max(map(len, by_value.values()))
            usual = {value for value, nodes in by_value.items() if len(nodes) == most}
            path = f"{type_name}[{title}].{attribute}"
            odd += [(path, value, usual, sorted(nodes)) for value, nodes in rare.items()]
        return odd

    def reach(self) -> tuple[Counter[str], Counter[str]]:
        """For each line of code or data the outputs, and the nodes, that depend on what stands there."""
        outputs: Counter[str] = Counter()
        nodes: Counter[str] = Counter()
        for outcome in self.outcomes.values():
            lines: Counter[str] = Counter()
            for output in outcome.outputs():
                told = {
                    f"{leaf.span.file.name}:{leaf.span.line}"
                    for leaf in depends(output.origin)
                    if leaf.kind in ("literal", "hiera") and not leaf.absent and leaf.span is not None
                }
                lines.update(told)
            outputs.update(lines)
            nodes.update(lines.keys())
        return outputs, nodes


def check(folder: Path, seed: int, ask: Ask, nodes: int = NODES) -> int:
    """Put many questions to the store of one fleet; how many answers were compared that say something."""
    chance = random.Random(f"questions {seed}")
    files, known = fleet(chance, nodes)
    root, store = folder / "c", folder / "s"
    write(root, {**files, **facts_files(known)})
    words = ["--facts", str(root / "facts"), "--store", str(store), "--jobs", "1", "--no-settings"]
    assert status_of(["fleet", "compile", str(root), *words]) in (0, 1)
    brute = Brute(root, store, known)
    if not brute.outcomes:
        return 0
    compared = 0
    lines = [f"{root / name}:{line}" for name, text in files.items() for line in range(1, text.count("\n") + 1)]
    inputs = [
        *(f"fact:{name}" for name in FACTS),
        *(f"hiera:{key}" for key in KEYS),
        *chance.sample(lines, 15),
        f"file:{root}/data/common.yaml",
        "node:name",
        "trusted:certname",
    ]
    for target in inputs:
        expected = brute.impact(target)
        answer = ask("impact", target)
        assert {(node, row["path"]) for row in answer["affected"] for node in row["nodes"]} == expected, target
        compared += bool(expected)
        if target in lines:
            used = ask("where-used", target)["affected"]
            told = {(node, row["path"]) for row in used for node in row["nodes"]}
            resources = {(node, resource_of(path)) for node, path in expected}
            assert told == resources, target
    for part in (0.05, 0.2, 0.4):
        told = ask("drift", "--part", str(part))["values"]
        expected_odd = {(path, value): (usual, names) for path, value, usual, names in brute.drift(part)}
        assert {(row["path"], json.dumps(row["value"], sort_keys=True)) for row in told} == set(expected_odd), part
        for row in told:
            usual, names = expected_odd[row["path"], json.dumps(row["value"], sort_keys=True)]
            assert row["nodes"] == names and json.dumps(row["usual"], sort_keys=True) in usual
            outcome = brute.outcomes[names[0]]
            origin = next(each.origin for each in outcome.outputs() if each.path == row["path"])
            facts = {name for leaf in depends(origin) if leaf.kind == "fact" for name in leaf.names}
            assert set(row["facts"]) == facts, row["path"]
        compared += bool(told)
    compared += find(brute, ask, chance)
    compared += lookups(brute, ask)
    outputs, at_nodes = brute.reach()
    reach = ask("plot", "reach", "--most", "60")
    told_bars = {bar["label"]: (bar["outputs"], bar["nodes"]) for bar in reach["bars"]}
    assert told_bars.items() <= {(line, (outputs[line], at_nodes[line])) for line in outputs}
    assert len(told_bars) == min(60, len(outputs)) and reach["lines"] == len(outputs)
    assert {row["nodes"]: row["lines"] for row in reach["sharing"]} == Counter(at_nodes.values())
    dead(brute, ask, root)
    return compared


def resource_of(path: str) -> str:
    """The resource of an output."""
    end = path.rfind("].")
    return path if end < 0 else path[: end + 1]


def find(brute: Brute, ask: Ask, chance: random.Random) -> int:
    """Conditions made from values that there are."""
    several = sorted({(*name, json.dumps(value)) for values in brute.values.values() for name, value in values.items()})
    compared = 0
    for type_name, title, attribute, text in chance.sample(several, min(20, len(several))):
        value = json.loads(text)
        if not isinstance(value, str | int | float) or not attribute or "\n" in text or value == "":
            continue
        word = value if isinstance(value, str) else text
        if word != word.strip("'\" ") or word in ("true", "false", "null") or word.replace(".", "").isdigit():
            continue
        for operator in ("=", "!="):
            answer = ask("find", f"{type_name}[{title}].{attribute} {operator} {word}")
            told = {(node, json.dumps(row["value"])) for row in answer["affected"] for node in row["nodes"]}
            expected = {
                (node, json.dumps(values[type_name, title, attribute]))
                for node, values in brute.values.items()
                if (type_name, title, attribute) in values
                and (values[type_name, title, attribute] == value) == (operator == "=")
            }
            assert told == expected, (type_name, title, attribute, operator, word)
            compared += bool(expected)
    return compared


def lookups(brute: Brute, ask: Ask) -> int:
    """Every key that a node asked for."""
    first: dict[str, dict[str, Any]] = defaultdict(dict)
    for node, outcome in brute.outcomes.items():
        for answer in data_of(outcome).key_answers():
            places = [[place.level, place.file, place.line] for place in answer.places]
            value = answer.value if answer.has_value else None
            first[answer.key].setdefault(node, json.dumps([answer.has_value, value, places], sort_keys=True))
    for key, nodes in first.items():
        groups = ask("lookup", key)["groups"]
        told = {
            node: json.dumps(
                [
                    group["found"],
                    group.get("value"),
                    [[each["level"], each["file"], each["line"]] for each in group["from"]],
                ],
                sort_keys=True,
            )
            for group in groups
            for node in group["nodes"]
        }
        assert told == nodes, key
    return len(first)


def dead(brute: Brute, ask: Ask, root: Path) -> None:
    """Classes and the define that no catalog has; keys that no compilation asked for."""
    told = ask("dead", str(root))["dead"]
    titles = {
        title.lower() for values in brute.values.values() for type_name, title, _ in values if type_name == "Class"
    }
    types = {type_name.lower() for values in brute.values.values() for type_name, *_ in values}
    classes = {row["name"] for row in told if row["kind"] == "class"}
    assert classes == {"c0", "c1", "c2", "p"} - titles
    assert {row["name"] for row in told if row["kind"] == "define"} == {"d"} - types
    asked = {
        answer.key.partition(".")[0] for outcome in brute.outcomes.values() for answer in data_of(outcome).key_answers()
    }
    written = {text.partition(": ")[0] for text in DATA if text} | {"lookup_options"}
    gone = {row["name"] for row in told if row["kind"] == "key"}
    assert not gone & asked and gone <= written


@pytest.fixture
def asking(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Ask:
    """Asks the store in this folder."""

    def ask(*words: str) -> Any:
        capsys.readouterr()
        status = status_of(["fleet", *words, "--store", str(tmp_path / "s"), "--json"])
        captured = capsys.readouterr()
        assert status in (0, 1), captured.err
        return json.loads(captured.out)

    return ask


@pytest.mark.long
def test_a_fleet_answers_as_its_nodes_do(tmp_path: Path, asking: Ask) -> None:
    """One fleet of sixty."""
    assert check(tmp_path, 1, asking) > 10


@pytest.mark.soak
def test_fleets_answer_as_their_nodes_do(tmp_path: Path, asking: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """`WHEREFROM_FLEETS` fleets."""
    compared = 0
    for seed in range(SEED + 2, SEED + 2 + FLEETS):
        compared += check(tmp_path, seed, asking)
        for name in ("c", "s"):
            shutil.rmtree(tmp_path / name)
    with capsys.disabled():
        print(f"\n{FLEETS} fleets of {NODES} nodes, {compared:,} answers that say something: no difference")
