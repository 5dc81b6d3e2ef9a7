"""Where a store lies: the names of its files.  Nothing else in its directory is ever written or removed."""

from __future__ import annotations

import os
import re
import sqlite3

from ..base.diagnostics import UsageError
from ..base.folder import Folder

CURRENT = "current.json"
KEY = "key"
LOCK = "lock"
READERS = "readers"
RUNS = "runs"
REQUEST = "request.json"
EXPORTS = "exports.sqlite"
ORIGINS = "origins.sqlite"
DATABASES = tuple(f"{name}{end}" for name in (EXPORTS, ORIGINS) for end in ("", "-journal"))
LASTING = (CURRENT, KEY, LOCK, READERS, RUNS, REQUEST, *DATABASES)
"""Files that stay, whichever generation counts."""

_OURS = re.compile(rf"{'|'.join(map(re.escape, LASTING))}|[a-z]+-\d{{6,}}-[0-9a-f]{{8}}\.parquet")


def place_of(path: str) -> Folder:
    """The folder of the store at `path`."""
    return Folder(path, _OURS)


def database(path: str) -> sqlite3.Connection:
    """A database of a store, by the path of its file."""
    folder, name = os.path.split(path)
    for part in (name, f"{name}-journal"):  # SQLite opens both by their names
        place_of(folder).check(part)
    return sqlite3.connect(path, timeout=60.0, isolation_level=None)


class NotUsable(UsageError):
    """A store, or a file of it, that another version wrote or that was damaged: `problem` says which."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"{problem}: run `wherefrom fleet compile` to rebuild it")
        self.problem = problem
