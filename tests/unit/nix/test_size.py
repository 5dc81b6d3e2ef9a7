"""A file past the bound is refused at once."""

from __future__ import annotations

import pytest

from whence.base.diagnostics import LimitReached
from whence.base.source import SourceFile
from whence.nix.syntax.lexer import MAX_SOURCE
from whence.nix.syntax.parser import parse


def test_a_huge_file_is_refused_before_it_is_read() -> None:
    """Clear error, no gigabytes of tokens."""
    with pytest.raises(LimitReached):
        parse(SourceFile("huge.nix", " " * (MAX_SOURCE + 1)))
