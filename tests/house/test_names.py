"""Names are nouns that say what a thing is: not that it was found or made, nor that it is one of several."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "wherefrom"
EMPTY_NAMES = {"each", "found", "made"}


def bound_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The names that a module gives to variables, parameters, attributes, functions and what patterns capture.

    A function may be called what the language calls it: `each` of Puppet and Ruby.
    """
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name) if name != "each":
                yield node.lineno, name
            case ast.Name(name, ast.Store()) | ast.Attribute(_, name, ast.Store()) | ast.arg(name):
                yield node.lineno, name
            case ast.MatchAs(_, str(name)) | ast.MatchStar(str(name)):
                yield node.lineno, name


def empty_names(text: str) -> list[int]:
    """The lines of a module that give something a name that says nothing."""
    return sorted({line for line, name in bound_names(ast.parse(text)) if name in EMPTY_NAMES})


def test_names_say_what_a_thing_is() -> None:
    """Everywhere."""
    files = sorted(SOURCE.rglob("*.py"))
    assert len(files) > 90
    assert [
        f"{file.relative_to(SOURCE)}:{line}" for file in files for line in empty_names(file.read_text("utf-8"))
    ] == []


@pytest.mark.parametrize(
    "text",
    [
        "found = 1",
        "def f(made): pass",
        "def found(): pass",
        "for each in x: pass",
        "[each for each in x]",
        "self.made = 1",
        "match x:\n    case str() as found: pass",
        "match x:\n    case [*found]: pass",
    ],
)
def test_the_test_can_fail(text: str) -> None:
    """Every way to give a name."""
    assert empty_names(text)
    assert not empty_names(text.replace("found", "match_").replace("made", "built").replace("each", "item"))


LANGUAGES = ("nix", "puppet", "ruby", "smartfrog", "semantics/nix", "semantics/puppet", "semantics/smartfrog")
SYNTAX = frozenset("tree.py nodes.py syntax.py operations.py lexer.py parser.py".split())
"""Modules whose classes have the names of what a language has: `If` is a node of four syntax trees."""
TWICE = frozenset(
    (
        ("nix", "Machine"),  # what builtins may ask of a machine, and the machine
        ("nix", "Masks"),  # the same
        ("nix", "Definition"),  # of an attribute in a set, and of an option
    )
)
"""Names that mean two things in one language; no new ones."""


def classes_by_language() -> dict[tuple[str, str], list[str]]:
    """The public classes of each language, with the modules that define one of the name; what is shared is one more."""
    modules: dict[tuple[str, str], list[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        name = file.relative_to(SOURCE).as_posix()
        if file.name in SYNTAX:
            continue
        language = next((each for each in LANGUAGES if name.startswith(f"{each}/")), "")
        if not language and "/" in name:
            language = name.partition("/")[0]
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules.setdefault((language, node.name), []).append(name)
    return modules


def test_a_name_means_one_thing() -> None:
    """Within a language, two classes never have one name, but for those that are listed."""
    modules = classes_by_language()
    assert len(modules) > 800
    assert {key for key, files in modules.items() if len(files) > 1} == TWICE
