"""On whose behalf the files of an environment are read.

An environment is shared by many runs and reads a file when the first of them asks for something in it. What is wrong
with the file is told to that run, and to every later one that uses it. So whoever reads must know for whom; but code
that is compiled once for all runs can not hand the run on. A `Reader` is the state of reading for one run, in force as
long as the environment serves it, in one thread of work: the environment itself holds nothing of any run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...base.diagnostics import Diagnostic
    from ..runtime.compilation import Compilation


class Reader:
    """A run (or nobody) for which an environment reads files."""

    __slots__ = ("environment", "files", "heard", "pending", "run")

    def __init__(self, environment: object, run: Compilation | None) -> None:
        self.environment = environment
        self.run = run
        self.files: list[str] = []  # being read, the innermost last
        self.heard: set[str] = set()  # files whose warnings the run has among its lines
        self.pending: set[tuple[str, str]] = set()  # what a file that is being read defines further down

    def hear(self, path: str, warnings: Sequence[Diagnostic]) -> None:
        """Tell the run what is wrong with a file, once."""
        if self.run is not None and path not in self.heard:
            self.heard.add(path)
            for warning in warnings:
                self.run.warn(warning.message, warning.span)


_READER: ContextVar[Reader | None] = ContextVar("wherefrom.puppet.reader", default=None)


def reader_of(environment: object) -> Reader | None:
    """Who reads in an environment here and now."""
    reader = _READER.get()
    return reader if reader is not None and reader.environment is environment else None


def is_pending(environment: object, what: str, name: str) -> bool:
    """Whether a file that is being read defines something further down: it is not known yet."""
    reader = _READER.get()
    if reader is None or not reader.pending or reader.environment is not environment:
        return False
    return (what, name) in reader.pending


class Serving(Reader):
    """A run that an environment serves: `with` it, the environment reads for that run; `begin` is called first."""

    __slots__ = ("_begin", "_token")

    def __init__(self, environment: object, run: Compilation, begin: Callable[[Reader], None]) -> None:
        super().__init__(environment, run)
        self._begin = begin

    def __enter__(self) -> None:
        self._token: Token[Reader | None] = _READER.set(self)
        try:
            self._begin(self)
        except BaseException:
            _READER.reset(self._token)
            raise

    def __exit__(self, *raised: object) -> None:
        _READER.reset(self._token)


@contextmanager
def reading(environment: object, path: str) -> Iterator[Reader]:
    """Inside, a file of an environment is read, for the run that is served or for nobody."""
    reader = reader_of(environment)
    token = None
    if reader is None:
        reader = Reader(environment, None)
        token = _READER.set(reader)
    reader.heard.add(path)
    reader.files.append(path)
    try:
        yield reader
    finally:
        reader.files.pop()
        if token is not None:
            _READER.reset(token)
