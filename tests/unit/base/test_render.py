"""Diagnostics as text: excerpts, carets, notes, colour and JSON."""

from __future__ import annotations

import io

import pytest

from wherefrom.base.diagnostics import Diagnostic, Label
from wherefrom.base.render import diagnostic_json, excerpt, plain, show, styled_diagnostic, width_of
from wherefrom.base.source import SourceFile


class Unknown(Diagnostic):
    """For the tests."""

    code = "W000"


def test_a_diagnostic_shows_line_caret_label_and_help() -> None:
    """The shape that the house promises."""
    source = SourceFile("site.nix", "let port = 1;\nin { listen = prot; }\n")
    span = source.span(28, 32)
    problem = Unknown("unknown variable `prot`", Label(span, "not bound"), help="did you mean `port`?")
    assert plain(styled_diagnostic(problem)) == (
        "error[W000]: unknown variable `prot`\n"
        " --> site.nix:2:15\n"
        "  |\n"
        "2 | in { listen = prot; }\n"
        "  |               ^^^^ not bound\n"
        "  = help: did you mean `port`?\n"
    )


@pytest.mark.parametrize(
    ("text", "start", "end", "caret_column"),
    [("\tx", 1, 2, 4), ("日本x", 2, 3, 4), ("e\u0301x", 2, 3, 1), ("\x1b[31mx", 5, 6, 5)],
    ids=["tab", "wide", "combining", "control"],
)
def test_carets_stand_below_what_they_mark(text: str, start: int, end: int, caret_column: int) -> None:
    """Tabs are four columns, wide characters two, combining ones none, control characters a dot."""
    lines = plain(excerpt(SourceFile("x", text).span(start, end))).splitlines()
    assert lines[1].index("^") - len("1 | ") == caret_column
    assert "\x1b" not in lines[0]


def test_a_span_over_several_lines_is_marked_to_the_end_of_its_first() -> None:
    """Carets never run past the line."""
    lines = plain(excerpt(SourceFile("x", "ab\ncd").span(1, 4))).splitlines()
    assert lines == ["1 | ab", "  |  ^"]


def test_a_long_line_is_cut_around_the_place() -> None:
    """A megabyte on one line stays readable."""
    source = SourceFile("x", "a" * 500_000 + "!" + "b" * 500_000)
    lines = plain(excerpt(source.span(500_000, 500_001))).splitlines()
    assert len(lines[0]) < 200
    assert lines[0][lines[1].index("^")] == "!"


def test_no_colour_off_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Piped output is plain; a terminal gets colour unless NO_COLOR is set."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    pieces = [("bad", "error")]
    piped, terminal, asked_not = io.StringIO(), Terminal(), Terminal()
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    show(pieces, piped)
    show(pieces, terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    show(pieces, asked_not)
    assert piped.getvalue() == asked_not.getvalue() == "bad"
    assert "\x1b[" in terminal.getvalue()


def test_json_has_place_code_and_related_places() -> None:
    """Programs get the same facts."""
    source = SourceFile("x.sf", "a\nb\n")
    problem = Unknown("twice", Label(source.span(2, 3)), Label(source.span(0, 1), "first here"), notes=["n"], help="h")
    assert diagnostic_json(problem) == {
        "severity": "error",
        "code": "W000",
        "message": "twice",
        "file": "x.sf",
        "line": 2,
        "column": 1,
        "end_line": 2,
        "end_column": 2,
        "related": [{"file": "x.sf", "line": 1, "column": 1, "text": "first here"}],
        "notes": ["n"],
        "help": "h",
    }


def test_width_counts_columns() -> None:
    """Terminal columns, not characters."""
    assert [width_of(text) for text in ("abc", "日本", "\t", "é")] == [3, 4, 4, 1]
