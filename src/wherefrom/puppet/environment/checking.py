"""What is wrong with a repository beyond the syntax of its files: `wherefrom check` of an environment.

Every name that is written is looked up as a compilation would: classes of `include` and `class { ... }`, functions,
resource types, attributes of resources, parameters of classes and defines. Names that are computed are left alone. A
name whose module no directory of the modulepath has is a warning, since a checkout rarely has the modules that its
`Puppetfile` brings; any other unknown name is an error.

Data is checked too: `hiera.yaml`, the files of its directories (YAML that can be read, no key twice, no secret left
open by the eyaml editor), and keys that would bind to a parameter that its class does not have. Templates in Ruby are
parsed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from ...base.diagnostics import ERROR, WARNING, Diagnostic
from ...base.spell import nearest
from ..compile.build import unfold
from ..hiera.config import FILES
from ..hiera.files import read_data
from ..kernel.failures import EvaluationError, Failure
from ..kernel.values import key_value
from ..rubyhost.library import compiled_template
from ..runtime.definitions import Definition
from ..runtime.effects import class_names, declares_classes
from ..runtime.resource_types import METAPARAMETERS, ResourceKind
from ..syntax import tree
from .modules import files_below, manifest_files

if TYPE_CHECKING:
    from ...base.host import Host
    from ...base.source import Span
    from .environment import Environment

_LEAKED = re.compile(r"DEC(?:\(\d+\))?::\w+\[")
_NAME = re.compile(r"[\w:]+")
_YAML = (".yaml", ".yml", ".eyaml")


class UnknownName(Diagnostic):
    """A class, function, resource type or type that nothing defines."""

    code = "P491"


class UnknownParameterKey(Diagnostic):
    """An attribute or parameter that its type, class or define does not have."""

    code = "P492"


class UnboundKey(Diagnostic):
    """A key of the data that looks like a parameter of a class, which has none of that name."""

    code = "P493"
    severity = WARNING


class BadData(Diagnostic):
    """A file of data, or a template, that can not be read."""

    code = "P494"


class OpenSecret(Diagnostic):
    """A secret that the eyaml editor left in clear text."""

    code = "P495"


def check_environment(environment: Environment) -> Iterator[Diagnostic]:
    """Everything that is wrong with an environment as a whole."""
    texts: set[str] = set()
    for program in _programs(environment):
        yield from _check_program(environment, program, texts)
    yield from _check_data(environment, texts)
    yield from _check_templates(environment)


def _programs(environment: Environment) -> Iterator[tree.Program]:
    """The manifests, and every file of the environment's own modules that can be read."""
    from ..syntax.parser import parse

    main = environment.programs()
    yield from main
    known = {program.file.name for program in main}
    for _, directory in environment.modules():
        for folder in ("manifests", "functions"):
            for name in manifest_files(environment.host, posixpath.join(directory, folder)):
                path = posixpath.join(directory, folder, name)
                if path not in known:
                    with suppress(Diagnostic):
                        result = parse(environment.host.source(path))
                        if result.ok:
                            yield result.program


# --- code ------------------------------------------------------------------------------------------------------------


def _check_program(environment: Environment, program: tree.Program, texts: set[str]) -> Iterator[Diagnostic]:
    stack: list[tree.Node] = [program]
    while stack:
        node = stack.pop()
        match node:
            case tree.String():
                texts.add(node.value)
            case tree.Call(function=tree.Name(value=name)):
                yield from _check_call(environment, name, node.arguments, node.function.span)
            case tree.MethodCall(name=name):
                yield from _check_call(environment, name, (node.receiver,), node.span)
            case tree.Resource(type=tree.Name(value=name)):
                yield from _check_resource(environment, name.lower().removeprefix("::"), node)
            case tree.ClassDefinition(parent=str(parent)):
                yield from _check_class(environment, parent, node.span)
            case _:
                pass
        stack.extend(node.children())


def _check_call(environment: Environment, name: str, arguments: Any, span: Span) -> Iterator[Diagnostic]:
    if declares_classes(name):
        names: dict[str, bool] = {}
        for argument in arguments:
            class_names(argument, names)
        for class_name in names:
            if _NAME.fullmatch(class_name):  # else it is computed
                yield from _check_class(environment, class_name, span)
        return
    try:
        environment.function(name, None)
    except EvaluationError as problem:
        if problem.issue == "UNKNOWN_FUNCTION":
            yield _unknown(environment, "function", name, span, problem.help)
    except (Diagnostic, Failure):
        pass  # it is there, and something else is wrong with it


def _check_class(environment: Environment, name: str, span: Span) -> Iterator[Diagnostic]:
    if name and not _is_there(environment, name):
        yield _unknown(environment, "class", name, span, environment.near_class(name))


def _is_there(environment: Environment, name: str) -> bool:
    try:
        return environment.find_class(name) is not None
    except Diagnostic:
        return True  # its file is wrong, which is told elsewhere


def _check_resource(environment: Environment, name: str, node: tree.Resource) -> Iterator[Diagnostic]:
    if name == "class":
        for body in node.bodies:
            title = unfold(body.title)
            if isinstance(title, tree.String | tree.Name):
                class_name = title.value.lower().removeprefix("::")
                yield from _check_class(environment, class_name, title.span)
                with suppress(Diagnostic):
                    yield from _check_attributes(environment.find_class(class_name), f"class {class_name}", body)
        return
    try:
        kind = environment.find_type(name)
    except (Diagnostic, Failure):
        return
    if kind is None:
        yield _unknown(environment, "resource type", name, node.type.span, environment.near_declared(name))
        return
    for body in node.bodies:
        yield from _check_attributes(kind, name, body)


def _check_attributes(kind: object, name: str, body: tree.ResourceBody) -> Iterator[Diagnostic]:
    if kind is None:
        return
    for attribute in body.operations:
        if not isinstance(attribute, tree.Attribute):
            continue
        if isinstance(kind, ResourceKind):
            if kind.allows(attribute.name):
                continue
            known = [*kind.attributes, *METAPARAMETERS]
        else:
            assert isinstance(kind, Definition)
            known = [parameter.name for parameter in kind.parameters]
            if attribute.name in known or attribute.name in METAPARAMETERS or attribute.name == "name":
                continue
        near = nearest(attribute.name, known)
        words = f"{name} has no parameter named '{attribute.name}'"
        yield UnknownParameterKey(words, attribute.span, help=f"did you mean {near}?" if near else None)


def _unknown(environment: Environment, what: str, name: str, span: Span, hint: str | None) -> UnknownName:
    absent = environment.absent_module(name)
    problem = UnknownName(f"unknown {what} {name}", span, help=absent or hint)
    problem.severity = WARNING if absent else ERROR
    return problem


# --- data ------------------------------------------------------------------------------------------------------------


def _check_data(environment: Environment, texts: set[str]) -> Iterator[Diagnostic]:
    host, root = environment.host, environment.root
    if root is None or environment.data is None:
        return
    file = environment.data.environment_config or posixpath.join(root, "hiera.yaml")
    if not host.is_file(file):
        return
    try:
        config = environment.data.plain_config(file, root)
    except Diagnostic as problem:
        yield _about(file, problem)
        return
    directories = {
        posixpath.normpath(posixpath.join(level.root, level.datadir))
        for level in config.levels
        if level.function in FILES and "%{" not in level.datadir
    }
    for directory in sorted(directories):
        for name in files_below(host, directory, *_YAML, ".json"):
            yield from _check_file(environment, posixpath.join(directory, name), texts)


def _check_file(environment: Environment, path: str, texts: set[str]) -> Iterator[Diagnostic]:
    content = yield from _data_file(environment.host, path)
    if content is None:
        return
    source = environment.host.source(path)
    for name in content:
        key = key_value(name)
        if isinstance(key, str):
            yield from _check_key(environment, key, source, texts)


def check_file(host: Host, path: str) -> Iterator[Diagnostic]:
    """What is wrong with one file of data, or one template in Ruby, whatever environment it belongs to."""
    if path.endswith(".erb"):
        yield from _parsed(path, lambda: compiled_template(path, host.source(path).text))
    else:
        yield from _data_file(host, path)


def _data_file(host: Host, path: str) -> Generator[Diagnostic, None, dict[Any, object] | None]:
    """What is wrong with a file of data in itself; its content, if there is one to look at."""
    try:
        source = host.source(path)
        content = read_data(host, path, "json_data" if path.endswith(".json") else "yaml_data")
    except Diagnostic as problem:
        yield _about(path, problem)
        return None
    for leaked in _LEAKED.finditer(source.text):
        yield OpenSecret("a secret in clear text, as left by the eyaml editor", source.span(*leaked.span()))
    if path.endswith(_YAML):
        yield from _repeated_keys(source)
    if content is None or content.value is None:
        return None
    if not isinstance(content.value, dict):
        yield BadData(f"{path}: a data file must contain a hash", source.span(0))
        return None
    return content.value


_KEY_LINE = re.compile(r"^(?P<key>[\w:]+|'[^'\n]+'|\"[^\"\n]+\"):(?=\s|$)", re.MULTILINE)


def _repeated_keys(source: Any) -> Iterator[Diagnostic]:
    """Keys of the outermost hash that stand twice: YAML takes the last, and nobody sees the first."""
    seen: dict[str, int] = {}
    for line in _KEY_LINE.finditer(source.text):
        key = line["key"].strip("'\"")
        if key in seen:
            problem = BadData(f"the key {key} appears twice; the last one wins", source.span(*line.span("key")))
            problem.severity = WARNING
            yield problem
        seen[key] = line.start()


def _check_key(environment: Environment, key: str, source: Any, texts: set[str]) -> Iterator[Diagnostic]:
    """A key `class::parameter` whose class has no such parameter, and that no `lookup` names either."""
    name, mark, parameter = key.rpartition("::")
    if not mark or key in texts or environment.module_directory(key.partition("::")[0]) is None:
        return
    try:
        definition = environment.find_class(name)
    except Diagnostic:
        return
    place = re.search(rf"^['\"]?{re.escape(key)}['\"]?\s*:", source.text, re.MULTILINE)
    span = source.span(place.start(), place.start() + len(key)) if place is not None else source.span(0)
    if definition is None:
        near = environment.near_class(name)
        yield UnboundKey(f"{key} matches no class parameter: there is no class {name}", span, help=near)
        return
    known = [declaration.name for declaration in definition.parameters]
    if parameter not in known:
        near = nearest(parameter, known)
        words = f"{key} matches no class parameter: class {name} has no parameter {parameter}"
        yield UnboundKey(words, span, help=f"did you mean {name}::{near}?" if near else None)


# --- templates -------------------------------------------------------------------------------------------------------


def _check_templates(environment: Environment) -> Iterator[Diagnostic]:
    """Templates in Ruby, parsed as a compilation would parse them."""
    host = environment.host
    for _, directory in environment.modules():
        folder = posixpath.join(directory, "templates")
        for path in (posixpath.join(folder, name) for name in files_below(host, folder, ".erb")):
            yield from _parsed(path, partial(environment.ruby_library().template, path))


def _about(path: str, problem: Diagnostic) -> Diagnostic:
    """A problem that names the file that it is about."""
    names = problem.span is not None or problem.message.startswith(path)
    return problem if names else BadData(f"{path}: {problem.message}")


def _parsed(path: str, parse: Callable[[], object]) -> Iterator[Diagnostic]:
    try:
        parse()
    except Diagnostic as problem:
        yield _about(path, problem)
