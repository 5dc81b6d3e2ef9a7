"""Inputs that nobody would write, each in a child that can be ended, beside a directory that is nobody's business.

    python tests/attacks/contained_fuzz.py KIND|all [--seed N] [--count N]

The kinds of `fuzz.py` are run by the hundred in a child; and for the kinds here a file of a real project is changed or
replaced by a link, a pipe or a directory, and a command is run on it: `store`, `settings`, `pack` (a repository),
`saved_file`, `recorded` (an inventory as PuppetDB answers it). What counts as a failure: a child that had to be ended,
three times the bound of seconds, status 3, and any change of what lies outside (in the home directory, too), which is
looked at file by file. With `all` the kinds take turns. At a signal to end (SIGTERM) it says how far it came.

Most of what a small command takes is Python reading our modules, so all of them are read before the first child is
forked, and what each kind makes at its first input (tables of functions, compiled patterns) is made by then, too.
"""

from __future__ import annotations

import argparse
import gc
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
from support.warm import read_everything
from wherefrom import revisions
from wherefrom.base.contained import doing, in_child
from wherefrom.cli.containing import keep
from wherefrom.cli.main import status_of
from wherefrom.fleet.place import place_of

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
LIBRARIES = ("pyarrow.parquet", "duckdb")
FIRST = 20
"""Inputs of each kind before the first child, so that no child does for itself what is done once."""
OWN = ("work", "state", "cache", "scratch")
"""What a command may write to."""
Snapshot = dict[str, tuple[int, ...]]


def snapshot(folder: Path) -> Snapshot:
    """All that lies below a directory: kind and rights, number, size, and when it was changed last.

    The last of these nobody can set: what has the same as before was not changed, but for what was done within some
    milliseconds of the look before.
    """
    seen: Snapshot = {}
    waiting = [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                is_folder = entry.is_dir(follow_symlinks=False)
                size = 0 if is_folder else status.st_size
                changed = 0 if is_folder else status.st_ctime_ns  # what lies in it is looked at by itself
                seen[entry.path[len(str(folder)) + 1 :]] = (status.st_mode, status.st_ino, size, changed)
                if is_folder:
                    waiting.append(entry.path)
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
        for name in OWN:
            (folder / name).mkdir()
        (folder / "home").mkdir()
        os.environ["HOME"] = str(folder / "home")
        tempfile.tempdir = str(folder / "scratch")
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
        self.before = self.elsewhere()
        self.whole = snapshot(self.work)

    def elsewhere(self) -> Snapshot:
        """All that is nobody's business, and what there is beside it."""
        places = [path for path in self.folder.iterdir() if path.name not in OWN]
        root = place_of("/")  # links lead there, too
        seen: Snapshot = {f"/{name}": () for name in root.names() if root.is_ours(name)}
        return seen | {f"{path.name}/{name}": entry for path in places for name, entry in snapshot(path).items()}

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
        self.whole[str(path.relative_to(self.work))] = ()  # it is to be put back, however soon it was changed
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
        assert self.elsewhere() == self.before, told
        self.put_back()

    def put_back(self) -> None:
        """Make the project what it was, and remove what processes that were ended have left."""
        for left in (self.folder / "scratch").iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
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
        self.whole = snapshot(self.work)

    def put_back_outside(self) -> None:
        """Make what lies outside what it was, after somebody has written there."""
        for place in (self.outside, self.folder / "home"):
            shutil.rmtree(place)
            place.mkdir()
        (self.outside / "file").write_text("precious")
        self.before = self.elsewhere()

    def several(self, kind: str, seed: int) -> int:
        """Inputs of a kind of `fuzz.py`, in one child; how many."""
        count = TOGETHER // 50 if kind == "explode" else TOGETHER

        def work() -> int:
            signal.alarm(600)
            fuzz.SCRATCH = str(self.folder / "scratch")
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            doing(f"{kind} seed {seed}")
            failures = fuzz.fuzz(kind, seed, count)
            for failure in failures:
                print(failure, file=sys.stderr)
            return 7 if failures else 0

        ended = in_child(work)
        told = f"{kind} seed {seed}: {ended.status} {ended.problem}"
        assert ended.problem is None and ended.status == 0, told
        assert self.elsewhere() == self.before, told
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
    read_everything()
    for name in LIBRARIES:
        importlib.import_module(name)
    kinds = KINDS if options.kind == "all" else (options.kind,)
    done: Counter[str] = Counter()
    failures = 0
    ending: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: ending.append(number))
    turn = 0
    with tempfile.TemporaryDirectory() as folder:
        fuzzed = Fuzzed(Path(folder) / "site", options.seed)
        fuzz.SCRATCH = folder
        for kind in fuzz.KINDS:
            fuzz.fuzz(kind, 0, FIRST)
        gc.collect()
        gc.freeze()
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
                fuzzed.put_back_outside()
                fuzzed.put_back()
            if turn % (20 * len(kinds)) == 0:
                print(f"{done.total():,} inputs, {failures} failures", flush=True)
        os.chdir("/")
    print(f"{done.total():,} inputs, seed {options.seed}, {failures} failures: {dict(done)}", flush=True)
    os._exit(bool(failures))  # what was loaded has a lot to say when it is taken apart


if __name__ == "__main__":
    main()
