"""Resource types written in Ruby, by the old interface and by the Resource API; and what is told if one can not run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wherefrom
from support.puppet_cases import recorded_cases, request_of, text_of
from support.puppet_real import normal, ours
from wherefrom.puppet.runtime.resource_types import read_generated, scan

API = """require 'puppet/resource_api'
Puppet::ResourceApi.register_type(
  name: 'gate',
  docs: 'A gate between two places.',
  title_patterns: [
    { pattern: %r{^(?<from>[^>]+)>(?<to>.+)$}, desc: 'both' },
    { pattern: %r{^(?<from>.+)$}, desc: 'one' },
  ],
  features: ['simple_get_filter'],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'whether it is there', default: 'present' },
    from: { type: 'String', desc: 'where', behaviour: :namevar },
    to: { type: 'String', desc: 'where to', behaviour: :namevar },
    width: { type: 'Optional[Integer]', desc: 'how wide' },
  },
)
"""
NAMELESS = "Puppet::Type.newtype(:nameless) do\n  newproperty(:colour)\nend\n"
ODD = """Puppet::Type.newtype(:odd) do
  @kinds = `ls`.split
  newparam(:name, :namevar => true)
  newproperty(:colour)
end
"""


@pytest.fixture
def compiled(tmp_path: Path) -> Any:
    """A function that compiles a manifest with these types at hand."""
    for name, text in (("gate", API), ("odd", ODD), ("nameless", NAMELESS)):
        path = tmp_path / "modules" / "m" / "lib" / "puppet" / "type" / f"{name}.rb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(site: str) -> Any:
        (tmp_path / "manifests").mkdir(exist_ok=True)
        (tmp_path / "manifests" / "site.pp").write_text(site)
        return wherefrom.compile(str(tmp_path), node="n")

    return run


def test_a_type_of_the_resource_api(compiled: Any) -> None:
    """Its attributes are known."""
    outcome = compiled("gate { 'a>b': ensure => present, width => 3 }\ngate { 'c': to => 'd' }")
    assert outcome.select("Gate[a>b].width").value == 3
    assert outcome.select("Gate[c].to").value == "d"


@pytest.mark.parametrize(
    ("site", "words"),
    [
        ("gate { 'a>b': hight => 3 }", "no parameter named 'hight'"),
        ("gate { 'a>b': provider => 'x' }", "no parameter named 'provider'"),
        ("nameless { 'x': colour => 'red' }", 'No set of title patterns matched the title "x"'),
        ("gate { 'a>b': }\ngate { 'again': from => 'a', to => 'b' }", "Cannot alias|already"),
    ],
)
def test_what_such_a_type_refuses(compiled: Any, site: str, words: str) -> None:
    """An attribute it has not, and two titles that are one gate."""
    with pytest.raises(wherefrom.WherefromError, match=words):
        compiled(site)


def test_a_type_that_can_not_be_run_is_read_with_a_warning(compiled: Any) -> None:
    """Its text tells its attributes, and we tell that it was looked at so."""
    outcome = compiled("odd { 'x': colour => 'red' }")
    assert outcome.select("Odd[x].colour").value == "red"
    words = [log.message for log in outcome.logs]
    assert any("resource type odd" in each and "runs a program" in each for each in words), words


@pytest.mark.parametrize(
    ("attributes", "written"),
    [
        ("name => '/q'", {"path": "/q"}),
        ("name => '/q', path => '/r'", {"path": "/q"}),
        ("mode => '0600', name => '/x'", {"mode": "0600"}),
        ("mode => '0600', name => undef", {"mode": "0600"}),
        ("mode => '0644', name => '/q', owner => 'a'", {"path": "/q", "mode": "0644", "owner": "a"}),
    ],
)
def test_name_is_another_word_for_what_names_a_resource(
    compiled: Any, attributes: str, written: dict[str, str]
) -> None:
    """As real Puppet writes such resources: `name` wins, under the name of the naming attribute, which comes first."""
    outcome = compiled(f"file {{ '/x': {attributes} }}")
    (document,) = [each for each in outcome.document()["resources"] if each["type"] == "File"]
    assert document["parameters"] == written and list(document["parameters"]) == list(written)


GATES = [case for case in recorded_cases() if case.name.startswith("puppet/ruby/type-gate")]


@pytest.mark.parametrize("case", GATES, ids=str)
def test_the_resource_api_is_another_way_to_say_the_same(case: Any) -> None:
    """A type of the Resource API gives the catalogs and errors that real Puppet gives for its like of the old way."""
    request = request_of(case)
    (path,) = [name for name in request["files"] if name.endswith("gate.rb")]
    request["files"][path] = API
    assert text_of(normal(ours(request))) == case.sections["want.json"]


def test_there_are_gates() -> None:
    """Attributes, naming attributes, title patterns, and what goes wrong with each."""
    assert len(GATES) >= 5


# --- what can be read off Ruby without running it ---------------------------------------------------------------------


def test_attributes_that_can_be_seen() -> None:
    kind = scan(
        "gate",
        """Puppet::Type.newtype(:gate) do
  ensurable
  newparam(:path) do
    isnamevar
  end
  newparam(:side, :namevar => true)
  newproperty :colour
  newproperty('width', :array_matching => :all)
  newparam(:force, :boolean => true)
end
""",
    )
    assert kind.attributes == {"ensure", "path", "side", "colour", "width", "force", "provider"}
    assert kind.keys == ("path", "side")
    assert kind.isomorphic and not kind.open


def test_a_type_of_one_line() -> None:
    kind = scan("gate", "Puppet::Type.newtype(:gate) { newparam( :name) }")
    assert kind.attributes == {"name", "provider"} and kind.keys == ("name",)
    assert scan("gate", "newproperty(:colour)").attributes == {"colour", "provider"}


def test_the_last_attribute_may_be_the_one_that_names() -> None:
    assert scan("gate", "newparam(:a)\nnewparam(:b) do\n  isnamevar\nend\n").keys == ("b",)


def test_types_that_may_be_declared_twice_or_take_code_from_elsewhere() -> None:
    assert not scan("gate", "@isomorphic = false\nnewparam(:name)").isomorphic
    assert scan("gate", "extend Other\nnewparam(:name)").open
    assert scan("gate", "  instance_eval do\nend").open and not scan("gate", "# extended\n").open


def test_a_type_as_puppet_generates_it() -> None:
    text = "Puppet::Resource::Param(String, 'colour'),\nPuppet::Resource::Param(Any, 'path', true),\n"
    kind = read_generated("gate", text)
    assert kind.name == "gate" and kind.keys == ("path",)
    assert kind.attributes == {"colour", "path", "provider"}
    assert read_generated("gate", "Puppet::Resource::Param(String, 'colour')").keys == ("name",)
