"""The configurations of `tests/cases/nix/home`: what is asked of them, what real Nix answered, and our own answers."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from support.cases import CASES
from wherefrom.api import compile
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.language import Outcome
from wherefrom.nix.front.language import NixOutcome

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
    "idioms",
)


def outcome(user: str, traced: bool = True, **options: Any) -> Outcome:
    """The configuration of a person."""
    arguments = {"user": str(HOME / "users" / f"{user}.nix")}
    return compile(str(HOME / "default.nix"), roots=[str(HOME.parent)], args=arguments, trace=traced, **options)


def answer(user: str, query: str, traced: bool) -> dict[str, str]:
    """Our answer in the form of the goldens."""
    try:
        run = outcome(user, traced, attr_path=query)
        assert isinstance(run, NixOutcome)
        return {"value": run.printed("text", strict=True).replace(str(HOME), "@DIR@").rstrip("\n")}
    except Diagnostic as problem:
        return {"error": problem.message.replace(str(HOME), "@DIR@")}


@cache
def goldens() -> dict[str, dict[str, dict[str, str]]]:
    """What Nix answered: person, query."""
    recorded: dict[str, Any] = json.loads(GOLDENS.read_text())
    return recorded


def nix_answer(user: str, query: str) -> dict[str, str]:
    """What real Nix answers: `{"value": ...}` or `{"error": ...}`."""
    command = ["nix-instantiate", "--store", "dummy://", "--readonly-mode", "--eval", "--strict", "default.nix"]
    command += ["--arg", "user", f"./users/{user}.nix", "-A", query]
    run = subprocess.run(command, cwd=HOME, capture_output=True, text=True, timeout=120, check=False)
    if run.returncode == 0:
        return {"value": run.stdout.replace(str(HOME), "@DIR@").rstrip("\n")}
    message = run.stderr.replace(str(HOME), "@DIR@")
    message = message[message.index("error:") + len("error:") :].split("\n\n       at ")[0]
    return {"error": message.split("\n(use '--show-trace'")[0].strip()}


def nix_answers() -> dict[str, dict[str, dict[str, str]]]:
    """What real Nix answers to every question about every person."""
    return {user: {query: nix_answer(user, query) for query in QUERIES} for user in USERS}
