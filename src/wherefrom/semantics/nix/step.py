"""`wherefrom step x.nix`: the reductions of a program, one by one, each with its rule and context."""

from __future__ import annotations

from typing import Any

from ...base.host import Host
from ...nix.syntax.parser import parse
from ..rules import RELATIONS, Derivation
from .elaborate import elaborate
from .reduction import program, step, stuck_redex
from .show import plain, show
from .syntax import Term, is_strong

WIDTH = 600
"""Characters of a term that the terminal shows."""


class Report:
    """A derivation and how it ended."""

    def __init__(self, derivation: Derivation[Term], limit: int) -> None:
        self.derivation = derivation
        self.limit = limit

    @property
    def problem(self) -> bool:
        """Whether the program got stuck."""
        return not is_strong(self.derivation.last) and step(self.derivation.last) is None

    @property
    def ending(self) -> str:
        """How it ended: a value, stuck (and on what), or not within the limit."""
        last = self.derivation.last
        count = len(self.derivation.steps)
        if is_strong(last):
            return f"value after {count} steps"
        if step(last) is None:
            return f"stuck after {count} steps: no rule applies to {show(stuck_redex(last), WIDTH)}"
        return f"not finished after {count} steps"

    def text(self) -> str:
        """For a terminal."""
        return self.derivation.to_text(lambda e: show(e, WIDTH)) + f"\n{self.ending}\n"

    def json(self) -> dict[str, Any]:
        """For a program."""
        last = self.derivation.last
        document = self.derivation.to_json(show)
        return {
            **document,
            "statements": {name: statement_of(name) for name in sorted(self.rules())},
            "ending": self.ending,
            **({"value": plain(last)} if is_strong(last) else {}),
        }

    def rules(self) -> set[str]:
        """The rules that were used."""
        return {name for step in self.derivation.steps for name in step.rules}


def statement_of(name: str) -> str:
    """A rule as its docstring states it; nothing for a context, which is its own statement."""
    for relation in RELATIONS.values():
        if relation.name.startswith("nix.") and name in relation.rules:
            return " ".join(relation.rules[name].statement.split())
    return ""


def derive_and_show(path: str, host: Host, options: dict[str, Any]) -> Report:
    """Reduce the program in `path`.  Options: `limit`, and `until`, the name of a rule to stop after."""
    limit = options.get("limit") or 10_000
    return Report(derive(program(elaborate(parse(host.source(path)))), limit, options.get("until")), limit)


def derive(e: Term, limit: int, until: str | None = None) -> Derivation[Term]:
    """The derivation of e, at most `limit` steps long."""
    derivation = Derivation(e)
    while len(derivation.steps) < limit:
        applied = step(derivation.last)
        if applied is None:
            break
        derivation.add(*applied)
        if until is not None and applied[0][-1].casefold() == until.casefold():
            break
    return derivation
