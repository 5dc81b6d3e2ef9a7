"""What a node is given besides the code: its facts, what a classifier says of it, what an inventory says of it.

Each is a file of YAML or JSON that somebody names, or a directory with a file for each node. Facts may be as Facter
prints them, as Puppet saves them, or as PuppetDB answers; an inventory is what `wherefrom.targets` reads. What many
nodes are asked of in one run (the names in a directory, an inventory) is read once, as long as it is not changed.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from ..base.diagnostics import CannotRead, Diagnostic, Label, UsageError
from ..base.host import Host
from ..base.source import SourceFile, Span
from ..base.spell import nearest_host
from ..project import node_names, nodes_of
from ..revisions import split_revision
from ..session import host_for

if TYPE_CHECKING:
    from ..targets import Targets


def read_classifier(path: str, node: str | None) -> dict[str, Any]:
    """What an external node classifier says of a node: `classes` (a list or a map), `parameters`, `environment`."""
    answer = read_facts(path, node)
    options: dict[str, object] = {}
    classes = answer.get("classes")
    if isinstance(classes, list) and all(isinstance(name, str) for name in classes):
        options["classes"] = classes
    elif isinstance(classes, dict):
        for name, given in classes.items():
            if not isinstance(name, str) or not (given is None or isinstance(given, dict)):
                raise BadFacts(path, f"the parameters of the class {name} must be a map from names to values")
        options["classes"] = {name: given or {} for name, given in classes.items()}
    elif classes is not None:
        raise BadFacts(path, "`classes` must be a list of names or a map from names to parameters")
    parameters = answer.get("parameters")
    if isinstance(parameters, dict):
        options["parameters"] = parameters
    elif parameters is not None:
        raise BadFacts(path, "`parameters` must be a map from names to values")
    if isinstance(answer.get("environment"), str):
        options["environment"] = answer["environment"]
    return options


class Hosts:
    """Who reads what nodes are given: one for each revision, as opening one takes longer than compiling a node."""

    def __init__(self) -> None:
        self._opened: dict[tuple[str, str, str], Host | None] = {}

    def of(self, file: str | None, path: str) -> Host | None:
        """For `file`: the revision of `path` that is asked about, if it has it; else nobody: the work tree serves."""
        revision = split_revision(path)[1]
        if file is None or revision is None:
            return None
        key = os.getcwd(), file, revision
        if key not in self._opened:
            self._opened[key] = self._open(file, revision)
        return self._opened[key]

    @staticmethod
    def _open(file: str, revision: str) -> Host | None:
        from ..revisions import NoRevision, RevisionHost

        try:
            host = RevisionHost(file, revision)
            return host if host.kind(file) is not None else None
        except (NoRevision, CannotRead):
            return None


def fact_nodes(facts: str | None, host: Host | None) -> list[str]:
    """The nodes that a directory of facts knows, as `host` has it; else as it is now."""
    if facts is None or host is None:
        return nodes_of(facts)
    return node_names(host.list_directory(facts)) if host.is_directory(facts) else []


class Inventories:
    """Inventories that were read, each once as long as its file is not changed."""

    def __init__(self) -> None:
        self._read: dict[tuple[object, ...], Targets] = {}

    def read(self, file: str, host: Host | None) -> Targets:
        """What `file` says, as `host` has it; else as it is now.  What is odd about it is told once."""
        key: tuple[object, ...] = file, None if host is None else host.identity
        if host is None:
            with suppress(OSError, ValueError):  # reported when it is read
                status = os.stat(file)
                key = file, status.st_ino, status.st_mtime_ns, status.st_size
        targets = self._read.get(key)
        if targets is None:
            from ..targets import read_targets

            targets = self._read[key] = read_targets((host or host_for(file)).source(file))
            if targets.warnings:
                from ..base.render import diagnostics_text

                sys.stderr.write(diagnostics_text(targets.warnings))
        return targets


class Listing:
    """The names in a directory of facts, read once for many nodes, as long as it is not changed."""

    def __init__(self) -> None:
        self._key: tuple[str, int, int] = ("", 0, 0)
        self._names: frozenset[str] = frozenset()
        self._host: Host | None = None
        self._ahead: tuple[str, bytes] | None = None

    def file(self, path: str, node: str | None) -> tuple[Host, str] | None:
        """The file of a node in the directory `path`, with its reader; nothing where that is not certain."""
        try:
            status = os.stat(path)
            key = path, status.st_ino, status.st_mtime_ns
            if key != self._key or self._host is None:
                self._names, self._host, self._key = frozenset(os.listdir(path)), host_for(path), key
        except (OSError, ValueError):  # a path with a NUL in it is reported when it is read
            return None
        name = next((name for name in _names_of(node) if name in self._names), None)
        return None if name is None else (self._host, os.path.join(path, name))

    def keep(self, file: str, content: bytes) -> None:
        """What was read to compute the digest, kept for the next reader, so that the facts are those of the digest."""
        self._ahead = file, content

    def taken(self, file: str) -> bytes | None:
        """What was read of this file, if it was the last; once."""
        ahead, self._ahead = self._ahead, None
        return ahead[1] if ahead is not None and ahead[0] == file else None


def _names_of(node: str | None) -> list[str]:
    """The names that the file of a node may have, the first that is there counts."""
    return [f"{node}{suffix}" for suffix in (".yaml", ".yml", ".json")]


def bytes_for(path: str | None, node: str, host: Host | None, listing: Listing | None = None) -> bytes:
    """The file that a node's facts or classes are read from, as it stands; nothing if there is none."""
    if path is None:
        return b""
    listed = listing.file(path, node) if listing is not None and host is None else None
    if listing is not None and listed is not None:
        with suppress(CannotRead):  # a directory of that name
            content = listed[0].read_bytes(listed[1])
            listing.keep(listed[1], content)
            return os.path.splitext(listed[1])[1].encode() + content
    host = host or host_for(path)
    if not host.is_directory(path):
        return host.read_bytes(path)
    file = file_of_node(host, path, node)
    return b"none" if file is None else os.path.splitext(file)[1].encode() + host.read_bytes(file)


def file_of_node(host: Host, path: str, node: str | None) -> str | None:
    """The file of a node in a directory of facts or of classes."""
    return next((file for name in _names_of(node) if host.is_file(file := os.path.join(path, name))), None)


def read_facts(
    path: str | None, node: str | None, host: Host | None = None, listing: Listing | None = None
) -> dict[str, object]:
    """Facts from a YAML or JSON file; from a directory, the file of the node."""
    if path is None:
        return {}
    listed = listing.file(path, node) if listing is not None and host is None else None
    content: bytes | None = None
    if listing is not None and listed is not None:
        content = listing.taken(listed[1])
        if content is None:
            with suppress(CannotRead):  # a directory of that name
                content = listed[0].read_bytes(listed[1])
    host = listed[0] if listed is not None else host or host_for(path)
    if listed is not None and content is not None:
        host, path = listed
    elif host.is_directory(path):
        file = file_of_node(host, path, node)
        if file is None and node is None:
            raise click.UsageError(f"{path} has one file per node: name a node with --node")
        if file is None:
            close = nearest_host(str(node), fact_nodes(path, None))
            hint = f"did you mean {close}?" if close else None
            raise CannotRead(os.path.join(path, f"{node}.yaml"), "no facts for this node", help=hint)
        path = file
    source = host.source(path) if content is None else SourceFile.from_bytes(path, content)
    try:
        if path.endswith(".json"):
            facts = json.loads(source.text)
        else:
            from ..base.yaml_nodes import yaml_value

            # Fact files saved by Puppet are tagged as Ruby objects; the tag adds nothing to the mapping below it.
            facts = yaml_value(source, source.text.replace("--- !ruby/object:Puppet::Node::Facts", "---", 1))
    except json.JSONDecodeError as problem:
        raise BadFacts(path, problem.msg, source.span(problem.pos)) from None
    except (ValueError, RecursionError) as problem:
        raise BadFacts(path, str(problem)) from None
    except Exception as problem:
        if not type(problem).__module__.startswith("yaml"):
            raise
        from ..base.yaml_nodes import yaml_problem

        words, labels = yaml_problem(source, problem)
        raise BadFacts(path, words, *labels) from None
    from ..targets import gathered_facts

    facts = gathered_facts(facts, node)
    if not isinstance(facts, dict):
        raise BadFacts(path, f"expected a mapping from names to values, found {type(facts).__name__}")
    return facts


def with_facts(facts: dict[str, Any], changed: Mapping[str, object]) -> dict[str, Any]:
    """Facts, some of them with another value; `os.family` is the fact `family` inside of `os`.

    >>> with_facts({"os": {"family": "Debian", "name": "Debian"}}, {"os.family": "RedHat", "role": "web"})
    {'os': {'family': 'RedHat', 'name': 'Debian'}, 'role': 'web'}
    """
    result = dict(facts)
    for name, value in changed.items():
        inner = result
        *way, last = name.split(".")
        for step in way:
            below = inner.get(step)
            inner[step] = dict(below) if isinstance(below, dict) else {}
            inner = inner[step]
        inner[last] = value
    return result


class BadFacts(Diagnostic):
    """A facts file that is not a mapping in YAML or JSON."""

    code = "W008"

    def __init__(self, path: str, reason: str, *places: Label | Span) -> None:
        super().__init__(f"cannot use {path} as facts: {reason}", *places)


def lacks(facts: str | None, node: str, host: Host | None) -> bool:
    """Whether a directory has facts of nodes, and not of this one."""
    if facts is None or not fact_nodes(facts, host):
        return False
    return file_of_node(host or host_for(facts), facts, node) is None


def the_target(targets: Targets, name: str | None, file: str) -> str:
    """The node of an inventory that a name or an alias means; without one, the only node."""
    if name is None:
        if len(targets.nodes) > 1:
            raise UsageError(f"{file} has {one_of(list(targets.nodes))}")
        return next(iter(targets.nodes))
    if name in targets.groups and name not in targets.nodes:
        raise UsageError(f"{name} is a group of {file}: it has {one_of(targets.groups[name])}")
    return targets.aliases.get(name, name)


def targets_named(targets: Targets, patterns: str, file: str) -> list[str]:
    """The nodes of an inventory that patterns (`web*,db01`), groups and aliases name; all, if there are no patterns."""
    if not targets.nodes:
        raise UsageError(f"{file} has no targets")
    chosen: list[str] = []
    for pattern in filter(None, patterns.split(",")):
        names = list(targets.named(pattern)) or matching(pattern, targets.nodes)
        if not names and pattern in targets.groups:
            raise UsageError(f"the group {pattern} of {file} has no targets")
        if not names:
            close = targets.near(pattern, groups=True)
            hint = f"; did you mean {close}?" if close else ""
            raise UsageError(f"{file} has no node, alias or group {pattern}{hint}")
        chosen += names
    return list(dict.fromkeys(chosen or targets.nodes))


def is_pattern(name: str) -> bool:
    """Whether it stands for names that are like it, and not for itself."""
    return any(mark in name for mark in "*?[")


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """The names that a pattern means."""
    if not is_pattern(pattern):  # a fleet may be named node by node
        return []
    from fnmatch import fnmatchcase

    return [name for name in names if fnmatchcase(name, pattern)]


def one_of(known: Sequence[str]) -> str:
    """Some nodes, and how one of them is named."""
    also = ", or ask for all with --nodes" if _takes_nodes() else ""
    shown = ", ".join(known[:12]) + (f" and {len(known) - 12} more" if len(known) > 12 else "")
    return f"{shown}; name one with --node{also}"


def _takes_nodes() -> bool:
    """Whether the command that runs can be asked for every node."""
    context = click.get_current_context(silent=True)
    return context is not None and any(parameter.name == "nodes" for parameter in context.command.params)
