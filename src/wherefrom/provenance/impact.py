"""The question turned round: given an input, which outputs may change?

Dependency is sound, so the answer has two halves that are both useful: the outputs listed *may* change when the input
does, and all others certainly can not. A line of source is more than its literals: for `FILE:LINE` an output also
counts when its history passed through that line (a test, an operator, a declaration there), because editing those words
changes it too. One walk over the shared graph serves all outputs of a run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..base.diagnostics import UsageError
from ..base.plural import count_of
from ..base.record import Record
from ..base.source import SourceFile, Span
from ..base.spell import nearest
from .extract import parts, reachable
from .origins import KINDS, Guard, Leaf, Origin


class Target(Record):
    """An input as the user names it: `FILE:LINE[:COLUMN]`, or `KIND:NAME` (`fact:os.family`, `hiera:ntp::servers`)."""

    kind: str
    name: str
    line: int | None = None
    column: int | None = None

    def matches(self, node: Origin | Guard) -> bool:
        """Whether `node` is this input, a part of it, or a whole that it is part of; for a line, whether it stands
        there."""
        if self.line is None:
            return isinstance(node, Leaf) and self._names(node)
        if isinstance(node, Leaf) and node.kind == "hiera" and self.column is None and self._is_above(node):
            return True
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

    def _names(self, leaf: Leaf) -> bool:
        if self.kind == "file":
            # A key of a file of data is a part of the file; a directory that was listed is a whole.
            if leaf.kind == "hiera":
                return same_file(leaf.file, self.name)
            return leaf.kind == "file" and (
                not self.name or same_file(leaf.name, self.name) or self.name.startswith(leaf.name.rstrip("/") + "/")
            )
        if self.kind == "node" and leaf.kind == "trusted":  # what the certificate says of the node's name
            return leaf.name.partition(".")[0] in ("", "certname", "hostname", "domain")
        if leaf.kind != self.kind:
            return False
        return not self.name or not leaf.name or _is_part(leaf.name, self.name) or _is_part(self.name, leaf.name)

    def _is_above(self, leaf: Leaf) -> bool:
        """Whether the line opens what the datum stands in: a key or an item of a list, lines above it."""
        span = leaf.span
        if span is None or self.line is None or span.line <= self.line or not same_file(span.file.name, self.name):
            return False
        file = span.file
        path, opening = f".{leaf.name}.", file.line_text(self.line)
        if file.text.lstrip().startswith(("{", "[")):  # JSON, where indentation says nothing
            return any(f".{key}." in path for key in _JSON_KEY.findall(opening))
        lines = [file.line_text(line) for line in range(self.line + 1, span.line + 1)]
        between = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
        key = _KEY.match(opening)
        if key is not None and f".{key['key']}." in path:
            return all(_indent(line, " -") > len(key["indent"]) for line in between)
        is_item = _ITEM.match(opening) is not None
        return is_item and all(_indent(line, " ") > _indent(opening, " ") for line in between)


_KEY = re.compile(r"(?P<indent>[ -]*)(?P<quote>['\"]?)(?P<key>[^'\"#\s][^'\"#]*?)(?P=quote)\s*:(\s|$)")
_ITEM = re.compile(r" *-(\s|$)")
_JSON_KEY = re.compile(r'"([^"]*)"\s*:')


def _indent(line: str, characters: str) -> int:
    return len(line) - len(line.lstrip(characters))


def _is_part(name: str, whole: str) -> bool:
    return name == whole or name.startswith((whole + ".", whole + "["))


def same_file(name: str, asked: str) -> bool:
    """Whether a file is meant by what was asked for: all of its path, or the end of it."""
    asked = asked.removeprefix("./")
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
    """For each root, whether it depends on a node that `matches`; shared parts of the graph are visited once.

    What is absent may owe to itself by a detour, so the graph may have cycles: it is walked once downwards, noting who
    uses whom, and then upwards from all that matches.
    """
    asked = list(roots)
    nodes: dict[int, Origin | Guard] = {}  # kept, so that no identity is used again
    users: dict[int, list[int]] = {}
    reached: list[int] = []
    stack: list[Origin | Guard] = list(asked)
    while stack:
        node = stack.pop()
        here = id(node)
        if here in nodes:
            continue
        nodes[here] = node
        if matches(node):
            reached.append(here)
            continue
        for part in parts(node):
            users.setdefault(id(part), []).append(here)
            stack.append(part)
    hit: set[int] = set(reached)
    while reached:
        for user in users.get(reached.pop(), ()):
            if user not in hit:
                hit.add(user)
                reached.append(user)
    return [id(root) in hit for root in asked]


def inputs_matching(roots: Iterable[Origin], target: Target) -> list[Leaf]:
    """The inputs of these outputs that `target` names."""
    leaves = {node.key: node for node in reachable(roots) if isinstance(node, Leaf) and target.matches(node)}
    return list(leaves.values())


class Impact(Record):
    """What an input means for the outputs of a run: those that may change, and how many certainly do not."""

    inputs: list[Leaf]
    affected: list[tuple[str, Any]]
    """Path and value of each output that may change, in output order."""
    unaffected: int
    groups: Sequence[tuple[str, Sequence[str]]] = ()
    """Where values are merged from definitions: the definitions that hold the input, with the outputs behind each."""

    @property
    def is_known(self) -> bool:
        """Whether there is such an input at all, of these outputs."""
        return bool(self.inputs or self.affected)

    def to_json(self) -> dict[str, Any]:
        """What `wherefrom impact --json` prints."""
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
            **({} if self.is_known else {"known": False}),
        }


def missing_line(target: Target, sources: Mapping[str, SourceFile]) -> str | None:
    """That the file of a target does not have its line, in words; nothing if it does, or is no place in a file."""
    files = [source for name, source in sources.items() if target.line is not None and same_file(name, target.name)]
    lengths = [(len(source.text.splitlines()), source.name) for source in files]
    if target.line is None or not lengths or max(lengths)[0] >= target.line:
        return None
    length, name = max(lengths)
    return f"{name} has {count_of(length, 'line')}: there is no line {target.line}"


def impact_on(target: Target, sources: Iterable[str], outputs: Iterable[tuple[str, Any, Origin]]) -> Impact:
    """What `target` means for `outputs` (path, value, origin) of a run that read the files `sources`."""
    names = list(sources)
    if target.line is not None and not any(same_file(name, target.name) for name in names):
        last = {name.rpartition("/")[2]: name for name in names}
        close = nearest(target.name, names) or last.get(nearest(target.name.rpartition("/")[2], last) or "")
        hint = f"; did you mean {close}?" if close else f" ({len(names)} files were)"
        raise UsageError(f"{target.name} was not read in this run{hint}")
    rows = list(outputs)
    roots = [origin for _, _, origin in rows]
    hits = affected(roots, target.matches)
    return Impact(
        inputs_matching(roots, target),
        [(path, value) for (path, value, _), hit in zip(rows, hits) if hit],
        hits.count(False),
    )
