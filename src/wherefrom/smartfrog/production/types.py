"""The phase `type`: every component gets the attributes of its prototypes.

Components are visited depth first, in order. The items of an `extends` are merged from the last to the first; each is
looked up from the component itself, with what has been merged so far, and what is found gets its own prototypes first.
The attributes of an item come first and are overridden in place; components in it are copied, so that links in them are
looked up in the heir. A lookup that leads through a component whose prototypes are not merged yet is tried again in
another pass.

A component that comes up again while its prototypes are being merged extends itself: an error. The phase ends, since
each pass that is followed by another has merged at least one item, and merging makes no new ones.
"""

from __future__ import annotations

from typing import Any

from ...base.diagnostics import Label, LimitReached
from ..errors import BadPrototype, FinalAttribute, LinkCycle, NothingToOverride, PrototypeCycle, SmartFrogError
from ..evaluate import WORK_PER_NODE
from ..parser import Limits
from ..store import Inherited, Slot, kind_of, span_of
from .nodes import Application, Defaulted, Node, Reached, Route, last_name, with_value
from .resolve import Lazy, NotFound, Resolver
from .tree import Path

UNTOUCHED, IN_WORK, TYPED = range(3)


class TypePhase:
    """One run of the phase."""

    def __init__(self, resolver: Resolver, limits: Limits) -> None:
        self.resolver = resolver
        self.limits = limits
        self.problems: list[SmartFrogError] = []
        self.progress = False
        self.work = 0
        self.max_work = limits.max_nodes * WORK_PER_NODE

    def run(self, root: Node) -> list[SmartFrogError]:
        """Merge everything; what could not be merged in the end."""
        self.resolver.forget()
        self.resolver.remember = True
        self.resolver.lasts = self.lasts
        try:
            while True:
                self.problems = []
                self.progress = False
                self.visit(root)
                if not (self.problems and self.progress):
                    return self.problems
        finally:
            self.resolver.forget()

    def lasts(self, route: Route) -> bool:
        """Whether a lookup is the same until the phase ends: all of its way has its attributes, and leads on by links
        of which that is true."""
        known = self.resolver.known
        return (
            not route.failed
            and not any(node.types for node, _, _ in (*route.steps, *route.missed))
            and all(
                (id(node), name) in known for node, name, slot in route.steps if isinstance(slot, Reached | Defaulted)
            )
        )

    def visit(self, node: Node) -> bool:
        """Merge the prototypes of a component and of all inside; whether all of that could be done."""
        if node.state == TYPED:
            return True
        if node.state == IN_WORK:
            raise PrototypeCycle(node.path or node.name, node.written_at)
        node.state = IN_WORK
        try:
            done = not node.types or self.merge_all(node)
            if done:
                for value in [slot.value for slot in node.entries.values() if slot.value.__class__ is Node]:
                    if value.state != TYPED:
                        done = self.visit(value) and done
                    if value.holds:
                        node.holds = True
        finally:
            node.state = UNTOUCHED
        if done:
            node.state = TYPED
        return done

    def merge_all(self, node: Node) -> bool:
        """Merge the items from the last to the first, as far as they are found."""
        while node.types:
            tick, item = node.types[-1]
            if isinstance(item, Node):
                self.merge(node, item, None, tick)
            else:
                prototype = self.prototype(node, item)
                if prototype is None:
                    return False
                self.merge(node, *prototype, tick)
                node.prototypes.append(prototype[1])
                prototype[1].tick = tick
            node.types.pop()
            self.progress = True
        return True

    def prototype(self, node: Node, reference: Path) -> tuple[Node, Route] | None:
        """The component that a prototype's reference leads to, its own prototypes merged; nothing, with a problem."""
        span = reference.span
        try:
            route = self.resolver.follow(reference, node)
            if self.resolver.opened(route):
                route = self.resolver.follow(reference, node)
        except NotFound as failure:
            problem = failure.problem
            self.problems.append(_unknown(reference, failure, problem))
            return None
        except Lazy:
            self.problems.append(BadPrototype(reference.written, span, "a lazy reference"))
            return None
        except LinkCycle as problem:
            raise problem
        target = route.value
        if type(target) is not Node:
            since = span_of(route.target) if route.target is not None else None
            self.problems.append(BadPrototype(reference.written, span, kind_of(target), since))
            return None
        if target.state == IN_WORK:
            raise PrototypeCycle(reference.written, span)
        if target.state != TYPED:
            if target.forced is None:
                target.forced = route
            try:
                if not self.visit(target):
                    return None
            except PrototypeCycle as problem:
                problem.labels.append(_by(reference))
                raise
        return target, route

    def merge(self, node: Node, item: Node, route: Route | None, tick: int) -> None:
        """Put the attributes of an item before and under those that the component has."""
        own = node.entries
        node.holds = node.holds or item.holds
        entries: dict[str, Slot] = {}
        self.work += len(item.entries)
        if self.work > self.max_work:
            at = node.written_at
            raise LimitReached("too many attributes are written", self.max_work, at, "--max-size")
        if node.tags and any("sfOverride" in tags for tags in node.tags.values()):
            self.check_overrides(node, item, route)
        search: Any = route  # where the core's slots hold a `Search`, those of this level hold a `Route`
        for name, slot in item.entries.items():
            value = slot.value
            mine = own.get(name) if own else None
            if mine is not None:
                if "sfFinal" in item.tags.get(name, ()):
                    raise FinalAttribute(str(last_name(name)), span_of(mine), span_of(slot))
                if route is None:
                    brought = slot
                    if type(value) is Node:
                        value.outer = node
                else:
                    brought = Inherited(value, tick, search, slot)
                _cover(mine, brought)
                entries[name] = mine
            elif route is None:
                if type(value) is Node:
                    value.outer = node
                entries[name] = slot
            else:
                if type(value) is Node:
                    value = self.copied(value, node, last_name(name))
                elif type(value) is Application:
                    value = value.duplicate(node)
                entries[name] = Inherited(value, tick, search, slot)
        for name, slot in own.items():
            if name not in entries:
                entries[name] = slot
        node.entries = entries
        for key, tags in item.tags.items():
            node.add_tags(key, tags)

    def copied(self, component: Node, outer: Node, name: str) -> Node:
        """A copy of a component in a prototype."""
        copy = Node(name, outer, component.written_at)
        copy.data = component.data
        copy.call = component.call
        copy.state = TYPED
        copy.holds = component.holds
        copy.base = component
        if component.tags:
            copy.tags = component.tags.copy()
        entries = copy.entries = component.entries.copy()
        self.work += len(entries)
        if self.work > self.max_work:
            at = component.written_at
            raise LimitReached("too many attributes are written", self.max_work, at, "--max-size")
        for inside, slot in component.entries.items():
            value = slot.value
            if type(value) is Node:
                entries[inside] = with_value(slot, self.copied(value, copy, last_name(inside)))
            elif type(value) is Application:
                entries[inside] = with_value(slot, value.duplicate(copy))
        return copy

    def check_overrides(self, node: Node, item: Node, route: Route | None) -> None:
        """`sfOverride`: every item to the left must have the attribute."""
        for name, tags in node.tags.items():
            if "sfOverride" in tags and name in node.entries and name not in item.entries:
                at = span_of(node.entries[name])
                what = route.reference.written if route is not None else "the block to the left"
                there = route.reference.span if route is not None else item.written_at
                raise NothingToOverride(str(last_name(name)), at, what, there)


def _cover(mine: Slot, brought: Slot) -> None:
    """An attribute that a component has covers what a prototype brings, and stands in its place."""
    lowest = mine
    while lowest.hidden is not None:
        lowest = lowest.hidden
    lowest.hidden = brought
    mine.place = brought.placed


def _unknown(reference: Path, failure: NotFound, problem: SmartFrogError) -> SmartFrogError:
    near: list[str] = []
    for holder, _, _ in failure.route.missed if failure.route is not None else ():
        near += [key for key in holder.entries if isinstance(key, str)]
    unknown = BadPrototype(reference.written, reference.span, None, known=near)
    unknown.labels[0].text = (
        problem.labels[0].text if failure.kind == "tbd" else "no component of this name is in sight"
    )
    return unknown


def _by(reference: Path) -> Label:
    return Label(reference.span, "by this prototype")
