"""The laws of origins: what each kind gives for where, expression, depends, chain and hidden."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from support.examples import examples
from wherefrom.base.source import SourceFile
from wherefrom.provenance import (
    Absent,
    Choice,
    Copy,
    Guard,
    Guarded,
    Hidden,
    Items,
    Leaf,
    Origin,
    Overridden,
    Step,
    element,
)
from wherefrom.provenance.export import Exporter, import_origins
from wherefrom.provenance.extract import (
    Apply,
    Build,
    Given,
    Nothing,
    chain,
    depends,
    evaluate_term,
    expression,
    guards,
    hidden,
    leaves,
    parts,
    where,
)
from wherefrom.provenance.impact import affected
from wherefrom.provenance.operations import Infix, Reason
from wherefrom.provenance.origins import Later

FILE = SourceFile("t", "0123456789" * 10)


def leaf(number: int) -> Leaf:
    return Leaf("literal", "", FILE.span(number, number + 1), number)


def numbers(origin: Origin) -> list[object]:
    return [each.value for each in depends(origin)]


def test_a_copy_keeps_everything_and_adds_a_hand() -> None:
    """Copy(how, source): where, expression and depends of the source."""
    source = leaf(1)
    origin = Copy(Reason("variable $x"), source, FILE.span(5, 7))
    assert where(origin) is source
    assert expression(origin) == Given(source)
    assert numbers(origin) == [1]
    assert [hand.how.words for hand in chain(origin)] == ["variable $x"]


def test_a_step_is_computed() -> None:
    """Step(op, inputs): no where; a term; the union of dependencies."""
    origin = Step(Infix("+"), (leaf(1), leaf(2)))
    assert where(origin) is None
    assert isinstance(expression(origin), Apply)
    assert numbers(origin) == [1, 2]


def test_a_choice_depends_on_its_tests() -> None:
    """Choice(tests, chosen): where and expression of the chosen, depends of both."""
    origin = Choice((leaf(1),), leaf(2))
    assert where(origin) is not None
    assert numbers(origin) == [1, 2]


def test_a_guard_counts_all_the_way_up() -> None:
    """Guarded(inner, guard): every test up the guard."""
    outer = Guard(leaf(1), None)
    origin = Guarded(leaf(3), Guard(leaf(2), outer))
    assert numbers(origin) == [1, 2, 3]
    assert len(guards(origin)) == 2


def test_an_absence_depends_on_what_could_have_filled_it() -> None:
    """Absent(causes): no where, but dependencies."""
    origin = Absent("$x", (Guard(leaf(4), None),))
    assert where(origin) is None
    assert numbers(origin) == [4]


def test_items_are_built_of_elements() -> None:
    """Items: constructor of elements; its own origin and the elements' dependencies."""
    origin = Items({"a": leaf(1), "b": leaf(2)}, leaf(3))
    assert isinstance(expression(origin), Build)
    assert numbers(origin) == [1, 2, 3]


def test_an_element_keeps_what_stood_round_the_composite() -> None:
    """Asking for an element passes copies and guards on, and adds the composite's own origin, not the siblings'."""
    items = Items([leaf(1), leaf(2)], leaf(3))
    origin = element(Guarded(Copy(Reason("variable $x"), items), Guard(leaf(4), None)), 0)
    assert origin is not None
    assert numbers(origin) == [1, 3, 4]
    assert where(origin) is items.elements[0]  # type: ignore[index]
    assert element(items, 9) is None


def test_an_override_remembers_what_it_covers() -> None:
    """Overridden(chosen, hidden): depends on who decided, tells what is hidden, all the way down."""
    first = Overridden(Reason("set"), leaf(1), (Hidden("0", leaf(5), Reason("default")),))
    origin = Overridden(
        Reason("set again"), leaf(2), (Hidden("1", first, Reason("overridden")),), (Guard(leaf(3), None),)
    )
    assert numbers(origin) == [2, 3]
    assert [each.value for each in hidden(origin)] == ["1", "0"]


def origins() -> st.SearchStrategy[Origin]:
    """Graphs of every kind of origin over few leaves; sharing comes from drawing the same leaves again."""

    def extend(inner: st.SearchStrategy[Origin]) -> st.SearchStrategy[Origin]:
        pairs = st.lists(inner, min_size=1, max_size=3).map(tuple)
        return st.one_of(
            st.builds(lambda parts: Step(Infix("+"), parts), pairs),
            st.builds(lambda source: Copy(Reason("hand"), source), inner),
            st.builds(Choice, pairs, inner),
            st.builds(lambda one, test: Guarded(one, Guard(test, None)), inner, inner),
            st.builds(lambda parts, own: Items(list(parts), own), pairs, inner),
            st.builds(lambda parts, own: Items({str(i): p for i, p in enumerate(parts)}, own), pairs, inner),
            st.builds(lambda a, b: Overridden(Reason("set"), a, (Hidden(0, b, Reason("old")),)), inner, inner),
            st.builds(lambda a: Absent("x", (a,)), inner),
        )

    return st.recursive(st.sampled_from([leaf(n) for n in range(6)]), extend, max_leaves=12)


def leaves_of(term: object) -> set[tuple[str, str, str, int, int]]:
    match term:
        case Given(found):
            return {found.key}
        case Apply(_, arguments) | Build(_, arguments):
            return set().union(*(leaves_of(each) for each in arguments))
    return set()


@settings(derandomize=True, max_examples=examples(100))
@given(origins())
def test_leaves_of_the_expression_are_dependencies(origin: Origin) -> None:
    """The inputs of the formula are among the inputs it depends on."""
    assert leaves_of(expression(origin)) <= {each.key for each in depends(origin)}


@settings(derandomize=True, max_examples=examples(100))
@given(origins())
def test_where_is_the_expression_with_compounds_collapsed(origin: Origin) -> None:
    """There is a `where` exactly when the term is an input, and it is that input."""
    term = expression(origin)
    assert where(origin) == (term.leaf if isinstance(term, Given) else None)


@settings(derandomize=True, max_examples=examples(100))
@given(origins())
def test_export_and_import_keep_every_answer(origin: Origin) -> None:
    """A saved origin says what the live one says."""
    exporter = Exporter()
    row = exporter.row(origin)
    nodes, _ = import_origins(exporter.document())
    again = nodes[row]
    assert isinstance(again, Origin)
    assert [each.key for each in depends(again)] == [each.key for each in depends(origin)]
    assert repr(expression(again)) == repr(expression(origin))
    assert [hand.how.words for hand in chain(again)] == [hand.how.words for hand in chain(origin)]
    assert [each.value for each in hidden(again)] == [each.value for each in hidden(origin)]


@settings(derandomize=True, max_examples=examples(100))
@given(st.lists(origins(), max_size=4), st.integers(0, 5))
def test_impact_is_dependency_turned_round(roots: list[Origin], number: int) -> None:
    """An output is affected by an input exactly when it depends on it."""
    expected = [number in numbers(root) for root in roots]
    assert affected(roots, lambda each: isinstance(each, Leaf) and each.value == number) == expected


def test_depth_does_not_matter() -> None:
    """A graph of thirty thousand steps is walked, exported and evaluated again without recursion."""
    origin: Origin = leaf(0)
    for _ in range(30_000):
        origin = Step(Infix("+"), (origin, leaf(1)))
    assert numbers(origin) == [0, 1]
    assert evaluate_term(expression(origin), lambda op, values: sum(values)) == 30_000  # type: ignore[arg-type]
    exporter = Exporter()
    exporter.row(origin)
    assert len(import_origins(exporter.document())[0]) > 30_000


def test_inputs_are_told_in_the_order_of_reading() -> None:
    """First what comes from outside, by file, then the literals as they stand in the text; each once."""
    other = SourceFile("a", "0123456789")
    inputs = [
        leaf(7),
        leaf(2),
        Leaf("literal", "", other.span(9, 10), "in a"),
        Leaf("literal", "", FILE.span(2, 9), "longer"),
        Leaf("hiera", "k", None, "k", file="b.yaml"),
        Leaf("fact", "z", None, "z"),
        Leaf("fact", "b", None, "b"),
        Leaf("environment", "z", None, "environment"),
        Leaf("fact", "b", None, "b"),
    ]
    expected = ["environment", "b", "z", "k", "in a", 2, "longer", 7]
    assert numbers(Step(Infix("+"), tuple(inputs))) == expected
    assert numbers(Step(Infix("+"), tuple(reversed(inputs)))) == expected


def test_the_shape_alone() -> None:
    """Without its elements, a composite depends on its own origin."""
    items = Items([leaf(1)], leaf(2))
    assert list(parts(items)) == [items.own, items.elements[0]]  # type: ignore[index]
    assert list(parts(items, elements=False)) == [items.own]


def test_the_inputs_of_a_formula() -> None:
    """From left to right; what two places share is visited once."""
    shared = Given(leaf(2))
    term = Apply(Infix("+"), (Build(("k",), (shared,)), Apply(Infix("-"), (Given(leaf(1)), shared)), Nothing("x")))
    assert [found.value for found in leaves(term)] == [2, 1]


def test_a_formula_is_computed_again() -> None:
    """Inputs have the values they had, or what is said; a composite is made of its elements, and nothing is nothing."""
    term = Apply(Infix("+"), (Given(leaf(1)), Build(("k",), (Given(leaf(2)),)), Build(None, (Nothing("x"),))))
    assert evaluate_term(term, lambda op, values: [op.words, *values]) == ["+", 1, {"k": 2}, [None]]
    assert evaluate_term(Given(leaf(4)), lambda op, values: None, lambda found: (found.value, "again")) == (4, "again")


def test_what_did_not_happen_is_no_test() -> None:
    """A guard that stands for branches not taken is not told among the tests in force; the same test is told once."""
    outer = Guard(leaf(1), None)
    skipped = Guard(Later("not taken", lambda: (leaf(5),)), outer)
    inner = Guard(leaf(2), skipped)
    origin = Copy(Reason("hand"), Guarded(Choice((leaf(4),), Guarded(leaf(3), outer)), inner))
    assert guards(origin) == [inner, outer]
    assert guards(Overridden(None, Guarded(leaf(3), outer), ())) == [outer]
    assert guards(leaf(3)) == []


def test_hands_of_choices_and_overrides_are_told() -> None:
    """Where they say something."""
    origin = Overridden(Reason("set"), Choice((), Guarded(Copy(Reason("hand"), leaf(1)), Guard(leaf(2), None))), ())
    assert [hand.how.words for hand in chain(origin)] == ["set", "hand"]
    assert [hand.how.words for hand in chain(Choice((), leaf(1), None, Reason("if")))] == ["if"]
    assert [hand.how.words for hand in chain(Overridden(None, leaf(1), ()))] == []


def test_values_that_were_covered_in_turn() -> None:
    """The most recent first, through whatever stands round them, and each once."""
    old = Overridden(None, leaf(1), (Hidden("oldest", leaf(2), Reason("a")),))
    new = Copy(Reason("hand"), Guarded(Choice((), old), Guard(leaf(3), None)))
    origin = Overridden(None, leaf(4), (Hidden("old", new, Reason("b")), Hidden("same", old, Reason("c"))))
    assert [covered.value for covered in hidden(origin)] == ["old", "same", "oldest"]
