"""Every builtin on arguments nobody chose: what we compute real Nix computes, and what we refuse it refuses.

Calls that succeed here are asked of real Nix all at once (it must agree on every one); calls that fail here are asked
one by one, a few in a normal run and many in a soak.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from support.nix_builtins import DIRECTORY, answer
from wherefrom.nix.builtins import find
from wherefrom.nix.kernel.names import INDEX
from wherefrom.nix.kernel.values import from_bytes, to_bytes

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(shutil.which("nix-instantiate") is None, reason="Nix is not installed"),
]

LEFT_OUT = set(
    "abort addErrorContext fetchGit fetchMercurial fetchTarball fetchTree fetchurl getEnv import scopedImport storePath"
    " throw trace unsafeGetAttrPos toXML".split()
)
"""Builtins that depend on the world, or always fail, or show where their arguments are written."""

NAMES = ["a", "b", "name", "value", "key", "x y", "startSet", "operator", "path", "outPath"]
TEXTS = [
    f'"{text}"'
    for text in ("", "a", "b", "ab", "a.b", "1.2", "é", "x-1.0", "/a/b", "sha256", "name", "[1]", "a|b", "out")
]
NUMBERS = ["0", "1", "2", "3", "(-1)", "7", "100", "9223372036854775807", "1.5", "(-2.5)", "0.0"]
FUNCTIONS = [
    "(x: x)",
    "(x: y: x)",
    "(x: y: y)",
    "(x: true)",
    "(x: y: true)",
    "(x: y: false)",
    "(x: [ x ])",
    '(x: "k")',
    "({ a ? 1, ... }: a)",
    "builtins.lessThan",
    "builtins.add",
    "toString",
    "(x: y: builtins.typeOf x < builtins.typeOf y)",
    "(x: [ ])",
    "builtins.isInt",
]

SIGNATURES = dict(
    entry.split(": ")
    for entry in (
        "map: f l; filter: p l; head: l; tail: l; length: l; elem: v l; elemAt: l i; genList: f n; sort: c l; "
        "partition: p l; groupBy: k l; concatLists: ll; concatMap: g l; foldl': h v l; all: p l; any: p l; "
        "attrNames: a; attrValues: a; catAttrs: s la; getAttr: s a; hasAttr: s a; intersectAttrs: a a; "
        "listToAttrs: nv; mapAttrs: h a; removeAttrs: a ls; zipAttrsWith: h la; concatStringsSep: s ls; "
        "match: r s; split: r s; replaceStrings: ls ls s; stringLength: s; substring: n i s; "
        "compareVersions: s s; parseDrvName: s; splitVersion: s; add: i i; sub: i i; mul: i i; div: i i; "
        "bitAnd: n n; bitOr: n n; bitXor: n n; lessThan: i i; ceil: i; floor: i; baseNameOf: s; dirOf: s; "
        "hashString: q s; toFile: s s; placeholder: s; fromJSON: j"
    ).split("; ")
)
"""What the arguments of a builtin should be, to reach past its first checks."""

REGEXES = ['"a"', '"(a|b)*"', '"[ab]+"', '"(.)(.*)"', '"([0-9]+)\\.?"', '""', '"x?"', '"("', '"(a)?b?"']
DOCUMENTS = ['"[1,2]"', '"{\\"a\\":null}"', '"\\"x\\""', '"1.5e3"', '"[tru]"', '"  true"', '"[[],{}]"', '"{"']


def argument(rng: random.Random, kind: str) -> str:
    """An expression of the kind wanted, mostly."""
    if rng.random() < 0.1:
        return value(rng)

    def several(make: Callable[[], str]) -> str:
        return f"[ {' '.join(make() for _ in range(rng.randint(0, 4)))} ]"

    match kind:
        case "i":
            return rng.choice(NUMBERS)
        case "n":
            return rng.choice(NUMBERS[:7])
        case "s":
            return rng.choice(TEXTS)
        case "r":
            return rng.choice(REGEXES)
        case "j":
            return rng.choice(DOCUMENTS)
        case "q":
            return rng.choice(['"md5"', '"sha1"', '"sha256"', '"sha512"'])
        case "a":
            return record(rng, 1)
        case "f":
            return rng.choice(
                ["(x: x)", "(x: [ x ])", "toString", "builtins.typeOf", "(x: { inherit x; })", "(x: x + x)"]
            )
        case "g":
            return rng.choice(["(x: [ x ])", "(x: [ ])", "(x: [ x x ])", "builtins.attrNames"])
        case "p":
            return rng.choice(["(x: true)", "builtins.isInt", "(x: x == 1)", "(x: x < 2)", "builtins.isString"])
        case "c":
            return rng.choice(["builtins.lessThan", "(a: b: a < b)", "(a: b: a > b)", "(a: b: false)"])
        case "k":
            return rng.choice(["toString", "builtins.typeOf", '(x: "k")', "(x: x)"])
        case "h":
            return rng.choice(["(x: y: y)", "(x: y: x)", "(x: y: [ x y ])", "(x: y: x + y)", "builtins.add"])
        case "l":
            return several(lambda: rng.choice(rng.choice([NUMBERS, TEXTS])))
        case "ll":
            return several(lambda: several(lambda: rng.choice(TEXTS)))
        case "ls":
            return several(lambda: rng.choice(TEXTS))
        case "la":
            return several(lambda: record(rng, 1))
        case "nv":
            return several(lambda: f"{{ name = {rng.choice(TEXTS)}; value = {value(rng, 2)}; }}")
        case _:
            return value(rng)


def value(rng: random.Random, depth: int = 0) -> str:
    """An expression for a random value."""
    kind = rng.randrange(10 if depth < 2 else 6)
    if kind in (0, 1):
        return rng.choice(TEXTS)
    if kind in (2, 3):
        return rng.choice(NUMBERS)
    if kind == 4:
        return rng.choice(["null", "true", "false", "./files/hello.txt"])
    if kind == 5:
        return rng.choice(FUNCTIONS)
    if kind in (6, 7):
        same = rng.random() < 0.6
        makers: list[Callable[[], str]] = [
            lambda: rng.choice(TEXTS),
            lambda: rng.choice(NUMBERS),
            lambda: record(rng, depth + 1),
        ]
        make = rng.choice(makers)
        parts = [make() if same else value(rng, depth + 1) for _ in range(rng.randint(0, 4))]
        return f"[ {' '.join(parts)} ]"
    return record(rng, depth + 1)


def record(rng: random.Random, depth: int) -> str:
    if rng.random() < 0.3:
        return f"{{ name = {rng.choice(TEXTS)}; value = {value(rng, depth)}; key = {rng.choice(NUMBERS[:6])}; }}"
    names = rng.sample(NAMES, rng.randint(0, 3))
    return "{ " + " ".join(f'"{name}" = {value(rng, depth)};' for name in names) + " }"


def calls(rng: random.Random, count: int) -> list[str]:
    """Random calls, of all builtins in turn."""
    names = sorted(set(INDEX) - LEFT_OUT)
    made = []
    for number in range(count):
        name = names[number % len(names)]
        kinds = SIGNATURES.get(name, " ".join("v" * find(name).arity)).split()
        arguments = " ".join(argument(rng, kind) for kind in kinds)
        made.append(f"builtins.{name} {arguments}")
    return made


def ask(expression: str) -> str | None:
    """What real Nix prints, or nothing if it fails."""
    command = ["nix-instantiate", "--store", "dummy://", "--readonly-mode", "--eval", "--strict", "-"]
    run = subprocess.run(
        command, input=to_bytes(expression), cwd=DIRECTORY, capture_output=True, timeout=300, check=False
    )
    return from_bytes(run.stdout).rstrip("\n").replace(str(DIRECTORY), "@DIR@") if run.returncode == 0 else None


def differences(expressions: list[str], failures: int) -> list[str]:
    """Calls on which we and Nix differ; of the calls that fail here, `failures` are asked."""
    found: list[str] = []
    good: list[tuple[str, dict[str, Any]]] = []
    bad: list[tuple[str, dict[str, Any]]] = []
    for expression in expressions:
        got = answer(f"({expression})")
        (good if "value" in got else bad).append((expression, got))
    pending = [good]
    while pending:
        group = pending.pop()
        if not group:
            continue
        answers = ask("[ " + " ".join(f"(builtins.toXML ({expression}))" for expression, _ in group) + " ]")
        ours = answer("[ " + " ".join(f"(builtins.toXML ({expression}))" for expression, _ in group) + " ]").get(
            "value"
        )
        if answers == ours:
            continue
        if len(group) == 1:
            found.append(f"{group[0][0]}\n  ours {ours}\n  Nix  {answers}")
        else:
            pending += [group[: len(group) // 2], group[len(group) // 2 :]]
    for expression, got in bad[:failures]:
        theirs = ask(expression)
        if theirs is not None:
            found.append(f"{expression}\n  ours {got}\n  Nix  {theirs}")
    return found


def test_builtins() -> None:
    """A few hundred calls."""
    rng = random.Random(1)
    assert differences(calls(rng, 600), 25) == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10, 20))
def test_many_builtins(seed: int) -> None:
    """Ten thousand calls."""
    rng = random.Random(seed)
    assert differences(calls(rng, 1_000), 200) == []
