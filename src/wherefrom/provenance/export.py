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
from ..base.secrets import Secrets
from ..base.source import SourceFile, Span
from .explain import jsonable
from .extract import depends, parts
from .operations import EdgeLabel, RecalledEdgeLabel, reason_of, recalled
from .origins import (
    BUILT_IN,
    KINDS,
    OF_A_NODE,
    Absent,
    Choice,
    Copy,
    Foreign,
    Guard,
    Guarded,
    Hidden,
    Items,
    LaterItems,
    Leaf,
    Origin,
    Overridden,
    Step,
    Taken,
)

Node = Origin | Guard


class BadExport(Diagnostic):
    """A saved outcome that is damaged or was not written by wherefrom."""

    code = "W007"

    def __init__(self, reason: str) -> None:
        super().__init__(f"not a saved outcome: {reason}")


class Exporter:
    """Collects nodes into a table.  `row(origin)` gives a node's number; `document()` the whole.

    With `merged`, nodes that say the same are one row. That is for histories which were read from several tables: each
    has its own copy of what they have in common, and copies of copies would multiply with each node that they cross.
    """

    def __init__(self, merged: bool = False) -> None:
        self._said: dict[str, int] | None = {} if merged else None
        self._rows: list[list[Any]] = []
        self._numbers: dict[int, int] = {}
        self._kept: list[Node] = []
        self._straight: dict[int, tuple[Node, ...]] = {}
        self._sources: dict[str, int] = {}
        self._texts: list[SourceFile] = []

    def row(self, origin: Node) -> int:
        """The row number of `origin`, adding it and all it refers to when new."""
        stack: list[Node] = [origin]
        begun: set[int] = set()
        while stack:
            node = stack[-1]
            if id(node) in self._numbers:
                stack.pop()
                continue
            missing = [child for child in self._parts(node) if id(child) not in self._numbers]
            if missing:
                begun.add(id(node))
                above = next((child for child in missing if id(child) in begun), None)
                if above is None:
                    stack.extend(missing)
                else:
                    self._straighten(stack, begun, above)
                continue
            stack.pop()
            self._kept.append(node)
            self._numbers[id(node)] = self._added(node)
        return self._numbers[id(origin)]

    def _added(self, node: Node) -> int:
        """The number of a node whose children are in the table."""
        encoded = self._encode(node)
        number = len(self._rows)
        if self._said is not None:
            number = self._said.setdefault(repr(encoded), number)
        if number == len(self._rows):
            self._rows.append(encoded)
        return number

    def _parts(self, node: Node) -> Iterable[Node]:
        return self._straight.get(id(node)) or _children(node)

    def _straighten(self, stack: list[Node], begun: set[int], above: Node) -> None:
        """Break a cycle that leads back to `above`: an absence in it names its inputs, not the way to them."""
        while stack:
            node = stack[-1]
            on_the_way = id(node) in begun
            begun.discard(id(node))
            if on_the_way and isinstance(node, Absent) and id(node) not in self._straight:
                self._straight[id(node)] = tuple(depends(node)) or (BUILT_IN,)
                return
            if node is above:
                break
            stack.pop()
        raise AssertionError("an origin that depends on itself, and not by an absence")

    def add_source(self, source: SourceFile) -> int:
        """The number of a source text."""
        if source.identity not in self._sources:
            self._sources[source.identity] = len(self._texts)
            self._texts.append(source)
        return self._sources[source.identity]

    def document(self) -> dict[str, Any]:
        """The table and the texts it refers to."""
        return {
            "sources": [
                {"name": source.name, "text": source.text, "identity": source.identity} for source in self._texts
            ],
            "nodes": self._rows,
        }

    def _span(self, span: Span | None) -> list[int] | None:
        return None if span is None else [self.add_source(span.file), span.start, span.end]

    def _taken(self, taken: Taken | None) -> list[object]:
        """What a test came to, if that was noted."""
        return [] if taken is None else [[jsonable(taken.value), self._span(taken.arm)]]

    def _number(self, node: Node) -> int:
        return self._numbers[id(node)]

    def _encode(self, node: Node) -> list[object]:
        number = self._number
        match node:
            case Foreign():
                return [
                    "foreign", node.kind, node.name, jsonable(node.value), node.detail, node.file, node.absent,
                    node.node,
                ]  # fmt: skip
            case Leaf():
                return [
                    "leaf", node.kind, node.name, self._span(node.span), jsonable(node.value), node.detail, node.file,
                    node.absent,
                ]  # fmt: skip
            case Step():
                return ["step", node.op.words, [number(origin) for origin in node.inputs], self._span(node.span)]
            case Copy():
                return ["copy", node.how.words, number(node.source), self._span(node.span)]
            case Choice():
                tests = [number(origin) for origin in node.tests]
                choice = ["choice", tests, number(node.chosen), self._span(node.span), _words(node.how)]
                return [*choice, *self._taken(node.taken)]
            case Guard():
                parent = None if node.parent is None else number(node.parent)
                guard = ["guard", number(node.test), parent, self._span(node.span), node.how.words]
                return [*guard, *self._taken(node.taken)]
            case Guarded():
                return ["guarded", number(node.inner), number(node.guard)]
            case Absent():
                causes = self._straight.get(id(node)) or node.causes
                return ["absent", node.what, [number(origin) for origin in causes], self._span(node.span)]
            case Items(elements=elements):
                placed = None
                if node.placed is not None:
                    placed = [[str(key), number(origin)] for key, origin in node.placed.items()]
                if isinstance(elements, Mapping):
                    inside: list[object] = [[str(key), number(origin)] for key, origin in elements.items()]
                    return ["hash", inside, number(node.own), placed]
                return ["array", [number(origin) for origin in elements], number(node.own), placed]
            case Overridden():
                return [
                    "overridden",
                    _words(node.how),
                    number(node.chosen),
                    [
                        [jsonable(covered.value), number(covered.origin), covered.why.words, self._span(covered.span)]
                        for covered in node.hidden
                    ],
                    [number(origin) for origin in node.decided],
                    self._span(node.span),
                ]
        raise AssertionError(f"unknown origin {node!r}")


def hidden_table(secrets: Secrets, table: dict[str, Any]) -> dict[str, Any]:
    """A table without secrets.  Sources and texts keep their lengths, so that all places stay where they are."""
    if not secrets:
        return table
    return {
        "sources": secrets.redacted_data(table["sources"], masked=True, numbers=False),
        "nodes": [hidden_row(secrets, row) for row in table["nodes"]],
    }


def hidden_row(secrets: Secrets, row: list[Any]) -> list[object]:
    """A row of a table without secrets; of numbers, only what a value is may be one."""
    hidden: list[Any] = [row[0], *secrets.redacted_data(row[1:], masked=True, numbers=False)]
    match row[0]:
        case "leaf":
            hidden[4] = secrets.redacted_data([row[4]], masked=True)[0]
        case "foreign":
            hidden[3] = secrets.redacted_data([row[3]], masked=True)[0]
        case "overridden":
            for covered, before in zip(hidden[3], row[3]):
                covered[0] = secrets.redacted_data([before[0]], masked=True)[0]
    return hidden


def hidden_outputs(secrets: Secrets, outputs: list[list[Any]]) -> list[list[Any]]:
    """Outputs without secrets: path, value and the number of a row each."""
    if not secrets:
        return outputs
    return [
        [secrets.redacted(path, masked=True), secrets.redacted_data([value], masked=True)[0], row]
        for path, value, row in outputs
    ]


def _words(how: EdgeLabel | None) -> str:
    return "" if how is None else how.words


def _children(node: Node) -> Iterable[Node]:
    yield from parts(node)
    if isinstance(node, LaterItems):  # all of them are written, those too that have no inputs of their own
        yield from node.elements.values() if isinstance(node.elements, Mapping) else node.elements
    match node:
        case Overridden():
            for covered in node.hidden:
                yield covered.origin
        case Items() if node.placed is not None:
            yield from node.placed.values()
        case _:
            pass


def import_origins(document: Mapping[str, Any], of: str | None = None) -> tuple[list[Node], dict[str, SourceFile]]:
    """The nodes of an exported table, by row number, and the source texts.  Raises `BadExport`.

    What is an input of each node (a fact) is taken for that of the node `of`, if one is named.
    """
    reader = _Reader(of)
    try:
        for source in document["sources"]:
            reader.texts.append(reader.source(source))
        for row in document["nodes"]:
            reader.nodes.append(reader.decode(row))
    except (KeyError, IndexError, TypeError, ValueError) as problem:
        raise BadExport(f"{type(problem).__name__}: {str(problem)[:200]}") from None
    return reader.nodes, {source.identity: source for source in reader.texts}


class _Reader:
    """Makes the nodes of a table again.  Nothing is believed: every field has its type, every number its row.

    A row names rows before it alone, so what is read has no cycles and ends.
    """

    def __init__(self, of: str | None = None) -> None:
        self.texts: list[SourceFile] = []
        self.nodes: list[Node] = []
        self.of = of

    def text(self, encoded: object) -> str:
        """A text."""
        if type(encoded) is not str:
            raise ValueError(f"expected a text, found {type(encoded).__name__}")
        return encoded

    def label(self, encoded: object) -> EdgeLabel:
        """A hand, by its words; from another node of the same fleet, the very hand, as code that asks knows it."""
        words = self.text(encoded)
        return RecalledEdgeLabel(words) if self.of is None else reason_of(words)

    def optional_label(self, encoded: object) -> EdgeLabel | None:
        """The same, or nothing where nothing is said."""
        return self.label(encoded) if self.text(encoded) else None

    def source(self, encoded: Any) -> SourceFile:
        """The text of a file."""
        source = SourceFile(self.text(encoded["name"]), self.text(encoded["text"]))
        source.identity = self.text(encoded.get("identity", source.name))
        return source

    def flag(self, encoded: object) -> bool:
        """Yes or no."""
        if type(encoded) is not bool:
            raise ValueError(f"expected true or false, found {type(encoded).__name__}")
        return encoded

    def number(self, encoded: object, below: int) -> int:
        """A whole number from 0 on and less than `below`."""
        if type(encoded) is not int or not 0 <= encoded < below:
            raise ValueError(f"expected a number below {below}")
        return encoded

    def row(self, encoded: object) -> Node:
        """A node of a row before this one."""
        return self.nodes[self.number(encoded, len(self.nodes))]

    def origin(self, encoded: object) -> Origin:
        """An origin of a row before this one."""
        node = self.row(encoded)
        if not isinstance(node, Origin):
            raise ValueError("expected an origin, found a guard")
        return node

    def origins(self, encoded: object) -> tuple[Origin, ...]:
        """Several."""
        return tuple([self.origin(number) for number in self.items(encoded)])

    def items(self, encoded: object) -> list[Any]:
        """A list."""
        if type(encoded) is not list:
            raise ValueError(f"expected a list, found {type(encoded).__name__}")
        return encoded

    def guard(self, encoded: object) -> Guard:
        """A guard of a row before this one."""
        node = self.row(encoded)
        if not isinstance(node, Guard):
            raise ValueError("expected a guard, found an origin")
        return node

    def named(self, encoded: object) -> dict[str, Origin]:
        """Origins by key."""
        return {self.text(key): self.origin(number) for key, number in self.items(encoded)}

    def placed(self, encoded: object) -> dict[str, Origin] | None:
        """The same, or nothing."""
        return None if encoded is None else self.named(encoded)

    def span(self, encoded: object) -> Span | None:
        """A place in one of the texts, or nothing."""
        if encoded is None:
            return None
        source, start, end = self.items(encoded)
        file = self.texts[self.number(source, len(self.texts))]
        last = self.number(end, len(file.text) + 1)
        return Span(file, self.number(start, last + 1), last)

    def taken(self, encoded: list[Any]) -> Taken | None:
        """What a test came to, or nothing where it was not noted."""
        if not encoded:
            return None
        [[value, arm]] = encoded
        return Taken(value, self.span(arm))

    def decode(self, row: object) -> Node:
        """The node of a row."""
        match row:
            case ["leaf", kind, name, at, value, detail, file, absent]:
                if kind not in KINDS:
                    raise ValueError("unknown kind of input")
                there = self.span(at)
                if self.of is not None and kind in OF_A_NODE and there is None:
                    row = ["foreign", kind, name, value, detail, file, absent, self.of]
                    return self.decode(row)
                return Leaf(kind, self.text(name), there, value, self.text(detail), self.text(file), self.flag(absent))
            case ["foreign", kind, name, value, detail, file, absent, node]:
                if kind not in OF_A_NODE:
                    raise ValueError("unknown kind of input")
                leaf = Leaf(kind, self.text(name), None, value, self.text(detail), self.text(file), self.flag(absent))
                return Foreign(leaf, self.text(node))
            case ["step", op, inputs, at]:
                return Step(recalled(self.text(op)), self.origins(inputs), self.span(at))
            case ["copy", how, source, at]:
                return Copy(self.label(how), self.origin(source), self.span(at))
            case ["choice", tests, chosen, at, how, *taken]:
                picked = self.origin(chosen)
                return Choice(self.origins(tests), picked, self.span(at), self.optional_label(how), self.taken(taken))
            case ["guard", test, parent, at, how, *taken]:
                above = None if parent is None else self.guard(parent)
                return Guard(self.origin(test), above, self.span(at), self.label(how), self.taken(taken))
            case ["guarded", inner, guard]:
                return Guarded(self.origin(inner), self.guard(guard))
            case ["absent", what, causes, at]:
                return Absent(self.text(what), tuple([self.row(cause) for cause in self.items(causes)]), self.span(at))
            case ["hash", inside, own, order]:
                return Items(self.named(inside), self.origin(own), self.placed(order))
            case ["array", inside, own, order]:
                return Items(list(self.origins(inside)), self.origin(own), self.placed(order))
            case ["overridden", how, chosen, hidden, decided, at]:
                covered = tuple(
                    [
                        Hidden(value, self.origin(origin), self.label(why), self.span(there))
                        for value, origin, why, there in self.items(hidden)
                    ]
                )
                deciding = tuple([self.row(cause) for cause in self.items(decided)])
                return Overridden(self.optional_label(how), self.origin(chosen), covered, deciding, self.span(at))
        raise ValueError("unknown kind of row")
