"""The names in a SmartFrog file: attributes, and the references that mean them.

An attribute is called by its path (`web:port`); a placement `a:b 1` defines `b` in `a`. A reference is looked for in
the component it stands in, then outwards: it may mean `web:port`, or else `port`. What the file itself defines goes by
a name of the file (`web:port@0`), so that files which define the same names are kept apart; what it does not define is
looked for in all files, since it may be included.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..base.mentions import Mention
from ..base.source import SourceFile, Span
from .parser import Limits, Parser
from .tree import Assignment, Block, Extends, Link, Reference

_OWN = "@0"


def mentions_in(source: SourceFile) -> list[Mention]:
    """All names in a file, as far as it can be read."""
    nothing = Block((), span=source.span(0))
    block = Parser(source, lambda path, at: nothing, Limits().max_nesting).parse_specification().block
    definitions: list[Mention] = []
    uses: list[tuple[tuple[str, ...], Reference]] = []
    waiting: list[tuple[Block, tuple[str, ...]]] = [(block, ())]
    while waiting:
        here, path = waiting.pop()
        for item in here.items:
            if not isinstance(item, Assignment):
                continue
            own = (*path, *item.target.names)
            name = ":".join(own)
            at = _last(item.target)
            definitions.append(Mention("attribute", (name + _OWN, name), at, at, True, item.span, "attribute"))
            for part in range(1, len(item.target.names)):  # a placement names what it places into
                uses.append((path, _first(item.target, part)))
            for inner, outer in _inside(item, own, path):
                if isinstance(inner, Block):
                    waiting.append((inner, own))
                else:
                    uses.append((outer, inner))
    known = {mention.names[1] for mention in definitions}
    return [*definitions, *(mention for path, reference in uses for mention in _meant(path, reference, known))]


def _inside(
    item: Assignment, own: tuple[str, ...], path: tuple[str, ...]
) -> Iterator[tuple[Block | Reference, tuple[str, ...]]]:
    """The blocks and references of a value, each with where it is looked for first."""
    if isinstance(item.value, Link):
        yield item.value.reference, path
    elif isinstance(item.value, Extends):
        for prototype in item.value.prototypes:
            yield prototype, path


def _meant(path: tuple[str, ...], reference: Reference, known: set[str]) -> Iterator[Mention]:
    """Each step of a reference: what it may mean, the nearest first."""
    for count in range(1, len(reference.names) + 1):
        steps = reference.names[:count]
        candidates = [":".join((*path[:depth], *steps)) for depth in range(len(path), -1, -1)]
        own = [f"{name}{_OWN}" for name in candidates if name in known]
        at = _last(_first(reference, count))
        yield Mention("attribute", tuple(own[:1] or candidates), at, at)


def _first(reference: Reference, count: int) -> Reference:
    """The first steps of a reference."""
    names = reference.names[:count]
    text, at = reference.span.text, 0
    for name in names:
        at = text.index(name, at) + len(name)
    return Reference(names, span=reference.span.file.span(reference.span.start, reference.span.start + at))


def _last(reference: Reference) -> Span:
    """Where the last name of a reference stands."""
    span = reference.span
    return span.file.span(span.end - len(reference.names[-1]), span.end)
