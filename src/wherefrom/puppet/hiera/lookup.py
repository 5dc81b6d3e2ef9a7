"""The search: layers, levels, files; options from the data itself; dotted keys; conversions.

A key is looked for in the global layer, in the environment and in the module that its name begins with, level by level,
file by file; at last in the default hierarchy of the module. The first value wins unless a merge strategy is asked for,
by the caller or by `lookup_options` in the data. Every file that was asked and did not have the key is remembered: had
it had it, the value would be another.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from ...base.diagnostics import Diagnostic
from ...provenance.composites import shape
from ...provenance.origins import Absent, Choice, Covering, Hidden, Leaf, Origin, Step, built_in
from ..kernel.edge_labels import LOWER_LEVEL
from ..kernel.failures import EvaluationError, Failure, location
from ..kernel.operations import NO_VALUE, ConvertTo
from ..kernel.shadow import Shadow, part
from ..kernel.traced import NoData
from ..kernel.type_failures import BadRegex, TypeMismatchError
from ..kernel.values import Regexp, hash_key
from ..types import assert_instance, infer_set, new_instance
from ..types.containers import HashType
from .config import ENVIRONMENT, GLOBAL, MODULE, Config, default_config, function_config, is_global, read_config
from .context import LookupContext, NotFound
from .errors import HieraError
from .eyaml import Eyaml
from .files import DataFile, read_data
from .interpolate import interpolated
from .keys import Key, dig, lost, split_key
from .levels import OPTIONS, Asking, Missed
from .merging import Strategy

if TYPE_CHECKING:
    from ...base.host import Host
    from ...provenance.ladder import KeyAnswer, Ladder, WrittenKey
    from ..kernel.traced import Traced
    from .asking import LookupCode, LookupFrame, LookupRun

Anything = TypeVar("Anything")
_PROVIDER = re.compile(r"^\s*environment_data_provider\s*=\s*(\S+)", re.MULTILINE)
_MODULE_PROVIDER = re.compile(r"\"data_provider\"\s*:\s*\"(\w*)\"")


RESERVED = frozenset(("trusted", "facts", "server_facts"))
_KEPT = ("asked", "override", "defaults", "old", "global_only", "in_old_scope", "parameter", "extra_levels")


class GlobalFailure(Failure):
    """What failed in the global layer, told with the key that was looked for."""


class Data:
    """The data of an environment: configurations and files, read once."""

    def __init__(
        self, host: Host, root: str | None, global_config: str | None, environment_config: str | None = None
    ) -> None:
        self.host = host
        self.root = root
        self.given = (global_config, environment_config)
        """The configurations that were named; nothing where the environment's own counts."""
        if global_config is None and environment_config is not None and is_global(host, environment_config):
            global_config, environment_config = environment_config, None
        self.global_config = global_config
        self.environment_config = environment_config
        self.configs: dict[str, tuple[Config, list[tuple[str, str]]]] = {}
        self.files: dict[str, DataFile | None] = {}
        self.providers: dict[str, str | None] = {}
        self.eyaml = Eyaml()

    def without(self, paths: Container[str]) -> Data:
        """The same data, but these files are read again; with another configuration, all of them."""
        again = Data(self.host, self.root, *self.given)
        again.eyaml = self.eyaml
        if not any(path in paths for path in (*self.configs, *self.providers)):
            again.configs = self.configs
            again.providers = self.providers
            again.files = {path: file for path, file in self.files.items() if path not in paths}
        return again

    def for_run(self, run: LookupRun) -> Searches:
        """The data as one compilation sees it."""
        return Searches(self, run)

    def config(self, file: str, root: str, layer: str, run: LookupRun) -> Config:
        """A configuration, read once; what is obsolete in it is told to every compilation."""

        def warn(key: str, words: str) -> None:
            if not key or run.strict != "off":
                run.warn_once(key or words, words, None)

        if file not in self.configs:
            warnings: list[tuple[str, str]] = []

            def note(key: str, words: str) -> None:
                warnings.append((key, words))
                warn(key, words)

            fresh = read_config(self.host, file, root, layer, note)
            fresh.leaf = Leaf("file", file, None, None)
            self.configs[file] = fresh, warnings
        config, warnings = self.configs[file]
        for key, words in warnings:
            warn(key, words)
        return config

    def plain_config(self, file: str, root: str) -> Config:
        """A configuration of an environment, as it stands, for nobody's run."""
        return read_config(self.host, file, root, ENVIRONMENT, lambda key, words: None)

    def provider(self, file: str, pattern: re.Pattern[str]) -> str | None:
        """What `environment.conf` or `metadata.json` says about where data comes from, in the words of Puppet 4."""
        if file not in self.providers:
            setting = pattern.search(self.host.source(file).text) if self.host.is_file(file) else None
            self.providers[file] = setting[1].strip("'\"") if setting else None
        return self.providers[file]

    def exists(self, path: str) -> bool:
        """Whether there is anything at a path that a level names.  Every run asks for itself."""
        self.host.own("kind", path)
        with self.host.apart():
            return self.host.exists(path)

    def file(self, path: str, reader: str) -> DataFile | None:
        """A data file, read once.  Who fails on it depends on all of its content: that is what the error is about."""
        if path not in self.files:
            try:
                with self.host.apart():
                    self.files[path] = read_data(self.host, path, reader)
            except Diagnostic:
                self.host.own("content", path)
                raise
        return self.files[path]


class Searches:
    """What one compilation asks of the data, and what it keeps in between."""

    def __init__(self, data: Data, run: LookupRun) -> None:
        self.data = data
        self.run = run
        self.contexts: dict[Any, LookupContext] = {}
        self.wholes: dict[Any, Traced] = {}
        self.answers: dict[Any, Traced] = {}
        self.prepared: dict[int, Any] = {}
        self.layers: dict[str | None, Config | None] = {}
        self.unused: dict[str | None, tuple[Leaf, ...]] = {}
        """Where a configuration of the environment, or of a module, would lie: it is not there, or not used."""
        self.options: dict[str | None, Options] = {}
        self.shared_options: dict[str, Options] = {}
        self.module_defaults: dict[str, Options] = {}
        self._warned: set[Any] = set()
        self.stack: list[Search] = []
        self.asked: dict[str, tuple[LookupFrame, Any]] = {}
        """Every key that was looked up, with the place and the merge of the first time."""
        self.answered: dict[str, tuple[Any, Origin, str | None]] = {}
        """Of those that were found, the first answer: value, origin, and the file it was first found in."""

        self.unset: dict[str, None] = {}
        """Variables that were to be filled in, and are not there."""
        self.found_in: dict[str, tuple[str, str]] = {}
        """Of files that had a key: whose hierarchy they belong to (a module's, else empty), and the level's name."""

    def first_time(self, what: object) -> bool:
        """Whether this is asked for the first time."""
        known = what in self._warned
        self._warned.add(what)
        return not known

    def lookup(
        self,
        key: str,
        merge: object,
        frame: LookupFrame,
        override: Traced | None = None,
        defaults: Traced | None = None,
        old: bool = False,
        extra_levels: object = None,
        parameter: bool = False,
    ) -> Traced | Absent:
        """The value of a key as seen from `frame`, or why there is none.

        `override` and `defaults` are hashes that `%{...}` in the data can see; `old` says that one of the `hiera`
        functions asks, which may have further levels; `parameter` that the value is for a parameter of the class of
        `frame`, which has not begun.
        """
        search = Search(self, frame)
        search.parameter = parameter
        search.override, search.defaults = override, defaults
        if self.stack:  # a function of the data that looks something up itself
            above = self.stack[-1]
            search.asked = list(above.asked)
            search.old, search.global_only = above.old, above.global_only
        if old:
            search.old = True
            search.global_only = not search.environment_is_new()
            if extra_levels is not None:
                search.extra_levels = [str(level) for level in _flat(extra_levels)]
        return search.lookup(key, merge)

    def ladder(self, key: str, merge: object, top: LookupFrame, node: str) -> tuple[Ladder, Origin | None]:
        """Every place that a key is looked for, what each says, and the origin of the value."""
        from .ladder import ladder

        return ladder(self, key, merge, top, node)

    def written_keys(self, top: LookupFrame) -> Iterator[WrittenKey]:
        """Every key of the files that this node's hierarchy reads."""
        from .ladder import written_keys

        return written_keys(self, top)

    def key_answers(self) -> Iterator[tuple[KeyAnswer, bool]]:
        """Every key that was asked for, what the answer was, and whether it is secret."""
        from .answered import key_answers

        return key_answers(self.asked, self.answered, self.found_in)

    def recorded_inputs(self) -> Iterator[tuple[str, list[Leaf]]]:
        """Every key that was found, with the inputs whose places the answer tells."""
        from .answered import recorded_inputs

        return recorded_inputs(self.answered)

    def directories(self, top: LookupFrame) -> Iterator[str]:
        """The directories that the data lies in."""
        from .ladder import data_directories

        return data_directories(self, top)


class Search:
    """A search from one place of the program, whose variables fill in `%{...}`."""

    def __init__(self, searches: Searches, frame: LookupFrame) -> None:
        self.searches = searches
        self.run = searches.run
        self.data = searches.data
        self.frame = frame
        self.asked: list[str] = []
        self.override: Traced | None = None
        self.defaults: Traced | None = None
        self.old = False
        self.global_only = False
        self.in_old_scope = False
        self.parameter = False
        self.extra_levels: list[str] = []
        self.found_at: str | None = None

    @property
    def environment(self) -> LookupCode:
        return self.searches.run.environment

    def within(self, frame: LookupFrame) -> Search:
        """The same search, with other variables."""
        search = Search(self.searches, frame)
        for name in _KEPT:
            setattr(search, name, getattr(self, name))
        return search

    def nested(self) -> Search:
        """A search for the sake of this one."""
        search = self.within(self.frame)
        search.asked = list(self.asked)
        if not self.global_only:
            search.in_old_scope = False
        return search

    # --- the key -----------------------------------------------------------------------------------------------------

    def lookup_or_default(self, key: str) -> Traced | Absent:
        """The value of a key, which overrides and defaults of the call may have too, or why there is none."""
        given = entry(self.override, key)
        if given is not None:
            return given
        answer = self.lookup(key, None)
        if isinstance(answer, Absent):
            given = entry(self.defaults, key)
            if given is not None:
                return given[0], Choice((answer,), given[1])
        return answer

    def lookup(self, text: str, merge: object) -> Traced | Absent:
        """The value of a key, which may have dots, or why there is none: what was asked and did not have it."""
        if text == OPTIONS or text.startswith(f"{OPTIONS}."):
            return NoData(text)
        key = Key(text)
        self.searches.asked.setdefault(text, (self.frame, merge))
        missed: Missed = []
        self.found_at = None
        self.searches.stack.append(self)
        try:
            options, decided = self.options_of(key)
            strategy = Strategy(merge if merge is not None else options.get("merge"))
            answer = self._dug(key, self._everywhere(key, strategy, missed), missed)
            if answer is None and not self.global_only:
                answer = self._dug(key, self._in_module_defaults(key, missed), missed)
        except NotFound as problem:
            answer = None
            if problem.guard is not None:
                missed.append(problem.guard)
        finally:
            self.searches.stack.pop()
        if answer is None:  # whatever the options: they say what is made of values, not where they are
            return NoData(text, tuple(missed))
        convert = options.get("convert_to")
        if convert is not None:
            answer = self._converted(text, answer[0], answer[1], convert, decided)
        value, origin = answer
        self.searches.answered.setdefault(text, (value, origin, self.found_at))
        if strategy.takes_first:
            origin = Covering(origin, Below(self, key, self.found_at))
        if missed:
            decided = (Absent(f"{key.root} earlier in the hierarchy", tuple(missed)), *decided)
        return value, Choice(decided, origin) if decided else origin

    def _dug(self, key: Key, answer: Traced | None, missed: Missed) -> Traced | None:
        if answer is None or not key.segments:
            return answer
        inside = dig(key.text, key.segments, *answer)
        if inside is None:
            missed.extend(lost(key.segments, *answer))
        return inside

    def guarded(self, name: str, work: Callable[[], Anything]) -> Anything:
        """Do some work that must not come back to itself.  Puppet's errors in it become errors of the lookup."""
        if name in self.asked:
            raise HieraError(f"Recursive lookup detected in [{', '.join(self.asked)}]", "recursive lookup")
        self.asked.append(name)
        try:
            return work()
        except HieraError:
            raise
        except (GlobalFailure, TypeMismatchError) as problem:
            raise _failed(problem.message, problem if isinstance(problem, GlobalFailure) else None) from None
        except EvaluationError as problem:
            place = location(problem.reported_at or problem.span, problem.column)
            known = problem if problem.code != EvaluationError.code else None
            raise _failed(f"{problem.lead}{problem.message} {place}".strip(), known) from None
        finally:
            self.asked.pop()

    def _converted(
        self, key: str, value: object, origin: Origin, convert: object, decided: tuple[Origin, ...]
    ) -> Traced:
        name, *arguments = (convert or [None]) if isinstance(convert, list) else [convert]
        if not isinstance(name, str):
            got = infer_set(name).simple_name
            raise HieraError(
                f"The convert_to lookup_option for key '{key}' raised error: 'new' parameter 'type' expects a Type "
                f"value, got {got}"
            )
        try:
            kind = self.environment.type_of_text(name, None)
        except Diagnostic as problem:
            raise HieraError(
                f"Invalid data type in lookup_options for key '{key}' could not parse '{name}', "
                f"error: '{problem.message}"
            ) from None
        try:
            instance = new_instance(kind, [value, *arguments])
        except Diagnostic as problem:
            raise HieraError(f"The convert_to lookup_option for key '{key}' raised error: {problem.message}") from None
        return instance, Choice(decided, Step(ConvertTo(name, tuple(arguments)), (origin,)))

    # --- layers ------------------------------------------------------------------------------------------------------

    def _everywhere(self, key: Key, strategy: Strategy, missed: Missed) -> Traced | None:
        if self.global_only:
            return self._globally(key, strategy, missed)
        layers = (self._globally, self._in_environment, self._in_module)
        return strategy.lookup(layers, lambda ask: ask(key, strategy, missed))

    def _globally(self, key: Key, strategy: Strategy, missed: Missed) -> Traced | None:
        file = self.data.global_config
        try:
            if file is None:
                return self.guarded(key.text, lambda: None)
            return self.guarded(key.text, lambda: self._in_global(str(file), key, strategy, missed))
        except HieraError as problem:
            if problem.coded:
                raise
            failure = GlobalFailure(f"Lookup of key '{key.text}' failed: {problem.message}")
            failure.code = problem.code  # still the same kind of error
            raise failure from None

    def _in_global(self, file: str, key: Key, strategy: Strategy, missed: Missed) -> Traced | None:
        config = self.data.config(file, posixpath.dirname(file), GLOBAL, self.run)
        if config.version != 3:
            return self._in_config(config, None, key, strategy, missed)
        search = self.within(self.frame)
        search.asked = list(self.asked)
        search.in_old_scope = True
        search.global_only = self.global_only or not self.environment_is_new()
        if config.merge is not None and self.old and strategy.name == "hash":
            strategy = Strategy(config.merge)
        answer = search._in_config(config, None, key, strategy, missed)
        if answer is not None and self.old:
            if strategy.name in ("hash", "deep", "reverse_deep", "unconstrained_deep"):
                assert_instance("value", HashType(), answer[0])
            if key.segments and strategy.name in ("hash", "unique"):
                kind = "hash" if strategy.name == "hash" else "array"
                raise HieraError(
                    f"Resolution type :{kind} is illegal when accessing values using dotted keys. "
                    f"Offending key was '{key.text}'"
                )
        return answer

    def _in_environment(self, key: Key, strategy: Strategy, missed: Missed) -> Traced | None:
        config = self._environment_config()
        if config is None:
            missed.extend(self._no_config(None))
            return None
        return self.guarded(key.text, lambda: self._in_config(config, None, key, strategy, missed))

    def _in_module(self, key: Key, strategy: Strategy, missed: Missed) -> Traced | None:
        module = key.module
        config = self._module_config(module) if module is not None else None
        if module is not None:
            missed.append(self.environment.another_module(module))
        if config is None:
            if module is not None:
                missed.extend(self._no_config(module))
            return None
        return self.guarded(key.text, lambda: self._in_config(config, module, key, strategy, missed))

    def _no_config(self, module: str | None) -> tuple[Leaf, ...]:
        """A configuration that is not there, or is not used: an input all the same.  Looked for once in a run."""
        unused = self.searches.unused
        if module not in unused:
            data = self.data
            root = data.root if module is None else self.environment.module_directory(module)
            own = data.environment_config if module is None else None
            file = own or (root and posixpath.join(root, "hiera.yaml"))
            unused[module] = (Leaf("file", file, None, None, absent=not data.host.is_file(file)),) if file else ()
        return unused[module]

    def _in_module_defaults(self, key: Key, missed: Missed) -> Traced | None:
        module = key.module
        config = self._module_config(module) if module is not None else None
        if config is None or config.defaults is None or module is None:
            return None
        kept = self.searches.module_defaults
        if module not in kept:
            kept[module] = gathered = Options()
            asked: Missed = []
            gathered.add(self._in_defaults(config, module, Key(OPTIONS), Strategy("hash"), asked), module, asked)
        options, decided = kept[module].of(key.root)
        missed.extend(decided)
        return self._in_defaults(config, module, key, Strategy(options.get("merge")), missed)

    def _in_defaults(self, config: Config, module: str, key: Key, strategy: Strategy, missed: Missed) -> Traced | None:
        asking = Asking(self, key, module, missed)
        return self.guarded(key.text, lambda: asking.config(config, strategy, defaults=True))

    def _in_config(
        self, config: Config, module: str | None, key: Key, strategy: Strategy, missed: Missed
    ) -> Traced | None:
        return Asking(self, key, module, missed).config(config, strategy)

    def configs(self, key: Key) -> Iterator[tuple[str, Config, str | None]]:
        """The hierarchies that a key is looked for in, the highest first: layer, configuration, module."""
        file = self.data.global_config
        if file is not None:
            yield GLOBAL, self.data.config(file, posixpath.dirname(file), GLOBAL, self.run), None
        config = None if self.global_only else self._environment_config()
        if config is not None:
            yield ENVIRONMENT, config, None
        config = self._module_config(key.module) if key.module is not None and not self.global_only else None
        if config is not None:
            yield MODULE, config, key.module

    def environment_is_new(self) -> bool:
        """Whether the environment has a configuration of version 5."""
        config = self._environment_config()
        return config is not None and config.version >= 5

    def _environment_config(self) -> Config | None:
        layers = self.searches.layers
        if None not in layers:
            layers[None] = self._read_environment()
        return layers[None]

    def _read_environment(self) -> Config | None:
        data, root = self.data, self.data.root
        if root is None:
            return None
        file = data.environment_config or posixpath.join(root, "hiera.yaml")
        conf = posixpath.normpath(posixpath.join(root, "environment.conf"))
        provider = data.provider(conf, _PROVIDER)
        config = None
        if data.host.is_file(file):
            config = self._layer(file, root, ENVIRONMENT, "the environment")
        words = f"Defining environment_data_provider='{provider}' in environment.conf is deprecated"
        if config is not None and config.version >= 5:
            if provider is not None:
                self._obsolete(conf, words, conf)
                if provider != "hiera":
                    shown = posixpath.normpath(file)
                    ignored = (
                        f"The environment_data_provider='{provider}' setting is ignored since '{shown}' version >= 5"
                    )
                    self._obsolete(f"{conf} ignored", ignored, conf)
            return config
        if provider is None:
            return config
        self._obsolete(conf, f"{words}.{'' if config else _INSTEAD}", conf)
        if provider == "none":
            return None
        if provider == "hiera":
            return config or default_config(root)
        if provider == "function":
            return self._legacy_function(root, "environment::data")
        raise Failure(f"Environment '{self.environment.name}', cannot find environment_data_provider '{provider}'")

    def _module_config(self, module: str) -> Config | None:
        layers = self.searches.layers
        if module not in layers:
            layers[module] = self._read_module(module)
        return layers[module]

    def _read_module(self, module: str) -> Config | None:
        data = self.data
        directory = self.environment.module_directory(module)
        if directory is None:
            return None
        file = posixpath.join(directory, "hiera.yaml")
        metadata = posixpath.join(directory, "metadata.json")
        provider = data.provider(metadata, _MODULE_PROVIDER)
        config = None
        if data.host.is_file(file):
            config = self._layer(file, directory, MODULE, "module")
        words = f'Defining "data_provider": "{provider}" in metadata.json is deprecated.'
        if config is not None and config.version >= 5:
            if provider is not None:
                ignored = f"{words} It is ignored since a 'hiera.yaml' with version >= 5 is present"
                self._obsolete(metadata, ignored, metadata)
            return config
        if provider is None:
            return config
        self._obsolete(metadata, f"{words}{'' if config else _INSTEAD}", metadata)
        if provider == "none":
            return None
        if provider == "hiera":
            return config or default_config(directory)
        if provider == "function":
            return self._legacy_function(directory, f"{module}::data")
        raise Failure(f"Environment '{self.environment.name}', cannot find module_data_provider '{provider}'")

    def _layer(self, file: str, root: str, layer: str, where: str) -> Config | None:
        """The configuration in a file; nothing if it is too old for its place."""
        config = self.data.config(file, root, layer, self.run)
        if config.version > 3:
            return config
        if self.run.strict == "error":
            article = "an environment" if layer == ENVIRONMENT else "a module"
            raise HieraError(
                f"hiera.yaml version 3 cannot be used in {article}", "Hiera configuration", "HIERA_VERSION_3_NOT_GLOBAL"
            )
        shown = posixpath.normpath(file)
        words = f"hiera.yaml version 3 found at {where} root was ignored\n   (file: {shown})"
        self.run.warn_once(f"hiera ignored {file}", words, None)
        return None

    def _legacy_function(self, root: str, function: str) -> Config:
        words = f"Using of legacy data provider function '{function}'. Please convert to a 'data_hash' function"
        self._obsolete("hiera legacy function", words, None)
        return function_config(root, function)

    def _obsolete(self, key: str, words: str, file: str | None) -> None:
        if self.run.strict != "off":
            place = "(file & line not available)" if file is None else f"(file: {file})"
            self.run.warn_once(f"hiera {key}", f"{words}\n   {place}", None)

    # --- filling in --------------------------------------------------------------------------------------------------

    def filled(self, text: str) -> tuple[str, Origin | None]:
        """A text of the configuration with variables filled in."""
        if "%{" not in text:
            return text, None
        value, origin = interpolated(self, text, Step(NO_VALUE, ()), methods=False)
        return str(value), origin

    def filled_value(self, value: object) -> Traced:
        """Options of the configuration with variables filled in."""
        return interpolated(self, value, Step(NO_VALUE, ()), methods=False)

    def variable(self, name: str, where: str) -> Traced:
        """A variable, with dots into it; undef if there is none."""
        root, *segments = split_key(name, where)
        known = entry(self.override, str(root))
        if known is None:
            known = self._read(str(root))
            if known is None:
                known = entry(self.defaults, str(root))
        if known is None:
            self.searches.unset[str(root)] = None
            return None, self.frame.machine.absent_variable(str(root), None)
        value, origin = known
        if value is None or not segments:
            return value, origin
        inside = dig(name, segments, value, origin)
        if inside is None:
            return None, Absent(f"{segments[-1]} in ${root}", lost(segments, value, origin))
        return inside[0], _along(origin, segments) or inside[1]

    def _read(self, name: str) -> Traced | None:
        if self.in_old_scope:
            if name in ("calling_class", "calling_class_path"):
                return self._calling_class(name)
            if name == "calling_module":
                name = "module_name"
        # What no code may set is the same from everywhere, whatever scopes lie in between.
        known = self.frame.machine.variable(f"::{name}" if name in RESERVED else name)
        if known is None:
            if name == "0" or (name.isdigit() and name[0] != "0"):  # what a match left; nobody is told that none did
                return None
            shown, reason = name.removeprefix("::") if "::" in name[2:] else name, self._reason(name)
            if "::" in shown and not reason:  # of a scope that is there
                shown = f"::{shown.removeprefix('::')}"
            words = f"Undefined variable '{shown}'; {reason}"
            if self.run.strict == "error":
                raise Failure(words, kind="UNKNOWN_VARIABLE")
            if self.run.strict == "warning":
                self.run.warn_once(f"Variable: {name}", f"{words}\n   (file & line not available)", None)
            return None
        if self.in_old_scope and known[0] == "":
            return None, known[1]
        return known

    def _reason(self, name: str) -> str:
        """Why a variable of a class is not there."""
        owner = name.removeprefix("::").rpartition("::")[0]
        scope = self.run.class_scopes.get(owner)
        if not owner or (scope is not None and not (self.parameter and scope is self.frame)):
            return ""
        if self.environment.find_class(owner) is None:
            return f"class {owner} could not be found"
        return f"class {owner} has not been evaluated"

    def _calling_class(self, name: str) -> Traced:
        source = getattr(self.frame.base, "source", None)
        called = source.name if source is not None and source.kind == "class" else ""
        value = called.replace("::", "/") if name == "calling_class_path" else called
        return (value or None), built_in(value)

    # --- options in the data -----------------------------------------------------------------------------------------

    def options_of(self, key: Key) -> tuple[dict[str, object], tuple[Origin, ...]]:
        """What `lookup_options` says about a key: by its name, else by the first pattern that matches; and why."""
        kept = self.searches.options
        name = key.module
        if name not in kept:
            kept[name] = self._all_options(name)
        return kept[name].of(key.root)

    def _all_options(self, module: str | None) -> Options:
        search = self.within(self.frame)
        search.asked = list(self.asked)
        search.override = search.defaults = None
        self.searches.stack.append(search)
        try:
            return self._gathered_options(search, module)
        finally:
            self.searches.stack.pop()

    def _gathered_options(self, search: Search, module: str | None) -> Options:
        strategy = Strategy("hash")
        key = Key(OPTIONS)
        kept = self.searches.shared_options
        options = Options()
        for place, ask in (("global", search._globally), ("environment", search._in_environment)):
            if place == "environment" and self.global_only:
                break
            if place not in kept:
                if place == "global":
                    kept[place] = Options()  # also while it is being looked for
                asked: Missed = []
                here = Options()
                here.add(ask(key, strategy, asked), None, asked)
                kept[place] = here
            options.take(kept[place])
        if module is not None and not self.global_only:
            config = search._module_config(module)
            if config is not None:
                missed: Missed = []
                answer = search.guarded(OPTIONS, lambda: search._in_config(config, module, key, strategy, missed))
                options.add(answer, module, missed)
        return options


class Options:
    """What the data says about how keys are looked up (`lookup_options`), higher layers first, with origins."""

    __slots__ = ("_why", "causes", "origins", "values")

    def __init__(self) -> None:
        self.values: dict[Any, Any] = {}
        self.origins: dict[Any, Origin] = {}
        self.causes: Missed = []
        self._why: Absent | None = None

    def add(self, answer: Traced | None, module: str | None, missed: Missed) -> None:
        """What one more layer says, below those that are there."""
        self.causes.extend(missed)
        options = _checked_options(answer, module)
        if answer is None or options is None:
            return
        self.causes.extend(shape(answer[1]))
        shadow = Shadow(answer[1])
        origins = {key: shadow.value(key, index) for index, key in enumerate(options)}
        self._below(options, origins)

    def take(self, other: Options) -> None:
        """The same, from options that were gathered before."""
        self.causes.extend(other.causes)
        self._below(other.values, other.origins)

    def _below(self, values: Mapping[Any, object], origins: Mapping[Any, Origin]) -> None:
        """Higher layers win, but the patterns of lower ones are tried first, as Puppet does."""
        self.values, self.origins = {**values, **self.values}, {**origins, **self.origins}

    def of(self, root: str) -> tuple[dict[str, Any], tuple[Origin, ...]]:
        """The options of a key, and why it has these and no others."""
        if self._why is None and self.causes:
            self._why = Absent("other options", tuple(self.causes))
        why: tuple[Origin, ...] = () if self._why is None else (self._why,)
        if not root.startswith("^") and self.values.get(root) is not None:
            return _hash_of_options(root, self.values[root]), (*why, self.origins[root])
        for pattern, value in self.values.items():
            if isinstance(pattern, str) and pattern.startswith("^") and _matches(pattern, root):
                return _hash_of_options(pattern, value or {}), (*why, self.origins[pattern])
        return {}, why


def _hash_of_options(key: str, options: object) -> dict[str, object]:
    if isinstance(options, str):  # Ruby asks a text for the part of a name, and it has none
        return {}
    if not isinstance(options, dict):
        raise Failure(f"the lookup_options of '{key}' are no hash")
    return dict(options)


class Below:
    """The values of a key further down than where it was found, as they stand in files; worked out when asked for."""

    __slots__ = ("found_at", "key", "search")

    def __init__(self, search: Search, key: Key, found_at: str | None) -> None:
        self.search = search
        self.key = key
        self.found_at = found_at

    def __call__(self) -> tuple[Hidden, ...]:
        search, key = self.search, self.key
        layers: list[tuple[Config | None, str | None]] = [(search._environment_config(), None)]
        if key.module is not None:
            layers.append((search._module_config(key.module), key.module))
        hidden: list[Hidden] = []
        passed = self.found_at is None
        for config, module in layers:
            levels = Asking(search, key, module, []).written(config) if config is not None else ()
            for path, values, origin in levels:
                if passed and hash_key(key.root) in values:
                    answer = values[hash_key(key.root)], Shadow(origin).value_in(values, hash_key(key.root))
                    with suppress(HieraError):  # what has no parts hides none, and nobody asked it for some
                        inside = dig(key.text, key.segments, *answer) if key.segments else answer
                        if inside is not None:
                            hidden.append(Hidden(*inside, LOWER_LEVEL))
                passed = passed or path == self.found_at
        return tuple(hidden)


_INSTEAD = " A 'hiera.yaml' file should be used instead"


def _failed(message: str, problem: Diagnostic | None) -> HieraError:
    """A lookup that failed because of a problem, whose kind it keeps."""
    failed = HieraError(message)
    if problem is not None:
        failed.code = problem.code  # still the same kind of error
    return failed


def entry(values: Traced | None, name: str) -> Traced | None:
    """An entry of a hash that may not be there."""
    if values is None or values[0] is None:
        return None
    key = hash_key(name)
    if key not in values[0]:
        return None
    return values[0][key], Shadow(values[1]).value_in(values[0], key)


def _along(origin: Origin, segments: list[Any]) -> Origin | None:
    """The origin of what segments lead to in a variable, so that a fact depends on its own part alone."""
    for segment in segments:
        origin = part(origin, segment if isinstance(segment, int) else hash_key(segment))
    return origin


def _matches(pattern: str, root: str) -> bool:
    """Whether a pattern of Ruby, from the data, matches; no pattern takes more than linear time."""
    try:
        return Regexp(pattern).search(root) is not None
    except BadRegex as problem:
        raise Failure(str(problem)) from None


def _checked_options(answer: Traced | None, module: str | None) -> dict[Any, object] | None:
    if answer is None or answer[0] is None:
        return None
    options = answer[0]
    if not isinstance(options, dict):
        raise HieraError("value of lookup_options must be a hash")
    for name in options if module is not None else ():
        if isinstance(name, str) and name.startswith("^"):
            if not name.startswith(f"^{module}::"):
                raise HieraError(f"all lookup_options patterns must match a key starting with module name '{module}'")
        elif not str(name).startswith(f"{module}::"):
            raise HieraError(f"all lookup_options keys must start with module name '{module}'")
    return options


def _flat(value: object) -> list[Any]:
    return [element for item in value for element in _flat(item)] if isinstance(value, list) else [value]
