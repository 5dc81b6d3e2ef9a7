"""The table of definitions in docs/semantics/smartfrog.md is what the code says.  `WHEREFROM_UPDATE=1` rewrites it."""

from __future__ import annotations

import os
import re

from support.cases import Case, load_cases
from support.rule_table import ROOT, filled, firing_cases
from wherefrom.base.diagnostics import WherefromError
from wherefrom.base.host import PureHost
from wherefrom.semantics import rules
from wherefrom.semantics.smartfrog.step import derive_and_show
from wherefrom.smartfrog import errors

CASES = [case for case in load_cases("smartfrog") if case.header.get("reference", True)]

SHOWN_BY = {
    7: "corners/placed-component-scope",
    8: "corners/snapshot-then-more",
    9: "facts/target-emptied-first",
    10: "paper/sec-7.1-termination",
    11: "facts/search-goes-on-outwards",
    12: "facts/overwriting-keeps-position",
    13: "errors/err2-no-parent",
    14: "facts/null-is-found",
    15: "paper/app-b2-references",
    16: "facts/link-before-local",
    17: "facts/inherited-come-first",
    18: "errors/err4-unknown-prototype",
    19: "syntax/literals",
    20: "facts/data-references",
    21: "paper/sec-3.1-vector",
    22: "paper/app-b1-values",
    23: "corners/multiple-prototypes",
    24: "paper/fig-02-servers",
    25: "facts/placement-creates-or-overwrites",
    26: "facts/link-after-local",
    27: "errors/err7-not-a-component",
}
"""For each definition the case that shows it best."""


def run(case: Case) -> object:
    try:
        return derive_and_show("main.sf", PureHost(case.files), {}).text()
    except WherefromError as problem:  # of syntax: no definition is used
        return problem


def definitions() -> list[rules.Equation]:
    found = [each for each in rules.EQUATIONS.values() if each.theory == "smartfrog"]
    return sorted(found, key=lambda each: int(each.number.split()[1]))


def test_every_definition_has_a_function_and_the_page_says_which() -> None:
    """Definitions 7 to 27 without a gap, each with its statement, its function and a case that uses it."""
    assert [each.number for each in definitions()] == [f"Def {number}" for number in range(7, 28)]
    lines = ["| definition | statement | function | case |", "|---|---|---|---|"]
    for number, each in zip(SHOWN_BY, definitions(), strict=True):
        case = f"smartfrog/{SHOWN_BY[number]}"
        assert each.full_name in firing_cases([known for known in CASES if known.name == case], run), each.number
        statement = " ".join(each.statement.split()).replace("|", "\\|")
        function = f"{each.function.__module__.rsplit('.', 1)[-1]}.{each.function.__name__}"
        lines.append(f"| {each.number} | `{statement}` | `{function}` | `tests/cases/{case}.case` |")
    page = ROOT / "docs" / "semantics" / "smartfrog.md"
    wanted = filled(page.read_text(), "\n".join(lines) + "\n")
    if os.environ.get("WHEREFROM_UPDATE"):
        page.write_text(wanted)
    assert page.read_text() == wanted


def test_the_rules_of_level_forward_are_those_of_the_page() -> None:
    """Fwd 1 to 6, each with the statement that its function has."""
    page = (ROOT / "docs" / "semantics" / "smartfrog.md").read_text()
    rows = re.findall(r"^\| (Fwd \d) \| `(.*?)` \| `(.*?)` \|$", page, re.M)
    theory = [each for each in rules.EQUATIONS.values() if each.theory == "smartfrog-forward"]
    assert sorted(rows) == [
        (
            each.number,
            " ".join(each.statement.split()).rstrip("."),
            f"{each.function.__module__.rsplit('.', 1)[-1]}.{each.function.__name__}",
        )
        for each in sorted(theory, key=lambda each: each.number)
    ]


def test_every_error_has_a_case() -> None:
    """Each code of `errors.py` is expected by some case, and cases expect no others."""
    kinds = vars(errors).values()
    codes = {kind.code for kind in kinds if isinstance(kind, type) and issubclass(kind, errors.SmartFrogError)}
    wants = ("want.error", "want.check", "want.missing")
    sections = [section for case in load_cases("smartfrog") for section in case.sections.items()]
    text = "".join(text for name, text in sections if name.startswith(wants))
    assert set(re.findall(r"\bS\d{3}\b", text)) == codes - {"W000"}
