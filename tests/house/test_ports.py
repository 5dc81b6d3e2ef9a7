"""Interfaces are narrow: how many there are, and how much each asks for, may fall and not rise."""

from __future__ import annotations

import ast
from pathlib import Path

from wherefrom.language import Catalog, Data, Exports, Options, Outcome
from wherefrom.nix.front.language import NixOutcome
from wherefrom.puppet.output.outcome import PuppetOutcome
from wherefrom.smartfrog.front import SmartFrogOutcome

SOURCE = Path(__file__).resolve().parents[2] / "src" / "wherefrom"
CAPABILITIES = (Catalog, Data, Exports, Options)
MOST_OF_AN_OUTCOME = 41
"""How many methods every language's outcome has."""
MOST_PROTOCOLS = 30


def public(kind: type) -> set[str]:
    """The names that a class itself gives to what it has."""
    return {name for name in vars(kind) if not name.startswith("_")}


def test_an_outcome_has_what_all_languages_have() -> None:
    """What only one can do is a capability, in a class of its own, which the others do not inherit."""
    methods = [name for name, value in vars(Outcome).items() if name[0] != "_" and not isinstance(value, str | tuple)]
    assert len(methods) <= MOST_OF_AN_OUTCOME
    for capability in CAPABILITIES:
        assert not public(capability) & public(Outcome)


def test_languages_inherit_what_they_have() -> None:
    """Asked by type, a language answers for itself."""
    kinds = {
        outcome: [capability for capability in CAPABILITIES if issubclass(outcome, capability)]
        for outcome in (PuppetOutcome, NixOutcome, SmartFrogOutcome)
    }
    assert kinds == {PuppetOutcome: [Catalog, Data, Exports], NixOutcome: [Options], SmartFrogOutcome: []}


def test_protocols_do_not_get_more() -> None:
    """Somebody who reads the code meets each of them."""
    protocols = [
        f"{file.relative_to(SOURCE)}:{node.name}"
        for file in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ClassDef) and any(getattr(base, "id", "") == "Protocol" for base in node.bases)
    ]
    assert len(protocols) <= MOST_PROTOCOLS, protocols
