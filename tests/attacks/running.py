"""Running a command as an attacker would have it run: in a process of its own, with bounds on time and memory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from support.commands import ROOT, Ran, ran

STACK = 1 << 30
"""Address space that a deep stack reserves; it is not memory in use."""


def wherefrom(
    *arguments: str | bytes,
    cwd: Path = ROOT,
    input: bytes = b"",
    seconds: int = 40,
    gigabytes: int = 4,
    environ: Mapping[str, str] | None = None,
    cold: bool = False,
) -> Ran:
    """Run `wherefrom ARGUMENTS`.  It is killed past `seconds` of the processor, or when it wants too much memory."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("WHEREFROM")}
    return ran(
        *arguments,
        cwd=cwd,
        input=input,
        environ={**clean, **(environ or {})},
        bounds={"RLIMIT_CPU": seconds, "RLIMIT_AS": gigabytes * 10**9 + STACK},
        seconds=20 * seconds,
        cold=cold,
    )


def peak_megabytes() -> float:
    """The most memory that this process has had in use.  (`ru_maxrss` begins with that of whoever started it.)"""
    with open("/proc/self/status", "rb") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(b"VmHWM:"))
