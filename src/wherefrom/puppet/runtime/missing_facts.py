"""Facts that a node lacks, named where their absence is why code failed.

A fact that no file of facts has is undef, and what fails later speaks of undef alone: a selector that has no entry for
it, a parameter or an argument whose type it is not. The value's origin knows better: it is followed by what the value
was computed from, past tests and guards (which decided that the code ran, not what the value is), to the facts that are
not there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...base.plural import count_of
from ...provenance.extract import parts
from ...provenance.origins import Guard, Leaf, Origin

if TYPE_CHECKING:
    from ..kernel.traced import Traced
    from .compilation import Compilation

MOST = 2_000
"""Nodes of a history that are looked at: this is a hint."""


def lacking_facts(run: Compilation, values: Iterable[Traced]) -> str | None:
    """A hint that names the facts whose absence made some of these values undef; nothing where it did not."""
    names = dict.fromkeys(name for value, origin in values if value is None for name in _absent_facts(origin))
    if not names:
        return None
    hints = []
    for name in names:
        count = run.environment.readers_of(name)
        readers = f"; {count_of(count, 'manifest')} read{'s' * (count == 1)} it" if count else ""
        hints.append(f"node {run.node} has no fact {name}{readers}")
    return ". ".join(hints)


def _absent_facts(origin: Origin) -> Iterable[str]:
    seen: set[int] = set()
    stack: list[Origin | Guard] = [origin]
    while stack and len(seen) < MOST:
        here = stack.pop()
        if id(here) in seen or isinstance(here, Guard):
            continue
        seen.add(id(here))
        before = here.passed_from
        if before is not None:
            stack.append(before)
        elif not isinstance(here, Leaf):
            stack.extend(parts(here))
        elif here.kind == "fact" and here.absent and here.name:
            yield here.name
