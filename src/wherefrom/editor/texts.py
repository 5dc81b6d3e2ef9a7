"""The open files, as they are in the editor: each a text with its version, which changes arrive for.

`good` is the last text that could be read without an error: what is compiled while somebody is in the middle of a line.
`carried` says where a place of an older text is in the one of now: what stands before the first or behind the last
difference has only moved; in between there is nothing to be said.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import quote, unquote, urlsplit

from ..base.record import Record
from ..base.source import SourceFile
from .positions import offset_of

LARGEST = 8_000_000
"""Characters; longer texts are not looked at."""


def path_of(uri: str) -> str | None:
    """The path of a file that is named by an address; nothing for what is no file (`untitled:`, `git:`)."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = unquote(parts.path, errors="surrogateescape")
    if os.name == "nt":
        from urllib.request import url2pathname

        path = url2pathname(parts.path)
    try:
        return path if b"\0" not in os.fsencode(path) else None
    except UnicodeEncodeError:
        return None


def uri_of(path: str) -> str:
    """The address of a file."""
    return "file://" + quote(os.fsencode(os.path.abspath(path)))


class Change(Record):
    """A new text for a range (line and character), or for everything."""

    text: str
    start: tuple[int, int] | None = None
    end: tuple[int, int] | None = None


class Text:
    """One open file."""

    def __init__(self, uri: str, path: str, text: str, version: int) -> None:
        self.uri = uri
        self.path = path
        self.version = version
        self.source = SourceFile(path, text.removeprefix("\ufeff"))
        self.good: SourceFile | None = None

    def change(self, changes: Sequence[Change], version: int, encoding: str) -> None:
        """Take in changes, each of a range or of the whole."""
        for change in changes:
            new = change.text
            if change.start is not None and change.end is not None:
                start = offset_of(self.source, change.start, encoding)
                end = max(start, offset_of(self.source, change.end, encoding))
                new = self.source.text[:start] + new + self.source.text[end:]
            self.source = SourceFile(self.path, new.removeprefix("\ufeff"))
        self.version = version


def common_prefix(one: str, other: str) -> int:
    """How many characters two texts begin with alike; halving, since texts are compared faster than characters."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class Carried:
    """From the offsets of one text to those of a later one."""

    def __init__(self, old: str, new: str) -> None:
        self._same = old == new
        shortest = min(len(old), len(new))
        self._before = len(old) if self._same else common_prefix(old, new)
        after = min(common_prefix(old[::-1], new[::-1]), shortest - self._before) if not self._same else 0
        self._after = len(old) - after
        self._shift = len(new) - len(old)

    def offset(self, old: int) -> int | None:
        """Where an offset is now, if it still is."""
        if self._same or old <= self._before:
            return old
        return old + self._shift if old >= self._after else None

    def back(self, new: int) -> int | None:
        """Where an offset of now was."""
        if self._same or new <= self._before:
            return new
        return new - self._shift if new - self._shift >= self._after else None

    def stretch(self, start: int, end: int) -> tuple[int, int] | None:
        """Where a stretch is now, if nothing in it changed."""
        first, last = self.offset(start), self.offset(end)
        if first is None or last is None or last - first != end - start:
            return None
        return first, last
