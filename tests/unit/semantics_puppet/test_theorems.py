"""The checks that the property tests rely on do find what is wrong."""

from __future__ import annotations

from typing import Any

from wherefrom.base.source import SourceFile
from wherefrom.semantics.puppet.annotations import everything
from wherefrom.semantics.puppet.elaborate import elaborate_source
from wherefrom.semantics.puppet.judgement import PAPER, Binding
from wherefrom.semantics.puppet.run import Outcome, run
from wherefrom.semantics.puppet.syntax import TOP, ClassDef, DeclaredClass, Label, Program, Skip, Value
from wherefrom.semantics.puppet.theorems import (
    annotation_violations,
    dependency_violations,
    expression_violations,
    is_monotone,
    labels,
    where_violations,
)

SOURCE = "$x = 1\n$y = $x + 1\nfile { 'f': mode => $x, owner => $y }\nfile { 'g': }"


def outcome(source: str = SOURCE, **settings: Any) -> Outcome:
    return run(elaborate_source(SourceFile("site.pp", source)), algebra=everything(), **settings)


def test_where_and_expression_notice_a_wrong_literal() -> None:
    """If the literal at l were another, both theorems would be broken at every copy, the second also at every use."""
    good = outcome()
    assert where_violations(good) == expression_violations(good) == []
    bad = outcome()
    bad.values = {bad.program.label("l1"): 7}
    assert len(where_violations(bad)) == 2  # $x and the mode
    assert len(expression_violations(bad)) == 4  # $y and the owner too


def test_expression_notices_a_term_without_value() -> None:
    """A term over literals on which its operator is not defined."""
    bad = outcome()
    bad.values = {bad.program.label("l1"): "one"}
    assert any("has no value" in each for each in expression_violations(bad))


def test_dependency_notices_values_existence_order_and_annotations() -> None:
    """Two outcomes that differ although nothing that they name was changed."""
    nothing: frozenset[Label] = frozenset()
    first = outcome()
    assert dependency_violations(first, outcome(), nothing, "repaired") == []
    program = first.program
    changed = run(program, algebra=everything(), override={program.label("l1"): 5})
    kinds = [each.kind for each in dependency_violations(first, changed, nothing, "repaired")]
    assert kinds == ["value"] * 8  # $x, $y, mode and owner, each way
    fewer = outcome("$x = 1\n$y = $x + 1\nfile { 'f': mode => $x, owner => $y }")
    assert {each.kind for each in dependency_violations(first, fewer, nothing, "thesis")} == {"missing"}
    turned = outcome("$x = 1\n$y = $x + 1\nfile { 'g': }\nfile { 'f': mode => $x, owner => $y }")
    assert {each.kind for each in dependency_violations(first, turned, nothing, "thesis")} == {"order"}
    other = outcome("$x = 1\n$y = 1 + 1\nfile { 'f': mode => $x, owner => $y }\nfile { 'g': }")
    assert dependency_violations(first, other, nothing, "thesis") == []
    assert annotation_violations(first, other, nothing, "thesis") != []


def test_monotonicity_notices_what_is_lost() -> None:
    """Bindings, definitions and resources that go, change or turn back."""
    after = outcome("class a { }\ninclude a\n$x = 1\nfile { 'f': }").Γ
    assert is_monotone(after, after)
    assert not is_monotone(after, after.but(σ={}))
    assert not is_monotone(after, after.but(σ={(TOP, "x"): Binding(Value(2, None), frozenset())}))
    assert not is_monotone(after, after.but(vC=()))
    assert not is_monotone(after, after.but(κ={}))
    assert isinstance(after.κ["a"], DeclaredClass)
    assert not is_monotone(after, after.but(κ={"a": ClassDef(None, (), Skip())}))
    before = after.but(κ={"a": ClassDef(None, (), Skip())})
    assert is_monotone(before, after)


def test_labels_are_pairs() -> None:
    """labels(·) holds values with their labels, of every part of a program; computed values contribute nothing."""
    source = (
        "class a ($p = 1) { $x = 2 }\ndefine d ($q = 3) { file { 'f': mode => 4 } }\n"
        "case 5 { 6: { } default: { $y = 7 ? { 8 => [9, {'k' => 10}], default => !true } } }\n"
        "node default { unless false { $z = 11 + 12 } }"
    )
    program = elaborate_source(SourceFile("site.pp", source))
    assert {label.name for label, _ in labels(program.m)} == {label.name for label in program.labels}
    assert len(program.labels) == 15
    small = elaborate_source(SourceFile("site.pp", "$x = 1 + 2"))
    after = run(small, algebra=everything(), switches=PAPER).Γ
    assert labels(tuple(bound.value for bound in after.σ.values()), 0) == set()
    assert isinstance(small, Program)
