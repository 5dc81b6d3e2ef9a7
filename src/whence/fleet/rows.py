"""A compiled node as rows of the store's tables.

What an output depends on is a set, and outputs of one node, and of many nodes, share their sets; so a set is stored
once, by a number that is made from its content, and an output names it. So are inputs. Numbers from content need no
counter: parts of a store that were written by different processes fit together.

Every place that an output's history passed through is among its inputs, with the kind `place`: an edit of these words
may change it, though no literal of it stands there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from ..base.json_bytes import json_bytes
from ..base.secrets import Secrets
from ..provenance.origins import Leaf
from ..provenance.sets import InputSets
from .answers import Answers, answer_of
from .numbers import MOST_REMEMBERED, Sent, number_of
from .traces import DIGEST_BYTES

if TYPE_CHECKING:
    from ..base.source import Span
    from ..language import Outcome

Row = list[Any]


class Rows:
    """Makes rows, for one process: what it has sent once it does not send again."""

    def __init__(self) -> None:
        self._inputs: dict[Any, int] = {}
        self._sent = Sent()
        self._answers = Answers()

    def of(self, node: str, outcome: Outcome) -> dict[str, Any]:
        """The rows of one node, by table; nothing that is secret is in them."""
        document = outcome.document()
        inputs: list[Row] = []
        dependencies: list[Row] = []
        resources, places = _resources(document)
        attributes: list[Row] = []
        sets = InputSets()
        numbers: dict[int, int] = {}
        current = ""
        for output in outcome.outputs():
            if output.path in places:
                current = output.path
            type_name, title = places.get(current, ("", ""))
            attribute = output.path[len(current) + 1 :] if current and output.path != current else ""
            if not current:
                type_name, title = "", output.path
            depending = sets.of(output.origin)
            dependency_set = numbers.get(depending)
            if dependency_set is None:
                dependency_set = numbers[depending] = self._set(sets, depending, inputs, dependencies)
            value = json_bytes(output.value).decode("utf-8", "replace")
            attributes.append([type_name, title, attribute, value, dependency_set])
        tables: dict[str, Any] = {
            "resources": resources,
            "attributes": attributes,
            "edges": [[edge["source"], edge["target"]] for edge in document.get("edges", ())],
            "answered": [answer_of(answer) for answer in outcome.key_answers()],
        }
        hidden = outcome.secrets()
        if hidden:
            tables = json.loads(Secrets(hidden).redacted_bytes(json_bytes(tables)))
        told = json_bytes([tables["resources"], _values(tables), tables["edges"]])
        tables["catalog"] = blake2b(told, digest_size=DIGEST_BYTES).hexdigest()
        lookups, answers = self._answers.rows(tables.pop("answered"))
        return {**tables, "lookups": lookups, "answers": answers, "inputs": inputs, "dependencies": dependencies}

    def _set(self, sets: InputSets, depending: int, inputs: list[Row], dependencies: list[Row]) -> int:
        """The number of the set of inputs that an output depends on; a new set's rows are added."""
        members = sorted({self._input(sets.inputs[member], inputs) for member in sets.members(depending)})
        content = b"".join([member.to_bytes(8, "big") for member in members])
        number = number_of(content)
        if self._sent.first_time(number):
            dependencies += ([number, member] for member in members)
        return number

    def _input(self, thing: Leaf | Span, inputs: list[Row]) -> int:
        """The number of an input, or of a place; the row of a new one is added."""
        key = thing.key if isinstance(thing, Leaf) else (thing.file.identity, thing.start, thing.end)
        known = self._inputs.get(key)
        if known is None:
            row = _leaf_row(thing) if isinstance(thing, Leaf) else _place_row(thing)
            known = number_of(repr(row).encode("utf-8", "surrogateescape"))
            if len(self._inputs) >= MOST_REMEMBERED:
                self._inputs.clear()
            self._inputs[key] = known
            inputs.append([known, *row])
        return known


def _leaf_row(leaf: Leaf) -> Row:
    line, last, column = _lines(leaf.span)
    if leaf.kind == "hiera" and leaf.span is not None:
        line = _key_line(leaf.span, leaf.name)
    return [leaf.kind, leaf.name, leaf.file, line, last, column, leaf.absent]


def _place_row(span: Span) -> Row:
    line, last, column = _lines(span)
    return ["place", "", span.file.identity, line, last, column, False]


def _key_line(span: Span, name: str) -> int:
    """The line of the key that a datum stands under, at or above its own: an edit there may change it too."""
    key = name.partition(".")[0]
    for line in range(span.line, 0, -1):
        if span.file.line_text(line).lstrip("'\" ").startswith(key):
            return line
    return span.line


def _values(tables: dict[str, Any]) -> list[Row]:
    return [row[:4] for row in tables["attributes"]]


def _lines(span: Span | None) -> tuple[int, int, int]:
    if span is None:
        return 0, 0, 0
    line, column = span.file.line_and_column(span.start)
    return line, span.file.line_of(max(span.start, span.end - 1)), column


def _resources(document: Any) -> tuple[list[Row], dict[str, tuple[str, str]]]:
    resources: list[Row] = []
    places: dict[str, tuple[str, str]] = {}
    written: Iterable[dict[str, Any]] = document.get("resources", ()) if isinstance(document, dict) else ()
    for resource in written:
        type_name, title = str(resource["type"]), str(resource["title"])
        places[f"{type_name}[{title}]"] = type_name, title
        resources.append(
            [type_name, title, resource.get("file") or "", resource.get("line") or 0, bool(resource.get("exported"))]
        )
    return resources, places
