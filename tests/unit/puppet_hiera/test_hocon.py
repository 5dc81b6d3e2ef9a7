"""HOCON, by its specification: what is read, where each value stands, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from wherefrom.base.diagnostics import Refused
from wherefrom.base.source import SourceFile
from wherefrom.provenance import Leaf, Origin, element
from wherefrom.provenance.extract import where
from wherefrom.puppet.hiera.errors import HieraError
from wherefrom.puppet.hiera.hocon import read_hocon


def read(text: str) -> Any:
    return read_hocon(SourceFile("data.conf", text))[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}),
        ("{}", {}),
        ("a : 1", {"a": 1}),
        ("a = 1", {"a": 1}),
        ("{ a : 1 }\n", {"a": 1}),
        ("a : 1, b : 2", {"a": 1, "b": 2}),
        ("a : 1\nb : 2\n", {"a": 1, "b": 2}),
        (",, a : 1,, b : 2,", {"a": 1, "b": 2}),
        ("a :\n 1", {"a": 1}),
        ("a { b : 1 }", {"a": {"b": 1}}),
        ("a : { b : 1\n c = 2 }", {"a": {"b": 1, "c": 2}}),
        ("a.b.c : 1", {"a": {"b": {"c": 1}}}),
        ('"a.b".c : 1', {"a.b": {"c": 1}}),
        ("a { x : 1 }\na { y : 2 }", {"a": {"x": 1, "y": 2}}),
        ("a.x : 1\na.y : 2\na.x : 3", {"a": {"x": 3, "y": 2}}),
        ("a : { x : 1 }\na : 5", {"a": 5}),
        ("a : 5\na : { x : 1 }", {"a": {"x": 1}}),
        ("a { b { c : 1 } }\na { b { d : 2 } }", {"a": {"b": {"c": 1, "d": 2}}}),
        ("# remark\na : 1 // another\n// b : 2\n", {"a": 1}),
        ("a : [1, 2]", {"a": [1, 2]}),
        ("a : [\n1\n2\n]", {"a": [1, 2]}),
        ("a : [1, 2,]", {"a": [1, 2]}),
        ("a : []", {"a": []}),
        ("a : [[1], { b : 2 }]", {"a": [[1], {"b": 2}]}),
    ],
)
def test_structure(text: str, value: Any) -> None:
    """Braces round the whole may be left out, commas where a line ends; objects that are given twice are joined."""
    assert read(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("-3", -3),
        ("0", 0),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("-2.5E-1", -0.25),
        ("007", "007"),
        ("1.", "1."),
        ("truely", "truely"),
        ("plain words  here", "plain words  here"),
        ('plain "quoted" 1', "plain quoted 1"),
        ('true "and" null false', "true and null false"),
        ('"a\\tb\\n\\"c\\" \\u0041 \\/ \\\\"', 'a\tb\n"c" A / \\'),
        ('"\\b\\f\\r"', "\b\f\r"),
        ('""', ""),
        ('"""a "b"\nc\\n"""', 'a "b"\nc\\n'),
        ("http-ish", "http-ish"),
        ("a//remark", "a"),
    ],
)
def test_values(text: str, value: Any) -> None:
    """Words and numbers are what they look like alone; beside others they are texts, with the blanks between them."""
    result = read(f"k : {text}")["k"]
    assert result == value and type(result) is type(value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{ a : 1", "1: expecting a close brace or a field name here, got end of file"),
        ("a : 1\n}", "2: unexpected '}'"),
        ("{ a : 1 } b", "1: unexpected b"),
        ("a 1", "1: Key 'a' may not be followed by token: 1"),
        ("a.b\n\n,", "3: Key 'a.b' may not be followed by token: ','"),
        ("a : ,", "1: Expecting a value but got wrong token: ','"),
        ("a :", "1: Expecting a value but got wrong token: end of file"),
        ("a : [1 ", "1: unexpected end of file"),
        ("a : [1 ; 2", "1: unexpected end of file"),
        ("a : [1 {", "1: unexpected '{'"),
        (": 1", "1: unexpected ':'"),
        ("a : [", "1: unexpected end of file"),
    ],
)
def test_what_can_not_be_read(text: str, words: str) -> None:
    """The line, and what stands there."""
    with pytest.raises(HieraError) as problem:
        read(text)
    assert problem.value.message == f"Unable to parse (data.conf): String: {words}"


@pytest.mark.parametrize("text", ["include 'other.conf'", "a : ${b}", "a : x ${b}"])
def test_what_would_need_more_than_the_text(text: str) -> None:
    with pytest.raises(Refused, match="include others or refer to values"):
        read(text)


def place(origin: Origin, *path: object) -> tuple[str, str]:
    """The name of an element's input, and its text."""
    here: Origin | None = origin
    for key in path:
        assert here is not None
        here = element(here, key)
    assert here is not None
    leaf = where(here)
    if leaf is None:
        leaf = getattr(here, "own", None)
    assert isinstance(leaf, Leaf) and leaf.span is not None and leaf.kind == "hiera"
    return leaf.name, leaf.span.text


def test_every_value_keeps_its_place() -> None:
    """By all the keys that lead to it; also what dotted keys and joined objects hold."""
    source = SourceFile("data.conf", 'a { x : one two }\na.y : [ 1, "s" ]\nb.c.d : true\n')
    _, origin = read_hocon(source)
    assert place(origin, "a", "x") == ("a.x", "one two")
    assert place(origin, "a", "y", 0) == ("a.y.0", "1")
    assert place(origin, "a", "y", 1) == ("a.y.1", '"s"')
    assert place(origin, "b", "c", "d") == ("b.c.d", "true")
    assert place(origin, "b", "c")[0] == "b.c"
    assert place(origin, "b")[0] == "b"
    assert place(origin)[0] == ""
