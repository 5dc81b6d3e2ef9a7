"""A command that splits off from the process that waits (`support/commands.py`) is the command that a shell starts:
same status, same output, same files, same streams, and nothing stays behind for the next."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.commands import ROOT, Order, Warm, ran

FILES = {
    "a.pp": "notice(\"é ${facts['k']}\") notify { 'a': message => ['é', 1.5, undef] }",
    "bad.pp": "file { '/a': mode => }\n",
    "a.sf": "sfConfig extends { a 1; b extends { c LAZY a; } }",
    "facts.yaml": "k: v\n",
}
COMMANDS: list[list[str | bytes]] = [
    [], ["--help"], ["--version"], ["nothing"], ["compile"], ["compile", "a.pp"], ["compile", "a.pp", "--yaml"],
    ["compile", "a.pp", "--facts", "facts.yaml", "--json"], ["compile", "bad.pp"], ["compile", "a.sf"],
    ["compile", "none.pp"], ["compile", "-"], ["explain", "a.pp", "Notify[a].message"], ["check", ".", "--json"],
    ["eval", "-E", "builtins.trace 1 (x: x)"], ["eval", "-"], ["eval", "-E", b'"\xff"'], ["batch"], ["step", "a.sf"],
    ["explain", str(ROOT / "examples/control"), "File[/etc/motd]", "--node", "web01.example.org", "--eyaml-key",
     str(ROOT / "examples/control/keys/private_key.pkcs7.pem")],
    ["compile", "a.pp", "--save", "saved.json"], ["eval", "-E", "1", "--budget", "nonsense"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(map(ascii, arguments)))
def test_both_ways(arguments: list[str | bytes], tmp_path: Path) -> None:
    """What it says and what it leaves behind, bytes and all."""
    outcomes = []
    request = json.dumps({"id": 1, "manifest": "notice('é')"})
    for cold in (True, False):
        folder = tmp_path / str(cold)
        folder.mkdir()
        for name, text in FILES.items():
            (folder / name).write_text(text)
        command = ran(*arguments, cwd=folder, input=request, environ={**os.environ, "NO_COLOR": "1"}, cold=cold)
        left = {path.name: path.stat().st_mode for path in folder.iterdir()}
        timeless = re.sub(rb'(version"?: )\d{10}', rb"\1now", command.out)
        outcomes.append((command.status, timeless, command.err, left))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] in (0, 1, 2)


INSIDE = """
import gc, json, os, signal, sys
streams = {name: (stream.encoding, stream.errors, stream.line_buffering, stream.fileno(), stream.isatty())
           for name in ("stdin", "stdout", "stderr") for stream in [getattr(sys, name)]}
open_files = sorted(int(name) for name in os.listdir("/proc/self/fd"))
print(json.dumps([
    streams, os.getcwd(), sys.path, sorted(os.environ.items()), sys.argv[1:], sys.flags.utf8_mode, open_files[:-1],
    str(signal.getsignal(signal.SIGINT)), str(signal.getsignal(signal.SIGPIPE)),
    sys.modules["__main__"].__name__, gc.isenabled(), sys.getrecursionlimit(),
]))
"""


def test_the_same_inside(tmp_path: Path) -> None:
    """Streams, directory, path, variables, descriptors and signals, seen by a package of that name that tells them."""
    (tmp_path / "wherefrom").mkdir()
    (tmp_path / "wherefrom/__init__.py").write_text("__path__ = [__file__.rpartition('/')[0]]")
    (tmp_path / "wherefrom/__main__.py").write_text(INSIDE)
    environ = {**os.environ, "EXTRA": "é\udcff", "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    before = dict(os.environ)
    os.environ.update(environ)  # the one that waits reads another package of that name
    try:
        other = Warm()
        cold = ran("x", cwd=tmp_path, environ=environ, cold=True)
        with open(tmp_path / "out", "wb+") as out, open(os.devnull) as nothing:
            streams = {"stdin": nothing.fileno(), "stdout": out.fileno(), "stderr": out.fileno()}
            status, _, _ = other.start(Order(("x",), tmp_path, environ), streams).ended()
            out.seek(0)
            said = out.read()
        other.end()
    finally:
        os.environ.clear()
        os.environ.update(before)
    assert (status, cold.status) == (0, 0), (said, cold)
    assert json.loads(said) == json.loads(cold.out)


def test_what_python_reads_at_the_start_is_read(tmp_path: Path) -> None:
    """Another locale, or other letters for the streams, and a process of its own is started."""
    (tmp_path / "a.pp").write_text("notify { 'é': }")
    accent = ran("compile", "a.pp", cwd=tmp_path, environ={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert b"\\xe9" in accent.out, accent


def test_one_that_hangs_is_killed(tmp_path: Path) -> None:
    """And the next one runs."""
    (tmp_path / "a.nix").write_text("let f = n: if n == 0 then 1 else f (n - 1) + f (n - 1); in f 60")
    with pytest.raises(AssertionError, match="hangs"):
        ran("eval", "a.nix", "--budget", "1000", cwd=tmp_path, seconds=0.3)
    assert ran("eval", "-E", "1").out == b"1\n"


def test_bounds_hold() -> None:
    """What wants more of the processor than it may have is ended by the system, and the parent says so."""
    endless = "let f = n: if n == 0 then 1 else f (n - 1) + f (n - 1); in f 60"
    command = ran("eval", "-E", endless, "--budget", "1000", bounds={"RLIMIT_CPU": 1})
    assert command.status == 1, command
    assert b"the process was stopped" in command.err, command


def test_it_goes_when_nobody_is_there() -> None:
    """Whoever ran the tests was killed: the process that waits ends by itself."""
    script = (
        "import os, sys; sys.path.insert(0, 'tests'); from support.commands import warm, ran;"
        "assert ran('--version').status == 0; print(warm()._process.pid, flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    waiting = int(done.stdout)
    for _ in range(1_000):
        if not Path(f"/proc/{waiting}/cmdline").exists() or not Path(f"/proc/{waiting}/cmdline").read_bytes():
            return
        time.sleep(0.02)
    raise AssertionError(f"process {waiting} is still there")
