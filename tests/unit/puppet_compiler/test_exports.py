"""Resources of other nodes: what a collector asks, and what becomes of the answer in the catalog."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.provenance import Leaf
from wherefrom.provenance.exported import Exported
from wherefrom.provenance.extract import chain, depends
from wherefrom.provenance.origins import Foreign
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.kernel.codes import CODES
from wherefrom.puppet.output.outcome import PuppetOutcome

FACT = Foreign(Leaf("fact", "ip", None, "10.0.0.1"), "db01")
EXISTS = Foreign(Leaf("fact", "role", None, "db"), "db01")


def exported(title: str = "db01", node: str = "db01", kind: str = "User", **parameters: Any) -> Exported:
    """A resource of another node, whose parameters depend on a fact of that node."""
    return Exported(node, kind, title, (), parameters, "site.pp", 1, EXISTS, dict.fromkeys(parameters, FACT))


class Others:
    """Other nodes: the same answer to every question, and the questions."""

    def __init__(self, *answer: Exported) -> None:
        self.answer = answer
        self.asked: list[Any] = []

    def search(self, query: Sequence[Any]) -> Sequence[Exported]:
        self.asked.append(json.loads(json.dumps(query)))
        return self.answer


def compiled(text: str, others: Others | None) -> PuppetOutcome:
    options = {"storeconfigs": True, "exports": others}
    return LANGUAGE.run("site.pp", PureHost({"site.pp": text}), Inputs("web01", {}, options))


HEAD = ["and", ["=", "type", "User"], ["=", "exported", True], ["not", ["=", "certname", "web01"]]]


@pytest.mark.parametrize(
    ("collector", "condition"),
    [
        ("User <<| |>>", []),
        ("User <<| title == 'a' |>>", [["=", "title", "a"]]),
        ("User <<| tag == 'LAN' |>>", [["=", "tag", "lan"]]),
        ("User <<| tag != 'lan' |>>", [["not", ["=", "tag", "lan"]]]),
        ("User <<| comment == '10.0.0.1' |>>", [["=", ["parameter", "comment"], "10.0.0.1"]]),
        (
            "User <<| comment == 'x' and (tag == 'a' or title == 'b') |>>",
            [["and", ["=", ["parameter", "comment"], "x"], ["or", ["=", "tag", "a"], ["=", "title", "b"]]]],
        ),
    ],
)
def test_the_question(collector: str, condition: list[Any]) -> None:
    """As PuppetDB is asked: exported resources of the type, of every node but this one, that match."""
    others = Others()
    compiled(collector, others)
    assert others.asked == [[*HEAD, *condition]]


def test_a_question_is_asked_once() -> None:
    others = Others()
    compiled("User <<| |>>\nUser <<| |>>\nclass c { User <<| |>> }\ninclude c", others)
    assert len(others.asked) == 1
    compiled("User <<| tag == 'a' |>>\nUser <<| tag == 'b' |>>", others)
    assert len(others.asked) == 3


def test_nobody_to_ask() -> None:
    assert not [each.path for each in compiled("User <<| |>>", None).outputs() if each.path.startswith("User")]


@pytest.mark.parametrize(
    ("value", "owner"),
    [
        ("['a']", '["a"]:Array'),
        ("{ 'a' => 1 }", '{"a"=>1}:Hash'),
        ("true", "true:TrueClass"),
        ("undef", "nil:NilClass"),
    ],
)
def test_a_tag_is_a_text(value: str, owner: str) -> None:
    """Anything else is refused, in the words of Ruby."""
    with pytest.raises(Diagnostic) as problem:
        compiled(f"$x = {value}\nUser <<| tag == $x |>>", Others())
    assert f"undefined method `downcase' for {owner}" in problem.value.message
    assert problem.value.code == CODES["illegal query"]


def test_what_is_collected() -> None:
    """It is a resource of this catalog, exported no longer, in no manifest, with tags of its own alone."""
    outcome = compiled("class c { User <<| |>> }\ninclude c", Others(exported(comment="10.0.0.1", tag=["lan"])))
    (resource,) = (each for each in outcome.document()["resources"] if each["type"] == "User")
    assert resource["title"] == "db01" and resource["parameters"] == {"comment": "10.0.0.1", "tag": ["lan"]}
    assert resource["exported"] is False and "file" not in resource
    assert {"user", "db01", "lan"} <= set(resource["tags"])
    assert resource["kind"] == "compilable_type"


def test_a_define_of_another_node_is_evaluated_here() -> None:
    text = 'define d($ip) { notify { "$title $ip": } }\nD <<| |>>'
    outcome = compiled(text, Others(exported("x", kind="D", ip="1")))
    kinds = {f"{each['type']}[{each['title']}]": each["kind"] for each in outcome.document()["resources"]}
    assert kinds["D[x]"] == "defined_type" and "Notify[x 1]" in kinds


def test_defaults_of_where_the_collector_stands() -> None:
    text = "class c { User { ensure => present, comment => 'default' } User <<| |>> }\ninclude c"
    outcome = compiled(text, Others(exported(comment="10.0.0.1")))
    assert outcome.select("User[db01].ensure").value == "present"
    assert outcome.select("User[db01].comment").value == "10.0.0.1"


def names(outcome: PuppetOutcome, path: str) -> set[str]:
    return {f"{leaf.kind}:{leaf.key[1]}" for leaf in depends(outcome.select(path).origin) if leaf.kind != "literal"}


def test_what_it_owes_to() -> None:
    """A value to what it owed to where it was made; the resource also to what matched."""
    outcome = compiled("User <<| tag == 'lan' |>>", Others(exported(comment="10.0.0.1")))
    assert "fact:ip of db01" in names(outcome, "User[db01].comment")
    assert {"export:User tag == lan", "fact:role of db01"} <= names(outcome, "User[db01]")
    hands = [hand.how.words for hand in chain(outcome.select("User[db01].comment").origin)]
    assert "exported by db01" in hands
    assert "export:User" in names(compiled("User <<| |>>", Others(exported())), "User[db01]")


def test_what_came_along_without_a_history_owes_to_the_resource() -> None:
    bare = Exported("db01", "User", "db01", (), {"comment": "1"}, "site.pp", 1, EXISTS, {})
    assert "fact:role of db01" in names(compiled("User <<| |>>", Others(bare)), "User[db01].comment")


def test_composites_are_not_shared_between_nodes() -> None:
    """What one catalog does to a value is not done to that of another."""
    given = exported(groups=["a", {"b": ["c"]}])
    value = compiled("User <<| |>>", Others(given)).select("User[db01].groups").value
    mine, theirs = value, given.parameters["groups"]
    assert mine == theirs and mine is not theirs and mine[1] is not theirs[1] and mine[1]["b"] is not theirs[1]["b"]


@pytest.mark.parametrize(
    ("text", "answer", "note"),
    [
        (
            "user { 'db01': }\nUser <<| |>>",
            [exported()],
            "it is both declared here and exported by db01",
        ),
        (
            "User <<| |>>",
            [exported(), exported(node="db02")],
            "it is both exported by db01 and exported by db02",
        ),
    ],
)
def test_two_of_one_name(text: str, answer: list[Exported], note: str) -> None:
    with pytest.raises(Diagnostic, match=r"A duplicate resource was found .* type and title User\[db01\]") as problem:
        compiled(text, Others(*answer))
    assert problem.value.code == CODES["duplicate export"]
    assert list(problem.value.notes) == [note]


def test_the_same_resource_twice_is_one() -> None:
    """Two collectors find what one of them has collected."""
    outcome = compiled("User <<| tag == 'a' |>>\nUser <<| tag == 'b' |>>", Others(exported(comment="1")))
    assert outcome.select("User[db01].comment").value == "1"
