"""Asks real Nix for the answer to every expression about the module library and keeps the answers as goldens.

.venv/bin/python tests/oracle/record_nix_modules.py
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from support.cases import load_cases  # noqa: E402
from support.nix_modules import DIRECTORY, GOLDENS, program  # noqa: E402


def ask(text: str) -> dict[str, str]:
    """What real Nix answers: `{"value": ...}` or `{"error": ...}`."""
    command = ["nix-instantiate", "--store", "dummy://", "--readonly-mode", "--eval", "--strict", "-E", text]
    run = subprocess.run(command, cwd=DIRECTORY, capture_output=True, text=True, timeout=120, check=False)
    if run.returncode == 0:
        return {"value": run.stdout.replace(str(DIRECTORY), "@DIR@").rstrip("\n")}
    message = run.stderr.replace(str(DIRECTORY), "@DIR@")
    message = message[message.index("error:") + len("error:") :].split("\n\n       at ")[0]
    return {"error": message.split("\n(use '--show-trace'")[0].strip()}


def record() -> None:
    """Ask about every expression and write the goldens."""
    goldens: dict[str, dict[str, dict[str, str]]] = {}
    with ThreadPoolExecutor(2) as pool:
        for case in load_cases("nix/modules"):
            asked = case.sections["expressions"].splitlines()
            stem = case.path.stem
            found = pool.map(ask, [program(stem, each) for each in asked])
            goldens[stem] = dict(zip(asked, found, strict=True))
    GOLDENS.write_text(json.dumps(goldens, indent=1, ensure_ascii=True, sort_keys=True) + "\n")
    for stem, answers in goldens.items():
        failed = sum("error" in each for each in answers.values())
        print(f"{stem}: {len(answers)} answers recorded, {failed} of them errors")


if __name__ == "__main__":
    record()
