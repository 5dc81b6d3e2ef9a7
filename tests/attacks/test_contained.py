"""What can not be stopped from inside is stopped from outside, and what gets past our checks meets the kernel."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attacks.running import wherefrom
from support.commands import ROOT
from wherefrom.base.budget import Budget
from wherefrom.base.contained import (
    SHARED,
    Child,
    Stopped,
    _Child,
    _innermost,
    _used_by,
    bound_rest,
    bounded,
    doing,
    in_child,
)
from wherefrom.base.landlock import version
from wherefrom.base.seccomp import is_there
from wherefrom.base.servant import Servant
from wherefrom.cli.containing import BOUNDED, run_contained

FUNCTION = "Puppet::Functions.create_function(:'m::f') do\n  def f\n    {}\n  end\nend\n"
CALLS = "$s = sprintf('%999999s', 'x')\n"
LONG = {
    "regsubst": CALLS + r"notice(size(regsubst($s, '\s+$', '')))",
    "a lazy match": CALLS + "notice($s =~ / *?y/)",
    "scan": "('a'*900_000).scan(/a*?b/).size",
    "pow": "m = 7**600_000\n    3.pow(m, m + 2).to_s.size",
    "digits": "(7**1_000_000).digits.size",
}
"""One operation each that takes hours."""


def project(folder: Path, text: str) -> list[str]:
    """A manifest that does it, by Puppet or by a function in Ruby; the command's arguments."""
    if text.startswith(CALLS):
        (folder / "a.pp").write_text(text)
        return ["a.pp"]
    place = folder / "modules/m/lib/puppet/functions/m"
    place.mkdir(parents=True)
    (place / "f.rb").write_text(FUNCTION.replace("{}", text))
    (folder / "a.pp").write_text("notice(m::f())")
    return ["a.pp", "--modulepath", "modules"]


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=pytest.mark.long) if what in ("pow", "digits") else what for what in LONG]
)
def test_one_operation_is_bounded(what: str, tmp_path: Path) -> None:
    """Where steps do not, seconds of the budget bound it, with a diagnostic; hardly more processor time is taken."""
    ran = wherefrom("compile", *project(tmp_path, LONG[what]), "--budget", "seconds=1,steps=1e18", cwd=tmp_path)
    assert ran.status == 1, ran
    assert b"error[W009]" in ran.err, ran
    assert b"the budget of seconds is spent" in ran.err, ran
    assert ran.seconds < 6, ran


@pytest.mark.long
def test_what_was_running_is_said(tmp_path: Path) -> None:
    """The file, and the function of ours that was at it."""
    ran = wherefrom("compile", *project(tmp_path, LONG["pow"]), "--budget", "seconds=1,steps=1e18", cwd=tmp_path)
    assert b"compiling a.pp, in `pow_` (ruby/methods/numbers.py:" in ran.err, ran


def test_what_was_running_is_said_by_the_budget_inside(tmp_path: Path) -> None:
    """Where work can be interrupted, the words are the same; where the place is known, it is told instead."""
    (tmp_path / "a.pp").write_text("function f($x) { if $x < 2 { 1 } else { f($x - 1) + f($x - 2) } }\nnotice(f(90))\n")
    bounds = "seconds=1,steps=1e18"
    ran = wherefrom("compile", "a.pp", "--budget", bounds, cwd=tmp_path)
    assert b"the budget of seconds is spent compiling a.pp, in `" in ran.err and b"(puppet/" in ran.err, ran
    program = "let f = n: if n < 2 then 1 else f (n - 1) + f (n - 2); in f 90"
    ran = wherefrom("eval", "-E", program, "--budget", bounds, cwd=tmp_path)
    assert b"the budget of seconds is spent (limit: 1)" in ran.err and b":1:9" in ran.err, ran


def test_one_operation_takes_bounded_memory(tmp_path: Path) -> None:
    """More address space than the budget of memory is refused by the kernel: a diagnostic, not a killed machine."""
    bounds = "memory=50M,characters=1e12"
    ran = wherefrom("compile", *project(tmp_path, "('a' * 3_000_000_000).size"), "--budget", bounds, cwd=tmp_path)
    assert ran.status == 1, ran
    assert b"the budget of memory is spent" in ran.err, ran
    assert ran.megabytes < 1000, ran


def test_a_request_that_is_ended_takes_no_other_with_it() -> None:
    """`batch` answers the next one, by a new child."""
    hang = {"id": 1, "manifest": LONG["regsubst"]}
    lines = [{"id": 0, "manifest": "notice(1)"}, hang, {"id": 2, "manifest": "notice(2)"}]
    ran = wherefrom("batch", "--budget", "seconds=1", input="".join(json.dumps(line) + "\n" for line in lines).encode())
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert [(answer["id"], answer["ok"]) for answer in answers] == [(0, True), (1, False), (2, True)], ran
    assert "the budget of seconds is spent" in answers[1]["error"]["message"]


# --- the child itself ---


def busy() -> int:
    """Work without an end, which no budget counts."""
    while True:
        sum(range(10_000))


@pytest.mark.parametrize("before", ["nothing", "a run"])
def test_what_is_done_beside_runs_is_bounded(before: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To answer, compare, draw and write has an end, too, before a run and after it."""
    monkeypatch.setattr("wherefrom.base.contained.REST", 1)

    def works() -> int:
        doing("drawing")
        bound_rest()
        if before == "a run":
            with bounded(Budget(seconds=1)):
                pass
        return busy()

    ended = in_child(works)
    assert ended.problem is not None
    assert ended.problem.code == "W009"
    assert "the budget of seconds is spent drawing" in ended.problem.message


def test_what_a_servant_does_beside_runs_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anew for each question."""
    monkeypatch.setattr("wherefrom.base.contained.REST", 1)

    def answer(question: bytes) -> bytes:
        end = time.process_time() + 0.4
        while question == b"end" or time.process_time() < end:
            pass
        return question

    servant = Servant(answer)
    for _ in range(5):
        assert servant.ask(b"go on") == b"go on"
    with pytest.raises(Stopped, match="the budget of seconds is spent"):
        servant.ask(b"end")
    servant.close()


def test_commands_bound_what_they_do_beside_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """All but those that have a lot to do there, or wait."""
    monkeypatch.setattr("wherefrom.cli.containing.keep", lambda _: 0)

    def is_bounded(*arguments: str) -> bool:
        return run_contained(arguments, lambda: int(_Child.ends)) == 1

    free = {"fleet", "check", "warm"}
    assert {command for command in BOUNDED if not is_bounded(command, "x")} == free
    assert not is_bounded("compile", "x", "--nodes")
    assert not is_bounded("diff", "x", "--nodes=a,b")
    assert not is_bounded("explain", "x", "y", "--watch")


HERE = str(ROOT / "src/wherefrom") + os.sep
STACKS = {
    "in what is compiled": ([("compile/calls.py", "call")], "`call` (compile/calls.py:7)"),
    "in a helper": ([("base/budget.py", "draw"), ("compile/calls.py", "call")], "`call` (compile/calls.py:7)"),
    "in the making of a history": (
        [("provenance/origins.py", "__init__"), ("base/record.py", "new"), ("nix/walk.py", "f")], "`f` (nix/walk.py:7)"
    ),
    "in helpers alone": ([("base/yaml_nodes.py", "load"), ("base/deep.py", "run")], "`load` (base/yaml_nodes.py:7)"),
    "in a library": ([("/lib/re.py", "match"), ("ruby/regexps.py", "scan")], "`scan` (ruby/regexps.py:7)"),
}  # fmt: skip


@pytest.mark.parametrize("what", STACKS)
def test_the_operation_is_named_wherever_it_is_interrupted(what: str) -> None:
    """Not a helper that everything calls: which of them an interruption meets is chance."""
    stack, named = STACKS[what]
    assert _innermost((os.path.join(HERE, file), "7", name) for file, name in stack) == named


def test_every_shared_room_is_there() -> None:
    """A room that was renamed would be named again."""
    assert all((ROOT / "src/wherefrom" / room).is_dir() for room in SHARED)


def test_a_place_between_two_lines_is_named() -> None:
    """Python may know no line of a function that has just begun."""
    assert _innermost([(os.path.join(HERE, "nix/walk.py"), "", "f")]) == "`f` (nix/walk.py)"


def test_the_status_of_a_child_is_ours() -> None:
    """Whatever it says, and 3 for what it did not expect."""
    assert in_child(lambda: 0).status == 0
    assert in_child(lambda: 7).status == 7

    def fails() -> int:
        raise ValueError("no")

    assert in_child(fails).status == 3


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT])
def test_a_child_that_dies_is_told(number: signal.Signals) -> None:
    """By a diagnostic with what it did."""

    def dies() -> int:
        from wherefrom.base.contained import _Child

        assert _Child.board is not None
        _Child.board.write(0.0, 1, 1, "doing something")
        faulthandler.disable()  # no trace of an end that is meant
        os.kill(os.getpid(), number)
        return 0

    ended = in_child(dies)
    assert ended.problem is not None
    assert "doing something" in ended.problem.message


def test_a_child_that_waits_is_ended_at_its_deadline() -> None:
    """Waiting takes no processor time; the parent keeps the clock."""

    def waits() -> int:
        from wherefrom.base.contained import _Child

        assert _Child.board is not None
        _Child.board.write(0.001, 1, 1, "waiting for a pipe")
        signal.pause()
        return 0

    ended = in_child(waits)
    assert ended.problem is not None
    assert ended.problem.code == "W009"
    assert "waiting for a pipe" in ended.problem.message


def test_a_child_that_works_slowly_is_not_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past its deadline: the machine may have far more to do than it can.  When it only waits, it is ended."""
    used, killed = [time.process_time()], list[int]()
    monkeypatch.setattr("wherefrom.base.contained._used_by", lambda _: used[0])
    monkeypatch.setattr("os.kill", lambda _, number: killed.append(number))
    child = Child()
    child.number = os.getpid()
    child._board.write(0.001, 1, 1, "working")
    for _ in range(3):
        used[0] += 1000
        child._more = 0.0
        child.end_if_late()
        assert child.left() > 0
    assert killed == []
    child._more = 0.0
    child.end_if_late()
    assert killed[-1] == signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="clocks of other processes have these numbers on Linux")
def test_the_processor_time_of_a_child_is_known() -> None:
    """As it would say itself; of who has ended there is none."""
    before = time.process_time()
    used = _used_by(os.getpid())
    assert used is not None
    assert before <= used <= time.process_time()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert _used_by(gone.pid) is None


def test_a_servant_answers_until_it_is_ended() -> None:
    """And a new one after that."""

    def answer(question: bytes) -> bytes:
        if question == b"die":
            faulthandler.disable()  # no trace of an end that is meant
            os.kill(os.getpid(), signal.SIGSEGV)
        return question * 100_000

    servant = Servant(answer)
    assert servant.ask(b"abc") == b"abc" * 100_000
    with pytest.raises(Stopped, match="SIGSEGV"):
        servant.ask(b"die")
    assert servant.ask(b"") == b""
    assert servant.ask(b"xyz") == b"xyz" * 100_000
    servant.close()


# --- Landlock ---

NO_CHECKS = """
import json, os, socket, sys
from wherefrom.base import host
from wherefrom.base.contained import in_child
from wherefrom.cli.containing import keep
host.RealHost._below = lambda self, real: True    # an evaluator whose own checks are switched off

def tried(work):
    try:
        work()
    except (host.CannotRead, OSError) as problem:
        return "refused" if "ermission denied" in str(problem) else repr(problem)
    return "done"

def work():
    keep(sys.argv[1:])
    reader = host.RealHost([])
    said = {
        "inside": tried(lambda: reader.read_bytes("control/a.pp")),
        "outside": tried(lambda: reader.read_bytes("/etc/passwd")),
        "beside": tried(lambda: reader.read_bytes("../secret")),
        "listing": tried(lambda: reader.list_directory("..")),
        "writing": tried(lambda: open("control/new", "w")),
        "changing": tried(lambda: open("control/a.pp", "a")),
        "removing": tried(lambda: os.unlink("control/a.pp")),
        "temporary": tried(lambda: open(f"/tmp/wherefrom-{os.getpid()}", "w")),
        "shared": tried(lambda: open(f"/dev/shm/wherefrom-{os.getpid()}", "w")),
        "saving": tried(lambda: open("out/new", "w")),
        "network": tried(lambda: socket.create_connection(("127.0.0.1", 9))),
        "datagrams": tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("127.0.0.1", 9))),
        "local": tried(lambda: socket.socket(socket.AF_UNIX).connect("/tmp/none")),
        "listening": tried(lambda: socket.socket().bind(("127.0.0.1", 0))),
        "program": tried(lambda: os.execv("control/program", ["program"])),
    }
    print(json.dumps(said))
    return 0

ended = in_child(work)
sys.exit(ended.status)
"""


@pytest.mark.skipif(not version() or not is_there(), reason="this kernel has no Landlock, or no seccomp")
def test_the_kernel_keeps_an_evaluator_without_checks(tmp_path: Path) -> None:
    """It reads what the command line names, writes what it names, and reaches no network."""
    work = tmp_path / "work"
    (work / "control").mkdir(parents=True)
    (work / "out").mkdir()
    (work / "control/a.pp").write_text("notice(1)")
    (work / "control/program").write_text("#!/bin/sh\n")
    (work / "control/program").chmod(0o755)
    (tmp_path / "secret").write_text("the secret")
    (tmp_path / "proof.py").write_text(NO_CHECKS)
    home = tmp_path / "home"
    environ = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "HOME": str(home),
        "XDG_CACHE_HOME": "",
        "XDG_STATE_HOME": "",
    }
    command = [sys.executable, "-P", str(tmp_path / "proof.py"), "compile", "control/a.pp", "--save", "out/saved.json"]
    ran = subprocess.run(command, cwd=work, env=environ, capture_output=True)
    assert ran.returncode == 0, ran
    said = json.loads(ran.stdout)
    assert {name for name, what in said.items() if what == "done"} == {"inside", "saving"}, said
    assert set(said.values()) == {"done", "refused"}, said


def test_a_command_says_whether_the_kernel_keeps_it() -> None:
    """`--version --verbose`."""
    ran = wherefrom("--version", "--verbose")
    assert ran.status == 0, ran
    assert (b"seccomp: yes" if is_there() else b"seccomp: no") in ran.out
    assert (f"Landlock: version {version()}" if version() else "Landlock: not in this kernel").encode() in ran.out
