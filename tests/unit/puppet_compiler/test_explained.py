"""Known differences from Puppet: each kind excuses what it is about, and nothing beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from support.puppet_explained import EXPLAINED, explained

DOCS = Path(__file__).resolve().parents[3] / "docs" / "puppet.md"


def refused(error: str, line: int | None = 1, logs: Any = ()) -> dict[str, Any]:
    return {"error": error, "line": line, "logs": list(logs)}


def compiled(message: Any = "x", logs: Any = ()) -> dict[str, Any]:
    return {"resources": {"Notify[x]": {"parameters": {"message": message}}}, "logs": list(logs)}


OVERFLOW = refused("stack level too deep", None)
SET = "TypeSet[{pcore_version => '1.0.0', name => 'One', version => '1.0.0', types => {A => Integer}}]"
EXAMPLES: dict[str, tuple[Any, ...]] = {
    "error of Ruby": (
        refused("Error, undefined method `x' for nil:NilClass\n\n  x.y"),
        refused("Error, no such thing"),
    ),
    "address of an object": (refused("got [#<Foo:0x0000 @a=1>]"), refused("got [Foo({})]")),
    "class that inherits from itself": (OVERFLOW, refused("class a inherits from itself: a")),
    "`Error` in a catalog": (OVERFLOW, compiled({"__ptype": "Error", "msg": "m"})),
    "alternative of itself": (OVERFLOW, refused("assert_type(): expects a value of type Integer, got String")),
    "set that has been printed": (
        compiled("x", [["notice", SET], ["notice", "Array[A]"]]),
        compiled("x", [["notice", SET], ["notice", "Array[One::A]"]]),
    ),
    "type that Puppet can not simplify": (
        refused("Error, wrong number of arguments (given 1, expected 2)"),
        compiled(),
    ),
    "set that Puppet cuts off": (
        compiled("x", [["notice", "TypeSet[{types => {A => Regexp[}]"]]),
        refused("Error, no implicit conversion of Puppet::Pops::Types::PRegexpType into String"),
    ),
    "time as a key": (
        compiled("x", [["notice", ""]]),
        compiled("x", [["notice", "2"]]),
        "notice({Timestamp(1) => 2}[Timestamp(1)])",
    ),
    "set of a module": (
        compiled("x", [["notice", "TypeSet[{types => {B => TypeReference['A']}}]"]]),
        compiled("x", [["notice", "TypeSet[{types => {B => Integer}}]"]]),
    ),
}


@pytest.mark.parametrize("kind", EXPLAINED)
def test_a_kind_explains_its_example(kind: str) -> None:
    assert explained(*EXAMPLES[kind]) == kind


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        (refused("one message"), refused("another message")),
        (compiled("x", [["notice", ""]]), compiled("x", [["notice", "2"]])),
        (refused("a"), compiled()),
        (compiled("x"), compiled("y")),
        (OVERFLOW, compiled()),
        (OVERFLOW, refused("something else")),
        (refused("Error, undefined method `x'"), refused("Other, no such thing")),
        (refused("Error, undefined method `x'"), refused("Error, no such thing", line=2)),
        (refused("Error, undefined method `x'"), compiled()),
        (refused("got #<Foo:0x0000>, a"), refused("has Foo({})")),
        (refused("got #<Foo:0x0000>"), refused("got Foo({})", logs=[["warning", "w"]])),
        (compiled("x", [["notice", "#<Foo:0x0000>"]]), compiled("y", [["notice", "Foo({})"]])),
        (compiled("x", [["notice", "a #<Foo:0x0000>"]]), compiled("x", [["notice", "b Foo({})"]])),
        (compiled("x", [["notice", "Array[A]"]]), compiled("x", [["notice", "Array[One::A]"]])),
        (
            compiled("x", [["notice", "Array[A]"], ["notice", SET]]),
            compiled("x", [["notice", "Array[One::A]"], ["notice", SET]]),
        ),
        (
            compiled("x", [["notice", SET], ["notice", "Array[A]"]]),
            compiled("x", [["notice", SET], ["notice", "Array[One::B]"]]),
        ),
        (
            compiled("x", [["notice", SET], ["notice", "Array[A]"]]),
            compiled("y", [["notice", SET], ["notice", "Array[One::A]"]]),
        ),
        (
            compiled("x", [["notice", "TypeSet[{types => {B => TypeReference['A']}}]"]]),
            compiled("y", [["notice", "TypeSet[{types => {B => Integer}}]"]]),
        ),
    ],
)
def test_other_differences_are_not_explained(theirs: dict[str, Any], mine: dict[str, Any]) -> None:
    assert explained(theirs, mine) is None


def test_a_protected_method_is_an_error_of_ruby() -> None:
    theirs = refused("Error, protected method `new_function' called for #<Foo:0x0000>")
    assert explained(theirs, refused("Error, no such thing")) == "error of Ruby"


def test_aliases_go_by_their_names_once_a_set_has_been_printed() -> None:
    theirs = compiled("x", [["notice", SET], ["notice", "(Two::B x, Two::C y)"]])
    mine = compiled("x", [["notice", SET], ["notice", "(Two::B = Optional[Array[Integer]] x, Two::C = Any y)"]])
    assert explained(theirs, mine) == "set that has been printed"


def test_a_member_that_a_modules_set_does_not_know_is_unresolved() -> None:
    log = [["notice", "TypeSet[{name => 'Mod', types => {B1 => Struct, C2 => Array[Struct]}}]"]]
    theirs = {**refused("x", 1), "error": "parameter 'x' references an unresolved type 'B1'", "logs": log}
    mine = {**theirs, "error": "parameter 'x' expects a Mod::C2 = Array[Mod::B1 = Struct] value, got Hash"}
    assert explained(theirs, mine) == "set of a module"
    assert explained({**theirs, "error": "parameter 'x' references an unresolved type 'B2'"}, mine) is None
    assert explained({**theirs, "error": "parameter 'y' references an unresolved type 'B1'"}, mine) is None


def test_aliases_inside_of_a_printed_alias_go_by_their_names() -> None:
    theirs = compiled("x", [["notice", SET], ["notice", "from Hash[String, B].new()"]])
    mine = compiled("x", [["notice", SET], ["notice", "from Two::A = Hash[String, B = Array[Integer]].new()"]])
    assert explained(theirs, mine) == "set that has been printed"
    other = compiled("x", [["notice", SET], ["notice", "from Two::A = Hash[Integer, B = Array[Integer]].new()"]])
    assert explained(theirs, other) is None


def test_kinds_that_meet_explain_each_text_by_itself() -> None:
    theirs = refused("Error, undefined method `x'", 2, [["notice", "a #<Foo:0x0000>"], ["notice", "b"]])
    mine = refused("Error, no such thing", 2, [["notice", "a Foo({})"], ["notice", "b"]])
    assert explained(theirs, mine) == "address of an object, error of Ruby"
    assert explained(theirs, {**mine, "logs": [["notice", "a Foo({})"], ["notice", "c"]]}) is None
    assert explained(theirs, {**mine, "line": 3}) is None


def test_an_address_in_the_log_is_explained_where_both_refuse() -> None:
    theirs = refused("Error", 2, [["notice", "a #<Foo:0x0000>"]])
    assert explained(theirs, refused("Error", 2, [["notice", "a Foo({})"]])) == "address of an object"
    assert explained(theirs, refused("Other", 2, [["notice", "a Foo({})"]])) is None


def test_an_alternative_of_itself_is_seen_in_the_program() -> None:
    assert explained(OVERFLOW, compiled(), "type A = Variant[Integer, Optional[A]]") == "alternative of itself"
    assert explained(OVERFLOW, compiled(), "type A = Variant[Integer, Optional[B]]") is None


def test_a_value_beside_an_error_may_be_refused() -> None:
    mine = refused("Iterator[Integer]-Value cannot be written into a catalog")
    program = "notify { a: message => Deferred('join', [Error('m'), [1].reverse_each]) }"
    assert explained(OVERFLOW, mine, program) == "`Error` in a catalog"
    assert explained(OVERFLOW, mine, program.replace("Error('m'), ", "")) is None
    assert explained(refused("Other"), mine, program) is None


def test_references_of_a_printed_set_go_by_their_aliases() -> None:
    printed = SET.replace("}}]", "}, references => {Ref => {'name' => 'Two', 'version_range' => '1.x'}}}]")
    theirs = compiled("x", [["notice", printed], ["notice", "Type[Ref::B]"]])
    mine = compiled("x", [["notice", printed], ["notice", "Type[Two::B]"]])
    assert explained(theirs, mine) == "set that has been printed"
    assert explained(theirs, compiled("x", [["notice", printed], ["notice", "Type[Three::B]"]])) is None


def test_a_log_with_an_address_is_explained() -> None:
    theirs = compiled("x", [["notice", "a #<Foo:0x0000>"], ["notice", "b"]])
    assert explained(theirs, compiled("x", [["notice", "a Foo({})"], ["notice", "b"]])) == "address of an object"


def test_every_kind_has_its_reason_in_the_docs() -> None:
    """The table of the docs and the predicates name the same kinds."""
    section = DOCS.read_text().partition("### Explained differences")[2].partition("\n###")[0]
    rows = re.findall(r"^\| ([^|]+) \|", section, re.MULTILINE)
    assert rows[1:] == list(EXPLAINED)  # the first row is the heading
