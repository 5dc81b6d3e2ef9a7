"""What a page may ask of texts that nobody has saved: the playground; and of a place in a source.

A question names texts in place of files that the run has read. They are compiled so that every expression tells what it
gave (`Subject.attempt`), and what came of it is compared with the files as they are:

    {"differences": [...], "same": 41, "observed": [[start, end, count, distinct, [[value, count, owner]]]]}

Nothing is written, and no other file is read than without the texts. The last outcome is kept, since who edits asks
again and again about the same text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ..base.diagnostics import UsageError
from ..base.secrets import Secret, Secrets
from ..base.source import Span
from ..comparison import compare
from ..language import Outcome
from ..provenance.explain import short
from ..provenance.observed import Observed

Attempt = Callable[[str | None, Mapping[str, str]], Outcome]
"""Compile for a node, with texts in place of files."""

MOST_VALUES = 4
LONGEST_VALUE = 120
MOST_EXPLAINED = 4


class Trying:
    """Outcomes of texts as they are being edited; `attempt` compiles, and `secrets` are in no text that a page has."""

    def __init__(self, attempt: Attempt, secrets: Secrets) -> None:
        self._attempt = attempt
        self._secrets = secrets
        self._kept: tuple[tuple[str | None, str], Outcome] | None = None

    def forget(self) -> None:
        """A file has changed."""
        self._kept = None

    def outcome(self, saved: Outcome, node: str | None, written: str) -> Outcome:
        """What comes of these texts (`written` as a JSON object, by the names of files of the `saved` outcome)."""
        key = (node, written)
        if self._kept is None or self._kept[0] != key:
            self._kept = None
            self._kept = key, self._attempt(node, self._texts(written, saved))
        return self._kept[1]

    def _texts(self, written: str, saved: Outcome) -> dict[str, str]:
        """The texts, each of a file that was read: of one with secrets a page has only a mask, and no copy."""
        try:
            texts = json.loads(written) if written else {}
        except (ValueError, RecursionError):
            texts = None
        if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
            raise UsageError("texts must be a JSON object from the names of files to their texts")
        for name in texts:
            if name not in saved.sources:
                raise UsageError(f"{name} was not read in this run")
            text = saved.sources[name].text
            if self._secrets.redacted(text) != text:
                raise UsageError(f"{name} contains secret values, which this page does not have: edit the file itself")
        return texts

    def tried(self, saved: Outcome, node: str | None, written: str, file: str | None) -> dict[str, Any]:
        """What the texts change; and of a file, what its expressions gave."""
        outcome = self.outcome(saved, node, written)
        document: dict[str, Any] = compare(saved, outcome).to_json()
        seen = outcome.observed(file) if file is not None and file in outcome.sources else ()
        return {**document, "observed": [_observed_json(item) for item in seen]}

    def at(self, saved: Outcome, node: str | None, written: str, place: tuple[str, int, int]) -> dict[str, Any]:
        """The smallest expression at a place of a source, its values, and where they came from."""
        outcome = self.outcome(saved, node, written)
        if place[0] not in outcome.sources:
            raise UsageError(f"{place[0]} was not read")
        here = outcome.at(*place)
        if not here:
            return {"values": []}
        expression = here[0]
        text = expression.span.text
        shown = text if len(text) <= LONGEST_VALUE and "\n" not in text else "this"
        explained = [outcome.explain_seen(shown, seen) for seen in expression.seen[:MOST_EXPLAINED]]
        return {
            **_extent(expression.span),
            "text": text,
            "count": expression.count,
            "distinct": len(expression.seen),
            "values": [
                {
                    "value": None if isinstance(seen.value, Secret) else short(seen.value, LONGEST_VALUE),
                    "count": seen.count,
                    "in": seen.owner,
                    "explanation": explanation.to_json(),
                    "words": explanation.text(frozenset({"where", "how", "depends"})).partition("\n\n")[2].rstrip(),
                }
                for seen, explanation in zip(expression.seen, explained, strict=False)
            ],
        }


def _extent(span: Span) -> dict[str, int]:
    """First and last place, lines and columns from 1; the last column is behind the expression."""
    last_line, last_column = span.file.line_and_column(span.end)
    return {"line": span.line, "column": span.column, "last_line": last_line, "last_column": last_column}


def _observed_json(observed: Observed) -> dict[str, Any]:
    values = [short(seen.value, LONGEST_VALUE) for seen in observed.seen[:MOST_VALUES]]
    return {**_extent(observed.span), "count": observed.count, "distinct": len(observed.seen), "values": values}
