"""What every class that could be declared would lead to, arranged for the question which of them lead to something.

Each attribute of a catalog asks which classes the classifier could have named to change it, and there may be thousands
of both; nodes that follow ask the same again. So the classes stand by what they would change, answers are kept with the
environment, and classes that are named together are one object, which whoever asks can keep something for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from ...base.cache import Cache
from .effects import ANY, AttributeChange, Summary

MOST_REMEMBERED = 50_000
"""Answers that are kept; with more, all are worked out again: titles may be different on every node."""


class ClassGroup:
    """Classes that lead to the same, by their names."""

    __slots__ = ("names",)

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names


class ClassSummaries(Mapping[str, Summary]):
    """What each class would lead to, itself included, by its name."""

    def __init__(self, summaries: Mapping[str, Summary]) -> None:
        self._summaries = summaries
        self._groups: dict[tuple[str, ...], ClassGroup] = {}
        self._leading: Cache[tuple[str, ...], ClassGroup | None] = Cache(MOST_REMEMBERED)
        self._changing: Cache[tuple[str, str, str, bool], ClassGroup | None] = Cache(MOST_REMEMBERED)
        self._by_numbers: dict[tuple[int, ...], ClassGroup] = {}
        self._digests: dict[tuple[str, str], str] = {}

    def __getitem__(self, name: str) -> Summary:
        return self._summaries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._summaries)

    def __len__(self) -> int:
        return len(self._summaries)

    @cached_property
    def anything(self) -> bool:
        """Whether one of them may do anything."""
        return any(summary.anything for summary in self._summaries.values())

    @cached_property
    def _always(self) -> set[str]:
        """Those that may do anything, or declare any class."""
        return {name for name, summary in self._summaries.items() if summary.anything or summary.any_class is not None}

    @cached_property
    def _changes(self) -> dict[str, list[tuple[int, AttributeChange, set[str]]]]:
        """By type: changes, each with a number and the classes that lead to it."""
        names: dict[AttributeChange, set[str]] = {}
        for name, summary in self._summaries.items():
            for change in summary.changes:
                names.setdefault(change, set()).add(name)
        by_type: dict[str, list[tuple[int, AttributeChange, set[str]]]] = {}
        for number, (change, leading) in enumerate(names.items()):
            by_type.setdefault(change.type_name, []).append((number, change, leading))
        return by_type

    def static_answer(self, kind: str, type_name: str) -> str:
        """What there is to know about all classes, as `runtime.consulted` asks for it."""
        known = self._digests.get((kind, type_name))
        if known is None:
            wanted = (type_name, ANY)
            facts: object
            if kind == "changes":
                changes = [entry for kind_of in wanted for entry in self._changes.get(kind_of, ())]
                facts = sorted((repr(change), sorted(names)) for _, change, names in changes)
            elif kind == "resources":
                facts = [
                    (name, declared)
                    for name, summary in sorted(self._summaries.items())
                    if (declared := sorted(title for kind_of, title in summary.resources if kind_of in wanted))
                ]
            else:
                facts = [
                    (
                        name,
                        sorted(summary.classes.items()),
                        summary.any_class,
                        sorted(summary.contained),
                        summary.tags_main,
                    )
                    for name, summary in sorted(self._summaries.items())
                ]
            able = sorted(name for name in self._always if self._summaries[name].anything)
            known = self._digests[kind, type_name] = repr((facts, sorted(self._always), able))
        return known

    def group(self, names: tuple[str, ...]) -> ClassGroup:
        """Some classes together."""
        known = self._groups.get(names)
        if known is None:
            known = self._groups[names] = ClassGroup(names)
        return known

    def leading(self, asked: tuple[str, ...], wanted: Callable[[Summary], bool]) -> ClassGroup | None:
        """The classes that would lead to what is asked for, or may lead to anything; nothing if none is wanted."""
        if asked in self._leading:
            return self._leading[asked]
        names = {name for name, summary in self._summaries.items() if summary.anything or wanted(summary)}
        group = self.group(tuple([name for name in self if name in names or name in self._always])) if names else None
        return self._leading.keep(asked, group)

    def changing(self, type_name: str, title: str, attribute: str, defaulted: bool) -> ClassGroup | None:
        """Those that would change an attribute, or may do anything; nothing if none of them would change it."""
        asked = (type_name, title, attribute, defaulted)
        if asked in self._changing:
            return self._changing[asked]
        changing = [
            (number, names)
            for kind in (type_name, ANY)
            for number, change, names in self._changes.get(kind, ())
            if change.touches(type_name, title, attribute) and (defaulted or not change.default)
        ]
        group: ClassGroup | None = None
        if changing or self.anything:
            numbers = tuple([number for number, _ in changing])
            group = self._by_numbers.get(numbers)
            if group is None:
                wanted = self._always.union(*(names for _, names in changing))
                group = self._by_numbers[numbers] = self.group(tuple([name for name in self if name in wanted]))
        self._changing.keep(asked, group)
        return group
