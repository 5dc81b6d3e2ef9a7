"""Ruby in modules that wants out: each of these templates, functions and types is refused or bounded, and none crashes.

What a template gets to see of Puppet are narrow objects; nothing of Python, of the process or of the machine is behind
them.
"""

from __future__ import annotations

from typing import Any

import pytest

from support.puppet_real import ours
from wherefrom.base.budget import Budget, OverBudget
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.languages import load_language

REFUSED = [
    "`id`", "system('id')", "exec('id')", "%x(id)", "__send__(:`, 'id')", "Kernel.open('|id')", "IO.popen('id')",
    "send(:system, 'id')", "Object.const_get(:IO).popen('id')", "method(:system).call('id')", "binding",
    "eval('1+1')", "instance_eval('1')", "scope.send(:eval, '1')", "ObjectSpace.each_object(Class).to_a",
    "Puppet::Util::Execution.execute('id')", "Facter.value(:kernel)", "(load '/etc/passwd')", "Marshal.dump(1)",
    "Process.pid", "ERB.new('x').result", "Thread.new { 1 }.value", "exit", "trap('INT') { }",
    "(require 'open3'; Open3.capture2('id'))", "File.write('/tmp/x', 'y')", "'x'.object_id",
    "scope.call_function('generate', ['/bin/id'])", "String.class_eval { def x; 1; end }",
    "scope.frame", "scope.__dict__", "scope.compiler.run", "5.instance_variable_set(:@a, 1)",
    "scope[]", "scope.call_function", "Puppet::Functions.create_function", "[*]", "{ ** }", "08",
    "File.read('/etc/passwd')", "scope.setvar('facts', 1)", "@facts.clear", "(catch(:x) { throw :y })",
]  # fmt: skip

BOUNDED = [
    "'a' * 10**10", "[1] * 10**10", "(1..10**12).to_a", "2**(10**9)", "'a'.ljust(10**10)",
    "[[1] * 1000] * 1000 * 10**6",
    "(x = +'a'; 100.times { x << x })", "(def f(n); f(n + 1); end; f(0))", "(a = []; a << a; a.flatten)",
    "scope.function_template(['m/self.erb'])", "sprintf('%1000000000d', 1)",
]  # fmt: skip

NOTHING = ["ENV['HOME']", "File.exist?('/etc/passwd')", "Dir.glob('/etc/*')", "@__scope__", "'a' * 30 =~ /(a+)+b/"]
"""What may be asked, and says nothing."""


def rendered(expression: str) -> dict[str, Any]:
    """What compiling a template with this expression gives."""
    files = {
        "modules/m/templates/a.erb": f"<%= ({expression}).inspect %>",
        "modules/m/templates/self.erb": "<%= scope.function_template(['m/self.erb']) %>",
    }
    return ours({"manifest": "notify { 'r': message => template('m/a.erb') }", "files": files})


@pytest.mark.parametrize("expression", REFUSED + BOUNDED)
def test_refused_or_bounded(expression: str) -> None:
    """An error with words, never a crash and never a result."""
    answer = rendered(expression)
    assert not answer["ok"] and answer["error"]["message"]


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("!Puppet::Functions::InternalFunction", "undefined method `ancestors' for false:FalseClass"),
        ("3", "undefined method `ancestors' for 3:Integer"),
        ("String", "Functions must be based on Puppet::Pops::Functions::Function. Got String"),
        ("Kernel", "Functions must be based on Puppet::Pops::Functions::Function. Got Kernel"),
    ],
)
def test_what_a_function_is_based_on(base: str, words: str) -> None:
    """Anything may stand there; the words are Puppet's."""
    code = f"Puppet::Functions.create_function(:'m::f', {base}) do\n  def f\n    1\n  end\nend\n"
    answer = ours({"manifest": "notice(m::f())", "files": {"modules/m/lib/puppet/functions/m/f.rb": code}})
    assert f"Function Load Error for function 'm::f': {words}" in answer["error"]["message"]


@pytest.mark.parametrize("expression", NOTHING)
def test_nothing_is_seen(expression: str) -> None:
    """The machine's files and environment are not there."""
    answer = rendered(expression)
    assert answer["ok"]
    assert answer["catalog"]["resources"][-1]["parameters"]["message"] in ("nil", "false", "[]")


FILES = {
    "a function that never ends": (
        "notice(m::f())",
        "modules/m/lib/puppet/functions/m/f.rb",
        "Puppet::Functions.create_function(:'m::f') do\n  def f\n    call_function('m::f')\n  end\nend\n",
    ),
    "a type that runs a program": (
        "thing { 'a': }",
        "modules/m/lib/puppet/type/thing.rb",
        "Puppet::Type.newtype(:thing) do\n  newparam(:name)\n  newparam(:x) { desc `id` }\nend\nsystem('id')\n",
    ),
    "a function that opens Puppet's classes": (
        "notice(old())",
        "modules/m/lib/puppet/parser/functions/old.rb",
        "class Puppet::Parser::Scope\n  def lookupvar(x)\n    1\n  end\nend\n"
        "module Puppet::Parser::Functions\n  newfunction(:old, :type => :rvalue) { |a| 1 }\nend\n",
    ),
    "a parameter without a name": (
        "notice(m::f())",
        "modules/m/lib/puppet/functions/m/f.rb",
        "Puppet::Functions.create_function(:'m::f') do\n  dispatch :f do\n    param\n  end\n  def f() 1 end\nend\n",
    ),
    "a dispatch without a name": (
        "notice(m::f())",
        "modules/m/lib/puppet/functions/m/f.rb",
        "Puppet::Functions.create_function(:'m::f') do\n  dispatch do\n  end\n  def f() 1 end\nend\n",
    ),
    "a function that requires what is elsewhere": (
        "notice(m::f())",
        "modules/m/lib/puppet/functions/m/f.rb",
        "require '/etc/passwd'\nPuppet::Functions.create_function(:'m::f') do\n  def f\n    1\n  end\nend\n",
    ),
}


@pytest.mark.parametrize("name", sorted(FILES))
def test_files(name: str) -> None:
    """The same for functions and types; a type that can not be run is read instead."""
    manifest, path, text = FILES[name]
    answer = ours({"manifest": manifest, "files": {path: text}})
    if name == "a type that runs a program":
        assert answer["ok"]
    else:
        assert not answer["ok"] and answer["error"]["message"]


def test_a_run_leaves_nothing_behind() -> None:
    """What Ruby code defines in one run is not there in the next."""
    first = rendered("(def leaked; 1; end; leaked)")
    assert first["ok"] and first["catalog"]["resources"][-1]["parameters"]["message"] == "1"
    assert not rendered("leaked")["ok"]


def test_ruby_draws_from_the_budget_of_the_run() -> None:
    """A template has no budget of its own: what it takes is taken from the run's, and a smaller one ends it sooner."""
    files = {
        "env/manifests/site.pp": "notify { 'r': message => template('m/a.erb') }",
        "env/modules/m/templates/a.erb": "<% 30_000.times { |x| x } %>",
    }

    def run(steps: int) -> Budget:
        budget = Budget(steps=steps)
        with budget.in_force():
            load_language("puppet").run("env", PureHost(files), Inputs("n"))
        return budget

    assert with_deep_stack(lambda: run(10**6)).used()["steps"] >= 30_000
    with pytest.raises(OverBudget, match="steps"):
        with_deep_stack(lambda: run(10_000))
