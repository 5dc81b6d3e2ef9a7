"""Real Nix, live, on programs nobody wrote: values, failures, `--parse`, and positions by `--xml`.

A few hundred in a normal run where Nix is installed; 20,000 with `-m soak`.
"""

from __future__ import annotations

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from support.nix_language import DIRECTORY, HOME, answer, same_tree
from support.nix_programs import program

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(shutil.which("nix-instantiate") is None, reason="Nix is not installed"),
]

FLAGS = {"strict": ["--eval", "--strict"], "xml": ["--eval", "--strict", "--xml"], "parse": ["--parse"]}
ENOUGH = 4_000_000
"""No finite answer to a generated program is as long as this."""


def ask(seed: int, mode: str, size: int) -> str:
    """Real Nix's answer to one program."""
    command = ["nix-instantiate", "--store", "dummy://", *FLAGS[mode], "-E", text_of(seed, size)]
    environment = {"PATH": "/usr/bin:/bin", "HOME": HOME}
    with subprocess.Popen(
        command, cwd=DIRECTORY, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as run:
        assert run.stdout is not None
        text = run.stdout.read(ENOUGH)
        if len(text) == ENOUGH:  # a value that contains itself: in XML Nix writes it for ever
            run.kill()
            return "error"
    return text.decode("utf-8", "surrogateescape").rstrip("\n") if run.returncode == 0 else "error"


def text_of(seed: int, size: int) -> str:
    """The program, in brackets: a text that begins with a minus would be taken for an option."""
    return f"(\n{program(seed, size)})"


def compare(seeds: range, mode: str, size: int = 6) -> None:
    """Every program gives the same, or fails where Nix fails."""
    wrong: list[str] = []
    good = 0
    with ThreadPoolExecutor(2) as pool:
        for seed, theirs in zip(seeds, pool.map(lambda seed: ask(seed, mode, size), seeds)):
            ours = answer(text_of(seed, size), mode)
            if theirs == "error" and ours.startswith("error"):
                continue
            if "«repeated»" in ours + theirs:
                continue  # depends on where Nix keeps small lists and on the order in which it sets up variables
            good += 1
            if not (same_tree(ours, theirs) if mode == "parse" else ours == theirs):
                wrong.append(f"{seed}: {program(seed, size)}\n  Nix: {theirs}\n  we:  {ours}")
    assert not wrong, "\n".join(wrong[:10])
    assert good > len(seeds) // 2, "too few programs have a value for the comparison to mean much"


@pytest.mark.parametrize("mode", ["strict", "xml", "parse"])
def test_programs(mode: str) -> None:
    """A hundred programs in each mode."""
    start = {"strict": 0, "xml": 1_000, "parse": 2_000}[mode]
    compare(range(start, start + 100), mode)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
@pytest.mark.parametrize(("mode", "count"), [("strict", 600), ("xml", 250), ("parse", 150)])
def test_many_programs(mode: str, count: int, block: int) -> None:
    """20,000 programs, of several sizes."""
    start = 100_000 + block * 10_000
    compare(range(start, start + count), mode, size=4 + block % 5)
