"""What a person has in hand: the path of a file on a machine, the name of a package or a service.

A file is a resource `File` with that path (its title, or its parameter `path`), or lies below one that is copied with
`recurse`. Where no resource is the file itself, those that write to it are meant: their parameter `path` or `target`
names it (`concat::fragment`, `file_line`, `ini_setting`, `augeas` by its `incl`). Any other name is a title, the
parameter `name` of a resource, or a class.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .static_files import PREFIX, contents_of

if TYPE_CHECKING:
    from ..runtime.compilation import Compilation
    from ..runtime.resources import Resource

_WRITING = ("path", "target", "incl", "config", "file")
"""Parameters that name the file that a resource writes to."""
_BY_NAME = ("Package", "Service", "User", "Group", "Cron", "Class")
"""Types that a bare name means first, in this order."""


def in_hand(run: Compilation, words: str) -> list[str]:
    """The paths of the outputs that `words` mean: one if that is clear, several to choose from, or none."""
    if words.startswith("/") or words[1:3] in (":/", ":\\"):
        return list(_of_file(run, words))
    return list(_by_name(run, words))


def _resources(run: Compilation) -> Iterator[Resource]:
    return (resource for resource in run.catalog.resources if not resource.virtual)


def _value(resource: Resource, name: str) -> Any:
    attribute = resource.attributes.get(name)
    return None if attribute is None else attribute.value


def _of_file(run: Compilation, path: str) -> Iterator[str]:
    wanted = posixpath.normpath(path)
    above: list[Resource] = []
    for resource in _resources(run):
        if resource.type != "File":
            continue
        place = _value(resource, "path")
        place = posixpath.normpath(place if isinstance(place, str) else resource.title)
        if place == wanted:
            yield resource.ref
            return
        if wanted.startswith(f"{place}/"):
            above.append(resource)
    for resource in above:
        name = wanted.removeprefix(posixpath.normpath(str(_value(resource, "path") or resource.title)))
        below = f"{PREFIX}{resource.ref}{name}"
        if any(selected.path == below for selected in contents_of(run, resource)):
            yield below
            return
    for resource in _resources(run):
        written = (_value(resource, name) for name in _WRITING)
        if resource.title == wanted or wanted in written:
            yield resource.ref


def _by_name(run: Compilation, name: str) -> Iterator[str]:
    lower = name.lower().removeprefix("::")
    named = [
        resource
        for resource in _resources(run)
        if (resource.type == "Class" and resource.title.lower() == lower)
        or (resource.type != "Class" and name in (resource.title, _value(resource, "name")))
    ]
    first = [resource for kind in _BY_NAME for resource in named if resource.type == kind]
    yield from (resource.ref for resource in (first or named))
