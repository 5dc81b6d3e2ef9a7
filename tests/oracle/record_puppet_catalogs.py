"""Record real Puppet's answers: writes the section `want.json` of every Puppet case.

    .venv/bin/python tests/oracle/record_puppet_catalogs.py            # all cases
    .venv/bin/python tests/oracle/record_puppet_catalogs.py collectors # those whose name holds this

Needs Ruby and Puppet 7. The answers are committed, so that tests need neither.
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS.parent / "src")]

from support.cases import format_case  # noqa: E402
from support.puppet_cases import recorded_cases, request_of, text_of  # noqa: E402
from support.puppet_real import ask, normal  # noqa: E402


def main(wanted: list[str]) -> None:
    """Ask Puppet and write what it says."""
    cases = [case for case in recorded_cases() if not wanted or any(part in case.name for part in wanted)]
    changed = 0
    for case, answer in zip(cases, ask(request_of(case) for case in cases), strict=True):
        text = text_of(normal(answer))
        if case.sections.get("want.json") != text:
            case.sections["want.json"] = text
            case.path.write_text(format_case(case.header_text(), case.sections))
            changed += 1
    print(f"{len(cases)} cases, {changed} changed")


if __name__ == "__main__":
    main(sys.argv[1:])
