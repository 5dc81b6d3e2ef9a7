"""A line of a Nix file as an input: the definitions that stand on it.

`impact FILE:LINE` asks what an edit of the line may change. A set that began lines above holds the line too, but what
is edited are the definitions on the line, and their values alone; the other attributes of the set keep theirs. So what
counts of a history are the nodes inside the innermost definitions (`name = value;`, in sets and `let`) that reach to
the line. Words on the line that no such definition holds (`in f x`) belong to the definition around them, and if there
is none, the line is taken as any other language takes it: whatever passed through it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...provenance.impact import ImpactTarget, same_file
from ...provenance.origins import Step
from ..syntax.lexer import Tokens, tokenize
from ..syntax.parser import parse_tokens
from ..syntax.tree import Attribute, AttrSet, DynamicAttribute
from ..syntax.walk import descendants

if TYPE_CHECKING:
    from ...base.source import SourceFile
    from ...provenance.origins import Guard, Origin
    from ..syntax.tree import Expr
    from .machine import Machine

Extent = tuple[int, int, str]
"""Where a definition begins, with its name, and where its value ends; and the name (the last of `a.b.c = value;`)."""

_CONNECTING = frozenset((";", "=", "{", "}", "(", ")", "[", "]", "let", "in", "rec", "inherit", "EOF"))
"""Tokens that compute nothing."""


class DefinitionLine(ImpactTarget):
    """A line, of which certain definitions count."""

    extents: tuple[Extent, ...] = ()

    def matches(self, node: Origin | Guard) -> bool:
        span = getattr(node, "span", None)
        if span is None or not same_file(span.file.name, self.name):
            return False
        for start, end, name in self.extents:
            if start == span.start and not _is_outer(node, name):
                return True  # the definition itself, though its name may stand lines above
            if start < span.start and span.end <= end and super().matches(node):
                return True
        return False


def _is_outer(node: Origin | Guard, name: str) -> bool:
    """Whether a node that stands at the name of a definition belongs to a set around it: `a` and `b` in `a.b.c`."""
    if isinstance(node, Step):
        return True
    words = str(getattr(node, "how", ""))
    return words.startswith("attribute ") and words != f"attribute {name}"


def definition_line(target: ImpactTarget, machine: Machine) -> ImpactTarget:
    """`target`, if it is a line of a file that was read: the definitions on it."""
    if target.column is not None or (source := _source_of(target, machine)) is None:
        return target
    extents = _extents_at(source, target.line or 0, *_parsed(source, machine))
    return DefinitionLine(target.kind, target.name, target.line, None, extents) if extents else target


def definition_names(target: ImpactTarget, machine: Machine) -> list[tuple[str, ...]]:
    """For each definition on a line, the names from the outermost definition around it down to its own.

    The path of an option that is defined there is an end of that: what is outside may be a module's own (`config`).
    """
    source = _source_of(target, machine)
    if source is None:
        return []
    tokens, tree = _parsed(source, machine)
    every = sorted(set(_extents(tree, "")), key=_size, reverse=True)
    extents = _extents_at(source, target.line or 0, tokens, tree)
    return [tuple([outer[2] for outer in every if _is_inside(extent, outer)]) for extent in extents]


def _source_of(target: ImpactTarget, machine: Machine) -> SourceFile | None:
    """The file that was read and has the line of a target."""
    if target.line is None:
        return None
    source = next((file for name, file in machine.sources.items() if same_file(name, target.name)), None)
    return source if source is not None and target.line <= len(source.line_starts) else None


def _parsed(source: SourceFile, machine: Machine) -> tuple[Tokens, Expr]:
    tokens = tokenize(source)
    return tokens, parse_tokens(tokens, "/", "/", machine.dialect)


def _extents_at(source: SourceFile, line: int, tokens: Tokens, tree: Expr) -> tuple[Extent, ...]:
    first = source.line_starts[line - 1]
    last = source.line_starts[line] if line < len(source.line_starts) else len(source.text)
    reaching = sorted(
        {extent for extent in _extents(tree, source.text) if extent[0] < last and extent[1] > first}, key=_size
    )
    chosen: list[Extent] = []
    for extent in reaching:  # the smaller come first
        if not any(_is_inside(inner, extent) for inner in chosen):
            chosen.append(extent)
    for word in _words(tokens, first, last):
        if not any(_is_inside(word, extent) for extent in chosen):
            around = next((extent for extent in reaching if _is_inside(word, extent)), None)
            if around is None:
                return ()
            chosen.append(around)
    return tuple(chosen)


def _extents(tree: Expr, text: str) -> Iterator[Extent]:
    """All definitions; given the text, without those of sets that nobody wrote: what `a` is in `a.b = value;`."""
    for node in descendants(tree):
        if isinstance(node, AttrSet):
            definitions: list[Attribute | DynamicAttribute] = [*node.attributes, *node.dynamic]
            for definition in definitions:
                span, value = definition.span, definition.value.span
                if text and isinstance(definition.value, AttrSet) and not text.startswith(("{", "rec"), value.start):
                    continue
                name = definition.name if isinstance(definition.name, str) else ""
                yield min(span.start, value.start), max(span.end, value.end), name


def _words(tokens: Tokens, first: int, last: int) -> Iterator[Extent]:
    """The tokens on a line that take part in a computation."""
    for kind, start, end in zip(tokens.kinds, tokens.starts, tokens.ends):
        if start < last and end > first and kind not in _CONNECTING:
            yield start, end, ""


def _size(extent: Extent) -> int:
    return extent[1] - extent[0]


def _is_inside(inner: Extent, outer: Extent) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]
