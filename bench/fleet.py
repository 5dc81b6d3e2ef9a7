"""What a realistic fleet takes: real Puppet, the bare compile, compiling into a store, and comparisons; for each kind.

    python bench/fleet.py [KIND ...] [NODES]     # so many nodes of each kind; needs Debian's packages puppet-module-*
    python bench/fleet.py --whole NODES      # a whole fleet by two workers: time, memory, the store, comparisons

The fleet is that of `bench/fleet_generator.py`, without encrypted data, which real Puppet alone can not read. All is
processor time of a node, in one run:

* real Puppet, warm: its best of seven, on two nodes of the kind; its catalogs must be those of wherefrom;
* the bare compile: a session that has the environment loaded, origins on; the best of three passes;
* stored: `fleet compile --jobs 1` as a command, from its start to its end, of all nodes less that of half of them;
* comparisons as commands, with a store that has the first side: a comment in a class that all nodes have, and a mode
  that is another one on all of them, each less a comparison without an edit; of all nodes less that of half of them,
  as causes are sought once however many nodes there are. They are told in bare compiles.

A whole fleet is compiled, compiled again without an edit, and compared: without an edit, and with one of data that one
node of a hundred reads.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import debian_classes
from bench.fleet_generator import KINDS, MODULES, generate

from wherefrom.base.collector import at_rest
from wherefrom.cli.facts import read_facts
from wherefrom.session import Session

ROOT = Path(__file__).resolve().parent.parent
NODES = {"small": 60, "db": 40, "web": 20, "cloud": 12}
"""How many of each kind: what a node takes is the difference of two commands, whose start must not drown it."""
ROLE = {"small": "mail", "db": "database", "web": "web", "cloud": "cloud"}
"""Of each kind, the role that is measured: one that collects nothing."""
FOUND = {"small": 10, "db": 12, "web": 8, "cloud": 22}
"""Of so many generated nodes about one is of the role."""
BASE = "site/profile/manifests/base.pp"


def used(*arguments: str) -> tuple[float, float]:
    """Processor time of a command of ours with all its workers, and the most memory that a process of it had, in MB."""
    command = [sys.executable, "-m", "wherefrom", *arguments]
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        process = subprocess.Popen(command, stdout=nothing)
        _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, arguments
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def bare(folder: Path, names: Sequence[str]) -> float:
    """Seconds a node, compiled in a session and nothing else."""
    session = Session()
    facts = {name: read_facts(str(folder / "facts"), name) for name in names}
    options: dict[str, Any] = {"modulepath": [str(folder / "site"), str(MODULES)], "storeconfigs": True}

    def compiled() -> float:
        begun = process_time()
        for name in names:
            session.compile(str(folder), node=name, facts=facts[name], **options)
        return (process_time() - begun) / len(names)

    with at_rest():
        compiled()
        with session.execution.standing_still():
            return min(compiled() for _ in range(3))


def further(seconds: Callable[[Sequence[str]], float], names: Sequence[str]) -> float:
    """Seconds of a further node, where the first ones have loaded what all need."""
    half = names[: len(names) // 2]
    first = seconds(half)
    return (seconds(names) - first) / (len(names) - len(half))


def stored(folder: Path, scratch: Path, names: Sequence[str]) -> tuple[float, Path]:
    """Seconds of a further node that is compiled into a store, and the store."""

    def compiled(several: Sequence[str]) -> float:
        store = scratch / f"{names[-1]}.{len(several)}"
        return used("fleet", "compile", str(folder), *given(folder, several), "--store", str(store))[0]

    return further(compiled, names), scratch / f"{names[-1]}.{len(names)}"


def given(folder: Path, names: Sequence[str]) -> list[str]:
    """Options that give these nodes."""
    facts = ["--facts", str(folder / "facts"), "--modulepath", f"site:{MODULES}"]
    return ["--no-settings", "--jobs", "1", "--nodes", ",".join(names), *facts]


def compared(folder: Path, head: Path, store: Path, names: Sequence[str]) -> list[float]:
    """Seconds of a comparison for a further node: of an edit that changes nothing, and of one that changes all."""
    text = (head / BASE).read_text(encoding="utf-8")
    edits = (text, f"# What all nodes have.\n{text}", text.replace("mode    => '0644'", "mode    => '0600'"))

    def seconds(several: Sequence[str]) -> float:
        words = ["fleet", "diff", str(folder), str(head), *given(folder, several), "--store", str(store)]
        return used(*words)[0]

    times: list[float] = []
    for edit in edits:
        (head / BASE).write_text(edit, encoding="utf-8")
        times.append(further(seconds, names))
    (head / BASE).write_text(text, encoding="utf-8")
    return [time - times[0] for time in times[1:]]


def real_puppet(folder: Path, names: Sequence[str]) -> tuple[float, int] | None:
    """Seconds a node of real Puppet, warm, and how many catalogs are ours; nothing where it is not installed."""
    if shutil.which("puppet") is None:
        return None
    files = {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file() and "facts" not in path.parts and path.suffix != ".toml"
    }
    manifest = files.pop("manifests/site.pp")
    requests = [
        {"id": name, "manifest": manifest, "node": name, "facts": read_facts(str(folder / "facts"), name)}
        | {"files": files, **how}
        for name in names
        for how in ({"repeat": 8}, {})
    ]
    done = subprocess.run(
        ["ruby", str(ROOT / "bench/puppet_catalogs.rb")],
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [answer for answer in answers if not answer["ok"]]
    assert not wrong, wrong[0]["error"]
    best: list[float] = [min(answer["seconds"][1:]) for answer in answers if "catalog" not in answer]
    session = Session()
    options: dict[str, Any] = {"modulepath": [str(folder / "site"), str(MODULES)]}
    equal = 0
    for answer in answers:
        if "catalog" in answer:
            facts = read_facts(str(folder / "facts"), answer["id"])
            ours = session.compile(str(folder), node=answer["id"], facts=facts, **options).document()
            equal += _resources(ours) == _resources(answer["catalog"])
    return sum(best) / len(best), equal


def _resources(document: dict[str, Any]) -> list[Any]:
    return [[row["type"], row["title"], row["exported"], row.get("parameters", {})] for row in document["resources"]]


@dataclass(frozen=True)
class Kind:
    """What the nodes of a kind take, in seconds of processor time a node."""

    kind: str
    resources: int
    puppet: float | None
    bare: float
    stored: float
    unchanged: float
    changed: float
    equal: int
    """How many of the catalogs that Puppet was asked about are ours."""
    asked: int


def kinds(scratch: Path, wanted: Iterable[str], count: int | None = None) -> Iterator[Kind]:
    """Measure each of these kinds, so many nodes of each."""
    folder, head = scratch / "base", scratch / "head"
    wanted = [*wanted]
    counts = {kind: count or NODES[kind] for kind in wanted}
    nodes = generate(folder, max(100, *(of_kind * FOUND[kind] for kind, of_kind in counts.items())), plain=True)
    shutil.copytree(folder, head, ignore=shutil.ignore_patterns("facts"))
    for kind in wanted:
        names = [name for name in nodes[kind] if name.startswith(ROLE[kind])][: counts[kind]]
        one = bare(folder, names)
        into, store = stored(folder, scratch, names)
        unchanged, changed = compared(folder, head, store, names)
        facts = read_facts(str(folder / "facts"), names[0])
        options: dict[str, Any] = {"modulepath": [str(folder / "site"), str(MODULES)]}
        resources = len(Session().compile(str(folder), node=names[0], facts=facts, **options).document()["resources"])
        asked = names[:2]
        theirs, equal = real_puppet(folder, asked) or (None, len(asked))
        yield Kind(kind, resources, theirs, one, into, unchanged, changed, equal, len(asked))


def shown(scratch: Path, wanted: Iterable[str], count: int | None) -> None:
    """Measure each of these kinds, and print a line of it."""
    print("milliseconds of processor time a node; comparisons in bare compiles")
    print("kind   resources  Puppet   bare  stored  stored/bare  Puppet/stored  no change  all change  equal")
    for found in kinds(scratch, wanted, count):
        theirs = found.puppet if found.puppet is not None else float("nan")
        print(
            f"{found.kind:6} {found.resources:9} {1000 * theirs:7.0f} {1000 * found.bare:6.1f} "
            f"{1000 * found.stored:7.1f} {found.stored / found.bare:12.2f} {theirs / found.stored:14.1f} "
            f"{found.unchanged / found.bare:10.2f} {found.changed / found.bare:11.2f}  "
            f"{found.equal} of {found.asked}",
            flush=True,
        )


def whole(scratch: Path, count: int) -> None:
    """Compile a whole fleet, twice, and print what that took."""
    generate(scratch / "base", count, plain=True)
    os.chdir(scratch / "base")
    for words in ("compiled", "kept"):
        seconds, memory = used("fleet", "compile", "--store", "../store", "--jobs", "2", "--trust")
        size = sum(path.stat().st_size for path in (scratch / "store").iterdir())
        print(
            f"{count} nodes {words}: {seconds:.1f} s of processor, {1000 * seconds / count:.1f} ms a node; "
            f"{memory:.0f} MB at the most; the store: {size // count} bytes a node",
            flush=True,
        )
    shutil.copytree(scratch / "base", scratch / "head", ignore=shutil.ignore_patterns("facts"))
    comparison = ["fleet", "diff", ".", "../head", "--facts", "facts", "--store", "../store", "--jobs", "2", "--trust"]
    start, memory = used(*comparison)
    edited = sorted((scratch / "head/data/nodes").iterdir())[: max(1, count // 100)]
    for file in edited:
        file.write_text("profile::base::swappiness: 101\n", encoding="utf-8")
    seconds, more = used(*comparison)
    print(
        f"{count} nodes compared: {start:.1f} s of processor; with an edit that {len(edited)} read {seconds:.1f} s; "
        f"{max(memory, more):.0f} MB at the most",
        flush=True,
    )


def main() -> int:
    """Do what the command line says."""
    if not MODULES.is_dir():
        print(f"Debian's modules are not here: {MODULES}", file=sys.stderr)
        return 2
    debian_classes.synchronized()
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    with tempfile.TemporaryDirectory() as scratch:
        if "--whole" in sys.argv:
            whole(Path(scratch), numbers[0] if numbers else 1_000)
        else:
            wanted = [word for word in sys.argv[1:] if word in KINDS] or KINDS
            shown(Path(scratch), wanted, numbers[0] if numbers else None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
