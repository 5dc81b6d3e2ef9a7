"""Diagnostics and source excerpts for people: plain text, colour on a terminal, JSON for programs.

Everything shown to a person is first built as `Styled`: a list of (text, style) pieces. `plain` joins the pieces;
`show` writes them to a stream, with colour only when the stream is a terminal (or `FORCE_COLOR` is set) and `NO_COLOR`
is not set. The colouring library is imported only then, so that piped output costs nothing.

    error[N010]: unknown variable `prot`
     --> site.nix:2:15
      |
    2 | in { listen = prot; }
      |               ^^^^ not bound in any enclosing scope
      = help: did you mean `port`?

Tabs are shown as four spaces, wide characters count as two columns, control characters are shown as a dot, and a very
long line is cut around the place that matters.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable
from typing import IO, TypeAlias

from .diagnostics import WARNING, Diagnostic, Label, NotText
from .source import Span
from .visible import made_visible

Styled: TypeAlias = list[tuple[str, str]]

TAB = "    "
WIDEST = 150
"""Source lines longer than this are cut around the place shown."""

_STYLES = {
    "": "",
    "error": "bold red",
    "warning": "bold yellow",
    "strong": "bold",
    "dim": "dim",
    "place": "cyan",
    "caret": "bold red",
    "value": "bold green",
    "key": "bold blue",
    "help": "bold green",
}


def width_of(text: str) -> int:
    """How many terminal columns `text` takes, tabs and control characters as `visible` shows them."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(_character_width(character) for character in visible(text))


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def visible(text: str) -> str:
    """`text` with tabs as spaces and control characters as dots, so that it can not disturb a terminal."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        TAB if character == "\t" else character if character.isprintable() or character == " " else "·"
        for character in text
    )


def excerpt(span: Span, note: str = "", margin: int | None = None, style: str = "caret") -> Styled:
    """The source line of `span` with carets below it and a note behind them; two lines, each with a line end."""
    file = span.file
    line, column = file.line_and_column(span.start)
    text = file.line_text(line)
    before = text[: column - 1]
    marked = text[column - 1 : column - 1 + max(span.end - span.start, 0)]
    after = text[len(before) + len(marked) :]
    if len(text) > WIDEST:
        room = WIDEST // 3
        before = ("…" + before[-room:]) if len(before) > room else before
        marked = (marked[:room] + "…") if len(marked) > room else marked
        after = (after[:room] + "…") if len(after) > room else after
    number = str(line)
    gutter = margin if margin is not None else len(number)
    carets = "^" * max(1, width_of(marked))
    return [
        (f"{number:>{gutter}} | ", "dim"),
        (visible(before), ""),
        (visible(marked), "strong"),
        (visible(after) + "\n", ""),
        (" " * gutter + " | ", "dim"),
        (" " * width_of(before) + carets, style),
        (f" {note}" if note else "", style),
        ("\n", ""),
    ]


def styled_diagnostic(problem: Diagnostic) -> Styled:
    """One diagnostic, with excerpts for all its labels."""
    out: Styled = [
        (f"{problem.severity}[{problem.code}]", problem.severity),
        (f": {visible_lines(problem.message)}\n", "strong"),
    ]
    margin = max((len(str(label.span.line)) for label in problem.labels), default=1)
    for number, label in enumerate(problem.labels):
        out += _label_block(label, margin, first=number == 0, style=problem.severity)
    for note in problem.notes:
        out += [(" " * margin + " = ", "dim"), ("note", "strong"), (f": {visible_lines(note)}\n", "")]
    if problem.help:
        out += [(" " * margin + " = ", "dim"), ("help", "help"), (f": {visible_lines(problem.help)}\n", "")]
    return out


def visible_lines(text: str) -> str:
    """Like `visible`, but line ends stay."""
    return "\n".join(visible(line) for line in text.split("\n"))


def _label_block(label: Label, margin: int, first: bool, style: str) -> Styled:
    arrow = "-->" if first else ":::"
    caret = "warning" if style == WARNING else "caret" if first else "place"
    return [
        (" " * margin + arrow + " ", "dim"),
        (label.span.place + "\n", "place"),
        (" " * margin + " |\n", "dim"),
        *excerpt(label.span, label.text, margin, caret),
    ]


def plain(pieces: Styled) -> str:
    """The text without its styles."""
    return "".join(text for text, _ in pieces)


def wants_colour(stream: IO[str]) -> bool:
    """Whether to use colour on `stream`: a terminal, or `FORCE_COLOR`; never with `NO_COLOR` in the environment."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    if os.environ.get("TERM") == "dumb":
        return False
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def show(pieces: Styled, stream: IO[str]) -> None:
    """Write styled text to a stream."""
    if not wants_colour(stream) or getattr(stream, "obeyed", False):
        stream.write(made_visible(plain(pieces)))
        return
    redacted = getattr(stream, "redacted", str)
    stream = getattr(stream, "terminal", stream)  # colours are not to be made visible, only the texts between them
    from rich.console import Console
    from rich.text import Text

    text = Text()
    for piece, style in pieces:
        text.append(made_visible(redacted(piece)), _STYLES[style])
    forced = bool(os.environ.get("FORCE_COLOR"))
    Console(file=stream, highlight=False, soft_wrap=True, force_terminal=forced or None).print(text, end="")


def diagnostics_text(problems: Iterable[Diagnostic]) -> str:
    """Several diagnostics as plain text, with an empty line between them."""
    return "\n".join(plain(styled_diagnostic(problem)) for problem in problems)


def span_json(span: Span | None) -> dict[str, object]:
    """`file`, `line`, `column` of a place; empty without one."""
    if span is None:
        return {}
    line, column = span.file.line_and_column(span.start)
    return {"file": span.file.name, "line": line, "column": column}


def diagnostic_json(problem: Diagnostic) -> dict[str, object]:
    """One diagnostic for a program."""
    document: dict[str, object] = {"severity": problem.severity, "code": problem.code, "message": problem.message}
    if isinstance(problem, NotText):
        document |= {"file": problem.file_name, "line": problem.line}
    document |= span_json(problem.span)
    if problem.span is not None:
        end_line, end_column = problem.span.file.line_and_column(problem.span.end)
        document |= {"end_line": end_line, "end_column": end_column}
    issue = getattr(problem, "issue_code", None)
    if issue:
        document["issue_code"] = issue
    if len(problem.labels) > 1:
        document["related"] = [{**span_json(label.span), "text": label.text} for label in problem.labels[1:]]
    if problem.notes:
        document["notes"] = list(problem.notes)
    if problem.help:
        document["help"] = problem.help
    return document
