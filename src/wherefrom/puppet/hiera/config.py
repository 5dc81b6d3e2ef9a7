"""`hiera.yaml`: which files and functions a layer asks, in which order.

A level of the hierarchy names its files by `path`, `paths`, `glob`, `globs` or `mapped_paths`, relative to its
`datadir`; names may hold `%{...}`, so that a level stands for other files on other nodes. Version 5 is read in full,
version 4 (environments and modules) and version 3 (the global layer) as far as they name files of data. A configuration
that Puppet would refuse is refused with its words.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...base.globs import HostFiles, glob
from ...base.patterns import compiled
from ..kernel.failures import Failure
from ..types.ruby import inspect, ruby_class
from .errors import HieraError
from .files import read_yaml_value

if TYPE_CHECKING:
    from ...base.host import Host
    from ...base.source import SourceFile
    from ...provenance.origins import Leaf

READERS = ("yaml_data", "json_data", "hocon_data")
ENCRYPTED = "eyaml_lookup_key"
FILES = (*READERS, ENCRYPTED)
"""Functions that read files of data."""
FUNCTIONS = ("data_hash", "lookup_key", "data_dig", "hiera3_backend")
LOCATIONS = ("path", "paths", "glob", "globs", "uri", "uris", "mapped_paths")
GLOBAL, ENVIRONMENT, MODULE = "global", "environment", "module"

_NAME = r"Pattern[/\A[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?\z/]"

_LEVEL_5 = (
    "Struct[{name => String[1], Optional[options] => Hash["
    + _NAME
    + ", Data], Optional[data_hash] => String[1], Optional[lookup_key] => String[1], Optional[hiera3_backend] => "
    "String[1], Optional[v4_data_hash] => String[1], Optional[data_dig] => String[1], Optional[path] => String[1], "
    "Optional[paths] => Array[String[1], 1], Optional[glob] => String[1], Optional[globs] => Array[String[1], 1], "
    "Optional[uri] => String[1], Optional[uris] => Array[String[1], 1], "
    "Optional[mapped_paths] => Array[String[1], 3, 3], Optional[datadir] => String[1]}]"
)
_VERSION_5 = (
    "Struct[{version => Integer[5, 5], Optional[defaults] => Struct[{Optional[data_hash] => String[1], "
    "Optional[lookup_key] => String[1], Optional[data_dig] => String[1], Optional[datadir] => String[1], "
    f"Optional[options] => Hash[{_NAME}, Data]}}], Optional[hierarchy] => Array[{_LEVEL_5}], "
    f"Optional[plan_hierarchy] => Array[{_LEVEL_5}], Optional[default_hierarchy] => Array[{_LEVEL_5}]}}]"
)
_VERSION_4 = (
    "Struct[{version => Integer[4, 4], Optional[datadir] => String[1], Optional[hierarchy] => Array[Struct[{"
    "backend => String[1], name => String[1], Optional[datadir] => String[1], Optional[path] => String[1], "
    "Optional[paths] => Array[String[1]]}]]}]"
)
_VERSION_3 = (
    "Optional[version] => Integer[3, 3], Optional[backends] => Variant[String[1], Array[String[1]]], "
    "Optional[logger] => String[1], Optional[merge_behavior] => Enum['deep', 'deeper', 'native'], "
    "Optional[deep_merge_options] => Hash[String[1], Variant[String, Boolean]], "
    "Optional[hierarchy] => Variant[String[1], Array[String[1]]]"
)
_DEFAULTS = {"datadir": "data", "data_hash": "yaml_data"}
_COMMON = [{"name": "Common", "path": "common.yaml"}]


_FROM_ANYWHERE = compiled(r"(?:[^%]|%(?!\{)|%\{\s*(?:::)?(?:facts|trusted|server_facts)[.}\s])*+", re.DOTALL)
"""A configuration whose `%{...}` read nothing but the variables that no code may set, in whatever scope."""


class Level:
    """One level of a hierarchy: `locations` are `(kind, text)`, still to be interpolated; nothing if it has none."""

    def __init__(self, name: str, root: str, datadir: str, function: str, kind: str, suffix: str = "") -> None:
        self.name = name
        self.root = root
        self.datadir = datadir
        self.function = function
        self.kind = kind
        self.suffix = suffix
        self.override_suffix = ""
        """Of version 3: how the files end that `hiera` is given as an override; nothing where it asks for none."""
        self.locations: list[tuple[str, Any]] | None = None
        self.options: dict[Any, Any] = {}
        self.repeated: HieraError | None = None


class Config:
    """The hierarchy of one layer; the default hierarchy of a module; what version 3 says about merging."""

    def __init__(
        self, levels: list[Level], defaults: list[Level] | None = None, version: int = 5, merge: Any = None
    ) -> None:
        self.levels = levels
        self.defaults = defaults
        self.version = version
        self.merge = merge
        self.reader: _Reader | None = None
        self.fixed = False
        """Whether its levels are the same from everywhere in a program: each `%{...}` reads what no code sets."""
        self.leaf: Leaf | None = None  # the file it was read from, as an input

    def undefined(self, name: str) -> HieraError:
        """The error of a variable that is not defined."""
        words = f"Undefined variable '{name}'"
        if self.reader is None:
            return HieraError(words, "Hiera configuration", "HIERA_UNDEFINED_VARIABLE")
        pattern = rf"%\{{['\"]?{re.escape(name)}['\"]?}}"
        return self.reader.fail("HIERA_UNDEFINED_VARIABLE", words, self.reader.line(pattern))


def function_config(root: str, function: str) -> Config:
    """The configuration of Puppet 4's data functions: one function that gives all the data."""
    return Config([Level(f"Legacy function '{function}'", root, "data", function, "v4_data_hash")])


def default_config(root: str) -> Config:
    """The configuration where there is no `hiera.yaml`."""
    level = Level("Common", root, "data", "yaml_data", "data_hash")
    level.locations = [("path", "common.yaml")]
    return Config([level])


def read_config(host: Host, file: str, root: str, layer: str, warn: Callable[[str, str], None]) -> Config:
    """The configuration in `file`.  `warn` gets the key and the words of what is obsolete in it."""
    source = host.source(file)
    shown = posixpath.normpath(file)
    try:
        given = read_yaml_value(source)
    except HieraError as problem:
        words = problem.message.removeprefix("Unable to parse ").replace(f"({file})", f"({shown})")
        raise Failure(words, *problem.labels[:1], kind="Hiera data") from None
    if not isinstance(given, dict):
        warn(
            "",
            f"{shown}: File exists but does not contain a valid YAML hash. "
            "Falling back to Hiera version 3 default config",
        )
        given = {}
    version = given.get("version")
    version = 3 if version in (None, False) else _number(version)
    if version not in (3, 4, 5):
        raise _Reader(source, root, layer).fail(
            "HIERA_UNSUPPORTED_VERSION", f"This runtime does not support hiera.yaml version {version}"
        )
    if version != 5:
        warn(
            "hiera.yaml",
            f"{shown}: Use of 'hiera.yaml' version {version} is deprecated. It should be converted to version 5\n"
            f"   (file: {shown})",
        )
    reader = _Reader(source, root, layer)
    config = {3: reader.version_3, 4: reader.version_4, 5: reader.version_5}[version](dict(given))
    config.reader = reader
    config.fixed = _FROM_ANYWHERE.fullmatch(source.text) is not None and "mapped_paths" not in source.text
    return config


_VERSION = re.compile(r"""^[ \t]*["':]*version["']?[ \t]*:[ \t]*["']?(\d)""", re.MULTILINE)


def is_global(host: Host, file: str) -> bool:
    """Whether a configuration is of the oldest form, which has no version and which only the global layer may have."""
    if not host.is_file(file):
        return False
    version = _VERSION.search(host.source(file).text)
    return version is None or version[1] == "3"


def _number(value: Any) -> int:
    if value is True or isinstance(value, list | dict):
        raise Failure(f"undefined method `to_i' for {inspect(value)}:{ruby_class(value)}", kind="Hiera data")
    digits = re.match(r"\s*[+-]?\d+", str(value))
    return int(digits[0]) if digits else 0


class _Reader:
    """Reads one configuration, in any version."""

    def __init__(self, source: SourceFile, root: str, layer: str) -> None:
        self.source = source
        self.root = root
        self.layer = layer
        self.shown = posixpath.normpath(source.name)

    def fail(self, issue: str, message: str, line: int | None = None, level: str = "") -> HieraError:
        """The error of an issue, at a line; where Puppet looks for none and names the file alone, at the `level`."""
        shown = line or (self.line(rf"name:\s*['\"]?{re.escape(level)}") if level else None) or 1
        at = self.source.span(self.source.line_starts[shown - 1])
        failure = HieraError(message, "Hiera configuration", issue, at)
        failure.lineless = line is None
        return failure

    def check(self, type_text: str, given: Any) -> None:
        """Fail unless the configuration has the type that Puppet asks for."""
        from ..types import assert_instance, parse_type

        assert_instance(f"The Lookup Configuration at '{self.shown}'", parse_type(type_text), given)

    def line(self, pattern: str, start: int = 1) -> int | None:
        """The first line from `start` on that matches; comments do not count."""
        for number, text in enumerate(self.source.text.split("\n"), 1):
            if number >= start and re.search(pattern, _uncommented(text)):
                return number
        return None

    def repeated(self, issue: str, what: str, pattern: str) -> HieraError:
        """The error of a name that is used twice."""
        first = self.line(pattern)
        second = self.line(pattern, first + 1) if first is not None else None
        message = f"{what} defined more than once."
        if second is not None:
            message += f" First defined at (line: {first})"
        return self.fail(issue, message, second if second is not None else first)

    # --- version 5 ---------------------------------------------------------------------------------------------------

    def version_5(self, given: dict[Any, Any]) -> Config:
        """The form of today."""
        if given.get("defaults") is None:
            given["defaults"] = _DEFAULTS
        if given.get("hierarchy") is None:
            given["hierarchy"] = _COMMON
        self.check(_VERSION_5, given)
        defaults = given["defaults"]
        if sum(function in defaults for function in FUNCTIONS) > 1:
            raise self.fail(
                "HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT",
                f"Only one of {_listed(FUNCTIONS)} can be defined in defaults",
            )
        for key in ("path", "uri"):
            if key in (defaults.get("options") or {}):
                raise self.fail(
                    "HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET",
                    f"Option key '{key}' used in defaults is reserved by Puppet",
                )
        for level in [*given["hierarchy"], *(given.get("plan_hierarchy") or ())]:
            self.check_level(level, defaults)
        if "default_hierarchy" in given:
            if self.layer != MODULE:
                raise self.fail(
                    "HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE",
                    "'default_hierarchy' is only allowed in the module layer",
                    self.line(r"(?:^|\s+)default_hierarchy:"),
                )
            for level in given["default_hierarchy"]:
                self.check_level(level, defaults)
        return Config(
            self.levels(given["hierarchy"], defaults),
            self.levels(given["default_hierarchy"], defaults) if "default_hierarchy" in given else None,
        )

    def check_level(self, given: Any, defaults: Any) -> None:
        """Fail for a level that says too little or too much."""
        name = given["name"]
        named = [function for function in (*FUNCTIONS, "v4_data_hash") if function in given]
        if not named and not any(function in defaults for function in FUNCTIONS):
            raise self.fail(
                "HIERA_MISSING_DATA_PROVIDER_FUNCTION",
                f"One of {_listed(FUNCTIONS)} must be defined in hierarchy '{name}'",
                level=name,
            )
        if len(named) > 1:
            raise self.fail(
                "HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS",
                f"Only one of {_listed(FUNCTIONS)} can be defined in hierarchy '{name}'",
                level=name,
            )
        backend = given.get("hiera3_backend")
        if backend is not None:
            if self.layer != GLOBAL:
                raise self.fail(
                    "HIERA_V3_BACKEND_NOT_GLOBAL",
                    "'hiera3_backend' is only allowed in the global layer",
                    self.line(r"\s+hiera3_backend:"),
                )
            if backend in ("json", "yaml", "hocon"):
                raise self.fail(
                    "HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH",
                    f'Use "data_hash: {backend}_data" instead of "hiera3_backend: {backend}"',
                    self.line(rf"\s+hiera3_backend:\s*['\"]?{backend}(?:[^\w]|$)"),
                )
        if sum(kind in given for kind in LOCATIONS) > 1:
            raise self.fail(
                "HIERA_MULTIPLE_LOCATION_SPECS",
                f"Only one of {_listed(LOCATIONS)} can be defined in hierarchy '{name}'",
                level=name,
            )
        for key in ("path", "uri"):
            if key in (given.get("options") or {}):
                raise self.fail(
                    "HIERA_OPTION_RESERVED_BY_PUPPET",
                    f"Option key '{key}' used in hierarchy '{name}' is reserved by Puppet",
                )

    def levels(self, hierarchy: Any, defaults: Any) -> list[Level]:
        """The levels of a hierarchy."""
        levels: list[Level] = []
        for given in hierarchy:
            name = given["name"]
            source = given if any(function in given for function in (*FUNCTIONS, "v4_data_hash")) else defaults
            kind = next(function for function in (*FUNCTIONS, "v4_data_hash") if function in source)
            datadir = str(given.get("datadir") or defaults.get("datadir") or "data")
            level = Level(name, self.root, datadir, str(source[kind]), kind)
            level.repeated = self.repeated_name(name, levels)
            levels.append(level)
            options = given.get("options") if given.get("options") is not None else defaults.get("options")
            level.options = dict(options or {})
            location = next((key for key in LOCATIONS if key in given), None)
            if location == "mapped_paths":
                level.locations = [(location, given[location])]
            elif location is not None:
                many = given[location] if location.endswith("s") else [given[location]]
                level.locations = [(location.removesuffix("s"), path) for path in many]
        return levels

    def repeated_name(self, name: str, known: list[Level]) -> HieraError | None:
        """The error of a level whose name one before it has; it is told when the layer is first asked."""
        if all(level.name != name for level in known):
            return None
        pattern = rf"\s+name:\s+['\"]?{re.escape(name)}(?:[^\w]|$)"
        return self.repeated("HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED", f"Hierarchy name '{name}'", pattern)

    # --- older versions ----------------------------------------------------------------------------------------------

    def version_4(self, given: dict[Any, Any]) -> Config:
        """The form of Puppet 4.3 to 4.8, for environments and modules."""
        if self.layer == GLOBAL:
            raise self.fail(
                "HIERA_UNSUPPORTED_VERSION_IN_GLOBAL", "hiera.yaml version 4 cannot be used in the global layer"
            )
        given.setdefault("datadir", "data")
        given.setdefault("hierarchy", [{"name": "common", "backend": "yaml"}])
        self.check(_VERSION_4, given)
        levels: list[Level] = []
        for entry in given["hierarchy"]:
            name, backend = entry["name"], entry["backend"]
            repeated = self.repeated_name(name, levels)
            if backend not in ("yaml", "json", "hocon"):
                repeated = repeated or self.fail(
                    "HIERA_NO_PROVIDER_FOR_BACKEND",
                    f"No data provider is registered for backend '{backend}'",
                    self.line(rf"[^\w]{re.escape(backend)}(?:[^\w]|$)"),
                )
            suffix = ".conf" if backend == "hocon" else f".{backend}"
            datadir = entry.get("datadir") or given["datadir"]
            level = Level(name, self.root, datadir, f"{backend}_data", "data_hash", suffix)
            level.repeated = repeated
            level.locations = [("path", path) for path in entry.get("paths") or [entry.get("path") or name]]
            levels.append(level)
        return Config(levels, version=4)

    def version_3(self, given: dict[Any, Any]) -> Config:
        """The oldest form, which only the global layer may have: names of files, for each backend."""
        given["version"] = given.get("version") or 3
        given.setdefault("backends", ["yaml"])
        given.setdefault("hierarchy", ["nodes/%{::trusted.certname}", "common"])
        given.setdefault("merge_behavior", "native")
        given.setdefault("deep_merge_options", {})
        backends = given["backends"] if isinstance(given["backends"], list) else [given["backends"]]
        own = "".join(f", Optional['{key}'] => Hash[String[1], Any]" for key in dict.fromkeys(map(str, backends)))
        self.check(f"Struct[{{{_VERSION_3}{own}}}]", given)
        hierarchy = given["hierarchy"] if isinstance(given["hierarchy"], list) else [given["hierarchy"]]
        levels: list[Level] = []
        for backend in backends:
            settings = given.get(backend) or {}
            suffix = f".{settings.get('extension') or ('conf' if backend == 'hocon' else backend)}"
            datadir = str(settings.get("datadir") or "/hieradata")
            if backend in ("yaml", "json", "hocon"):
                kind, function = "data_hash", f"{backend}_data"
            elif backend == "eyaml":  # hiera-eyaml is taken to be installed, as for `lookup_key` in version 5
                kind, function = "lookup_key", ENCRYPTED
            else:
                kind, function = "hiera3_backend", backend
            level = Level(backend, self.root, datadir, function, kind, suffix)
            level.override_suffix = f".{backend}"
            if function == ENCRYPTED:
                level.options = {key: value for key, value in settings.items() if key != "datadir"}
            if any(earlier.name == backend for earlier in levels):
                pattern = rf"[^\w]{re.escape(backend)}(?:[^\w]|$)"
                level.repeated = self.repeated("HIERA_BACKEND_MULTIPLY_DEFINED", f"Backend '{backend}' is", pattern)
            level.locations = [("path", name) for name in hierarchy]
            levels.append(level)
        merge: Any = None
        if given["merge_behavior"] in ("deep", "deeper"):
            name = "reverse_deep" if given["merge_behavior"] == "deep" else "unconstrained_deep"
            merge = {"strategy": name, **given["deep_merge_options"]}
        return Config(levels, version=3, merge=merge)


def _uncommented(line: str) -> str:
    return line.partition("#")[0]  # in quotes or not, as in Puppet


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:-1]) + f", or {names[-1]}"


def glob_files(host: Host, directory: str, pattern: str) -> list[str]:
    """The files that match a pattern, which begins in a directory, in Ruby's order."""
    paths = map(posixpath.normpath, glob(pattern, HostFiles(host), directory))
    return [path for path in paths if not host.is_directory(path)]
