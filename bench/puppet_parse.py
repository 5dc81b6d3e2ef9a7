"""Lines per second: our parser against Puppet's own, on the same files, side by side in one run.

    python bench/puppet_parse.py [DIRECTORY]

The files are the manifests below DIRECTORY (default: the installed Puppet modules). Both parse and validate; reading
the files is left out on both sides, but with the cache our time includes reading its entries. The figures are CPU
seconds, so that a busy machine does not favour either, and the best of several rounds; the rounds take turns.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from wherefrom.base.source import SourceFile
from wherefrom.puppet.syntax.cache import TreeCache
from wherefrom.puppet.syntax.parser import parse

ORACLE = Path(__file__).resolve().parents[1] / "tests" / "oracle" / "puppet_syntax.rb"
ROUNDS = 3


def manifests(root: Path) -> list[SourceFile]:
    """Every manifest below `root`, links followed, each once."""
    paths = sorted({path.resolve() for top in root.iterdir() for path in top.rglob("*.pp")})
    return [SourceFile(str(path), path.read_bytes().decode()) for path in paths]


def puppet_seconds(sources: list[SourceFile]) -> float:
    """What Puppet's parser and validator take for all files."""
    requests = "".join(json.dumps({"id": 0, "path": each.name, "time": True}) + "\n" for each in sources)
    run = subprocess.run(["ruby", str(ORACLE)], input=requests, capture_output=True, text=True, check=True)
    return sum(float(json.loads(line).get("seconds", 0.0)) for line in run.stdout.splitlines())


def our_seconds(sources: list[SourceFile], read: Callable[[SourceFile], object]) -> float:
    """What we take for all files."""
    started = time.process_time()
    for each in sources:
        read(each)
    return time.process_time() - started


def main() -> None:
    """Measure and print the table."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/puppet/modules")
    sources = manifests(root)
    lines = sum(each.text.count("\n") for each in sources)
    print(f"{len(sources):,} files, {lines:,} lines")
    with tempfile.TemporaryDirectory() as directory:
        for each in sources:
            TreeCache(directory).parse(each)
        puppet, cold, warm = [], [], []
        for _ in range(ROUNDS):
            puppet.append(puppet_seconds(sources))
            cold.append(our_seconds(sources, parse))
            warm.append(our_seconds(sources, TreeCache(directory).parse))
    rows = [("Puppet", min(puppet)), ("wherefrom", min(cold)), ("wherefrom, cached", min(warm))]
    for name, seconds in rows:
        ratio = min(puppet) / seconds
        print(f"{name:<15} {seconds:6.2f} s  {lines / seconds:>11,.0f} lines/s  {ratio:5.1f} x")


if __name__ == "__main__":
    main()
