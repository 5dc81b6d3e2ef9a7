"""What the tests of the Nix language share: expressions from case files, and our answers in the modes of real Nix."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wherefrom.base.deep import with_deep_stack
from wherefrom.base.diagnostics import Diagnostic, ManyErrors
from wherefrom.base.host import PureHost, RealHost
from wherefrom.base.source import SourceFile
from wherefrom.nix.front.language import NixOutcome, Request, show_parse
from wherefrom.nix.kernel.paths import STRING

from .cases import CASES, Case, load_cases

FOLDER = "nix/language"
DIRECTORY = CASES / FOLDER
GOLDENS = Path(__file__).resolve().parent.parent / "oracle" / "goldens" / "nix_language.json"
HOME = "/home/nobody"


def language_cases() -> list[Case]:
    """The case files."""
    return load_cases(FOLDER)


def expressions(case: Case) -> dict[str, str]:
    """The expressions of a case by name: the lines of `expressions`, and the sections `expression NAME`."""
    found = {f"line {n}": line for n, line in enumerate(case.sections.get("expressions", "").splitlines(), 1)}
    for name, text in case.sections.items():
        if name.startswith("expression "):
            found[name.removeprefix("expression ")] = text.removesuffix("\n")
    return found


def goldens() -> dict[str, dict[str, dict[str, dict[str, str]]]]:
    """Real Nix's answers: by case, mode and name of the expression."""
    made: dict[str, Any] = json.loads(GOLDENS.read_text())
    return made


def evaluate(expression: str, traced: bool = False, **options: Any) -> NixOutcome:
    """The outcome of an expression that reads files of the case folder alone."""
    host = RealHost([str(DIRECTORY)], {"HOME": HOME})
    return NixOutcome(Request("", host, {"expression": expression, **options}), traced)


def answer(expression: str, mode: str = "strict", traced: bool = False) -> str:
    """What we print in a mode of real Nix; `error CODE` if it fails."""
    try:
        if mode == "parse":
            return show_parse(SourceFile(STRING, expression), PureHost({}, {"HOME": HOME}), str(DIRECTORY))
        form = mode if mode in ("json", "xml") else "text"
        outcome = evaluate(expression, traced, directory=str(DIRECTORY))
        return with_deep_stack(lambda: outcome.printed(form, strict=mode != "plain"))
    except ManyErrors as problems:
        return f"error {problems.diagnostics[0].code}"
    except Diagnostic as problem:
        return f"error {problem.code}"


def same_tree(ours: str, theirs: str) -> bool:
    """Whether two texts of `--parse` say the same.

    Nix prints the bindings of `let` and the formals of patterns in the order of its symbol table's addresses, so where
    those occur the words are compared in any order.
    """
    if ours == theirs:
        return True
    free = "(let " in theirs or ", " in theirs
    return free and _words(ours) == _words(theirs)


def _words(text: str) -> list[str]:
    for mark in "();,":
        text = text.replace(mark, f" {mark} ")
    return sorted(text.split())
