"""What the values of a store's nodes depend on: worked out when a question needs it, and kept.

    STORE/origins.sqlite   the graph of each node that was asked about, and the inputs of all of them

While nodes are compiled into a store nobody asks what their values depend on, and to work it out takes longer than
the compiling: above all what is *not* there depends on all code that could have declared it. So a node is compiled
once more when somebody asks, if everything that its first compilation read is still the same. Its graph (`graphs`) is
kept with a stamp of that compilation and with its *evidence*: the sources that it points into, whose lines may move,
and what other code would do. It is made anew when these change, and goes when the node is compiled anew or leaves.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from ..base.diagnostics import UsageError
from ..base.json_bytes import json_bytes
from .exports import digest_of
from .graphs import GraphInput, OriginGraph, packed_numbers, unpacked, unpacked_numbers
from .place import ORIGINS, NotUsable, database, place_of

if TYPE_CHECKING:
    from .traces import Trace
    from .workers import Result

FORMAT = "wherefrom-origins/2"
_OF_THE_DISK = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
"""What SQLite says where a file could not be written."""

_SCHEMA = """
create table about (name text primary key, value text);
create table inputs (number integer primary key, input text unique, digest text);
create table evidence (number integer primary key, trace blob unique);
create table graphs (node text primary key, stamp integer, evidence integer, inputs blob, graph blob);
"""
_ADDED = "insert or ignore into inputs (input, digest) values (?, ?)"
_NUMBER = "select number from inputs where input = ?"


class OriginsFile:
    """The file of a store that holds graphs; it need not be there yet."""

    def __init__(self, store: str) -> None:
        self.path = os.path.join(store, ORIGINS)
        self._folder = place_of(store)

    @property
    def is_there(self) -> bool:
        """Whether anything was ever kept."""
        return os.path.exists(self.path)

    def stamps(self) -> dict[str, tuple[int, int]]:
        """The nodes that have a graph, each with the stamp of its compilation and the number of its evidence."""
        rows = self._rows("select node, stamp, evidence from graphs")
        return {node: (stamp, evidence) for node, stamp, evidence in rows}

    def evidence(self) -> dict[int, Trace]:
        """What graphs depend on beside their stamps, by number."""
        rows = self._rows("select number, trace from evidence")
        with self._telling():
            return {number: tuple(map(tuple, json.loads(unpacked(trace)))) for number, trace in rows}

    def inputs(self) -> dict[int, GraphInput]:
        """All inputs, by number."""
        return {number: GraphInput._make(json.loads(text)) for number, text in self._inputs()}

    def _inputs(self) -> list[tuple[int, str]]:
        rows = self._rows("select number, input, digest from inputs")
        with self._telling():
            if any(digest_of(text.encode()) != digest for _, text, digest in rows):
                raise ValueError("an input is not what was written")
        return [row[:2] for row in rows]

    def graphs(self, nodes: Iterable[str]) -> Iterator[tuple[str, list[int], Callable[[], OriginGraph]]]:
        """Nodes that have a graph, with the numbers of its inputs, and what gives the graph itself."""
        for node in nodes:
            rows = self._rows("select inputs, graph from graphs where node = ?", [node])
            if not rows:
                raise UsageError(f"the store has no dependencies for {node}")
            with self._telling():
                inputs, graph = rows[0]
                yield node, unpacked_numbers(inputs), partial(OriginGraph.unpacked, graph)

    def write(self, ready: Mapping[str, tuple[int, Result]]) -> None:
        """Put graphs of nodes in place of those they had, each with its stamp; all of them or none."""
        with self._writing():
            if not self.is_there:  # whole from its beginning, whatever becomes of the disk
                self._folder.put_first(ORIGINS, _new_file(), 0o600)
        with self._telling(), self._writing(), closing(database(self.path)) as connection:
            connection.execute("begin immediate")
            with connection:
                for node, (stamp, result) in ready.items():
                    texts = result["inputs"]
                    connection.executemany(_ADDED, ([text, digest_of(text.encode())] for text in texts))
                    numbers = (connection.execute(_NUMBER, [text]).fetchone()[0] for text in texts)
                    trace = zlib.compress(json_bytes(result["evidence"]))
                    connection.execute("insert or ignore into evidence (trace) values (?)", [trace])
                    [number] = connection.execute("select number from evidence where trace = ?", [trace]).fetchone()
                    values = [node, stamp, number, packed_numbers(numbers), result["graph"]]
                    connection.execute("insert or replace into graphs values (?, ?, ?, ?, ?)", values)

    def forget(self, nodes: Iterable[str]) -> None:
        """Let the graphs of nodes go; inputs go with the last graph."""
        going = [[node] for node in set(nodes) & self.stamps().keys()]
        if going:
            with self._telling(), self._writing(), closing(database(self.path)) as connection:
                connection.execute("begin immediate")
                with connection:
                    connection.executemany("delete from graphs where node = ?", going)
                    connection.execute("delete from evidence where number not in (select evidence from graphs)")
                    if connection.execute("select 1 from graphs").fetchone() is None:
                        connection.execute("delete from inputs")

    def started_anew(self) -> str | None:
        """Remove the file if it can not be used, since another version wrote it or it is damaged; in words, why.

        Graphs are made again for who asks.
        """
        try:
            self.stamps()
            self.evidence()
            self._inputs()
            return None
        except NotUsable as problem:
            self._folder.remove(ORIGINS)
            return problem.problem

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        if not self.is_there:
            return []
        with self._telling(), closing(database(self.path)) as connection:
            known = connection.execute("select value from about where name = 'format'").fetchone()
            if known != (FORMAT,):
                raise NotUsable(f"{self.path} is not of format {FORMAT}")
            return connection.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Inside, a disk that takes no more is told as such; what was there is there."""
        try:
            yield
        except sqlite3.OperationalError as problem:
            if getattr(problem, "sqlite_errorcode", 0) & 0xFF not in _OF_THE_DISK:
                raise
            raise UsageError(f"cannot write {self.path}: {problem}") from None
        except OSError as problem:
            raise UsageError(f"cannot write {self.path}: {(problem.strerror or str(problem)).lower()}") from None

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValueError, TypeError) as problem:
            raise NotUsable(f"{self.path} is damaged ({problem})") from None


def _new_file() -> bytes:
    """The content of a file that has no graphs yet."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_SCHEMA)
        with connection:
            connection.execute("insert into about values ('format', ?)", [FORMAT])
        return connection.serialize()
