"""The search: layers, levels, files; options from the data itself; dotted keys; conversions.

A key is looked for in the global layer, in the environment and in the module that its name begins with, level by level,
file by file. The first value wins unless a merge strategy is asked for, by the caller or by `lookup_options` in the
data. Every file that was asked and did not have the key is remembered: had it had it, the value would be another.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from ...base.diagnostics import Diagnostic
from ...provenance.origins import Absent, Choice, Leaf, Origin, Step
from ..compile.access import part
from ..errors import CatalogError
from ..functions.shadow import Shadow
from ..types import infer_generalized, new_instance
from ..types.aliases import RICH_DATA
from ..values import hash_key, key_value
from .config import READERS, Config, Level, glob_files, read_config
from .context import LookupContext, NotFound
from .files import read_data
from .interpolate import interpolated
from .merging import Strategy

if TYPE_CHECKING:
    from ...base.host import Host
    from ..environment import Environment
    from ..runtime.compilation import Compilation
    from ..runtime.scope import Frame, Traced

Anything = TypeVar("Anything")
OPTIONS = "lookup_options"
_LEGACY = re.compile(r"data_provider\"?\s*[:=]\s*\"?hiera\b")
_SEGMENT = re.compile(r"\"([^\"]*)\"|'([^']*)'|([^.'\"]+)")


class Data:
    """The data of an environment: configurations and files, read once."""

    def __init__(
        self, host: Host, root: str | None, global_config: str | None, environment_config: str | None = None
    ) -> None:
        self.host = host
        self.root = root
        self.global_config = global_config
        self.environment_config = environment_config
        self.configs: dict[str, Config] = {}
        self.files: dict[str, Traced | None] = {}
        self.present: dict[str, bool] = {}

    def for_run(self, run: Compilation) -> Searches:
        """The data as one compilation sees it."""
        return Searches(self, run)

    def config(self, file: str, root: str) -> Config:
        """A configuration, read once."""
        if file not in self.configs:
            self.configs[file] = read_config(self.host, file, root)
        return self.configs[file]

    def is_configured(self, file: str, legacy: str) -> bool:
        """Whether a layer has data: it has a `hiera.yaml`, or a file that asks for Hiera in the words of Puppet 4."""
        if file not in self.present:
            self.present[file] = self.host.is_file(file) or self.asks_for_hiera(legacy)
        return self.present[file]

    def asks_for_hiera(self, legacy: str) -> bool:
        """Whether `environment.conf` or `metadata.json` asks for Hiera."""
        if legacy not in self.present:
            self.present[legacy] = self.host.is_file(legacy) and bool(_LEGACY.search(self.host.source(legacy).text))
        return self.present[legacy]

    def file(self, path: str) -> Traced | None:
        """A data file, read once."""
        if path not in self.files:
            self.files[path] = read_data(self.host, path)
        return self.files[path]


class Searches:
    """What one compilation asks of the data."""

    def __init__(self, data: Data, run: Compilation) -> None:
        self.data = data
        self.run = run
        self.asked: list[str] = []
        self.contexts: dict[int, LookupContext] = {}

    def lookup(self, key: str, merge: Any, frame: Frame) -> Traced | None:
        """The value of a key as seen from `frame`."""
        return Search(self, frame).lookup(key, merge)


class Search:
    """A search from one place of the program, whose variables fill in `%{...}`."""

    def __init__(self, searches: Searches, frame: Frame) -> None:
        self.searches = searches
        self.data = searches.data
        self.frame = frame

    @property
    def environment(self) -> Environment:
        return self.searches.run.environment

    # --- the key -----------------------------------------------------------------------------------------------------

    def lookup(self, key: str, merge: Any) -> Traced | None:
        """The value of a key, which may have dots, or nothing."""
        return self._guarded(key, lambda: self._lookup(key, merge))

    def _guarded(self, name: str, work: Callable[[], Anything]) -> Anything:
        """Do some work that must not come back to itself."""
        asked = self.searches.asked
        if name in asked:
            raise CatalogError(
                f"Recursive lookup detected in [{', '.join(asked)}]", None, issue=None, kind="recursive lookup", lead=""
            )
        asked.append(name)
        try:
            return work()
        finally:
            asked.pop()

    def _lookup(self, key: str, merge: Any) -> Traced | None:
        root, *segments = _segments(key)
        if root == OPTIONS:
            return None
        options = self._options(root)
        strategy = Strategy(merge if merge is not None else options.get("merge"))
        found = self._search(root, strategy)
        if found is None:
            return None
        value, origin = found
        for segment in segments:
            step = int(segment) if isinstance(value, list) and segment.isdecimal() else segment
            if isinstance(value, dict) and hash_key(step) in value:
                position = list(value).index(hash_key(step))
                value, origin = value[hash_key(step)], Shadow(origin).value(hash_key(step), position)
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value, origin = value[step], Shadow(origin).item(step)
            else:
                return None
        convert = options.get("convert_to")
        if convert is not None and not segments:
            return self._converted(root, value, origin, convert)
        return value, origin

    def _converted(self, key: str, value: Any, origin: Origin, convert: Any) -> Traced:
        name, *arguments = convert if isinstance(convert, list) else [convert]
        try:
            kind = self.environment.type_of_text(str(name), None)
            made = new_instance(kind, [value, *arguments])
        except Diagnostic as problem:
            raise CatalogError(
                f"The convert_to lookup_option for key '{key}' raised error: {problem.message}",
                None,
                issue=None,
                kind="Hiera data",
                lead="",
            ) from None
        return made, Step(f"convert to {name}", (origin,))

    # --- layers ------------------------------------------------------------------------------------------------------

    def _layers(self, key: str) -> Iterator[tuple[Config, str | None]]:
        data = self.data
        if data.global_config is not None:
            config = data.config(data.global_config, posixpath.dirname(data.global_config))
            self._deprecated(config, data.global_config)
            yield config, None
        if data.root is not None:
            file = data.environment_config or posixpath.join(data.root, "hiera.yaml")
            legacy = posixpath.normpath(posixpath.join(data.root, "environment.conf"))
            if data.is_configured(file, legacy):
                config = data.config(file, data.root)
                self._deprecated(config, file)
                self._deprecated_words(file, legacy, "Defining environment_data_provider='hiera' in environment.conf")
                yield config, None
        module, mark, _ = key.partition("::")
        directory = self.environment.module_directory(module) if mark else None
        if directory is not None:
            file = posixpath.join(directory, "hiera.yaml")
            legacy = posixpath.join(directory, "metadata.json")
            if data.is_configured(file, legacy):
                config = data.config(file, directory)
                self._deprecated(config, file)
                self._deprecated_words(file, legacy, 'Defining "data_provider": "hiera" in metadata.json')
                yield config, module

    def _deprecated(self, config: Config, file: str) -> None:
        """Complain about an old form of configuration, once."""
        if config.version != 5:
            shown = posixpath.normpath(file)
            self.searches.run.warn_once(
                f"hiera version {config.version}",
                f"{shown}: Use of 'hiera.yaml' version {config.version} is deprecated. "
                f"It should be converted to version 5\n   (file: {shown})",
                None,
            )

    def _deprecated_words(self, file: str, legacy: str, words: str) -> None:
        """Complain about Puppet 4's way to ask for Hiera, once."""
        if self.data.asks_for_hiera(legacy):
            instead = "" if self.data.host.is_file(file) else " A 'hiera.yaml' file should be used instead"
            self.searches.run.warn_once(
                f"hiera {legacy}", f"{words} is deprecated.{instead}\n   (file: {legacy})", None
            )

    def _search(self, key: str, strategy: Strategy) -> Traced | None:
        found: list[Traced] = []
        missed: list[Origin] = []
        layers = list(self._layers(key))
        for config, module in layers:
            for level in config.levels:
                if self._ask(level, key, module, strategy, found, missed):
                    return self._with_misses(found[0], key, missed)
        if not found:
            for config, module in layers:
                for level in config.defaults:
                    if self._ask(level, key, module, strategy, found, missed):
                        return self._with_misses(found[0], key, missed)
        if not found:
            return None
        return self._with_misses(strategy.join(found), key, missed)

    def _ask(
        self,
        level: Level,
        key: str,
        module: str | None,
        strategy: Strategy,
        found: list[Traced],
        missed: list[Origin],
    ) -> bool:
        """Ask a level; whether the search is over."""
        for value in self._in_level(level, key, module, missed):
            found.append(value)
            if strategy.name == "first":
                return True
        return False

    def _with_misses(self, value: Traced, key: str, missed: list[Origin]) -> Traced:
        if not missed:
            return value
        return value[0], Choice((Absent(f"{key} earlier in the hierarchy", tuple(missed)),), value[1])

    def _in_level(self, level: Level, key: str, module: str | None, missed: list[Origin]) -> Iterator[Traced]:
        if level.kind == "lookup_key" or (level.kind == "data_hash" and level.function not in READERS):
            yield from self._from_function(level, key, module)
            return
        if level.kind not in ("data_hash",):
            raise CatalogError(
                f"Unable to find '{level.kind}' function named '{level.function}'",
                None,
                issue=None,
                kind="Hiera configuration",
                lead="",
            )
        for path, origin in self._paths(level):
            content = self.data.file(path)
            if content is None:
                missed.append(_with(origin, Leaf("file", path, None, None)))
                continue
            self.environment.sources.setdefault(path, self.data.host.source(path))
            values, shadow = content
            if module is not None and any(not _belongs(each, module) for each in values):
                self.searches.run.warn_once(
                    f"hiera keys {path}",
                    f"Module '{module}': Value returned from data_hash function '{level.function}', when using "
                    f"location '{path}', must use keys qualified with the name of the module",
                    None,
                )
            name = hash_key(key)
            if name not in values:
                missed.append(_with(origin, Leaf("hiera", key, None, None, path)))
                continue
            inner = Shadow(shadow).value(name, 0)
            value = interpolated(self, values[name], inner)
            yield (value[0], Choice((origin,), value[1])) if origin is not None else value

    def _from_function(self, level: Level, key: str, module: str | None) -> Iterator[Traced]:
        """What a function written in Puppet says: once, or once for each file of the level."""
        environment = self.environment
        environment.resolve("Puppet::LookupContext")
        function = environment.function(level.function, None)
        contexts = self.searches.contexts
        context = contexts.get(id(level))
        if context is None:
            context = contexts[id(level)] = LookupContext(environment.name, module, self)
        context.search = self
        origin = Step("built in options", ())
        wholes: list[dict[Any, Any]] = [dict(level.options)]
        if level.locations:
            paths = [path for path, _ in self._paths(level) if self.data.host.is_file(path)]
            wholes = [{**level.options, "path": path} for path in paths]
        for options in wholes:
            arguments = [options, context] if level.kind == "data_hash" else [key, options, context]
            try:
                value, shadow = function.call(self.frame, arguments, [origin] * len(arguments), None, None)
            except NotFound:
                continue
            if level.kind == "data_hash":
                name = hash_key(key)
                if not isinstance(value, dict) or name not in value:
                    continue
                value, shadow = value[name], Shadow(shadow).value(name, list(value).index(name))
                value, shadow = interpolated(self, value, shadow)
            elif not RICH_DATA.accepts(value):
                raise CatalogError(
                    f"Return type of '{level.kind}' function named '{level.function}' is incorrect, "
                    f"expects a RichData value, got {infer_generalized(value)}",
                    None,
                    issue=None,
                    kind="Hiera data",
                    lead="",
                )
            yield value, shadow

    # --- files -------------------------------------------------------------------------------------------------------

    def _paths(self, level: Level) -> Iterator[tuple[str, Origin | None]]:
        """The files of a level on this node, each with what its name was made from."""
        datadir, origin = self._filled(level.datadir)
        directory = posixpath.normpath(datadir if datadir.startswith("/") else posixpath.join(level.root, datadir))
        for kind, given in level.locations or [("path", level.name)]:
            if kind == "mapped_paths":
                yield from self._mapped(directory, given, origin)
                continue
            text, text_origin = self._filled(str(given))
            text_origin = text_origin or origin
            if kind == "glob":
                for path in glob_files(self.data.host, directory, text):
                    yield path, text_origin
            elif kind == "path":
                suffix = level.suffix if level.suffix and not text.endswith(level.suffix) else ""
                yield posixpath.normpath(posixpath.join(directory, text + suffix)), text_origin

    def _mapped(self, directory: str, given: Any, origin: Origin | None) -> Iterator[tuple[str, Origin | None]]:
        name, variable, template = (str(each) for each in given)
        value, value_origin = self.variable(name)
        if isinstance(value, dict):
            values: list[Any] = [[key_value(key), each] for key, each in value.items()]
        else:
            values = value if isinstance(value, list) else [] if value is None else [value]
        for each in values:
            frame = _child(self.frame, variable, each, value_origin)
            text = Search(self.searches, frame)._filled(template)[0]
            yield posixpath.normpath(posixpath.join(directory, text)), value_origin or origin

    def _filled(self, text: str) -> tuple[str, Origin | None]:
        if "%{" not in text:
            return text, None
        value, origin = interpolated(self, text, Step("nothing", ()))
        return str(value), origin

    def filled_variable(self, name: str) -> Traced:
        """A variable whose own text may hold `%{...}`."""
        value, origin = self.variable(name)
        if isinstance(origin, Absent) and origin.what == f"variable ${name}":
            run = self.searches.run
            words = f"Undefined variable '{name.removeprefix('::')}'; "
            if run.strict == "error":
                raise CatalogError(words, None, issue=None, kind="UNKNOWN_VARIABLE", lead="")
            if run.strict == "warning":
                run.warn_once(f"Variable: {name}", f"{words}\n   (file & line not available)", None)
        return self._guarded(f"scope:{name}", lambda: interpolated(self, value, origin))

    def variable(self, name: str) -> Traced:
        """A variable, with dots into it; undef if there is none."""
        from ..runtime.variables import read

        root, *segments = _segments(name)
        found = read(self.frame, root)
        if found is None:
            return None, Absent(f"variable ${name}")
        value, origin = found
        for segment in segments:
            step: Any = int(segment) if isinstance(value, list) and segment.isdecimal() else segment
            if isinstance(value, dict) and hash_key(step) in value:
                value, origin = value[hash_key(step)], part(origin, hash_key(step))
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value, origin = value[step], part(origin, step)
            else:
                return None, Absent(f"{segment} in ${root}", (origin,))
        return value, origin

    # --- options in the data -----------------------------------------------------------------------------------------

    def _options(self, key: str) -> dict[str, Any]:
        """What `lookup_options` says about a key: by its name, else by the first pattern that matches."""
        found: list[Traced] = []
        for config, module in self._layers(key):
            here: list[Traced] = []
            for level in config.levels:
                if level.kind == "data_hash" and level.function in READERS:
                    here.extend(self._in_level(level, OPTIONS, module, []))
            if not here:
                continue
            merged = Strategy("hash").join(here)
            if module is not None:
                _check_prefix(merged[0], module)
            found.append(merged)
        if not found:
            return {}
        options = Strategy("hash").join(found)[0]
        if key in options:
            return dict(options[key] or {})
        for pattern, value in options.items():
            if isinstance(pattern, str) and pattern.startswith("^") and re.search(pattern, key):
                return dict(value or {})
        return {}


def _belongs(key: Any, module: str) -> bool:
    return key == OPTIONS or (isinstance(key, str) and key.startswith(f"{module}::"))


def _check_prefix(options: dict[Any, Any], module: str) -> None:
    for name in options:
        if isinstance(name, str) and name.startswith("^"):
            if not name.startswith(f"^{module}::"):
                raise CatalogError(
                    f"all lookup_options patterns must match a key starting with module name '{module}'",
                    None,
                    issue=None,
                    kind="Hiera configuration",
                    lead="",
                )
        elif not str(name).startswith(f"{module}::"):
            raise CatalogError(
                f"all lookup_options must have a key starting with module name '{module}'",
                None,
                issue=None,
                kind="Hiera configuration",
                lead="",
            )


def _child(frame: Frame, name: str, value: Any, origin: Origin) -> Frame:
    from ..runtime.scope import Frame as LocalFrame

    made = LocalFrame(frame)
    made.vars[name] = (value, origin)
    return made


def _with(origin: Origin | None, leaf: Leaf) -> Origin:
    return leaf if origin is None else Choice((origin,), leaf)


def _segments(key: str) -> list[str]:
    """`a.'b.c'.d` as its parts; a key without dots is one part."""
    if "." not in key and "'" not in key and '"' not in key:
        return [key]
    return [a or b or c for a, b, c in _SEGMENT.findall(key)] or [key]
