"""The same work of ours by several Pythons: `PYTHONS=/path/one:/path/two make bench`, with what each needs installed.

Each path is an interpreter that has the packages of `requirements.lock`, in an environment of its own, say. Its side is
called by its version, and by whether it was configured with `--enable-optimizations` (profile-guided optimisation);
Debian's, which is optimised in another way, does not say so.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench import debian_classes, debian_nodes
from bench.measure import Row, Side
from bench.rows.catalogs import LOOPS
from bench.rows.common import ROOT, driven
from bench.rows.nix import PROGRAMS
from bench.rows.smartfrog import smartfrog_text

GROUP = "Python"
TOLD = """
import platform, sysconfig
options = sysconfig.get_config_var("CONFIG_ARGS") or ""
print(platform.python_version() + (", --enable-optimizations" if "--enable-optimizations" in options else ""))
"""


def rows(scratch: Path) -> Iterator[Row]:
    """Catalogs, a loop, a Nix function and a SmartFrog tree, by each interpreter."""
    given = [path for path in os.environ.get("PYTHONS", "").split(os.pathsep) if path]
    if not given:
        yield Row(GROUP, "other interpreters", {}, {"wherefrom": "none was given (PYTHONS=PATH:PATH)"})
        return
    node = {"node": "node.example.com", "facts": {}, "modulepath": []}
    specification, function = scratch / "a.sf", scratch / "fib.nix"
    specification.write_text(smartfrog_text(4_000))
    function.write_text(PROGRAMS["Fibonacci"])
    items: dict[str, dict[str, Any]] = {
        "1,000 defines with a file": {"kind": "puppet", "manifest": LOOPS["1,000 defines with a file"], **node},
        "4,000 SmartFrog components": {"kind": "smartfrog", "path": str(specification)},
        "Nix: Fibonacci": {"kind": "nix", "path": str(function), "trace": False},
    }
    if debian_classes.MODULES.is_dir():
        debian_classes.synchronized()
        for name in debian_nodes.NODES:
            items[name] = {**debian_nodes.request(name), "kind": "puppet"}
    names = {path: _name(path) for path in [sys.executable, *given]}
    for name, item in items.items():
        side = driven([{**item, "id": "", "repeat": 5}])
        sides = {"wherefrom": side}
        sides |= {f"wherefrom, {names[path]}": _by(side, path) for path in given}
        yield Row(GROUP, f"{name}, {names[sys.executable]}", sides)


def _by(side: Side, path: str) -> Side:
    return replace(side, command=[path, *side.command[1:]], environment={"PYTHONPATH": str(ROOT / "src")})


def _name(path: str) -> str:
    return subprocess.run([path, "-c", TOLD], capture_output=True, text=True, check=True).stdout.strip()
