"""`explain FILE:LINE:COLUMN`: the values of the expression at a place of a source, and where they came from."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import click

from ..base.diagnostics import PathNotFound, UsageError
from ..base.plural import count_of
from ..base.record import Record
from ..base.render import show, span_json, visible
from ..provenance.explain import short
from ..provenance.observed import decided

if TYPE_CHECKING:
    from ..language import Outcome
    from ..provenance.observed import Observed
    from .options import Invocation

MOST_EXPLAINED = 4
"""Distinct values whose origin is told, one after another."""
LONGEST = 60
_POSITION = re.compile(r"(?P<file>.+?):(?P<line>[1-9]\d*):(?P<column>[1-9]\d*)", re.DOTALL)


class Position(Record):
    """A place in a source, and what is compiled for its sake: the project's environment if it is nothing."""

    compiled: str | None
    file: str
    line: int
    column: int


def position_in(words: str, path: str | None, invocation: Invocation) -> Position | None:
    """The place that `words` name, if there is such a file, here or below what is compiled (`path`)."""
    match = _POSITION.fullmatch(words)
    if match is None:
        return None
    folder, compiled = path, path
    if path is None:
        try:
            folder = invocation.environment()
        except click.UsageError:
            compiled = match["file"]  # there is no project: the file by itself
    places = [match["file"], *([os.path.join(folder, match["file"])] if folder else [])]
    file = next((place for place in places if os.path.isfile(place)), None)
    return None if file is None else Position(compiled, file, int(match["line"]), int(match["column"]))


def explain_position(invocation: Invocation, position: Position, parts: frozenset[str], as_json: bool) -> int:
    """Compile so that expressions tell what they gave, and explain the smallest one at the position."""
    from .options import print_json

    file, line, column = position.file, position.line, position.column
    outcome = invocation.run(position.compiled, trace=True, observe=True)
    here = outcome.at(file, line, column)
    if not here:
        raise PathNotFound(f"{file}:{line}:{column}", _why_nothing(outcome, file, line, column))
    expression = here[0]
    text = shown(expression)
    explained = [(seen, outcome.explain_seen(text, seen)) for seen in expression.seen]
    if as_json:
        values = [
            {"value": seen.value, "count": seen.count, "in": seen.owner, "explanation": explanation.to_json()}
            for seen, explanation in explained
        ]
        told = {**span_json(expression.span), "text": expression.span.text, "count": expression.count}
        print_json({**told, "values": values})
        return 0
    if len(explained) > 1:
        print(f"{visible(text)} ran {count_of(expression.count, 'time')}, {count_of(len(explained), 'value')}:")
        for seen, _ in explained:
            owner = f" in {seen.owner}" if seen.owner else ""
            print(f"  {visible(short(seen.value, LONGEST))} ({count_of(seen.count, 'time')}){visible(owner)}")
        print()
    for number, (_, explanation) in enumerate(explained[:MOST_EXPLAINED]):
        if number:
            print()
        show(explanation.styled(parts), sys.stdout)
    return 0


def shown(expression: Observed) -> str:
    """The text of an expression, if it is short."""
    text = expression.span.text.strip()
    return text if len(text) <= LONGEST and "\n" not in text else f"the expression at {expression.span.place}"


def _why_nothing(outcome: Outcome, file: str, line: int, column: int) -> str:
    """Why no expression at a position has a value: as far as the tests around it tell."""
    source = outcome.source_named(file)
    if source is None:
        raise UsageError(f"{file} was not read")
    offset = source.line_starts[line - 1] + column - 1
    observed = outcome.observed(source.name)
    ran = [
        (item.span.start, item.span.end, short(item.seen[0].value, LONGEST) if len(item.seen) == 1 else "")
        for item in observed
    ]
    test = decided(ran, offset, offset)
    if test is None:
        return "no expression there was evaluated"
    words = source.text[test[0] : test[1]].strip()
    value = f" is {test[2]}" if test[2] else ""
    return f"no expression there was evaluated: {visible(words[:LONGEST])}{value}"
