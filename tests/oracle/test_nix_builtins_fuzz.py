"""Every builtin on arguments nobody chose: what we compute real Nix computes, and what we refuse it refuses.

Calls that succeed here are asked of real Nix all at once (it must agree on every one); calls that fail here are asked one
by one, a few in a normal run and many in a soak.
"""

from __future__ import annotations

import random
import shutil
import subprocess

import pytest
from support.nix_builtins import DIRECTORY, answer

from whence.nix.builtins import INDEX, find
from whence.nix.values import from_bytes, to_bytes

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(shutil.which("nix-instantiate") is None, reason="Nix is not installed"),
]

LEFT_OUT = {
    "abort", "addErrorContext", "fetchGit", "fetchMercurial", "fetchTarball", "fetchTree", "fetchurl", "getEnv", "import",
    "scopedImport", "storePath", "throw", "trace", "unsafeGetAttrPos", "toXML",
}  # fmt: skip
"""Builtins that depend on the world, or always fail, or show where their arguments are written."""

NAMES = ["a", "b", "name", "value", "key", "x y", "startSet", "operator", "path", "outPath"]
TEXTS = ['""', '"a"', '"b"', '"ab"', '"a.b"', '"1.2"', '"é"', '"x-1.0"', '"/a/b"', '"sha256"', '"name"', '"[1]"', '"a|b"', '"out"']
NUMBERS = ["0", "1", "2", "3", "(-1)", "7", "100", "9223372036854775807", "1.5", "(-2.5)", "0.0"]
FUNCTIONS = ["(x: x)", "(x: y: x)", "(x: y: y)", "(x: true)", "(x: y: true)", "(x: y: false)", "(x: [ x ])", "(x: \"k\")", "({ a ? 1, ... }: a)",
             "builtins.lessThan", "builtins.add", "toString", "(x: y: builtins.typeOf x < builtins.typeOf y)", "(x: [ ])", "builtins.isInt"]  # fmt: skip


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
        make = rng.choice([lambda: rng.choice(TEXTS), lambda: rng.choice(NUMBERS), lambda: record(rng, depth + 1)])
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
        arguments = " ".join(value(rng) for _ in range(find(name).arity))
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
    found = []
    good = []
    bad = []
    for expression in expressions:
        got = answer(f"({expression})")
        (good if "value" in got else bad).append((expression, got))
    pending = [good]
    while pending:
        group = pending.pop()
        if not group:
            continue
        answers = ask("[ " + " ".join(f"(builtins.toXML ({expression}))" for expression, _ in group) + " ]")
        ours = answer("[ " + " ".join(f"(builtins.toXML ({expression}))" for expression, _ in group) + " ]").get("value")
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
