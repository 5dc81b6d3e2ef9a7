"""Nodes that one session compiles one after the other: what it keeps for the next changes nothing of what it says."""

from __future__ import annotations

import gc
import weakref
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from wherefrom import Session
from wherefrom.provenance.extract import depends

SITE = """\
if $facts['first'] { include m::first }
if $facts['one'] { include m::other }
include m
if $facts['second'] { include m::first }
if $facts['two'] { m::thing { 'a': } }
if $facts['three'] { m::called() }
file { '/x': mode => '0644' }
@@notify { 'e': message => "of ${facts['networking']}" }
"""
MODULE = {
    "init": "class m { notify { 'm': } }",
    "first": "class m::first { include m::inner }",
    "other": "class m::other { include m::first include m::inner }",
    "inner": "class m::inner { File <| |> { owner => 'root' } notify { 'inner': } }",
    "thing": "define m::thing { include m::other }",
}
FACTS: dict[str, dict[str, Any]] = {
    "a": {},
    "b": {"first": True},
    "c": {"second": True},
    "d": {"first": True, "second": True},
}


def environment(folder: Path) -> str:
    """An environment with branches that no node takes, and that lead to different things on different nodes."""
    for name, text in {
        "manifests/site.pp": SITE,
        "modules/m/functions/called.pp": "function m::called() { include m::inner }",
        **{f"modules/m/manifests/{name}.pp": text for name, text in MODULE.items()},
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return str(folder)


def told(session: Session, path: str, node: str) -> dict[str, Any]:
    """All that is told of a node: inputs of every output, and what code that did not run would do."""
    outcome = session.compile(path, node=node, facts=FACTS[node], trace=True)
    inputs = {
        selected.path: sorted(
            (leaf.kind, leaf.name, "" if leaf.span is None else leaf.span.place, leaf.file, leaf.absent)
            for leaf in depends(selected.origin)
        )
        for selected in outcome.outputs()
    }
    return {"inputs": inputs, "consulted": sorted(outcome.consulted())}


@pytest.mark.parametrize("order", list(permutations(FACTS))[::5], ids="".join)
def test_nodes_are_told_what_each_is_told_alone(tmp_path: Path, order: tuple[str, ...]) -> None:
    """What untaken branches lead to depends on the classes that a node has by then, and on nothing of other nodes."""
    path = environment(tmp_path)
    session = Session()
    with session.execution.standing_still():
        together = {node: told(session, path, node) for node in order}
    assert together == {node: told(Session(), path, node) for node in order}
    assert together["b"]["inputs"] == together["d"]["inputs"]  # the class is there when it is declared again
    assert len({repr(one["inputs"]) for one in together.values()}) == 3
    for one in together.values():
        assert {"class m::other", "define m::thing", "function m::called"} <= {name for name, _ in one["consulted"]}


def test_a_catalog_that_is_let_go_leaves_no_cycles(tmp_path: Path) -> None:
    """Its resources and scopes go at once, without a look for cycles."""
    path = environment(tmp_path)
    session = Session()
    with session.execution.standing_still():
        session.compile(path, node="a", facts=FACTS["a"])
        outcome = session.compile(path, node="b", facts=FACTS["b"], trace=True)
        run = weakref.ref(outcome.run)  # type: ignore[attr-defined]
        gc.disable()
        try:
            outcome.let_go()
            del outcome
            assert run() is None
        finally:
            gc.enable()
        assert session.compile(path, node="b", facts=FACTS["b"]).document()["resources"]
