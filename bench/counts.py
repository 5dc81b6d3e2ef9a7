"""Counts of work: how many calls a short set of rows makes. Continuous integration compares them, since seconds differ.

    python -m bench.counts FILE             # count, write FILE
    python -m bench.counts FILE --compare   # count, compare with FILE: exit status 1 if some row makes 5 % more calls

A count says nothing about the work inside of a call; what makes one more expensive is seen by `make bench`. But it does
not depend on how busy the machine is, so that a small bound can be held: an algorithm that became
quadratic, a value made twice or a cache that no longer hits shows as more calls. `bench/counts.json` has the counts of
the version that it lies beside; write it again with a change that is meant to do more work, and say why.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import compare, debian_classes, debian_nodes, nix_modules
from bench.measure import run
from bench.rows.catalogs import LOOPS
from bench.rows.common import driven
from bench.rows.smartfrog import smartfrog_text


def items(scratch: Path) -> Iterator[dict[str, Any]]:
    """The short set."""
    for name in ("1,000 files by each", "1,000 defines with a file", "1,000 virtual resources, 10 collectors"):
        node = {"manifest": LOOPS[name], "node": "node.example.com", "facts": {}, "modulepath": []}
        yield {"id": name, "kind": "puppet", **node}
    if debian_classes.MODULES.is_dir():
        for name in debian_nodes.NODES:
            yield {**debian_nodes.request(name), "id": name, "kind": "puppet"}
    small, large = scratch / "small.sf", scratch / "large.sf"
    for path, size in ((small, 1_000), (large, 2_000)):
        path.write_text(smartfrog_text(size))
        yield {"id": f"{size:,} SmartFrog components", "kind": "smartfrog", "path": str(path)}
    output = "group1:m3:web:running"
    yield {"id": "explain a SmartFrog value", "kind": "explain", "path": str(small), "output": output}
    yield {"id": "impact of a SmartFrog line", "kind": "impact", "path": str(small), "target": "small.sf:1"}
    machine = str(nix_modules.write_tree(scratch / "machine"))
    yield {"id": "Nix: a machine of 400 options", "kind": "nix", "path": machine, "trace": False}
    yield {"id": "Nix: a machine of 400 options, recorded", "kind": "nix", "path": machine, "trace": True}


def count() -> dict[str, Any]:
    """Count all rows, in a process that has an empty cache of parsed files."""
    with tempfile.TemporaryDirectory() as folder:
        side = driven(
            ({**item, "count": True} for item in items(Path(folder))), environment={"XDG_CACHE_HOME": f"{folder}/cache"}
        )
        answers = [json.loads(line) for line in run(side).output.splitlines()]
    calls = {answer["id"]: answer["calls"] for answer in answers}
    return {"python": ".".join(platform.python_version_tuple()[:2]), "calls": calls}


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0], prog="python -m bench.counts")
    parser.add_argument("file", type=Path)
    parser.add_argument("--compare", action="store_true", help="compare with FILE and leave it as it is")
    options = parser.parse_args()
    found = count()
    if options.compare:
        return compare.calls(json.loads(options.file.read_text()), found)
    options.file.write_text(json.dumps(found, indent=2) + "\n")
    print(f"{options.file}: {len(found['calls'])} rows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
