"""What the data said to each node about each key, as rows; and the same over all nodes, asked of a store.

Most nodes are told the same about most keys, from the same places. So an answer (found or not, the value, and where it
came from) is stored once, under a number that is made from it, and a node's lookup names it. An answer has a row for
each place that its value came from: one, or several where levels were merged.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..base.json_bytes import json_bytes
from ..base.record import Record
from .numbers import Sent, number_of

if TYPE_CHECKING:
    from ..provenance.ladder import KeyAnswer
    from .questions import Questions

Row = list[Any]


class AnswerPlace(Record):
    """Where a value, or a part of it, came from; `module` if the level is one of a module's own hierarchy."""

    module: str
    level: str
    file: str
    line: int

    @property
    def words(self) -> str:
        """For a person: the file and line, and whose they are."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        level = f"{self.level} of module {self.module}" if self.module else self.level
        return f"{place} ({level})" if place and level else place or level


class AnsweredValue(Record):
    """A value of a key, where it came from, and the nodes that were told so."""

    has_value: bool
    value: Any
    places: tuple[AnswerPlace, ...]
    nodes: tuple[str, ...]


class KeyOverNodes(Record):
    """A key over a fleet: what nodes were told, and those that have the parameter without asking for it."""

    key: str
    answers: tuple[AnsweredValue, ...]
    given: tuple[str, ...]
    """Nodes on which a class is declared with a value for this parameter, so that the data is not asked."""
    nodes: int
    """How many nodes the store has."""


def answer_of(answer: KeyAnswer) -> Row:
    """An answer as plain data, in which secrets can be looked for."""
    places = [[place.module, place.level, place.file, place.line] for place in answer.places]
    return [answer.key, answer.has_value, answer.value, places]


class AnswerRows:
    """Makes rows, for one process: an answer that it has sent once it does not send again."""

    def __init__(self) -> None:
        self._sent = Sent()

    def number(self, answer: Row, rows: list[Row]) -> int:
        """The number of an answer; if it is new, its rows are added."""
        _, has_value, _, places = answer
        text = _text(answer)
        number = number_of(repr((has_value, text, places)).encode("utf-8", "surrogateescape"))
        if self._sent.first_time(number):
            several = enumerate(places or [["", "", "", 0]])
            rows += ([number, index, has_value, text, *place] for index, place in several)
        return number


def _text(answer: Row) -> str:
    """The value of an answer as the store holds it."""
    _, has_value, value, _ = answer
    return json_bytes(value).decode("utf-8", "replace") if has_value else ""


def over_nodes(questions: Questions, key: str) -> KeyOverNodes:
    """The answer of every node's lookup of a key; of `a::b.c`, if no node looked that up, the part of `a::b`."""
    inside: list[str] = []
    answers = _answers(questions, key)
    if not answers and "." in key:
        root, *inside = key.split(".")
        answers = _within(_answers(questions, root), inside)
    return KeyOverNodes(key, tuple(answers), _given(questions, key), questions.node_count())


def known_keys(questions: Questions) -> list[str]:
    """Every key that some node looked up."""
    return [row[0] for row in questions.rows("select distinct key from lookups order by 1")]


def _answers(questions: Questions, key: str) -> list[AnsweredValue]:
    """Told values, the commonest first, and those without one last."""
    rows = questions.rows(
        "with asked as (select answer, list(node order by node) as names from lookups where key = ? group by answer) "
        "select found, value, names, module, level, file, line from asked join answers using (answer) "
        "order by found desc, len(names) desc, value, answer, place",
        [key],
    )
    places: dict[tuple[bool, str, tuple[str, ...]], list[AnswerPlace]] = {}
    for has_value, value, names, *place in rows:
        locations = places.setdefault((has_value, value, tuple(names)), [])
        if any(place):
            locations.append(AnswerPlace(*place))
    return [
        AnsweredValue(has_value, json.loads(value) if has_value else None, tuple(origins), names)
        for (has_value, value, names), origins in places.items()
    ]


def _within(answers: list[AnsweredValue], way: list[str]) -> list[AnsweredValue]:
    """Answers, of whose values a part is asked for."""
    parts: list[AnsweredValue] = []
    for answer in answers:
        value, has_value = answer.value, answer.has_value
        for step in way:
            if isinstance(value, dict) and step in value:
                value = value[step]
            elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
                value = value[int(step)]
            else:
                value, has_value = None, False
                break
        parts.append(AnsweredValue(has_value, value, answer.places, answer.nodes))
    return parts


def _given(questions: Questions, key: str) -> tuple[str, ...]:
    """Nodes that have the class and the parameter of a key's name, and did not ask."""
    owner, mark, parameter = key.partition(".")[0].rpartition("::")
    if not mark:
        return ()
    title = "::".join(part[:1].upper() + part[1:] for part in owner.split("::"))
    rows = questions.rows(
        "select distinct node from attributes where type = 'Class' and title = ? and "
        "(attribute = ? or starts_with(attribute, ? || '.') or starts_with(attribute, ? || '[')) "
        "and node not in (select node from lookups where key = ?) order by 1",
        [title, parameter, parameter, parameter, f"{owner}::{parameter}"],
    )
    return tuple(row[0] for row in rows)
