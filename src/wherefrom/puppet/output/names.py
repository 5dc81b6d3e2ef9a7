"""Which literals are names: words that say *which* thing is meant, and that nobody edits to change a value.

Index keys (`$facts['role']`), titles of resources, words of `include`, keys of hashes, hosts of node definitions. They
count as inputs, since another word would have given another value; in an answer they are counted, not listed. What a
literal is for is read off the tree of its file, once for each file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..compile.build import unfold
from ..syntax import tree

if TYPE_CHECKING:
    from ...base.source import Span

_NAMING_CALLS = ("include", "contain", "require", "epp", "template", "file", "lookup", "hiera", "realize", "tag")


class LiteralNames:
    """The names in some programs, found file by file when one is asked about."""

    def __init__(self, programs: Iterable[tree.Program]) -> None:
        self._programs = {program.file.name: program for program in programs}
        self._known: dict[str, set[int]] = {}

    def has(self, span: Span | None) -> bool:
        """Whether the literal at `span` is a name."""
        if span is None:
            return False
        file = span.file.name
        if file not in self._known:
            program = self._programs.get(file)
            if program is None and file.endswith(".epp"):
                from ..syntax.parser import parse_epp

                program = parse_epp(span.file).program
            self._known[file] = set() if program is None else {node.start for node in _names(program)}
        return span.start in self._known[file]


def _names(program: tree.Program) -> Iterator[tree.Node]:
    stack: list[tree.Node] = [program, *program.definitions]
    while stack:
        node = stack.pop()
        match node:
            case tree.Access():
                yield from map(unfold, node.keys)
            case tree.ResourceBody():
                yield from _texts(node.title)
            case tree.Resource():
                yield node.type
            case tree.HashEntry():
                yield unfold(node.key)
            case tree.NodeDefinition():
                yield from node.hosts
            case tree.Call(function=tree.Name(value=name)) if name in _NAMING_CALLS:
                for argument in node.arguments:
                    yield from _texts(argument)
            case tree.MethodCall(name=name) if name in _NAMING_CALLS:
                yield from _texts(node.receiver)
            case _:
                pass
        stack.extend(node.children())


def _texts(node: tree.Expression) -> Iterator[tree.Node]:
    node = unfold(node)
    if isinstance(node, tree.Array):
        for item in node.items:
            yield from _texts(item)
    elif isinstance(node, tree.Literal):
        yield node
    elif isinstance(node, tree.Interpolated):
        yield from node.parts
