"""Where the files of an environment lie: the module path, what may define a name, manifests in order.

Module files are found by name, as Puppet does: class `a::b` in `a/manifests/b.pp`, function `a::f` in
`a/functions/f.pp`, type `A::T` in `a/types/t.pp`, template `a/t.epp` in `a/templates/t.epp`. A module whose
`metadata.json` lacks what Puppet asks for is none, and hides others of its name; resource types and functions of the
old interface are loaded from its `lib` all the same, as Ruby's path is.
"""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ...base.diagnostics import CannotRead, OutsideRoots
from ...base.globs import HostFiles, glob
from ...base.opened import real_name
from ...provenance.origins import Later, Leaf

if TYPE_CHECKING:
    from ...base.host import Host
    from ...base.source import SourceFile


REQUIRED = ("source", "author", "version", "license", "dependencies")
"""What `metadata.json` has to say, if it says anything; Puppet looks in this order."""


class ModulePath:
    """The directories that modules lie in, and the environment's own, if it has one.  `warn` hears what is odd."""

    def __init__(self, host: Host, directories: Sequence[str], root: str | None, warn: Callable[[str], None]) -> None:
        self.host = host
        self.directories = list(directories)
        self.root = root
        self._warn = warn
        self._passed_over: set[str] = set()
        self._lacking: dict[str, str | None] = {}
        self._looked: dict[str, tuple[Leaf, ...]] = {}
        self._others: dict[str, Later] = {}

    def modules(self) -> Iterator[tuple[str, str]]:
        """The modules there are, with their directories; the first of a name counts."""
        seen: set[str] = set()
        for path in self.directories:
            if not self.host.is_directory(path):
                continue
            for name in self.host.list_directory(path):
                directory = posixpath.join(path, name)
                if name not in seen and self._is_seen(directory):
                    seen.add(name)
                    yield name, directory

    def _is_seen(self, directory: str) -> bool:
        """Whether it is a directory.  One that may not be looked at is passed over, and that is said."""
        try:
            return self.host.is_directory(directory)
        except OutsideRoots as problem:
            if directory not in self._passed_over:
                self._passed_over.add(directory)
                self._warn(f"{problem.message}; {problem.help}")
            return False

    def directory(self, name: str) -> str | None:
        """The directory of a module: the first on the module path."""
        directory = self._first(name)
        return directory if directory is None or self._lack(directory) is None else None

    def lacking(self, name: str) -> str | None:
        """What the `metadata.json` of a module lacks, for which Puppet passes the module over."""
        directory = self._first(name)
        return None if directory is None else self._lack(directory)

    def looked(self, name: str) -> tuple[Leaf, ...]:
        """Why a name is that of this module, or of none: directories that are not there, and its `metadata.json`."""
        known = self._looked.get(name)
        if known is None:
            chosen = self._first(name)
            leaves = []
            for path in self.directories:
                directory = posixpath.join(path, name)
                if directory == chosen:
                    metadata = posixpath.join(directory, "metadata.json")
                    leaves.append(Leaf("file", metadata, None, None, absent=not self.host.is_file(metadata)))
                    break
                leaves.append(Leaf("file", directory, None, None, absent=True))
            known = self._looked[name] = tuple(leaves)
        return known

    def another(self, name: str) -> Later:
        """That there could be another module of a name: the same as one cause, worked out when somebody asks."""
        known = self._others.get(name)
        if known is None:
            known = self._others[name] = Later(f"another module {name}", self._looked_apart, None, (name,))
        return known

    def _looked_apart(self, name: str) -> tuple[Leaf, ...]:
        with self.host.apart():
            return self.looked(name)

    def anywhere(self, file: str) -> list[Leaf]:
        """A file that any module could have, for what is looked for in all of them: a pattern for each directory."""
        places = [posixpath.join(path, "*", file) for path in self.directories]
        if self.root is not None:
            places.append(posixpath.join(self.root, file))
        return [Leaf("file", place, None, None, absent=True) for place in places]

    def before(self, places: Iterable[str], chosen: str | None) -> Iterator[Leaf]:
        """The files that are not there, among those that are looked for before the one that is chosen."""
        for place in places:
            if place == chosen:
                return
            if not self.host.is_file(place):
                yield Leaf("file", place, None, None, absent=True)

    def _first(self, name: str) -> str | None:
        for path in self.directories:
            directory = posixpath.join(path, name)
            if self.host.is_directory(directory):
                return directory
        return None

    def _lack(self, directory: str) -> str | None:
        if directory not in self._lacking:
            self._lacking[directory] = _lack_of(self.host, posixpath.join(directory, "metadata.json"))
        return self._lacking[directory]

    def find_file(self, kind: str, path: str) -> str | None:
        """The file or directory `MODULE/REST` below the module's `kind`, or an absolute path that exists."""
        return next((place for place in self.file_places(kind, path) if self.is_there(place)), None)

    def is_there(self, place: str) -> bool:
        """Whether there is a file or directory; with a slash at its end, a directory."""
        if place.endswith("/"):
            return self.host.is_directory(place.rstrip("/") or "/")
        return self.host.kind_asked(place) not in (None, "symlink")

    def file_places(self, kind: str, path: str) -> list[str]:
        """The files that `MODULE/REST`, or an absolute path, may be, the first first."""
        if path.startswith("/"):
            return [path]
        module, slash, rest = path.partition("/")
        directory = self._first(module)
        if not (module and slash and self.directories) or (directory is not None and self._lack(directory) is not None):
            return []
        home = directory or posixpath.join(self.directories[0], module)
        return [posixpath.join(home, kind, rest.lstrip("/"))]

    def candidates(self, what: str, name: str) -> Iterator[tuple[str, list[str]]]:
        """The files that may define something, most likely first, with the module they belong to.

        Those that are read together stand together: a module's `init.pp` comes with every file of its manifests.
        """
        module, *rest = name.split("::")
        if what in ("class", "define"):
            directory = self.directory(module)
            if directory is None:
                return
            first = posixpath.join(directory, "manifests", "init.pp")
            for length in range(len(rest), 0, -1):
                yield module, [first, posixpath.join(directory, "manifests", *rest[:length]) + ".pp"]
            yield module, [first]
            return
        folder = "functions" if what == "function" else "types"
        if (not rest or module == "environment") and self.root is not None:
            path = posixpath.normpath(posixpath.join(self.root, folder, module, *rest) + ".pp")
            yield "environment", [path]
        directory = self.directory(module)
        if directory is not None and rest:
            yield module, [posixpath.join(directory, folder, *rest) + ".pp"]
        elif directory is not None and what == "type":
            yield module, [posixpath.join(directory, folder, "init_typeset.pp")]

    def namespace(self, path: str) -> str | None:
        """What a module's file may define, by its place; files of the environment itself are free."""
        from ..syntax.location import file_namespace

        for directory in self.directories:
            if path.startswith(f"{directory.rstrip('/')}/"):
                return file_namespace(path[len(directory.rstrip("/")) + 1 :])
        return None


def _lack_of(host: Host, file: str) -> str | None:
    """What a `metadata.json` lacks; nothing if there is none, if it is empty, or no JSON."""
    try:
        metadata = json.loads(host.read_bytes(file)) if host.is_file(file) else {}
    except (CannotRead, OutsideRoots, ValueError, RecursionError):
        return None
    if not isinstance(metadata, dict) or not metadata:
        return None
    lack = next((key for key in REQUIRED if metadata.get(key) is None), None)
    return "dependencies" if lack is None and not isinstance(metadata["dependencies"], list) else lack


def manifest_files(host: Host, directory: str) -> Iterator[str]:
    """The manifests below a directory, as paths from there."""
    return files_below(host, directory, ".pp")


def files_below(host: Host, directory: str, *suffixes: str) -> Iterator[str]:
    """The files below a directory whose names end so, as paths from there.

    A link to a directory is followed, since a definition behind it can be loaded; links behind that one are not, so
    that links which lead upwards end.
    """
    waiting: list[tuple[str, int]] = [("", 0)]
    while waiting:
        inside, links = waiting.pop()
        if inside.endswith(suffixes):
            yield inside
            continue
        full = posixpath.join(directory, inside) if inside else directory
        if not host.is_directory(full):
            continue
        if inside and host.link_target(full) is not None:
            links += 1
        if links < 2:
            waiting.extend((posixpath.join(inside, name), links) for name in reversed(host.list_directory(full)))


def module_roots(modulepath: Sequence[str]) -> list[str]:
    """The directories that a module path opens: itself, and the modules in it that are links to elsewhere.

    A link opens what looks like a module, and nothing else: whoever can write a link could open any directory.
    """
    roots = list(modulepath)
    for path in modulepath:
        with suppress(OSError), os.scandir(path) as entries:
            linked = [real_name(entry.path) for entry in entries if entry.is_symlink()]
            roots.extend(real for real in linked if _is_module(real))
    return roots


def _is_module(directory: str) -> bool:
    return os.path.isfile(f"{directory}/metadata.json") or os.path.isdir(f"{directory}/manifests")


def manifest_sources(host: Host, path: str) -> list[SourceFile]:
    """The manifest, or all manifests below a directory, in Puppet's order: neither hidden nor behind links."""
    if not host.is_directory(path):
        return [host.source(path)]
    paths = glob("**/*.pp", HostFiles(host), path)
    return [host.source(file) for file in sorted(paths) if not host.is_directory(file)]
