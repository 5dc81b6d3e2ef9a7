"""What did not happen in a compilation, and why: the control dependences of absent things.

An output depends not only on what ran, but also on branches that did not run and could have made a difference:

    if $facts['role'] == 'db' { class { 'ntp': servers => ['a'] } }      # not taken on this node
    include ntp                                                          # servers has its default

The default of `servers` depends on the fact `role`: had the branch been taken, the class would have been declared with
another value. The published rules of muPuppet miss this; rules R1 to R8 of the repair (docs/semantics/puppet.md) say
what a sound answer needs, and this module implements them for the whole language.

While the program runs, each branch that is not taken, and each computed name that could have been another, is noted
with its effects (`runtime.effects`) and the guard that decided. A note costs one append to a list. A value that is what
it is because something was absent gets a lazy origin (`Later`). When that origin is read, the notes made before it are
searched for effects that could have made the thing present; they are followed through classes, defines and functions.

The kinds of absence are kept apart, so that dependency sets stay small:

- A class that an untaken branch would have declared by a *written* name could have been declared earlier, and
  everything in it depends on that (rule R3).
- A class of a *computed* name may be any class. Its place, its tags and the order depend on what computed the name; its
  parameters do only if it would have been declared with parameters; what it does depends on it only as far as that
  reads what was absent before.

Many values often share the same causes. Such a list of causes is one origin that all of them refer to, so that memory
grows with the number of notes, not with notes times values.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from ...provenance.origins import Absent, Guard, Later, Leaf, Origin, outside
from .class_summaries import ClassGroup
from .consulted import ClassesByName, Consulted
from .effects import ANY, AttributeChange, Effects, Summary

Causes = tuple[Origin | Guard, ...]
_NEVER = 1 << 60
FEW = 4
"""The number of causes up to which each value has its own list; longer lists are shared by values with equal ones."""


class NamedResource(Protocol):
    """A resource, as far as this module looks at it."""

    @property
    def type(self) -> str: ...

    @property
    def title(self) -> str: ...


class AbsenceScope(Protocol):
    """A scope: it belongs to a resource."""

    @property
    def resource(self) -> NamedResource: ...


class RunWithAbsences(Protocol):
    """A compilation."""

    @property
    def environment(self) -> ClassesByName: ...

    @property
    def main_resource(self) -> NamedResource: ...

    def is_classified(self, name: str) -> bool:
        """Whether the classifier names a class."""


class Absences:
    """The notes of one compilation."""

    def __init__(self, run: RunWithAbsences) -> None:
        self.run = run
        self.notes: list[tuple[Effects, Guard, AbsenceScope]] = []
        self.begun: dict[str, int] = {}
        """When the evaluation of each class began, by the number of notes there were."""
        self.computed = False
        """Whether some class had, or would have had, a computed name."""
        self._others: tuple[tuple[int, str], Later] | None = None
        self._named: dict[ClassGroup, Absent] = {}
        """A note without the names: many values depend on the same, and there may be thousands of names."""
        self._several: dict[tuple[int, ...], Absent] = {}
        """Notes that many depend on, together."""
        self._summaries: dict[tuple[int, frozenset[str]], Summary] = {}
        self._of_notes: list[Summary] = []
        """What each note leads to."""
        self._by_class: dict[str, list[int]] = {}
        self._by_resource: dict[str, list[int]] = {}
        self._by_change: dict[str, dict[AttributeChange, list[int]]] = {}
        """By type and by change: the notes that lead to it."""
        self._changed: dict[tuple[Any, ...], Causes] = {}
        """What would have changed something, by the changes in question, the time and the classes."""
        self._any_class: list[int] = []
        self._computed: list[Absent] = []
        """For each of these: it, and all before it."""
        self._given: list[int] = []
        self._computed_given: list[Absent] = []
        """The same for those that would have been given parameters."""
        self._anything: list[int] = []
        self._tagging: list[int] = []
        self._containing: list[int] = []
        self.consulted = Consulted(lambda: run.environment)
        """What the causes depend on beside what this compilation read: what other code would do."""

    @property
    def now(self) -> int:
        """How many notes there are: the time of this compilation."""
        return len(self.notes)

    def note(self, effects: Effects, guard: Guard, scope: AbsenceScope) -> None:
        """Something with these effects did not happen because of `guard`."""
        self.notes.append((effects, guard, scope))

    # --- the index, made when something is asked ---------------------------------------------------------------------

    def _summed(self, index: int) -> Summary:
        """What a note leads to; classes that begin after it change nothing of that."""
        effects = self.notes[index][0]
        full = self._kept(effects, frozenset())
        declared = frozenset(name for name in full.classes if self.begun.get(name, _NEVER) <= index)
        return self._kept(effects, declared) if declared else full

    def _kept(self, effects: Effects, declared: frozenset[str]) -> Summary:
        key = (id(effects), declared)
        summary = self._summaries.get(key)
        if summary is None:
            summary = self._summaries[key] = self.consulted.summary(effects, declared)
        return summary

    def _fold(self) -> None:
        for index in range(len(self._of_notes), len(self.notes)):
            summary = self._summed(index)
            self._of_notes.append(summary)
            for name in summary.classes:
                self._by_class.setdefault(name, []).append(index)
            for type_name in {type_name for type_name, _ in summary.resources}:
                self._by_resource.setdefault(type_name, []).append(index)
            for change in summary.changes:
                self._by_change.setdefault(change.type_name, {}).setdefault(change, []).append(index)
            if summary.any_class is not None:
                self._follow(index, self._any_class, self._computed)
            if summary.any_class:
                self._follow(index, self._given, self._computed_given)
            if summary.anything:
                self._anything.append(index)
            if summary.contained or summary.anything:
                self._containing.append(index)
            if summary.tags_here or summary.tags_main:
                self._tagging.append(index)

    def _follow(self, index: int, indices: list[int], chain: list[Absent]) -> None:
        """Note that a class of any name would have been declared here; thousands of values depend on all of a time."""
        indices.append(index)
        chain.append(Absent("a class of a computed name", (self.notes[index][1], *chain[-1:])))

    def _guards(self, indices: Iterable[int], before: int) -> Causes:
        """What decided on some notes; where these are many, as one cause that others have too."""
        several = tuple([index for index in indices if index < before])
        guards = tuple([self.notes[index][1] for index in several])
        if len(several) < FEW:
            return guards
        known = self._several.get(several)
        if known is None:
            known = self._several[several] = Absent("another declaration", guards)
        return (known,)

    # --- questions, answered now -------------------------------------------------------------------------------------

    def of_class(self, name: str, before: int) -> Causes:
        """What would have declared a class by its written name."""
        self._fold()
        return self._guards((*self._by_class.get(name, ()), *self._anything), before)

    def of_any_class(self, before: int, parameters: bool = False) -> Causes:
        """What would have declared a class that could have been any (with `parameters`, one that was given some)."""
        self._fold()
        indices, chain = (self._given, self._computed_given) if parameters else (self._any_class, self._computed)
        count = bisect_left(indices, before)
        return (chain[count - 1],) if count else ()

    def of_resource(self, type_name: str, title: str, before: int, late: bool) -> Causes:
        """What would have declared a resource; `late`: after the classifier had its say."""
        self._fold()
        indices = [*self._by_resource.get(type_name, ()), *self._by_resource.get(ANY, ())]
        declaring = [index for index in indices if index < before and self._of_notes[index].declares(type_name, title)]
        causes = self._guards((*declaring, *self._anything), before)
        return (
            *causes,
            *self._through_classes(
                ("resource", type_name, title), lambda summary: summary.declares(type_name, title), before, late
            ),
        )

    def of_type(self, type_name: str) -> Causes:
        """What would have declared a resource of a type, whatever its title."""
        self._fold()
        named = (*self._by_resource.get(type_name, ()), *self._by_resource.get(ANY, ()))
        wanted = {type_name, ANY}
        classes = self._through_classes(
            ("type", type_name), lambda summary: any(kind in wanted for kind, _ in summary.resources), _NEVER
        )
        return (*self._guards((*named, *self._anything), _NEVER), *classes)

    def of_change(self, resource: NamedResource, attribute: str, defaulted: bool, before: int) -> Causes:
        """What would have changed an attribute of a resource."""
        self._fold()
        type_name, title = resource.type.lower(), resource.title
        changes = [
            (change, indices)
            for kind in (type_name, ANY)
            for change, indices in self._by_change.get(kind, {}).items()
            if change.touches(type_name, title, attribute) and (defaulted or not change.default)
        ]
        classes = self.consulted.changes_of(type_name).changing(type_name, title, attribute, defaulted)
        asked = (*(id(change) for change, _ in changes), before, classes)
        causes = self._changed.get(asked)
        if causes is None:
            causes = self._guards(sorted({*self._anything}.union(*(indices for _, indices in changes))), before)
            if classes is not None:
                causes = (*causes, *self.of_any_class(before), self._of_classes(classes))
            self._changed[asked] = causes
        return causes

    def _through_classes(
        self, asked: tuple[str, ...], wanted: Callable[[Summary], bool], before: int, late: bool = True
    ) -> Causes:
        """What would have declared a class that leads to something: a computed name, or (`late`) the classifier."""
        classes = self.consulted.leading_to(asked).leading(asked, wanted)
        if classes is None:
            return ()
        causes = self.of_any_class(before)
        return (*causes, self._of_classes(classes)) if late else causes

    def _of_classes(self, classes: ClassGroup) -> Absent:
        """That the classifier does not name any of some classes."""
        known = self._named.get(classes)
        if known is None:
            said = [name for name in classes.names if self.run.is_classified(name)]
            leaves = [Leaf("classifier", name, None, None) for name in said]
            if len(said) < len(classes.names):
                leaves.append(outside(name for name in classes.names if not self.run.is_classified(name)))
            known = self._named[classes] = Absent("another class", tuple(leaves))
        return known

    def of_classifier(self, name: str) -> Causes:
        """What the classifier could have said to declare a class."""
        asked = ("class", name)
        classes = self.consulted.leading_to(asked).leading(
            asked, lambda summary: name in summary.classes or summary.any_class is not None
        )
        return () if classes is None else (self._of_classes(classes),)

    def of_tag(self, tag: str, before: int) -> Causes:
        """What would have declared a class that gives the catalog a tag."""
        self._fold()

        def gives(name: str) -> bool:
            return tag == name or tag in name.split("::")

        causes: list[Origin | Guard] = []
        for name in filter(gives, self._by_class):
            causes += self.of_class(name, before)
        causes += self._through_classes(
            ("tag", tag), lambda summary: summary.tags_main or any(map(gives, summary.classes)), before
        )
        return tuple(causes)

    def of_tags(self, resource: NamedResource, before: int = _NEVER) -> Causes:
        """What would have tagged a class or define from inside of it; functions tag the main class."""
        self._fold()
        main = resource is self.run.main_resource
        tagging = [
            index
            for index in self._tagging
            if (main and self._of_notes[index].tags_main) or self.notes[index][2].resource is resource
        ]
        causes = self._guards((*tagging, *self._anything), before)
        return (
            (*causes, *self._through_classes(("tags",), lambda summary: summary.tags_main, before)) if main else causes
        )

    def of_containing(self, name: str) -> Causes:
        """What would have put a class into another or into a define, also after it was declared."""
        self._fold()
        causes = self._guards((index for index in self._containing if self._of_notes[index].contains(name)), _NEVER)
        return (*causes, *self._through_classes(("contains", name), lambda summary: summary.contains(name), _NEVER))

    def of_classes(self) -> Causes:
        """What would have declared any class."""
        self._fold()
        return tuple(
            guard
            for index, (_, guard, _) in enumerate(self.notes)
            if (summary := self._of_notes[index]).classes or summary.any_class is not None or summary.anything
        )

    def of_resources(self) -> Causes:
        """What would have declared, or made real, any resource or class."""
        self._fold()
        return tuple(
            guard
            for index, (_, guard, _) in enumerate(self.notes)
            if (summary := self._of_notes[index]).resources
            or summary.classes
            or summary.realizes
            or summary.any_class is not None
            or summary.anything
        )

    # --- questions, answered when somebody looks ---------------------------------------------------------------------

    def later(self, what: str, ask: Callable[[int], Causes]) -> Later:
        """The absence of something as of now; `ask` is given this moment."""
        return Later(what, ask, None, (self.now,))

    def other_parameters(self, name: str) -> Later:
        """Why a class was not declared before, with parameters, by a name that was computed.  One for each moment."""
        now = self.now
        if self._others is None or self._others[0] != (now, name):
            self._others = (now, name), Later("other parameters", self._of_parameters, None, (name, now))
        return self._others[1]

    def _of_parameters(self, name: str, now: int) -> Causes:
        """A computed name gave parameters to the class itself, or could be that of a class which gives it some."""
        given = self.of_any_class(now, parameters=True)
        asked = ("parameters", name)
        giving = self.consulted.leading_to(asked).leading(
            asked, lambda summary: bool(summary.classes.get(name) or summary.any_class)
        )
        return given if giving is None else (*given, *self.of_any_class(now))

    def early(self, assigned: int) -> Later:
        """Why a variable that was assigned at some time was there already when the class that runs now read it."""
        return Later("an earlier declaration of the class", self.of_any_class, None, (assigned,))
