"""Diagnostics on their way between processes: as plain data, and read back as diagnostics with their places.

What comes back has the code, the words, the places and the notes of what was sent, but is of a class of its own
(`RemoteDiagnostic`): a process that ran hostile code does not choose which of our classes is instantiated. Each source
is sent once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from .diagnostics import ERROR, WARNING, Diagnostic, Label, ManyErrors, UsageError, WherefromError
from .source import SourceFile, Span


class RemoteDiagnostic(Diagnostic):
    """A diagnostic that another process told."""


@cache
def _with_code(code: str) -> type[RemoteDiagnostic]:
    return type("Told", (RemoteDiagnostic,), {"code": code, "__doc__": RemoteDiagnostic.__doc__})


def to_document(problem: WherefromError) -> dict[str, object]:
    """An error as plain data."""
    if isinstance(problem, ManyErrors):
        return {"many": several_to_document(problem.diagnostics)}
    if isinstance(problem, Diagnostic):
        return {"many": several_to_document([problem]), "one": True}
    return {"words": str(problem), "usage": isinstance(problem, UsageError)}


def from_document(document: object) -> Diagnostic:
    """The diagnostic that `to_document` wrote into this data."""
    problem = raised_from(document)
    return problem if isinstance(problem, Diagnostic) else RemoteDiagnostic(str(problem))


def raised_from(document: Any) -> WherefromError:
    """The error that was written into this data.  Raises `ValueError` where there is none."""
    try:
        if "many" not in document:
            return (UsageError if document["usage"] is True else WherefromError)(_text(document["words"]))
        problems = several_from_document(document["many"])
    except (KeyError, TypeError) as problem:
        raise ValueError(f"no error: {problem}") from None
    return problems[0] if document.get("one") and problems else ManyErrors(problems)


def several_to_document(problems: Sequence[Diagnostic]) -> dict[str, object]:
    """Diagnostics as plain data."""
    numbers: dict[int, int] = {}
    sources: list[list[str]] = []

    def number(file: SourceFile) -> int:
        if id(file) not in numbers:
            numbers[id(file)] = len(sources)
            sources.append([file.name, file.text])
        return numbers[id(file)]

    rows = [
        [
            problem.code,
            problem.severity,
            problem.message,
            [[number(label.span.file), label.span.start, label.span.end, label.text] for label in problem.labels],
            problem.notes,
            problem.help,
        ]
        for problem in problems
    ]
    return {"sources": sources, "rows": rows}


def several_from_document(document: Any) -> list[Diagnostic]:
    """The diagnostics that were written into this data.  Raises `ValueError`."""
    try:
        files = [SourceFile(_text(name), _text(text)) for name, text in document["sources"]]
        problems: list[Diagnostic] = []
        for code, severity, message, places, notes, hint in document["rows"]:
            labels = [Label(_span(files, place), _text(place[3])) for place in places]
            reported = _with_code(_text(code)[:8])(_text(message), *labels, notes=[_text(note) for note in notes])
            reported.help = None if hint is None else _text(hint)
            reported.severity = WARNING if severity == WARNING else ERROR
            problems.append(reported)
        return problems
    except (KeyError, TypeError, IndexError) as problem:
        raise ValueError(f"no diagnostics: {problem}") from None


def _span(files: Sequence[SourceFile], place: Sequence[Any]) -> Span:
    number, start, end = place[:3]
    if not all(type(offset) is int for offset in (number, start, end)) or not 0 <= number < len(files):
        raise ValueError("no place")
    file = files[number]
    if not 0 <= start <= end <= len(file.text):
        raise ValueError("no place in its source")
    return Span(file, start, end)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a text, found {type(value).__name__}")
    return value
