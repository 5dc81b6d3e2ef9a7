"""Two outcomes side by side: which outputs differ, and which edit made which difference.

Outputs are matched by path. Sources are matched by name (the two main files with each other) and compared line by line;
a run of changed lines is an *edit*. A differing output is blamed on the edits that its origin, in either outcome,
touches: literals first, since changing a literal is what most edits do; failing those, any place that its origin went
through (an operator, a test, a declaration). Inputs that are no text (facts, the node's name) are edits when their
values differ. A file that only one of the outcomes read was edited only if the other's repository has another, or none:
that nobody asked for it is no edit.

An output that only one side has depends, there, on inputs that the other side has too, perhaps with other values. If
none of that was edited, the other side is asked why it has no such output, and the places that it names are looked at.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .base.diagnostics import Diagnostic, PathNotFound
from .base.lines import changed_runs
from .base.plural import count_of
from .base.record import Record, replace
from .base.source import SourceFile, Span
from .language import Outcome, Selected
from .provenance.explain import short
from .provenance.extract import depends, reachable
from .provenance.origins import Foreign, Leaf, Origin


class Edit(Record):
    """A run of changed lines, or an input with another value.  Line numbers from 1; an empty side has no lines."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    before_place: str
    after_place: str


class Difference(Record):
    """One output that is not the same: `change` is `changed`, `added` or `removed`; `order` when only order differs."""

    path: str
    change: str
    before: Any
    after: Any
    edits: tuple[Edit, ...]
    definition: str | None = None
    """Whose definition the value is, where values are merged from definitions (Nix options)."""


class Comparison(Record):
    """All differences between two outcomes, and how many outputs are the same."""

    differences: tuple[Difference, ...]
    same: int

    def by_edit(self) -> list[tuple[Edit | None, list[Difference]]]:
        """Differences grouped by their first edit, edits in order of appearance; unexplained ones last."""
        groups: dict[Edit | None, list[Difference]] = {}
        for difference in self.differences:
            groups.setdefault(difference.edits[0] if difference.edits else None, []).append(difference)
        return sorted(groups.items(), key=lambda group: group[0] is None)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Comparison:
        """The comparison that `to_json` wrote."""
        differences = [
            Difference(
                row["path"],
                row["change"],
                row.get("before"),
                row.get("after"),
                tuple(
                    Edit(tuple(edit["before"]), tuple(edit["after"]), edit["before_place"], edit["after_place"])
                    for edit in row["edits"]
                ),
                row.get("definition"),
            )
            for row in document["differences"]
        ]
        return cls(tuple(differences), document["same"])

    def to_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "same": self.same,
            "differences": [
                {
                    "path": difference.path,
                    "change": difference.change,
                    **({} if difference.change == "added" else {"before": difference.before}),
                    **({} if difference.change == "removed" else {"after": difference.after}),
                    "edits": [_edit_json(edit) for edit in difference.edits],
                    **({} if difference.definition is None else {"definition": difference.definition}),
                }
                for difference in self.differences
            ],
        }


class FleetComparison(Record):
    """`groups`: nodes with the differences that all of them, and only they, have; the largest first.

    Nodes that only one side knows are not compared: `new` ones are on the second side alone, those that are `gone` were
    on the first.
    """

    groups: tuple[tuple[list[str], Comparison], ...]
    same: tuple[str, ...]
    failed: tuple[tuple[str, list[Diagnostic]], ...]
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def changed(self) -> list[str]:
        """The nodes that differ."""
        return sorted({node for nodes, _ in self.groups for node in nodes})

    @property
    def differs(self) -> bool:
        """Whether the two sides are not the same: in what nodes are, or in which there are."""
        return bool(self.groups or self.new or self.gone)

    def verdict(self) -> str:
        """`3 nodes: 2 changed, 1 the same`; of those there were and those there are."""
        number = len({*self.changed, *self.same, *self.new, *self.gone, *(node for node, _ in self.failed)})
        words = [f"{len(self.changed)} changed", f"{len(self.same)} the same"]
        words += [f"{len(self.new)} new"] if self.new else []
        words += [f"{len(self.gone)} gone"] if self.gone else []
        words += [f"{len(self.failed)} did not compile"] if self.failed else []
        return f"{count_of(number, 'node')}: {', '.join(words)}"

    def to_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "changed": self.changed,
            "same": list(self.same),
            "failed": [node for node, _ in self.failed],
            "new": list(self.new),
            "gone": list(self.gone),
            "groups": [{"nodes": nodes, **comparison.to_json()} for nodes, comparison in self.groups],
        }


def ignoring(comparison: Comparison, patterns: Iterable[str]) -> Comparison:
    """A comparison without the paths that match one of `patterns`, in which `*` stands for anything.

    >>> comparison = Comparison((Difference("File[/a].content", "added", None, "x", ()),), 0)
    >>> ignoring(comparison, ["File[*].c*"]).differences
    ()
    """
    shapes = [pattern_shape(pattern) for pattern in patterns]
    if not shapes:
        return comparison
    kept = [
        difference
        for difference in comparison.differences
        if not any(shape.fullmatch(difference.path) for shape in shapes)
    ]
    return Comparison(tuple(kept), comparison.same)


def pattern_shape(pattern: str) -> re.Pattern[str]:
    """What a path must be like to match a pattern, in which `*` stands for anything."""
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")), re.DOTALL)


def _edit_json(edit: Edit) -> dict[str, Any]:
    return {
        "before": list(edit.before),
        "after": list(edit.after),
        "before_place": edit.before_place,
        "after_place": edit.after_place,
    }


def compare(a: Outcome, b: Outcome) -> Comparison:
    """Compare two outcomes."""
    left = {output.path: output for output in a.outputs()}
    right = {output.path: output for output in b.outputs()}
    edits = _Edits(a, b, left, right)
    differences: list[Difference] = []
    same = 0
    for path in _merged_order(left, right):
        before, after = left.get(path), right.get(path)
        if before is not None and after is not None and _equal(before.value, after.value):
            same += 1
            continue
        change = "added" if before is None else "removed" if after is None else "changed"
        differences.append(
            Difference(
                path,
                change,
                before and before.value,
                after and after.value,
                edits.blamed(before, after),
                b.definition(path) if after is not None else a.definition(path),
            )
        )
    differences = _inherited(differences, a, b)
    differences += _order_differences(a, b, edits, left, right, {difference.path for difference in differences})
    return Comparison(tuple(differences), same)


def _inherited(differences: list[Difference], a: Outcome, b: Outcome) -> list[Difference]:
    """What came or went without an edit of its own did so with what declared it: that one's edits are its own."""
    known = {difference.path: difference for difference in differences if difference.change in ("added", "removed")}
    if all(presence.edits for presence in known.values()):
        return differences
    passed_on: list[Difference] = []
    for difference in differences:
        here: Difference | None = difference
        seen: set[str] = set()
        while here is not None and not here.edits and here.change in ("added", "removed") and here.path not in seen:
            seen.add(here.path)
            above = (b if here.change == "added" else a).declared_in(here.path)
            here = known.get(above) if above is not None else None
        passed_on.append(difference if here is None or here is difference else replace(difference, edits=here.edits))
    return passed_on


def _equal(before: Any, after: Any) -> bool:
    return type(before) is type(after) and bool(before == after)


def _merged_order(left: Mapping[str, Any], right: Mapping[str, Any]) -> list[str]:
    return [*left, *(path for path in right if path not in left)]


def _order_differences(
    a: Outcome,
    b: Outcome,
    edits: _Edits,
    left: Mapping[str, Selected],
    right: Mapping[str, Selected],
    changed: set[str],
) -> list[Difference]:
    """Outputs that both have with equal values, but in another order; blamed on what put them in their places."""
    both_left = [path for path in left if path in right and path not in changed]
    both_right = [path for path in right if path in left and path not in changed]
    moved = next((path for path, other in zip(both_left, both_right, strict=True) if path != other), None)
    if moved is None:
        return []
    inside = _PARENT.sub("", moved)
    blamed = edits.placing(_placed(a, inside), _placed(b, inside))
    return [Difference(inside or moved, "order", both_left[:50], both_right[:50], blamed)]


_PARENT = re.compile(r"(?:[:.][^:.\[\]]*|\[[^\]]*\])$")
"""The last step of a path; without it the path names the composite around."""


def _placed(outcome: Outcome, path: str) -> list[Span]:
    """The places that put the elements of the composite at `path` where they stand, as far as the outcome knows."""
    try:
        order = outcome.explain(path).order
    except PathNotFound:
        return []
    return [span for _, origin in order for span in _spans(origin, literals_only=False)]


Given = tuple[str, str, str]
"""Kind and name of an input that stands in no text, and the node it is of, where that is another one."""


class _Edits:
    """The edits between the sources of two outcomes, and which of them an origin touches."""

    def __init__(self, a: Outcome, b: Outcome, left: Mapping[str, Selected], right: Mapping[str, Selected]) -> None:
        self._before: dict[str, list[tuple[int, int, Edit]]] = {}
        self._after: dict[str, list[tuple[int, int, Edit]]] = {}
        self._sides = ((a, left), (b, right))
        self._inputs: list[dict[Given, Leaf] | None] = [None, None]
        for old, new in _paired(a.sources, b.sources):
            self._diff(old or _unread(a, new, b), new or _unread(b, old, a))

    def _diff(self, left: SourceFile | None, right: SourceFile | None) -> None:
        if left is not None and right is not None and left.text == right.text:
            return
        old = left.text.splitlines() if left is not None else []
        new = right.text.splitlines() if right is not None else []
        for i1, i2, j1, j2 in changed_runs(old, new):
            edit = Edit(
                tuple(old[i1:i2]),
                tuple(new[j1:j2]),
                f"{left.name}:{i1 + 1}" if left is not None else "",
                f"{right.name}:{j1 + 1}" if right is not None else "",
            )
            if left is not None:
                self._before.setdefault(left.name, []).append((i1 + 1, i2, edit))
            if right is not None:
                self._after.setdefault(right.name, []).append((j1 + 1, j2, edit))

    def blamed(self, before: Selected | None, after: Selected | None) -> tuple[Edit, ...]:
        """The edits behind a difference, best explanation first."""
        edits_there: dict[Edit, None] = {}
        sides = ((before, self._before), (after, self._after))
        for literals_only in (True, False):
            for selected, table in sides:
                if selected is not None:
                    for span in _spans(selected.origin, literals_only):
                        edits_there.update(dict.fromkeys(_touching(span, table)))
            if edits_there:
                break
        inputs = dict.fromkeys(self._changed_inputs(before, after))
        if not edits_there and not inputs and (before is None or after is None):
            edits_there.update(dict.fromkeys(self._kept_out(before, after)) or _exports(before, after))
        return (*inputs, *edits_there) if before is None or after is None else (*edits_there, *inputs)

    def _kept_out(self, before: Selected | None, after: Selected | None) -> Iterator[Edit]:
        """The edits at the places that keep one side from having what the other has."""
        side, table = (1, self._after) if after is None else (0, self._before)
        selected = before or after
        assert selected is not None
        resource = _RESOURCE.match(selected.path)
        for reason in self._sides[side][0].missing(resource[0] if resource else selected.path):
            for span in (*(label.span for label in reason.labels), *getattr(reason, "places", ())):
                yield from _touching(span, table)

    def placing(self, before: list[Span], after: list[Span]) -> tuple[Edit, ...]:
        """The edits at places that decide an order."""
        edits_there: dict[Edit, None] = {}
        for spans, table in ((before, self._before), (after, self._after)):
            for span in spans:
                edits_there.update(dict.fromkeys(_touching(span, table)))
        return tuple(edits_there)

    def _changed_inputs(self, before: Selected | None, after: Selected | None) -> Iterable[Edit]:
        old = _other_inputs(before) if before is not None else {}
        new = _other_inputs(after) if after is not None else {}
        for key in sorted(old.keys() | new.keys()):
            left = old.get(key) or (self._all_inputs(0).get(key) if before is None else None)
            right = new.get(key) or (self._all_inputs(1).get(key) if after is None else None)
            if left is not None and right is not None and not _equal(left.value, right.value):
                kind, name, node = key
                name = " ".join(part for part in (kind, name, node and f"of {node}") if part)
                yield Edit((_said(left),), (_said(right),), name, name)

    def _all_inputs(self, side: int) -> dict[Given, Leaf]:
        """Every input that is no text, of everything on one side."""
        known = self._inputs[side]
        if known is None:
            leaves = depends(*(selected.origin for selected in self._sides[side][1].values()))
            known = self._inputs[side] = _given(leaves)
        return known


def _unread(outcome: Outcome, other: SourceFile | None, theirs: Outcome) -> SourceFile | None:
    """The file that belongs to one of the other side, if this side has one and only did not ask for it."""
    if other is None:
        return None
    name = _relative(other.name, theirs.sources)
    base = os.path.dirname(next(iter(outcome.sources), ""))
    return outcome.unread_source(os.path.normpath(os.path.join(base, name)))


def _said(leaf: Leaf) -> str:
    return "(absent)" if leaf.absent else short(leaf.value, 60)


def _is_given(leaf: Leaf) -> bool:
    """Whether an input is given, and stands in no text: a fact, the node's name, a setting."""
    return leaf.span is None and leaf.kind not in ("literal", "hiera", "file")


_RESOURCE = re.compile(r"[\w:]+\[.*?\]")


def _paired(
    a: Mapping[str, SourceFile], b: Mapping[str, SourceFile]
) -> list[tuple[SourceFile | None, SourceFile | None]]:
    """Files that belong together: those of the same name below their main file's directory, and the two main files."""
    left, right = _by_relative_name(a), _by_relative_name(b)
    pairs: list[tuple[SourceFile | None, SourceFile | None]] = []
    if left and right:
        main_left, main_right = next(iter(left)), next(iter(right))
        if main_left not in right and main_right not in left:
            pairs.append((left.pop(main_left), right.pop(main_right)))
    pairs += [(left.get(name), right.get(name)) for name in _merged_order(left, right)]
    return pairs


def _by_relative_name(files: Mapping[str, SourceFile]) -> dict[str, SourceFile]:
    """Files by their name below the directory of the first one, which is the main file."""
    return {_relative(name, files): file for name, file in files.items()}


def _relative(name: str, files: Mapping[str, SourceFile]) -> str:
    base = os.path.dirname(next(iter(files), ""))
    return os.path.relpath(name, base or ".")


def _touching(span: Span, table: Mapping[str, list[tuple[int, int, Edit]]]) -> Iterable[Edit]:
    edits = table.get(span.file.name)
    if not edits:
        return
    first = span.line
    last = span.file.line_of(max(span.start, span.end - 1))
    for start, end, edit in edits:
        if start <= last and first <= end:
            yield edit


def _spans(origin: Origin, literals_only: bool) -> Iterable[Span]:
    if literals_only:
        for leaf in depends(origin):
            if leaf.span is not None:
                yield leaf.span
        return
    for node in reachable([origin]):
        span: Span | None = getattr(node, "span", None)
        if span is not None:
            yield span


def _other_inputs(selected: Selected) -> dict[Given, Leaf]:
    return _given(depends(selected.origin))


def _given(leaves: Iterable[Leaf]) -> dict[Given, Leaf]:
    return {(leaf.kind, leaf.name, _owner(leaf)): leaf for leaf in leaves if _is_given(leaf)}


def _owner(leaf: Leaf) -> str:
    """The node that an input is of, where that is another one."""
    return leaf.node if isinstance(leaf, Foreign) else ""


def _exports(before: Selected | None, after: Selected | None) -> dict[Edit, None]:
    """Of what came or went and is of other nodes: that they export it, or did.  They may be new, or gone."""
    selected = before or after
    assert selected is not None
    edits: dict[Edit, None] = {}
    for node in sorted({_owner(leaf) for leaf in depends(selected.origin)} - {""}):
        words, place = (f"exported by {node}",), f"exports of {node}"
        edits[Edit(words if after is None else (), words if before is None else (), place, place)] = None
    return edits
