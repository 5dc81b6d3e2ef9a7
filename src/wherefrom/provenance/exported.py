"""Resources that one node exports and others collect: plain values, and the origins that come along with them.

An origin does not end where a node does. What a collected value depends on is what it depended on where it was made; a
fact of that node stays that node's (`Foreign`). Where resources come from a database that keeps no origins, each value
is an input of its own.

A query is PuppetDB's: `["and", ["=", "type", "Host"], ["=", "exported", true], ["not", ["=", "certname", "web01"]],
["=", "tag", "lan"]]`, lists that JSON can hold; a parameter is `["parameter", NAME]`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from ..base.record import Record
from ..base.source import SourceFile
from .origins import Origin


class Exported(Record):
    """A resource as another node exported it."""

    node: str
    type: str
    title: str
    tags: tuple[str, ...]
    parameters: Mapping[str, Any]
    file: str
    line: int
    existence: Origin
    """Why this resource exists."""
    origins: Mapping[str, Origin]
    """Those of the parameters."""
    secrets: tuple[str, ...] = ()
    """Texts in it that no output may show."""
    sources: Mapping[str, SourceFile] = {}
    """The files that its origins point into."""


class ExportSource(ABC):
    """A source of what other nodes export."""

    @abstractmethod
    def search(self, query: Sequence[Any]) -> Sequence[Exported]:
        """The exported resources that match, in an order that is always the same."""


class Database(ABC):
    """What answers queries about other nodes (`puppetdb_query`)."""

    @abstractmethod
    def query(self, query: str | Sequence[Any]) -> list[Any]:
        """The answer, as plain data."""


def condition_words(condition: Sequence[Any]) -> str:
    """A query for a person: `tag == lan and port == 80`."""
    match condition:
        case ["not", ["=", field, value]]:
            return f"{_field(field)} != {_value(value)}"
        case ["and" | "or" as word, left, right]:
            return f"{_operand(left)} {word} {_operand(right)}"
        case _:
            return f"{_field(condition[1])} == {_value(condition[2])}"


def _operand(condition: Sequence[object]) -> str:
    words = condition_words(condition)
    return f"({words})" if condition[0] in ("and", "or") else words


def _field(field: Any) -> str:
    return field if isinstance(field, str) else str(field[1])


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
