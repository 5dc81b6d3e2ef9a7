"""A compiled node as columns of the store's tables: what its catalog says, and what the data told it.

Columns are what Arrow takes, so they are put together as they will be written, and no row is ever made. What values
depend on is no part of it: that is worked out for the nodes that somebody asks about (`origins`).
"""

from __future__ import annotations

import json
import marshal
from collections.abc import Callable, Sequence
from functools import cached_property
from hashlib import blake2b
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any

from ..base.json_bytes import DELETE, json_bytes
from ..base.secrets import Secret, Secrets
from ..language import Data
from .answers import AnswerRows, answer_of
from .traces import DIGEST_BYTES

if TYPE_CHECKING:
    from ..language import Outcome

Column = list[Any]


class CatalogValues:
    """The values of a node's catalog, by column (`attributes`).

    `content` tells them from others: a digest of those that are shown, and one that is `keyed` of the others. Secrets
    are left out of everything.
    """

    def __init__(self, outcome: Outcome, keyed: Callable[[bytes], str]) -> None:
        self._document = outcome.document()  # first of all, as it says what is wrong with a catalog
        self._secrets = Secrets(outcome.secrets())
        columns: list[Column] = [*map(list, zip(*outcome.values()))] or [[], [], [], []]
        hidden = {place: repr(value.raw) for place, value in enumerate(columns[3]) if isinstance(value, Secret)}
        columns[3] = [*map(json_text, columns[3])]
        if self._secrets and self._secrets.are_in(columns):
            texts = columns.pop()
            shown = [_hidden_json(self._secrets, text) for text in texts]
            hidden |= {place: text for place, text in enumerate(texts) if text != shown[place]}
            columns = [*self._redacted(columns), shown]
        self.attributes = columns
        other = keyed(repr(sorted(hidden.items())).encode("utf-8", "surrogateescape")) if hidden else ""
        self.content = f"{_digest(columns)}:{other}"

    def _redacted(self, columns: Sequence[Column]) -> list[Column]:
        """Columns without what may not be shown."""
        if not self._secrets or not self._secrets.are_in(columns):
            return [*columns]
        return [self._secrets.redacted_data(column, numbers=False) for column in columns]

    @cached_property
    def resources(self) -> list[Column]:
        """The resources with their places."""
        columns: list[Column] = [[], [], [], [], []]
        types, titles, files, lines, exported = columns
        for resource in self._document.get("resources", ()) if isinstance(self._document, dict) else ():
            types.append(str(resource["type"]))
            titles.append(str(resource["title"]))
            files.append(resource.get("file") or "")
            lines.append(resource.get("line") or 0)
            exported.append(bool(resource.get("exported")))
        return self._redacted(columns)


class CatalogColumns(CatalogValues):
    """What a node's catalog says, by column, and what the data told it (`answered`).

    `digest` tells the catalog from others, with places and edges.
    """

    def __init__(self, outcome: Outcome, keyed: Callable[[bytes], str]) -> None:
        super().__init__(outcome, keyed)
        edges = self._document.get("edges", ()) if isinstance(self._document, dict) else ()
        self.edges = self._redacted([[edge["source"] for edge in edges], [edge["target"] for edge in edges]])
        answers = outcome.key_answers() if isinstance(outcome, Data) else []
        self.answered = [answer_of(answer) for answer in answers]
        secrets = self._secrets
        if secrets and secrets.are_in(self.answered):
            hidden = [secrets.redacted_data(row, numbers=False) for row in self.answered]
            values = [secrets.redacted_data([row[2]])[0] for row in self.answered]
            self.answered = [[*row[:2], value, *row[3:]] for row, value in zip(hidden, values)]
        self.digest = _digest([self.resources, self.edges, self.content])

    @property
    def files(self) -> set[str]:
        """The files of data that are named with what they told."""
        return {file for *_, places in self.answered for _, _, file, _ in places if file}

    def result(self, answers: AnswerRows) -> dict[str, Any]:
        """All of it, as a process sends it."""
        new: list[list[object]] = []
        numbers = [answers.number(row, new) for row in self.answered]
        return {
            "resources": self.resources,
            "attributes": self.attributes,
            "edges": self.edges,
            "lookups": [[row[0] for row in self.answered], numbers],
            "answers": new,
            "catalog": self.digest,
            "content": self.content,
        }


def _digest(told: Any) -> str:
    try:  # by the lowest version: the same bytes for equal texts and numbers, whichever of them are one object
        content = marshal.dumps(told, 0)
    except ValueError:  # something in it that only stands for a text
        content = json_bytes(told)
    return blake2b(content, digest_size=DIGEST_BYTES).hexdigest()


def json_text(value: object) -> str:
    """A value as the store holds it."""
    if type(value) is str and value.isascii() and DELETE not in value:  # most are, and the writer would say the same
        return encode_basestring(value)
    if type(value) is bool:
        return "true" if value else "false"
    return json_bytes(value).decode("utf-8", "replace")


def _hidden_json(secrets: Secrets, text: str) -> str:
    """A value as the store holds it, without secrets; it is JSON still, whatever the secrets look like."""
    return json_text(secrets.redacted_data([json.loads(text)])[0])


def lengths(columns: Sequence[Column]) -> int:
    """How many rows some columns have."""
    return len(columns[0]) if columns else 0
