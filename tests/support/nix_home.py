"""The configurations of `tests/cases/nix/home`: what is asked of them, what real Nix answered, and our own answers."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from support.cases import CASES
from whence.api import compile
from whence.base.diagnostics import Diagnostic
from whence.language import Outcome

HOME = CASES / "nix" / "home"
GOLDENS = Path(__file__).resolve().parent.parent / "oracle" / "goldens" / "nix_home.json"
USERS = ("alice", "bob")
QUERIES = (
    "config.home",
    "config.flake",
    "config.perSystem",
    "config.programs.shell",
    "config.programs.git.settings",
    "config.services",
    "declared",
    "defined",
    "documentation",
)


def outcome(user: str, traced: bool = True, **options: Any) -> Outcome:
    """The configuration of a person."""
    arguments = {"user": str(HOME / "users" / f"{user}.nix")}
    return compile(str(HOME / "default.nix"), roots=[str(HOME.parent)], args=arguments, trace=traced, **options)


def answer(user: str, query: str, traced: bool) -> dict[str, str]:
    """Our answer in the form of the goldens."""
    try:
        printed = outcome(user, traced, attr_path=query).printed("text", strict=True)
        return {"value": printed.replace(str(HOME), "@DIR@").rstrip("\n")}
    except Diagnostic as problem:
        return {"error": problem.message.replace(str(HOME), "@DIR@")}


@cache
def goldens() -> dict[str, dict[str, dict[str, str]]]:
    """What Nix answered: person, query."""
    recorded: dict[str, Any] = json.loads(GOLDENS.read_text())
    return recorded
