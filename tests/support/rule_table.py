"""Tables of rules for the docs: each rule with its statement and a case that fires it, kept true by a test.

A page has the marks `<!-- rules -->` and `<!-- end of rules -->`; `fill` writes a table between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from support.cases import Case
from wherefrom.semantics import rules

START, END = "<!-- rules -->\n", "<!-- end of rules -->\n"
ROOT = Path(__file__).resolve().parents[2]


def firing_cases(cases: Iterable[Case], run: Callable[[Case], object]) -> dict[str, str]:
    """For every rule, the first case that fires it."""
    found: dict[str, str] = {}
    for case in cases:
        rules.FIRED.clear()
        run(case)
        for name in rules.FIRED:
            found.setdefault(name, case.name)
    return found


def table(relations: Iterable[rules.Relation[object]], cases: dict[str, str]) -> str:
    """Rule, statement, function, case."""
    lines = ["| rule | statement | function | case |", "|---|---|---|---|"]
    for relation in relations:
        for rule in relation.rules.values():
            statement = " ".join(rule.statement.split("\n\n")[0].split()).replace("|", "\\|").replace("`", "'")
            function = f"{rule.try_on.__module__.rsplit('.', 1)[-1]}.{rule.try_on.__name__}"
            lines.append(f"| {rule.name} | `{statement}` | `{function}` | {cases.get(rule.full_name, '')} |")
    return "\n".join(lines) + "\n"


def filled(page: str, text: str) -> str:
    """The page with `text` between its marks."""
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{text}\n{END}{after}"
