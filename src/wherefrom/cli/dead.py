"""`wherefrom check --dead`: keys of the data that nothing reads, and files of the data that no node has.

Every node is compiled, and what its compilation asked for is remembered. A key that none of them asked for is dead as
far as these nodes tell; so the answer says how many there were.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..base.diagnostics import WARNING, Diagnostic, ManyErrors
from ..base.plural import count_of
from ..base.source import Span, lines_of
from ..base.spell import nearest
from ..language import Data
from ..provenance.ladder import WrittenKey
from ..session import host_for
from .options import Invocation

DATA_SUFFIXES = (".yaml", ".yml", ".json", ".eyaml", ".conf")


class DeadKey(Diagnostic):
    """A key of the data that no compilation asked for."""

    code = "W042"
    severity = WARNING


class DeadFile(Diagnostic):
    """A file of the data that no node's hierarchy names."""

    code = "W043"
    severity = WARNING


class Census:
    """What the nodes' compilations saw of the data."""

    def __init__(self) -> None:
        self.nodes: list[str] = []
        self.failures: list[tuple[str, list[Diagnostic]]] = []
        self.keys: dict[tuple[str, str], WrittenKey] = {}
        self.read: set[str] = set()
        self.directories: dict[str, None] = {}

    def add(self, invocation: Invocation, path: str | None, node: str) -> None:
        """Compile one more node."""
        try:
            outcome = invocation.run(path, node, trace=False)
        except ManyErrors as problems:
            self._fail(node, problems.diagnostics)
            return
        except Diagnostic as problem:
            self._fail(node, [problem])
            return
        self.nodes.append(node)
        if not isinstance(outcome, Data):
            return
        self.keys.update({(key.file, key.key): key for key in outcome.data_keys()})
        self.read |= outcome.keys_read()
        self.directories.update(dict.fromkeys(outcome.data_directories()))

    def _fail(self, node: str, problems: list[Diagnostic]) -> None:
        self.failures.append((node, problems))

    def dead(self) -> list[Diagnostic]:
        """What nothing reads, in the order of files."""
        roots = {_root(key) for key in self.read}
        written = {key.key for key in self.keys.values()}
        unset = sorted(roots - written)
        keys = sorted(self.keys.values(), key=lambda key: (key.file, key.span.start if key.span else 0))
        note = f"{count_of(len(self.nodes), 'node')} compiled"
        problems: list[Diagnostic] = []
        for key in keys:
            if key.key not in roots:
                close = nearest(key.key, unset) or nearest(key.key, sorted(roots))
                place = _key_place(key)
                help = f"did you mean {close}?" if close else None
                problems.append(DeadKey(f"nothing reads {key.key}", place, notes=[note], help=help))
        files = {file for file, _ in self.keys}
        for file in self._data_files():
            if file not in files and not _is_empty(file):
                problems.append(DeadFile(f"no node reads {file}", None, notes=[note]))
        return problems

    def _data_files(self) -> Iterator[str]:
        seen: set[str] = set()
        for directory in self.directories:
            for folder, _, names in os.walk(directory):
                for name in sorted(names):
                    path = os.path.normpath(os.path.join(folder, name))
                    if name.endswith(DATA_SUFFIXES) and path not in seen:
                        seen.add(path)
                        yield path


def _root(key: str) -> str:
    """The key that levels are asked for: `a::b` of `a::b.c.0`."""
    return key.partition(".")[0] if not key.startswith(("'", '"')) else key[1:].partition(key[0])[0]


def _is_empty(file: str) -> bool:
    """Whether a file has no line that says anything: it may be kept for later."""
    try:
        lines = lines_of(host_for(file).read_bytes(file).decode("utf-8", "replace"))
    except Diagnostic:
        return False
    return not any(line.strip() and not line.lstrip().startswith(("#", "---")) for line in lines)


def _key_place(written: WrittenKey) -> Span | None:
    """Where the key itself stands: before its value."""
    span = written.span
    if span is None:
        return None
    start = span.file.text.rfind(written.key, 0, span.start + 1)
    return span.file.span(start, start + len(written.key)) if start >= 0 else span
