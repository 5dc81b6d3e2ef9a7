"""Parts of a store written anew: without some nodes, or several as one; whatever they hold, in little memory.

Rows pass through in pieces of a bounded number, and a file is written piece by piece, each of which becomes a row group
that is sorted in itself. What has to be known of all rows at once are numbers of sets, eight bytes each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .arrow import compute, in_order

PIECE_ROWS = 1 << 16
"""Rows that are held at a time, and of a row group: as many as a database works on at once."""

NAMED_BY: Mapping[str, tuple[str, str, Sequence[str]]] = {
    "reads": ("reads", "nodes", ["own", "shared", "evidence"]),
    "answers": ("answer", "lookups", ["answer"]),
    "sets": ("dependency_set", "attributes", ["dependency_set"]),
    "portions": ("portion", "sets", ["portion"]),
    "bundles": ("bundle", "portions", ["bundle"]),
    "inputs": ("input", "bundles", ["input"]),
}
"""Tables whose rows are shared: the column that numbers them, and the table and columns that name them.

Who names comes before who is named."""


class Pieces:
    """A Parquet file that is written piece by piece, sorted within each by some columns."""

    def __init__(self, path: str, schema: Any, order: Sequence[str]) -> None:
        import pyarrow.parquet

        self._writer = pyarrow.parquet.ParquetWriter(path, schema, compression="zstd")
        self._order = order
        self._waiting: list[Any] = []
        self._rows = 0

    def add(self, table: Any) -> None:
        """Some more rows."""
        self._waiting.append(table)
        self._rows += table.num_rows
        if self._rows >= PIECE_ROWS:
            self._write()

    def close(self) -> None:
        """That was all."""
        self._write()
        self._writer.close()

    def _write(self) -> None:
        import pyarrow

        if self._rows:
            table = pyarrow.concat_tables(self._waiting)
            self._waiting.clear()
            self._rows = 0
            self._writer.write_table(sorted_by(table, self._order), PIECE_ROWS)


def sorted_by(table: Any, columns: Sequence[str]) -> Any:
    """A table sorted by some columns."""
    return in_order(table, columns) if columns and table.num_rows else table


def tables(path: str, columns: Sequence[str] | None = None) -> Iterator[Any]:
    """The rows of a file, in pieces."""
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(PIECE_ROWS, columns=columns, use_threads=False):
            yield pyarrow.Table.from_batches([batch])
    pyarrow.default_memory_pool().release_unused()


def rows_of(path: str, column: str, numbers: Sequence[int], others: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The rows of a file with some numbers in a column: these, and what stands in some others."""
    import pyarrow

    wanted = pyarrow.array(numbers, pyarrow.int64())
    for table in tables(path, [column, *others]):
        table = table.filter(compute().is_in(table[column], wanted))
        yield from zip(*(table[name].to_pylist() for name in (column, *others)))


def of_nodes(paths: Iterable[str], nodes: Sequence[str] | None, pieces: Pieces) -> None:
    """Write the rows of some nodes (else of all) from some files as one."""
    import pyarrow

    computing = compute()
    names = None if nodes is None else pyarrow.array(nodes, pyarrow.string())
    for path in paths:
        for table in tables(path):
            pieces.add(table if names is None else table.filter(computing.is_in(table["node"], names)))
    pieces.close()


def shared(paths: Iterable[str], column: str, named: Any, only_named: bool, pieces: Pieces) -> bool:
    """Write shared rows from some files as one: of each set, those of the first file that has it.

    Whether there are sets that are not `named`; with `only_named` these are left out. Mostly every set is in one file
    and named: that is seen at once, for all files, and then no row is looked up.
    """
    import pyarrow

    computing = compute()
    several = list(paths)
    by_file = [numbers_in([path], [column]) for path in several]
    numbers = _united(by_file)
    is_repeated = len(numbers) < sum(map(len, by_file))
    of_use = computing.is_in(numbers, named)
    is_loose = not computing.all(of_use, min_count=0).as_py()
    known = pyarrow.array([], pyarrow.int64())
    for path, own in zip(several, by_file):
        for table in tables(path):
            if is_repeated:
                table = table.filter(computing.invert(computing.is_in(table[column], known)))
            if is_loose and only_named:
                table = table.filter(computing.is_in(table[column], named))
            pieces.add(table)
        if is_repeated:
            known = _united([known, own])
    pieces.close()
    return is_loose


def numbers_in(paths: Iterable[str], columns: Sequence[str]) -> Any:
    """The numbers that stand in some columns of some files, each once."""
    return _united([table[column].unique() for path in paths for table in tables(path, columns) for column in columns])


def _united(several: Sequence[Any]) -> Any:
    """The numbers of several arrays, each once."""
    import pyarrow

    if len(several) == 1:
        return several[0]
    return compute().unique(pyarrow.concat_arrays([pyarrow.array([], pyarrow.int64()), *several]))
