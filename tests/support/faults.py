"""Commands whose disk fails at one of their writes, whoever makes it: Python, SQLite, or the library of columns.

`faults.c` stands before the calls of the C library that write (`LD_PRELOAD`); it is compiled where a compiler is. This
file, run as a program within it, reads all modules once, and then an order on each line of standard input (a document:
directory, variables, arguments, and which write fails how). Each is done in a process that splits off; the answer is
its status, what it said on standard error, and which call failed, if it came to that.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import importlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

HERE = Path(__file__).resolve()


@dataclass(frozen=True)
class Done:
    """How a command ended, what it said, and the call that failed; none, if it made fewer."""

    status: int
    said: str
    failed: str


class Faulty:
    """The program that waits for orders."""

    def __init__(self, folder: Path) -> None:
        library = folder / "faults.so"
        compiler = shutil.which("cc")
        assert compiler is not None
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, HERE.with_name("faults.c"), "-ldl"], check=True)
        environ = {**os.environ, "LD_PRELOAD": str(library), "FAULTS": str(library)}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen([sys.executable, HERE], env=environ, stdin=pipe, stdout=pipe, text=True)

    def run(self, folder: Path, words: list[str], at: int = 0, problem: int = errno.ENOSPC, **environ: str) -> Done:
        """A command in a directory, whose `at`th write fails; a disk that is full stays so."""
        assert self._process.stdin is not None and self._process.stdout is not None
        order = {"folder": str(folder), "words": words, "at": at, "problem": problem, "environ": environ}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return Done(**json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        """No more orders."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def is_possible() -> bool:
    """Whether there is a compiler, and a system that reads `LD_PRELOAD`."""
    return sys.platform == "linux" and shutil.which("cc") is not None


class _Faults(ctypes.Structure):
    """What `faults.c` calls so."""

    _fields_: ClassVar = [
        ("at", ctypes.c_long), ("error", ctypes.c_long), ("full", ctypes.c_long), ("hit", ctypes.c_long),
        ("where", ctypes.c_char * 64),
    ]  # fmt: skip


def _serve() -> None:
    sys.path.insert(0, str(HERE.parents[1]))
    from support.warm import read_everything

    del os.environ["LD_PRELOAD"]  # programs that are started are not meant
    read_everything()
    for name in ("pyarrow.parquet", "duckdb"):
        importlib.import_module(name)
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        answer, telling = os.pipe()
        child = os.fork()
        if not child:
            try:
                os._exit(_obey(order, telling))
            except BaseException as problem:
                os.write(telling, f"\0{problem!r}".encode())
                os._exit(3)
        os.close(telling)
        with open(answer, encoding="utf-8", errors="replace") as told:
            said = told.read()
        _, ended = os.waitpid(child, 0)
        failed, _, said = said.partition("\0")
        print(json.dumps({"status": os.waitstatus_to_exitcode(ended), "said": said, "failed": failed}), flush=True)


def _obey(order: dict[str, Any], telling: int) -> int:
    from wherefrom.base.collector import own_process
    from wherefrom.cli.main import status_of

    library = ctypes.CDLL(os.environ["FAULTS"])
    reading, said = os.pipe()
    os.set_blocking(said, False)
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    os.dup2(said, 2)
    os.chdir(order["folder"])
    os.environ.update(order["environ"])
    own_process()
    faults = ctypes.POINTER(_Faults).in_dll(library, "faults")[0]
    faults.where, faults.hit = b"", 0
    faults.error, faults.full, faults.at = order["problem"], order["problem"] == errno.ENOSPC, order["at"]
    status = status_of(order["words"])
    sys.stderr.flush()
    where = faults.where
    faults.at = faults.full = 0
    os.write(said, b"\n")  # that there is something to be read
    words = os.read(reading, 1 << 16)
    os.write(telling, where + b"\0" + words.replace(b"\0", b""))
    return status


if __name__ == "__main__":
    _serve()
    os._exit(0)  # what was loaded has a lot to say when it is taken apart
