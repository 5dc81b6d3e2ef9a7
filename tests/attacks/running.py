"""Running a command as an attacker would have it run: in a process of its own, with bounds on time and memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
    process = subprocess.Popen(
        [sys.executable, "-m", "whence", *arguments],
        cwd=cwd,
        env={**env, **(environ or {})},
        preexec_fn=bound,  # noqa: PLW1509 - no threads here
        **kwargs,
    )
    try:
        out, err = process.communicate(input if "stdin" not in streams else None, timeout=20 * seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"whence {arguments} hangs\n{err!r}") from None
    # What the largest and the longest child took bounds what this one took.
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Ran(process.returncode, out or b"", err or b"", usage.ru_utime, usage.ru_maxrss / 1024)
