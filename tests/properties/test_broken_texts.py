"""Texts in the middle of being written: every prefix and every token taken away gives an answer, and costs little else.

`make soak` takes files of Debian's Puppet modules as well, where they are installed: some places in each; with
`WHEREFROM_BROKEN=200`, every place in that many files of at most 1,500 characters.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from support.broken_texts import kept, prefixes, without_tokens
from support.examples import examples, fresh
from wherefrom.base.diagnostics import Diagnostic, WherefromError
from wherefrom.base.host import PureHost
from wherefrom.base.source import SourceFile
from wherefrom.languages import load_language

ROOT = Path(__file__).resolve().parents[2]
MODULES = Path("/usr/share/puppet/modules.available")
FILES = [
    path
    for suffix in ("pp", "epp", "sf", "nix", "yaml", "erb")
    for path in sorted((ROOT / "examples").rglob(f"*.{suffix}"))
]
LANGUAGES = {".sf": "smartfrog", ".nix": "nix"}
SHARE = 0.95
"""Of the other definitions."""


def asked(language: str, name: str, text: str, at: int) -> None:
    """Everything that an editor asks of a text by itself."""
    front, source = load_language(language), SourceFile(name, text)
    try:
        problems = front.check(source, PureHost({name: text}))
        assert all(problem.span is None or problem.span.end <= len(text) for problem in problems)
    except Diagnostic:
        pass
    try:
        for mention in front.mentions(source):
            span, own = mention.span, mention.at
            assert 0 <= span.start <= own.start <= own.end <= span.end <= len(text), mention
            assert span.file is source or span.file.text == text
    except WherefromError:
        assert name.endswith(("yaml", "json"))
    front.statements(source)
    front.expected(source, min(at, len(text)))


def share_kept(paths: list[Path], random: Random, most: int) -> float:
    """Ask everything of broken texts; the share of the other definitions that is still known."""
    known = wanted = 0
    for path in paths:
        language, text = LANGUAGES.get(path.suffix, "puppet"), path.read_text()
        for broken, start, end in (*prefixes(text, random, most), *without_tokens(text, random, most)):
            asked(language, str(path), broken, start)
            if path.suffix in (".pp", ".nix", ".sf"):
                here, of = kept(language, str(path), text, broken, start, end)
                known, wanted = known + here, wanted + of
    return known / max(1, wanted)


@pytest.mark.parametrize("suffix", [".pp", ".epp", ".sf", ".nix", ".yaml", ".erb"])
def test_of_the_examples(suffix: str) -> None:
    """Each kind of file."""
    paths = [path for path in FILES if path.suffix == suffix]
    share = share_kept(paths, Random(fresh(range(1)).start), examples(9))
    least = 0.85 if suffix == ".sf" else 0.9  # small files: one name is a tenth of them
    assert suffix not in (".pp", ".nix", ".sf") or share >= least


@pytest.mark.soak
def test_of_real_modules() -> None:
    """In files that people wrote."""
    if not MODULES.exists():
        pytest.skip("Debian's Puppet modules are not installed")
    every = int(os.environ.get("WHEREFROM_BROKEN", "0"))
    largest = 1_500 if every else 10**6
    paths = sorted(path for path in MODULES.rglob("*.pp") if 500 < path.stat().st_size <= largest)
    seed = fresh(range(1)).start
    Random(seed).shuffle(paths)
    assert share_kept(paths[: every or 60], Random(seed), 10**9 if every else 10) >= SHARE
