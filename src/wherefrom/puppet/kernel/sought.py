"""What was looked at or run for one node, so that it can be looked at or run again for another.

The name of a level's file is often made from facts (`role/%{facts.role}.yaml`). What was found there, or that nothing
was, owes to them; that is a `Choice`. A `Sought` is such a choice which also knows how the name was made: whoever has
the facts of another node can work out which file that node would read, and whether it says the same.

Whether a resource is there is asked by its name. That it is not there owes to the names of those that are: each is
`Passed`, and must not become the one that was asked for.

A template in Ruby leaves no formula that could be computed again, but one that only reads variables can be rendered
again where these have other values: its text is a `Rerun`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ...provenance.origins import Choice, Copy, Origin
from .hands import NAMED, PRINTED

EXPRESSION = re.compile(r"%\{([^}]*)\}")
Way: TypeAlias = "tuple[str | int, ...]"


class Place:
    """A file of a level: `template` has `%{...}` that read nothing but variables which no code may set.

    `reads` are the parts of what stands in the braces: the variable, and the way into it.
    """

    __slots__ = ("directory", "exists", "path", "reads", "suffix", "template")

    def __init__(
        self, template: str, reads: Mapping[str, Way], directory: str, suffix: str, path: str, exists: bool
    ) -> None:
        self.template = template
        self.reads = reads
        self.directory = directory
        self.suffix = suffix
        self.path = path
        self.exists = exists

    @property
    def made_from(self) -> tuple[str, ...]:
        """What its path is made from: two levels that name one file on this node may name two on another."""
        return self.path, self.directory, self.template, self.suffix

    def path_for(self, value_of: Callable[[Way], str | None]) -> str:
        """The path on a node where a variable is what `value_of` says; nothing is an empty text."""

        def filled(hole: re.Match[str]) -> str:
            way = self.reads.get(hole[1])
            return "" if way is None else value_of(way) or ""

        text = EXPRESSION.sub(filled, self.template)
        suffix = self.suffix if self.suffix and not text.endswith(self.suffix) else ""
        return posixpath.normpath(posixpath.join(self.directory, text + suffix))


class Sought(Choice):
    """What `reader` found in the file of `place` under `key`, or that there is no such key, or no such file."""

    __slots__ = ("key", "place", "reader")

    def __init__(self, origin: Origin, chosen: Origin, place: Place, reader: str, key: Any) -> None:
        super().__init__((origin,), chosen)
        self.place = place
        self.reader = reader
        self.key = key

    def around(self, inner: Origin) -> Sought:
        """The same of a part of what was found."""
        return Sought(self.tests[0], inner, self.place, self.reader, self.key)


class Passed(Copy):
    """A name of a resource that was looked at by who sought another one: had it been that, it would have been found."""

    __slots__ = ()

    def __init__(self, name: Origin) -> None:
        super().__init__(NAMED, name)


class Rerun(Copy):
    """The text `value` that a template made: `again` renders it anew, in the same frame, and says wherefrom it came."""

    __slots__ = ("again", "frame", "value")

    def __init__(self, value: str, origin: Origin, frame: Any, again: Callable[[], tuple[str, Origin]]) -> None:
        super().__init__(PRINTED, origin)
        self.value = value
        self.frame = frame
        self.again = again
