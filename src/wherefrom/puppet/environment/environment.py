"""An environment: manifests, modules and settings, parsed and compiled once, used for many nodes.

The main manifest is parsed when the environment is made; everything it defines is known before anything runs. Files of
modules are read when something that they may define is first asked for by name. An environment is the `Library` of its
runs, and holds nothing of any one of them; for whom it reads is known to `readers`. Its parts: where files lie
(`modules`), what they define (`index`), which types they name (`type_names`), what their code would do (`summaries`).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from copy import copy
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from ...base.diagnostics import ERROR, Diagnostic, ManyErrors
from ...base.source import SourceFile, Span
from ...provenance.origins import Later, Leaf
from ..compile import Code, compile_body, compile_parameters
from ..compile.templates import Template
from ..functions.table import find as find_function
from ..functions.table import names as function_names
from ..kernel.failures import EvaluationError, Failure, ParsingFailed, placed
from ..kernel.issues import verdict
from ..kernel.type_failures import TypeProblem
from ..runtime.definitions import Definition, ParameterCode
from ..runtime.resource_types import ResourceKind, core_kind, core_names, read_generated
from ..syntax import tree
from ..types import named_type
from ..types.callables import ResourceType
from ..types.model import PuppetType
from .index import CodeWarning, Index, redefined
from .modules import ModulePath
from .readers import Reader, Serving, is_pending, reader_of, reading
from .shipped import shipped_by
from .summaries import Summaries
from .type_names import TypeNames

if TYPE_CHECKING:
    from ...base.host import Host
    from ..kernel.traced import Traced
    from ..rubyhost.library import RubyLibrary as RubyLibrary
    from ..runtime.class_summaries import ClassSummaries
    from ..runtime.compilation import Compilation
    from ..runtime.effects import Effects, Summary
    from ..runtime.recorded import RecordedAnswers
    from ..runtime.scope import Frame
    from ..syntax.cache import TreeCache
    from ..syntax.parser import ParseResult

Function = Any
"""A core function or a `PuppetFunction`; both have `call`."""


class Environment:
    """Code that catalogs are compiled from."""

    def __init__(
        self,
        host: Host,
        manifests: Sequence[SourceFile],
        modulepath: Sequence[str] = (),
        settings: Mapping[str, Any] | None = None,
        name: str = "production",
        root: str | None = None,
        data: Any = None,
        cache: TreeCache | None = None,
        puppet_version: str = "7",
    ) -> None:
        self.host = host
        self.puppet_version = puppet_version
        self.lenient = False
        """Whether code that fails is left out (`wherefrom.puppet.runtime.lenient`)."""
        self.observing = False
        """Whether the code tells its runs what each expression gave (`wherefrom.provenance.observed`)."""
        self.observed: frozenset[str] | None = None
        """The files whose code does, by their real names; all, if nothing is said."""
        self._observes: dict[str, bool] = {}
        self.answers: RecordedAnswers | None = None
        """What the world outside said when it was asked."""
        self.settings = dict(settings or {})
        self.name = name
        self.root = root
        self.data = data
        self.cache = cache
        self.path = ModulePath(host, modulepath, root, self.warn)
        self.index = Index(self, self._warn)
        self.types = TypeNames(self.resolve, self._repeated)
        self.summaries = Summaries(self, self.path, lambda: self.index.classes)
        self.kinds: dict[str, ResourceKind | None] = {}
        self.templates: dict[str, Template] = {}
        self.sources: dict[str, SourceFile] = {}
        self.warnings: list[Diagnostic] = []
        self.main = Definition(self, "class", "", None, "", None, None)
        self.settings_class = Definition(self, "class", "settings", None, "", None, None)
        self._programs: list[tree.Program] = []
        self._modules_read: list[tree.Program] = []
        self._bodies: list[Any] | None = None
        self._loaded: set[str] = set()
        self._missing: set[tuple[str, str]] = set()
        self._loading = 0
        """Names whose files are being loaded; of a run that was stopped in the middle of it, for ever."""
        self._instantiated = False
        self._readers: dict[str, int] = {}
        self.file_warnings: dict[str, list[Diagnostic]] = {}  # of files that were read when they were asked for
        self._unread: set[str] = set()  # first files of modules that changed: whatever is looked for, they come first
        self._runs: WeakSet[Compilation] = WeakSet()
        self._library: RubyLibrary | None = None
        try:
            self._read_main(manifests)
        except EvaluationError as problem:
            problem.warnings = self.warnings
            raise

    def _read_main(self, manifests: Sequence[SourceFile]) -> None:
        """Parse all main manifests, and then take in what they define."""
        self._programs = [self.parse(source, main=True) for source in manifests]
        for program in self._programs:
            self.register(program, "")

    # --- parsing -----------------------------------------------------------------------------------------------------

    def parse(
        self, source: SourceFile, epp: bool = False, main: bool = False, namespace: str | None = None
    ) -> tree.Program:
        """Parse and validate a file.  Raises `ParsingFailed` with everything that is wrong.

        `namespace` is what a module's file may define.
        """
        self.sources[source.name] = source
        result = self._parsed(source, epp, namespace)
        self.sources[source.name] = result.program.file  # of a tree that is shared, the file that its places are in
        for diagnostic in result.diagnostics:
            if diagnostic.severity != ERROR:
                self._warn(diagnostic)
        if not result.ok:
            raise parsing_failed(result.diagnostics, self.name, main)
        return result.program

    def _parsed(self, source: SourceFile, epp: bool = False, namespace: str | None = None) -> ParseResult:
        """A file parsed, by the settings of this environment."""
        from ..syntax.parser import ParserSettings, parse, parse_epp

        strict = str(self.settings.get("strict", "warning"))
        settings = ParserSettings(strict, bool(self.settings.get("tasks")), namespace, self.puppet_version != "7")
        if self.cache is not None:
            return self.cache.parse(source, epp, settings)
        return (parse_epp if epp else parse)(source, settings)

    def programs(self) -> list[tree.Program]:
        """The parsed manifests, and the module files that were loaded."""
        return [*self._programs, *self._modules_read]

    def programs_with(self, words: Sequence[str]) -> list[tree.Program]:
        """The programs, and of the files of modules that nobody asked for, those that have one of `words` in them.

        These are read to be looked at and define nothing; what is wrong with them is told when they are asked for.
        """
        from ..syntax.parser import parse
        from .modules import manifest_files

        programs = self.programs()
        known = {program.file.name for program in programs}
        for _, directory in self.path.modules():
            folder = posixpath.join(directory, "manifests")
            for name in manifest_files(self.host, folder):
                path = posixpath.join(folder, name)
                if path in known:
                    continue
                with suppress(Diagnostic):
                    source = self.host.source(path)
                    if any(word in source.text for word in words):
                        self.sources.setdefault(path, source)
                        programs.append(parse(source).program)
        return programs

    def main_bodies(self) -> list[Any]:
        """The code of the main manifests."""
        if self._bodies is None:
            self._bodies = [compile_body(program.body, self) for program in self._programs]
        return self._bodies

    def body_code(self, node: tree.Node, parameters: Sequence[tree.Parameter] = ()) -> Code:
        """The code of a body whose value nobody looks at: of a class or define with these parameters, or a node."""
        return compile_body(node, self, parameters)

    def parameter_codes(self, parameters: Sequence[tree.Parameter]) -> list[ParameterCode]:
        """The code of a list of parameters."""
        return compile_parameters(parameters, self)

    def register(self, program: tree.Program, module: str) -> None:
        """Make the definitions of a file known.

        As in Puppet, types, functions and the names of defines come first, in the order of the file; then what
        shares names with one another: classes, defines and nodes.
        """
        defines: dict[str, Span] = {}
        for definition in program.definitions:
            if isinstance(definition, tree.TypeAlias):
                self._check_new_type(definition, defines)
                self.types.add(definition, module)
            elif isinstance(definition, tree.TypeMapping):
                self._check_mapping(definition)
            else:
                self.index.announce(definition, defines)
        for definition in program.definitions:
            self.index.add(definition, module)

    def _check_mapping(self, node: tree.TypeMapping) -> None:
        """What is mapped must be types: a class of Ruby (none of which is here), and one of the language."""
        from ..types.callables import RuntimeType
        from ..types.reading import type_from_tree

        words = None
        try:
            mapped = type_from_tree(node.type, self.resolve_type_name)
            if isinstance(mapped, RuntimeType) and mapped.runtime != "ruby":
                mismatch = f"expects a Runtime[ruby, undef] value, got {mapped}"
                words = f"First argument of type mapping is incorrect, {mismatch}"
        except TypeProblem as problem:
            words = problem.message
        if words is None and not isinstance(node.mapping, tree.Array):
            try:
                type_from_tree(node.mapping, self.resolve_type_name)
            except TypeProblem:
                words = "Second argument of type mapping has wrong type, expects a Type value, got Undef"
        if words is not None:
            raise EvaluationError(words, node.type.at, issue=None, lead="", placeless=True)

    def _check_new_type(self, node: tree.TypeAlias, defines: Mapping[str, Span]) -> None:
        """An alias may not have the name of a type of the language, a resource type or a define.

        `defines` are those of the file that are written before it.
        """
        from ..types.names import BUILTIN_TYPES

        name = node.name.lower()
        define = self.index.defines.get(name)
        first = defines.get(name) or (define.span if define is not None else None)
        if name in BUILTIN_TYPES:
            raise redefined("type", name, "Originally set by Puppet-Type-System/Static-Loader.", node)
        if core_kind(name) is not None:
            raise redefined("type", name, "Set at unknown location", node)
        if first is not None:
            raise redefined("type", name, first, node)

    def _repeated(self, words: str) -> None:
        """A key that stands twice where it was not seen when the file was parsed: as strict as keys of hashes are."""
        strict = str(self.settings.get("strict", "warning"))
        if strict == "error":
            raise Failure(words, kind="DUPLICATE_KEY")
        if strict == "warning":
            self.warn(words)

    def warn(self, words: str) -> None:
        """Warn of something about the code that has no place of its own."""
        self._warn(CodeWarning(words, None))

    def _warn(self, warning: Diagnostic) -> None:
        """Keep a warning about the code; a compilation that uses a file of a module has it among its own lines."""
        reader = reader_of(self)
        if reader is not None and reader.files:
            self.file_warnings.setdefault(reader.files[-1], []).append(warning)
        if reader is not None and reader.run is not None:
            reader.run.warn(warning.message, warning.span)
        elif reader is None or not reader.files:
            self.warnings.append(warning)

    def _use(self, path: str) -> None:
        """The run that is served uses what a file defines: it hears what is wrong with it as if it had it read."""
        if not (self.file_warnings or self._unread):
            return
        reader = reader_of(self)
        if reader is None or reader.run is None:
            return
        first = f"{path.rpartition('/manifests/')[0]}/manifests/init.pp"  # which is read before all others
        if first in self._unread and first not in self._loaded and self.host.is_file(first):
            module = posixpath.basename(posixpath.dirname(posixpath.dirname(first)))
            self._read("class", module, module, first)
        self._unread.discard(first)
        self._hear(first)
        self._hear(path)

    def _hear(self, path: str) -> None:
        """The run that is served hears what is wrong with a file, once."""
        if path in self.file_warnings:
            reader = reader_of(self)
            if reader is not None:
                reader.hear(path, self.file_warnings[path])

    def serving(self, run: Compilation) -> AbstractContextManager[None]:
        """Serve a run: what is wrong with files that it makes be read is told to it.

        The types of the parameters in the main manifests are evaluated once, before anything else runs. Puppet does
        this definition by definition as it reads a file, so that what stands further down is not known yet.
        """
        self._runs.add(run)
        return Serving(self, run, self._begin)

    def _begin(self, reader: Reader) -> None:
        if not self._instantiated:
            definitions = [definition for program in self._programs for definition in program.definitions]
            self._instantiate(definitions, reader)
            self._instantiated = all(map(self._is_fixed, definitions))  # else anew for every run

    def _instantiate(self, definitions: Sequence[tree.Definition], reader: Reader) -> None:
        if reader.run is None or not any(map(_typed, definitions)):
            return
        outer, reader.pending = reader.pending, {key for key in map(_pending_key, definitions) if key is not None}
        try:
            for definition in definitions:
                if isinstance(definition, tree.ClassDefinition | tree.DefinedType) and _typed(definition):
                    self.index.definition_of(definition).struct(reader.run.top)
                key = _pending_key(definition)
                if key is not None:
                    reader.pending.discard(key)
        finally:
            reader.pending = outer

    def _is_fixed(self, definition: tree.Definition) -> bool:
        if not isinstance(definition, tree.ClassDefinition | tree.DefinedType):
            return True
        return self.index.definition_of(definition).is_fixed()

    # --- finding things by name --------------------------------------------------------------------------------------

    def find_class(self, name: str) -> Definition | None:
        """The class of this name, loaded if need be."""
        name = name.lower().removeprefix("::")
        self.host.own("class", name)
        definition = self.index.classes.get(name)
        if definition is None and name == "settings":
            return self.settings_class
        if definition is None and self._load("class", name):
            definition = self.index.classes.get(name)
        if definition is not None and definition.span is not None:
            self._use(definition.span.file.name)
        return definition

    def find_type(self, name: str) -> ResourceKind | Definition | None:
        """The resource type or define of this name (in lower case), loaded if need be."""
        name = name.removeprefix("::")
        if ":" not in name:
            kind = self.find_kind(name)
            if kind is not None:
                return kind
        return self.find_define(name)

    def find_define(self, name: str) -> Definition | None:
        """The define of this name (in lower case), loaded if need be; no Ruby is read to see what comes before it."""
        self.host.own("define", name)
        if is_pending(self, "define", name):
            return None
        definition = self.index.defines.get(name)
        if definition is None and self._load("define", name):
            definition = self.index.defines.get(name)
        if definition is not None and definition.span is not None:
            self._use(definition.span.file.name)
        return definition

    def find_kind(self, name: str) -> ResourceKind | None:
        """The resource type of this name that is not written in Puppet."""
        kind = core_kind(name)
        if kind is None:
            if name not in self.kinds:
                self.kinds[name] = self._scan_kind(name)
            kind = self.kinds[name]
        return kind

    def _scan_kind(self, name: str) -> ResourceKind | None:
        if self.root is not None:
            generated = posixpath.join(self.root, ".resource_types", f"{name}.pp")
            if self.host.is_file(generated):
                return read_generated(name, self.host.source(generated).text)
        library = self.ruby_library()
        return library.kind(name) if library.find("puppet/type", name) is not None else None

    def ruby_library(self) -> RubyLibrary:
        """The Ruby of the modules."""
        if self._library is None:
            from ..rubyhost.library import RubyLibrary

            self._library = RubyLibrary(self)
        return self._library

    def has_function(self, name: str) -> bool:
        """Whether a function of this name can be found."""
        try:
            self.function(name, None)
        except EvaluationError as problem:
            if problem.issue == "UNKNOWN_FUNCTION":
                return False
            raise
        return True

    def is_function(self, name: str) -> bool:
        """Whether there is a function of this name by now."""
        return find_function(name) is not None or name.removeprefix("::") in self.index.functions

    def function(self, name: str, span: Span | None) -> Function:
        """The function of this name.  Raises Puppet's error if there is none."""
        plain = name.lower().removeprefix("::")
        if plain not in self.index.functions:  # the site's own functions come before those of Puppet
            core: Function | None = find_function(name)
            if core is not None:
                return core
        function: Function | None = self.index.functions.get(plain) if not is_pending(self, "function", plain) else None
        if function is None:
            try:
                function = self.ruby_library().function(plain)
                if function is None and self._load("function", plain):
                    function = self.index.functions.get(plain)
                function = function or self.ruby_library().legacy_function(plain)
            except Failure as failure:
                raise failure if span is None else placed(failure, "Function Call", span) from None
        if function is None:
            raise EvaluationError(
                f"Unknown function: '{name}'.", span, issue="UNKNOWN_FUNCTION", help=self.near_function(name)
            )
        return function

    def resolve(self, name: str) -> PuppetType | None:
        """The type behind a name that is not built in: an alias or a resource type."""
        lower = name.lower().removeprefix("::")
        if lower == "puppet::lookupcontext":
            return _lookup_context()
        if is_pending(self, "type", lower):
            return None
        alias = self.types.known(lower)
        if alias is None and "::" in lower:
            if self._load("type", lower) or self._load("type", lower.rpartition("::")[0]):
                alias = self.types.known(lower)
        if alias is not None:
            return alias
        kind = self.find_type(lower)
        if kind is not None:
            return ResourceType("::".join(part[:1].upper() + part[1:] for part in kind.name.split("::")))
        if "::" not in lower and self._load("type", lower):
            return self.types.known(lower)
        return self._ruby_type(lower)

    def _ruby_type(self, lower: str) -> PuppetType | None:
        """A type of objects that a module defines in Ruby."""
        path = self.ruby_library().datatype_file(lower)
        if path is None:
            return None
        from ..rubyhost.objects import read_type

        alias = self.types.aliases[lower] = read_type(self.ruby_library(), lower, path, self.resolve)
        return alias

    def resolve_type_name(self, name: str) -> PuppetType | None:
        """The type that a name in a program says."""
        return named_type(name.lower().removeprefix("::")) or self.resolve(name)

    def type_of_text(self, text: str, frame: object) -> PuppetType:
        """The type that a text says."""
        from ..types.reading import type_of_text

        return type_of_text(text, self.resolve)

    def absent_module(self, name: str) -> str | None:
        """A hint for a name whose module is not there."""
        from .puppetfile import absent_module

        module = name.lower().removeprefix("::").partition("::")[0]
        lack = self.path.lacking(module)
        if lack is not None:
            return f"Puppet ignores the module {module}, because its metadata.json has no {lack}"
        return absent_module(self.host, self.root, name, self.module_directory(module) is not None)

    def near_function(self, name: str) -> str | None:
        """A hint for a function that is not known."""
        from ...base.spell import nearest

        absent = self.absent_module(name) or self._absent_modules(name)
        near = nearest(name, [*function_names(), *self.index.functions])
        hints = [f"did you mean {near}?" if near else None, absent]
        return " ".join(filter(None, hints)) or None

    def _absent_modules(self, name: str) -> str | None:
        """A hint for a name that does not tell its module, if modules are not there."""
        from .puppetfile import absent_modules

        if "::" in name:
            return None
        return absent_modules(self.host, self.root, lambda module: self.module_directory(module) is not None)

    def near_type(self, name: str) -> str | None:
        """A hint for a type name that is not known."""
        absent = self.absent_module(name) or shipped_by(name)
        if absent is not None:
            return absent
        from ...base.spell import nearest
        from ..types.names import BUILTIN_TYPES

        known = [*core_names(), *self.index.defines, *self.types.aliases, *BUILTIN_TYPES]
        near = nearest(name.lower(), known)
        if near is None:
            return None
        return f"did you mean {'::'.join(part[:1].upper() + part[1:] for part in near.split('::'))}?"

    def near_declared(self, name: str) -> str | None:
        """A hint for the type of a resource that is not known, as one writes it to declare one."""
        absent = self.absent_module(name) or shipped_by(name)
        if absent is not None:
            return absent
        from ...base.spell import nearest

        near = nearest(name, [*core_names(), *self.index.defines, "class"])
        hints = [f"did you mean {near}?" if near else None, self._absent_modules(name)]
        return " ".join(filter(None, hints)) or None

    def readers_of(self, fact: str) -> int:
        """How many manifests read a fact by its dotted name."""
        from .fact_readers import count_readers

        if fact not in self._readers:
            self._readers[fact] = count_readers(self.host, self.programs(), self.path.modules(), fact)
        return self._readers[fact]

    # --- what the parts know -----------------------------------------------------------------------------------------

    @property
    def nodes(self) -> dict[str, Definition]:
        """The node definitions, by name."""
        return self.index.nodes

    @property
    def modulepath(self) -> list[str]:
        """The directories that modules lie in."""
        return self.path.directories

    @property
    def effects(self) -> dict[int, Any]:
        """The effects of code, by the identity of its tree."""
        return self.summaries.effects

    @property
    def jumping(self) -> dict[SourceFile, bool]:
        """Whether files have the words for leaving code early."""
        return self.summaries.jumping

    def match_node(self, name: str) -> tuple[Definition | None, Sequence[str | None] | None, list[str]]:
        """The node definition for a node, the groups of its pattern, and the names that were tried."""
        return self.index.match_node(name)

    def near_class(self, name: str) -> str | None:
        """A hint for a class that is not known."""
        return self.absent_module(name) or self.index.near_class(name)

    def check_alias(self, alias: PuppetType) -> None:
        """Work out what an alias stands for.  Fails if it is nothing."""
        self.types.check(alias)

    def alias_literals(self, alias: PuppetType) -> list[Any]:
        """The literals that an alias is made of, those of other aliases in it included."""
        return self.types.literals(alias)

    def modules(self) -> Iterator[tuple[str, str]]:
        """The modules there are, with their directories; the first of a name counts."""
        return self.path.modules()

    def module_directory(self, name: str) -> str | None:
        """The directory of a module: the first on the module path."""
        return self.path.directory(name)

    def find_file(self, kind: str, path: str) -> str | None:
        """The file `MODULE/REST` below the module's `kind`, or an absolute path that exists."""
        return self.path.find_file(kind, path)

    def file_places(self, kind: str, path: str) -> list[str]:
        """The files that `MODULE/REST`, or an absolute path, may be, the first first."""
        return self.path.file_places(kind, path)

    def class_body(self, name: str) -> Definition | None:
        """A class, loaded if it can be: what it would do if it were declared."""
        return self.summaries.class_body(name)

    def define_body(self, name: str) -> Definition | None:
        """A define, loaded if it can be."""
        return self.summaries.define_body(name)

    def function_body(self, name: str) -> tree.Node | None:
        """The body of a function written in Puppet, loaded if it can be; an empty one, for Ruby that only computes."""
        return self.summaries.function_body(name)

    def body_effects(self, definition: Definition) -> Effects | None:
        """What the body of a definition may do."""
        return self.summaries.body_effects(definition)

    def class_summaries(self) -> ClassSummaries:
        """What each class that could be declared would lead to, itself included."""
        return self.summaries.class_summaries()

    def summed(self, effects: Effects, declared: frozenset[str]) -> tuple[Summary, tuple[str, ...]]:
        """What some effects lead to where some classes are declared, and the questions that this depends on."""
        return self.summaries.summed(effects, declared)

    def static_answer(self, question: str) -> str:
        """The answer to a question about code that did not run."""
        return self.summaries.static_answer(question)

    def assigned_in_class(self, name: str) -> tuple[str, ...]:
        """The variables that the body of a class may assign."""
        effects = self.summaries.body_effects(self.index.classes.get(name))
        return effects.names if effects is not None else ()

    # --- what is not there --------------------------------------------------------------------------------------------

    def another_module(self, name: str) -> Later:
        """Why a name is that of this module, or of none."""
        return self.path.another(name)

    def looked_for(self, what: str, name: str, chosen: str | None) -> tuple[Leaf, ...]:
        """What could have defined a class, define or resource type before the file that is `chosen`; all if none is."""
        leaves: list[Leaf] = []
        if what == "type" and "::" not in name:
            leaves += self.path.anywhere(f"lib/puppet/type/{name}.rb")
            with self.host.apart():
                ruby = self.ruby_library().find("puppet/type", name) if chosen is None else None
            if ruby is not None:
                return (*leaves, Leaf("file", ruby, None, None))
        if any(program.file.name == chosen for program in self._programs):
            return tuple(leaves)  # the main manifests are read before anything is looked for
        with self.host.apart():
            places = [place for _, paths in self.path.candidates("class", name) for place in paths]
            return (*leaves, *self.path.looked(name.partition("::")[0]), *self.path.before(places, chosen))

    def other_function(self, name: str) -> Later | None:
        """What else a name of a function could have meant; nothing for those of the language and the main manifests."""
        plain = name.lower().removeprefix("::")
        own = self.index.functions.get(plain)
        if own is None and find_function(name) is not None:
            return None
        chosen = None if own is None or own.span is None else own.span.file.name
        if chosen is not None and any(program.file.name == chosen for program in self._programs):
            return None
        return Later(f"another function {plain}", self._looked_for_function, None, (plain, chosen))

    def _looked_for_function(self, name: str, chosen: str | None) -> tuple[Leaf, ...]:
        library = self.ruby_library()
        with self.host.apart():
            ruby = library.function_file(name)
            places = [place for _, paths in self.path.candidates("function", name) for place in paths]
            if "::" in name:
                module = name.partition("::")[0]
                places = [*library.function_places(name), *places]
                return (*self.path.looked(module), *self.path.before(places, ruby or chosen))
            leaves = self.path.anywhere(f"lib/puppet/functions/{name}.rb")
            if ruby is None:
                leaves += self.path.before(places, chosen)
                if chosen is None:
                    leaves += self.path.anywhere(f"lib/puppet/parser/functions/{name}.rb")
            return tuple(leaves)

    # --- files -------------------------------------------------------------------------------------------------------

    def _load(self, what: str, name: str) -> bool:
        """Load the files that may define something; whether any was loaded."""
        if (what, name) in self._missing or not name:
            return False
        self._loading += 1
        try:
            loaded = self._load_first(what, name)
        except Exception:  # what stops a run from outside is none: the environment stays half loaded, and is not kept
            self._missing.discard((what, name))
            self._loading -= 1
            raise
        self._loading -= 1
        return loaded

    def _load_first(self, what: str, name: str) -> bool:
        """Load the files of a name that was not asked for yet."""
        self._missing.add((what, name))
        loaded = False
        tables: dict[str, Mapping[str, object]] = {
            "class": self.index.classes,
            "define": self.index.defines,
            "function": self.index.functions,
            "type": self.types.aliases,
        }
        table = tables[what]
        for module, paths in self.path.candidates(what, name):
            for path in paths:
                if path not in self._loaded and self._is_there(what, path):
                    self._read(what, name, module, path)
                    loaded = True
                else:
                    self._hear(path)
            if name in table:
                break
        return loaded

    def _is_there(self, what: str, path: str) -> bool:
        """Whether there is a file that may define something.  Classes and defines are asked for by every run anew."""
        if what not in _BY_NAME:
            return self.host.is_file(path)
        with self.host.apart():
            return self.host.is_file(path)

    def _source(self, what: str, path: str) -> SourceFile:
        if what not in _BY_NAME:
            return self.host.source(path)
        with self.host.apart():
            return self.host.source(path)

    def questions(self, what: str, name: str) -> Iterator[tuple[str, str]]:
        """What the answer to `find_class` or `find_define` depends on: every file that the name may be defined in."""
        for _, paths in self.path.candidates(what, name):
            for path in paths:
                yield "content", path
        definition = (self.index.classes if what == "class" else self.index.defines).get(name)
        if definition is not None and definition.span is not None:
            yield "content", definition.span.file.name

    def _read(self, what: str, name: str, module: str, path: str) -> None:
        """Read one file for the sake of a name."""
        self._loaded.add(path)
        self.file_warnings.pop(path, None)
        try:
            with reading(self, path) as reader:
                program = self.parse(self._source(what, path), namespace=self.path.namespace(path))
                if what in ("function", "type"):
                    _check_definition(program, what, name, path)
                self.register(program, module)
            self._instantiate(program.definitions, reader)
        except Diagnostic:  # to be told again when it is asked for again
            self._loaded.discard(path)
            self.file_warnings.pop(path, None)
            self._missing.discard((what, name))
            self.index.forget((path,))
            raise
        self._modules_read.append(program)

    def template(self, path: str) -> Template:
        """A compiled template file."""
        self.host.own("content", path)
        template = self.templates.get(path)
        if template is None:
            with reading(self, path):
                with self.host.apart():
                    source = self.host.source(path)
                template = self.templates[path] = self.template_of(source)
        else:
            self._hear(path)
        return template

    def template_of(self, source: SourceFile) -> Template:
        """A compiled template."""
        return Template(self.parse(source, epp=True), self)

    def render_erb(self, frame: Frame, name: str, span: Span | None) -> Traced:
        """The text of an ERB template file in the scope of `frame`."""
        from ..rubyhost.templates import render_file

        return render_file(frame, name, span)

    def render_erb_text(self, frame: Frame, text: Traced, span: Span | None) -> Traced:
        """The text of an ERB template given as text."""
        from ..rubyhost.templates import render_text

        return render_text(frame, text[0], text[1], span)

    def data_for(self, run: Compilation) -> object:
        """Where values of class parameters and `lookup` come from; nothing if there is no data."""
        return None if self.data is None else self.data.for_run(run)

    # --- what is observed --------------------------------------------------------------------------------------------

    def observes(self, file: str) -> bool:
        """Whether the code of a file tells its runs what each expression gave."""
        if not self.observing or self.observed is None:
            return self.observing
        known = self._observes.get(file)
        if known is None:
            known = self._observes[file] = posixpath.realpath(file) in self.observed
        return known

    def observe(self, files: frozenset[str] | None) -> bool:
        """Have the code of other files tell their runs: it is made anew, as if these files had changed.

        If that is not possible the answer is no: the environment must be opened anew.
        """
        if files == self.observed:
            return True
        if files is None or self.observed is None:
            return False
        others = files ^ self.observed
        names = [name for name in self.sources if posixpath.realpath(name) in others]
        if names and not self.changed(names):
            return False
        self.observed, self._observes = files, {}
        return True

    # --- changes -----------------------------------------------------------------------------------------------------

    def changed(self, paths: Sequence[str]) -> bool:
        """Forget what depends on files that changed, and nothing else; it is read again when it is asked for.

        Classes and defines are found by name in every run, so those of a file can go while all other code stays, and a
        main manifest that defines nothing but nodes is read again. What code is bound to when it is compiled can not
        go: functions, types, how modules are found. If any of that changed, nothing is done and the answer is no: the
        environment must be opened anew. Runs that are over keep the environment as it was.
        """
        gone = set(paths)
        main = {program.file.name for program in self._programs} & gone
        anew = self._main_anew(main) if main else None
        if (main and anew is None) or not all(map(self._can_forget, gone - main)):
            return False
        self._leave_to_runs()
        if anew is not None:
            self._programs, self.index.nodes = anew
            self._bodies = None
            self.sources.update({program.file.name: program.file for program in self._programs})
        self._readers = {}
        self.summaries.forget(gone)
        gone -= main
        self.index.forget(gone)
        for path in gone:
            if path in self._loaded and path.endswith("/manifests/init.pp"):
                self._unread.add(path)
            self._loaded.discard(path)
            self.sources.pop(path, None)
            self.templates.pop(path, None)
            self.file_warnings.pop(path, None)
        self._modules_read = [program for program in self._modules_read if program.span.file.name not in gone]
        self._missing.clear()
        if self.data is not None:
            self.data = self.data.without(gone)
        return True

    def _main_anew(self, changed: set[str]) -> tuple[list[tree.Program], dict[str, Definition]] | None:
        """The main manifests with those that changed read again, and all nodes.

        Nothing where the environment must be opened anew: where there is something to be said about a file, or it
        defines more than nodes, before or now, or nodes of other names, which may be those of classes.
        """
        if any(warning.span is None or warning.span.file.name in changed for warning in self.warnings):
            return None
        programs: list[tree.Program] = []
        index = Index(self, self._warn)
        try:
            for program in self._programs:
                if program.file.name in changed:
                    result = self._parsed(self.host.source(program.file.name))
                    definitions = (*program.definitions, *result.program.definitions)
                    if result.diagnostics or not all(isinstance(one, tree.NodeDefinition) for one in definitions):
                        return None
                    program = result.program
                programs.append(program)
                for definition in program.definitions:
                    if isinstance(definition, tree.NodeDefinition):
                        index.add_nodes(definition, "")
        except Diagnostic:
            return None
        return (programs, index.nodes) if index.nodes.keys() == self.index.nodes.keys() else None

    def _can_forget(self, path: str) -> bool:
        """Whether nothing but what is found by name in every run depends on a file."""
        for program in self._modules_read:
            if program.span.file.name == path:
                kinds = tree.ClassDefinition | tree.DefinedType
                return all(isinstance(definition, kinds) for definition in program.definitions)
        return path in self.templates or (self.data is not None and path in self.data.files)

    def _leave_to_runs(self) -> None:
        """Give the runs that are over a copy of this environment, which no change reaches."""
        kept = copy(self)
        kept.index = self.index.copy(kept, kept._warn)
        kept.summaries = self.summaries.copy(kept, lambda: kept.index.classes)
        for name in ("sources", "templates", "file_warnings", "_loaded", "_missing", "_unread"):
            setattr(kept, name, getattr(self, name).copy())
        kept._runs = WeakSet()
        for run in list(self._runs):
            run.environment = kept
        self._runs = WeakSet()

    @property
    def can_be_kept(self) -> bool:
        """Whether a second run would do the same as one in an environment that was just opened.

        It would not after a run that was stopped while it loaded something. Nor would it hear the same warnings: code
        is bound to functions and types once, and does not ask for them again, so nobody would hear of their files.
        """
        if self._loading:
            return False
        noisy = self.file_warnings.keys()
        return not any(
            program.span.file.name in noisy
            and any(
                isinstance(definition, tree.FunctionDefinition | tree.TypeAlias) for definition in program.definitions
            )
            for program in self._modules_read
        )


_BY_NAME = ("class", "define")
"""What code does not hold on to: every run asks for it by its name."""


def _lookup_context() -> PuppetType:
    """The type of what data functions are given, which brings its methods along."""
    from ..hiera.context import CONTEXT_TYPE

    return CONTEXT_TYPE


def _typed(definition: tree.Definition) -> bool:
    """Whether this is a class or define with types for its parameters."""
    if not isinstance(definition, tree.ClassDefinition | tree.DefinedType):
        return False
    return any(parameter.type is not None for parameter in definition.parameters)


def _pending_key(definition: tree.Definition) -> tuple[str, str] | None:
    match definition:
        case tree.DefinedType():
            return "define", definition.name.lower()
        case tree.FunctionDefinition():
            return "function", definition.name.lower()
        case tree.TypeAlias():
            return "type", definition.name.lower()
    return None


def _check_definition(program: tree.Program, what: str, name: str, path: str) -> None:
    """A file that a function or type is loaded from must define that, and nothing else."""
    lead = f"The code loaded from {path}"
    wanted = tree.FunctionDefinition if what == "function" else tree.TypeAlias
    definitions = program.definitions
    if not definitions:
        raise Failure(f"{lead} does not define the {what} '{name}' - it is empty.", kind="misnamed type")
    if len(definitions) > 1:
        raise Failure(
            f"{lead} must contain only the {what} '{name}' - it has additional definitions.", kind="misnamed type"
        )
    definition = definitions[0]
    if not isinstance(definition, wanted):
        missing = "no function found" if what == "function" else "no type alias or type definition found"
        raise Failure(f"{lead} does not define the {what} '{name}' - {missing}.", kind="misnamed type")
    if (definition.name if what == "function" else definition.name.lower()) != name:
        expected, actual = (name, definition.name) if what == "function" else (f"'{name}'", f"'{definition.name}'")
        raise Failure(
            f"{lead} produced {what} with the wrong name, expected {expected}, actual {actual}", kind="misnamed type"
        )
    if len(program.body.statements) > 1:
        only = f"the function {name}" if what == "function" else f"the type '{name}'"
        raise Failure(f"{lead} contains additional logic - can only contain {only}", kind="misnamed type")


def parsing_failed(problems: Sequence[Diagnostic], name: str, main: bool = True) -> Exception:
    """The error of a file that cannot be used: Puppet's one, with all that were found behind it."""
    first = verdict(problems)
    if first is None:
        return ManyErrors(problems)
    failure = ParsingFailed(
        first.message,
        first.labels[0] if first.labels else None,
        issue=first.issue_code,
        lead=f"Could not parse for environment {name}: " if main else "",
        notes=first.notes,
        help=first.help,
    )
    failure.problems = [problem for problem in problems if problem.severity == ERROR]
    failure.first = first
    failure.code = first.code  # the front end's own
    return failure
