"""What the files of an environment define, by name: classes, defines, nodes and functions.

A name is defined once. Everything knows the file it stands in (`span`), so that what depends on a file can be forgotten
when the file changes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic, Label
from ...base.source import Span
from ...base.spell import nearest
from ...provenance.origins import Leaf
from ..compile.calls import PuppetFunction
from ..kernel.failures import EvaluationError, location
from ..kernel.values import Regexp
from ..runtime.definitions import Definition
from ..runtime.resource_types import METAPARAMETERS
from ..syntax import tree

if TYPE_CHECKING:
    from ..runtime.library import Library


class Index:
    """Tables by name, in lower case.  `warn` hears of definitions that are odd; definitions belong to `library`."""

    def __init__(self, library: Library, warn: Callable[[Diagnostic], None]) -> None:
        self._library = library
        self._warn = warn
        self.classes: dict[str, Definition] = {}
        self.defines: dict[str, Definition] = {}
        self.nodes: dict[str, Definition] = {}
        self.functions: dict[str, PuppetFunction] = {}

    def copy(self, library: Library, warn: Callable[[Diagnostic], None]) -> Index:
        """The same tables, which no change to these reaches."""
        index = Index(library, warn)
        index.classes, index.defines = self.classes.copy(), self.defines.copy()
        index.nodes, index.functions = self.nodes, self.functions
        return index

    def forget(self, files: Collection[str]) -> None:
        """Forget the classes and defines of some files."""
        for table in (self.classes, self.defines):
            for name in [
                name for name, definition in table.items() if definition.span and definition.span.file.name in files
            ]:
                del table[name]

    def definition_of(self, node: tree.ClassDefinition | tree.DefinedType) -> Definition:
        """The definition that a node of a tree became."""
        return (self.classes if isinstance(node, tree.ClassDefinition) else self.defines)[node.name.lower()]

    def announce(self, node: tree.Definition, defines: dict[str, Span]) -> None:
        """Add a function; look at the parameters of a class or define, and at the names of the file's `defines`."""
        match node:
            case tree.ClassDefinition():
                self._no_metaparameters(node)
            case tree.DefinedType():
                self._no_metaparameters(node)
                name = node.name.lower()
                if name in defines:  # in one file both are one entity
                    raise redefined("type", name, defines[name], node)
                defines[name] = node.at
            case tree.PlanDefinition():
                pass  # only a script runs plans
            case tree.FunctionDefinition():
                name = node.name.lower()
                if name in self.functions:
                    raise redefined("function", name, self.functions[name].span, node)
                self.functions[name] = PuppetFunction(name, node, self._library)

    def add(self, node: tree.Definition, module: str) -> None:
        """Add a class, define or node that a file of a module defines."""
        match node:
            case tree.ClassDefinition():
                parent = node.parent.lower().removeprefix("::") if node.parent else None
                self.add_class(Definition(self._library, "class", node.name.lower(), parent, module, node, node.at))
            case tree.DefinedType():
                self.add_define(Definition(self._library, "define", node.name.lower(), None, module, node, node.at))
            case tree.NodeDefinition():
                self.add_nodes(node, module)

    def add_class(self, definition: Definition) -> None:
        name = definition.name
        if name in self.classes:
            raise self._taken(f"Class '{name}' is already defined", "cannot redefine", self.classes[name], definition)
        if name in self.nodes:
            words = "cannot be redefined as a class"
            raise self._taken(f"Node '{name}' is already defined", words, self.nodes[name], definition)
        if name in self.defines:
            words = "cannot be redefined as a class"
            raise self._taken(f"Definition '{name}' is already defined", words, self.defines[name], definition)
        self.classes[name] = definition

    def add_define(self, definition: Definition) -> None:
        name = definition.name
        if name in self.classes:
            where = location(self.classes[name].span)
            raise self._taken(
                f"'{name}' is already defined{' ' + where if where else ''} as a class",
                "cannot redefine as a definition",
                None,
                definition,
            )
        first = self.defines.get(name)
        if first is not None:
            raise self._taken(f"Definition '{name}' is already defined", "cannot be redefined", first, definition)
        self.defines[name] = definition

    def _no_metaparameters(self, node: tree.ClassDefinition | tree.DefinedType) -> None:
        for parameter in node.parameters:
            if parameter.name not in METAPARAMETERS:
                continue
            if parameter.default is None:
                raise EvaluationError(
                    f"{parameter.name} is a metaparameter; please choose another parameter name in the "
                    f"{node.name.lower()} definition",
                    parameter.at,
                    issue=None,
                    kind="metaparameter redefined",
                    lead="",
                    column=False,
                )
            self._warn(
                CodeWarning(
                    f"{parameter.name} is a metaparam; this value will inherit to all contained resources in the "
                    f"{node.name.lower()} definition",
                    None,
                )
            )

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

    def add_nodes(self, node: tree.NodeDefinition, module: str) -> None:
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
            definition = Definition(self._library, "node", name, None, module, node, node.at, pattern)
            if isinstance(host, tree.String):
                definition.name_origin = Leaf("literal", "", host.span, host.value)
            if name in self.nodes:
                words = f"Node '{name}' is already defined"
                raise self._taken(words, "cannot redefine", self.nodes[name], definition)
            if name in self.classes:
                words = f"Class '{name}' is already defined"
                raise self._taken(words, "cannot be redefined as a node", self.classes[name], definition)
            self.nodes[name] = definition

    def match_node(self, name: str) -> tuple[Definition | None, Sequence[str | None] | None, list[str]]:
        """The node definition for a node: by its name, by the first pattern that matches, or `default`.

        Where there is no `default`, Puppet looks for a pattern that matches that word.
        """
        for wanted in (name.lower(), "default"):
            named = self.nodes.get(wanted)
            if named is not None and named.pattern is None:
                return named, None, [name]
            for definition in self.nodes.values():
                if definition.pattern is not None:
                    matched = definition.pattern.search(wanted)
                    if matched is not None:
                        return definition, (matched.group(0), *matched.groups()), [name]
        return None, None, [name]

    def near_class(self, name: str) -> str | None:
        """A hint for a class that is not known."""
        near = nearest(name.removeprefix("::"), self.classes)
        return f"did you mean {near}?" if near else None


class CodeWarning(Diagnostic):
    """A warning of the compiler about code."""

    code = "P402"
    severity = "warning"

    def __init__(self, message: str, at: Span | None) -> None:
        super().__init__(message, at)


def redefined(kind: str, name: str, first: Span | str, node: tree.Definition) -> EvaluationError:
    """A function or type that has a name already: defined at a place, or by Puppet itself, in its words."""
    if isinstance(first, Span):
        line, column = first.file.line_and_column(first.start)
        words_for_first = f"Originally set at file://{first.file.name}?line={line}&pos={column}."
    else:
        words_for_first = first
    return EvaluationError(
        f"Attempt to redefine entity 'http://puppet.com/2016.1/runtime/{kind}/{name}'. {words_for_first}",
        node.at,
        *([Label(first, "first defined here")] if isinstance(first, Span) else ()),
        issue=None,
        kind="duplicate definition",
        lead="",
        placeless=True,
    )
