"""Stores while they are being made, and what is written down about each attribute.

A `Component` is an ordered store: a dictionary from names to slots. A slot holds a value (a basic value, or another
component) and says how it came to be there; it is never changed after it was put. There are these kinds:

| slot        | made by                                                                                    |
|-------------|--------------------------------------------------------------------------------------------|
| `Written`   | an assignment with a basic value or a component of its own                                 |
| `Linked`    | an assignment with a link; its `Search` remembers what was found, and where it was not     |
| `Inherited` | a prototype named by an `extends`; one `Search` for all the attributes it brings           |
| `Rebuilt`   | a placement that changed something *inside* the component in this slot (copy on write)     |
| `Followed`  | a link that was kept as a `PendingLink` and followed later, above level core               |

**Sharing.** The paper copies whole stores for links and prototypes. Here a component is shared instead, and copied one
level at a time when somebody writes into it. `owner` is the component through which it may be changed in place; shared
components have no owner, are therefore never changed again, and so are all that they hold. A component whose body is
still running is `live` and can not be shared as it is: a link to it takes a snapshot.

**Time.** Only prototypes make one attribute depend on statements other than its own: a later one may bring a new
value. `tick` counts the prototypes applied so far in the whole run; a prototype with a greater tick than a slot came
after it. That is all `wherefrom.smartfrog.history` needs to say, afterwards and only when asked, what a value depends
on.
"""

from __future__ import annotations

from typing import TypeAlias

from ..base.source import Span
from .tree import Assignment, Reference

Plain: TypeAlias = object
"""A basic value as plain data: `bool`, `int`, `float`, `str`, `None`, `list`, or `DataPath`."""


MANY = 10**12
"""Sizes are counted up to here: sharing lets a few lines ask for numbers with thousands of digits."""


class DataPath(str):
    """The value of a data reference, as it is printed in JSON: `$.a:b`."""

    __slots__ = ()


class PendingLink:
    """The value of a link that waits to be followed (level forward)."""

    __slots__ = ("reference",)

    def __init__(self, reference: Reference) -> None:
        self.reference = reference


class Component:
    """An ordered store.  See the module's text for `owner` and `live`.

    `outer` and `name` are where it was made: names are searched for outwards along `outer`. `prototypes` are the
    searches that brought attributes into it, in order. A copy made by writing keeps what it is a copy of in `base`, and
    the slot (in `container`) through which it was reached in `through`. `open` says that a link waits inside.
    """

    __slots__ = (
        "base",
        "container",
        "entries",
        "items",
        "live",
        "name",
        "open",
        "outer",
        "owner",
        "prototypes",
        "size",
        "through",
        "written_at",
    )

    def __init__(self, name: str, owner: Component | None, written_at: Span | None) -> None:
        self.entries: dict[str, Slot] = {}
        self.name = name
        self.owner = owner
        self.outer = owner
        self.written_at = written_at
        self.live = False
        self.open = False
        self.prototypes: list[Search] | None = None
        self.base: Component | None = None
        self.through: Slot | None = None
        self.container: Component | None = None
        self.size: tuple[int, int] | None = None
        self.items: object = None

    @property
    def path(self) -> str:
        """Where it was made, from the top: `sfConfig:web`; empty for the top level."""
        return ":".join(self.place)

    @property
    def place(self) -> tuple[str, ...]:
        """The names of its path."""
        names: list[str] = []
        here: Component | None = self
        while here is not None and here.outer is not None:
            names.append(here.name)
            here = here.outer
        return tuple(reversed(names))

    def copy_to_write(self, name: str, owner: Component, through: Slot) -> Component:
        """A copy of this shared component, which stands in `through` at `name` of `owner`, for `owner` to change."""
        copy = Component(name, owner, self.written_at)
        copy.entries = self.entries.copy()
        copy.base = self
        copy.container = owner
        copy.through = through
        return copy

    def to_share(self) -> Component:
        """This component, fit to stand in a second place."""
        if self.live:
            return self.snapshot()
        self.owner = None
        return self

    def snapshot(self) -> Component:
        """This live component as it is now, to be shared.  Live components inside it are copied with it."""
        copy = Component(self.name, None, self.written_at)
        copy.outer = self.outer
        copy.base = self.base
        copy.container = self.container
        copy.through = self.through
        copy.prototypes = self.prototypes and self.prototypes.copy()
        entries = copy.entries = self.entries.copy()
        for name, slot in self.entries.items():
            inner = slot.value
            if type(inner) is Component:
                if inner.live:
                    entries[name] = slot.with_value(inner.snapshot())
                else:
                    inner.owner = None
        return copy

    def plain(self) -> dict[str, object]:
        """The store as plain data, nothing shared; only for stores that were measured."""
        return {
            name: value if (value := slot.value).__class__ in _PLAIN else plain(value)
            for name, slot in self.entries.items()
        }

    def measure(self) -> tuple[int, int]:
        """How many attributes the store has when written out, and how deep it is; for shared or finished ones."""
        if self.size is None:
            count = len(self.entries)
            depth = 0
            for slot in self.entries.values():
                inner = slot.value
                if isinstance(inner, Component):
                    size = inner.size or inner.measure()
                    count += size[0]
                    if size[1] > depth:
                        depth = size[1]
            self.size = (min(count, MANY), depth + 1)
        return self.size


_PLAIN = frozenset({bool, int, float, str, type(None)})


def plain(value: Plain | Component) -> object:
    """A value as plain, JSON-like data."""
    match value:
        case Component():
            return value.plain()
        case list():
            return [plain(item) for item in value]
        case DataPath():
            return str(value)
        case PendingLink():
            return value.reference.text
        case _:
            return value


class Search:
    """A reference that was looked up (Def 16), and what came of it.

    `start` is the component in which the search began; `misses` levels, from there outwards, had nothing. Of those,
    `partial` are the components that had the reference's beginning but not the rest. `steps` leads to what was found:
    pairs of component and slot, one for each name of the reference. `tick` is the time of the search; a prototype takes
    effect at the next one, `applied`.
    """

    __slots__ = ("misses", "partial", "reference", "start", "steps", "tests", "tick")

    def __init__(
        self,
        reference: Reference,
        start: Component,
        misses: int,
        partial: tuple[tuple[tuple[Component, Slot], ...], ...],
        steps: tuple[tuple[Component, Slot], ...],
        tick: int,
    ) -> None:
        self.reference = reference
        self.start = start
        self.misses = misses
        self.partial = partial
        self.steps = steps
        self.tick = tick
        self.tests: object = None

    @property
    def applied(self) -> int:
        """When the prototype that was searched for takes effect."""
        return self.tick + 1

    @property
    def target(self) -> Slot:
        """The slot that the reference names."""
        return self.steps[-1][1]

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots that it led through, the one that it names last."""
        return tuple([slot for _, slot in self.steps])

    @property
    def path(self) -> str:
        """Where it was found, from the top."""
        place = self.steps[0][0].path
        return f"{place}:{self.reference.text}" if place else self.reference.text


class Slot:
    """What stands at a name, and how it came there; see the module's text.

    `hidden` is the slot that stood here before. `place` is the slot that first put the name into this component, if it
    was another one: overwriting keeps the position (Def 12).
    """

    __slots__ = ("hidden", "origin", "place", "tick", "value")

    value: Plain | Component
    tick: int
    hidden: Slot | None
    place: Slot | None
    origin: object

    @property
    def placed(self) -> Slot:
        """The slot that decided the position."""
        return self.place or self

    @property
    def causes(self) -> tuple[Slot, ...]:
        """The slots by which this one came here: what it was made of, and what references led through."""
        return ()

    def with_value(self, value: Plain | Component) -> Slot:
        """The same history with another value: a snapshot of the old one."""
        copy: Slot = type(self).__new__(type(self))
        for kind in type(self).__mro__[:-1]:
            for field in kind.__dict__["__slots__"]:
                setattr(copy, field, getattr(self, field))
        copy.value = value
        copy.origin = None
        return copy


class Written(Slot):
    """Put by an assignment that has the value itself."""

    __slots__ = ("assignment",)

    def __init__(self, value: Plain | Component, tick: int, assignment: Assignment) -> None:
        self.value = value
        self.tick = tick
        self.hidden = None
        self.place = None
        self.origin = None
        self.assignment = assignment


class Linked(Slot):
    """Put by an assignment with a link."""

    __slots__ = ("assignment", "search")

    def __init__(self, value: Plain | Component, tick: int, assignment: Assignment, search: Search) -> None:
        self.value = value
        self.tick = tick
        self.hidden = None
        self.place = None
        self.origin = None
        self.assignment = assignment
        self.search = search

    @property
    def causes(self) -> tuple[Slot, ...]:
        return self.search.slots


class Inherited(Slot):
    """Brought by a prototype, where it is `source`."""

    __slots__ = ("search", "source")

    def __init__(self, value: Plain | Component, tick: int, search: Search, source: Slot) -> None:
        self.value = value
        self.tick = tick
        self.hidden = None
        self.place = None
        self.origin = None
        self.search = search
        self.source = source

    @property
    def causes(self) -> tuple[Slot, ...]:
        return (self.source, *self.search.slots)


class Rebuilt(Slot):
    """`source`, with something changed inside its component by `assignment`."""

    __slots__ = ("assignment", "source")

    def __init__(self, value: Component, tick: int, source: Slot, assignment: Assignment) -> None:
        self.value = value
        self.tick = tick
        self.hidden = None
        self.place = source.placed
        self.origin = None
        self.source = source
        self.assignment = assignment

    @property
    def causes(self) -> tuple[Slot, ...]:
        return (self.source,)


class Derived(Slot):
    """What a later pass or phase made of `source`."""

    __slots__ = ("source",)

    source: Slot

    @property
    def causes(self) -> tuple[Slot, ...]:
        return (self.source,)


class Followed(Derived):
    """`source`, a link, with what it led to: it was followed after everything had been put."""

    __slots__ = ("search",)

    def __init__(self, value: Plain | Component, tick: int, source: Slot, search: Search) -> None:
        self.value = value
        self.tick = tick
        self.hidden = source.hidden
        self.place = source.placed
        self.origin = None
        self.source = source
        self.search = search

    @property
    def causes(self) -> tuple[Slot, ...]:
        return (self.source, *self.search.slots)


def as_put(slot: Slot) -> Slot:
    """The slot before anybody followed the link in it."""
    while isinstance(slot, Derived):
        slot = slot.source
    return slot


def span_of(slot: Slot) -> Span:
    """The text that put the slot here."""
    match slot:
        case Derived():
            return span_of(slot.source)
        case Written() | Linked() | Rebuilt():
            return slot.assignment.span
        case Inherited():
            return slot.search.reference.span
        case _:
            raise AssertionError(slot)


def kind_of(value: Plain | Component) -> str:
    """What a value is, for messages."""
    match value:
        case Component():
            return "a component"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case DataPath():
            return "a data reference"
        case PendingLink():
            return "a link, which is followed later"
        case str():
            return "a string"
        case None:
            return "NULL"
        case _:
            return "a vector"
