"""The tree of components while it goes through the phases, and how each attribute came to be what it is.

A `Node` is a component of the store that can also have prototypes which were not merged yet
(`types`), tags, and placements, whose keys are tuples of names. Slots are the store's; these are added:

| slot       | made by                                                                              |
|------------|--------------------------------------------------------------------------------------|
| `Placed`   | the phase `place`: a placement's value, where it landed                              |
| `Followed` | the phase `link`: what a reference led to (the store's)                              |
| `Computed` | the phase `link`: what a function of its arguments gives                             |
| `Left`     | the phase `link`: a link that stays, as it is lazy or meets a lazy one               |
| `Default`  | the phase `link`: what `OPTIONAL` gives where nothing is found                       |

A slot's `tick` is the number of the item of its component's `extends` that brought it, counted from 1, so that slots
can tell which items to the right could have brought another value. Slots are shared by all copies of a component.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...base.source import Span
from ..store import Component, Derived, Plain, Slot
from .tree import Call, Path, ToBeDefined, Variable

Key = str | tuple[str, ...]
"""The name of an attribute, or the path of a placement that was not placed yet."""
NO_TAGS: dict[Key, frozenset[str]] = {}
PLACED = 1 << 30
"""The tick of what was placed: after all prototypes."""


class Node(Component):
    """A component in the tree; see the module's text.

    `outer` is its parent. `types` are the prototypes still to be merged, `data` says that it is not to be deployed,
    `call` is the expression that it stands for; `holds` that placements may be in it, however deep.
    `base` is the component that it is a copy of, `forced` the search that had its prototypes merged before those of the
    components around it, `prototypes` what was merged, in that order (so the items from the right).
    """

    __slots__ = ("call", "data", "forced", "holds", "state", "tags", "types")
    # A placement that was not placed yet stands among the attributes, by its path: the keys are of the kind `Key`.
    entries: dict[Any, Slot]
    outer: Node | None
    base: Node | None
    written_at: Span
    prototypes: list[Route]  # type: ignore[assignment]

    def __init__(self, name: str, outer: Node | None, written_at: Span) -> None:
        super().__init__(name, None, written_at)
        self.outer = outer
        self.types: list[tuple[int, Path | Node]] = []
        self.data = False
        self.holds = False
        self.call: Call | None = None
        self.tags = NO_TAGS
        self.forced: Route | None = None
        self.prototypes = []
        self.state = 0

    def add_tags(self, key: Key, tags: frozenset[str]) -> None:
        """Give an attribute more tags."""
        if self.tags is NO_TAGS:
            self.tags = {}
        self.tags[key] = self.tags.get(key, frozenset()) | tags

    def duplicate(self, outer: Node, name: str) -> Node:
        """A copy for another place, with copies of the components inside."""
        copy = Node(name, outer, self.written_at)
        copy.data = self.data
        copy.call = self.call
        copy.state = self.state
        copy.holds = self.holds
        copy.base = self
        if self.tags is not NO_TAGS:
            copy.tags = self.tags.copy()
        entries = copy.entries = self.entries.copy()
        for inside, slot in self.entries.items():
            value = slot.value
            if type(value) is Node:
                entries[inside] = with_value(slot, value.duplicate(copy, last_name(inside)))
            elif type(value) is Application:
                entries[inside] = with_value(slot, value.duplicate(copy))
        return copy

    def put(self, key: Key, slot: Slot) -> None:
        """Set an attribute; one that is there keeps its place."""
        old = self.entries.get(key)
        if old is not None:
            slot.hidden = old
            slot.place = old.placed
        self.entries[key] = slot

    @property
    def keys(self) -> Iterator[Key]:
        """The names, and the paths of placements."""
        return iter(self.entries)


def last_name(key: Key) -> str:
    """The name that an attribute has, or is to have."""
    return key if isinstance(key, str) else key[-1]


def with_value(slot: Slot, value: object) -> Slot:
    """The same story with another value: a copy of the component."""
    return slot.with_value(value)


class Application:
    """The value of a function that is still to be computed, or of an assertion that is still to be checked.

    `arguments` is a component whose attributes are the arguments and `sfFunctionClass`.
    """

    __slots__ = ("arguments", "call", "data", "kind", "lazy", "pure")

    def __init__(self, kind: str, arguments: Node, call: Call | None, lazy: bool = False, data: bool = False) -> None:
        self.kind = kind
        self.arguments = arguments
        self.call = call
        self.lazy = lazy
        self.data = data
        self.pure = True

    def duplicate(self, outer: Node) -> Application:
        """A copy with arguments of its own."""
        arguments = self.arguments.duplicate(outer, self.arguments.name)
        return Application(self.kind, arguments, self.call, self.lazy, self.data)


Value = Plain | Node | Path | Application | ToBeDefined | Variable


class Route:
    """A path that was followed: where it began, what it passed, and what it came to.

    `missed` are the components that had no attribute of a part's name, each with how many prototypes it had merged by
    then. `steps` are the attributes that it went through: the component, the name, the slot (with what a link in it led
    to). `inputs` are what it asked from outside. `value` is what was found; nothing of that kind if it `failed`, with
    the reason.
    """

    __slots__ = ("failed", "inner", "inputs", "missed", "reference", "start", "steps", "tests", "tick", "value")

    def __init__(self, reference: Path, start: Node) -> None:
        self.reference = reference
        self.start = start
        self.missed: list[tuple[Node, str, int]] = []
        self.steps: list[tuple[Node, str, Slot]] = []
        self.inputs: list[tuple[str, str, str | None]] = []
        self.value: object = None
        self.failed = ""
        self.inner: Route | None = None
        self.tests: object = None
        self.tick = 0

    @property
    def target(self) -> Slot | None:
        """The slot that it ends at, unless it ends at a component that stands around one."""
        return self.steps[-1][2] if self.steps else None

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots that it went through, also where it led nowhere."""
        slots: list[Slot] = []
        here: Route | None = self
        while here is not None:
            slots += [slot for _, _, slot in here.steps]
            here = here.inner
        return tuple(slots)

    @property
    def path(self) -> str:
        """What was found, from the top."""
        if self.steps:
            holder, name, _ = self.steps[-1]
            return f"{holder.path}:{name}" if holder.path else name
        if isinstance(self.value, Component):
            return self.value.path or "the top level"
        return self.reference.text


class Placed(Derived):
    """`source`, a placement that stood in `holder`, where its path led to."""

    __slots__ = ("holder", "key", "route")

    def __init__(self, source: Slot, holder: Node, key: tuple[str, ...], route: Route) -> None:
        self.value = source.value
        self.tick = PLACED
        self.hidden = None
        self.place = None
        self.origin = None
        self.source = source
        self.holder = holder
        self.key = key
        self.route = route

    @property
    def causes(self) -> tuple[Slot, ...]:
        return (self.source, *self.route.slots, *_around(self.holder))


def _around(holder: Node) -> Iterator[Slot]:
    """The slots that decide when the placements in a component are made: of those it is in, also which came first."""
    here: Component | None = holder
    while here is not None and here.outer is not None:
        slot = here.outer.entries.get(here.name)
        if slot is not None:
            yield slot
            yield slot.placed
        here = here.outer


class Resolved(Derived):
    """What the phase `link` made of `source`."""

    __slots__ = ()

    def __init__(self, value: object, source: Slot) -> None:
        self.value = value
        self.tick = source.tick
        self.hidden = source.hidden
        self.place = source.placed
        self.origin = None
        self.source = source


class Reached(Resolved):
    """What a reference led to."""

    __slots__ = ("route",)

    def __init__(self, value: object, source: Slot, route: Route) -> None:
        super().__init__(value, source)
        self.route = route

    @property
    def causes(self) -> tuple[Slot, ...]:
        return (self.source, *self.route.slots)


class Defaulted(Resolved):
    """What `OPTIONAL` gives where `route` failed."""

    __slots__ = ("route",)

    def __init__(self, value: object, source: Slot, route: Route) -> None:
        super().__init__(value, source)
        self.route = route

    @property
    def causes(self) -> tuple[Slot, ...]:
        return (self.source, *self.route.slots)


class Computed(Resolved):
    """What a function gave, or an assertion that holds."""

    __slots__ = ("application",)

    def __init__(self, value: object, source: Slot, application: Application) -> None:
        super().__init__(value, source)
        self.application = application

    @property
    def causes(self) -> tuple[Slot, ...]:
        return (self.source, *self.application.arguments.entries.values())


class Left(Resolved):
    """A link or function of `holder` that stays, since it is lazy itself or (there is a `cause`) meets what is."""

    __slots__ = ("cause", "holder", "route")

    def __init__(self, value: object, source: Slot, route: Route | None, cause: Slot | None, holder: Node) -> None:
        super().__init__(value, source)
        self.route = route
        self.cause = cause
        self.holder = holder

    @property
    def causes(self) -> tuple[Slot, ...]:
        through = self.route.slots if self.route is not None else ()
        return (self.source, *through, *((self.cause,) if self.cause is not None else ()))
