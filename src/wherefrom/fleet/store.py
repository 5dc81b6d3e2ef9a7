"""The fleet store: a directory of Parquet files, and one small file that names those that count.

    STORE/current.json     the format, the generation, and the parts with their nodes, files, and digests of these
    STORE/key              the key of the digests; readable by its owner alone
    STORE/request.json     which files and options nodes were compiled with
    STORE/lock             whoever writes holds it
    STORE/readers, runs    whoever relies on what is there holds them (`locks`)
    STORE/TABLE-*.parquet  the rows

A store is written in parts, one for each commit: every table's rows of some nodes. A node is in one part; where it is
compiled again, the part that had it is written anew without it. New files are written and synchronised under names that
nobody has, then `current.json` is replaced: whoever reads sees all of a commit or nothing of it. Files that no longer
count are deleted a commit later, when nobody reads. Writers take turns by the lock and look at `current.json` again
once they have it, so that two of them at once lose nothing. A file is compared with its digest when it is first used,
and all of them before nodes are compiled or compared: a store that was damaged is compiled anew, and never relied on.

Rows that nodes share are sent once in a run, and named by nodes that come later. So while a run is under way nobody
takes away such rows, though no node should name them: another run may have replaced the nodes that did. A part that may
have such rows is marked (`left`, and `loose` once it was written anew with others), and they go when a run ends that is
alone. Small parts become larger ones, up to a size at which a part is full and stays as it is, and parts are written
anew in pieces (`merging`): so neither memory nor the work for a node grows with the nodes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property, partial
from hashlib import blake2b
from importlib.util import find_spec
from itertools import chain, repeat
from typing import Any, TypeVar

from ..base.diagnostics import UsageError
from ..base.extras import extra
from ..base.folder import NotOurs
from ..base.source import lines_of
from . import merging
from .arrow import give_back, loaded
from .locks import SharedLock
from .place import CURRENT, EXPORTS, KEY, LASTING, LOCK, ORIGINS, READERS, REQUEST, RUNS, NotUsable, place_of
from .requests import FleetRequest, read, written

FORMAT = "wherefrom-fleet/5"
Taken = TypeVar("Taken")

TABLES: Mapping[str, Mapping[str, str]] = {
    "nodes": {
        "node": "string", "status": "string", "error": "string", "resources": "int32", "catalog": "string",
        "own": "int64", "shared": "int64", "evidence": "int64", "milliseconds": "double",
        "content": "string",
    },
    "resources": {
        "node": "string", "type": "string", "title": "string", "file": "string", "line": "int32", "exported": "bool",
    },
    "attributes": {"node": "string", "type": "string", "title": "string", "attribute": "string", "value": "string"},
    "edges": {"node": "string", "source": "string", "target": "string"},
    "lookups": {"node": "string", "key": "string", "answer": "int64"},
    "answers": {
        "answer": "int64", "place": "int32", "found": "bool", "value": "string", "module": "string", "level": "string",
        "file": "string", "line": "int32",
    },
    "reads": {"reads": "int64", "kind": "string", "name": "string", "digest": "string"},
}  # fmt: skip
"""The columns of each table, with their types: version 5 of the schema, described in `docs/fleet.md`."""

OF_NODES = ("nodes", "resources", "attributes", "edges", "lookups")
"""Tables whose rows belong to a node; the rows of the others are shared."""
BY_COLUMN = ("resources", "attributes", "edges", "lookups")
"""Tables of many rows: what is committed is not rows, but columns."""
OF_SETS = ("reads",)
"""Tables of sets: what is committed is a number and the list of its members, of which each becomes a row."""
SORTED = {
    "attributes": ("type", "title", "attribute", "value", "node"),
    "resources": ("type", "title", "node"),
}
"""Equal values beside each other are packed best, and questions about one attribute read little."""


KEY_BYTES = 32
DIGEST_BYTES = 16
"""Of the digest of a file."""
READ_BYTES = 1 << 18
"""Of a file that are read at a time for its digest."""
MOST_CURRENT = 1 << 30
"""Bytes of `current.json`."""


def needed() -> tuple[Any, Any]:
    """`pyarrow` and its Parquet.  Raises `MissingExtra`."""
    with extra("fleet"):
        return loaded()


class Store:
    """A store at `path`, which need not be there yet."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.folder = place_of(path)
        self._run: SharedLock | None = None
        self._is_known = False
        self._expected: dict[str, str] = {}
        """Digests of files that count, by name."""
        self._sound: set[str] = set()
        """Names of files that have theirs."""
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
            document = json.loads(self.folder.read(CURRENT, MOST_CURRENT))
        except FileNotFoundError:
            return {"format": FORMAT, "generation": 0, "parts": []}
        except (OSError, ValueError) as problem:
            raise NotUsable(f"{self.path} is not a fleet store ({problem})") from None
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise NotUsable(f"{self.path} is not a store of format {FORMAT}")
        if not _is_sound(document):
            raise self.damaged(CURRENT)
        self._expected = {name: digest for part in document["parts"] for name, digest in part["digests"].items()}
        self._sound &= self._expected.keys()  # a store that is written for long forgets what counts no more
        return document

    def damaged(self, what: str) -> NotUsable:
        """The error about files that are not as they were written."""
        return NotUsable(f"{self.path}: a file of the store is damaged ({what})")

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Inside, files that are no longer what was written are told, and so is a disk that takes no more."""
        try:
            yield
        except (self._arrow.ArrowInvalid, FileNotFoundError) as problem:
            raise self.damaged(lines_of(str(problem))[0]) from None
        except OSError as problem:
            raise UsageError(f"cannot write {self.path}: {(problem.strerror or str(problem)).lower()}") from None

    def existing(self) -> dict[str, object]:
        """The same, where there must be one."""
        if not os.path.exists(os.path.join(self.path, CURRENT)):
            raise UsageError(f"no fleet store at {self.path}: create one with `wherefrom fleet compile --store`")
        return self.current()

    def files(self, *tables: str) -> dict[str, list[str]]:
        """The files of some tables that count, all of one commit.  They are to be checked."""
        parts = self.current()["parts"]
        return {table: [self.folder.check(part["files"][table]) for part in parts] for table in tables}

    def check(self, paths: Iterable[str]) -> None:
        """Raise `UsageError` if one of some files is not what was written.  Each is read once."""
        for path in paths:
            name = os.path.basename(path)
            if name in self._expected and name not in self._sound:  # else it is being written
                if self._digest(name) != self._expected[name]:
                    raise self.damaged(name)
                self._sound.add(name)

    def _digest(self, name: str) -> str:
        digest = blake2b(digest_size=DIGEST_BYTES)
        with self.folder.open(name) as file:
            while piece := file.read(READ_BYTES):
                digest.update(piece)
        return digest.hexdigest()

    def rows(self, table: str) -> list[dict[str, Any]]:
        """All rows of a table."""
        return [dict(zip(TABLES[table], row)) for row in self.tuples(table)]

    def tuples(self, table: str) -> list[tuple[Any, ...]]:
        """The same, each row as a tuple of its values."""
        return self.together((table,), list)

    def together(self, tables: Sequence[str], taken: Callable[..., Taken]) -> Taken:
        """What is `taken` from the rows of some tables, all of one commit; it gets a `Table` for each."""
        with closing(self.reading()):
            for _ in range(TRIES):
                try:
                    named = self.files(*tables)
                    for table in tables:
                        self.check(named[table])
                    return taken(*(Table(table, named[table]) for table in tables))
                except FileNotFoundError as problem:  # a commit came between; what counts now is there
                    missing = problem
                except (self._arrow.ArrowInvalid, OSError) as problem:
                    raise self.damaged(lines_of(str(problem))[0]) from None
        raise self.damaged(str(missing))

    def questions_of(self, numbers: Iterable[int]) -> dict[int, list[tuple[str, str]]]:
        """What was asked in some sets of reads that were committed, by their numbers; in little memory."""
        questions: dict[int, list[tuple[str, str]]] = {}
        wanted = list(numbers)
        if wanted:
            with closing(self.reading()), self._telling():
                for file in self.files("reads")["reads"]:
                    self.check([file])
                    for number, kind, name in merging.rows_of(file, "reads", wanted, ["kind", "name"]):
                        questions.setdefault(number, []).append((kind, name))
        return questions

    def reading(self) -> SharedLock:
        """While this lives, files that count now are not deleted."""
        return SharedLock(self.folder, READERS)

    def key(self) -> bytes:
        """The key of the store's digests; made when first asked for."""
        with self.locked():
            with suppress(FileNotFoundError):
                key = self.folder.read(KEY, KEY_BYTES + 1)
                if len(key) != KEY_BYTES:
                    raise self.damaged(KEY)
                return key
            key = os.urandom(KEY_BYTES)
            with self._telling():
                self.folder.replace(KEY, key, 0o600)
            return key

    def request(self) -> FleetRequest | None:
        """The request of the last compilation into this store; nothing if there is none or it can not be read."""
        return read(self.path)

    # --- writing ---

    def started_anew(self) -> str | None:
        """Empty a store that can not be used, since another version wrote it or it is damaged; in words, why it was.

        For callers that have the files that its nodes were compiled from.
        """
        try:
            if self.current()["generation"]:  # reading leaves a lock's file, which is put into a store of ours only
                self.together(tuple(TABLES), lambda *tables: None)
            return None
        except NotUsable as problem:
            words = problem.problem
        except NotOurs as problem:
            words = str(problem)
        self.folder.require_ours("fleet store")  # nobody else's files, whatever they are called
        with self._telling():
            for name in (EXPORTS, ORIGINS):
                self.folder.remove(name)
            self.folder.replace(CURRENT, _written({"format": FORMAT, "generation": 0, "parts": []}))
        return words

    def remember(self, request: Mapping[str, object]) -> None:
        """Keep the request, so that the same can be compiled again."""
        with self.locked(), self._telling():
            self.folder.replace(REQUEST, written(self.path, request), 0o600)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Inside, nobody else writes.  The system gives the lock back when a process ends, however it ends."""
        import fcntl

        try:
            self.make()
            descriptor = self.folder.kept_open(LOCK)
        except OSError as problem:
            raise UsageError(f"cannot write {self.path}: {(problem.strerror or str(problem)).lower()}") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def make(self) -> None:
        """Make the directory.  Raises `OSError`, or `UsageError` where it holds something else than a store."""
        if not os.path.lexists(os.path.join(self.path, CURRENT)):
            self.folder.require_ours("fleet store")
        elif not self._is_known:
            self.current()
            self._is_known = True
        self.folder.make()

    @contextmanager
    def relied_on(self) -> Iterator[None]:
        """Inside, a run is under way: what was sent once may be named later.  Inside of itself it does nothing."""
        if self._run is not None:
            yield
            return
        with suppress(OSError):  # the writer reports what is wrong
            self.make()
        self._run = SharedLock(self.folder, RUNS)
        try:
            yield
        finally:
            self._run.close()
            self._run = None

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Whether no other run is under way; if so, none begins inside, and in any case nobody else writes."""
        with self.locked(), self._alone() as is_alone:
            yield is_alone

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        hold = self._run or SharedLock(self.folder, RUNS)
        try:
            with hold.alone() as is_alone:
                yield is_alone
        finally:
            if hold is not self._run:
                hold.close()

    def commit(
        self,
        tables: Mapping[str, list[list[Any]]],
        gone: Iterable[str] = (),
        first: Callable[[], None] = lambda: None,
        last: bool = False,
    ) -> int:
        """Add rows, in place of those of the same nodes and of nodes that are `gone`; the new generation.

        Some tables (`BY_COLUMN`) are given as columns, or as nothing where there are no rows.
        What is done `first` belongs to it: nobody else commits between. The `last` commit of a run is one after which
        nothing that it sent is named again.
        """
        added = sorted({row[0] for row in tables["nodes"]})
        leaving = {*added, *gone}
        with self.alone() as is_alone, self._telling():
            first()
            before = self.current()
            generation: int = before["generation"] + 1
            parts = [self._without(part, leaving, generation) for part in before["parts"]]
            if added:
                arrow = {name: self._table(name, rows) for name, rows in tables.items()}
                values = arrow["attributes"].num_rows
                parts.append({"nodes": added, "values": values, "files": self._written(arrow, generation)})
            is_over = is_alone and (last or self._run is None)
            if len(self._growing(parts)) > MOST_PARTS or (is_over and any(map(_is_loose, parts))):
                parts = self._merged(parts, generation, is_over)
            self._count(parts, generation, before)
        return generation

    def sweep(self) -> int:
        """Take away rows that nobody names and that were kept for the sake of runs, if these are over; the generation.

        The run that asks will name nothing more of what it sent.
        """
        with self.alone() as is_alone, self._telling():
            before = self.current()
            generation: int = before["generation"]
            if is_alone and any(map(_is_loose, before["parts"])):
                generation += 1
                self._count(self._merged(before["parts"], generation, True), generation, before)
        return generation

    def _count(self, parts: list[dict[str, Any]], generation: int, before: dict[str, Any]) -> None:
        """Let these parts count, and no others."""
        known = {name: digest for part in before["parts"] for name, digest in part["digests"].items()}
        for part in parts:
            names = part["files"].values()
            part["digests"] = {name: known[name] if name in known else self._digest(name) for name in names}
            self._sound.update(name for name in names if name not in known)
        document = {"format": FORMAT, "generation": generation, "parts": parts}
        self.folder.synchronise()
        self.folder.replace(CURRENT, _written(document))
        self._tidy(before, document)

    def _table(self, name: str, rows: list[list[Any]]) -> Any:
        columns = TABLES[name]
        if name in OF_SETS:  # two processes may send the same set
            rows = list({row[0]: row for row in rows}.values())
        elif name not in OF_NODES:
            rows = list({tuple(row): row for row in rows}.values())
        values: Sequence[Sequence[Any]] = rows if name in BY_COLUMN else list(zip(*rows, strict=True))
        values = values or [()] * len(columns)
        if name in OF_SETS and rows:
            values = _of_sets(*values)
        arrays = {
            column: self._arrow.array(held, self._type(kind))
            for held, (column, kind) in zip(values, columns.items(), strict=True)
        }
        return self._arrow.table(arrays)

    def _type(self, kind: str) -> Any:
        return self._arrow.type_for_alias(kind)

    def _written(self, tables: Mapping[str, object], generation: int) -> dict[str, str]:
        files: dict[str, str] = {}
        for name, table in tables.items():
            files[name] = self._name(name, generation)
            table = merging.sorted_by(table, SORTED.get(name, ()))
            with self.folder.new(files[name]) as file:
                self._parquet.write_table(table, file, merging.PIECE_ROWS, compression="zstd")
        return files

    def _name(self, table: str, generation: int) -> str:
        """A name for a file that nobody has."""
        return f"{table}-{generation:06d}-{os.urandom(4).hex()}.parquet"

    def _without(self, part: dict[str, Any], leaving: set[str], generation: int) -> dict[str, Any]:
        """A part without some nodes.  Its shared rows stay, because rows of other parts may refer to them."""
        staying = [node for node in part["nodes"] if node not in leaving]
        if len(staying) == len(part["nodes"]):
            return part
        files, values = self._of_nodes([part], staying, generation)
        return {**part, "nodes": staying, "values": values, "left": True, "files": {**part["files"], **files}}

    def _of_nodes(
        self, parts: list[dict[str, Any]], nodes: Sequence[str] | None, generation: int
    ) -> tuple[dict[str, str], int]:
        """New files with the rows of some nodes (else of all) of some parts as one; and how many values these have."""
        files: dict[str, str] = {}
        counts: dict[str, int] = {}
        for name in OF_NODES:
            with self._pieces(name, generation) as (files[name], pieces):
                merging.of_nodes(self._paths(parts, name), nodes, pieces)
            counts[name] = pieces.count
        return files, counts["attributes"]

    def _growing(self, parts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Parts that are not full, the smallest first."""
        return sorted((part for part in parts if self._size(part) < FULL_VALUES), key=self._size)

    def _size(self, part: dict[str, Any]) -> int:
        """How many values the nodes of a part have, and nodes: of some it is only said that they failed."""
        values: int = part["values"]
        return values + len(part["nodes"])

    def _merged(self, parts: list[dict[str, Any]], generation: int, is_over: bool) -> list[dict[str, Any]]:
        """Small parts as one, and the others; of rows that are shared, each once.

        If no run is under way, rows that nobody names go from parts that are marked for it. A part stays as it is if it
        is full, or has many times the values of all that are smaller: so a node is written anew a few times.
        """
        give_back()
        small: list[dict[str, Any]] = []
        size = 0
        for part in self._growing(parts):
            if len(small) > 1 and (size >= FULL_VALUES or self._size(part) > MANY_TIMES * size):
                break
            small.append(part)
            size += self._size(part)
        groups = [small] if len(small) > 1 else []
        groups += [[part] for part in parts if is_over and _is_loose(part) and not any(part in some for some in groups)]
        anew = [self._new(group, generation, is_over) for group in groups]
        after = [*(part for part in parts if not any(part in group for group in groups)), *anew]
        for name, (column, naming, columns) in merging.NAMED_BY.items():
            naming_files = self._paths(after, naming)
            for part, group in zip(anew, groups):
                is_swept = is_over and any(map(_may_be_loose, group))
                named = partial(merging.named_among, paths=naming_files, columns=columns) if is_swept else None
                with self._pieces(name, generation) as (part["files"][name], pieces):
                    merging.shared(self._paths(group, name), column, named, pieces)
        return after

    def _new(self, group: list[dict[str, Any]], generation: int, is_over: bool) -> dict[str, Any]:
        """A part with the nodes of some others, yet without rows that are shared."""
        files, values = self._of_nodes(group, None, generation)
        nodes = sorted(node for part in group for node in part["nodes"])
        part = {"nodes": nodes, "values": values, "files": files}
        return {**part, "loose": True} if not is_over and any(map(_may_be_loose, group)) else part

    @contextmanager
    def _pieces(self, table: str, generation: int) -> Iterator[tuple[str, merging.Pieces]]:
        """A new file of a table, by name, to be written inside."""
        name = self._name(table, generation)
        schema = self._arrow.schema([(column, self._type(kind)) for column, kind in TABLES[table].items()])
        with self.folder.new(name) as file:
            pieces = merging.Pieces(file, schema, SORTED.get(table, ()))
            try:
                yield name, pieces
            except BaseException:
                pieces.abandon()
                raise

    def _paths(self, parts: Iterable[dict[str, Any]], table: str) -> list[str]:
        paths = [self.folder.check(part["files"][table]) for part in parts]
        self.check(paths)
        return paths

    def _tidy(self, *documents: dict[str, Any]) -> None:
        """Delete files that neither this generation nor the one before names, if nobody reads."""
        named = {file for document in documents for part in document["parts"] for file in part["files"].values()}
        with closing(self.reading()) as hold, hold.alone() as is_alone:
            for name in self.folder.names() if is_alone else ():
                if name not in LASTING and name not in named and self.folder.is_ours(name):
                    with suppress(OSError):
                        self.folder.remove(name)


MOST_PARTS = 24
"""Parts; with more, small ones are written as one."""
MANY_TIMES = 8
"""A part that has so many times the values of all that are smaller is not written anew together with them."""
FULL_VALUES = 500_000
"""A part with so many values is full. Of twice as many at the most, the numbers of their sets are held at a time."""
TRIES = 3
"""How often a reader looks again at what counts, if files are gone that did a moment ago."""


class Table:
    """The rows of a table, as tuples, read in blocks, so that never all are in memory."""

    def __init__(self, name: str, files: Sequence[str]) -> None:
        self._name = name
        self._files = files

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self._rows(None)

    def of(self, nodes: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        """Those of some nodes."""
        return self._rows(list(nodes))

    def _rows(self, nodes: Sequence[str] | None) -> Iterator[tuple[Any, ...]]:
        for file in self._files:
            for piece in merging.tables(file):
                some = piece if nodes is None else merging.only(piece, "node", nodes)
                yield from zip(*(some[name].to_pylist() for name in TABLES[self._name]))


def _is_sound(document: dict[str, Any]) -> bool:
    """Whether a document says what counts, in files of the store itself."""
    parts = document.get("parts")
    return (
        isinstance(document.get("generation"), int)
        and isinstance(parts, list)
        and all(
            isinstance(part, dict)
            and isinstance(part.get("nodes"), list)
            and isinstance(part.get("values"), int)
            and isinstance(part.get("files"), dict)
            and part["files"].keys() >= TABLES.keys()
            and isinstance(part.get("digests"), dict)
            and all(
                isinstance(name, str) and place_of("").is_ours(name) and isinstance(part["digests"].get(name), str)
                for name in part["files"].values()
            )
            for part in parts
        )
    )


def _written(document: dict[str, Any]) -> bytes:
    """A document as it is kept: a part in each line, as it may name very many nodes, and one line is written sooner."""
    parts = ",\n".join(map(json.dumps, document["parts"]))
    head = json.dumps({name: value for name, value in document.items() if name != "parts"})
    return f'{head[:-1]}, "parts": [\n{parts}\n]}}\n'.encode()


def _is_loose(part: dict[str, Any]) -> bool:
    """Whether a part was written anew with rows that perhaps nobody names."""
    return bool(part.get("loose"))


def _may_be_loose(part: dict[str, Any]) -> bool:
    """Whether a part may have rows that nobody names: nodes have left it."""
    return bool(part.get("loose") or part.get("left"))


def _of_sets(numbers: Sequence[int], members: Sequence[Sequence[object]]) -> list[Sequence[Any]]:
    """Columns from sets: the number of each as often as it has members, and these."""
    repeated = list(chain.from_iterable(map(repeat, numbers, map(len, members))))
    several = list(chain.from_iterable(members))
    return [repeated, *(zip(*several, strict=True) if several and not isinstance(several[0], int) else [several])]
