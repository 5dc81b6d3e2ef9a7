"""Start-up: the smallest thing that can be asked of each command."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Row, Side
from bench.rows.common import NOT_INSTALLED, PUPPET, lines, ours

GROUP = "Start-up"


def rows(scratch: Path) -> Iterator[Row]:
    """The smallest program of each language."""
    python = Side([sys.executable, "-c", "pass"])
    yield Row(GROUP, "`--version`, beside Python itself", {"wherefrom": ours("--version"), "Python": python})
    puppet, nix, sf = scratch / "one.pp", scratch / "one.nix", scratch / "one.sf"
    puppet.write_text("notify { 'x': }\n")
    nix.write_text("1\n")
    sf.write_text("sfConfig extends { a 1; }\n")
    catalog = {"wherefrom": ours("compile", "--json", str(puppet))}
    request = {"id": "one", "manifest": puppet.read_text(), "node": "node.example.com", "facts": {}}
    if shutil.which("puppet"):
        catalog["Puppet"] = Side(PUPPET, lines([request]))
    absent = {} if shutil.which("puppet") else {"Puppet": NOT_INSTALLED}
    yield Row(GROUP, "compile a manifest of one resource", catalog, absent)
    value = {"wherefrom": ours("eval", str(nix))}
    if shutil.which("nix-instantiate"):
        value["Nix"] = Side(["nix-instantiate", "--store", "dummy://", "--eval", "--strict", str(nix)])
    absent = {} if shutil.which("nix-instantiate") else {"Nix": NOT_INSTALLED}
    yield Row(GROUP, "evaluate the Nix expression 1", value, absent)
    yield Row(GROUP, "compile a SmartFrog component", {"wherefrom": ours("compile", "--json", str(sf))})
    yield Row(GROUP, "explain a parameter of one resource", {"wherefrom": ours("explain", str(puppet), "Notify[x]")})
