"""Joining what several levels say about one key: `first`, `unique`, `hash` and `deep`.

Values come in order of precedence, the highest first. Every element of the result keeps the origin it had; an element
that a higher level covers stays visible as hidden.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...provenance.origins import Hidden, Items, Origin, Overridden, Step
from ..errors import CatalogError
from ..functions.shadow import Shadow
from ..values import freeze

if TYPE_CHECKING:
    from ..runtime.scope import Traced

STRATEGIES = ("first", "default", "unique", "hash", "deep", "reverse_deep", "unconstrained_deep")


class Strategy:
    """A merge strategy: its name and the options of `deep`."""

    def __init__(self, given: Any) -> None:
        options: dict[str, Any] = {}
        name = given
        if isinstance(given, dict):
            options = {key: value for key, value in given.items() if key != "strategy"}
            name = given.get("strategy")
        if name is None:
            name = "first"
        if name not in STRATEGIES:
            raise CatalogError(f"Unknown merge strategy: '{name}'", None, issue=None, kind="merge of values", lead="")
        self.name = "first" if name == "default" else str(name)
        self.options = options

    def join(self, found: list[Traced]) -> Traced:
        """One value of those found, highest precedence first."""
        if self.name == "unique":
            return self._unique(found)
        result = found[0]
        for lower in found[1:]:
            if self.name == "hash":
                result = self._hash(result, lower)
            else:
                result = self._deep(result, lower)
        return result

    def _unique(self, found: list[Traced]) -> Traced:
        values: list[Any] = []
        origins: list[Origin] = []
        seen: set[Any] = set()
        for value, origin in found:
            for each, each_origin in _flat(value, origin):
                key = freeze(each)
                if key not in seen:
                    seen.add(key)
                    values.append(each)
                    origins.append(each_origin)
        return values, Items(origins, Step("merge unique", tuple(Shadow(origin).own for _, origin in found)))

    def _hash(self, high: Traced, low: Traced) -> Traced:
        for value, _ in (high, low):
            if not isinstance(value, dict):
                raise CatalogError(
                    f"The merge strategy hash expects hashes, got {type(value).__name__}",
                    None,
                    issue=None,
                    kind="merge of values",
                    lead="",
                )
        made = {**low[0], **high[0]}
        above, below = Shadow(high[1]), Shadow(low[1])
        shadows: dict[Any, Origin] = {key: below.value(key, index) for index, key in enumerate(low[0])}
        for index, key in enumerate(high[0]):
            origin = above.value(key, index)
            if key in shadows:
                origin = _covering(origin, low[0][key], shadows[key])
            shadows[key] = origin
        return made, Items(shadows, Step("merge hash", (above.own, below.own)))

    def _deep(self, high: Traced, low: Traced) -> Traced:
        a, b = high[0], low[0]
        if isinstance(a, dict) and isinstance(b, dict):
            made = dict(b)
            above, below = Shadow(high[1]), Shadow(low[1])
            shadows: dict[Any, Origin] = {key: below.value(key, index) for index, key in enumerate(b)}
            prefix = self.options.get("knockout_prefix")
            for index, key in enumerate(a):
                origin = above.value(key, index)
                if prefix and isinstance(key, str) and key.startswith(prefix):
                    made.pop(key.removeprefix(prefix), None)
                    shadows.pop(key.removeprefix(prefix), None)
                elif key in made:
                    made[key], shadows[key] = self._deep((a[key], origin), (made[key], shadows[key]))
                else:
                    made[key], shadows[key] = a[key], origin
            return made, Items(shadows, Step("merge deep", (above.own, below.own)))
        if isinstance(a, list) and isinstance(b, list):
            return self._arrays(high, low)
        prefix = self.options.get("knockout_prefix")
        if prefix and a == prefix:
            return (None, high[1])
        return a, _covering(high[1], b, low[1])

    def _arrays(self, high: Traced, low: Traced) -> Traced:
        above, below = Shadow(high[1]), Shadow(low[1])
        a: list[Traced] = [(each, above.item(index)) for index, each in enumerate(high[0])]
        b: list[Traced] = [(each, below.item(index)) for index, each in enumerate(low[0])]
        prefix = self.options.get("knockout_prefix")
        if prefix:
            gone = {each.removeprefix(prefix) for each, _ in a if isinstance(each, str) and each.startswith(prefix)}
            a = [each for each in a if not (isinstance(each[0], str) and each[0].startswith(prefix))]
            b = [] if "" in gone else [each for each in b if each[0] not in gone]
        if (
            self.options.get("merge_hash_arrays")
            and a
            and b
            and isinstance(a[0][0], dict)
            and isinstance(b[0][0], dict)
        ):
            longest = max(len(a), len(b))
            joined = [
                self._deep(a[index], b[index]) if index < min(len(a), len(b)) else (a if len(a) > len(b) else b)[index]
                for index in range(longest)
            ]
        else:
            seen: set[Any] = set()
            joined = []
            for each in [*b, *a]:
                if freeze(each[0]) not in seen:
                    seen.add(freeze(each[0]))
                    joined.append(each)
        if self.options.get("sort_merged_arrays"):
            joined.sort(key=lambda each: (type(each[0]).__name__, str(each[0])))
        own = Step("merge deep", (above.own, below.own))
        return [each for each, _ in joined], Items([origin for _, origin in joined], own)


def _flat(value: Any, origin: Origin) -> list[Traced]:
    if not isinstance(value, list):
        return [(value, origin)]
    shadow = Shadow(origin)
    return [part for index, each in enumerate(value) for part in _flat(each, shadow.item(index))]


def _covering(origin: Origin, value: Any, covered: Origin) -> Origin:
    return Overridden("", origin, (Hidden(value, covered, "lower in the hierarchy"),))
