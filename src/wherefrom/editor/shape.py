"""What follows from the text itself, and from names: colours, folds, layout, signatures, who calls whom.

Nothing is compiled for these. The pieces of a text come from `Language.tokens`; what a name is that the pieces alone do
not tell (a class, a parameter) comes from its mentions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..base.mentions import Mention, Token
from ..base.source import SourceFile
from ..languages import load_language
from .editing import language_of
from .names import LOCAL
from .positions import position_of, range_of, units, whole_range

if TYPE_CHECKING:
    from ..language import Language
    from .editing import Editor
    from .view import View

COLOURS = "keyword string number comment regexp operator variable function class type parameter property".split()
"""The kinds of pieces, as the protocol names them, in the order in which they are numbered."""
_OF_MENTIONS = {"class": "class", "type": "type", "function": "function", "key": "property", "attribute": "property"}
CALLABLE = frozenset(("class", "type", "function"))
_SYMBOLS = {"class": 5, "type": 23, "function": 12, "node": 19}
_FILE = 1


class Shape:
    """The answers about texts and names alone."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor

    def _language(self, view: View) -> Language:
        return load_language(language_of(view.text.path) or "puppet")

    # --- colours and folds ---

    async def colours(self, params: Any) -> object:
        """The kinds of all pieces, each relative to the one before, as the protocol packs them."""
        view = self._editor.settle(params.text_document.uri)
        if view is None:
            return None
        source = view.text.source
        pieces = {(token.start, token.end): token.kind for token in self._language(view).tokens(source)}
        for mention in self._editor.names.of_file(view.text.path):
            kind = _kind_of(mention)
            start = mention.at.start
            if mention.kind == "variable" and mention.at.start > 0 and source.text[mention.at.start - 1] == "$":
                start -= 1
            if kind is not None and ((start, mention.at.end) in pieces or not pieces or _is_data(view)):
                pieces[start, mention.at.end] = kind
        data: list[int] = []
        line = character = 0
        for start, end, kind in self._by_line(source, pieces):
            if kind not in COLOURS:
                continue
            position = position_of(source, start, self._editor.encoding)
            same = position["line"] == line
            data += [
                position["line"] - line,
                position["character"] - (character if same else 0),
                units(source.text[start:end], self._editor.encoding),
                COLOURS.index(kind),
                0,
            ]
            line, character = position["line"], position["character"]
        return {"data": data}

    def _by_line(self, source: SourceFile, pieces: dict[tuple[int, int], str]) -> Iterator[tuple[int, int, str]]:
        """The pieces in their order, cut at ends of lines, none over another."""
        last = 0
        for (start, end), kind in sorted(pieces.items()):
            start = max(start, last)
            while start < end:
                stop = source.text.find("\n", start, end)
                stop = end if stop < 0 else stop
                if stop > start:
                    yield start, stop - (source.text[stop - 1] == "\r"), kind
                start = stop + 1
            last = max(last, end)

    async def folds(self, params: Any) -> object:
        """Stretches between brackets on different lines, comments of several lines; in data what is indented."""
        view = self._editor.settle(params.text_document.uri)
        if view is None:
            return None
        source = view.text.source
        tokens = self._language(view).tokens(source)
        rows = list(_bracketed(source, tokens) if tokens else _indented(source))
        rows += _commented(source, tokens)
        seen: set[int] = set()
        return [
            {"startLine": first - 1, "endLine": last - 1, **({"kind": kind} if kind else {})}
            for first, last, kind in sorted(rows, key=lambda row: (row[0], -row[1]))
            if last > first and not (first in seen or seen.add(first))  # type: ignore[func-returns-value]
        ]

    async def formatted(self, params: Any) -> object:
        """The whole text in good layout, as one edit of each line that is another one."""
        view = self._editor.settle(params.text_document.uri)
        if view is None:
            return None
        source = view.text.source
        text = self._language(view).formatted(source)
        if text is None or text == source.text:
            return []
        old, new = source.text.split("\n"), text.split("\n")
        if len(old) != len(new):
            return [{"range": whole_range(source, self._editor.encoding), "newText": text}]
        edits = []
        for number, (before, after) in enumerate(zip(old, new, strict=True)):
            if before != after:
                start = source.line_starts[number]
                span = source.span(start, start + len(before))
                edits.append({"range": range_of(span, self._editor.encoding), "newText": after})
        return edits

    # --- signatures ---

    async def signature(self, params: Any) -> Any:
        """The ways to call the function whose arguments are being written."""
        view = self._editor.views.get(params.text_document.uri)
        if view is None:
            return None
        from .positions import offset_of

        source, language = view.text.source, self._language(view)
        position = (params.position.line, params.position.character)
        called = language.called(source, offset_of(source, position, self._editor.encoding))
        if called is None:
            return None
        ways = [(way.parameters, way.page) for way in language.signatures(called.name)]
        for _, definition in self._editor.names.definitions_of("function", called.name):
            ways.append((tuple(self._parameters_of(definition)), ""))
        if not ways:
            return None
        fitting = next((number for number, way in enumerate(ways) if called.argument < max(1, len(way[0]))), 0)
        return {
            "signatures": [_signature(called.name, parameters, page) for parameters, page in ways],
            "activeSignature": fitting,
            "activeParameter": min(called.argument, max(0, len(ways[fitting][0]) - 1)),
        }

    def _parameters_of(self, definition: Mention) -> Iterator[str]:
        """The parameters of a function that is defined in a file, as they are written."""
        extent = definition.extent
        assert extent is not None
        path = extent.file.name
        rows = [
            mention
            for mention in self._editor.names.of_file(path)
            if mention.defines and mention.detail.startswith("parameter") and mention.extent is not None
            if mention.name.endswith(f"{LOCAL}{extent.start}")
        ]
        for mention in sorted(rows, key=lambda row: row.at.start):
            assert mention.extent is not None
            yield " ".join(mention.extent.text.split())

    # --- who calls whom ---

    async def prepare_calls(self, params: Any) -> object:
        """The class, define or function at a place."""
        view = self._editor.settle(params.text_document.uri)
        if view is None:
            return None
        from .positions import offset_of

        await self._editor.scanned()
        position = (params.position.line, params.position.character)
        offset = offset_of(view.text.source, position, self._editor.encoding)
        mention = self._editor.names.at(view.text.path, offset)
        if mention is None or mention.kind not in CALLABLE:
            return None
        defined = self._editor.names.defined(view.text.path, mention)
        return [self._item(path, definition) for path, definition in defined] or None

    async def incoming(self, params: Any) -> object:
        """What declares or calls it."""
        await self._editor.scanned()
        kind, name = _named(params.item.data)
        callers: dict[tuple[str, int], tuple[object, list[object]]] = {}
        for path, use in self._editor.names.uses_of(kind, name):
            around = self._around(path, use.at.start)
            key = (path, around.at.start if around is not None else -1)
            item = self._item(path, around)
            callers.setdefault(key, (item, []))[1].append(range_of(use.at, self._editor.encoding))
        return [{"from": item, "fromRanges": ranges} for item, ranges in callers.values()]

    async def outgoing(self, params: Any) -> object:
        """What it declares or calls."""
        await self._editor.scanned()
        kind, name = _named(params.item.data)
        names = self._editor.names
        called: dict[tuple[str, int], tuple[object, list[object]]] = {}
        for path, definition in names.definitions_of(kind, name):
            extent = definition.extent
            for use in names.of_file(path) if extent is not None else ():
                if use.defines or use.kind not in CALLABLE or extent is None:
                    continue
                if not extent.start <= use.at.start < extent.end:
                    continue
                for file, target in names.defined(path, use):
                    item = self._item(file, target)
                    row = called.setdefault((file, target.at.start), (item, []))
                    row[1].append(range_of(use.at, self._editor.encoding))
        return [{"to": item, "fromRanges": ranges} for item, ranges in called.values()]

    def _around(self, path: str, offset: int) -> Mention | None:
        """The smallest definition that an offset is in."""
        rows = [
            mention
            for mention in self._editor.names.of_file(path)
            if mention.defines and mention.kind in _SYMBOLS and mention.extent is not None
            if mention.extent.start <= offset < mention.extent.end
        ]
        return max(rows, key=lambda mention: mention.at.start, default=None)

    def _item(self, path: str, mention: Mention | None) -> dict[str, object]:
        """A definition, or a file as a whole, in the form of the protocol."""
        uri = self._editor.uri_of_file(path)
        if mention is None or mention.extent is None:
            nowhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
            name = path.rpartition("/")[2]
            return {"name": name, "kind": _FILE, "uri": uri, "range": nowhere, "selectionRange": nowhere, "data": None}
        return {
            "name": mention.name,
            "kind": _SYMBOLS.get(mention.kind, 12),
            "detail": mention.detail,
            "uri": uri,
            "range": range_of(mention.extent, self._editor.encoding),
            "selectionRange": range_of(mention.at, self._editor.encoding),
            "data": [mention.kind, mention.name],
        }


def _named(data: object) -> tuple[str, str]:
    """The kind and name that an item was given; nothing that exists for what is none of ours."""
    if isinstance(data, list) and len(data) == 2 and all(isinstance(part, str) for part in data):
        return data[0], data[1]
    return "", ""


def _kind_of(mention: Mention) -> str | None:
    if mention.kind in ("variable", "argument"):
        is_parameter = mention.detail.startswith(("parameter", "argument"))
        return "property" if mention.detail == "attribute" else "parameter" if is_parameter else "variable"
    return _OF_MENTIONS.get(mention.kind)


def _is_data(view: View) -> bool:
    return view.text.path.endswith((".yaml", ".yml", ".eyaml", ".erb"))


def _signature(name: str, parameters: tuple[str, ...], page: str) -> dict[str, object]:
    label = f"{name}({', '.join(parameters)})"
    at = len(name) + 1
    places = []
    for parameter in parameters:
        places.append({"label": [at, at + len(parameter)]})
        at += len(parameter) + 2
    document: dict[str, object] = {"label": label, "parameters": places}
    return {**document, "documentation": {"kind": "markdown", "value": page}} if page else document


Fold = tuple[int, int, str]


def _bracketed(source: SourceFile, tokens: list[Token]) -> Iterator[Fold]:
    """From the line of each bracket to the line before that of its partner."""
    waiting: list[Token] = []
    for token in tokens:
        if token.kind == "open":
            waiting.append(token)
        elif token.kind == "close" and waiting:
            yield source.line_of(waiting.pop().start), source.line_of(token.start) - 1, ""


def _commented(source: SourceFile, tokens: list[Token]) -> Iterator[Fold]:
    """Comments on lines that follow each other, and over several lines."""
    first = last = 0
    for token in tokens:
        if token.kind != "comment":
            continue
        start, end = source.line_of(token.start), source.line_of(token.end - 1)
        if start != last + 1 or source.text[source.line_starts[start - 1] : token.start].strip():
            if first:
                yield first, last, "comment"
            first = start
        last = end
    if first:
        yield first, last, "comment"


def _indented(source: SourceFile) -> Iterator[Fold]:
    """From each line to the last one that is indented more."""
    waiting: list[tuple[int, int]] = []
    last = 0
    for number, line in enumerate(source.text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        while waiting and waiting[-1][0] >= indent:
            yield waiting.pop()[1], last, ""
        waiting.append((indent, number))
        last = number
    while waiting:
        yield waiting.pop()[1], last, ""
