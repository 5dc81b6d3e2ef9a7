"""Patterns of files beside Ruby's `Dir.glob`, whose answers (3.1) stand here as it gave them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from wherefrom.base.budget import Budget
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.globs import HostFiles, glob, name_test
from wherefrom.base.host import PureHost, RealHost

DIRECTORIES = ("a/c", "b", ".h", "a.d")
FILES = ("a.yaml", "a/b.yaml", "a/c/x.yaml", "b/z.yaml", ".h/q.yaml", ".k.yaml", "c.yaml", "a.d/y.yaml")
LINKS = {"lb": "b", "dangling.yaml": "nowhere", "fl.yaml": "a.yaml", "self": "."}
PLAIN = ["a.yaml", "c.yaml", "dangling.yaml", "fl.yaml"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Directories, files and links, one of them into itself; it is the current directory."""
    for name in DIRECTORIES:
        (tmp_path / name).mkdir(parents=True)
    for name in FILES:
        (tmp_path / name).touch()
    for name, target in LINKS.items():
        (tmp_path / name).symlink_to(target)
    monkeypatch.chdir(tmp_path)
    yield tmp_path


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("**/*.yaml", ["a/b.yaml", "a/c/x.yaml", "a.d/y.yaml", "a.yaml", "b/z.yaml", *PLAIN[1:]]),
        ("{c,a}.yaml", ["c.yaml", "a.yaml"]),
        ("{b/z,a/b,nope}.yaml", ["b/z.yaml", "a/b.yaml"]),
        ("*/*.yaml", ["a/b.yaml", "a.d/y.yaml", "b/z.yaml", "lb/z.yaml", *(f"self/{name}" for name in PLAIN)]),
        ("lb/**/*.yaml", ["lb/z.yaml"]),
        ("[!a].yaml", ["c.yaml"]),
        ("[^a].yaml", ["c.yaml"]),
        ("[a-c].yaml", ["a.yaml", "c.yaml"]),
        ("**.yaml", PLAIN),
        ("a/{c,nope}/*.yaml", ["a/c/x.yaml"]),
        (".?*.yaml", [".k.yaml"]),
        ("{a,a/c}/*.yaml", ["a/b.yaml", "a/c/x.yaml"]),
        ("**/**/x.yaml", ["a/c/x.yaml"]),
        ("**/{x,b}.yaml", ["a/b.yaml", "a/c/x.yaml"]),
        ("*.yaml/", []),
        (r"\a.yaml", ["a.yaml"]),
        (r"\*.yaml", []),
        ("{a.yaml,a.yaml}", ["a.yaml", "a.yaml"]),
        ("a/../c.yaml", ["a/../c.yaml"]),
        ("**/c/*.yaml", ["a/c/x.yaml"]),
        ("{**/x,a}.yaml", ["a/c/x.yaml", "a.yaml"]),
        ("a/**", ["a/b.yaml", "a/c"]),
        ("**/", ["a/", "a/c/", "a.d/", "b/"]),
        ("{a,{c,nope}}.yaml", ["a.yaml", "c.yaml"]),
        ("{,c}.yaml", ["c.yaml"]),
        ("[ab", []),
        ("a{", []),
        ("}", []),
        ("", []),
    ],
)
def test_as_ruby_has_it(folder: Path, pattern: str, paths: list[str]) -> None:
    """The same paths in the same order; also from a directory that is named apart, and from the root of all."""
    files = HostFiles(RealHost([str(folder)]))
    assert glob(pattern, files) == paths
    if pattern:
        below = [f"{folder}/{path}" for path in ([""] if pattern == "**/" else []) + paths]
        assert glob(pattern, files, str(folder)) == below
        assert glob(f"{folder}/{pattern}", files) == below


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("*", ".x", False),
        ("*.swp", ".a.swp", False),
        (".*", ".x", True),
        ("?x", ".x", False),
        ("*", "a/b", True),
        ("*", "", True),
        ("[^a]*", "b", True),
        ("\\*", "*", True),
        ("\\*", "a", False),
    ],
)
def test_one_name(pattern: str, name: str, matches: bool) -> None:
    """What Ruby's `File.fnmatch` says."""
    assert name_test(pattern)(name) is matches


def test_links_that_lead_upwards_end(folder: Path) -> None:
    """Twelve of them name more paths than anybody can walk."""
    for number in range(12):
        (folder / f"a/up{number}").symlink_to("..")
    with Budget(steps=5_000).in_force():
        assert glob("**/x.yaml", HostFiles(RealHost([str(folder)]))) == ["a/c/x.yaml"]


@pytest.mark.parametrize("pattern", ["{a,b}" * 40, "{" * 3000, "**/{a,b}" * 30, "*a" * 100 + "/b"])
def test_patterns_of_an_enemy(folder: Path, pattern: str) -> None:
    """They end: by the budget, or at once."""
    (folder / ("a" * 200)).mkdir()
    with Budget(steps=200_000).in_force():
        try:
            assert glob(pattern, HostFiles(RealHost([str(folder)]))) == []
        except Diagnostic as problem:
            assert "the budget of steps is spent" in problem.message


def test_a_deep_tree() -> None:
    """Deeper than functions can be called inside of each other."""
    path = "/".join("d" * 1200)
    assert glob("**/x", HostFiles(PureHost({f"{path}/x": ""}))) == [f"{path}/x"]
