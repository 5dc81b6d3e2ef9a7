"""Which nodes of a store some changes of the sources could make a difference to.

A value depends on the inputs that the store's graphs have. So a change of a key of the data concerns the nodes that
asked that file for the key, whether it was there or not; a change of a file of code those of which any value went
through it. An override at the top of the main manifest may concern every node.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from ..base.splices import OVERRIDE, Rewrite
from ..wishes import Concerned
from .graphs import GraphInput
from .questions import Questions

DATA = (".yaml", ".yml", ".eyaml", ".json")


def concerned_by(questions: Questions, content: Callable[[str], bytes | None]) -> tuple[list[str], Concerned]:
    """The nodes of a store, and who tells those that changes concern; `content` gives that of a file."""
    nodes = {node: set(numbers) for node, numbers, _ in questions.graphs()}
    inputs = questions.inputs()

    def concerned(rewrites: Sequence[Rewrite]) -> list[str]:
        if any(rewrite.kind == OVERRIDE for rewrite in rewrites):
            return list(nodes)
        touched = {
            number
            for number, entry in inputs.items()
            for rewrite in rewrites
            if any(_is_touched(entry, splice.file, rewrite, content) for splice in rewrite.splices)
        }
        return [node for node, numbers in nodes.items() if numbers & touched]

    return list(nodes), concerned


def _is_touched(entry: GraphInput, file: str, rewrite: Rewrite, content: Callable[[str], bytes | None]) -> bool:
    """Whether an input could be another one after a change of a file."""
    if entry.kind == "file" and (not entry.name or _same(entry.name, file) or "*" in entry.name):
        return True
    if not entry.file or not _same(entry.file, file):
        return False
    key = rewrite.words.partition(".")[0]
    if not file.endswith(DATA) or entry.kind != "hiera" or not key or b"&" in (content(file) or b""):
        return True  # code; or data in which one line may be several keys
    return entry.name.partition(".")[0] in ("", key)


def _same(name: str, other: str) -> bool:
    """Whether two names may be of one file: a store may have been compiled from another directory."""
    one, two = (os.path.normpath(file) for file in (name, other))
    return one == two or one.endswith(f"/{two}") or two.endswith(f"/{one}")
