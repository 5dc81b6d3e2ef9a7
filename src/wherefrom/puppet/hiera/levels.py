"""Asking one level of a hierarchy for a key: the files it stands for on this node, or the function it names.

Files are read once for an environment; functions written in Puppet (`lookup_key`, `data_hash`, `data_dig`) are called
with a context that lives as long as the compilation, one for each level and file. What a file or function says must be
data, and a module's own data must have the module's name in its keys (Puppet manual, "Custom backends").
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from ...provenance.composites import missing
from ...provenance.origins import Choice, Guard, Leaf, Origin, Step
from ..kernel.failures import EvaluationError, Failure
from ..kernel.operations import BOTH, NO_VALUE, Dug
from ..kernel.shadow import Shadow
from ..kernel.values import hash_key, key_value
from ..types import describe_mismatch, infer, infer_set
from ..types.aliases import RICH_DATA, RICH_DATA_KEY
from ..types.containers import HashType
from ..types.model import ANY
from .config import ENCRYPTED, FILES, Config, Level, glob_files
from .context import LookupContext, NotFound
from .errors import HieraError
from .interpolate import interpolated
from .keys import Key
from .merging import Strategy
from .reads import question_of

if TYPE_CHECKING:
    from ..kernel.traced import Traced
    from .lookup import Search

OPTIONS = "lookup_options"
Missed: TypeAlias = list[Origin | Guard]
"""Where a key was not, and what else decided what was found."""
_FIXED = re.compile(r"[^*?\[{]*")
_NO_PATH = (
    "one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml "
    "when using this data_hash function"
)


class Location:
    """A file (or address) of a level, with what its name was made from."""

    __slots__ = ("_missing", "content", "exists", "kind", "origin", "path")

    def __init__(self, kind: str, path: str, exists: bool, origin: Origin | None) -> None:
        self.kind = kind
        self.path = path
        self.exists = exists
        self.origin = origin
        self.content: Traced | None = None
        """What the file holds, once it was read and checked: every key of a compilation asks for it."""
        self._missing: Origin | None = None

    @property
    def missing(self) -> Origin:
        """That there is no such file."""
        if self._missing is None:
            self._missing = self.miss(Leaf("file", self.path, None, None, absent=True))
        return self._missing

    def miss(self, leaf: Leaf) -> Origin:
        """That something is not here, which depends on what the name was made from."""
        return leaf if self.origin is None else Choice((self.origin,), leaf)


class Prepared:
    """A level with its files and options as they are on this node; `listed` is what decided how many files."""

    __slots__ = ("level", "listed", "locations", "options", "options_origin")

    def __init__(self, level: Level, locations: list[Location | None], options: Traced, listed: list[Origin]) -> None:
        self.level = level
        self.locations = locations
        self.options, self.options_origin = options
        self.listed = listed


class Asking:
    """One key asked of one layer; `missed` collects where it was not."""

    def __init__(self, search: Search, key: Key, module: str | None, missed: Missed) -> None:
        self.search = search
        self.key = key
        self.module = module
        self.missed = missed

    def config(self, config: Config, strategy: Strategy, defaults: bool = False) -> Traced | None:
        """What a hierarchy says, or a module's default hierarchy.  All names of files are worked out before."""
        if config.leaf is not None:
            self.missed.append(config.leaf)
        levels, default_levels = self.prepared(config)
        return strategy.lookup(default_levels if defaults else levels, lambda level: self._level(level, strategy))

    def _level(self, prepared: Prepared, strategy: Strategy) -> Traced | None:
        if prepared.level.kind == "hiera3_backend":
            return None  # a backend written in Ruby, and Puppet finds none that it does not have
        self.missed.extend(prepared.listed)
        return strategy.lookup(prepared.locations, lambda location: self.at(prepared, location))

    # --- locations ---------------------------------------------------------------------------------------------------

    def prepared(self, config: Config) -> tuple[list[Prepared], list[Prepared]]:
        """The levels of a hierarchy and of its default hierarchy, as they are on this node."""
        kept: dict[int, tuple[list[Prepared], list[Prepared]]] = self.search.searches.prepared
        extra = self.search.extra_levels
        if id(config) in kept and not extra:
            return kept[id(config)]
        try:
            levels = (
                [self._prepare(level) for level in config.levels],
                [self._prepare(level) for level in config.defaults or ()],
            )
        except Failure as problem:
            undefined = re.match(r"Undefined variable '([^']+)'", problem.message)
            if undefined is None:
                raise
            raise config.undefined(undefined[1]) from None
        if config.fixed and not extra:
            kept[id(config)] = levels
        return levels

    def _prepare(self, level: Level) -> Prepared:
        if level.repeated is not None:
            raise level.repeated
        search = self.search.within(self.search.frame)
        search.override = search.defaults = None  # which names of files do not see
        listed: list[Origin] = []
        locations = list(self._locations(level, search, listed))
        return Prepared(level, locations, search.filled_value(level.options), listed)

    def written(self, config: Config) -> Iterator[tuple[str, dict[Any, Any], Origin]]:
        """What the files of a layer hold, as it stands there: path, content and origin of each."""
        for prepared in self.prepared(config)[0]:
            for location in prepared.locations if prepared.level.function in FILES else ():
                if location is not None and location.exists:
                    content = self.search.data.file(location.path, prepared.level.function)
                    if content is not None and isinstance(content.value, dict):
                        yield location.path, content.value, content.origin

    def _locations(self, level: Level, search: Search, listed: list[Origin]) -> Iterator[Location | None]:
        if level.locations is None:
            yield None
            return
        datadir, origin = search.filled(level.datadir)
        directory = posixpath.normpath(datadir if datadir.startswith("/") else posixpath.join(level.root, datadir))
        host = search.data.host
        own = [(kind, given, level.suffix) for kind, given in level.locations]
        extra = search.extra_levels if level.override_suffix else []
        for kind, given, suffix in [*(("path", name, level.override_suffix) for name in extra), *own]:
            if kind == "mapped_paths":
                yield from self._mapped(directory, given, origin, search, listed)
                continue
            text, text_origin = search.filled(str(given))
            text_origin = _both(text_origin, origin)
            if kind == "uri":
                yield Location("uri", text, True, text_origin)
            elif kind == "glob":
                beginning = _FIXED.match(text)
                assert beginning is not None  # a text may begin with nothing that is fixed
                fixed = posixpath.normpath(posixpath.join(directory, posixpath.dirname(beginning[0])))
                leaf: Origin = Leaf("file", fixed, None, None, f"the files matching {text}")
                listed.append(leaf if text_origin is None else Choice((text_origin,), leaf))
                for path in glob_files(host, directory, text):
                    yield Location("path", path, True, text_origin)
            else:
                path = posixpath.normpath(posixpath.join(directory, text.removesuffix(suffix) + suffix))
                exists = search.data.exists(path)
                yield Location("path", path, exists, text_origin)

    def _mapped(
        self, directory: str, given: Any, origin: Origin | None, search: Search, listed: list[Origin]
    ) -> Iterator[Location]:
        name, variable, template = (str(part) for part in given)
        value, value_origin = search.variable(name, "mapped_path[0]")
        listed.append(value_origin)
        if isinstance(value, dict):
            values: list[object] = [[key_value(key), element] for key, element in value.items()]
        else:
            values = value if isinstance(value, list) else [] if value is None or value == "" else [value]
        for element in values:
            inside = search.within(search.frame.below(variable, element, value_origin))
            text, text_origin = inside.filled(template)
            path = posixpath.normpath(posixpath.join(directory, text))
            yield Location("path", path, search.data.exists(path), _both(text_origin, origin))

    # --- one location ------------------------------------------------------------------------------------------------

    def at(self, prepared: Prepared, location: Location | None) -> Traced | None:
        """What one file of a level says, or its function; nothing if it has no such key."""
        level = prepared.level
        if location is not None and not location.exists:
            self.missed.append(location.missing)
            return None
        if level.kind in ("data_hash", "v4_data_hash") or level.function == ENCRYPTED:
            answer = self._in_hash(prepared, location)
        else:
            answer = self._from_function(prepared, location)
        if answer is not None and location is not None:
            self.search.searches.found_in[location.path] = self.module or "", level.name
            if self.search.found_at is None:
                self.search.found_at = location.path
        if answer is None or location is None or location.origin is None:
            return answer
        return answer[0], Choice((location.origin,), answer[1])

    def _in_hash(self, prepared: Prepared, location: Location | None) -> Traced | None:
        level = prepared.level
        known = None if location is None else location.content
        if known is not None:
            values, origin = known
        elif level.function in FILES:
            values, origin = self._file(level, location, prepared.options)
            if location is not None and values:  # that a file has no hash is asked for again
                location.content = values, origin
        else:
            whole = self._all(prepared, location)
            if whole is None:
                return None
            values, origin = whole
        name = hash_key(self.key.root)
        if location is not None and level.function in FILES:
            self.search.data.host.own("key", question_of(level.function, location.path, self.key.root))
        if name not in values:
            if location is not None:
                self.missed.append(location.miss(Leaf("hiera", self.key.root, None, None, "", location.path, True)))
            else:
                self.missed.extend(missing(origin, name))
            return None
        value = values[name]
        if not RICH_DATA.accepts(value):
            raise self._wrong(f"Value for key '{self.key.root}', in hash returned from", level, location, value)
        part_origin = Shadow(origin).value_in(values, name)
        if level.function != ENCRYPTED or location is None:
            return interpolated(self.search, value, part_origin)
        eyaml = self.search.data.eyaml
        opened = interpolated(self.search, *eyaml.opened(value, part_origin, self.key.root, location.path))
        eyaml.remember(value, opened[0])
        return opened

    def _file(self, level: Level, location: Location | None, options: dict[Any, Any]) -> Traced:
        """The content of a file of data."""
        search = self.search
        if location is None or location.kind == "uri":
            raise Failure(f"'{level.function}' {_NO_PATH}")
        if options and level.function != ENCRYPTED:  # the function takes a path and nothing else
            raise Failure(f"'{level.function}' {_NO_PATH}")
        content = search.data.file(location.path, level.function)
        if content is None:  # there is something, but it is no file
            kind = search.data.host.kind(location.path)
            raise Failure(f"{'Is a directory' if kind == 'directory' else 'Not a file'} @ io_fread - {location.path}")
        if location.path not in search.environment.sources:
            with search.data.host.apart():
                search.environment.sources[location.path] = search.data.host.source(location.path)
        value, origin = content.value, content.origin
        if not isinstance(value, dict):
            search.data.host.own("content", location.path)
        if level.function in ("yaml_data", ENCRYPTED) and not isinstance(value, dict):
            words = f"{location.path}: file does not contain a valid yaml hash"
            if search.run.strict == "error" and not content.empty:
                raise HieraError(words)
            if search.searches.first_time(("no hash", location.path)):
                search.run.warn(words, None)
            value, origin = {}, Step(NO_VALUE, ())
        self._check_hash(level, location, value)
        return value, origin

    def _all(self, prepared: Prepared, location: Location | None) -> Traced | None:
        """The hash that a function gives, once; nothing if it says that there is none."""
        level = prepared.level
        kept = self.search.searches.wholes
        place = (id(level), location.path if location is not None else None)
        if place not in kept:
            answer = self._called(prepared, location, [])
            if answer is None:
                return None
            self._check_hash(level, location, answer[0])
            kept[place] = answer
        return kept[place]

    def _check_hash(self, level: Level, location: Location | None, value: object) -> None:
        what = f"Value returned from {_function(level)}{_where(location)}"
        if not isinstance(value, dict):
            raise HieraError(describe_mismatch(f"{what} has wrong type,", HashType(), infer_set(value)))
        if self.module is None or not self.search.searches.first_time((id(level), location and location.path)):
            return
        for key in value:
            if not (key == OPTIONS or (isinstance(key, str) and key.startswith(f"{self.module}::"))):
                words = f"Module '{self.module}': {what} must use keys qualified with the name of the module"
                self.search.run.warn(words, None)

    def _wrong(self, what: str, level: Level, location: Location | None, value: object) -> HieraError:
        return HieraError(
            f"{what} {_function(level)}{_where(location)} has wrong type, expects Puppet::LookupValue, "
            f"got {infer(value)}"
        )

    def _from_function(self, prepared: Prepared, location: Location | None) -> Traced | None:
        """What `lookup_key` or `data_dig` says, once for each key."""
        level = prepared.level
        kept = self.search.searches.answers
        asked = self.key.text if level.kind == "data_dig" else self.key.root
        place = (id(level), location.path if location is not None else None, asked)
        if place not in kept:
            first = [self.key.root, *self.key.segments] if level.kind == "data_dig" else asked
            answer = self._called(prepared, location, [first])
            if answer is None:
                return None
            if not RICH_DATA.accepts(answer[0]):
                raise self._wrong(f"Value for key '{asked}', returned from", level, location, answer[0])
            kept[place] = answer
        value, origin = kept[place]
        if level.kind == "data_dig":
            for segment in reversed(self.key.segments):  # what it dug out is put back, to be dug out again
                if isinstance(segment, int):
                    value, origin = [None] * segment + [value], Step(Dug(segment), (origin,))
                else:
                    value, origin = {hash_key(segment): value}, Step(Dug(segment), (origin,))
        return value, origin

    # --- functions ---------------------------------------------------------------------------------------------------

    def _called(self, prepared: Prepared, location: Location | None, first: list[Any]) -> Traced | None:
        search, level = self.search, prepared.level
        environment = search.environment
        environment.resolve("Puppet::LookupContext")
        function = self._function_of(level)
        contexts = search.searches.contexts
        place = (id(level), location.path if location is not None else None)
        context = contexts.get(place)
        if context is None:
            context = contexts[place] = LookupContext(environment.name, self.module, search)
        context.search = search
        options = prepared.options
        if location is not None:
            options = {**options, location.kind: location.path}
        arguments = [] if level.kind == "v4_data_hash" else [*first, options, context]
        origin = prepared.options_origin
        if location is not None and location.origin is not None:
            origin = Choice((location.origin,), origin)
        calls = search.run.calls
        try:
            answer: Traced = function.call(search.frame, arguments, [origin] * len(arguments), None, None)
            return answer
        except NotFound as problem:
            search.run.calls = calls
            self.missed.append(origin)
            if problem.guard is not None:
                self.missed.append(problem.guard)
            return None

    def _function_of(self, level: Level) -> Any:
        search = self.search
        try:
            function = search.environment.function(level.function, None)
        except EvaluationError as problem:
            if problem.issue != "UNKNOWN_FUNCTION":
                raise
            raise HieraError(
                f"Unable to find '{level.kind}' function named '{level.function}'",
                "Hiera configuration",
                "HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND",
            ) from None
        code = getattr(function, "code", None)
        if code is not None and code.return_code is not None:
            declared = code.return_code(search.frame)[0]
            wanted = HashType(RICH_DATA_KEY, RICH_DATA) if level.kind.endswith("data_hash") else RICH_DATA
            if declared is not ANY and not wanted.assignable(declared):
                what = f"Return type of '{level.kind}' function named '{level.function}' is incorrect,"
                raise HieraError(describe_mismatch(what, wanted, declared))
        return function


def _both(first: Origin | None, second: Origin | None) -> Origin | None:
    return Step(BOTH, (first, second)) if first is not None and second is not None else first or second


def _function(level: Level) -> str:
    if level.kind == "v4_data_hash":
        return f"deprecated API function '{level.function}'"
    return f"{level.kind} function '{level.function}'"


def _where(location: Location | None) -> str:
    return "" if location is None else f", when using location '{location.path}',"
