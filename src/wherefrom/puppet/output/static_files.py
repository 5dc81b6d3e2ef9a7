"""Files that a catalog points at: `source => 'puppet:///modules/m/acl'`.

The catalog has the name alone; an agent fetches the content. It comes from `files/` of a module, or from a mount point
that the environment's `fileserver.conf` names. Of a list of sources the first that is there counts; with `recurse` all
files below a directory. A content is a text of its own with a history: the file, and why the resource is there and
points at it. What is no text, or is long, is told by its size and digest.

Not only the type `file` fetches: fragments of `concat`, archives, keys do too. So of any other type each attribute with
such a URL points at a file: `content of Concat_fragment[a]` is that of its `source`, another attribute is named.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from ...base.diagnostics import Diagnostic, NotText
from ...base.globs import name_test
from ...base.record import Record
from ...base.source import SourceFile
from ...language import Selected
from ...provenance.origins import Choice, Leaf, Origin
from ..kernel.shadow import part
from ..kernel.values import Sensitive

if TYPE_CHECKING:
    from ...base.host import Host
    from ..runtime.compilation import Compilation
    from ..runtime.resources import Attribute, Resource

PREFIX = "content of "
SCHEME = "puppet://"
LONGEST_TEXT = 1_000_000
"""Bytes; of a longer file its size and digest are told."""
DEEPEST = 40
"""Directories one below the other: a link that leads upwards ends."""
_SOURCE = re.compile(r"puppet://[^/]*/(?P<mount>[^/]+)/(?P<path>.+?)/*", re.DOTALL)
_LIST = " or "
_ENTRY = re.compile(r"^\s*(?:\[(?P<mount>[^\]]+)\]|path\s+(?P<path>\S+))\s*$", re.MULTILINE)


class StaticFile(Record):
    """A file that a resource points at: its place here, and where: below the resource (`/a/b`, nothing for the file
    itself), or the attribute if that is not `source` (`.key_source`); and on what condition."""

    path: str
    below: str
    origin: Origin
    """Why the resource points at it."""


def contents(run: Compilation) -> Iterator[Selected]:
    """The content of every file that the catalog points at."""
    for resource in run.catalog.resources:
        if fetches(resource):
            yield from contents_of(run, resource)


def fetches(resource: Resource) -> bool:
    """Whether an agent may fetch files for a resource: not for those that stand for others, classes and defines."""
    return resource.definition is None and not resource.virtual


def contents_of(run: Compilation, resource: Resource) -> Iterator[Selected]:
    """The contents that a resource points at: several, if it is a directory with `recurse`."""
    for file in static_files(run, resource):
        selected = _content(run, f"{PREFIX}{resource.ref}{file.below}", file, resource.existence)
        if selected is not None:
            yield selected


def static_source(selected: Selected) -> SourceFile | None:
    """The file behind a content that is a text."""
    match selected.origin:
        case Choice(chosen=Leaf(kind="file", span=span)) if span is not None:
            return span.file
    return None


def _content(run: Compilation, path: str, file: StaticFile, existence: Origin) -> Selected | None:
    try:
        data = run.environment.host.read_bytes(file.path)
    except Diagnostic:
        return None
    source = None
    if len(data) <= LONGEST_TEXT and b"\0" not in data:
        try:
            source = SourceFile.from_bytes(file.path, data)
        except NotText:
            source = None
    if source is None:
        from ...base.digests import size_and_digest

        words = size_and_digest(data)
        leaf = Leaf("file", file.path, None, words)
        return Selected(path, words, Choice((existence, file.origin), leaf))
    leaf = Leaf("file", file.path, source.whole(), source.text)
    return Selected(path, source.text, Choice((existence, file.origin), leaf))


def static_files(run: Compilation, resource: Resource) -> list[StaticFile]:
    """The files of the environment that a resource points at, in their order."""
    if resource.type == "File":
        attribute = resource.attributes.get("source")
        return [] if attribute is None else _pointed(run, resource, attribute, _recurses(resource))
    files: list[StaticFile] = []
    for name, attribute in resource.attributes.items():
        if _has_url(attribute.value):
            below = "" if name == "source" else f".{name}"
            pointed = _pointed(run, resource, attribute, recurses=False)
            files += [StaticFile(file.path, below + file.below, file.origin) for file in pointed]
    return files


def _has_url(value: Any) -> bool:
    """Whether a value is one of Puppet's URLs, or a list with one."""
    if type(value) is str:
        return value.startswith(SCHEME)
    return type(value) is list and any(type(url) is str and url.startswith(SCHEME) for url in value)


def _pointed(run: Compilation, resource: Resource, attribute: Attribute, recurses: bool) -> list[StaticFile]:
    """The files that an attribute with a URL, or a list of these, points at.

    Whether a path of the machine, or of a server elsewhere, is there, is not known here. What comes after it in a list
    may be what counts: it is told with that condition.
    """
    if attribute.value is None or isinstance(attribute.value, Sensitive):
        return []
    values = attribute.value if isinstance(attribute.value, list) else [attribute.value]
    tried: tuple[Origin, ...] = ()
    unknown: list[str] = []
    files: list[StaticFile] = []
    for index, value in enumerate(values):
        origin = part(attribute.origin, index) if isinstance(attribute.value, list) else attribute.origin
        place = _place(run, value)
        if place is None:
            if not _is_known(run, value):
                unknown.append(str(value))
                tried += (origin,)
            continue
        condition = f" (if {_LIST.join(unknown)} is not there)" if unknown else ""
        kind = run.environment.host.kind(place)
        here = Choice((*tried, origin), origin)
        if kind == "file":
            files.append(StaticFile(place, condition, here))
        elif kind == "directory" and recurses:
            below = _below(run.environment.host, place, resource)
            files += [StaticFile(posixpath.join(place, name), f"/{name}{condition}", here) for name in below]
        if kind in ("file", "directory") and _value(resource, "sourceselect") != "all":
            return files
        tried += (origin, Leaf("file", place, None, None, absent=True))
    return files


def _place(run: Compilation, value: object) -> str | None:
    """The file behind a URL of Puppet's own."""
    match = _SOURCE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    mount, path = match["mount"], unquote(match["path"])
    if ".." in path.split("/"):
        return None
    if mount == "modules":
        places = run.environment.file_places("files", path) if not path.startswith("/") else []
        module, _, rest = path.partition("/")
        directory = run.environment.module_directory(module)
        if not rest:
            return posixpath.join(directory, "files") if directory is not None else None
        return places[0] if places else None
    folder = _mounts(run).get(mount)
    return posixpath.join(folder, path) if folder is not None else None


def _is_known(run: Compilation, value: Any) -> bool:
    """Whether this environment says what is behind a source: a URL of a module, or of a mount point that it has."""
    match = _SOURCE.fullmatch(value) if isinstance(value, str) else None
    return match is not None and (match["mount"] == "modules" or match["mount"] in _mounts(run))


def _mounts(run: Compilation) -> dict[str, str]:
    """The mount points of the environment's `fileserver.conf`, with their directories."""
    root = run.environment.root
    file = posixpath.join(root, "fileserver.conf") if root is not None else None
    if root is None or file is None or not run.environment.host.is_file(file):
        return {}
    mounts: dict[str, str] = {}
    name = ""
    host, _, domain = run.node.partition(".")
    for entry in _ENTRY.finditer(run.environment.host.source(file).text):
        if entry["mount"]:
            name = entry["mount"]
        elif name:
            path = entry["path"].replace("%H", run.node).replace("%h", host).replace("%d", domain)
            mounts[name] = posixpath.join(root, path)
    return mounts


def _value(resource: Resource, name: str) -> Any:
    attribute = resource.attributes.get(name)
    return None if attribute is None else attribute.value


def _recurses(resource: Resource) -> bool:
    return _value(resource, "recurse") in (True, "true", "remote", "inf")


def _below(host: Host, directory: str, resource: Resource) -> Iterator[str]:
    """The names of the files below a directory, without those that the resource ignores."""
    ignored = _value(resource, "ignore")
    patterns = [str(pattern) for pattern in (ignored if isinstance(ignored, list) else [ignored]) if pattern]
    is_ignored = [name_test(pattern) for pattern in patterns]
    limit = _value(resource, "recurselimit")
    deepest = min(int(limit), DEEPEST) if str(limit).isdigit() else DEEPEST
    follows = _value(resource, "links") == "follow"  # otherwise a link is made, not what is behind it
    stack = [("", 1)]
    while stack:
        folder, depth = stack.pop()
        if depth > deepest:
            continue
        for name in reversed(host.list_directory(posixpath.join(directory, folder))):
            if any(test(name) for test in is_ignored):
                continue
            path = f"{folder}/{name}" if folder else name
            place = posixpath.join(directory, path)
            kind = host.kind(place)
            if kind == "directory" and (follows or host.link_target(place) is None):
                stack.append((path, depth + 1))
            elif kind == "file":
                yield path
