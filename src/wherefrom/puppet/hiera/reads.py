"""Questions about data that outlive a run: which key of which file was asked for, and what it says now.

A run depends on a file of data key by key: on the value of each key that it asked the file for, found or not. Another
value elsewhere in the file changes nothing for it, and neither does a comment. Where a file cannot be read as data, all
of it counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic
from ..kernel.values import hash_key
from .files import DataFile, read_data

if TYPE_CHECKING:
    from ...base.host import Host

_BETWEEN = "\0"


def question_of(reader: str, path: str, key: str) -> str:
    """The name of a question: the key of a file that `reader` reads."""
    return _BETWEEN.join((path, reader, key))


class DataAnswers:
    """What the files of data say now."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._files: dict[tuple[str, str], DataFile | bytes | None] = {}
        """By path and reader; of what cannot be read, the content."""

    def answer(self, question: str) -> str:
        """The value behind a question as a text; two texts are equal only if the values are."""
        path, reader, key = question.split(_BETWEEN, 2)
        if (path, reader) not in self._files:
            try:
                self._files[path, reader] = read_data(self._host, path, reader)
            except Diagnostic:
                self._files[path, reader] = self._host.read_bytes(path)
        content = self._files[path, reader]
        if content is None or isinstance(content, bytes):
            return f"no data: {content!r}"
        name = hash_key(key)
        if not isinstance(content.value, dict):
            return "no hash"
        return repr(content.value[name]) if name in content.value else "no such key"
