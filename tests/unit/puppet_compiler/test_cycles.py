"""Dependency cycles: resources that must each be applied before the other, also by what contains them."""

from __future__ import annotations

import pytest

from wherefrom.base.host import PureHost
from wherefrom.language import Inputs
from wherefrom.puppet.front import LANGUAGE
from wherefrom.puppet.runtime.cycles import find_cycles

CLASS = "class c { notify { 'x': } }\ninclude c\nnotify { 'y': }\n"


def cycles(text: str) -> list[list[str]]:
    return find_cycles(LANGUAGE.run("site.pp", PureHost({"site.pp": text}), Inputs("web01", {})).run)


@pytest.mark.parametrize(
    ("text", "cycle"),
    [
        ("notify { 'a': before => Notify['b'] }\nnotify { 'b': before => Notify['a'] }", ["a", "b", "a"]),
        ("notify { 'a': notify => Notify['b'] }\nnotify { 'b': notify => Notify['a'] }", ["a", "b", "a"]),
        ("notify { 'a': require => Notify['b'] }\nnotify { 'b': require => Notify['a'] }", ["a", "b", "a"]),
        ("notify { 'a': subscribe => Notify['b'] }\nnotify { 'b': subscribe => Notify['a'] }", ["a", "b", "a"]),
        ("notify { 'a': before => [Notify['b'], [Notify['c']]] }\nnotify { 'b': }\n"
         "notify { 'c': before => Notify['a'] }", ["a", "c", "a"]),
        ("notify { 'a': before => Notify['a'] }", ["a", "a"]),
        ("notify { 'b': }\nnotify { 'a': }\nNotify['a'] -> Notify['b'] -> Notify['a']", ["b", "a", "b"]),
    ],
)  # fmt: skip
def test_resources(text: str, cycle: list[str]) -> None:
    """The shortest way round, from the one that was declared first."""
    assert cycles(text) == [[f"Notify[{title}]" for title in cycle]]


@pytest.mark.parametrize(
    "text",
    [
        "notify { 'a': before => Notify['b'] }\nnotify { 'b': require => Notify['a'] }",
        "notify { 'a': }\nnotify { 'b': subscribe => Notify['a'] }\nNotify['a'] ~> Notify['b']",
        "notify { 'a': subscribe => Notify['b'] }\nnotify { 'b': before => Notify['c'] }\n"
        "notify { 'c': require => Notify['a'] }",
        "@notify { 'a': before => Notify['b'] }\n@notify { 'b': before => Notify['a'] }",
        f"{CLASS}Notify['y'] -> Class['c']",
        f"{CLASS}Class['c'] -> Notify['y']\nNotify['x'] -> Notify['y']",
    ],
)
def test_no_cycle(text: str) -> None:
    assert cycles(text) == []


def test_what_comes_before_a_class_comes_before_what_is_in_it() -> None:
    (cycle,) = cycles(f"{CLASS}Notify['y'] -> Class['c']\nNotify['x'] -> Notify['y']")
    assert cycle == ["Class[C]", "Notify[x]", "Notify[y]", "Class[C]"]


def test_what_comes_after_a_class_comes_after_what_is_in_it() -> None:
    (cycle,) = cycles(f"{CLASS}Class['c'] -> Notify['y']\nNotify['y'] -> Notify['x']")
    assert cycle == ["Class[C]", "Notify[y]", "Notify[x]", "Class[C]"]


def test_several() -> None:
    text = "notify { ['a', 'b', 'c', 'd']: }\nNotify['a'] -> Notify['b'] -> Notify['a']\n"
    text += "Notify['c'] -> Notify['d'] -> Notify['c']"
    assert sorted(cycles(text)) == [["Notify[a]", "Notify[b]", "Notify[a]"], ["Notify[c]", "Notify[d]", "Notify[c]"]]
