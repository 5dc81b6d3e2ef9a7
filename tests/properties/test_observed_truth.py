"""What an editor shows over an expression is what `notice` of that expression prints when the program runs.

Expressions of the cases, of the example repositories and of generated templates are wrapped, one at a time, in a call
that tells their value on the way and changes nothing else: `(with(e) |$x| { notice('mark', $x) $x })`. The values that
were told are compared, in their order and number, with what the program as it was written observed.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

import wherefrom
from support.cases import Case
from support.examples import examples, fresh
from support.puppet_cases import NODE, recorded_cases
from wherefrom.base.source import SourceFile
from wherefrom.provenance.observed import MOST_VALUES, Observed
from wherefrom.puppet.syntax import tree
from wherefrom.puppet.syntax.parser import parse, parse_epp

ROOT = Path(__file__).resolve().parents[2]
MARK = "seen here:"
_REFERENCE = re.compile(r"\b[A-Z][\w:]*\[[^\]]*\]")
CASES = [case for case in recorded_cases() if not {"settings", "classes", "parameters"} & set(case.header)]
FACTS = {
    path.stem: yaml.safe_load(path.read_text()) for path in sorted((ROOT / "examples/control/facts").glob("*.yaml"))
}


def valued(program: tree.Program) -> Iterator[tree.Expression]:
    """The expressions of a program that stand where any value may stand."""
    fixed = [node.type for node in tree.walk(program) if isinstance(node, tree.TypeAlias | tree.Parameter)]
    fixed += [node.condition for node in tree.walk(program) if isinstance(node, tree.Query)]
    literal = [part.span for part in fixed if part is not None]  # what has to be written out
    for node in tree.walk(program):
        if any(span.start <= node.start and node.end <= span.end for span in literal):
            continue
        parts: tuple[Any, ...] = ()
        match node:
            case tree.Attribute() | tree.AttributeSplat() | tree.HashEntry():
                parts = (node.value,)
            case tree.Assignment(right=right):
                parts = (right,)
            case tree.Call(function=tree.Name()) if node.file.text[node.function.end] == "(":
                parts = node.arguments
            case tree.MethodCall():
                parts = (node.receiver, *node.arguments)
            case tree.Binary():
                parts = (node.left, node.right)
            case tree.Array():
                parts = node.items
            case tree.If() | tree.Unless() | tree.Case():
                parts = (node.test,)
            case tree.Parameter():
                parts = (node.default,)
            case tree.RenderExpression():
                parts = (node.value,)
        yield from (part for part in parts if isinstance(part, tree.Expression) and _is_value(part))


def _is_value(node: tree.Expression) -> bool:
    if isinstance(node, tree.Hash):
        return node.braces
    return not isinstance(node, tree.Literal | tree.Heredoc | tree.Unary | tree.Assignment | tree.AbstractResource)


def noticed(value: Any) -> str:
    """How `notice` prints a plain value."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case list():
            return f"[{', '.join(map(noticed, value))}]"
        case dict():
            return f"{{{', '.join(f'{noticed(key)} => {noticed(item)}' for key, item in value.items())}}}"
        case _:
            return str(value)


def told(outcome: wherefrom.Outcome) -> list[str]:
    """What the wrapped expression told, in its order; references in one way."""
    messages = (log.message for log in outcome.logs if log.message.startswith(MARK))
    return [in_one_way(message.removeprefix(MARK).removeprefix(" ")) for message in messages]


def in_one_way(text: str) -> str:
    """A text in which references are written as catalogs have them: no quotes, and either case."""
    return _REFERENCE.sub(lambda reference: reference[0].replace("'", "").lower(), text)


def compare(folder: Path, file: Path, chosen: tree.Expression, seen: Observed, **inputs: Any) -> None:
    """Run the program with the expression wrapped, and compare."""
    text = file.read_text()
    bare = isinstance(chosen, tree.Variable) and text[chosen.start] != "$"  # `${x.upcase}`
    expression = "$" * bare + text[chosen.start : chosen.end]
    mark = f"(with({expression}) |$seen_here| {{ notice('{MARK}', $seen_here) $seen_here }})"
    wrapped = f"{text[: chosen.start]}{mark}{text[chosen.end :]}"
    file.write_text(wrapped)
    try:
        outcome = wherefrom.compile(str(folder), **inputs)
    finally:
        file.write_text(text)
    values = told(outcome)
    place = f"{file}: {chosen.span.text!r} at {chosen.span.place}"
    assert len(values) == seen.count, (place, values, seen)
    if seen.count > MOST_VALUES:
        values = values[:MOST_VALUES]
    distinct = list(dict.fromkeys(values))
    assert distinct == list(dict.fromkeys(in_one_way(noticed(item.value)) for item in seen.seen)), (place, values, seen)


def checked(folder: Path, random: Random, most: int, **inputs: Any) -> int:
    """Compare some expressions of the files of a program; how many."""
    outcome = wherefrom.compile(str(folder), observe=True, **inputs)
    candidates: list[tuple[Path, tree.Expression, Observed]] = []
    for name in outcome.sources:
        if not name.endswith((".pp", ".epp")):
            continue
        seen = {(item.span.start, item.span.end): item for item in outcome.observed(name) if item.seen}
        text = Path(name).read_text()
        program = (parse_epp if name.endswith(".epp") else parse)(SourceFile(name, text)).program
        candidates += [
            (Path(name), node, seen[node.start, node.end])
            for node in valued(program)
            if (node.start, node.end) in seen and "ensitive" not in repr(seen[node.start, node.end])
        ]
    for candidate in random.sample(candidates, min(most, len(candidates))):
        compare(folder, *candidate, **inputs)
    return min(most, len(candidates))


def written(case: Case, folder: Path) -> None:
    """The environment of a case, on the disk."""
    for name, text in case.files.items():
        path = folder / ("manifests/site.pp" if name == "site.pp" else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize("seed", fresh(range(2)))
def test_in_the_example(seed: int, tmp_path: Path) -> None:
    """On each node, in manifests and templates."""
    shutil.copytree(ROOT / "examples/control", tmp_path / "control")
    for node, facts in FACTS.items():
        count = checked(tmp_path / "control", Random(seed), examples(30), node=node, facts=facts)
        assert count >= 10


def test_in_the_cases(tmp_path: Path) -> None:
    """In every case that compiles."""
    seed = fresh(range(1)).start
    count = 0
    for number, case in enumerate(CASES):
        if '"error"' in case.sections.get("want.json", "") or any(name.startswith("global/") for name in case.files):
            continue
        folder = tmp_path / str(number)
        written(case, folder)
        inputs = {"node": case.header.get("node", NODE), "facts": case.header.get("facts", {})}
        count += checked(folder, Random(seed + number), examples(4), **inputs)
    assert count > 150
