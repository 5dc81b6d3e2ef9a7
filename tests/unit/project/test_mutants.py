"""The mutation tester: it finds what can be changed, changes it, and tells who is noticed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from support.mutants import Check, Map, Mutant, chosen_for, mutants_of, told, verdict

CODE = '''"""Words that are no code."""

LIMIT = 3


def is_small(number: int) -> bool:
    """More words."""
    if number < 0:
        return False
    return number <= 2 and number != 1


def idle() -> str:
    return f"a {1 + 1}"
'''


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    path = tmp_path / "mutated.py"
    path.write_text(CODE)
    spec = importlib.util.spec_from_file_location("mutated", path)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def found(module: ModuleType, line: int, kind: str) -> Mutant:
    assert module.__file__ is not None
    return next(each for each in mutants_of(Path(module.__file__)) if (each.line, each.kind) == (line, kind))


def test_what_can_be_changed(module: ModuleType) -> None:
    assert module.__file__ is not None
    places = {(each.line, each.kind) for each in mutants_of(Path(module.__file__))}
    assert (8, "If") in places and (8, "Compare") in places and (9, "Return") in places and (10, "BoolOp") in places
    assert (14, "BinOp") in places
    assert not {line for line, _ in places} & {1, 3, 6, 7}, "descriptions, annotations and code outside of functions"


def test_a_change_is_made(module: ModuleType) -> None:
    assert told(found(module, 10, "Compare")) == "number <= 2  ->  number < 2"
    assert told(found(module, 8, "If")) == "if number < 0:  ->  if not number < 0:"
    assert module.is_small(2)
    assert Map([Path(str(module.__file__))]).put_in_place(found(module, 10, "Compare"))
    assert not module.is_small(2)


def test_who_is_noticed(module: ModuleType) -> None:
    weak = Check("test", lambda: module.is_small(0))
    strong = Check("test", lambda: module.is_small(2))
    lines = Map([Path(str(module.__file__))])
    with lines:
        assert lines.watch(weak) and lines.watch(strong)
    bound = found(module, 10, "Compare")
    assert verdict(bound, [weak], lines) == "survived"
    assert verdict(bound, [weak, strong], lines) == "killed"
    assert verdict(found(module, 14, "BinOp"), [weak, strong], lines) == "unreached"
    assert module.is_small(2), "a mutant lives in a process of its own"


def test_what_a_mutant_is_put_to(module: ModuleType) -> None:
    """Who runs its lines, the quickest first, some of each sort; else who runs its function."""
    small = Check("test", lambda: module.is_small(0))
    quick = Check("test", lambda: module.is_small(2))
    negative = Check("test", lambda: not module.is_small(-1))
    lines = Map([Path(str(module.__file__))])
    checks = [small, quick, negative]
    with lines:
        assert all(lines.watch(check) for check in checks)
    small.seconds, quick.seconds = 2.0, 1.0
    assert chosen_for(found(module, 10, "Compare"), checks, lines) == [quick, small]
    assert chosen_for(found(module, 9, "Return"), checks, lines) == [negative]
    assert chosen_for(found(module, 9, "Return"), [small, quick], lines) == [quick, small]
    small.seconds = 1000.0
    assert chosen_for(found(module, 10, "Compare"), checks, lines) == [quick], "there is an end to it"
    assert chosen_for(found(module, 10, "Compare"), [small], lines) == [small], "but one is run"
    small.sort = "program"
    assert chosen_for(found(module, 10, "Compare"), checks, lines) == [quick, small], "and one of each sort"
