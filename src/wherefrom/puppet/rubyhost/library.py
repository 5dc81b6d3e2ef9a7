"""The Ruby files of an environment: found by name, read and compiled once.

    lib/puppet/functions/[MODULE/]NAME.rb      functions; a name with `::` belongs to one module
    lib/puppet/parser/functions/NAME.rb        functions of the old interface
    lib/puppet/datatypes/[MODULE/]NAME.rb      types of objects
    lib/puppet/type/NAME.rb                    resource types, and lib/puppet/provider/NAME/ for their providers
    lib/...                                    what they `require`

A module's `lib` is looked at in the order of the module path; the environment's own `lib` comes first.
"""

from __future__ import annotations

import posixpath
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import CannotRead, OutsideRoots
from ...base.source import SourceFile
from ..runtime.resource_types import ResourceKind, scan

if TYPE_CHECKING:
    from ...ruby.programs import Program, Template
    from .functions import RubyFunction
    from .legacy import LegacyFunction
    from .run import RubyRun

FUNCTIONS = "puppet/functions"
LEGACY = "puppet/parser/functions"
TYPES = "puppet/type"
DATA_TYPES = "puppet/datatypes"

_OWN = ("puppet", "puppet_x", "facter", "hiera", "hocon", "semantic_puppet", "pson", "bolt")
"""What Puppet itself brings: requiring it does nothing here."""


class RubyLibrary:
    """The Ruby of one environment."""

    def __init__(self, environment: Any) -> None:
        self.environment = environment
        self._programs: dict[str, Program] = {}
        self._templates: dict[str, Template] = {}
        self._inline: dict[str, Template] = {}
        self._directories: list[tuple[str, str]] | None = None
        self._folders: dict[str, list[str]] = {}  # what there is in the `puppet` of every `lib`
        self._names: dict[str, dict[str, str]] = {}
        self._functions: dict[str, RubyFunction | None] = {}
        self._legacy: dict[str, LegacyFunction | None] = {}
        self.checked: set[Program] = set()
        """Files of functions of the old interface that were looked at; see `legacy.check_file`."""
        self._types: RubyRun | None = None
        self.alone: Any = None
        """A compilation in which there is nothing but this: see `alone`."""

    def directories(self) -> list[tuple[str, str]]:
        """Every `lib` there is, with the module it belongs to, first come first."""
        if self._directories is None:
            folders = []
            if self.environment.root is not None:
                folders.append(("environment", posixpath.join(self.environment.root, "lib")))
            folders += [(name, f"{path}/lib") for name, path in self.environment.modules()]
            for _, path in folders:
                names = self._names_in(f"{path}/puppet")
                if names:
                    self._folders[path] = names
            self._directories = [(name, path) for name, path in folders if path in self._folders]
        return self._directories

    def _names_in(self, path: str) -> list[str]:
        """The names in a directory; none if there is no such directory."""
        try:
            names: list[str] = self.environment.host.list_directory(path)
        except (CannotRead, OutsideRoots):
            return []
        return names

    def find(self, folder: str, name: str) -> str | None:
        """The file `FOLDER/NAME.rb` in some `lib`."""
        known = self._names.get(folder)
        if known is None:
            known = self._names[folder] = self._listed(folder)
        return known.get(name)

    def _listed(self, folder: str) -> dict[str, str]:
        """The Ruby files right below a folder `puppet/...` of every `lib`, by name; the first of a name counts."""
        files: dict[str, str] = {}
        first = folder.split("/")[1]
        for _, directory in self.directories():
            if first not in self._folders[directory]:
                continue
            path = f"{directory}/{folder}"
            for file in self._names_in(path):
                if file.endswith(".rb"):
                    files.setdefault(file[:-3], f"{path}/{file}")
        return files

    def has_provider(self, name: str) -> bool:
        """Whether some module has a provider for the resource type of this name: most often the type's own has."""
        own = self.find(TYPES, name)
        if own is not None and self._has_files(f"{own.removesuffix(f'/type/{name}.rb')}/provider/{name}"):
            return True
        libraries = [path for _, path in self.directories() if "provider" in self._folders[path]]
        return any(self._has_files(f"{path}/puppet/provider/{name}") for path in libraries)

    def _has_files(self, folder: str) -> bool:
        """Whether there is a Ruby file right below a folder, if that is there."""
        kind: str | None = self.environment.host.kind(folder)
        return kind == "directory" and any(file.endswith(".rb") for file in self._names_in(folder))

    def function_file(self, name: str) -> str | None:
        """The file of a function."""
        if "::" not in name:
            return self.find(FUNCTIONS, name)
        return next((place for place in self.function_places(name) if self.environment.host.is_file(place)), None)

    def function_places(self, name: str) -> list[str]:
        """The files that a function with a module in its name may be in, the first first."""
        path = posixpath.join("lib", FUNCTIONS, *name.split("::")) + ".rb"
        module = name.partition("::")[0]
        root = self.environment.root
        home = root if module == "environment" else self.environment.module_directory(module)
        return [posixpath.join(directory, path) for directory in (home, root) if directory is not None]

    def datatype_file(self, name: str) -> str | None:
        """The file of a type of objects."""
        self.directories()
        if not any("datatypes" in folders for folders in self._folders.values()):
            return None
        module, _, rest = name.partition("::")
        if not rest:
            return self.find(DATA_TYPES, name)
        home = self.environment.module_directory(module)
        path = None if home is None else posixpath.join(home, "lib", DATA_TYPES, *name.split("::")) + ".rb"
        return path if path is not None and self.environment.host.is_file(path) else None

    def legacy_file(self, name: str) -> str | None:
        """The file of a function of the old interface."""
        return None if "::" in name else self.find(LEGACY, name)

    def function(self, name: str) -> RubyFunction | None:
        """The function of this name in today's interface."""
        if name not in self._functions:
            path = self.function_file(name)
            if path is None:
                self._functions[name] = None
            else:
                from .functions import RubyFunction

                self._functions[name] = RubyFunction(name, path)
        return self._functions[name]

    def legacy_function(self, name: str) -> LegacyFunction | None:
        """The function of this name in the old interface."""
        if name not in self._legacy:
            path = self.legacy_file(name)
            if path is None:
                self._legacy[name] = None
            else:
                from .legacy import LegacyFunction

                self._legacy[name] = LegacyFunction(name, path)
        return self._legacy[name]

    def types_run(self) -> RubyRun:
        """The Ruby in which types are defined: of no compilation."""
        from .run import RubyRun

        if self._types is None:
            self._types = RubyRun(self, None)
        return self._types

    def kind(self, name: str) -> ResourceKind | None:
        """The resource type of this name, by running its class body; by looking at its text if that can not be run."""
        from ...ruby.errors import NotSupported, RubyRefused
        from .kinds import read_kind

        try:
            return read_kind(self.types_run(), name)
        except (NotSupported, RubyRefused) as problem:
            path = self.find(TYPES, name)
            assert path is not None
            reason = getattr(problem, "message", None) or str(problem)
            self.environment.warn(
                f"the resource type {name} cannot be run, so its attributes are read from its source text: {reason}"
            )
            return scan(name, self.environment.host.source(path).text)

    def program(self, path: str) -> Program:
        """A file, compiled."""
        known = self._programs.get(path)
        if known is None:
            text = self.environment.host.source(path).text
            known = self._programs[path] = _program(path, text)
        return known

    def unrecorded_program(self, path: str) -> Program:
        """A file, compiled, for callers whose results do not depend on its text.

        Whoever runs it reads it by `program`: a file that was kept from here would be read without a record.
        """
        known = self._programs.get(path)
        if known is None:
            with self.environment.host.apart():
                known = _program(path, self.environment.host.source(path).text)
        return known

    def template(self, path: str) -> Template:
        """An ERB template, compiled."""
        host = self.environment.host
        host.own("content", path)
        known = self._templates.get(path)
        if known is None:
            with host.apart():
                content = host.read_bytes(path)
            text = content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
            known = self._templates[path] = compiled_template(path, text)
        return known

    def inline(self, text: str) -> Template:
        """A template given as text, compiled."""
        known = self._inline.get(text)
        if known is None:
            known = self._inline[text] = compiled_template("inline template", text, "a text")
        return known

    def required(self, name: str, relative_to: str | None) -> SourceFile | bool | None:
        """What `require name` means here: a file of a module, something that is here anyway, or nothing."""
        host = self.environment.host
        if relative_to is not None:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(relative_to), name))
            return self._file(path)
        if name.startswith("/"):
            return self._file(posixpath.normpath(name))
        for _, directory in self.directories():
            path = posixpath.join(directory, name)
            if host.is_file(path if path.endswith(".rb") else f"{path}.rb"):
                return self._file(path)
        return True if name.partition("/")[0] in _OWN else None

    def _file(self, path: str) -> SourceFile | None:
        if not path.endswith(".rb"):
            path += ".rb"
        host = self.environment.host
        return host.source(path) if host.is_file(path) else None


@lru_cache(maxsize=1024)
def _program(path: str, text: str) -> Program:
    """A compiled file.  Programs never change, so that environments whose files are the same share them."""
    from ...ruby.programs import compile_ruby

    return compile_ruby(SourceFile(path, text))


@lru_cache(maxsize=1024)
def compiled_template(path: str, text: str, place: str = "") -> Template:
    """A compiled template; `place` tells one that is no file from others."""
    from ...ruby.programs import compile_erb

    return compile_erb(SourceFile(path, text, place))
