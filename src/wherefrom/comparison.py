"""Two outcomes side by side: which outputs differ, and which edits made each difference.

Outputs are matched by path. What was edited is in `wherefrom.edits`; which of the edits that the histories of a value
rest on are the causes is decided in `wherefrom.causes`.

An output that only one side has depends, there, on inputs that the other side has too, perhaps with other values. If
none of that was edited, it came or went with what declared it; failing that, the other side is asked why it has no such
output, and the places that it names are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from .base.collector import at_rest
from .base.diagnostics import Diagnostic, PathNotFound
from .base.globs import Shape
from .base.lines import changed_runs
from .base.plural import count_of
from .base.record import Record
from .base.secrets import Secret, Secrets
from .base.source import lines_of
from .causes import NOTHING, Again, Case, Experience, Judge
from .edits import Edit, Edits, History, same
from .elements import Item, Neighbours, Replaced, elements_of, paired, replaced
from .language import Options, Outcome, Selected, declared_in
from .provenance.export import hidden_outputs
from .provenance.extract import depends, expression, leaves
from .provenance.origins import Foreign
from .provenance.rendered import line_origin

__all__ = ["Comparison", "Difference", "Edit", "FleetComparison", "compare", "ignoring", "pattern_shape"]


class Difference(Record):
    """One output that is not the same: `change` is `changed`, `added` or `removed`; `order` when only order differs."""

    path: str
    change: str
    before: Any
    after: Any
    edits: tuple[Edit, ...]
    definition: str | None = None
    """Whose definition the value is, where values are merged from definitions (Nix options)."""
    proved: bool = True
    """Whether `edits` are known to be the causes, and all of them."""
    hunks: tuple[tuple[int, tuple[str, ...]], ...] = ()
    """Of a text that several edits changed: the lines at which runs of changes begin, and the places of the edits."""


class Comparison(Record):
    """All differences between two outcomes, and how many outputs are the same."""

    differences: tuple[Difference, ...]
    same: int
    notes: tuple[str, ...] = ()
    """Remarks about the comparison as a whole: what it could not know, and what a reader should know."""

    def by_edits(self) -> list[tuple[tuple[Edit, ...], list[Difference]]]:
        """Differences grouped by their edits, in order of appearance; those without any last."""
        groups: dict[tuple[frozenset[Edit], bool], tuple[tuple[Edit, ...], list[Difference]]] = {}
        for difference in self.differences:
            key = frozenset(difference.edits), difference.proved
            groups.setdefault(key, (difference.edits, []))[1].append(difference)
        return sorted(groups.values(), key=lambda group: not group[0])

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
                row.get("proved", True),
                tuple((line, tuple(places)) for line, places in row.get("hunks", ())),
            )
            for row in document["differences"]
        ]
        return cls(tuple(differences), document["same"], tuple(document.get("notes", ())))

    def to_json(self) -> dict[str, Any]:
        """For a program."""
        return {
            "same": self.same,
            **({"notes": list(self.notes)} if self.notes else {}),
            "differences": [
                {
                    "path": difference.path,
                    "change": difference.change,
                    **({} if difference.change == "added" else {"before": difference.before}),
                    **({} if difference.change == "removed" else {"after": difference.after}),
                    "edits": [_edit_json(edit) for edit in difference.edits],
                    **({} if difference.proved else {"proved": False}),
                    **(
                        {"hunks": [[line, list(places)] for line, places in difference.hunks]}
                        if difference.hunks
                        else {}
                    ),
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
    traits: Mapping[str, Mapping[str, str]] = {}
    """What is known of nodes, to tell sets of them by: a few facts of each, as texts."""
    notes: tuple[str, ...] = ()
    """Remarks: what the comparison could not know, and what a reader should know."""

    def with_notes(self, notes: Iterable[str]) -> FleetComparison:
        """The same, with further notes."""
        return FleetComparison(
            self.groups, self.same, self.failed, self.new, self.gone, self.traits, (*self.notes, *notes)
        )

    @property
    def everybody(self) -> set[str]:
        """All nodes of both sides."""
        failed = (node for node, _ in self.failed)
        return {*self.changed, *self.same, *self.new, *self.gone, *failed}

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
        number = len(self.everybody)
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
            **({"notes": list(self.notes)} if self.notes else {}),
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
    return Comparison(tuple(kept), comparison.same, comparison.notes)


def pattern_shape(pattern: str) -> Shape:
    """What a path must be like to match a pattern, in which `*` stands for anything."""
    return Shape.of(pattern)


def _edit_json(edit: Edit) -> dict[str, object]:
    return {
        "before": list(edit.before),
        "after": list(edit.after),
        "before_place": edit.before_place,
        "after_place": edit.after_place,
    }


def compare(a: Outcome, b: Outcome, again: Again | None = None, experience: Experience | None = None) -> Comparison:
    """Compare two outcomes.  `again` compiles a side with some edits made or taken back, to know causes for sure.

    Comparisons of many nodes share an `experience`, which bounds how often that is done for all of them.
    """
    with at_rest():
        return _compared(a, b, again, experience)


def _compared(a: Outcome, b: Outcome, again: Again | None, experience: Experience | None) -> Comparison:
    pointed = (a.contents(), b.contents())
    has_both = pointed[0] is not None and pointed[1] is not None
    sides = [
        {
            output.path: output
            for output in _alike((*side.influenced(), *(contents or () if has_both else ())), side, other)
        }
        for side, other, contents in ((a, b, pointed[0]), (b, a, pointed[1]))
    ]
    unlike = _unlike(sides[0], sides[1])
    pairs = paired(sides[0], sides[1], unlike)
    left, right = pairs.left, pairs.right
    if left is not sides[0]:
        unlike = _unlike(left, right)
    beside = Neighbours()
    differing: list[tuple[str, str, Selected | None, Selected | None]] = []
    for path in unlike:
        before, after = left.get(path), right.get(path)
        change = "added" if before is None else "removed" if after is None else "changed"
        if change != "changed" and path not in pairs.items:
            before, after = beside(before, left), beside(after, right)
        differing.append((path, change, before, after))
    same_ones = len(left.keys() | right.keys()) - len(unlike)
    ordered = next((paths for paths in (a.ordered(), b.ordered()) if paths is not None), left)
    moved = _moved(left, right, pairs.elsewhere.union(path for path, *_ in differing), ordered)
    if not differing and moved is None:
        return Comparison((), same_ones)
    blame = _Blame(a, b, differing, moved, pairs.items)
    causes = blame.causes(again, experience)
    differences = [
        Difference(
            there.path,
            change,
            before and before.value,
            after and after.value,
            edits,
            side.definition(there.path) if isinstance(side := b if after is not None else a, Options) else None,
            proved,
            blame.hunks(before, after, edits),
        )
        for (_, change, before, after), (edits, proved) in zip(differing, causes)
        if (there := after or before) is not None
    ]
    if moved is not None:
        first = next(i for i, ends in enumerate(zip(moved.before, moved.after, strict=True)) if ends[0] != ends[1])
        old, new = (paths[first : first + 50] for paths in (moved.before, moved.after))
        differences.append(Difference(moved.path, "order", old, new, causes[-1][0], None, causes[-1][1]))
    return Comparison(tuple(differences), same_ones)


def _alike(rows: Iterable[Selected], outcome: Outcome, other: Outcome) -> Iterable[Selected]:
    """The outputs of an outcome, without its secrets if they are compared with those of one that was saved."""
    if outcome.is_masked or not other.is_masked:
        return rows
    every = list(rows)
    plain = [[row.path, str(row.value) if isinstance(row.value, Secret) else row.value, row.origin] for row in every]
    return [Selected(*row) for row in hidden_outputs(Secrets(outcome.secrets()), plain)]


def _unlike(left: Mapping[str, Selected], right: Mapping[str, Selected]) -> list[str]:
    """The paths whose values are not the same, or that one side has: in the order of the first, those of both last."""
    unlike: list[str] = []
    for path, before in left.items():
        after = right.get(path)
        if after is None or not same(before.value, after.value):
            unlike.append(path)
    unlike += [path for path in right if path not in left]
    return unlike


class _Moved(Record):
    """Outputs that both sides have with equal values, in another order: the composite around the first that moved."""

    path: str
    before: list[str]
    after: list[str]


def _moved(
    left: Mapping[str, Selected], right: Mapping[str, Selected], changed: set[str], ordered: Container[str]
) -> _Moved | None:
    if list(left) == list(right):
        return None
    both_left = [path for path in left if path in right and path not in changed and path in ordered]
    both_right = [path for path in right if path in left and path not in changed and path in ordered]
    moved = next((path for path, other in zip(both_left, both_right, strict=True) if path != other), None)
    if moved is None:
        return None
    around = moved if ordered is not left else _PARENT.sub("", moved) or moved
    return _Moved(around, both_left, both_right)


_PARENT = re.compile(r"(?:[:.][^:.\[\]]*|\[[^\]]*\])$")
"""The last step of a path; without it the path names the composite around."""
MOST_HUNKS = 50
"""Runs of changed lines of one text whose causes are told."""
_LIST = "\0list "
"""Before the path of a list, for the whole of it."""
_REPLACED = "\0replaced "
"""Before the path of an element in whose place another one is, for how often its list has either."""
_ORDER = "\0order"
"""In the place of a path: the order of the outputs that both sides have."""


class _Blame:
    """The causes of the differences between two outcomes."""

    def __init__(
        self,
        a: Outcome,
        b: Outcome,
        differing: Sequence[tuple[str, str, Selected | None, Selected | None]],
        moved: _Moved | None,
        items: Mapping[str, Item],
    ) -> None:
        self._sides = (a, b)
        self._is_quick = a.repeats and b.repeats
        self._items = items
        self._replaced: dict[str, Replaced] = {}
        """Elements in whose place others are, by the names that their cases have."""
        self._differences = differing
        self._moved = moved
        before = [selected.origin for _, _, selected, _ in differing if selected is not None]
        after = [selected.origin for _, _, _, selected in differing if selected is not None]
        self._histories = (History(before), History(after))
        self._edits = Edits(a, b, self._histories)
        self._edits.add_inputs_of(*(history.leaves() for history in self._histories))

    def causes(self, again: Again | None, experience: Experience | None = None) -> list[tuple[tuple[Edit, ...], bool]]:
        """For each difference, and last for the order, its causes and whether they are proved."""
        if not self._is_quick:
            again = None
        behind = [self._behind(side) for side in (0, 1)]
        cases = [
            Case(
                path,
                NOTHING if before is None else before.value,
                NOTHING if after is None else after.value,
                behind[0][index],
                behind[1][index],
            )
            for index, (path, _, before, after) in enumerate(self._differences)
        ]
        cases = self._with_others_in_place(self._with_absences(self._of_lists(cases)), behind)
        if again is not None:
            cases = self._of_elements(cases)
        if self._moved is not None:
            every = frozenset(range(len(self._edits.all)))
            placing = [self._placing(side) if again is None else every for side in (0, 1)]
            cases.append(Case(_ORDER, self._moved.before, self._moved.after, placing[0], placing[1]))
        if again is None:
            cases = self._narrowed(cases)
        verdicts = Judge(self._edits, again, self._values, experience).verdicts(cases)
        described = [
            (tuple(self._edits.all[number] for number in self._best_first(index, verdict.causes)), verdict.proved)
            for index, verdict in enumerate(verdicts)
        ]
        for index, (_, _, before, after) in enumerate(self._differences):
            if not described[index][0] and (before is None or after is None):
                exported = tuple(_exports(before, after))
                if exported:
                    described[index] = exported, True
        return described

    def hunks(
        self, before: Selected | None, after: Selected | None, causes: tuple[Edit, ...]
    ) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """For each run of changed lines of a text, those of its causes that the lines rest on."""
        if len(causes) < 2 or before is None or after is None:
            return ()
        if not (isinstance(before.value, str) and isinstance(after.value, str)):
            return ()
        old, new = lines_of(before.value, True), lines_of(after.value, True)
        if max(len(old), len(new)) < 2:
            return ()
        described: list[tuple[int, tuple[str, ...]]] = []
        for i1, i2, j1, j2 in islice(changed_runs(old, new), MOST_HUNKS):
            numbers: set[int] = set()
            for side, origin, lines, start, end in ((0, before.origin, old, i1, i2), (1, after.origin, new, j1, j2)):
                at = sum(map(len, lines[:start]))
                ends = at + sum(map(len, lines[start:end]))
                if ends > at:
                    numbers.update(*self._edits.behind(side, History([line_origin(origin, at, ends)])))
            here = [edit for edit in causes if edit in {self._edits.all[number] for number in numbers}] or list(causes)
            described.append((j1 + 1, tuple(edit.after_place or edit.before_place for edit in here)))
        return tuple(described)

    def _of_lists(self, cases: list[Case]) -> list[Case]:
        """An element that came or went is judged by how often its list has it; one that moved, by the whole list."""
        if not any(case.path in self._items for case in cases):
            return cases
        bases = {item.base for item in self._items.values()}
        lists = [elements_of(side.influenced(), bases) for side in self._sides]
        judged: list[Case] = []
        for case in cases:
            item = self._items.get(case.path)
            if item is None:
                judged.append(case)
                continue
            both = case.behind_before | case.behind_after
            counts = [known.get(item.base, []).count(item.parts) for known in lists]
            if counts[0] != counts[1]:
                judged.append(Case(case.path, counts[0], counts[1], both, both))
            else:
                whole = [known.get(item.base, []) for known in lists]
                judged.append(Case(f"{_LIST}{item.base}", whole[0], whole[1], both, both))
        return judged

    def _of_elements(self, cases: list[Case]) -> list[Case]:
        """An element in whose place another one is went, and the other one came: each may have causes of its own.

        Without one of two edits the old element may be back behind the new one, which its path does not show.
        """
        elements = {
            case.path: element
            for case in cases
            if case.before is not NOTHING and case.after is not NOTHING
            if (element := replaced(case.path, case.before, case.after)) is not None
        }
        if not elements:
            return cases
        bases = {element.base for element in elements.values()}
        lists = [elements_of(side.influenced(), bases) for side in self._sides]
        judged: list[Case] = []
        for case in cases:
            element = elements.get(case.path)
            counts = [element.counts(known.get(element.base, [])) for known in lists] if element is not None else []
            if element is None or counts[0] == counts[1]:
                judged.append(case)
                continue
            self._replaced[f"{_REPLACED}{case.path}"] = element
            judged.append(Case(f"{_REPLACED}{case.path}", counts[0], counts[1], case.behind_before, case.behind_after))
        return judged

    def _narrowed(self, cases: list[Case]) -> list[Case]:
        """Where nobody can tell by compiling: edits of inputs before those of what is done with them."""
        inputs = [self._behind(side, True) for side in (0, 1)]
        narrowed = list(cases)
        for index in range(len(self._differences)):
            old, new = (inputs[side][index] for side in (0, 1))
            if old or new:
                case = cases[index]
                if case.path in self._items or case.path.startswith(_LIST):
                    old = new = old | new
                narrowed[index] = Case(
                    case.path,
                    case.before,
                    case.after,
                    old if case.after is NOTHING else case.behind_before & (old | new),
                    new if case.before is NOTHING else case.behind_after & (old | new),
                )
        return narrowed

    def _behind(self, side: int, inputs_only: bool = False) -> list[frozenset[int]]:
        """For each difference, the edits that its value on a side rests on."""
        there = [index for index, (_, _, *both) in enumerate(self._differences) if both[side] is not None]
        differing: list[frozenset[int]] = [frozenset()] * len(self._differences)
        for index, numbers in zip(there, self._edits.behind(side, self._histories[side], inputs_only), strict=True):
            differing[index] = frozenset(numbers)
        return differing

    def _with_absences(self, cases: list[Case]) -> list[Case]:
        """What came or went without an edit of its own did so with what declared it, or for what keeps it out."""
        known = {case.path: case for case in cases if case.before is NOTHING or case.after is NOTHING}
        return [self._with_absence(case, known) for case in cases]

    def _with_absence(self, case: Case, known: Mapping[str, Case]) -> Case:
        side = 0 if case.after is NOTHING else 1
        here: Case | None = case
        seen: set[str] = set()
        while here is not None and here.path in known and not _behind_there(here) and here.path not in seen:
            seen.add(here.path)
            above = declared_in(self._sides[side], here.path)
            here = known.get(above) if above is not None else None
        if case.path not in known or _behind_there(case):
            return case
        numbers = _behind_there(here) if here is not None else frozenset()
        numbers = numbers or frozenset(self._keeping_out(1 - side, case.path))
        there = [case.behind_before, case.behind_after]
        there[side] = numbers
        return Case(case.path, case.before, case.after, there[0], there[1])

    def _with_others_in_place(self, cases: list[Case], behind: list[list[frozenset[int]]]) -> list[Case]:
        """What came or went where another value stands on the other side (`{}` for its elements): with its edits."""
        parts: dict[str, list[int]] = {}
        for index, (path, *_) in enumerate(self._differences):
            for above in _around(path):
                parts.setdefault(above, []).append(index)
        indices = {path: index for index, (path, *_) in enumerate(self._differences)}
        judged: list[Case] = []
        for case in cases:
            there = [case.behind_before, case.behind_after]
            for side in [side for side, value in enumerate((case.before, case.after)) if value is NOTHING]:
                others = [*parts.get(case.path, ()), *(indices[path] for path in _around(case.path) if path in indices)]
                there[side] = there[side].union(*(behind[side][index] for index in others))
            judged.append(Case(case.path, case.before, case.after, there[0], there[1]))
        return judged

    def _keeping_out(self, side: int, path: str) -> Iterator[int]:
        """The edits at the places that keep one side from having what the other has."""
        resource = _RESOURCE.match(path)
        for reason in self._sides[side].missing(resource[0] if resource else path):
            for span in (*(label.span for label in reason.labels), *getattr(reason, "places", ())):
                yield from self._edits.at(side, span)

    def _placing(self, side: int) -> frozenset[int]:
        """The edits at the places that put the elements of a composite where they stand."""
        assert self._moved is not None
        try:
            order = self._sides[side].explain(self._moved.path).order
        except PathNotFound:
            return frozenset()
        return frozenset().union(*self._edits.behind(side, History([origin for _, origin in order])))

    def _best_first(self, index: int, numbers: tuple[int, ...]) -> list[int]:
        """Edits of what the value was made of before those that decided."""
        if len(numbers) < 2 or index >= len(self._differences):
            return list(numbers)
        _, change, before, after = self._differences[index]
        if change != "changed" or before is None or after is None:
            return list(numbers)
        near: set[int] = set()
        for side, selected in enumerate((before, after)):
            assert selected is not None
            for leaf in leaves(expression(selected.origin)):
                near.update(self._edits.touched(side, leaf))
        return sorted(numbers, key=lambda number: (number not in near, number))

    def _values(self, outcome: Outcome, paths: Collection[str]) -> dict[str, object]:
        """The values of another outcome at some paths."""
        values = {output.path: output.value for output in (*outcome.influenced(), *(outcome.contents() or ()))}
        kept = {path: values[path] for path in paths if path in values}
        bases = {self._items[path].base for path in paths if path in self._items}
        bases |= {path.removeprefix(_LIST) for path in paths if path.startswith(_LIST)}
        bases |= {self._replaced[path].base for path in paths if path in self._replaced}
        if bases:
            lists = elements_of(outcome.influenced(), bases)
            kept |= {f"{_LIST}{base}": elements for base, elements in lists.items()}
            for path in paths:
                item = self._items.get(path)
                if item is not None:
                    kept[path] = lists.get(item.base, []).count(item.parts)
                elif path in self._replaced:
                    element = self._replaced[path]
                    kept[path] = element.counts(lists.get(element.base, []))
        if self._moved is not None and _ORDER in paths:
            both = set(self._moved.before)
            kept[_ORDER] = [path for path in values if path in both]
        return kept


def _around(path: str) -> Iterator[str]:
    """The paths of what a value is a part of, the nearest first."""
    while (above := _PARENT.sub("", path)) != path:
        yield above
        path = above


def _behind_there(case: Case) -> frozenset[int]:
    """The edits behind a value on the side that has it."""
    return case.behind_before if case.after is NOTHING else case.behind_after


_RESOURCE = re.compile(r"[\w:]+\[.*?\]")


def _exports(before: Selected | None, after: Selected | None) -> dict[Edit, None]:
    """Of what came or went and is of other nodes: that they export it, or did.  They may be new, or gone."""
    selected = before or after
    assert selected is not None
    edits: dict[Edit, None] = {}
    owners = {leaf.node for leaf in depends(selected.origin) if isinstance(leaf, Foreign)}
    for node in sorted(owners):
        words, place = (f"exported by {node}",), f"exports of {node}"
        edits[Edit(words if after is None else (), words if before is None else (), place, place)] = None
    return edits
