"""What a compilation was told about each key that it asked for."""

from __future__ import annotations

from typing import Any

from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.provenance.ladder import KeyAnswer, KeyPlace
from wherefrom.puppet.front import LANGUAGE

HIERA = """version: 5
hierarchy:
  - {name: Role, path: "role/%{facts.role}.yaml"}
  - {name: Common, path: common.yaml}
"""
ROLE = "first: 1\nhash:\n  a: 1\nfilled: 'is %{lookup(\"first\")}'\nonly: '%{alias(\"first\")}'\n"
COMMON = """lookup_options:
  hash: {merge: deep}
  secret: {convert_to: Sensitive}
first: 2
hash:
  b: 2

  c: [3]
secret: hunter2
"""
MODULE = {
    "env/modules/m/hiera.yaml": "version: 5\nhierarchy:\n  - {name: Own, path: own.yaml}\n",
    "env/modules/m/data/own.yaml": "---\nm::port: 80\n",
    "env/modules/m/manifests/init.pp": "class m($port) { }",
}


def answers(site: str, **files: str) -> dict[str, KeyAnswer]:
    """By key."""
    tree = {
        "env/manifests/site.pp": site,
        "env/hiera.yaml": HIERA,
        "env/data/role/web.yaml": ROLE,
        "env/data/common.yaml": COMMON,
        **files,
    }
    outcome = LANGUAGE.run("env", PureHost(tree), Inputs("web01", {"role": "web"}))
    return {answer.key: answer for answer in outcome.key_answers()}


def role(line: int) -> KeyPlace:
    return KeyPlace("", "Role", "env/data/role/web.yaml", line)


def common(line: int) -> KeyPlace:
    return KeyPlace("", "Common", "env/data/common.yaml", line)


def told(site: str, key: str) -> tuple[Any, tuple[KeyPlace, ...]]:
    answer = answers(site)[key]
    assert answer.has_value
    return answer.value, answer.places


def test_the_first_level_that_has_it() -> None:
    assert told("lookup('first')", "first") == (1, (role(1),))


def test_a_key_that_no_level_has() -> None:
    answer = answers("lookup('nope', { 'default_value' => 1 })")["nope"]
    assert answer == KeyAnswer("nope", False, None, ())


def test_a_merged_value_came_from_several_files() -> None:
    """Each with the first line of its part."""
    value, places = told("lookup('hash')", "hash")
    assert value == {"a": 1, "b": 2, "c": [3]}
    assert sorted(places, key=lambda place: place.file) == [common(6), role(3)]


def test_what_is_filled_in_counts_where_there_is_nothing_else() -> None:
    """A text that it is filled into is the key's own; what stands for another key is that one's."""
    assert told("lookup('filled')", "filled") == ("is 1", (role(4),))
    assert told("lookup('only')", "only") == (1, (role(1),))


def test_a_key_of_a_module() -> None:
    """The level is one of the module's own hierarchy."""
    assert answers("include m", **MODULE)["m::port"] == KeyAnswer(
        "m::port", True, 80, (KeyPlace("m", "Own", "env/modules/m/data/own.yaml", 2),)
    )


def test_a_secret_is_not_told() -> None:
    answer = answers("lookup('secret')")["secret"]
    assert answer.has_value and "hunter2" not in repr(answer)


def test_keys_are_told_in_order_each_once() -> None:
    asked = "lookup('secret') lookup('first') lookup('hash') lookup('first')"
    assert [key for key in answers(asked) if key != "lookup_options"] == ["first", "hash", "secret"]
