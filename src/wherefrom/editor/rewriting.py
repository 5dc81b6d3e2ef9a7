"""Proposals for a value as code actions: what was typed is taken back, and the value is written elsewhere.

Who types a value where it is seen has said what an output should be. `wherefrom set` knows where else it could be
written, so that a parameter stays a parameter; each proposal becomes one edit of the workspace.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from ..base.plural import count_of
from ..base.source import SourceFile
from ..base.splices import difference
from .positions import range_of


class Rewriting:
    """The edits for a text `typed` in the editor, which is `saved` on the disk."""

    def __init__(
        self,
        uri: Callable[[str], str],
        source: Callable[[str], SourceFile | None],
        encoding: str,
        typed: str,
        saved: str,
    ) -> None:
        self._uri = uri
        self._source = source
        self._encoding = encoding
        self._typed = typed
        self._saved = saved

    def action(self, proposal: Mapping[str, Any], folder: str) -> dict[str, Any] | None:
        """The action for a proposal; nothing for the one that is what was typed, or for a file that moved on."""
        texts = {self._typed: self._saved, **{row["path"]: row["after"] for row in proposal["files"]}}
        edits: list[dict[str, object]] = []
        for path, text in texts.items():
            is_new = any(row["path"] == path and row["before"] is None for row in proposal["files"])
            source = None if is_new else self._source(path)
            if source is None and not is_new:
                return None
            if is_new:
                edits.append({"kind": "create", "uri": self._uri(path)})
                source = SourceFile(path, "")
            assert source is not None
            start, old_end, new_end = difference(source.text, text)
            if (start, old_end) == (new_end, start):
                continue
            where = range_of(source.span(start, old_end), self._encoding)
            document = {"uri": self._uri(path), "version": None}
            edits.append({"textDocument": document, "edits": [{"range": where, "newText": text[start:new_end]}]})
        if not edits:
            return None
        shown = ", ".join(os.path.relpath(row["path"], os.path.realpath(folder)) for row in proposal["files"])
        reach = [count_of(proposal["changes"], "other output")] if proposal["changes"] else []
        reach += [f"on {count_of(proposal['nodes'], 'other node')} too"] if proposal["nodes"] else []
        kinds = ", ".join(dict.fromkeys(proposal["kinds"]))
        return {
            "title": f"Set {proposal['output']} in {shown}: {kinds}" + (f" ({', '.join(reach)})" if reach else ""),
            "kind": "refactor.rewrite",
            "edit": {"documentChanges": edits},
        }
