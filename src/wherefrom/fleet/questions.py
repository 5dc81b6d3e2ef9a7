"""Questions to a store, answered by DuckDB.

All is asked of the Parquet files as they lie there, those of one commit, which are not deleted meanwhile. What somebody
else asks (`sql`) is asked in a database of its own, which can open these files and nothing else, no connection either,
and whose settings are locked. Of all statements it takes those that only read: whatever the words are, they see the
store's rows, and write nothing.

The same question has the same answer, to the byte, whatever threads are about and in whatever order nodes came into the
store: our own queries order what they tell, and break ties. What somebody else asks is worked out by one thread, and
where the words leave the order open, rows are sorted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..base.collector import at_rest
from ..base.diagnostics import UsageError
from ..base.record import Record
from ..base.spell import nearest
from ..provenance.impact import Target, parse_target
from .store import EXTRA, OF_NODES, TABLES, TRIES, Store

Answer = TypeVar("Answer")

RARE = 0.05
"""A value that so small a part of the nodes has, of those that have the attribute, is odd."""

THREADS = 2
DEPENDENCIES = ("sets", "portions", "bundles")
"""The tables that the view `dependencies` is made of: which sets have which inputs."""
MOST_CLOSE = 20
"""Names that are looked at for the one that was meant."""
SAME_FILE = "(file = ? or file = './' || ? or suffix(file, '/' || ?))"
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


class Odd(Record):
    """An output with a value that few nodes have, what most have instead, and the facts that the odd value hangs on."""

    path: str
    nodes: tuple[str, ...]
    value: Any
    usual: Any
    facts: tuple[str, ...]


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
        self._database = _database(THREADS)
        self._store = store
        self._reading = store.reading()
        self._open(self._database)

    def close(self) -> None:
        """It is no longer asked: files that it would read may be deleted."""
        self._reading.close()

    def _open(self, database: Any, counted: bool = False) -> list[str]:
        """Make the tables known; the files.  `counted`: rows may be.  Raises `UsageError` where these are damaged."""
        import duckdb

        problem: Exception | None = None
        for _ in range(TRIES):
            try:
                return self._views(database, counted)
            except duckdb.IOException as missing:  # commits came between
                problem = missing
            except duckdb.InvalidInputException as damaged:
                problem = damaged
        raise self._store.damaged(str(problem).splitlines()[0])

    def _views(self, database: Any, counted: bool) -> list[str]:
        """The tables as views of the files of one commit."""
        named = self._store.files(*TABLES)
        for table, columns in TABLES.items():
            listed = ", ".join("'" + file.replace("'", "''") + "'" for file in named[table])
            # Parts may have the same shared rows; whether a set has an input is the same, however often it is said.
            once = "" if table in OF_NODES or (table in DEPENDENCIES and not counted) else "distinct"
            if listed:
                rows = f"select {once} * from read_parquet([{listed}])"
            else:
                typed = ", ".join(f'null::{_SQL_TYPES[kind]} as "{name}"' for name, kind in columns.items())
                rows = f"select {typed} where false"
            database.execute(f"create or replace view {table} as {rows}")
        once = "distinct" if counted else ""
        database.execute(
            "create or replace view dependencies as "
            f"select {once} dependency_set, input from sets join portions using (portion) join bundles using (bundle)"
        )
        return [file for files in named.values() for file in files]

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
            "(select dependency_set from sets where portion in (select portion from portions where bundle in "
            f"(select bundle from bundles semi join (select input from inputs where {condition}) using (input)))) "
            "group by all order by 1, 2, 3",
            values,
        )
        return [Affected(_path(*row[:3]), tuple(row[3]), None, _path(row[0], row[1], "")) for row in rows]

    def nearest_input(self, text: str) -> str | None:
        """What was perhaps meant by an input that the store does not have: a name, or a file, that it has."""
        target = parse_target(text)
        is_place = target.line is not None
        condition, values = (SAME_FILE, [target.name.removeprefix("./")] * 3) if is_place else _matching(target)
        if self.rows(f"select 1 from inputs where {condition} limit 1", values):
            return None
        if is_place:
            depth = target.name.count("/") + 1  # the end of a path is enough to name it
            ends = f"select array_to_string(string_split(file, '/')[-{depth}:], '/') as name from inputs"
            name = self._nearest(target.name, ends, [])
            return name and f"{name}:{target.line}"
        name = self._nearest(target.name, "select name from inputs where kind = ?", [target.kind])
        return name and f"{target.kind}:{name}"

    def last_line(self, text: str) -> tuple[str, int] | None:
        """Of a line that is behind all of its file that anything depends on: the file, and the last line of these."""
        target = parse_target(text)
        if target.line is None:
            return None
        values = [target.name.removeprefix("./")] * 3
        rows = self.rows(f"select file, max(last_line) from inputs where {SAME_FILE} group by 1 order by 2, 1", values)
        return (rows[-1][0], rows[-1][1]) if rows and rows[-1][1] < target.line else None

    def nearest_condition(self, text: str) -> str | None:
        """What was perhaps meant by a condition whose type, title or attribute no node has."""
        condition = _condition(text)
        asked: list[str] = [condition["type"], condition["title"], condition["attribute"] or ""]
        where: list[str] = ["true"]
        values: list[Any] = []
        for number, (column, test) in enumerate((("type", "="), ("title", "glob"), ("attribute", "="))):
            wanted = _glob(asked[number]) if test == "glob" else asked[number]
            known = f"from attributes where {' and '.join(where)}"
            where.append(f"{column} {test} ?")
            if not self.rows(f"select 1 {known} and {where[-1]} limit 1", [*values, wanted]):
                name = self._nearest(asked[number], f"select {column} as name {known}", values)
                asked[number] = name or ""
                return name and _path(asked[0], asked[1], asked[2])
            values.append(wanted)
        return None

    def _nearest(self, word: str, known: str, values: Sequence[Any]) -> str | None:
        """The nearest of the names that a query gives; they may be many."""
        close = f"select name from ({known}) group by name order by levenshtein(name, ?), name limit {MOST_CLOSE}"
        return nearest(word, [row[0] for row in self.rows(close, [*values, word])])

    def find(self, text: str) -> list[Affected]:
        """Outputs by type, title, attribute and value: `File[/etc/ssh/*].mode != 0600`.  Raises `UsageError`."""
        condition = _condition(text)
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

    def drift(self, part: float = RARE) -> list[Odd]:
        """Values that few of the nodes have which have the attribute, where most have values that are not so rare."""
        query = (
            "with counted as materialized (select type, title, attribute, value, count(*) as n, "
            "min(dependency_set) as dependency_set from attributes where attribute <> '' group by 1, 2, 3, 4), "
            "totals as (select type, title, attribute, sum(n) as total, max(n) as most from counted "
            "group by 1, 2, 3 having count(*) > 1), "
            "rare as materialized (select counted.*, total, most from counted join totals "
            "using (type, title, attribute) where n <= ? * total), "
            "judged as materialized (select type, title, attribute, any_value(most) as n from rare group by 1, 2, 3 "
            "having 2 * sum(n) < any_value(total)), "
            "common as (select type, title, attribute, min(value) as usual from counted "
            "semi join judged using (type, title, attribute, n) group by 1, 2, 3), "
            "odd as materialized (select * from rare join common using (type, title, attribute)), "
            "named as (select type, title, attribute, value, list(node order by node) as names "
            "from attributes semi join odd using (type, title, attribute, value) group by all) "
            "select type, title, attribute, value, names, usual, dependency_set from odd join named "
            "using (type, title, attribute, value) order by 1, 2, 3, 4"
        )
        with at_rest():
            rows, facts = self._tried(lambda: self._with_facts(query, part))
            known = {text: json.loads(text) for row in rows for text in (row[3], row[5])}
            return [
                Odd(_path(*row[:3]), tuple(row[4]), known[row[3]], known[row[5]], facts.get(row[6], ())) for row in rows
            ]

    def _with_facts(self, query: str, part: float) -> tuple[list[tuple[Any, ...]], dict[int, tuple[str, ...]]]:
        """The odd values, and by their sets the facts that they depend on.

        There may be very many of both. So a fact is a number, its place among their names; which of them a portion has
        comes as one text, since the database hands over lists one by one; and each pair of portions is looked at once.
        """
        ask = self._database.execute
        ask(f"create or replace temp table odd as {query}", [part])
        try:
            rows: list[tuple[Any, ...]] = ask("select * from odd order by 1, 2, 3, 4").fetchall()
            names = [
                row[0] for row in ask("select distinct name from inputs where kind = 'fact' order by 1").fetchall()
            ]
            ask(
                "create or replace temp table telling as with ranked as (select name, "
                "row_number() over (order by name) - 1 as rank from (select distinct name from inputs "
                "where kind = 'fact')), "
                "hanging as materialized (select distinct bundle, rank from bundles "
                "join (select input, rank from inputs join ranked using (name) where kind = 'fact') using (input)) "
                "select portion, to_json(list(distinct rank order by rank))::varchar as ranks from portions "
                "semi join (select portion from sets semi join odd using (dependency_set)) using (portion) "
                "join hanging using (bundle) group by portion"
            )
            ranks = {portion: json.loads(text) for portion, text in ask("from telling").fetchall()}
            sets = ask(
                "select dependency_set, list(distinct portion order by portion) from sets "
                "semi join odd using (dependency_set) semi join telling using (portion) group by 1"
            ).fetchall()
        finally:
            ask("drop table if exists odd")
            ask("drop table if exists telling")
        facts: dict[int, tuple[str, ...]] = {}
        alike: dict[tuple[int, ...], tuple[str, ...]] = {}
        for number, portions in sets:
            key = tuple(portions)
            if key not in alike:
                several = sorted(set[int]().union(*map(ranks.__getitem__, key)))
                alike[key] = tuple(map(names.__getitem__, several))
            facts[number] = alike[key]
        return rows, facts

    def sql(self, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The names of the columns and the rows of an answer.  Raises `UsageError` for what is no query."""
        import duckdb

        closed = _database(threads=1)
        closed.execute("set allowed_paths = ?", [self._open(closed, counted=True)])
        closed.execute("set enable_external_access = false")
        closed.execute("set lock_configuration = true")
        try:
            statements = duckdb.extract_statements(query)
            if not statements or any(statement.type != duckdb.StatementType.SELECT for statement in statements):
                raise UsageError(f"expected a question (select ...), found {query!r}")
            is_open = _leaves_the_order_open(closed, query)
            answer = closed.execute(query)
            columns, rows = [column[0] for column in answer.description or ()], answer.fetchall()
            return columns, sorted(rows, key=_rank) if is_open else rows
        except duckdb.Error as problem:
            is_unknown = isinstance(problem, duckdb.CatalogException) and "Table with name" in str(problem)
            hint = f" (the tables are {', '.join(TABLES)}; a view: dependencies)" if is_unknown else ""
            raise UsageError(str(problem).splitlines()[0] + hint) from None

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The answer to a query of our own."""
        return self._tried(lambda: self._database.execute(query, list(values)).fetchall())

    def _tried(self, answer: Callable[[], Answer]) -> Answer:
        """An answer, all of one commit."""
        import duckdb

        for _ in range(TRIES):
            try:
                return answer()
            except (duckdb.IOException, duckdb.InvalidInputException) as failure:
                problem = failure
                self._open(self._database)  # commits came between; what counts now is there
        raise self._store.damaged(str(problem).splitlines()[0])


_SQL_TYPES = {"string": "varchar", "int32": "integer", "int64": "bigint", "bool": "boolean", "double": "double"}


def _leaves_the_order_open(database: Any, query: str) -> bool:
    """Whether nothing in a query says how rows are ordered, or hangs on how they are."""
    written = database.execute("select json_serialize_sql(?)", [query]).fetchone()[0]
    return not json.loads(written)["error"] and not any(f'"{word}"' in written for word in _ORDERING)


_ORDERING = ("ORDER_MODIFIER", "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "SHOW_REF")


def _rank(row: tuple[Any, ...]) -> list[tuple[bool, bool, Any]]:
    """Where a row comes among others: numbers by size, whatever else by its words, nothing last."""
    return [
        (value is None, not isinstance(value, int | float), value if isinstance(value, int | float) else str(value))
        for value in row
    ]


def _database(threads: int) -> Any:
    try:
        import duckdb
    except ModuleNotFoundError as problem:
        raise UsageError(f"{EXTRA} ({problem.name} is not installed)") from None
    database = duckdb.connect(":memory:", config={"autoinstall_known_extensions": False, "threads": threads})
    database.execute("set enable_progress_bar = false")  # it would be printed among the answer
    return database


def _path(type_name: str, title: str, attribute: str) -> str:
    path = f"{type_name}[{title}]" if type_name else title
    return f"{path}.{attribute}" if attribute else path


def _condition(text: str) -> re.Match[str]:
    """The parts of a condition.  Raises `UsageError`."""
    condition = _CONDITION.fullmatch(text.strip())
    if condition is None or (condition["operator"] and not condition["attribute"]):
        capital = text.strip()[:1].upper() + text.strip()[1:]
        hint = f"; did you mean {capital}?" if capital != text.strip() and _CONDITION.fullmatch(capital) else ""
        expected = "expected TYPE[TITLE], TYPE[TITLE].ATTRIBUTE, or that with = VALUE or != VALUE"
        raise UsageError(f"{text!r} is no condition: {expected}{hint}")
    return condition


def _glob(pattern: str) -> str:
    """A pattern in which `*` alone is special."""
    return "".join(f"[{mark}]" if mark in "?[" else mark for mark in pattern)


def _matching(target: Target) -> tuple[str, list[Any]]:
    """Which rows of `inputs` are an input, a part of it, or a whole that it is part of."""
    name = target.name.removeprefix("./")
    if target.line is not None:
        condition = f"{SAME_FILE} and line > 0 and line <= ? and last_line >= ?"
        return condition, [name, name, name, target.line, target.line]
    if target.kind == "file":
        named = "(kind = 'file' and (name = ? or name = './' || ? or suffix(name, '/' || ?)))"
        return f"({SAME_FILE} and kind = 'hiera') or {named}", [name] * 6
    inside = "name = '' or name = ? or starts_with(name, ? || '.') or starts_with(name, ? || '[')"
    part = f"({inside} or starts_with(?, name || '.'))"
    if target.kind == "node":
        return "kind in ('node', 'trusted')", []
    return (f"kind = ? and {part}", [target.kind, name, name, name, name]) if name else ("kind = ?", [target.kind])
