"""What the theorems speak about: labels (thesis 4.2.3), consistency (4.3.2), equivalence except at l (5.3.2).

Theorem 5.3.5 is checked on whole runs, with the recursive reading of its floors (stores or catalogs in which only
values annotated with l differ are equivalent except at l) and on *effective* sets: an attribute is there because its
resource is, so what decides the resource's existence counts for it too.

    D_exist(R) = outer(R) ∪ d(title)      D(R.k) = D_exist(R) ∪ d(k)      D(α, x) = d(x)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...base.record import Record
from .annotations import EMPTY, NoValue, evaluate, whole
from .judgement import Environments
from .run import Configuration, Outcome
from .show import show_data, show_labels, show_note
from .syntax import BegunClass, ClassDef, Data, DeclaredClass, Label, ResourceDef, Value, is_def_scope, plain, same

# --- where: Theorems 4.2.1 to 4.2.4 ---------------------------------------------------------------------------------


def values_in(term: object) -> Iterator[Value]:
    """Every annotated value in a term, inside other values too."""
    stack = [term]
    while stack:
        here = stack.pop()
        if isinstance(here, tuple):
            stack.extend(here)
        elif hasattr(here, "__fields__"):
            if isinstance(here, Value):
                yield here
                stack.append(here.v)
            else:
                stack.extend(getattr(here, name) for name in here.__fields__ if name not in ("span", "β"))


def labels(term: object, part: int | None = None) -> set[tuple[Label, Any]]:
    """labels(·) of Figures 4.5-4.9: pairs of label and value, never bare labels; ⊥ contributes nothing.

    `part` is the place of where-provenance in a product.
    """
    labelled = set()
    for value in values_in(term):
        β = value.β if part is None else value.β[part]
        if isinstance(β, Label):
            labelled.add((β, show_data(value.v)))
    return labelled


def labels_of_environments(Γ: Environments, part: int | None = None) -> set[tuple[Label, object]]:
    """labels(σ) ∪ labels(κ) ∪ labels(vC), and those of what waits."""
    stored = tuple(bound.value for bound in Γ.σ.values())
    definitions = [d.d if isinstance(d, BegunClass) else d for d in Γ.κ.values()]
    bodies = tuple((tuple(p.e for p in d.ρ), d.s) for d in definitions if isinstance(d, ClassDef | ResourceDef))
    return labels((stored, bodies, Γ.vC, tuple(body.s for body in Γ.waiting)), part)


def labels_of(c: Configuration, part: int | None = None) -> set[tuple[Label, object]]:
    """The labels of a whole configuration."""
    return labels_of_environments(c.Γ, part) | labels(c.m, part)


def where_violations(outcome: Outcome) -> list[str]:
    """Theorem 4.2.4, W1: every value labelled l is the literal at l, in catalog and store."""
    violations = []
    for key, value in _all_values(outcome):
        l = outcome.part("where", value.β)  # noqa: E741
        if isinstance(l, Label) and show_data(value.v) != show_data(outcome.literal(l)):
            violations.append(f"{key}: {show_data(value.v)} is labelled {l}, which is {show_data(outcome.literal(l))}")
    return violations


def expression_violations(outcome: Outcome) -> list[str]:
    """Theorem 4.3.4, XP1: every term evaluates to its value."""
    violations = []
    for key, value in _all_values(outcome):
        term = outcome.part("expression", whole(outcome.algebra, value))
        if term is None:
            continue
        try:
            v = evaluate(term, outcome.literal)
        except NoValue:
            violations.append(f"{key}: {show_note(term)} has no value")
            continue
        if not identical(v, value.v):
            violations.append(f"{key}: {show_note(term)} is {show_data(v)}, not {show_data(value.v)}")
    return violations


def identical(v1: Data, v2: Data) -> bool:
    """Equal to the letter: as `same`, and strings in the same case."""
    return same(v1, v2) and show_data(v1) == show_data(v2)


def _all_values(outcome: Outcome) -> Iterator[tuple[Any, Value]]:
    for key, value, _ in (*outcome.values_of_catalog(), *outcome.values_of_store()):
        for inner in values_in(value):
            yield key, inner


# --- dependency: Theorem 5.3.5 --------------------------------------------------------------------------------------


class Observed(Record):
    """One output: its plain value, and the labels that it says it depends on."""

    value: Any
    D: frozenset[Label]


Observations = dict[tuple[str, ...], Observed]


def observe(outcome: Outcome, mode: str) -> Observations:
    """Every output with its effective dependency set, by the rules `mode` (thesis or repaired).

    Outputs are resources (their existence), attributes (undef ones too: R7), variables of scopes that last, and, in
    repaired mode where their declarations are annotated, classes with their parent scopes.
    """
    observations: Observations = {}
    algebra = outcome.algebra
    for vR in outcome.catalog:
        exists = outcome.part(mode, vR.β) | outcome.part(mode, vR.w.β)
        name = (vR.t, str(vR.w.v))
        observations[name] = Observed(True, exists)
        for k, value in vR.H:
            observations[(*name, k)] = Observed(plain(value.v), exists | outcome.part(mode, whole(algebra, value)))
    for (α, x), bound in outcome.store.items():
        if not is_def_scope(α):
            observations[(α, "$" + x)] = Observed(plain(bound.value.v), outcome.part(mode, whole(algebra, bound.value)))
    if mode == "repaired":
        for a, d in outcome.Γ.κ.items():
            if isinstance(d, DeclaredClass):
                observations[("class", a, "")] = Observed(d.α, outcome.part(mode, d.β) if d.β else EMPTY)
    return observations


def order(outcome: Outcome) -> list[tuple[str, ...]]:
    """The catalog's resources in their order."""
    return [(vR.t, str(vR.w.v)) for vR in outcome.catalog]


class Violation(Record):
    """Something that changed although it says that it does not depend on l."""

    kind: str
    """`value`, `missing`, `order`, or `annotation` (D3: the same value with other labels)."""
    key: tuple[str, ...]
    text: str


def dependency_violations(first: Outcome, second: Outcome, changed: frozenset[Label], mode: str) -> list[Violation]:
    """D1 and D2, both ways: what may not have changed between two runs that differ at the labels `changed`, but has."""
    o1, o2 = observe(first, mode), observe(second, mode)
    violations: list[Violation] = []
    for a, b in ((o1, o2), (o2, o1)):
        for key, out in a.items():
            if out.D & changed:
                continue
            if key not in b:
                violations.append(
                    Violation("missing", key, f"{key} is gone, and depended on {show_labels(out.D)} alone")
                )
            elif not _equal(b[key].value, out.value):
                what = f"{key} was {out.value!r}, is {b[key].value!r}, and depended on {show_labels(out.D)} alone"
                violations.append(Violation("value", key, what))
    if any(violation.kind == "missing" for violation in violations):
        return violations
    for one, observed, other in ((first, o1, second), (second, o2, first)):
        before = [key for key in order(one) if not observed[key].D & changed]
        after = [key for key in order(other) if key in before]
        if before != after:
            violations.append(Violation("order", (), f"order was {before}, is {after}"))
    return violations


def annotation_violations(first: Outcome, second: Outcome, changed: frozenset[Label], mode: str) -> list[Violation]:
    """D3, strong equivalence: outputs that do not depend on l have the same annotations in both runs too."""
    o1, o2 = observe(first, mode), observe(second, mode)
    violations = []
    for key in o1.keys() | o2.keys():
        sides = [o[key].D if key in o and not o[key].D & changed else None for o in (o1, o2)]
        if sides[0] != sides[1]:
            violations.append(Violation("annotation", key, f"{key}: {sides}"))
    return violations


def _equal(v1: object, v2: object) -> bool:
    return type(v1) is type(v2) and repr(v1) == repr(v2)


# --- Theorem 2, monotonicity ----------------------------------------------------------------------------------------


def is_monotone(before: Environments, after: Environments) -> bool:
    """(σ, κ, vC) ⊑ (σ', κ', vC') (paper, Definition 1)."""
    for key, bound in before.σ.items():
        if after.σ.get(key) is not bound and not (is_def_scope(key[0]) and key not in after.σ):
            return False
    for name, d in before.κ.items():
        d2 = after.κ.get(name)
        declared = isinstance(d, ClassDef | BegunClass) and isinstance(d2, DeclaredClass)
        begun = isinstance(d2, BegunClass) and d2.d is d
        if d2 is not d and not declared and not begun:
            return False
    return after.vC[: len(before.vC)] == before.vC
