"""Outcomes written to a file and read back.

A saved outcome holds every output with its value, the contents of files that it points at, the graph of their origins
and the sources they point into: enough to explain, to ask for impact and to compare, without the files it was compiled
from.

    {"format": "wherefrom-outcome/2", "digest": "...", "outcome": {...}}

The digest is that of the bytes of the outcome, so that a file that was changed or cut off is known for it. It is no
signature: whoever can write the file can write a digest too. So nothing in it is believed
(`wherefrom.provenance.export`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .base.deep import with_deep_stack
from .base.diagnostics import PathNotFound
from .base.json_bytes import json_bytes
from .base.secrets import Secrets
from .base.source import SourceFile
from .base.spell import nearest
from .language import Outcome, Selected
from .provenance.export import BadExport, Exporter, hidden_outputs, hidden_table, import_origins
from .provenance.origins import Origin

if TYPE_CHECKING:
    from .provenance.explain import Explanation

FORMAT = "wherefrom-outcome/2"
_HEAD = re.compile(rb'\{"format": "wherefrom-outcome/2", "digest": "([0-9a-f]{64})", "outcome": ')
_TAIL = b"}\n"


def save(outcome: Outcome, secrets: Secrets | None = None) -> bytes:
    """`outcome` as the content of a file; of `secrets`, each character is an asterisk in it."""
    exporter = Exporter()
    for source in outcome.sources.values():
        exporter.add_source(source)
    outputs = [[output.path, output.value, exporter.row(output.origin)] for output in outcome.outputs()]
    pointed = outcome.contents()
    contents = [[content.path, content.value, exporter.row(content.origin)] for content in pointed or ()]
    hiding = secrets or Secrets(outcome.secrets())
    body = json_bytes(
        {
            "language": outcome.language,
            "directory": outcome.directory,
            "document": hiding.redacted_data(outcome.shown(), masked=True),
            "text": hiding.redacted(outcome.text(), masked=True),
            "outputs": hidden_outputs(hiding, outputs),
            "contents": None if pointed is None else hidden_outputs(hiding, contents),
            **hidden_table(hiding, exporter.document()),
        }
    )
    return b'{"format": "%s", "digest": "%s", "outcome": %s%s' % (FORMAT.encode(), _digest(body), body, _TAIL)


def _digest(body: bytes | memoryview) -> bytes:
    from hashlib import sha256

    return sha256(body).hexdigest().encode()


def restore(data: bytes) -> SavedOutcome:
    """Read a saved outcome.  Raises `BadExport`."""
    head = _HEAD.match(data)
    if head is None or not data.endswith(_TAIL):
        raise BadExport(f"expected a {FORMAT} document")
    body = data[head.end() : -len(_TAIL)]
    if _digest(body) != head[1]:
        raise BadExport("the file was modified after it was saved")
    return with_deep_stack(lambda: _read(body))


def _read(body: bytes) -> SavedOutcome:
    try:
        document = json.loads(body)
    except ValueError as problem:
        raise BadExport(str(problem)) from None
    if not isinstance(document, dict):
        raise BadExport("no outcome in it")
    nodes, sources = import_origins(document)
    try:
        outputs = {output.path: output for output in _selected(nodes, document["outputs"])}
        pointed = document.get("contents")
        contents = None if pointed is None else list(_selected(nodes, pointed))
        language, text = _text(document["language"]), _text(document["text"])
        directory = _text(document.get("directory", ""))
        return SavedOutcome(language, document["document"], text, outputs, sources, contents, directory)
    except (KeyError, TypeError, ValueError) as problem:
        raise BadExport(f"{type(problem).__name__}: {str(problem)[:200]}") from None


def _selected(nodes: Sequence[object], rows: Sequence[Any]) -> Iterator[Selected]:
    for path, value, row in rows:
        yield Selected(_text(path), value, _origin(nodes, row))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a text, found {type(value).__name__}")
    return value


def _origin(nodes: Sequence[object], row: object) -> Origin:
    if type(row) is not int or not 0 <= row < len(nodes):
        raise ValueError(f"expected a number below {len(nodes)}")
    node = nodes[row]
    if not isinstance(node, Origin):
        raise ValueError("expected an origin, found a guard")
    return node


class SavedOutcome(Outcome):
    """An outcome read back from a file."""

    def __init__(
        self,
        language: str,
        document: Any,
        text: str,
        outputs: dict[str, Selected],
        sources: dict[str, SourceFile],
        contents: list[Selected] | None,
        directory: str,
    ) -> None:
        self.language = language
        self.sources = sources
        self._document = document
        self._text = text
        self._outputs = outputs
        self._contents = contents
        self._directory = directory

    @property
    def directory(self) -> str:
        return self._directory or super().directory

    @property
    def is_masked(self) -> bool:
        return True

    def document(self) -> Any:
        return self._document

    def text(self) -> str:
        return self._text

    def select(self, path: str) -> Selected:
        known = {**self._outputs, **{content.path: content for content in self._contents or ()}}
        if path not in known:
            raise PathNotFound(path, "the saved outcome has no such output", nearest(path, known))
        return known[path]

    def explain(self, path: str) -> Explanation:
        explanation = super().explain(path)
        if self.language != "puppet":
            return explanation
        from .provenance.explain import RecalledExplanation

        return RecalledExplanation(explanation.path, explanation.value, explanation.origin)

    def contents(self) -> Iterator[Selected] | None:
        return None if self._contents is None else iter(self._contents)

    def outputs(self) -> Iterator[Selected]:
        return iter(self._outputs.values())
