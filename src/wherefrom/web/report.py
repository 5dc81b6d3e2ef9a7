"""One self-contained page: what a server would have answered, inside of the file.

Every answer that the page may ask for is computed ahead. Inputs are mentioned again and again (a fact decides many
values), so each is written once and referred to; what remains is compressed, and the page unpacks it.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from typing import Any

from .documents import Documents, Refusal
from .page import report_page

Document = Any

REFERENCE = "$"
"""The key of a document that only says which of the shared pieces stands here."""
_NIX_STEP = re.compile(r'\.?(?:"(?:[^"\\]|\\.)*"|[^."\[\]]+)|\[\d+\]')
_SMARTFROG_STEP = re.compile(r":?[^:]+")


def report(documents: Documents, nodes: list[str | None]) -> bytes:
    """The page about these nodes (none: the only one there is)."""
    answers = _Answers(documents)
    answers.ask("subject")
    answers.ask("examples")
    if documents.subject.fleet is not None:
        answers.ask("fleet")
    for node in nodes:
        _about(answers, {"node": node} if node else {})
    for item in answers.last("examples")["examples"]:
        for choice in _STEP_CHOICES if item["language"] == "puppet" else ({},):
            answers.ask("step", example=item["name"], **choice)
    return report_page(documents.subject.title, _packed(answers.table))


_STEP_CHOICES: tuple[dict[str, str], ...] = tuple(
    {"annotate": "dependency", "rules": rules} for rules in ("repaired", "thesis")
)


def _about(answers: _Answers, node: dict[str, str]) -> None:
    """Everything about one node.  A node that does not compile has its errors told, and nothing else."""
    if not answers.ask("outputs", **node):
        return
    for question in ("compile", "graph", "contents", "logs", "inputs", "sources"):
        answers.ask(question, **node)
    for name in answers.last("sources")["files"]:
        answers.ask("source", file=name, **node)
    for path in _paths(answers, node):
        answers.ask("explain", path=path, **node)
        if isinstance(answers.last("explain").get("value"), str):
            answers.ask("fragments", path=path, **node)
            if len(answers.last("fragments")["fragments"]) < 2:
                answers.forget_last()  # one fragment says what the explanation says
    since = answers.documents.subject.since
    if since is not None:
        answers.ask("diff", since=since, **node)


def _paths(answers: _Answers, node: dict[str, str]) -> list[str]:
    """Every path that one can click on: outputs, and the composites around them."""
    outputs = [output["path"] for output in answers.answer_to("outputs", node)["outputs"]]
    language = answers.answer_to("subject", {})["language"]
    paths: dict[str, None] = {}
    if language == "puppet":
        for resource in answers.answer_to("compile", node)["resources"]:
            reference = f"{resource['type']}[{resource['title']}]"
            paths.update(dict.fromkeys(f"{reference}.{name}" for name in resource.get("parameters", ())))
    else:
        step = _NIX_STEP if language == "nix" else _SMARTFROG_STEP
        for output in outputs:
            paths.update(dict.fromkeys(_prefixes(output, step)))
    return list(dict.fromkeys([*paths, *outputs]))


def _prefixes(path: str, step: re.Pattern[str]) -> Iterator[str]:
    """The composites round a path, outermost first, and itself.

    >>> list(_prefixes('a."b.c"[0]', _NIX_STEP))
    ['a', 'a."b.c"', 'a."b.c"[0]']
    """
    for part in step.finditer(path):
        yield path[: part.end()]


class _Answers:
    """Answers by question, as the page will look them up."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self.table: dict[str, Document] = {}
        self._last: dict[str, str] = {}
        self._latest = ""

    def ask(self, question: str, **asked: str) -> bool:
        """Ask, and keep the answer; a refusal is kept too, and told."""
        key = key_of(question, asked)
        self._last[question] = self._latest = key
        try:
            self.table[key] = {"ok": self.documents.document(question, **asked)}
        except Refusal as refusal:
            self.table[key] = {"status": refusal.status, "refusal": refusal.document}
            return False
        return True

    def last(self, question: str) -> Document:
        """The last answer to a question; empty if it was refused."""
        return self.table[self._last[question]].get("ok", {})

    def answer_to(self, question: str, asked: dict[str, str]) -> Document:
        """An answer that was given before."""
        return self.table[key_of(question, asked)].get("ok", {})

    def forget_last(self) -> None:
        """The last answer is not worth keeping."""
        del self.table[self._latest]


def key_of(question: str, asked: dict[str, str]) -> str:
    """How the page names a question with its parameters.

    >>> key_of("explain", {"path": "a", "node": "b"})
    'explain\\nnode=b\\npath=a'
    """
    return "\n".join([question, *(f"{name}={asked[name]}" for name in sorted(asked))])


def _packed(table: dict[str, Document]) -> str:
    """All documents, pieces that occur often written once; compressed, in letters."""
    pieces: dict[str, int] = {}

    def shared(document: Document) -> Document:
        if isinstance(document, list):
            return [shared(item) for item in document]
        if not isinstance(document, dict):
            return document
        if "kind" in document:  # an input
            name = json.dumps(document)
            return {REFERENCE: pieces.setdefault(name, len(pieces))}
        return {key: shared(value) for key, value in document.items()}

    answers = {key: shared(document) for key, document in table.items()}
    whole = '{"pieces":[' + ",".join(pieces) + '],"answers":' + json.dumps(answers, separators=(",", ":")) + "}"
    return base64.b64encode(gzip.compress(whole.encode(), 9, mtime=0)).decode()
