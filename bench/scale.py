"""What a fleet needs, measured and reckoned: throughput of a core, memory of a worker, bytes in the store for a node.

    python bench/scale.py                    # 300 nodes of the example repository
    python bench/scale.py example 10000
    python bench/scale.py debian 400         # over Debian's modules, if they are installed

A fleet of that size is generated and compiled by one worker in a process of its own: once as it is by default, where
nodes are made from one another, and once each by itself (`--no-share`), which is the most that a fleet can cost.
Processor time and the largest memory are the system's figures for that process; half as many nodes are compiled before,
so that what every further node adds can be told from what a run costs in any case. From these it is reckoned what
larger fleets need.
"""

from __future__ import annotations

import marshal
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.fleet_generator import DEBIAN_MODULES, FLEETS

SIZES = (10_000, 100_000, 1_000_000)
REPEATS, MOST_REPEATED = 3, 1_000
"""How often fleets up to a size are compiled: the least processor time counts, as a busy machine adds to it."""


def compiled(folder: Path, store: Path, nodes: list[str], share: str) -> tuple[float, float]:
    """Compile some nodes into a new store, in a process of its own: seconds of processor, and megabytes."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            from wherefrom.cli.main import status_of
            from wherefrom.fleet import compiling

            compiling.COMMIT_SECONDS = float("inf")  # by nodes alone, however busy the machine is
            os.chdir(folder)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            words = [".", "--facts", "facts", "--store", str(store), "--jobs", "1", "--nodes", ",".join(nodes)]
            status = status_of(["fleet", "compile", share, *words])
        finally:
            os._exit(status)
    _, status, usage = os.wait4(child, 0)
    assert status == 0, status
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def gathered(folder: Path, store: Path, nodes: list[str]) -> float:
    """Nodes a second that the parent can take from its workers: it reads their results, and commits them.

    The second half of the nodes counts: with the first, libraries are loaded.
    """
    from wherefrom.cli.fleet import compile_command
    from wherefrom.cli.options import Invocation
    from wherefrom.fleet.compiling import Worker, add
    from wherefrom.fleet.moulds import Moulds
    from wherefrom.fleet.rounds import Exchange
    from wherefrom.fleet.settled import Settled
    from wherefrom.fleet.store import TABLES, Store
    from wherefrom.fleet.workers import MOST_TOGETHER

    os.chdir(folder)
    options = dict(compile_command.make_context("compile", [".", "--facts", "facts", "--store", "x"]).params)
    for name in ("path", "nodes", "store_path", "jobs", "ray", "parts", "batch", "send", "share", "as_json"):
        del options[name]
    invocation, opened = Invocation(options), Store(str(store))
    side = invocation.side(".", opened.key())
    exchange = side.exchange = Exchange.of_store(opened.path)
    exchange.join(nodes)
    place, given = invocation.settled(".")
    moulds = Moulds(lambda node: given.given_inputs(place, node, trace=True))
    more: dict[str, Any] = {"trace": True, "exports": exchange, "storeconfigs": True, "ledger": True}
    worker = Worker(lambda node, reads: invocation.run(".", node, reads=reads, **more), side, moulds)
    with invocation.standing_still("."):
        results = [(node, worker.result(node)) for node in nodes]
    pieces = [results[first : first + MOST_TOGETHER] for first in range(0, len(nodes), MOST_TOGETHER)]
    sent = [(len(piece), marshal.dumps(piece)) for piece in pieces]  # as workers send them
    settled = Settled(side, opened.path)
    half = len(sent) // 2
    for share in (sent[:half], sent[half:]):
        begun = time.process_time()
        batch: dict[str, list[list[Any]]] = {name: [] for name in TABLES}
        for _, content in share:
            for node, result in marshal.loads(content):
                exchange.note(node, result)
                add(batch, node, result)
        settled.mark(batch)
        opened.commit(batch, (), exchange.save)
        taken = time.process_time() - begun
    return sum(count for count, _ in sent[half:]) / taken


def main() -> int:
    """Measure, and print tables."""
    kind = sys.argv[1] if len(sys.argv) > 1 else "example"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    if kind not in FLEETS or (kind == "debian" and not DEBIAN_MODULES.is_dir()):
        print(f"expected {' or '.join(FLEETS)}; Debian's modules are needed at {DEBIAN_MODULES}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "fleet"
        names = FLEETS[kind](folder, count)
        print(f"{count} nodes, {kind}")
        for share, words in (("--share", "made from one another"), ("--no-share", "each compiled")):
            _tell(folder, Path(temporary), names, share, words)
        parent = gathered(folder, Path(temporary) / "gathered", names[:500])
        print(f"\nparent, taking what workers send {parent:7.1f} nodes/s")
    return 0


def _tell(folder: Path, temporary: Path, names: list[str], share: str, words: str) -> None:
    """Compile half of the nodes and all of them, and print what these and larger fleets need."""
    seconds, memory, sizes = [], [], []
    count = len(names)
    for part in (names[: count // 2], names):
        runs = []
        for number in range(REPEATS if count <= MOST_REPEATED else 1):
            store = temporary / f"store{share}{len(part)}-{number}"
            runs.append(compiled(folder, store, part, share))
        seconds.append(min(used for used, _ in runs))
        memory.append(max(largest for _, largest in runs))
        sizes.append(sum(path.stat().st_size for path in store.iterdir()))
    more = count - count // 2
    rate = more / (seconds[1] - seconds[0])
    growth = max(0.0, (memory[1] - memory[0]) * 1024 / more)
    size = (sizes[1] - sizes[0]) / more
    print(f"\n{words} ({share})")
    print(f"whole run                     {seconds[1]:10.1f} s of processor, {count / seconds[1]:.1f} nodes/s")
    print(f"further nodes                 {rate:10.1f} nodes/s and core")
    print(f"memory of the process         {memory[1]:10.0f} MB, {growth:.1f} kB for each further node")
    print(f"store                         {sizes[1] / 1e6:10.2f} MB, {size:.0f} bytes for each further node")
    print("  nodes      core hours   on 8 cores        store")
    for nodes in SIZES:
        hours = nodes / rate / 3600
        print(f"{nodes:9,}  {hours:11.2f}  {_words(hours / 8):>11}  {nodes * size / 1e9:8.2f} GB")


def _words(hours: float) -> str:
    return f"{hours:.1f} h" if hours >= 1 else f"{hours * 60:.1f} min"


if __name__ == "__main__":
    sys.exit(main())
