"""Builtins against the real Nix of this machine, on regular expressions, derivations and texts nobody wrote."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from typing import Any

import pytest

from support.nix_builtins import DIRECTORY, answer, evaluate, goldens
from wherefrom.nix.kernel.values import from_bytes, to_bytes

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(shutil.which("nix-instantiate") is None, reason="Nix is not installed"),
]


def real(expression: str, *flags: str) -> str:
    """What real Nix prints."""
    command = ["nix-instantiate", "--store", "dummy://", "--readonly-mode", "--eval", "--strict", *flags, "-"]
    run = subprocess.run(
        command, input=to_bytes(expression), cwd=DIRECTORY, capture_output=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr
    return from_bytes(run.stdout).rstrip("\n")


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("${", "\\${") + '"'


# --- regular expressions ---


def random_regex(rng: random.Random, depth: int = 0) -> str:
    choice = rng.random()
    inner = depth + 1
    if depth > 3 or choice < 0.35:
        return rng.choice(["a", "b", "c", ".", "[ab]", "[^a]", "[[:alpha:]]", "[a-b]", "[]a]", "[a-]", "\\."])
    if choice < 0.55:
        return random_regex(rng, inner) + random_regex(rng, inner)
    if choice < 0.65:
        return f"({random_regex(rng, inner)})"
    if choice < 0.8:
        return f"({random_regex(rng, inner)}|{random_regex(rng, inner)})"
    if choice < 0.83:
        return f"(|{random_regex(rng, inner)})"
    if choice < 0.86:
        return rng.choice(["^", "$"]) + random_regex(rng, inner)
    return f"({random_regex(rng, inner)})" + rng.choice(["*", "+", "?", "{2}", "{0,2}", "{1,}", "{1,2}"])


def compare_regexes(seed: int, count: int) -> None:
    rng = random.Random(seed)
    cases = [
        (random_regex(rng), "".join(rng.choice("aabbc.-]") for _ in range(rng.randint(0, 8)))) for _ in range(count)
    ]
    calls = [
        f"(builtins.{function} {quoted(pattern)} {quoted(text)})"
        for pattern, text in cases
        for function in ("match", "split")
    ]
    program = f"[ {' '.join(calls)} ]"
    theirs: list[Any] = json.loads(real(program, "--json"))
    ours: list[Any] = json.loads(evaluate(program, "json"))
    assert [(call, mine) for call, mine, other in zip(calls, ours, theirs, strict=True) if mine != other] == []


@pytest.mark.parametrize("seed", range(3))
def test_regexes(seed: int) -> None:
    """Random expressions on random texts match and split alike."""
    compare_regexes(seed, 300)


@pytest.mark.soak
def test_many_regexes() -> None:
    """The same, ten thousand times."""
    for seed in range(100, 134):
        compare_regexes(seed, 300)


# --- derivations ---

TEXTS = ("grüße", 'a"b', "tab\\tx", "$x", "")


def random_derivations(rng: random.Random, count: int) -> str:
    """A program with `count` derivations, each using some of those before it, that lists all their paths."""
    lines = ["let"]
    for number in range(count):
        earlier = [f"d{rng.randrange(number)}" for _ in range(rng.randint(0, 3))] if number else []
        attributes = [f'name = "pkg-{number}"', 'system = "s"']
        structured = rng.random() < 0.25
        attributes.append(f'builder = "{rng.choice(["/bin/sh", "b", "${./files/tree}/run.sh"])}"')
        outputs = rng.choice([["out"], ["out"], ["out", "dev"], ["bin", "lib", "man"]])
        fixed = rng.random() < 0.2
        if fixed:
            digest = f"{rng.getrandbits(256):064x}"
            mode = rng.choice(["flat", "recursive"])
            attributes.append(f'outputHash = "{digest}"; outputHashAlgo = "sha256"; outputHashMode = "{mode}"')
        else:
            attributes.append(f"outputs = [ {' '.join(quoted(each) for each in outputs)} ]")
        if structured:
            attributes.append("__structuredAttrs = true")
            attributes.append(f"deps = {{ all = [ {' '.join(earlier)} ]; n = [ {rng.randrange(9)} null true 1.5 ]; }}")
        else:
            attributes.append(f"deps = [ {' '.join(earlier)} ]")
            attributes.append(f'args = [ "-c" {rng.randrange(9)} {" ".join(f"({each}.all)" for each in earlier[:1])} ]')
        if rng.random() < 0.3:
            attributes.append(f"text = {quoted(rng.choice(TEXTS))}")
        if rng.random() < 0.3:
            attributes.append(rng.choice(["src = ./files/tree", "src = ./files/hello.txt"]))
        if rng.random() < 0.2:
            attributes.append('file = builtins.toFile "f" "${builtins.toFile "g" "x"}"')
        lines.append(f"  d{number} = derivation {{ {'; '.join(attributes)}; }};")
    lines.append("in map (d: [ d.drvPath (map (o: o.outPath) d.all) ]) [")
    lines.append(" ".join(f"d{number}" for number in range(count)) + " ]")
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(3))
def test_derivations(seed: int) -> None:
    """Random derivations that use each other have the same paths."""
    program = random_derivations(random.Random(seed), 30)
    assert evaluate(program) == real(program)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 130))
def test_many_derivations(seed: int) -> None:
    """The same, a thousand times."""
    program = random_derivations(random.Random(seed), 40)
    assert evaluate(program) == real(program)


# --- JSON, TOML, versions, replacing ---


def random_json(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.randrange(7 if depth < 3 else 5)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind == 1:
        return rng.randint(-(2**63), 2**63 - 1)
    if kind == 2:
        return rng.choice([0.5, 1e10, -2.25, 1e-7, 3.0, 123456.789])
    if kind in (3, 4):
        return "".join(rng.choice('ab"\\\n\té€😀$ {') for _ in range(rng.randint(0, 6)))
    if kind == 5:
        return [random_json(rng, depth + 1) for _ in range(rng.randint(0, 4))]
    return {random_text(rng): random_json(rng, depth + 1) for _ in range(rng.randint(0, 4))}


def random_text(rng: random.Random) -> str:
    return "".join(rng.choice("abcAZ019 _-é.'") for _ in range(rng.randint(0, 5)))


@pytest.mark.parametrize("seed", range(3))
def test_texts(seed: int) -> None:
    """Random JSON, versions, names, replacements and substrings."""
    rng = random.Random(seed)
    calls = []
    for _ in range(150):
        document = quoted(json.dumps(random_json(rng), ensure_ascii=rng.random() < 0.5))
        calls.append(f"(let v = builtins.fromJSON {document}; in [ v (builtins.toJSON v) (builtins.toXML v) ])")
        version = [
            "".join(rng.choice(["1", "2", "10", ".", "-", "pre", "a", "rc"]) for _ in range(rng.randint(0, 5)))
            for _ in range(2)
        ]
        calls.append(f"(builtins.compareVersions {quoted(version[0])} {quoted(version[1])})")
        calls.append(f"(builtins.splitVersion {quoted(version[0])})")
        calls.append(f"(builtins.parseDrvName {quoted('x' + random_text(rng) + '-' + version[0])})")
        old = [random_text(rng)[:2] for _ in range(rng.randint(0, 3))]
        new = [random_text(rng)[:2] for _ in old]
        lists = [f"[ {' '.join(map(quoted, each))} ]" for each in (old, new)]
        calls.append(f"(builtins.replaceStrings {lists[0]} {lists[1]} {quoted(random_text(rng) + random_text(rng))})")
        start, length = rng.randint(0, 6), rng.randint(-1, 6)
        calls.append(f'(builtins.hashString "md5" (builtins.substring {start} ({length}) {quoted(random_text(rng))}))')
        number, path = f"({rng.uniform(-1e6, 1e6):.4f})", quoted(random_text(rng))
        calls.append(f"(map toString [ {number} {rng.randint(0, 2**40)} (baseNameOf {path}) ])")
    program = f"[ {' '.join(calls)} ]"
    assert evaluate(program) == real(program)


def test_goldens_still_hold() -> None:
    """What was recorded is what the Nix of this machine says today (a sample)."""
    rng = random.Random(7)
    recorded = [
        (expression, want["value"])
        for answers in goldens().values()
        for expression, want in answers.get("strict", {}).items()
        if "value" in want
    ]
    for expression, want in rng.sample(recorded, 25):
        assert real(expression).replace(str(DIRECTORY), "@DIR@") == want
        assert answer(expression) == {"value": want}
