"""What is not there is an input of Nix too: an argument that is not given, a variable that is not set, a file, an entry
of a directory, a key of a data file, an entry of the search path.

Programs nobody wrote ask for such things in many ways. Then the world is changed, one thing at a time: what was not
there is put there, what was there is taken away. No output may change (or fail) that was said not to depend on it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any

import pytest

from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.host import PureHost
from wherefrom.nix.front.language import NixOutcome, Request, guarded
from wherefrom.nix.trace.history import plain
from wherefrom.provenance.extract import depends

ARGUMENTS = {"a": "5", "b": "{ x = 2; y.z = 3; }", "c": '"s"', "q": "[ 1 ]"}
VARIABLES = {"E1": "one", "E2": ""}
FILES = {"f1": "text", "d/one": "1", "d/two": "2", "lib/p1/default.nix": "11", "other/p2.nix": "12"}
ENTRIES = {"lib": "/w/lib", "p2=": "p2=/w/other/p2.nix"}
KEYS = ("k", "l")
OUTPUTS = 4
FRESH = int(os.environ.get("WHEREFROM_SEED", "0")) * 1_000_000


@dataclass(frozen=True)
class World:
    """What a program may find."""

    arguments: frozenset[str]
    variables: frozenset[str]
    files: frozenset[str]
    entries: frozenset[str]
    keys: frozenset[str]

    def run(self, text: str, traced: bool) -> NixOutcome:
        """A program in this world."""
        json = ", ".join(f'"{key}": {{"m": 1}}' for key in sorted(self.keys))
        files = {f"/w/{name}": FILES[name] for name in self.files}
        files |= {"/w/main.nix": text, "/w/x.json": f"{{{json}}}", "/w/d/always": "", "/w/lib/always": ""}
        environ = {name: VARIABLES[name] for name in self.variables}
        options = {
            "args": {name: ARGUMENTS[name] for name in sorted(self.arguments)},
            "search_path": [ENTRIES[name] for name in sorted(self.entries)],
            "no_cache": True,
        }
        return NixOutcome(Request("/w/main.nix", PureHost(files, environ), options), traced)


@dataclass
class Change:
    """Another world, and the inputs that differ: kind and name of each leaf that would tell."""

    world: World
    inputs: set[tuple[str, str]] = field(default_factory=set)


def changes(world: World) -> list[Change]:
    """Every single thing put there or taken away."""
    made = []
    for name in ARGUMENTS:
        made.append(Change(replace(world, arguments=world.arguments ^ {name}), {("argument", name), ("argument", "")}))
    for name in VARIABLES:
        made.append(Change(replace(world, variables=world.variables ^ {name}), {("environment", name)}))
    for name in FILES:
        path = f"/w/{name}"
        inputs = {("file", path), ("file", path.rpartition("/")[0]), ("file", "/w")}
        inputs.add(("file", path.removesuffix("/default.nix")))
        made.append(Change(replace(world, files=world.files ^ {name}), inputs))
    for name in ENTRIES:
        made.append(Change(replace(world, entries=world.entries ^ {name}), {("environment", "NIX_PATH")}))
    for name in KEYS:
        made.append(Change(replace(world, keys=world.keys ^ {name}), {("file", "/w/x.json")}))
    return made


ATOMS = [
    "a",
    "c",
    "b.x or 7",
    "b.y.z or 8",
    "b ? x",
    "b ? y.w",
    'builtins.hasAttr "x" b',
    "args ? q",
    "args.q or 3",
    "args.q.r or 4",
    'args.${"q"} or 6',
    'builtins.hasAttr "q" args',
    "builtins.attrNames args",
    "builtins.attrNames (args // { zz = 1; })",
    'builtins.getEnv "E1"',
    'builtins.getEnv "E2" == ""',
    "builtins.pathExists ./f1",
    "builtins.pathExists ./d/one",
    'builtins.pathExists (./d + "/two")',
    "builtins.attrNames (builtins.readDir ./d)",
    '(builtins.readDir ./d).two or "none"',
    "builtins.readDir ./d ? one",
    "(builtins.tryEval (import <p1>)).success",
    "(builtins.tryEval <p2>).success",
    "builtins.length builtins.nixPath",
    "map (each: each.prefix) builtins.nixPath",
    "(builtins.fromJSON (builtins.readFile ./x.json)).k.m or 5",
    "builtins.fromJSON (builtins.readFile ./x.json) ? l",
    "1",
    '"t"',
    '"${./f1}"',
    '"${./d}"',
    "builtins.toJSON { p = ./f1; }",
    'builtins.hashFile "md5" ./f1',
    "builtins.path { path = ./d; }",
    'builtins.filterSource (path: type: baseNameOf path != "one") ./d',
    "(builtins.tryEval (import ./lib/p1)).success",
]
TESTS = ["b ? x", "args ? q", "builtins.pathExists ./f1", 'builtins.getEnv "E1" == "one"', "a == 5", 'c == "s"']


def expression(random: Random, depth: int) -> str:
    """An expression that looks for things."""
    if not depth or random.random() < 0.25:
        return random.choice(ATOMS)
    one, two = (expression(random, depth - 1) for _ in range(2))
    test = random.choice(TESTS)
    return random.choice(
        [
            f"(if {test} then {one} else {two})",
            f"(let v = {one}; in [ v ({two}) ])",
            f"((x: [ x ]) ({one}))",
            f"(({{ u ? {one}, w }}: [ u w ]) {{ w = {two}; }})",
            f'(builtins.tryEval (if {test} then throw "t" else {one}))',
            f"(builtins.tryEval (assert {test}; {one})).success",
            f"({{ m = {one}; }} // (if {test} then {{ m = {two}; }} else {{ }})).m",
            f"(builtins.filter (x: {test}) [ ({one}) ({two}) ])",
            f"(with {{ v = {one}; }}; [ v ])",
            f'(builtins.removeAttrs {{ r = {one}; s = {two}; }} (if {test} then [ "r" ] else [ ]))',
            f"(builtins.length (builtins.attrNames args) + (if {test} then 1 else 2))",
            f"({one} == {two})",
            f"(builtins.toJSON [ ({one}) ({two}) ])",
        ]
    )


def program(random: Random) -> str:
    """A function of arguments that has outputs."""
    outputs = " ".join(f"o{number} = {expression(random, 3)};" for number in range(OUTPUTS))
    return f'{{ a ? 1, b ? {{ }}, c ? "z", ... }}@args: {{ {outputs} }}'


def some(random: Random, names: object) -> frozenset[str]:
    return frozenset(name for name in names if random.random() < 0.5)  # type: ignore[attr-defined]


def told(outcome: NixOutcome, name: str) -> object:
    """An output's value, or that it fails."""
    try:
        return outcome.select(name).value
    except WherefromError as problem:
        return f"error {problem}"


Inputs = set[tuple[str, str]]
"""Kind and name of each input."""


def recorded(world: World, text: str) -> dict[str, tuple[object, Inputs]]:
    """The outputs that have a value, each with what it depends on by its history."""
    outcome = world.run(text, traced=True)
    known: dict[str, tuple[object, Inputs]] = {}
    for number in range(OUTPUTS):
        with suppress(WherefromError):
            selected = outcome.select(f"o{number}")
            known[f"o{number}"] = selected.value, {(leaf.kind, leaf.name) for leaf in depends(selected.origin)}
    return known


def masked(world: World, text: str) -> dict[str, tuple[object, Inputs]]:
    """The same by masks, and also of the outputs that fail."""
    dependence = world.run(text, traced=False).dependence

    def work(name: str) -> tuple[object, Inputs]:
        row = dependence.at([name], lambda number, value: value.table[name])
        inputs = {("file" if each.kind == "import" else each.kind, each.name) for each in masks.named(row.mask)}
        value = f"error {row.error}" if row.error is not None else plain(row.slot, strict=True)
        return value, inputs

    masks = dependence.masks
    return {f"o{number}": guarded(dependence.machine, partial(work, f"o{number}")) for number in range(OUTPUTS)}


def check(seed: int, way: Callable[[World, str], dict[str, tuple[object, Inputs]]]) -> tuple[int, int]:
    """Every change against every output; how many pairs there were, and how many of them changed something."""
    random = Random(seed)
    text = program(random)
    world = World(
        some(random, ARGUMENTS), some(random, VARIABLES), some(random, FILES), some(random, ENTRIES), some(random, KEYS)
    )
    try:
        known = way(world, text)
    except WherefromError:
        return 0, 0
    pairs = turned = 0
    for change in changes(world):
        other = change.world.run(text, traced=False)
        for name, (value, leaves) in known.items():
            pairs += 1
            if told(other, name) != value:
                turned += 1
                assert leaves & change.inputs, (
                    f"seed {seed}: {text}\n{name} = {value}, said to depend on {sorted(leaves)};"
                    f" with another {sorted(change.inputs)} it is {told(other, name)}"
                )
    return pairs, turned


@pytest.mark.parametrize("way", [recorded, masked])
@pytest.mark.parametrize("start", [0, 8])
def test_what_is_not_there(start: int, way: Any) -> None:
    """Some hundreds of pairs."""
    counts = [check(start + number, way) for number in range(8)]
    pairs, turned = (sum(count) for count in zip(*counts))
    assert pairs > 200
    assert turned > pairs * 0.05


@pytest.mark.soak
@pytest.mark.parametrize("way", [recorded, masked])
@pytest.mark.parametrize("start", [FRESH + at for at in range(10_000, 15_000, 500)])
def test_what_is_not_there_many(start: int, way: Any) -> None:
    """The same, many times."""
    counts = [check(start + number, way) for number in range(500)]
    print("{} pairs, {} changed".format(*(sum(count) for count in zip(*counts))))
    assert sum(count[1] for count in counts) > 1_000


def test_the_default_of_an_argument_that_is_not_given() -> None:
    """The default alone is not enough to know the value: the argument could have been given."""
    world = World(*(frozenset[str]() for _ in range(5)))
    outcome = world.run("{ a ? 1, b ? 2 }: { x = a; y = b; z = 3; }", traced=True)
    leaves = {name: {(leaf.kind, leaf.name) for leaf in depends(outcome.select(name).origin)} for name in "xyz"}
    assert leaves == {
        "x": {("argument", "a"), ("literal", "")},
        "y": {("argument", "b"), ("literal", "")},
        "z": {("literal", "")},
    }
