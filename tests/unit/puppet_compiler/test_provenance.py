"""Origins of a catalog: where values come from, what they depend on, what they hide, and that all of it is true."""

from __future__ import annotations

import json
import re
from random import Random

import pytest

from support.puppet_programs import FACTS, NODE, make_program
from wherefrom.base.diagnostics import PathNotFound, WherefromError
from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.provenance.extract import chain, depends, evaluate_term, expression, guards, hidden, where
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.output.outcome import PuppetOutcome
from wherefrom.puppet.output.wire import wire_value


def compiled(text: str, node: str = "web01", facts: dict[str, object] | None = None) -> PuppetOutcome:
    """The outcome of a manifest."""
    return LANGUAGE.run("site.pp", PureHost({"site.pp": text}), Inputs(node, facts or {}))


def inputs(outcome: PuppetOutcome, path: str) -> list[str]:
    """What a value depends on: literals as written, other inputs as `kind:name`."""
    return sorted(
        leaf.span.text if leaf.kind == "literal" and leaf.span is not None else f"{leaf.kind}:{leaf.name}"
        for leaf in depends(outcome.select(path).origin)
    )


def place(outcome: PuppetOutcome, path: str) -> str | None:
    """Where a value was copied from."""
    leaf = where(outcome.select(path).origin)
    return None if leaf is None else leaf.span.text if leaf.span is not None else f"{leaf.kind}:{leaf.name}"


def test_a_literal_is_found_through_variables_and_parameters() -> None:
    """The chain of custody names every hand."""
    outcome = compiled("$p = '0644'\nclass web($mode) { file { '/a': mode => $mode } }\nclass { 'web': mode => $p }")
    selected = outcome.select("File[/a].mode")
    assert place(outcome, "File[/a].mode") == "'0644'"
    assert [hand.how.words for hand in chain(selected.origin)] == ["parameter $mode of class web", "variable $p"]
    assert inputs(outcome, "File[/a].mode") == ["'/a'", "'0644'", "'web'"]


def test_a_fact_is_named_by_its_path() -> None:
    """One fact, and no other, though all stand in one hash."""
    facts: dict[str, object] = {"os": {"family": "Debian", "name": "Ubuntu"}, "kernel": "Linux"}
    outcome = compiled("notify { 'n': message => $facts['os']['family'], name => $kernel }", facts=facts)
    assert place(outcome, "Notify[n].message") == "fact:os.family"
    assert [leaf for leaf in inputs(outcome, "Notify[n].message") if leaf.startswith("fact")] == ["fact:os.family"]
    assert place(outcome, "Notify[n].name") == "fact:kernel"


def test_conditions_are_dependencies_of_what_they_guard() -> None:
    """Of assignments, of resources and of the values of selectors."""
    outcome = compiled(
        "if $facts['a'] { $x = 1 } else { $x = 2 }\nunless $x > 5 { notify { 'n': message => $x ? { 1 => 'one', "
        "default => 'more' } } }",
        facts={"a": True},
    )
    assert inputs(outcome, "Notify[n]") == ["'a'", "'n'", "1", "5", "fact:a"]
    assert inputs(outcome, "Notify[n].message") == ["'a'", "'n'", "'one'", "1", "1", "5", "fact:a"]
    assert [guard.how.words for guard in guards(outcome.select("Notify[n]").origin)] == ["unless"]


def test_a_branch_not_taken_matters() -> None:
    """The papers' counter-example: the absence of an assignment depends on the test that prevented it (R1, R2)."""
    outcome = compiled(
        "$y = 1\nclass a($x) { if $x == 3 { $y = 42 } notify { 'n': message => $y } }\nclass { 'a': x => 2 }"
    )
    assert inputs(outcome, "Notify[n].message") == ["'a'", "'n'", "1", "2", "3"]


def test_a_class_first_declared_here_depends_on_what_could_have_declared_it() -> None:
    """Counter-example X1 of the digest of dependency rules: declaredness is state (R3)."""
    outcome = compiled(
        "$x = 2\nclass a($p = 'd') { file { '/f': mode => $p } }\nif $x == 1 { class { 'a': p => 'z' } }\ninclude a"
    )
    assert inputs(outcome, "File[/f].mode") == ["'/f'", "'d'", "1", "2"]


def test_overrides_remember_what_they_hide() -> None:
    """By inheritance, by collectors, and defaults that were covered."""
    outcome = compiled(
        "File { mode => '0600' }\nclass a { file { '/f': owner => 'x', mode => '0644' } }\n"
        "class b inherits a { File['/f'] { owner => 'y' } }\ninclude b\nFile <| title == '/f' |> { owner => 'z' }"
    )
    selected = outcome.select("File[/f].owner")
    assert selected.value == "z"
    assert [each.value for each in hidden(selected.origin)] == ["y", "x"]
    assert [each.value for each in hidden(outcome.select("File[/f].mode").origin)] == ["0600"]


def test_composites_keep_the_origins_of_their_elements() -> None:
    """Through literals, operators, functions and paths."""
    outcome = compiled(
        "$l = ['a', 'b'] + 'c'\nnotify { 'n': message => { 'k' => $l.map |$x| { $x }, 'h' => { 'i' => 7 } } }"
    )
    assert outcome.select("Notify[n].message.k[2]").value == "c"
    assert place(outcome, "Notify[n].message.k[2]") == "'c'"
    assert place(outcome, "Notify[n].message.h.i") == "7"


@pytest.mark.parametrize("key", ["group", "'group'"])
def test_keys_could_have_been_others(key: str) -> None:
    """With another key an element would not be there, or would have replaced another; quoted or not."""
    outcome = compiled(f"$h = {{ user => 'u', {key} => 'g' }}\nnotify {{ 'a': message => $h + {{ more => 1 }} }}")
    assert {"user", "group", "g"} <= {text.strip("'") for text in inputs(outcome, "Notify[a].message.group")}


def test_iteration_is_a_guard() -> None:
    """What an iteration does depends on what it walks over."""
    outcome = compiled("split($facts['list'], ',').each |$t| { notify { $t: message => 1 } }", facts={"list": "p,q"})
    assert "fact:list" in inputs(outcome, "Notify[q]")
    assert "fact:list" in inputs(outcome, "Notify[q].message")


def test_node_classifier_and_trusted_data_are_inputs() -> None:
    """Everything from outside has a name."""
    text = "node /^web/ { notify { 'n': message => $trusted['certname'], name => $role } }"
    outcome = LANGUAGE.run(
        "site.pp", PureHost({"site.pp": text}), Inputs("web01", {}, {"parameters": {"role": "front"}})
    )
    assert "node:name" in inputs(outcome, "Notify[n]")
    assert place(outcome, "Notify[n].message") == "trusted:certname"
    assert place(outcome, "Notify[n].name") == "classifier:role"


def test_an_override_says_where_it_stands() -> None:
    """In a class, or outside of all."""
    outcome = compiled(
        "class a { file { '/a': mode => '1' } }\nclass b inherits a { File['/a'] { mode => '2' } }\ninclude b\n"
        "file { '/b': }\nFile['/b'] { mode => '3' }"
    )
    hands = {
        path: [hand.how.words for hand in chain(outcome.select(path).origin)]
        for path in ("File[/a].mode", "File[/b].mode")
    }
    assert hands == {"File[/a].mode": ["override in class b"], "File[/b].mode": ["override in the top scope"]}


def test_what_is_not_there_owes_to_all_names() -> None:
    """Any resource of the type could have been called so: by its title, its name, its path or an alias."""
    outcome = compiled(
        "file { 'a': path => '/b' }\nfile { '/d': alias => 'z' }\nuser { 'u': name => 'v' }\n"
        "notify { 'n': message => defined(File['/c']) }\nnotify { 'm': message => defined(User['w']) }"
    )
    assert {"'a'", "'/b'", "'/d'", "'z'"} <= set(inputs(outcome, "Notify[n].message"))
    assert {"'u'", "'v'"} <= set(inputs(outcome, "Notify[m].message"))


def test_a_class_that_the_classifier_could_have_declared() -> None:
    """Code of defines runs when its classes are there: those that lead to what is looked for, and no others."""
    outcome = compiled(
        "class c { notify { 'x': } }\nclass e { }\nclass g { include c }\n"
        "define d { notify { 'n': message => defined(Notify['x']) } notify { 'm': message => defined(Class['c']) } }\n"
        "d { 'a': }\nnotify { 'early': message => defined(Notify['x']) }"
    )
    for path in ("Notify[n].message", "Notify[m].message"):
        classes = [name for name in inputs(outcome, path) if name.startswith("classifier")]
        assert classes == ["classifier:c g"], path
    assert not [name for name in inputs(outcome, "Notify[early].message") if name.startswith("classifier")]
    leaves = [leaf for leaf in depends(outcome.select("Notify[n].message").origin) if leaf.kind == "classifier"]
    assert all(leaf.absent for leaf in leaves)


def test_relationships_have_origins() -> None:
    """An arrow can be asked for, and depends on the tests it stands under."""
    outcome = compiled("notify { ['a', 'b']: }\nif $facts['x'] { Notify['a'] -> Notify['b'] }", facts={"x": 1})
    assert outcome.select("Notify[a] -> Notify[b]").value == "Notify[b]"
    assert "fact:x" in inputs(outcome, "Notify[a] -> Notify[b]")
    with pytest.raises(PathNotFound):
        outcome.select("Notify[b] -> Notify[a]")


def test_variables_can_be_asked_for() -> None:
    """Of the top scope and of classes."""
    outcome = compiled("$x = [1, 2]\nclass c { $y = $x[1] }\ninclude c")
    assert outcome.select("$x[0]").value == 1
    assert outcome.select("$c::y").value == 2
    assert place(outcome, "$c::y") == "2"


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("File[/etc/mtod]", "File[/etc/motd]"),
        ("File[/etc/motd].mod", "File[/etc/motd].mode"),
        ("Flie[/etc/motd]", "File[/etc/motd]"),
        ("$prot", "$port"),
    ],
)
def test_a_wrong_path_gets_a_hint(path: str, hint: str) -> None:
    """The nearest name is offered."""
    outcome = compiled("$port = 1\nfile { '/etc/motd': mode => '0644' }")
    with pytest.raises(PathNotFound) as problem:
        outcome.select(path)
    assert hint in (problem.value.help or "")


def test_titles_may_hold_brackets() -> None:
    """A path is read up to the bracket that makes it name a resource."""
    outcome = compiled("notify { 'a[1].x': message => ['m'] }")
    assert outcome.select("Notify[a[1].x].message[0]").value == "m"


def program_outcomes(seed: int, count: int) -> list[tuple[str, PuppetOutcome]]:
    """Random programs that compile."""
    found = []
    for index in range(count):
        text = make_program(Random(seed * 1_000_003 + index))
        try:
            found.append((text, compiled(text, NODE, FACTS)))
        except WherefromError:
            continue
    return found


def test_expressions_evaluate_to_the_values() -> None:
    """Expression provenance: a value is what its term evaluates to, and its place is a dependency."""
    count = 0
    for _, outcome in program_outcomes(11, 60):
        for selected in outcome.outputs():
            again = wire_value(evaluate_term(expression(selected.origin), outcome.apply))
            assert json.dumps(again) == json.dumps(selected.value), selected.path
            leaf = where(selected.origin)
            assert leaf is None or leaf.key in {each.key for each in depends(selected.origin)}
            count += 1
    assert count > 200


_LITERAL = re.compile(r"(?<![\w\[/.'-])(\d)(?![\w\]'.])|\b(true|false)\b")


def test_what_is_no_dependency_changes_nothing() -> None:
    """Dependency provenance: change a literal; every value that does not depend on it stays as it was."""
    random = Random(7)
    compared = changed = 0
    for text, outcome in program_outcomes(12, 40):
        known = {
            each.path: ({leaf.span.start for leaf in depends(each.origin) if leaf.span is not None}, each.value)
            for each in outcome.outputs()
        }
        places = list(_LITERAL.finditer(text))
        for found in random.sample(places, min(4, len(places))):
            old = found.group(0)
            new = {"true": "false", "false": "true"}.get(old) or str((int(old) + random.randint(1, 8)) % 10)
            try:
                other = compiled(text[: found.start()] + new + text[found.end() :], NODE, FACTS)
            except WherefromError:
                continue
            values = {each.path: each.value for each in other.outputs()}
            for path, (starts, value) in known.items():
                compared += 1
                changed += values.get(path) != value
                assert found.start() in starts or (path in values and values[path] == value), (path, old, new, text)
    assert compared > 200 and changed > 0


def test_data_has_places() -> None:
    """A value from Hiera: its file and line, the fact that chose the file, and the files that did not have it."""
    host = PureHost(
        {
            "env/manifests/site.pp": "class web($port) { notify { 'n': message => $port } }\ninclude web",
            "env/hiera.yaml": 'version: 5\nhierarchy:\n  - {name: f, path: "%{facts.os}.yaml"}\n'
            "  - {name: c, path: common.yaml}\n",
            "env/data/debian.yaml": "web::other: 1\n",
            "env/data/common.yaml": "# ports\nweb::port: 8080\n",
        }
    )
    outcome = LANGUAGE.run("env", host, Inputs("n", {"os": "debian"}))
    leaf = where(outcome.select("Notify[n].message").origin)
    assert leaf is not None and leaf.span is not None
    assert (leaf.kind, leaf.name, leaf.span.file.name, leaf.span.line, leaf.span.text) == (
        "hiera",
        "web::port",
        "env/data/common.yaml",
        2,
        "8080",
    )
    found = inputs(outcome, "Notify[n].message")
    assert found.count("hiera:web::port") == 2 and "fact:os" in found


def test_merged_data_keeps_its_places() -> None:
    """Each element of a merge has the place it came from; what was covered is remembered."""
    host = PureHost(
        {
            "env/manifests/site.pp": "notify { 'n': message => lookup('h', { 'merge' => 'deep' }) }",
            "env/hiera.yaml": "version: 5\nhierarchy:\n  - {name: a, paths: [a.yaml, b.yaml]}\n",
            "env/data/a.yaml": "h: {x: 1}\n",
            "env/data/b.yaml": "h: {x: 2, y: [3]}\n",
        }
    )
    outcome = LANGUAGE.run("env", host, Inputs("n"))
    places = {}
    for path in ("Notify[n].message.x", "Notify[n].message.y[0]"):
        leaf = where(outcome.select(path).origin)
        assert leaf is not None and leaf.span is not None
        places[path] = f"{leaf.span.file.name}: {leaf.span.text}"
    assert places == {"Notify[n].message.x": "env/data/a.yaml: 1", "Notify[n].message.y[0]": "env/data/b.yaml: 3"}
    assert [each.value for each in hidden(outcome.select("Notify[n].message.x").origin)] == [2]


@pytest.mark.parametrize(
    "change",
    [
        "class b inherits a { if $facts['x'] == 3 { File['/f'] { owner => 'y' } } }\ninclude b",
        "include a\nif $facts['x'] == 3 { File <| title == '/f' |> { owner => 'y' } }",
        "include a\nclass c { File <| |> { owner => 'y' } }\nif $facts['x'] == 3 { include c }",
        "include a\nclass c { File <| |> { owner => 'y' } }\nif $facts['x'] == 3 { 'c'.include }",
        "include a\nFile <| mode == $facts['x'] |> { owner => 'y' }",
    ],
)
def test_changes_not_made_matter(change: str) -> None:
    """An attribute depends on the tests that kept overrides and collectors from changing it."""
    outcome = compiled(f"class a {{ file {{ '/f': owner => 'o', mode => 2 }} }}\n{change}", facts={"x": 2})
    if "mode ==" in change:
        outcome = compiled(f"class a {{ file {{ '/f': owner => 'o', mode => 7 }} }}\n{change}", facts={"x": 2})
    assert outcome.select("File[/f].owner").value == "o"
    assert "fact:x" in inputs(outcome, "File[/f].owner")
    assert "fact:x" not in inputs(outcome, "File[/f].mode")


def test_a_default_not_set_matters_to_another() -> None:
    """A default from further out is in force because no nearer one was set."""
    outcome = compiled(
        "File { owner => 'far' }\nclass c { if $facts['x'] { File { owner => 'near' } } file { '/f': mode => 1 } }\n"
        "include c"
    )
    assert outcome.select("File[/f].owner").value == "far"
    assert "fact:x" in inputs(outcome, "File[/f].owner") or "'x'" in inputs(outcome, "File[/f].owner")
    assert "'x'" not in inputs(outcome, "File[/f].mode")


# --- leaving early ----------------------------------------------------------------------------------------------------

LEAVING = {
    "return from a class": ("class c { if $facts['a'] { return() } notify { 'n': message => 'm' } } include c", 0),
    "return far inside": (
        "class c { if $facts['b'] { if $facts['a'] { return() } } notify { 'n': message => 'm' } } include c",
        0,
    ),
    "return in a case": (
        "class c { case $facts['a'] { true: { return() } default: { } } notify { 'n': message => 'm' } } include c",
        0,
    ),
    "return from a loop": (
        "class c { [1].each |$x| { if $facts['a'] { return() } } notify { 'n': message => 'm' } } include c",
        0,
    ),
    "return from a function": (
        "function f() { if $facts['a'] { return(1) } 2 }\nnotify { 'n': message => f() }",
        2,
    ),
    "next": ("notify { 'n': message => [1, 2].map |$x| { if $facts['a'] { next(5) } $x } }", 2),
    "break in the same round": (
        "[1].each |$x| { if $facts['a'] { break() } notify { 'n': message => 'm' } }",
        0,
    ),
    "break in an earlier round": (
        "['o', 'n'].each |$x| { notify { $x: message => 'm' } if $facts['a'] { break() } }",
        0,
    ),
    "a variable that is not assigned": (
        "class c { if $facts['a'] { return() } $v = 1 } include c\nnotify { 'n': message => \"<${c::v}>\" }",
        2,
    ),
    "a class that is not declared": (
        "class d { $v = 1 }\nclass c { if $facts['a'] { return() } include d } include c\n"
        "notify { 'n': message => \"<${d::v}>\" }",
        2,
    ),
    "a class of later rounds": (
        "class d { $v = 1 }\n[1, 2].each |$x| { if $x == 2 { include d } elsif $facts['a'] { break() } }\n"
        "notify { 'n': message => \"<${d::v}>\" }",
        2,
    ),
    "the rest of a template": (
        "notify { 'n': message => inline_epp(\"a<% if \\$facts['a'] { next('z') } %>b\") }",
        2,
    ),
    "text of a template": (
        "notify { 'n': message => inline_epp(\"a<% if \\$facts['a'] { %>x<% } %>b\") }",
        2,
    ),
    "text of a loop": (
        "$ys = [$facts['k']].filter |$x| { $x == 'y' }\n"
        "notify { 'n': message => inline_epp(\"a<% \\$ys.each |\\$y| { %>x<% } %>b\") }",
        2,
    ),
    "a class of a loop": (
        "class d { $v = 1 }\n[$facts['k']].filter |$x| { $x == 'y' }.each |$x| { include d }\n"
        "notify { 'n': message => \"<${d::v}>\" }",
        2,
    ),
    "a computed key": ("$h = { $facts['k'] => 1 }\nnotify { 'n': message => \"${h}\" }", 2),
    "a computed key that covers": ("$h = { 'x' => 1, $facts['k'] => 2 }\nnotify { 'n': message => $h['x'] }", 2),
}


@pytest.mark.parametrize(("text", "seen_in"), LEAVING.values(), ids=LEAVING)
def test_what_could_have_left_early_is_a_dependency(text: str, seen_in: int) -> None:
    """A change of a fact that changes a value is a change of something the value depends on.

    `seen_in` says in how many of the two runs the value is there.
    """
    runs = []
    for facts in ({"a": False, "b": True, "k": "x"}, {"a": True, "b": True, "k": "y"}):
        outcome = compiled(text, facts=dict(facts))
        try:
            value = outcome.select("Notify[n].message").value
        except PathNotFound:
            value = None
            leaves = None
        else:
            leaves = {leaf for leaf in inputs(outcome, "Notify[n].message") if leaf.startswith("fact:")}
        runs.append((value, leaves))
    assert runs[0][0] != runs[1][0]
    there = [leaves for _, leaves in runs if leaves is not None]
    assert len(there) == (seen_in or 1)
    assert all(leaves & {"fact:a", "fact:k"} for leaves in there)


def test_a_jump_does_not_reach_beyond_what_it_leaves() -> None:
    """What follows a class or a loop does not depend on the jumps inside of it."""
    outcome = compiled(
        "class c { if $facts['a'] { return() } }\ninclude c\n[1].each |$x| { if $facts['b'] { break() } }\n"
        "notify { 'n': message => 'm' }",
        facts={"a": False, "b": False},
    )
    assert inputs(outcome, "Notify[n].message") == ["'m'", "'n'"]
