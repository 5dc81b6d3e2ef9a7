"""Questions to a store, answered by DuckDB.

What we ask ourselves is asked of the Parquet files as they lie there. What somebody else asks (`sql`) is asked of
copies in memory, in a database that can open no file and no connection and whose settings are locked: whatever the
words are, they can neither read nor write anything but the store's rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from ..base.diagnostics import UsageError
from ..base.record import Record
from ..provenance.impact import Target, parse_target
from .store import EXTRA, OF_NODES, TABLES, Store

RARE = 0.05
"""A value that so small a part of the nodes has, of those that have the attribute, is odd."""

_CONDITION = re.compile(
    r"(?P<type>[A-Z][\w:]*)\[(?P<title>.*?)\](?:\.(?P<attribute>[^\s=!]+))?\s*(?:(?P<operator>!=|=)\s*(?P<value>.*))?",
    re.DOTALL,
)


class Affected(Record):
    """An output, and the nodes on which it is as it is asked for."""

    path: str
    nodes: tuple[str, ...]
    value: Any = None
    resource: str = ""


def by_resource(affected: Sequence[Affected]) -> list[Affected]:
    """The resources of outputs, each with all nodes on which one of its outputs is among them."""
    nodes: dict[str, set[str]] = {}
    for row in affected:
        path = row.resource or row.path
        nodes.setdefault(path, set()).update(row.nodes)
    return [Affected(path, tuple(sorted(names))) for path, names in nodes.items()]


class Questions:
    """A store that is asked."""

    def __init__(self, store: Store) -> None:
        store.existing()
        self._database = _database()
        self._store = store
        self._open(self._database, "view")

    def _open(self, database: Any, kind: str) -> None:
        """Make the tables known: as views of the files, or as copies of them."""
        for table, columns in TABLES.items():
            listed = ", ".join("'" + file.replace("'", "''") + "'" for file in self._store.files(table))
            # Parts may have the same shared rows; whether a set has an input is the same, however often it is said.
            once = "" if table in OF_NODES or (table == "dependencies" and kind == "view") else "distinct"
            if listed:
                database.execute(f"create {kind} {table} as select {once} * from read_parquet([{listed}])")
            else:
                typed = ", ".join(f'"{name}" {_SQL_TYPES[type_name]}' for name, type_name in columns.items())
                database.execute(f"create table {table} ({typed})")

    def node_count(self) -> int:
        """How many nodes the store has."""
        return int(self.rows("select count(*) from nodes")[0][0])

    def impact(self, text: str) -> list[Affected]:
        """The outputs that may change when an input does, with the nodes.  Raises `UsageError`."""
        condition, values = _matching(parse_target(text))
        if not self.rows(f"select 1 from inputs where {condition} limit 1", values):
            return []
        rows = self.rows(
            "select type, title, attribute, list(distinct node order by node) from attributes where dependency_set in "
            f"(select dependency_set from dependencies semi join (select input from inputs where {condition}) "
            "using (input)) group by all order by 1, 2, 3",
            values,
        )
        return [Affected(_path(*row[:3]), tuple(row[3]), None, _path(row[0], row[1], "")) for row in rows]

    def find(self, text: str) -> list[Affected]:
        """Outputs by type, title, attribute and value: `File[/etc/ssh/*].mode != 0600`.  Raises `UsageError`."""
        condition = _CONDITION.fullmatch(text.strip())
        if condition is None or (condition["operator"] and not condition["attribute"]):
            raise UsageError(f"{text!r} is no condition: expected TYPE[TITLE], TYPE[TITLE].ATTRIBUTE, or that = VALUE")
        where = "type = ? and title glob ? and attribute = ?"
        values: list[Any] = [condition["type"], _glob(condition["title"]), condition["attribute"] or ""]
        if condition["operator"]:
            word = condition["value"].strip()
            where += " and value in (?, ?)" if condition["operator"] == "=" else " and value not in (?, ?)"
            values += [json.dumps(word.strip("'\"")), word]
        rows = self.rows(
            f"select type, title, attribute, value, list(distinct node order by node) from attributes where {where} "
            "group by all order by 1, 2, 3, 4",
            values,
        )
        return [Affected(_path(*row[:3]), tuple(row[4]), json.loads(row[3])) for row in rows]

    def drift(self, part: float = RARE) -> list[tuple[Affected, tuple[str, ...]]]:
        """Values that few of the nodes have which have the attribute, with the facts that they depend on."""
        rows = self.rows(
            "with counted as (select type, title, attribute, value, count(*) as n, "
            "min(dependency_set) as dependency_set from attributes where attribute <> '' "
            "group by type, title, attribute, value "
            "qualify n <= ? * sum(n) over (partition by type, title, attribute)), "
            "named as (select type, title, attribute, value, list(distinct node order by node) as names "
            "from attributes semi join counted using (type, title, attribute, value) group by all), "
            "facts as (select dependency_set, list(distinct name order by name) as facts "
            "from dependencies semi join counted using (dependency_set) "
            "join (select input, name from inputs where kind = 'fact') using (input) group by dependency_set) "
            "select type, title, attribute, value, names, facts from counted join named "
            "using (type, title, attribute, value) left join facts using (dependency_set) order by 1, 2, 3, 4",
            [part],
        )
        return [(Affected(_path(*row[:3]), tuple(row[4]), json.loads(row[3])), tuple(row[5] or ())) for row in rows]

    def sql(self, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The names of the columns and the rows of an answer.  Raises `UsageError` for what is no query."""
        import duckdb

        closed = _database()
        self._open(closed, "table")
        closed.execute("set enable_external_access = false")
        closed.execute("set lock_configuration = true")
        try:
            answer = closed.execute(query)
            return [column[0] for column in answer.description or ()], answer.fetchall()
        except duckdb.Error as problem:
            raise UsageError(str(problem).splitlines()[0]) from None

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The answer to a query of our own."""
        rows: list[tuple[Any, ...]] = self._database.execute(query, list(values)).fetchall()
        return rows


_SQL_TYPES = {"string": "varchar", "int32": "integer", "int64": "bigint", "bool": "boolean", "double": "double"}


def _database() -> Any:
    try:
        import duckdb
    except ModuleNotFoundError as problem:
        raise UsageError(f"{EXTRA} ({problem.name} is not installed)") from None
    return duckdb.connect(":memory:", config={"autoinstall_known_extensions": False, "threads": 2})


def _path(type_name: str, title: str, attribute: str) -> str:
    path = f"{type_name}[{title}]" if type_name else title
    return f"{path}.{attribute}" if attribute else path


def _glob(pattern: str) -> str:
    """A pattern in which `*` alone is special."""
    return "".join(f"[{mark}]" if mark in "?[" else mark for mark in pattern)


def _matching(target: Target) -> tuple[str, list[Any]]:
    """Which rows of `inputs` are an input, a part of it, or a whole that it is part of."""
    same_file = "(file = ? or file = './' || ? or suffix(file, '/' || ?))"
    name = target.name.removeprefix("./")
    if target.line is not None:
        condition = f"{same_file} and line > 0 and line <= ? and last_line >= ?"
        return condition, [name, name, name, target.line, target.line]
    if target.kind == "file":
        named = "(kind = 'file' and (name = ? or name = './' || ? or suffix(name, '/' || ?)))"
        return f"({same_file} and kind = 'hiera') or {named}", [name] * 6
    inside = "name = '' or name = ? or starts_with(name, ? || '.') or starts_with(name, ? || '[')"
    part = f"({inside} or starts_with(?, name || '.'))"
    if target.kind == "node":
        return "kind in ('node', 'trusted')", []
    return (f"kind = ? and {part}", [target.kind, name, name, name, name]) if name else ("kind = ?", [target.kind])
