"""Errors of the compiler: one code per kind, places for people and places as Puppet tells them, hints."""

from __future__ import annotations

import re

import pytest

from support.puppet_requests import answer
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.host import PureHost
from wherefrom.base.source import SourceFile
from wherefrom.language import Inputs
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.kernel.codes import CATALOG, CODES, UNCLASSIFIED
from wherefrom.puppet.kernel.issues import ISSUES


def fails(text: str, files: dict[str, str] | None = None, **options: object) -> Diagnostic:
    """The error of a manifest."""
    host = PureHost({"site.pp": text, **(files or {})})
    with pytest.raises(Diagnostic) as problem:
        LANGUAGE.run("site.pp", host, Inputs("n", {}, options))
    return problem.value


# --- codes ------------------------------------------------------------------------------------------------------------


def test_every_kind_has_its_own_code() -> None:
    """No code twice, none of the front end's for anything but the front end's issue of that name."""
    codes = list(CODES.values())
    assert len(set(codes)) == len(codes)
    assert UNCLASSIFIED not in codes and CATALOG not in codes and "P401" not in codes
    front = {code: issue.name for code, issue in ISSUES.items()}
    assert {name for name, code in CODES.items() if code in front} == {name for name in CODES if name in front.values()}
    assert all(front[code] == name for name, code in CODES.items() if code in front)
    assert all(re.fullmatch(r"P\d{3}", code) for code in codes)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("fail('no')", UNCLASSIFIED),
        ("file { '/a': }\nfile { '/a': }", CODES["duplicate declaration"]),
        (
            "class a { file { '/a': } }\nclass b inherits a { }\nfile { '/a': }\ninclude b",
            CODES["duplicate declaration"],
        ),
        ("define d { file { '/a': } }\nd { ['x', 'y']: }", CODES["duplicate declaration"]),
        ("include nothing", CODES["unknown class"]),
        ("class { 'nothing': }", CODES["unknown class"]),
        ("class a inherits b { }\ninclude a", CODES["unknown parent"]),
        ("Nope['a'] { x => 1 }", CODES["UNKNOWN_RESOURCE_TYPE"]),
        ("notify { 'a': require => 'x' }", CODES["not a reference"]),
        ("class a inherits b { }\nclass b inherits a { }\ninclude a", CODES["inherits from itself"]),
        (
            "class a { file { '/a': mode => '1' } }\ninclude a\nFile['/a'] { mode => '2' }",
            CODES["override not permitted"],
        ),
        ("file { '/a': mode => '1' }\nFile['/a'] { mode => '2' }", CODES["attribute already set"]),
        ("define d(Integer $x) { }\nd { 'a': x => Deferred('nope') }", CODES["arguments"]),
        ("class d(Integer $x) { }\nclass { 'd': x => Deferred('nope') }", CODES["UNKNOWN_FUNCTION"]),
        ("nothing { 'a': }", CODES["UNKNOWN_RESOURCE_TYPE"]),
        ("$x = Nothing['a']['b']", CODES["UNKNOWN_RESOURCE_TYPE"]),
        ("Nothing <| |>", CODES["UNKNOWN_RESOURCE_TYPE"]),
        ("$x = nothing(1)", CODES["UNKNOWN_FUNCTION"]),
        ("$x = File['/a']['mode']", CODES["UNKNOWN_RESOURCE"]),
        ("file { '/a': nothing => 1 }", CODES["unknown attribute"]),
        ("$x = 1\n$x = 2", CODES["ILLEGAL_REASSIGNMENT"]),
        ("class a($p) { }\nclass { 'a': }", CODES["TYPE_MISMATCH"]),
        ("class a(Integer $p) { }\nclass { 'a': p => 'x' }", CODES["TYPE_MISMATCH"]),
        ("file { '/a': * => 1 }", CODES["TYPE_MISMATCH"]),
        ("$x = length()", CODES["arguments"]),
        ("function f(Integer $x) { }\nf('a')", CODES["arguments"]),
        ("with(1) |String $x| { }", CODES["arguments"]),
        ("file { '/a': before => File['/b'] }", CODES["dangling relationship"]),
        ("File['/a'] -> File['/b']", CODES["dangling relationship"]),
        ("File['/a'] { mode => '1' }", CODES["override of nothing"]),
        ("realize(File['/a'])", CODES["never realized"]),
        ("class a { }\nclass a { }", CODES["duplicate definition"]),
        ("$x = 1 / 0", CODES["DIV_BY_ZERO"]),
        ("$x = 1 + 'a'", CODES["NOT_NUMERIC"]),
        ("$x = 'a' =~ 1", CODES["MATCH_NOT_REGEXP"]),
        ("$x = 1 ? { 2 => 3 }", CODES["UNMATCHED_SELECTOR"]),
        ("node other { }", CODES["unknown node"]),
        ("$x = epp('m/a.epp')", CODES["unknown template"]),
        ("break()", CODES["illegal jump"]),
        ("$x = Integer['a']", CODES["BAD_INTEGER_SLICE_TYPE"]),
        ("$x = Integer('a')", "P322"),
        ("$x = lookup('nothing')", "P310"),
    ],
)
def test_codes(text: str, code: str) -> None:
    """A kind of error has one code wherever it is raised."""
    assert fails(text).code == code


@pytest.mark.parametrize("text", ["$a = = 1", "class a { $x = }", "$x = 'a", "notice('a\n", "if true { class a { } }"])
def test_check_and_compile_tell_the_same(text: str) -> None:
    """The compiler raises the very errors that the front end finds."""
    found = LANGUAGE.check(SourceFile("site.pp", text), PureHost({}))
    told = fails(text)
    assert [(told.code, told.message, told.span)] == [(each.code, each.message, each.span) for each in found]


def test_a_syntax_error_in_a_module_keeps_its_code() -> None:
    """Also when it is met while something else is evaluated."""
    files = {"modules/m/manifests/init.pp": "class m { $x = }"}
    assert fails("include m", files, modulepath=["modules"]).code == "P035"


# --- places -----------------------------------------------------------------------------------------------------------


def labels(problem: Diagnostic) -> list[tuple[str, str]]:
    """The places of an error: their text, and what is said about them."""
    return [(label.span.text, label.text) for label in problem.labels]


def test_a_wrong_value_is_shown_with_the_parameter() -> None:
    """The attribute, not the whole resource; Puppet's place stays for those who compare."""
    text = "define d(Integer $p, $q = 1) { }\nd { 'x':\n  q => 2,\n  p => 'a',\n}"
    assert labels(fails(text)) == [("p => 'a'", "of another type"), ("$p", "declared here")]
    told = answer({"manifest": text})["error"]
    assert told["line"] == 2 and "(file: manifests/site.pp, line: 2)" in told["message"]


def test_an_unknown_parameter_is_shown_with_a_hint() -> None:
    """Nearest among those that are missing, then among all."""
    problem = fails("class web($port, $host = 1) { }\nclass { 'web':\n  prot => 80,\n}")
    assert labels(problem) == [("prot => 80", "no such parameter"), ("$port", "has no value")]
    assert problem.help == "did you mean port?"
    problem = fails("class web($port = 1) { }\nclass { 'web': prot => 80 }")
    assert labels(problem)[1][1] == "defined here" and problem.help == "did you mean port?"


def test_missing_parameters_are_shown_where_they_are_declared() -> None:
    """With the statement as the place of the error."""
    problem = fails("class web($port) { }\ninclude web")
    assert labels(problem) == [("include web", ""), ("$port", "has no value")]


def test_an_unknown_attribute_is_shown_itself() -> None:
    """Puppet tells the line of the resource."""
    text = "file { '/a':\n  ensure => file,\n  mood => 1,\n}"
    problem = fails(text)
    assert labels(problem) == [("mood => 1", "")] and problem.help == "did you mean mode?"
    assert answer({"manifest": text})["error"]["message"].endswith(
        "(file: manifests/site.pp, line: 1) on node localhost"
    )


def test_a_reassignment_shows_the_first_assignment() -> None:
    """Or the parameter that the variable is."""
    assert labels(fails("$x = 1\n$x = 2"))[1] == ("= 1", "first assigned here")
    assert labels(fails("class a($p = 1) { $p = 2 }\ninclude a"))[1] == ("$p = 1", "a parameter, declared here")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("define server { }\nsevrer { 'a': }", "did you mean server?"),
        ("flie { '/a': }", "did you mean file?"),
        ("class web { }\nclass { 'wbe': }", "did you mean web?"),
        ("class web { }\nclass a inherits wbe { }\ninclude a", "did you mean web?"),
        ("Pakage <| |>", "did you mean Package?"),
        ("file { '/etc/motd': }\n$x = File['/etc/mtod']['mode']", "did you mean File[/etc/motd]?"),
        ("file { '/etc/motd': }\n$x = File['/etc/motd']['mood']", "did you mean mode?"),
        ("package { 'nginx': }\nfile { '/a': require => Package['ngnix'] }", "did you mean Package[nginx]?"),
        ("package { 'nginx': }\nnotify { 'a': }\nPackage['ngnix'] -> Notify['a']", "did you mean Package[nginx]?"),
    ],
)
def test_hints(text: str, hint: str) -> None:
    """A name that is not known gets the nearest one of its kind."""
    assert fails(text).help == hint


# --- files in the wrong place -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "text", "message", "line"),
    [
        (
            "manifests/init.pp",
            "class m { }\nclass other { }",
            "Unacceptable location. The name 'other' is unacceptable",
            2,
        ),
        (
            "manifests/init.pp",
            "class m { }\nnotify { 'x': }",
            "This Resource Statement is unacceptable as a top level",
            2,
        ),
        ("manifests/init.pp", "class m { }\nnode x { }", "This Node Definition is unacceptable as a top level", 2),
        ("manifests/init.pp", "class m { }\n$x = 1", "This '=' expression is unacceptable as a top level", 2),
        ("manifests/a.pp", "class m::b { }", "Unacceptable location. The name 'm::b' is unacceptable", 1),
        ("functions/f.pp", "function m::g() { 1 }", "Unacceptable location. The name 'm::g' is unacceptable", 1),
    ],
)
def test_a_module_file_defines_what_its_path_says(path: str, text: str, message: str, line: int) -> None:
    """As Puppet has it; what is asked for makes the file be read."""
    asked = {"manifests/init.pp": "include m", "manifests/a.pp": "include m::a", "functions/f.pp": "m::f()"}[path]
    error = answer({"manifest": asked, "files": {f"modules/m/{path}": text}})["error"]
    assert error["message"].startswith(message) and error["line"] == line
    assert error["file"] == f"modules/m/{path}"
