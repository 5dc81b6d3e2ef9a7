"""Errors that keep a node from compiling: all of them at once, or told beside an answer about the rest."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..base.diagnostics import Diagnostic, once
from ..language import failures_in
from .reports import report

if TYPE_CHECKING:
    from ..language import Outcome


def independent(outcome: Outcome) -> list[Diagnostic]:
    """The errors of code that was left out, without those that follow from others."""
    return once(problem for _, problem, own in failures_in(outcome) if own)


def tell_left_out(*outcomes: Outcome) -> None:
    """On stderr, what was left out of outcomes and why."""
    problems = once(problem for outcome in outcomes for problem in independent(outcome))
    if not problems:
        return
    owners = dict.fromkeys(owner for outcome in outcomes for owner, _, own in failures_in(outcome) if own)
    report(problems)
    sys.stderr.write(f"\nwarning: left out because it fails: {', '.join(owners)}\n")
    sys.stderr.flush()
