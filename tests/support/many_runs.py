"""Many runs in one process, for the tests on threads and on memory.

Each number is a program: a third are SmartFrog, a third Puppet, a third Nix, made by the generators, no two alike; some
are wrong. `answer` runs one in a session of its own and tells everything about the outcome that can be compared.

    python -m support.many_runs 20000 smartfrog,puppet,nix

runs that many, one after the other, and prints how much memory the process had in each tenth, as JSON.
"""

from __future__ import annotations

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
from whence.base.diagnostics import WhenceError
from whence.base.host import PureHost
from whence.base.workshop import Workshop
from whence.language import Inputs
from whence.languages import load_language

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
    """What comes of a program: its text, its lines, and whence some of its values came; or its error."""
    main, files = files_of(language, seed)
    inputs = Inputs(NODE, FACTS, {"trace": True} if seed % 2 else {})
    try:
        outcome = load_language(language).run(main, PureHost(files), inputs, Workshop())
        logs = [(log.level, log.message) for log in outcome.logs]
        explained = []
        if seed % 3 == 0:
            for selected in list(outcome.outputs())[:MOST_EXPLAINED]:
                explanation = outcome.explain(selected.path)
                explained.append(
                    (selected.path, repr(selected.value), sorted(str(leaf.key) for leaf in explanation.depends))
                )
        return "ok", outcome.text(), logs, explained
    except WhenceError as problem:
        return type(problem).__name__, str(problem)


def resident() -> int:
    """Bytes of memory that this process has for itself; pages of files do not count, they come and go."""
    with open("/proc/self/statm", "rb") as file:
        _, used, shared, *_ = map(int, file.read().split())
    return (used - shared) * os.sysconf("SC_PAGE_SIZE")


def main(count: int, languages: Sequence[str]) -> None:
    """Run `count` programs and print the memory of each tenth: the mean over its runs."""
    tenths = []
    for tenth in range(10):
        sizes = []
        for number in range(tenth * count // 10, (tenth + 1) * count // 10):
            answer(languages[number % len(languages)], number)
            sizes.append(resident())
        tenths.append(sum(sizes) / len(sizes))
    print(json.dumps(tenths))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2].split(","))
