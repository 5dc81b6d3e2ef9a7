"""Mutation testing: small wrong changes to a room of the source, and whether a test notices.

    .venv/bin/python tests/support/mutants.py types --count 60 --seed 1

A mutant changes one place of one function: a comparison, an operator, a condition, a constant, a returned value. Places
are drawn at random, by a seed, so that a score can be repeated. What is run for a mutant is chosen by what was seen:
each check (a recorded answer of real Puppet, a test, a world whose inputs are changed) is run once on the sound code,
and the lines that it runs are noted. A mutant is then put to the checks that run its lines, the quickest first, until
one fails; where none does, to those that run other lines of its function.

Everything is imported once; commands that tests run are run inside this process, where the mutant is. A mutant lives
in a fork of this process, where the code of the function is replaced; so a mutant costs what its checks cost, and no
start of an interpreter. One that never ends is stopped by its processor time, and counts as noticed.

The score is the share of mutants that were noticed, of those that any check calls; functions that no check of the room
calls are counted by themselves. A survivor is printed with its place: a test is missing there, or the change is none.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import gc
import importlib
import json
import os
import signal
import sys
import time
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

HERE = Path(__file__).resolve().parents[2]
SOURCE = HERE / "src" / "wherefrom"
sys.path[:0] = [str(HERE / "tests"), str(HERE / "tests" / "oracle"), str(HERE / "src")]

from support import commands  # noqa: E402 - where it is was said a line ago
from support.commands import Ran  # noqa: E402

NOTE = "_a_line_is_run"


class Room(NamedTuple):
    """What is put to a room: tests, recorded answers, and worlds that are changed; `files` are patterns of its code."""

    files: tuple[str, ...]
    tests: tuple[str, ...]
    recorded: bool = True
    worlds: int = 0

    @property
    def paths(self) -> list[Path]:
        """The files of the code."""
        return sorted(path for pattern in self.files for path in SOURCE.glob(pattern))


def _compiler(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/unit/puppet_compiler/test_{name}.py" for name in names)


def _commands(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/cli/test_{name}.py" for name in names)


GUIDES = "tests/house/test_docs.py::test_guides_lead_where_they_say"
"""Their commands are run by a shell, in processes where no mutant is."""
CLASSES = "tests/properties/test_puppet_dependency_classes.py"
ROOMS: dict[str, Room] = {
    "types": Room(("puppet/types/*.py",), ("tests/unit/puppet_types",)),
    "hiera": Room(
        ("puppet/hiera/*.py",), (CLASSES, "tests/unit/puppet_hiera", *_compiler("codes", "provenance")), worlds=20
    ),
    "runtime": Room(
        ("puppet/runtime/*.py",),
        (
            CLASSES,
            *_compiler(
                "codes",
                "compiling",
                "cycles",
                "effects",
                "errors",
                "exports",
                "inputs",
                "missing",
                "provenance",
                "ruby_types",
            ),
        ),
        worlds=20,
    ),
    "provenance": Room(("provenance/*.py",), ("tests/unit/provenance",), recorded=False),
    "output": Room(
        ("puppet/output/*.py",),
        (
            *_compiler("compiling", "explained", "inputs", "missing", "missing_places", "provenance"),
            *_compiler("binary_texts", "ruby_origins"),
            "tests/properties/test_puppet_branches.py",
            "tests/properties/test_missing_questions.py",
            "tests/properties/test_secret_documents.py",
            CLASSES,
            *_commands(
                "answers", "commands", "facts", "graph", "impact_names", "lenient", "many", "modules", "secrets"
            ),
            *_commands("short", "static_files", "versions", "what_if"),
            "tests/house/test_docs.py",
        ),
    ),
    "comparison": Room(
        ("comparison.py", "causes.py", "edits.py"),
        (
            "tests/properties/test_diff_causes.py",
            *_commands("diff_revisions", "answers", "commands", "lenient", "many", "modules", "what_if"),
            "tests/unit/project",
            "tests/house/test_docs.py",
        ),
        recorded=False,
    ),
    "missing": Room(
        ("puppet/output/missing.py", "puppet/output/named_in_data.py"),
        (
            *_compiler("missing", "missing_places"),
            "tests/properties/test_missing_questions.py",
            *_commands("answers", "commands", "short"),
            "tests/house/test_docs.py",
        ),
        recorded=False,
    ),
    "impact": Room(
        ("provenance/impact.py", "puppet/output/known_inputs.py", "nix/front/impact.py"),
        (
            "tests/unit/provenance",
            "tests/properties/test_puppet_dependency.py",
            "tests/properties/test_puppet_dependency_absent.py",
            "tests/unit/nix/test_modules_impact.py",
            "tests/unit/nix/test_options.py",
            "tests/unit/smartfrog/test_level_questions.py",
            *_commands("impact_names", "answers", "commands", "nix"),
            "tests/house/test_docs.py",
        ),
        recorded=False,
    ),
}

MOST_SECONDS = 3.0
"""How long the checks of one sort take for a mutant, on the sound code, at most; the quickest are taken."""

_SWAPPED: dict[type[ast.AST], Any] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}

Lines = tuple[str, int, int]
"""Lines of a file, the first and the last."""


@dataclass
class Check:
    """Something that tells the sound code from a wrong one; `lines` are those that it runs, bits of a `Map`.

    `sort` is what it is: a test, a recorded program, a world.
    """

    sort: str
    holds: Callable[[], bool]
    lines: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Mutant:
    """One change: the place of a node among all that can be changed in its file.

    `lines` is where the statement begins that it stands in, `function` are the lines of the function.
    """

    path: Path
    index: int
    kind: str
    line: int
    lines: Lines
    function: Lines


def mutants_of(path: Path) -> list[Mutant]:
    """All changes that can be made in a file."""
    tree = ast.parse(path.read_text())
    owners: dict[int, ast.FunctionDef] = {}
    statements: dict[int, int] = {}
    for function in _functions(tree):
        for node in (node for statement in function.body for node in ast.walk(statement)):
            owners[id(node)] = function
            if isinstance(node, ast.stmt):  # the innermost comes last
                statements.update((id(inner), node.lineno) for inner in ast.walk(node))
    return [
        Mutant(
            path,
            index,
            type(node).__name__,
            node.lineno,
            _lines(path, statements[id(node)]),
            _lines(path, owners[id(node)].body[0].lineno, owners[id(node)].end_lineno),
        )
        for index, node in enumerate(_places(tree))
        if id(node) in owners
    ]


def _lines(path: Path, first: int, last: int | None = None) -> Lines:
    return str(path), first, first if last is None else last


def _functions(node: ast.AST) -> Iterator[ast.FunctionDef]:
    """The outermost functions: what is inside of them is part of their code."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            if child.name != "__repr__":
                yield child
        else:
            yield from _functions(child)


def _places(tree: ast.Module) -> list[Any]:
    """The nodes that can be changed: no annotations, no texts that describe, no parts of formatted texts."""
    left_out: set[int] = set()
    for node in ast.walk(tree):
        parts = [getattr(node, name, None) for name in ("annotation", "returns")]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            parts.append(node.value)
        elif isinstance(node, ast.JoinedStr):
            parts += [part for part in node.values if isinstance(part, ast.Constant)]
        left_out.update(id(inner) for part in parts if isinstance(part, ast.AST) for inner in ast.walk(part))
    return [node for node in ast.walk(tree) if id(node) not in left_out and _can_change(node)]


def _can_change(node: ast.AST) -> bool:
    match node:
        case ast.Compare(ops=[operator]) | ast.BinOp(op=operator):
            return type(operator) in _SWAPPED
        case ast.Constant(value=bool() | int()) | ast.BoolOp() | ast.If() | ast.IfExp():
            return True
        case ast.Constant(value=str() as text):
            return bool(text)
        case ast.Return(value=value):
            return value is not None and not (isinstance(value, ast.Constant) and value.value is None)
    return False


def _change(node: Any) -> None:
    match node:
        case ast.Compare():
            node.ops[0] = _SWAPPED[type(node.ops[0])]()
        case ast.BinOp():
            node.op = _SWAPPED[type(node.op)]()
        case ast.BoolOp():
            node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        case ast.If() | ast.IfExp():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.Constant(value=bool() as value):
            node.value = not value
        case ast.Constant(value=int() as value):
            node.value = value + 1
        case ast.Constant(value=str() as value):
            node.value = f"XX{value}"
        case ast.Return():
            node.value = ast.Constant(None)


def told(mutant: Mutant) -> str:
    """What a change is, for a person: the code before and after it, on one line each, the beginning of it."""
    node = _places(ast.parse(mutant.path.read_text()))[mutant.index]
    before = ast.unparse(node).splitlines()[0]
    _change(node)
    after = ast.unparse(ast.fix_missing_locations(node)).splitlines()[0]
    return f"{before}  ->  {after}"


class _Noting(ast.NodeTransformer):
    """Puts a note before each statement of each function: the number of its line."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.inside = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        outside, self.inside = self.inside, True
        self.generic_visit(node)
        self.inside = outside
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if self.inside:
            for name in ("body", "orelse", "finalbody"):
                block = getattr(node, name, None)
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    setattr(node, name, [piece for statement in block for piece in (self._note(statement), statement)])
        return node

    def _note(self, statement: ast.stmt) -> ast.stmt:
        number = ast.Constant(self.offset + statement.lineno)
        note = ast.Expr(ast.Call(ast.Name(NOTE, ast.Load()), [number], []))
        return ast.copy_location(note, statement)


def _forget() -> None:
    """Forget what the sound code made and keeps, so that the changed code makes it again."""
    for name, module in list(sys.modules.items()):
        if name.startswith("wherefrom"):
            for kept in list(vars(module).values()):
                if callable(getattr(kept, "cache_clear", None)):
                    kept.cache_clear()
            for store in ("_made", "_CACHE"):
                if isinstance(getattr(module, store, None), dict):
                    getattr(module, store).clear()


def recorded_programs() -> list[Check]:
    """The recorded answers of real Puppet, each a check by itself."""
    corners = importlib.import_module("record_puppet_corners")
    cases = importlib.import_module("support.puppet_cases")
    real = importlib.import_module("support.puppet_real")

    def holds(request: dict[str, Any], answer: Any) -> Callable[[], bool]:
        return lambda: json.loads(json.dumps(real.normal(real.ours(request)))) == answer

    pairs = list(zip(corners.requests(), corners.answers(), strict=True))
    pairs += [(cases.request_of(case), json.loads(case.sections["want.json"])) for case in cases.recorded_cases()]
    return [Check("program", holds(*pair)) for pair in pairs]


def changed_worlds(count: int) -> list[Check]:
    """Environments whose inputs are changed: what an output does not depend on must not change it."""
    dependency = importlib.import_module("properties.test_puppet_dependency")

    def holds(seed: int) -> Callable[[], bool]:
        return lambda: not dependency.check([seed], wanted=8).violations

    return [Check("world", holds(seed)) for seed in range(count)]


def ran_inside(
    *arguments: str | bytes,
    cwd: Path = HERE,
    input: str | bytes = b"",
    environ: Mapping[str, str] | None = None,
    **_: Any,
) -> Ran:
    """`support.commands.ran`, without another process: what the command runs can be seen, and be a mutant."""
    from wherefrom.cli.main import status_of

    data = input.encode() if isinstance(input, str) else input
    streams = [TextIOWrapper(BytesIO(each), "utf-8", write_through=True) for each in (data, b"", b"")]
    before = sys.stdin, sys.stdout, sys.stderr, os.getcwd(), dict(os.environ)
    try:
        sys.stdin, sys.stdout, sys.stderr = streams
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update({**(before[4] if environ is None else environ), "WHEREFROM_CONTAINED": "no"})
        status = status_of(list(map(os.fsdecode, arguments)))
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdin, sys.stdout, sys.stderr = before[:3]
        os.chdir(before[3])
        os.environ.clear()
        os.environ.update(before[4])
    out, err = (stream.buffer.getvalue() for stream in streams[1:])
    return Ran(status, out, err, 0.0, 0.0)


def _item_check(item: pytest.Item) -> Check:
    from _pytest.runner import runtestprotocol

    return Check("test", lambda: all(report.passed for report in runtestprotocol(item, log=False, nextitem=None) or []))


class Map:
    """The lines of files as numbers, and which of them a check runs.

    While it is in force, every statement in a function of these files is preceded by a note that it is run: that costs
    a call for each, and nothing in any other code, as a tracer would.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self.offsets: dict[str, int] = {}
        self.functions: dict[str, list[types.FunctionType]] = {}
        self._sound: list[tuple[types.FunctionType, types.CodeType]] = []
        self._ran: set[int] = set()
        size = 0
        for path in paths:
            self.offsets[str(path)] = size
            self.functions[str(path)] = []
            size += len(path.read_text().splitlines()) + 1
        gc.unfreeze()  # what somebody froze is not among the objects
        for thing in gc.get_objects():
            if isinstance(thing, types.FunctionType) and thing.__code__.co_filename in self.functions:
                self.functions[thing.__code__.co_filename].append(thing)

    def __enter__(self) -> Map:
        builtins.__dict__[NOTE] = self._ran.add
        for path, offset in self.offsets.items():
            self._sound += self._put(path, _Noting(offset).visit(ast.parse(Path(path).read_text())))
        return self

    def __exit__(self, *_: object) -> None:
        for function, code in self._sound:
            function.__code__ = code

    def watch(self, check: Check) -> bool:
        """Run a check on the sound code, and note what it runs and how long it takes.  False if it does not hold."""
        self._ran.clear()
        before = time.process_time()
        holds = check.holds()
        check.seconds = time.process_time() - before
        check.lines = sum(1 << number for number in self._ran)
        return holds

    def put_in_place(self, mutant: Mutant) -> bool:
        """Replace the code of the function in this process, wherever it is held.  False if nobody holds it."""
        tree = ast.parse(mutant.path.read_text())
        _change(_places(tree)[mutant.index])
        replaced = self._put(str(mutant.path), tree)
        _forget()
        return bool(replaced)

    def _put(self, path: str, tree: ast.Module) -> list[tuple[types.FunctionType, types.CodeType]]:
        """Give the functions of a file the code that they have in another version; those that change, with the old."""
        versions: dict[tuple[str, int], types.CodeType] = {}

        def collect(code: types.CodeType) -> None:
            for constant in code.co_consts:
                if isinstance(constant, types.CodeType):
                    versions[constant.co_qualname, constant.co_firstlineno] = constant
                    collect(constant)

        collect(compile(ast.fix_missing_locations(tree), path, "exec"))
        changed: list[tuple[types.FunctionType, types.CodeType]] = []
        for function in self.functions[path]:
            old = function.__code__
            new = versions.get((old.co_qualname, old.co_firstlineno))
            if new is not None and new != old and new.co_freevars == old.co_freevars:
                changed.append((function, old))
                function.__code__ = new
        return changed

    def mask(self, lines: Lines) -> int:
        """The bits of some lines."""
        path, first, last = lines
        return ((1 << last - first + 1) - 1) << self.offsets[path] + first


def chosen_for(mutant: Mutant, checks: list[Check], lines: Map) -> list[Check]:
    """What a mutant is put to, the quickest first: of each sort, some checks that run its lines, else its function."""
    for place in (mutant.lines, mutant.function):
        mask = lines.mask(place)
        running = sorted((check for check in checks if check.lines & mask), key=lambda check: check.seconds)
        chosen: list[Check] = []
        seconds: dict[str, float] = {}
        for check in running:
            if check.sort not in seconds or seconds[check.sort] + check.seconds <= MOST_SECONDS:
                seconds[check.sort] = seconds.get(check.sort, 0.0) + check.seconds
                chosen.append(check)
        if chosen:
            return chosen
    return []


def verdict(mutant: Mutant, checks: list[Check], lines: Map) -> str:
    """What became of a mutant: `killed`, `survived`, `unreached` by any check, or `equal` to the sound code."""
    chosen = chosen_for(mutant, checks, lines)
    if not chosen:
        return "unreached"
    seconds = sum(check.seconds for check in chosen)
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        signal.setitimer(signal.ITIMER_PROF, 10 + 4 * seconds)  # whose signal ends the process
        try:
            if not lines.put_in_place(mutant):
                os._exit(2)
            os._exit(0 if all(check.holds() for check in chosen) else 1)
        except BaseException:  # anything that goes wrong was noticed
            os._exit(1)
    _, status = os.waitpid(child, 0)
    return {0: "survived", 2: "equal"}.get(os.waitstatus_to_exitcode(status), "killed")


class Driver:
    """Pytest collects the tests of a room; what is done with them is this."""

    def __init__(self, rooms: list[str], count: int, seeds: list[int], output: Path | None) -> None:
        self.rooms, self.count, self.seeds, self.output = rooms, count, seeds, output

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        paths = {path for room in self.rooms for path in ROOMS[room].paths}
        for path in sorted(paths):
            parts = ("wherefrom", *path.relative_to(SOURCE).with_suffix("").parts)
            importlib.import_module(".".join(part for part in parts if part != "__init__"))
        commands.ran = ran_inside
        lines = Map(sorted(paths))
        with lines:
            checks = [check for check in self._checks(session) if lines.watch(check)]
        gc.freeze()  # what a mutant does not touch it has in common with this process
        for room in self.rooms:
            for seed in self.seeds:
                self._score(room, checks, lines, seed)
        return True

    def _score(self, room: str, checks: list[Check], lines: Map, seed: int) -> None:
        mutants = [mutant for path in ROOMS[room].paths for mutant in mutants_of(path)]
        Random(seed).shuffle(mutants)
        print(f"{room}, seed {seed}: {len(checks)} checks, {len(mutants)} mutants", flush=True)
        scores: dict[str, int] = {}
        for mutant in mutants[: self.count]:
            result = verdict(mutant, checks, lines)
            scores[result] = scores.get(result, 0) + 1
            place = f"{mutant.path.relative_to(SOURCE)}:{mutant.line}"
            line = mutant.path.read_text().splitlines()[mutant.line - 1].strip()
            self._write([room, seed, result, place, mutant.kind, line])
            if result in ("survived", "unreached"):
                print(f"{result} {place} {mutant.kind}: {line}\n        {told(mutant)}", flush=True)
        killed, survived = scores.get("killed", 0), scores.get("survived", 0)
        print(f"{room}, seed {seed}: {killed} of {killed + survived} noticed; {scores}", flush=True)

    def _checks(self, session: pytest.Session) -> list[Check]:
        recorded = recorded_programs() if any(ROOMS[room].recorded for room in self.rooms) else []
        worlds = changed_worlds(max(ROOMS[room].worlds for room in self.rooms))
        return [*recorded, *worlds, *map(_item_check, session.items)]

    def _write(self, row: list[Any]) -> None:
        if self.output is not None:
            with self.output.open("a") as output:
                output.write(json.dumps(row) + "\n")


def main() -> int:
    """Score rooms."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", choices=ROOMS, nargs="+")
    parser.add_argument("--count", type=int, default=60, help="how many mutants")
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="a score for each")
    parser.add_argument("--output", type=Path, help="a file for one line of JSON for each mutant")
    options = parser.parse_args()
    driver = Driver(options.rooms, options.count, options.seed, options.output)
    os.chdir(HERE)
    tests = dict.fromkeys(path for room in options.rooms for path in ROOMS[room].tests)
    quick = ["-m", "not long and not soak and not oracle", "--deselect", GUIDES]
    return int(pytest.main(["-q", "-p", "no:cacheprovider", *quick, *tests], plugins=[driver]))


if __name__ == "__main__":
    sys.exit(main())
