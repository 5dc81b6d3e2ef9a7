"""May-effects: what code would do if it were run, read off its text."""

from __future__ import annotations

from typing import Any

import pytest

from wherefrom.base.source import SourceFile
from wherefrom.puppet.runtime.effects import (
    ANY,
    ANYTHING_DECLARED,
    AttributeChange,
    Effects,
    Memo,
    Summary,
    any_change,
    any_resource,
    computed_classes,
    declared_class,
    declares_classes,
    effects_of,
    may_leave,
)
from wherefrom.puppet.syntax import tree
from wherefrom.puppet.syntax.parser import parse, parse_epp


def body_of(text: str) -> tree.Node:
    result = parse(SourceFile("site.pp", text))
    assert result.ok, result.diagnostics
    return result.program.body


def effects(text: str) -> Effects:
    found = effects_of(body_of(text), {})
    assert found is not None
    return found


def all_of(text: str, name: str) -> dict[Any, Any]:
    """What the code and everything inside of it does of one sort."""
    merged: dict[Any, Any] = {}
    for part, _ in effects(text).all_parts():
        merged.update(getattr(part, name))
    return merged


@pytest.mark.parametrize(
    "text", ["1", "$x + $y", "notice($x)", "[1, 2].map |$x| { $x }", "class c { $x = 1 }", "if $x { } else { 2 }"]
)
def test_code_that_nobody_could_miss(text: str) -> None:
    """It computes, logs or defines: whether it runs is seen nowhere else."""
    assert effects_of(body_of(text), {}) is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("$x = 1", {"x"}),
        ("if $a { $x = 1 } else { $y = 2 }", {"x", "y"}),
        ("[$x, [$y]] = [1, [2]]", {"x", "y"}),
        ("$x = $y = 1", {"x", "y"}),
        ("[1].each |$i| { $x = $i }", set()),
        ("define d { $x = 1 }\n$y = 1", {"y"}),
        ("case $a { 1: { $x = 1 } default: { [1].each |$i| { $z = 1 } } }", {"x"}),
        ("unless $a { $x = 1 }", {"x"}),
        ("notice($x = 1)", {"x"}),
    ],
)
def test_variables(text: str, names: set[str]) -> None:
    """Those of the code itself: a lambda's and a definition's stay inside."""
    found = effects_of(body_of(text), {})
    assert set(found.names if found is not None else ()) == names


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("include a", {"a": False}),
        ("include a, '::B'", {"a": False, "b": False}),
        ("include(['a', ['b']])", {"a": False, "b": False}),
        ("include(Class['a', 'b'])", {"a": False, "b": False}),
        ("include(('a'))", {"a": False}),
        ("include(File['a'])", {ANY: False}),
        ("include $x", {ANY: False}),
        ("require a", {"a": False}),
        ("contain a", {"a": False}),
        ("'a'.include", {"a": False}),
        ("class { 'a': }", {"a": True}),
        ("class { ['a', 'b']: }", {"a": True, "b": True}),
        ("class { $x: }", {ANY: True}),
        ("class { default: x => 1; 'a': }", {"a": True}),
        ("class { 'a': }\ninclude a", {"a": True}),
        ("include a\nclass { 'a': }", {"a": True}),
        ("include $x\nclass { $x: }", {ANY: True}),
        ("class { $x: }\ninclude $y", {ANY: True}),
        ("hiera_include('classes')", {ANY: False}),
        ("create_resources('notify', {})", {ANY: True}),
        ("call('include', 'a')", {"a": False}),
        ("if $x { [1].each |$i| { include a } }", {"a": False}),
    ],
)
def test_classes(text: str, classes: dict[str, bool]) -> None:
    """Each with whether it is declared with parameters; a computed name may be any."""
    assert all_of(text, "classes") == classes


@pytest.mark.parametrize(
    ("text", "contained"),
    [("contain a", {"a": False}), ("contain $x", {ANY: False}), ("include a", {}), ("require a", {})],
)
def test_classes_that_are_contained(text: str, contained: dict[str, bool]) -> None:
    assert all_of(text, "contained") == contained


@pytest.mark.parametrize(
    ("text", "resources"),
    [
        ("notify { 'a': }", {("notify", "a")}),
        ("notify { ['a', ('b')]: ; 'c': }", {("notify", "a"), ("notify", "b"), ("notify", "c")}),
        ("notify { $x: }", {("notify", ANY)}),
        ('notify { "a${x}": }', {("notify", ANY)}),
        ("notify { default: message => 1; 'a': }", {("notify", "a")}),
        ("::notify { 'a': }", {("notify", "a")}),
        ("@@notify { 'a': }", {("notify", "a")}),
        ("Notify[a] { message => 1 }", set()),
        ("Resource['notify'] { 'a': }", {(ANY, "a")}),
        ("create_resources('@Notify', {})", {("notify", ANY)}),
        ("create_resources($x, {})", {(ANY, ANY)}),
        ("Notify <<| |>>", {("notify", ANY)}),
        ("Notify <| |>", set()),
        ("class { 'a': }", set()),
    ],
)
def test_resources(text: str, resources: set[tuple[str, str]]) -> None:
    """By type and title; what other nodes export may be any."""
    found = effects_of(body_of(text), {})
    assert set(found.resources if found is not None else ()) == resources


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("File['/a'] { mode => 1, owner => 2 }", [AttributeChange("file", ("/a",), ("mode", "owner"))]),
        ("File['/a', '/b'] { mode => 1 }", [AttributeChange("file", ("/a", "/b"), ("mode",))]),
        ("File[$x] { mode => 1 }", [AttributeChange("file", None, ("mode",))]),
        ("File['/a'] { * => $x }", [AttributeChange("file", ("/a",), None)]),
        ("File['/a'] { mode => 1, * => $x }", [AttributeChange("file", ("/a",), None)]),
        ("File['/a'] { * => $x, mode => 1 }", [AttributeChange("file", ("/a",), None)]),
        ("Resource['file', '/a'] { mode => 1 }", [AttributeChange(ANY, None, ("mode",))]),
        ("$x['/a'] { mode => 1 }", [AttributeChange(ANY, None, ("mode",))]),
        ("File { mode => 1 }", [AttributeChange("file", None, ("mode",), True)]),
        ("File <| |> { mode => 1 }", [AttributeChange("file", None, ("mode",))]),
        ("File <| |>", []),
        ("File['/a'] -> File['/b']", [AttributeChange("file", ("/a",), ("before",))]),
        ("File['/a'] ~> File['/b']", [AttributeChange("file", ("/a",), ("notify",))]),
        ("File['/a'] <- File['/b']", [AttributeChange("file", ("/b",), ("before",))]),
        ("File['/a'] <~ File['/b']", [AttributeChange("file", ("/b",), ("notify",))]),
        (
            "[File['/a'], User['u']] -> File['/b']",
            [AttributeChange("file", ("/a",), ("before",)), AttributeChange("user", ("u",), ("before",))],
        ),
        ("(File['/a']) -> File['/b']", [AttributeChange("file", ("/a",), ("before",))]),
        ("File <| |> -> User['u']", [AttributeChange("file", None, ("before",))]),
        ("file { '/a': } -> User['u']", []),
        ("$x -> User['u']", [AttributeChange(ANY, None, ("before",))]),
        (
            "File['/a'] -> File['/b'] ~> File['/c']",
            [
                AttributeChange("file", ("/a",), ("before",)),
                AttributeChange("file", ("/a",), ("notify",)),
                AttributeChange("file", ("/b",), ("notify",)),
            ],
        ),
        ("require a", [AttributeChange(ANY, None, ("require",))]),
    ],
)
def test_changes(text: str, changes: list[AttributeChange]) -> None:
    """Overrides, collectors, defaults and arrows: of which resources, and which attributes."""
    found = effects_of(body_of(text), {})
    assert sorted(found.changes if found is not None else (), key=repr) == sorted(changes, key=repr)


def test_what_a_change_touches() -> None:
    change = AttributeChange("file", ("/a",), ("mode",))
    assert change.touches("file", "/a", "mode")
    assert not change.touches("user", "/a", "mode")
    assert not change.touches("file", "/b", "mode")
    assert not change.touches("file", "/a", "owner")
    assert AttributeChange(ANY, None, None).touches("user", "u", "uid")


@pytest.mark.parametrize(
    ("text", "tags", "realizes", "anything"),
    [
        ("tag('a')", True, False, False),
        ("realize(File['/a'])", False, True, False),
        ("File <| |>", False, True, False),
        ("File <<| |>>", False, True, False),
        ("File { mode => 1 }", False, False, False),
        ("call($x)", False, False, True),
        ("call('tag', 'a')", True, False, False),
        ("tag('a') realize(File['/a']) call($x)", True, True, True),
    ],
)
def test_what_else_may_be_done(text: str, tags: bool, realizes: bool, anything: bool) -> None:
    found = effects(text)
    assert (found.tags, found.realizes, found.anything) == (tags, realizes, anything)
    assert found.lasting


@pytest.mark.parametrize(
    ("text", "jumps"),
    [
        ("break()", {"break"}),
        ("next()", {"next"}),
        ("return()", {"return"}),
        ("if $x { return() } else { next() }", {"return", "next"}),
        ("[1].each |$i| { break() }", set()),
        ("[1].each |$i| { next() }", set()),
        ("[1].each |$i| { return() }", {"return"}),
        ("with(1) |$i| { break() }", {"break"}),
        ("with(1) |$i| { next() }", set()),
        ("[1].each |$i| { with(1) |$j| { break() } }", set()),
        ("$x = 1", set()),
    ],
)
def test_jumps(text: str, jumps: set[str]) -> None:
    """`next` leaves a lambda alone; `break` the loop that its lambda is given to; `return` all of it."""
    found = effects_of(body_of(text), {})
    assert set(found.jumps if found is not None else ()) == jumps


def test_text_of_a_template() -> None:
    for text in ("<% if $x { %>text<% } %>", "<% [1].each |$i| { %><%= $i %><% } %>"):
        found = effects_of(parse_epp(SourceFile("t.epp", text)).program.body, {})
        assert found is not None and found.renders and not found.lasting


def test_functions_that_are_not_built_in_are_called_by_name() -> None:
    assert list(effects("m::f(1)").calls) == ["m::f"] and list(effects("::m::f(1)").calls) == ["m::f"]
    assert effects("m::f(1)").lasting


@pytest.mark.parametrize(
    ("text", "lasting"), [("$x = 1", False), ("return()", False), ("include a", True), ("notify { 'a': }", True)]
)
def test_what_is_seen_beyond_the_scope(text: str, lasting: bool) -> None:
    assert effects(text).lasting is lasting


def test_effects_are_worked_out_once() -> None:
    memo: Memo = {}
    body = body_of("$x = 1")
    assert effects_of(body, memo) is effects_of(body, memo)
    silent = body_of("1")
    assert effects_of(silent, memo) is None and memo[id(silent)][1] is None


class Words:
    """Whoever keeps effects."""

    def __init__(self) -> None:
        self.effects: Memo = {}
        self.jumping: dict[SourceFile, bool] = {}


def test_code_that_a_jump_may_leave() -> None:
    """Only files that have one of the words are looked at."""
    environment = Words()
    leaving = body_of("if $x { return() }")
    assert may_leave(leaving, environment) is effects_of(leaving, environment.effects)
    assert may_leave(body_of("$returned = 1"), environment) is None
    assert may_leave(body_of("$x = 1 # return"), environment) is None
    assert may_leave(body_of("[1].each |$i| { next() }"), environment) is None
    assert list(environment.jumping.values()) == [True, False, True, True]


def test_functions_that_declare_classes() -> None:
    assert declares_classes("include") and declares_classes("contain")
    assert not declares_classes("notice") and not declares_classes("never_heard_of")


# --- following definitions -------------------------------------------------------------------------------------------


class Body:
    """A definition."""

    def __init__(self, definition: Any) -> None:
        self.tree = definition
        self.parent = getattr(definition, "parent", None)


class Defined:
    """What a text defines, by name."""

    def __init__(self, text: str) -> None:
        self.effects: Memo = {}
        program = parse(SourceFile("defined.pp", text)).program
        self.by_name: dict[str, Any] = {definition.name: definition for definition in program.definitions}  # type: ignore[attr-defined]

    def class_body(self, name: str) -> Any:
        found = self.by_name.get(name)
        return Body(found) if isinstance(found, tree.ClassDefinition) else None

    def define_body(self, name: str) -> Any:
        found = self.by_name.get(name)
        return Body(found) if isinstance(found, tree.DefinedType) else None

    def function_body(self, name: str) -> Any:
        found = self.by_name.get(name)
        return found.body if isinstance(found, tree.FunctionDefinition) else None


CODE = """
class a inherits base { include b  notify { 'of a': } }
class base { tag('t')  file { '/base': } }
class b { d { 'x': }  contain c }
class c { File['/f'] { mode => 1 }  File { owner => 2 }  realize(User['u'])  include a }
define d { package { $title: }  include $title }
function f() { tag('main')  user { 'of f': }  f() }
function g($x) { $x }
"""


def summed(text: str, declared: tuple[str, ...] = ()) -> Summary:
    return Summary(effects(text), Defined(CODE), declared)


def test_classes_are_followed() -> None:
    """Into their bodies and those above them, each once; one that is there already would not run again."""
    summary = summed("include a")
    assert summary.classes == {"a": False, "base": False, "b": False, "c": False}
    assert {("notify", "of a"), ("file", "/base"), ("d", "x"), ("package", ANY)} <= set(summary.resources)
    assert summary.any_class is False and summary.realizes and not summary.anything
    assert set(summed("include a", ("base", "b")).classes) == {"a"}
    assert not summed("include a", ("base", "b")).declares("file", "/base")
    assert summed("class { 'a': }").classes == {"a": True, "base": False, "b": False, "c": False}


def test_what_may_be_declared() -> None:
    summary = summed("include a")
    assert summary.declares("notify", "of a") and summary.declares("package", "any title")
    assert not summary.declares("notify", "other") and not summary.declares("user", "of f")
    assert summed("Resource['notify'] { 'q': }").declares("anything", "q")
    assert not summed("Resource['notify'] { 'q': }").declares("anything", "r")
    assert summed("create_resources($x, {})").declares("anything", "at all")
    assert summed("call($x)").declares("anything", "at all")


def test_what_may_be_changed() -> None:
    """A default changes what has no value of its own."""
    summary = summed("include c", ("a",))
    assert summary.changed("file", "/f", "mode", False) and not summary.changed("file", "/g", "mode", True)
    assert summary.changed("file", "/g", "owner", True) and not summary.changed("file", "/g", "owner", False)
    assert summed("call($x)").changed("file", "/g", "mode", False)


def test_what_may_be_contained() -> None:
    assert summed("include b").contains("c") and not summed("include b").contains("d")
    assert summed("contain $x").contains("anything") and summed("call($x)").contains("anything")


def test_functions_are_followed() -> None:
    """What they tag is the main class; one that nobody knows may do anything."""
    summary = summed("f()")
    assert summary.declares("user", "of f") and summary.tags_main and not summary.tags_here and not summary.anything
    assert summed("tag('x')").tags_here and not summed("tag('x')").tags_main
    assert not summed("include base").tags_main
    assert summed("never_heard_of()").anything and not summed("g(1)").anything


def test_computed_names() -> None:
    assert summed("include $x").any_class is False and summed("class { $x: }").any_class is True
    assert summed("include $x\nclass { $x: }").any_class is True and summed("$x = 1").any_class is None
    for parameters in (False, True):
        assert computed_classes(parameters).classes == {ANY: parameters}
    assert computed_classes(False, contained=True).contained == {ANY: False}
    assert computed_classes(False, contained=True).classes == {ANY: False}
    assert declared_class("a").classes == {"a": False}
    assert list(any_resource("file").resources) == [("file", ANY)]
    assert list(any_change("file", ("mode",)).changes) == [AttributeChange("file", None, ("mode",))]
    assert ANYTHING_DECLARED.classes == {ANY: True} and list(ANYTHING_DECLARED.resources) == [(ANY, ANY)]
