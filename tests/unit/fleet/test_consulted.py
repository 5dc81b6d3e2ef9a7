"""What is told about values depends on code that did not run too: where that changes, what a store says is brought up
to date, though no value is another. And where it would do the same as before, nodes are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fleets import write
from unit.fleet.test_exports import Fleet

pytest.importorskip("pyarrow")

FILE = "file { '/x': mode => '0644' }\n"
NOT_TAKEN = FILE + "if $facts['absent'] { CALL }\n"
CHANGES = "File <| title == '/x' |> { mode => '0600' }"
EXTRA = "modules/m/manifests/extra.pp"
FUNCTION = "modules/m/functions/extra.pp"
MODULE = {"modules/m/manifests/init.pp": "class m { }\n"}


def not_taken(call: str) -> dict[str, str]:
    """A manifest with a branch that is not taken."""
    return {"manifests/site.pp": NOT_TAKEN.replace("CALL", call), **MODULE}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({**not_taken("include m::extra"), EXTRA: f"class m::extra {{ {CHANGES} }}"}, {EXTRA: "class m::extra { }"}),
        ({**not_taken("m::extra { x: }"), EXTRA: f"define m::extra {{ {CHANGES} }}"}, {EXTRA: "define m::extra { }"}),
        (
            {**not_taken("m::extra()"), FUNCTION: f"function m::extra() {{ {CHANGES} }}"},
            {FUNCTION: "function m::extra() { 1 }"},
        ),
        (not_taken("include m::extra"), {EXTRA: f"class m::extra {{ {CHANGES} }}"}),
        ({"manifests/site.pp": FILE, EXTRA: f"class m::extra {{ {CHANGES} }}"}, {EXTRA: "class m::extra { }"}),
        ({"manifests/site.pp": FILE, EXTRA: f"class m::extra {{ {CHANGES} }}"}, {EXTRA: "class m::extra { {{{ }"}),
        ({"manifests/site.pp": FILE, **MODULE}, {EXTRA: f"class m::extra {{ {CHANGES} }}"}),
        ({"manifests/site.pp": FILE, **MODULE}, {EXTRA: "class m::extra { File { owner => root, mode => '0' } }"}),
        (
            {"manifests/site.pp": FILE, "modules/m/manifests/init.pp": "class m { m::extra { x: } }",
             EXTRA: f"define m::extra {{ {CHANGES} }}"},
            {EXTRA: "define m::extra { }"},
        ),
        (
            {"manifests/site.pp": FILE, "modules/m/manifests/init.pp": "class m { m::extra() }",
             FUNCTION: f"function m::extra() {{ {CHANGES} }}"},
            {FUNCTION: "function m::extra() { 1 }"},
        ),
        (
            {"manifests/site.pp": FILE, "modules/m/manifests/init.pp": "class m { } class m::inner { }"},
            {"modules/m/manifests/init.pp": f"class m {{ }} class m::inner {{ {CHANGES} }}"},
        ),
        (
            {"manifests/site.pp": "if defined(File['/y']) { notify { y: } }\nnotify { z: }\n", **MODULE},
            {EXTRA: "class m::extra { file { '/y': } }"},
        ),
        (
            {"manifests/site.pp": "if tagged('extra') { notify { y: } }\n", **MODULE},
            {EXTRA: "class m::extra { }"},
        ),
    ],
    ids=[
        "class not declared", "define not declared", "function not called", "class that comes", "class nobody names",
        "class that can not be read", "class nobody names comes", "default", "through a define", "through a function",
        "in another's file", "resource not there", "tag not there",
    ],
)  # fmt: skip
def test_what_other_code_would_do_counts(tmp_path: Path, before: dict[str, str], after: dict[str, str]) -> None:
    """A store that is brought up to date says the same as one that is made anew, dependencies too."""
    fleet = Fleet(tmp_path, before, ("a", "b"))
    fleet.compile()
    assert fleet.compile().kept == ("a", "b")
    write(fleet.root, after)
    fleet.compile()
    fleet.compile(tmp_path / "fresh")
    assert fleet.state() == fleet.state(tmp_path / "fresh")


@pytest.mark.parametrize(
    "after",
    [
        {EXTRA: "class m::extra { # a comment\n  notify { a: } }"},
        {EXTRA: "class m::extra { notify { a: } notify { b: } }"},
        {"modules/m/manifests/new.pp": "class m::new { notify { n: } }"},
        {"modules/m/manifests/new.pp": "class m::new { Notify { message => 'n' } }"},
        {"modules/m/functions/new.pp": "function m::new() { 1 }"},
    ],
    ids=["comment", "resource", "class", "default of another type", "function"],
)
def test_what_would_do_the_same_does_not(tmp_path: Path, after: dict[str, str]) -> None:
    """Nodes that do not have a class are kept when it is given another resource."""
    before = {"manifests/site.pp": FILE, EXTRA: "class m::extra { notify { a: } }"}
    fleet = Fleet(tmp_path, before, ("a", "b"))
    fleet.compile()
    write(fleet.root, after)
    assert fleet.compile().kept == ("a", "b")
    fleet.compile(tmp_path / "fresh")
    assert fleet.state() == fleet.state(tmp_path / "fresh")


def test_what_was_read_before_does_not_count(tmp_path: Path) -> None:
    """Two nodes that read different files are told the same about all others, whoever comes first."""
    files = {
        "manifests/site.pp": FILE + "if $facts['role'] == 'any' { include m }\n",
        "modules/m/manifests/init.pp": f"class m {{ }} class m::inner {{ {CHANGES} }}",
    }
    fleet = Fleet(tmp_path, files, ("a", "b"))
    write(fleet.root, {"facts/b.yaml": "role: other\n"})
    fleet.compile()
    assert fleet.compile().kept == ("a", "b")
    for node in ("a", "b"):
        fleet.compile(tmp_path / node, nodes=[node])
        own = [row for row in fleet.rows("attributes") if row[0] == node]
        assert own == fleet.rows("attributes", tmp_path / node)
