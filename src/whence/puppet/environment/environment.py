"""An environment: manifests, modules and settings, parsed and compiled once, used for many nodes.

The main manifest is parsed when the environment is made; everything it defines is known before anything runs. Module
files are found by name when they are first asked for, as Puppet does: class `a::b` in `a/manifests/b.pp`, function
`a::f` in `a/functions/f.pp`, type `A::T` in `a/types/t.pp`, template `a/t.epp` in `a/templates/t.epp`. A Ruby resource
type is read off its source without running it.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from ...base.diagnostics import ERROR, Diagnostic, Label, ManyErrors, OutsideRoots
from ...base.source import SourceFile, Span
from ...provenance.origins import Leaf
from ..compile import Code, compile_body, compile_parameters
from ..compile.calls import PuppetFunction
from ..compile.templates import Template
from ..functions.table import find as find_function
from ..functions.table import names as function_names
from ..kernel.failures import EvaluationError, Failure, ParsingFailed, location, placed
from ..kernel.issues import verdict
from ..kernel.type_failures import AliasProblem, TypeProblem
from ..kernel.values import Regexp
from ..runtime.definitions import Definition, ParameterCode
from ..runtime.effects import Effects, Summary, declared_class, effects_of
from ..runtime.resource_types import METAPARAMETERS, ResourceKind, core_kind, core_names, read_generated
from ..syntax import tree
from ..types import named_type, parse_type, type_from_tree
from ..types.callables import ResourceType
from ..types.model import PuppetType, TypeAlias
from ..types.objects import ObjectType, TypeSetType

if TYPE_CHECKING:
    from ...base.host import Host
    from ..kernel.traced import Traced
    from ..rubyhost.library import Library
    from ..runtime.compilation import Compilation
    from ..runtime.scope import Frame
    from ..syntax.cache import TreeCache

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
    ) -> None:
        self.host = host
        self.modulepath = list(modulepath)
        self.settings = dict(settings or {})
        self.name = name
        self.root = root
        self.data = data
        self.cache = cache
        self.sources: dict[str, SourceFile] = {}
        self.warnings: list[Diagnostic] = []
        self.classes: dict[str, Definition] = {}
        self.defines: dict[str, Definition] = {}
        self.nodes: dict[str, Definition] = {}
        self.functions: dict[str, PuppetFunction] = {}
        self.aliases: dict[str, PuppetType] = {}
        self._alias_places: dict[str, Span] = {}
        self._alias_trees: dict[str, tree.Expression] = {}
        self._type_sets: dict[str, tuple[str, tree.Expression]] = {}
        self._module_sets: set[str] = set()
        self.kinds: dict[str, ResourceKind | None] = {}
        self.templates: dict[str, Template] = {}
        self.effects: dict[int, Any] = {}
        self._summaries: dict[str, Summary] | None = None
        self.jumping: dict[SourceFile, bool] = {}  # whether a file has the words for leaving code early
        self.main = Definition(self, "class", "", None, "", None, None)
        self.settings_class = Definition(self, "class", "settings", None, "", None, None)
        self._programs: list[tree.Program] = []
        self._modules_read: list[tree.Program] = []
        self._bodies: list[Any] | None = None
        self._loaded: set[str] = set()
        self._missing: set[tuple[str, str]] = set()
        self._pending: set[tuple[str, str]] = set()  # what a file that is being read defines further down
        self._instantiated = False
        self._passed_over: set[str] = set()
        self.running: Compilation | None = None
        self.file_warnings: dict[str, list[Diagnostic]] = {}  # of files that were read when they were asked for
        self._told: set[str] = set()  # those of them whose warnings the run that is served has heard
        self._reading: list[str] = []
        self._unread: set[str] = set()  # first files of modules that changed: whatever is looked for, they come first
        self._runs: WeakSet[Compilation] = WeakSet()
        self._reachable: dict[str, tuple[str, ...]] = {}
        self._library: Library | None = None
        for source in manifests:
            program = self.parse(source, main=True)
            self._programs.append(program)
        for program in self._programs:
            self.register(program, "")

    # --- parsing -----------------------------------------------------------------------------------------------------

    def parse(
        self, source: SourceFile, epp: bool = False, main: bool = False, namespace: str | None = None
    ) -> tree.Program:
        """Parse and validate a file.  Raises `ParsingFailed` with everything that is wrong.

        `namespace` is what a module's file may define.
        """
        from ..syntax.parser import Settings, parse, parse_epp

        self.sources[source.name] = source
        strict = str(self.settings.get("strict", "warning"))
        settings = Settings(strict, bool(self.settings.get("tasks")), namespace)
        if self.cache is not None:
            result = self.cache.parse(source, epp, settings)
        else:
            result = (parse_epp if epp else parse)(source, settings)
        for each in result.diagnostics:
            if each.severity != ERROR:
                self._warn(each)
        if not result.ok:
            raise parsing_failed(result.diagnostics, self.name, main)
        return result.program

    def programs(self) -> list[tree.Program]:
        """The parsed manifests, and the module files that were loaded."""
        return [*self._programs, *self._modules_read]

    def main_bodies(self) -> list[Any]:
        """The code of the main manifests."""
        if self._bodies is None:
            self._bodies = [compile_body(each.body, self) for each in self._programs]
        return self._bodies

    def body_code(self, node: tree.Node) -> Code:
        """The code of a body whose value nobody looks at: of a class, a define or a node."""
        return compile_body(node, self)

    def parameter_codes(self, parameters: Sequence[tree.Parameter]) -> list[ParameterCode]:
        """The code of a list of parameters."""
        return compile_parameters(parameters, self)

    def register(self, program: tree.Program, module: str) -> None:
        """Make the definitions of a file known."""
        for each in program.definitions:
            match each:
                case tree.ClassDefinition():
                    parent = each.parent.lower().removeprefix("::") if each.parent else None
                    self._add_class(Definition(self, "class", each.name.lower(), parent, module, each, each.at))
                case tree.DefinedType():
                    self._add_define(Definition(self, "define", each.name.lower(), None, module, each, each.at))
                case tree.NodeDefinition():
                    self._add_nodes(each, module)
                case tree.FunctionDefinition():
                    name = each.name.lower()
                    if name in self.functions:
                        raise _redefined("function", name, self.functions[name].span, each)
                    self.functions[name] = PuppetFunction(name, each, self)
                case tree.TypeAlias():
                    self._add_alias(each, module)

    def _add_class(self, definition: Definition) -> None:
        name = definition.name
        self._no_metaparameters(definition)
        if name in self.classes:
            raise self._taken(f"Class '{name}' is already defined", "cannot redefine", self.classes[name], definition)
        if name in self.nodes:
            words = "cannot be redefined as a class"
            raise self._taken(f"Node '{name}' is already defined", words, self.nodes[name], definition)
        if name in self.defines:
            words = "cannot be redefined as a class"
            raise self._taken(f"Definition '{name}' is already defined", words, self.defines[name], definition)
        self.classes[name] = definition

    def _add_define(self, definition: Definition) -> None:
        name = definition.name
        self._no_metaparameters(definition)
        if name in self.classes:
            where = location(self.classes[name].span)
            raise self._taken(
                f"'{name}' is already defined{' ' + where if where else ''} as a class",
                "cannot redefine as a definition",
                None,
                definition,
            )
        if name in self.defines:
            words = "cannot be redefined"
            raise self._taken(f"Definition '{name}' is already defined", words, self.defines[name], definition)
        self.defines[name] = definition

    def _no_metaparameters(self, definition: Definition) -> None:
        for each in definition.tree.parameters:
            if each.name not in METAPARAMETERS:
                continue
            if each.default is None:
                raise EvaluationError(
                    f"{each.name} is a metaparameter; please choose another parameter name in the "
                    f"{definition.name} definition",
                    each.at,
                    issue=None,
                    kind="metaparameter redefined",
                    lead="",
                    column=False,
                )
            self._warn(
                _Warning(
                    f"{each.name} is a metaparam; this value will inherit to all contained resources in the "
                    f"{definition.name} definition",
                    None,
                )
            )

    def _warn(self, warning: Diagnostic) -> None:
        """Keep a warning about the code; a compilation that uses a file of a module has it among its own lines."""
        if self._reading:
            self.file_warnings.setdefault(self._reading[-1], []).append(warning)
        if self.running is not None:
            self.running.warn(warning.message, warning.span)
        elif not self._reading:
            self.warnings.append(warning)

    def _use(self, path: str) -> None:
        """The run that is served uses what a file defines: it hears what is wrong with it as if it had it read."""
        if self.running is None or not (self.file_warnings or self._unread):
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
        if self.running is not None and path in self.file_warnings and path not in self._told:
            self._told.add(path)
            for warning in self.file_warnings[path]:
                self.running.warn(warning.message, warning.span)

    @contextmanager
    def _reads(self, path: str) -> Iterator[None]:
        """Inside, a file is read, and the run that is served hears of it."""
        self._told.add(path)
        self._reading.append(path)
        try:
            yield
        finally:
            self._reading.pop()

    @contextmanager
    def serving(self, run: Compilation) -> Iterator[None]:
        """Serve a run: what is wrong with files that it makes be read is told to it.

        The types of the parameters in the main manifests are evaluated once, before anything else runs. Puppet does
        this definition by definition as it reads a file, so that what stands further down is not known yet.
        """
        self.running = run
        self._told = set()
        self._runs.add(run)
        try:
            if not self._instantiated:
                definitions = [each for program in self._programs for each in program.definitions]
                self._instantiate(definitions, run)
                self._instantiated = all(map(self._is_fixed, definitions))  # else anew for every run
            yield
        finally:
            self.running = None

    def _instantiate(self, definitions: Sequence[tree.Definition], run: Compilation) -> None:
        if not any(_typed(each) for each in definitions):
            return
        kept, self._pending = self._pending, {key for key in map(_pending_key, definitions) if key is not None}
        try:
            for each in definitions:
                if isinstance(each, tree.ClassDefinition | tree.DefinedType) and _typed(each):
                    table = self.classes if isinstance(each, tree.ClassDefinition) else self.defines
                    table[each.name.lower()].struct(run.top)
                key = _pending_key(each)
                if key is not None:
                    self._pending.discard(key)
        finally:
            self._pending = kept

    def _is_fixed(self, definition: tree.Definition) -> bool:
        if not isinstance(definition, tree.ClassDefinition | tree.DefinedType):
            return True
        table = self.classes if isinstance(definition, tree.ClassDefinition) else self.defines
        return table[definition.name.lower()].is_fixed()

    def _taken(self, words: str, end: str, first: Definition | None, second: Definition) -> EvaluationError:
        where = location(first.span) if first is not None else ""
        labels = [Label(first.span, "first defined here")] if first is not None and first.span is not None else []
        return EvaluationError(
            f"{words}{' ' + where if where else ''}; {end}",
            second.span,
            *labels,
            issue=None,
            kind="duplicate definition",
            lead="",
            column=False,
        )

    def _add_nodes(self, node: tree.NodeDefinition, module: str) -> None:
        for host in node.hosts:
            pattern = None
            match host:
                case tree.Regex(pattern=source):
                    pattern = Regexp(source)
                    kept = "".join(c for c in source.lower() if c.isalnum() or c in "-_:.")
                    name = f"__node_regexp__{kept.lstrip('.')}"
                case tree.Default():
                    name = "default"
                case _:
                    name = str(getattr(host, "value", "")).lower()
            definition = Definition(self, "node", name, None, module, node, node.at, pattern)
            if isinstance(host, tree.String):
                definition.name_origin = Leaf("literal", "", host.span, host.value)
            if name in self.nodes:
                words = f"Node '{name}' is already defined"
                raise self._taken(words, "cannot redefine", self.nodes[name], definition)
            if name in self.classes:
                words = f"Class '{name}' is already defined"
                raise self._taken(words, "cannot be redefined as a node", self.classes[name], definition)
            self.nodes[name] = definition

    def _add_alias(self, node: tree.TypeAlias, module: str) -> None:
        from ..types.reading import value_from_tree

        name = node.name
        known = self._alias_places.get(name.lower())
        named = Span(node.file, node.file.text.index(name, node.start), node.end)
        if known is not None:
            raise _redefined("type", name.lower(), known, node)
        self._alias_places[name.lower()] = named
        self._alias_trees[name.lower()] = node.type
        if isinstance(node.type, tree.Access) and isinstance(node.type.target, tree.TypeName):
            definition = node.type.keys[0] if len(node.type.keys) == 1 else None
            if node.type.target.lower == "object" and definition is not None:
                self.aliases[name.lower()] = ObjectType(lambda: value_from_tree(definition, self.resolve), name)
                return
            if node.type.target.lower == "typeset" and definition is not None:
                self._type_sets[name.lower()] = (name, definition)
                if module not in ("", "environment"):
                    self._module_sets.add(name.lower())
                return
        self.aliases[name.lower()] = TypeAlias(name, lambda: type_from_tree(node.type, self.resolve))

    def alias_literals(self, found: PuppetType) -> list[Any]:
        """The literals that an alias is made of, those of other aliases in it included."""
        literals: list[Any] = []
        seen: set[str] = set()
        waiting = [found.name.lower()] if isinstance(found, TypeAlias) else []
        while waiting:
            name = waiting.pop()
            written = self._alias_trees.get(name) if name not in seen else None
            seen.add(name)
            stack: list[tree.Node] = [written] if written is not None else []
            while stack:
                node = stack.pop()
                if isinstance(node, tree.TypeName):
                    waiting.append(node.value.lower().removeprefix("::"))
                elif isinstance(node, tree.Integer | tree.Float | tree.String):
                    literals.append(node)
                stack.extend(node.children())
        return literals

    def _type_set(self, lower: str) -> PuppetType | None:
        """A set of types, made when it or one of its members is first asked for."""
        if lower in self._type_sets:
            from ..types.reading import type_set_from_tree

            name, definition = self._type_sets.pop(lower)
            self.aliases[lower] = made = type_set_from_tree(name, definition, self.resolve)
            return made
        above, _, member = lower.rpartition("::")
        # Only of a module's set are the members found by name.
        family = (self.aliases.get(above) or self._type_set(above)) if above in self._module_sets else None
        return family.member(member) if isinstance(family, TypeSetType) else None

    # --- finding things by name --------------------------------------------------------------------------------------

    def find_class(self, name: str) -> Definition | None:
        """The class of this name, loaded if need be."""
        name = name.lower().removeprefix("::")
        found = self.classes.get(name)
        if found is None and name == "settings":
            return self.settings_class
        if found is None and self._load("class", name):
            found = self.classes.get(name)
        if found is not None and found.span is not None:
            self._use(found.span.file.name)
        return found

    def find_type(self, name: str) -> ResourceKind | Definition | None:
        """The resource type or define of this name (in lower case), loaded if need be."""
        name = name.removeprefix("::")
        if ":" not in name:
            kind = self.find_kind(name)
            if kind is not None:
                return kind
        if ("define", name) in self._pending:
            return None
        found = self.defines.get(name)
        if found is None and self._load("define", name):
            found = self.defines.get(name)
        if found is not None and found.span is not None:
            self._use(found.span.file.name)
        return found

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

    def ruby_library(self) -> Library:
        """The Ruby of the modules."""
        if self._library is None:
            from ..rubyhost.library import Library

            self._library = Library(self)
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
        return find_function(name) is not None or name.removeprefix("::") in self.functions

    def function(self, name: str, span: Span | None) -> Function:
        """The function of this name.  Raises Puppet's error if there is none."""
        found: Function = find_function(name)
        if found is not None:
            return found
        plain = name.lower().removeprefix("::")
        found = self.functions.get(plain) if ("function", plain) not in self._pending else None
        if found is None:
            try:
                found = self.ruby_library().function(plain)
                if found is None and self._load("function", plain):
                    found = self.functions.get(plain)
                found = found or self.ruby_library().legacy_function(plain)
            except Failure as failure:
                raise failure if span is None else placed(failure, "Function Call", span) from None
        if found is None:
            from ...base.spell import nearest

            near = nearest(name, [*function_names(), *self.functions])
            raise EvaluationError(
                f"Unknown function: '{name}'.",
                span,
                issue="UNKNOWN_FUNCTION",
                help=f"did you mean {near}?" if near else None,
            )
        return found

    def resolve(self, name: str) -> PuppetType | None:
        """The type behind a name that is not built in: an alias or a resource type."""
        lower = name.lower().removeprefix("::")
        if lower == "puppet::lookupcontext":
            return _lookup_context()
        if ("type", lower) in self._pending:
            return None
        alias = self.aliases.get(lower) or self._type_set(lower)
        if alias is None and "::" in lower:
            if self._load("type", lower) or self._load("type", lower.rpartition("::")[0]):
                alias = self.aliases.get(lower) or self._type_set(lower)
        if alias is not None:
            return alias
        found = self.find_type(lower)
        if found is not None:
            return ResourceType("::".join(part[:1].upper() + part[1:] for part in found.name.split("::")))
        if "::" not in lower and self._load("type", lower):
            return self.aliases.get(lower) or self._type_set(lower)
        return None

    def resolve_type_name(self, name: str) -> PuppetType | None:
        """The type that a name in a program says."""
        return named_type(name.lower().removeprefix("::")) or self.resolve(name)

    def type_of_text(self, text: str, frame: Any) -> PuppetType:
        """The type that a text says."""
        try:
            return parse_type(text, self.resolve)
        except TypeProblem:
            from ..syntax.parser import Settings, parse

            result = parse(SourceFile("", text), Settings())
            if result.ok:
                raise
            raise Failure(result.diagnostics[0].message) from None

    def check_alias(self, found: PuppetType) -> None:
        """Work out what an alias stands for.  Fails if it is nothing."""
        if isinstance(found, TypeAlias):
            try:
                _ = found.resolved
            except AliasProblem as problem:
                raise Failure(str(problem)) from None
        elif isinstance(found, ObjectType):
            found.read()

    def near_type(self, name: str) -> str | None:
        """A hint for a type name that is not known."""
        from ...base.spell import nearest
        from ..types.names import BUILTIN_TYPES

        known = [*core_names(), *self.defines, *self.aliases, *BUILTIN_TYPES]
        near = nearest(name.lower(), known)
        if near is None:
            return None
        return f"did you mean {'::'.join(part[:1].upper() + part[1:] for part in near.split('::'))}?"

    def near_declared(self, name: str) -> str | None:
        """A hint for the type of a resource that is not known, as one writes it to declare one."""
        from ...base.spell import nearest

        near = nearest(name, [*core_names(), *self.defines, "class"])
        return f"did you mean {near}?" if near else None

    def near_class(self, name: str) -> str | None:
        """A hint for a class that is not known."""
        from ...base.spell import nearest

        near = nearest(name.removeprefix("::"), self.classes)
        return f"did you mean {near}?" if near else None

    # --- nodes -------------------------------------------------------------------------------------------------------

    def match_node(self, name: str) -> tuple[Definition | None, Sequence[str | None] | None, list[str]]:
        """The node definition for a node: by its name, by the first pattern that matches, or `default`.

        Where there is no `default`, Puppet looks for a pattern that matches that word.
        """
        for wanted in (name.lower(), "default"):
            found = self.nodes.get(wanted)
            if found is not None and found.pattern is None:
                return found, None, [name]
            for definition in self.nodes.values():
                if definition.pattern is not None:
                    matched = definition.pattern.search(wanted)
                    if matched is not None:
                        return definition, (matched.group(0), *matched.groups()), [name]
        return None, None, [name]

    # --- modules -----------------------------------------------------------------------------------------------------

    def modules(self) -> Iterator[tuple[str, str]]:
        """The modules there are, with their directories; the first of a name counts."""
        seen: set[str] = set()
        for path in self.modulepath:
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
                self._warn(_Warning(f"{problem.message}; {problem.help}", None))
            return False

    def module_directory(self, name: str) -> str | None:
        """The directory of a module: the first on the module path."""
        for path in self.modulepath:
            directory = posixpath.join(path, name)
            if self.host.is_directory(directory):
                return directory
        return None

    def find_file(self, kind: str, path: str) -> str | None:
        """The file `MODULE/REST` below the module's `kind`, or an absolute path that exists."""
        return next((each for each in self.file_places(kind, path) if self.host.is_file(each)), None)

    def file_places(self, kind: str, path: str) -> list[str]:
        """The files that `MODULE/REST`, or an absolute path, may be, the first first."""
        if path.startswith("/"):
            return [path]
        module, _, rest = path.partition("/")
        directory = self.module_directory(module)
        places = []
        if rest and (directory is not None or self.modulepath):
            places.append(posixpath.join(directory or posixpath.join(self.modulepath[0], module), kind, rest))
        if self.root is not None and kind == "templates":
            places.append(posixpath.join(self.root, kind, path))
        return places

    def _candidates(self, what: str, name: str) -> Iterator[tuple[str, list[str]]]:
        """The files that may define something, most likely first, with the module they belong to.

        Those that are read together stand together: a module's `init.pp` comes with every file of its manifests.
        """
        module, *rest = name.split("::")
        if what in ("class", "define"):
            directory = self.module_directory(module)
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
        directory = self.module_directory(module)
        if directory is not None and rest:
            yield module, [posixpath.join(directory, folder, *rest) + ".pp"]
        elif directory is not None and what == "type":
            yield module, [posixpath.join(directory, folder, "init_typeset.pp")]

    def _load(self, what: str, name: str) -> bool:
        """Load the files that may define something; whether any was loaded."""
        if (what, name) in self._missing or not name:
            return False
        self._missing.add((what, name))
        loaded = False
        tables: dict[str, Mapping[str, Any]] = {
            "class": self.classes,
            "define": self.defines,
            "function": self.functions,
            "type": self.aliases,
        }
        table = tables[what]
        for module, paths in self._candidates(what, name):
            for path in paths:
                if path not in self._loaded and self.host.is_file(path):
                    self._read(what, name, module, path)
                    loaded = True
                else:
                    self._hear(path)
            if name in table:
                break
        return loaded

    def _read(self, what: str, name: str, module: str, path: str) -> None:
        """Read one file for the sake of a name."""
        self._loaded.add(path)
        self.file_warnings.pop(path, None)
        try:
            with self._reads(path):
                program = self.parse(self.host.source(path), namespace=self._namespace(path))
                if what in ("function", "type"):
                    _check_definition(program, what, name, path)
                self.register(program, module)
            if self.running is not None:
                self._instantiate(program.definitions, self.running)
        except Diagnostic:  # to be told again when it is asked for again
            self._loaded.discard(path)
            self.file_warnings.pop(path, None)
            self._missing.discard((what, name))
            for table in (self.classes, self.defines):
                for known in [key for key, each in table.items() if each.span and each.span.file.name == path]:
                    del table[known]
            raise
        self._modules_read.append(program)

    def _namespace(self, path: str) -> str | None:
        """What a module's file may define, by its place; files of the environment itself are free."""
        from ..syntax.location import file_namespace

        for directory in self.modulepath:
            if path.startswith(f"{directory.rstrip('/')}/"):
                return file_namespace(path[len(directory.rstrip("/")) + 1 :])
        return None

    def template(self, path: str) -> Template:
        """A compiled template file."""
        found = self.templates.get(path)
        if found is None:
            with self._reads(path):
                found = self.templates[path] = self.template_of(self.host.source(path))
        else:
            self._hear(path)
        return found

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

    def data_for(self, run: Compilation) -> Any:
        """Where values of class parameters and `lookup` come from; nothing if there is no data."""
        return None if self.data is None else self.data.for_run(run)

    # --- changes -----------------------------------------------------------------------------------------------------

    def changed(self, paths: Sequence[str]) -> bool:
        """Forget what hangs on files that changed, and nothing else; it is read again when it is asked for.

        Classes and defines are found by name in every run, so those of a file can go while all other code stays. What
        code is bound to when it is compiled can not: functions, types, the main manifests, how modules are found. If
        any of that changed, nothing is done and the answer is no: the environment must be opened anew. Runs that are
        over keep the environment as it was.
        """
        gone = set(paths)
        if not all(map(self._can_forget, gone)):
            return False
        self._leave_to_runs()
        for table in (self.classes, self.defines):
            for name in [name for name, each in table.items() if each.span and each.span.file.name in gone]:
                del table[name]
        for path in gone:
            if path in self._loaded and path.endswith("/manifests/init.pp"):
                self._unread.add(path)
            self._loaded.discard(path)
            self.sources.pop(path, None)
            self.templates.pop(path, None)
            self.file_warnings.pop(path, None)
        self._modules_read = [each for each in self._modules_read if each.span.file.name not in gone]
        self.effects = {key: each for key, each in self.effects.items() if each[0].span.file.name not in gone}
        self.jumping = {file: jumps for file, jumps in self.jumping.items() if file.name not in gone}
        self._missing.clear()
        self._reachable.clear()
        if self.data is not None:
            self.data = self.data.without(gone)
        return True

    def _can_forget(self, path: str) -> bool:
        """Whether nothing but what is found by name in every run hangs on a file."""
        if any(each.span.file.name == path for each in self._programs):
            return False
        for program in self._modules_read:
            if program.span.file.name == path:
                kinds = tree.ClassDefinition | tree.DefinedType
                return all(isinstance(each, kinds) for each in program.definitions)
        return path in self.templates or (self.data is not None and path in self.data.files)

    def _leave_to_runs(self) -> None:
        """Give the runs that are over a copy of this environment, which no change reaches."""
        kept = copy(self)
        for name in ("sources", "classes", "defines", "templates", "file_warnings"):
            setattr(kept, name, getattr(self, name).copy())
        kept._loaded, kept._missing, kept._reachable = self._loaded.copy(), self._missing.copy(), self._reachable.copy()
        kept._unread = self._unread.copy()
        kept._runs = WeakSet()
        for run in list(self._runs):
            run.environment = kept
        self._runs = WeakSet()

    @property
    def can_be_kept(self) -> bool:
        """Whether a second run would hear the same warnings as one in an environment that was just opened.

        Code is bound to functions and types once; it does not ask for them again, so nobody would hear of their files.
        """
        noisy = self.file_warnings.keys()
        return not any(
            each.span.file.name in noisy
            and any(isinstance(definition, tree.FunctionDefinition | tree.TypeAlias) for definition in each.definitions)
            for each in self._modules_read
        )

    # --- may-effects -------------------------------------------------------------------------------------------------

    def class_body(self, name: str) -> Definition | None:
        """A class, loaded if it can be: what it would do if it were declared."""
        with suppress(Diagnostic):
            return self.find_class(name)
        return None

    def define_body(self, name: str) -> Definition | None:
        """A define, loaded if it can be."""
        with suppress(Diagnostic):
            found = self.find_type(name)
            return found if isinstance(found, Definition) else None
        return None

    def function_body(self, name: str) -> tree.Node | None:
        """The body of a function written in Puppet, loaded if it can be."""
        with suppress(Diagnostic):
            found = self.function(name, None)
            return found.body if isinstance(found, PuppetFunction) else None
        return None

    def body_effects(self, definition: Definition) -> Effects | None:
        """What the body of a definition may do."""
        body = getattr(definition.tree, "body", None)
        return None if body is None else effects_of(body, self.effects)

    def class_summaries(self) -> Mapping[str, Summary]:
        """What each class that could be declared would lead to, itself included."""
        if self._summaries is None:
            self._summaries = {name: Summary(declared_class(name), self) for name in self._class_names()}
        return self._summaries

    def _class_names(self) -> list[str]:
        """The names of all classes that could be declared."""
        names = dict.fromkeys(self.classes)
        for module, directory in self.modules():
            for path in manifest_files(self.host, posixpath.join(directory, "manifests")):
                parts = path.removesuffix(".pp").split("/")
                names["::".join([module, *([] if parts == ["init"] else parts)])] = None
        return list(names)

    def assigned_in_class(self, name: str) -> tuple[str, ...]:
        """The variables that the body of a class may assign."""
        definition = self.classes.get(name)
        effects = (
            effects_of(definition.tree.body, self.effects)
            if definition is not None and definition.tree is not None
            else None
        )
        return effects.names if effects is not None else ()


def manifest_files(host: Host, directory: str, inside: str = "") -> Iterator[str]:
    """The manifests below a directory, as paths from there."""
    full = posixpath.join(directory, inside) if inside else directory
    for name in host.list_directory(full) if host.is_directory(full) else ():
        path = posixpath.join(inside, name) if inside else name
        if name.endswith(".pp"):
            yield path
        elif host.is_directory(posixpath.join(directory, path)):
            yield from manifest_files(host, directory, path)


def _lookup_context() -> PuppetType:
    """The type of what data functions are given, which brings its methods along."""
    from ..compile.calls import ACTIVE
    from ..hiera.context import CONTEXT_TYPE, LookupContext, LookupContextType

    ACTIVE.update((LookupContext, LookupContextType))
    return CONTEXT_TYPE


class _Warning(Diagnostic):
    """A warning of the compiler about code."""

    code = "P402"
    severity = "warning"

    def __init__(self, message: str, at: Span | None) -> None:
        super().__init__(message, at)


def _typed(definition: tree.Definition) -> bool:
    """Whether this is a class or define with types for its parameters."""
    if not isinstance(definition, tree.ClassDefinition | tree.DefinedType):
        return False
    return any(each.type is not None for each in definition.parameters)


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
    found = definitions[0]
    if not isinstance(found, wanted):
        missing = "no function found" if what == "function" else "no type alias or type definition found"
        raise Failure(f"{lead} does not define the {what} '{name}' - {missing}.", kind="misnamed type")
    if (found.name if what == "function" else found.name.lower()) != name:
        expected, actual = (name, found.name) if what == "function" else (f"'{name}'", f"'{found.name}'")
        raise Failure(
            f"{lead} produced {what} with the wrong name, expected {expected}, actual {actual}", kind="misnamed type"
        )
    if len(program.body.statements) > 1:
        only = f"the function {name}" if what == "function" else f"the type '{name}'"
        raise Failure(f"{lead} contains additional logic - can only contain {only}", kind="misnamed type")


def _redefined(kind: str, name: str, first: Span, node: tree.Definition) -> EvaluationError:
    line, column = first.file.line_and_column(first.start)
    return EvaluationError(
        f"Attempt to redefine entity 'http://puppet.com/2016.1/runtime/{kind}/{name}'. "
        f"Originally set at file://{first.file.name}?line={line}&pos={column}.",
        node.at,
        Label(first, "first defined here"),
        issue=None,
        kind="duplicate definition",
        lead="",
        placeless=True,
    )


def module_roots(modulepath: Sequence[str]) -> list[str]:
    """The directories that a module path opens: itself, and the modules in it that are links to elsewhere.

    A link opens what looks like a module, and nothing else: whoever can write a link could open any directory.
    """
    roots = list(modulepath)
    for path in modulepath:
        with suppress(OSError), os.scandir(path) as entries:
            linked = [os.path.realpath(entry.path) for entry in entries if entry.is_symlink()]
            roots.extend(real for real in linked if _is_module(real))
    return roots


def _is_module(directory: str) -> bool:
    return os.path.isfile(f"{directory}/metadata.json") or os.path.isdir(f"{directory}/manifests")


def manifest_sources(host: Host, path: str) -> list[SourceFile]:
    """The manifest, or all manifests below a directory, in Puppet's order."""
    if not host.is_directory(path):
        return [host.source(path)]
    found: list[str] = []
    waiting = [path]
    while waiting:
        directory = waiting.pop()
        for name in host.list_directory(directory):
            full = f"{directory.rstrip('/')}/{name}"
            if host.is_directory(full):
                waiting.append(full)
            elif name.endswith(".pp"):
                found.append(full)
    return [host.source(each) for each in sorted(found)]


def parsing_failed(problems: Sequence[Diagnostic], name: str, main: bool = True) -> Exception:
    """The error of a file that cannot be used: Puppet's one, with all that were found behind it."""
    first = verdict(problems)
    if first is None:
        return ManyErrors(problems)
    made = ParsingFailed(
        first.message,
        first.labels[0] if first.labels else None,
        issue=first.issue_code,
        lead=f"Could not parse for environment {name}: " if main else "",
        notes=first.notes,
        help=first.help,
    )
    made.problems = [each for each in problems if each.severity == ERROR]
    made.first = first
    made.code = first.code  # type: ignore[misc]  # the front end's own
    return made
