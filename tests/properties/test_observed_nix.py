"""What an editor shows over an expression of Nix is what `builtins.trace` says of it when the program runs.

Expressions of random programs and of the examples are wrapped, one at a time, in a call that tells their value on the
way: `(let seen = e; in builtins.trace (builtins.toJSON seen) seen)`. Each scalar that was observed must have been told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import wherefrom
from support.examples import examples, fresh
from support.nix_programs import program
from wherefrom.base.source import SourceFile
from wherefrom.nix.syntax.parser import parse
from wherefrom.nix.syntax.tree import AttrSet, Binary, FloatLiteral, IntLiteral, Node, StringLiteral
from wherefrom.nix.syntax.walk import descendants
from wherefrom.provenance.observed import Observed

ROOT = Path(__file__).resolve().parents[2]
MARK = "seen here:"
LITERALS = (IntLiteral, FloatLiteral, StringLiteral, AttrSet)
"""What is written there, whether it was evaluated or not."""


def compared(file: Path, random: Random, most: int) -> int:
    """Compare some expressions of a program; how many."""
    text = file.read_text()
    try:
        outcome = wherefrom.compile(str(file), trace=True)
        seen = {(item.span.start, item.span.end): item for item in outcome.observed(str(file))}
    except wherefrom.WherefromError:
        return 0
    chosen = list(candidates(text, str(file), seen))
    for node, item in random.sample(chosen, min(most, len(chosen))):
        inside = f"let seen' = {node.span.text}; in builtins.trace ({json.dumps(MARK)} + builtins.toJSON seen') seen'"
        wrapping = f"{text[: node.span.start]}({inside}){text[node.span.end :]}"
        try:
            parse(SourceFile(str(file), wrapping))
        except wherefrom.WherefromError:
            continue  # a name after `inherit`
        file.write_text(wrapping)
        wrapped = wherefrom.compile(str(file), trace=True)
        wrapped.observed(str(file))  # evaluates it as far as it was for the values
        messages = [log.message.partition(MARK)[2] for log in wrapped.logs if MARK in log.message]
        told = {repr(json.loads(message)) for message in messages}
        file.write_text(text)
        if not told and isinstance(node, Binary):
            continue  # arithmetic on what is known is done early, and this was never asked for
        assert {repr(each.value) for each in item.seen} <= told, (text, node.span.text, item, told)
    return min(most, len(chosen))


def candidates(text: str, name: str, seen: dict[tuple[int, int], Observed]) -> Iterator[tuple[Node, Observed]]:
    """The expressions of a program that gave scalars."""
    for node in descendants(parse(SourceFile(name, text))):
        item = seen.get((node.span.start, node.span.end))
        if item is None or isinstance(node, LITERALS) or node.span.text in ("true", "false", "null"):
            continue
        scalars = (each.value for each in item.seen)
        if all(type(value) in (str, int, bool) and not str(value).startswith("«") for value in scalars):
            yield node, item


def test_in_random_programs(tmp_path: Path) -> None:
    """Whatever the program is."""
    count = 0
    for seed in fresh(range(examples(200))):
        file = tmp_path / "program.nix"
        file.write_text(program(seed, 4))
        count += compared(file, Random(seed), 4)
    assert count > 40


@pytest.mark.parametrize("name", ["hosts.nix", "capture.nix"])
def test_in_the_examples(name: str, tmp_path: Path) -> None:
    """A function that is called for each host."""
    file = tmp_path / name
    file.write_text((ROOT / "examples/nix" / name).read_text())
    assert compared(file, Random(fresh(range(1)).start), examples(60)) > 0
