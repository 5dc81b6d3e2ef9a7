"""What an editor offers while something is written.

Which kinds of names fit at a place says the language (`Language.expected`); which there are is known of the folder
(`Names`), of the last compilation (values of variables) and of the node (its facts, which are asked for once).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..base.mentions import Expected, Mention
from ..languages import load_language
from .editing import language_of
from .names import LOCAL
from .positions import range_of
from .view import View

if TYPE_CHECKING:
    from .editing import Editor

MOST = 500
_KINDS = {"class": 7, "type": 7, "function": 3, "variable": 6, "attribute": 5, "fact": 12, "parameter": 10, "word": 14}
_KINDS |= {"name": 6, "part": 10}
"""The protocol's kinds of completions."""

_PARTS = re.compile(r"[.:]")

Row = tuple[str, str, str]
"""Kind, what is written, and a few words beside it."""


class Completing:
    """Completions for one editor."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._facts: dict[tuple[str, str | None], dict[str, str]] = {}

    async def items(self, view: View, offset: int) -> Any:
        """The completions at an offset, in the form of the protocol."""
        source = view.text.source
        expected = load_language(language_of(source.name) or "puppet").expected(source, offset)
        if expected is None:
            return []
        typed = source.text[expected.start : offset].lower()
        where = range_of(source.span(expected.start, offset), self._editor.encoding)
        rows: dict[str, Row] = {}
        async for row in self._rows(view, expected, offset):
            if typed in row[1].lower():
                rows.setdefault(row[1], row)
        ordered = sorted(
            rows.values(), key=lambda row: (not row[1].lower().startswith(typed), row[0] == "word", row[1])
        )
        return {
            "isIncomplete": len(ordered) > MOST,
            "items": [
                {
                    "label": text,
                    "kind": _KINDS[kind],
                    "detail": detail,
                    "sortText": f"{number:05}",
                    "filterText": text,
                    "textEdit": {"range": where, "newText": text},
                }
                for number, (kind, text, detail) in enumerate(ordered[:MOST])
            ],
        }

    async def _rows(self, view: View, expected: Expected, offset: int) -> Any:
        for kind in expected.kinds:
            if kind == "fact":
                for row in await self._of_facts(view, expected.owner):
                    yield row
            else:
                for row in self._names(view, kind, expected, offset):
                    yield row
        for word in expected.words:
            yield ("attribute" if "attribute" in expected.kinds else "word", word, "")

    def _names(self, view: View, kind: str, expected: Expected, offset: int) -> Iterator[Row]:
        names = self._editor.names
        if kind == "variable":
            yield from self._variables(view, offset)
        elif kind == "name":
            yield from self._plain_names(view)
        elif kind == "part":
            yield from self._parts(view, expected.owner)
        elif kind == "attribute":
            before = f"{expected.owner}::"
            for name, mention in names.definitions("variable"):
                if name.startswith(before) and mention.detail.startswith("parameter"):
                    yield kind, name.removeprefix(before), _first_line(mention)
        elif kind == "parameter":
            classes = {name for name, _ in names.definitions("class")}
            for name, mention in names.definitions("variable"):
                if name.rpartition("::")[0] in classes and mention.detail.startswith("parameter"):
                    yield kind, name, _first_line(mention)
        else:
            for name, mention in names.definitions(kind):
                yield kind, _as_type(name) if expected.capital else name, mention.detail

    def _variables(self, view: View, offset: int) -> Iterator[Row]:
        """Those of the definition around first, then those that have to be named in full, and of the top scope."""
        values = {(item.start, item.end): item.values[0].text for item in view.expressions if item.values}
        around = self._around(view, offset)
        for mention in self._editor.names.of_file(view.text.path):
            if mention.kind == "variable" and mention.defines:
                owner, _, name = mention.name.rpartition("::")
                if LOCAL in mention.name or owner == around:
                    value = values.get((mention.at.start - 1, mention.at.end), "")
                    yield "variable", name.partition(LOCAL)[0], f"= {value}" if value else mention.detail
        for name, mention in self._editor.names.definitions("variable"):
            yield "variable", name, mention.detail
        for name in ("facts", "trusted", "title", "name", "server_facts", "module_name"):
            yield "variable", name, ""

    def _plain_names(self, view: View) -> Iterator[Row]:
        """Of a language without marks before its names: those of the file, and what other files define."""
        values = {item.start: item.values[0].text for item in view.expressions if item.values}
        for mention in self._editor.names.of_file(view.text.path):
            if mention.defines:
                value = values.get(mention.at.start, "")
                yield "name", mention.at.text, f"= {value}" if value else mention.detail
        for name, mention in self._editor.names.definitions("attribute"):
            if _same_language(view, mention):
                yield "name", _PARTS.split(name)[0], mention.detail

    def _parts(self, view: View, owner: str) -> Iterator[Row]:
        """What is defined below a name, wherever that stands: `config.services.web` is `options.services.web`, too."""
        steps = _PARTS.split(owner)
        own = [mention for mention in self._editor.names.of_file(view.text.path) if mention.defines]
        known = [(mention.name.partition(LOCAL)[0], mention) for mention in own]
        known += [row for row in self._editor.names.definitions("attribute") if _same_language(view, row[1])]
        for wanted in (steps, steps[1:]) if steps[0] in ("config", "options", "cfg") else (steps,):
            for name, mention in known:
                parts = _PARTS.split(name)
                for at in range(len(parts) - len(wanted)):
                    if parts[at : at + len(wanted)] == wanted:
                        last = at + len(wanted) + 1 == len(parts)
                        yield "part", parts[at + len(wanted)], _first_line(mention) if last else ""

    def _around(self, view: View, offset: int) -> str:
        """The class or define that an offset is in."""
        owners = [
            mention
            for mention in self._editor.names.of_file(view.text.path)
            if mention.kind in ("class", "type") and mention.extent is not None
            if mention.extent.start <= offset <= mention.extent.end
        ]
        return max(owners, key=lambda mention: mention.at.start).name if owners else ""

    async def _of_facts(self, view: View, owner: str) -> list[Row]:
        place = self._editor.places.get(view.place or "")
        if place is None:
            return []
        key = (place.path, place.node)
        if key not in self._facts:
            answer = await self._editor.ask({**self._editor.about(place), "ask": "facts"})
            if "facts" not in answer:
                return []
            self._facts[key] = answer["facts"]
        before = f"{owner}." if owner else ""
        rows: dict[str, Row] = {}
        for name, value in self._facts[key].items():
            if name.startswith(before):
                part, _, rest = name.removeprefix(before).partition(".")
                if part:
                    rows.setdefault(part, ("fact", part, "" if rest else value))
        return list(rows.values())


def _same_language(view: View, mention: Mention) -> bool:
    return language_of(mention.at.file.name) == language_of(view.text.path)


def _first_line(mention: Mention) -> str:
    return " ".join(mention.extent.text.split())[:80] if mention.extent is not None else ""


def _as_type(name: str) -> str:
    return "::".join(part[:1].upper() + part[1:] for part in name.split("::"))
