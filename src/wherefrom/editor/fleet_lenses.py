"""How far definitions reach in a fleet, as a code lens says it.

The store of a fleet is about files as they were compiled, so what is asked about are the lines of the file as it lies
on the disk; a definition that is being edited has none until it is saved. All definitions of a file are asked about at
once, and again when the file was saved or nodes were compiled anew. An answer may take long: a lens that was drawn
without it is drawn again when it is there.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from ..base.diagnostics import Diagnostic
from ..base.host import RealHost
from ..base.mentions import Mention
from ..base.plural import count_of
from ..base.source import SourceFile
from .texts import Carried
from .view import View

if TYPE_CHECKING:
    from .editing import Editor

PATIENCE = 0.3
"""Seconds that a lens waits for what the store says."""
_VERBS = {"key": "looked up", "class": "used", "type": "used"}


Reply: TypeAlias = tuple[dict[str, Any], list[tuple[str, str]]]
"""What the store says of the definitions of a file, and their kinds and names in the order of its rows."""


class FleetLenses:
    """What lenses say of a fleet; `is_wanted` is about the definitions that have one."""

    def __init__(self, editor: Editor, is_wanted: Callable[[Mention], bool]) -> None:
        self._editor = editor
        self._is_wanted = is_wanted
        self._asked: dict[str, tuple[object, asyncio.Task[Reply]]] = {}
        """Of each file, what it was asked for last, and what comes of it."""

    async def words(self, view: View, kind: str, name: str) -> str:
        """How far a definition of a file reaches in the fleet; nothing where nothing is known yet."""
        if not self._editor.has_fleet:
            return ""
        task = self._about(view)
        if not task.done():
            await asyncio.wait([task], timeout=PATIENCE)
        if not task.done():
            task.add_done_callback(lambda _: self._editor.refresh())
            return ""
        answer, names = task.result()
        row = dict(zip(names, answer.get("rows", ()))).get((kind, name))
        if "error" in answer:
            return f"; the fleet: {answer['error']}"
        if row is None:
            return ""
        return f"; {_told(kind, answer['nodes'], *row)}" + (f" ({answer['said']})" if answer["said"] else "")

    def _about(self, view: View) -> asyncio.Task[Reply]:
        """What is asked about a file as it is now, once."""
        path = view.text.path
        saved = saved_text(path)
        stamp = (None if saved is None else saved.text, view.text.source.text, self._editor.subject.fleet_stamp())
        known = self._asked.get(path)
        if known is None or known[0] != stamp:
            task = asyncio.get_running_loop().create_task(self._ask(view, saved))
            known = self._asked[path] = stamp, task
        return known[1]

    async def _ask(self, view: View, saved: SourceFile | None) -> Reply:
        if saved is None:
            return {}, []
        carried = Carried(view.text.source.text, saved.text)
        stretches = []
        for mention in self._editor.names.of_file(view.text.path):
            if mention.extent is None or not self._is_wanted(mention):
                continue
            first, last = (carried.offset(at) for at in (mention.extent.start, mention.extent.end))
            if first is not None and last is not None:
                lines = saved.line_of(first), saved.line_of(max(first, last - 1))
                stretches.append((mention.kind, mention.name, *lines))
        question = {"file": os.path.realpath(view.text.path), "stretches": stretches}
        answer = await self._editor.ask_fleet(question) if stretches else {}
        return answer, [stretch[:2] for stretch in stretches]


def _told(kind: str, count: int, used: int | None, resources: int | None, nodes: int | None) -> str:
    """In words, how far something reaches."""
    if resources is not None and nodes is not None:
        if nodes:
            return f"{count_of(resources, 'resource')} on {nodes} of {count_of(count, 'node')} of the fleet"
        return f"nothing on {count_of(count, 'node')} of the fleet"
    where = f"on {used} of {count_of(count, 'node')} of the fleet"
    return "not known in the fleet" if used is None else f"{_VERBS[kind]} {where}"


def saved_text(path: str) -> SourceFile | None:
    """A file as it lies on the disk."""
    try:
        return RealHost([os.path.dirname(path)]).source(path)
    except Diagnostic:
        return None
