"""Compiling Puppet manifests: wherefrom and real Puppet side by side, in warm processes, parsed code kept.

    .venv/bin/python bench/puppet_compile.py            # all rows
    .venv/bin/python bench/puppet_compile.py files      # rows whose name holds this

Both compile the same manifest again and again in the same environment, as a server with its environments cached does.
Times are processor time, the best of the repetitions, so that a busy machine disturbs little. wherefrom keeps full
provenance. Real Puppet needs Ruby (`bench/puppet_catalogs.rb` drives it); without it only our times are printed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from wherefrom.base.deep import with_deep_stack  # noqa: E402
from wherefrom.base.host import PureHost  # noqa: E402
from wherefrom.base.source import SourceFile  # noqa: E402
from wherefrom.puppet.environment.environment import Environment  # noqa: E402
from wherefrom.puppet.runtime.inputs import NodeInputs  # noqa: E402
from wherefrom.puppet.runtime.phases import compile_catalog, new_compilation  # noqa: E402

FILES = 'file { "/tmp/f$i": ensure => file, content => "number $i", mode => "0644" }'
ROWS = {
    "one notify": (30, "notify { 'x': }"),
    "1,000 files by each": (5, f"Integer[1, 1000].each |$i| {{ {FILES} }}"),
    "10,000 files by each": (3, f"Integer[1, 10000].each |$i| {{ {FILES} }}"),
    "1,000 defines with a file": (
        5,
        'define d($x) { file { "/tmp/$title": content => "$x" } }\nInteger[1, 1000].each |$i| { d { "f$i": x => $i } }',
    ),
    "1,000 files, 999 arrows": (
        5,
        'Integer[1, 1000].each |$i| { file { "/tmp/f$i": ensure => file } }\n'
        'Integer[1, 999].each |$i| { $j = $i + 1 File["/tmp/f$i"] -> File["/tmp/f$j"] }',
    ),
    "1,000 virtual, 10 collectors": (
        5,
        'Integer[1, 1000].each |$i| { $k = $i % 10 @file { "/tmp/f$i": ensure => file, owner => "o$k" } }\n'
        + "\n".join(f"File <| owner == 'o{k}' |> {{ mode => '060{k % 8}' }}" for k in range(10)),
    ),
    "reduce over 100,000": (
        3,
        '$r = Integer[1, 100000].reduce(0) |$m, $x| { ($m + $x * 3) % 1000007 }\nnotify { "$r": }',
    ),
}


def our_seconds(manifest: str, repeat: int) -> float:
    """Our best time."""
    environment = Environment(PureHost({}), [SourceFile("site.pp", manifest)])

    def best() -> float:
        times = []
        for _ in range(repeat + 1):
            before = time.process_time()
            compile_catalog(new_compilation(environment, NodeInputs("node.example.com", {})))
            times.append(time.process_time() - before)
        return min(times)

    return with_deep_stack(best)


def their_seconds(rows: dict[str, tuple[int, str]]) -> dict[str, float]:
    """Real Puppet's best times; nothing if it is not installed."""
    if shutil.which("ruby") is None:
        return {}
    lines = [
        json.dumps({"id": name, "manifest": manifest, "node": "node.example.com", "repeat": repeat + 1})
        for name, (repeat, manifest) in rows.items()
    ]
    driver = ["ruby", str(ROOT / "bench" / "puppet_catalogs.rb")]
    done = subprocess.run(driver, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {each["id"]: min(each["seconds"]) for each in answers if each["ok"]}


def main(wanted: list[str]) -> None:
    """Print one line per row."""
    rows = {name: row for name, row in ROWS.items() if not wanted or any(part in name for part in wanted)}
    theirs = their_seconds(rows)
    if not theirs:
        print("real Puppet: skipped (not installed)")
    print(f"{'manifest':<30} {'wherefrom':>11} {'Puppet':>11} {'ratio':>7}")
    for name, (repeat, manifest) in rows.items():
        ours = our_seconds(manifest, repeat)
        line = f"{name:<30} {ours * 1000:>8.2f} ms"
        if name in theirs:
            line += f" {theirs[name] * 1000:>8.2f} ms {theirs[name] / ours:>6.1f}x"
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
