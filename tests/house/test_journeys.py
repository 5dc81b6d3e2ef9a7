"""The ways that `docs/architecture.md` describes are the ways that programs take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

import wherefrom
from support.journey import Journey
from support.rooms import PAGE, ROOT, Room, quoted, room_name, room_of, rooms_of, rows_below

FACTS = {"os": {"family": "Debian"}, "networking": {"fqdn": "web01.example.com"}}
WAYS: dict[str, tuple[str, str, dict[str, Any], Any]] = {
    "Puppet": ("examples/web/site.pp", "File[/etc/motd].mode", {"node": "web01", "facts": FACTS}, "0600"),
    "Nix": ("examples/nix/hosts.nix", "services.nginx.virtualHosts.wiki.port", {}, 443),
    "SmartFrog": ("examples/smartfrog/servers.sf", "s2:web:port", {}, 80),
}


MOST_CALLS_UPWARDS = 28
MOST_MODULES = 87
"""Pairs of modules of which the lower layer's calls the higher layer's, and modules in all; both may fall, not rise."""


def way(name: str) -> Callable[[], Any]:
    """What somebody does who compiles a program and asks where a value came from."""
    path, value, inputs, _ = WAYS[name]

    def work() -> Any:
        outcome = wherefrom.compile(str(ROOT / path), trace=True, no_cache=True, **inputs)
        outcome.document()
        return outcome.explain(value)

    return work


def journey(name: str) -> Journey:
    """The second journey: on the first one, modules are imported."""
    way(name)()
    return Journey(way(name))


@pytest.mark.parametrize("name", WAYS)
def test_a_literal_goes_the_way_that_is_described(name: str) -> None:
    """Every function of the table is called, in the order of the table, and the literal is found at the end."""
    steps = [quoted(row[0])[0] for row in rows_below(f"## One literal through {name}", PAGE.read_text("utf-8"))]
    taken = journey(name)
    assert [step for step in steps if step not in taken.first] == []
    assert sorted(steps, key=taken.first.__getitem__) == steps
    explanation: Any = taken.result
    assert explanation.value == WAYS[name][3]
    assert explanation.to_json()["where"]["file"].endswith(WAYS[name][0])


def below(name: str, rooms: Mapping[str, Room]) -> set[str]:
    """The rooms that a room may import, and all that they may."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for room in rooms[waiting.pop()].allowed - found:
            found.add(room)
            waiting.append(room)
    return found


def test_only_what_was_handed_down_is_called_upwards() -> None:
    """On Puppet's way, calls go down, as imports do; those that go up are in a table of their own."""
    page = PAGE.read_text("utf-8")
    rooms = rooms_of(page)
    upwards = set()
    for caller, callee in journey("Puppet").pairs:
        here, there = room_of(room_name(caller), rooms), room_of(room_name(callee), rooms)
        assert here is not None and there is not None
        if here in below(there, rooms):
            upwards.add((here, there))
    assert upwards == {
        (room_name(quoted(row[0])[0]), room_name(quoted(row[1])[0])) for row in rows_below("### Calls upwards", page)
    }


def test_the_way_does_not_get_longer() -> None:
    """Somebody who follows a literal through Puppet has to read so much, and no more."""
    rooms = rooms_of(PAGE.read_text("utf-8"))
    pairs = journey("Puppet").pairs
    layers = [(room_of(room_name(caller), rooms), room_of(room_name(callee), rooms)) for caller, callee in pairs]
    upwards = [pair for pair in layers if None not in pair and pair[0] in below(str(pair[1]), rooms)]
    assert 0 < len(upwards) <= MOST_CALLS_UPWARDS
    assert len({module for pair in pairs for module in pair}) <= MOST_MODULES
