"""The page of methods is written from the tables."""

from __future__ import annotations

import os
from pathlib import Path

from wherefrom.ruby.manual import modules, page

PAGE = Path(__file__).resolve().parents[3] / "docs" / "ruby-methods.md"


def test_docs_page_of_methods_is_true() -> None:
    """`make docs` writes it again."""
    if os.environ.get("WHEREFROM_UPDATE"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page()


def test_the_tables_are_large() -> None:
    """Not less than it was."""
    assert sum(len(module.methods) + len(module.own) for module in modules()) >= 1_100
