"""Parts of a store written anew: without some nodes, or several as one; whatever they hold, in little memory.

Rows pass through in pieces of a bounded number, and a file is written piece by piece, each of which becomes a row group
that is sorted in itself. What has to be known of all rows at once are numbers of sets, eight bytes each, of the parts
that are written anew; these are not large (`store.FULL_VALUES`). What other parts name of them is asked file by file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

from .arrow import compute, in_order

PIECE_ROWS = 1 << 16
"""Rows that are held at a time, and of a row group: as many as a database works on at once."""
PIECE_NUMBERS = 1 << 20
"""Where they are nothing but numbers: others are looked for among them, which is prepared for each piece."""

NAMED_BY: Mapping[str, tuple[str, str, Sequence[str]]] = {
    "reads": ("reads", "nodes", ["own", "shared", "evidence"]),
    "answers": ("answer", "lookups", ["answer"]),
}
"""Tables whose rows are shared: the column that numbers them, and the table and columns that name them.

Rows that refer to others come before those that they refer to."""


class Pieces:
    """A Parquet file that is written piece by piece, sorted within each by some columns."""

    def __init__(self, file: IO[bytes], schema: Any, order: Sequence[str]) -> None:
        import pyarrow.parquet

        self._writer = pyarrow.parquet.ParquetWriter(file, schema, compression="zstd")
        self._order = order
        self._waiting: list[Any] = []
        self._rows = 0
        self.count = 0
        """All rows."""

    def add(self, table: Any) -> None:
        """Some more rows."""
        self._waiting.append(table)
        self._rows += table.num_rows
        self.count += table.num_rows
        if self._rows >= PIECE_ROWS:
            self._write()

    def close(self) -> None:
        """That was all."""
        self._write()
        self._writer.close()

    def abandon(self) -> None:
        """Abandon it: its file is not written to any more."""
        with suppress(OSError, ValueError):
            self._writer.close()
        self._writer.is_open = False

    def _write(self) -> None:
        import pyarrow

        if self._rows:
            table = pyarrow.concat_tables(self._waiting)
            self._waiting.clear()
            self._rows = 0
            self._writer.write_table(sorted_by(table, self._order), PIECE_ROWS)


def sorted_by(table: Any, columns: Sequence[str]) -> object:
    """A table sorted by some columns."""
    return in_order(table, columns) if columns and table.num_rows else table


def tables(path: str, columns: Sequence[str] | None = None, rows: int | None = None) -> Iterator[Any]:
    """The rows of a file, in pieces."""
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(rows or PIECE_ROWS, columns=columns, use_threads=False):
            yield pyarrow.Table.from_batches([batch])
    pyarrow.default_memory_pool().release_unused()


def only(table: Any, column: str, wanted: Iterable[Any]) -> Any:
    """The rows that have one of some values in a column."""
    import pyarrow

    values = pyarrow.array(list(wanted), table[column].type)
    return table.filter(compute().is_in(table[column], values))


def rows_of(path: str, column: str, numbers: Sequence[int], others: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The rows of a file whose value in one column is among `numbers`: that value, and those of some other columns."""
    for table in tables(path, [column, *others]):
        table = only(table, column, numbers)
        yield from zip(*(table[name].to_pylist() for name in (column, *others)))


def of_nodes(paths: Iterable[str], nodes: Sequence[str] | None, pieces: Pieces) -> None:
    """Write the rows of some nodes (else of all) from some files as one."""
    for path in paths:
        for table in tables(path):
            pieces.add(table if nodes is None else only(table, "node", nodes))
    pieces.close()


def shared(paths: Iterable[str], column: str, named: Callable[[Any], Any] | None, pieces: Pieces) -> None:
    """Write shared rows from some files as one: of each set, those of the first file that has it.

    Of sets that are not `named`, which says that of some numbers, none; unless all stay. Most sets are in one file and
    stay: those that do not are known before rows are looked at.
    """
    import pyarrow

    computing = compute()
    several = list(paths)
    by_file = [numbers_in(path, column) for path in several]
    counts = computing.value_counts(_joined(by_file))
    numbers = counts.field("values")
    repeated = numbers.filter(computing.greater(counts.field("counts"), 1))
    del counts
    leaving = pyarrow.array([], pyarrow.int64())
    if named is not None:
        leaving = numbers.filter(computing.invert(computing.is_in(numbers, named(numbers))))
    del numbers
    for path, own in zip(several, by_file):
        for table in tables(path):
            if len(leaving):
                table = table.filter(computing.invert(computing.is_in(table[column], leaving)))
            pieces.add(table)
        again = own.filter(computing.is_in(own, repeated)) if len(repeated) else repeated
        leaving = computing.unique(_joined([leaving, again])) if len(again) else leaving
    pieces.close()


def named_among(numbers: Any, paths: Iterable[str], columns: Sequence[str]) -> Any:
    """The subset of some numbers that occurs in the given columns of the given files."""
    computing = compute()
    named = numbers.slice(0, 0)
    for path in paths:
        for table in tables(path, columns, PIECE_NUMBERS):
            for column in columns:
                here = table[column].combine_chunks()
                named = computing.unique(_joined([named, here.filter(computing.is_in(here, numbers))]))
    return named


def numbers_in(path: str, column: str) -> Any:
    """The distinct numbers in a column of a file."""
    return compute().unique(_joined([table[column].unique() for table in tables(path, [column], PIECE_NUMBERS)]))


def _joined(several: Iterable[object]) -> Any:
    """The numbers of several arrays."""
    import pyarrow

    return pyarrow.concat_arrays([pyarrow.array([], pyarrow.int64()), *several])
