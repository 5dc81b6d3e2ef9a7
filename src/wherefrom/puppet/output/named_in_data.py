"""Places in files of data that name a class or a resource: why this node has nothing of them.

A class is often declared by data (`classes:` in a level), and titles are keys and items of it. So a name is looked for
in every file of the data's directories, whether this node reads it or not, as a whole word; each place is told with the
key at the top that it belongs to. Why it had no effect is one of: this node reads another file at that level, another
level hides it, or nothing asks for the key.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...base.diagnostics import Diagnostic
from ...base.patterns import compiled
from ...base.record import Record
from ...provenance.ladder import HIDDEN, Ladder
from .data import data_directories, data_keys, keys_read, ladder_of

if TYPE_CHECKING:
    from ...base.host import Host
    from ...base.source import SourceFile, Span
    from ..runtime.compilation import Compilation

MAX_FILES = 2_000
MAX_BYTES = 4_000_000
_SUFFIXES = (".yaml", ".yml", ".json", ".eyaml")
_TOP = re.compile(r"""^(?:"([^"]+)"|'([^']+)'|([^\s#"'{}\[\]-][^#]*?))\s*:(?:\s|$)""")

_PIECE = re.compile(
    r"""[{}\[\]]|\#[^\n]*
    |(?P<key>"(?:\\.|[^"\\])*"(?=\s*:)|'[^']*'(?=\s*:)|[^\s"'{}\[\],\#](?:[^\s"'{}\[\],:\#]|:(?!\s))*(?=\s*:\s))
    |"(?:\\.|[^"\\])*"|'[^']*'""",
    re.VERBOSE,
)
"""Brackets, keys, other texts and comments of a hash in braces."""
_FLOW = compiled(r"(?:\s|#[^\n]*+|---)*+\{")
_COLON = re.compile(r"""["']?\s*:""")


class DataPlace(Record):
    """A place that has a name, and the key at the top of the file that it belongs to."""

    span: Span
    key: str

    @property
    def path(self) -> str:
        """The file."""
        return self.span.file.name


def places_in_data(run: Compilation, name: str) -> Iterator[DataPlace]:
    """The places that have `name` as an item, as a value, or as a key that is not at the top."""
    return (place for place, is_top in _places(run, name) if not is_top)


def keys_in_data(run: Compilation, name: str) -> Iterator[DataPlace]:
    """The places that have `name` as a key at the top, in files that this node reads or not."""
    return (place for place, is_top in _places(run, name) if is_top)


def _places(run: Compilation, name: str) -> Iterator[tuple[DataPlace, bool]]:
    word = re.compile(rf"(?<![\w:./-])(?:::)?{re.escape(name)}(?![\w./-]|:\S)")
    for source in _files(run):
        if name not in source.text:
            continue
        for number, line in enumerate(source.line_starts, 1):
            text = source.line_text(number)
            match = word.search(text.partition(" #")[0])
            if match is None or text.lstrip().startswith("#"):
                continue
            start, end = line + match.start(), line + match.end()
            key = _key_above(source, number, start)
            if key is not None:
                yield DataPlace(source.span(start, end), key), key == name and _is_key(source, text, end)


def _is_key(source: SourceFile, line: str, end: int) -> bool:
    """Whether what ends there is the key at the top itself, and not something below it."""
    return bool(_COLON.match(source.text, end)) if _is_flow(source) else not line[:1].isspace()


def _is_flow(source: SourceFile) -> bool:
    """Whether the file is one hash in braces: JSON, or YAML that is written like it."""
    return _FLOW.match(source.text) is not None


def _key_above(source: SourceFile, number: int, offset: int) -> str | None:
    """The key at the top that a line belongs to; in a hash in braces, the one that a place belongs to."""
    if _is_flow(source):
        return _key_in_braces(source.text, offset)
    for line in range(number, 0, -1):
        top = _TOP.match(source.line_text(line))
        if top is not None:
            return next(filter(None, top.groups()), None)
    return None


def _key_in_braces(text: str, offset: int) -> str | None:
    """The last key of the outermost hash that begins before a place or at it."""
    depth, key = 0, None
    for match in _PIECE.finditer(text):
        if match.start() > offset:
            break
        if match[0] in "{[":
            depth += 1
        elif match[0] in "}]":
            depth -= 1
        elif depth == 1 and match["key"] is not None:
            key = match["key"].strip("\"'")
    return key


def _files(run: Compilation) -> Iterator[SourceFile]:
    host = run.environment.host
    left = MAX_FILES
    for directory in data_directories(run):
        for path in _below(host, directory):
            if left == 0:
                return
            left -= 1
            try:
                source = run.environment.sources.get(path) or host.source(path)
            except Diagnostic:
                continue  # no text, or not to be read
            if len(source.text) <= MAX_BYTES:
                run.environment.sources.setdefault(path, source)
                yield source


def _below(host: Host, directory: str, deepest: int = 10) -> Iterator[str]:
    if host.kind(directory) != "directory" or not deepest:
        return
    for name in host.list_directory(directory):
        path = posixpath.join(directory, name)
        if host.kind(path) == "directory":
            yield from _below(host, path, deepest - 1)
        elif path.endswith(_SUFFIXES):
            yield path


def why_without_effect(run: Compilation, place: DataPlace) -> list[str]:
    """Why a place in the data had no effect on this node."""
    read = {written.file for written in data_keys(run)}
    ladder = ladder_of(run, place.key)[0]
    if place.path not in read:
        return list(_read_instead(ladder, run.node, place.path))
    if place.key not in keys_read(run):
        return [f"nothing on {run.node} looks up {place.key}"]
    hidden = [rung for rung in ladder.rungs if rung.file == place.path and rung.status == HIDDEN]
    winner = next((rung for rung in ladder.rungs if rung.has_value and rung.status != HIDDEN), None)
    if hidden and winner is not None:
        where = winner.span.place if winner.span is not None else winner.file
        return [f"hidden by a level above: {where}"]
    return [f"{place.key} is looked up on {run.node}, and this is in its value"]


def _read_instead(ladder: Ladder, node: str, path: str) -> Iterator[str]:
    yield f"{node} does not read this file"
    folder = posixpath.dirname(path)
    for rung in ladder.rungs:
        if rung.file and rung.because and posixpath.dirname(rung.file) == folder:
            because = ", ".join(
                f"{leaf.kind} {leaf.name} " + ("(absent)" if leaf.absent else f"= {leaf.value!r}")
                for leaf in rung.because[:3]
            )
            yield f"at its level it reads {rung.file}, because of {because}"
