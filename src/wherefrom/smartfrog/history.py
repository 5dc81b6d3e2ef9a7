"""From slots to origins: the history of a value, made when somebody asks for it.

The evaluator leaves a slot at every name (see `store`). This module reads them and builds origins:

* a basic value is a `Leaf`, a vector an `Items` of leaves, a component an `Items` with `placed` for its order;
* a link or a prototype is a `Copy`, inside a `Choice` whose tests are the reference itself (had it been another, the
  value might be another) and what the search did *not* find on its way out;
* a value that covers another is `Overridden`;
* a prototype that was applied after an attribute was put, and did not bring it, is an `Absent` test of that attribute.

What a value depends on is thus every literal and every reference in the text that can change it.

The value at a path is told by `at_path`: the story of its own slot, wrapped in the stories of the components round it.
Two functions do the wrapping. `_carried` adds the transfers through which a *component* came to its slot. `_in` adds
what the component around a slot contributes: that it may be a changed copy of another, and its later prototypes.

Histories may be as long as programs, so these functions, which recurse, are called on a deep stack (`base.deep`).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import cast

from ..base.source import Span
from ..provenance.origins import Absent, Choice, Copy, Hidden, Items, Leaf, Origin, Overridden, Step
from .labels import (
    BASIC_VALUE,
    COMPONENT,
    KEEPS_PLACE,
    POSITION,
    VECTOR_OF,
    ChangedInside,
    ComesBefore,
    FromPrototype,
    LinkedFrom,
    OverriddenAt,
    Overriding,
    PlacedBy,
    PutBy,
)
from .standing import Standing
from .store import (
    Component,
    DataPath,
    Followed,
    Inherited,
    Linked,
    PendingLink,
    Rebuilt,
    Search,
    Slot,
    Written,
    as_put,
    plain,
    span_of,
)
from .tree import Assignment, BasicValue, Boolean, DataReference, Null, Number, Reference, String, Vector

NOW = 1 << 62
"""A tick after all others."""

BASIC = Step(BASIC_VALUE, ())
VECTOR = Step(VECTOR_OF, ())


class History:
    """Origins for one finished store.  `included` tells for each included file which directive included it first."""

    def __init__(self, included: Mapping[str, Span]) -> None:
        self._included = included
        self._shapes: dict[tuple[int, int], Origin] = {}
        self.standing = Standing()

    # --- values at paths ---

    def at_path(self, steps: list[tuple[Component, str]]) -> Origin:
        """The origin of the value reached by these components and names, the outermost first."""
        component, name = steps[-1]
        origin = self.element(component, name)
        for component, name in reversed(steps[:-1]):
            slot = component.entries[name]
            origin = self._in(component, name, slot, self._carried(name, slot, origin), NOW)
        return origin

    def element(self, component: Component, name: str) -> Origin:
        """The origin of one attribute, seen from its component."""
        slot = component.entries[name]
        return self._in(component, name, slot, self.origin(name, slot), NOW)

    def origin(self, name: str, slot: Slot) -> Origin:
        """How the value in `slot`, which stands at `name`, came to be there."""
        if slot.origin is None:
            history = self._origin(name, slot)
            if slot.hidden is not None:
                history = self._overridden(name, slot, slot.hidden, history)
            slot.origin = history
        return cast(Origin, slot.origin)

    def _origin(self, name: str, slot: Slot) -> Origin:
        value = slot.value
        match slot:
            case Written(assignment=assignment):
                if isinstance(value, PendingLink):  # one that was covered before anybody followed it
                    reference = value.reference
                    inner: Origin = Leaf("reference", reference.text, reference.span, reference.text)
                else:
                    inner = self.items(value) if isinstance(value, Component) else self.literal(assignment)
                return _placement(assignment, inner)
            case Linked(search=search):
                return _placement(slot.assignment, self._linked(search, self._target(search, value)))
            case Inherited(search=search, source=source):
                if isinstance(value, Component) and value is not source.value:  # a copy, with links of its own
                    inner = self._carried(name, source, self.items(value))
                else:
                    inner = self.origin(name, source)
                return self._inherited(name, search, source, inner)
            case Followed(search=search, source=source):
                inner = self._target(search, value)
                return self._carried(name, source, self._linked(search, inner))
            case Rebuilt(source=source, assignment=assignment):
                inner = self._carried(name, source, self.items(cast(Component, value)))
                changed = Copy(ChangedInside(assignment.target.text), inner, assignment.target.span)
                return changed if source.hidden is None else self._overridden(name, source, source.hidden, changed)
            case _:
                raise AssertionError(slot)

    def _target(self, search: Search, value: object) -> Origin:
        """How what a link found came to be there; of a copy of a component, how its own attributes did."""
        name, target = search.reference.names[-1], search.target
        if isinstance(value, Component) and value is not target.value:
            return self._carried(name, target, self.items(value))
        return self.origin(name, target)

    def _overridden(self, name: str, slot: Slot, old: Slot, chosen: Origin) -> Origin:
        origin = self.origin(name, old)
        match old:
            case Inherited():
                story = f"inherited from {old.search.path}"
            case Linked() | Followed():
                story = f"linked from {old.search.path}"
            case _:
                story = "set earlier"
        at = span_of(slot)
        hidden = Hidden(plain(old.value), origin, OverriddenAt(story, at.place), span_of(_first(old)))
        return Overridden(Overriding(story), chosen, (hidden,), (), at)

    def literal(self, assignment: Assignment) -> Origin:
        """The origin of a basic value as written."""
        return self._basic(cast(BasicValue, assignment.value))

    def _basic(self, value: BasicValue) -> Origin:
        match value:
            case Vector(items):
                return Items([self._basic(item) for item in items], VECTOR)
            case Boolean(inner) | Number(inner) | String(inner):
                return Leaf("literal", "", value.span, inner, self._detail(value.span))
            case Null():
                return Leaf("literal", "", value.span, None, self._detail(value.span))
            case DataReference(reference):
                return Leaf("literal", "", value.span, str(DataPath("$." + reference.text)), self._detail(value.span))

    def _detail(self, span: Span) -> str:
        by = self._included.get(span.file.name)
        return f"included at {by.place}" if by is not None else ""

    def items(self, component: Component) -> Items:
        """The origin of a component itself: its attributes, its shape and its order."""
        if component.items is None:
            elements = {name: self.element(component, name) for name in component.entries}
            component.items = Items(elements, self.shape(component, NOW), self._placed(component))
        return cast(Items, component.items)

    # --- transfers ---

    def _linked(self, search: Search, inner: Origin) -> Origin:
        span = search.reference.span
        return Choice(self.tests(search), Copy(LinkedFrom(search.path), self._reached(search, inner), span), span)

    def _inherited(self, name: str, search: Search, source: Slot, inner: Origin) -> Origin:
        prototype = cast(Component, search.target.value)
        inner = self._in(prototype, name, source, inner, search.tick)
        inner = self._carried(search.reference.names[-1], search.target, inner)
        span = search.reference.span
        how = FromPrototype(search.path)
        return Choice(self.tests(search), Copy(how, self._reached(search, inner), span), span)

    def _reached(self, search: Search, inner: Origin) -> Origin:
        """Wrap `inner`, the story of what was found, in the components that the reference leads through."""
        names = search.reference.names
        for depth in range(len(search.steps) - 1, -1, -1):
            component, slot = search.steps[depth]
            if depth < len(search.steps) - 1:
                inner = self._carried(names[depth], slot, inner)
            inner = self._in(component, names[depth], slot, inner, search.tick)
        return inner

    def _carried(self, name: str, slot: Slot, inner: Origin) -> Origin:
        """Wrap `inner`, something inside the component in `slot`, in the transfers that brought the component there."""
        match slot:
            case Written(assignment=assignment):
                return _placement(assignment, inner)
            case Linked(search=search):
                inner = self._carried(search.reference.names[-1], search.target, inner)
                return _placement(slot.assignment, self._linked(search, inner))
            case Followed(search=search, source=source):
                inner = self._carried(search.reference.names[-1], search.target, inner)
                return self._carried(name, source, self._linked(search, inner))
            case Inherited(search=search, source=source):
                return self._inherited(name, search, source, self._carried(name, source, inner))
            case _:  # what is untouched in a rebuilt component tells it through its base
                return inner

    def _in(self, component: Component, name: str, slot: Slot, inner: Origin, at: int) -> Origin:
        """Wrap `inner`, the story of `slot`, in what its component adds to it up to the tick `at`."""
        base = component.base
        if base is not None and base.entries.get(name) is slot:
            through = cast(Slot, component.through)
            inner = self._in(base, name, slot, inner, at)
            inner = self._carried(component.name, through, inner)
            inner = self._in(cast(Component, component.container), component.name, through, inner, at)
        return self._later(component, name, slot, inner, at)

    def _later(self, component: Component, name: str, slot: Slot, inner: Origin, at: int) -> Origin:
        """Prototypes applied after `slot` was put did not bring `name`: had they, the value would be theirs."""
        if component.prototypes is None:
            return inner
        tests = tuple(
            Absent(f"{name} in prototype {search.path}", (self._applied(search),), search.reference.span)
            for search in component.prototypes
            if slot.tick < search.applied <= at
        )
        return Choice(tests, inner) if tests else inner

    # --- tests ---

    def tests(self, search: Search) -> tuple[Origin, ...]:
        """What decided that a search found what it did: the reference, and every place where nothing was found."""
        if search.tests is None:
            reference = search.reference
            tests: list[Origin] = [Leaf("reference", reference.text, reference.span, search.path)]
            here: Component | None = search.start
            for _ in range(search.misses):
                assert here is not None
                tests.append(self._miss(search, here))
                here = here.outer
            search.tests = tuple(tests)
        return cast("tuple[Origin, ...]", search.tests)

    def _miss(self, search: Search, level: Component) -> Origin:
        causes = [self.shape(level, search.tick)]
        names = search.reference.names
        for steps in search.partial:
            if steps[0][0] is not level:
                continue
            last = steps[-1][1].value
            inner = self.shape(last, search.tick) if isinstance(last, Component) else BASIC
            for depth in range(len(steps) - 1, -1, -1):
                component, slot = steps[depth]
                inner = self._in(component, names[depth], slot, self._carried(names[depth], slot, inner), search.tick)
            causes = [inner]
        return Absent(f"{search.reference.text} in {level.path or 'the top level'}", tuple(causes), level.written_at)

    def _applied(self, search: Search) -> Origin:
        """That a prototype was applied, and which attributes it had."""
        shape = self.shape(cast(Component, search.target.value), search.tick)
        inner = self._reached(search, self._carried(search.reference.names[-1], search.target, shape))
        return Choice(self.tests(search), inner, search.reference.span)

    def shape(self, component: Component, at: int) -> Origin:
        """Which attributes a component had at the tick `at`: the prototypes that made it what it was."""
        applied = [search for search in component.prototypes or () if search.applied <= at]
        key = (id(component), len(applied))
        shape = self._shapes.get(key)
        if shape is None:
            inputs = [self._applied(search) for search in applied]
            if component.base is not None:
                through = cast(Slot, component.through)
                whole = self._carried(component.name, through, self.shape(component.base, at))
                inputs.append(self._in(cast(Component, component.container), component.name, through, whole, at))
            shape = self._shapes[key] = Step(COMPONENT, tuple(inputs), component.written_at)
        return shape

    # --- order ---

    def _placed(self, component: Component) -> dict[str, Origin]:
        """For each attribute, what put it where it stands (Def 12: overriding keeps the place).

        The transfers are the prototypes that it came through and the statement that put it first. It would stand
        elsewhere if one of these prototypes were another, or if one that was applied before had brought it.
        """
        swapped = out_of_order(component)
        placed: dict[str, Origin] = {}
        for name, slot in component.entries.items():
            origin = self._position(component, name, slot.placed)
            if name in swapped:
                origin = Copy(ComesBefore(swapped[name], component.path), origin, span_of(slot))
            elif slot.place is not None and not isinstance(slot, Rebuilt):
                origin = Copy(KEEPS_PLACE, origin, span_of(slot))
            placed[name] = origin
        return placed

    def _position(self, component: Component, name: str, slot: Slot) -> Origin:
        """How `slot`, which first put `name` into a component, came to do so."""
        here = component
        while (base := here.base) and name in base.entries and base.entries[name].placed is slot:
            here = base
        origin: Origin
        match slot:
            case Inherited(search=search, source=source):
                prototype = cast(Component, search.target.value)
                inner = self._position(prototype, name, source.placed)
                origin = Copy(FromPrototype(search.path), inner, search.reference.span)
                before = search.applied
            case Written(assignment=assignment) | Linked(assignment=assignment):
                span = assignment.target.span
                origin = Copy(PutBy(here.path or "the top level"), Step(POSITION, (), span), span)
                before = slot.tick
            case _:
                raise AssertionError(slot)
        tests: list[Origin] = []
        for search in here.prototypes or ():
            if search.applied <= before:
                tests += [self._applied(search), *map(self.standing.of, search.slots)]
        return Choice(tuple(tests), origin) if tests else origin


def out_of_order(component: Component) -> dict[str, str]:
    """Attributes that come before another although the component's own text writes the other first.

    Only neighbours among the attributes that the component writes itself are compared, in each file by itself. The
    reason is always the same: a prototype had put the later written one first, and overriding keeps the place.
    """
    written = [
        (name, slot.assignment.span)
        for name, slot in zip(component.entries, map(as_put, component.entries.values()), strict=True)
        if isinstance(slot, Written | Linked) and len(slot.assignment.target.names) == 1
    ]
    return {
        name: following
        for (name, span), (following, next_span) in pairwise(written)
        if span.file is next_span.file
        and span.start > next_span.start
        and isinstance(component.entries[name].placed, Inherited)
    }


def _placement(assignment: Assignment, inner: Origin) -> Origin:
    """Add the transfer of a placement, if the assignment is one."""
    target: Reference = assignment.target
    return inner if len(target.names) == 1 else Copy(PlacedBy(target.text), inner, target.span)


def _first(slot: Slot) -> Slot:
    """The slot in which a value was written, followed back through prototypes, links and rebuildings."""
    while True:
        match slot:
            case Inherited(source=source) | Rebuilt(source=source):
                slot = source
            case Linked(search=search) | Followed(search=search):
                slot = search.target
            case _:
                return slot
