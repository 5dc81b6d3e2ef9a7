"""Loading what reads and writes Parquet, and no more than that.

`pyarrow` uses numpy if it is there. Nothing here needs it, and loading it would take longer than a question to a store
does. So where the process is a command of ours, and nobody else's, it is taken not to be there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..base.collector import is_ours


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


def compute() -> Any:
    """What computes with columns: sorts, filters."""
    with without_numpy():
        import pyarrow.compute
    return pyarrow.compute
