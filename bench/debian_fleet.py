"""A fleet over Debian's modules: nodes a second and core beside real Puppet, the size of the store.

    python bench/debian_fleet.py [NODES]      # 1,000 unless given; needs Debian's packages puppet-module-*

The fleet is that of `bench/fleet_generator.py debian`: four roles at fifty sites on two systems. Rates are processor
time of one process, with what every value depends on, traces and the store: for nodes of each role compiled one by one,
and for all of them, where nodes are made from one another. Real Puppet compiles one node of each role in a warm
process, its best of seven, and must give the same catalogs.
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import fleet
from bench.fleet_generator import DEBIAN_MODULES, ROLES, debian_fleet

from wherefrom.base.collector import own_process
from wherefrom.cli.main import status_of

SAMPLE = 12
"""Nodes of a role that are compiled one by one."""


def catalog(name: str) -> dict[str, object]:
    """A node's catalog, as the command prints it."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert status_of(["compile", "--node", name, "--json"]) == 0, name
    document: dict[str, object] = json.loads(printed.getvalue())
    return document


def in_process(*arguments: str) -> tuple[float, float]:
    """Processor time of a command in a process of its own, as a user runs it, and the most memory it took, in MB."""
    command = [sys.executable, "-m", "wherefrom", *arguments]
    _, status, used = os.wait4(os.spawnv(os.P_NOWAIT, sys.executable, command), 0)
    assert status == 0, arguments
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> int:
    """Measure, and print what was found."""
    if not DEBIAN_MODULES.is_dir():
        print(f"Debian's modules are not here: {DEBIAN_MODULES}", file=sys.stderr)
        return 2
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    own_process()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "fleet"
        names = debian_fleet(folder, count)
        os.chdir(folder)
        each: list[float] = []
        for role in ROLES:
            some = [name for name in names if name.startswith(role)][: SAMPLE + 1]
            pattern = ",".join(some)
            how = ("--jobs", "1", "--no-share")
            one, _ = in_process("fleet", "compile", "--store", f"../{role}1", *how, "--nodes", some[0])
            more, _ = in_process("fleet", "compile", "--store", f"../{role}", *how, "--nodes", pattern)
            each.append((more - one) / (len(some) - 1))
            print(f"{role}: {each[-1]:.3f} s a further node, of {len(some)}", flush=True)
        print(f"each compiled: {len(each) / sum(each):.1f} nodes a second and core")
        taken, memory = in_process("fleet", "compile", "--store", "../all", "--jobs", "1")
        size = sum(path.stat().st_size for path in (folder.parent / "all").iterdir())
        print(f"made from one another: {count / taken:.1f} nodes a second and core")
        print(f"memory at the most: {memory:.0f} MB; the store: {size // count} bytes a node")
        puppet = fleet.real_puppet(folder, [names[place] for place in range(len(ROLES))], catalog)
        if puppet is not None:
            seconds, equal = puppet
            print(f"real Puppet: {1 / seconds:.1f} nodes a second; {equal} of {len(ROLES)} catalogs equal")
            print(f"ratios: {seconds * len(each) / sum(each):.2f} each, {seconds * count / taken:.2f} all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
