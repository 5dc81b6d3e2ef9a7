"""A file past the bound is refused at once."""

from __future__ import annotations

import pytest

from wherefrom.base.diagnostics import LimitReached
from wherefrom.base.source import SourceFile
from wherefrom.nix.syntax.lexer import MAX_SOURCE
from wherefrom.nix.syntax.parser import parse


def test_a_huge_file_is_refused_before_it_is_read() -> None:
    """Clear error, no gigabytes of tokens."""
    with pytest.raises(LimitReached):
        parse(SourceFile("huge.nix", " " * (MAX_SOURCE + 1)))
