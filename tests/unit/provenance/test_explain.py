"""Explanations: what is told to a person, and what to a program."""

from __future__ import annotations

from typing import Any

import pytest

from support.marked import at, marked
from wherefrom.base.source import SourceFile
from wherefrom.provenance import Absent, Choice, Copy, Guard, Guarded, Hidden, Items, Leaf, Origin, Overridden, Step
from wherefrom.provenance.explain import (
    MAX_LISTED,
    MAX_ORDERED,
    MAX_TERM_DEPTH,
    MAX_TERM_NODES,
    Explanation,
    hidden_json,
    jsonable,
    leaf_json,
    term_json,
    term_text,
)
from wherefrom.provenance.extract import Apply, Build, Given, Nothing, Term
from wherefrom.provenance.operations import ARRAY, HASH, FunctionCall, Infix, Reason
from wherefrom.provenance.origins import Foreign, core

SITE = SourceFile(
    "site.pp",
    """$port = 8080
if $facts['kernel'] == 'Linux' {
  File { mode => '0600' }
}
file { '/x': mode => '0644', size => $port + 1, content => "a${port}b" }
""",
)


FACT = Leaf("fact", "kernel", None, "Linux")
PORT = Leaf("literal", "", at(SITE, "8080"), 8080)
TEST = Guard(Step(Infix("=="), (FACT,)), None, at(SITE, "if"), Reason("if"))
DEFAULT = Leaf("literal", "", at(SITE, "'0600'"), "0600")
OWN = Leaf("literal", "", at(SITE, "'0644'"), "0644")
MODE = Guarded(Overridden(Reason("set here"), OWN, (Hidden("0600", DEFAULT, Reason("a default")),)), TEST)


def fact(name: str, value: object = 1) -> Leaf:
    return Leaf("fact", name, None, value)


# --- for a program ---------------------------------------------------------------------------------------------------


def test_the_document_of_a_copied_value() -> None:
    """All that the contract names: where, how, what it depends on, through whom, under what, and what it hides."""
    literal = {"kind": "literal", "file": "site.pp", "line": 5, "column": 22, "text": "'0644'"}
    kernel = {"kind": "fact", "name": "kernel", "value": "Linux"}
    assert Explanation("File[/x].mode", "0644", MODE, by="Ann, yesterday").to_json() == {
        "path": "File[/x].mode",
        "value": "0644",
        "where": literal,
        "expression": literal,
        "depends": [kernel, literal],
        "chain": [{"how": "set here"}],
        "hidden": [{"value": "0600", "why": "a default", "file": "site.pp", "line": 3, "column": 18}],
        "changes_with": {"inputs": ["fact kernel"], "literals": [], "names": 0},
        "by": "Ann, yesterday",
        "guards": [{"how": "if", "file": "site.pp", "line": 2, "column": 1, "depends": [kernel]}],
    }


def test_the_document_of_a_computed_value() -> None:
    """No place is named that it was copied from, and parts that have nothing to say are not there."""
    document = Explanation("x", 2, Step(Infix("+"), (FACT, FACT))).to_json()
    assert document["where"] is None
    assert [argument["name"] for argument in document["expression"]["args"]] == ["kernel", "kernel"]
    assert document["chain"] == document["hidden"] == []
    assert not {"by", "guards", "order"} & set(document)


def test_the_document_of_an_order() -> None:
    """Each element: the hands that put it where it stands, the place where the first of them did, and the inputs."""
    where_from = Explanation("x", None, PORT).to_json()["depends"]
    include = Copy(Reason("include"), Copy(Reason("contain"), FACT, at(SITE, "file {")), at(SITE, "if"))
    items = Items({"b": FACT, "a": FACT}, FACT, {"b": include, "a": PORT})
    assert Explanation("all", {}, Copy(Reason("hand"), items)).to_json()["order"] == [
        {
            "key": "b",
            "because": [
                {"how": "include", "file": "site.pp", "line": 2, "column": 1},
                {"how": "contain", "file": "site.pp", "line": 5, "column": 1},
            ],
            "file": "site.pp",
            "line": 5,
            "column": 1,
            "depends": [{"kind": "fact", "name": "kernel", "value": "Linux"}],
        },
        {"key": "a", "because": [], "file": "site.pp", "line": 1, "column": 9, "depends": where_from},
    ]


def test_a_position_is_where_a_hand_with_a_place_first_put_it() -> None:
    """A hand that stands nowhere does not take the place from one that does."""
    outer = Copy(Reason("a"), Copy(Reason("b"), FACT), at(SITE, "if"))
    explanation = Explanation("all", {}, Items({"k": FACT}, FACT, {"k": outer}))
    assert explanation.to_json()["order"][0]["line"] == 2
    assert Explanation("all", {}, Items({"k": FACT}, FACT)).order == []
    assert Explanation("all", {}, FACT).order == []


@pytest.mark.parametrize(
    ("leaf", "document"),
    [
        (PORT, {"kind": "literal", "file": "site.pp", "line": 1, "column": 9, "text": "8080"}),
        (Leaf("literal", "", None, 3), {"kind": "literal", "value": 3}),
        (fact("a.b"), {"kind": "fact", "name": "a.b", "value": 1}),
        (fact("a", {1}), {"kind": "fact", "name": "a", "value": "{1}"}),
        (Leaf("fact", "", None, None), {"kind": "fact", "value": None}),
        (
            Leaf("hiera", "k", None, 2, "layer 2", "data/common.yaml"),
            {"kind": "hiera", "key": "k", "file": "data/common.yaml", "value": 2, "detail": "layer 2"},
        ),
        (
            Leaf("hiera", "k", at(SITE, "if"), 2),
            {"kind": "hiera", "key": "k", "file": "site.pp", "line": 2, "column": 1, "value": 2},
        ),
        (
            Leaf("file", "/f", None, None, absent=True),
            {"kind": "file", "name": "/f", "absent": True},
        ),
        (Foreign(FACT, "db01"), {"kind": "fact", "name": "kernel", "node": "db01", "value": "Linux"}),
    ],
)
def test_the_document_of_an_input(leaf: Leaf, document: dict[str, Any]) -> None:
    assert leaf_json(leaf) == document


@pytest.mark.parametrize(
    ("covered", "line"),
    [
        (Hidden(1, PORT, Reason("old"), at(SITE, "File")), 3),
        (Hidden(1, Copy(Reason("hand"), PORT, at(SITE, "if")), Reason("old")), 1),
        (Hidden(1, Step(Infix("+"), (), at(SITE, "if")), Reason("old")), 2),
        (Hidden(1, FACT, Reason("old")), None),
    ],
)
def test_a_covered_value_stands_where_it_was_covered_or_written_or_made(covered: Hidden, line: int | None) -> None:
    document = hidden_json(covered)
    assert (document["value"], document["why"], document.get("line")) == (1, "old", line)


def test_what_json_can_not_hold_is_a_text() -> None:
    assert jsonable({"a": [1, None]}) == {"a": [1, None]}
    assert jsonable({3}) == "{3}"
    endless: list[Any] = []
    endless.append(endless)
    assert jsonable(endless) == "[[...]]"


def test_the_document_of_a_formula() -> None:
    one = Given(Leaf("literal", "", None, 1))
    argument = {"kind": "literal", "value": 1}
    assert term_json(Apply(FunctionCall("max"), (one, Nothing("$x")))) == {
        "op": "call max",
        "args": [argument, {"absent": "$x"}],
    }
    assert term_json(Build(None, (one,))) == {"op": "array", "args": [argument]}
    assert term_json(Build(("k",), (one,))) == {"op": "hash", "args": [argument], "keys": ["k"]}


def test_a_formula_of_many_nodes_is_cut() -> None:
    """As many as the limit says are told, the head among them."""
    constant: Term = Apply(FunctionCall("f"), ())
    terms = [Build(None, (constant,) * count) for count in (MAX_TERM_NODES - 1, MAX_TERM_NODES, MAX_TERM_NODES + 5)]
    elided = [sum("elided" in argument for argument in term_json(term)["args"]) for term in terms]
    assert elided == [0, 1, 6]
    assert term_json(terms[1])["args"][-1] == {"op": "call f", "elided": True}


def test_a_deep_formula_is_cut() -> None:
    term: Term = Apply(FunctionCall("f"), ())
    for _ in range(MAX_TERM_DEPTH):
        term = Build(None, (term,))
    levels = 0
    document = term_json(term)
    while document.get("args"):
        levels += 1
        (document,) = document["args"]
    assert (levels, document) == (MAX_TERM_DEPTH, {"op": "call f", "elided": True})
    assert "elided" not in str(term_json(term.arguments[0]))  # type: ignore[union-attr]


# --- for a person ----------------------------------------------------------------------------------------------------


def story(value: object, origin: Origin, *parts: str, by: str = "") -> str:
    explanation = Explanation("web:port", value, origin, by=by)
    return marked(explanation.styled(frozenset(parts)) if parts else explanation.styled())


def test_the_story_of_a_copied_value() -> None:
    """Every part of it, in the order in which one would ask."""
    assert story("0644", MODE, by="Ann\ttoday") == (
        '[key web:port] = [value "0644"]\n'
        "\n"
        "[strong edit    ][value '0644']   [place site.pp:5:22]\n"
        "        [dim 5 | ]file { '/x': mode => [strong '0644'], size => $port + 1, content => \"a${port}b\" }\n"
        "        [dim   | ][value                      ^^^^^^][value ]\n"
        "[strong by      ]Ann    today\n"
        "\n"
        '[strong because ]if                  [place site.pp:2:1][dim     fact kernel = "Linux"]\n'
        "[strong via     ]set here\n"
        '[strong hides   ]"0600", a default   [place site.pp:3:18]\n'
        "\n"
        "[strong changes with  ]fact kernel\n"
    )


def test_a_part_of_the_story() -> None:
    """What is asked for is told, and no more."""
    head = '[key web:port] = [value "0644"]\n'
    where = story("0644", MODE, "where")
    how = story("0644", MODE, "how")
    assert where.startswith(head + "\n[strong edit") and "via" not in where and "changes with" not in where
    assert how.startswith(head + "\n[strong because") and "edit" not in how and "changes with" not in how
    assert story("0644", MODE, "depends") == (
        f"{head}\n[strong changes with]\n"
        "[strong         ]fact kernel = \"Linux\"\n[strong         ]'0644'                  [place site.pp:5:22]\n"
    ), "alone, the list of inputs is whole"


def test_the_plain_text() -> None:
    given = 'edit    fact kernel = "Linux"   (given, not written here)\n'
    assert Explanation("p", 1, FACT).text(frozenset({"where"})) == f"p = 1\n\n{given}"
    assert given in Explanation("p", 1, FACT).text()


def test_the_story_of_a_computed_value() -> None:
    """The expression as it is written, and its inputs; the formula, where how is asked."""
    origin = Copy(Reason("hand"), Step(Infix("+"), (PORT, FACT), at(SITE, "if")), at(SITE, "File"))
    assert story(1, origin, by="Ann") == (
        "[key web:port] = [value 1]\n"
        "\n"
        "[strong edit    ][value if]   [place site.pp:2:1]\n"
        '[strong from    ]fact kernel = "Linux"\n'
        "[strong         ]8080                    [place site.pp:1:9]\n"
        "[strong by      ]Ann\n"
        "\n"
        "[strong via     ]hand   [place site.pp:3:3]\n"
    )
    assert story(1, origin, "how").splitlines()[2] == "[strong formula ]8080 + fact kernel  [place site.pp:2:1]"


def test_the_story_of_a_constant() -> None:
    """It has no place: the formula stands for it."""
    constant = Step(FunctionCall("f"), ())
    assert story("x", constant) == '[key web:port] = [value "x"]\n\n[strong edit    ][value f]\n'
    assert story("x", constant, "depends").endswith("\n[strong changes with  ]no input\n")


def test_the_story_of_what_is_not_there() -> None:
    """No formula: nothing made it."""
    assert story(None, Copy(Reason("hand"), Absent("$x", (FACT,), at(SITE, "if"))), "where", "depends") == (
        "[key web:port] = [value null]\n"
        "\n[strong edit    ][value nothing: $x (absent)]   [place site.pp:2:1]\n"
        '\n[strong changes with]\n[strong         ]fact kernel = "Linux"\n'
    )
    assert "formula" not in story(None, Absent("$x"), "how")


def test_the_story_of_a_composite() -> None:
    """It has no place and no formula of its own: its elements have."""
    assert story([1], Items([PORT], Step(ARRAY, ())), "where", "how") == (
        "[key web:port] = [value [1]]\n\n[strong edit    ][value [0\\] 1]   [place site.pp:1:9]\n"
    ).replace("\\]", "]")
    assert "empty" in story([], Items([], Step(ARRAY, ())), "where")
    many = story(list(range(9)), Items([PORT] * 9, Step(ARRAY, ())), "where")
    assert many.count("site.pp:1:9") == 6 and "and 3 more elements (ask for [i])" in many
    keyed = story({"a": 1}, Items({"a": PORT}, Step(HASH, ())), "where")
    assert "[value .a 1]   [place site.pp:1:9]" in keyed


def test_a_value_that_depends_on_itself_alone() -> None:
    """What was said above is not said again."""
    assert "changes with" not in story(8080, PORT)


def test_no_excerpt_of_an_empty_place() -> None:
    assert story(1, Leaf("literal", "", SITE.span(3), 1), "where").endswith("[value 1]   [place site.pp:1:4]\n")


def test_the_order_of_elements() -> None:
    """Told from two on: the place of each, and the hands behind it."""
    placed = {"b": Copy(Reason("include"), PORT, at(SITE, "if")), "a": FACT}
    assert story({}, Items({"b": FACT, "a": FACT}, Step(HASH, ()), placed), "how") == (
        "[key web:port] = [value {}]\n"
        "\n"
        "[strong order   ][key 1. b]  [place site.pp:1:9]\n"
        "           include\n"
        "[strong         ][key 2. a]\n"
    )
    assert "order" not in story({}, Items({"b": FACT}, Step(HASH, ()), {"b": PORT}), "how")


def test_a_long_order_is_cut() -> None:
    for more in (0, 2):
        elements: dict[str, Origin] = {f"k{number}": FACT for number in range(MAX_ORDERED + more)}
        text = story({}, Items(elements, FACT, elements), "how")
        assert text.count("[key ") == 1 + MAX_ORDERED
        cut = "[dim         and 2 more elements (--json lists all)]\n"
        assert text.endswith(cut) == ("lists all" in text) == bool(more)


def test_long_lists_are_cut() -> None:
    """Of inputs and of hands as many as fit are told, and the others counted."""
    for more in (0, 3):
        facts = tuple(fact(f"f{number:02}") for number in range(MAX_LISTED + more))
        text = story(1, Step(FunctionCall("f"), facts), "depends")
        assert text.count("fact f") == MAX_LISTED
        assert text.endswith("and 3 more (--all)\n") == ("--all" in text) == bool(more)
        origin: Origin = FACT
        for number in range(MAX_LISTED + more):
            origin = Copy(Reason(f"hand {number}"), origin)
        text = story(1, origin, "how")
        assert text.count("hand ") == MAX_LISTED
        assert text.endswith("and 3 more (--all)\n") == ("--all" in text) == bool(more)
        whole = Explanation("p", 1, origin).with_everything().text(frozenset({"how"}))
        assert whole.count("hand ") == MAX_LISTED + more


def test_places_of_a_list_stand_below_each_other() -> None:
    """Behind the longest of what is said, as long as that is no more than 64 columns wide."""
    place = at(SITE, "if")
    origin = Copy(Reason("a"), Copy(Reason("bcd"), Copy(Reason("é\t"), FACT, place), place), place)
    assert story(1, origin, "how").splitlines()[2:] == [
        "[strong via     ]a       [place site.pp:2:1]",
        "[strong         ]bcd     [place site.pp:2:1]",
        "[strong         ]é       [place site.pp:2:1]",
    ]
    origin = Copy(Reason("a"), Copy(Reason("b" * 70), FACT, place), place)
    assert story(1, origin, "how").splitlines()[2:] == [
        "[strong via     ]a" + " " * 63 + "   [place site.pp:2:1]",
        "[strong         ]" + "b" * 70 + "   [place site.pp:2:1]",
    ]


def test_a_covered_value_is_told_with_a_place() -> None:
    """The place where it was covered, else that of the node that made it."""
    place = at(SITE, "if")
    covered = (
        Hidden(1, Step(Infix("+"), (), at(SITE, "File")), Reason("old"), place),
        Hidden("x" * 80, Step(Infix("+"), (), at(SITE, "File")), Reason("older")),
    )
    assert story(1, Overridden(None, FACT, covered), "how").splitlines()[2:] == [
        "[strong hides   ]1, old" + " " * 51 + "   [place site.pp:2:1]",
        '[strong         ]"' + "x" * 48 + "…, older   [place site.pp:3:3]",
    ]


@pytest.mark.parametrize(("count", "more"), [(0, ""), (1, ""), (3, ""), (4, " and 1 more"), (5, " and 2 more")])
def test_a_test_names_a_few_of_its_inputs(count: int, more: str) -> None:
    """Three with their values, the others counted."""
    test = Step(Infix("and"), tuple(fact(f"f{number}") for number in range(count)))
    words = ", ".join(f"fact f{number} = 1" for number in range(min(count, 3)))
    note = f"[dim    {'   ' if count else ''}{words}{more}]" if count else ""
    [row] = story(1, Guarded(FACT, Guard(test, None)), "how").splitlines()[2:]
    assert row.startswith("[strong because ]if") and (words + more in row) and (note[:4] in row)


def literal(text: str, value: object) -> Leaf:
    file = SourceFile("t", text)
    return Leaf("literal", "", file.whole(), value)


@pytest.mark.parametrize(
    ("leaf", "name"),
    [
        (literal("0x10", 16), "0x10"),
        (literal("'a'", "a"), "'a'"),
        (literal('"a\n', "a\n"), '"a'),
        (literal("@(X)\n  heredoc\n", "heredoc"), "@(X)"),
        (literal(" between ", " between "), '" between "'),
        (literal("X", "X"), '"X"'),
        (literal("", ""), '""'),
        (Leaf("literal", "", None, 5), "5"),
        (literal("1" * 90, int("1" * 90)), "1" * 60),
        (literal("x" * 90, "x" * 90), '"' + "x" * 58 + "…"),
        (Leaf("node", "", None, "web01"), "the node's name"),
        (Leaf("node", "web01", None, "web01"), "node web01"),
        (Leaf("fact", "", None, {}), "the set of facts"),
        (Leaf("classifier", "", None, {}), "the classifier's answer"),
        (Leaf("hiera", "", None, {}), "the keys of the data"),
        (Leaf("environment", "", None, {}), "every environment"),
        (Leaf("environment", "HOME", None, "/"), "environment HOME"),
    ],
)
def test_an_input_has_a_name(leaf: Leaf, name: str) -> None:
    """A literal is named as it is written, a piece between interpolations by its value; a whole of inputs in words."""
    assert term_text(Given(leaf), 400) == name


@pytest.mark.parametrize(
    ("leaf", "line"),
    [
        (PORT, "8080   site.pp:1:9"),
        (FACT, 'fact kernel = "Linux"'),
        (fact("f", "x" * 80), 'fact f = "' + "x" * 58 + "…"),
        (Leaf("fact", "f", None, None, absent=True), "fact f (absent)"),
        (Leaf("hiera", "k", None, 1, "layer 2", "a.yaml"), "data k = 1      in a.yaml, layer 2"),
        (Leaf("hiera", "k", at(SITE, "if"), 1), "data k = 1   site.pp:2:1"),
    ],
)
def test_an_input_has_a_line(leaf: Leaf, line: str) -> None:
    """Its name, its value unless that is the name, and where it stands."""
    assert Explanation("p", 1, leaf).text(frozenset({"depends"})).splitlines()[3] == "        " + line


def test_the_plain_explanation_leaves_nothing_out() -> None:
    explanation = Explanation("p", 1, FACT)
    assert explanation.with_everything().to_json() == explanation.to_json()
    assert explanation.limit == MAX_LISTED
    assert explanation.failure is None


def test_the_core_of_an_origin() -> None:
    assert core(Guarded(Choice((PORT,), Copy(Reason("hand"), Overridden(None, FACT, ()))), TEST)) is FACT
