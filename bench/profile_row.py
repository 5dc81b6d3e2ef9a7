"""`make profile ROW='words'`: where the time of a row goes, by package of ours and by function.

    python -m bench.profile_row WORDS...

The first row whose group and name hold the words is run once under Python's profiler, our side alone. Commands run in
their own process instead of a contained child, so that the profiler sees the work. The profiler itself makes a run two
to four times as long, short functions most of all: shares are indications, and seconds are not those of the benchmarks.
"""

from __future__ import annotations

import os
import pstats
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from bench.__main__ import found
from bench.measure import OURS, Row, Side
from bench.rows.common import ROOT

LINES = 30


def main() -> int:
    """Profile the row that the command line names."""
    words = sys.argv[1:]
    if not words:
        print("usage: python -m bench.profile_row WORDS (python -m bench --list has the rows)", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        row = next((row for row in found(Path(scratch), words) if isinstance(row, Row) and OURS in row.sides), None)
        if row is None:
            print(f"no row of processes has these words: {' '.join(words)}", file=sys.stderr)
            return 2
        print(f"{row.group}: {row.name}")
        show(profiled(row.sides[OURS], Path(scratch, "profile")))
    return 0


def profiled(side: Side, kept: Path) -> pstats.Stats:
    """Run a side of ours under the profiler."""
    assert side.command[0] == sys.executable
    command = [sys.executable, str(ROOT / "bench" / "profiled.py"), str(kept), *side.command[1:]]
    environment = {**os.environ, **side.environment, "WHEREFROM_CONTAINED": "no"}
    done = subprocess.run(
        command, input=side.stdin, text=True, stdout=subprocess.DEVNULL, env=environment, cwd=side.folder
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(side.command)}: exit status {done.returncode}")
    return pstats.Stats(str(kept))


def show(stats: pstats.Stats) -> None:
    """Own time by package, then the functions with the most of their own and with what they call."""
    rooms: Counter[str] = Counter()
    for (file, _, name), (_, _, own, _, _) in stats.stats.items():  # type: ignore[attr-defined]  # not in the stubs
        rooms[_room(file, name)] += own
    total = sum(rooms.values())
    for room, seconds in rooms.most_common(15):
        print(f"{seconds:8.2f} s  {seconds / total:5.1%}  {room}")
    stats.strip_dirs()
    for order in ("tottime", "cumulative"):
        stats.sort_stats(order).print_stats(LINES)


def _room(file: str, name: str) -> str:
    """The package of ours that a function belongs to."""
    parts = Path(file).parts
    if "wherefrom" in parts:
        inside = parts[len(parts) - parts[::-1].index("wherefrom") :]
        return "wherefrom." + ".".join(inside[:2]).removesuffix(".py")
    return "C functions" if file == "~" else "Python's library and packages"


if __name__ == "__main__":
    sys.exit(main())
