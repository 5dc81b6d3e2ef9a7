"""A text that was put together from parts: which of them a stretch of it came from."""

from __future__ import annotations

from wherefrom.base.source import SourceFile
from wherefrom.provenance import Choice, Leaf, Step
from wherefrom.provenance.extract import Apply, depends, expression, where
from wherefrom.provenance.operations import RENDER, Infix
from wherefrom.provenance.rendered import Rendered, line_origin, rendered_parts

FILE = SourceFile("t.epp", "abc<%= $x %>def")
HEAD, VALUE, EMPTY, TAIL, END, MORE, TEST = (
    Leaf("fact", name, None, name) for name in ("head", "value", "empty", "tail", "end", "more", "test")
)
TEXT = Rendered([HEAD, VALUE, EMPTY, TAIL, END], [3, 2, 0, 4, 0], MORE, FILE.whole())
"""`HHHVVTTTT`, and nothing twice."""


def names(start: int, end: int) -> list[tuple[str, int]]:
    return [(part.name, into) for part, into in TEXT.between(start, end) if isinstance(part, Leaf)]


def test_the_whole() -> None:
    """It depends on its parts, and on what decided that there are no more."""
    assert TEXT.size == 9
    assert TEXT.op is RENDER and TEXT.span == FILE.whole()
    assert {leaf.name for leaf in depends(TEXT)} == {"head", "value", "empty", "tail", "end", "more"}
    assert {leaf.name for leaf in depends(Rendered([HEAD], [3], None, None))} == {"head"}


def test_parts_of_a_stretch() -> None:
    """Each with how far into it the stretch begins."""
    assert names(0, 3) == [("head", 0)]
    assert names(2, 4) == [("head", 2), ("value", 0)]
    assert names(3, 5) == [("value", 0)]
    assert names(7, 8) == [("tail", 2)]


def test_a_part_that_gave_nothing() -> None:
    """It might have given something: it belongs to the characters behind it, or to the last ones."""
    assert names(0, 9) == [("head", 0), ("value", 0), ("empty", 0), ("tail", 0), ("end", 0)]
    assert names(4, 6) == [("value", 1), ("empty", 0), ("tail", 0)]
    assert names(5, 6) == [("empty", 0), ("tail", 0)]
    assert names(8, 9) == [("tail", 3), ("end", 0)]
    assert names(9, 9) == [("end", 0)]


def test_through_what_stands_round_it() -> None:
    origin = Choice((TEST,), TEXT)
    assert rendered_parts(origin, 3, 5) == [(VALUE, 0)]
    assert rendered_parts(Choice((TEST,), VALUE), 3, 5) == []


def test_the_origin_of_a_line() -> None:
    """A line of one part is that part's; of several, they make it; and a text without parts has one origin."""
    one, several = (line_origin(Choice((TEST,), TEXT), *stretch) for stretch in ((3, 5), (2, 4)))
    assert where(one) is VALUE
    assert {leaf.name for leaf in depends(one)} == {"value", "test"}
    term = expression(several)
    assert isinstance(term, Apply) and term.op is RENDER
    assert {leaf.name for leaf in depends(several)} == {"head", "value", "test"}
    assert isinstance(several, Choice) and getattr(several.chosen, "span", None) == FILE.whole()
    plain = Step(Infix("+"), (HEAD,))
    assert line_origin(plain, 0, 1) is plain
