"""Functions that move data rather than compute it: their results keep the origins of the elements they were given.

`merge`, `pick`, `concat`, `delete` and their like put together a new value from parts of their arguments. What they
move they move as it is: the very objects. So a part of the result that *is* a part of an argument came from there.
What exists only once for Python (small numbers, booleans, one-letter texts) says nothing by being the same: if it
stands at several places of the arguments, the one under the same key counts, the last argument before the earlier ones
as in a merge, and else none does, for a wrong place is worse than none. What is not among the arguments' parts was
computed. Either way the whole call is a test of every part: `depends` never loses anything by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...provenance.origins import Choice, Items, Origin, Step
from ..kernel.operations import Item, ValueAt
from ..kernel.shadow import Shadow
from ..kernel.values import key_value

MOVING = frozenset(
    "any2array concat deep_merge delete delete_at delete_regex delete_undef_values delete_values difference flatten"
    " grep hash intersection merge pick pick_default reject shuffle stdlib::merge stdlib::sort_by"
    " union unique values_at zip fqdn_rotate stdlib::fqdn_rotate try_get_value dig44 stdlib::nested_values"
    " ensure_packages ensure_resource ensure_resources stdlib::ensure_packages".split()
)
"""The standard library's functions of that kind."""

LARGEST = 5_000
"""How many parts arguments may have for their origins to be told apart."""


def _is_everywhere(value: Any) -> bool:
    """Whether equal values of this kind are one object, wherever they were written."""
    if type(value) is int:
        return -6 < value < 257
    return value is None or type(value) is bool or (type(value) is str and len(value) < 2)


class Parts:
    """The parts of some values, by identity: under which key each stands, and whence it came."""

    __slots__ = ("_by_identity", "_count", "_kept")

    def __init__(self, values: Sequence[Any], origins: Sequence[Origin]) -> None:
        self._by_identity: dict[int, list[tuple[Any, Origin]]] = {}
        self._kept = values  # so that no identity is used again meanwhile
        self._count = 0
        for value, origin in zip(values, origins, strict=False):
            self._add(None, value, origin)

    def _add(self, key: Any, value: Any, origin: Origin) -> None:
        self._count += 1
        if self._count > LARGEST:
            return
        self._by_identity.setdefault(id(value), []).append((key, origin))
        if type(value) is list:
            for item, inside in zip(value, Shadow(origin).in_order(), strict=False):
                self._add(None, item, inside)
        elif type(value) is dict:
            shadow = Shadow(origin)
            for position, (name, item) in enumerate(value.items()):
                self._add(name, item, shadow.value(name, position))
                plain = key_value(name)
                self._by_identity.setdefault(id(plain), []).append((None, shadow.key(name, position)))

    def origin(self, value: Any, key: Any = None) -> Origin | None:
        """Whence a value came, if it is one of the parts."""
        known: list[tuple[Any, Origin]] | None = self._by_identity.get(id(value))
        if known is None or self._count > LARGEST:
            return None
        if key is not None:
            same: list[Origin] = [part[1] for part in known if part[0] == key]
            if same:
                return same[-1]
        return known[0][1] if len(known) == 1 or not _is_everywhere(value) else None

    def shadow(self, value: Any, own: Origin, key: Any = None) -> Origin:
        """The origin of a result: that of the part it is, or of the parts it is made of; `own` of anything else."""
        moved = self.origin(value, key)
        if moved is not None:
            return Choice((own,), moved)
        if type(value) is list and value:
            return Items([self._element(item, own, index) for index, item in enumerate(value)], own)
        if type(value) is dict and value:
            entries = enumerate(value.items())
            elements = {name: self._element(item, own, position, name) for position, (name, item) in entries}
            keys = {name: self.origin(key_value(name)) for name in value}
            return Items(elements, own, {name: origin for name, origin in keys.items() if origin is not None})
        return own

    def _element(self, value: Any, own: Origin, position: int, key: Any = None) -> Origin:
        moved = self.origin(value, key)
        if moved is not None:
            return moved
        if (type(value) is list or type(value) is dict) and value:
            return self.shadow(value, own, key)
        return Step(ValueAt(position) if key is not None else Item(position), (own,))
