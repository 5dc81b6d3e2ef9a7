"""Histories are walked in one place: what a value was before it was passed on is asked of its origin."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "wherefrom"
WRAPPERS = {"Copy", "Choice", "Guarded", "Overridden"}
"""Origins of values that were only passed on: `Origin.passed_from` says from what, and `spine` walks along."""
MOST = 6
"""Statements that tell these classes apart since each needs a treatment of its own: to write one out, to make one
again round another value, to name what decided it."""


def told_apart(tree: ast.AST) -> Iterator[int]:
    """The lines of `match` statements with cases for several of the classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Match):
            named = {getattr(part.cls, "id", "") for part in ast.walk(node) if isinstance(part, ast.MatchClass)}
            if len(named & WRAPPERS) > 1:
                yield node.lineno


def test_one_walk_along_a_value() -> None:
    """No module steps from origin to origin by itself."""
    places = [
        f"{file.relative_to(SOURCE)}:{line}"
        for file in sorted(SOURCE.rglob("*.py"))
        for line in told_apart(ast.parse(file.read_text("utf-8")))
    ]
    assert len(places) <= MOST, places


def test_the_test_can_fail() -> None:
    """It sees such a statement."""
    assert list(told_apart(ast.parse("match here:\n    case Copy():\n        pass\n    case Choice():\n        pass")))
