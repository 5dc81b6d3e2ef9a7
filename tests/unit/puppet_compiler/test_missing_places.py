"""`explain --missing`: every sort of place that names what is missing, in manifests and in data, word by word.

The answers are in `tests/unit/puppet_compiler/missing_places.json`, by question; `WHEREFROM_UPDATE=1` writes them anew.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import pytest

from wherefrom.base.host import PureHost
from wherefrom.language import Inputs, Outcome
from wherefrom.puppet.front import LANGUAGE

ANSWERS = Path(__file__).with_name("missing_places.json")
HIERA = """\
version: 5
hierarchy:
  - {name: node, path: "nodes/%{facts.host}.yaml"}
  - {name: tier, path: "tiers/%{facts.tier}.yaml"}
  - {name: pair, path: "pairs/%{facts.host}-%{facts.tier}.yaml"}
  - {name: common, path: common.yaml}
"""
SITE = """\
lookup('classes', {default_value => []}).include
$l = lookup('list')
create_resources('user', lookup('nothing', {default_value => {}}))
create_resources('User', $facts['u'])
if $facts['no'] {
  create_resources('::user', { 'carl' => {}, 'dora' => {} })
  create_resources('group', { 'dora' => {} })
  ensure_packages(['vim', 'git'])
  ensure_resource('file', '/ensured', {})
  ensure_resource($facts['t'], 'dora')
  create_resources()
  $any.create_resources
}
class plain inherits ::above { }
class above { }
class below inherits ::plain { }
class hidden { } class database { } class common_one { } class hidden_too { } class commented { }
class other::thing { }
if $facts['x'] == 1 { ::include('::below') }
elsif $facts['y'] { class { '::below': } }
$facts['names'].each |$n| { user { "u-${n}": } group { $n: } }
user { $facts['one']: }
user { $facts['two']: }
user { $facts['three']: }
user { $facts['four']: }
@@user { 'exported': }
if $facts['no'] { Group <<| |>> User <<| tag == 'a' |>> User <| |> }
class parent { }
class child inherits ::parent { }
class paired { } class spelled { } class trusted { } class unlessed { }
unless $facts['tier'] == 'dev' { include spelled } else { fail_later() }
unless $facts['tier'] == 'prod' { $n = 1 } else { include unlessed }
if $trusted['extensions']['role'] == 'x' { include trusted }
User { managehome => undef, comment => 'c' }
define with_default($p = undef, $q = 1) { }
with_default { 'given': q => undef }
function fail_later() { return(1) notify { 'after': } }
notify { 'undef': message => $facts['nobody'] }
"""
FILES = {
    "env/hiera.yaml": HIERA,
    "env/manifests/site.pp": SITE,
    "env/data/nodes/web01.yaml": "kept: here\nclasses:\n  - plain\n  # - commented\nlist: [hidden_too]\n",
    "env/data/nodes/db01.yaml": "classes:\n  - ::database   # - plain\n  - other::thing\n'quoted key':\n  database: 1\n"
    "text: my-database database.x database:x x::database\n",
    "env/data/common.yaml": "classes: [hidden, common_one]\nusers:\n  bob: {uid: 1}\nbob: 7\nlist: [x]\n"
    "unread: [hidden]\n",
    "env/data/pairs/web01-dev.yaml": "own: 1\n",
    "env/data/pairs/db01-prod.yaml": "classes: [paired]\n",
    "env/data/notes.txt": "classes: [hidden]\n",
    "env/data/old.json": '{"classes":\n ["in_json"],\n  "a": "x: {", "b": {"in_json": 1}, "c": 1,\n "in_json": []\n}\n',
    "env/data/flow.yaml": "# flow\n{ x::y: [ in_flow ], 'q': {in_flow: {z: 1}}, in_flow: 3, # in_flow\n z: in_flow }\n",
}
FACTS = {
    "host": "web01",
    "tier": "dev",
    "names": list("abcdefg"),
    "one": "f1",
    "two": "f2",
    "three": "f3",
    "four": "f4",
    "u": {},
}
QUESTIONS = (
    *("Class[database]", "Class[::Database]", "Class[hidden]", "Class[common_one]", "Class[hidden_too]"),
    *("Class[commented]", "Class[other::thing]", "Class[below]", "Class[above]", "Class[databas]", "Class[parent]"),
    *("User[bob]", "User[carl]", "User[dora]", "Group[dora]", "Package[vim]", "Package[git]", "File[/ensured]"),
    *("User[zed]", "User[u-z]", "User[f5]", "Group[zz]", "Nosuch[x]", "Usr[x]", "User[u-a].shel", "User[u-a].uid"),
    *("User[exported]", "Notify[in_json]", "Notify[in_flow]", "File[/ensure]"),
    *("Class[paired]", "Class[spelled]", "Class[unlessed]", "Class[trusted]", "User[u-a].managehome", "Notify[after]"),
    *(
        "With_default[given].p",
        "With_default[given].q",
        "Notify[undef].message",
        "User[u-a].commen",
        "User[f1].comment",
    ),
)


@cache
def outcome() -> Outcome:
    return LANGUAGE.run("env", PureHost(FILES), Inputs("web01", FACTS, {"strict": "off"}))


def answer(question: str) -> list[dict[str, object]]:
    """The reasons: place, words, notes, hint and the classes that are lacking."""
    return [
        {
            "place": each.span.place.removeprefix("env/") if each.span else "",
            "words": each.message,
            "notes": list(each.notes),
            "help": each.help,
            "lacking": list(getattr(each, "lacking", ())),
            "tests": [span.place.removeprefix("env/") for span in getattr(each, "places", ())],
        }
        for each in outcome().missing(question)
    ]


def test_answers_are_written_anew() -> None:
    if os.environ.get("WHEREFROM_UPDATE"):
        answers = {question: answer(question) for question in QUESTIONS}
        ANSWERS.write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers(question: str) -> None:
    assert answer(question) == json.loads(ANSWERS.read_text(encoding="utf-8"))[question]
