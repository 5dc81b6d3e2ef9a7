"""Origins of the parts of a value, for functions that move data.

A function that walks a composite wants, beside each element, its origin. If the composite's origin is an `Items`
(perhaps below copies, choices and guards), the element has an origin of its own and keeps it; if the composite was
computed as a whole (by `split`, say), the element is a step that picks it out: `item 2` of that origin. Either way the
element also exists because of the composite itself, its *own* origin.

The picking steps, which `wherefrom.puppet.output.computing` can do again:

| step       | of              | is                                                                             |
|------------|-----------------|--------------------------------------------------------------------------------|
| `item N`   | an iterable     | its N-th element: of an array, a hash (as `[key, value]`), a string, a range   |
| `key N`    | a hash          | its N-th key                                                                   |
| `value N`  | a hash          | its N-th value                                                                 |
| `index N`  | nothing         | the number N, counted by an iteration                                          |
| `iterator` | an array        | an iterator over it                                                            |

The shadow of a hash is `Items` with a mapping by the hash's own keys. Where `Items.placed` is given it holds the
origins of the keys themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...provenance.composites import element, missing, owing, unwrapped, wrapped
from ...provenance.operations import Op
from ...provenance.origins import Guard, Items, Leaf, Origin, Step
from .operations import ITERATOR, Counted, Entry, Item, KeyAt, ValueAt
from .traced import Traced
from .values import Value


class Taken(Step):
    """The step that picks the item at `index`: one for each round of an iteration, so its record waits to be asked."""

    __slots__ = ("index",)

    def __init__(self, index: int, inputs: tuple[Origin, ...]) -> None:
        self.index = index
        self.inputs = inputs
        self.span = None

    @property
    def op(self) -> Op:  # type: ignore[override]
        """What it did."""
        return Item(self.index)


class Shadow:
    """The parts of one origin.  `items` is the `Items` inside it, if any; `wrappers` are what stands round it."""

    __slots__ = ("items", "origin", "own", "wrappers")

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.items: Items | None = None
        wrappers, here = unwrapped(origin)
        while isinstance(here, Step) and here.op is ITERATOR:
            more, here = unwrapped(here.inputs[0])
            wrappers += more
        self.wrappers = wrappers
        if isinstance(here, Items):
            self.items = here
        self.own = wrapped(wrappers, here.own) if isinstance(here, Items) else origin

    def _element(self, origin: Origin, key: object) -> Origin:
        if self.items is not None:
            origin = owing(self.items.own, origin)
        return wrapped(self.wrappers, origin, key) if self.wrappers else origin

    def missing(self, key: object) -> tuple[Origin | Guard, ...]:
        """What could have put an element there that is not."""
        return missing(self.origin, key)

    def item(self, index: int) -> Origin:
        """The origin of the element at `index` of a sequence."""
        if self.items is not None and not isinstance(self.items.elements, Mapping):
            try:
                return self._element(self.items.elements[index], index)
            except IndexError:
                pass
        return Step(Item(index), (self.origin,))

    def in_order(self) -> Iterator[Origin]:
        """The origins of all elements of a sequence, first to last; there are always enough of them."""
        index = 0
        items = self.items
        if items is not None and not isinstance(items.elements, Mapping):
            own = items.own
            if not self.wrappers and isinstance(own, Step) and not own.inputs:
                yield from items.elements
            else:
                for position, element_origin in enumerate(items.elements):
                    yield self._element(element_origin, position)
            index = len(items.elements)
        inputs = (self.origin,)
        while True:
            yield Taken(index, inputs)
            index += 1

    def value(self, key: Any, position: int) -> Origin:
        """The origin of the value under `key` of a hash, which is the value at `position`."""
        if self.items is not None and isinstance(self.items.elements, Mapping):
            element_origin = self.items.elements.get(key)
            if element_origin is not None:
                return self._element(element_origin, key)
        return Step(ValueAt(position), (self.origin,))

    def value_in(self, hash: Mapping[Any, Value], key: Any) -> Origin:
        """The origin of the value under `key`, which `hash` has."""
        if self.items is not None and isinstance(self.items.elements, Mapping) and key in self.items.elements:
            return self._element(self.items.elements[key], key)
        return Step(ValueAt(list(hash).index(key)), (self.origin,))

    def key(self, key: Any, position: int) -> Origin:
        """The origin of a key of a hash itself."""
        if self.items is not None and self.items.placed is not None:
            key_origin = self.items.placed.get(key)
            if key_origin is not None:
                return self._element(key_origin, key)
        if self.items is not None and isinstance(self.items.own, Leaf):  # of data from outside, the keys alone
            return Step(KeyAt(position), (self.own,))
        return Step(KeyAt(position), (self.origin,))

    def pair(self, key: object, position: int) -> Origin:
        """The origin of `[key, value]`."""
        return Items((self.key(key, position), self.value(key, position)), self.own)


class Selected(Sequence[Origin]):
    """Origins worked out when asked for: of items picked from a shadow (`reverse_each`, `step`), however many."""

    __slots__ = ("indices", "shadow")

    def __init__(self, shadow: Shadow, indices: Sequence[int]) -> None:
        self.shadow = shadow
        self.indices = indices

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Selected(self.shadow, self.indices[index])
        return self.shadow.item(self.indices[index])


def index_origin(index: int) -> Origin:
    """The origin of a number that an iteration counted."""
    return Step(Counted(index), ())


def traced_items(value: Sequence[Value], origin: Origin) -> Iterator[Traced]:
    """The elements of an array with their origins."""
    return zip(value, Shadow(origin).in_order(), strict=False)


def gathered(parts: Iterable[Traced], own: Origin) -> Traced:
    """An array made of parts that keep their origins."""
    values: list[Value] = []
    origins: list[Origin] = []
    for value, origin in parts:
        values.append(value)
        origins.append(origin)
    return values, Items(origins, own)


def part(origin: Origin, key: object) -> Origin:
    """The origin of one element of a composite, picked out by a step if it is not known apart."""
    part_origin = element(origin, key)
    return part_origin if part_origin is not None else Step(Item(key) if type(key) is int else Entry(key), (origin,))
