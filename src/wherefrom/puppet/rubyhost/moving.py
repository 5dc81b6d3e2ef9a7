"""Where the parts of a value come from that Ruby gave: origins follow the very objects.

Ruby code that moves data (any function of a module, not only those of the standard library) moves it as it is: the very
objects. So a part of a result that *is* a part of an argument, or of something that was read meanwhile, came from
there; and a text or number that one of Ruby's own methods made of such parts is a step of theirs (the interpreter's
notes say which: `wherefrom.ruby.making`). Everything else was computed in ways that are not followed. Either way the
whole call is a test of every part: `depends` never loses anything by it.

What exists only once for Python (small numbers, booleans, one-letter texts) says nothing by being the same. It is known
where it came from if the container it stands in was made out of another's elements, by its place there; in results of
functions that are known to move whatever they are given (`MOVING`), also if it stands at only one place of the
arguments, or under the same key, the last argument before the earlier ones as in a merge. Otherwise nothing is said,
for a wrong place is worse than none. As an operand of a step it may be what stands at one place alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...provenance.extract import where
from ...provenance.operations import ARRAY, HASH
from ...provenance.origins import Choice, Items, Origin, Step
from ...ruby.making import Makings
from ...ruby.values import Text
from ..kernel.operations import Item, ValueAt
from ..kernel.shadow import Shadow
from ..kernel.values import key_value

MOVING = frozenset(
    "any2array concat deep_merge delete delete_at delete_regex delete_undef_values delete_values difference flatten"
    " grep hash intersection merge pick pick_default reject shuffle stdlib::merge stdlib::sort_by"
    " union unique values_at zip fqdn_rotate stdlib::fqdn_rotate try_get_value dig44 stdlib::nested_values"
    " ensure_packages ensure_resource ensure_resources stdlib::ensure_packages".split()
)
"""The standard library's functions that give nothing but parts of their arguments."""

_ARRAY, _HASH = Step(ARRAY, ()), Step(HASH, ())

LARGEST = 5_000
"""How many parts values may have for their origins to be told apart."""

MANY = 8
"""How many places of one object are looked at, to see whether it was written at one of them alone."""

DEEPEST = 60
"""How many steps are followed from one made value to the next; longer chains are not told."""


def is_everywhere(value: object) -> bool:
    """Whether equal values of this kind are one object, wherever they were written."""
    if type(value) is int:
        return -6 < value < 257
    return value is None or type(value) is bool or (type(value) is str and len(value) < 2)


class ElementPlace:
    """Where an object stands: at the root (`origin` is known), or under a key of what stands at another place."""

    __slots__ = ("_origin", "_shadow", "key", "parent", "position")

    def __init__(self, origin: Origin | None, parent: ElementPlace | None, key: Any, position: int) -> None:
        self._origin = origin
        self._shadow: Shadow | None = None
        self.parent = parent
        self.key = key
        self.position = position

    @property
    def shadow(self) -> Shadow:
        """The parts of its origin."""
        if self._shadow is None:
            self._shadow = Shadow(self.origin)
        return self._shadow

    @property
    def origin(self) -> Origin:
        """Its origin, worked out when somebody asks."""
        if self._origin is None:
            assert self.parent is not None
            self._origin = self._inside(self.parent.shadow)
        return self._origin

    def _inside(self, shadow: Shadow) -> Origin:
        return shadow.item(self.position) if self.key is None else shadow.value(self.key, self.position)


class KeyPlace(ElementPlace):
    """A key of a hash."""

    __slots__ = ("name",)

    def __init__(self, parent: ElementPlace, name: Any, position: int) -> None:
        super().__init__(None, parent, None, position)
        self.name = name

    def _inside(self, shadow: Shadow) -> Origin:
        return shadow.key(self.name, self.position)


def _one_of(places: list[ElementPlace]) -> ElementPlace | None:
    """One of the places where an object stands, if it was not written at several: equal texts may be one object."""
    if len(places) > 1:
        if len(places) > MANY:
            return None
        leaf = where(places[0].origin)
        key = None if leaf is None else leaf.key
        for place in places[1:]:
            other = where(place.origin)
            if (None if other is None else other.key) != key:
                return None
    return places[0]


class Parts:
    """The parts of what Ruby has read, by identity, and what it has made of them."""

    __slots__ = ("_before", "_count", "_is_moving", "_kept", "_literals", "_made", "_makings", "_places")

    def __init__(
        self,
        makings: Makings,
        literals: Mapping[int, tuple[str, Origin]],
        before: Mapping[int, tuple[Any, Any]],
        is_moving: bool,
    ) -> None:
        """`before` has the containers that have been changed since they were read, as they were then."""
        self._places: dict[int, list[ElementPlace]] = {}
        self._kept: list[Any] = []  # so that no identity is used again meanwhile
        self._made: dict[int, Origin | None] = {}
        self._makings = makings
        self._literals = literals
        self._is_moving = is_moving
        self._count = 0
        self._before = before

    def add(self, known: Iterable[tuple[object, Origin]]) -> None:
        """More values that were read."""
        for value, origin in known:
            self._kept.append(value)
            self._add(value, ElementPlace(origin, None, None, 0))

    def _add(self, value: Any, place: ElementPlace) -> None:
        self._count += 1
        if self._count > LARGEST:
            return
        places = self._places.get(id(value))
        if places is not None:
            places.append(place)
            if type(value) is list or type(value) is dict:
                return  # its parts are known
        else:
            self._places[id(value)] = [place]
        kind = type(value)
        if kind is list:
            for position, item in enumerate(self._before.get(id(value), (None, value))[1]):
                self._add(item, ElementPlace(None, place, None, position))
        elif kind is dict:
            for position, (name, item) in enumerate(self._before.get(id(value), (None, value))[1].items()):
                self._add(item, ElementPlace(None, place, name, position))
                self._places.setdefault(id(key_value(name)), []).append(KeyPlace(place, name, position))

    # --- wherefrom
    # ------------------------------------------------------------------------------------------------------

    def origin(self, value: object, key: object = None) -> Origin | None:
        """Where a value came from, if it was moved here or made in a way that is known."""
        if type(value) is Text:
            value = value.value
        place = self._place(value, key)
        if place is not None:
            return place.origin
        return None if is_everywhere(value) else self._made_by(value, 0)

    def _place(self, value: object, key: object) -> ElementPlace | None:
        places = self._places.get(id(value))
        if places is None or self._count > LARGEST:
            return None
        if not is_everywhere(value):
            if key is not None:
                same = [place for place in places if place.key == key]
                if same:
                    return same[-1]
            return _one_of(places)
        if not self._is_moving:
            return None
        if key is not None:
            same = [place for place in places if place.key == key]
            if same:
                return same[-1]
        return places[0] if len(places) == 1 else None

    def _made_by(self, value: Any, depth: int) -> Origin | None:
        """The step that made a text, a number or a list of strings; a literal of the Ruby code."""
        identity = id(value)
        if identity in self._made:
            return self._made[identity]
        origin: Origin | None = None
        literal = self._literals.get(identity)
        apart = self._makings.apart.get(identity)
        noted = self._makings.results.get(identity)
        if literal is not None and literal[0] is value:
            origin = literal[1]
        elif noted is not None and noted[0] is value and depth < DEEPEST:
            _, site, operands = noted
            constants = site.constants if len(site.constants) == len(operands) else (None,) * len(operands)
            inputs = []
            for operand, constant in zip(operands, constants, strict=True):
                part = constant if constant is not None else self.operand(operand, depth + 1)
                if part is None:
                    break
                inputs.append(part)
            else:
                origin = Step(site.op, tuple(inputs), site.span)
        elif apart is not None and apart[0] is value and depth < DEEPEST:
            whole = self._made_by(apart[2], depth + 1)
            origin = None if whole is None else Step(Item(apart[1]), (whole,))
        self._made[identity] = origin
        return origin

    def operand(self, value: object, depth: int = 0) -> Origin | None:
        """Where an operand of a step came from; all of it must be known."""
        if id(value) in self._before:
            return None  # when it was used, it may have been another than when it was read
        places = self._places.get(id(value))
        if places is not None and self._count <= LARGEST:
            place = places[0] if len(places) == 1 else None if is_everywhere(value) else _one_of(places)
            if place is not None:
                return place.origin
        if is_everywhere(value) or depth >= DEEPEST:
            return None
        step = self._made_by(value, depth)
        if step is not None or not (type(value) is list or type(value) is dict):
            return step
        origins = [self.operand(item, depth + 1) for item in (value.values() if isinstance(value, dict) else value)]
        if not origins or any(origin is None for origin in origins):
            return None
        known = [origin for origin in origins if origin is not None]
        return Items(known, _ARRAY) if type(value) is list else Items(dict(zip(value, known, strict=True)), _HASH)

    def _moved(self, container: object, item: object, key: object, depth: int = 0) -> Origin | None:
        """Where an element that exists only once came from: from the containers that its own was made of."""
        moved = self._makings.moved.get(id(container))
        if moved is None or moved[0] is not container or depth > DEEPEST:
            return None
        for source in reversed(moved[1]):
            origin = self._element_of(source, item, key, depth + 1)
            if origin is not None:
                return origin
        return None

    def _element_of(self, source: object, item: object, key: object, depth: int) -> Origin | None:
        if type(source) is dict:
            if key is None or source.get(key, self) is not item:
                return None
            position = list(source).index(key)
        elif type(source) is list:
            position = next((index for index, other in enumerate(source) if other is item), -1)
            if position < 0:
                parts = (self._element_of(inner, item, key, depth) for inner in source if type(inner) is list)
                return next((origin for origin in parts if origin is not None), None)
        else:
            return None
        places = self._places.get(id(source))
        if places is None or self._count > LARGEST:
            return self._moved(source, item, key, depth)
        return ElementPlace(None, places[0], key if type(source) is dict else None, position).origin

    # --- shadows -----------------------------------------------------------------------------------------------------

    def shadow(self, value: object, own: Origin, key: object = None) -> Origin:
        """The origin of a result: that of the part it is, or of the parts it is made of; `own` of anything else."""
        known = self.origin(value, key)
        if known is not None:
            return Choice((own,), known)
        if type(value) is list and value:
            return Items([self._element(value, item, own, index) for index, item in enumerate(value)], own)
        if type(value) is dict and value:
            entries = enumerate(value.items())
            elements = {name: self._element(value, item, own, position, name) for position, (name, item) in entries}
            keys = {name: self.origin(key_value(name)) for name in value}
            return Items(elements, own, {name: origin for name, origin in keys.items() if origin is not None})
        return own

    def _element(self, container: object, value: object, own: Origin, position: int, key: object = None) -> Origin:
        known = self.origin(value, key)
        if known is None and is_everywhere(value):
            known = self._moved(container, value, key)
        if known is not None:
            return known
        picked = Step(ValueAt(position) if key is not None else Item(position), (own,))
        return self.shadow(value, picked, key) if (type(value) is list or type(value) is dict) and value else picked
