"""Many runs in one process, for the tests on threads and on memory.

Each number is a program: a third are SmartFrog, a third Puppet, a third Nix, made by the generators, no two alike; some
are wrong. `answer` runs one in a session of its own and tells everything about the outcome that can be compared.

    python -m support.many_runs 20000 smartfrog,puppet,nix

runs that many, one after the other, and prints two lists as JSON: how much memory the process had in each tenth, and
how many pieces of memory Python's objects held after it. The first is what a user sees, and depends on when the C
library gives back what is free; the second is exact.

    python -m support.many_runs same 20 smartfrog,puppet,nix

runs twenty programs of each language, three times over, then twenty others, and prints the pieces held after each turn.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Sequence
from random import Random
from typing import Any

from support.nix_programs import failing_program, program
from support.puppet_catalog_programs import FACTS, NODE, make_catalog_program
from support.puppet_programs import make_program
from support.smartfrog_programs import random_program
from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.execution import ExecutionContext
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.languages import load_language

LANGUAGES = ("smartfrog", "puppet", "nix")
MOST_EXPLAINED = 5


def files_of(language: str, seed: int) -> tuple[str, dict[str, str]]:
    """The main file of a program, and all its files."""
    match language:
        case "smartfrog":
            return "main.sf", random_program(seed).files
        case "puppet":
            make = make_catalog_program if seed % 2 else make_program
            return "main.pp", {"main.pp": make(Random(seed))}
        case _:
            make_nix = program if seed % 4 else failing_program
            return "/main.nix", {"/main.nix": make_nix(seed)}


def answer(language: str, seed: int) -> Any:
    """What comes of a program: its text, its lines, and where some of its values came from; or its error."""
    main, files = files_of(language, seed)
    inputs = Inputs(NODE, FACTS, {"trace": True} if seed % 2 else {})
    try:
        outcome = load_language(language).run(main, PureHost(files), inputs, ExecutionContext())
        logs = [(log.level, log.message) for log in outcome.logs]
        explained = []
        if seed % 3 == 0:
            for selected in list(outcome.outputs())[:MOST_EXPLAINED]:
                explanation = outcome.explain(selected.path)
                explained.append(
                    (selected.path, repr(selected.value), sorted(str(leaf.key) for leaf in explanation.depends))
                )
        return "ok", outcome.text(), logs, explained
    except WherefromError as problem:
        return type(problem).__name__, str(problem)


def resident() -> int:
    """Bytes of memory that this process has for itself; pages of files do not count, they come and go."""
    with open("/proc/self/statm", "rb") as file:
        _, used, shared, *_ = map(int, file.read().split())
    return (used - shared) * os.sysconf("SC_PAGE_SIZE")


def held() -> int:
    """How many pieces of memory Python's objects hold, when all garbage is gone.

    The interpreter remembers names that were looked for in classes, wherever they come from, in a table of fixed size;
    it is emptied, so that the number is exact.
    """
    gc.collect()
    getattr(sys, "_clear_internal_caches", sys._clear_type_cache)()
    return sys.getallocatedblocks()


def main(count: int, languages: Sequence[str]) -> None:
    """Run `count` programs and print the memory of each tenth (the mean over its runs) and what is held after it."""
    tenths, pieces = [], []
    for tenth in range(10):
        sizes = []
        for number in range(tenth * count // 10, (tenth + 1) * count // 10):
            answer(languages[number % len(languages)], number)
            sizes.append(resident())
        tenths.append(sum(sizes) / len(sizes))
        pieces.append(held())
    print(json.dumps([tenths, pieces]))


def same(count: int, languages: Sequence[str]) -> None:
    """Run `count` programs of each language three times over, then others, and print what is held after each turn."""
    pieces = []
    for first in (0, 0, 0, count):
        for language in languages:
            for number in range(first, first + count):
                answer(language, number)
        pieces.append(held())
    print(json.dumps(pieces))


if __name__ == "__main__":
    if sys.argv[1] == "same":
        same(int(sys.argv[2]), sys.argv[3].split(","))
    else:
        main(int(sys.argv[1]), sys.argv[2].split(","))
