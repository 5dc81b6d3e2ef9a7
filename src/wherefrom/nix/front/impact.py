"""Which outputs of a Nix program may change when an input does, answered from a masked run.

The input that is asked for is turned into bits (`Dependence.matching`), and an output may change if it has one of them.
For options of a module system the outputs are grouped by the definitions that hold the input; which definition of an
option won is recorded only for the options that are defined on the line.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ...base.diagnostics import PathNotFound
from ...provenance.impact import Impact, ImpactTarget, parse_target, require_read
from ..kernel.errors import NixError
from .dependence import shown
from .lines import definition_line, definition_names
from .options import definitions_at, is_of

if TYPE_CHECKING:
    from .language import NixOutcome

RECORDED = 3
"""Of how many outputs of an option, at the most, the history is recorded."""


def impact_of(outcome: NixOutcome, text: str) -> Impact:
    """What the input `text` means for the outputs of a program."""
    from .language import guarded, write_path

    dependence = outcome.dependence
    asked = parse_target(text)
    rows = guarded(dependence.machine, lambda: list(dependence.outputs()))
    require_read(asked, dependence.machine.sources)
    target = definition_line(asked, dependence.machine)
    wanted = dependence.matching(target)
    used = 0
    for row in rows:
        used |= row.mask
    touched = [row for row in rows if row.mask & wanted]
    affected = guarded(dependence.machine, lambda: [(write_path(row.steps), shown(row)) for row in touched])
    inputs = {leaf.key: leaf for leaf in dependence.leaves(used & wanted) if asked.matches(leaf)}
    shaped = frozenset(write_path(row.steps) for row in touched if not row.value & wanted)
    impact = Impact(list(inputs.values()), affected, len(rows) - len(touched), shaped=shaped)
    if not affected or not any(row.steps[:1] == ["config"] or "config" in row.steps for row in rows):
        return impact
    changing = [path for path, _ in affected if path not in shaped]
    return Impact(impact.inputs, affected, impact.unaffected, _groups(outcome, asked, changing), shaped=shaped)


def _groups(outcome: NixOutcome, asked: ImpactTarget, paths: list[str]) -> list[tuple[str, list[str]]]:
    """The definitions of options on a line, each with the outputs of its option.

    Only the options themselves are evaluated with recording on, not what depends on them.
    """
    from .language import guarded

    options: set[tuple[str, ...]] = set()
    for names in definition_names(asked, outcome.dependence.machine):
        for begin in range(len(names)):  # the outermost names may be a module's own: `config`, a variable
            own = [path for path in paths if is_of(path, ".".join(names[begin:]))]
            if own:
                options.add(names[begin:])
                for path in sorted(own, key=len)[:RECORDED]:
                    with suppress(NixError, PathNotFound):
                        outcome.record(path)
                break
    machine = outcome.traced[0]
    if not machine.merges or not options:
        return []
    return guarded(
        machine, lambda: definitions_at(outcome.merges, asked, paths, {name for names in options for name in names})
    )
