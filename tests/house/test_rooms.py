"""The rooms of the house: who may import whom, as `docs/architecture.md` says, and how large a file may grow."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from support.rooms import PAGE, ROOT, complaints, imports_of, modules_of, room_of, rooms_of

SRC = ROOT / "src"
LARGEST = 1_000
"""Lines.  Past this a file is two things."""
LARGEST_CYCLE = 8
"""Modules.  Past this they are one module in many files."""
LANGUAGES = ("puppet", "smartfrog", "nix")


def test_the_house_is_as_the_page_says() -> None:
    """Every module has a room; rooms import what their rows allow; cycles are small, inside of a room, and named."""
    assert complaints(SRC, PAGE.read_text(encoding="utf-8"), LARGEST_CYCLE) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_never_import_each_other(language: str) -> None:
    """The table itself keeps the three languages apart, and every evaluator away from its semantics."""
    others = set(LANGUAGES) - {language}
    for room in rooms_of(PAGE.read_text(encoding="utf-8")).values():
        family = room.name.split(".")[0]
        if family == language:
            assert not {each for each in room.allowed if each.split(".")[0] in (*others, "semantics")}, room.name
        if room.name == f"semantics.{language}":
            seen = {each.split(".")[0] for each in room.allowed}
            assert not seen & others and "provenance" not in seen


def test_commands_see_no_semantics_but_step() -> None:
    """The papers' rules are behind one command."""
    modules = modules_of(SRC)
    commands = {name: path for name, path in modules.items() if name.startswith("cli.")}
    seen = [each for name, path in commands.items() for each in imports_of(name, path, modules)]
    assert {each.importer for each in seen if each.target.startswith("semantics.")} == {"cli.step"}


def test_files_are_not_too_long() -> None:
    """A file past the cap is two things."""
    lengths = {str(path): path.read_text().count("\n") for path in modules_of(SRC).values()}
    assert {name: lines for name, lines in lengths.items() if lines > LARGEST} == {}


def test_every_module_says_what_it_is_for() -> None:
    """A module opens with a paragraph."""
    silent = [
        str(path)
        for path in modules_of(SRC).values()
        if path.stat().st_size and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []


# --- the test can fail -----------------------------------------------------------------------------------------------

PLAN = """
## The layers

| room | what lives there | may import |
|---|---|---|
| `low/` | the ground | |
| `high/`, `__init__.py` | the roof | `low/` |

### Cycles that stay

| modules | why |
|---|---|
| `low/a.py`, `low/b.py` | they do |
"""
HOUSE = {
    "__init__.py": "",
    "low/__init__.py": "",
    "low/a.py": "from . import b",
    "low/b.py": "def late():\n    from .a import a",
    "high/__init__.py": "",
    "high/c.py": "from ..low.a import x",
}


def built(folder: Path, changes: dict[str, str]) -> Path:
    """A small house, with some of its files changed."""
    for name, text in {**HOUSE, **changes}.items():
        path = folder / "wherefrom" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_a_good_house_passes(tmp_path: Path) -> None:
    """Nothing is wrong with the house that the next test spoils."""
    assert complaints(built(tmp_path, {}), PLAN, 2) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"low/a.py": "from . import b\nfrom ..high.c import y"}, "low.a:2 imports high.c: low -> high"),
        ({"low/a.py": "from . import b\nimport wherefrom.high.c"}, "low.a:2 imports high.c: low -> high"),
        ({"low/a.py": "from . import b\ndef f():\n    from wherefrom.high import c"}, "low.a:3 imports high.c: low"),
        (
            {"low/a.py": "from . import b\nif TYPE_CHECKING:\n    from ..high.c import C"},
            "low.a:3 imports high.c: low -> high",
        ),
        ({"low/a.py": "from . import b\nimport_module('wherefrom.high.c')"}, "low.a:2 imports high.c: low -> high"),
        ({"low/a.py": "from . import b\nimport_module(f'wherefrom.high.{x}')"}, "low.a:2 imports high.c: low -> high"),
        (
            {"low/a.py": "from . import b\nWHERE = {'c': 'wherefrom.high.c'}\nimportlib.import_module(WHERE[x])"},
            "low.a:2 imports high.c: low -> high",
        ),
        ({"low/a.py": "from . import b\nfrom ..high.c import y"}, "a cycle between rooms: high, low"),
        ({"high/d.py": "from . import e", "high/e.py": "from . import d"}, "a cycle that the page does not name"),
        (
            {"low/b.py": "from . import a, d", "low/d.py": "from . import a"},
            "a cycle of 3 modules: low.a, low.b, low.d",
        ),
        ({"low/b.py": ""}, "no such cycle: low.a, low.b"),
        ({"attic.py": ""}, "attic is in no room"),
    ],
)
def test_a_bad_house_is_told(tmp_path: Path, changes: dict[str, str], words: str) -> None:
    """An import against the arrows is found, however it is written; so is a cycle, and what the page forgot."""
    found = complaints(built(tmp_path, changes), PLAN, 2)
    assert any(each.startswith(words) for each in found), found


def test_a_wrong_page_is_told(tmp_path: Path) -> None:
    """Rooms that are not there are noticed too."""
    source = built(tmp_path, {})
    lost = complaints(source, PLAN.replace("| the roof | `low/` |", "| the roof | `low/`, `cellar/` |"), 2)
    assert lost == ["room high may import cellar, which is no room"]
    gone = complaints(source, PLAN.replace("| `high/`, ", "| `high/`, `shed.py`, "), 2)
    assert gone == ["room high has the path shed.py, which is not there"]


def test_the_longest_path_decides() -> None:
    """A file may be a room of its own inside of another."""
    rooms = rooms_of(PLAN.replace("| `low/` |", "| `low/a.py` | | |\n| `low/` |", 1))
    assert (room_of("low.a", rooms), room_of("low.b", rooms), room_of("lower", rooms)) == ("low.a", "low", None)
