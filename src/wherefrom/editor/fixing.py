"""Quick fixes: edits for what a diagnostic says is wrong.

| the diagnostic                             | the edit                                                      |
|--------------------------------------------|---------------------------------------------------------------|
| a name that nothing defines                | the name that the diagnostic suggests, or the nearest         |
| parameters without a value                 | the parameters after the title, each empty after its type     |
| a file outside of the allowed directories  | its directory among the `roots` of `wherefrom.toml`           |
| a module that the `Puppetfile` names       | none: a command of the client, which installs modules         |

The last is for clients that say they have the command `wherefrom/install`: the server starts no programs.

A fix is offered where the text of now is what the diagnostic is about, and where there is one place for it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from ..base.source import SourceFile
from ..base.spell import nearest
from .names import Names
from .positions import offset_of, position_of, range_of
from .view import View

_HINT = re.compile(r"did you mean ([$\w:.-]+?)\?")
_UNKNOWN = re.compile(r"unknown (?P<kind>class|function|resource type|type) '?(?P<name>[\w:]+)", re.IGNORECASE)
_KIND_OF_NAME = {"class": "class", "function": "function", "resource type": "type", "type": "type"}
_NAMED = re.compile(r"\w+(?:::\w+)*")
_WITHOUT = re.compile(r"(?P<owner>[A-Z][\w:]*)\[[^\n]*?\]:(?:\s+expects a value for parameter '\w+'\n?)+")
_PARAMETER = re.compile(r"expects a value for parameter '(\w+)'")
_TITLED = re.compile(r"\s*(?P<type>[\w:]+)\s*\{\s*(?P<title>'[^'\\\n]*'|\"[^\"\\$\n]*\"|\$[\w:]+)\s*:(?!:)")
_OUTSIDE = re.compile(r"outside the allowed directories\b.*\bhelp: [^\n]*--root (?P<root>/[^\n]*)", re.DOTALL)
_ROOTS = re.compile(r"^roots\s*=\s*\[", re.MULTILINE)
_LACKING = re.compile(r"the Puppetfile names (?P<module>[\w./-]+), which is not in any directory of the modulepath")
INSTALL = "wherefrom/install"
INSTALLING = "r10k puppetfile install"
Fix = dict[str, Any]
"""A code action, in the form of the protocol."""
SETTINGS = "wherefrom.toml"
EMPTY = (
    (re.compile(r"Boolean\b"), "false"),
    (re.compile(r"(?:Integer|Numeric|Float|Stdlib::Port)\b"), "0"),
    (re.compile(r"(?:Array|Tuple)\b"), "[]"),
    (re.compile(r"(?:Hash|Struct)\b"), "{}"),
)
"""What is written for a parameter by its type; for all others, an empty text."""


class Fixing:
    """Fixes in the files of an editor: `source` gives a text, `uri` an address; `commands` are the client's own."""

    def __init__(
        self,
        names: Names,
        source: Callable[[str], SourceFile | None],
        uri: Callable[[str], str],
        encoding: str,
        commands: Collection[str],
    ) -> None:
        self._names = names
        self._source = source
        self._uri = uri
        self._encoding = encoding
        self._commands = commands

    def fixes(self, view: View, problem: Any, place: str | None) -> Iterator[Fix]:
        """The fixes for one diagnostic; `place` is what is compiled for the file."""
        source = view.text.source
        where = [(at.line, at.character) for at in (problem.range.start, problem.range.end)]
        start, end = (offset_of(source, at, self._encoding) for at in where)
        line_end = source.text.find("\n", start)
        end = max(end, line_end if line_end >= 0 else len(source.text))
        named = self._named(source.text[start:end], problem.message)
        if named is not None:
            at, old, new = named
            span = source.span(start + at, start + at + len(old))
            edit = {"range": range_of(span, self._encoding), "newText": new}
            yield self._fix(f"Replace {old} by {new}", {view.text.uri: [edit]})
        without = _WITHOUT.search(problem.message)
        if without is not None:
            yield from self._filled(view, start, without["owner"].lower(), _PARAMETER.findall(without[0]))
        lacking = _LACKING.search(problem.message)
        if lacking is not None and place is not None and INSTALL in self._commands:
            command = {"title": "Install", "command": INSTALL, "arguments": [place, INSTALLING]}
            yield {"title": f"Install {lacking['module']}: {INSTALLING}", "kind": "quickfix", "command": command}
        outside = _OUTSIDE.search(problem.message)
        if outside is not None and place is not None and os.path.isdir(place):
            yield self._rooted(place, outside["root"].strip())

    def _fix(self, title: str, changes: Mapping[str, object]) -> Fix:
        return {"title": title, "kind": "quickfix", "isPreferred": True, "edit": {"changes": changes}}

    # --- names ---

    def _named(self, text: str, message: str) -> tuple[int, str, str] | None:
        """Of a wrong text, which name is to be another, and which: as the message says, or the nearest there is."""
        hint, unknown = _HINT.search(message), _UNKNOWN.search(message)
        words = [(word.start(), word[0]) for word in _NAMED.finditer(text)]
        if unknown is not None:
            wrong = unknown["name"].lower()
            kind = _KIND_OF_NAME.get(unknown["kind"], "class")
            known = (name for name, _ in self._names.definitions(kind))
            new = hint[1] if hint is not None else nearest(wrong, known)
        elif hint is not None:
            new = hint[1].removeprefix("$")
            wrong = (nearest(new, (word for _, word in words)) or "").lower()
        else:
            return None
        place = next(((at, word) for at, word in words if word.lower() == wrong), None)
        return None if place is None or new is None or place[1] == new else (*place, new)

    # --- parameters ---

    def _filled(self, view: View, start: int, owner: str, parameters: list[str]) -> Iterator[Fix]:
        """The parameters written after the title, where the declaration is of this class or define."""
        source = view.text.source
        titled = _TITLED.match(source.text, start)
        if titled is None:
            return
        named = titled["type"].removeprefix("::")
        if named == "class":
            named = titled["title"][1:-1].removeprefix("::")
        if named != owner.removeprefix("::"):
            return
        at = titled.end()
        rows = [f"{name} => {self._empty(owner, name)}," for name in parameters]
        if source.text[at : at + 1] in ("\n", "\r"):
            line = source.line_text(source.line_of(start))
            indent = line[: len(line) - len(line.lstrip())] + "  "
            text = "".join(f"\n{indent}{row}" for row in rows)
        else:
            text = "".join(f" {row}" for row in rows)
        position = position_of(source, at, self._encoding)
        edit = {"range": {"start": position, "end": position}, "newText": text}
        what = "the parameter" if len(parameters) == 1 else "the parameters"
        yield self._fix(f"Write {what} {', '.join(parameters)}", {view.text.uri: [edit]})

    def _empty(self, owner: str, name: str) -> str:
        for _, definition in self._names.definitions_of("variable", f"{owner}::{name}"):
            written = definition.extent.text if definition.extent is not None else ""
            return next((value for shape, value in EMPTY if shape.match(written)), "''")
        return "''"

    # --- roots ---

    def _rooted(self, place: str, root: str) -> Fix:
        """The settings with one more root: beside the environment, or above it."""
        path = _settings_of(place)
        source = self._source(path) if os.path.exists(path) else None
        text = json.dumps(root, ensure_ascii=False)
        edits: list[object] = []
        if source is None:
            edits.append({"kind": "create", "uri": self._uri(path), "options": {"ignoreIfExists": True}})
            source = SourceFile(path, "")
        roots = _ROOTS.search(source.text)
        at, new = (0, f"roots = [{text}]\n") if roots is None else (roots.end(), f"{text}, ")
        position = position_of(source, at, self._encoding)
        edit = {"range": {"start": position, "end": position}, "newText": new}
        edits.append({"textDocument": {"uri": self._uri(path), "version": None}, "edits": [edit]})
        title = f"Allow {root} in {os.path.basename(path)} (`wherefrom trust` makes it count)"
        return {"title": title, "kind": "quickfix", "edit": {"documentChanges": edits}}


def _settings_of(place: str) -> str:
    """The settings that an environment belongs to; where there are none, a file in it."""
    folder = os.path.abspath(place)
    while True:
        path = os.path.join(folder, SETTINGS)
        above = os.path.dirname(folder)
        if os.path.isfile(path):
            return path
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            return os.path.join(os.path.abspath(place), SETTINGS)
        folder = above
