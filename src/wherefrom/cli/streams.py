"""Standard output and error as the commands see them: texts are made visible, and trouble is told in one line.

While a command runs, `sys.stdout` and `sys.stderr` are `Stream`s. Whatever is written to them as text, by us, by click
or by `print`, passes `made_visible`; colours are written by `wherefrom.base.render`, which has made its pieces visible
before. JSON goes out as the bytes it is, whatever the locale.

In a workflow of GitHub a line that begins with `::` is a command to the runner (GitHub's documentation, *Workflow
commands*), whoever wrote it. There such a line of a text gets a space of no width between the colons; what we have to
say to the runner is written by `write_bytes`.

A closed or full standard output is `CannotWrite`, which the command turns into one line and status 1. A closed or full
standard error is no reason to fail: the status says what the message would have said.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, TypeVar

from ..base.budget import Budget, OverBudget
from ..base.diagnostics import UsageError
from ..base.secrets import Secrets, learning, texts_in
from ..base.visible import made_visible

Written = TypeVar("Written", str, bytes)

LEFT_OUT = "(not said: to look for all the secrets in it would take too long)\n"

_COMMAND = re.compile(r"^([^\S\n]*)::", re.MULTILINE)


class CannotWrite(Exception):
    """Standard output does not take what we write."""


class Stream:
    """A stream of the process, or nothing where it is closed.  `lenient`: what can not be written is dropped."""

    def __init__(
        self, stream: IO[str] | None, lenient: bool, obeyed: bool = False, learned: Sequence[Any] = ()
    ) -> None:
        self.terminal = stream
        self._lenient = lenient
        self.secrets = Secrets()
        self.learned = learned
        """What has turned out to be secret so far; it grows."""
        self._known = 0
        self.budget = Budget()
        self.obeyed = obeyed
        self._begun = ""

    def redacted(self, text: str) -> str:
        """`text` without what is known to be a secret by now."""
        return self._looked_through(text, self.secrets.redacted, LEFT_OUT)

    def redacted_bytes(self, data: bytes) -> bytes:
        """The same for what is written as bytes."""
        return self._looked_through(data, self.secrets.redacted_bytes, LEFT_OUT.encode())

    def _looked_through(self, written: Written, look: Callable[[Written], Written], otherwise: Written) -> Written:
        if not self.secrets and self._known == len(self.learned):
            return written
        try:
            with self.budget.fresh().in_force():
                if self._known < len(self.learned):
                    known, self._known = self._known, len(self.learned)
                    self.secrets.add(texts_in(list(self.learned[known : self._known])))
                return look(written)
        except OverBudget:
            if not self._lenient:
                raise
            return otherwise

    def write(self, text: str) -> int:
        """Write text, made visible."""
        shown = made_visible(self.redacted(text))
        if self.obeyed:
            shown = self._without_commands(shown)
        self._try(lambda stream: stream.write(shown))
        return len(text)

    def _without_commands(self, text: str) -> str:
        """`text` so that no line of it, with what was written before on the first, is a command."""
        whole = _COMMAND.sub("\\1:\u200b:", self._begun + text).replace("##[", "##\u200b[")
        said = whole[len(self._begun) :]
        line = whole.rpartition("\n")[2]
        self._begun = line if line.strip() in ("", ":") else "..."  # a line that has begun otherwise is no command
        return said

    def writelines(self, lines: Any) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def write_bytes(self, data: bytes) -> None:
        """Write bytes as they are, secrets aside."""
        data = self.redacted_bytes(data)

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


def hide(secrets: Iterable[str], budget: Budget) -> None:
    """Have none of these in anything that is written from now on; looking for them takes no more than `budget`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, Stream):
            stream.secrets.add(secrets)
            stream.budget = budget


def show_secrets() -> None:
    """Write what turns out to be secret all the same."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, Stream):
            stream.learned, stream._known = (), 0


def without_secrets(data: bytes) -> bytes:
    """What is to be written elsewhere, without what is known to be a secret by now."""
    return sys.stdout.redacted_bytes(data) if isinstance(sys.stdout, Stream) else data


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Make the process's streams `Stream`s for as long as the block runs."""
    before = sys.stdout, sys.stderr
    for stream in before:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with suppress(OSError, ValueError):
                reconfigure(errors="backslashreplace")  # what the locale has no letter for is escaped, never an error
    obeyed = os.environ.get("GITHUB_ACTIONS") == "true"
    with learning() as learned:
        sys.stdout = Stream(sys.stdout, False, obeyed, learned)
        sys.stderr = Stream(sys.stderr, True, obeyed, learned)
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
