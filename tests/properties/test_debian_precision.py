"""What depends on little is said to depend on little: inputs of values of Debian's classes, and whether they matter.

The bars: half of all values have at most 40 inputs, 95 in 100 at most 120, where each class gives as many values (a
default virtual host of Apache alone is 1,500, each behind a hundred parameters that a condition asks for). Classes that
a classifier could name are one input together. Of sampled pairs of an output and an input that it is said to depend on,
85 in 100 are such that another input makes another output, or none at all because nothing compiles any more.
"""

from __future__ import annotations

import statistics
from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from properties.test_debian_dependency import compiling
from support.debian_changes import MODULES, NODE, Machine, ways
from wherefrom.base.diagnostics import WherefromError
from wherefrom.language import Inputs
from wherefrom.provenance.extract import depends
from wherefrom.puppet.front import LANGUAGE

pytestmark = pytest.mark.skipif(not MODULES.is_dir(), reason="Debian's modules are not installed")

CLASSES = 60
OF_EACH = 25


def inputs_of(name: str, machine: Machine) -> list[int]:
    """How many inputs some outputs of a class have."""
    machine.put(machine.site, f"include {name}\n")
    inputs = Inputs(NODE, machine.facts, machine.options)

    def work() -> list[int]:
        outcome = LANGUAGE.run(machine.site, machine.host, inputs, machine.execution)
        outputs = list(outcome.outputs())
        return [len(depends(each.origin)) for each in Random(name).sample(outputs, min(OF_EACH, len(outputs)))]

    try:
        return machine.execution.do(work)
    except WherefromError:
        return []


def precision(name: str, machine: Machine, random: Random, sampled: int, tries: int) -> Counter[str]:
    """Sample outputs of a class with an input, change that in several ways, and count what came of it."""
    counts: Counter[str] = Counter()
    machine.put(machine.site, f"include {name}\n")
    before = machine.compiled()
    if before is None:
        return counts
    for path, leaf in before.sampled(random, sampled):
        found = ""
        for change in islice(ways(random, machine, leaf), tries):
            found = found or "never"
            after = machine.after(change)
            if after is not None and after.values.get(path, after) != before.values[path]:
                found = "matters"
                break
            if after is None:
                found = "decides"
        counts[found or "unchangeable"] += 1
        counts[f"{found or 'unchangeable'} {leaf.kind}{' absent' if leaf.absent else ''}"] += 1
    return counts


def share(counts: Counter[str]) -> float:
    """How many of the pairs that could be tried matter."""
    matter = counts["matters"] + counts["decides"]
    return matter / max(1, matter + counts["never"])


@pytest.mark.soak
def test_values_have_few_inputs(tmp_path: Path) -> None:
    """Of 60 classes."""
    machine = Machine(tmp_path)
    numbers = sorted(number for name in compiling()[:CLASSES] for number in inputs_of(name, machine))
    median, most = statistics.median(numbers), numbers[len(numbers) * 95 // 100]
    print(f"{len(numbers)} outputs: median {median}, 95 % at most {most}, all at most {numbers[-1]}")
    assert median <= 40 and most <= 120


@pytest.mark.soak
def test_most_inputs_matter(tmp_path: Path) -> None:
    """Pairs of an output and an input, of the same classes."""
    machine = Machine(tmp_path)
    counts: Counter[str] = Counter()
    for name in compiling()[:CLASSES]:
        counts += precision(name, machine, Random(name), 8, 12)
    print(dict(counts))
    assert share(counts) >= 0.85, counts
