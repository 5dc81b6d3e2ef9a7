"""Sources and spans: offsets in, lines and columns out."""

from __future__ import annotations

import pickle

import pytest

from wherefrom.base.diagnostics import NotText
from wherefrom.base.source import SourceFile, Span


def test_lines_and_columns_start_at_one() -> None:
    """The first character is at 1:1, the one after a line end at the next line's 1."""
    source = SourceFile("x", "ab\ncd\n")
    assert [source.line_and_column(offset) for offset in (0, 2, 3, 6)] == [(1, 1), (1, 3), (2, 1), (3, 1)]


def test_byte_order_mark_is_dropped() -> None:
    """A byte order mark is no character of the text."""
    assert SourceFile.from_bytes("x", b"\xef\xbb\xbfa").text == "a"


def test_carriage_returns_stay_in_the_text_and_out_of_the_line() -> None:
    """Offsets stay true; the line shown has no carriage return."""
    source = SourceFile("x", "ab\r\ncd")
    assert source.line_text(1) == "ab"
    assert source.line_and_column(4) == (2, 1)


def test_columns_count_characters_not_bytes() -> None:
    """A character of several bytes is one column."""
    assert SourceFile.from_bytes("x", "äöx".encode()).line_and_column(2) == (1, 3)


def test_not_utf8_names_the_byte_and_the_line() -> None:
    """Bad bytes are an error with a place."""
    with pytest.raises(NotText) as caught:
        SourceFile.from_bytes("x.pp", b"ok\n\xff")
    assert "0xff at offset 3 (line 2)" in caught.value.message


def test_spans_compare_by_file_name_and_offsets() -> None:
    """Two readings of one file give equal spans."""
    assert Span(SourceFile("x", "abc"), 0, 1) == Span(SourceFile("x", "abc"), 0, 1)
    assert Span(SourceFile("x", "abc"), 0, 1) != Span(SourceFile("y", "abc"), 0, 1)


def test_spans_survive_pickling() -> None:
    """The tree cache keeps spans."""
    span = SourceFile("x", "abc").span(1, 2)
    assert pickle.loads(pickle.dumps(span)) == span


def test_a_line_past_the_end_is_empty() -> None:
    """Asking for a line that is not there is harmless."""
    assert SourceFile("x", "a").line_text(7) == ""
