"""Origins as JSON and back.

The graph becomes one table: a list of rows, each a node, children before parents and named by row number, so that
sharing survives and depth does not matter. Places refer to a list of source texts, which travel along: a saved
explanation shows the same source lines as the live one.

    {"sources": [{"name": "web.sf", "text": "..."}], "nodes": [["leaf", "literal", "", [0, 4, 8], "8080", ""], ...]}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..base.diagnostics import Diagnostic
from ..base.source import SourceFile, Span
from .explain import jsonable
from .extract import parts
from .origins import (
    Absent,
    Choice,
    Copy,
    Guard,
    Guarded,
    Hidden,
    Items,
    Leaf,
    Origin,
    Overridden,
    Step,
)

Node = Origin | Guard


class BadExport(Diagnostic):
    """A saved outcome that is damaged or was not written by whence."""

    code = "W007"

    def __init__(self, reason: str) -> None:
        super().__init__(f"not a saved outcome: {reason}")


class Exporter:
    """Collects nodes into a table.  `row(origin)` gives a node's number; `document()` the whole."""

    def __init__(self) -> None:
        self._rows: list[list[Any]] = []
        self._numbers: dict[int, int] = {}
        self._kept: list[Node] = []
        self._sources: dict[str, int] = {}
        self._texts: list[SourceFile] = []

    def row(self, origin: Node) -> int:
        """The row number of `origin`, adding it and all it refers to when new."""
        stack: list[Node] = [origin]
        while stack:
            node = stack[-1]
            if id(node) in self._numbers:
                stack.pop()
                continue
            missing = [child for child in _children(node) if id(child) not in self._numbers]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            self._numbers[id(node)] = len(self._rows)
            self._kept.append(node)
            self._rows.append(self._encode(node))
        return self._numbers[id(origin)]

    def add_source(self, source: SourceFile) -> int:
        """The number of a source text."""
        if source.name not in self._sources:
            self._sources[source.name] = len(self._texts)
            self._texts.append(source)
        return self._sources[source.name]

    def document(self) -> dict[str, Any]:
        """The table and the texts it refers to."""
        return {
            "sources": [{"name": source.name, "text": source.text} for source in self._texts],
            "nodes": self._rows,
        }

    def _span(self, span: Span | None) -> list[int] | None:
        return None if span is None else [self.add_source(span.file), span.start, span.end]

    def _number(self, node: Node) -> int:
        return self._numbers[id(node)]

    def _encode(self, node: Node) -> list[Any]:
        number = self._number
        match node:
            case Leaf():
                return ["leaf", node.kind, node.name, self._span(node.span), jsonable(node.value), node.detail]
            case Step():
                return ["step", node.op, [number(each) for each in node.inputs], self._span(node.span)]
            case Copy():
                return ["copy", node.how, number(node.source), self._span(node.span)]
            case Choice():
                tests = [number(each) for each in node.tests]
                return ["choice", tests, number(node.chosen), self._span(node.span), node.how]
            case Guard():
                parent = None if node.parent is None else number(node.parent)
                return ["guard", number(node.test), parent, self._span(node.span), node.how]
            case Guarded():
                return ["guarded", number(node.inner), number(node.guard)]
            case Absent():
                return ["absent", node.what, [number(each) for each in node.causes], self._span(node.span)]
            case Items(elements=elements):
                placed = None
                if node.placed is not None:
                    placed = [[str(key), number(each)] for key, each in node.placed.items()]
                if isinstance(elements, Mapping):
                    inside: list[Any] = [[str(key), number(each)] for key, each in elements.items()]
                    return ["hash", inside, number(node.own), placed]
                return ["array", [number(each) for each in elements], number(node.own), placed]
            case Overridden():
                return [
                    "overridden",
                    node.how,
                    number(node.chosen),
                    [
                        [jsonable(each.value), number(each.origin), each.why, self._span(each.span)]
                        for each in node.hidden
                    ],
                    [number(each) for each in node.decided],
                    self._span(node.span),
                ]
        raise AssertionError(f"unknown origin {node!r}")


def _children(node: Node) -> Iterable[Node]:
    yield from parts(node)
    match node:
        case Overridden():
            for each in node.hidden:
                yield each.origin
        case Items() if node.placed is not None:
            yield from node.placed.values()
        case _:
            pass


def import_origins(document: Mapping[str, Any]) -> tuple[list[Node], dict[str, SourceFile]]:
    """The nodes of an exported table, by row number, and the source texts.  Raises `BadExport`."""
    try:
        texts = [SourceFile(each["name"], each["text"]) for each in document["sources"]]
        nodes: list[Node] = []
        for row in document["nodes"]:
            nodes.append(_decode(row, nodes, texts))
    except (KeyError, IndexError, TypeError, ValueError) as problem:
        raise BadExport(f"{type(problem).__name__}: {problem}") from None
    return nodes, {source.name: source for source in texts}


def _decode(row: list[Any], nodes: list[Any], texts: list[SourceFile]) -> Node:
    def span(encoded: list[int] | None) -> Span | None:
        return None if encoded is None else Span(texts[encoded[0]], encoded[1], encoded[2])

    def placed(encoded: list[Any] | None) -> dict[str, Origin] | None:
        return None if encoded is None else {key: nodes[each] for key, each in encoded}

    match row:
        case ["leaf", kind, name, at, value, detail]:
            return Leaf(kind, name, span(at), value, detail)
        case ["step", op, inputs, at]:
            return Step(op, tuple(nodes[each] for each in inputs), span(at))
        case ["copy", how, source, at]:
            return Copy(how, nodes[source], span(at))
        case ["choice", tests, chosen, at, how]:
            return Choice(tuple(nodes[each] for each in tests), nodes[chosen], span(at), how)
        case ["guard", test, parent, at, how]:
            return Guard(nodes[test], None if parent is None else nodes[parent], span(at), how)
        case ["guarded", inner, guard]:
            return Guarded(nodes[inner], nodes[guard])
        case ["absent", what, causes, at]:
            return Absent(what, tuple(nodes[each] for each in causes), span(at))
        case ["hash", inside, own, order]:
            return Items({key: nodes[each] for key, each in inside}, nodes[own], placed(order))
        case ["array", inside, own, order]:
            return Items([nodes[each] for each in inside], nodes[own], placed(order))
        case ["overridden", how, chosen, hidden, decided, at]:
            covered = tuple(Hidden(value, nodes[origin], why, span(there)) for value, origin, why, there in hidden)
            return Overridden(how, nodes[chosen], covered, tuple(nodes[each] for each in decided), span(at))
    raise ValueError(f"unknown row {row!r}")
