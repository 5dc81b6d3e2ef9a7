"""Asks real Nix for the answer to every expression in `tests/cases/nix/builtins` and keeps the answers as goldens.

    .venv/bin/python tests/oracle/record_nix_builtins.py

The goldens are `tests/oracle/goldens/nix_builtins.json`: for each case file, for each printing mode, for each
expression, what `nix-instantiate` printed, or the first paragraph of its error. The directory of the cases is written
`@DIR@` in the answers, so that they hold wherever the repository lies.
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from support.cases import CASES, Case, load_cases  # noqa: E402

FOLDER = "nix/builtins"
DIRECTORY = CASES / FOLDER
GOLDENS = HERE / "goldens" / "nix_builtins.json"
FLAGS = {
    "plain": [],
    "strict": ["--strict"],
    "json": ["--strict", "--json"],
    "xml": ["--strict", "--xml", "--no-location"],
}


def expressions(case: Case) -> list[str]:
    """The expressions of a case: the lines of `expressions`, or the sections `expression NAME`."""
    lines = case.sections.get("expressions", "").splitlines()
    return lines + [text.rstrip("\n") for name, text in case.sections.items() if name.startswith("expression ")]


def modes(case: Case) -> list[str]:
    """The ways in which the answers of a case are printed."""
    found: list[str] = case.header.get("modes", ["strict"])
    return found


def ask(expression: str, mode: str) -> dict[str, str]:
    """What real Nix answers: `{"value": ...}` or `{"error": ...}`."""
    command = ["nix-instantiate", "--store", "dummy://", "--readonly-mode", "--eval", *FLAGS[mode], "-E", expression]
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    run = subprocess.run(command, cwd=DIRECTORY, capture_output=True, env=environment, timeout=60, check=False)
    if run.returncode == 0:
        return {"value": run.stdout.decode("utf-8", "surrogateescape").replace(str(DIRECTORY), "@DIR@").rstrip("\n")}
    text = run.stderr.decode("utf-8", "surrogateescape").replace(str(DIRECTORY), "@DIR@")
    message = text[text.index("error:") + len("error:") :].split("\n\n")[0].split("\n(use '--show-trace'")[0]
    return {"error": message.split("\nTry 'nix-instantiate")[0].strip()}


def record() -> None:
    """Ask about every expression and write the goldens."""
    goldens: dict[str, dict[str, dict[str, dict[str, str]]]] = {}
    with ThreadPoolExecutor(2) as pool:
        for case in load_cases(FOLDER):
            for mode in modes(case):
                asked = expressions(case)
                answers = pool.map(ask, asked, [mode] * len(asked))
                goldens.setdefault(case.path.stem, {})[mode] = dict(zip(asked, answers, strict=True))
    GOLDENS.write_text(json.dumps(goldens, indent=1, ensure_ascii=True, sort_keys=True) + "\n")
    print(sum(len(answers) for modes in goldens.values() for answers in modes.values()), "answers recorded")


if __name__ == "__main__":
    record()
