"""Outcomes written to a file and read back.

A saved outcome holds every output with its value, the graph of their origins and the sources they point into: enough
to explain, to ask for impact and to compare, without the files it was compiled from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .base.diagnostics import PathNotFound
from .base.source import SourceFile
from .base.spell import nearest
from .language import Outcome, Selected
from .provenance.export import BadExport, Exporter, import_origins
from .provenance.origins import Origin

FORMAT = "whence-outcome/1"


def save(outcome: Outcome) -> dict[str, Any]:
    """`outcome` as a JSON document."""
    exporter = Exporter()
    for source in outcome.sources.values():
        exporter.add_source(source)
    outputs = [[each.path, each.value, exporter.row(each.origin)] for each in outcome.outputs()]
    return {
        "format": FORMAT,
        "language": outcome.language,
        "document": outcome.document(),
        "text": outcome.text(),
        "outputs": outputs,
        **exporter.document(),
    }


def is_saved(data: bytes) -> bool:
    """Whether a file's content looks like a saved outcome."""
    return data.startswith(b"{") and FORMAT.encode() in data[:200]


def restore(data: bytes) -> SavedOutcome:
    """Read a saved outcome.  Raises `BadExport`."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as problem:
        raise BadExport(str(problem)) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadExport(f"no {FORMAT} document")
    nodes, sources = import_origins(document)
    try:
        outputs = {path: Selected(path, value, _origin(nodes[row])) for path, value, row in document["outputs"]}
        return SavedOutcome(document["language"], document["document"], document["text"], outputs, sources)
    except (KeyError, IndexError, TypeError, ValueError) as problem:
        raise BadExport(f"{type(problem).__name__}: {problem}") from None


def _origin(node: object) -> Origin:
    if not isinstance(node, Origin):
        raise ValueError(f"{node!r} is not an origin")
    return node


class SavedOutcome(Outcome):
    """An outcome read back from a file."""

    def __init__(
        self, language: str, document: Any, text: str, outputs: dict[str, Selected], sources: dict[str, SourceFile]
    ) -> None:
        self.language = language
        self.sources = sources
        self._document = document
        self._text = text
        self._outputs = outputs

    def document(self) -> Any:
        return self._document

    def text(self) -> str:
        return self._text

    def select(self, path: str) -> Selected:
        if path not in self._outputs:
            raise PathNotFound(path, "the saved outcome has no such output", nearest(path, self._outputs))
        return self._outputs[path]

    def outputs(self) -> Iterator[Selected]:
        return iter(self._outputs.values())
