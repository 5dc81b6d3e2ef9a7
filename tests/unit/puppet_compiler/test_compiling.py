"""The machinery: environments that are used again, bounds, errors with places, the text of a catalog, the protocol."""

from __future__ import annotations

import pytest

from support.puppet_requests import answer
from wherefrom.base.diagnostics import Diagnostic, LimitReached, ManyErrors, Refused
from wherefrom.base.host import PureHost
from wherefrom.base.source import SourceFile
from wherefrom.language import Inputs
from wherefrom.puppet.compile import compile_body
from wherefrom.puppet.environment import environment as environments
from wherefrom.puppet.environment.environment import Environment
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.kernel.failures import EvaluationError
from wherefrom.puppet.kernel.issues import SYNTAX_ERROR, PuppetError
from wherefrom.puppet.output.text import _value_text
from wherefrom.puppet.program import CatalogProgram, open_environment
from wherefrom.puppet.runtime.resource_types import core_kind, read_generated, scan
from wherefrom.puppet.types import program_string

DOUBLED = """$a = Integer[1, 40].reduce(1) |$m, $i| { [$m, $m] }
$b = Integer[1, 40].reduce(1) |$m, $i| { [$m, $m] }
"""
"""Two equal values of 2^40 parts each, made of 40 arrays."""


def fails(text: str, **request: object) -> Diagnostic:
    """The error of a manifest."""
    with pytest.raises(Diagnostic) as problem:
        LANGUAGE.run("site.pp", PureHost({"site.pp": text}), Inputs("n", {}, request))
    return problem.value


# --- one environment, many nodes --------------------------------------------------------------------------------------


def test_code_is_parsed_and_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand nodes do not parse or compile again."""
    counts = {"parse": 0, "compile": 0}
    parse = Environment.parse

    def counting_parse(*arguments: object, **named: object) -> object:
        counts["parse"] += 1
        return parse(*arguments, **named)  # type: ignore[arg-type]

    def counting_compile(*arguments: object) -> object:
        counts["compile"] += 1
        return compile_body(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Environment, "parse", counting_parse)
    monkeypatch.setattr(environments, "compile_body", counting_compile)
    host = PureHost({"site.pp": "notify { $trusted['certname']: message => $facts['n'] }"})
    program = CatalogProgram(open_environment("site.pp", host, Inputs()))
    for number in range(1000):
        outcome = program.run(Inputs(f"n{number}", {"n": number}))
        assert outcome.select(f"Notify[n{number}].message").value == number
    assert counts == {"parse": 1, "compile": 1}


def test_nothing_leaks_from_node_to_node() -> None:
    """Variables, collectors' permissions and absences belong to one compilation."""
    text = "if $facts['x'] { $y = 1 }\nclass c { file { '/f': mode => '1' } }\ninclude c\nnotify { \"[${y}]\": }"
    program = CatalogProgram(Environment(PureHost({}), [SourceFile("site.pp", text)]))
    first = program.run(Inputs("a", {"x": True}))
    second = program.run(Inputs("b", {"x": False}))
    third = program.run(Inputs("c", {"x": True}))
    assert [each.document()["resources"][-1]["title"] for each in (first, second, third)] == ["[1]", "[]", "[1]"]
    assert len(second.logs) == 1 and not third.logs


def test_a_directory_is_an_environment() -> None:
    """`environment.conf`, manifests in order, modules, templates."""
    host = PureHost(
        {
            "env/environment.conf": "modulepath = site:modules\n",
            "env/manifests/20.pp": "include web",
            "env/manifests/10.pp": "$level = 'first'",
            "env/site/web/manifests/init.pp": "class web { file { '/w': content => epp('web/w.epp') } }",
            "env/site/web/templates/w.epp": "<%= $level %>!",
        }
    )
    outcome = LANGUAGE.run("env", host, Inputs("n"))
    assert outcome.select("File[/w].content").value == "first!"
    assert sorted(outcome.sources) == [
        "env/manifests/10.pp",
        "env/manifests/20.pp",
        "env/site/web/manifests/init.pp",
        "env/site/web/templates/w.epp",
    ]


# --- bounds -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "function f($x) { f($x + 1) }\nf(1)",
        "Integer[1, 10000000000].each |$i| { }",
        "$x = Integer[1, 60].reduce('xxxxxxxxxx') |$m, $i| { \"$m$m\" }",
        "notice(1 << 100000000000)",
        "$x = Array(Integer[1, 10000000000])",
        *(
            f"{DOUBLED}{text}"
            for text in (
                "notice(type($a))",
                "notice($a)",
                "notify { 'n': message => $a }",
                "notify { 'n': message => Sensitive($a) }",
                "class x(String $p) { }\nclass { 'x': p => $a }",
                'notice("$a")',
                "notice($a == $b)",
                "notice($a in [$b])",
                "$c = $a - $b",
                "$c = { $a => 1 }",
                "case $a { $b: { } default: { $c = 1 } }",
                "type T = Variant[Integer, Array[T]]\nnotice($a =~ T)",
                "notice(flatten($a))",
                "notice(join($a, ','))",
                "notice(unique([$a, $b]))",
                "notice(md5($a))",
                "notice(sprintf('%p', $a))",
                "notice(inline_epp('<%= $x %>', { 'x' => $a }))",
            )
        ),
    ],
)
def test_bounds(text: str) -> None:
    """Runaway code ends with a diagnostic at its place."""
    problem = fails(text)
    assert isinstance(problem, LimitReached) and problem.span is not None


def test_a_catastrophic_regular_expression_ends() -> None:
    """No exponential time."""
    outcome = LANGUAGE.run("s.pp", PureHost({"s.pp": f"notice('{'a' * 60}b' =~ /^(a+)+$/)"}), Inputs("n"))
    assert [log.message for log in outcome.logs] == ["false"]


def test_deep_nesting() -> None:
    """Thousands of levels compile, in linear time."""
    text = "if true { " * 3000 + "notify { 'deep': }" + "}" * 3000
    outcome = LANGUAGE.run("s.pp", PureHost({"s.pp": text}), Inputs("n"))
    assert outcome.select("Notify[deep]").value == "deep"


def test_inheritance_cycles_and_recursive_defines() -> None:
    """Real Puppet overflows its stack on the first."""
    assert "inherits from itself" in fails("class a inherits b {}\nclass b inherits a {}\ninclude a").message
    assert "looped more than 1000 times" in fails("define d { d { \"${title}x\": } }\nd { 'a': }").message


def test_programs_are_not_run() -> None:
    """Functions whose purpose is running programs are refused."""
    assert isinstance(fails("$x = generate('/bin/date')"), Refused)
    assert isinstance(fails("$x = inline_template('<%= `id` %>')"), Refused)


# --- errors -----------------------------------------------------------------------------------------------------------


def test_errors_have_places_and_first_declarations() -> None:
    """The place of the error, and that of the declaration it collides with."""
    problem = fails("notify { 'a': }\nnotify { 'a': }")
    assert isinstance(problem, EvaluationError)
    assert [(label.span.line, label.text) for label in problem.labels] == [(2, ""), (1, "first declared here")]
    assert problem.issue == "RUNTIME_ERROR"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("class server {}\ninclude sevrer", "server"),
        ("$x = lenght('a')", "length"),
        ("$y = Interger", "Integer"),
        ("file { '/a': mood => 1 }", "mode"),
    ],
)
def test_hints(text: str, hint: str) -> None:
    """A mistyped name gets the nearest one."""
    assert hint in (fails(text).help or "")


def test_a_strict_unknown_variable_gets_a_hint() -> None:
    """Nearest among the variables in sight."""
    problem = fails("$port = 1\nnotice($prot)", strict_variables=True)
    assert problem.message == "Unknown variable: 'prot'." and problem.help == "did you mean $port?"


def test_all_syntax_errors_are_kept() -> None:
    """Puppet tells one error; people get all, the protocol Puppet's."""
    with pytest.raises(ManyErrors) as problems:
        LANGUAGE.run("site.pp", PureHost({"site.pp": "$a = = 1\n$b = = 2"}), Inputs("n"))
    assert [each.span.line for each in problems.value.diagnostics if each.span is not None] == [1, 2]
    only = fails("$a = = 1")
    assert isinstance(only, PuppetError) and only.code == SYNTAX_ERROR.code
    assert answer({"manifest": "$a = = 1\n$b = = 2"})["error"]["line"] == 1


@pytest.mark.parametrize(
    ("text", "cycle"),
    [
        ("notify { ['a', 'b']: }\nNotify['a'] -> Notify['b'] -> Notify['a']", "Notify[a] => Notify[b] => Notify[a]"),
        (
            "class c { notify { 'in': before => Notify['out'] } }\ninclude c\nnotify { 'out': before => Class['c'] }",
            "Class[C] => Notify[in] => Notify[out] => Class[C]",
        ),
        ("notify { 'a': require => Notify['a'] }", "Notify[a] => Notify[a]"),
    ],
)
def test_dependency_cycles_are_warned_of(text: str, cycle: str) -> None:
    """Also through what contains what."""
    outcome = LANGUAGE.run("s.pp", PureHost({"s.pp": text}), Inputs("n"))
    assert [log.message for log in outcome.logs] == [f"Found a dependency cycle: ({cycle})"]


def test_no_cycle_no_warning() -> None:
    """Order alone is fine, in chains and between containers."""
    text = (
        "class a { notify { 'x': } }\nclass b { notify { 'y': } }\ninclude a, b\nClass['a'] -> Class['b']\n"
        "Notify['x'] -> Notify['y']"
    )
    assert not LANGUAGE.run("s.pp", PureHost({"s.pp": text}), Inputs("n")).logs


# --- printing ---------------------------------------------------------------------------------------------------------


def test_text_of_a_catalog() -> None:
    """A person can read it."""
    text = (
        "class web($port) { file { '/a': content => \"p ${port}\", require => Notify['n'] } }\n"
        "class { 'web': port => 80 }\nnotify { 'n': }\nuser { 'u': password => Sensitive('x') }"
    )
    outcome = LANGUAGE.run("site.pp", PureHost({"site.pp": text}), Inputs("web01"))
    assert outcome.text() == (
        "# catalog for web01, environment production: 3 resources and 1 class\n"
        "\n"
        "class { 'web':  # site.pp:2\n"
        "  port => 80,\n"
        "}\n"
        "file { '/a':  # site.pp:1, in Class[Web]\n"
        "  content => 'p 80',\n"
        "  require => Notify['n'],\n"
        "}\n"
        "notify { 'n': }  # site.pp:3\n"
        "user { 'u':  # site.pp:4\n"
        "  password => '[redacted]',\n"
        "}\n"
    )


def test_edges_are_in_the_order_of_their_targets() -> None:
    """The document is the same every time."""
    host = PureHost({"s.pp": "class a { notify { 'x': } }\ninclude a\nnotify { 'y': }"})
    documents = [LANGUAGE.run("s.pp", host, Inputs("n")).document() for _ in range(2)]
    assert documents[0] == documents[1]
    assert [edge["target"] for edge in documents[0]["edges"]] == [
        "Class[Settings]",
        "Class[main]",
        "Class[A]",
        "Notify[x]",
        "Notify[y]",
    ]


# --- the batch protocol -----------------------------------------------------------------------------------------------


def test_batch_answers() -> None:
    """A catalog, an error, a parse: each an answer."""
    good = answer({"id": 1, "manifest": "warning('w')\nnotify { $facts['f']: }", "facts": {"f": "x"}})
    assert good["ok"] and good["logs"] == [["warning", "w", "manifests/site.pp", 1]]
    assert good["catalog"]["resources"][-1]["title"] == "x"
    bad = answer({"id": "b", "manifest": "\nfail('no')", "node": "n1", "facts": {}})
    assert bad == {
        "id": "b",
        "ok": False,
        "error": {
            "message": "Evaluation Error: Error while evaluating a Function Call, no "
            "(file: manifests/site.pp, line: 2, column: 1) on node n1",
            "file": "manifests/site.pp",
            "line": 2,
            "pos": 1,
            "issue_code": "RUNTIME_ERROR",
        },
        "logs": [],
    }
    assert answer({"id": 2, "manifest": "$x = 1", "dump": True}) == {"id": 2, "ok": True, "logs": []}
    assert answer({"id": 3, "manifest": "$x = ", "dump": True})["error"]["issue_code"] == "SYNTAX_ERROR"


def test_batch_inline_files() -> None:
    """Modules may come with the request, as files or as modules."""
    files = {"modules/m/manifests/init.pp": "class m { notify { m::f(): } }"}
    request = {
        "manifest": "include m",
        "files": {**files, "modules/m/functions/f.pp": "function m::f() { 'hi' }"},
    }
    answered = answer(request)
    assert answered["catalog"]["resources"][-1]["title"] == "hi"
    assert answered["catalog"]["resources"][-1]["file"] == "modules/m/manifests/init.pp"


# --- resource types ---------------------------------------------------------------------------------------------------


def test_core_types() -> None:
    """Attributes, naming, and the one type whose title is cleaned."""
    file = core_kind("file")
    assert file is not None and file.namevar == "path" and file.named_by("/a/b/") == "/a/b" and file.allows("noop")
    package = core_kind("package")
    assert package is not None and package.keys == ("name", "provider", "command") and package.namevar == "name"
    assert core_kind("cron") is None


def test_ruby_types_are_read_not_run() -> None:
    """From their source, and from what `puppet generate types` writes."""
    ruby = """
    Puppet::Type.newtype(:ini) do
      ensurable
      newparam(:name, :namevar => true)
      newparam(:path) do
        desc 'x'
      end
      newproperty(:value)
    end
    """
    kind = scan("ini", ruby)
    assert kind.attributes == {"name", "path", "value", "ensure", "provider"} and kind.keys == ("name",)
    generated = (
        "Puppet::Resource::ResourceType3.new('ini', [Puppet::Resource::Param(Any, 'value')], "
        "[Puppet::Resource::Param(Any, 'name', true)])"
    )
    assert read_generated("ini", generated).keys == ("name",)


TYPE = "Puppet::Type.newtype(:thing) do\n newparam(:name)\n newproperty(:size)\nend"


def test_module_types_are_found() -> None:
    """A type of a module may be used and is checked."""
    files = {"modules/x/lib/puppet/type/thing.rb": TYPE}
    good = answer({"manifest": "thing { 'a': size => 1 }", "files": files})
    assert good["ok"] and good["catalog"]["resources"][-1]["parameters"] == {"size": 1}
    assert (
        "no parameter named 'sise'"
        in answer({"manifest": "thing { 'a': sise => 1 }", "files": files})["error"]["message"]
    )


@pytest.mark.parametrize(
    "value", ["a", "it's", "a\nb", "é", "\\", "a\\'b", "$x", "", "\x01", 'a"b', "${x}\n", 1, -5, 10**30, True, False]
)
def test_plain_values_are_written_as_the_formats_write_them(value: object) -> None:
    """The short way to the text of a value leads to the same text as `%p`."""
    assert _value_text(value) == program_string(value)
