"""The question turned round: given an input, which outputs may change?

Dependency is sound, so the answer has two halves that are both useful: the outputs listed *may* change when the input
does, and all others certainly can not. A line of source is more than its literals: for `FILE:LINE` an output also
counts when its history passed through that line (a test, an operator, a declaration there), because editing those words
changes it too. One walk over the shared graph serves all outputs of a run.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from ..base.diagnostics import UsageError
from ..base.plural import count_of
from ..base.record import Record
from ..base.source import SourceFile, Span, lines_of
from ..base.spell import nearest
from .extract import parts, reachable, together
from .origins import KINDS, OUTSIDE, Foreign, Guard, Leaf, Origin


def names_in(facts: Mapping[Any, object], before: str = "", deepest: int = 8) -> Iterator[str]:
    """The dotted names of facts, wholes and parts."""
    for key, value in facts.items():
        yield f"{before}{key}"
        if isinstance(value, Mapping) and deepest:
            yield from names_in(value, f"{before}{key}.", deepest - 1)


def recorded_names(origins: Iterable[Origin], kind: str) -> Iterator[str]:
    """The names of the inputs of a kind that histories have, of those that are not there too."""
    for node in reachable(list(origins)):
        if isinstance(node, Leaf) and node.kind == kind and node.name:
            yield node.name


def word_is_in(word: str, texts: Iterable[str]) -> bool:
    """Whether a text has a word that is no part of a longer one."""
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    return any(pattern.search(text) for text in texts)


class ImpactTarget(Record):
    """An input as the user names it: `FILE:LINE[:COLUMN]`, or `KIND:NAME` (`fact:os.family`, `hiera:ntp::servers`).

    `file:PATH`, or a path with a `/` alone, is all that stands in a file, and what is read of it as a whole.
    """

    kind: str
    name: str
    line: int | None = None
    column: int | None = None

    def matches(self, node: Origin | Guard) -> bool:
        """Whether `node` is this input, a part of it, or a whole that it is part of; for a line, whether it stands
        there."""
        if self.line is None:
            return self._holds(node) or (isinstance(node, Leaf) and self.names(node))
        if isinstance(node, Leaf) and node.kind == "hiera" and self.column is None and self._is_above(node):
            return True
        if self.column is not None and not isinstance(node, Leaf):
            return False
        span: Span | None = getattr(node, "span", None)
        if span is None or not same_file(span.file.name, self.name):
            return False
        first, column, last, end = extent(span)
        if self.column is None:
            return first <= self.line <= last
        return (first, column) <= (self.line, self.column) < (last, end)

    def _holds(self, node: Origin | Guard) -> bool:
        """Whether an input lies in the file that the target names."""
        span: Span | None = getattr(node, "span", None)
        return self.kind == "file" and bool(self.name) and span is not None and same_file(span.file.name, self.name)

    def names(self, leaf: Leaf) -> bool:
        """Whether it is this input by kind and name (and file, for a key of a file of data), or a part of it."""
        if self.kind == "file":
            # A key of a file of data is a part of the file; a directory that was listed is a whole.
            if leaf.kind == "hiera":
                return same_file(leaf.file, self.name)
            if leaf.kind != "file":
                return False
            if "*" in leaf.name and leaf.absent:  # looked for in several directories
                return not self.name or fnmatchcase(self.name, leaf.name) or fnmatchcase(self.name, f"*/{leaf.name}")
            return not self.name or same_file(leaf.name, self.name) or self.name.startswith(leaf.name.rstrip("/") + "/")
        if self.kind == "node" and leaf.kind == "trusted":  # what the certificate says of the node's name
            return leaf.name.partition(".")[0] in ("", "certname", "hostname", "domain")
        if leaf.kind != self.kind:
            return False
        return not self.name or any(
            not name or _is_part(name, self.name) or _is_part(self.name, name) for name in leaf.names
        )

    def _is_above(self, leaf: Leaf) -> bool:
        """Whether the line opens a hash or list around the datum."""
        span = leaf.span
        if span is None or self.line is None or span.line <= self.line or not same_file(span.file.name, self.name):
            return False
        return self.line in openings(leaf, span)


class Stretch(ImpactTarget):
    """Whatever begins on the lines from `line` to `last` of a file: all of a definition."""

    last: int = 0

    def matches(self, node: Origin | Guard) -> bool:
        span: Span | None = getattr(node, "span", None)
        if span is None or not same_file(span.file.name, self.name):
            return False
        return (self.line or 0) <= span.line <= self.last


def openings(leaf: Leaf, span: Span) -> list[int]:
    """The lines above a datum that open the hashes and lists around it: keys, and items of lists."""
    file, path = span.file, f".{leaf.name}."
    lines: list[int] = []
    if file.text.lstrip().startswith(("{", "[")):  # JSON, where indentation says nothing
        for line in range(1, span.line):
            if any(f".{key}." in path for key in _JSON_KEY.findall(file.line_text(line))):
                lines.append(line)
        return lines
    behind_item = behind = len(file.text)
    """How far the lines between are indented at the least: with the dashes of items, and without."""
    for line in range(span.line, 0, -1):
        text = file.line_text(line)
        if line < span.line:
            key = _KEY.match(text)
            if key is not None and f".{key['key']}." in path:
                is_opening = behind_item > len(key["indent"])
            else:
                is_opening = _ITEM.match(text) is not None and behind > _indent(text, " ")
            if is_opening:
                lines.append(line)
        if text.strip() and not text.lstrip().startswith("#"):
            behind_item = min(behind_item, _indent(text, " -"))
            behind = min(behind, _indent(text, " "))
            if not behind_item:
                break
    return lines


_KEY = re.compile(r"(?P<indent>[ -]*)(?P<quote>['\"]?)(?P<key>[^'\"#\s][^'\"#]*?)(?P=quote)\s*:(\s|$)")
_ITEM = re.compile(r" *-(\s|$)")
_JSON_KEY = re.compile(r'"([^"]*)"\s*:')


def _indent(line: str, characters: str) -> int:
    return len(line) - len(line.lstrip(characters))


def extent(span: Span) -> tuple[int, int, int, int]:
    """Where a span begins and ends: first line and column, last line, and the column behind the last character.

    A place is compared with it by line and column: a column behind the end of its line is on that line, not on the
    next one.
    """
    line, column = span.file.line_and_column(span.start)
    last = span.file.line_of(max(span.start, span.end - 1))
    return line, column, last, max(span.end, span.start + 1) - span.file.line_starts[last - 1] + 1


def _is_part(name: str, whole: str) -> bool:
    return name == whole or name.startswith((whole + ".", whole + "["))


def same_file(name: str, asked: str) -> bool:
    """Whether the name in a question means this file: its whole path, or the end of it."""
    asked = asked.removeprefix("./")
    return name == asked or name.endswith("/" + asked)


_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(?::(?P<column>\d+))?")
_KINDS = frozenset(KINDS) - {"literal"}


def parse_target(text: str) -> ImpactTarget:
    """Read an input as written on the command line.  Raises `UsageError`.

    >>> parse_target("site.pp:12:3")
    ImpactTarget('literal', 'site.pp', 12, 3)
    >>> parse_target("fact:os.family")
    ImpactTarget('fact', 'os.family', None, None)
    """
    kind, colon, name = text.partition(":")
    if colon and kind in _KINDS and not re.fullmatch(r"\d+(:\d+)?", name):
        return ImpactTarget(kind, name)
    place = _PLACE.fullmatch(text)
    if place is None and "/" in text and ":" not in text:
        return ImpactTarget("file", text)
    if place is None:
        known = ", ".join(sorted(_KINDS))
        raise UsageError(
            f"{text!r} is not an input: expected FILE:LINE[:COLUMN], DIR/FILE or KIND:NAME (kinds: {known})"
        )
    column = place["column"]
    return ImpactTarget("literal", place["file"], int(place["line"]), int(column) if column else None)


def affected(
    roots: Iterable[Origin],
    matches: Callable[[Origin | Guard], bool],
    below: Callable[[Origin | Guard], Iterable[Origin | Guard]] = parts,
) -> list[bool]:
    """For each root, whether it depends on a node that `matches`; shared parts of the graph are visited once.

    `below` are the parts of a node that are gone into.

    What is absent may depend on itself by a detour, so the graph may have cycles: it is walked once downwards, noting
    who uses whom, and then upwards from all that matches.
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
        for part in below(node):
            users.setdefault(id(part), []).append(here)
            stack.append(part)
    hit: set[int] = set(reached)
    while reached:
        for user in users.get(reached.pop(), ()):
            if user not in hit:
                hit.add(user)
                reached.append(user)
    return [id(root) in hit for root in asked]


def inputs_matching(roots: Iterable[Origin], target: ImpactTarget) -> list[Leaf]:
    """The inputs of these outputs that `target` names."""
    leaves = {node.key: node for node in reachable(roots) if isinstance(node, Leaf) and target.matches(node)}
    if not target.name:
        return together(list(leaves.values()))
    return list({leaf.key: leaf for several in leaves.values() for leaf in _asked_for(several, target)}.values())


def _asked_for(leaf: Leaf, target: ImpactTarget) -> list[Leaf]:
    """An input; of several that are one, those that are asked about."""
    if leaf.detail != OUTSIDE or isinstance(leaf, Foreign):
        return [leaf]
    singles = [Leaf("classifier", name, None, None, absent=True) for name in leaf.names]
    return [single for single in singles if target.matches(single)]


class Impact(Record):
    """What an input means for the outputs of a run: those that may change, and how many certainly do not."""

    inputs: list[Leaf]
    affected: list[tuple[str, Any]]
    """Path and value of each output that may change, in output order."""
    unaffected: int
    groups: Sequence[tuple[str, Sequence[str]]] = ()
    """Where values are merged from definitions: the definitions that hold the input, with the outputs behind each."""
    orders: Sequence[tuple[str, Sequence[str]]] = ()
    """Path and keys of each composite that may get other keys or another order of them, where order has a meaning."""
    shaped: frozenset[str] = frozenset()
    """Those of `affected` that the input has no part in computing: it decides whether and where they exist."""

    @property
    def is_known(self) -> bool:
        """Whether any of these outputs has an input of this name."""
        return bool(self.inputs or self.affected or self.orders)

    def to_json(self) -> dict[str, Any]:
        """What `wherefrom impact --json` prints."""
        from .explain import leaf_json

        return {
            "inputs": [leaf_json(leaf) for leaf in self.inputs],
            "affected": [
                {"path": path, "value": value, **({"decides": "shape"} if path in self.shaped else {})}
                for path, value in self.affected
            ],
            "unaffected": self.unaffected,
            **(
                {"definitions": [{"definition": head, "paths": list(paths)} for head, paths in self.groups]}
                if self.groups
                else {}
            ),
            **({"orders": [{"path": path, "keys": list(keys)} for path, keys in self.orders]} if self.orders else {}),
            **({} if self.is_known else {"known": False}),
        }


def missing_line(target: ImpactTarget, sources: Mapping[str, SourceFile]) -> str | None:
    """That the file of a target does not have its line or column, in words; nothing if it does, or is no place."""
    files = [source for name, source in sources.items() if target.line is not None and same_file(name, target.name)]
    if target.line is None or not files:
        return None
    length, name, lines = max((len(lines), source.name, lines) for source in files for lines in [lines_of(source.text)])
    if length < target.line:
        return f"{name} has only {count_of(length, 'line')}, no line {target.line}"
    if target.line < 1 or target.column is None:
        return None
    columns = len(lines[target.line - 1])
    if 1 <= target.column <= columns + 1:
        return None
    return f"line {target.line} of {name} has {count_of(columns, 'column')}, no column {target.column}"


def impact_on(
    target: ImpactTarget,
    sources: Iterable[str],
    outputs: Iterable[tuple[str, object, Origin]],
    orders: Iterable[tuple[str, Sequence[str], Origin, str]] = (),
) -> Impact:
    """What `target` means for `outputs` (path, value, origin) of a run that read the files `sources`.

    `orders` are composites whose order means something: path, keys, what put them in their order, and how the paths of
    all in it begin. One is told if an input that was asked for decides its order; or if a line that was asked for puts
    something in its place there, and gives it no value: then nothing else would tell that the line matters.
    """
    rows = list(outputs)
    ordered = list(orders)
    roots = [origin for _, _, origin in rows]
    ordering = [origin for _, _, origin, _ in ordered]
    names = list(sources)
    if not any(same_file(name, target.name) for name in names):  # templates and functions of Ruby are known by origins
        names += files_of([*roots, *ordering]) if target.line is not None else []
    require_read(target, names)
    hits = affected([*roots, *ordering], target.matches)
    changing = [(path, value) for (path, value, _), hit in zip(rows, hits) if hit]
    changing_paths = sorted(path for path, _ in changing)
    by_input = affected(ordering, lambda node: isinstance(node, Leaf) and target.matches(node))
    return Impact(
        inputs_matching([*roots, *ordering], target),
        changing,
        hits[: len(rows)].count(False),
        (),
        tuple(
            (path, keys)
            for (path, keys, _, inside), hit, is_input in zip(ordered, hits[len(rows) :], by_input)
            if is_input or (hit and not _any_begins(changing_paths, inside))
        ),
    )


def _any_begins(paths: Sequence[str], start: str) -> bool:
    """Whether one of these paths, which are sorted, begins so."""
    at = bisect_left(paths, start)
    return at < len(paths) and paths[at].startswith(start)


def files_of(roots: Iterable[Origin]) -> list[str]:
    """The files in which some part of these histories stands."""
    spans = (getattr(node, "span", None) for node in reachable(roots))
    return list(dict.fromkeys(span.file.name for span in spans if span is not None))


def require_read(target: ImpactTarget, sources: Iterable[str]) -> None:
    """Raise a `UsageError` if `target` is a place in a file that a run did not read."""
    names = list(sources)
    if target.line is not None and not any(same_file(name, target.name) for name in names):
        last = {name.rpartition("/")[2]: name for name in names}
        close = nearest(target.name, names) or last.get(nearest(target.name.rpartition("/")[2], last) or "")
        hint = f"; did you mean {close}?" if close else f" ({count_of(len(names), 'file')} read)"
        raise UsageError(f"{target.name} was not read in this run{hint}")
