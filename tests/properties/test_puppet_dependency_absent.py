"""Dependency on what is not there: keys of hashes that parameters are taken from, levels of merges, code looked for.

Each row is a manifest, an output, and an input that it must be said to depend on; changing that input changes the
output, which is tried as well. Facts are written `fact:NAME`, data `KEY@FILE`, all else is the text of a literal.
"""

from __future__ import annotations

from typing import Any

import pytest

from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.provenance.extract import depends
from wherefrom.provenance.origins import Leaf
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.output.outcome import PuppetOutcome
from wherefrom.saved import restore, save

HIERA = """version: 5
hierarchy:
  - {name: os, path: "os/%{facts.os.family}.yaml"}
  - {name: all, path: common.yaml}
"""
UPPER, LOWER = "os/Debian.yaml", "common.yaml"
DEV = {"os": {"family": "Debian"}, "tier": "dev"}
PROD = {**DEV, "tier": "prod"}


def compiled(site: str, facts: dict[str, Any] = DEV, **levels: str) -> PuppetOutcome:
    """The outcome of a manifest, with the texts of the `upper` and the `lower` level."""
    files = {"env/manifests/site.pp": site, "env/hiera.yaml": HIERA}
    files |= {f"env/data/{UPPER if name == 'upper' else LOWER}": text for name, text in levels.items()}
    return LANGUAGE.run("env", PureHost(files), Inputs("web1", facts, {"settings": {"strict": "off"}}))


def named(leaf: Leaf) -> str:
    """An input as the rows write it."""
    if leaf.kind == "literal":
        return "" if leaf.span is None else leaf.span.text
    if leaf.kind == "hiera":
        return f"{leaf.name}@{leaf.file.removeprefix('env/data/')}"
    return f"{leaf.kind}:{leaf.name}"


APP = 'define app($port = 80, $q = 1) { notify { "a-${title}": message => "${port}" } } '
CLASS = "class c($port = 80) { notify { 'a': message => \"${port}\" } } "
PORT = "$h = $facts['tier'] ? { 'prod' => { 'port' => 443 }, default => {} } "
TEXT = "$h = $facts['tier'] ? { 'prod' => { 'message' => 'other' }, default => {} } "
TAG = "$h = $facts['tier'] ? { 'prod' => { 'tag' => 'z' }, default => {} } "
SPLATS = [
    (APP + PORT + "app { 'web': * => $h }", "Notify[a-web].message"),
    (APP + PORT + "app { 'web': q => 3, * => $h }", "App[web].port"),
    (APP + PORT + "app { 'web': * => {} + $h }", "Notify[a-web].message"),
    (APP + PORT + "app { 'web': * => $h.filter |$k, $v| { true } }", "Notify[a-web].message"),
    (APP + PORT + "app { default: * => $h; 'web': }", "Notify[a-web].message"),
    (APP + PORT + "app { default: port => 81; 'web': * => $h }", "Notify[a-web].message"),
    (APP + PORT + "create_resources('app', { 'web' => $h })", "Notify[a-web].message"),
    (APP + PORT + "create_resources('app', { 'web' => $h }, { 'port' => 81 })", "Notify[a-web].message"),
    (APP + PORT + "create_resources('app', { 'web' => {} }, $h)", "Notify[a-web].message"),
    (APP + PORT + "App { * => $h } app { 'web': }", "Notify[a-web].message"),
    (APP + "if $facts['tier'] == 'prod' { App { port => 7 } } app { 'web': }", "Notify[a-web].message"),
    (CLASS + PORT + "class { 'c': * => $h }", "Notify[a].message"),
    (CLASS + PORT + "create_resources('class', { 'c' => $h })", "Notify[a].message"),
    (TEXT + "Notify { message => 'd' } notify { 'a': * => $h }", "Notify[a].message"),
    (TEXT + "notify { 'a': message => 'x' } Notify <| |> { * => $h }", "Notify[a].message"),
    (
        TEXT + "class b { notify { 'a': message => 'x' } } class s inherits b { Notify['a'] { * => $h } } include s",
        "Notify[a].message",
    ),
    (TAG + "notify { 'a': message => 'm', * => $h } Notify <| tag == 'z' |> { message => 'n' }", "Notify[a].message"),
    (
        "$h = $facts['tier'] ? { 'prod' => { 'alias' => 'x' }, default => {} } notify { 'b': * => $h } "
        "notify { 'a': message => \"${defined(Notify['x'])}\" }",
        "Notify[a].message",
    ),
    (
        "$h = $facts['tier'] ? { 'prod' => { 'name' => 'x' }, default => {} } "
        "define app() { notify { 'a': message => $name } } app { 'web': * => $h }",
        "Notify[a].message",
    ),
    (
        "$h = $facts['tier'] ? { 'prod' => { 'before' => Notify['d'] }, default => {} } "
        "notify { ['c', 'd']: } notify { 'a': * => $h } Notify['a'] -> Notify['c']",
        "Notify[a].before[0]",
    ),
]


@pytest.mark.parametrize(("site", "path"), SPLATS)
def test_what_a_hash_does_not_have_depends_on_what_decided_that(site: str, path: str) -> None:
    """`* => $hash` and its like: a parameter that the hash has not got could have been in it."""
    outcome = compiled(site)
    selected = outcome.select(path)
    assert "fact:tier" in set(map(named, depends(selected.origin)))
    assert path in [affected for affected, _ in outcome.impact("fact:tier").affected]
    other = compiled(site, PROD)
    values = {each.path: each.value for each in other.outputs()}
    assert values.get(selected.path) != selected.value


DATA = [
    (CLASS + "class { 'c': * => lookup('x')['c'] }", "", "x: {c: {}}", f"x.c.port@{LOWER}"),
    (CLASS + "class { 'c': * => lookup('x', Hash, 'deep')['c'] }", "x: {c: {}}", "x: {c: {}}", f"x.c@{UPPER}"),
    (CLASS + "class { 'c': * => lookup('x', Hash, 'deep')['c'] }", "y: {}", "x: {c: {}}", f"x@{UPPER}"),
    (CLASS + "class { 'c': * => lookup('x', Hash, 'hash')['c'] }", "x: {d: {}}", "x: {c: {}}", f"x.c@{UPPER}"),
]
ONE = "notify { 'a': message => \"${lookup('h', Hash, 'deep')['k']}\" }"
MERGES = [
    (ONE, "h: {k: ~}", "h: {k: 1}", f"h.k@{UPPER}"),
    (ONE, "h: {k: {}}", "h: {k: 1}", f"h.k@{UPPER}"),
    (ONE, "h: ~", "h: {k: 1}", f"h@{UPPER}"),
    (ONE, "h: {}", "h: {k: 1}", f"h.k@{UPPER}"),
    (ONE, "h: {k: {}}", "h: {k: ~}", f"h.k@{LOWER}"),
    (ONE, "h: {k: {a: 1}}", "h: {j: ~}", f"h.k@{LOWER}"),
    (ONE, "h: {k: ~}", "h: {j: ~}", f"h.k@{LOWER}"),
    (ONE, "h: {k: []}", "h: {k: [1]}", f"h.k@{UPPER}"),
]


@pytest.mark.parametrize(("site", "upper", "lower", "wanted"), [*DATA, *MERGES])
def test_a_level_that_says_nothing_is_an_input(site: str, upper: str, lower: str, wanted: str) -> None:
    """Null and empty hashes are values of a level, and what it does not have it could have."""
    outcome = compiled(site, upper=upper, lower=lower)
    found = set(map(named, depends(outcome.select("Notify[a].message").origin)))
    assert wanted in found, sorted(found)


Q = "notify { 'a': message => \"${defined('q')}\" }"
RUBY = "Puppet::Functions.create_function(:f) do\n  def f\n    1\n  end\nend\n"
TWO = {"environment.conf": "modulepath = first:second\n"}
CODE: list[tuple[str, dict[str, str], str]] = [
    (Q, {}, "modules/q"),
    (Q, {}, "modules/*/lib/puppet/type/q.rb"),
    (Q, {"modules/q/manifests/init.pp": "class q { }"}, "modules/q/manifests/init.pp"),
    (Q, {}, "environment.conf"),
    ("include q", {"modules/q/manifests/init.pp": "class q { notify { 'a': } }"}, "modules/q/metadata.json"),
    ("include q", {**TWO, "second/q/manifests/init.pp": "class q { notify { 'a': } }"}, "first/q"),
    ("q { 'a': }", {**TWO, "second/q/manifests/init.pp": "define q { notify { $title: } }"}, "first/q"),
    (
        "q { 'a': }",
        {**TWO, "second/q/manifests/init.pp": "define q { notify { $title: } }"},
        "first/*/lib/puppet/type/q.rb",
    ),
    ("define q { notify { $title: } } q { 'a': }", {}, "modules/*/lib/puppet/type/q.rb"),
    (
        "include q::a::b",
        {**TWO, "second/q/manifests/a.pp": "class q::a::b { notify { 'a': } }"},
        "second/q/manifests/a/b.pp",
    ),
    (
        "include q",
        {
            **TWO,
            "second/q/manifests/init.pp": "class q inherits r { notify { 'a': message => $z } }",
            "second/r/manifests/init.pp": "class r { $z = 1 }",
        },
        "first/r",
    ),
    ("notify { 'a': message => q::f() }", {**TWO, "second/q/functions/f.pp": "function q::f() { 1 }"}, "first/q"),
    (
        "notify { 'a': message => q::f() }",
        {**TWO, "second/q/functions/f.pp": "function q::f() { 1 }"},
        "second/q/lib/puppet/functions/q/f.rb",
    ),
    (
        "notify { 'a': message => f() }",
        {**TWO, "second/q/lib/puppet/functions/f.rb": RUBY},
        "first/*/lib/puppet/functions/f.rb",
    ),
    (
        "notify { 'a': message => call('f') }",
        {**TWO, "second/q/lib/puppet/functions/f.rb": RUBY},
        "first/*/lib/puppet/functions/f.rb",
    ),
    ("notify { 'a': message => file('q/x') }", {**TWO, "second/q/files/x": "1"}, "first/q"),
    ("notify { 'a': message => epp('q/x.epp') }", {**TWO, "second/q/templates/x.epp": "1"}, "first/q"),
    ("notify { 'a': message => template('q/x.erb') }", {**TWO, "second/q/templates/x.erb": "<%= 1 %>"}, "first/q"),
    ("notify { 'a': message => 1 =~ Q::T }", {**TWO, "second/q/types/t.pp": "type Q::T = Integer"}, "first/q"),
    ("notify { 'a': message => lookup('q::x', Any, first, 1) }", TWO, "first/q"),
    ("notify { 'a': message => module_directory('q') }", {**TWO, "second/q/files/x": "1"}, "first/q"),
]


@pytest.mark.parametrize(("site", "files", "wanted"), CODE)
def test_code_that_is_looked_for_is_an_input(site: str, files: dict[str, str], wanted: str) -> None:
    """A module that would hide this one, a file that would come before, what `defined` did not find."""
    host = PureHost({"env/manifests/site.pp": site, **{f"env/{path}": text for path, text in files.items()}})
    outcome = LANGUAGE.run("env", host, Inputs("web1", DEV, {"settings": {"strict": "off"}}))
    path = "Notify[a].message" if "message" in "".join((site, *files.values())) else "Notify[a]"
    names = {leaf.name: leaf.absent for leaf in depends(outcome.select(path).origin) if leaf.kind == "file"}
    assert names.get(f"env/{wanted}") is (f"env/{wanted}" not in {f"env/{name}" for name in files}), sorted(names)
    asked = f"file:env/{wanted.replace('*', 'any')}"
    assert path in [affected for affected, _ in outcome.impact(asked, absent=True).affected]


CHANGING = {
    "env/modules/m/manifests/init.pp": "class m { Notify <| |> { message => 'x' } }",
    "env/modules/m/manifests/b.pp": "class m::b { Notify <| |> { message => 'y' } }",
    "env/modules/m/manifests/c.pp": "class m::c { notify { 'z': } }",
}


def test_classes_that_a_classifier_could_name_are_one_input() -> None:
    """In answers, documents and what is saved; who asks about one of them has an exact answer."""
    host = PureHost({"env/manifests/site.pp": "notify { 'a': message => 'm' } include m::c", **CHANGING})
    live = LANGUAGE.run("env", host, Inputs("web1", DEV, {"settings": {"strict": "off"}}))
    for outcome in (live, restore(save(live))):
        inputs = [leaf for leaf in depends(outcome.select("Notify[a].message").origin) if leaf.kind == "classifier"]
        assert [sorted(leaf.names) for leaf in inputs] == [["m", "m::b"]]
        impact = outcome.impact("classifier:m::b", absent=True)
        assert [leaf.name for leaf in impact.inputs] == ["m::b"]
        assert "Notify[a].message" in [path for path, _ in impact.affected]
        assert outcome.impact("classifier:m::c", absent=True).affected == []
        assert outcome.impact("classifier:q", absent=True).affected == []
        assert outcome.impact("classifier:").affected == impact.affected
    answer = live.explain("Notify[a].message")
    closed, opened = (
        next(leaf for leaf in explained.to_json()["depends"] if leaf["kind"] == "classifier")
        for explained in (answer, answer.with_everything())
    )
    assert closed == {"kind": "classifier", "count": 2, "absent": True, "detail": "classes named from outside"}
    assert sorted(opened["names"]) == ["m", "m::b"]
    said = Inputs("web1", DEV, {"settings": {"strict": "off"}, "classes": {"m::b": {}}})
    named_now = depends(LANGUAGE.run("env", host, said).select("Notify[a].message").origin)
    assert ("m::b", False) in [(leaf.name, leaf.absent) for leaf in named_now if leaf.kind == "classifier"]


PICKED = [
    ("<%= @facts['tier'] %>", {"tier"}),
    ("<%= scope['facts']['tier'] %>", {"tier"}),
    ("<%= scope.lookupvar('facts')['os']['family'] %>", {"os.family"}),
    ("<%= @facts['os']['family'] %><%= @facts['tier'] %>", {"os.family", "tier"}),
    ("<%= @facts['nope'].nil? %>", {"nope"}),
    ("<%= @facts['os']['nope'].nil? %>", {"os.nope"}),
]


@pytest.mark.parametrize(("template", "wanted"), PICKED)
def test_a_template_that_reads_a_key_depends_on_that_key(template: str, wanted: set[str]) -> None:
    """Not on all facts, as long as only keys are read."""
    outcome = compiled(f"notify {{ 'a': message => inline_template(\"{template}\") }}")
    leaves = depends(outcome.select("Notify[a].message").origin)
    assert {leaf.name for leaf in leaves if leaf.kind == "fact"} == wanted


@pytest.mark.parametrize(
    "template",
    [
        "<% f = @facts %><%= @facts['tier'] %><%= f.size %>",
        "<%= @facts['tier'] %><%= @facts.size %>",
        "<% @facts.each { |key, value| %><%= key %><% } %><%= @facts['tier'] %>",
    ],
)
def test_a_template_that_reads_all_facts_depends_on_all(template: str) -> None:
    """Also where it reads a key beside."""
    outcome = compiled(f"notify {{ 'a': message => inline_template(\"{template}\") }}")
    leaves = depends(outcome.select("Notify[a].message").origin)
    assert "" in {leaf.name for leaf in leaves if leaf.kind == "fact"}
