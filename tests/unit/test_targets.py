"""Inventories: what Bolt's rules make of groups and targets, what PuppetDB's rows say, and what is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wherefrom.base.source import SourceFile
from wherefrom.targets import MOST_WARNINGS, BadInventory, Targets, gathered_facts, read_targets

INVENTORY = """\
version: 2
facts: { site: ams, os: { family: Debian, name: Debian } }
vars: { tier: none, limits: { open: 10, procs: 5 } }
config: { transport: ssh, ssh: { password: { _plugin: prompt, message: Password } } }
targets:
  - lone.example.org
groups:
  - name: web
    vars: { tier: front }
    facts: { rack: 1 }
    targets:
      - uri: ssh://root@web01.example.org:22
        alias: w1
        facts: { site: rot }
      - name: web02.example.org
        uri: 10.0.0.2
        alias: [w2, second]
        vars: { limits: { open: 99 } }
    groups:
      - name: edge
        facts: { os: { name: Ubuntu }, rack: 7 }
        targets: [w2, web03.example.org]
  - name: db
    features: [puppet-agent]
    vars: { tier: middle }
    facts: { rack: 2 }
    targets:
      - name: db01
        vars: { tier: back }
      - web02.example.org
"""


def targets_of(text: str, name: str = "inventory.yaml") -> Targets:
    return read_targets(SourceFile(name, text))


def test_names_groups_and_aliases() -> None:
    """Groups hold what is in the groups inside of them; a text may be an alias; a URI's host is the node."""
    targets = targets_of(INVENTORY)
    web = ("web01.example.org", "web02.example.org", "web03.example.org")
    assert list(targets.nodes) == ["db01", "lone.example.org", *web]
    assert targets.groups["web"] == web
    assert targets.groups["edge"] == web[1:]
    assert targets.groups["db"] == ("db01", "web02.example.org")
    assert targets.groups["all"] == tuple(targets.nodes)
    assert [targets.named(name) for name in ("w1", "second", "edge", "db01", "nobody")] == [
        ("web01.example.org",), ("web02.example.org",), web[1:], ("db01",), ()]  # fmt: skip
    assert targets.named("ssh://root@web01.example.org:22") == ("web01.example.org",)
    assert targets.warnings == ()


@pytest.mark.parametrize(
    ("node", "facts", "variables"),
    [
        ("lone.example.org", {"site": "ams", "os": {"family": "Debian", "name": "Debian"}},
         {"tier": "none", "limits": {"open": 10, "procs": 5}}),
        ("web01.example.org", {"site": "rot", "os": {"family": "Debian", "name": "Debian"}, "rack": 1},
         {"tier": "front", "limits": {"open": 10, "procs": 5}}),
        # In three groups: the inner one wins over the outer, the first over the second; its own entry over all of them,
        # whose variables are not merged into one another.
        ("web02.example.org", {"site": "ams", "os": {"family": "Debian", "name": "Ubuntu"}, "rack": 7},
         {"tier": "front", "limits": {"open": 99}}),
        ("db01", {"site": "ams", "os": {"family": "Debian", "name": "Debian"}, "rack": 2},
         {"tier": "back", "limits": {"open": 10, "procs": 5}}),
    ],
)  # fmt: skip
def test_who_wins(node: str, facts: dict[str, Any], variables: dict[str, Any]) -> None:
    """The facts and variables of a target, by Bolt's rules."""
    target = targets_of(INVENTORY).nodes[node]
    assert (target.facts, target.variables) == (facts, variables)


def test_a_target_that_several_groups_define() -> None:
    """An entry in a group inside wins over one outside, and the first group's over the second's."""
    targets = targets_of(
        "targets: [{name: a, facts: {x: 0, y: 0, z: 0}}]\n"
        "groups:\n"
        "  - {name: one, targets: [{name: a, facts: {x: 1}}]}\n"
        "  - {name: two, targets: [{name: a, facts: {x: 2, y: 2}}]}\n"
    )
    assert targets.nodes["a"].facts == {"x": 1, "y": 2, "z": 0}


def test_what_bolt_prints() -> None:
    """`bolt inventory show --detail --format json`: everything resolved, with the groups of each target."""
    detail: dict[str, Any] = {"config": {}, "features": [], "plugin_hooks": {}}
    document = {
        "targets": [
            {**detail, "name": "ssh://a.example.org", "uri": "ssh://a.example.org", "alias": [], "facts": {"x": 1},
             "vars": {}, "groups": ["web", "all"]},
            {**detail, "name": "b", "uri": None, "alias": ["bb"], "facts": {}, "vars": {"v": 2}, "groups": ["all"]},
        ],
        "count": 2,
    }  # fmt: skip
    targets = targets_of(json.dumps(document), "targets.json")
    assert list(targets.nodes) == ["a.example.org", "b"]
    assert targets.groups == {"web": ("a.example.org",), "all": ("a.example.org", "b")}
    assert targets.nodes["a.example.org"].facts == {"x": 1}
    assert targets.named("bb") == ("b",)
    assert targets.warnings == ()


@pytest.mark.parametrize(
    "rows",
    [
        [{"certname": "a", "facts": {"x": 1}, "trusted": {"certname": "a"}}, {"certname": "b", "facts": {"x": 2}}],
        [{"certname": "a", "name": "x", "value": 1, "environment": "e"}, {"certname": "b", "name": "x", "value": 2}],
        [{"certname": "b", "facts": {"data": [{"name": "x", "value": 2}]}},
         {"certname": "a", "facts": {"data": [{"name": "x", "value": 1}]}}],
    ],
    ids=["inventory", "facts", "factsets"],
)  # fmt: skip
def test_rows_of_puppetdb(rows: list[Any]) -> None:
    """What it answers to three of its questions."""
    for name, text in (("rows.json", json.dumps(rows)), ("rows.yaml", json.dumps(rows))):
        targets = targets_of(text, name)
        assert list(targets.nodes) == ["a", "b"]
        assert [target.facts["x"] for target in targets.nodes.values()] == [1, 2]
    assert targets_of('[{"certname": "c"}, {"certname": "d", "catalog_environment": "e"}]').named("all") == ("c", "d")


WRONG = [
    ("targets: web01\n", "`targets` must be a list, found a text", 1, 1),
    ("targets:\n  - 7\n", "must be a string or a mapping, found a number", 2, 5),
    ("targets:\n  - {alias: x}\n", "must have a `name` or a `uri`", 2, 5),
    ("targets:\n  - ''\n", "the name of a target is empty", 2, 5),
    ("targets:\n  - name: true\n", "the name of a target must be a string, found true or false", 2, 5),
    ("targets:\n  - name: w\u00e9b\n", "ASCII", 2, 5),
    ("targets:\n  - name: a\n    facts: [1]\n", "`facts` of the target a must be a mapping, found a list", 3, 5),
    ("targets:\n  - name: a\n    vars: {1: 2}\n", "the names in `vars` of the target a must be strings", 3, 5),
    ("targets:\n  - name: a\n    alias: 7\n", "`alias` must be a string or a list of strings, found a number", 3, 5),
    ("targets:\n  - name: a\n    alias: [ok, Web]\n", "'Web' cannot be an alias", 3, 17),
    (
        "targets:\n  - {name: a, alias: c}\n  - {name: b, alias: c}\n",
        "the alias c of b is already an alias of a",
        3,
        15,
    ),
    ("targets:\n  - {name: a, alias: b}\n  - name: b\n", "the alias b of a is the name of another target", 2, 15),
    ("targets:\n  - web01:22\n  - web01:2222\n", "are both the node web01", 3, 5),
    ("targets:\n  - local://\n", "names no host", 2, 5),
    ("groups:\n  - targets: [a]\n", "a group must have a `name`", 2, 5),
    ("groups:\n  - web\n", "a group must be a mapping, found a text", 2, 5),
    ("groups:\n  - name: Web Servers\n", "cannot be the name of a group", 2, 5),
    ("groups:\n  - name: web\n  - name: web\n", "the group web is defined twice", 3, 5),
    ("groups:\n  - name: web\n    targets: [web]\n", "the name of a group and of a target", 3, 15),
    ("groups:\n  - {name: web, targets: [{name: a, alias: web}]}\n", "the name of a group and an alias", 2, 37),
    ("groups:\n  - name: web\n    nodes: [a]\n", "this is an inventory of version 1", 3, 5),
    ("version: 1\n", "`version` must be 2", 1, 1),
    ("targets:\n  - _plugin: puppetdb\n", "the plugin puppetdb would have to be run", 2, 5),
    ("targets:\n  _plugin: task\n", "the plugin task would have to be run", 2, 3),
    ("facts: {a: {b: {_plugin: env_var}}}\n", "the plugin env_var would have to be run", 1, 17),
    ("targets: [a\n", "while parsing a flow sequence", 1, 10),
    ("targets:\n\t- a\n", "cannot start any token", 2, 1),
    ("words\n", "an inventory must be a mapping, found a text", 1, 1),
    ("- web01\n", "a row must be a mapping with the `certname`", 1, 3),
    ("- certname: a\n  facts: 7\n", "the facts of a must be a mapping, found a number", 2, 3),
]


@pytest.mark.parametrize(("text", "words", "line", "column"), WRONG, ids=[row[1] for row in WRONG])
def test_what_is_wrong(text: str, words: str, line: int, column: int) -> None:
    """Each error says what was expected, and where."""
    with pytest.raises(BadInventory) as problem:
        targets_of(text)
    assert words in problem.value.message
    assert problem.value.span is not None
    assert problem.value.span.place == f"inventory.yaml:{line}:{column}"


def test_json_has_places_too() -> None:
    """Of what is no JSON, and of what JSON says wrongly."""
    for text, place in (('{"targets": [', "i.json:1:14"), ('{"targets":\n [{"name": "a", "vars": 3}]}', "i.json:2:17")):
        with pytest.raises(BadInventory) as problem:
            targets_of(text, "i.json")
        assert problem.value.span is not None
        assert problem.value.span.place == place


def test_what_is_passed_over() -> None:
    """Keys that Bolt does not know and targets that are listed twice: told, with the name that was perhaps meant."""
    targets = targets_of("targets:\n  - name: a\n    fact: {x: 1}\n  - name: a\n    facts: {x: 2}\ngroup: []\n")
    unknown = "is not a key that Bolt knows: it is ignored"
    assert [(warning.message.removeprefix("inventory.yaml: "), warning.help) for warning in targets.warnings] == [
        (f"`group` in the group all {unknown}", "did you mean `groups`?"),
        (f"`fact` in the target a {unknown}", "did you mean `facts`?"),
        ("the target a is in the group all twice: this entry is ignored", None),
    ]
    assert targets.nodes["a"].facts == {}
    many = targets_of("targets:\n" + "".join(f"  - {{name: a{number}, b: 1}}\n" for number in range(100)))
    assert (len(many.nodes), len(many.warnings)) == (100, MOST_WARNINGS)


def test_nothing_is_no_targets() -> None:
    """An empty file, and groups without any."""
    assert targets_of("").nodes == {}
    assert targets_of("groups:\n  - name: web\n").groups == {"all": (), "web": ()}


@pytest.mark.parametrize(("name", "meant"), [("web01", "web01.example.org"), ("db02", "db01"), ("edgy", "edge")])
def test_what_was_meant(name: str, meant: str) -> None:
    """A host without its domain, a name that looks like another, a group."""
    assert targets_of(INVENTORY).near(name, groups=True) == meant
    assert targets_of(INVENTORY).near("edgy") is None


@pytest.mark.parametrize(
    "document",
    [
        {"count": 1, "targets": [{"name": "a", "groups": 5}]},
        {"count": 1, "targets": [{"name": "a", "groups": [{}, 5]}]},
        [{"certname": "a", "facts": {"data": [{"nam": "x"}]}}],
        [{"certname": "a", "facts": {"data": [1]}}],
        [{"certname": "a", "name": ["x"], "value": 1}],
        [{"certname": ["a"]}],
        [{"certname": "a", "facts": [1]}],
    ],
    ids=str,
)
def test_what_others_print_in_another_shape(document: Any) -> None:
    """What a tool printed may have been cut or edited: it is told, with its place."""
    with pytest.raises(BadInventory) as problem:
        targets_of(json.dumps(document), "printed.json")
    assert problem.value.span is not None


@pytest.mark.parametrize("row", [{"certname": ["a"]}, {"certname": "a", "facts": {"data": [1]}}], ids=str)
def test_rows_that_are_no_facts(row: Any) -> None:
    """Whoever reads facts is given what is there, and says that it is none."""
    assert isinstance(gathered_facts([row], "a"), list)
