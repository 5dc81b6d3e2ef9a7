"""One mechanism for one thing: the walk along a history, and caches that forget."""

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


BOUNDED_BY_HAND = frozenset(
    (
        "base/regex/automaton.py",  # all states at once: they refer to each other
        "fleet/stable.py",  # by the questions inside, not by entries
        "fleet/traces.py",  # a set
    )
)


def emptied_at_a_size(tree: ast.AST) -> Iterator[int]:
    """The lines of tests of how much something holds that end with it being emptied."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.While) and any(
            isinstance(part, ast.Call) and getattr(part.func, "id", "") == "len" for part in ast.walk(node.test)
        ):
            first = node.body[0]
            if isinstance(first, ast.Delete) or ".clear()" in ast.unparse(first):
                yield node.lineno


def test_one_bounded_cache() -> None:
    """What forgets is a `Cache` (or an `lru_cache`), but where something else is counted than entries."""
    by_hand = {
        file.relative_to(SOURCE).as_posix()
        for file in sorted(SOURCE.rglob("*.py"))
        if list(emptied_at_a_size(ast.parse(file.read_text("utf-8"))))
    }
    assert by_hand <= BOUNDED_BY_HAND, by_hand - BOUNDED_BY_HAND


def test_emptying_is_seen() -> None:
    """Both ways to forget."""
    assert list(emptied_at_a_size(ast.parse("if len(known) >= 5:\n    known.clear()")))
    assert list(emptied_at_a_size(ast.parse("while len(known) > 5:\n    del known[next(iter(known))]")))
