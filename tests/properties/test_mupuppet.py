"""The theorems of the muPuppet papers as properties of generated programs.

Paper, section 4: determinism and monotonicity. Thesis, chapters 4 and 5: where (Theorems 4.2.1 to 4.2.4), expression
(4.3.1 to 4.3.4), dependency (5.3.5). The thesis' dependency theorem is true by the repaired rules, true by the thesis'
rules on a part of the language, and false by the thesis' rules outside it: the last is asserted too, counter-example by
counter-example.

W, XP and D with a number name the properties, as the docstrings of the tests define them: where- and
expression-provenance, dependency.

The theorems are about runs that end: programs and changes that get stuck are left out, and counted, so that a test can
not pass by leaving everything out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

import pytest

from support.cases import load_cases
from support.examples import examples
from support.mupuppet_programs import (
    EXTENDED,
    EXTENDED_LAX,
    FULL,
    LAX,
    QUALIFIED,
    SOUND_FOR_THESIS,
    Style,
    make_change,
    make_program,
)
from support.mupuppet_source import show_source
from wherefrom.base.source import SourceFile
from wherefrom.semantics.puppet.annotations import NoValue, Term, evaluate, everything, leaves, size, whole
from wherefrom.semantics.puppet.elaborate import elaborate_source
from wherefrom.semantics.puppet.judgement import PAPER, REAL, Switches
from wherefrom.semantics.puppet.run import Configuration, Outcome, Stuck, fact_labels, rebuild, run
from wherefrom.semantics.puppet.show import show, show_data, show_note
from wherefrom.semantics.puppet.syntax import Data, Label, Program, Value
from wherefrom.semantics.puppet.theorems import (
    Violation,
    annotation_violations,
    dependency_violations,
    expression_violations,
    identical,
    is_monotone,
    labels_of,
    observe,
    order,
    values_in,
    where_violations,
)
from wherefrom.semantics.rules import OutOfFuel

Change = Mapping[Label, Data]
ALL = everything()
WHERE = ALL.index("where")
HOW = ALL.index("expression")

STYLES = {
    "full": FULL,
    "qualified": QUALIFIED,
    "lax": LAX,
    "extended": EXTENDED,
    "extended lax": EXTENDED_LAX,
    "sound for thesis": SOUND_FOR_THESIS,
}


def outcome_of(program: Program, switches: Switches, **settings: Any) -> Outcome | None:
    """The outcome of a program, or nothing if it gets stuck."""
    try:
        return run(program, algebra=ALL, switches=switches, **settings)
    except (Stuck, OutOfFuel):
        return None


def switches_for(style: Style) -> Switches:
    return Switches(undef=style.undef)


def outcomes(
    style: Style, seed: int, count: int, switches: Switches | None = None, **settings: Any
) -> Iterator[Outcome]:
    """`count` runs that end."""
    random = Random(seed)
    tries = 0
    while count:
        tries += 1
        assert tries < 10_000, "the generator makes hardly any program that compiles"
        outcome = outcome_of(make_program(random, style), switches or switches_for(style), **settings)
        if outcome is not None:
            count -= 1
            yield outcome


def pairs(
    style: Style, seed: int, count: int, switches: Switches | None = None, literals: int = 1
) -> Iterator[tuple[Outcome, Outcome, frozenset[Label]]]:
    """`count` pairs of runs that end, of the same program with some of its literals changed."""
    random = Random(seed)
    chosen = switches or switches_for(style)
    found = tries = 0
    while found < count:
        program = make_program(random, style)
        first = outcome_of(program, chosen)
        if first is None:
            continue
        for _ in range(6):
            tries += 1
            change = make_change(random, program, literals)
            second = outcome_of(program, chosen, override=change)
            if change and second is not None:
                found += 1
                yield first, second, frozenset(change)
    assert found > tries / 2, "most changes break the programs"


# --- paper, section 4 -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STYLES)
def test_determinism(name: str) -> None:
    """Theorem 1: at most one rule applies to any state (asserted by every run, here with every rule tried on every
    state), so two runs are the same step by step."""
    for outcome in outcomes(STYLES[name], 11, 25, trails=True):
        again = outcome_of(outcome.program, outcome.Γ.machine.switches, trails=True, exhaustive=True)
        assert again is not None
        assert again.trails == outcome.trails
        assert again.catalog == outcome.catalog
        assert again.store == outcome.store


@pytest.mark.parametrize("name", STYLES)
def test_monotonicity(name: str) -> None:
    """Theorem 2: bindings, definitions and resources persist from step to step, cleared scopes apart."""

    def watch(before: Configuration, after: Configuration) -> None:
        assert is_monotone(before.Γ, after.Γ)

    for _ in outcomes(STYLES[name], 12, 60, watch=watch):
        pass


# --- where ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STYLES)
def test_where_and_expression(name: str) -> None:
    """Theorems 4.2.4 and 4.3.4 (W1, XP1), and what ties the provenances together (XP2, XP3, D6)."""
    for outcome in outcomes(STYLES[name], 13, 125):
        check_one(outcome)


def check_one(outcome: Outcome) -> None:
    """Everything that one run must satisfy by itself."""
    assert where_violations(outcome) == []
    assert expression_violations(outcome) == []
    for key, value, outer in (*outcome.values_of_catalog(), *outcome.values_of_store()):
        for part in values_in(value):
            where, how, thesis, repaired = whole(ALL, part)
            assert where == (how if isinstance(how, Label) else None), f"{key}: XP2"
            assert leaves(how) <= thesis, f"{key}: XP3"
            assert thesis <= repaired, f"{key}: D6"
            assert how is None or size(how) <= 4 * outcome.steps + 4, f"{key}: XP7"
        assert outcome.part("thesis", outer) <= outcome.part("repaired", outer)


@pytest.mark.parametrize("name", STYLES)
def test_where_holds_at_every_step(name: str) -> None:
    """Theorems 4.2.1 to 4.2.3 (W3): no step makes a labelled value (a pair of value and label) that was not there."""
    checked = 0

    def watch(before: Configuration, after: Configuration) -> None:
        nonlocal checked
        checked += 1
        assert labels_of(after, WHERE) <= labels_of(before, WHERE)

    for _ in outcomes(STYLES[name], 14, 25, watch=watch):
        pass
    assert checked > 250


def test_every_step_as_real_puppet() -> None:
    """Theorems 1, 2 and 4.2.1 to 4.2.3 with all switches on: one step from any state, nothing is lost or invented."""
    begun = 0

    def watch(before: Configuration, after: Configuration) -> None:
        nonlocal begun
        begun += "Begin" in after.Γ.machine.trail
        assert is_monotone(before.Γ, after.Γ)
        assert labels_of(after, WHERE) <= labels_of(before, WHERE)

    for _ in outcomes(EXTENDED_LAX, 20, 60, REAL, watch=watch, exhaustive=True):
        pass
    assert begun


def test_expression_holds_at_every_step() -> None:
    """Theorems 4.3.1 to 4.3.3: every value in every configuration is what its term says."""

    def watch(_: Configuration, after: Configuration) -> None:
        stored = tuple(bound.value for bound in after.Γ.σ.values())
        for value in values_in((after.m, stored, after.Γ.vC)):
            term = whole(ALL, value)[HOW]
            assert identical(evaluate(term, lambda label: label.v), value.v)

    for _ in outcomes(EXTENDED_LAX, 15, 25, watch=watch):
        pass


def test_labels_are_places() -> None:
    """W2: a label's span holds exactly its literal, and every literal has a label of its own."""
    for case in load_cases("mupuppet"):
        if "want.catalog" not in case.sections:
            continue
        program = elaborate_source(SourceFile("site.pp", case.sections["site.pp"]))
        names = [label.name for label in program.labels]
        assert names == [f"l{n}" for n in range(1, len(names) + 1)]
        for label in program.labels:
            assert label.span is not None
            again = elaborate_source(SourceFile("one.pp", f"$x = {label.span.text}"))
            assert identical(again.labels[0].v, label.v)


def test_a_copy_follows_its_literal() -> None:
    """W4: where a value is labelled l, changing the literal at l (and no decision) changes the value to the new one."""
    followed, count = 0, examples(120)
    for outcome in outcomes(EXTENDED, 16, count, trails=True):
        for label in outcome.program.labels[::3]:
            fresh: Data = not label.v if isinstance(label.v, bool) else 77 if isinstance(label.v, int) else "fresh"
            other = outcome_of(outcome.program, PAPER, override={label: fresh}, trails=True)
            if other is None or other.trails != outcome.trails:
                continue
            for values in (Outcome.values_of_catalog, Outcome.values_of_store):
                for (_, value, _), (key, changed, _) in zip(values(outcome), values(other), strict=True):
                    copied = value.β[WHERE] is label
                    followed += copied
                    assert (show_data(changed.v) == show_data(fresh)) or not copied, key
    assert followed > count * 0.8


def test_prediction() -> None:
    """XP5: where no decision changes, a term evaluated with the new literal is the new value."""
    predicted, count = 0, examples(400)
    for first, second, changed in pairs(EXTENDED, 17, count):
        a = outcome_of(first.program, PAPER, trails=True)
        b = outcome_of(first.program, PAPER, trails=True, override=second.values)
        assert a is not None and b is not None
        if a.trails != b.trails:
            continue
        for values in (Outcome.values_of_catalog, Outcome.values_of_store):
            for (_, before, _), (key, after, _) in zip(values(a), values(b), strict=True):
                term = whole(ALL, before)[HOW]
                try:
                    assert identical(evaluate(term, b.literal), after.v), key
                except NoValue:
                    pytest.fail(f"{key}: the term has no value")
                predicted += bool(leaves(term) & changed)
    assert predicted > count / 8


def test_renaming() -> None:
    """W6, XP4: annotations depend on which literal is which, not on what the labels are called."""
    for outcome in outcomes(FULL, 18, 40):
        renamed = {label: Label(f"r{n}", label.v) for n, label in enumerate(outcome.program.labels)}

        def rename(term: Any, renamed: Mapping[Label, Label] = renamed) -> Any:
            return Value(term.v, renamed[term.β]) if isinstance(term, Value) else term

        program = Program(rebuild(outcome.program.m, rename), tuple(renamed.values()))
        other = outcome_of(program, PAPER)
        assert other is not None
        for key, observed in observe(outcome, "repaired").items():
            assert frozenset(renamed[label] for label in observed.D) == observe(other, "repaired")[key].D


def test_formatting() -> None:
    """W7: the same program printed and parsed again has the same outcome, label for label."""
    for outcome in outcomes(EXTENDED, 19, 60):
        text = show_source(outcome.program.m).replace("\n", " # comment\n\n   ")
        parsed = elaborate_source(SourceFile("site.pp", text))
        assert [(each.name, each.v) for each in parsed.labels] == [
            (each.name, each.v) for each in outcome.program.labels
        ]
        other = outcome_of(parsed, PAPER)
        assert other is not None
        shown = [
            [(key, show(value), show_note(outer)) for key, value, outer in each.values_of_catalog()]
            for each in (outcome, other)
        ]
        assert shown[0] == shown[1]


def test_default_or_argument() -> None:
    """W8: a parameter's label lies in the definition's header if and only if the argument was left out."""
    for given in (True, False):
        source = f"class a ($p = 1) {{ }}\nclass {{ a: {'p => 2' if given else ''} }}"
        outcome = outcome_of(elaborate_source(SourceFile("site.pp", source)), PAPER)
        assert outcome is not None
        label = outcome.store["::a", "p"].value.β[WHERE]
        assert label.span.line == (2 if given else 1)


def test_short_circuit() -> None:
    """XP6: terms mention only the operands that were evaluated, and errors in others are not met."""
    source = "$x = false and (1 + 'a' == 2)\n$y = true or $nowhere"
    outcome = outcome_of(elaborate_source(SourceFile("site.pp", source)), PAPER)
    assert outcome is not None
    for x, op in (("x", "and"), ("y", "or")):
        β = outcome.store["::", x].value.β
        assert isinstance(β[HOW], Term) and β[HOW].op == op
        assert len(leaves(β[HOW])) == len(β[ALL.index("thesis")]) == 1


# --- dependency -----------------------------------------------------------------------------------------------------


def found_by(
    mode: str, style: Style, seed: int, count: int, switches: Switches | None = None, literals: int = 1
) -> list[Violation]:
    """What may not change but does, over `count` pairs, by the rules `mode`."""
    return [
        violation
        for first, second, changed in pairs(style, seed, count, switches, literals)
        for violation in dependency_violations(first, second, changed, mode)
    ]


@pytest.mark.parametrize("name", STYLES)
def test_dependency_repaired(name: str) -> None:
    """Theorem 5.3.5 by the repaired rules, on the whole language and our extension of it (D1, D2)."""
    assert found_by("repaired", STYLES[name], 21, 350) == []


def test_dependency_repaired_as_real_puppet() -> None:
    """The same with all switches on (`REAL`)."""
    assert found_by("repaired", EXTENDED_LAX, 22, 700, REAL) == []


def test_dependency_of_several_changes() -> None:
    """D7: several literals changed at once; D10 follows: nobody whose literals are not in D(out) can change out."""
    assert found_by("repaired", EXTENDED_LAX, 23, 500, literals=3) == []


def test_dependency_thesis_on_its_part() -> None:
    """D5: the thesis' rules are sound where every read is qualified and no class is declared under a condition."""
    assert found_by("thesis", SOUND_FOR_THESIS, 24, 1_000) == []


def test_strong_equivalence() -> None:
    """D3: outputs that do not depend on l have the same annotations too (strict mode)."""
    for first, second, changed in pairs(FULL, 25, 500):
        assert annotation_violations(first, second, changed, "repaired") == []
    for first, second, changed in pairs(SOUND_FOR_THESIS, 26, 500):
        assert annotation_violations(first, second, changed, "thesis") == []


class CounterExample(NamedTuple):
    """A kind of counter-example: where to look, how to know it, and a seed that leads to one within 200 pairs."""

    style: Style
    kind: str
    seed: int


COUNTER_EXAMPLES = {
    # Reads fall through scopes, nothing is declared under a condition: only a missing assignment can be the reason.
    "G22": CounterExample(FULL._replace(conditional_declarations=False), "value", 6),
    # Every read is qualified: a class was declared earlier, with other parameters.
    "G27": CounterExample(QUALIFIED, "value", 20),
    # Every read is qualified, and values agree: a class was declared earlier, in another place.
    "G28": CounterExample(QUALIFIED, "order", 9),
    # Nothing is assigned under a condition and classes have no parameters: a parent pointer points elsewhere.
    "G29": CounterExample(
        FULL._replace(conditional_assignments=False, class_parameters=False, nodes=100, heirs=100), "value", 18
    ),
    # Reads are qualified, nothing is declared under a condition: an argument was undef, and so the default was used.
    "G30": CounterExample(SOUND_FOR_THESIS._replace(undef=True), "parameter", 37),
}


def is_instance(violation: Violation, kind: str, first: Outcome, second: Outcome) -> bool:
    """Whether a violation is of the kind that a counter-example stands for."""
    if kind != "parameter":
        return violation.kind == kind
    if violation.kind != "value" or violation.key[-1] != "$p":
        return False
    values = [observe(each, "thesis")[violation.key].value for each in (first, second)]
    return None not in values


def search(name: str, seed: int, count: int) -> None:
    """Find an instance of a counter-example within `count` pairs, and see that the repaired rules have none there."""
    style, kind, _ = COUNTER_EXAMPLES[name]
    for first, second, changed in pairs(style, seed, count):
        violations = dependency_violations(first, second, changed, "thesis")
        if any(is_instance(violation, kind, first, second) for violation in violations):
            assert dependency_violations(first, second, changed, "repaired") == []
            return
    pytest.fail(f"no instance of {name} in {count:,} pairs")


@pytest.mark.parametrize("name", COUNTER_EXAMPLES)
def test_counter_examples_are_found(name: str) -> None:
    """D4: outside that part the published theorem does not hold, and the generator finds each kind of reason.

    If the generator changes, `test_soak_counter_examples` tells whether it still finds them from other seeds.
    """
    search(name, COUNTER_EXAMPLES[name].seed, 200)


@pytest.mark.parametrize(
    ("name", "label", "value"),
    [("G22", "l4", 1), ("G27", "l1", 1), ("G28", "l1", 1), ("G29", "l1", 2), ("G30", "l1", 1)],
)
def test_counter_examples_as_written(name: str, label: str, value: int) -> None:
    """The same for the examples themselves: a violation by the thesis' rules, none by the repaired ones."""
    [case] = [case for case in load_cases("mupuppet/examples") if case.path.stem == name]
    program = elaborate_source(SourceFile("site.pp", case.sections["site.pp"]))
    switches = Switches(**dict.fromkeys(case.header.get("switches", ()), True))
    change = {program.label(label): value}
    first, second = outcome_of(program, switches), outcome_of(program, switches, override=change)
    assert first is not None and second is not None
    assert dependency_violations(first, second, frozenset(change), "thesis") != []
    assert dependency_violations(first, second, frozenset(change), "repaired") == []
    assert annotation_violations(first, second, frozenset(change), "repaired") == []


def test_facts() -> None:
    """D9: facts are inputs like literals; changing one changes nothing that does not name it."""
    source = SourceFile(
        "site.pp",
        "class a { $p = $::osfamily ? { 'Debian' => 'ssh', default => 'openssh' }\n"
        "  package { $p: ensure => $facts['version'] }\n"
        "  if $facts['memory'] > 4 { $big = true } }\n"
        "$big = false\ninclude a\nclass b inherits a { file { 'f': mode => $big } }\ninclude b\n",
    )
    program = elaborate_source(source)
    facts = fact_labels({"osfamily": "Debian", "version": "7", "memory": 2})
    first = outcome_of(program, PAPER, facts=facts)
    assert first is not None
    assert {each.name for each in observe(first, "repaired")["file", "f", "mode"].D} >= {"fact:memory"}
    for name, value in (("osfamily", "RedHat"), ("version", "8"), ("memory", 8)):
        change = {facts[name]: value}
        second = outcome_of(program, PAPER, facts=facts, override=change)
        assert second is not None
        assert dependency_violations(first, second, frozenset(change), "repaired") == []
    assert first.catalog[0].get("ensure") is not None


# --- switches -------------------------------------------------------------------------------------------------------


def test_conservative_switches() -> None:
    """Hoisting and undef only let more programs compile: what compiles without them has the same outcome with them."""
    for outcome in outcomes(EXTENDED, 41, 150):
        lenient = outcome_of(outcome.program, Switches(hoisting=True, undef=True))
        assert lenient is not None
        assert order(lenient) == order(outcome)
        assert observe(lenient, "repaired") == observe(outcome, "repaired")


def test_including_twice() -> None:
    """A class included twice is a class included once."""
    for outcome in outcomes(FULL, 42, 60):
        text = show_source(outcome.program.m)
        doubled = "".join(
            line + (line if line.lstrip().startswith("include ") else "") for line in text.splitlines(True)
        )
        again = outcome_of(elaborate_source(SourceFile("site.pp", doubled)), PAPER)
        assert again is not None
        assert order(again) == order(outcome)


# --- the long versions ----------------------------------------------------------------------------------------------

PAIRS = 100_000


@pytest.mark.soak
@pytest.mark.parametrize("name", STYLES)
def test_soak(name: str) -> None:
    """100,000 pairs of each style: where and expression 0 violations, dependency repaired 0; thesis 0 on its part."""
    style = STYLES[name]
    for first, second, changed in pairs(style, 51, PAIRS):
        check_one(second)
        assert dependency_violations(first, second, changed, "repaired") == []
        if style is SOUND_FOR_THESIS:
            assert dependency_violations(first, second, changed, "thesis") == []


@pytest.mark.soak
def test_soak_as_real_puppet() -> None:
    """100,000 pairs with all switches on, two literals at once."""
    assert found_by("repaired", EXTENDED_LAX, 52, PAIRS, REAL, literals=2) == []


@pytest.mark.soak
@pytest.mark.parametrize("name", COUNTER_EXAMPLES)
def test_soak_counter_examples(name: str) -> None:
    """The counter-examples are found from a seed that was not chosen for them."""
    search(name, 1_000, PAIRS)
