"""Evaluating the expressions of `tests/cases/nix/builtins`, and the answers that real Nix gave."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from support.cases import CASES
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.host import RealHost
from wherefrom.nix.front.language import guarded
from wherefrom.nix.front.machine import Machine
from wherefrom.nix.kernel.output import print_json, print_value, print_xml
from wherefrom.nix.kernel.versions import OLD, Dialect

DIRECTORY = CASES / "nix" / "builtins"
GOLDENS = Path(__file__).resolve().parent.parent / "oracle" / "goldens" / "nix_builtins.json"


@cache
def goldens() -> dict[str, dict[str, dict[str, dict[str, str]]]]:
    """What Nix answered: case, printing mode, expression."""
    found: dict[str, Any] = json.loads(GOLDENS.read_text())
    return found


def evaluate(
    expression: str,
    mode: str = "strict",
    directory: Path = DIRECTORY,
    traced: bool = False,
    dialect: Dialect = OLD,
) -> str:
    """What we print for an expression.  Raises `Diagnostic`."""

    machine = Machine(
        RealHost([str(directory)]), directory=str(directory), traced=traced, exact=mode == "plain", dialect=dialect
    )

    def work() -> str:
        slot = machine.evaluate_text("«string»", expression)
        if mode == "json":
            return print_json(machine, slot)
        if mode == "xml":
            return print_xml(machine, slot, strict=True)
        return print_value(slot, mode == "strict")

    return guarded(machine, work)


def answer(expression: str, mode: str = "strict", directory: Path = DIRECTORY, traced: bool = False) -> dict[str, str]:
    """Our answer in the form of the goldens: `{"value": ...}` or `{"error": ...}`."""
    try:
        return {"value": evaluate(expression, mode, directory, traced).replace(str(directory), "@DIR@").rstrip("\n")}
    except Diagnostic as problem:
        return {"error": problem.message.replace(str(directory), "@DIR@")}
