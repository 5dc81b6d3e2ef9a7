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

from ...provenance.impact import Target, same_file
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


class DefinitionLine(Target):
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


def definition_line(target: Target, machine: Machine) -> Target:
    """`target`, if it is a line of a file that was read: the definitions on it."""
    if target.line is None or target.column is not None:
        return target
    source = next((file for name, file in machine.sources.items() if same_file(name, target.name)), None)
    if source is None or target.line > len(source.line_starts):
        return target
    extents = _extents_at(source, target.line, machine)
    return DefinitionLine(target.kind, target.name, target.line, None, extents) if extents else target


def _extents_at(source: SourceFile, line: int, machine: Machine) -> tuple[Extent, ...]:
    tokens = tokenize(source)
    tree = parse_tokens(tokens, "/", "/", machine.dialect)
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
    for node in descendants(tree):
        if isinstance(node, AttrSet):
            definitions: list[Attribute | DynamicAttribute] = [*node.attributes, *node.dynamic]
            for definition in definitions:
                span, value = definition.span, definition.value.span
                if isinstance(definition.value, AttrSet) and not text.startswith(("{", "rec"), value.start):
                    continue  # a set that nobody wrote: what `a` is in `a.b = value;`
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
