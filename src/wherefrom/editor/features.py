"""What the editor may ask, one method each: registered by the name that the protocol has for it.

Questions about names are answered from `Names`, those about values from what was last compiled (`View`). Only an
explanation is asked of the other process; while that compiles, a hover does not wait for it (`BUSY`) and shows the
value without its history.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..base.diagnostics import Diagnostic
from ..base.host import RealHost
from ..base.mentions import Mention
from ..base.plural import count_of
from ..base.source import SourceFile
from ..base.splices import difference
from .completing import Completing
from .editing import files_below, language_of
from .fixing import Fixing
from .fleet_lenses import FleetLenses, saved_text
from .names import LOCAL
from .positions import Range, offset_of, position_of, range_of
from .renaming import NoRename, Renaming
from .renaming_definitions import DEFINED, OTHERS, RenamingDefinitions
from .rewriting import Rewriting
from .shape import COLOURS, Shape
from .texts import Change, path_of, uri_of
from .view import Expression, View

if TYPE_CHECKING:
    from .editing import Editor

PATIENCE = 0.4
BUSY = 0.04
"""Seconds that a hover waits for the history of its value: while the other process is idle, and while it works."""
MOST_SYMBOLS = 200
LONGEST_HINT = 40
SYMBOLS = {"class": 5, "type": 23, "function": 12, "variable": 13, "key": 20, "node": 19, "attribute": 7}
"""The protocol's kinds of symbols."""
OUTLINED = frozenset(("class", "type", "function", "key", "node", "attribute"))
"""What an outline shows wherever it stands; of variables, the parameters."""
LENSES = frozenset(("class", "type", "key", "attribute"))


class Features:
    """The answers to an editor's questions."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._completing = Completing(editor)
        self._renaming = Renaming(editor.names, self._source)
        self._renaming_definitions = RenamingDefinitions(editor.names, self._source, self._others)
        self._shape = Shape(editor)
        self._fleet = FleetLenses(editor, has_lens)

    def register(self, server: Any, guarded: Callable[[Any], Any]) -> None:
        """Have the server call these."""
        from lsprotocol import types

        feature = server.feature
        for method, notified in {
            types.INITIALIZE: self.initialize,
            types.INITIALIZED: self.initialized,
            types.TEXT_DOCUMENT_DID_OPEN: self.did_open,
            types.TEXT_DOCUMENT_DID_CHANGE: self.did_change,
            types.TEXT_DOCUMENT_DID_CLOSE: self.did_close,
            types.TEXT_DOCUMENT_DID_SAVE: self.did_save,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self.did_change_watched_files,
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: self.did_change_folders,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: self.did_change_configuration,
        }.items():
            feature(method)(_as_function(notified))
        for method, asked in {
            types.TEXT_DOCUMENT_HOVER: self.hover,
            types.TEXT_DOCUMENT_DEFINITION: self.definition,
            types.TEXT_DOCUMENT_REFERENCES: self.references,
            types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: self.highlights,
            types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: self.outline,
            types.WORKSPACE_SYMBOL: self.symbols,
            types.TEXT_DOCUMENT_INLAY_HINT: self.hints,
        }.items():
            feature(method)(guarded(asked))
        feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))(guarded(self.lenses))
        letters = types.CompletionOptions(trigger_characters=["$", ":", "'", "["])
        feature(types.TEXT_DOCUMENT_COMPLETION, letters)(guarded(self.completion))
        feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))(guarded(self.rename))
        feature(types.TEXT_DOCUMENT_PREPARE_RENAME)(guarded(self.prepare_rename))
        shape = self._shape
        legend = types.SemanticTokensLegend(token_types=COLOURS, token_modifiers=[])
        feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)(guarded(shape.colours))
        commas = types.SignatureHelpOptions(trigger_characters=["(", ","])
        feature(types.TEXT_DOCUMENT_SIGNATURE_HELP, commas)(guarded(shape.signature))
        for method, asked in {
            types.TEXT_DOCUMENT_FOLDING_RANGE: shape.folds,
            types.TEXT_DOCUMENT_FORMATTING: shape.formatted,
            types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: shape.prepare_calls,
            types.CALL_HIERARCHY_INCOMING_CALLS: shape.incoming,
            types.CALL_HIERARCHY_OUTGOING_CALLS: shape.outgoing,
        }.items():
            feature(method)(guarded(asked))
        kinds = types.CodeActionKind
        fixes = types.CodeActionOptions(code_action_kinds=[kinds.QuickFix, kinds.Refactor, kinds.RefactorRewrite])
        feature(types.TEXT_DOCUMENT_CODE_ACTION, fixes)(guarded(self.fixes))
        feature(types.CODE_LENS_RESOLVE)(guarded(self.resolve_lens))

        async def choose_node(place: str, node: str | None) -> None:
            await self.choose_node(place, node)

        async def suppose(place: str, facts: Any) -> None:
            await self.suppose(place, facts)

        async def reach(place: str, file: str, line: int, last: int) -> Any:
            return await self.reach(place, file, line, last)

        async def settled() -> None:
            await self._editor.settled()

        async def missing(place: str, path: str) -> Any:
            return await self.missing(place, path)

        server.command("wherefrom/missing")(missing)
        server.command("wherefrom/settled")(settled)
        server.command("wherefrom/node")(choose_node)
        server.command("wherefrom/facts")(suppose)
        server.command("wherefrom/reach")(reach)

    # --- the session ---

    def initialize(self, params: Any) -> None:
        """The editor says what it can do, and which folders it shows."""
        editor = self._editor
        options = params.initialization_options if isinstance(params.initialization_options, dict) else {}
        editor.trusted = options.get("trusted") is not False
        commands = options.get("commands")
        editor.commands = frozenset(map(str, commands)) if isinstance(commands, list) else frozenset()
        node = options.get("node")
        editor.wanted = node if isinstance(node, str) else None
        folders = [folder.uri for folder in params.workspace_folders or ()] or [params.root_uri]
        editor.folders = [path for path in (path_of(uri) for uri in folders if uri) if path is not None]

    def initialized(self, params: Any) -> None:
        """The editor is ready: read the names of its folders."""
        general = self._editor.protocol.server_capabilities.position_encoding
        self._editor.encoding = getattr(general, "value", general) or "utf-16"
        for folder in self._editor.folders:
            self._editor.scan(folder)

    def did_open(self, params: Any) -> None:
        """A file is shown."""
        document = params.text_document
        self._editor.opened(document.uri, document.text, document.version)

    def did_change(self, params: Any) -> None:
        """Something was typed."""
        changes = []
        for change in params.content_changes:
            where = getattr(change, "range", None)
            if where is None:
                changes.append(Change(change.text))
            else:
                start, end = where.start, where.end
                changes.append(Change(change.text, (start.line, start.character), (end.line, end.character)))
        self._editor.changed(params.text_document.uri, changes, params.text_document.version)

    def did_close(self, params: Any) -> None:
        """A file is shown no more."""
        self._editor.closed(params.text_document.uri)

    def did_save(self, params: Any) -> None:
        """What was typed is on the disk."""
        place = self._editor.place_of(params.text_document.uri)
        if place is not None:
            self._editor.compile(place.path)

    def did_change_watched_files(self, params: Any) -> None:
        """Files were written, made or taken away by somebody."""
        paths = [path_of(change.uri) for change in params.changes]
        self._editor.changed_on_disk([path for path in paths if path is not None])

    def did_change_folders(self, params: Any) -> None:
        """A folder was added."""
        for folder in params.event.added:
            path = path_of(folder.uri)
            if path is not None:
                self._editor.folders.append(path)
                self._editor.scan(path)

    def did_change_configuration(self, params: Any) -> None:
        """The editor's settings are others."""
        settings = params.settings if isinstance(params.settings, dict) else {}
        node = settings.get("wherefrom", settings).get("node")
        if isinstance(node, str) and node != self._editor.wanted:
            self._editor.wanted = node
            for place in self._editor.places.values():
                place.node = node
                self._editor.compile(place.path)

    async def choose_node(self, place: str, node: str | None) -> None:
        """Compile for another node."""
        for known in self._editor.places.values():
            if known.path == place or path_of(place) == known.path:
                known.node = node
                self._editor.compile(known.path)

    async def suppose(self, place: str, facts: Any) -> None:
        """Compile as if some facts were others."""
        for known in self._editor.places.values():
            if known.path == place or path_of(place) == known.path:
                known.facts = {str(name): value for name, value in (facts or {}).items()}
                self._editor.compile(known.path)

    # --- places ---

    def _at(self, params: Any) -> tuple[View, int] | None:
        """The view of a file, and the offset that a request is about."""
        view = self._editor.settle(params.text_document.uri)
        if view is None:
            return None
        position = params.position
        return view, offset_of(view.text.source, (position.line, position.character), self._editor.encoding)

    def _location(self, path: str, mention: Mention) -> dict[str, object]:
        return {"uri": self._editor.uri_of_file(path), "range": range_of(mention.at, self._editor.encoding)}

    def _mention(self, params: object) -> tuple[View, Mention] | None:
        here = self._at(params)
        mention = self._editor.names.at(here[0].text.path, here[1]) if here is not None else None
        return None if here is None or mention is None else (here[0], mention)

    # --- hover ---

    async def hover(self, params: Any) -> object:
        """The value on the chosen node, where it came from, and what the name is."""
        here = self._at(params)
        if here is None:
            return None
        view, offset = here
        editor = self._editor
        mention = editor.names.at(view.text.path, offset)
        expression = view.at(offset)
        place = editor.place_of(params.text_document.uri)
        parts: list[str] = []
        shown: Range | None = None
        if mention is not None and mention.kind in ("variable", "ruby") and expression is not None:
            around = view.exactly(mention.at.start - 1, mention.at.end)
            expression = around or expression
        if mention is not None and mention.kind == "key" and place is not None:
            parts += await self._key(place, mention.name)
        elif expression is not None and place is not None:
            parts.append(_values(expression, place.node))
            parts += await self._history(place, view, expression)
            shown = range_of(view.text.source.span(expression.start, expression.end), editor.encoding)
        if mention is not None:
            parts += self._described(view, mention)
            shown = shown or range_of(mention.span, editor.encoding)
        if not parts:
            return None
        return {"contents": {"kind": "markdown", "value": "\n\n".join(parts)}, **({"range": shown} if shown else {})}

    async def _history(self, place: Any, view: View, expression: Expression) -> list[str]:
        start, end = expression.compiled
        question = {"ask": "explain", "file": view.text.path, "start": start, "end": end}
        answer = await self._soon({**self._editor.about(place), **question})
        text = below(answer.get("text", "").partition("\n\n")[2].rstrip(), place.path)
        return [f"```text\n{text}\n```"] if text else []

    async def _key(self, place: Any, name: str) -> list[str]:
        answer = await self._soon({**self._editor.about(place), "ask": "key", "name": name})
        text = below(answer.get("text", "").rstrip(), place.path)
        return [f"```text\n{text}\n```"] if text else []

    async def _soon(self, question: Any) -> Any:
        """An answer, if it comes soon."""
        patience = BUSY if self._editor.busy else PATIENCE
        task = asyncio.ensure_future(self._editor.ask(question))
        done, _ = await asyncio.wait([task], timeout=patience)
        return task.result() if done else {}

    def _described(self, view: View, mention: Mention) -> Iterator[str]:
        """What a name is: the head of its definition, and the comment above it."""
        rows = self._editor.names.defined(view.text.path, mention)
        kind = "variable" if mention.kind == "ruby" else mention.kind
        for path, definition in sorted(rows, key=lambda row: row[1].kind != kind)[:1]:
            source = self._source(path)
            if source is None or definition.extent is None or mention.defines:
                continue
            line = definition.extent.line
            head = source.line_text(line).strip()
            comment = comment_above(source, line)
            place = f"{os.path.basename(path)}:{line}"
            fence = language_of(path) or ""
            yield f"```{fence}\n{head}\n```\n{comment}\n\n*{place}*"

    def _source(self, path: str) -> SourceFile | None:
        """The text of a file: of the editor, or as it lies on the disk."""
        for view in self._editor.views.values():
            if view.text.path == path:
                return view.text.source
        try:
            return RealHost([os.path.dirname(path)]).source(path)
        except Diagnostic:
            return None

    def _others(self) -> Iterator[str]:
        """Files of the folders that may name something in a way that is not understood."""
        for folder in self._editor.folders:
            yield from files_below(RealHost([folder]), folder, lambda path: path.endswith(OTHERS))

    # --- names ---

    async def definition(self, params: object) -> Any:
        """Where what is named is defined."""
        here = self._mention(params)
        if here is None:
            return None
        view, mention = here
        await self._editor.scanned()
        names = self._editor.names
        if mention.kind == "template":
            path = names.template(mention)
            nowhere = {"line": 0, "character": 0}
            return (
                None
                if path is None
                else {"uri": self._editor.uri_of_file(path), "range": {"start": nowhere, "end": nowhere}}
            )
        return [self._location(*row) for row in names.defined(view.text.path, mention)]

    async def references(self, params: Any) -> Any:
        """Everywhere that the same is meant."""
        here = self._mention(params)
        if here is None:
            return None
        await self._editor.scanned()
        rows = self._editor.names.places(here[0].text.path, here[1])
        declared = params.context.include_declaration
        return [self._location(*row) for row in rows if declared or not row[1].defines]

    async def highlights(self, params: object) -> object:
        """The same in this file."""
        here = self._mention(params)
        if here is None:
            return None
        rows = self._editor.names.places(here[0].text.path, here[1])
        encoding = self._editor.encoding
        return [
            {"range": range_of(mention.at, encoding), "kind": 3 if mention.defines else 2}
            for path, mention in rows
            if path == here[0].text.path
        ]

    # --- writing ---

    async def completion(self, params: Any) -> object:
        """What may be written here: names of the kind that fits, with their values where they are known."""
        view = self._editor.views.get(params.text_document.uri)
        if view is None:
            return None
        source = view.text.source
        offset = offset_of(source, (params.position.line, params.position.character), self._editor.encoding)
        return await self._completing.items(view, offset)

    async def prepare_rename(self, params: object) -> object:
        """What would be replaced.  Refused with the reason where that can not be known."""
        here = self._mention(params)
        if here is None:
            return None
        await self._editor.scanned()
        view, mention = here
        if mention.kind in DEFINED and language_of(view.text.path) == "puppet":
            self._renaming_definitions.check(view.text.path, mention)
        else:
            self._renaming.check(view, mention)
        return {"range": range_of(mention.at, self._editor.encoding), "placeholder": mention.at.text}

    async def rename(self, params: Any) -> object:
        """The edits of a rename: in code, data and templates."""
        here = self._mention(params)
        if here is None:
            return None
        await self._editor.scanned()
        view, mention = here
        if mention.kind in DEFINED and language_of(view.text.path) == "puppet":
            return await self._rename_definition(view, mention, params.new_name)
        changes: dict[str, list[object]] = {}
        for path, other in self._renaming.places(view, mention, params.new_name):
            edit = {"range": range_of(other.at, self._editor.encoding), "newText": params.new_name}
            changes.setdefault(self._editor.uri_of_file(path), []).append(edit)
        return {"changes": changes}

    async def _rename_definition(self, view: View, mention: Mention, new: str) -> object:
        """The edits, and the file with its new name, once nodes are known to compile to the same but for the name."""
        renamed = self._renaming_definitions.renamed(view.text.path, mention, new)
        if renamed.files and not self._editor.can_rename_files():
            raise NoRename(f"{renamed.files[0][0]} has the name, too, and this editor cannot rename files for a server")
        changes: dict[str, list[object]] = {}
        texts: dict[str, str | None] = {}
        for path, start, end, text in reversed(renamed.edits):
            source = self._source(path)
            if source is None:
                raise NoRename(f"{path} cannot be read any more")
            known = texts.get(path)
            whole = source.text if known is None else known
            texts[path] = whole[:start] + text + whole[end:]
            edit = {"range": range_of(source.span(start, end), self._editor.encoding), "newText": text}
            changes.setdefault(self._editor.uri_of_file(path), []).append(edit)
        for path, other in renamed.files:
            texts[other], texts[path] = texts[path], None
        place = self._editor.places.get(view.place or "")
        if place is not None:
            question = {"ask": "renamed", "files": texts, "old": renamed.old, "new": new, "kept": renamed.kept}
            question["texts"] = self._editor.texts()
            answer = await self._editor.ask({**self._editor.about(place), **question})
            words = answer.get("error") or answer.get("different")
            if words:
                raise NoRename(f"after the rename, {words}")
        documents: list[object] = [
            {"textDocument": {"uri": uri, "version": None}, "edits": edits} for uri, edits in changes.items()
        ]
        for path, other in renamed.files:
            documents.append({"kind": "rename", "oldUri": self._editor.uri_of_file(path), "newUri": uri_of(other)})
        return {"documentChanges": documents} if renamed.files else {"changes": changes}

    async def fixes(self, params: Any) -> Any:
        """Fixes of what is wrong; a key of the data at a nearer level; other places for what was typed."""
        view = self._editor.settle(params.text_document.uri)
        if view is None:
            return None
        place = self._editor.place_of(params.text_document.uri)
        editor = self._editor
        fixing = Fixing(editor.names, self._source, editor.uri_of_file, editor.encoding, editor.commands)
        folder = place.path if place is not None else None
        offered = [fix for problem in params.context.diagnostics for fix in fixing.fixes(view, problem, folder)]
        actions = [fix for at, fix in enumerate(offered) if fix not in offered[:at]]
        only = params.context.only
        if only is None or any(str(getattr(kind, "value", kind)).startswith("refactor") for kind in only):
            actions += await self._levels(view, params)
        return [*actions, *await self._elsewhere(view, params)]

    async def _levels(self, view: View, params: Any) -> list[Any]:
        """A key for each level of the data above the one that sets it now, with the value that it has now."""
        names, place = self._editor.names, self._editor.place_of(params.text_document.uri)
        start = params.range.start
        offset = offset_of(view.text.source, (start.line, start.character), self._editor.encoding)
        mention = names.at(view.text.path, offset)
        if mention is None or place is None:
            return []
        key = next((name for kind, name in names.meaning(view.text.path, mention) if kind == "key"), None)
        if key is None or self._editor.busy:
            return []
        answer = await self._soon({**self._editor.about(place), "ask": "levels", "name": key})
        actions = []
        for level in answer.get("levels", ()):
            source = self._source(level["file"])
            if source is None or len(source.text) != level["length"]:
                continue  # it was changed since
            where = os.path.relpath(level["file"], place.path)
            edit = {"range": level["range"], "newText": level["text"]}
            changes = {self._editor.uri_of_file(level["file"]): [edit]}
            title = f"Set {key} for {level['reach'] or 'this level'} in {where}"
            actions.append({"title": title, "kind": "refactor", "edit": {"changes": changes}})
        return actions

    async def _elsewhere(self, view: View, params: Any) -> list[object]:
        """Edits that give what was typed and not saved yet, made elsewhere; what was typed is taken back.

        Only where the text differs from the saved one at one place, and the request is about that place.
        """
        place = self._editor.place_of(params.text_document.uri)
        on_disk = saved_text(view.text.path)
        saved = None if on_disk is None else on_disk.text
        if place is None or place.facts or saved is None or not view.same_text() or saved == view.text.source.text:
            return []
        wanted = params.context.only
        if wanted and not any("refactor.rewrite".startswith(str(getattr(kind, "value", kind))) for kind in wanted):
            return []
        source = view.text.source
        start, _, end = difference(saved, source.text)
        first, last = source.line_of(start) - 1, source.line_of(max(start, end - 1)) - 1
        if params.range.end.line < first or params.range.start.line > last:
            return []
        question = {"ask": "propose", "file": view.text.path, "start": start, "end": end}
        answer = await self._editor.ask({**self._editor.about(place), **question, "texts": self._editor.texts()})
        rewriting = Rewriting(
            self._editor.uri_of_file, self._source, self._editor.encoding, os.path.realpath(view.text.path), saved
        )
        actions = [rewriting.action(row, place.path) for row in answer.get("proposals", ())]
        return [action for action in actions if action is not None]

    async def outline(self, params: Any) -> Any:
        """What a file defines, inside of what."""
        view = self._editor.settle(params.text_document.uri)
        if view is None:
            return None
        mentions = [
            mention
            for mention in self._editor.names.of_file(view.text.path)
            if mention.defines and mention.extent is not None and _is_outlined(mention)
        ]
        mentions.sort(key=lambda mention: (mention.extent.start, -mention.extent.end) if mention.extent else (0, 0))
        top: list[object] = []
        open_symbols: list[tuple[int, list[Any]]] = []
        for mention in mentions:
            assert mention.extent is not None
            while open_symbols and mention.extent.start >= open_symbols[-1][0]:
                open_symbols.pop()
            symbol: dict[str, Any] = {
                "name": mention.at.text if LOCAL in mention.name or mention.kind == "variable" else mention.name,
                "detail": mention.detail,
                "kind": SYMBOLS.get(mention.kind, 13),
                "range": range_of(mention.extent, self._editor.encoding),
                "selectionRange": range_of(mention.at, self._editor.encoding),
                "children": [],
            }
            (open_symbols[-1][1] if open_symbols else top).append(symbol)
            open_symbols.append((mention.extent.end, symbol["children"]))
        return top

    async def symbols(self, params: Any) -> Any:
        """Definitions in all folders whose names have these letters in them, in this order."""
        await self._editor.scanned()
        wanted = params.query.lower()
        answer: list[object] = []
        for kind in ("class", "type", "function", "node", "key", "attribute"):
            for name, _ in self._editor.names.definitions(kind):
                if is_subsequence(wanted, name.lower()):
                    for path, definition in self._editor.names.definitions_of(kind, name):
                        symbol = {"name": name, "kind": SYMBOLS[kind], "location": self._location(path, definition)}
                        answer.append(symbol)
            if len(answer) > MOST_SYMBOLS:
                break
        return answer[:MOST_SYMBOLS]

    # --- what is drawn beside the text ---

    async def hints(self, params: Any) -> object:
        """The values of parameters and assigned variables, where they are not what is written there."""
        view = self._editor.settle(params.text_document.uri)
        if view is None:
            return None
        encoding = self._editor.encoding
        first = offset_of(view.text.source, (params.range.start.line, params.range.start.character), encoding)
        last = offset_of(view.text.source, (params.range.end.line, params.range.end.character), encoding)
        answer = []
        for start, end, expression, written in self._hinted(view):
            if first <= end <= last and not is_written(expression, written):
                words = expression.values[0].text
                more = f" (+{expression.distinct - 1})" if expression.distinct > 1 else ""
                words = words if len(words) <= LONGEST_HINT else words[: LONGEST_HINT - 1] + "…"
                answer.append(
                    {
                        "position": position_of(view.text.source, end, encoding),
                        "label": f" = {words}{more}",
                        "tooltip": f"{view.text.source.text[start:end]} on {self._node_of(params)}",
                        "paddingLeft": False,
                    }
                )
        return answer

    def _node_of(self, params: Any) -> str:
        place = self._editor.place_of(params.text_document.uri)
        return place.node or "the node" if place is not None else "the node"

    def _hinted(self, view: View) -> Iterator[tuple[int, int, Expression, str]]:
        """Places with a value to be told, and what is written for it."""
        ran = {(item.start, item.end): item for item in view.expressions if item.values}
        for mention in self._editor.names.of_file(view.text.path):
            if mention.kind in ("variable", "attribute") and mention.defines and mention.extent is not None:
                for start in (mention.at.start - 1, mention.at.start):
                    expression = ran.get((start, mention.at.end))
                    if expression is not None:
                        written = view.text.source.text[mention.at.end : mention.extent.end]
                        yield start, mention.at.end, expression, written
                        break

    async def lenses(self, params: Any) -> object:
        """Over each definition and key: how far it reaches.  What that is, is asked when it is drawn."""
        view = self._editor.settle(params.text_document.uri)
        if view is None or view.place is None:
            return None
        encoding = self._editor.encoding
        return [
            {
                "range": range_of(mention.at, encoding),
                "data": {
                    "uri": view.text.uri,
                    "kind": mention.kind,
                    "name": mention.name,
                    "line": mention.extent.line,
                    "last": mention.extent.file.line_of(max(mention.extent.start, mention.extent.end - 1)),
                },
            }
            for mention in self._editor.names.of_file(view.text.path)
            if has_lens(mention) and mention.extent is not None
        ]

    async def resolve_lens(self, lens: Any) -> object:
        """Say how far a definition reaches."""
        data = lens.data if isinstance(lens.data, dict) else {}
        view = self._editor.views.get(data.get("uri", ""))
        place = self._editor.place_of(data.get("uri", ""))
        document: dict[str, object] = {
            "range": {
                "start": {"line": lens.range.start.line, "character": lens.range.start.character},
                "end": {"line": lens.range.end.line, "character": lens.range.end.character},
            }
        }
        fleet = ""
        if view is not None:
            fleet = await self._fleet.words(view, str(data.get("kind")), str(data.get("name")))
        if view is None or place is None or view.compiled is None:
            return {**document, "command": {"title": f"not compiled yet{fleet}", "command": ""}}
        line, last = int(data.get("line", 1)), int(data.get("last", 1))
        question = {"ask": "reach", "file": view.text.path, "line": line, "last": last}
        answer = await self._editor.ask({**self._editor.about(place), **question})
        node = place.node or "this node"
        if "error" in answer:
            title = answer["error"]
        elif not answer["read"]:
            title = f"not read on {node}"
        elif not answer["count"]:
            title = f"reaches nothing on {node}"
        else:
            title = f"reaches {count_of(answer['count'], 'output')} on {node}"
        if "error" not in answer and not answer["count"] and data.get("kind") == "class":
            path = f"Class[{data.get('name')}]"
            command = {
                "title": f"{title} (why?){fleet}",
                "command": "wherefrom/missing",
                "arguments": [place.path, path],
            }
            return {**document, "command": command}
        arguments = [place.path, view.text.path, line, last]
        return {
            **document,
            "command": {"title": f"{title}{fleet}", "command": "wherefrom/reach", "arguments": arguments},
        }

    async def missing(self, place: str, path: str) -> str:
        """Why nothing is at the path of an output: answered, and shown by the editor."""
        known = self._editor.places.get(place)
        if known is None:
            return ""
        answer = await self._editor.ask({**self._editor.about(known), "ask": "missing", "path": path})
        words: str = answer.get("error") or answer["text"] or f"nothing that is known declares {path}"
        words = below(words, known.path)
        self._editor.protocol.tell("window/showMessage", {"type": 3, "message": words})
        return words

    async def reach(self, place: str, file: str, line: int, last: int) -> Any:
        """The outputs that may change when one of some lines does."""
        known = self._editor.places.get(place)
        if known is None:
            return {"affected": [], "count": 0, "read": False}
        question = {"ask": "reach", "file": file, "line": line, "last": last}
        return await self._editor.ask({**self._editor.about(known), **question})


def has_lens(mention: Mention) -> bool:
    """Whether a lens is drawn over a definition."""
    return mention.defines and mention.kind in LENSES


def _as_function(handler: Callable[[Any], None]) -> Callable[[Any], None]:
    """The library writes on its handlers, which a method does not let it."""

    def told(params: Any) -> None:
        handler(params)

    return told


def _is_outlined(mention: Mention) -> bool:
    if LOCAL in mention.name and LOCAL in mention.names[-1]:
        return mention.detail == "let"
    return mention.kind in OUTLINED or mention.detail.startswith("parameter")


def _values(expression: Expression, node: str | None) -> str:
    """The values of an expression, for people."""
    where = f" on {node}" if node else ""
    if expression.distinct == 1:
        times = f", {expression.count} times" if expression.count > 1 else ""
        return f"`{_code(expression.values[0].text)}`{where}{times}"
    rows = [f"{expression.distinct} values{where}, ran {expression.count} times:"]
    rows += [f"- `{_code(value.text)}` ({value.count}) in {value.owner}" for value in expression.values]
    more = expression.distinct - len(expression.values)
    return "\n".join([*rows, *([f"- and {more} more"] if more > 0 else [])])


def below(text: str, folder: str) -> str:
    """A text whose paths are relative to a folder."""
    return text.replace(folder.rstrip("/") + "/", "")


def _code(text: str) -> str:
    return text.replace("`", "'")


def is_written(expression: Expression, written: str) -> bool:
    """Whether the only value of an expression is what stands there."""
    if expression.distinct != 1:
        return False
    text, value = written.strip().removeprefix("=").strip(), expression.values[0].text
    plain = value[1:-1] if value[:1] == value[-1:] == '"' else value
    return text in (value, plain, f"'{plain}'", {"null": "undef"}.get(value, value))


def is_subsequence(wanted: str, name: str) -> bool:
    """Whether the letters of `wanted` are in a name, in their order."""
    letters = iter(name)
    return all(letter in letters for letter in wanted)


def comment_above(source: SourceFile, line: int) -> str:
    """The comment that ends on the line before a definition."""
    lines: list[str] = []
    while line > 1 and source.line_text(line - 1).lstrip().startswith("#"):
        line -= 1
        lines.append(source.line_text(line).lstrip().removeprefix("#").removeprefix(" "))
    return "\n".join(reversed(lines))
