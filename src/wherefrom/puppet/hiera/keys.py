"""Keys of the data: `ntp::servers`, or with dots into a value, `ntp.servers.0` (Puppet manual, "Access hash and array
elements using a key.subkey notation").  Parts in quotes may hold dots; whole numbers are indexes.
"""

from __future__ import annotations

import re
from typing import Any

from ...provenance.composites import missing
from ...provenance.origins import Guard, Origin
from ..kernel.failures import Failure
from ..kernel.shadow import Shadow
from ..kernel.values import hash_key
from ..types.ruby import ruby_class, whole_number
from .errors import HieraError

_SPECIAL = re.compile(r"['\".]")
_SEGMENT = re.compile(r"""\s*"[^"]+"\s*|\s*'[^']+'\s*|[^'".]+""")
_NUMBER = re.compile(r":?[+-]?[0-9]+")
Segment = str | int


def split_key(key: str, where: str) -> list[Segment]:
    """The parts of a key; `where` ends the message if it can not be taken apart."""
    if _SPECIAL.search(key) is None:
        return [key]
    segments: list[Segment] = []
    at = 0
    while True:
        segment = _SEGMENT.match(key, at)
        if segment is None:
            raise HieraError(f"Syntax error in {where}")
        part = segment[0].strip()
        if part[:1] in ("'", '"'):
            segments.append(part[1:-1])
        elif _NUMBER.fullmatch(part):
            segments.append(0 if part.startswith(":") else whole_number(part))
        else:
            segments.append(part)
        at = segment.end()
        if at == len(key):
            return segments
        if key[at] != ".":
            raise HieraError(f"Syntax error in {where}")
        at += 1


class Key:
    """A key taken apart: `root` is what levels are asked for, `segments` lead into the value."""

    __slots__ = ("module", "root", "segments", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        root, *self.segments = split_key(text, f"key: '{text}'")
        self.root = str(root)
        module, mark, _ = self.root.partition("::")
        self.module = module if mark else None


def lost(segments: list[Segment], value: Any, origin: Origin) -> tuple[Origin | Guard, ...]:
    """What could have made `segments` lead to something in a value where they lead to nothing."""
    for segment in segments:
        if isinstance(segment, int) and isinstance(value, list):
            if not 0 <= segment < len(value):
                return missing(origin, segment)
            value, origin = value[segment], Shadow(origin).item(segment)
        elif isinstance(value, dict):
            name = hash_key(segment)
            if name not in value:
                return missing(origin, name)
            value, origin = value[name], Shadow(origin).value_in(value, name)
        else:
            break
    return (origin,)


def dig(key: str, segments: list[Segment], value: Any, origin: Origin) -> tuple[Any, Origin] | None:
    """What `segments` lead to in a value, or nothing.  Fails for what has no parts."""
    for segment in segments:
        if value is None:
            return None
        if isinstance(segment, int) and isinstance(value, list):
            if not 0 <= segment < len(value):
                return None
            value, origin = value[segment], Shadow(origin).item(segment)
        elif isinstance(value, dict):
            name = hash_key(segment)
            if name not in value:
                return None
            value, origin = value[name], Shadow(origin).value_in(value, name)
        elif isinstance(value, int) and not isinstance(value, bool):
            raise Failure(f"undefined method `include?' for {value}:Integer")
        else:
            raise HieraError(
                f"Data Provider type mismatch: Got {ruby_class(value)} when a hash-like object was expected to access "
                f"value using '{segment}' from key '{key}'"
            )
    return value, origin
