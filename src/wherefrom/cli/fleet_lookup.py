"""`wherefrom fleet lookup`: what every node of a store was told about a key of the data, and from where."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from ..base.diagnostics import PathNotFound
from ..base.plural import count_of
from ..base.render import Styled, show, visible
from ..base.spell import nearest
from ..fleet.answers import known_keys, over_nodes
from ..provenance.explain import short
from .options import print_json
from .reports import node_list, report

if TYPE_CHECKING:
    from ..fleet.answers import AnsweredValue, KeyOverNodes
    from ..fleet.questions import Questions


class KeyNotAsked(PathNotFound):
    """A key that no node of a store asked for."""


def answer(questions: Questions, key: str, as_json: bool) -> int:
    """Print the answer; the status: 1 if no node was told a value."""
    told = over_nodes(questions, key)
    if as_json:
        print_json(_json(told))
    elif told.answers:
        show(_styled(told), sys.stdout)
    if not told.answers and not as_json:
        words = f"none of the {told.nodes} nodes looks this key up"
        if told.given:
            words = f"no node looks this key up: {_given_words(told)}"
        report([KeyNotAsked(key, words, nearest(key, known_keys(questions)))])
    return 0 if any(row.has_value for row in told.answers) else 1


def _json(told: KeyOverNodes) -> dict[str, object]:
    return {
        "key": told.key,
        "groups": [
            {
                "found": row.has_value,
                **({"value": row.value} if row.has_value else {}),
                "nodes": list(row.nodes),
                "from": [
                    {"module": place.module, "level": place.level, "file": place.file, "line": place.line}
                    for place in row.places
                ],
            }
            for row in told.answers
        ],
        "given": list(told.given),
        "nodes": told.nodes,
    }


def _styled(told: KeyOverNodes) -> Styled:
    asked = sum(len(row.nodes) for row in told.answers)
    out: Styled = [(visible(told.key), "key"), (f", looked up by {asked} of {told.nodes} nodes\n", "")]
    by_value: dict[str, list[AnsweredValue]] = {}
    for row in told.answers:
        by_value.setdefault(json.dumps([row.has_value, row.value], sort_keys=True), []).append(row)
    for rows in by_value.values():
        value = short(rows[0].value, 100) if rows[0].has_value else "no level has it"
        count = sum(len(row.nodes) for row in rows)
        number = count_of(count, "node")
        out += [("\n", ""), (value, "value" if rows[0].has_value else "dim"), (f"   {number}\n", "strong")]
        for row in rows:
            where = ", ".join(place.words for place in row.places)
            out += [
                (f"        {node_list(list(row.nodes))}", ""),
                (f"   {visible(where)}\n" if where else "\n", "place"),
            ]
    if told.given:
        out += [("\n", ""), (f"{_given_words(told)}\n", "dim")]
    return out


def _given_words(told: KeyOverNodes) -> str:
    owner = told.key.rpartition("::")[0]
    return f"on {node_list(list(told.given))} class {owner} is declared with a value, so its data is not looked up"
