"""What the fleet's plots show, as plain data: which lines have the largest reach, and which edits changed most nodes.

The *reach* of a line is every output on every node that may change when the line does: a literal of the code, or a
datum. Few lines reach nearly everything, most reach little; both are worth knowing before one edits.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..base.diagnostics import UsageError
from ..base.record import Record

if TYPE_CHECKING:
    from .questions import Questions

MOST_BARS = 15
MOST_KEYS = 4
"""Keys of one line that are told."""
NO_EDIT = "no edit of the files"
"""The cause of a difference that depends on no edit: other facts, another version, two stores."""


class Bar(Record):
    """A line, or an edit: how many nodes and how many outputs on them it touches."""

    label: str
    nodes: int
    outputs: int
    words: str = ""
    """The keys that stand there, or the line that was edited."""


class Reach(Record):
    """The lines of the largest reach, and over all lines how many reach how many nodes."""

    bars: tuple[Bar, ...]
    sharing: tuple[tuple[int, int], ...]
    """A number of nodes, and how many lines reach exactly so many."""
    lines: int
    nodes: int

    def to_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "nodes": self.nodes,
            "lines": self.lines,
            "bars": [_bar_json(bar) for bar in self.bars],
            "sharing": [{"nodes": nodes, "lines": lines} for nodes, lines in self.sharing],
        }


class Causes(Record):
    """The edits behind differences, those that changed most nodes first."""

    bars: tuple[Bar, ...]
    causes: int
    changed: int
    nodes: int

    def to_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "nodes": self.nodes,
            "changed": self.changed,
            "causes": self.causes,
            "bars": [_bar_json(bar) for bar in self.bars],
        }


def _bar_json(bar: Bar) -> dict[str, object]:
    return {"label": bar.label, "nodes": bar.nodes, "outputs": bar.outputs, "words": bar.words}


def reach(questions: Questions, most: int = MOST_BARS) -> Reach:
    """The reach of every line of code and data that some output depends on."""
    graphs = questions.graphs()
    places = {
        number: (entry.file, entry.line)
        for number, entry in questions.inputs().items()
        if entry.kind in ("literal", "hiera") and not entry.absent and entry.line
    }
    nodes: Counter[tuple[str, int]] = Counter()
    outputs: Counter[tuple[str, int]] = Counter()
    for _, numbers, graph in graphs:
        lines: dict[tuple[str, int], int] = {}
        users: list[int] = []
        for at, number in enumerate(numbers):
            place = places.get(number)
            if place is not None:
                users = users or graph().users()
                lines[place] = lines.get(place, 0) | users[at]
        for place, several in lines.items():
            if several:
                nodes[place] += 1
                outputs[place] += several.bit_count()
    words: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for number, entry in questions.inputs().items():
        if number in places and entry.kind == "hiera":
            words[places[number]].add(entry.name)
    order = sorted(outputs, key=lambda place: (-outputs[place], -nodes[place], place))
    bars = tuple(
        Bar(
            f"{place[0].removeprefix('./')}:{place[1]}",
            nodes[place],
            outputs[place],
            _keys(sorted(words[place])),
        )
        for place in order[:most]
    )
    sharing = tuple(sorted(Counter(nodes.values()).items()))
    return Reach(bars, sharing, len(nodes), questions.node_count())


def _keys(names: list[str]) -> str:
    """The keys on a line, without those nested in one of them; of many, the first ones."""
    known = set(names)
    outer = [
        name for name in names if not any(name[:end] in known for end, mark in enumerate(name) if end and mark in ".[")
    ]
    more = len(outer) - MOST_KEYS
    return ", ".join(outer[:MOST_KEYS]) + (f" and {more} more" if more > 0 else "")


def causes(document: object, most: int = MOST_BARS) -> Causes:
    """The edits of a comparison, as `wherefrom fleet diff --format json` prints it.  Raises `UsageError`."""
    if not isinstance(document, dict) or not isinstance(document.get("groups"), list):
        raise UsageError("expected what `wherefrom fleet diff --format json` prints")
    nodes: dict[str, set[str]] = {}
    outputs: dict[str, int] = {}
    words: dict[str, str] = {}
    try:
        for group in document["groups"]:
            for difference in group["differences"]:
                for label, line in _edits(difference):
                    nodes.setdefault(label, set()).update(group["nodes"])
                    outputs[label] = outputs.get(label, 0) + len(group["nodes"])
                    words.setdefault(label, line)
        changed, same, failed = (len(document[name]) for name in ("changed", "same", "failed"))
    except (KeyError, TypeError, AttributeError):
        raise UsageError("expected what `wherefrom fleet diff --format json` prints") from None
    order = sorted(nodes, key=lambda label: (-len(nodes[label]), -outputs[label], label))
    bars = tuple(Bar(label, len(nodes[label]), outputs[label], words[label]) for label in order[:most])
    return Causes(bars, len(order), changed, changed + same + failed)


def _edits(difference: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The places of the edits behind a difference, each with the line as it is now, or was."""
    edits = {}
    for edit in difference["edits"]:
        place = edit.get("after_place") or edit.get("before_place")
        lines = edit.get("after") or edit.get("before") or [""]
        edits[str(place)] = str(lines[0]).strip()
    return list(edits.items()) or [(NO_EDIT, "")]
