"""Definitions in modules that another module has disabled.

`disabledModules = [ ./x.nix ];` takes a module out before anything is merged (nixpkgs' manual, "Replace Modules"), so
no merge knows of it. But whoever asks why a definition does not count wants to hear of it: so the texts that were read
are searched for such lists, and the modules they name for definitions of the option. Nothing is evaluated: a list or
name that is computed is not found.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ...base.record import Record
from ..kernel.errors import NixError
from ..syntax.parser import parse
from ..syntax.tree import AttrSet, Call, Expr, If, Lambda, Let, ListLiteral, PathLiteral, PatternLambda, With
from ..syntax.walk import descendants

if TYPE_CHECKING:
    from ...base.source import SourceFile, Span

WORD = "disabledModules"


class DisabledDefinition(Record):
    """A definition that does not count because its module is disabled."""

    place: Span
    by: Span
    """The element of the list that disables the module."""


class DisabledModules:
    """The modules that are disabled in a set of texts (by their names), with what they would have defined."""

    def __init__(self, sources: Mapping[str, SourceFile]) -> None:
        self._sources = sources
        self._known = 0
        self._modules: list[tuple[Expr, Span]] = []

    def definitions(self, path: tuple[str, ...]) -> Iterator[DisabledDefinition]:
        """The definitions of an option in disabled modules."""
        if self._known != len(self._sources):
            self._known = len(self._sources)
            self._modules = list(self._disabled())
        for module, by in self._modules:
            for place in _defining(module, (), path):
                yield DisabledDefinition(place, by)

    def _disabled(self) -> Iterator[tuple[Expr, Span]]:
        by_path = {os.path.abspath(name): source for name, source in self._sources.items()}
        for source in list(self._sources.values()):
            for element in _elements(source) if WORD in source.text else ():
                named = by_path.get(element.value) or by_path.get(os.path.join(element.value, "default.nix"))
                tree = _tree(named) if named is not None else None
                if tree is not None:
                    yield tree, element.span


def _tree(source: SourceFile) -> Expr | None:
    try:
        return parse(source)
    except NixError:
        return None


def _elements(source: SourceFile) -> Iterator[PathLiteral]:
    """The paths in the lists called `disabledModules` of a text."""
    tree = _tree(source)
    for node in descendants(tree) if tree is not None else ():
        for attribute in node.attributes if isinstance(node, AttrSet) else ():
            if attribute.name == WORD and isinstance(attribute.value, ListLiteral):
                yield from (element for element in attribute.value.elements if isinstance(element, PathLiteral))


def _defining(node: Expr, prefix: tuple[str, ...], path: tuple[str, ...]) -> Iterator[Span]:
    """Where a module gives a value to the option at `path`, as far as that is written out."""
    match node:
        case Lambda(_, body) | Let(_, body) | With(_, body):
            yield from _defining(body, prefix, path)
        case PatternLambda():
            yield from _defining(node.body, prefix, path)
        case Call(_, arguments):  # `mkIf condition { ... }`
            for argument in arguments:
                yield from _defining(argument, prefix, path)
        case ListLiteral(elements):  # `mkMerge [ ... ]`
            for element in elements:
                yield from _defining(element, prefix, path)
        case If(_, yes, no):
            yield from _defining(yes, prefix, path)
            yield from _defining(no, prefix, path)
        case AttrSet():
            for attribute in node.attributes:
                inner = prefix if not prefix and attribute.name == "config" else (*prefix, attribute.name)
                if inner == path:
                    yield attribute.span
                elif path[: len(inner)] == inner:
                    yield from _defining(attribute.value, inner, path)
