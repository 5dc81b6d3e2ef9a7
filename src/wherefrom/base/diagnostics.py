"""What can go wrong, as values: one class per error, with a stable code, words and labelled places.

A `Diagnostic` is an exception, so that an evaluator can raise it, and also a plain record, so that a checker can
collect many. It knows nothing of terminals: `wherefrom.base.render` turns it into text or JSON. Program logic looks at
the class or at `code`, never at the wording.

Codes: `W` is the project itself (files, usage, limits), `S` SmartFrog, `P` Puppet, `N` Nix, `R` Ruby. A code
never changes its meaning and is never used again for another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os.path import abspath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .source import Span

ERROR = "error"
WARNING = "warning"


class Label:
    """A place in a source text and what is to be said about it."""

    __slots__ = ("span", "text")

    def __init__(self, span: Span, text: str = "") -> None:
        self.span = span
        self.text = text

    def __repr__(self) -> str:
        return f"Label({self.span.place}, {self.text!r})"


class WherefromError(Exception):
    """Everything that wherefrom raises on purpose.  The configuration (or the request) is wrong, not wherefrom."""


class Diagnostic(WherefromError):
    """One error or warning: words, the place it is about, further places, notes, and a hint.

    Subclasses set `code` (some set one for each error) and build their words in `__init__`. The first label is the
    place of the error.
    """

    code: str = "W000"
    severity: str = ERROR

    def __init__(
        self,
        message: str,
        *labels: Label | Span | None,
        notes: Sequence[str] = (),
        help: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.labels: list[Label] = [
            label if isinstance(label, Label) else Label(label) for label in labels if label is not None
        ]
        self.notes: list[str] = list(notes)
        self.help = help

    @property
    def span(self) -> Span | None:
        """The place of the error, if it has one."""
        return self.labels[0].span if self.labels else None

    def with_note(self, note: str) -> Diagnostic:
        """Add a line of context and return the same diagnostic, for `raise problem.with_note(...)`."""
        self.notes.append(note)
        return self

    def __str__(self) -> str:
        where = f"{self.span.place}: " if self.span is not None else ""
        return f"{where}{self.message}"


class ManyErrors(WherefromError):
    """Several diagnostics found in one go, at least one of them an error."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = list(diagnostics)
        super().__init__("; ".join(str(diagnostic) for diagnostic in self.diagnostics))


def once(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Each diagnostic once: what has the same code and words at the same place is the same.

    A front end may say a thing as often as it meets it (each of three odd escapes in a string, a file that two others
    include); a person reads it once. A file that is named in two ways (`a.sf`, `./a.sf`) is one.
    """
    reported: dict[tuple[object, ...], Diagnostic] = {}
    for problem in diagnostics:
        span = problem.span
        place = None if span is None else (abspath(span.file.name), span.start, span.end)
        reported.setdefault((problem.severity, problem.code, problem.message, place), problem)
    return list(reported.values())


class NotText(Diagnostic):
    """A file that should be text is not valid UTF-8."""

    code = "W001"

    def __init__(self, name: str, line: int, offset: int, byte: int) -> None:
        super().__init__(
            f"{name}: not UTF-8 text: byte 0x{byte:02x} at offset {offset} (line {line})",
            help="save the file as UTF-8",
        )
        self.file_name = name
        self.line = line


class CannotRead(Diagnostic):
    """A file or directory that is missing, is of the wrong kind or may not be read."""

    code = "W002"

    def __init__(self, path: str, reason: str, at: Span | None = None, help: str | None = None) -> None:
        super().__init__(f"cannot read {path}: {reason}", at, help=help)
        self.path = path


class OutsideRoots(Diagnostic):
    """A configuration reads a file outside of the directories that it may read."""

    code = "W003"

    def __init__(self, path: str, at: Span | None = None, root: str = "DIRECTORY") -> None:
        super().__init__(
            f"{path} is outside the allowed directories",
            at,
            help=f"files are read only below the directory of the file given; allow more with --root {root}",
        )
        self.path = path
        self.root = root


class LimitReached(Diagnostic):
    """A documented bound on size, depth or work was met."""

    code = "W004"

    def __init__(self, what: str, limit: int, at: Span | None = None, option: str | None = None) -> None:
        super().__init__(
            f"{what} (limit: {limit:,})",
            at,
            help=f"raise the limit with {option}" if option else None,
        )
        self.limit = limit


class PathNotFound(Diagnostic):
    """A path given to `explain` names nothing in the outcome."""

    code = "W005"

    def __init__(self, path: str, reason: str, nearest: str | None = None) -> None:
        super().__init__(f"no value at {path}: {reason}", help=nearest and f"did you mean {nearest}?")
        self.path = path


class UsageError(WherefromError):
    """The command or the call was used wrongly (exit status 2)."""


class Refused(Diagnostic):
    """Something that compiling a configuration must not do: run programs, reach the network."""

    code = "W006"
