"""The page of figures: `docs/benchmarks.md`, made of `docs/benchmarks.json` and nothing else.

The rows where wherefrom is the slower one stand first, so that nobody has to look for them; then every row by group.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench.measure import OURS, Result

FORMAT = 1


def document(results: Sequence[Result], rounds: int) -> dict[str, Any]:
    """All figures with what they were measured on."""
    return {
        "format": FORMAT,
        "measured": datetime.now(UTC).date().isoformat(),
        "machine": _machine(),
        "versions": _versions(),
        "rounds": rounds,
        "rows": [result.document() for result in results],
    }


def merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The old figures with those rows that were measured again."""
    measured = {(row["group"], row["name"]): row for row in new["rows"]}
    rows = [measured.pop((row["group"], row["name"]), row) for row in old["rows"]]
    return {**new, "rounds": old["rounds"], "rows": [*rows, *measured.values()]}


def json_text(figures: dict[str, Any]) -> str:
    """The file of figures: a row a line, so that differences of versions can be read."""
    rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in figures["rows"])
    head = json.dumps({key: value for key, value in figures.items() if key != "rows"}, indent=2)
    return f'{head[:-2]},\n  "rows": [\n{rows}\n  ]\n}}\n'


def _machine() -> dict[str, Any]:
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        named = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        model = named[0] if named else model
    return {"processor": model, "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}"}


def _versions() -> dict[str, str]:
    found = {"wherefrom": version("wherefrom"), "Python": platform.python_version()}
    for name, command in (
        ("Puppet", ["puppet", "--version"]),
        ("Ruby", ["ruby", "-e", "print RUBY_VERSION"]),
        ("Nix", ["nix-instantiate", "--version"]),
        ("Chromium", ["chromium", "--version"]),
    ):
        if shutil.which(command[0]):
            words = subprocess.run(command, capture_output=True, text=True).stdout.split()
            found[name] = next((word for word in words if word[:1].isdigit()), "?")
    with suppress(PackageNotFoundError):
        found["Jsonnet"] = version("jsonnet")
    return found


def line(result: Result) -> str:
    """A row in one line, for the terminal."""
    parts = [
        f"{name} {_time(side.median)} ({_time(side.low)} to {_time(side.high)})" for name, side in result.sides.items()
    ]
    parts += [f"{name}: {reason}" for name, reason in result.absent.items() if name not in result.sides]
    ratio = "" if result.ratio is None else f"   {result.ratio:.2f}x"
    return (
        f"{result.group}: {result.name}: " + ", ".join(parts) + ratio + ("   RESULTS DIFFER" if result.differ else "")
    )


def _time(seconds: float) -> str:
    if seconds >= 10:
        return f"{seconds:.0f} s"
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.{1 if seconds < 0.1 else 0}f} ms"


def markdown(figures: dict[str, Any]) -> str:
    """The page."""
    machine, versions = figures["machine"], figures["versions"]
    rows = figures["rows"]
    listed = ", ".join(f"{name} {number}" for name, number in versions.items())
    text = [
        "# Benchmarks",
        "",
        "<!-- Written by `make bench`; do not edit. -->",
        "",
        *_wrapped(
            f"Measured on {figures['measured']} with {listed}; {machine['processor']}, {machine['cores']} cores, "
            f"{machine['system']}. The figures with spreads and memory are in [benchmarks.json](benchmarks.json); "
            "`make bench` measures them again, and `python -m bench WORDS` some of them."
        ),
        "",
        *_wrapped(
            "All sides of a row run in turn in the same run, each in processes of its own. Times are processor time, "
            f"user and system, the median of {figures['rounds']} rounds with the least and the most; those of the "
            "explorer and of the editor are on the wall. A ratio says how many times faster wherefrom is than the "
            "other: **below 1 it is slower**. Memory is the most that a process of ours, and of the other, had. "
            "wherefrom keeps full provenance, the others keep none."
        ),
        "",
        "## Where wherefrom is slower",
        "",
    ]
    slower = sorted((row for row in rows if row.get("ratio", 1) < 1), key=lambda row: float(row["ratio"]))
    if slower:
        text += ["| row | beside | ratio |", "|---|---|---|"]
        text += [f"| {row['group']}: {row['name']} | {_other(row)} | {row['ratio']:.2f} |" for row in slower]
    else:
        text.append("No row.")
    for group in dict.fromkeys(row["group"] for row in rows):
        text += ["", f"## {group}", "", "| row | wherefrom | beside | ratio | memory |", "|---|---|---|---|---|"]
        text += [_cells(row) for row in rows if row["group"] == group]
    gone = [(row, name, reason) for row in rows for name, reason in row.get("absent", {}).items()]
    if gone:
        text += ["", "## What is not filled", ""]
        reasons: dict[tuple[str, str], list[str]] = {}
        for row, name, reason in gone:
            reasons.setdefault((name, reason), []).append(f"{row['group']}: {row['name']}")
        for (name, reason), names in reasons.items():
            which = names[0] if len(names) == 1 else f"{len(names)} rows of {names[0].partition(':')[0]}"
            text += _wrapped(f"* {name}: {reason} ({which}).", "  ")
    return "\n".join(text) + "\n"


def _cells(row: dict[str, Any]) -> str:
    sides = row["sides"]
    name = row["name"] + (f" ({row['note']})" if row.get("note") else "")
    if not sides:
        return f"| {name} | not measured | | | |"
    ours = [
        f"{label[len(OURS) + 2 :] or OURS}: {_spread(side)}" for label, side in sides.items() if label.startswith(OURS)
    ]
    if len(ours) == 1:
        ours = [_spread(sides[OURS])]
    theirs = [f"{label}: {_spread(side)}" for label, side in sides.items() if not label.startswith(OURS)]
    ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
    if "worst" in row:
        ratio += f"; worst of {row['items']}: {row['worst']['ratio']:.2f} ({row['worst']['item']})"
    memory = ", ".join(
        f"{side['megabytes']:.0f}"
        for label, side in sides.items()
        if side["megabytes"] and label in (OURS, _other(row))
    )
    return f"| {name} | {'<br>'.join(ours)} | {'<br>'.join(theirs)} | {ratio} | {memory and memory + ' MB'} |"


def _other(row: dict[str, Any]) -> str:
    return next((name for name in row["sides"] if not name.startswith(OURS)), "")


def _spread(side: dict[str, Any]) -> str:
    if side["low"] == side["high"]:
        return _time(side["median"] if "median" in side else side["seconds"])
    return f"{_time(side['seconds'])} ({_time(side['low'])} to {_time(side['high'])})"


def _wrapped(text: str, indent: str = "") -> list[str]:
    from textwrap import wrap

    return wrap(text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def main() -> None:
    """Write the page again of the file of figures."""
    docs = Path(__file__).resolve().parents[1] / "docs"
    figures = json.loads((docs / "benchmarks.json").read_text(encoding="utf-8"))
    (docs / "benchmarks.md").write_text(markdown(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
