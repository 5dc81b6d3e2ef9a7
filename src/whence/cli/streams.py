"""Standard output and error as the commands see them: texts are made visible, and trouble is told in one line.

While a command runs, `sys.stdout` and `sys.stderr` are `Stream`s. Whatever is written to them as text, by us, by click
or by `print`, passes `made_visible`; colours are written by `whence.base.render`, which has made its pieces visible
before. JSON goes out as the bytes it is, whatever the locale.

A closed or full standard output is `CannotWrite`, which the command turns into one line and status 1. A closed or full
standard error is no reason to fail: the status says what the message would have said.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from ..base.diagnostics import UsageError
from ..base.secrets import Secrets
from ..base.visible import made_visible


class CannotWrite(Exception):
    """Standard output does not take what we write."""


class Stream:
    """A stream of the process, or nothing where it is closed.  `lenient`: what can not be written is dropped."""

    def __init__(self, stream: IO[str] | None, lenient: bool) -> None:
        self.terminal = stream
        self._lenient = lenient
        self.secrets = Secrets()

    def redacted(self, text: str) -> str:
        """`text` without what was told to be a secret."""
        return self.secrets.redacted(text)

    def write(self, text: str) -> int:
        """Write text, made visible."""
        self._try(lambda stream: stream.write(made_visible(self.redacted(text))))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def write_bytes(self, data: bytes) -> None:
        """Write bytes as they are, secrets aside."""
        data = self.secrets.redacted_bytes(data)

        def write(stream: IO[str]) -> None:
            stream.flush()
            buffer = getattr(stream, "buffer", None)
            if buffer is None:
                stream.write(data.decode("utf-8", "surrogateescape"))
            else:
                buffer.write(data)

        self._try(write)

    def flush(self) -> None:
        """Have everything written."""
        if self.terminal is not None:
            self._try(lambda stream: stream.flush())

    def isatty(self) -> bool:
        """Whether a person is looking."""
        try:
            return self.terminal is not None and self.terminal.isatty()
        except ValueError:
            return False

    def _try(self, work: Any) -> None:
        if self.terminal is None:
            if self._lenient:
                return
            raise CannotWrite("it is closed")
        try:
            work(self.terminal)
        except BrokenPipeError:
            if not self._lenient:
                raise
        except (OSError, ValueError) as problem:
            if not self._lenient:
                raise CannotWrite((getattr(problem, "strerror", None) or str(problem)).lower()) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.terminal, name)


def hide(secrets: Iterable[str]) -> None:
    """Have none of these in anything that is written from now on."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, Stream):
            stream.secrets.add(secrets)


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Make the process's streams `Stream`s for as long as the block runs."""
    before = sys.stdout, sys.stderr
    for stream in before:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with suppress(OSError, ValueError):
                reconfigure(errors="backslashreplace")  # what the locale has no letter for is escaped, never an error
    sys.stdout, sys.stderr = Stream(sys.stdout, False), Stream(sys.stderr, True)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def fill_closed_descriptors() -> None:
    """Have something at the descriptors 0, 1 and 2, so that no file that we open is taken for one of the streams."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            with suppress(OSError):
                taken = os.open(os.devnull, os.O_RDWR)
                if taken != descriptor:
                    os.dup2(taken, descriptor)
                    os.close(taken)


def forget_output() -> None:
    """Let nobody try again, at the end of the process, to write what could not be written."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.__stdout__.fileno())  # type: ignore[union-attr]
        os.close(nowhere)


def write_bytes(data: bytes) -> None:
    """Bytes on standard output."""
    stream = sys.stdout if isinstance(sys.stdout, Stream) else Stream(sys.stdout, False)
    stream.write_bytes(data)


def read_input() -> Any:
    """Standard input, as a stream of bytes."""
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    return sys.stdin.buffer
