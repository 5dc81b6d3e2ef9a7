"""Keys of hashes in languages where any value can be one.

Python says `1 == 1.0 == True` and cannot hash lists; Puppet and Ruby keep `1`, `1.0` and `true` apart and allow any
value as a key. So a hash of theirs is a `dict` (which keeps insertion order) whose keys went through `hash_key`:
strings and integers are themselves, and so are symbols (`Symbol`); everything else is wrapped in a `Key`. `key_value`
gives the value back. Code that only deals with string keys (nearly all of it) never notices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from .budget import current

if TYPE_CHECKING:
    from .source import Span


class Symbol(NamedTuple):
    """A Ruby symbol: equal to another of the same name, to no string, and quick to hash."""

    name: str

    def __repr__(self) -> str:
        return f":{self.name}"

    def __str__(self) -> str:
        return self.name

    def ruby_kind(self) -> str:
        """Its class in Ruby."""
        return "Symbol"


class Key:
    """A hash key that is neither a string nor an integer nor a symbol; equal to another when the two values are."""

    __slots__ = ("_frozen", "value")

    def __init__(self, value: Any, stand_in: Callable[[Any], Any] | None = None) -> None:
        self.value = value
        self._frozen = freeze(value, stand_in)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and (self._frozen is other._frozen or self._frozen == other._frozen)

    def __hash__(self) -> int:
        return hash(self._frozen)

    def __repr__(self) -> str:
        return f"Key({self.value!r})"

    def __reduce__(self) -> tuple[type[Key], tuple[Any]]:
        return Key, (self.value,)


HashKey = str | int | Symbol | Key
"""The `dict` key that represents a key of the language."""


def hash_key(value: Any) -> HashKey:
    """The `dict` key that represents `value`."""
    kind = type(value)
    if kind is str or kind is int or kind is Symbol:
        plain: HashKey = value
        return plain
    return Key(value)


def key_value(key: HashKey) -> Any:
    """The value that a `dict` key represents."""
    return key.value if type(key) is Key else key


def make_hash(pairs: Iterable[tuple[object, object]]) -> dict[HashKey, object]:
    """A hash of key and value pairs; a later key replaces an earlier one and keeps its place."""
    return {hash_key(key): value for key, value in pairs}


def freeze(value: object, stand_in: Callable[[Any], Any] | None = None) -> object:
    """A hashable stand-in that is equal for two values exactly when they are the same hash key.

    `stand_in` gives that of a value of none of the kinds known here, where such a value is not its own.
    """
    weigh(value)
    return _freeze(value, stand_in)


def _freeze(value: Any, stand_in: Callable[[Any], Any] | None) -> object:
    kind = type(value)
    if kind is str or kind is int:
        return value
    if kind is float:
        return ("float", value)
    if kind is bool:
        return ("bool", value)
    if value is None:
        return ("undef",)
    if kind is list:
        return ("array", tuple([_freeze(element, stand_in) for element in value]))
    if isinstance(value, dict):
        return ("hash", frozenset((key, _freeze(member, stand_in)) for key, member in value.items()))
    return value if stand_in is None else stand_in(value)


MAX_PARTS = 4_000_000
"""How many parts a value may have when it is written out in full."""


FEW_PARTS = 50
"""A walk over no more parts than this belongs to the step that asks for it."""


def _nests(value: list[Any] | dict[Any, Any]) -> bool:
    """Whether an array or hash holds another."""
    for part in _parts(value):  # noqa: SIM110 (asked for nearly every value: no generator)
        if type(part) is list or isinstance(part, dict):
            return True
    return False


def weigh(value: object, span: Span | None = None) -> None:
    """Draw from the budget for a walk over all of a value, before it begins.

    A container that stands in two places exists once, so that forty assignments (`$b = [$a, $a]`) make a value of 2^40
    parts. Whoever walks over all of a value asks here first. Each container is looked at once, so asking costs no more
    than the walk.
    """
    if type(value) is not list and not isinstance(value, dict):
        return
    if len(value) <= FEW_PARTS and not _nests(value):
        return
    parts = _count(value, {}, span)
    if parts > FEW_PARTS:
        current().draw("steps", 2 * parts, "walking over a value", span)


def _count(container: Any, counts: dict[int, int], span: Span | None) -> int:
    """How many parts a container has, written out in full; `counts` has those that were looked at."""
    count = counts.get(id(container))
    if count is None:
        count = len(container)
        for part in _parts(container):
            if type(part) is list or isinstance(part, dict):
                count += _count(part, counts, span)
        if count > MAX_PARTS:
            current().over("steps", "walking over a value that shares its parts", span)
        counts[id(container)] = count
    return count


def weigh_text(value: object, span: Span | None = None, separator: int = 0) -> None:
    """As `weigh`, for a walk that writes all of a value as text: its texts are drawn for as often as they stand in it.

    `separator` is the number of characters that are written between two parts.
    """
    if type(value) is str:
        if len(value) > FEW_PARTS:
            current().draw("characters", len(value), "writing a text", span)
        return
    if type(value) is not list and not isinstance(value, dict):
        return
    weigh(value, span)
    characters = _length(value, {}, separator)
    if characters > FEW_PARTS:
        current().draw("characters", characters, "writing a value as text", span)


def _length(container: Any, lengths: dict[int, int], separator: int) -> int:
    """How many characters the texts in a container have; `lengths` has those that were looked at."""
    length = lengths.get(id(container))
    if length is None:
        length = separator * len(container)
        if isinstance(container, dict):
            length += sum([len(key) for key in container if type(key) is str])
        for part in _parts(container):
            if type(part) is str:
                length += len(part)
            elif type(part) is list or isinstance(part, dict):
                length += _length(part, lengths, separator)
        lengths[id(container)] = length
    return length


def _parts(container: Any) -> Iterable[Any]:
    """The elements of an array; the values of a hash, and those of its keys that are no texts or numbers."""
    if not isinstance(container, dict):
        elements: Iterable[Any] = container
        return elements
    keys = [key.value for key in container if type(key) is Key]
    return [*keys, *container.values()] if keys else container.values()
