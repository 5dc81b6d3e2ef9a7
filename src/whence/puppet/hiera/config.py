"""`hiera.yaml`: which files a layer looks into, in which order.

A level of the hierarchy names its files by `path`, `paths`, `glob`, `globs` or `mapped_paths`, relative to its
`datadir`; names may hold `%{...}`, so that a level stands for other files on other nodes. Version 5 is read in full for
files of data; version 4 as far as it differs in its words. Levels that call functions (`lookup_key`, or a `data_hash`
other than the readers of YAML and JSON) call functions written in Puppet.
"""

from __future__ import annotations

import fnmatch
import posixpath
from typing import TYPE_CHECKING, Any

from ..errors import CatalogError
from .files import read_yaml

if TYPE_CHECKING:
    from ...base.host import Host

READERS = ("yaml_data", "json_data", "hocon_data")
FUNCTIONS = ("data_hash", "lookup_key", "data_dig", "hiera3_backend")
LOCATIONS = ("path", "paths", "glob", "globs", "mapped_paths", "uri", "uris")


class Level:
    """One level of a hierarchy: `locations` are `(kind, text)`, still to be interpolated."""

    def __init__(self, name: str, root: str, datadir: str, function: str, kind: str, suffix: str) -> None:
        self.name = name
        self.root = root
        self.datadir = datadir
        self.function = function
        self.kind = kind
        self.suffix = suffix
        self.locations: list[tuple[str, Any]] = []
        self.options: dict[Any, Any] = {}


class Config:
    """The hierarchy of one layer, and the default hierarchy of a module."""

    def __init__(self, levels: list[Level], defaults: list[Level], version: int = 5) -> None:
        self.levels = levels
        self.defaults = defaults
        self.version = version


def _fail(message: str) -> CatalogError:
    return CatalogError(message, None, issue=None, kind="Hiera configuration", lead="")


def read_config(host: Host, file: str, root: str) -> Config:
    """The configuration in `file`, or the one that holds when there is no such file: `data/common.yaml`."""
    if not host.is_file(file):
        level = Level("Common", root, "data", "yaml_data", "data_hash", ".yaml")
        level.locations.append(("path", "common.yaml"))
        return Config([level], [])
    given = read_yaml(host.source(file))[0]
    version = given.get("version")
    if version == 4:
        return Config(_version_4(given, root), [], 4)
    if version in (None, 3) and ("backends" in given or "hierarchy" in given):
        return Config(_version_3(given, root), [], 3)
    if version != 5:
        raise _fail(f"This runtime does not support hiera.yaml version {version}")
    defaults = given.get("defaults") or {}
    return Config(
        [
            _level(each, defaults, root)
            for each in given.get("hierarchy") or ({"name": "Common", "path": "common.yaml"},)
        ],
        [_level(each, defaults, root) for each in given.get("default_hierarchy") or ()],
    )


def _level(given: Any, defaults: Any, root: str) -> Level:
    name = str(given.get("name"))
    kind, function = "data_hash", "yaml_data"
    for source in (given, defaults):
        named = [each for each in FUNCTIONS if each in source]
        if len(named) > 1:
            raise _fail(f"Only one of {_listed(FUNCTIONS)} can be defined in hierarchy '{name}'")
        if named:
            kind, function = named[0], str(source[named[0]])
            break
    given_locations = [each for each in LOCATIONS if each in given]
    if len(given_locations) > 1:
        raise _fail(f"Only one of {_listed(LOCATIONS)} can be defined in hierarchy '{name}'")
    level = Level(name, root, str(given.get("datadir") or defaults.get("datadir") or "data"), function, kind, "")
    level.options = dict(given.get("options") or {})
    for each in given_locations:
        value = given[each]
        if each.endswith("s") and each != "mapped_paths" and isinstance(value, list):
            level.locations.extend((each[:-1], text) for text in value)
        else:
            level.locations.append((each, value))
    return level


def _version_4(given: Any, root: str) -> list[Level]:
    levels = []
    for each in given.get("hierarchy") or ({"name": "common", "backend": "yaml"},):
        backend = each.get("backend", "yaml")
        if backend not in ("yaml", "json"):
            raise _fail(f"No data provider is registered for backend '{backend}'")
        datadir = str(each.get("datadir") or given.get("datadir") or "data")
        level = Level(str(each.get("name")), root, datadir, f"{backend}_data", "data_hash", f".{backend}")
        paths = each.get("paths") or [each.get("path") or each.get("name")]
        level.locations.extend(("path", str(path)) for path in paths)
        levels.append(level)
    return levels


def _version_3(given: Any, root: str) -> list[Level]:
    """The oldest form, which only the global layer may have: names of files, for each backend."""
    backends = given.get("backends") or ["yaml"]
    hierarchy = given.get("hierarchy") or ["common"]
    levels = []
    for backend in backends if isinstance(backends, list) else [backends]:
        if backend not in ("yaml", "json"):
            continue
        datadir = str((given.get(backend) or {}).get("datadir") or "hieradata")
        for name in hierarchy if isinstance(hierarchy, list) else [hierarchy]:
            level = Level(str(name), root, datadir, f"{backend}_data", "data_hash", f".{backend}")
            level.locations.append(("path", str(name)))
            levels.append(level)
    return levels


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names[:-1]) + f", and '{names[-1]}'"


def glob_files(host: Host, directory: str, pattern: str) -> list[str]:
    """The files below a directory that match a pattern with `*`, `?`, `[...]`, `{a,b}` and `**`, sorted."""
    found: list[str] = []
    waiting = [""]
    patterns = [part.replace("**/", "*/") for part in _alternatives(pattern)]
    patterns += [part.replace("**/", "") for part in _alternatives(pattern) if "**/" in part]
    while waiting:
        inside = waiting.pop()
        full = posixpath.join(directory, inside) if inside else directory
        if not host.is_directory(full):
            continue
        for name in host.list_directory(full):
            path = posixpath.join(inside, name) if inside else name
            if host.is_directory(posixpath.join(directory, path)):
                waiting.append(path)
            elif any(_matches(path, each, "**" in pattern) for each in patterns):
                found.append(posixpath.join(directory, path))
    return sorted(found)


def _matches(path: str, pattern: str, deep: bool) -> bool:
    same_depth = path.count("/") == pattern.count("/")
    return fnmatch.fnmatchcase(path, pattern) and (deep or same_depth)


def _alternatives(pattern: str) -> list[str]:
    start = pattern.find("{")
    end = pattern.find("}", start)
    if start < 0 or end < 0:
        return [pattern]
    before, after = pattern[:start], pattern[end + 1 :]
    return [each for part in pattern[start + 1 : end].split(",") for each in _alternatives(before + part + after)]
