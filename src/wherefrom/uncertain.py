"""What is not known of an outcome from which code was left out because it fails.

A value is not known if it depends on a failure (a leaf of that kind is among its inputs), or if it is, on the other
side of a comparison, part of what was left out. A difference in such a value may be one or not: it is told apart.
"""

from __future__ import annotations

from .base.diagnostics import Diagnostic, PathNotFound
from .comparison import Comparison, Difference
from .language import Outcome, declared_in, failures_in
from .provenance.extract import depends

FAILURE = "failure"


def is_uncertain(outcome: Outcome, path: str) -> bool:
    """Whether the value at a path of an outcome depends on code that was left out."""
    if not failures_in(outcome):
        return False
    try:
        return any(leaf.kind == FAILURE for leaf in depends(outcome.select(path).origin))
    except Diagnostic:
        return False


def without_uncertain(comparison: Comparison, before: Outcome, after: Outcome) -> Comparison:
    """A comparison without what only one side has since the other left it out; its notes say what is not known."""
    sides = (before, after)
    gone = [_owners(side) for side in sides]
    if not any(gone):
        return comparison
    kept: list[Difference] = []
    doubtful: list[str] = []
    unknown: list[str] = []
    for difference in comparison.differences:
        path, change = difference.path, difference.change
        if change in ("added", "removed") and _is_left_out(path, sides[change == "added"], sides[change != "added"]):
            unknown.append(path)
            continue
        kept.append(difference)
        there = [side for side, absent in zip(sides, ("added", "removed")) if change != absent]
        if any(is_uncertain(side, path) for side in there):
            doubtful.append(path)
    notes = [*comparison.notes]
    for words, owners in zip(("before", "after"), gone):
        if owners:
            listed = ", ".join(sorted(owners))
            notes.append(f"left out {words}, since it fails: {listed}; what it would do is not compared")
    for words, paths in (("not known on one side", unknown), ("may be another value, too", doubtful)):
        if paths:
            notes.append(f"{words}, as it depends on what was left out: {', '.join(paths)}")
    return Comparison(tuple(kept), comparison.same, tuple(notes))


def _owners(outcome: Outcome) -> set[str]:
    return {owner for owner, _, own in failures_in(outcome) if own or owner != "Class[main]"}


def _is_left_out(path: str, there: Outcome, absent: Outcome) -> bool:
    """Whether something of one outcome is absent from another since what declares it was left out.

    The nearest container that the other has decides: if all of its code ran, the absence is meant.
    """
    owners = _owners(absent)
    seen: set[str] = set()
    above: str | None = path
    while above is not None and above not in seen:
        seen.add(above)
        if above in owners:
            return True
        if above != path and _has(absent, above):
            return False
        above = declared_in(there, above)
    return False


def _has(outcome: Outcome, path: str) -> bool:
    try:
        outcome.select(path)
    except PathNotFound:
        return False
    return True
