"""The rows of the benchmarks, by group: what is measured, on which inputs, beside whom.

Each module has a function `rows(scratch)` that writes its inputs below the folder `scratch` and yields rows, or what
measures some where that takes more than to run processes in turn. A side that can not be run here is named with the
reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from bench.measure import Row, Special
from bench.rows import catalogs, editor, explorer, fleet, interpreters, nix, sessions, smartfrog, starting

GROUPS: dict[str, Callable[[Path], Iterator[Row | Special]]] = {
    "Start-up": starting.rows,
    "Puppet: catalogs": catalogs.rows,
    "Puppet: a fleet": fleet.rows,
    "Nix": nix.rows,
    "SmartFrog": smartfrog.rows,
    "Sessions": sessions.rows,
    "Explorer": explorer.rows,
    "Editor": editor.rows,
    "Python": interpreters.rows,
}
