"""Record programs of SmartFrog's levels, with what the rules of the semantics say about them.

    python tests/oracle/record_smartfrog.py

writes `tests/oracle/goldens/smartfrog_levels.json.xz`: a set that is kept aside. Its programs are written by the
generators of the tests with seeds that no test uses, and their answers by the rules in `wherefrom.semantics.smartfrog`,
never by the evaluators: level forward by the two-pass semantics, level production by the core's, on the same program
with its statements sorted (`support.smartfrog_shuffled`).
"""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from support.smartfrog_levels import forward_program  # noqa: E402
from support.smartfrog_programs import random_program  # noqa: E402
from support.smartfrog_shuffled import shuffled_program  # noqa: E402
from wherefrom.base.deep import with_deep_stack  # noqa: E402
from wherefrom.base.diagnostics import Diagnostic, ManyErrors  # noqa: E402
from wherefrom.base.host import PureHost  # noqa: E402
from wherefrom.semantics.smartfrog import forward, valuation  # noqa: E402
from wherefrom.semantics.smartfrog.domains import plain  # noqa: E402
from wherefrom.smartfrog.parser import load  # noqa: E402

GOLDENS = HERE / "goldens" / "smartfrog_levels.json.xz"
FIRST = 7_000_000
MANY = {"forward": 300, "production": 200}


def by_the_rules(files: dict[str, str], level: str) -> dict[str, Any]:
    """The store, or the code of the error."""
    specification = forward.specification if level == "forward" else valuation.specification
    host = PureHost(files)
    try:
        program = load(host.source("main.sf"), host).checked()
        return {"store": plain(with_deep_stack(lambda: specification(program.tree)))}
    except ManyErrors as problems:
        return {"error": problems.diagnostics[0].code}
    except Diagnostic as problem:
        return {"error": problem.code}


def forward_cases() -> list[dict[str, Any]]:
    """Programs of level forward: at most half of them are wrong."""
    cases: list[dict[str, Any]] = []
    wrong = 0
    seed = FIRST
    while len(cases) < MANY["forward"]:
        seed += 1
        files = random_program(seed).files
        if seed % 3:
            files = {"main.sf": forward_program(seed).source("main.sf").text}
        answer = by_the_rules(files, "forward")
        if "error" in answer:
            if 2 * wrong >= MANY["forward"]:
                continue
            wrong += 1
        cases.append({"level": "forward", "files": files, **answer})
    return cases


def production_cases() -> list[dict[str, Any]]:
    """Programs of level production that refer forwards."""
    cases = []
    for seed in range(FIRST, FIRST + MANY["production"]):
        program = shuffled_program(seed)
        answer = by_the_rules({"main.sf": program.sorted}, "core")
        store = program.in_order(answer["store"])
        cases.append({"level": "production", "files": {"main.sf": program.shuffled}, "store": store})
    return cases


def main() -> None:
    """Write the goldens."""
    text = json.dumps([*forward_cases(), *production_cases()], ensure_ascii=False)
    GOLDENS.write_bytes(lzma.compress(text.encode(), preset=9))


if __name__ == "__main__":
    main()
