"""The order of attributes at every level: an edit that changes it is reached by what explains it, and by `impact`."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from support.examples import fresh
from support.smartfrog_edits import Edit, edits
from support.smartfrog_levels import PROPERTIES, changes, forward_program, production_program
from support.smartfrog_programs import random_program
from wherefrom.base.diagnostics import Diagnostic, ManyErrors
from wherefrom.base.host import Host, PureHost
from wherefrom.language import Inputs, Selected
from wherefrom.provenance.extract import reachable
from wherefrom.smartfrog.front import LANGUAGE, SmartFrogOutcome


def program(level: str, seed: int) -> PureHost:
    """The program of a level with this number."""
    if level == "production":
        return production_program(seed)
    return random_program(seed).host if level == "core" or seed % 3 == 0 else forward_program(seed)


def compiled(host: Host, level: str) -> SmartFrogOutcome | None:
    """The outcome, if there is one."""
    options = {"level": level, "properties": PROPERTIES, "max_nodes": 3_000}
    try:
        return LANGUAGE.run("main.sf", host, Inputs(options=options))
    except (Diagnostic, ManyErrors):
        return None


def in_another_order(before: list[str], after: list[str]) -> bool:
    """Whether the names that both have are ordered otherwise."""
    return [name for name in before if name in after] != [name for name in after if name in before]


def reaches(order: Selected, file: str, region: range) -> bool:
    """Whether something that decided an order begins in this part of a file."""
    spans = (getattr(node, "span", None) for node in reachable([order.origin]))
    return any(span is not None and span.file.name == file and span.start in region for span in spans)


def check_orders(level: str, seed: int, tries: int) -> Counter[str]:
    """Make some edits, one at a time, and look at every component whose attributes are ordered otherwise then."""
    counts: Counter[str] = Counter()
    outcome = compiled(program(level, seed), level)
    if outcome is None:
        return counts
    files = {name: source.text for name, source in outcome.sources.items() if not name.startswith("org/")}
    random = Random(seed)
    tree = outcome.program.tree.block
    replaced = [Edit(span.file.name, span.start, span.end, text, "replaced") for span, text in changes(tree, random)]
    every = [edit for edit in [*edits(tree, random), *replaced] if edit.file in files]
    orders = [order for order, _ in outcome.orders()]
    for edit in random.sample(every, min(tries, len(every))):
        changed = compiled(PureHost(edit.made(files)), level)
        if changed is None:
            continue
        counts["edits"] += 1
        now = {order.path: order for order, _ in changed.orders()}
        old, new = edit.regions
        for order in orders:
            other = now.get(order.path)
            if other is None or not in_another_order(order.value, other.value):
                continue
            counts[edit.kind] += 1
            counts["changed"] += 1
            reached = reaches(order, edit.file, old) or reaches(other, edit.file, new)
            assert reached, f"{level} {seed}: {order.path} after {edit}\n{files}"
    return counts


def _many(level: str, seeds: range, tries: int) -> Counter[str]:
    return sum((check_orders(level, seed, tries) for seed in seeds), Counter())


@pytest.mark.parametrize(("level", "programs"), [("core", 100), ("forward", 400), ("production", 100)])
def test_an_edit_that_changes_an_order_is_reached_by_its_explanation(level: str, programs: int) -> None:
    """What it touched, or what came of it, holds something that decided the order."""
    counts = _many(level, range(programs), 20)
    assert counts["changed"] > 20, counts


@pytest.mark.soak
@pytest.mark.parametrize(("level", "least"), [("core", 1_500), ("forward", 150), ("production", 1_500)])
def test_the_same_with_many_edits(level: str, least: int) -> None:
    """The same, thousands of times; few programs with links to what follows compile after an edit."""
    counts = _many(level, fresh(range(10_000, 16_000)), 20)
    print(dict(counts))
    assert counts["changed"] > least, counts
