"""Asks real Nix about every expression in `tests/cases/nix/language` and keeps its answers as goldens.

    .venv/bin/python tests/oracle/record_nix.py

The goldens are `tests/oracle/goldens/nix_language.json`: for each case file, mode and expression, what
`nix-instantiate` printed, or the first line of its error. The directory of the cases is written `@DIR@`, the one
above it `@ABOVE@`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support.nix_language import DIRECTORY, GOLDENS, HOME, expressions, language_cases

FLAGS = {
    "plain": ["--eval"],
    "strict": ["--eval", "--strict"],
    "json": ["--eval", "--strict", "--json"],
    "xml": ["--eval", "--strict", "--xml"],
    "parse": ["--parse"],
}


def ask(expression: str, mode: str) -> dict[str, str]:
    """What real Nix answers: `{"value": ...}` or `{"error": ...}`."""
    command = ["nix-instantiate", "--store", "dummy://", "--readonly-mode", *FLAGS[mode], "-E", expression]
    environment = {"PATH": "/usr/bin:/bin", "HOME": HOME}
    run = subprocess.run(command, cwd=DIRECTORY, capture_output=True, env=environment, timeout=60, check=False)
    if run.returncode == 0:
        return {
            "value": run.stdout.decode("utf-8", "surrogateescape")
            .replace(str(DIRECTORY), "@DIR@")
            .replace(str(DIRECTORY.parent), "@ABOVE@")
            .rstrip("\n")
        }
    text = (
        run.stderr.decode("utf-8", "surrogateescape")
        .replace(str(DIRECTORY), "@DIR@")
        .replace(str(DIRECTORY.parent), "@ABOVE@")
    )
    return {"error": text[text.index("error:") + len("error:") :].strip().split("\n")[0]}


def record() -> None:
    """Ask about every expression and write the goldens."""
    made: dict[str, dict[str, dict[str, dict[str, str]]]] = {}
    with ThreadPoolExecutor(2) as pool:
        for case in language_cases():
            named = expressions(case)
            made[case.name] = {
                mode: dict(zip(named, pool.map(lambda text, mode=mode: ask(text, mode), named.values())))
                for mode in case.header["modes"]
            }
    GOLDENS.parent.mkdir(exist_ok=True)
    GOLDENS.write_text(json.dumps(made, indent=1, ensure_ascii=True) + "\n")
    print(f"{sum(len(each) for modes in made.values() for each in modes.values())} answers")


if __name__ == "__main__":
    record()
