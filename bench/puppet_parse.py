"""What Puppet's own parser and validator take for all manifests below a folder: `python bench/puppet_parse.py FOLDER`.

A driver for the benchmarks: it prints one JSON line with the seconds. Reading the files is left out, as for ours.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ORACLE = Path(__file__).resolve().parents[1] / "tests" / "oracle" / "puppet_syntax.rb"


def main() -> None:
    """Parse all manifests, links followed, each once."""
    root = Path(sys.argv[1])
    paths = sorted({path.resolve() for top in root.iterdir() for path in top.rglob("*.pp")})
    requests = "".join(json.dumps({"id": 0, "path": str(path), "time": True}) + "\n" for path in paths)
    run = subprocess.run(["ruby", str(ORACLE)], input=requests, capture_output=True, text=True, check=True)
    seconds = sum(float(json.loads(line).get("seconds", 0.0)) for line in run.stdout.splitlines())
    print(json.dumps({"id": "all", "seconds": [seconds]}))


if __name__ == "__main__":
    main()
