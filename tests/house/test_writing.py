"""One door for writing: nothing but `base/folder.py` and `base/writing.py` makes, changes or removes a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src/wherefrom"

DOORS = ("base/folder.py", "base/writing.py")
"""The modules that write."""

OF_OS = frozenset(
    "open remove unlink rename renames replace link symlink mkdir makedirs rmdir removedirs mkfifo mknod truncate "
    "chmod chown utime lchmod lchown".split()
)
MODULES = frozenset("tempfile shutil".split())
"""Modules that can do the same; who needs what they do asks a door."""
OF_LIBRARIES = frozenset(
    "write_text mkdir symlink_to hardlink_to write_table ParquetWriter extractall pipe_file sqlite3.connect "
    "duckdb.connect".split()
)
"""Calls by which a library writes files."""

ALLOWED = {
    ("base/opened.py", "os.open"): "opens to look and to read",
    ("base/budget.py", "open"): "reads what the kernel says of this process",
    ("base/contained.py", "open"): "the same",
    ("base/landlock.py", "os.open"): "holds the directories that the kernel is told of, without opening what is there",
    ("cli/process.py", "os.open"): "the null device, in place of a standard stream that is closed",
    ("cli/streams.py", "os.open"): "the same",
    ("fleet/cluster.py", "open"): "reads files that are sent to other hosts",
    ("fleet/cluster.py", "extractall"): "our own archive, into a new directory that the door made",
    ("fleet/cluster.py", "write_table"): "into memory",
    ("fleet/cluster.py", "pipe_file"): "a place that the user names, perhaps on another host, by Arrow's file systems",
    ("puppet/rubyhost/process.py", "shutil"): "asks where the machine's ruby is",
    ("fleet/store.py", "write_table"): "into a file that the door opened",
    ("fleet/merging.py", "ParquetWriter"): "the same",
    ("fleet/merging.py", "write_table"): "the same",
    ("fleet/place.py", "sqlite3.connect"): "a file that the door has looked at; SQLite follows no link itself",
    ("fleet/questions.py", "duckdb.connect"): "in memory",
    ("fleet/exports.py", "sqlite3.connect"): "in memory: what it holds is put in place through the door",
    ("fleet/origins.py", "sqlite3.connect"): "the same",
}
"""Who may call what, and why."""


NAMED = re.compile("|".join(map(re.escape, sorted({"open(", "os.", "from os ", *OF_LIBRARIES, *MODULES}))))
"""A text without any of these calls nothing of the kind; to search it is quicker than to parse it."""


def dotted(node: ast.expr) -> str:
    """The name that is called, as far as it is written as one."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def writing(text: str) -> Iterator[str]:
    """What a module calls or imports that could write."""
    if not NAMED.search(text):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = dotted(node.func)
            if name == "open" or (name.startswith("os.") and name[3:] in OF_OS):
                yield name
            for known in OF_LIBRARIES:
                if name == known or ("." not in known and name.endswith(f".{known}")):
                    yield known
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            if node.module in MODULES:
                yield str(node.module)
            if node.module == "os":
                yield from (f"os.{alias.name}" for alias in node.names if alias.name in OF_OS)


@cache
def calls() -> set[tuple[str, str]]:
    """Every such call, by module."""
    return {
        (str(path.relative_to(SOURCE)), what)
        for path in SOURCE.rglob("*.py")
        if str(path.relative_to(SOURCE)) not in DOORS
        for what in writing(path.read_text())
    }


def test_one_door_for_writing() -> None:
    """Nobody else writes, renames or removes."""
    assert sorted(calls() - ALLOWED.keys()) == []


def test_what_is_allowed_is_there() -> None:
    """No exception outlives its reason."""
    assert sorted(ALLOWED.keys() - calls()) == []


@pytest.mark.parametrize(
    "text",
    [
        "open(name, 'w')", "import os\nos.open(name, 1)", "os.unlink(x)", "import tempfile",
        "from os import unlink", "path.write_text('')", "pq.write_table(a, b)", "def f():\n    import shutil",
    ],
)  # fmt: skip
def test_writing_is_found(text: str) -> None:
    """The test can fail."""
    assert list(writing(text))
