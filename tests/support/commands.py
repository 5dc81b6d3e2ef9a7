"""The `wherefrom` command as a user runs it, a process of its own each time, without waiting for Python to start.

Python and our modules take a tenth of a second to be read, which is most of what a small command takes, and the tests
run more than a thousand of them. So they are read once, by a process that waits (`support/warm.py`); each command
splits off from it, with its own streams, directory, variables and bounds. Status, output and what it took are those of
a process like any other. `Warm` is the process that waits, `ran` runs a command and says all about it, `wherefrom` says
it in the form of `subprocess`.

What depends on how Python starts is not for a process that has started: where variables differ that are read then (the
locale, `PYTHON...`), or where `cold` is asked for, the command is started as a shell would start it.
`tests/cli/test_alike.py` compares the two ways.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread, Timer

ROOT = Path(__file__).resolve().parents[2]
WARM = Path(__file__).with_name("warm.py")
MEASURED = Path(__file__).with_name("measured.py")
STREAMS = ("stdin", "stdout", "stderr")
SECONDS = 1200
"""How long a command may take, by the clock: longer and it hangs, however much else the machine has to do."""
LONGEST = 100_000
"""Characters of arguments and variables; with more of them a command is started by itself."""
_READ_AT_THE_START = re.compile("PYTHON|LC_|LANG$|LD_|MALLOC_")


@dataclass(frozen=True)
class Ran:
    """What a process did: its status, what it printed, the processor time and the memory it took."""

    status: int
    out: bytes
    err: bytes
    seconds: float
    megabytes: float

    def __repr__(self) -> str:
        return (
            f"status {self.status}, {self.seconds:.1f} s, {self.megabytes:.0f} MB\n"
            f"{self.out[:2000].decode(errors='replace')}\n{self.err[-2000:].decode(errors='replace')}"
        )


@dataclass(frozen=True)
class Order:
    """What is to be run: `wherefrom ARGUMENTS`, there, with these variables, within these bounds (of `resource`)."""

    arguments: tuple[str, ...]
    cwd: Path
    environ: Mapping[str, str]
    bounds: Mapping[str, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many characters there are in it, or a little less."""
        return sum(map(len, self.arguments)) + sum(len(name) + len(value) for name, value in self.environ.items())


class Running:
    """A command that has split off."""

    def __init__(self, answers: socket.socket) -> None:
        self._answers = answers
        self.process = int(answers.recv(100))

    def ended(self) -> tuple[int, float, float]:
        """Its status, seconds of the processor and megabytes, when it has ended."""
        status, took, megabytes = self._answers.recv(100).split()
        return int(status), float(took), float(megabytes)

    def kill(self) -> None:
        """End it and all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process, signal.SIGKILL)


class Warm:
    """The process that waits; one command at a time."""

    def __init__(self) -> None:
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, str(WARM), str(theirs.fileno())]
        self.started_with = read_at_the_start(os.environ)
        nothing = subprocess.DEVNULL
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=nothing, stdout=nothing)
        theirs.close()

    def start(self, order: Order, streams: Mapping[str, int]) -> Running:
        """Start a command.  `streams`: descriptors for those of the standard streams that are to be open."""
        opened = [name for name in STREAMS if name in streams]
        text = json.dumps({**vars(order), "cwd": str(order.cwd), "environ": dict(order.environ), "open": opened})
        socket.send_fds(self._orders, [text.encode()], [streams[name] for name in opened])
        return Running(self._orders)

    def end(self) -> None:
        """Let it go, and have what it took counted as ours."""
        self._orders.shutdown(socket.SHUT_RDWR)  # children that were forked since then may have it open as well
        self._orders.close()
        self._process.wait()


@cache
def warm() -> Warm:
    """The one process that waits for us."""
    return Warm()


def let_go() -> None:
    """No more commands will be run."""
    if warm.cache_info().currsize:
        warm().end()
        warm.cache_clear()


def read_at_the_start(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that Python reads when it starts, and never again."""
    return {name: value for name, value in environ.items() if _READ_AT_THE_START.match(name)}


def ran(
    *arguments: str | bytes,
    cwd: Path = ROOT,
    input: str | bytes = b"",
    environ: Mapping[str, str] | None = None,
    bounds: Mapping[str, int] | None = None,
    seconds: float = SECONDS,
    cold: bool = False,
) -> Ran:
    """Run `wherefrom ARGUMENTS` to its end.  `environ`: all the variables, else ours.  `seconds`: by the clock."""
    order = Order(tuple(map(os.fsdecode, arguments)), cwd, os.environ if environ is None else environ, bounds or {})
    data = input.encode() if isinstance(input, str) else input
    if cold or order.size > LONGEST or read_at_the_start(order.environ) != warm().started_with:
        return _ran_cold(order, data, seconds)
    return _ran_warm(order, data, seconds)


def wherefrom(
    *arguments: str | bytes, cwd: Path = ROOT, input: str | bytes = b"", **environ: str
) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would, with some more variables; what it prints is text."""
    done = ran(*arguments, cwd=cwd, input=input, environ={**os.environ, **environ})
    return subprocess.CompletedProcess(["wherefrom", *arguments], done.status, done.out.decode(), done.err.decode())


def _ran_warm(order: Order, input: bytes, seconds: float) -> Ran:
    said: dict[int, bytes] = {}

    def listen(descriptor: int) -> None:
        with open(descriptor, "rb") as stream:
            said[descriptor] = stream.read()

    (out, outward), (err, errward) = os.pipe(), os.pipe()
    with TemporaryFile() as given:
        given.write(input)
        given.seek(0)
        running = warm().start(order, {"stdin": given.fileno(), "stdout": outward, "stderr": errward})
    os.close(outward)
    os.close(errward)
    watch = Timer(seconds, running.kill)
    listeners = [Thread(target=listen, args=[descriptor]) for descriptor in (out, err)]
    for thread in (watch, *listeners):
        thread.start()
    status, took, megabytes = running.ended()
    hangs = watch.finished.is_set()
    watch.cancel()
    for thread in (watch, *listeners):
        thread.join()
    done = Ran(status, said[out], said[err], took, megabytes)
    assert not hangs, f"wherefrom {order.arguments} hangs\n{done}"
    return done


def _ran_cold(order: Order, input: bytes, seconds: float) -> Ran:
    def bind() -> None:
        for bound, most in order.bounds.items():
            resource.setrlimit(getattr(resource, bound), (most, most + 1))

    reading, writing = os.pipe()
    with open(reading, "rb") as figures:
        process = subprocess.Popen(
            [sys.executable, "-S", MEASURED, str(writing), sys.executable, "-m", "wherefrom", *order.arguments],
            cwd=order.cwd,
            env=dict(order.environ),
            preexec_fn=bind,  # noqa: PLW1509 - no threads here
            pass_fds=(writing,),
            start_new_session=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        os.close(writing)
        try:
            out, err = process.communicate(input, timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError(f"wherefrom {order.arguments} hangs\n{err!r}") from None
        status, took, megabytes = figures.read().split()
    return Ran(int(status), out, err, float(took), float(megabytes))
