"""Compile all Nix files of a directory into the cache, so that the first question about them is answered as the second.

A program is kept by its text alone (`emit.cache`), so this serves every checkout of the same files, and their copies in
a store. Each file is compiled three times: to be evaluated, with masks, and with recording on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from ...base.diagnostics import Diagnostic, ManyErrors
from ...base.execution import ExecutionContext
from ...base.host import RealHost
from ..emit.cache import ProgramCache, default_directory
from ..kernel.masks import Masks
from ..kernel.versions import Dialect, parse_dialect
from .machine import Machine

TOGETHER = 100
"""Files that a process compiles before it writes them."""


class Warmed(NamedTuple):
    """Files by what became of them."""

    compiled: int = 0
    known: int = 0
    """Those that the cache had already."""
    failed: int = 0
    """Those that are no Nix, or can not be read."""

    def plus(self, other: Warmed) -> Warmed:
        """Both."""
        return Warmed(*map(sum, zip(self, other)))


Work = Callable[[str], dict[str, Any]]
Spread = Callable[[Sequence[str], Work], Iterable[tuple[str, Mapping[str, Any]]]]
"""Has work done on items, in processes perhaps, and says what came of each."""


def warm(directory: str, version: str | None, features: Sequence[str], spread: Spread) -> Warmed:
    """Fill the cache with the programs of all files below a directory.

    Files whose process had to be ended count as failed.
    """
    dialect = parse_dialect(version, features)
    shares = {str(number): share for number, share in enumerate(batches(nix_files(directory), TOGETHER))}

    def work(number: str) -> dict[str, Any]:
        return warm_files(directory, dialect, shares[number])._asdict()

    whole = Warmed()
    for number, result in spread(list(shares), work):
        lost = Warmed(failed=len(shares[number]))
        whole = whole.plus(Warmed(**result) if "compiled" in result else lost)
    return whole


def nix_files(directory: str) -> Iterator[str]:
    """The files below a directory whose names end in `.nix`, in order; links and hidden directories are left out."""
    for folder, folders, names in os.walk(directory):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.endswith(".nix") and not os.path.islink(path):
                yield os.path.abspath(path)


def batches(paths: Iterable[str], size: int) -> Iterator[list[str]]:
    """The paths, so many at a time."""
    rest = iter(paths)
    while batch := list(islice(rest, size)):
        yield batch


def warm_files(directory: str, dialect: Dialect, paths: Sequence[str], cache: ProgramCache | None = None) -> Warmed:
    """Compile some files below a directory in every mode, and write them to the cache."""
    cache = cache or ProgramCache(default_directory())
    failed: set[str] = set()
    compiled: set[str] = set()
    for masked, traced in ((False, False), (True, False), (False, True)):
        machine = Machine(
            RealHost([directory]),
            directory=directory,
            traced=traced,
            execution=ExecutionContext(),
            dialect=dialect,
            cache=cache,
            masks=Masks() if masked else None,
            is_own=lambda path: False,
        )
        for path in paths:
            misses = cache.misses
            try:
                machine.execution.do(partial(machine.precompile, path))
            except (Diagnostic, ManyErrors):
                failed.add(path)
            if cache.misses > misses:
                compiled.add(path)
        cache.keep(machine.programs)
    compiled -= failed
    return Warmed(len(compiled), len(paths) - len(compiled) - len(failed), len(failed))
