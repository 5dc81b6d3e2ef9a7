"""The rooms of the house: who may import whom, and how large a file may grow."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[2] / "src"
LARGEST = 1_000
"""Lines.  Past this a file is two things."""

ALLOWED = {
    "base": {"base"},
    "provenance": {"base", "provenance"},
    "language": {"base", "provenance"},
    "smartfrog": {"base", "provenance", "language", "smartfrog"},
    "ruby": {"base", "provenance", "ruby"},
    "puppet": {"base", "provenance", "language", "ruby", "puppet"},
    "nix": {"base", "provenance", "language", "nix"},
    "semantics.rules": {"base"},
    "semantics.smartfrog": {"base", "semantics.rules", "semantics.smartfrog", "smartfrog"},
    "semantics.puppet": {"base", "semantics.rules", "semantics.puppet", "puppet"},
    "semantics.nix": {"base", "semantics.rules", "semantics.nix", "nix"},
    "project": {"base"},
    "survey": {"base", "project"},
    "revisions": {"base"},
    "saved": {"base", "provenance", "language"},
    "comparison": {"base", "provenance", "language"},
    "session": {"base", "provenance", "language", "saved", "comparison", "revisions", "puppet"},
    "api": {"base", "provenance", "language", "session", "comparison"},
    "cli": {
        "base",
        "provenance",
        "language",
        "session",
        "api",
        "saved",
        "comparison",
        "project",
        "survey",
        "revisions",
        "cli",
        "nix",
        "",
    },
    "": {"api", "session", "base", "language", "provenance", "cli"},
    "__main__": {"cli"},
}
"""Room by room, the rooms it may import.  The empty name is the package's own face."""

FRONT_ENDS = {
    "smartfrog": ("smartfrog.tree", "smartfrog.parser", "smartfrog.lexer", "smartfrog.include", "smartfrog.errors"),
    "puppet": ("puppet.syntax", "puppet.kernel"),
    "nix": ("nix.syntax", "nix.kernel.errors"),
}
"""What a semantics may see of its language: tree and parser, never an evaluator."""


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted((SRC / "whence").rglob("*.py")):
        parts = path.relative_to(SRC / "whence").with_suffix("").parts
        yield ".".join(part for part in parts if part != "__init__"), path


def room_of(module: str) -> str:
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "semantics" and len(parts) > 1 else parts[0]


def imports_of(module: str, path: Path) -> Iterator[tuple[int, str]]:
    """Every module of ours that a file imports, absolute, without the leading package name."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    package = [part for part in package if part]
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                base = package[: len(package) - node.level + 1]
                target = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            elif node.module and node.module.split(".")[0] == "whence":
                target = node.module.removeprefix("whence").strip(".")
            else:
                continue
            for alias in node.names:
                inner = f"{target}.{alias.name}".strip(".")
                yield node.lineno, inner if _exists(inner) else target
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "whence":
                    yield node.lineno, alias.name.removeprefix("whence").strip(".")


def _exists(module: str) -> bool:
    path = SRC / "whence" / Path(*module.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def illegal_imports() -> Iterator[str]:
    for module, path in modules():
        room = room_of(module)
        if room == "semantics":
            continue
        for line, target in imports_of(module, path):
            if room_of(target) not in ALLOWED[room]:
                yield f"{path.name}:{line}: {module or 'whence'} imports {target or 'whence'}"
            if room.startswith("semantics."):
                language = room.split(".")[1]
                if room_of(target) == language and not target.startswith(FRONT_ENDS.get(language, ())):
                    yield f"{path.name}:{line}: {module} imports {target}, which is no front end"


def test_rooms_import_only_what_the_table_allows() -> None:
    """Arrows between rooms go one way."""
    assert list(illegal_imports()) == []


@pytest.mark.parametrize("language", ["puppet", "smartfrog", "nix"])
def test_languages_never_import_each_other(language: str) -> None:
    """The table itself keeps the three languages apart."""
    assert not ALLOWED[language] & ({"puppet", "smartfrog", "nix"} - {language})


def test_files_are_not_too_long() -> None:
    """A file past the cap is two things."""
    lengths = {str(path): path.read_text().count("\n") for _, path in modules()}
    assert {name: lines for name, lines in lengths.items() if lines > LARGEST} == {}


def test_every_module_says_what_it_is_for() -> None:
    """A module opens with a paragraph."""
    silent = [
        str(path) for _, path in modules() if path.stat().st_size and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []
