"""The phase `place`: `a:b:c value` puts `c` into the component `a:b`, wherever that came from.

The tree is visited depth first, in order, again and again until a visit changes nothing: a placement may need a
component that another one puts there. The path is that of an attribute of the component in which the placement stands,
followed through links; what is left in the end is an error. The phase ends since every visit but the last makes
placements fewer.

**Cost.** Nothing is looked at again that can not have become otherwise. A placement that can not be made yet waits for
the attributes that its path came through or missed (`_users`), and goes on from there when one of them is put. What a
link on the way led to is remembered until an attribute is put that it depends on. The visits are those of the rule all
the same: what can be tried stands in a queue by the number of the visit and by its place in the tree, and is tried in
the visit in progress only if that has still to come by.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import count
from typing import TypeAlias

from ..errors import FinalAttribute, NotPlaced, SmartFrogError
from ..store import Slot, kind_of, span_of
from .nodes import Key, Node, Placed, Route
from .resolve import Lazy, NotFound, Resolver
from .tree import HERE, Part, Path

Numbers: TypeAlias = tuple[int, ...]
"""A place in the tree: the number of an attribute in each component on the way down."""
Attribute: TypeAlias = tuple[Node, str]


class Waiting:
    """A placement that was not made yet: the component it stands in, and how far its path leads through components."""

    __slots__ = ("depth", "holder", "key", "queued", "reached", "was_tried")

    def __init__(self, holder: Node, key: tuple[str, ...]) -> None:
        self.holder = holder
        self.key = key
        self.reached = holder
        self.depth = 0
        self.queued = True
        self.was_tried = False

    def restart(self) -> None:
        """Follow the path from its beginning again."""
        self.reached = self.holder
        self.depth = 0


class PlacePhase:
    """One run of the phase.  `routes` are all the ways that placements took."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.routes: list[Placed] = []
        self._queue: list[tuple[int, Numbers, int, Waiting]] = []
        self._waiting: dict[Waiting, None] = {}
        self._users: dict[Attribute, dict[Waiting | Attribute, None]] = {}
        """What came through an attribute, or missed it: placements, and links that are remembered."""
        self._numbers: dict[Node, dict[Key, int]] = {}
        self._since: dict[tuple[Node, Key], tuple[int, Numbers]] = {}
        """The visit and place at which attributes became components."""
        self._now: tuple[int, Numbers] = (0, ())
        self._counter = count()  # so that entries of the queue are never equal: a replaced component's are left in it
        self._path: list[tuple[Node, Key]] = []
        """The way to the placement that is being tried, and the depth of the components on it."""
        self._below: dict[Node, int] = {}
        self._replaced = False  # whether a component was replaced by another

    def run(self, root: Node) -> list[SmartFrogError]:
        """Place everything; what could not be placed in the end."""
        if not root.holds:
            return []
        self._below = {root: 0}
        for waiting, numbers in self._placements(root):
            self._waiting[waiting] = None
            self._queue.append((1, numbers, next(self._counter), waiting))
        heapify(self._queue)
        resolver = self.resolver
        resolver.forget()
        resolver.remember = True
        resolver.remembered = self._remembered
        try:
            while self._queue:
                visit, numbers, _, waiting = heappop(self._queue)
                if visit != self._now[0]:
                    self._below = {root: 0}
                self._now = visit, numbers
                waiting.queued = False
                if waiting in self._waiting and (not self._replaced or self._enter(waiting)):
                    self._try(waiting)
            return self._left_over(root)
        finally:
            resolver.forget()

    # --- where placements stand ---

    def _placements(self, node: Node) -> Iterator[tuple[Waiting, Numbers]]:
        """The placements in a component and in those inside, with their places below it."""
        stack: list[tuple[Node, Numbers]] = [(node, ())]
        while stack:
            holder, way = stack.pop()
            for key, number in self._numbered(holder).items():
                slot = holder.entries.get(key)
                if isinstance(key, tuple):
                    if slot is not None:
                        yield Waiting(holder, key), (*way, number)
                elif slot is not None and type(slot.value) is Node and slot.value.holds:
                    stack.append((slot.value, (*way, number)))

    def _numbered(self, node: Node) -> dict[Key, int]:
        """The attributes of a component, numbered in their order; those that are put later go on from there."""
        numbers = self._numbers.get(node)
        if numbers is None:
            numbers = self._numbers[node] = {key: number for number, key in enumerate(node.keys)}
        return numbers

    def _way(self, waiting: Waiting) -> list[tuple[Node, Key]] | None:
        """The attributes that lead down to a placement; nothing if a component on the way was replaced.

        A visit that is inside of a component when that is replaced stays in it until it is through.
        """
        node = waiting.holder
        way: list[tuple[Node, Key]] = [(node, waiting.key)]
        while node not in self._below:
            outer = node.outer
            slot = outer.entries.get(node.name) if outer is not None else None
            if slot is None or slot.value is not node:
                return None
            assert isinstance(outer, Node)
            way.append((outer, node.name))
            node = outer
        return [*self._path[: self._below[node]], *reversed(way)]

    def _enter(self, waiting: Waiting) -> bool:
        """Note the way to the placement that is being tried; whether there is one."""
        way = self._way(waiting)
        if way is not None:
            self._path = way
            self._below = {node: depth for depth, (node, _) in enumerate(way)}
        return way is not None

    # --- the queue ---

    def _wake(self, waiting: Waiting) -> None:
        """Have a placement tried: in this visit if that has still to come by, else in the next."""
        way = None if waiting.queued else self._way(waiting)
        if way is None:
            return
        numbers = tuple([self._numbered(node)[key] for node, key in way])
        visit = self._now[0] if self._is_ahead(way) else self._now[0] + 1
        waiting.queued = True
        heappush(self._queue, (visit, numbers, next(self._counter), waiting))

    def _is_ahead(self, way: list[tuple[Node, Key]]) -> bool:
        """Whether the visit in progress, which goes through what a component had when it came there, has a place."""
        visit, now = self._now
        depth = next(depth for depth, (new, old) in enumerate(zip(way, self._path)) if new != old)
        node, key = way[depth]
        if node is not self._path[depth][0]:  # the component that is being visited was replaced by this one
            return False
        since = self._since.get((node, key))
        return self._numbered(node)[key] > now[depth] and (since is None or since < (visit, now[:depth]))

    def _put(self, target: Node, name: str, slot: Slot) -> None:
        """Set an attribute, and have everything tried again that it may be the reason for."""
        numbers = self._numbers.get(target)
        if numbers is not None and name not in numbers:
            numbers[name] = len(numbers)
        old = target.entries.get(name)
        if type(slot.value) is Node and not (old is not None and type(old.value) is Node):
            self._since[target, name] = self._now
        target.put(name, slot)
        changed: list[Attribute] = [(target, name)]
        while changed:
            attribute = changed.pop()
            self.resolver.known.pop((id(attribute[0]), attribute[1]), None)
            for user in self._users.pop(attribute, ()):
                if isinstance(user, Waiting):
                    if (user.reached, user.key[user.depth]) != attribute:
                        user.restart()
                    if user in self._waiting:
                        self._wake(user)
                elif (id(user[0]), user[1]) in self.resolver.known:
                    changed.append(user)

    def _uses(self, user: Waiting | Attribute, route: Route | None) -> None:
        """Note the attributes that a path came through and missed."""
        while route is not None:
            for node, name, _ in (*route.steps, *route.missed):
                self._users.setdefault((node, name), {})[user] = None
            route = route.inner

    def _remembered(self, here: Node, name: object, route: Route) -> None:
        """Note what a link depends on whose target is remembered."""
        self._uses((here, str(name)), route)

    # --- one placement ---

    def _try(self, waiting: Waiting) -> None:
        """Make a placement, if what it goes into is there; else note what it waits for."""
        if waiting.was_tried and not self._leads_on(waiting):
            return
        target = self._target(waiting)
        if isinstance(target, Route):
            self._place(waiting, target)
        elif not waiting.was_tried:
            waiting.was_tried = True
            self._leads_on(waiting)

    def _leads_on(self, waiting: Waiting) -> bool:
        """Go on along a path as far as it leads through components; whether nothing is missing there."""
        key, last = waiting.key, len(waiting.key) - 1
        while waiting.depth < last:
            here, name = waiting.reached, key[waiting.depth]
            slot = here.entries.get(name)
            component = slot.value if slot is not None else None
            if slot is not None and not isinstance(component, Node):
                return True
            self._users.setdefault((here, name), {})[waiting] = None
            if not isinstance(component, Node):
                return False
            if waiting.depth and "sfLocal" in here.tags.get(name, ()):
                return True
            waiting.reached = component
            waiting.depth += 1
        return True

    def _target(self, waiting: Waiting) -> Route | SmartFrogError:
        """The component that a placement goes into, or why there is none."""
        holder, key = waiting.holder, waiting.key
        span = span_of(holder.entries[key])
        text = ":".join(key)
        if key[0] not in holder.entries:
            return NotPlaced(text, span, f"there is no `{key[0]}` in {holder.path or 'the top level'}", None)
        parts = tuple(Part(HERE, name, span=span) for name in key[:-1])
        try:
            path = Path(parts, span=span)
            route = self.resolver.follow(path, holder)
            if self.resolver.opened(route):
                route = self.resolver.follow(path, holder)
        except NotFound as failure:
            self._uses(waiting, failure.route)
            return NotPlaced(text, span, str(failure.problem), None)
        except Lazy as lazy:
            self._uses(waiting, lazy.route)
            return NotPlaced(text, span, "", "a lazy reference")
        if type(route.value) is not Node:
            self._uses(waiting, route)
            return NotPlaced(text, span, "", kind_of(route.value))
        return route

    def _place(self, waiting: Waiting, route: Route) -> None:
        """Make a placement."""
        holder, key, target = waiting.holder, waiting.key, route.value
        assert isinstance(target, Node)
        slot = holder.entries[key]
        value, name = slot.value, key[-1]
        old = target.entries.get(name)
        replaces = old is not None and type(old.value) is Node
        if replaces or type(value) is Node or (target, name) in self._users:
            self._enter(waiting)
        self._replaced = self._replaced or replaces
        if "sfFinal" in target.tags.get(name, ()):
            raise FinalAttribute(name, span_of(slot), span_of(target.entries[name]))
        if tags := holder.tags.get(key):
            target.add_tags(name, tags)
            del holder.tags[key]
        del holder.entries[key]
        del self._waiting[waiting]
        placed = Placed(slot, holder, key, route)
        self.routes.append(placed)
        if type(value) is Node:
            value.outer = target
            value.name = name
            here: Node | None = target if value.holds else None
            while here is not None and not here.holds:
                here.holds = True
                here = here.outer
        self._put(target, name, placed)
        if type(value) is Node and value.holds:
            for inside, _ in self._placements(value):
                self._waiting[inside] = None
                inside.queued = False
                self._wake(inside)

    def _left_over(self, root: Node) -> list[SmartFrogError]:
        """What could not be placed, in the order of the tree."""
        self._below = {root: 0}
        left: list[tuple[Numbers, int, Waiting]] = []
        for waiting in self._waiting:
            way = self._way(waiting)
            if way is not None:
                left.append((tuple([self._numbered(node)[key] for node, key in way]), len(left), waiting))
        problems = (self._target(waiting) for _, _, waiting in sorted(left))
        return [problem for problem in problems if isinstance(problem, SmartFrogError)]
