"""What no node of a store uses: definitions, parameters of classes and defines, keys and files of the data.

What is written comes from the environment (`Inventory`), what is used from the store. A class is used if a catalog has
it, a define or a resource type if a catalog has a resource of it. Functions and types leave no trace in a catalog: one
is used if something that is used mentions its name, be it in a text, in a template or in a file of data that a node
read. A parameter is used if its class or define, a class that inherits, a template, or `$class::parameter` elsewhere
names it. A key is used if a compilation asked for it, under whatever name it was put together.

So "dead" means: nothing that any of these nodes compiles leads there. Where that can not be said, since names are
computed, nothing is said about the parameters, and the answer tells of which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..base.record import Record
from ..base.spell import nearest

if TYPE_CHECKING:
    from ..base.source import Span
    from ..provenance.inventory import Inventory, WrittenDefinition
    from ..provenance.ladder import WrittenKey
    from .questions import Questions

_WORD = re.compile(r"[A-Za-z_]\w*(?:::\w+)*")
_ALWAYS = {"title", "name"}
"""Parameters that a define has in any case."""
KINDS = ("class", "define", "function", "type", "resource type", "parameter", "key", "file")


class Dead(Record):
    """Something that no node uses.  `note` says more, where more is known."""

    kind: str
    name: str
    span: Span | None
    file: str
    note: str = ""

    @property
    def line(self) -> int:
        """The line, or 0 for a whole file."""
        return self.span.line if self.span is not None else 0


class Use(Record):
    """What the nodes of a store use."""

    nodes: int
    failed: tuple[str, ...]
    classes: frozenset[str]
    types: frozenset[str]
    keys: frozenset[str]
    unset: frozenset[str]
    """Keys that were looked up and that no level had."""
    files: frozenset[str]
    """Files that a compilation read, or in which it looked for a key, as runs write them."""
    data_files: frozenset[str]


class DeadCode(Record):
    """What is dead, and what could not be judged, with the reason."""

    dead: tuple[Dead, ...]
    unjudged: tuple[Dead, ...]
    written: int
    """How many definitions, parameters and keys there are."""


def use_of(questions: Questions) -> Use:
    """What the nodes of a store use."""
    rows = questions.rows
    reads = rows("select distinct kind, name from reads where kind in ('content', 'key')")
    return Use(
        questions.node_count(),
        tuple(row[0] for row in rows("select node from nodes where status <> 'compiled' order by 1")),
        frozenset(row[0] for row in rows("select distinct lower(title) from resources where type = 'Class'")),
        frozenset(row[0] for row in rows("select distinct lower(type) from resources")),
        frozenset(_root(row[0]) for row in rows("select distinct key from lookups")),
        frozenset(
            _root(row[0])
            for row in rows("select distinct key from lookups join answers using (answer) where file = ''")
        ),
        frozenset(name for kind, name in reads if kind == "content"),
        frozenset(name.partition("\0")[0] for kind, name in reads if kind == "key"),
    )


def verdict(written: Inventory, use: Use, name_of: Callable[[str], str], text_of: Callable[[str], str]) -> DeadCode:
    """What is dead.  `name_of` writes a path as runs do; `text_of` is what a file (so written) holds, if anything."""
    words = _Words(written, use, text_of)
    live = _reached(written, use, words)
    dead: list[Dead] = []
    unjudged: list[Dead] = []
    for definition in written.definitions:
        if definition.kind != "main" and id(definition) not in live:
            note = ""
            if definition.kind == "define" and name_of(definition.span.file.name) in use.files:
                note = "looked up, but in no catalog"
            dead.append(_dead(definition.kind, definition.name, definition.span, note))
    used = [definition for definition in written.definitions if id(definition) in live]
    mentioned = words.variables.union(*(definition.variables | definition.names for definition in used))
    heirs: dict[str, list[WrittenDefinition]] = {}
    for definition in used:
        heirs.setdefault(definition.parent, []).append(definition)
    for definition in used:
        if definition.kind in ("class", "define"):
            own_heirs = heirs.get(definition.name, ()) if definition.kind == "class" else ()
            unused = [*_unused_parameters(definition, own_heirs, mentioned, words)]
            told = unjudged if definition.unknown and unused else dead
            told += (
                _dead("parameter", f"{definition.name}::{name}", span, definition.unknown) for name, span in unused
            )
    dead += _keys(written.keys, use, name_of)
    count = sum(definition.kind != "main" for definition in written.definitions) + len(written.keys)
    count += sum(len(definition.parameters) for definition in written.definitions)
    order = sorted(dead, key=lambda item: (KINDS.index(item.kind), item.file, item.line))
    return DeadCode(tuple(order), tuple(unjudged), count)


def _dead(kind: str, name: str, span: Span, note: str = "") -> Dead:
    return Dead(kind, name, span, span.file.name, note)


class _Words:
    """The words of everything that nodes read and that is no manifest: templates, data, configurations."""

    def __init__(self, written: Inventory, use: Use, text_of: Callable[[str], str]) -> None:
        own = {definition.span.file.name for definition in written.definitions}
        self._texts = {
            name: text_of(name)
            for name in use.files | use.data_files
            if not name.endswith((".pp", ".rb")) and name not in own
        }
        self.names = {word.lower() for text in self._texts.values() for word in _WORD.findall(text)}
        code = (text for name, text in self._texts.items() if name not in use.data_files)
        self.variables = {word for text in code for word in _WORD.findall(text)}
        """Of these, words that may be variables: keys of the data have the names of parameters, and are none."""

    def templates(self, texts: Iterable[str]) -> set[str]:
        """The words of templates that texts name: of `module/name.erb`, the file `module/templates/name.erb`."""
        ends = ["/templates/".join(text.split("/", 1)) for text in texts if "/" in text and "\n" not in text]
        words: set[str] = set()
        for name, text in self._texts.items():
            if any(name.endswith(f"/{end}") for end in ends):
                words.update(_WORD.findall(text))
        return words


def _reached(written: Inventory, use: Use, words: _Words) -> set[int]:
    """The definitions that are used: those in catalogs, and what they, or files that nodes read, mention."""
    live: set[int] = set()
    waiting: list[WrittenDefinition] = []
    by_name: dict[str, list[WrittenDefinition]] = {}

    def use_it(definition: WrittenDefinition) -> None:
        if id(definition) not in live:
            live.add(id(definition))
            waiting.append(definition)

    for definition in written.definitions:
        match definition.kind:
            case "function" | "type":
                by_name.setdefault(definition.name, []).append(definition)
                if definition.name in words.names:
                    use_it(definition)
            case "class":
                if definition.name in use.classes:
                    use_it(definition)
            case "define" | "resource type":
                if definition.name in use.types:
                    use_it(definition)
            case _:
                use_it(definition)
    while waiting:
        for name in waiting.pop().names:
            for definition in by_name.get(name, ()):
                use_it(definition)
    return live


def _unused_parameters(
    definition: WrittenDefinition, heirs: Sequence[WrittenDefinition], mentioned: set[str], words: _Words
) -> Iterator[tuple[str, Span]]:
    """Parameters that neither the definition, nor those that inherit from it, nor their templates name."""
    own = set(definition.variables) | {word for text in definition.texts for word in _WORD.findall(text)}
    for heir in heirs:
        own |= heir.variables
    own |= words.templates(text for source in (definition, *heirs) for text in source.texts)
    for parameter in definition.parameters:
        if parameter.name not in own and parameter.name not in _ALWAYS:
            if f"{definition.name}::{parameter.name}" not in mentioned:
                yield parameter.name, parameter.span


def _keys(keys: tuple[WrittenKey, ...], use: Use, name_of: Callable[[str], str]) -> Iterator[Dead]:
    """Keys that no node looked up; of a data file that no node reads, only the file."""
    known = sorted(use.keys)
    unset = sorted(use.unset)
    unread: dict[str, None] = {}
    for key in keys:
        if name_of(key.file) not in use.data_files:
            unread[key.file] = None
        elif key.key not in use.keys:
            close = nearest(key.key, unset) or nearest(key.key, known)
            yield Dead("key", key.key, key.span, key.file, f"did you mean {close}?" if close else "")
    for file in unread:
        yield Dead("file", file, None, file, "in no node's hierarchy")


def _root(key: str) -> str:
    """The part of a key that is looked up in the levels: `a::b` of `a::b.c.0`."""
    return key.partition(".")[0] if not key.startswith(("'", '"')) else key[1:].partition(key[0])[0]
