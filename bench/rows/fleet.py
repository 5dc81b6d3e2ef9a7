"""A realistic fleet by kind of node: the bare compile, compiling into a store, comparisons; beside warm real Puppet.

Measured by `bench/fleet.py`, whose words say how each figure comes about: the bare compile is the best of three passes
of a session, Puppet's the best of seven repetitions, stored is the difference of two commands. So there is one round.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench import debian_classes
from bench import fleet as kinds
from bench.fleet_generator import KINDS
from bench.measure import OURS, Figures, Result, Special
from bench.rows.common import NOT_INSTALLED

GROUP = "Puppet: a fleet"


def rows(scratch: Path) -> Iterator[Special]:
    """Of each kind of node: compiling it into a store, and what a comparison takes."""
    for kind in KINDS:
        yield Special(GROUP, f"{kind} nodes", partial(_measure, scratch / kind, kind))


def _measure(scratch: Path, kind: str) -> Iterator[Result]:
    if not debian_classes.MODULES.is_dir():
        yield Result(GROUP, f"{kind} nodes", {}, {"wherefrom": "Debian's packages puppet-module-* are not installed"})
        return
    debian_classes.synchronized()
    scratch.mkdir()
    for found in kinds.kinds(scratch, [kind]):
        sides = {"wherefrom": once(found.stored), "wherefrom, bare compile": once(found.bare)}
        absent = {}
        if found.puppet is not None:
            sides["Puppet"] = once(found.puppet)
        else:
            absent["Puppet"] = NOT_INSTALLED
        name = f"{found.kind} node, {found.resources} resources, compiled into a store"
        yield Result(GROUP, name, sides, absent, differ=found.equal < found.asked)
        name = f"{found.kind} node, compared: an edit that changes all catalogs"
        compared = {"wherefrom": found.changed, "wherefrom, nothing changed": found.unchanged}
        drowned = {
            side: "too little to be told from the noise of two commands" for side in compared if compared[side] <= 0
        }
        shown = {side: once(seconds) for side, seconds in compared.items() if side not in drowned}
        yield Result(GROUP, name, shown if OURS in shown else {}, drowned)


def once(seconds: float) -> Figures:
    """Figures of one measurement."""
    return Figures(seconds, seconds, seconds, 0)
