"""Compare two files of figures, of `make bench` or of `python -m bench.counts`: what became slower.

    python bench/compare.py OLD NEW

A row of times has regressed if it is slower by more than a tenth *and* its fastest round is slower than the slowest one
was, so that noise alone is not called a regression. Where the real tool was measured on both occasions, its time tells
how much slower the machine is today, and ours is divided by it. A row of counts has regressed if it makes 5 % more
calls. The exit status is 1 if some row has regressed, 2 if the files can not be compared.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SLOWER = 1.10
MORE = 1.05
OURS = "wherefrom"


def times(old: dict[str, Any], new: dict[str, Any]) -> int:
    """Compare two files of `make bench`."""
    before = {(row["group"], row["name"]): row for row in old["rows"]}
    regressed = compared = 0
    for row in new["rows"]:
        known = before.get((row["group"], row["name"]))
        if known is None or OURS not in row["sides"] or OURS not in known["sides"]:
            continue
        compared += 1
        first, then = known["sides"][OURS], row["sides"][OURS]
        machine = _machine(known, row)
        factor = then["seconds"] / first["seconds"] / machine
        if factor > SLOWER and then["low"] / machine > first["high"]:
            regressed += 1
            print(f"slower {factor:.2f}x  {row['group']}: {row['name']}")
        elif factor < 1 / SLOWER and then["high"] / machine < first["low"]:
            print(f"faster {1 / factor:.2f}x  {row['group']}: {row['name']}")
    print(f"{compared} rows compared, {regressed} slower")
    return 1 if regressed else 0


def _machine(old: dict[str, Any], new: dict[str, Any]) -> float:
    """How many times slower the machine is than it was, by the real tool's time."""
    shared = [name for name in old["sides"] if name in new["sides"] and not name.startswith(OURS)]
    return new["sides"][shared[0]]["seconds"] / old["sides"][shared[0]]["seconds"] if shared else 1.0


def calls(old: dict[str, Any], new: dict[str, Any]) -> int:
    """Compare two counts."""
    if old["python"] != new["python"]:
        print(f"counted with Python {old['python']} and {new['python']}: not compared")
        return 0
    regressed = 0
    for name, count in new["calls"].items():
        known = old["calls"].get(name)
        if known is None:
            print(f"new        {name}: {count:,} calls")
            continue
        regressed += count > known * MORE
        word = "MORE" if count > known * MORE else "fewer" if count < known / MORE else "the same"
        print(f"{word:8} {count / known:6.3f}  {name}: {known:,} calls, now {count:,}")
    print(f"{len(new['calls'])} rows counted, {regressed} make more calls than {MORE - 1:.0%} above what they did")
    return 1 if regressed else 0


def main() -> int:
    """Compare the two files that the command line names."""
    if len(sys.argv) != 3:
        print("usage: python bench/compare.py OLD NEW", file=sys.stderr)
        return 2
    try:
        old, new = (json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:])
    except (OSError, ValueError) as problem:
        print(f"can not be read: {problem}", file=sys.stderr)
        return 2
    for key, compare in (("rows", times), ("calls", calls)):
        if key in old and key in new:
            return compare(old, new)
    print("these are not two files of the same kind", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
