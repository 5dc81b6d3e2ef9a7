"""Nix against wherefrom, side by side: `nix-instantiate --eval --strict FILE` and `wherefrom eval --strict FILE`.

    python bench/nix.py [--runs 5] [--only fib,sort] [--json]

Every run is a process of its own and process start counts. Each program is run by both in turn, so that a busy machine
is busy for both; times are the best of the runs, wall clock and processor. `recorded` is the same evaluation with
provenance on, compared with `wherefrom` in the same kind of process (`off`). The two printed values must be equal.

| program | what it does                                                     |
|---------|------------------------------------------------------------------|
| start   | `1`: nothing but starting                                        |
| fib     | doubly recursive Fibonacci number 25: calls and integers         |
| foldl   | a strict fold over 100,000 elements                              |
| update  | 2,000 updates `//` of a growing set                              |
| sort    | 100,000 integers by a function                                   |
| by-key  | 20,000 sets by one of their attributes                           |
| modules | 500 modules that define 20 options each, merged by priority      |

Without Nix our rows are still printed and its are marked as skipped.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from compileall import compile_dir
from pathlib import Path
from typing import Any

import wherefrom

PROGRAMS = {
    "start": "1",
    "fib": "let fib = n: if n < 2 then n else fib (n - 1) + fib (n - 2); in fib 25",
    "foldl": "builtins.foldl' (sum: x: sum + x) 0 (builtins.genList (x: x) 100000)",
    "update": """
let add = set: i: set // { "key${toString i}" = i; };
in builtins.length (builtins.attrNames (builtins.foldl' add { } (builtins.genList (i: i) 2000)))
""",
    "sort": """
let scatter = i: i * 7919 - (i * 7919 / 100003) * 100003;
in builtins.elemAt (builtins.sort (a: b: a < b) (builtins.genList scatter 100000)) 77
""",
    "by-key": """
let make = i: { name = "n${toString i}"; weight = i * 7919 - (i * 7919 / 10007) * 10007; };
in (builtins.elemAt (builtins.sort (a: b: a.weight < b.weight) (builtins.genList make 20000)) 77).name
""",
    "modules": """
let
  range = builtins.genList (i: i);
  option = o: "option${toString o}";
  module = m: {
    config = builtins.listToAttrs (map (o: {
      name = option o;
      value = { priority = 100 - (m - (m / 7) * 7); content = m * 20 + o; };
    }) (range 20));
  };
  modules = map module (range 500);
  definitions = name: map (m: m.config.${name}) (builtins.filter (m: m.config ? ${name}) modules);
  highest = builtins.foldl' (best: d: if d.priority < best then d.priority else best) 1000;
  merge = name:
    let defs = definitions name; best = highest defs;
    in builtins.foldl' (sum: d: if d.priority == best then sum + d.content else sum) 0 defs;
in builtins.listToAttrs (map (o: { name = option o; value = merge (option o); }) (range 20))
""",
}

RUN = """
import sys
from wherefrom.base.collector import own_process
from wherefrom.session import Session
from wherefrom.language import Inputs
own_process()
print(Session().run(sys.argv[1], Inputs(None, {}, {"trace": sys.argv[2] == "on"})).printed("text", strict=True))
"""


def measure(command: list[str]) -> tuple[float, float, str]:
    """Wall clock and processor seconds of one process, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{run.stderr}")
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, processor, run.stdout


def contest(file: Path, runs: int) -> dict[str, Any]:
    """All contestants on one program, in turn."""
    commands = {
        "wherefrom": [sys.executable, "-m", "wherefrom", "eval", str(file), "--strict"],
        "off": [sys.executable, "-c", RUN, str(file), "off"],
        "recorded": [sys.executable, "-c", RUN, str(file), "on"],
    }
    if shutil.which("nix-instantiate"):
        commands = {"nix": ["nix-instantiate", "--store", "dummy://", "--eval", "--strict", str(file)], **commands}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    printed: set[str] = set()
    for _ in range(runs):
        for name, command in commands.items():
            wall, processor, text = measure(command)
            times[name].append((wall, processor))
            printed.add(text)
    if len(printed) != 1:
        raise SystemExit(f"{file.name}: different values: {sorted(printed)}")
    best = {name: (min(w for w, _ in each), min(p for _, p in each)) for name, each in times.items()}
    row: dict[str, Any] = {f"{name}_ms": round(wall * 1000, 1) for name, (wall, _) in best.items()}
    row |= {f"{name}_cpu_ms": round(processor * 1000, 1) for name, (_, processor) in best.items()}
    if "nix" in best:
        row["wherefrom/nix"] = round(best["wherefrom"][0] / best["nix"][0], 2)
        row["wherefrom/nix cpu"] = round(best["wherefrom"][1] / best["nix"][1], 2)
    row["recorded/off"] = round(best["recorded"][0] / best["off"][0], 2)
    row["recorded/off cpu"] = round(best["recorded"][1] / best["off"][1], 2)
    return row


def main() -> None:
    """Run the contest and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    compile_dir(str(Path(wherefrom.__file__).parent), quiet=1)  # as an installed package is
    rows: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only.split(","):
            file = Path(folder) / f"{name}.nix"
            file.write_text(PROGRAMS[name].strip() + "\n")
            rows[name] = contest(file, options.runs)
            if not options.json:
                show(name, rows[name])
    if options.json:
        print(json.dumps(rows, indent=2))


def show(name: str, row: dict[str, Any]) -> None:
    """One line of the table."""
    nix = f"{row['nix_ms']:8.0f} ms" if "nix_ms" in row else "  skipped  "
    ratio = f"{row['wherefrom/nix']:5.2f} (cpu {row['wherefrom/nix cpu']:.2f})" if "nix_ms" in row else ""
    print(
        f"{name:8} nix {nix}   wherefrom {row['wherefrom_ms']:8.0f} ms  x {ratio:18}"
        f" recorded {row['recorded_ms']:8.0f} ms  x {row['recorded/off']:.2f} (cpu {row['recorded/off cpu']:.2f})",
        flush=True,
    )


if __name__ == "__main__":
    main()
