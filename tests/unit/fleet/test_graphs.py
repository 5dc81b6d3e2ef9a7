"""Graphs of what values depend on: what they answer is what the outcome itself answers, packed or not."""

from __future__ import annotations

import random
import zlib

import pytest

from support.puppet_dependency_programs import make, run
from wherefrom.base.diagnostics import UsageError
from wherefrom.fleet.graphs import GraphInput, OriginGraph, graph_of, packed_numbers, unpacked_numbers
from wherefrom.provenance.condensed import members
from wherefrom.provenance.extract import depends
from wherefrom.provenance.impact import impact_on, parse_target
from wherefrom.puppet.output.outcome import PuppetOutcome


def path(type_name: str, title: str, attribute: str) -> str:
    """How an outcome calls an output."""
    return f"{type_name}[{title}]" + (f".{attribute}" if attribute else "")


def targets(chance: random.Random, outcome: PuppetOutcome, inputs: list[GraphInput]) -> list[str]:
    """Words for some inputs that there are, and some that there may be."""
    words = ["fact:role", "fact:os", "node:name", "facts", "hiera:k", "file:/x", "fact:nothing", "trusted:certname"]
    for name, source in outcome.sources.items():
        count = len(source.text.splitlines())
        words += [f"{name}:{line}" for line in range(1, count + 2)]
        words += [f"{name}:{chance.randrange(1, count + 1)}:{chance.randrange(1, 30)}" for _ in range(4) if count]
        words.append(f"./{name}" if "/" in name else f"file:{name}")
    words += [f"{each.kind}:{each.name}" for each in inputs if each.kind not in ("place", "literal") and each.name]
    return list(dict.fromkeys(words))


def compare(seeds: range) -> int:
    """How many answers were compared."""
    compared = 0
    for seed in seeds:
        chance = random.Random(seed)
        outcome = run(make(chance))
        if outcome is None:
            continue
        inputs, whole, files = graph_of(outcome)
        assert files >= {entry.file for entry in inputs if entry.line}, seed
        graph = OriginGraph.unpacked(whole.packed())
        assert [list(several) for several in graph.below] == whole.below and graph.outputs == whole.outputs
        outputs = [(output.path, output.value, output.origin) for output in outcome.outputs()]
        for words in targets(chance, outcome, inputs):
            try:
                target = parse_target(words)
                expected = [name for name, _ in impact_on(target, outcome.sources, outputs).affected]
            except UsageError:
                continue
            places = [place for place, each in enumerate(inputs) if each.is_named_by(target)]
            assert [path(*output[:3]) for output in graph.reached(places)] == expected, (seed, words)
            compared += 1
        sets = graph.sets(range(graph.inputs))
        users = graph.users()
        for place, (output, (_, _, origin)) in enumerate(zip(graph.outputs, outputs, strict=True)):
            below = [inputs[number] for number in members(sets[output.node])]
            told = {(one.kind, name) for one in below for name in (one.name.split() if one.detail else [one.name])}
            expected_inputs = {(leaf.kind, name) for leaf in depends(origin) for name in leaf.names}
            assert {one for one in told if one[0] != "place"} == expected_inputs, (seed, output)
            assert all(users[number] >> place & 1 for number in members(sets[output.node]))
    return compared


@pytest.mark.long
def test_generated_environments() -> None:
    assert compare(range(40)) > 1_000


@pytest.mark.soak
def test_generated_environments_for_long() -> None:
    assert compare(range(1_000, 11_000)) > 200_000


@pytest.mark.parametrize("numbers", [[], [3], [3, 1, 2**30, 0]])
def test_numbers_are_packed(numbers: list[int]) -> None:
    assert unpacked_numbers(packed_numbers(numbers)) == numbers


@pytest.mark.parametrize(
    "packed",
    [b"", b"nonsense", zlib.compress(b"\x02\x00\x00\x00{}"), zlib.compress(b"\x02\x00\x00\x00[]"),
     zlib.compress(b'\x25\x00\x00\x00{"inputs": 1, "nodes": 2, "outputs": []}')],
)  # fmt: skip
def test_damaged_graphs_are_no_graphs(packed: bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        OriginGraph.unpacked(packed)
