"""The fleet store: a directory of Parquet files, and one small file that names those that count.

    STORE/current.json     the format, the generation, and the parts with their nodes
    STORE/key              the key of the digests; readable by its owner alone
    STORE/lock             whoever writes holds it
    STORE/TABLE-*.parquet  the rows

A store is written in parts, one for each commit: every table's rows of some nodes. A node is in one part; where it is
compiled again, the part that had it is written anew without it. New files are written and synchronised under names that
nobody has, then `current.json` is replaced: whoever reads sees all of a commit or nothing of it. Files that no longer
count are deleted one commit later, for the sake of who is still reading. Writers take turns by the lock and look at
`current.json` again once they have it, so that two of them at once lose nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib.util import find_spec
from itertools import chain, repeat
from typing import Any

from ..base.diagnostics import UsageError

FORMAT = "whence-fleet/2"
CURRENT = "current.json"
EXTRA = "the fleet's store needs further packages: pip install 'whence[fleet]'"

TABLES: Mapping[str, Mapping[str, str]] = {
    "nodes": {
        "node": "string", "status": "string", "error": "string", "resources": "int32", "catalog": "string",
        "own": "int64", "shared": "int64", "evidence": "int64", "milliseconds": "double",
    },
    "resources": {
        "node": "string", "type": "string", "title": "string", "file": "string", "line": "int32", "exported": "bool",
    },
    "attributes": {
        "node": "string", "type": "string", "title": "string", "attribute": "string", "value": "string",
        "dependency_set": "int64",
    },
    "edges": {"node": "string", "source": "string", "target": "string"},
    "inputs": {
        "input": "int64", "kind": "string", "name": "string", "file": "string", "line": "int32", "last_line": "int32",
        "column": "int32", "absent": "bool",
    },
    "dependencies": {"dependency_set": "int64", "input": "int64"},
    "lookups": {"node": "string", "key": "string", "answer": "int64"},
    "answers": {
        "answer": "int64", "place": "int32", "found": "bool", "value": "string", "module": "string", "level": "string",
        "file": "string", "line": "int32",
    },
    "reads": {"reads": "int64", "kind": "string", "name": "string", "digest": "string"},
}  # fmt: skip
"""The columns of each table, with their types: version 2 of the schema, as `docs/fleet.md` tells it."""

OF_NODES = ("nodes", "resources", "attributes", "edges", "lookups")
"""Tables whose rows belong to a node; the rows of the others are shared."""
OF_SETS = ("dependencies", "reads")
"""Tables of sets: what is committed is a number and the list of its members, of which each becomes a row."""
SORTED = {
    "attributes": ("type", "title", "attribute", "value", "node"),
    "resources": ("type", "title", "node"),
}
"""Equal values beside each other are packed best, and questions about one attribute read little."""


def needed() -> tuple[Any, Any]:
    """`pyarrow` and its Parquet.  Raises `UsageError` where the extra is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as problem:
        raise UsageError(f"{EXTRA} ({problem.name} is not installed)") from None
    return pyarrow, pyarrow.parquet


class Store:
    """A store at `path`, which need not be there yet."""

    def __init__(self, path: str) -> None:
        self.path = path
        if find_spec("pyarrow") is None:
            needed()

    @cached_property
    def _arrow(self) -> Any:  # who only asks what counts does not wait for it
        return needed()[0]

    @cached_property
    def _parquet(self) -> Any:
        return needed()[1]

    # --- reading ---

    def current(self) -> dict[str, Any]:
        """What counts: `generation` and `parts`.  Raises `UsageError` for what is no store."""
        try:
            with open(os.path.join(self.path, CURRENT), encoding="utf-8") as file:
                document = json.load(file)
        except FileNotFoundError:
            return {"format": FORMAT, "generation": 0, "parts": []}
        except (OSError, ValueError) as problem:
            raise UsageError(f"{self.path} is no fleet store: {problem}") from None
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise UsageError(f"{self.path} is no store of the format {FORMAT}: compile into a new one")
        return document

    def existing(self) -> dict[str, Any]:
        """The same, where there must be one."""
        if not os.path.exists(os.path.join(self.path, CURRENT)):
            raise UsageError(f"there is no fleet store at {self.path}: write one with `whence fleet compile --store`")
        return self.current()

    def files(self, *tables: str) -> dict[str, list[str]]:
        """The files of some tables that count, all of one commit."""
        parts = self.current()["parts"]
        return {table: [os.path.join(self.path, part["files"][table]) for part in parts] for table in tables}

    def rows(self, table: str) -> list[dict[str, Any]]:
        """All rows of a table."""
        return [row for piece in self._read(table)[table] for row in piece.to_pylist()]

    def tuples(self, table: str) -> Iterator[tuple[Any, ...]]:
        """The same, each row as a tuple of its values: quicker, for tables of many rows."""
        return self.together(table)[0]

    def together(self, *tables: str) -> list[Iterator[tuple[Any, ...]]]:
        """The rows of some tables, all of one commit."""
        pieces = self._read(*tables)
        return [_tuples(table, pieces[table]) for table in tables]

    def _read(self, *tables: str) -> dict[str, list[Any]]:
        for _ in range(TRIES):
            try:
                named = self.files(*tables)
                return {table: [self._parquet.read_table(file) for file in named[table]] for table in tables}
            except FileNotFoundError:  # a commit came between; what counts now is there
                continue
        raise UsageError(f"{self.path}: files of the store are missing")

    def key(self) -> bytes:
        """The key of the store's digests; made when first asked for."""
        path = os.path.join(self.path, "key")
        with self.locked():
            with suppress(FileNotFoundError), open(path, "rb") as file:
                return file.read()
            key = os.urandom(32)
            self._replace("key", key, 0o600)
            return key

    # --- writing ---

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Inside, nobody else writes.  The system gives the lock back when a process ends, however it ends."""
        import fcntl

        try:
            os.makedirs(self.path, exist_ok=True)
            descriptor = os.open(os.path.join(self.path, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as problem:
            raise UsageError(f"cannot write {self.path}: {(problem.strerror or str(problem)).lower()}") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def commit(self, tables: Mapping[str, list[list[Any]]], gone: Iterable[str] = ()) -> int:
        """Add rows, in place of those of the same nodes and of nodes that are `gone`; the new generation."""
        added = sorted({row[0] for row in tables["nodes"]})
        leaving = {*added, *gone}
        with self.locked():
            before = self.current()
            generation: int = before["generation"] + 1
            parts = [self._without(part, leaving, generation) for part in before["parts"]]
            if added:
                arrow = {name: self._table(name, rows) for name, rows in tables.items()}
                parts.append({"nodes": added, "files": self._written(arrow, generation)})
            if len(parts) > MOST_PARTS:
                parts = [self._merged(parts, generation)]
            document = {"format": FORMAT, "generation": generation, "parts": parts}
            _synchronise(self.path)
            self._replace(CURRENT, json.dumps(document, indent=1).encode() + b"\n", 0o644)
            self._tidy(before, document)
        return generation

    def _table(self, name: str, rows: list[list[Any]]) -> Any:
        columns = TABLES[name]
        values: Sequence[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(columns)
        if name in OF_SETS and rows:
            values = _of_sets(*values)
        arrays = {
            column: self._arrow.array(held, self._type(kind))
            for held, (column, kind) in zip(values, columns.items(), strict=True)
        }
        return self._arrow.table(arrays)

    def _type(self, kind: str) -> Any:
        return self._arrow.type_for_alias(kind)

    def _written(self, tables: Mapping[str, Any], generation: int) -> dict[str, str]:
        files: dict[str, str] = {}
        token = os.urandom(4).hex()
        for name, table in tables.items():
            if name in SORTED:
                table = table.sort_by([(column, "ascending") for column in SORTED[name]])
            files[name] = f"{name}-{generation:06d}-{token}.parquet"
            path = os.path.join(self.path, files[name])
            self._parquet.write_table(table, path, compression="zstd")
            _synchronise(path)
        return files

    def _without(self, part: dict[str, Any], leaving: set[str], generation: int) -> dict[str, Any]:
        """A part without some nodes.  Its shared rows stay, whoever is left: those of other parts may name them."""
        staying = [node for node in part["nodes"] if node not in leaving]
        if len(staying) == len(part["nodes"]):
            return part
        import pyarrow.compute

        names = self._arrow.array(staying, self._arrow.string())
        tables = {}
        for name in TABLES:
            table = self._parquet.read_table(os.path.join(self.path, part["files"][name]))
            if name in OF_NODES:
                table = table.filter(pyarrow.compute.is_in(table["node"], names))
            tables[name] = table
        return {"nodes": staying, "files": self._written(tables, generation)}

    def _merged(self, parts: list[dict[str, Any]], generation: int) -> dict[str, Any]:
        """Many parts as one; of rows that are shared, each once, and only those that somebody names."""
        import pyarrow.compute

        tables = {}
        for name in TABLES:
            pieces = [self._parquet.read_table(os.path.join(self.path, part["files"][name])) for part in parts]
            table = self._arrow.concat_tables(pieces)
            if name not in OF_NODES:
                table = table.group_by(table.column_names).aggregate([])
            tables[name] = table
        used = {
            "dependencies": ("dependency_set", tables["attributes"]["dependency_set"]),
            "answers": ("answer", tables["lookups"]["answer"]),
            "reads": (
                "reads",
                self._arrow.chunked_array([*self._chunks(tables["nodes"], "own", "shared", "evidence")]),
            ),
        }
        for name, (column, values) in used.items():
            tables[name] = tables[name].filter(pyarrow.compute.is_in(tables[name][column], values))
        named = pyarrow.compute.is_in(tables["inputs"]["input"], tables["dependencies"]["input"])
        tables["inputs"] = tables["inputs"].filter(named)
        nodes = sorted(node for part in parts for node in part["nodes"])
        return {"nodes": nodes, "files": self._written(tables, generation)}

    def _chunks(self, table: Any, *columns: str) -> Iterator[Any]:
        for column in columns:
            yield from table[column].chunks

    def _replace(self, name: str, content: bytes, mode: int) -> None:
        """Put a small file in place, whole and for good, or not at all.  The lock is held."""
        path = os.path.join(self.path, name)
        descriptor = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{path}.new", path)
        _synchronise(self.path)

    def _tidy(self, *documents: dict[str, Any]) -> None:
        """Delete files that neither this generation nor the one before names."""
        named = {file for document in documents for part in document["parts"] for file in part["files"].values()}
        for name in os.listdir(self.path):
            if name.endswith(".parquet") and name not in named:
                with suppress(OSError):
                    os.unlink(os.path.join(self.path, name))


MOST_PARTS = 24
"""Parts; with more, all are written as one."""
TRIES = 3
"""How often a reader looks again at what counts, if files are gone that did a moment ago."""


def _tuples(table: str, pieces: list[Any]) -> Iterator[tuple[Any, ...]]:
    for piece in pieces:
        yield from zip(*(piece[name].to_pylist() for name in TABLES[table]))


def _of_sets(numbers: Sequence[int], members: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """Columns from sets: the number of each as often as it has members, and these."""
    repeated = list(chain.from_iterable(map(repeat, numbers, map(len, members))))
    several = list(chain.from_iterable(members))
    return [repeated, *(zip(*several, strict=True) if several and not isinstance(several[0], int) else [several])]


def _synchronise(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
