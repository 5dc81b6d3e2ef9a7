"""Asking real Puppet's parser: one Ruby process, many questions."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).resolve().parent.parent / "oracle" / "puppet_syntax.rb"


def ask(requests: Iterable[dict[str, Any]], timeout: float = 600) -> list[dict[str, Any]]:
    """Answers to requests, in order; see the script for both."""
    lines = "".join(json.dumps(each) + "\n" for each in requests)
    command = ["ruby", str(SCRIPT)]
    run = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=timeout, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def modules(suffix: str) -> list[Path]:
    """All files of the installed Puppet modules with a suffix, links followed, each once."""
    root = Path("/usr/share/puppet/modules")
    if not root.exists():
        return []
    found = {file.resolve() for module in root.iterdir() for file in module.rglob(f"*{suffix}")}
    return sorted(each for each in found if each.is_file())
