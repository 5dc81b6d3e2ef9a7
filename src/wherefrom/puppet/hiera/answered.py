"""What a compilation was told about each key that it asked for: the value, and the places it came from.

A ladder asks every level again, which is for one key on one node. A store of many nodes needs all keys of all nodes,
and little of each: so the answer that the compilation itself got is taken, and its places are read off its origin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from ...base.secrets import PLAIN, parts_of
from ...provenance.extract import expression, leaves, where
from ...provenance.ladder import KeyAnswer, KeyPlace
from ...provenance.origins import Leaf, Origin
from ..kernel.values import Sensitive
from .eyaml import ENCRYPTED_WORDS
from .keys import Key

Answered: TypeAlias = "tuple[Any, Origin, str | None]"
"""The value and origin of a key, and the file it was first found in."""


def key_answers(
    asked: Iterable[str], answered: Mapping[str, Answered], found_in: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[KeyAnswer, bool]]:
    """Every key that was asked for, in the order of names, with the value as it is, and whether that is secret.

    `found_in` tells of files whose hierarchy they belong to, and the name of the level.
    """
    for key in sorted(asked):
        known = answered.get(key)
        if known is None:
            yield KeyAnswer(key, False, None, ()), False
            continue
        value, origin, found_at = known
        inputs = _inputs(origin)
        places = tuple(_places(inputs, Key(key).root, found_in, found_at))
        secret = any(leaf.detail == ENCRYPTED_WORDS for leaf in inputs) or _is_secret(value)
        yield KeyAnswer(key, True, value, places), secret


def _is_secret(value: object) -> bool:
    """Whether something sensitive is in a value."""
    return type(value) not in PLAIN and any(isinstance(part, Sensitive) for part in parts_of([value]))


def _places(
    inputs: list[Leaf], root: str, found_in: Mapping[str, tuple[str, str]], found_at: str | None
) -> Iterator[KeyPlace]:
    """The files that a value came from, each with the first line of its part.

    Data that was filled in (`%{lookup('other')}`) counts only where there is nothing of the key's own.
    """
    lines: dict[str, int] = {}
    for leaf in _recorded(inputs, root):
        if leaf.span is not None:
            file, line = leaf.span.file.name, leaf.span.line
            lines[file] = min(line, lines.get(file, line))
    if not lines and found_at is not None:
        lines[found_at] = 0  # a function answered, for this file
    for file, line in lines.items():
        yield KeyPlace(*found_in.get(file, ("", "")), file, line)


def _recorded(inputs: list[Leaf], root: str) -> list[Leaf]:
    data = [leaf for leaf in inputs if leaf.kind == "hiera" and leaf.span is not None]
    return [leaf for leaf in data if _root(leaf.name) == root] or data


def recorded_inputs(answered: Mapping[str, Answered]) -> Iterator[tuple[str, list[Leaf]]]:
    """Every key that was found, with the inputs whose places are told."""
    for key, (_, origin, _) in answered.items():
        yield key, _recorded(_inputs(origin), Key(key).root)


def _inputs(origin: Origin) -> list[Leaf]:
    copied = where(origin)
    return list(leaves(expression(origin))) if copied is None else [copied]


def _root(name: str) -> str:
    """The key that a datum's name begins with: `a::b` of `a::b[0].c`."""
    return name.partition(".")[0].partition("[")[0]
