"""Loading what reads and writes Parquet, and no more than that.

`pyarrow` uses numpy if it is there. Nothing here needs it, and loading it would take longer than a question to a store
does. So where the process is a command of ours, and nobody else's, it is taken not to be there.

Nor does its memory grow there: columns are taken from the system and given back to it. The allocators that `pyarrow`
brings along keep what was freed, a quarter of what who writes a store has.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ..base.collector import is_ours

POOL = "ARROW_DEFAULT_MEMORY_POOL"
"""The variable that says where `pyarrow` takes memory from, which it looks at once."""


@contextmanager
def without_numpy() -> Iterator[None]:
    """Inside, in a process of ours, numpy can not be imported, if it is not yet."""
    if "numpy" in sys.modules or not is_ours():
        yield
        return
    sys.modules["numpy"] = None  # type: ignore[assignment]  # how Python says so
    try:
        yield
    finally:
        del sys.modules["numpy"]


def loaded() -> tuple[Any, Any]:
    """`pyarrow` and its Parquet; in a process of ours columns are the system's memory.

    Raises `ModuleNotFoundError`.
    """
    chosen = "pyarrow" in sys.modules or POOL in os.environ or not is_ours()
    if not chosen:
        os.environ[POOL] = "system"  # there is no other way to say it to all parts of the library
    try:
        with without_numpy():
            import pyarrow
            import pyarrow.parquet
        pyarrow.default_memory_pool()
    finally:
        if not chosen:
            del os.environ[POOL]
    return pyarrow, pyarrow.parquet


def give_back() -> None:
    """In a process of ours, from now on large pieces of memory go back to the system when they are freed.

    Otherwise the C library keeps them for the next ones once it has seen some be freed (`M_MMAP_THRESHOLD` in
    mallopt(3)), and what lies between is never given back. That is a little quicker, where nothing large is done.
    """
    if is_ours() and sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(_M_TRIM_THRESHOLD, _LARGE)


_M_TRIM_THRESHOLD = -1
_LARGE = 1 << 17
"""Bytes; the library's own measure, until it changes it. Setting either threshold keeps both from being changed."""


def in_order(table: object, columns: Sequence[str]) -> Any:
    """A table, sorted by some columns.

    `pyarrow.compute` writes a Python function for each of its own when it is loaded, which takes longer than a commit;
    what it calls them by is in a module below it.
    """
    with without_numpy():
        try:
            from pyarrow._compute import SortOptions, TakeOptions, call_function
        except ImportError:  # another version
            from pyarrow.compute import SortOptions, TakeOptions, call_function
    order = call_function("sort_indices", [table], SortOptions([(column, "ascending") for column in columns]))
    return call_function("take", [table, order], TakeOptions(boundscheck=False))


def compute() -> Any:
    """What computes with columns: filters, looks for values."""
    with without_numpy():
        import pyarrow.compute
    return pyarrow.compute
