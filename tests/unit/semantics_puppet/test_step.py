"""`wherefrom step` on Puppet: what each step shows, where it stops, what it says when it is stuck."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wherefrom.base.diagnostics import Diagnostic, ManyErrors, UsageError
from wherefrom.base.host import PureHost
from wherefrom.semantics.puppet.elaborate import OutsideMuPuppet
from wherefrom.semantics.puppet.step import Report, derive_and_show

CONDITIONAL = "$x = 1\nclass a { $y = 2 }\nif $x == 1 { include a } else { $z = 2 }\n"


def step(source: str, **options: Any) -> Report:
    return derive_and_show("site.pp", PureHost({"site.pp": source}), options)


def test_the_trace_of_the_thesis() -> None:
    """Section 5.3.1.1's conditional include, rule by rule, with its outer annotations."""
    report = step(CONDITIONAL, annotate="dependency", rules="thesis")
    assert [each.rules[0] for each in report.steps if not each.rules[0].endswith("SeqSkip")] == [
        "CDef",
        "Assign",
        "LVar",
        "CompValueI",
        "IfT",
        "IncUPlus",
        "AssignPlus",
        "ScopeDone",
    ]
    taken = next(each for each in report.steps if each.rules[0] == "IfT")
    assert taken.after == "(include a)^+{l1, l3}"
    assert taken.changes == ()
    assert "::a $y^+{l1, l3} : 2^{l1, l2, l3}" in report.text()
    assert report.ending == "done after 11 steps"
    assert report.problem is None


def test_repaired_rules_show_absence_labels() -> None:
    """R1: what the branch not taken would have assigned."""
    report = step(CONDITIONAL, annotate="dependency", rules="repaired")
    taken = next(each for each in report.steps if each.rules[0] == "IfT")
    assert [(each.part, each.what, each.now) for each in taken.changes] == [("Abs_σ", ":: $z", "{l1, l3}")]


@pytest.mark.parametrize(
    ("annotate", "shown"),
    [
        (None, ":: $x : 3"),
        ("where", ":: $x : 3^⊥"),
        ("expression", ":: $x : 3^(l1 + l2)"),
        ("dependency", "3^{l1, l2}"),
    ],
)
def test_annotations(annotate: str | None, shown: str) -> None:
    """Each provenance in the papers' notation; without one, no annotations."""
    assert shown in step("$x = 1 + 2", annotate=annotate).text()


def test_every_kind_of_change() -> None:
    """Store, cleared scopes, definitions, catalog and what waits."""
    report = step("define d ($p = 1) { file { 'f': mode => $p } }\nd { 'x': }", switches="hoisting,undef,lazy_defines")
    changes = [(change.part, change.what, change.now) for each in report.steps for change in each.changes]
    assert changes == [
        ("κ", "d", "ResourceDef(($p = 1), …)"),
        ("waiting", "::", "d { 'x':  }"),
        ("σ", "(:: def) $title", "'x'"),
        ("σ", "(:: def) $p", "1"),
        ("vC", "File[f]", "file { 'f': mode => 1 }"),
        ("σ", "(:: def) $title", "cleared"),
        ("σ", "(:: def) $p", "cleared"),
    ]


def test_limit() -> None:
    """`--limit` stops, and shows what is left to do."""
    report = step(CONDITIONAL, limit=3)
    assert len(report.steps) == 3
    assert report.ending == "not finished after 3 steps"
    assert "left to do" in report.text()


@pytest.mark.parametrize(
    ("until", "last"),
    [
        ("IfT", "IfT"),
        ("ift", "IfT"),
        ("ScopeStep", "SeqSkip"),
        ("$x", "Assign"),
        ("$::x", "Assign"),
        ("$a::y", "Assign"),
    ],
)
def test_until(until: str, last: str) -> None:
    """`--until` a rule, whatever its case, or a variable."""
    report = step(CONDITIONAL, until=until)
    assert report.steps[-1].rules[0] == last
    assert report.ending.startswith(f"stopped at {until} after ")


def test_until_resource() -> None:
    """`--until` a resource."""
    report = step("file { 'a': }\nfile { 'b': }\nfile { 'c': }", until="File[b]")
    assert [vR.w.v for vR in report.catalog()] == ["a", "b"]


def test_stuck() -> None:
    """The rules that nearly applied, with reason and place; a hint where real Puppet goes on."""
    report = step("class a ($p) { }\ninclude a")
    assert report.problem is not None
    assert "IncU nearly applies, but merge is undefined: parameter $p has no default and got no value" in report.text()
    assert report.ending.endswith("(site.pp:2:1)")
    strict = step("$y = $x", switches="paper").text()
    assert "LVar nearly applies, but $x has no value in scope ::" in strict
    assert "real Puppet gives undef" in strict
    ordered = step("include a\nclass a { }", switches="undef").text()
    assert "real Puppet hoists definitions" in ordered


def test_switches() -> None:
    """By the name of a set or by names; the JSON says which are on, and a name that is none is an error with a hint."""
    source = "class a { include b }\nclass b inherits a { }\ninclude b"
    assert not any("Begin" in each.rules for each in step(source).steps)
    report = step(source, switches="puppet")
    assert [each.rules[0] for each in report.steps if each.rules[0] in ("Begin", "Resume")] == ["Begin", "Resume"]
    assert "BegunClass(ClassDef(a, ε, …))" in report.text()
    assert "resume include b" in report.text()
    assert step(source, switches="hoisting, begin_first").json()["switches"] == ["hoisting", "begin_first"]
    with pytest.raises(UsageError, match="unknown switch 'hoist'; did you mean hoisting"):
        step(source, switches="hoist")
    with pytest.raises(UsageError, match="there are hoisting, undef,"):
        step(source, switches="zzz")


def test_facts() -> None:
    """Facts are top-scope variables, labelled by their paths; what muPuppet has no values for is undef."""
    facts = {"os": {"family": "Debian"}, "load": 0.5}
    report = step("$x = $os['family']\n$y = $facts['load']", annotate="where", facts=facts)
    assert ":: $x : 'Debian'^fact:os.family" in report.text()
    assert ":: $y : undef^fact:load" in report.text()


def test_no_end() -> None:
    """A cycle of inheritance meets the bound."""
    report = step("class a inherits b { }\nclass b inherits a { }\ninclude a", limit=50)
    assert report.ending == "not finished after 50 steps"


def test_json() -> None:
    """Complete, and JSON."""
    document = json.loads(json.dumps(step(CONDITIONAL + "file { 'f': mode => $x }", annotate="where").json()))
    assert document["ending"] == "done after 14 steps"
    assert document["labels"][0] == {"name": "l1", "value": 1, "place": "site.pp:1:6"}
    assert document["statements"]["LVar"] == "x ∈ dom(σ_α) ⟹ $x →α σ_α(x)"
    assert document["catalog"] == [
        {
            "type": "File",
            "title": "f",
            "annotation": "l5",
            "outer": "{}",
            "parameters": {"mode": {"value": 1, "annotation": "l1"}},
        }
    ]
    assert all(each["rules"] for each in document["steps"])


def test_wrong_use() -> None:
    """Options that do not exist; sources that do not parse; constructs outside muPuppet."""
    with pytest.raises(UsageError):
        step("$x = 1", annotate="why")
    with pytest.raises(UsageError):
        step("$x = 1", rules="mended")
    with pytest.raises(OutsideMuPuppet):
        step("notice('x')")
    with pytest.raises(Diagnostic, match="Syntax error"):
        step("$x = ")
    with pytest.raises(ManyErrors):
        step("$a::x = 1\n$b::y = 2")


def test_nested_deeply() -> None:
    """Depth is no concern: conditions and operators nested hundreds of times."""
    deep = "if true { " * 300 + "$x = 1" + " }" * 300
    assert step(deep).ending.startswith("done")
    assert step("$x = " + "(1 + " * 500 + "1" + ")" * 500).ending.startswith("done")


def test_long_terms_are_cut() -> None:
    """Terms share their parts: thirty doublings have a billion leaves when written out, and are not."""
    source = "$x0 = 1\n" + "".join(f"$x{n} = $x{n - 1} + $x{n - 1}\n" for n in range(1, 31))
    report = step(source, annotate="expression")
    assert report.ending.startswith("done")
    assert len(report.text()) < 200_000
