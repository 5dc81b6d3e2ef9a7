"""All names of a folder: what is defined where, and who means it.

Each file is read on its own (`Language.mentions`), and again when its text changes; nothing is compiled, so names are
known in a file with a slip in it, and in code that runs on no node. Names of lambdas and other small scopes (those with
an `@`) are the file's own.

Some things go by two names. A key of the data that is called as a parameter is (`ntp::servers`) is what sets it. A
template in Ruby sees the variables of the class that renders it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from ..base.mentions import Mention

Name: TypeAlias = tuple[str, str]
"""Kind and name."""

LOCAL = "@"


class Names:
    """The names of the files of a folder."""

    def __init__(self) -> None:
        self._files: dict[str, list[Mention]] = {}
        self._defined: dict[Name, dict[str, list[Mention]]] = {}
        self._meant: dict[Name, dict[str, list[Mention]]] = {}

    # --- files ---

    def take(self, path: str, mentions: Iterable[Mention]) -> None:
        """These are the names of a file now."""
        self.forget(path)
        self._files[path] = list(mentions)
        for mention in self._files[path]:
            for name in mention.names:
                if LOCAL not in name:
                    table = self._defined if mention.defines else self._meant
                    table.setdefault((mention.kind, name), {}).setdefault(path, []).append(mention)

    def forget(self, path: str) -> None:
        """There is no such file any more."""
        for mention in self._files.pop(path, ()):
            for name in mention.names:
                for table in (self._defined, self._meant):
                    places = table.get((mention.kind, name))
                    if places is not None and places.pop(path, None) is not None and not places:
                        del table[mention.kind, name]

    def __contains__(self, path: str) -> bool:
        return path in self._files

    @property
    def files(self) -> Iterable[str]:
        """The files that are known."""
        return self._files.keys()

    def of_file(self, path: str) -> list[Mention]:
        """The names in a file."""
        return self._files.get(path, [])

    def definitions(self, kind: str) -> Iterator[tuple[str, Mention]]:
        """Everything of a kind that is defined, by name; the first of each."""
        for (defined_kind, name), places in self._defined.items():
            if defined_kind == kind:
                yield name, next(iter(places.values()))[0]

    def definitions_of(self, kind: str, name: str) -> Iterator[tuple[str, Mention]]:
        """Every definition of one name."""
        return self._rows(self._defined, kind, name)

    def uses_of(self, kind: str, name: str) -> Iterator[tuple[str, Mention]]:
        """Every place that may mean a name."""
        return self._rows(self._meant, kind, name)

    # --- questions ---

    def at(self, path: str, offset: int) -> Mention | None:
        """The name at an offset: the smallest that reaches it."""
        here = [mention for mention in self.of_file(path) if mention.span.start <= offset <= mention.span.end]
        return min(here, key=lambda mention: (mention.span.end - mention.span.start, mention.defines), default=None)

    def meaning(self, path: str, mention: Mention) -> list[Name]:
        """What a name stands for: the first of its names that is defined, and what goes by another name too."""
        if mention.kind == "ruby":
            owners = [f"{owner}{mention.name}" for owner in self._renderers(path)]
            known = [name for name in owners if ("variable", name) in self._defined]
            return [("variable", name) for name in known] or [("ruby", mention.name)]
        chosen = mention.name
        if not mention.defines:
            chosen = next((name for name in mention.names if self._is_defined(path, mention.kind, name)), chosen)
        if mention.kind in ("variable", "key") and ("variable", chosen) in self._defined:
            return [("variable", chosen), ("key", chosen)]
        if mention.kind == "variable" and ("key", chosen) in self._defined and "::" in chosen:
            return [("variable", chosen), ("key", chosen)]
        return [(mention.kind, chosen)]

    def _is_defined(self, path: str, kind: str, name: str) -> bool:
        return LOCAL in name or (kind, name) in self._defined

    def _renderers(self, path: str) -> Iterator[str]:
        """The scopes that render a template, as what their variables begin with."""
        for (kind, name), places in self._meant.items():
            if kind == "template" and path.endswith(f"/{name}"):
                yield from (mention.detail for mentions in places.values() for mention in mentions)

    def defined(self, path: str, mention: Mention) -> list[tuple[str, Mention]]:
        """Where what is meant is defined."""
        if mention.kind == "template":
            return []
        return [row for row in self.places(path, mention) if row[1].defines]

    def places(self, path: str, mention: Mention) -> list[tuple[str, Mention]]:
        """Every place where the same is defined or meant, each once."""
        rows_by_place: dict[tuple[str, int], tuple[str, Mention]] = {}
        for kind, name in self.meaning(path, mention):
            if LOCAL in name:
                rows: Iterable[tuple[str, Mention]] = (
                    (path, other) for other in self.of_file(path) if other.kind == kind and name in other.names[:1]
                )
            else:
                rows = [*self._rows(self._defined, kind, name), *self._uses(kind, name)]
            for file, other in rows:
                rows_by_place.setdefault((file, other.at.start), (file, other))
        return sorted(rows_by_place.values(), key=lambda row: (not row[1].defines, row[0], row[1].at.start))

    def _rows(self, table: dict[Name, dict[str, list[Mention]]], kind: str, name: str) -> Iterator[tuple[str, Mention]]:
        for file, mentions in table.get((kind, name), {}).items():
            yield from ((file, mention) for mention in mentions)

    def _uses(self, kind: str, name: str) -> Iterator[tuple[str, Mention]]:
        """The uses that mean this name, and not one that is nearer."""
        for file, mention in self._rows(self._meant, kind, name):
            if (kind, name) in self.meaning(file, mention):
                yield file, mention
        if kind == "variable":
            own = name.rpartition("::")[2]
            for file, mention in self._rows(self._meant, "ruby", own):
                if (kind, name) in self.meaning(file, mention):
                    yield file, mention

    def template(self, mention: Mention) -> str | None:
        """The file of a template that is named."""
        tail = os.sep + mention.name
        return next((path for path in self._files if path.endswith(tail)), None)
