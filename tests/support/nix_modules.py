"""The module library of `tests/cases/nix/modules`: its cases, what real Nix answered, and our own answers."""

from __future__ import annotations

import gc
import json
from functools import cache
from pathlib import Path
from typing import Any

from support.cases import CASES
from wherefrom.base.deep import with_deep_stack
from wherefrom.base.diagnostics import Diagnostic
from wherefrom.base.host import RealHost
from wherefrom.nix.front.language import guarded
from wherefrom.nix.front.machine import Machine
from wherefrom.nix.kernel.output import print_value

DIRECTORY = CASES / "nix" / "modules"
GOLDENS = Path(__file__).resolve().parent.parent / "oracle" / "goldens" / "nix_modules.json"

HEADERS = {
    "library": "let s = import ./.; inherit (s) lib pkgs; in",
    "evaluation": (
        "let lib = import ./lib; t = lib.types; opt = type: more: lib.mkOption ({ inherit type; } // more);"
        " run = modules: (lib.evalModules { inherit modules; }).config; in"
    ),
    "site": "let s = import ./.; m = s.machines; in",
}
"""What stands before each expression of a case file."""


@cache
def goldens() -> dict[str, dict[str, dict[str, str]]]:
    """What Nix answered: case file, expression."""
    found: dict[str, Any] = json.loads(GOLDENS.read_text())
    return found


def program(stem: str, expression: str) -> str:
    """The whole text to evaluate."""
    return f"{HEADERS[stem]} {expression}"


def answers(stem: str, expressions: list[str], traced: bool = False) -> dict[str, dict[str, str]]:
    """Our answers in the form of the goldens, all from one machine, so that every file is compiled once."""
    machine = Machine(RealHost([str(DIRECTORY)]), directory=str(DIRECTORY), traced=traced)

    def printed(expression: str) -> str:
        return print_value(machine.evaluate_text("«string»", program(stem, expression)), strict=True)

    def answer(expression: str) -> dict[str, str]:
        try:
            return {"value": guarded(machine, lambda: printed(expression)).replace(str(DIRECTORY), "@DIR@")}
        except Diagnostic as problem:
            return {"error": problem.message.replace(str(DIRECTORY), "@DIR@")}

    was_enabled = gc.isenabled()
    gc.disable()  # as `wherefrom eval` does: nothing here is garbage before the end
    try:
        return with_deep_stack(lambda: {expression: answer(expression) for expression in expressions})
    finally:
        if was_enabled:
            gc.enable()
