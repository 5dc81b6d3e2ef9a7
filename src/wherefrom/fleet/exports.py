"""Exported resources between the nodes of a fleet: who exports what, and what a collector's question finds.

    STORE/exports.sqlite   what each node exports, with origins; readable by its owner alone

A node's exports are rows (`NodeExports`) beside a table of origins, which is kept by its digest, and whose source texts
are kept once for all nodes. An `ExportsSnapshot` is all of them at one time, in memory; it is what a round of
compilations sees, so that the answer does not depend on which node happened to be compiled first. The query language is
the part of PuppetDB's that collectors use (https://puppet.com/docs/puppetdb/7/api/query/v4/ast.html).

What is secret in an exported parameter and not `Sensitive` (data that was decrypted) has to be passed on: its texts
come along with the resource, so that the collecting node does not show them either. What is `Sensitive` is not
exported.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from ..base.cache import Cache
from ..base.deep import deeply
from ..base.diagnostics import UsageError
from ..base.json_bytes import json_bytes
from ..base.record import Record
from ..base.secrets import Secrets
from ..language import Exports
from ..provenance.export import BadExport, Exporter, hidden_table, import_origins
from ..provenance.exported import Exported, ExportSource
from ..provenance.extract import where
from ..provenance.origins import OF_A_NODE, Leaf, Origin
from .place import CURRENT, EXPORTS, NotUsable, database, place_of
from .spill import SpillFile

if TYPE_CHECKING:
    from ..base.source import SourceFile
    from ..language import Outcome

FORMAT = "wherefrom-exports/2"
ASKED, ASKED_ORIGINS, OWN = "exports", "export origins", "exported"
"""Questions of a trace: what a collector's query finds; the same with its history; what the node itself exports."""
QUESTIONS = (ASKED, ASKED_ORIGINS, OWN)
LARGEST = 1 << 28
"""Bytes; no table of origins is larger."""

NO_ROWS = "[]"
MOST_TABLES = 4_096
MOST_ANSWERS = 64
MOST_SOURCES = 512
"""Bounds of caches: tables of origins of exported resources, answers to collectors, and digests of sources."""

Sent = dict[str, Any]
"""A node's exports as a document that processes send each other."""


class Row(Record):
    """One resource that a node exports; origins by their row in the node's table."""

    type: str
    title: str
    tags: tuple[str, ...]
    parameters: Mapping[str, Any]
    file: str
    line: int
    existence: int
    origins: Mapping[str, int]
    secrets: tuple[str, ...]


class NodeExports:
    """All that one node exports.  `document` names its table of origins.

    `chained`: whether it, or that there is nothing, depends on what other nodes export. The rows, and what the inputs
    of the table are that each node has its own of (in the order of the table), are JSON in a spill file: there are many
    nodes, and hardly a row is looked at.
    """

    __slots__ = ("_place", "_spill", "chained", "document", "is_empty", "node")

    def __init__(
        self, node: str, packed: str, document: str, given: str, chained: bool, spill: SpillFile | None
    ) -> None:
        self.node = node
        self.document = document
        self.chained = chained
        self.is_empty = packed == NO_ROWS
        """Whether it exports nothing."""
        self._spill = spill
        text = f"{len(packed)}\n{packed}{given}"
        self._place = None if spill is None else spill.put(text.encode("utf-8", "surrogatepass"))

    def texts(self) -> tuple[str, str]:
        """The rows, and what stands apart from the table: both as JSON."""
        if self._spill is None or self._place is None:
            return NO_ROWS, NO_ROWS
        length, _, text = self._spill.at(self._place).decode("utf-8", "surrogatepass").partition("\n")
        return text[: int(length)], text[int(length) :]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NodeExports):
            return NotImplemented
        key = self.node, self.document, self.chained
        return key == (other.node, other.document, other.chained) and self.texts() == other.texts()

    __hash__ = None  # type: ignore[assignment]  # nobody looks for one by what it is

    @property
    def rows(self) -> list[Row]:
        """The resources.  Raises `UsageError` where a file was damaged."""
        return [_row(row) for row in self._unpacked()]

    def _unpacked(self) -> list[list[object]]:
        """The rows, each as a list of its fields."""
        try:
            rows: list[list[Any]] = _parsed(self.texts()[0])
            if all(len(row) == len(Row.__fields__) for row in rows):
                return rows
            raise ValueError("a resource has other fields")
        except (ValueError, TypeError) as problem:
            raise UsageError(f"cannot read the exported resources of {self.node}: {problem}") from None

    def content(self) -> bytes:
        """The identity of this export among those of its node, without the histories."""
        return json_bytes([row[:4] for row in self._unpacked()])

    def whole(self) -> bytes:
        """The identity of this export among those of its node, histories included."""
        rows = [[*row[:4], *row[6:8]] for row in self._unpacked()]
        return json_bytes([rows, self.document, self.texts()[1]])

    def as_chained(self) -> NodeExports:
        """The same, where it depends on what others export."""
        return NodeExports(self.node, *self._told(), True, self._spill)

    def _told(self) -> tuple[str, str, str]:
        packed, given = self.texts()
        return packed, self.document, given

    def listed(self) -> list[object]:
        """All of it, for a file or for another process."""
        return [self.node, *self._told(), self.chained]


def nothing(node: str, chained: bool = False) -> NodeExports:
    """The exports of a node that has none."""
    return NodeExports(node, NO_ROWS, "", NO_ROWS, chained, None)


# --- from an outcome to a document -----------------------------------------------------------------------------------


def digest_of(content: bytes) -> str:
    """What documents and texts are known by."""
    return blake2b(content, digest_size=16).hexdigest()


def sending_of(outcome: Outcome) -> Sent | None:
    """What a node exports, as a document with the texts of all sources; nothing if it exports nothing.

    Values of inputs that each node has its own of stand apart, so that nodes which are alike share a table.
    """
    exports = outcome.exports() if isinstance(outcome, Exports) else []
    if not exports:
        return None
    exporter = Exporter(merged=True)
    rows = [
        [
            exported.type,
            exported.title,
            list(exported.tags),
            exported.parameters,
            exported.file,
            exported.line,
            exporter.row(exported.existence),
            {name: exporter.row(origin) for name, origin in exported.origins.items()},
            list(exported.secrets),
        ]
        for exported in exports
    ]
    document = exporter.document()
    plain = {"sources": document["sources"], "nodes": json.loads(json_bytes(document["nodes"]))}
    document = hidden_table(Secrets(outcome.secrets()), plain)
    table: list[Any] = document["nodes"]
    given: list[Any] = []
    for number, row in enumerate(table):
        if _stands_apart(row):
            given.append(row[4])
            table[number] = [*row[:4], None, *row[5:]]
    sources = {_digest_of_source(*source.items()): source for source in document["sources"]}
    return {
        "rows": rows,
        "nodes": table,
        "given": given,
        "document": digest_of(json_bytes([table, [*sources]])),
        "names": [*sources],
        "sources": sources,
        "chained": any(row[0] == "leaf" and row[1] == "export" for row in table),
    }


@lru_cache(MOST_SOURCES)
def _digest_of_source(*items: tuple[str, str]) -> str:
    """The digest of a source with its text: the same sources come with the exports of most nodes."""
    return digest_of(json_bytes(dict(items)))


class Sender:
    """Sends documents of what nodes export, for one process: the text of a source is sent once."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def sent(self, document: Sent) -> Sent:
        """The document with the texts of sources that were not sent before."""
        sources = {digest: source for digest, source in document["sources"].items() if digest not in self._known}
        self._known.update(sources)
        return {**document, "sources": sources}


def whole_of(node: str, sent: Sent | None) -> bytes:
    """The same as `NodeExports.whole`, of a document."""
    if sent is None:
        return json_bytes([[], "", NO_ROWS])
    return json_bytes([[[*row[:4], *row[6:8]] for row in sent["rows"]], sent["document"], _json_text(sent["given"])])


# --- all exports at one time -----------------------------------------------------------------------------------------


class ExportsSnapshot(ExportSource):
    """What every node exports at one time; queries give resources with their origins."""

    def __init__(self, nodes: Mapping[str, NodeExports], origins: Origins) -> None:
        self.nodes = nodes
        self.origins = origins
        self._answers: Cache[tuple[str, str], bytes] = Cache(MOST_ANSWERS)

    @cached_property
    def _by_type(self) -> dict[str, list[tuple[NodeExports, Row]]]:
        """All resources; only where somebody collects."""
        by_type: dict[str, list[tuple[NodeExports, Row]]] = {}
        for name in sorted(self.nodes):
            for row in sorted(self.nodes[name].rows, key=lambda row: (row.type, row.title)):
                by_type.setdefault(row.type, []).append((self.nodes[name], row))
        return by_type

    def search(self, query: Sequence[object]) -> list[Exported]:
        """The exported resources that match, by node and title."""
        return [self.origins.exported(exports, row) for exports, row in self._matching(query)]

    def _matching(self, query: Sequence[object]) -> list[tuple[NodeExports, Row]]:
        wanted = _type_of(query)
        kinds = self._by_type.values() if wanted is None else (self._by_type.get(wanted, ()),)
        return [(exports, row) for rows in kinds for exports, row in rows if matches(query, exports.node, row)]

    def answer(self, question: tuple[str, str]) -> bytes:
        """The answer to a question of a trace, as bytes that are equal only if the answers are."""
        known = self._answers.get(question)
        if known is None:
            known = self._answers.keep(question, self._answered(*question))
        return known

    def _answered(self, kind: str, name: str) -> bytes:
        if kind == OWN:
            return self.nodes.get(name, nothing(name)).whole()
        matching = self._matching(json.loads(name))
        if kind == ASKED:
            return json_bytes([[exports.node, row.type, row.title, row.parameters] for exports, row in matching])
        return json_bytes(
            [[exports.document, exports.texts()[1], row.existence, dict(row.origins)] for exports, row in matching]
        )

    def sources_of(self, path: str) -> list[tuple[str, str]]:
        """The nodes that export the resource of an output (`User[db01].home`), each with where its value came from."""
        ref, _, attribute = path.rpartition("].")
        ref = f"{ref}]" if ref else path
        type_name, _, title = ref.removesuffix("]").partition("[")
        told: list[tuple[str, str]] = []
        for exports, row in self._by_type.get(type_name, ()):
            if row.title == title:
                exported = self.origins.exported(exports, row)
                leaf = where(exported.origins.get(attribute, exported.existence))
                told.append((exports.node, leaf.span.place if leaf is not None and leaf.span is not None else ""))
        return told

    def packed(self) -> bytes:
        """All of it with its histories, for another process."""
        nodes = [exports.listed() for exports in self.nodes.values()]
        tables = self.origins.packed(exports.document for exports in self.nodes.values() if not exports.is_empty)
        return _packed(json_bytes([nodes, tables]))

    @classmethod
    def unpacked(cls, content: bytes) -> ExportsSnapshot:
        """What another process packed."""
        nodes, tables = json.loads(_unpacked(content))
        origins = Origins.unpacked(tables)
        exports = [
            NodeExports(node, packed, document, given, chained, origins.spill)
            for node, packed, document, given, chained in nodes
        ]
        return cls({row.node: row for row in exports}, origins)

    def state(self) -> bytes:
        """What tells this snapshot from others, histories aside."""
        return json_bytes([[name, digest_of(self.nodes[name].content())] for name in sorted(self.nodes)])


def _type_of(query: Sequence[Any]) -> str | None:
    """The type that a query asks for, if it does so at the top."""
    if query and query[0] == "and":
        for part in query[1:]:
            if part[:2] == ["=", "type"]:
                return str(part[2])
    return None


def matches(query: Sequence[Any], node: str, row: Row) -> bool:
    """Whether a resource matches a query.  Raises `UsageError` for what no collector asks."""
    match query:
        case ["and", *parts]:
            return all(matches(part, node, row) for part in parts)
        case ["or", *parts]:
            return any(matches(part, node, row) for part in parts)
        case ["not", part]:
            return not matches(part, node, row)
        case ["=", "tag", value]:
            return value in row.tags
        case ["=", ["parameter", name], value]:
            return name in row.parameters and _same(row.parameters[name], value)
        case ["=", "type" | "title" | "certname" | "exported" as field, value]:
            own = {"type": row.type, "title": row.title, "certname": node, "exported": True}
            return bool(own[field] == value)
    raise UsageError(f"not a query for exported resources: {json.dumps(query)}")


def _same(value: object, other: object) -> bool:
    """Whether two values are one as JSON has them: 1, 1.0, "1" and true are four."""
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)


# --- histories -------------------------------------------------------------------------------------------------------


class Origins:
    """Tables of origins, by their digests: read on demand, and kept for the nodes that collect from this one.

    Tables that are not in a file yet, and texts of sources, lie in the file `spill`, with what nodes export.
    """

    def __init__(self, path: str | None, folder: str | None = None) -> None:
        self._path = path
        self.spill = SpillFile(folder)
        self._documents: dict[str, int] = {}
        self._sources: dict[str, int] = {}
        self._tables: Cache[tuple[str, str, str], tuple[list[Any], dict[str, SourceFile]]] = Cache(MOST_TABLES)

    def add(self, digest: str, sent: Sent) -> None:
        """Remember a table that is not in the file yet."""
        if digest not in self._documents:
            self._documents[digest] = self.spill.put(json_bytes([sent["nodes"], sent["names"]]))
        for name, source in sent["sources"].items():
            self._add_source(name, source)

    def _add_source(self, name: str, source: dict[str, Any]) -> None:
        if name not in self._sources:
            self._sources[name] = self.spill.put(json_bytes(source))

    def packed(self, digests: Iterable[str]) -> dict[str, Any]:
        """Some tables, as a document."""
        documents: dict[str, object] = {}
        for digest in digests:
            with suppress(KeyError, ValueError, sqlite3.Error, zlib.error):
                documents[digest] = self._document(digest)
        return documents

    @classmethod
    def unpacked(cls, documents: dict[str, Any]) -> Origins:
        """The tables that `packed` wrote into a document."""
        origins = cls(None)
        for digest, document in documents.items():
            names = [digest_of(json_bytes(source)) for source in document["sources"]]
            sources = dict(zip(names, document["sources"]))
            origins.add(digest, {"nodes": document["nodes"], "names": names, "sources": sources})
        return origins

    def exported(self, exports: NodeExports, row: Row) -> Exported:
        """A resource with its origins."""
        table, sources = self._table(exports)
        ref = f"{row.type}[{row.title}]"
        unknown = Leaf("export", ref, None, row.title, f"exported by {exports.node}", exports.node)

        def origin(number: int) -> Origin:
            node = table[number] if 0 <= number < len(table) else None
            return node if isinstance(node, Origin) else unknown

        origins = {name: origin(number) for name, number in row.origins.items()}
        return Exported(
            exports.node,
            row.type,
            row.title,
            row.tags,
            row.parameters,
            row.file,
            row.line,
            origin(row.existence),
            origins,
            row.secrets,
            sources,
        )

    def _table(self, exports: NodeExports) -> tuple[list[Any], dict[str, SourceFile]]:
        key = exports.node, exports.document, exports.texts()[1]
        table = self._tables.get(key)
        if table is None:
            try:
                document = self._document(exports.document)
                document["nodes"] = _filled(document["nodes"], json.loads(key[2]))
                table = import_origins(document, exports.node)
            except (BadExport, KeyError, ValueError, sqlite3.Error, zlib.error):
                table = [], {}  # what was exported counts, though its history is lost
            self._tables.keep(key, table)
        return table

    def _document(self, digest: str) -> dict[str, Any]:
        place = self._documents.get(digest)
        nodes, names = self._read(digest) if place is None else _parsed(self.spill.at(place))
        missing = [name for name in names if name not in self._sources]
        if missing and self._path is not None:
            with closing(database(self._path)) as connection:
                for name in missing:
                    body = connection.execute("select body from sources where digest = ?", [name]).fetchone()
                    self._add_source(name, json.loads(_unpacked(body[0])) if body else {})
        return {"sources": [_parsed(self.spill.at(self._sources[name])) for name in names], "nodes": nodes}

    def _read(self, digest: str) -> tuple[list[Any], list[str]]:
        if self._path is None:
            raise KeyError(digest)
        with closing(database(self._path)) as connection:
            body = connection.execute("select body from documents where digest = ?", [digest]).fetchone()
        if body is None:
            raise KeyError(digest)
        document = json.loads(_unpacked(body[0]))
        return document["nodes"], document["names"]


def received(node: str, sent: Sent | None, origins: Origins) -> NodeExports:
    """A node's exports from the document that its process sent; the table of origins is cached for queries."""
    if sent is None:
        return nothing(node)
    digest = sent["document"]
    origins.add(digest, sent)
    packed, given = _json_text(sent["rows"]), _json_text(sent["given"])
    return NodeExports(node, packed, digest, given, bool(sent["chained"]), origins.spill)


def _stands_apart(row: Sequence[object]) -> bool:
    """Whether a row of a table is an input that each node has its own of: its value is kept beside the table."""
    return bool(row[0] == "leaf" and row[1] in OF_A_NODE and row[3] is None)


def _filled(rows: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    """A table with the values that stand apart.  Raises `ValueError` if these are more or fewer."""
    apart = [number for number, row in enumerate(rows) if _stands_apart(row)]
    table = list(rows)
    for number, value in zip(apart, given, strict=True):
        row = table[number]
        table[number] = [*row[:4], value, *row[5:]]
    return table


def _row(row: Sequence[Any]) -> Row:
    type_name, title, tags, parameters, file, line, existence, origins, secrets = row
    return Row(type_name, title, tuple(tags), parameters, file, line, existence, origins, tuple(secrets))


# --- the file --------------------------------------------------------------------------------------------------------

_SCHEMA = (
    "create table if not exists about (name text primary key, value text)",
    "create table if not exists nodes (node text primary key, rows text, document text, given text, chained integer)",
    "create table if not exists documents (digest text primary key, body blob)",
    "create table if not exists sources (digest text primary key, body blob)",
)


class ExportsFile:
    """The file of a store that holds what its nodes export; it need not be there yet."""

    def __init__(self, path: str) -> None:
        self.path = os.path.join(path, EXPORTS)
        self._folder = place_of(path)
        self._writes = 0
        """How often this object has written; other writers are not counted."""

    def snapshot(self) -> tuple[ExportsSnapshot, bool]:
        """All that is in it; and whether a run came to its end since something was written."""
        folder = os.path.dirname(self.path)
        if not os.path.exists(self.path):
            return ExportsSnapshot({}, Origins(None, folder)), True
        origins = Origins(self.path, folder)
        try:
            with closing(database(self.path)) as connection:
                if self._is_nothing(connection):
                    return ExportsSnapshot({}, Origins(None, folder)), True
                about = dict(connection.execute("select name, value from about"))
                self._writes = int(about.get("writes", 0))
                if about.get("format") != FORMAT:
                    raise NotUsable(f"{self.path} is not of format {FORMAT}")
                nodes = {
                    node: NodeExports(node, str(rows), document, str(given), bool(chained), origins.spill)
                    for node, rows, document, given, chained in connection.execute(
                        "select node, rows, document, given, chained from nodes"
                    )
                }
        except (sqlite3.Error, ValueError, TypeError) as problem:
            raise NotUsable(f"{self.path} is damaged ({problem})") from None
        return ExportsSnapshot(nodes, origins), about.get("settled") == "1"

    def started_anew(self) -> str | None:
        """Remove the file if it can not be used, since another version wrote it or it is damaged; in words, why.

        Nodes that export something are compiled again then.
        """
        try:
            self.snapshot()
            return None
        except NotUsable as problem:
            self._folder.remove(EXPORTS)
            return problem.problem

    def _is_nothing(self, connection: sqlite3.Connection) -> bool:
        """Whether nothing was ever written, to it or to the store: an earlier version found the disk full."""
        if os.path.lexists(os.path.join(self._folder.path, CURRENT)):
            return False
        tables = connection.execute("select count(*) from sqlite_master where type = 'table'").fetchone()[0]
        return not tables or not connection.execute("select count(*) from about").fetchone()[0]

    def write(self, changed: Mapping[str, tuple[NodeExports, Sent | None]], gone: Iterable[str] = ()) -> None:
        """Put exports of nodes in place of those they had, all of them or none."""
        if not changed and not (gone := list(gone)):
            return
        if not os.path.exists(self.path):
            if not any(not exports.is_empty or exports.chained for exports, _ in changed.values()):
                return  # a fleet in which nobody exports has no such file
            self._folder.make()
            try:
                self._folder.replace(EXPORTS, _new_file(), 0o600)
            except OSError as problem:
                raise UsageError(f"cannot write {self.path}: {(problem.strerror or str(problem)).lower()}") from None
        try:
            with closing(database(self.path)) as connection:
                connection.execute("begin immediate")
                with connection:
                    for table in _SCHEMA:
                        connection.execute(table)
                    connection.execute("insert or replace into about values ('format', ?)", [FORMAT])
                    connection.execute("insert or replace into about values ('settled', '0')")
                    writes = [str(_writes(connection) + 1)]
                    connection.execute("insert or replace into about values ('writes', ?)", writes)
                    self._writes += 1
                    connection.executemany("delete from nodes where node = ?", [[node] for node in gone])
                    for exports, sent in changed.values():
                        self._write_node(connection, exports, sent)
        except sqlite3.Error as problem:
            raise UsageError(f"cannot write {self.path}: {problem}") from None

    def _write_node(self, connection: sqlite3.Connection, exports: NodeExports, sent: Sent | None) -> None:
        if exports.is_empty and not exports.chained:
            connection.execute("delete from nodes where node = ?", [exports.node])
            return
        values: list[object] = exports.listed()
        connection.execute("insert or replace into nodes values (?, ?, ?, ?, ?)", values)
        known = connection.execute("select 1 from documents where digest = ?", [exports.document]).fetchone()
        if sent is not None and known is None:
            body = _packed(json_bytes({"nodes": sent["nodes"], "names": sent["names"]}))
            connection.execute("insert or ignore into documents values (?, ?)", [exports.document, body])
        for digest, source in sent["sources"].items() if sent is not None else ():
            values = [digest, _packed(json_bytes(source))]
            connection.execute("insert or ignore into sources values (?, ?)", values)

    def settle(self, alone: bool) -> None:
        """A run came to its end: note it, unless somebody else wrote meanwhile, whose rounds this run did not see.

        If it is `alone`, histories that nobody's exports have any more are forgotten; else another run may have sent
        texts that what it is about to write names.
        """
        if not os.path.exists(self.path):
            return
        try:
            with closing(database(self.path)) as connection:
                if self._is_nothing(connection):
                    return
                connection.execute("begin immediate")
                with connection:
                    if _writes(connection) == self._writes:
                        connection.execute("insert or replace into about values ('settled', '1')")
                    if not alone:
                        return
                    connection.execute("delete from documents where digest not in (select document from nodes)")
                    used: set[str] = set()
                    for (body,) in connection.execute("select body from documents"):
                        used.update(json.loads(_unpacked(body))["names"])
                    known = [digest for (digest,) in connection.execute("select digest from sources")]
                    unused = [[digest] for digest in known if digest not in used]
                    connection.executemany("delete from sources where digest = ?", unused)
        except (sqlite3.Error, ValueError, zlib.error) as problem:
            raise UsageError(f"cannot write {self.path}: {problem}") from None


def _new_file() -> bytes:
    """The content of a file that nothing was written to yet: it is put in place whole, whatever becomes of the disk."""
    with closing(sqlite3.connect(":memory:")) as connection, connection:
        for table in _SCHEMA:
            connection.execute(table)
        connection.executemany("insert into about values (?, ?)", [("format", FORMAT), ("settled", "1")])
        connection.commit()
        return connection.serialize()


def _writes(connection: sqlite3.Connection) -> int:
    row = connection.execute("select value from about where name = 'writes'").fetchone()
    return int(row[0]) if row else 0


def _parsed(text: str | bytes) -> Any:
    """What JSON says, however deeply it is nested."""
    return deeply(lambda: json.loads(text))


def _json_text(document: object) -> str:
    return json_bytes(document).decode("utf-8", "replace")


def _packed(body: bytes) -> bytes:
    return zlib.compress(body, 6)


def _unpacked(body: bytes) -> bytes:
    """What was packed; a bomb is not unpacked to its end."""
    machine = zlib.decompressobj()
    content = machine.decompress(body, LARGEST)
    if machine.unconsumed_tail:
        raise ValueError(f"more than {LARGEST} bytes")
    return content
