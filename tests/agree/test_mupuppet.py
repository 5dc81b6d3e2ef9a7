"""The compiler says what muPuppet's rules say: values, and all three provenances, of every muPuppet program.

The reference runs with all switches on (`REAL`), by the repaired dependency rules; the compiler runs as it always does.
Both name literals by their places, so labels and leaves can be compared directly. Compared are the catalog's resources
in their order, every attribute, and every variable of the top scope and of classes: value, where, expression, depends.
Inputs for which muPuppet has no labels (the node's name, keys of hashes, facts as containers or that are not there)
are left out of the last.

The compiler refuses some manifests that muPuppet takes (attributes that a type does not have, nodes that no definition
matches: see docs/semantics/puppet.md); the generator makes none of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest

from support.cases import Case, load_cases
from support.examples import examples
from support.mupuppet_programs import EXTENDED_LAX, FULL, LAX, Style, make_program
from support.mupuppet_source import show_source
from wherefrom.base.diagnostics import PathNotFound, WherefromError
from wherefrom.base.host import PureHost
from wherefrom.base.source import SourceFile
from wherefrom.language import Inputs
from wherefrom.provenance.extract import Apply, Build, Given, Nothing, depends, expression, where
from wherefrom.provenance.origins import Leaf, Origin
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.kernel.issues import PuppetError
from wherefrom.puppet.kernel.operations import Access, NoValue, TypeName
from wherefrom.puppet.output.outcome import PuppetOutcome
from wherefrom.semantics.puppet.annotations import Term, everything, whole
from wherefrom.semantics.puppet.elaborate import OutsideMuPuppet, elaborate_source
from wherefrom.semantics.puppet.judgement import REAL
from wherefrom.semantics.puppet.run import Outcome, Stuck, fact_labels, run
from wherefrom.semantics.puppet.syntax import Label, class_of
from wherefrom.semantics.puppet.theorems import Observed, observe, order
from wherefrom.semantics.rules import OutOfFuel

FILE = "site.pp"


def reference(source: str, node: str, facts: Mapping[str, Any] = {}) -> Outcome | None:
    """What the rules say, or nothing if the program is no muPuppet program or gets stuck."""
    try:
        program = elaborate_source(SourceFile(FILE, source))
        return run(program, node, everything(), REAL, facts=fact_labels(facts))
    except (OutsideMuPuppet, PuppetError, Stuck, OutOfFuel):
        return None


def compiled(source: str, node: str, facts: Mapping[str, Any] = {}) -> PuppetOutcome | None:
    """What the compiler says, or nothing if it refuses."""
    try:
        return LANGUAGE.run(FILE, PureHost({FILE: source}), Inputs(node, facts, {"agent_facts": False}))
    except WherefromError:
        return None


# --- both in the same words -----------------------------------------------------------------------------------------


def of_label(label: Label | None) -> Any:
    if label is None:
        return None
    return label.name if label.span is None else (label.span.start, label.span.end)


def of_leaf(leaf: Leaf | None) -> Any:
    if leaf is None:
        return None
    if leaf.kind == "fact":
        return f"fact:{leaf.name}"
    return (leaf.span.start, leaf.span.end) if leaf.kind == "literal" and leaf.span is not None else leaf.key


def is_scalar_fact(leaf: Leaf) -> bool:
    return leaf.kind == "fact" and not leaf.absent and not isinstance(leaf.value, dict | list)


def of_formula(term: Any) -> Any:
    """A term of the rules, as nested tuples."""
    if isinstance(term, Label):
        return of_label(term)
    assert isinstance(term, Term)
    parts = [of_formula(each) for each in term.arguments]
    match term.op:
        case "undef":
            return "undef"
        case "hash":
            return ("hash", term.keys, *parts)
        case op if op.startswith("ref "):
            return ("ref", *parts)
        case op:
            return (op, *parts)


def of_term(term: Any) -> Any:
    """A term of the compiler, as nested tuples."""
    match term:
        case Given(leaf):
            return of_leaf(leaf)
        case Nothing():
            return "undef"
        case Build(None, parts):
            return ("array", *map(of_term, parts))
        case Build(keys, parts):
            return ("hash", keys, *map(of_term, parts))
        case Apply(NoValue(), ()):
            return "undef"
        case Apply(Access(), (Apply(TypeName(), ()), *parts)):
            return ("ref", *map(of_term, parts))
        case Apply(op, parts):
            return (op.words, *map(of_term, parts))


def path_of(key: tuple[str, ...]) -> str | None:
    """The compiler's path to one of the rules' outputs; nothing if it has none (variables of nodes)."""
    match key:
        case ("class", _, ""):
            return None
        case (t, w):
            if w.startswith("$"):
                a = class_of(t)
                return f"$::{w[1:]}" if t == "::" else f"$::{a}::{w[1:]}" if a else None
            return f"{t}[{w}]"
        case (t, w, k):
            return f"{t}[{w}].{k}"
    return None


# --- the comparison -------------------------------------------------------------------------------------------------


def differences(rules: Outcome, compiler: PuppetOutcome) -> Iterator[str]:
    """Everything that the two say differently."""
    types = {vR.t for vR in rules.catalog}
    resources = [
        (each.type.lower(), each.title) for each in compiler.run.catalog.resources if each.type.lower() in types
    ]
    if resources != order(rules):
        yield f"catalog: {order(rules)} by the rules, {resources} compiled"
        return
    notes = {
        key: whole(rules.algebra, value) for key, value, _ in (*rules.values_of_catalog(), *rules.values_of_store())
    }
    for key, out in observe(rules, "repaired").items():
        path = path_of(key)
        if path is not None:
            yield from (f"{path}: {each}" for each in differ(path, key, out, notes[key], rules, compiler))


def differ(
    path: str, key: tuple[str, ...], out: Observed, note: Any, rules: Outcome, compiler: PuppetOutcome
) -> Iterator[str]:
    """What the two say differently about one output."""
    try:
        selected = compiler.select(path)
    except PathNotFound:
        if out.value is not None:
            yield f"{out.value!r} by the rules, nothing compiled"
        return
    existence = len(key) == 2 and not key[1].startswith("$")
    if not existence and repr(unwired(selected.value)) != repr(out.value):
        yield f"value {out.value!r} by the rules, {selected.value!r} compiled"
        return
    origin: Origin = selected.origin
    labelled = {of_label(each) for each in rules.program.labels}
    found = {of_leaf(each) for each in depends(origin) if of_leaf(each) in labelled or is_scalar_fact(each)}
    wanted = {of_label(each) for each in out.D}
    if found != wanted:
        yield f"depends on {shown(wanted, rules)} by the rules, {shown(found, rules)} compiled"
    if existence:
        return
    if of_leaf(where(origin)) != of_label(rules.part("where", note)):
        yield f"where {of_label(rules.part('where', note))} by the rules, {where(origin)} compiled"
    term, formula = of_term(expression(origin)), of_formula(rules.part("expression", note))
    if term != formula:
        yield f"expression {formula} by the rules, {term} compiled"


def unwired(value: Any) -> Any:
    """A value as JSON has it, with hashes whose keys are not strings as they were before."""
    match value:
        case {"__ptype": "Hash", "__pvalue": pairs}:
            return dict(zip(pairs[::2], map(unwired, pairs[1::2]), strict=True))
        case dict():
            return {key: unwired(each) for key, each in value.items()}
        case list():
            return [unwired(each) for each in value]
        case _:
            return value


def shown(places: set[Any], rules: Outcome) -> str:
    """Places as labels, where they are some."""
    names = {of_label(each): each.name for each in rules.program.labels}
    return "{" + ", ".join(sorted(str(names.get(each, each)) for each in places)) + "}"


def check(source: str, node: str = "default", facts: Mapping[str, Any] = {}) -> bool | None:
    """Compare one program.  True if both ran, false if only the rules did, nothing if they did not."""
    rules = reference(source, node, facts)
    if rules is None:
        return None
    compiler = compiled(source, node, facts)
    if compiler is None:
        return False
    found = list(differences(rules, compiler))
    assert not found, "\n".join([*found, source])
    return True


CASES = [case for case in load_cases("mupuppet") if "want.catalog" in case.sections]
STYLES = {"full": FULL, "lax": LAX, "extended": EXTENDED_LAX}


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_cases(case: Case) -> None:
    """The cases.  `rename` gives attributes names that the compiler accepts, the papers being free with them."""
    source = case.sections["site.pp"]
    for word, other in case.header.get("rename", {}).items():
        source = source.replace(word, other)
    assert check(source, case.header.get("node", "default")) is ("compiler_refuses" not in case.header)


def test_recorded_manifests() -> None:
    """Manifests that were compared with real Puppet, as far as they are muPuppet: the papers' tests and our own."""
    results = []
    for case in load_cases("puppet"):
        if "site.pp" in case.sections and not case.sections.keys() - {"site.pp", "want.json"}:
            results.append(check(case.sections["site.pp"], case.header.get("node", "default")))
    assert results.count(True) >= 20
    assert results.count(None) > results.count(False)


def test_facts() -> None:
    """Facts are inputs of both: read by name, from `$facts`, and tested."""
    source = (
        "class os { $p = $::osfamily ? { 'Debian' => 'ssh', default => 'openssh' }\n"
        "  if $facts['memory']['free'] > 4 { $big = true } }\n"
        "class app inherits os { file { $p: mode => $big, owner => $facts['disks'][0], group => $osfamily } }\n"
        "$big = false\ninclude app\n"
    )
    for free in (2, 8):
        facts = {"osfamily": "Debian", "memory": {"free": free}, "disks": ["sda", "sdb"]}
        assert check(source, facts=facts) is True


@pytest.mark.parametrize("name", STYLES)
def test_generated(name: str) -> None:
    """Programs nobody wrote."""
    compare(STYLES[name], 61, examples(250))


@pytest.mark.soak
@pytest.mark.parametrize("name", STYLES)
def test_soak_generated(name: str) -> None:
    """Many programs nobody wrote."""
    compare(STYLES[name], 71, 20_000)


def compare(style: Style, seed: int, count: int) -> None:
    random = Random(seed)
    results = [check(show_source(make_program(random, style).m)) for _ in range(count)]
    assert results.count(True) > count / 2
    assert results.count(False) == 0
