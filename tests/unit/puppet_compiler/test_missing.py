"""`explain --missing`: what kept a resource, a class or an attribute from being in the catalog."""

from __future__ import annotations

import pytest

from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.puppet.front import LANGUAGE

SITE = """\
class web ($port = 80) {
  if $facts['family'] == 'Debian' { file { '/debian': } } else { file { '/other': } }
  unless $facts['family'] == 'RedHat' { file { '/not-red': } } else { file { '/red': } }
  case $port {
    80: { include plain }
    443, 8443: { contain ::tls }
    default: { }
  }
}
class plain { notify { 'plain': } }
class tls { web::cert { 'main': } }
define web::cert { file { "/ssl/${title}.pem": } }
class mail inherits base { }
class base { @file { '/virtual': } }
class never { }
node 'web01' { include web, base
  $chosen = '/chosen'
  file { $chosen: mode => '0644' }
  if $port == 1 { File[$chosen] { owner => 'root' } }
}
node default { include mail
  file { ['/x', '/y']: } }
function made() { file { '/made': } }
"""


def why(path: str, text: str = SITE) -> list[str]:
    """The reasons, each as its place, its words and its notes."""
    inputs = Inputs("web01", {"family": "RedHat", "names": ["one", "RedHat", "three"]})
    outcome = LANGUAGE.run("site.pp", PureHost({"site.pp": text}), inputs)
    return [
        "; ".join([f"{each.span.line if each.span else '-'}: {each.message}", *each.notes, *filter(None, [each.help])])
        for each in outcome.missing(path)
    ]


INSTEAD = (
    '18: {} is not among the computed titles here; it made File[/chosen]; titles come from "/chosen" (site.pp:17:13)'
)
FAMILY = 'decided by fact family = "RedHat"'


@pytest.mark.parametrize(
    ("path", "reasons"),
    [
        (
            "File[/debian]",
            [
                "2: File[/debian] is declared in class web, if $facts['family'] == 'Debian'; "
                f"condition is false: if $facts['family'] == 'Debian'; {FAMILY}"
            ],
        ),
        (
            "File[/not-red]",
            [
                "3: File[/not-red] is declared in class web, unless $facts['family'] == 'RedHat'; "
                f"condition is false: unless $facts['family'] == 'RedHat'; {FAMILY}"
            ],
        ),
        (
            "File[/ssl/main.pem]",
            [
                "12: File[/ssl/main.pem] may be declared, with a computed title, in define web::cert; "
                "there is no web::cert in the catalog",
                "11: a web::cert is declared in class tls; class tls is not declared: nothing on web01 includes it",
                "6: Class[tls] is declared in class web, in case 443, 8443; condition is false: case 443, 8443; "
                "decided by 80 (site.pp:1:20), 80 (site.pp:5:5)",
            ],
        ),
        ("File[/ssl/other]", [INSTEAD.format("File[/ssl/other]")]),
        ("File[x/ssl/main.pem]", [INSTEAD.format("File[x/ssl/main.pem]")]),
        ("File[/ssl/main.pem.old]", [INSTEAD.format("File[/ssl/main.pem.old]")]),
        ("File[/y]", ["22: File[/y] is declared in node default; this node is web01"]),
        ("Class[Mail]", ["21: Class[mail] is declared in node default; this node is web01"]),
        (
            "Class[never]",
            ["15: class never is defined here, and nothing names it: no include, no declaration, no data"],
        ),
        ("Class[nevr]", ["-: no class nevr is defined; did you mean never?"]),
        ("File[/made]", ["23: File[/made] is declared in function made"]),
        ("File[/virtual]", ["14: File[/virtual] is virtual and never realized"]),
        ("File[/nowhere]", [INSTEAD.format("File[/nowhere]")]),
        ("Notify[plain]", []),
        ("nonsense", []),
        (
            "File[/chosen].owner",
            [
                "18: File[/chosen] is declared here, but its owner is not set",
                "19: an override that may set it did not run, because of this condition; decided by fact port (absent)",
            ],
        ),
        ("File[/chosen].mod", ["18: File[/chosen] is declared here, but its mod is not set; did you mean mode?"]),
    ],
)
def test_reasons(path: str, reasons: list[str]) -> None:
    """Every kind of surroundings, titles written and computed, what is missing in turn, attributes."""
    assert why(path) == reasons


def test_a_computed_title_in_code_that_did_not_run() -> None:
    """It could be anything, and is told only if nothing better is found."""
    assert why("File[/a]", "if $facts['x'] { file { $facts['y']: } }") == [
        "1: File[/a] could be declared, with a computed title, if $facts['x']; condition is false: if $facts['x']; "
        "decided by fact x (absent)"
    ]
    assert why("File[/a]", "if $facts['x'] { file { $facts['y']: } file { '/a': } }") == [
        "1: File[/a] is declared if $facts['x']; condition is false: if $facts['x']; decided by fact x (absent)"
    ]


def test_a_title_that_is_chosen_elsewhere() -> None:
    """The text of the title stands in a branch that was not taken."""
    text = "if $facts['x'] { $file = '/a' } else { $file = '/b' }\nfile { $file: }"
    assert why("File[/a]", text) == [
        "1: File[/a] would have this text as its title, if $facts['x']; condition is false: if $facts['x']; "
        "decided by fact x (absent)"
    ]
    assert why("File[/b]", text) == []


def test_there_is_an_end() -> None:
    """Classes that declare each other, and more places than anybody reads."""
    many = "".join("if $facts['x'] { include a }\n" for _ in range(50))
    assert len(why("File[/a]", f"class a {{ include b }}\nclass b {{ include a\n file {{ '/a': }} }}\n{many}")) == 20


JUMPS = """\
class returned { if $facts['family'] == 'RedHat' { return() }
  file { '/after': } }
class listed ($names = []) { $names.each |$name| { file { "/listed/${name}": } } }
class titled { $all = ['p', 'q']
  package { $all: }
  package { 'given': ensure => $facts['nothing'] }
  @user { 'virtual': }
  @@user { 'exported': } }
class broken { $facts['names'].each |$name| { if $name == 'RedHat' { break() } notify { $name: } } }
include returned, listed, titled, broken
"""


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("File[/after]", "not reached: the code was left before, at site.pp:1:21; " + FAMILY),
        ("File[/listed/a]", "nothing to iterate over: for each of $names"),
        ("Package[r]", 'it made Package[p], Package[q]; titles come from "p" (site.pp:4:24), "q" (site.pp:4:29)'),
        ("Package[given].ensure", "is set here, to undef; key nothing (absent); looked for fact nothing"),
        ("User[virtual]", "User[virtual] is virtual and never realized"),
        ("User[exported]", "User[exported] is exported but not collected on this node"),
        ("Notify[three]", 'not reached: the code was left before, at site.pp:9:50; decided by fact names.1 = "RedHat"'),
    ],
)
def test_what_left_it_out(path: str, words: str) -> None:
    """Jumps, lists with nothing in them, titles in variables, undef, virtual and exported resources."""
    assert words in " ".join(why(path, JUMPS))


def test_the_whole_repository_is_read() -> None:
    """A class that nothing on this node includes is in a file that nobody asked for."""
    files = {
        "env/manifests/site.pp": "include role::web",
        "env/modules/role/manifests/web.pp": "class role::web { include profile::base }",
        "env/modules/role/manifests/database.pp": "class role::database {\n  include profile::db\n}",
        "env/modules/profile/manifests/base.pp": "class profile::base { }",
        "env/modules/profile/manifests/db.pp": "class profile::db {\n  package { 'postgresql': }\n}",
        "env/modules/profile/manifests/broken.pp": "class profile::broken { package { 'postgresql'",
    }
    outcome = LANGUAGE.run("env", PureHost(files), Inputs("web01", {}))
    reasons = outcome.missing("Package[postgresql]")
    assert [(reason.span.file.name, reason.span.line) for reason in reasons if reason.span] == [
        ("env/modules/profile/manifests/db.pp", 2),
        ("env/modules/role/manifests/database.pp", 2),
        ("env/modules/role/manifests/database.pp", 1),  # which nothing names
    ]
    assert list(reasons[0].notes) == ["class profile::db is not declared: nothing on web01 includes it"]
    assert reasons[0].lacking == ("profile::db",)  # type: ignore[attr-defined]
