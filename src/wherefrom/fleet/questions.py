"""Questions to a store, answered by DuckDB, and by the graphs of nodes where they are about what values depend on.

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
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import repeat
from typing import Any, TypeVar

from ..base.collector import at_rest
from ..base.diagnostics import UsageError
from ..base.extras import extra
from ..base.json_bytes import json_bytes
from ..base.record import Record
from ..base.source import lines_of
from ..base.spell import nearest
from ..provenance.condensed import members
from ..provenance.impact import parse_target, same_file
from .graphs import GraphInput, OriginGraph
from .origins import OriginsFile
from .store import OF_NODES, TABLES, TRIES, Store

Answer = TypeVar("Answer")

RARE = 0.05
"""A value that so small a part of the nodes has, of those that have the attribute, is odd."""

THREADS = 2
MOST_ROWS = 20_000_000
"""Rows of `dependencies` that are made: a value of a large catalog depends on thousands of inputs."""
DEPENDENCIES = {
    "inputs": {
        "input": "int64", "kind": "string", "name": "string", "file": "string", "line": "int32", "last_line": "int32",
        "column": "int32", "absent": "bool",
    },
    "dependencies": {
        "node": "string", "type": "string", "title": "string", "attribute": "string", "input": "int64",
    },
}  # fmt: skip
"""Tables that are computed from the origin graphs when a query names them (`sql`)."""
MOST_CLOSE = 20
"""Names that are looked at for the one that was meant."""
_CONDITION = re.compile(
    r"(?P<type>[A-Z][\w:]*)\[(?P<title>.*?)\](?:\.(?P<attribute>[^\s=!]+))?\s*(?:(?P<operator>!=|=)\s*(?P<value>.*))?",
    re.DOTALL,
)


class Affected(Record):
    """An output, and the nodes on which it matches the question."""

    path: str
    nodes: tuple[str, ...]
    value: Any = None
    resource: str = ""


class Odd(Record):
    """An output with a value that few nodes have, what most have instead, and the facts that decide the odd value."""

    path: str
    nodes: tuple[str, ...]
    value: Any
    usual: object
    facts: tuple[str, ...]


def by_resource(affected: Sequence[Affected]) -> list[Affected]:
    """The resources of outputs, each with all nodes on which one of its outputs is among them."""
    nodes: dict[str, set[str]] = {}
    for row in affected:
        path = row.resource or row.path
        nodes.setdefault(path, set()).update(row.nodes)
    return [Affected(path, tuple(sorted(names))) for path, names in nodes.items()]


def _no_maker(nodes: Sequence[str]) -> None:
    """Make no graphs: only those that the store has already are used."""


class Questions:
    """A store that is asked.  `make_graphs` sees to it that some of its nodes have graphs of what values depend on."""

    def __init__(self, store: Store, make_graphs: Callable[[Sequence[str]], None] = _no_maker) -> None:
        store.existing()
        self._make_graphs = make_graphs
        self._origins = OriginsFile(store.path)
        self._database = _database(THREADS)
        self._store = store
        self._files: dict[str, list[str]] = {}
        """Of each table."""
        self._reading = store.reading()
        self._open(self._database)

    def close(self) -> None:
        """It is no longer asked: files that it would read may be deleted."""
        self._reading.close()

    def _open(self, database: object) -> list[str]:
        """Make the tables known; the files.  Raises `UsageError` where these are damaged."""
        import duckdb

        problem: Exception | None = None
        for _ in range(TRIES):
            try:
                return self._views(database)
            except duckdb.IOException as missing:  # commits came between
                problem = missing
            except duckdb.Error as damaged:
                problem = damaged
        raise self._store.damaged(lines_of(str(problem))[0])

    def _views(self, database: Any) -> list[str]:
        """The tables as views of the files of one commit."""
        named = self._files = self._store.files(*TABLES)
        for table, columns in TABLES.items():
            listed = ", ".join("'" + file.replace("'", "''") + "'" for file in named[table])
            once = "" if table in OF_NODES else "distinct"  # parts may have the same shared rows
            if listed:
                rows = f"select {once} * from read_parquet([{listed}])"
            else:
                typed = ", ".join(f'null::{_SQL_TYPES[kind]} as "{name}"' for name, kind in columns.items())
                rows = f"select {typed} where false"
            database.execute(f"create or replace view {table} as {rows}")
        return [file for files in named.values() for file in files]

    def node_count(self) -> int:
        """How many nodes the store has."""
        return int(self.rows("select count(*) from nodes")[0][0])

    def graphs(self, nodes: Sequence[str] | None = None) -> Iterator[tuple[str, list[int], Callable[[], OriginGraph]]]:
        """Some nodes (else all), with the numbers of their inputs, and what gives the graph over these."""
        if nodes is None:
            nodes = [row[0] for row in self.rows("select node from nodes where status = 'compiled' order by 1")]
        self._make_graphs(nodes)
        return self._origins.graphs(nodes)

    def inputs(self) -> dict[int, GraphInput]:
        """The inputs that values of nodes depend on, by number; those of nodes whose graphs were made."""
        return self._origins.inputs()

    def impact(self, text: str) -> list[Affected]:
        """The outputs that may change when an input does, with the nodes.  Raises `UsageError`."""
        target = parse_target(text)
        graphs = self.graphs()
        wanted = {number for number, entry in self.inputs().items() if entry.is_named_by(target)}
        affected: dict[tuple[str, str, str], list[str]] = {}
        if wanted:
            for node, numbers, graph in graphs:
                places = [place for place, number in enumerate(numbers) if number in wanted]
                for output in graph().reached(places) if places else ():
                    affected.setdefault(output[:3], []).append(node)
        return [
            Affected(path_of_output(*name), tuple(sorted(nodes)), None, path_of_output(*name[:2], ""))
            for name, nodes in sorted(affected.items())
        ]

    def nearest_input(self, text: str) -> str | None:
        """What was perhaps meant by an input that the store does not have: a name, or a file, that it has."""
        target = parse_target(text)
        inputs = self.inputs().values()
        if target.line is None:
            if any(entry.is_named_by(target) for entry in inputs):
                return None
            name = nearest(target.name, sorted({entry.name for entry in inputs if entry.kind == target.kind}))
            return name and f"{target.kind}:{name}"
        if any(same_file(entry.file, target.name) for entry in inputs):
            return None
        depth = target.name.count("/") + 1  # the end of a path is enough to name it
        name = nearest(
            target.name, sorted({"/".join(entry.file.split("/")[-depth:]) for entry in inputs if entry.file})
        )
        return name and f"{name}:{target.line}"

    def last_line(self, text: str) -> tuple[str, int] | None:
        """Of a line that is behind all of its file that anything depends on: the file, and the last line of these."""
        target = parse_target(text)
        if target.line is None:
            return None
        known = [
            (entry.last_line, entry.file) for entry in self.inputs().values() if same_file(entry.file, target.name)
        ]
        line, file = max(known, default=(0, ""))
        return (file, line) if file and line < target.line else None

    def nearest_condition(self, text: str) -> str | None:
        """What was perhaps meant by a condition whose type, title or attribute no node has."""
        condition = _condition(text)
        asked: list[str] = [condition["type"], condition["title"], condition["attribute"] or ""]
        where: list[str] = ["true"]
        values: list[object] = []
        for number, (column, test) in enumerate((("type", "="), ("title", "glob"), ("attribute", "="))):
            wanted = _glob(asked[number]) if test == "glob" else asked[number]
            known = f"from attributes where {' and '.join(where)}"
            where.append(f"{column} {test} ?")
            if not self.rows(f"select 1 {known} and {where[-1]} limit 1", [*values, wanted]):
                name = self._nearest(asked[number], f"select {column} as name {known}", values)
                asked[number] = name or ""
                return name and path_of_output(asked[0], asked[1], asked[2])
            values.append(wanted)
        return None

    def _nearest(self, word: str, known: str, values: Sequence[object]) -> str | None:
        """The nearest of the names that a query gives; they may be many."""
        close = f"select name from ({known}) group by name order by levenshtein(name, ?), name limit {MOST_CLOSE}"
        return nearest(word, [row[0] for row in self.rows(close, [*values, word])])

    def find(self, text: str) -> list[Affected]:
        """Outputs by type, title, attribute and value: `File[/etc/ssh/*].mode != 0600`.  Raises `UsageError`."""
        condition = _condition(text)
        where = "type = ? and title glob ? and attribute = ?"
        values: list[object] = [condition["type"], _glob(condition["title"]), condition["attribute"] or ""]
        if condition["operator"]:
            word = condition["value"].strip()
            where += " and value in (?, ?)" if condition["operator"] == "=" else " and value not in (?, ?)"
            values += [json_bytes(word.strip("'\"")).decode("utf-8", "replace"), word]
        rows = self.rows(
            f"select type, title, attribute, value, list(distinct node order by node) from attributes where {where} "
            "group by all order by 1, 2, 3, 4",
            values,
        )
        return [Affected(path_of_output(*row[:3]), tuple(row[4]), json.loads(row[3])) for row in rows]

    def drift(self, part: float = RARE) -> list[Odd]:
        """Values that few of the nodes have which have the attribute, where most have values that are not so rare."""
        query = (
            "with counted as materialized (select type, title, attribute, value, count(*) as n "
            "from attributes where attribute <> '' group by 1, 2, 3, 4), "
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
            "select type, title, attribute, value, names, usual from odd join named "
            "using (type, title, attribute, value) order by 1, 2, 3, 4"
        )
        with at_rest():
            rows = self.rows(query, [part])
            facts = self._facts({(row[4][0], *row[:3]) for row in rows})
            known = {text: json.loads(text) for row in rows for text in (row[3], row[5])}
            return [
                Odd(
                    path_of_output(*row[:3]),
                    tuple(row[4]),
                    known[row[3]],
                    known[row[5]],
                    facts.get((row[4][0], *row[:3]), ()),
                )
                for row in rows
            ]

    def _facts(self, asked: set[tuple[str, str, str, str]]) -> dict[tuple[str, str, str, str], tuple[str, ...]]:
        """The facts that some values depend on, each of a node, by type, title and attribute."""
        matching: dict[tuple[str, str, str, str], tuple[str, ...]] = {}
        graphs = self.graphs(sorted({node for node, *_ in asked}))
        names = {number: entry.name for number, entry in self.inputs().items() if entry.kind == "fact"}
        for node, numbers, graph in graphs:
            places = [place for place, number in enumerate(numbers) if number in names]
            whole = graph()
            sets = whole.sets(places)
            for output in whole.outputs:
                if (node, *output[:3]) in asked:
                    several = {names[numbers[places[place]]] for place in members(sets[output.node])}
                    matching[node, *output[:3]] = tuple(sorted(several))
        return matching

    def _dependencies(self, query: str, patterns: str, database: Any) -> None:
        """Make the tables of what values depend on, if a query names one of them.  Raises `UsageError` for too many."""
        import pyarrow

        asked = [table for table in DEPENDENCIES if re.search(rf"\b{table}\b", query, re.IGNORECASE)]
        if not asked:
            return
        known = [row[0] for row in self.rows("select node from nodes where status = 'compiled' order by 1")]
        wanted = [pattern.strip() for pattern in patterns.split(",")] if patterns else ["*"]
        nodes = [node for node in known if any(fnmatchcase(node, pattern) for pattern in wanted)]
        used = {number for _, numbers, _ in self.graphs(nodes) for number in numbers}
        inputs = sorted((entry, number) for number, entry in self.inputs().items() if number in used)
        # By content: those of the file say which node was asked about first.
        numbered_by = {number: place for place, (_, number) in enumerate(inputs, 1)}
        rows = [
            (place, *entry[:4], entry.last_line, entry.column, entry.absent)
            for place, (entry, _) in enumerate(inputs, 1)
        ]
        columns: dict[str, list[list[Any]]] = {
            "inputs": [list(column) for column in zip(*rows)],
            "dependencies": [[] for _ in DEPENDENCIES["dependencies"]],
        }
        *named, numbered = columns["dependencies"]
        for node, numbers, graph in self.graphs(nodes) if "dependencies" in asked else ():
            whole = graph()
            sets = whole.sets(range(whole.inputs))
            for output in whole.outputs:
                several = sorted(numbered_by[numbers[place]] for place in members(sets[output.node]))
                numbered += several
                for column, value in zip(named, (node, *output[:3])):
                    column += repeat(value, len(several))
            if len(numbered) > MOST_ROWS:
                raise UsageError(f"dependencies have more than {MOST_ROWS:,} rows: name some nodes with --nodes")
        for table in asked:
            kinds = DEPENDENCIES[table]
            held = columns[table] or [[] for _ in kinds]
            arrays = {
                name: pyarrow.array(column, pyarrow.type_for_alias(kind))
                for (name, kind), column in zip(kinds.items(), held)
            }
            database.register("made", pyarrow.table(arrays))
            database.execute(f"create table {table} as from made")
            database.unregister("made")

    def sql(self, query: str, nodes: str = "") -> tuple[list[str], list[tuple[Any, ...]]]:
        """The names of the columns and the rows of an answer.  Raises `UsageError` for what is no query.

        What values depend on is reported for the nodes that match the patterns in `nodes`, else of all.
        """
        import duckdb

        closed = _database(threads=1)
        self._dependencies(query, nodes, closed)
        closed.execute("set allowed_paths = ?", [self._open(closed)])
        self._tried(lambda: self._check(query))
        closed.execute("set enable_external_access = false")
        closed.execute("set lock_configuration = true")
        try:
            statements = duckdb.extract_statements(query)
            if not statements or any(statement.type != duckdb.StatementType.SELECT for statement in statements):
                raise UsageError(f"expected a query (select ...), found {query!r}")
            is_open = _leaves_the_order_open(closed, query)
            answer = closed.execute(query)
            columns, rows = [column[0] for column in answer.description or ()], answer.fetchall()
            return columns, sorted(rows, key=_rank) if is_open else rows
        except duckdb.Error as problem:
            is_unknown = isinstance(problem, duckdb.CatalogException) and "Table with name" in str(problem)
            hint = f" (the tables are {', '.join((*TABLES, *DEPENDENCIES))})" if is_unknown else ""
            raise UsageError(lines_of(str(problem))[0] + hint) from None

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The answer to a query of our own."""

        def answer() -> list[tuple[Any, ...]]:
            self._check(query)
            selected: list[tuple[Any, ...]] = self._database.execute(query, list(values)).fetchall()
            return selected

        return self._tried(answer)

    def _check(self, query: str) -> None:
        """Raise `UsageError` if files of the tables that a query names are not what was written."""
        for table in TABLES:
            if re.search(rf"\b{table}\b", query, re.IGNORECASE):
                self._store.check(self._files[table])

    def _tried(self, answer: Callable[[], Answer]) -> Answer:
        """An answer, all of one commit."""
        import duckdb

        for _ in range(TRIES):
            try:
                return answer()
            except (duckdb.Error, OSError) as failure:
                problem: Exception = failure
                self._open(self._database)  # commits came between; what counts now is there
        raise self._store.damaged(lines_of(str(problem))[0])


_SQL_TYPES = {"string": "varchar", "int32": "integer", "int64": "bigint", "bool": "boolean", "double": "double"}


def _leaves_the_order_open(database: Any, query: str) -> bool:
    """Whether nothing in a query says how rows are ordered, or depends on how they are."""
    written = database.execute("select json_serialize_sql(?)", [query]).fetchone()[0]
    return not json.loads(written)["error"] and not any(f'"{word}"' in written for word in _ORDERING)


_ORDERING = ("ORDER_MODIFIER", "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "SHOW_REF")


def _rank(row: tuple[object, ...]) -> list[tuple[bool, bool, Any]]:
    """Where a row comes among others: numbers by size, whatever else by its words, nothing last."""
    return [
        (value is None, not isinstance(value, int | float), value if isinstance(value, int | float) else str(value))
        for value in row
    ]


def _database(threads: int) -> Any:
    with extra("fleet"):
        import duckdb
    database = duckdb.connect(":memory:", config={"autoinstall_known_extensions": False, "threads": threads})
    database.execute("set enable_progress_bar = false")  # it would be printed among the answer
    return database


def path_of_output(type_name: str, title: str, attribute: str) -> str:
    """The path of an output, as other commands name it."""
    path = f"{type_name}[{title}]" if type_name else title
    return f"{path}.{attribute}" if attribute else path


def _condition(text: str) -> re.Match[str]:
    """The parts of a condition.  Raises `UsageError`."""
    condition = _CONDITION.fullmatch(text.strip())
    if condition is None or (condition["operator"] and not condition["attribute"]):
        capital = text.strip()[:1].upper() + text.strip()[1:]
        hint = f"; did you mean {capital}?" if capital != text.strip() and _CONDITION.fullmatch(capital) else ""
        expected = "expected TYPE[TITLE], TYPE[TITLE].ATTRIBUTE, or that with = VALUE or != VALUE"
        raise UsageError(f"{text!r} is not a condition: {expected}{hint}")
    return condition


def _glob(pattern: str) -> str:
    """A pattern in which `*` alone is special."""
    return "".join(f"[{mark}]" if mark in "?[" else mark for mark in pattern)
