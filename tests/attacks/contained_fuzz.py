"""Inputs that nobody would write, each in a child that can be ended, beside a directory that is nobody's business.

    python tests/attacks/contained_fuzz.py KIND|all [--seed N] [--count N]

The kinds of `fuzz.py` are run by the hundred in a child; and for the kinds here a file of a real project is changed or
replaced by a link, a pipe or a directory, and a command is run on it: `store`, `settings`, `pack` (a repository),
`saved_file`, `recorded` (an inventory as PuppetDB answers it). What counts as a failure: a child that had to be ended,
three times the bound of seconds, status 3, and any change of what lies outside, which is looked at file by file. With
`all` the kinds take turns. At a signal to end (SIGTERM) it says how far it came.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from attacks import fuzz
from attacks.fuzz import Fuzzer
from attacks.test_repositories import git
from support.fleets import EXPORTING, build, write
from wherefrom import revisions
from wherefrom.base.contained import doing, in_child
from wherefrom.cli.containing import keep
from wherefrom.cli.main import status_of

SECONDS = 2
"""Of the processor, for a run; three times as much is a hang."""
TOGETHER = 1000
"""Inputs of the kinds of `fuzz.py` that one child is given; of those that explode, a fiftieth."""
COMMANDS_TOGETHER = 20
"""Inputs of a kind that is a file of a project, in a turn: each is a command of its own."""
COMMANDS = {
    "store": [
        ["fleet", "compile", "c", "--store", "s"],
        ["fleet", "sql", "select * from nodes", "--store", "s"],
        ["fleet", "impact", "data/common.yaml:1", "--store", "s"],
        ["fleet", "find", "File[*].mode", "--store", "s"],
        ["fleet", "diff", "s", "s"],
        ["compile", "c", "--node", "n0", "--exports", "s"],
    ],
    "settings": [
        ["compile", "c", "--node", "n0"],
        ["trust", "c"],
        ["check", "c"],
        ["fleet", "compile", "c", "--store", "t"],
    ],
    "pack": [["compile", "c@HEAD", "--node", "n0"], ["diff", "c@HEAD", "c", "--node", "n0"]],
    "saved_file": [["explain", "saved.json", "Notify[a].message"], ["diff", "saved.json", "saved.json"]],
    "recorded": [
        ["compile", "c", "--node", "n0", "--inventory", "rows.json"],
        ["compile", "c", "--nodes", "--inventory", "rows.json", "--output", "out"],
    ],
}  # fmt: skip
SETTINGS = 'environment = "."\nfacts = "facts"\nmodulepath = ["modules"]\nroots = ["data"]\nbudget = "0.5"\n'
COMMANDED = ("compile", "fleet", "fleet_diff", "explain", "diff", "check", "trust", "many")
Snapshot = dict[str, tuple[int, bytes | str]]


def snapshot(folder: Path) -> Snapshot:
    """All that lies below a directory."""
    seen: Snapshot = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
        seen[str(path.relative_to(folder))] = (status.st_mode, content)
    return seen


def quiet(arguments: list[str]) -> int:
    """Run a command that says nothing."""
    for descriptor in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
    return status_of(arguments)


class Fuzzed:
    """A project with a store, a repository and a saved outcome, beside a directory that is nobody's business."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = random.Random(seed)
        self.fuzzer = Fuzzer(seed)
        self.folder = folder
        self.work = folder / "work"
        self.kept = folder / "kept"
        self.outside = folder / "outside"
        self.outside.mkdir(parents=True)
        (self.outside / "file").write_text("precious")
        build(self.work / "c", 2)
        write(self.work / "c", EXPORTING)
        (self.work / "c/wherefrom.toml").write_text(SETTINGS)
        git(self.work, "init", "-q", str(self.work))
        git(self.work, "add", ".")
        git(self.work, "commit", "-q", "-m", "x")
        git(self.work, "gc", "-q")
        os.environ["XDG_STATE_HOME"] = str(folder / "state")
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        os.chdir(self.work)
        nodes = sorted(path.stem for path in (self.work / "c/facts").iterdir())
        self.commands = {
            kind: [[word.replace("n0", nodes[0]) for word in command] for command in commands]
            for kind, commands in COMMANDS.items()
        }
        rows = [
            {"certname": node, "facts": {"role": "web", "site": "north", "os": {"family": "Debian"}}} for node in nodes
        ]
        (self.work / "rows.json").write_text(json.dumps(rows))
        assert in_child(lambda: quiet(["fleet", "compile", "c", "--store", "s"])).status == 0
        assert in_child(lambda: quiet(["compile", "c", "--node", nodes[0], "--save", "saved.json"])).status == 0
        shutil.copytree(self.work, self.kept, symlinks=True)
        self.before = snapshot(self.outside)
        self.whole = snapshot(self.kept)

    def places(self, kind: str) -> list[Path]:
        """The files of a kind."""
        if kind == "store":
            return sorted(path for path in (self.work / "s").iterdir())
        if kind == "pack":
            inside = self.work / ".git"
            return [path for path in sorted(inside.rglob("*")) if path.is_file() and "hooks" not in path.parts]
        return [self.work / {"saved_file": "saved.json", "recorded": "rows.json", "settings": "c/wherefrom.toml"}[kind]]

    def mutate(self, path: Path) -> None:
        """Put something else in a file's place."""
        data = bytearray(path.read_bytes())
        chance = self.chance
        ways = [
            "flip",
            "flip",
            "cut",
            "insert",
            "number",
            "double",
            "pipe",
            "link",
            "directory",
            "empty",
            "text",
            "text",
        ]
        way = chance.choice([*ways, *(["value"] * 6 if path.suffix == ".json" else [])])
        at = chance.randrange(len(data) + 1)
        if way in ("pipe", "link", "directory"):
            path.unlink()
            if way == "pipe":
                os.mkfifo(path)
            elif way == "link":
                path.symlink_to(chance.choice([self.outside / "file", self.outside / "new", self.outside, Path("/")]))
            else:
                path.mkdir()
            return
        for _ in range(chance.choice((1, 1, 5, 50))):
            if way == "flip" and data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        if way == "cut":
            del data[at:]
        elif way == "insert":
            data[at:at] = chance.choice([b"\0", b'"', b"[[", b"/", b"..", b"\xff\xff\xff\xff", b"\n", b"roots = ['/']"])
        elif way == "number":
            data[at : at + 4] = chance.randrange(1 << 32).to_bytes(4, "little")
        elif way == "double":
            data += data[at:]
        elif way == "empty":
            data.clear()
        elif way == "text":
            data = bytearray(self.fuzzer.mutated(data.decode("latin-1")).encode("utf-8", "replace"))
        elif way == "value":
            data = bytearray(json.dumps(self.fuzzer.mutated_value(json.loads(data))).encode())
        path.chmod(0o644)
        path.write_bytes(bytes(data))

    def one(self, kind: str) -> None:
        """Change a file, run a command, look, and put things back."""
        path = self.chance.choice(self.places(kind))
        self.mutate(path)
        arguments = self.chance.choice(self.commands[kind])

        bounded = arguments[0] in ("compile", "explain", "diff", "check") or arguments[1] == "compile"
        given = [*arguments, *(["--budget", f"seconds={SECONDS}"] if bounded else [])]
        kept = self.chance.random() < 0.5
        """Whether the kernel keeps it, too: as the command has it, or so that our own checks stand alone."""

        def work() -> int:
            resource.setrlimit(resource.RLIMIT_CPU, (3 * SECONDS, resource.RLIM_INFINITY))
            signal.alarm(240)
            if kept:
                keep(given)
            return quiet(given)

        ended = in_child(work)
        told = f"{kind}: {path.relative_to(self.work)}, {given}, {kept=}: {ended.status} {ended.problem}"
        assert ended.problem is None and ended.status in (0, 1, 2), told
        assert snapshot(self.outside) == self.before, told
        self.put_back()

    def put_back(self) -> None:
        """Make the project what it was."""
        now = snapshot(self.work)
        for name in sorted(now.keys() | self.whole.keys()):
            if now.get(name) == self.whole.get(name):
                continue
            path, kept = self.work / name, self.kept / name
            if path.is_symlink() or (path.exists() and not path.is_dir()):
                path.unlink()
            elif path.is_dir() and not kept.is_dir():
                shutil.rmtree(path)
            if kept.is_dir():
                path.mkdir(exist_ok=True)
            elif kept.exists():
                shutil.copy2(kept, path)

    def several(self, kind: str, seed: int) -> int:
        """Inputs of a kind of `fuzz.py`, in one child; how many."""
        count = TOGETHER // 50 if kind == "explode" else TOGETHER
        scratch = self.folder / "scratch"
        scratch.mkdir(exist_ok=True)

        def work() -> int:
            signal.alarm(600)
            fuzz.SCRATCH = str(scratch)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            doing(f"{kind} seed {seed}")
            failures = fuzz.fuzz(kind, seed, count)
            for failure in failures:
                print(failure, file=sys.stderr)
            return 7 if failures else 0

        ended = in_child(work)
        told = f"{kind} seed {seed}: {ended.status} {ended.problem}"
        assert ended.problem is None and ended.status == 0, told
        assert snapshot(self.outside) == self.before, told
        assert snapshot(self.work) == self.whole, told
        return count


KINDS = (*fuzz.KINDS, *COMMANDS)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=(*KINDS, "all"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1_000_000)
    options = parser.parse_args()
    revisions._SECONDS = 2
    for name in (
        "pyarrow.parquet",
        "duckdb",
        "wherefrom.fleet.store",
        *(f"wherefrom.cli.{name}" for name in COMMANDED),
    ):
        importlib.import_module(name)  # children begin with it
    kinds = KINDS if options.kind == "all" else (options.kind,)
    done: Counter[str] = Counter()
    failures = 0
    ending: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: ending.append(number))
    turn = 0
    with tempfile.TemporaryDirectory() as folder:
        fuzzed = Fuzzed(Path(folder) / "site", options.seed)
        while done.total() < options.count and not ending:
            kind = kinds[turn % len(kinds)]
            turn += 1
            try:
                if kind in COMMANDS:
                    for _ in range(COMMANDS_TOGETHER):
                        fuzzed.one(kind)
                        done[kind] += 1
                else:
                    done[kind] += fuzzed.several(kind, options.seed * 1_000_003 + turn)
            except AssertionError as failure:
                failures += 1
                done[kind] += 1
                print(f"FAILED {failure}", flush=True)
                if kind in COMMANDS:
                    shutil.rmtree(fuzzed.outside)
                    fuzzed.outside.mkdir()
                    (fuzzed.outside / "file").write_text("precious")
                    fuzzed.put_back()
            if turn % (20 * len(kinds)) == 0:
                print(f"{done.total():,} inputs, {failures} failures", flush=True)
        os.chdir("/")
    print(f"{done.total():,} inputs, seed {options.seed}, {failures} failures: {dict(done)}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
