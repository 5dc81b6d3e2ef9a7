"""SmartFrog: the paper's theorems and the laws of provenance, tried on programs that nobody wrote."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import NamedTuple, TypeAlias

import pytest
from hypothesis import assume, given, settings

from support.examples import examples, fresh
from support.smartfrog_programs import NAMES, Generated, programs, random_program
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.host import PureHost
from wherefrom.base.source import SourceFile, Span
from wherefrom.language import Inputs
from wherefrom.provenance.export import Exporter
from wherefrom.provenance.extract import Apply, Given, Term, depends, evaluate_term, expression, reachable, where
from wherefrom.provenance.origins import Absent, Leaf, Origin, Step
from wherefrom.semantics.smartfrog.domains import Store
from wherefrom.semantics.smartfrog.operations import is_sub_store, paths, put
from wherefrom.semantics.smartfrog.properties import unique
from wherefrom.semantics.smartfrog.step import derive, trace
from wherefrom.smartfrog.evaluate import basic_value
from wherefrom.smartfrog.front import LANGUAGE, SmartFrogOutcome
from wherefrom.smartfrog.labels import COMPONENT
from wherefrom.smartfrog.parser import load
from wherefrom.smartfrog.store import plain
from wherefrom.smartfrog.tree import (
    Assignment,
    Block,
    Boolean,
    DataReference,
    Extends,
    Link,
    Node,
    Null,
    Number,
    Reference,
    Specification,
    String,
    Vector,
)

SETTINGS = settings(max_examples=examples(80), derandomize=True, deadline=None)


def compiled(program: Generated) -> SmartFrogOutcome | None:
    try:
        return LANGUAGE.run("main.sf", program.host, Inputs())
    except Diagnostic:
        return None


def tree_of(program: Generated) -> Specification:
    return load(program.host.source("main.sf"), program.host).checked().tree


def nodes(block: Block) -> Iterator[Node]:
    """Assignments, values, prototypes and elements, all of them, included files too."""
    for assignment in block.assignments():
        yield assignment
        yield from _values(assignment.value)


def _values(value: Node) -> Iterator[Node]:
    yield value
    match value:
        case Extends(prototypes):
            for prototype in prototypes:
                yield prototype
                if isinstance(prototype, Block):
                    yield from nodes(prototype)
        case Vector(items):
            for item in items:
                yield from _values(item)
        case _:
            pass


# --- the paper's theorems -------------------------------------------------------------------------------------------


@SETTINGS
@given(programs(mistakes=0.0))
def test_evaluation_ends_after_as_many_steps_as_the_text_says(program: Generated) -> None:
    """Theorem 1: each assignment and each prototype is evaluated once, whatever refers back to what."""
    if compiled(program) is None:
        return
    steps = derive("main.sf", program.host).steps
    written = list(nodes(tree_of(program).block))
    assignments = sum(isinstance(node, Assignment) for node in written)
    prototypes = sum(isinstance(node, Reference) for node in written)
    assert len(steps) == assignments + prototypes + 1
    assert with_deep_stack(lambda: trace(tree_of(program))).last.store == steps[-1].state.store


@SETTINGS
@given(programs())
def test_no_store_has_an_identifier_twice(program: Generated) -> None:
    """Theorem 2 and its lemmas: not in the result, not in any store on the way, not in any store inside these."""
    for state in derive("main.sf", program.host).states():
        assume(len(paths(state.store)) < 60)
        assert unique(state.store)
        for name, value in state.store:
            assert unique(put(state.store, name, value))
            assert unique(put(state.store, name + "_new", value))
            if isinstance(value, Store):
                assert is_sub_store(value, state.store)


# --- provenance -----------------------------------------------------------------------------------------------------


def same(one: object, other: object) -> bool:
    """Equal as JSON text: order counts, and 1, 1.0 and true are three values."""
    return json.dumps(one) == json.dumps(other)


def check_where_and_expression(program: Generated) -> None:
    outcome = compiled(program)
    if outcome is None:
        return
    before = json.dumps(outcome.document())
    for output in outcome.outputs():
        source = where(output.origin)
        if output.value in ({}, []):
            assert source is None
        else:
            assert source is not None and source.span is not None
            assert same(output.value, source.value)
            assert same(output.value, read_literal(source.span))
        term = expression(output.origin)
        assert same(evaluate_term(term, outcome.apply), output.value)
        assert {leaf.key for leaf in leaves(term)} <= {leaf.key for leaf in depends(output.origin)}
        assert same(outcome.select(output.path).value, output.value)
    whole = outcome.select("")
    assert same(evaluate_term(expression(whole.origin), outcome.apply), whole.value)
    assert json.dumps(outcome.document()) == before == json.dumps(whole.value)


def read_literal(span: Span) -> object:
    """What the text at `span` means, read again by itself."""
    source = SourceFile("literal.sf", f"x {span.text};")
    assignment = load(source, PureHost({})).checked().tree.block.items[0]
    assert isinstance(assignment, Assignment)
    return plain(basic_value(assignment.value))


def leaves(term: Term) -> list[Leaf]:
    match term:
        case Given(leaf):
            return [leaf]
        case Apply():
            raise AssertionError("SmartFrog computes nothing")
        case _:
            return [leaf for each in getattr(term, "arguments", ()) for leaf in leaves(each)]


@SETTINGS
@given(programs())
def test_where_gives_the_literal_and_expression_gives_the_value(program: Generated) -> None:
    """Re-extraction and re-evaluation, for every output and for the whole."""
    check_where_and_expression(program)


def mutations(program: Generated, random: Random) -> Iterator[tuple[Span, str]]:
    """Every literal and every reference, with something else to stand in its place."""
    written = list(nodes(tree_of(program).block))
    references = [node.span.text for node in written if isinstance(node, Link | Reference)]
    targets = [node.target.span.text for node in written if isinstance(node, Assignment)]
    for node in written:
        match node:
            case Boolean() | Number() | String() | Null() | DataReference():
                yield node.span, random.choice(['"mutant"', "4711", "NULL", "[]", "[1, 2]", "DATA mutant"])
            case Link() | Reference():
                invented = ":".join(random.choices([*NAMES, "sfConfig"], k=random.choice([1, 1, 2])))
                yield node.span, random.choice([invented, random.choice(references), random.choice(targets)])
            case _:
                pass


def component_paths(document: dict[str, object], path: str = "") -> Iterator[str]:
    """The paths of all components; of them the order of attributes is checked too."""
    yield path
    for name, value in document.items():
        if isinstance(value, dict):
            yield from component_paths(value, f"{path}:{name}".removeprefix(":"))


def check_depends(program: Generated, random: Random, tries: int) -> int:
    """Change pieces of the text, one at a time: what does not depend on them must stay.  How many outputs did."""
    outcome = compiled(program)
    if outcome is None:
        return 0
    selected = [*outcome.outputs(), *map(outcome.select, component_paths(outcome.document()))]
    outputs = [(each.path, each.value, {leaf.key for leaf in depends(each.origin)}) for each in selected]
    changes = list(mutations(program, random))
    stayed = 0
    for span, text in random.sample(changes, min(tries, len(changes))):
        name = span.file.name
        old = program.files[name]
        mutant = Generated({**program.files, name: old[: span.start] + text + old[span.end :]})
        changed = compiled(mutant)
        if changed is None:
            continue
        for path, value, inputs in outputs:
            if any(key[2:] == (name, span.start, span.end) for key in inputs):
                continue
            try:
                assert same(changed.select(path).value, value), f"{path} after {span!r} became {text}\n{program!r}"
            except Diagnostic as problem:
                raise AssertionError(f"{path} after {span!r} became {text}: {problem}\n{program!r}") from None
            stayed += 1
    return stayed


@SETTINGS
@given(programs(mistakes=0.0))
def test_what_does_not_depend_on_a_text_does_not_change_with_it(program: Generated) -> None:
    """Soundness of `depends`, for literals and for the references of links and prototypes."""
    check_depends(program, Random(0), tries=6)


def test_dependency_on_numbered_programs() -> None:
    """The same on 150 numbered programs; outputs do stay, so the test says something."""
    assert sum(check_depends(random_program(seed), Random(seed), tries=8) for seed in range(150)) > 1_000


Place: TypeAlias = tuple[str, int, int] | None


def place_of(span: Span | None) -> Place:
    return None if span is None else (span.file.name, span.start, span.end)


class Gap(NamedTuple):
    """A block in which attributes are not written.

    `component` is the place of the component that it is a block of (nothing: the top level), `taken` are the names that
    any of its blocks writes, `prototypes` the places of the references beside the blocks.
    """

    block: Block
    component: Place
    taken: set[str]
    prototypes: list[Place]


def gaps(program: Generated) -> Iterator[Gap]:
    """Every block of a program."""
    top = tree_of(program).block
    yield Gap(top, None, {assignment.target.names[0] for assignment in top.assignments()}, [])
    for node in nodes(top):
        if isinstance(node, Extends):
            blocks = [prototype for prototype in node.prototypes if isinstance(prototype, Block)]
            taken = {assignment.target.names[0] for block in blocks for assignment in block.assignments()}
            references = [place_of(prototype.span) for prototype in node.prototypes if isinstance(prototype, Reference)]
            yield from (Gap(block, place_of(node.span), taken, references) for block in blocks)


def looked_at(origin: Origin) -> set[Place]:
    """The components in which something was looked for and not found, or whose attributes matter; and references."""
    return {
        place_of(node.span)
        for node in reachable([origin])
        if isinstance(node, Absent)
        or (isinstance(node, Step) and node.op is COMPONENT)
        or (isinstance(node, Leaf) and node.kind == "reference")
    }


def check_absent(program: Generated, random: Random, tries: int) -> Counter[str]:
    """Write attributes where there are none: what changes had looked there, or has what a prototype brought."""
    counts: Counter[str] = Counter()
    outcome = compiled(program)
    if outcome is None:
        return counts
    outputs = [(output.path, output.value, looked_at(output.origin)) for output in outcome.outputs()]
    written = list(gaps(program))
    for gap in random.sample(written, min(tries, len(written))):
        free = [name for name in NAMES if name not in gap.taken]
        if not free:
            continue
        span, edge = gap.block.span, gap.component is not None
        text = f" {random.choice(free)} {random.choice(['4711', 'extends {}', 'NULL'])}; "
        at = random.choice([span.start + edge, span.end - edge])
        old = program.files[span.file.name]
        changed = compiled(Generated({**program.files, span.file.name: old[:at] + text + old[at:]}))
        if changed is None:
            continue
        for path, value, looked in outputs:
            counts["pairs"] += 1
            try:
                new = changed.select(path).value
            except Diagnostic:
                new = None
            if not same(new, value):
                counts["changed"] += 1
                assert gap.component in looked or looked.intersection(gap.prototypes), (
                    f"{path} after {text}\n{program!r}"
                )
    return counts


def test_what_is_not_written_was_looked_for() -> None:
    """A link, prototype or reference that found something further out depends on the scopes where it was absent."""
    counts: Counter[str] = sum((check_absent(random_program(seed), Random(seed), 6) for seed in range(150)), Counter())
    assert counts["pairs"] > 1_000 and counts["changed"] > 20, counts


@SETTINGS
@given(programs())
def test_two_runs_give_equal_origins(program: Generated) -> None:
    """Determinism: the exported graphs of two runs are equal."""
    one, other = compiled(program), compiled(program)
    if one is not None and other is not None:
        assert exported(one) == exported(other)


def exported(outcome: SmartFrogOutcome) -> str:
    exporter = Exporter()
    rows = [[each.path, exporter.row(each.origin)] for each in outcome.outputs()]
    rows.append(["", exporter.row(outcome.select("").origin)])
    return json.dumps([rows, exporter.document()])


@SETTINGS
@given(programs())
def test_the_printed_store_compiles_to_itself(program: Generated) -> None:
    """The pretty printer gives a program with the same store, and is then stable; the YAML form reads back too."""
    outcome = compiled(program)
    if outcome is None:
        return
    text = outcome.text()
    again = LANGUAGE.run("again.sf", PureHost({"again.sf": text}), Inputs())
    assert again.text() == text
    assert same(again.document(), outcome.document())
    import yaml

    read = yaml.safe_load(outcome.yaml())
    assert same(read, json.loads(json.dumps(outcome.document()).replace('"$.', '"'))) or '"$.' in text


@pytest.mark.soak
def test_provenance_on_thousands_of_programs() -> None:
    """All laws on 3,000 numbered programs."""
    for seed in fresh(range(1_000, 4_000)):
        program = random_program(seed)
        check_where_and_expression(program)
        check_depends(program, Random(seed), tries=15)
        check_absent(program, Random(seed), tries=8)
