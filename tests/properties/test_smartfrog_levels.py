"""SmartFrog above the core: what does not depend on a text does not change with it; and everything ends."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from support.examples import fresh
from support.smartfrog_levels import PROPERTIES, changes, forward_program, production_program
from support.smartfrog_programs import random_program
from wherefrom.base.diagnostics import Diagnostic, ManyErrors
from wherefrom.base.host import Host, PureHost
from wherefrom.language import Inputs
from wherefrom.provenance.extract import depends, evaluate_term, expression
from wherefrom.provenance.operations import NotComputed
from wherefrom.smartfrog.front import LANGUAGE, SmartFrogOutcome
from wherefrom.smartfrog.production.output import plain


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


def component_paths(document: dict[str, object], path: str = "") -> Iterator[str]:
    """The paths of all components: of them the order of attributes is checked too."""
    yield path
    for name, value in document.items():
        if isinstance(value, dict) and not any(key.startswith("$") for key in value):
            yield from component_paths(value, f"{path}:{name}".removeprefix(":"))


def check_depends(level: str, seed: int, tries: int) -> Counter[str]:
    """Change pieces of the text, one at a time: what does not depend on them must stay."""
    counts: Counter[str] = Counter()
    outcome = compiled(program(level, seed), level)
    if outcome is None:
        return counts
    selected = [*outcome.outputs(), *map(outcome.select, component_paths(outcome.document()))]
    outputs = [(item.path, json.dumps(item.value), {leaf.key for leaf in depends(item.origin)}) for item in selected]
    random = Random(seed)
    pieces = list(changes(outcome.program.tree.block, random))
    for span, text in random.sample(pieces, min(tries, len(pieces))):
        old = span.file.text
        files = {name: source.text for name, source in outcome.sources.items()}
        files[span.file.name] = old[: span.start] + text + old[span.end :]
        changed = compiled(PureHost(files), level)
        if changed is None:
            continue
        counts["pairs"] += 1
        for path, value, inputs in outputs:
            if any(key[2:] == (span.file.name, span.start, span.end) for key in inputs):
                continue
            try:
                now = json.dumps(changed.select(path).value)
            except Diagnostic as problem:
                now = str(problem)
            assert now == value, f"{level} {seed}: {path} after {span!r} became {text}\n{old}"
            counts["stayed"] += 1
    return counts


def _many(level: str, seeds: range) -> Counter[str]:
    return sum((check_depends(level, seed, tries=8) for seed in seeds), Counter())


@pytest.mark.parametrize(("level", "programs"), [("forward", 400), ("production", 200)])
def test_what_does_not_depend_on_a_text_does_not_change_with_it(level: str, programs: int) -> None:
    """Soundness of `depends`, order of attributes included."""
    counts = _many(level, range(programs))
    assert counts["pairs"] > 300
    assert counts["stayed"] > 1_000


@pytest.mark.soak
@pytest.mark.parametrize(("level", "programs"), [("core", 2_500), ("forward", 10_000), ("production", 3_500)])
def test_the_same_with_ten_thousand_changes(level: str, programs: int) -> None:
    """The same, 10,000 times at each level."""
    assert _many(level, fresh(range(programs)))["pairs"] > 10_000


def test_formulas_give_the_value_again() -> None:
    """What was computed can be computed from its formula; what is left for the run time says that it can not."""
    computed = 0
    for seed in range(200):
        outcome = compiled(production_program(seed), "production")
        for output in outcome.outputs() if outcome is not None else ():
            term = expression(output.origin)
            try:
                value = plain(evaluate_term(term, outcome.apply))  # type: ignore[union-attr]
            except NotComputed:
                continue
            if not (isinstance(output.value, dict) or "$ref" in json.dumps(output.value)):
                assert json.dumps(value) == json.dumps(output.value), f"{seed}: {output.path}"
                computed += 1
    assert computed > 200


def test_the_two_passes_end() -> None:
    """Programs in which everything links to everything: each ends with a store or an error."""
    random = Random(7)
    names = ["a", "b", "c", "d"]
    ended: Counter[str] = Counter()
    for _ in range(400):
        parts = []
        for name in random.sample(names, 4):
            links = " ".join(f"{inner} {random.choice(names)};" for inner in random.sample(["k", "l", *names], 2))
            parts.append(random.choice([f"{name} {random.choice(names)};", f"{name} extends {{ {links} }}"]))
        host = PureHost({"main.sf": f"sfConfig extends {{ {' '.join(parts)} }}"})
        for level in ("forward", "production"):
            ended["ok" if compiled(host, level) is not None else "error"] += 1
    assert ended["error"] > 100
