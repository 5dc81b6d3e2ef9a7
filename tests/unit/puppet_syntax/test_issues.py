"""The table of issues."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import wherefrom.puppet.kernel.issues as issues
from wherefrom.base.source import SourceFile
from wherefrom.puppet.kernel.issues import ISSUES, PuppetError, a_an, a_an_uc, full_message, issue, verdict

SOURCES = Path(issues.__file__).parents[1]


def test_codes_are_stable() -> None:
    """A code is given once, and has our form."""
    assert all(re.fullmatch(r"P\d{3}", code) for code in ISSUES)
    with pytest.raises(ValueError, match="P035 is taken by SYNTAX_ERROR"):
        issue("P035", "OTHER", "words")


def test_every_issue_of_the_front_end_is_used() -> None:
    """No issue stands in the table that nothing reports."""
    code = "".join(path.read_text() for path in SOURCES.rglob("*.py") if path.name != "issues.py")
    names = [name for name, value in vars(issues).items() if isinstance(value, issues.Issue)]
    words = set(re.findall(r"\w+", code))
    unused = [name for name in names if name not in words]
    assert unused == ["LANGUAGE_VALIDATION"]


def test_articles() -> None:
    """Articles as Puppet chooses them."""
    assert a_an("'+' expression") == "a '+' expression"
    assert a_an("'if' statement") == "an 'if' statement"
    assert a_an("Epp Template") == "an Epp Template"
    assert a_an_uc("Yes") == "An Yes"


def test_places_in_messages() -> None:
    """As much of the place as Puppet tells."""
    span = SourceFile("a.pp", "x\ny").span(2, 3)
    assert full_message(PuppetError(issues.NOT_TOP_LEVEL, span)).endswith("(file: a.pp, line: 2, column: 1)")
    assert (
        full_message(PuppetError(issues.SYNTAX_ERROR, span, reported="file", where="x"))
        == "Syntax error at x (file: a.pp)"
    )
    assert full_message(PuppetError(issues.SYNTAX_ERROR, span, reported="nothing", where="x")) == "Syntax error at x"


def test_verdict_on_many() -> None:
    """One error is itself, several validation errors are counted, warnings beside them too."""
    span = SourceFile("a.pp", "x").span(0)
    one = PuppetError(issues.NOT_TOP_LEVEL, span)
    warning = PuppetError(issues.DUPLICATE_KEY, span, severity="warning", key="a")
    assert verdict([warning]) is None
    assert verdict([warning, one]) is one
    many = verdict([one, warning, one])
    assert many is not None
    assert full_message(many) == "Language validation logged 2 errors, and 1 warnings. Giving up (file: a.pp)"
