"""Questions about every function of Debian's `stdlib` module: calls written by hand, and calls over a pool of values.

`stdlib_calls.txt` has expressions for each function, `stdlib_spec_calls.txt` the calls of the module's own specs (see
`stdlib_spec_calls.rb`), `stdlib_manifests.txt` programs about functions that act on the catalog; `POOL` is what the
generated calls take their arguments from. Functions that answer by chance or by the clock (`BY_CHANCE`), or would run
programs, are asked only what is written by hand.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent

POOL = (
    *("undef", "''", "'a'", "'Hello World'", "'10'", "'true'", "'/etc/x'", "0", "-3", "2.5", "true", "false", "[]"),
    *("['a', 'b', 'a']", "[1, [2, undef], 'x']", "{}", "{'a' => 1, 'b' => [2, 3]}", "{'k' => {'n' => undef}}"),
    "'10.0.0.1'",
)

BY_CHANCE = ("shuffle", "str2saltedsha512", "time", "pry", "validate_cmd", "validate_augeas")


def _sections(name: str) -> list[tuple[str, str]]:
    """The sections of a file of questions: function and text."""
    _, *parts = (HERE / name).read_text(encoding="utf-8").split("\n## ")
    return [(head, body.strip("\n")) for head, _, body in (part.partition("\n") for part in parts)]


CALLS: dict[str, str] = dict(_sections("stdlib_calls.txt"))
SPEC_CALLS: dict[str, str] = dict(_sections("stdlib_spec_calls.txt"))
MANIFESTS: dict[str, list[str]] = {}
for _name, _text in _sections("stdlib_manifests.txt"):
    MANIFESTS.setdefault(_name, []).append(_text)


def generated(name: str, seed: int = 7) -> list[str]:
    """Calls over the pool: with one, two and three values, drawn by the function's name."""
    if name in BY_CHANCE:
        return []
    draw = Random(f"{name} {seed}")
    calls = [f"{name}({value})" for value in draw.sample(POOL, 10)]
    calls += [f"{name}({draw.choice(POOL)}, {draw.choice(POOL)})" for _ in range(10)]
    calls += [f"{name}({draw.choice(POOL)}, {draw.choice(POOL)}, {draw.choice(POOL)})" for _ in range(3)]
    return list(dict.fromkeys(calls))
