"""Record what real Puppet says about a library of functions written as newer ones are.

    .venv/bin/python tests/oracle/record_library.py

needs Ruby and Puppet 7; the module is `tests/cases/puppet/library/kit`, the questions beside it in `calls.txt` and
`manifests.txt`, the answers in `answers.jsonl`, which `test_library.py` compares with.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "src")]

from oracle.record_stdlib import kept, request  # noqa: E402
from support.puppet_real import ask  # noqa: E402

LIBRARY = HERE.parent / "cases" / "puppet" / "library"
ANSWERS = LIBRARY / "answers.jsonl"


def questions() -> list[tuple[str, str]]:
    """Kind and code of every question."""
    calls = (LIBRARY / "calls.txt").read_text(encoding="utf-8").splitlines()
    manifests = (LIBRARY / "manifests.txt").read_text(encoding="utf-8").splitlines()
    return [*(("call", each) for each in calls), *(("manifest", each) for each in manifests)]


def main() -> None:
    """Ask all questions and write the answers."""
    asked = questions()
    answers = ask(request(kind, code, str(LIBRARY)) for kind, code in asked)
    rows = [[kind, code, kept(kind, answer)] for (kind, code), answer in zip(asked, answers, strict=True)]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    ANSWERS.write_text(text, encoding="utf-8")
    print(f"{len(rows)} answers")


if __name__ == "__main__":
    main()
