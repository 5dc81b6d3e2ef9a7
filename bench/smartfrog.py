"""SmartFrog against Jsonnet, side by side: one tree of components, written in both languages.

    python bench/smartfrog.py [--sizes 1000,10000] [--runs 3] [--json]

The tree has prototypes, overrides, links, placements, vectors and data references; about 200 bytes of SmartFrog a
component. Both compilers start from the text and end with JSON text; ours has provenance on, and one explanation is
asked for in the end (timed by itself). The two results are compared, so both did the same work. Each run is a process
of its own, so that peak memory is its own; times are processor time of the compilation alone, the best of the runs.

The last rows are end to end, as a user runs the two: `wherefrom compile --json FILE` and `jsonnet FILE`, start-up, reading
and writing included, the processor time of the whole process.

Jsonnet is the C++ implementation (Python package `jsonnet`), needed by this benchmark only; the end-to-end rows take
the command `jsonnet`, or the package if there is none. Without it our rows are still printed and its are marked as
skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from shutil import which

MACHINES_PER_GROUP = 20
COMPONENTS_PER_MACHINE = 3


def smartfrog_text(components: int) -> str:
    """The tree in SmartFrog."""
    lines = [
        'Service extends { running true; user "www"; port 80; limits [16, 0.5, ["soft", true]]; restart NULL; }',
        'Machine extends { dns "ns.foo"; ntp "time.foo"; os extends { name "linux"; version 12; } reboot false; }',
        "sfConfig extends {",
    ]
    machine = 0
    while machine * COMPONENTS_PER_MACHINE < components:
        lines.append(f"  group{machine // MACHINES_PER_GROUP} extends {{")
        for number in range(MACHINES_PER_GROUP):
            prototype = "Machine" if number % 4 == 0 else f"m{number - number % 4}"
            lines += [
                f"    m{number} extends {prototype}, {{",
                f'      address "10.{machine // 65536}.{machine // 256 % 256}.{machine % 256}"; // machine {machine}',
                f'      comment "the machine number {machine}, in group {machine // MACHINES_PER_GROUP}";',
                f'      rack {machine % 40}; room "r{machine % 7}";',
                "      web extends Service, {",
                f"        port {8000 + machine % 1000}; /* not the default */",
                f'        aliases ["www{machine}.example.org", "web{machine}.example.org"];',
                f'        root "/srv/www/site-{machine}/htdocs"; weight {machine % 9}.5;',
                "      }",
                "      db extends Service, {",
                f'        port 5432; data "/var/lib/db/{machine}"; replica {"true" if number % 2 else "false"};',
                f'        user "db{machine % 100}"; size {machine * 17 % 1000};',
                "      }",
                f"      os:version {machine % 5 + 8};",
                "      backup db:data;",
                f"      refer DATA m{number}:web;",
                "    }",
            ]
            machine += 1
        lines.append("  }")
    return "\n".join([*lines, "}"]) + "\n"


def jsonnet_text(components: int) -> str:
    """The same tree in Jsonnet."""
    lines = [
        'local Service = { running: true, user: "www", port: 80, limits: [16, 0.5, ["soft", true]], restart: null };',
        'local Machine = { dns: "ns.foo", ntp: "time.foo", os: { name: "linux", version: 12 }, reboot: false };',
        "{",
    ]
    machine = 0
    while machine * COMPONENTS_PER_MACHINE < components:
        lines.append(f"  group{machine // MACHINES_PER_GROUP}: {{")
        lines.append("    local group = self,")
        for number in range(MACHINES_PER_GROUP):
            prototype = "Machine" if number % 4 == 0 else f"group.m{number - number % 4}"
            lines += [
                f"    m{number}: {prototype} {{",
                f'      address: "10.{machine // 65536}.{machine // 256 % 256}.{machine % 256}", // machine {machine}',
                f'      comment: "the machine number {machine}, in group {machine // MACHINES_PER_GROUP}",',
                f'      rack: {machine % 40}, room: "r{machine % 7}",',
                "      web: Service {",
                f"        port: {8000 + machine % 1000}, /* not the default */",
                f'        aliases: ["www{machine}.example.org", "web{machine}.example.org"],',
                f'        root: "/srv/www/site-{machine}/htdocs", weight: {machine % 9}.5,',
                "      },",
                "      db: Service {",
                f'        port: 5432, data: "/var/lib/db/{machine}", replica: {"true" if number % 2 else "false"},',
                f'        user: "db{machine % 100}", size: {machine * 17 % 1000},',
                "      },",
                f"      os+: {{ version: {machine % 5 + 8} }},",
                "      backup: self.db.data,",
                f'      refer: "$.m{number}:web",',
                "    },",
            ]
            machine += 1
        lines.append("  },")
    return "\n".join([*lines, "}"]) + "\n"


def run_wherefrom(path: str) -> dict[str, object]:
    """Compile with provenance on; in a process of its own."""
    from wherefrom.base.collector import own_process
    from wherefrom.base.host import RealHost
    from wherefrom.language import Inputs
    from wherefrom.languages import load_language

    language = load_language("smartfrog")
    own_process()
    start = time.process_time()
    outcome = language.run(path, RealHost([os.path.dirname(path)]), Inputs())
    text = json.dumps(outcome.document())
    seconds = time.process_time() - start
    start = time.process_time()
    explained = outcome.explain("group1:m3:web:running")
    return {
        "seconds": seconds,
        "megabytes": _peak(),
        "explain": time.process_time() - start,
        "depends": len(explained.depends),
        "document": text,
    }


def run_jsonnet(path: str) -> dict[str, object]:
    """Evaluate with C++ Jsonnet; in a process of its own."""
    import _jsonnet

    start = time.process_time()
    text = _jsonnet.evaluate_file(path)
    return {"seconds": time.process_time() - start, "megabytes": _peak(), "document": text}


def _peak() -> float:
    """Megabytes.  Not `ru_maxrss`: it begins with the memory of whoever started this process."""
    with open("/proc/self/status", "rb") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(b"VmHWM:"))


def measure(tool: str, path: Path, runs: int) -> dict[str, object]:
    """The best of several runs (in processor time), each in a new process."""
    found: list[dict[str, object]] = []
    for _ in range(runs):
        command = [sys.executable, __file__, "--child", tool, str(path)]
        found.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    best = min(found, key=lambda each: float(str(each["seconds"])))
    best["document"] = json.loads(str(best["document"]))
    return best


def end_to_end(command: list[str], runs: int) -> float:
    """Processor seconds of a whole command, its output thrown away; the best of several runs."""
    best = float("inf")
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def jsonnet_command(path: Path) -> list[str] | None:
    """How Jsonnet is run on this machine, if it is there."""
    if which("jsonnet"):
        return ["jsonnet", str(path)]
    if find_spec("_jsonnet"):
        return [sys.executable, "-c", f"import _jsonnet; print(_jsonnet.evaluate_file({str(path)!r}))"]
    return None


def main() -> None:
    """Print one row a size and tool."""
    import tempfile

    parser = argparse.ArgumentParser(description="SmartFrog against Jsonnet on the same tree.")
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", nargs=2)
    options = parser.parse_args()
    if options.child:
        tool, path = options.child
        print(json.dumps({"wherefrom": run_wherefrom, "jsonnet": run_jsonnet}[tool](path)))
        return
    with_jsonnet = find_spec("_jsonnet") is not None
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in map(int, options.sizes.split(",")):
            ours, theirs = Path(folder, f"{size}.sf"), Path(folder, f"{size}.jsonnet")
            ours.write_text(smartfrog_text(size))
            theirs.write_text(jsonnet_text(size))
            row: dict[str, object] = {"components": size, "bytes": ours.stat().st_size}
            mine = measure("wherefrom", ours, options.runs)
            row |= {f"wherefrom_{key}": mine[key] for key in ("seconds", "megabytes", "explain")}
            if with_jsonnet:
                other = measure("jsonnet", theirs, options.runs)
                row |= {f"jsonnet_{key}": other[key] for key in ("seconds", "megabytes")}
                row["ratio"] = float(str(mine["seconds"])) / float(str(other["seconds"]))
                row["same_result"] = mine["document"] == other["document"]
            wherefrom = [sys.executable, "-m", "wherefrom", "compile", "--json", str(ours)]
            row["wherefrom_end_to_end"] = end_to_end(wherefrom, options.runs)
            command = jsonnet_command(theirs)
            if command:
                row["jsonnet_end_to_end"] = end_to_end(command, options.runs)
                row["end_to_end_ratio"] = float(str(row["wherefrom_end_to_end"])) / float(
                    str(row["jsonnet_end_to_end"])
                )
            rows.append(row)
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    print(f"{'components':>10}  {'source':>8}  {'wherefrom':>8}  {'memory':>7}  {'jsonnet':>8}  {'memory':>7}  ratio")
    for row in rows:
        line = f"{row['components']:>10,}  {float(str(row['bytes'])) / 1e6:>5.2f} MB"
        line += f"  {row['wherefrom_seconds']:>6.3f} s  {row['wherefrom_megabytes']:>4.0f} MB"
        if with_jsonnet:
            line += f"  {row['jsonnet_seconds']:>6.3f} s  {row['jsonnet_megabytes']:>4.0f} MB  {row['ratio']:.2f}"
            line += "" if row["same_result"] else "  RESULTS DIFFER"
        print(line)
    if not with_jsonnet:
        print("jsonnet: skipped, the Python package `jsonnet` is not installed")
    for row in rows:
        line = f"{row['components']:>10,}  end to end: wherefrom {row['wherefrom_end_to_end']:.3f} s"
        if "jsonnet_end_to_end" in row:
            line += f", jsonnet {row['jsonnet_end_to_end']:.3f} s, ratio {row['end_to_end_ratio']:.2f}"
        print(line)
    if len(rows) > 1:
        growth = float(str(rows[-1]["wherefrom_seconds"])) / float(str(rows[0]["wherefrom_seconds"]))
        growth_of_size = float(str(rows[-1]["components"])) / float(str(rows[0]["components"]))
        print(f"wherefrom: {growth_of_size:.0f} times the components take {growth:.1f} times as long")
    print(f"explaining one value of the largest: {float(str(rows[-1]['wherefrom_explain'])) * 1000:.1f} ms")


if __name__ == "__main__":
    main()
