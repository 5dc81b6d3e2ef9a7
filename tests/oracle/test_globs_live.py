"""Patterns of files beside real Ruby's `Dir.glob`, over random trees with links."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from wherefrom.base.globs import HostFiles, glob
from wherefrom.base.host import RealHost

pytestmark = [pytest.mark.oracle, pytest.mark.skipif(not shutil.which("ruby"), reason="needs Ruby")]

NAMES = ("a", "b", "c", ".h", "a.y", "b.y", ".k.y", "ab", "a-b")
TARGETS = (".", "..", "a", "b", "nope", "../a", "b.y")
PARTS = ("*", "**", "**", "a", "b", "c", "*.y", "?", "[ab]", "[^a]", "[!b]*", "a*", ".?*", r"\a", "*b", "[a-c].y")
BRACES = ("{a,b}", "{b,a,c}.y", "{b,a}", "{a/b,c}", "{a,{c,b}}", "{*,a}.y", "{,a}b", "a{b,}")
RUBY = "puts JSON.parse(STDIN.read).map { |p| begin; Dir.glob(p); rescue SystemCallError; nil; end }.to_json"


def grow(folder: Path, chance: random.Random, depth: int) -> None:
    """A tree of directories, files and links."""
    folder.mkdir()
    for name in chance.sample(NAMES, chance.randrange(1, 6)):
        place, kind = folder / name, chance.random()
        if kind < 0.4 and depth:
            grow(place, chance, depth - 1)
        elif kind < 0.55:
            place.symlink_to(chance.choice(TARGETS))
        else:
            place.touch()


def pattern_of(chance: random.Random) -> str:
    """A pattern. Below `**/`, braces stand directly behind it or nowhere: else Ruby 3.1 loses what they name."""
    parts: list[str] = []
    for _ in range(chance.randrange(1, 5)):
        has_braces = chance.random() < 0.35 and ("**" not in parts or (parts[-1] == "**" and len(parts) == 1))
        parts.append(chance.choice(BRACES if has_braces else PARTS))
        if has_braces and "**" in parts:
            break
    return "/".join(parts) + chance.choice(("", "", "", "", "/"))


def test_globs_are_rubys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same paths in the same order."""
    chance = random.Random(7)
    compared = 0
    for number in range(25):
        folder = tmp_path / str(number)
        grow(folder, chance, 3)
        monkeypatch.chdir(folder)
        patterns = [pattern_of(chance) for _ in range(60)]
        done = subprocess.run(
            ["ruby", "-rjson", "-e", RUBY], input=json.dumps(patterns), capture_output=True, text=True, check=True
        )
        files = HostFiles(RealHost([str(tmp_path)]))
        for pattern, paths in zip(patterns, json.loads(done.stdout), strict=True):
            if paths is not None:  # more links than the system follows
                assert glob(pattern, files) == paths, (pattern, number)
                compared += bool(paths)
    assert compared > 300
