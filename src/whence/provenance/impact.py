"""The question turned round: given an input, which outputs may change?

Dependency is sound, so the answer has two halves that are both useful: the outputs listed *may* change when the input
does, and all others certainly can not. A line of source is more than its literals: for `FILE:LINE` an output also
counts when its history passed through that line (a test, an operator, a declaration there), because editing those words
changes it too. One walk over the shared graph serves all outputs of a run: for every node it is worked out once whether
it reaches a match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..base.diagnostics import UsageError
from ..base.record import Record
from ..base.source import Span
from .extract import parts, reachable
from .origins import KINDS, Guard, Leaf, Origin


class Target(Record):
    """An input as the user names it: `FILE:LINE[:COLUMN]`, or `KIND:NAME` (`fact:os.family`, `hiera:ntp::servers`)."""

    kind: str
    name: str
    line: int | None = None
    column: int | None = None

    def matches(self, node: Origin | Guard) -> bool:
        """Whether `node` is this input, or a part of it; for a line, whether it stands there."""
        if self.line is None:
            if not isinstance(node, Leaf):
                return False
            return node.kind == self.kind and (not self.name or _is_part(node.name, self.name))
        if self.column is not None and not isinstance(node, Leaf):
            return False
        span: Span | None = getattr(node, "span", None)
        if span is None or not same_file(span.file.name, self.name):
            return False
        first, last = span.line, span.file.line_of(max(span.start, span.end - 1))
        if not first <= self.line <= last:
            return False
        if self.column is None:
            return True
        offset = span.file.line_starts[self.line - 1] + self.column - 1
        return span.start <= offset < max(span.end, span.start + 1)


def _is_part(name: str, whole: str) -> bool:
    return name == whole or name.startswith((whole + ".", whole + "["))


def same_file(name: str, asked: str) -> bool:
    name, asked = name.removeprefix("./"), asked.removeprefix("./")
    return name == asked or name.endswith("/" + asked)


_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?::(?P<column>\d+))?")
_KINDS = frozenset(KINDS) - {"literal"}


def parse_target(text: str) -> Target:
    """Read an input as written on the command line.  Raises `UsageError`.

    >>> parse_target("site.pp:12:3")
    Target('literal', 'site.pp', 12, 3)
    >>> parse_target("fact:os.family")
    Target('fact', 'os.family', None, None)
    """
    kind, colon, name = text.partition(":")
    if colon and kind in _KINDS and not re.fullmatch(r"\d+(:\d+)?", name):
        return Target(kind, name)
    place = _PLACE.fullmatch(text)
    if place is None:
        known = ", ".join(sorted(_KINDS))
        raise UsageError(f"{text!r} names no input: expected FILE:LINE[:COLUMN] or KIND:NAME (kinds: {known})")
    column = place["column"]
    return Target("literal", place["file"], int(place["line"]), int(column) if column else None)


def affected(roots: Iterable[Origin], matches: Callable[[Origin | Guard], bool]) -> list[bool]:
    """For each root, whether it depends on a node that `matches`; shared parts of the graph are visited once."""
    reaches: dict[int, bool] = {}
    answers: list[bool] = []
    kept: list[Origin] = []
    for root in roots:
        kept.append(root)  # so that no object's identity is used again while we remember it
        _mark(root, matches, reaches)
        answers.append(reaches[id(root)])
    return answers


def _mark(root: Origin, matches: Callable[[Origin | Guard], bool], reaches: dict[int, bool]) -> None:
    stack: list[Origin | Guard] = [root]
    while stack:
        node = stack[-1]
        if id(node) in reaches:
            stack.pop()
            continue
        if isinstance(node, Leaf) or matches(node):
            reaches[id(node)] = matches(node)
            stack.pop()
            continue
        children = list(parts(node))
        missing = [child for child in children if id(child) not in reaches]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        reaches[id(node)] = any(reaches[id(child)] for child in children)


def inputs_matching(roots: Iterable[Origin], target: Target) -> list[Leaf]:
    """The inputs of these outputs that `target` names."""
    found = {node.key: node for node in reachable(roots) if isinstance(node, Leaf) and target.matches(node)}
    return list(found.values())


class Impact(Record):
    """What an input means for the outputs of a run: those that may change, and how many certainly do not."""

    inputs: list[Leaf]
    affected: list[tuple[str, Any]]
    """Path and value of each output that may change, in output order."""
    unaffected: int
    groups: Sequence[tuple[str, Sequence[str]]] = ()
    """Where values are merged from definitions: the definitions that hold the input, with the outputs behind each."""

    def to_json(self) -> dict[str, Any]:
        """What `whence impact --json` prints."""
        from .explain import leaf_json

        return {
            "inputs": [leaf_json(leaf) for leaf in self.inputs],
            "affected": [{"path": path, "value": value} for path, value in self.affected],
            "unaffected": self.unaffected,
            **(
                {"definitions": [{"definition": head, "paths": list(paths)} for head, paths in self.groups]}
                if self.groups
                else {}
            ),
        }


def impact_on(target: Target, sources: Iterable[str], outputs: Iterable[tuple[str, Any, Origin]]) -> Impact:
    """What `target` means for `outputs` (path, value, origin) of a run that read the files `sources`."""
    names = list(sources)
    if target.line is not None and not any(same_file(name, target.name) for name in names):
        raise UsageError(f"{target.name} was not read in this run (read: {', '.join(names) or 'nothing'})")
    rows = list(outputs)
    roots = [origin for _, _, origin in rows]
    hits = affected(roots, target.matches)
    return Impact(
        inputs_matching(roots, target),
        [(path, value) for (path, value, _), hit in zip(rows, hits) if hit],
        hits.count(False),
    )
