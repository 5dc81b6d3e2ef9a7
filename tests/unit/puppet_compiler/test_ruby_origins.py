"""Where the values come from that Ruby code makes: templates part by part, functions with everything they read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wherefrom
from wherefrom.provenance.extract import evaluate_term, expression

FUNCTION = """Puppet::Functions.create_function(:'m::f', Puppet::Functions::InternalFunction) do
  dispatch :f do
    scope_param
    param 'Any', :given
  end
  def f(scope, given)
    "#{given} #{scope['seen']} #{scope['none'].inspect}"
  end
end
"""


def compiled(root: Path, files: dict[str, str], facts: dict[str, Any]) -> Any:
    """The catalog of an environment with these files in it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return wherefrom.compile(str(root), node="n", facts=facts)


@pytest.fixture
def environment(tmp_path: Path) -> Any:
    """A function that writes an environment and compiles it."""

    def write(site: str, template: str = "", **facts: Any) -> Any:
        files = {
            "manifests/site.pp": site,
            "modules/m/templates/t.erb": template,
            "modules/m/lib/puppet/functions/m/f.rb": FUNCTION,
        }
        return compiled(tmp_path, files, facts)

    return write


def inputs(explanation: Any) -> set[str]:
    """The inputs by name, or by text."""
    return {str(each.get("name") or each.get("text")) for each in explanation.to_json()["depends"]}


def test_parts_of_a_template(environment: Any) -> None:
    """A line depends on what it prints and on what decided that it is there, not on what other lines print."""
    template = "a <%= @x %>\n<% if @y -%>\nb <%= @z.upcase %>\n<% end -%>\nc\n"
    site = "notify { 'n': message => template('m/t.erb') }"
    outcome = environment(site, template, x="1", y=True, z="3")
    path = "Notify[n].message"
    assert outcome.select(path).value == "a 1\nb 3\nc\n"
    first, second, third = (inputs(outcome.explain_line(path, number)) for number in (1, 2, 3))
    assert "x" in first and "y" not in first and "z" not in first
    assert {"y", "z"} <= second and "x" not in second
    assert "y" in third and "x" not in third and "z" not in third
    assert {"x", "y", "z"} <= inputs(outcome.explain(path))


def test_a_loop_reads_again(environment: Any) -> None:
    """What is read in every round counts for every round."""
    template = "<% @list.each do |e| %><%= e %>=<%= @x %>\n<% end %>"
    site = "$list = ['p', 'q']\nnotify { 'n': message => template('m/t.erb') }"
    outcome = environment(site, template, x="1")
    for number in (1, 2):
        assert {"x", "'p'", "'q'"} <= inputs(outcome.explain_line("Notify[n].message", number))


def test_what_a_function_reads(environment: Any) -> None:
    """A function's result depends on its arguments, on what it read in the scope, and on what was absent."""
    site = "$seen = $facts['s']\n$r = m::f($facts['g'])\nnotify { 'n': message => $r }"
    outcome = environment(site, s="S", g="G")
    assert outcome.select("Notify[n].message").value == "G S nil"
    assert {"s", "g"} <= inputs(outcome.explain("Notify[n].message"))


def test_an_absence_counts(environment: Any) -> None:
    """A variable that a template did not find depends on the test that kept it from being set."""
    site = "if $facts['t'] { $v = 1 }\nnotify { 'n': message => inline_template('<%= @v.inspect %>') }"
    outcome = environment(site, t=False)
    assert outcome.select("Notify[n].message").value == "nil"
    assert "t" in inputs(outcome.explain("Notify[n].message"))


def test_resources_that_ruby_reads(environment: Any) -> None:
    """An attribute read from the catalog is an input, and so is a resource that is not there."""
    site = (
        "file { '/a': mode => $facts['m'] }\n"
        "notify { 'n': message => inline_template('<%= scope.findresource(\"File[/a]\")[:mode] %>') }"
    )
    outcome = environment(site, m="0600")
    assert outcome.select("Notify[n].message").value == "0600"
    assert "m" in inputs(outcome.explain("Notify[n].message"))


def test_lines_that_are_not_there(environment: Any) -> None:
    """A line past the end, and lines of what is no text, are told so."""
    outcome = environment("notify { 'n': message => 'a', withpath => true }")
    for path, number in (("Notify[n].message", 2), ("Notify[n].withpath", 1)):
        with pytest.raises(wherefrom.WherefromError):
            outcome.explain_line(path, number)


MERGE = """Puppet::Functions.create_function(:merge) do
  def merge(*hashes)
    hashes.reduce({}) { |all, each| all.merge(each) }
  end
end
"""
PICK = """module Puppet::Parser::Functions
  newfunction(:pick, :type => :rvalue) do |args|
    args.find { |value| value.to_s != '' }
  end
end
"""


def test_moved_parts_keep_their_origins(tmp_path: Path) -> None:
    """What such functions move is explained by where it was written; what decided it still counts."""
    site = (
        "$m = merge({'x' => 'one', 'y' => 'two'}, {'y' => $facts['f']})\n"
        "notify { 'n': message => pick(undef, $m['x'], 'other') }\nnotify { 'o': message => $m['y'] }"
    )
    files = {
        "manifests/site.pp": site,
        "modules/m/lib/puppet/functions/merge.rb": MERGE,
        "modules/m/lib/puppet/parser/functions/pick.rb": PICK,
    }
    outcome = compiled(tmp_path, files, {"f": "fact!"})
    chosen = outcome.explain("Notify[n].message").to_json()
    assert chosen["where"]["text"] == "'one'" and chosen["where"]["column"] == 20
    merged = outcome.explain("Notify[o].message").to_json()
    assert merged["where"]["kind"] == "fact"
    assert "f" in inputs(outcome.explain("Notify[n].message"))


FINDING = """module Puppet::Parser::Functions
  newfunction(:once) do |args|
    unless findresource("Package[#{args[0]}]")
      function_create_resources(['package', { args[0] => { 'ensure' => 'present' } }])
    end
  end
end
"""
ASKING = """module Puppet::Parser::Functions
  newfunction(:asked, :type => :rvalue) do |args|
    resource = findresource(args[0])
    resource ? resource[args[1].to_sym] : 'none'
  end
end
"""
ADDING = """module Puppet::Parser::Functions
  newfunction(:adding) do |args|
    made = Puppet::Parser::Resource.new('notify', args[0], :scope => self)
    made.set_parameter('message', args[1])
    compiler.add_resource(self, made)
  end
end
"""


def test_what_could_have_been_in_the_catalog(tmp_path: Path) -> None:
    """A resource that Ruby looked for and did not find depends on the branch that would have declared it."""
    site = (
        "if $facts['f'] == 'x' { package { 'p': ensure => absent } }\nonce('p')\n"
        "notify { 'n': message => asked('Package[q]', 'ensure') }\n"
        "notify { 'o': message => asked('Package[p]', 'ensure') }\nadding('made', $facts['f'])\n"
        "if $facts['g'] == 'x' { Package['p'] { ensure => latest } }\n"
    )
    files = {
        "manifests/site.pp": site,
        "modules/m/lib/puppet/parser/functions/once.rb": FINDING,
        "modules/m/lib/puppet/parser/functions/asked.rb": ASKING,
        "modules/m/lib/puppet/parser/functions/adding.rb": ADDING,
    }
    outcome = compiled(tmp_path, files, {"f": "y", "g": "y"})
    values = {path: outcome.select(path).value for path in ("Notify[n].message", "Notify[o].message")}
    assert values == {"Notify[n].message": "none", "Notify[o].message": "present"}
    for output in (*values, "Package[p].ensure", "Notify[made].message"):
        assert "f" in inputs(outcome.explain(output)), output


def test_a_template_owes_to_its_code(environment: Any) -> None:
    """A literal in a tag that ran decides about the text after it, not about that before; an inline text counts."""
    template = "a\n<% if @x == 'one' -%>\nb\n<% end -%>\n<%= @l.join('-') %>\n"
    site = "$l = [1, 2]\nnotify { 'n': message => template('m/t.erb') }\n" + (
        "notify { 'i': message => inline_template('x<%= @x %>') }"
    )
    outcome = environment(site, template, x="1")
    first, second = (inputs(outcome.explain_line("Notify[n].message", number)) for number in (1, 2))
    assert not any("'one'" in each for each in first)
    assert any("'one'" in each for each in second) and any("join('-')" in each for each in second)
    assert "'x<%= @x %>'" in inputs(outcome.explain("Notify[i].message"))


def test_what_is_everywhere_is_not_said_to_come_from_somewhere(tmp_path: Path) -> None:
    """Equal small numbers and letters are one object: which of two was moved is not known, and not made up."""
    site = (
        "$m = merge({'x' => 7, 'y' => 'q'}, {'y' => 7})\n"
        "notify { 'n': message => pick($facts['f'], 7) }\nnotify { 'o': message => pick($facts['g'], 'a long text') }\n"
        "notify { 'p': message => $m['y'] }"
    )
    files = {
        "manifests/site.pp": site,
        "modules/m/lib/puppet/functions/merge.rb": MERGE,
        "modules/m/lib/puppet/parser/functions/pick.rb": PICK,
    }
    outcome = compiled(tmp_path, files, {"f": 7, "g": "a long text".replace("long", "long")})
    assert not outcome.explain("Notify[n].message").to_json().get("where")
    assert outcome.explain("Notify[o].message").to_json()["where"]["kind"] == "fact"
    assert outcome.explain("Notify[p].message").to_json()["where"]["column"] == 44
    assert "f" in inputs(outcome.explain("Notify[n].message"))


CHANGED = """
define m::d($list = ['old', 'older'], $deep = { 'k' => ['q'] }, $word = $facts['w']) {
  $text = template('m/t.erb')
  notify { $title: message => $list[1]['path'] }
}
m::d { 'one': }
"""


def test_a_change_in_place_is_seen_by_all_who_hold_the_container(tmp_path: Path) -> None:
    """What a template puts into an array of the scope depends on what it read; what was there keeps its place."""
    template = "<% @list << { 'path' => @word } %><% @list.shift %><% @deep['k'] << @word %>"
    files = {
        "manifests/site.pp": "m::d { 'one': }",
        "modules/m/manifests/d.pp": CHANGED.replace("m::d { 'one': }\n", ""),
        "modules/m/templates/t.erb": template,
    }
    outcome = compiled(tmp_path, files, {"w": "new"})
    assert outcome.select("M::D[one].list").value == ["older", {"path": "new"}]
    for output in ("M::D[one].list[1].path", "M::D[one].deep.k[1]", "Notify[one].message"):
        assert outcome.select(output).value == "new"
        assert "w" in inputs(outcome.explain(output)), output
    kept = outcome.explain("M::D[one].list[0]").to_json()
    assert kept["where"]["text"] == "'older'" and any("'path'" in str(each.get("text")) for each in kept["depends"])
    assert outcome.explain("M::D[one].deep.k[0]").to_json()["where"]["text"] == "'q'"


SHAPES = """Puppet::Functions.create_function(:'m::shapes') do
  dispatch :shapes do
    param 'Hash', :hosts
    param 'Array', :extra
  end

  def label(host)
    "#{host['name'].upcase}-#{host['port']}"
  end

  def shapes(hosts, extra)
    names = []
    hosts.each { |key, host| names << host['name'] }
    {
      'sorted' => names.sort.reverse,
      'labels' => hosts.map { |key, host| label(host) },
      'merged' => hosts['a'].merge(hosts['b']),
      'dug' => hosts.dig('a', 'deep', 'er'),
      'flat' => [extra, [names]].flatten.compact,
      'chosen' => hosts.select { |key, host| host['port'] > 100 },
      'split' => hosts['a']['name'].split('.'),
      'numbers' => extra.compact.reject { |item| item.is_a?(String) }.sort,
      'joined' => names.join(', '),
      'format' => format('%s at %d', hosts['a']['name'], hosts['a']['port']),
      'built' => names.inject('') { |all, name| all + name + ';' },
      'digest' => Digest::MD5.hexdigest(hosts['a']['name']),
      'written' => 'in Ruby',
      'keys' => [hosts.keys],
      'counted' => names.size + 1,
    }
  end
end
"""
OLD = """module Puppet::Parser::Functions
  newfunction(:old, :type => :rvalue) do |args|
    list, hash = args
    list.sort!
    text = 'begin'
    list.each { |item| text << '/' << item.to_s }
    text += '.'
    [list, hash.merge('new' => text), list.reverse.first(2)]
  end
end
"""
HOSTS = """
$hosts = {
  'a' => { 'name' => 'alpha.example', 'port' => 8080, 'deep' => { 'er' => 'deepest' } },
  'b' => { 'name' => $facts['beta'], 'port' => 81 },
}
notify { 'n': message => m::shapes($hosts, ['one', 7, undef, 3]) }
notify { 'o': message => old(['qq', 'pp', 'zz'], { 'k' => 'vv', 't' => true }) }
notify { 't': message => template('m/t.erb') }
"""
HOST_LINES = """<% @hosts.each do |key, host| -%>
<%= host['name'] %>|<%= host['port'] %>|<%= "#{key}/#{host['name']}" %>
<% end -%>
"""


def own_functions(root: Path) -> Any:
    """A catalog made by functions and a template of a module's own."""
    files = {
        "manifests/site.pp": HOSTS,
        "modules/m/templates/t.erb": HOST_LINES,
        "modules/m/lib/puppet/functions/m/shapes.rb": SHAPES,
        "modules/m/lib/puppet/parser/functions/old.rb": OLD,
    }
    return compiled(root, files, {"beta": "beta.example"})


def test_elements_keep_their_origins_through_any_ruby(tmp_path: Path) -> None:
    """Whatever a function of a module does with elements, those that it moves are where they were written."""
    outcome = own_functions(tmp_path)
    sources = {
        "n].message.sorted[0]": "beta",
        "n].message.sorted[1]": "'alpha.example'",
        "n].message.merged.name": "beta",
        "n].message.merged.deep.er": "'deepest'",
        "n].message.dug": "'deepest'",
        "n].message.flat[0]": "'one'",
        "n].message.flat[1]": "7",
        "n].message.flat[3]": "'alpha.example'",
        "n].message.chosen.a.port": "8080",
        "n].message.numbers[0]": "3",
        "o].message[0][0]": "'pp'",
        "o].message[0][2]": "'zz'",
        "o].message[1].k": "'vv'",
        "o].message[1].t": "true",
        "o].message[2][1]": "'qq'",
    }
    for path, source in sources.items():
        where = outcome.explain(f"Notify[{path}").to_json()["where"]
        assert (where.get("name") or where["text"]) == source, path
    for path in ("n].message.labels[0]", "n].message.counted", "o].message[1].new"):
        assert not outcome.explain(f"Notify[{path}").to_json().get("where"), path


def test_what_ruby_made_is_made_again(tmp_path: Path) -> None:
    """A text is a step of what it was made of, and every formula gives the value again."""
    outcome = own_functions(tmp_path)
    formulas = {
        "n].message.labels[1]": "method upcase",
        "n].message.split[1]": "method split",
        "n].message.joined": "method join",
        "n].message.format": "method format",
        "n].message.built": "method +",
        "n].message.digest": "constant Digest::MD5",
        "n].message.written": "'in Ruby'",
        "n].message.keys[0][1]": "call m::shapes",
        "n].message.counted": "call m::shapes",
        "o].message[1].new": "method +",
    }
    for path, operation in formulas.items():
        assert operation in str(outcome.explain(f"Notify[{path}").to_json()["expression"]), path
    for selected in outcome.outputs():
        again = evaluate_term(expression(selected.origin), outcome.apply)
        assert again == selected.value, selected.path
    inside = inputs(outcome.explain("Notify[n].message.labels[1]"))
    assert {"beta", "'alpha.example'"} <= inside  # the whole call decides about its parts


def test_parts_of_a_line_are_where_they_were_written(tmp_path: Path) -> None:
    """A template's loop prints elements: they keep their places."""
    outcome = own_functions(tmp_path)
    lines = outcome.select("Notify[t].message").value.splitlines()
    assert lines == ["alpha.example|8080|a/alpha.example", "beta.example|81|b/beta.example"]
    for number, sources in ((1, {"'alpha.example'", "8080", "'a'"}), (2, {"beta", "81", "'b'"})):
        document = outcome.explain_line("Notify[t].message", number).to_json()
        assert {leaf.get("name") or leaf["text"] for leaf in document["from"]} == sources


def test_a_change_is_not_forgotten_by_a_call(tmp_path: Path) -> None:
    """A template that changed an array and then called a function has changed the array all the same."""
    template = "<% @list << @word %><%= scope.call_function('m::f', ['x']) %>"
    files = {
        "manifests/site.pp": "m::d { 'one': }",
        "modules/m/manifests/d.pp": "define m::d($list = ['old'], $word = $facts['w']) { $t = template('m/t.erb') }",
        "modules/m/templates/t.erb": template,
        "modules/m/lib/puppet/functions/m/f.rb": FUNCTION,
    }
    outcome = compiled(tmp_path, files, {"w": "new"})
    assert outcome.select("M::D[one].list").value == ["old", "new"]
    assert "w" in inputs(outcome.explain("M::D[one].list[1]"))
    assert outcome.explain("M::D[one].list[0]").to_json()["where"]["text"] == "'old'"


def test_what_was_moved_before_a_change_keeps_its_place(tmp_path: Path) -> None:
    """A function that takes elements out of its argument does not shift where the others came from."""
    code = "Puppet::Functions.create_function(:'m::f') do\n  def f(list)\n    list.shift\n    list.dup\n  end\nend\n"
    files = {
        "manifests/site.pp": "$l = ['first', 'second']\nnotify { 'n': message => m::f($l) }",
        "modules/m/lib/puppet/functions/m/f.rb": code,
    }
    outcome = compiled(tmp_path, files, {})
    assert outcome.select("Notify[n].message").value == ["second"]
    assert outcome.explain("Notify[n].message[0]").to_json()["where"]["text"] == "'second'"
