"""Lines are counted in one way, that of editors: texts are cut into lines in one place (`base/source.py`)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.base.host import PureHost
from wherefrom.base.source import SourceFile, lines_of
from wherefrom.language import Inputs, line_of
from wherefrom.puppet.front import LANGUAGE

SOURCE = Path(__file__).resolve().parents[2] / "src" / "wherefrom"
CUTTING = re.compile(r"splitlines|split\(['\"]\\r|re\.split\([^)]*\\r")
ODD = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\r"
"""What Python takes for the end of a line, and editors do not."""


def cutting(text: str) -> list[str]:
    return CUTTING.findall(text)


def test_one_place_cuts_texts_into_lines() -> None:
    """No other module does it in another way."""
    files = {str(path.relative_to(SOURCE)): cutting(path.read_text("utf-8")) for path in SOURCE.rglob("*.py")}
    assert len(files) > 90
    assert {name for name, places in files.items() if places} == {"base/source.py"}


@pytest.mark.parametrize("code", ["text.splitlines()", "map(str.splitlines, texts)", "re.split(r'\\n|\\r', text)"])
def test_another_way_is_seen(code: str) -> None:
    """The test above can fail."""
    assert cutting(code)


@given(st.text(alphabet=f"ab\n{ODD}", max_size=30))
def test_lines_are_those_of_sources(text: str) -> None:
    """As many as a source file has, each with the same text, and nothing is lost."""
    source, lines = SourceFile("a", text), lines_of(text)
    assert [source.line_text(number) for number in range(1, len(lines) + 1)] == lines
    assert "".join(lines_of(text, keep_ends=True)) == text
    assert len(source.line_starts) - len(lines) == (not text or text.endswith("\n"))
    for number, line in enumerate(lines_of(text, keep_ends=True), 1):
        assert line_of("a", text, number) == (source.line_starts[number - 1], line)


@pytest.mark.parametrize("odd", ODD)
def test_a_line_of_a_value_is_that_of_editors(odd: str) -> None:
    """`--line 2` of a file with a form feed in its first line."""
    site = "notify { 'a': message => \"one${facts['odd']}more\ntwo\" }"
    outcome = LANGUAGE.run("site.pp", PureHost({"site.pp": site}), Inputs("web1", {"odd": odd}, {}))
    assert outcome.explain_line("Notify[a].message", 2).value == "two"
    assert outcome.explain_line("Notify[a].message", 1).value == f"one{odd}more\n"
