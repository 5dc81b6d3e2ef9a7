"""The extras of the installation: packages that only some commands need, and what is said where one is missing.

The compiler and its answers need the ordinary dependencies alone. A browser page, a store of many nodes, a cluster and
pictures need packages of their own, which `pip install 'wherefrom[EXTRA]'` adds. They are imported where they are used,
inside of `extra(NAME)`, which turns a missing package into a usage error that says what to type.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .diagnostics import UsageError

EXTRAS = {
    "web": ("the explorer's server", ("starlette", "uvicorn", "anyio", "h11")),
    "fleet": ("the store of many nodes", ("duckdb", "pyarrow")),
    "ray": ("compiling on a cluster", ("ray", "fsspec")),
    "plot": ("drawing plots", ("matplotlib", "numpy")),
    "editor": ("the language server", ("pygls", "lsprotocol", "cattrs", "attrs")),
}
"""Each extra with what needs it and the packages that it brings; `all` is every one of them."""


class MissingExtra(UsageError):
    """Something needs a package that is not installed."""

    def __init__(self, name: str, package: str) -> None:
        self.extra = name
        super().__init__(
            f"{EXTRAS[name][0]} needs the extra '{name}' ({package} is not installed): pip install 'wherefrom[{name}]'"
        )


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Imports inside are of packages that an extra brings.  Raises `MissingExtra` if one is not there."""
    try:
        yield
    except ModuleNotFoundError as problem:
        package = (problem.name or "").partition(".")[0]
        if package.startswith("wherefrom"):
            raise  # a module of ours: that is a bug
        raise MissingExtra(name, package) from None
