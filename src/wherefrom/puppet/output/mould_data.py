"""What one file of data says in the place of another one: which of its texts stand for which.

`site/%{facts.site}.yaml` is one file for each site. What a node is told there is told to another node by another file;
if both have the same keys and the same shape, texts that differ are like facts that differ: some went into values
alone, and values can be computed again with the texts of the other file. All else must be equal. So must texts that
mean more than themselves: that others are filled into (`%{...}`), that are encrypted, or that are empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...provenance.origins import Items, Leaf
from ...provenance.sets import below
from ..kernel.shadow import Shadow
from ..kernel.values import hash_key
from .mould_ways import is_same

TEXT_READERS = ("hocon_data", "json_data", "yaml_data")
"""What reads files in which a text is what it says."""


def is_plain(text: Any) -> bool:
    """Whether a text of data means nothing but itself."""
    return type(text) is str and text != "" and "%{" not in text and "ENC[" not in text


class Exchange:
    """Texts and inputs of some files of data in the place of those of others.

    `texts` are by the keys of the inputs that they stand for, and so are `inputs`; `lines` say where the data says
    something, by key and by our file.
    """

    __slots__ = ("inputs", "lines", "texts")

    def __init__(self) -> None:
        self.inputs: dict[Any, Leaf] = {}
        self.texts: dict[Any, str] = {}
        self.lines: dict[tuple[str, str], int] = {}

    def add(self, other: Exchange) -> bool:
        """Take over another one's; whether no input has two others in its place."""
        for key, leaf in other.inputs.items():
            if self.inputs.setdefault(key, leaf).key != leaf.key:
                return False
        self.texts.update(other.texts)
        self.lines.update(other.lines)
        return True

    def tell(self, file: str, told: Mapping[str, list[Leaf]]) -> None:
        """Work out where something is said, from what is told of each key in our file."""
        for key, inputs in told.items():
            others = [self.inputs[leaf.key] for leaf in inputs if leaf.key in self.inputs]
            lines = [leaf.span.line for leaf in others if leaf.span is not None]
            if lines:
                self.lines[key, file] = min(lines)

    def compare(self, data: Any, ours: str, theirs: str, reader: str, key: str) -> bool:
        """Whether a file can stand in the place of another one, for who asks about a key."""
        files = [data.file(path, reader) for path in (ours, theirs)]
        if any(file is None or not isinstance(file.value, dict) for file in files):
            return False
        name = hash_key(key)
        here, there = (name in file.value for file in files)
        if here is not there:
            return False
        if not here:
            missed = [Leaf("hiera", key, None, None, "", path, True) for path in (ours, theirs)]
            self.inputs[missed[0].key] = missed[1]
            return True
        values = [file.value[name] for file in files]
        origins = [Shadow(file.origin).value_in(file.value, name) for file in files]
        return self._walk(values, origins, reader in TEXT_READERS)

    def _walk(self, values: list[Any], origins: list[Any], texts: bool) -> bool:
        waiting = [(*values, *origins)]
        while waiting:
            value, other_value, origin, other = waiting.pop()
            if type(origin) is not type(other) or type(value) is not type(other_value):
                return False
            if isinstance(origin, Items):
                if not self._beside(origin.own, other.own):
                    return False
                if isinstance(value, Mapping):
                    if list(map(repr, value)) != list(map(repr, other_value)):
                        return False
                    places: Any = value
                else:
                    if len(value) != len(other_value):
                        return False
                    places = range(len(value))
                waiting += (
                    (value[place], other_value[place], origin.elements[place], other.elements[place])
                    for place in places
                )
            elif isinstance(origin, Leaf):
                if not self._put(origin, other):
                    return False
                if is_same(value, other_value):
                    continue
                if not (texts and is_plain(value) and is_plain(other_value)):
                    return False
                self.texts[origin.key] = other_value
            elif not is_same(value, other_value) or not self._beside(origin, other):
                return False
        return True

    def _beside(self, origin: Any, other: Any) -> bool:
        """Put the inputs of one origin in the place of those of another that tells the same of the same value."""
        waiting = [(origin, other)]
        while waiting:
            one, another = waiting.pop()
            if type(one) is not type(another):
                return False
            if isinstance(one, Leaf):
                if not self._put(one, another):
                    return False
                continue
            parts = below(one), below(another)
            if len(parts[0]) != len(parts[1]):
                return False
            waiting.extend(zip(*parts))
        return True

    def _put(self, leaf: Leaf, other: Leaf) -> bool:
        """Put an input in the place of another one; whether that has no other yet."""
        return self.inputs.setdefault(leaf.key, other).key == other.key
