"""Asks real Nix about the configurations of `tests/cases/nix/home` and keeps the answers as goldens.

.venv/bin/python tests/oracle/record_nix_home.py
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from support.nix_home import GOLDENS, HOME, QUERIES, USERS


def ask(user: str, query: str) -> dict[str, str]:
    """What real Nix answers: `{"value": ...}` or `{"error": ...}`."""
    command = ["nix-instantiate", "--store", "dummy://", "--readonly-mode", "--eval", "--strict", "default.nix"]
    command += ["--arg", "user", f"./users/{user}.nix", "-A", query]
    run = subprocess.run(command, cwd=HOME, capture_output=True, text=True, timeout=120, check=False)
    if run.returncode == 0:
        return {"value": run.stdout.replace(str(HOME), "@DIR@").rstrip("\n")}
    message = run.stderr.replace(str(HOME), "@DIR@")
    message = message[message.index("error:") + len("error:") :].split("\n\n       at ")[0]
    return {"error": message.split("\n(use '--show-trace'")[0].strip()}


def record() -> dict[str, dict[str, dict[str, str]]]:
    """What Nix answers to every question about every person."""
    return {user: {query: ask(user, query) for query in QUERIES} for user in USERS}


if __name__ == "__main__":
    GOLDENS.write_text(json.dumps(record(), indent=1, ensure_ascii=True, sort_keys=True) + "\n")
