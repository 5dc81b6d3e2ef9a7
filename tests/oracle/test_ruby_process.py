"""`--ruby`: a function that wherefrom's own Ruby can not run, asked of a Ruby process; off unless asked for."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import wherefrom

NEW = """Puppet::Functions.create_function(:'m::said') do
  dispatch :said do
    param 'Any', :word
  end
  def said(word)
    return word.no_such_method if word == 'lost'
    veiled = Puppet::Pops::Types::PSensitiveType::Sensitive.new(/x/)
    [`echo #{word}`.chomp, closure_scope['facts']['f'], { 'a' => veiled }]
  end
end
"""
OLD = """module Puppet::Parser::Functions
  newfunction(:old_said, :type => :rvalue) do |args|
    args[0].map { |each| eval(each) }
  end
end
"""
DECLARING = """module Puppet::Parser::Functions
  newfunction(:declaring) do |args|
    eval('1')
    function_create_resources(['notify', { args[0] => {} }])
  end
end
"""
needs_puppet = [pytest.mark.oracle, pytest.mark.usefixtures("real_puppet")]


@pytest.fixture
def environment(tmp_path: Path) -> Any:
    """A function that compiles a manifest with three functions at hand."""
    for name, text in {
        "modules/m/lib/puppet/functions/m/said.rb": NEW,
        "modules/m/lib/puppet/parser/functions/old_said.rb": OLD,
        "modules/m/lib/puppet/parser/functions/declaring.rb": DECLARING,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def compiled(site: str, **options: Any) -> Any:
        (tmp_path / "manifests").mkdir(exist_ok=True)
        (tmp_path / "manifests" / "site.pp").write_text(site)
        return wherefrom.compile(str(tmp_path), node="n", facts={"f": "fact"}, **options)

    return compiled


def test_off_by_default(environment: Any) -> None:
    """A program is not run."""
    with pytest.raises(wherefrom.WherefromError, match="runs a program, which is not allowed"):
        environment("notify { 'n': message => String(m::said('hi')) }")


def test_without_ruby(environment: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for, and not there."""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(wherefrom.WherefromError, match="`ruby` is not installed"):
        environment("notify { 'n': message => String(m::said('hi')) }", ruby=True)


class TestAsked:
    """With Puppet's libraries."""

    pytestmark = needs_puppet

    def test_values_come_back(self, environment: Any) -> None:
        """Facts are seen, rich data comes and goes, and the result depends on everything."""
        outcome = environment(
            "$r = m::said('hi')\nnotify { 'n': message => \"${r[0]} ${r[1]} ${r[2]['a'].unwrap}\" }\n"
            "notify { 'o': message => String(old_said(['1 + 1', '[nil, :a]'])) }",
            ruby=True,
            show_derived=True,
        )
        assert outcome.select("Notify[n].message").value == "hi fact /x/"
        assert outcome.select("Notify[o].message").value == "[2, [undef, 'a']]"
        words = [log.message for log in outcome.logs if "--ruby" in log.message]
        assert len(words) == 2 and "m::said" in words[0] and "old_said" in words[1]
        depends = outcome.explain("Notify[n].message").depends
        assert {"fact", "file", "hiera", "environment"} <= {leaf.kind for leaf in depends if not leaf.name}

    @pytest.mark.parametrize(
        ("site", "words"),
        [
            ("notify { 'n': message => m::said('lost') }", "undefined method `no_such_method' for"),
            ("declaring('x')", "it declares resources"),
            ("notify { 'n': message => old_said(['raise \"no\"']) }", "no "),
        ],
    )
    def test_errors(self, environment: Any, site: str, words: str) -> None:
        """The process's own words, and what a process can not do."""
        with pytest.raises(wherefrom.WherefromError, match=words):
            environment(site, ruby=True)
