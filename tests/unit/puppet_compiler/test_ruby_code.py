"""The code of functions in Ruby: what it made depends on the file, and what it could have done is known by its text."""

from __future__ import annotations

from typing import Any

import pytest

from wherefrom.base.diagnostics import Diagnostic, UsageError
from wherefrom.base.host import PureHost
from wherefrom.base.source import SourceFile
from wherefrom.language import Inputs
from wherefrom.provenance.extract import depends
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.rubyhost.computing import computing_code
from wherefrom.ruby.programs import compile_ruby

M = "env/modules/m"
ADDED = f"{M}/lib/puppet/functions/m/added.rb"
OLD = f"{M}/lib/puppet/parser/functions/old.rb"
TOOLS = f"{M}/lib/puppet_x/tools.rb"
BOTH = f"{M}/lib/puppet/functions/m/both.rb"
TEMPLATE = f"{M}/templates/t.erb"
CODE = {
    ADDED: (
        "require 'puppet_x/tools'\nPuppet::Functions.create_function(:'m::added') do\n"
        "  def added(number)\n    number + Tools::STEP\n  end\nend\n"
    ),
    TOOLS: "module Tools\n  STEP = 2\nend\n",
    OLD: "module Puppet::Parser::Functions\n  newfunction(:old, :type => :rvalue) { |given| given[0] + 1 }\nend\n",
    BOTH: (
        "Puppet::Functions.create_function(:'m::both') do\n"
        "  def both(number)\n    call_function('m::added', number) + 1\n  end\nend\n"
    ),
    TEMPLATE: "<%= scope.function_old([1]) %>\nx\n",
}
SITE = """\
notify { 'added': message => m::added(1) }
notify { 'old': message => old(1) }
notify { 'both': message => [m::both(1)] }
notify { 'template': message => template('m/t.erb') }
notify { 'element': message => [m::added(1), 'x'][0] }
notify { 'none': message => 'x' }
"""


def compiled(site: str, code: dict[str, str] = CODE, **facts: Any) -> Any:
    """The outcome of an environment."""
    return LANGUAGE.run("env", PureHost({"env/manifests/site.pp": site, **code}), Inputs("web1", facts))


def files_of(outcome: Any, path: str) -> set[str]:
    """The files of code that an output depends on."""
    return {leaf.name for leaf in depends(outcome.select(path).origin) if leaf.kind == "file" and not leaf.absent}


def test_what_a_function_made_depends_on_its_code() -> None:
    """That of what it requires and calls included, whichever way it is called."""
    outcome = compiled(SITE)
    wanted = {
        "added": {ADDED, TOOLS},
        "old": {OLD},
        "both": {BOTH, ADDED, TOOLS},
        "template": {OLD},
        "element": {ADDED, TOOLS},
        "none": set(),
    }
    assert not any(files_of(outcome, f"Notify[{title}]") for title in wanted)
    found = {title: files_of(outcome, f"Notify[{title}].message") for title in wanted if title != "both"}
    assert {**found, "both": files_of(outcome, "Notify[both].message[0]")} == wanted


@pytest.mark.parametrize("place", ["", ":1", ":3"])
def test_impact_of_a_file_of_ruby(place: str) -> None:
    """Of all of it, and of any of its lines: the code is not followed."""
    outcome = compiled(SITE)
    for file, paths in {
        ADDED: ["Notify[added].message", "Notify[both].message[0]", "Notify[element].message"],
        TOOLS: ["Notify[added].message", "Notify[both].message[0]", "Notify[element].message"],
        OLD: ["Notify[old].message", "Notify[template].message"],
    }.items():
        assert [path for path, _ in outcome.impact(file + place).affected] == paths


def test_impact_of_a_line_of_a_template() -> None:
    outcome = compiled(SITE)
    assert [path for path, _ in outcome.impact(f"{TEMPLATE}:2").affected] == ["Notify[template].message"]
    with pytest.raises(UsageError, match="was not read in this run"):
        outcome.impact(f"{M}/templates/u.erb:2")


def test_an_edit_of_the_code_is_no_surprise() -> None:
    """Another text of the file makes another output only where the file is among the inputs."""
    before = compiled(SITE)
    for file, old, new in ((ADDED, "number +", "number -"), (TOOLS, "= 2", "= 7"), (OLD, "+ 1", "+ 5")):
        after = compiled(SITE, {**CODE, file: CODE[file].replace(old, new)})
        values = {output.path: output.value for output in after.outputs()}
        changed = [output.path for output in before.outputs() if values[output.path] != output.value]
        assert changed
        assert all(file in files_of(before, path) for path in changed)


def test_the_code_is_told_where_all_is_told() -> None:
    """Of what to edit, a file of Ruby says little: it is among the inputs, not in the few words of an answer."""
    explanation = compiled(SITE).explain("Notify[added].message")
    assert not any(ADDED in word for word in explanation.groups()[0])
    assert {"kind": "file", "name": ADDED, "detail": "code"}.items() <= next(
        leaf.items() for leaf in explanation.to_json()["depends"] if leaf.get("name") == ADDED
    )


class Files:
    """Files of Ruby, as a library has them."""

    def __init__(self, text: str) -> None:
        self.text = text

    def unrecorded_program(self, path: str) -> Any:
        """The file, compiled."""
        return compile_ruby(SourceFile(path, self.text))


OF_TODAY = "Puppet::Functions.create_function(:f) do\n%s\nend\n"
OF_OLD = "module Puppet::Parser::Functions\n  newfunction(:f, :type => :rvalue) do |args|\n    %s\n  end\nend\n"
COMPUTES = [
    OF_OLD % "raise(Puppet::ParseError, 'x') if args.empty?\n args.delete(:undef)\n args[0]",
    OF_OLD % "lookupvar('x') + function_known([1])",
    OF_TODAY % "dispatch :f do\n param 'Any', :a\n block_param 'Callable', :b\n end\n def f(a)\n yield(a)\n end",
    OF_TODAY % "def f(a)\n g(a)\n end\n def g(a)\n a.map(&:to_s).merge!(1)\n end",
    OF_TODAY % "def f(a)\n Puppet.warning('x')\n call_function('known', a)\n closure_scope.lookupvar('x')\n end",
    "require 'json'\n" + OF_TODAY % "def f(a)\n JSON.parse(a)\n end",
]  # fmt: skip
ACTS = [
    OF_OLD % "function_create_resources(['file', {}])",
    OF_OLD % "catalog.add_resource(1)",
    OF_OLD % "send(:function_x, [])",
    OF_OLD % "scope = self\n scope.x",
    OF_OLD % "compiler",
    OF_OLD % "setvar('x', 1)",
    OF_OLD % "self.catalog",
    OF_OLD % "args.each { |a| a.instance_eval { catalog } }",
    OF_OLD % "Puppet::Parser::Resource.new('a', 'b', {})",
    OF_OLD % "Puppet::Pops::Loaders.x",
    OF_OLD % "Puppet.lookup(:current_environment)",
    OF_OLD % "$kept.x",
    OF_TODAY % "def f(a)\n call_function('include', a)\n end",
    OF_TODAY % "def f(a)\n call_function(a)\n end",
    OF_TODAY % "def f(a)\n closure_scope.compiler\n end",
    OF_TODAY % "def call(scope, *a)\n scope.catalog\n end",
    OF_TODAY % "def f(a)\n a.closure_scope\n end",
    OF_TODAY % "def self.f(a)\n 1\n end",
    OF_TODAY % "def f(a)\n @a ||= a\n end",
    "require 'puppet_x/other'\n" + OF_TODAY % "def f(a)\n 1\n end",
    "class Foo\nend\n" + OF_TODAY % "def f(a)\n 1\n end",
    "Puppet::Functions.create_function(:f, Puppet::Functions::InternalFunction) do\n def f(a)\n 1\n end\nend\n",
    "def x(",
]


@pytest.mark.parametrize("text", COMPUTES)
def test_code_that_only_computes(text: str) -> None:
    library: Any = Files(text)
    assert computing_code(library, "f.rb", lambda name, _: name == "known") is not None


@pytest.mark.parametrize("text", ACTS)
def test_code_that_may_act(text: str) -> None:
    library: Any = Files(text)
    assert computing_code(library, "f.rb", lambda name, _: name == "known") is None


def test_a_branch_that_only_computes_matters_to_nothing_else() -> None:
    """What a branch not taken would have done is known, if the functions in it only compute."""
    site = "if $facts['x'] {{ {} }}\nfile {{ '/a': mode => '0644' }}\n"
    for call, is_felt in (("$a = old(1)", False), ("$a = m::both(1)", True)):
        outcome = compiled(site.format(call))
        names = {leaf.name for leaf in depends(outcome.select("File[/a].mode").origin)}
        assert ("x" in names) is is_felt, call


WALK = """\
Puppet::Functions.create_function(:'m::walk') do
  dispatch :walk do
    param 'String', :how
    block_param
  end
  def walk(how, &block)
    return [block.lambda?, block.arity, block.parameters.map { |pair| pair.map(&:to_s) }] if how == 'block'
    { 1 => 2 }.send(how, &block)
  end
end
"""


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("m::walk('map') |$x, $y = 7| { [$x, $y] }", "[[[1, 2], 7]]"),
        ("m::walk('map') |$x, *$y| { [$x, $y] }", "[[[1, 2], []]]"),
        ("m::walk('map') |*$x| { $x }", "[[[1, 2]]]"),
        ("m::walk('to_h') |$x| { [$x, 9] }", "{1 => 9}"),
        ("m::walk('to_h') |$x, $y| { [$y, $x] }", "{2 => 1}"),
        ("m::walk('select') |$x, $y| { $y == 2 }", "{1 => 2}"),
        ("m::walk('zip') |$x| { $x }", "undef"),
        ("m::walk('block') |$x, $y = 1, *$z| { }", "[false, -2, [['req', 'x'], ['opt', 'y'], ['rest', 'z']]]"),
    ],
)
def test_lambdas_take_a_pair_of_a_hash_as_one_thing(call: str, text: str) -> None:
    """To Ruby they are blocks of `|*arguments|`; values are those of Puppet 7.23."""
    code = {f"{M}/lib/puppet/functions/m/walk.rb": WALK}
    outcome = compiled(f"$result = String([{call}])\n", code)
    assert outcome.select("$result").value == f"[{text}]"


@pytest.mark.parametrize("how", ["each", "map", "any?"])
def test_a_lambda_of_two_parameters_gets_too_little(how: str) -> None:
    """As real Puppet says."""
    with pytest.raises(Diagnostic, match=r"Parameter \$y is required but no value was given"):
        compiled(f"m::walk('{how}') |$x, $y| {{ }}", {f"{M}/lib/puppet/functions/m/walk.rb": WALK})
