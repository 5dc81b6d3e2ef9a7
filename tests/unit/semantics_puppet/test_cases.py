"""muPuppet's cases: values, labels, terms and dependency sets exactly as each case says, by both rule sets.

A line of `want.catalog` or `want.store` is `PATH = VALUE ; W label ; E term ; D set ; R set ; outer set ; outerR set`:
where, expression, dependency (thesis), dependency (repaired), and the resource's outer annotation by both. Left out, E
is W, R is D, outer is empty and outerR is outer. The lines of `want.catalog` are the whole catalog, in its order, and
those of `want.store` the whole store.
"""

from __future__ import annotations

from typing import Any

import pytest

from support.cases import Case, load_cases
from wherefrom.base.source import SourceFile
from wherefrom.semantics.puppet.annotations import ALGEBRAS, everything, whole
from wherefrom.semantics.puppet.elaborate import OutsideMuPuppet, elaborate_source
from wherefrom.semantics.puppet.judgement import Switches
from wherefrom.semantics.puppet.run import LIMIT, Outcome, Stuck, run
from wherefrom.semantics.puppet.show import show, show_note, show_scope
from wherefrom.semantics.puppet.syntax import Program, Value
from wherefrom.semantics.puppet.theorems import expression_violations, where_violations
from wherefrom.semantics.rules import OutOfFuel

CASES = load_cases("mupuppet")
RUNNING = [case for case in CASES if "want.catalog" in case.sections]
STUCK = [case for case in CASES if "want.stuck" in case.sections]
OUTSIDE = [case for case in CASES if "want.refused" in case.sections]


def program_of(case: Case) -> Program:
    return elaborate_source(SourceFile("site.pp", case.sections["site.pp"]))


def settings_of(case: Case) -> dict[str, Any]:
    return {
        "N": case.header.get("node", "default"),
        "switches": Switches(**dict.fromkeys(case.header.get("switches", ()), True)),
        "limit": case.header.get("limit", LIMIT),
    }


def line_of(outcome: Outcome, path: str, value: Value, outer: Any) -> str:
    """One line of an expectation, in full."""
    β = whole(outcome.algebra, value)
    parts = ("where", "expression", "thesis", "repaired")
    where, term, thesis, repaired = (show_note(outcome.part(part, β)) for part in parts)
    return (
        f"{path} = {show(value, False)} ; W {where} ; E {term} ; D {thesis} ; R {repaired}"
        f" ; outer {show_note(outcome.part('thesis', outer))} ; outerR {show_note(outcome.part('repaired', outer))}"
    )


def lines_of_catalog(outcome: Outcome) -> list[str]:
    return [
        line_of(outcome, f"{key[0]}[{key[1]}]{''.join('.' + k for k in key[2:])}", value, outer)
        for key, value, outer in outcome.values_of_catalog()
    ]


def lines_of_store(outcome: Outcome) -> list[str]:
    return [
        line_of(outcome, f"{show_scope(key[0])}/{key[1][1:]}", value, frozenset())
        for key, value, _ in outcome.values_of_store()
    ]


def full(line: str) -> str:
    """A line of an expectation with everything said."""
    path, *said = line.split(" ; ")
    notes = dict(each.split(" ", 1) for each in said)
    notes.setdefault("E", notes["W"])
    notes.setdefault("R", notes["D"])
    notes.setdefault("outer", "{}")
    notes.setdefault("outerR", notes["outer"])
    return " ; ".join([path, *(f"{key} {notes[key]}" for key in ("W", "E", "D", "R", "outer", "outerR"))])


def expected(case: Case, section: str) -> list[str]:
    return [full(line) for line in case.sections[section].splitlines()]


@pytest.mark.parametrize("case", RUNNING, ids=repr)
def test_case(case: Case) -> None:
    """Every value, label, term and set, in one run of all provenances; every rule tried on every state."""
    outcome = run(program_of(case), algebra=everything(), exhaustive=True, **settings_of(case))
    assert lines_of_catalog(outcome) == expected(case, "want.catalog")
    if "want.store" in case.sections:
        assert lines_of_store(outcome) == expected(case, "want.store")
    assert where_violations(outcome) == []
    assert expression_violations(outcome) == []


@pytest.mark.parametrize("name", [name for name in ALGEBRAS if name not in ("all", "plain")])
@pytest.mark.parametrize("case", RUNNING, ids=repr)
def test_product_is_its_parts(case: Case, name: str) -> None:
    """Each provenance alone gives what it gives in the product, and annotations never change a value (W5, XP4)."""
    program = program_of(case)
    together = run(program, algebra=everything(), **settings_of(case))
    alone = run(program, algebra=ALGEBRAS[name](), **settings_of(case))
    bare = run(program, **settings_of(case))
    for values in (Outcome.values_of_catalog, Outcome.values_of_store):
        for (key, value, outer), (key1, value1, outer1), (key2, value2, _) in zip(
            values(together), values(alone), values(bare), strict=True
        ):
            assert key == key1 == key2
            assert show(value, False) == show(value1, False) == show(value2, False)
            assert together.part(name, whole(together.algebra, value)) == whole(alone.algebra, value1)
            assert together.part(name, outer) == outer1


@pytest.mark.parametrize("case", STUCK, ids=repr)
def test_stuck(case: Case) -> None:
    """No rule applies, and the rule that nearly did says why not."""
    want = case.sections["want.stuck"].strip()
    program = program_of(case)
    settings = settings_of(case)
    if want == "out of fuel":
        with pytest.raises(OutOfFuel):
            run(program, **settings)
        return
    with pytest.raises(Stuck) as caught:
        run(program, algebra=everything(), **settings)
    assert want in [f"{each.rule}: {each.reason}" for each in caught.value.refusals]
    assert caught.value.span is not None
    with pytest.raises(Stuck) as again:
        run(program, exhaustive=True, **settings)
    assert str(again.value) == str(caught.value)


@pytest.mark.parametrize("case", OUTSIDE, ids=repr)
def test_outside(case: Case) -> None:
    """What muPuppet does not have is refused with its name and place."""
    with pytest.raises(OutsideMuPuppet) as caught:
        program_of(case)
    span = caught.value.span
    assert span is not None
    assert f"{caught.value.construct} at {span.line}:{span.column}" == case.sections["want.refused"].strip()
