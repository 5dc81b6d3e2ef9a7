"""Running a command as an attacker would have it run: in a process of its own, with bounds on time and memory."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MEASURED = str(Path(__file__).with_name("measured.py"))
STACK = 1 << 30
"""Address space that a deep stack reserves; it is not memory in use."""


class Ran:
    """What a process did: its status, what it printed, the processor time and the memory it took."""

    def __init__(self, status: int, out: bytes, err: bytes, seconds: float, megabytes: float) -> None:
        self.status = status
        self.out = out
        self.err = err
        self.seconds = seconds
        self.megabytes = megabytes

    def __repr__(self) -> str:
        return (
            f"status {self.status}, {self.seconds:.1f} s, {self.megabytes:.0f} MB\n"
            f"{self.out[:2000].decode(errors='replace')}\n{self.err[-2000:].decode(errors='replace')}"
        )


def whence(
    *arguments: str | bytes,
    cwd: Path | None = None,
    input: bytes | None = b"",
    seconds: int = 40,
    gigabytes: int = 4,
    environ: Mapping[str, str] | None = None,
    **streams: Any,
) -> Ran:
    """Run `whence ARGUMENTS`.  It is killed past `seconds` of the processor, or when it wants too much memory."""

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (gigabytes * 10**9 + STACK, gigabytes * 10**9 + STACK))

    kwargs: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    if "stdin" not in kwargs:
        kwargs["stdin"] = subprocess.PIPE
    env = {name: value for name, value in os.environ.items() if not name.startswith("WHENCE")}
    reading, writing = os.pipe()
    with open(reading, "rb") as figures:
        process = subprocess.Popen(
            [sys.executable, "-S", MEASURED, str(writing), sys.executable, "-m", "whence", *arguments],
            cwd=cwd,
            env={**env, **(environ or {})},
            preexec_fn=bound,  # noqa: PLW1509 - no threads here
            pass_fds=(writing,),
            start_new_session=True,
            **kwargs,
        )
        os.close(writing)
        try:
            out, err = process.communicate(input if "stdin" not in streams else None, timeout=20 * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError(f"whence {arguments!r} hangs\n{err!r}") from None
        status, took, megabytes = figures.read().split()
    return Ran(int(status), out or b"", err or b"", float(took), float(megabytes))


def peak_megabytes() -> float:
    """The most memory that this process has had in use.  (`ru_maxrss` begins with that of whoever started it.)"""
    with open("/proc/self/status", "rb") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(b"VmHWM:"))
