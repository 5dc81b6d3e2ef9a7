"""Joining what several places say about one key: `first`, `unique`, `hash` and `deep`.

A strategy looks at layers, inside of a layer at levels, inside of a level at files, each time in order of precedence,
the highest first. Every element of the result keeps the origin it had; an element that a higher place covers stays
visible as hidden. `deep` follows the deep_merge library that Puppet uses, with all of its options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ...base.sorting import merge_sort
from ...provenance.composites import missing, shape
from ...provenance.operations import HASH
from ...provenance.origins import Absent, Choice, Hidden, Items, Origin, Overridden, Step, built_in
from ..kernel.edge_labels import LOWER_LEVEL
from ..kernel.failures import Failure
from ..kernel.operations import MERGE_DEEP, MERGE_HASH, MERGE_UNIQUE, Item
from ..kernel.shadow import Shadow
from ..kernel.values import freeze
from ..types.ruby import compare_or_fail

if TYPE_CHECKING:
    from ..kernel.traced import Traced

Place = TypeVar("Place")

_STRATEGY = "Struct[{{strategy => Optional[Pattern[/{0}/]]}}]"
_OPTIONS = {
    "deep": "Struct[{strategy => Optional[Pattern[/deep/]], knockout_prefix => Optional[String], merge_debug => "
    "Optional[Boolean], merge_hash_arrays => Optional[Boolean], sort_merged_arrays => Optional[Boolean]}]",
    "unconstrained_deep": "Hash[String[1], Any]",
    "reverse_deep": "Hash[String[1], Any]",
}
_VALUES = {"hash": "Hash[String, Data]", "unique": "Variant[Scalar, Array[Data]]"}
STRATEGIES = ("first", "default", "unique", "hash", "deep", "reverse_deep", "unconstrained_deep")


class Strategy:
    """A merge strategy: its name and the options of `deep`."""

    def __init__(self, given: Any) -> None:
        self.options: dict[str, Any] = {}
        name = given
        if isinstance(given, dict):
            name = given.get("strategy")
            if name is None:
                raise Failure(
                    "The hash given as 'merge' must contain the name of a strategy in string form "
                    "for the key 'strategy'"
                )
            if len(given) > 1:
                self.options = dict(given)
        self.name = "default" if name is None or name is False else str(name)
        if self.name not in STRATEGIES:
            raise Failure(f"Unknown merge strategy: '{self.name}'")
        if self.options:
            _assert("The merge options", _OPTIONS.get(self.name) or _STRATEGY.format(self.name), self.options)

    @property
    def takes_first(self) -> bool:
        """Whether the first value that is found is the answer."""
        return self.name in ("first", "default")

    def lookup(self, places: Sequence[Place], ask: Callable[[Place], Traced | None]) -> Traced | None:
        """Ask places in order and join their answers; nothing if none has any."""
        result: Traced | None = None
        for place in places:
            answer = ask(place)
            if answer is None:
                continue
            if self.takes_first:
                return answer
            if len(places) == 1:
                return self._single(answer)
            result = self._converted(answer) if result is None else self.merge(result, answer)
        return result

    def merge(self, high: Traced, low: Traced) -> Traced:
        """Two values as one; the first has precedence."""
        wanted = _VALUES.get(self.name)
        if wanted is not None:
            _assert("The first element of the merge", wanted, high[0])
            _assert("The second element of the merge", wanted, low[0])
        if self.name == "unique":
            return _union([*_flat(*self._converted(high)), *_flat(*self._converted(low))], (high, low))
        if self.name == "hash":
            return self._hash(high, low)
        if self.name == "reverse_deep":
            high, low = low, high
        return _Deep(self.options).merge(high, low)

    def _single(self, answer: Traced) -> Traced:
        if self.name == "unique" and isinstance(answer[0], list):
            shadow = Shadow(answer[1])
            return _union([(element, shadow.item(index)) for index, element in enumerate(answer[0])], (answer,))
        return answer

    def _converted(self, answer: Traced) -> Traced:
        if self.name != "unique":
            return answer
        parts = _flat(*answer)
        return [value for value, _ in parts], Items(
            [origin for _, origin in parts], Step(MERGE_UNIQUE, (Shadow(answer[1]).own,))
        )

    def _hash(self, high: Traced, low: Traced) -> Traced:
        merged = {**low[0], **high[0]}
        above, below = Shadow(high[1]), Shadow(low[1])
        shadows: dict[Any, Origin] = {
            key: below.value(key, index) if key in high[0] else _uncovered(below.value(key, index), high[1], key)
            for index, key in enumerate(low[0])
        }
        for index, key in enumerate(high[0]):
            origin = above.value(key, index)
            if key in shadows:
                origin = _covering(origin, low[0][key], shadows[key])
            shadows[key] = origin
        return merged, Items(shadows, Step(MERGE_HASH, (above.own, below.own)))


class _Deep:
    """A deep merge with its options: what is above (`source`) goes into what is below (`target`)."""

    def __init__(self, options: dict[str, Any]) -> None:
        prefix = options.get("knockout_prefix")
        self.prefix: str | None = prefix if isinstance(prefix, str) else None
        if self.prefix == "":
            raise Failure("knockout_prefix cannot be an empty string in deep_merge!")
        self.overwrite = not options.get("preserve_unmergeables")
        if self.prefix is not None and not self.overwrite:
            raise Failure("overwrite_unmergeable must be true if knockout_prefix is specified in deep_merge!")
        self.overwrite_arrays = bool(options.get("overwrite_arrays"))
        self.separator = options.get("unpack_arrays") or None
        self.sorts = bool(options.get("sort_merged_arrays"))
        self.merges_hashes = bool(options.get("merge_hash_arrays"))
        self.extends = bool(options.get("extend_existing_arrays"))

    def merge(self, source: Traced, target: Traced) -> Traced:
        """`source` over `target`.  Which of the two is seen, or both, depends on what each of them is."""
        if source[0] is None:
            return _beside(target, source)
        if (target[0] is None or target[0] is False) and self.overwrite:
            return _beside(source, target) if self._joins(source[0]) else source
        if isinstance(source[0], dict):
            return self._into_hash(source, target)
        if isinstance(source[0], list):
            return self._into_array(source, target)
        if isinstance(target[0], list) and self.extends:
            return _extended(target, source)
        return self._over(source, target)

    def _into_hash(self, source: Traced, target: Traced) -> Traced:
        above = Shadow(source[1])
        entries = [(key, (element, above.value(key, index))) for index, (key, element) in enumerate(source[0].items())]
        if isinstance(target[0], list) and self.extends:
            for _ in entries:
                target = _extended(target, source)
            return target
        if not isinstance(target[0], dict):
            if not entries or not self.overwrite:
                return _beside(target, source)
            # The library goes on with what it has just put there, and so merges the rest with itself.
            target = self._over(source, target)
            entries = entries[1:]
        below = Shadow(target[1])
        merged = dict(target[0])
        above_keys = {key for key, _ in entries}
        shadows: dict[Any, Origin] = {
            key: below.value(key, index) if key in above_keys else _uncovered(below.value(key, index), source[1], key)
            for index, key in enumerate(merged)
        }
        for key, element in entries:
            known = merged.get(key)
            if known is not None and known is not False:
                covered = known, shadows[key]
            elif not self._joins(element[0]):
                covered = element
            elif key in merged:  # nothing, which something else could have been
                element = covered = _beside(element, (known, shadows[key]))
            else:
                absent = Absent(f"{key} below", missing(target[1], key))
                element = covered = element[0], Choice((absent,), element[1])
            merged[key], shadows[key] = self.merge(element, covered)
        return merged, Items(shadows, Step(MERGE_DEEP, (above.own, below.own)))

    def _joins(self, value: object) -> bool:
        """Whether what is below a value could have a say in what is seen of it."""
        return value is None or isinstance(value, dict | list) or self.prefix is not None or not self.overwrite

    def _into_array(self, source: Traced, target: Traced) -> Traced:
        if self.overwrite_arrays:
            return self._covered(source, target)
        above, below = Shadow(source[1]), Shadow(target[1])
        a = [(element, above.item(index)) for index, element in enumerate(source[0])]
        if self.separator is not None:
            a = _unpacked(source, str(self.separator))
        if self.prefix is not None and any(element == self.prefix for element, _ in a):
            target = ([] if isinstance(target[0], list) else {} if isinstance(target[0], dict) else ""), target[1]
            a = [pair for pair in a if pair[0] != self.prefix]
        if not isinstance(target[0], list):
            rest = [element for element, _ in a], Items([origin for _, origin in a], above.own)
            return self._over(rest, target) if self.overwrite else _beside(target, source)
        b = [(element, below.item(index)) for index, element in enumerate(target[0])]
        if self.separator is not None:
            b = _unpacked(target, str(self.separator))
        if self.prefix is not None:
            out = [element for element, _ in a if isinstance(element, str) and element.startswith(self.prefix)]
            gone = {*out, *(mark.removeprefix(self.prefix) for mark in out)}
            a = [pair for pair in a if not (isinstance(pair[0], str) and pair[0].startswith(self.prefix))]
            b = [pair for pair in b if not (isinstance(pair[0], str) and pair[0] in gone)]
        if self.merges_hashes and all(isinstance(element, dict) for element, _ in [*a, *b]):
            nothing: Traced = ({}, Items({}, Step(HASH, ())))
            joined = [self.merge(a[index] if index < len(a) else nothing, pair) for index, pair in enumerate(b)]
            joined += a[len(b) :]
        else:
            joined = _unrepeated([*b, *a])
        if self.sorts:
            joined = merge_sort(joined, lambda left, right: compare_or_fail(left[0], right[0]))
        own = Step(MERGE_DEEP, (source[1], target[1]))  # an element is left out if another is the same
        return [element for element, _ in joined], Items([origin for _, origin in joined], own)

    def _over(self, source: Traced, target: Traced) -> Traced:
        """What can not be joined is covered, or knocked out."""
        if not self.overwrite:
            return _beside(target, source)
        if self.prefix is not None:
            value = source[0]
            if isinstance(value, str):  # what it begins with decides, and that there is something to cover
                source = value, Choice((Absent("nothing below", shape(target[1])),), source[1])
                if value.startswith(self.prefix):
                    return "", Choice((source[1],), built_in(""))
                source = value, Choice((source[1],), source[1])
            if isinstance(value, list):
                shadow = Shadow(source[1])
                kept = [
                    (element, shadow.item(index))
                    for index, element in enumerate(value)
                    if not (isinstance(element, str) and element.startswith(self.prefix))
                ]
                own = Step(MERGE_DEEP, (source[1],))
                source = [element for element, _ in kept], Items([origin for _, origin in kept], own)
        return self._covered(source, target)

    def _covered(self, source: Traced, target: Traced) -> Traced:
        if source is target:
            return source
        return source[0], _covering(source[1], target[0], target[1])


def _beside(seen: Traced, other: Traced) -> Traced:
    """One of two values alone, because the other is what it is: nothing, or of a kind that is not joined with it."""
    return seen if seen is other else (seen[0], Choice((other[1],), seen[1]))


def _extended(target: Traced, source: Traced) -> Traced:
    below = Shadow(target[1])
    origins = [below.item(index) for index in range(len(target[0]))]
    return [*target[0], source[0]], Items([*origins, source[1]], Step(MERGE_DEEP, (below.own,)))


def _unpacked(array: Traced, separator: str) -> list[Traced]:
    """The elements joined and split again."""
    text = separator.join(str(element) for element in array[0])
    parts = text.split(separator)
    while parts and parts[-1] == "":
        parts.pop()
    return [(part, Step(Item(index), (array[1],))) for index, part in enumerate(parts)]


def _union(parts: Iterable[Traced], whole: Sequence[Traced]) -> Traced:
    kept = _unrepeated(parts)
    own = Step(MERGE_UNIQUE, tuple(origin for _, origin in whole))  # which of two equal elements stays
    return [value for value, _ in kept], Items([origin for _, origin in kept], own)


def _unrepeated(parts: Iterable[Traced]) -> list[Traced]:
    seen: set[object] = set()
    kept: list[Traced] = []
    for part in parts:
        key = freeze(part[0])
        if key not in seen:
            seen.add(key)
            kept.append(part)
    return kept


def _flat(value: object, origin: Origin) -> list[Traced]:
    if not isinstance(value, list):
        return [(value, origin)]
    shadow = Shadow(origin)
    return [part for index, element in enumerate(value) for part in _flat(element, shadow.item(index))]


def _uncovered(origin: Origin, above: Origin, key: object) -> Origin:
    """An element that nothing above has."""
    return Choice((Absent(f"{key} above", missing(above, key)),), origin)


def _covering(origin: Origin, value: object, covered: Origin) -> Origin:
    return Overridden(None, origin, (Hidden(value, covered, LOWER_LEVEL),))


def _assert(subject: str, type_text: str, value: object) -> None:
    from ..types import assert_instance, parse_type

    assert_instance(subject, parse_type(type_text), value)
