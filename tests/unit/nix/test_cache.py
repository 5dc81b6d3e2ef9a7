"""Compiled programs kept on disk: the same answers with and without, and nothing foreign is ever run."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from wherefrom.base.host import RealHost
from wherefrom.nix.emit.cache import ProgramCache
from wherefrom.nix.front.language import NixOutcome, Request
from wherefrom.nix.front.machine import Machine
from wherefrom.nix.front.warming import Warmed, nix_files, warm, warm_files
from wherefrom.nix.kernel.versions import OLD

FILES = {
    "default.nix": "{ lib ? import ./lib.nix, deep ? false }: { a = lib.double 4; b = ./x; c = lib.f { }; d = lib.f; }",
    "lib.nix": "rec { double = x: x * 2; f = { y ? double 3, ... }: { inherit y; place = __curPos; }; unused = "
    + "x: " * 3
    + "[ "
    + " ".join(f"(x + {n})" for n in range(200))
    + " ]; }",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def outcome(tree: Path, cache: ProgramCache | None, traced: bool = False) -> NixOutcome:
    request = Request(str(tree / "default.nix"), RealHost([str(tree)]), {"no_cache": True, "argstrs": {"deep": "x"}})
    request.cache = cache
    return NixOutcome(request, traced)


def cache_of(tree: Path) -> ProgramCache:
    return ProgramCache(str(tree / "cache" / "programs"), str(tree / "state"))


@pytest.mark.parametrize("traced", [False, True])
def test_the_same_answer_from_the_cache(tree: Path, traced: bool) -> None:
    """Value, positions and histories are those of a fresh compilation; nothing is parsed again."""
    without = outcome(tree, None, traced)
    first, second = cache_of(tree), cache_of(tree)
    cold = outcome(tree, first, traced)
    printed = cold.printed("xml", strict=True)
    assert (first.hits, first.misses) == (0, 2)
    del cold
    gc.collect()
    warm = outcome(tree, second, traced)
    assert warm.printed("xml", strict=True) == printed == without.printed("xml", strict=True)
    assert (second.hits, second.misses) == (2, 0)
    assert warm.select("c.y").value == 6
    assert sorted(warm.sources) == sorted(without.sources)


def test_a_changed_text_is_another_entry(tree: Path) -> None:
    """The text itself is what an entry is found by."""
    outcome(tree, cache_of(tree)).text()
    gc.collect()
    (tree / "lib.nix").write_text(FILES["lib.nix"].replace("x * 2", "x * 3"))
    changed = cache_of(tree)
    assert outcome(tree, changed).select("a").value == 12
    assert changed.hits == 1


@pytest.mark.long
def test_units_that_were_not_called_are_compiled_later(tree: Path) -> None:
    """An entry grows: what one run did not call the next one may, and a third finds it compiled."""
    outcome(tree, cache_of(tree)).text()
    gc.collect()
    sizes = sum(path.stat().st_size for path in (tree / "cache" / "programs").iterdir())
    request = Request("", RealHost([str(tree)]), {"expression": "((import ./lib.nix).unused 1 2 3)", "no_cache": True})
    for _ in range(2):
        request.cache = cache_of(tree)
        machine = Machine(request.host, directory=str(tree), cache=request.cache)
        slot = machine.evaluate_text("«string»", "builtins.foldl' builtins.add 0 ((import ./lib.nix).unused 1 2 3)")
        assert slot == 200 * 3 + sum(range(200))
        del machine, slot
        gc.collect()
    assert sum(path.stat().st_size for path in (tree / "cache" / "programs").iterdir()) != sizes


def test_plain_and_recorded_programs_do_not_meet(tree: Path) -> None:
    """The kind of code is part of what an entry is found by."""
    outcome(tree, cache_of(tree)).text()
    gc.collect()
    recording = cache_of(tree)
    assert outcome(tree, recording, traced=True).select("a").value == 8
    assert recording.hits == 0


def test_foreign_and_broken_entries_are_not_run(tree: Path) -> None:
    """Renamed, changed or brought from elsewhere: missing, and the answer stays."""
    outcome(tree, cache_of(tree)).text()
    gc.collect()
    folder = tree / "cache" / "programs"
    one, two = sorted(path for path in folder.iterdir() if path.name != "swept")
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first[:-1] + bytes([first[-1] ^ 1]))
    attacked = cache_of(tree)
    assert outcome(tree, attacked).select("a").value == 8
    assert attacked.hits == 0
    os.chmod(folder, 0o777)
    open_to_all = cache_of(tree)
    assert outcome(tree, open_to_all).select("a").value == 8
    assert open_to_all.hits == 0
    elsewhere = ProgramCache(str(folder), str(tree / "other state"))
    assert outcome(tree, elsewhere).select("a").value == 8
    assert elsewhere.hits == 0


@pytest.mark.parametrize("traced", [False, True])
def test_another_directory_finds_the_same_files(tree: Path, traced: bool) -> None:
    """A file is found by its text; relative paths are those of the directory where it lies."""
    text = '{ here = ./x; above = ../y; under = ./a + "/b"; made = ./${"d"}/e; place = __curPos.file; far = /z/../q; }'
    directories = [tree / "one", tree / "two" / "deep"]
    answers = []
    for directory in directories:
        directory.mkdir(parents=True)
        (directory / "default.nix").write_text(text)
        request = Request(str(directory / "default.nix"), RealHost([str(directory)]), {"no_cache": True})
        cache = request.cache = cache_of(tree)
        found = NixOutcome(request, traced)
        answers.append({name: found.select(name).value for name in ("here", "above", "under", "made", "place", "far")})
        del found
        gc.collect()
    assert cache.hits > 0 and cache.misses == 0
    for directory, answer in zip(directories, answers):
        assert answer == {
            "here": f"{directory}/x",
            "above": f"{directory.parent}/y",
            "under": f"{directory}/a/b",
            "made": f"{directory}/d/e",
            "place": f"{directory}/default.nix",
            "far": "/q",
        }


def test_warm_files_are_not_compiled_again(tree: Path) -> None:
    """After `warm` nothing is missing from the cache, whatever is asked; what is no Nix is counted."""
    (tree / "broken.nix").write_text("{ a = ")
    paths = list(nix_files(str(tree)))
    assert warm_files(str(tree), OLD, paths, cache_of(tree)) == (2, 0, 1)
    assert warm_files(str(tree), OLD, paths, cache_of(tree)) == (0, 2, 1)
    for traced in (False, True):
        cache = cache_of(tree)
        assert outcome(tree, cache, traced).select("a").value == 8
        assert cache.hits > 0 and cache.misses == 0
        gc.collect()


def test_files_of_a_process_that_ended_count_as_failed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of others are compiled."""
    monkeypatch.setattr("wherefrom.nix.front.warming.TOGETHER", 1)
    monkeypatch.setattr("wherefrom.nix.front.warming.warm_files", lambda *_: Warmed(compiled=1))

    def spread(items: Sequence[str], work: Callable[[str], dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
        yield items[0], {"ok": False, "lost": True}
        yield from ((item, work(item)) for item in items[1:])

    assert warm(str(tree), "2.8", [], spread) == Warmed(compiled=len(FILES) - 1, failed=1)
