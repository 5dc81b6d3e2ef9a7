"""What an environment defines, and the names that each definition mentions: for the question what nobody uses.

Every file of code of the environment's own modules is read, whether a node needs it or not: classes and defines with
their parameters, functions and type aliases, functions and resource types in Ruby; and every key of the data. Of each
definition it is remembered which words stand in it (functions that it calls, types, variables, and the words in its
texts, since functions can be called and templates named by a text). These are more than what it uses, never less, with
the exception of names that are put together while it runs; so where a name is not mentioned, nothing uses it by that
name.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic
from ...provenance.inventory import Inventory, WrittenDefinition, WrittenParameter
from ...provenance.ladder import WrittenKey
from ..hiera.config import FILES
from ..hiera.files import read_data
from ..kernel.values import key_value
from ..syntax import tree
from .modules import files_below, manifest_files

if TYPE_CHECKING:
    from ...base.host import Host
    from ...base.source import SourceFile
    from .environment import Environment

_WORD = re.compile(r"[A-Za-z_]\w*(?:::\w+)*")
_RUBY = (
    ("function", "lib/puppet/functions"),
    ("function", "lib/puppet/parser/functions"),
    ("resource type", "lib/puppet/type"),
)
_ANY_VARIABLE = {"getvar", "inline_template", "inline_epp"}
"""Functions that read variables whose names stand in a text; if it is no literal, any variable may be read."""
_TEMPLATES = {"template"}
"""Functions that show all variables to a file."""
_OPTIONS = "lookup_options"


def inventory(environment: Environment) -> Inventory:
    """All definitions of an environment, used or not."""
    definitions: list[WrittenDefinition] = []
    seen: set[str] = set()
    for program in environment.programs():
        seen.add(program.file.name)
        definitions.append(_main(program))
        definitions += _defined(program)
    for module, directory in environment.modules():
        for source in _sources(environment, directory, seen):
            definitions += _defined_in(source)
        definitions += _ruby(environment.host, module, directory)
    return Inventory(tuple(definitions), tuple(_keys(environment)))


def _sources(environment: Environment, directory: str, seen: set[str]) -> Iterator[SourceFile]:
    """The files of code of a module that can be read."""
    for folder in ("manifests", "functions", "types"):
        for name in manifest_files(environment.host, posixpath.join(directory, folder)):
            path = posixpath.join(directory, folder, name)
            if path not in seen:
                seen.add(path)
                with suppress(Diagnostic):
                    yield environment.host.source(path)


def _defined_in(source: SourceFile) -> Iterator[WrittenDefinition]:
    from ..syntax.parser import parse

    with suppress(Diagnostic):  # what is wrong with a file is for `check` to say
        result = parse(source)
        if result.ok:
            yield from _defined(result.program)


def _main(program: tree.Program) -> WrittenDefinition:
    """The code of a main manifest that stands outside of definitions, and that of its nodes: always used."""
    words = _Words()
    words.take(program.body)
    for definition in program.definitions:
        if isinstance(definition, tree.NodeDefinition):
            words.take(definition.body)
    return WrittenDefinition("main", program.file.name, program.file.span(0), (), *words.all())


def _defined(program: tree.Program) -> Iterator[WrittenDefinition]:
    for definition in program.definitions:
        words = _Words()
        match definition:
            case tree.ClassDefinition() | tree.DefinedType() | tree.FunctionDefinition():
                kind = {tree.ClassDefinition: "class", tree.DefinedType: "define"}.get(type(definition), "function")
                words.take(definition.body)
                for parameter in definition.parameters:
                    for part in (parameter.type, parameter.default):
                        if part is not None:
                            words.take(part)
                if isinstance(definition, tree.FunctionDefinition) and definition.return_type is not None:
                    words.take(definition.return_type)
                parent = definition.parent if isinstance(definition, tree.ClassDefinition) else None
                parameters = tuple(
                    WrittenParameter(parameter.name, parameter.at) for parameter in definition.parameters
                )
                yield WrittenDefinition(
                    kind,
                    definition.name.lower(),
                    definition.at,
                    () if kind == "function" else parameters,
                    *words.all(),
                    (parent or "").lower().removeprefix("::"),
                )
            case tree.TypeAlias():
                words.take(definition.type)
                yield WrittenDefinition("type", definition.name.lower(), definition.at, (), *words.all())
            case _:
                pass


class _Words:
    """Collects the words of some code, without what is defined inside of it."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._variables: set[str] = set()
        self._texts: set[str] = set()
        self._unknown = ""

    def all(self) -> tuple[frozenset[str], frozenset[str], frozenset[str], str]:
        """Names, variables, texts; and why more variables may be read than are named."""
        return frozenset(self._names), frozenset(self._variables), frozenset(self._texts), self._unknown

    def take(self, code: tree.Node) -> None:
        """Everything below a node."""
        stack: list[tree.Node] = [code]
        while stack:
            node = stack.pop()
            match node:
                case tree.Definition():
                    continue
                case tree.Variable(name=name):
                    self._variables.add(name.removeprefix("::"))
                case tree.Name(value=name) | tree.TypeName(value=name):
                    self._names.add(name.lower().removeprefix("::"))
                case tree.MethodCall(name=name):
                    self._names.add(name.lower())
                    self._check(name, (node.receiver, *node.arguments))
                case tree.Call(function=tree.Name(value=name)):
                    self._check(name, node.arguments)
                case tree.String(value=text) | tree.RenderText(text=text):
                    self._texts.add(text)
                    self._names.update(word.lower() for word in _WORD.findall(text))
                case _:
                    pass
            stack.extend(node.children())

    def _check(self, name: str, arguments: tuple[tree.Expression, ...]) -> None:
        """A call that may read variables by names which do not stand here."""
        name = name.removeprefix("::").lower()
        if name in _ANY_VARIABLE | _TEMPLATES and not all(_is_literal(argument) for argument in arguments[:1]):
            self._unknown = self._unknown or f"it calls {name} with a computed argument"


def _is_literal(argument: tree.Expression) -> bool:
    return isinstance(argument, tree.String | tree.Heredoc) or (
        isinstance(argument, tree.Array) and all(isinstance(element, tree.String) for element in argument.children())
    )


# --- Ruby ------------------------------------------------------------------------------------------------------------


def _ruby(host: Host, module: str, directory: str) -> Iterator[WrittenDefinition]:
    """Functions and resource types in Ruby, by the names of their files."""
    for kind, folder in _RUBY:
        base = posixpath.join(directory, folder)
        for inside in files_below(host, base, ".rb"):
            path = posixpath.join(base, inside)
            with suppress(Diagnostic):
                source = host.source(path)
                words = frozenset(word.lower() for word in _WORD.findall(source.text))
                name = inside.removesuffix(".rb").replace("/", "::").lower()
                yield WrittenDefinition(kind, name, source.span(0), (), words, frozenset(), frozenset(), "")


# --- data ------------------------------------------------------------------------------------------------------------


def _keys(environment: Environment) -> Iterator[WrittenKey]:
    """Every key of the files in the directories of data: the environment's, and those of its modules."""
    host, data = environment.host, environment.data
    if data is None:
        return
    roots = [(data.environment_config or posixpath.join(data.root, "hiera.yaml"), data.root)] if data.root else []
    roots += [(posixpath.join(directory, "hiera.yaml"), directory) for _, directory in environment.modules()]
    seen: set[str] = set()
    for file, root in roots:
        if not host.is_file(file):
            continue
        with suppress(Diagnostic):
            config = data.plain_config(file, root)
            for level in (*config.levels, *(config.defaults or ())):
                if level.function in FILES and "%{" not in level.datadir:
                    directory = posixpath.normpath(posixpath.join(level.root, level.datadir))
                    for name in files_below(host, directory, ".yaml", ".yml", ".eyaml", ".json", ".conf"):
                        path = posixpath.join(directory, name)
                        if path not in seen:
                            seen.add(path)
                            yield from _keys_of(host, path)


def _keys_of(host: Host, path: str) -> Iterator[WrittenKey]:
    reader = "json_data" if path.endswith(".json") else "hocon_data" if path.endswith(".conf") else "yaml_data"
    with suppress(Diagnostic):
        source = host.source(path)
        content = read_data(host, path, reader)
        for name in content.value if content is not None and isinstance(content.value, dict) else ():
            key = key_value(name)
            if isinstance(key, str) and key != _OPTIONS:
                place = re.search(rf"^\s*['\"]?{re.escape(key)}['\"]?\s*[:=]", source.text, re.MULTILINE)
                start = place.end() - len(place[0].lstrip()) if place is not None else 0
                yield WrittenKey(key, path, source.span(start, start + len(key) if place is not None else 0))
