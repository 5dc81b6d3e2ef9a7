"""Origins as a table and back: what the rows hold, what is shared, and that nothing wrong is believed."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

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
)
from wherefrom.provenance.export import BadExport, Exporter, import_origins
from wherefrom.provenance.extract import depends
from wherefrom.provenance.operations import IF, FunctionCall, Reason, RecalledEdgeLabel
from wherefrom.provenance.origins import BUILT_IN, Foreign, Later

FILE = SourceFile("site.pp", "0123456789")
ONE = Leaf("fact", "one", None, 1)
LITERAL = Leaf("literal", "", FILE.span(2, 5), "234")


def rows(origin: Origin | Guard, merged: bool = False) -> list[Any]:
    exporter = Exporter(merged)
    assert exporter.row(origin) == len(exporter.document()["nodes"]) - 1
    nodes: list[Any] = exporter.document()["nodes"]
    return nodes


def again(origin: Origin | Guard, of: str | None = None) -> Any:
    exporter = Exporter()
    number = exporter.row(origin)
    return import_origins(json.loads(json.dumps(exporter.document())), of)[0][number]


# --- what a row holds ------------------------------------------------------------------------------------------------

PLACE = FILE.span(6, 8)
ROW_ONE = ["leaf", "fact", "one", None, 1, "", "", False]


@pytest.mark.parametrize(
    ("origin", "row"),
    [
        (LITERAL, ["leaf", "literal", "", [0, 2, 5], "234", "", "site.pp", False]),
        (Leaf("hiera", "k", None, {3}, "d", "f", True), ["leaf", "hiera", "k", None, "{3}", "d", "f", True]),
        (Foreign(ONE, "db01"), ["foreign", "fact", "one", 1, "", "", False, "db01"]),
        (Step(FunctionCall("f"), (ONE, ONE), PLACE), ["step", "call f", [0, 0], [0, 6, 8]]),
        (Copy(Reason("hand"), ONE, PLACE), ["copy", "hand", 0, [0, 6, 8]]),
        (Choice((ONE,), ONE, PLACE, Reason("hand")), ["choice", [0], 0, [0, 6, 8], "hand"]),
        (Choice((ONE,), ONE), ["choice", [0], 0, None, ""]),
        (Guard(ONE, None, PLACE), ["guard", 0, None, [0, 6, 8], "if"]),
        (Absent("$x", (ONE,), PLACE), ["absent", "$x", [0], [0, 6, 8]]),
        (Items([ONE], ONE), ["array", [0], 0, None]),
        (Items({"k": ONE}, ONE, {"k": ONE}), ["hash", [["k", 0]], 0, [["k", 0]]]),
        (
            Overridden(Reason("set"), ONE, (Hidden(3, ONE, Reason("old"), PLACE),), (ONE,), PLACE),
            ["overridden", "set", 0, [[3, 0, "old", [0, 6, 8]]], [0], [0, 6, 8]],
        ),
    ],
)
def test_a_row(origin: Origin | Guard, row: list[Any]) -> None:
    table = rows(origin)
    assert table == [row] if isinstance(origin, Leaf) else [ROW_ONE, row]
    assert rows(again(origin)) == table, "read and written again, it is the same"


def test_guards_refer_to_guards() -> None:
    outer = Guard(ONE, None)
    origin = Guarded(ONE, Guard(ONE, outer, None, Reason("unless")))
    table = rows(origin)
    assert table[1:] == [["guard", 0, None, None, "if"], ["guard", 0, 1, None, "unless"], ["guarded", 0, 2]]
    assert rows(again(origin)) == table


def test_covered_values_and_positions_are_in_the_table() -> None:
    """Nothing depends on them, but they are told."""
    origin = Overridden(None, ONE, (Hidden(3, LITERAL, Reason("old")),))
    assert again(origin).hidden[0].origin.value == "234" and again(origin).how is None
    assert again(Items({"k": ONE}, ONE, {"k": LITERAL})).placed["k"].value == "234"


def test_texts_travel_along() -> None:
    """Each once, by what no other text has for a name."""
    inner = SourceFile("site.pp", "in a text", place="site.pp:3")
    exporter = Exporter()
    exporter.row(Step(FunctionCall("f"), (LITERAL, Leaf("literal", "", inner.span(0, 2), "in")), FILE.span(0, 1)))
    document = exporter.document()
    outer, inside = sorted(document["sources"], key=lambda source: str(source["identity"]))
    assert outer == {"name": "site.pp", "text": "0123456789", "identity": "site.pp"}
    assert inside == {"name": "site.pp", "text": "in a text", "identity": inner.identity}
    nodes, sources = import_origins(document)
    assert {name: source.text for name, source in sources.items()} == {
        "site.pp": "0123456789",
        inner.identity: "in a text",
    }
    assert [leaf.file for leaf in depends(nodes[-1])] == ["site.pp", inner.identity]
    del outer["identity"]
    assert set(import_origins(document)[1]) == {"site.pp", inner.identity}, "without one it is the name"


def test_sharing_survives() -> None:
    shared = Step(FunctionCall("f"), (ONE,))
    exporter = Exporter()
    first, second = exporter.row(Copy(Reason("a"), shared)), exporter.row(Copy(Reason("b"), shared))
    nodes, _ = import_origins(exporter.document())
    assert len(nodes) == 4
    assert nodes[first].source is nodes[second].source  # type: ignore[union-attr]
    assert exporter.row(shared) == 1, "what is there is not added again"


def test_copies_that_say_the_same_are_one_row() -> None:
    """Where histories come from several tables, and only then."""
    twice = Step(FunctionCall("f"), (Leaf("fact", "one", None, 1), Leaf("fact", "one", None, 1)))
    assert len(rows(twice)) == 3
    assert rows(twice, merged=True) == [ROW_ONE, ["step", "call f", [0, 0], None]]


# --- histories that lead back to themselves --------------------------------------------------------------------------


def test_a_cycle_is_broken_where_something_is_absent() -> None:
    """The absence names its inputs, not the way to them; what depends on it stays the same."""
    first: Later = Later("first", lambda: (Copy(Reason("hand"), second), LITERAL))
    second: Later = Later("second", lambda: (ONE, first))
    for origin in (first, second, Choice((first,), ONE), Choice((second,), ONE)):
        assert [leaf.key for leaf in depends(again(origin))] == [leaf.key for leaf in depends(origin)]


def test_a_cycle_without_inputs() -> None:
    alone: Later = Later("alone", lambda: (alone,))
    assert depends(again(alone)) == []
    assert rows(alone) == [["step", "built in", [], None], ["absent", "alone", [0], None]]
    assert isinstance(BUILT_IN, Step)


def test_a_cycle_without_an_absence_is_a_fault_of_ours() -> None:
    knot = Copy(Reason("hand"), ONE)
    knot.source = Step(FunctionCall("f"), (knot,))
    with pytest.raises(AssertionError, match="depends on itself, and not by an absence"):
        Exporter().row(knot)


def test_an_absence_above_a_cycle_is_not_in_it() -> None:
    """One that leads to the cycle and is no part of it keeps its causes."""
    first: Later = Later("first", lambda: (second,))
    second: Later = Later("second", lambda: (ONE, first))
    above = Absent("above", (first,))
    assert [row[1] for row in rows(above) if row[0] == "absent"][-1] == "above"
    assert depends(again(above)) and again(above).causes[0].what == "first"


# --- of another node -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["fact", "node", "trusted", "classifier"])
def test_inputs_of_a_node_are_taken_for_its_own(kind: str) -> None:
    origin = again(Leaf(kind, "x", None, 3, "d", "f", False), of="db01")
    assert isinstance(origin, Foreign)
    assert (origin.kind, origin.name, origin.value, origin.detail, origin.file, origin.absent, origin.node) == (
        kind, "x", 3, "d", "f", False, "db01",
    )  # fmt: skip


def test_what_all_nodes_have_in_common_stays() -> None:
    assert type(again(LITERAL, of="db01")) is Leaf
    assert type(again(Leaf("hiera", "k", None, 1), of="db01")) is Leaf
    assert again(Foreign(ONE, "web01"), of="db01").node == "web01", "what was another's is not taken"
    assert type(again(Leaf("fact", "f", FILE.span(0, 1), 1), of="db01")) is Leaf, "a place is of no node"
    assert type(again(ONE)) is Leaf


def test_hands_within_a_fleet_are_the_very_hands() -> None:
    guard = Guard(ONE, None)
    assert again(guard, of="db01").how is IF
    assert type(again(guard).how) is RecalledEdgeLabel and again(guard).how.words == "if"


# --- nothing is believed ---------------------------------------------------------------------------------------------

LEAF = ["leaf", "fact", "a", None, 1, "", "", False]
GUARD = ["guard", 0, None, None, "if"]


def document(*nodes: Any) -> dict[str, Any]:
    return {"sources": [{"name": "t", "text": "0123"}], "nodes": [copy.deepcopy(node) for node in nodes]}


@pytest.mark.parametrize(
    "row",
    [
        [],
        None,
        ["leaf"],
        ["leap", 1, 2, 3],
        ["leaf", "colour", "a", None, 1, "", "", False],
        ["leaf", "fact", 1, None, 1, "", "", False],
        ["leaf", "fact", "a", None, 1, 1, "", False],
        ["leaf", "fact", "a", None, 1, "", 1, False],
        ["leaf", "fact", "a", None, 1, "", "", 0],
        ["leaf", "fact", "a", [0, 0, 5], 1, "", "", False],
        ["leaf", "fact", "a", [1, 0, 1], 1, "", "", False],
        ["leaf", "fact", "a", [0, 3, 2], 1, "", "", False],
        ["leaf", "fact", "a", [0, -1, 2], 1, "", "", False],
        ["leaf", "fact", "a", [0, 0, True], 1, "", "", False],
        ["leaf", "fact", "a", [0, 0], 1, "", "", False],
        ["leaf", "fact", "a", {"0": 0}, 1, "", "", False],
        ["foreign", "literal", "a", 1, "", "", False, "n"],
        ["foreign", "fact", "a", 1, "", "", False, 1],
        ["step", "+", [2], None],
        ["step", "+", [1], None],
        ["step", "+", [-1], None],
        ["step", "+", [True], None],
        ["step", "+", 0, None],
        ["step", 1, [0], None],
        ["copy", "hand", "0", None],
        ["copy", None, 0, None],
        ["choice", [0], 1, None, ""],
        ["choice", [0], 0, None, None],
        ["guard", 1, None, None, "if"],
        ["guard", 0, 0, None, "if"],
        ["guarded", 0, 0],
        ["guarded", 1, 1],
        ["absent", 1, [0], None],
        ["absent", "x", 0, None],
        ["array", [1], 0, None],
        ["array", [0], 1, None],
        ["hash", [[1, 0]], 0, None],
        ["hash", [["k", 1]], 0, None],
        ["hash", [["k", 0]], 0, [["k", 1]]],
        ["overridden", "", 0, [[1, 1, "old", None]], [], None],
        ["overridden", "", 0, [[1, 0, "old"]], [], None],
        ["overridden", "", 0, [], [2], None],
    ],
)
def test_a_wrong_row(row: Any) -> None:
    """Row 0 is an origin, row 1 a guard, and there is no other before this one."""
    with pytest.raises(BadExport, match="not a saved outcome: "):
        import_origins(document(LEAF, GUARD, row))


@pytest.mark.parametrize("place", [[0, 0, 0], [0, 4, 4], [0, 0, 4], [0, 3, 4]])
def test_a_place_may_be_anywhere_in_its_text(place: list[int]) -> None:
    """Also behind the last character; and an absence may depend on an origin or to a guard."""
    nodes, _ = import_origins(
        document(LEAF, GUARD, ["absent", "x", [0, 1], place], ["overridden", "", 0, [], [0, 1], place])
    )
    span = nodes[2].span  # type: ignore[union-attr]
    assert span is not None and [span.start, span.end] == place[1:]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({}, "KeyError: 'sources'"),
        ({"sources": []}, "KeyError: 'nodes'"),
        ({"sources": [{"name": "a"}], "nodes": []}, "KeyError: 'text'"),
        ({"sources": [{"name": "a", "text": 1}], "nodes": []}, "ValueError: expected a text, found int"),
        ({"sources": [{"name": "a", "text": "", "identity": 1}], "nodes": []}, "expected a text, found int"),
        ({"sources": 1, "nodes": []}, "TypeError"),
        ({"sources": [], "nodes": [LEAF, ["step", "+", {}, None]]}, "ValueError: expected a list, found dict"),
        ({"sources": [], "nodes": [[*LEAF[:-1], 1]]}, "ValueError: expected true or false, found int"),
        ({"sources": [], "nodes": [LEAF, ["guarded", 0, 0]]}, "ValueError: expected a guard, found an origin"),
        (
            {"sources": [], "nodes": [LEAF, GUARD, ["copy", "h", 1, None]]},
            "ValueError: expected an origin, found a guard",
        ),
        ({"sources": [], "nodes": [LEAF, ["copy", "h", 7, None]]}, "expected a number below 1"),
        ({"sources": [], "nodes": [["leaf", "colour", *LEAF[2:]]]}, "ValueError: unknown kind of input"),
        (
            {"sources": [], "nodes": [["foreign", "literal", "a", 1, "", "", False, "n"]]},
            "ValueError: unknown kind of input",
        ),
        ({"sources": [], "nodes": [["leap"]]}, "ValueError: unknown kind of row"),
    ],
)
def test_the_reason_is_told(wrong: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadExport) as problem:
        import_origins(wrong)
    assert reason in problem.value.message and problem.value.code == "W007"
