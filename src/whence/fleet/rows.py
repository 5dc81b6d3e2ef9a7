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
from ..provenance.extract import reachable
from ..provenance.origins import Leaf

if TYPE_CHECKING:
    from ..base.source import Span
    from ..language import Outcome
    from ..provenance.origins import Origin

Row = list[Any]


def number_of(content: object) -> int:
    """A number that stands for some content: 63 bits of its digest."""
    digest = blake2b(repr(content).encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


class Rows:
    """Makes rows, for one process: what it has sent once it does not send again."""

    def __init__(self) -> None:
        self._inputs: dict[Any, int] = {}
        self._sets: dict[frozenset[int], int] = {}

    def of(self, node: str, outcome: Outcome) -> dict[str, Any]:
        """The rows of one node, by table; nothing that is secret is in them."""
        document = outcome.document()
        inputs: list[Row] = []
        dependencies: list[Row] = []
        resources, places = _resources(document)
        attributes: list[Row] = []
        current = ""
        for output in outcome.outputs():
            if output.path in places:
                current = output.path
            type_name, title = places.get(current, ("", ""))
            attribute = output.path[len(current) + 1 :] if current and output.path != current else ""
            if not current:
                type_name, title = "", output.path
            dependency_set = self._set(output.origin, inputs, dependencies)
            value = json_bytes(output.value).decode("utf-8", "replace")
            attributes.append([type_name, title, attribute, value, dependency_set])
        tables: dict[str, Any] = {
            "resources": resources,
            "attributes": attributes,
            "edges": [[edge["source"], edge["target"]] for edge in document.get("edges", ())],
            "keys": sorted(outcome.keys_read()),
        }
        secrets = Secrets(outcome.secrets())
        shown: dict[str, Any] = json.loads(secrets.redacted_bytes(json_bytes(tables)))
        shown["catalog"] = blake2b(json_bytes([shown["resources"], _values(shown), shown["edges"]])).hexdigest()[:32]
        return {**shown, "inputs": inputs, "dependencies": dependencies}

    def _set(self, origin: Origin, inputs: list[Row], dependencies: list[Row]) -> int:
        """The number of the set of inputs that an output depends on; a new set's rows are added."""
        members: set[int] = set()
        for passed in reachable([origin]):
            if isinstance(passed, Leaf):
                members.add(self._input(passed, inputs))
            elif (span := getattr(passed, "span", None)) is not None:
                members.add(self._place(span, inputs))
        key = frozenset(members)
        known = self._sets.get(key)
        if known is None:
            known = self._sets[key] = number_of(sorted(key))
            dependencies += ([known, member] for member in sorted(key))
        return known

    def _input(self, leaf: Leaf, inputs: list[Row]) -> int:
        key = leaf.key
        known = self._inputs.get(key)
        if known is None:
            line, last, column = _lines(leaf.span)
            if leaf.kind == "hiera" and leaf.span is not None:
                line = _key_line(leaf.span, leaf.name)
            row = [leaf.kind, leaf.name, leaf.file, line, last, column, leaf.absent]
            known = self._inputs[key] = number_of(row)
            inputs.append([known, *row])
        return known

    def _place(self, span: Span, inputs: list[Row]) -> int:
        key = ("place", span.file.identity, span.start, span.end)
        known = self._inputs.get(key)
        if known is None:
            line, last, column = _lines(span)
            row = ["place", "", span.file.identity, line, last, column, False]
            known = self._inputs[key] = number_of(row)
            inputs.append([known, *row])
        return known


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
