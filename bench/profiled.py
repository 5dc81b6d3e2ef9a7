"""Run a command of ours under Python's profiler: `python profiled.py OUT [-m MODULE | FILE] ARGUMENTS`.

The work of ours is done on a thread with a deep stack, which the profiler's own command does not see. What is counted
is processor time of each thread, so that waiting for one takes nothing.
"""

from __future__ import annotations

import cProfile
import os
import pstats
import runpy
import sys
import threading
import time

PROFILES: list[cProfile.Profile] = []


def _begin(*_: object) -> None:
    """The first event of a thread: from here on the profiler in C follows it."""
    profile = cProfile.Profile(time.thread_time)
    PROFILES.append(profile)
    profile.enable()


def _write(kept: str) -> None:
    for profile in PROFILES:
        profile.disable()
    stats = pstats.Stats(PROFILES[0])
    for profile in PROFILES[1:]:
        stats.add(profile)
    stats.dump_stats(kept)


def main() -> None:
    """Run what the command line names, and write the profile however it ends."""
    kept, *command = sys.argv[1:]
    leave = os._exit

    def left(status: int) -> None:
        _write(kept)
        leave(status)

    os._exit = left  # type: ignore[assignment]  # a command of ours ends so
    threading.setprofile(_begin)
    _begin()
    try:
        if command[0] == "-m":
            sys.argv = command[1:]
            runpy.run_module(command[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = command
            runpy.run_path(command[0], run_name="__main__")
    finally:
        sys.setprofile(None)
        _write(kept)


if __name__ == "__main__":
    main()
