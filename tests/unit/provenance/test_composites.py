"""Into composites: the origin of an element, of the shape, and of what is not there."""

from __future__ import annotations

import pytest

from wherefrom.base.source import SourceFile
from wherefrom.provenance import (
    BUILT_IN,
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
from wherefrom.provenance.composites import is_constant, missing, owing, shape, unwrapped, wrapped
from wherefrom.provenance.extract import chain, depends, guards, hidden, where
from wherefrom.provenance.operations import ARRAY, Infix, Reason
from wherefrom.provenance.origins import Foreign

FILE = SourceFile("t", "0123456789")
CONSTANT = Step(ARRAY, ())


def fact(name: str) -> Leaf:
    return Leaf("fact", name, None, name)


ONE, TWO, OWN, TEST, DECIDED = map(fact, ("one", "two", "own", "test", "decided"))
GUARD = Guard(TEST, None)


def names(*origins: Origin | Guard) -> list[str]:
    return [leaf.name for leaf in depends(*origins)]


def test_constants() -> None:
    assert is_constant(CONSTANT) and is_constant(BUILT_IN)
    assert not is_constant(Step(Infix("+"), (ONE,))) and not is_constant(ONE)


def test_what_stands_round_is_taken_off_and_put_on_again() -> None:
    """The same hands, tests, guards and covered values stand round another inside."""
    copy = Copy(Reason("hand"), Guarded(Choice((TEST,), ONE, FILE.span(1, 2), Reason("if")), GUARD), FILE.span(0, 1))
    origin = Overridden(Reason("set"), copy, (), (DECIDED,), FILE.span(2, 3))
    wrappers, inner = unwrapped(origin)
    assert inner is ONE
    assert [type(wrapper) for wrapper in wrappers] == [Overridden, Copy, Guarded, Choice]
    again = wrapped(wrappers, TWO)
    assert where(again) is TWO
    assert names(again) == ["decided", "test", "two"]
    assert [(hand.how, getattr(hand.origin, "span", None)) for hand in chain(again)] == [
        (hand.how, getattr(hand.origin, "span", None)) for hand in chain(origin)
    ]
    assert guards(again) == [GUARD]
    assert unwrapped(ONE) == ([], ONE) and wrapped([], ONE) is ONE


@pytest.mark.parametrize(
    ("own", "counts"),
    [
        (CONSTANT, False),
        (OWN, False),
        (Leaf("literal", "", FILE.span(0, 1), 1), True),
        (Step(Infix("+"), (OWN,)), True),
        (Absent("x", (OWN,)), True),
    ],
)
def test_an_element_owes_its_being_there_to_the_whole(own: Origin, counts: bool) -> None:
    """Not to a constant of the program, nor to data from outside, whose elements are inputs by themselves."""
    origin = owing(own, ONE)
    assert where(origin) is ONE
    assert len(depends(origin)) == 1 + counts
    assert (origin is ONE) is not counts
    inside = element(Items([ONE, TWO], own), 1)
    assert inside is not None and len(depends(inside)) == 1 + counts


def test_an_element_of_what_is_no_composite() -> None:
    assert element(ONE, 0) is None
    assert element(Copy(Reason("hand"), ONE), 0) is None
    for items in (Items([ONE], CONSTANT), Copy(Reason("hand"), Items([ONE], CONSTANT))):
        assert element(items, 1) is None
        assert element(items, "k") is None
    assert element(Items({"k": ONE}, CONSTANT), "k") is ONE
    assert element(Items({"k": ONE}, CONSTANT), "l") is None


def test_covered_values_stay_visible_in_their_elements() -> None:
    """Those that had this element; one whose elements are not known apart has the origin of its whole."""
    covered = (
        Hidden({"a": 1, "b": 2}, Items({"a": ONE, "b": TWO}, CONSTANT), Reason("first"), FILE.span(1, 2)),
        Hidden({"b": 3}, Items({"b": TWO}, CONSTANT), Reason("second")),
        Hidden({"a": 4}, TWO, Reason("third")),
        Hidden("text", TWO, Reason("fourth")),
    )
    origin = element(Overridden(None, Items({"a": OWN}, CONSTANT), covered), "a")
    assert origin is not None
    told = [(value.value, value.why.words, value.origin, value.span) for value in hidden(origin)]
    assert told == [(1, "first", ONE, FILE.span(1, 2)), (4, "third", TWO, None)]


def test_the_shape() -> None:
    """All that decided which elements there are: the tests round it and its own origin; not the elements, nor hands."""
    items = Items({"a": ONE}, OWN, {"a": TWO})
    origin = Guarded(Copy(Reason("hand"), Choice((TEST,), Overridden(None, items, (), (DECIDED,)))), GUARD)
    assert shape(origin) == (GUARD, TEST, DECIDED, OWN, TWO)
    assert shape(Items([ONE], OWN)) == (OWN,)
    assert shape(Copy(Reason("hand"), ONE)) == (ONE,)


def test_what_is_not_there() -> None:
    """In data from outside it is an input by itself; else it owes its absence to all that decided the shape."""
    data = Guarded(Items({"a": ONE}, OWN), GUARD)
    guard, absent = missing(data, "b")
    assert guard is GUARD
    assert isinstance(absent, Leaf) and (absent.kind, absent.name, absent.absent) == ("fact", "own.b", True)
    made = Items({"a": ONE}, Step(Infix("+"), (OWN,)))
    assert missing(made, "b") == (made.own,)
    array = Items([ONE], OWN)
    assert missing(array, 5) == (OWN,), "of an array its length is the input"
    assert missing(ONE, "b") == (ONE,)


def test_an_input_that_would_be_there() -> None:
    assert OWN.within("b").name == "own.b"
    assert Leaf("fact", "", None, {}).within("b").name == "b"
    inside = Leaf("hiera", "k", FILE.span(0, 1), {}, "detail").within(3)
    assert (inside.kind, inside.name, inside.span, inside.value, inside.detail, inside.file, inside.absent) == (
        "hiera", "k.3", None, None, "", "t", True,
    )  # fmt: skip
    foreign = Foreign(OWN, "db01").within("b")
    assert isinstance(foreign, Foreign) and (foreign.name, foreign.node, foreign.absent) == ("own.b", "db01", True)
