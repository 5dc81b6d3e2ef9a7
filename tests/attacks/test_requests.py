"""Requests, classifiers and lock files of the wrong kind, and language insides outside of their place: clear errors."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from attacks.running import wherefrom
from wherefrom import Session
from wherefrom.base.diagnostics import UsageError


def error(request: dict[str, Any]) -> str | None:
    """The message of the answer to a batch request; nothing if it compiles."""
    try:
        answer = Session().answer({"id": 0, **request})
    except UsageError as problem:
        return str(problem)
    return None if answer["ok"] else str(answer["error"]["message"])


@pytest.mark.parametrize(
    ("request_fields", "words"),
    [
        ({"manifest": 5}, "the field 'manifest' must be a string, not a number"),
        ({"manifest": "", "facts": "x"}, "the field 'facts' must be an object, not a string"),
        ({"manifest": "", "node": []}, "the field 'node' must be a string, not a list"),
        ({"manifest": "", "modulepath": 3}, "the field 'modulepath' must be a list of strings, not a number"),
        ({"manifest": "", "files": []}, "the field 'files' must be an object"),
        ({"manifest": "", "settings": "a"}, "the field 'settings' must be an object, not a string"),
        ({"manifest": "", "classes": 7}, "the field 'classes' must be a list of strings"),
        ({"manifest": "", "nope": 1}, "unknown field 'nope', did you mean 'node'?"),
        ({"manifest": "$c = Puppet::LookupContext.new('m') $c.not_found()"}, "uncaught throw :no_such_key"),
        ({"manifest": "plan x() {}"}, "Expression is not valid as a resource"),
    ],
)
def test_a_wrong_request_gets_an_error(request_fields: dict[str, Any], words: str) -> None:
    assert words in (error(request_fields) or "")


def test_a_plan_where_plans_are_allowed() -> None:
    assert error({"manifest": "plan x() {}", "settings": {"tasks": True}}) is None


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [*a]",
        "classes: 5",
        "classes: {a: 5}",
        "classes: {[1]: {}}",
        "classes: [1, {}]",
        "classes: {a: {x: !ruby/object:Foo {}}}",
        "parameters: [1]",
        "- x",
        "[",
        "[" * 100_000,
        "\n".join(["y0: &a0 [1]", *(f"y{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40))]),
    ],
    ids=lambda text: text[:24],
)
def test_a_classifier_that_lies(tmp_path: Path, text: str) -> None:
    (tmp_path / "site.pp").write_text("class a($x = 1) { }")
    (tmp_path / "enc.yaml").write_text(text)
    ran = wherefrom("compile", str(tmp_path / "site.pp"), "--enc", str(tmp_path / "enc.yaml"))
    assert ran.status == 1, ran
    assert b"enc.yaml" in ran.err


def test_a_classifier_that_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "site.pp").write_text("")
    os.mkfifo(tmp_path / "enc.yaml")
    ran = wherefrom("compile", str(tmp_path / "site.pp"), "--enc", str(tmp_path / "enc.yaml"))
    assert (ran.status, b"not a regular file" in ran.err) == (1, True)


LOCKED = {"version": 7, "root": "root"}


@pytest.mark.parametrize(
    "lock",
    [
        "{",
        "[]",
        "[" * 100_000,
        json.dumps({"version": "x", "root": 3, "nodes": 3}),
        json.dumps({**LOCKED, "nodes": {}}),
        json.dumps({**LOCKED, "nodes": {"root": {"inputs": {"a": ["a"]}}}}),
        json.dumps({**LOCKED, "nodes": {"root": {"inputs": {"a": ["a"] * 100_000}}}}),
        json.dumps({**LOCKED, "nodes": {"root": {"inputs": {"a": 5}}}}),
    ],
    ids=lambda text: text[:40],
)
def test_a_lock_file_that_lies(tmp_path: Path, lock: str) -> None:
    (tmp_path / "flake.nix").write_text('{ inputs.a.url = "path:./a"; outputs = { self, a }: { y = a.z; }; }')
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "flake.nix").write_text("{ outputs = { self }: { z = 2; }; }")
    (tmp_path / "flake.lock").write_text(lock)
    ran = wherefrom("eval", f"{tmp_path}#y")
    assert ran.status == 1, ran
    assert b"internal" not in ran.err


@pytest.mark.parametrize("locked", [{"type": "path", "path": "/etc"}, {"type": "git", "url": "ext::sh -c id"}])
def test_a_lock_file_leads_nowhere_else(tmp_path: Path, locked: dict[str, str]) -> None:
    """An input that the flake does not take from there is not taken from there."""
    (tmp_path / "flake.nix").write_text('{ inputs.a.url = "github:x/y"; outputs = { self, a }: { y = a.z; }; }')
    node = {"locked": locked, "original": {"type": "github", "owner": "x", "repo": "y"}}
    (tmp_path / "flake.lock").write_text(json.dumps({**LOCKED, "nodes": {"root": {"inputs": {"a": "a"}}, "a": node}}))
    ran = wherefrom("eval", f"{tmp_path}#y")
    assert ran.status == 1, ran
