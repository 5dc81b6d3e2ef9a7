"""Level forward: the evaluator of the two-pass semantics, in which a link may refer to what stands after it.

The first pass is the core's (`evaluate`), but a link is put as a `PendingLink` and not followed. The second pass walks
through `sfConfig` in order and puts in place of each link what it leads to (`Followed`): the links of a component that
a link leads to are looked up where they stand, those of components inside of it, and links in a copy that a prototype
made, in the copy. Only prototypes are followed at once.

**Sharing.** A component with a link inside is `open`. Open components are never shared, since the same link may lead
elsewhere in each of them; a component without links is shared as in the core. So cost grows with the text and the
result. A chain of links is walked once: what the links on the way led to is remembered (`_known`), unless a link that
was not followed yet kept a path from being found, as the same search may find it later. In the first pass it is
forgotten as soon as an attribute is put that has one of the names in these links (`_names`).

**The end.** Components grow while links in them are followed, so that this ends is a theorem: it does because a link is
an error if it leads to a component that it stands in, or that one being expanded stands in
(`docs/semantics/smartfrog.md`).
"""

from __future__ import annotations

from collections.abc import Iterable

from .errors import BadPrototype, LinkCycle, LinkToNothing, NoConfiguration
from .evaluate import Evaluator, check_size, hinting, names_in_sight, put
from .parser import Limits, Program
from .store import Component, Followed, Inherited, PendingLink, Search, Slot, Written, kind_of, span_of
from .tree import Assignment, Link, Reference


def evaluate_forward(program: Program, limits: Limits) -> tuple[Component, Slot]:
    """The top level of the finished store, links followed in `sfConfig` alone, and the slot of that."""
    top = Component("", None, None)
    top.live = True
    evaluator = ForwardEvaluator(limits)
    with hinting(program):
        evaluator.body(program.tree.block, top)
    slot = top.entries.get("sfConfig")
    if slot is None:
        raise NoConfiguration(program.tree.span.file.span(0), None)
    slot = evaluator.follow_all(top, slot)
    configuration = slot.value
    if type(configuration) is not Component:
        raise NoConfiguration(span_of(slot), kind_of(configuration))
    check_size(configuration, span_of(slot), limits)
    return top, slot


class ForwardEvaluator(Evaluator):
    """One run."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        self._known: dict[tuple[int, str], Followed] = {}
        self._names: set[str] = set()

    # --- the first pass ---

    def forget(self, names: Iterable[str]) -> None:
        """Attributes of these names are put: remember no links that may be looked up otherwise now."""
        if not self._names.isdisjoint(names):
            self._known.clear()
            self._names.clear()

    def assignment(self, assignment: Assignment, within: Component) -> None:
        """V for a link (Def 24): put the link itself; everything else as in the core."""
        if self._names:
            self.forget(assignment.target.names)
        value = assignment.value
        if type(value) is not Link:
            super().assignment(assignment, within)
            return
        names = assignment.target.names
        holder = within if len(names) == 1 else self.holder(assignment, within)
        place = (*within.place, *names)
        if place[: len(value.reference.names)] == value.reference.names:
            raise LinkCycle(value.reference.text, value.span)
        put(holder, names[-1], Written(PendingLink(value.reference), self.tick, assignment))
        here: Component | None = holder
        while here is not None and not here.open:
            here.open = True
            here = here.owner

    def inherit(self, target: Component, reference: Reference, within: Component) -> None:
        """`inherit` (Def 18): a prototype that is a link is followed; open components are copied."""
        search = self.followed(reference, within, BadPrototype(reference.text, reference.span, None))
        prototype = search.target.value
        if type(prototype) is not Component:
            raise BadPrototype(reference.text, reference.span, kind_of(prototype), span_of(search.target))
        entries = target.entries
        self.tick = tick = search.applied
        self.spend(len(prototype.entries), reference)
        brought: list[tuple[str, Inherited]] = []  # all of it before anything is put, as `target` may be inside
        for name, source in prototype.entries.items():
            value = source.value
            if type(value) is Component:
                if value.open or value.live:
                    value = self.replica(value, target, name, reference)
                else:
                    value.owner = None
            brought.append((name, Inherited(value, tick, search, source)))
        if self._names:
            self.forget(prototype.entries)
        for name, slot in brought:
            old = entries.get(name)
            if old is not None:
                slot.hidden = old
                slot.place = old.place or old
            entries[name] = slot
        if prototype.open:
            here: Component | None = target
            while here is not None and not here.open:
                here.open = True
                here = here.owner
        if target.prototypes is None:
            target.prototypes = [search]
        else:
            target.prototypes.append(search)

    def replica(self, component: Component, owner: Component, name: str, reference: Reference) -> Component:
        """A copy that belongs to `owner`, components with links inside copied too, all others shared."""
        self.spend(len(component.entries), reference)
        copy = Component(name, owner, component.written_at)
        copy.base = component.base
        copy.container = component.container
        copy.through = component.through
        copy.prototypes = component.prototypes and component.prototypes.copy()
        copy.open = component.open
        entries = copy.entries = component.entries.copy()
        for inside, slot in component.entries.items():
            inner = slot.value
            if type(inner) is Component:
                if inner.open or inner.live:
                    entries[inside] = slot.with_value(self.replica(inner, copy, inside, reference))
                else:
                    inner.owner = None
        return copy

    def spend(self, count: int, reference: Reference) -> None:
        """Count attributes that are written."""
        self.work += count
        if self.work > self.max_work:
            self.too_much_work(reference.span)

    # --- the second pass ---

    def follow_all(self, top: Component, slot: Slot) -> Slot:
        """Follow every link in `sfConfig`, which stands in `slot`; what stands there then."""
        self._known.clear()
        self._follow_in(top, top, "sfConfig", slot, [])
        return top.entries["sfConfig"]

    def follow_links(self, here: Component, source: Component, expanding: list[Component]) -> None:
        """Put what links lead to in their place, in `here`; they are looked up in `source`, which it is a copy of.

        `expanding` are the components that links led to inside of whose copies `here` is.
        """
        for name, slot in list(here.entries.items()):
            self._follow_in(here, source, name, slot, expanding)
        here.open = False

    def _follow_in(self, here: Component, source: Component, name: str, slot: Slot, expanding: list[Component]) -> None:
        """Follow the link in `slot`, or the links inside of it."""
        value = slot.value
        if type(value) is PendingLink:
            followed = self._follow(value.reference, here, source, name, slot, expanding)
            here.entries[name] = followed
            inner = followed.value
            if type(inner) is Component and inner.open:
                original = followed.search.target.value
                assert type(original) is Component
                self.follow_links(inner, original, [*expanding, original])
        elif type(value) is Component and value.open:
            self.follow_links(value, value, expanding)

    def _follow(
        self,
        reference: Reference,
        here: Component,
        source: Component,
        name: str,
        slot: Slot,
        expanding: list[Component],
    ) -> Followed:
        known = self._known.get((id(source), name))
        search = self.followed(reference, source, None) if known is None else known.search
        target = search.target.value
        if type(target) is Component:
            if target.open:  # which every component is that a link is just being followed in
                for inside in (here, *reversed(expanding)):
                    level: Component | None = inside
                    while level is not None:
                        if level is target:
                            raise LinkCycle(reference.text, reference.span, inside=search.path)
                        level = level.outer
                target = self.replica(target, here, name, reference)
            else:
                target = target.to_share()
                check_size(target, reference.span, self.limits)
        return Followed(target, self.tick, slot, search)

    def followed(self, reference: Reference, start: Component, unknown: BadPrototype | None) -> Search:
        """What a reference leads to, through links if need be: a search whose target is no link."""
        legs: list[Search] = []
        seen: set[tuple[int, str]] = set()
        known: Followed | None = None
        blocked = False
        while True:
            search = self.resolve(reference, start)
            if search is None:
                near = names_in_sight(reference, start)
                if unknown is not None and not legs:
                    raise BadPrototype(reference.text, reference.span, None, known=near)
                raise LinkToNothing(reference.text, reference.span, near, ahead=True)
            blocked = blocked or any(type(steps[-1][1].value) is PendingLink for steps in search.partial)
            holder, slot = search.steps[-1]
            if type(slot.value) is not PendingLink:
                break
            legs.append(search)
            self._names.update(slot.value.reference.names)
            key = (id(holder), reference.names[-1])
            known = self._known.get(key)
            if known is not None:
                break
            if key in seen:
                raise LinkCycle(reference.text, reference.span, [leg.reference.span for leg in legs])
            seen.add(key)
            reference, start = slot.value.reference, holder
        for leg in reversed(legs):
            holder, slot = leg.steps[-1]
            if known is None:
                known = Followed(search.target.value, self.tick, slot, search)
                if not blocked:
                    self._known[id(holder), leg.reference.names[-1]] = known
                    self._names.update(leg.reference.names)
            leg.steps = (*leg.steps[:-1], (holder, known))
            search, known = leg, None
        return search
