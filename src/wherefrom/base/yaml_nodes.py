"""YAML as a graph of nodes, read without recursion and within the budget.

The library's own composer calls itself for every level, in C, so that a hundred thousand brackets end the process; it
follows an alias into the very node that is being made, so that `&a [*a]` has no end; and a few lines of aliases to
aliases stand for more nodes than there are atoms. So the nodes are made here, from the library's stream of events:
nesting is counted, an alias to a node that is not finished is refused, and every node knows how many nodes it is once
all aliases in it are followed, which is what any reader of it will have to walk over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .budget import current
from .diagnostics import Label

if TYPE_CHECKING:
    from .source import SourceFile, Span

LEVEL = 100
"""How much of the budget's depth one level of nesting takes: readers call themselves for each."""


def yaml_loader(text: str) -> Any:
    """The YAML library's loader, the one in C where it is installed.  The caller disposes of it."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)


def yaml_value(source: SourceFile, text: str | None = None) -> Any:
    """The plain value of the first document in `source` (or in `text`, made from it); dates are texts.

    Raises the library's errors, `ValueError` for numbers no machine reads, and `OverBudget`.
    """
    loader = yaml_loader(source.text if text is None else text)
    loader.yaml_implicit_resolvers = {
        letter: [resolver for resolver in resolvers if resolver[0] != "tag:yaml.org,2002:timestamp"]
        for letter, resolvers in loader.yaml_implicit_resolvers.items()
    }
    try:
        node = compose(loader, source)
        return None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def compose(loader: Any, source: SourceFile) -> Any:
    """The root node of the first document that `loader` finds; nothing if there is none.

    Raises the library's errors, and `OverBudget`.
    """
    import yaml

    get = loader.get_event
    get()  # the start of the stream
    event = get()
    if isinstance(event, yaml.StreamEndEvent):
        return None
    return _Composer(loader, source).document()


def yaml_problem(source: SourceFile, problem: Any) -> tuple[str, list[Label]]:
    """What the library says of a text that is no YAML, and where: it noticed here, while reading what began there.

    What is only noticed at the end of the text began elsewhere, so that place comes first.
    """
    noticed, begun = getattr(problem, "problem_mark", None), getattr(problem, "context_mark", None)
    words = " ".join(filter(None, (getattr(problem, part, None) for part in ("problem", "context"))))
    labels = [Label(_span(source, mark)) for mark in (noticed, begun) if mark is not None]
    if len(labels) == 2:
        if not source.text[labels[0].span.start :].strip():
            labels.reverse()
        if labels[0].span.start == labels[1].span.start:
            del labels[1]
        elif labels[1].span.start < labels[0].span.start:
            labels[1].text = f"{problem.context}, which begins here"
        else:
            del labels[1]
    return words or str(problem), labels


def yaml_place(source: SourceFile, path: Sequence[str | int]) -> Span | None:
    """Where in `source` the value stands that `path` leads to, by keys and numbers: a key where the last step is one.

    For messages: the text was read before, so whatever can not be composed again has no place.
    """
    import yaml

    loader = yaml_loader(source.text)
    try:
        node = compose(loader, source)
    except (yaml.YAMLError, ValueError):
        return None
    finally:
        loader.dispose()
    shown = node
    for step in path:
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            shown = node = node.value[step]
            continue
        pairs = node.value if isinstance(node, yaml.MappingNode) else ()
        pair = next(((key, value) for key, value in reversed(pairs) if key.value == step), None)
        if pair is None:
            break
        shown, node = pair
    if shown is None:
        return None
    span = _span(source, shown.start_mark)
    single = isinstance(shown, yaml.ScalarNode) and shown.end_mark.line == shown.start_mark.line
    return source.span(span.start, _span(source, shown.end_mark).start) if single else span


def _span(source: SourceFile, mark: Any) -> Span:
    starts = source.line_starts
    return source.span(min(starts[min(mark.line, len(starts) - 1)] + mark.column, len(source.text)))


class _Composer:
    """Makes the nodes of one document."""

    def __init__(self, loader: Any, source: SourceFile) -> None:
        self.loader = loader
        self.source = source
        self.anchors: dict[str, Any] = {}
        self.sizes: dict[int, int] = {}  # of finished collections, aliases followed
        self.unfinished: set[int] = set()

    def document(self) -> Any:
        """Everything up to the end of the document."""
        from yaml import (
            AliasEvent,
            MappingEndEvent,
            MappingNode,
            MappingStartEvent,
            ScalarEvent,
            ScalarNode,
            SequenceEndEvent,
            SequenceNode,
            SequenceStartEvent,
        )

        budget = current()
        deepest = budget.depth // LEVEL
        left = budget.nodes
        get, resolve, sizes = self.loader.get_event, self.loader.resolve, self.sizes
        around: Any = None  # the collection that is being made
        key: Any = None  # in a mapping keys and values take turns
        size = 0  # of `around`, so far
        node: Any
        above: list[tuple[object, object, int]] = []  # the collections around it, each with its key and size
        while True:
            event = get()
            kind = type(event)
            weight = 1
            if kind is ScalarEvent:
                tag = event.tag
                if tag is None or tag == "!":
                    tag = resolve(ScalarNode, event.value, event.implicit)
                node = ScalarNode(tag, event.value, event.start_mark, event.end_mark, event.style)
            elif kind is SequenceStartEvent or kind is MappingStartEvent:
                shape = SequenceNode if kind is SequenceStartEvent else MappingNode
                tag = event.tag
                if tag is None or tag == "!":
                    tag = resolve(shape, None, event.implicit)
                node = shape(tag, [], event.start_mark, None, event.flow_style)
                if event.anchor is not None:
                    self.anchors[event.anchor] = node
                    self.unfinished.add(id(node))
                above.append((around, key, size))
                if len(above) > deepest:
                    budget.over("depth", f"reading {self.source.name}", self._place(event))
                around, key, size = node, None, 1
                continue
            elif kind is SequenceEndEvent or kind is MappingEndEvent:
                node, weight = around, size
                node.end_mark = event.end_mark
                sizes[id(node)] = weight
                self.unfinished.discard(id(node))
                around, key, size = above.pop()
            else:
                assert kind is AliasEvent
                node, weight = self._alias(event)
            if kind is ScalarEvent and event.anchor is not None:
                # A later anchor may take the name of an earlier one (YAML 1.2, 7.1), as Ruby lets it.
                self.anchors[event.anchor] = node
            size += weight
            if size > left:
                budget.over("nodes", f"reading {self.source.name}", self._place(event))
            if around is None:
                budget.nodes -= size
                return node
            if type(around) is SequenceNode:
                around.value.append(node)
            elif key is None:
                key = node
            else:
                around.value.append((key, node))
                key = None

    def _alias(self, event: Any) -> tuple[object, int]:
        import yaml

        node = self.anchors.get(event.anchor)
        if node is None:
            raise yaml.composer.ComposerError(None, None, f"found undefined alias {event.anchor!r}", event.start_mark)
        if id(node) in self.unfinished:
            raise yaml.composer.ComposerError(
                None, None, f"found alias {event.anchor!r} inside of the very node it stands for", event.start_mark
            )
        return node, self.sizes.get(id(node), 1)

    def _place(self, event: Any) -> Span:
        return _span(self.source, event.start_mark)
