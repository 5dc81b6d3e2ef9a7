"""Origins: which inputs are the same, what is worked out only when somebody asks, and how they are shown."""

from __future__ import annotations

from wherefrom.base.source import SourceFile
from wherefrom.provenance import BUILT_IN, UNTRACED, Guard, Hidden, Items, Leaf, Origin, guarded
from wherefrom.provenance.condensed import Condensed
from wherefrom.provenance.extract import depends, expression, hidden, where
from wherefrom.provenance.operations import (
    IF,
    At,
    BuiltIn,
    FunctionCall,
    Infix,
    NamedEdgeLabel,
    ProvenanceLabel,
    Reason,
    Recalled,
    RecalledEdgeLabel,
    Shape,
)
from wherefrom.provenance.origins import Covering, Foreign, Guarded, Later, LaterItems, Step, built_in

FILE = SourceFile("t", "0123456789")
ONE = Leaf("fact", "one", None, 1)


def test_the_same_input() -> None:
    """By kind, name and file; by place, where it has one; by node, where it is another's."""
    assert ONE.key == Leaf("fact", "one", None, "other value").key == ("fact", "one", "", 0, 0)
    assert Leaf("hiera", "k", None, 1, file="a").key != Leaf("hiera", "k", None, 1, file="b").key
    assert Leaf("literal", "", FILE.span(2, 5), 1).key == ("literal", "", "t", 2, 5)
    assert Foreign(ONE, "db01").key == ("fact", "one of db01", "", 0, 0)
    place = Leaf("hiera", "k", FILE.span(2, 5), 1, file="not asked")
    assert place.file == "t", "the file is that of the place"
    there = Foreign(Leaf("fact", "f", None, 2, "detail", "file", True), "db01")
    assert (there.kind, there.name, there.value, there.detail, there.file, there.absent, there.node) == (
        "fact", "f", 2, "detail", "file", True, "db01",
    )  # fmt: skip


def test_a_search_is_made_once_and_only_when_asked() -> None:
    asked: list[str] = []

    def search(name: str) -> tuple[Origin | Guard, ...]:
        asked.append(name)
        return (ONE,)

    absent = Later("x", search, FILE.span(0, 1), ("given",))
    assert (absent.what, absent.span, asked) == ("x", FILE.span(0, 1), [])
    assert absent.causes == (ONE,) and absent.causes == (ONE,)
    assert asked == ["given"]


def test_elements_are_put_together_once_and_only_when_asked() -> None:
    """Dependency asks for those alone that say something."""
    made: list[int] = []
    silent = Leaf("fact", "two", None, 2)

    def make() -> list[Origin]:
        made.append(1)
        return [ONE, silent]

    items = LaterItems(make, BUILT_IN, (ONE,))
    assert (items.placed, items.own) == (None, BUILT_IN)
    assert [leaf.name for leaf in depends(items)] == ["one"] and made == []
    assert items.elements == [ONE, silent] and items.elements == [ONE, silent]
    assert made == [1]


def test_covered_values_are_looked_up_once_and_only_when_asked() -> None:
    asked: list[int] = []

    def later() -> tuple[Hidden, ...]:
        asked.append(1)
        return (Hidden(2, BUILT_IN, Reason("further on")),)

    covering = Covering(ONE, later)
    assert where(covering) is ONE and depends(covering) == [ONE] and asked == []
    assert (covering.how, covering.decided, covering.span) == (None, (), None)
    assert [covered.value for covered in hidden(covering)] == [2]
    assert covering.hidden is covering.hidden and asked == [1]
    condensed = Condensed()
    assert condensed.inputs[~condensed.of(covering)] == ONE


def test_constants_of_the_language() -> None:
    """Nothing depends on them; the same text is the same origin."""
    assert depends(BUILT_IN) == depends(UNTRACED) == depends(built_in("main")) == []
    assert built_in("main") is built_in("main")
    assert repr(expression(built_in("main"))) == "Apply(BuiltIn('built in main'), ())"


def test_a_guard_may_be_none() -> None:
    guard = Guard(ONE, None)
    assert guard.how is IF
    assert guarded(BUILT_IN, None) is BUILT_IN
    origin = guarded(BUILT_IN, guard)
    assert isinstance(origin, Guarded) and origin.inner is BUILT_IN and origin.guard is guard


def test_operations_are_equal_by_class_and_words() -> None:
    assert Infix("+") == Infix("+") and hash(Infix("+")) == hash(Infix("+"))
    assert Infix("+") != Infix("-") and Infix("+") != Recalled("+") and Infix("+") != "+"
    plain = ProvenanceLabel()
    assert plain == plain and str(FunctionCall("f")) == "call f"


def test_words() -> None:
    """How documents name an operation or a hand, and how a formula shows it."""

    class Item(At):
        said = "item"

    class Variable(NamedEdgeLabel):
        said = "variable"

    assert Item(2).words == "item 2" and Item(2).shown == "item 2"
    assert FunctionCall("join").words == "call join" and FunctionCall("join").shown == "join"
    assert BuiltIn("main").words == "built in main"
    assert Shape("array").words == "array"
    assert Recalled("value 3").words == "value 3" and Recalled("value 3").shown == "3"
    assert Variable("$x").words == "variable $x"
    assert RecalledEdgeLabel("if").words == "if" and RecalledEdgeLabel("if") != IF


def test_how_they_are_shown_to_a_programmer() -> None:
    """In a failing test, say: what it is, not where it is in memory."""
    at = Leaf("literal", "", FILE.span(2, 5), "x")
    shown = [at, ONE, Leaf("hiera", "k", None, None, "", "a.yaml", True), Step(Infix("+"), (ONE,)), Items([ONE], at)]
    assert [repr(origin) for origin in shown] == [
        "Leaf(literal  t:1:3: 'x')",
        "Leaf(fact one: 1)",
        "Leaf(hiera k a.yaml: absent)",
        "Step(+, 1 inputs)",
        "Items(1 elements)",
    ]
