"""Standard output and error as the commands see them: texts are made visible, and trouble is told in one line.

While a command runs, `sys.stdout` and `sys.stderr` are `StandardStream`s. Whatever is written to them as text, by us,
by click or by `print`, passes `made_visible`; colours are written by `wherefrom.base.render`, which has made its pieces
visible before. JSON goes out as the bytes it is, whatever the locale.

Texts that people read are searched for secrets on their way out. Documents (JSON, YAML, pages, drawings) are not: who
writes one asks `hidden` for its data without secrets, writes that down, and sends it by `write_bytes` or
`write_document`, which change nothing (`wherefrom.base.secrets`).

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
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, TypeVar

from ..base.budget import Budget, OverBudget
from ..base.diagnostics import UsageError
from ..base.secrets import Learned, Secrets, learning
from ..base.visible import made_visible

Written = TypeVar("Written")

LEFT_OUT = "(not shown: searching it for secrets would take too long)\n"

_COMMAND = re.compile(r"^([^\S\n]*)::", re.MULTILINE)


class CannotWrite(Exception):
    """Standard output does not take what we write."""


class StandardStream:
    """A stream of the process, or nothing where it is closed.  `lenient`: what can not be written is dropped."""

    def __init__(
        self, stream: IO[str] | None, lenient: bool, obeyed: bool = False, learned: Learned | None = None
    ) -> None:
        self.terminal = stream
        self._lenient = lenient
        self.secrets = Secrets()
        self.learned = learned or Learned()
        """What has turned out to be secret so far; it grows."""
        self.derived = True
        """Whether what was computed from secrets is one too."""
        self._known = (0, 0)
        self.budget = Budget()
        self.obeyed = obeyed
        self._begun = ""

    def redacted(self, text: str) -> str:
        """`text` without what is known to be a secret by now."""
        return self._looked_through(text, self.secrets.redacted, LEFT_OUT)

    def redacted_data(self, data: object) -> Any:
        """The same for plain data, of which a document is to be made."""
        return self._looked_through(data, self.secrets.redacted_data, LEFT_OUT)

    def _looked_through(self, written: Written, look: Callable[[Written], Written], otherwise: Written) -> Written:
        if not self.secrets and self._known == self.learned.count:
            return written
        try:
            with self.budget.fresh().in_force():
                if self._known != self.learned.count:
                    known, self._known = self._known, self.learned.count
                    self.secrets.add(self.learned.texts(self.derived, known))
                return look(written)
        except OverBudget:
            if not self._lenient:
                raise
            return otherwise

    def write(self, text: str) -> int:
        """Write text, made visible, without secrets."""
        return self.write_document(self.redacted(text))

    def write_document(self, text: str) -> int:
        """Write the text of a document, which was made of data without secrets, made visible."""
        shown = made_visible(text)
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
        """Write bytes as they are."""

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

    def __getattr__(self, name: str) -> object:
        return getattr(self.terminal, name)


def hide(secrets: Iterable[str], budget: Budget) -> None:
    """Have none of these in anything that is written from now on; looking for them takes no more than `budget`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, StandardStream):
            stream.secrets.add(secrets)
            stream.budget = budget


def show_secrets() -> None:
    """Write what turns out to be secret all the same."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, StandardStream):
            stream.learned, stream._known = Learned(), (0, 0)


def show_derived() -> None:
    """Write what was computed from secrets; the secrets themselves stay hidden."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, StandardStream):
            stream.derived = False


def hidden(data: object) -> Any:
    """Plain data of which a document is to be made, without what is known to be a secret by now."""
    return sys.stdout.redacted_data(data) if isinstance(sys.stdout, StandardStream) else data


def write_document(text: str) -> None:
    """The text of a document on standard output; it was made of `hidden` data."""
    if isinstance(sys.stdout, StandardStream):
        sys.stdout.write_document(text)
    else:
        sys.stdout.write(text)


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Make the process's streams `StandardStream`s for as long as the block runs."""
    before = sys.stdout, sys.stderr
    for stream in before:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with suppress(OSError, ValueError):
                reconfigure(errors="backslashreplace")  # what the locale has no letter for is escaped, never an error
    obeyed = os.environ.get("GITHUB_ACTIONS") == "true"
    with learning() as learned:
        sys.stdout = StandardStream(sys.stdout, False, obeyed, learned)
        sys.stderr = StandardStream(sys.stderr, True, obeyed, learned)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = before


def forget_output() -> None:
    """Let nobody try again, at the end of the process, to write what could not be written."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.__stdout__.fileno())  # type: ignore[union-attr]
        os.close(nowhere)


def write_bytes(data: bytes) -> None:
    """Bytes on standard output."""
    stream = sys.stdout if isinstance(sys.stdout, StandardStream) else StandardStream(sys.stdout, False)
    stream.write_bytes(data)


def read_input() -> Any:
    """Standard input, as a stream of bytes."""
    if sys.stdin is None:
        raise UsageError("standard input is closed")
    return sys.stdin.buffer
