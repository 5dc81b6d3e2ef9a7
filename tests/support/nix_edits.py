"""Edits of Nix programs, and whether masks had said what each may change.

An edit takes a definition, an element or an argument away, adds one, gives a definition another name, or changes a
literal. With it comes the part of the text that is edited: the literal, or the set, list or function around.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.source import SourceFile
from wherefrom.nix.front.language import NixOutcome, guarded, write_path
from wherefrom.nix.syntax.lexer import tokenize
from wherefrom.nix.syntax.parser import parse_tokens
from wherefrom.nix.syntax.tree import AttrSet, FloatLiteral, IntLiteral, ListLiteral, PatternLambda
from wherefrom.nix.syntax.walk import descendants
from wherefrom.nix.trace.history import plain

ABSENT = "«absent»"
FAILS = "«fails»"


class Edit(NamedTuple):
    """A change of a text."""

    kind: str
    start: int
    """Where the part begins that is edited."""
    end: int
    text: str
    """The whole text afterwards."""


def some_edits(text: str, names: Sequence[str], values: Sequence[str], random: Random, number: int) -> Sequence[Edit]:
    """So many edits of a program; none of a text that is no program."""
    try:
        made = list(edits(text, names, values, random))
    except WherefromError:
        return ()
    return random.sample(made, min(number, len(made)))


def edits(text: str, names: Sequence[str], values: Sequence[str], random: Random) -> Iterator[Edit]:
    """Edits at each set, list, function and number of a program, with these names and values for what is new."""
    for node in descendants(parse_tokens(tokenize(SourceFile("x", text)), "/", "/")):
        start, end = node.span.start, node.span.end
        match node:
            case AttrSet() if text.startswith(("{", "rec"), start) and text[end - 1] == "}":
                yield from _of_set(text, node, names, values, random)
            case ListLiteral(elements):
                yield Edit("append", start, end, f"{text[: end - 1]} {random.choice(values)} ]{text[end:]}")
                if elements:
                    one = random.choice(elements).span
                    if text[one.start - 1] == " " == text[one.end : one.end + 1]:
                        yield Edit("drop", start, end, text[: one.start] + text[one.end :])
            case PatternLambda() if text[start] == "{":
                comma = "," if node.formals or node.ellipsis else ""
                yield Edit("formal", start, end, f"{text[: start + 1]} zz9 ? 1{comma}{text[start + 1 :]}")
            case IntLiteral() | FloatLiteral() if text[end : end + 1] != ".":
                yield Edit("number", start, end, text[:start] + random.choice(("0", "31", "5.5")) + text[end:])


def _of_set(text: str, node: AttrSet, names: Sequence[str], values: Sequence[str], random: Random) -> Iterator[Edit]:
    start, end = node.span.start, node.span.end
    known = {attribute.name for attribute in node.attributes}
    free = [name for name in names if name not in known]
    for attribute in node.attributes:
        at, value = attribute.span.start, attribute.value.span
        if not re.match(re.escape(attribute.name) + r"\s*=", text[at:]):
            continue
        close = text.find(";", value.end) + 1
        if close and text[value.end : close].strip(" )") == ";":
            yield Edit("remove", start, end, text[:at] + text[close:])
            if free:
                yield Edit("rename", start, end, text[:at] + random.choice(free) + text[at + len(attribute.name) :])
    if free and not node.recursive:
        added = f" {random.choice(free)} = {random.choice(values)}; }}"
        yield Edit("add", start, end, text[: end - 1] + added + text[end:])


def outputs(outcome: NixOutcome) -> dict[str, tuple[Any, int]]:
    """The value and the mask of each output, those that fail too."""
    dependence = outcome.dependence

    def work() -> dict[str, tuple[Any, int]]:
        return {
            write_path(row.steps): (FAILS if row.error else plain(row.slot, strict=True), row.mask)
            for row in dependence.everything()
        }

    return guarded(dependence.machine, work)


class Count(NamedTuple):
    """Pairs of an edit and an output."""

    pairs: int = 0
    changed: int = 0
    """How many outputs an edit changed."""
    said: int = 0
    """Of how many the masks said that it may."""

    def plus(self, other: Count) -> Count:
        """Both."""
        return Count(*map(sum, zip(self, other)))


def check_edits(run: Callable[[str], NixOutcome], text: str, file: str, made: Sequence[Edit]) -> Count:
    """Make each edit of the text of a file, and hold what changes against the masks of the program as it is."""
    try:
        outcome = run(text)
        before = outputs(outcome)
    except WherefromError:
        return Count()
    inputs = outcome.dependence.masks.inputs
    count = Count()
    for edit in made:
        try:
            after = outputs(run(edit.text))
        except WherefromError:
            continue  # no program, or none with a root: all of the outputs go by the masks of the root
        bits = sum(
            1 << number
            for number, given in enumerate(inputs)
            if given.source is not None
            and given.source.name.endswith(file)
            and (given.start, given.end) == (edit.start, edit.end)
        )
        said = {path for path, (_, mask) in before.items() if mask & bits}
        changed = {path for path, (value, _) in before.items() if after.get(path, (ABSENT, 0))[0] != value}
        missed = changed - said
        assert not missed, (
            f"{edit.kind} {text[edit.start : edit.end]!r}: not in the masks of "
            + ", ".join(f"{path} = {before[path][0]}, then {after.get(path, (ABSENT,))[0]}" for path in sorted(missed))
            + f"\n{text}\n{edit.text}"
        )
        count = count.plus(Count(len(before), len(changed), len(said)))
    return count
