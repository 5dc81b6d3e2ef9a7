"""`--watch`: answer again whenever a file changes, until the user interrupts.

The directory that the question is about is looked at a few times a second (names, sizes and times of change; nothing is
read), and so are the facts. The session keeps what it has read, so that an answer after an edit takes little.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator

from ..base.diagnostics import Diagnostic, ManyErrors
from .reports import report
from .streams import write_bytes

PAUSE = 0.25
"""Seconds between two looks."""
SETTLED = 0.05
"""Seconds without a change after which a change is over."""
_SKIPPED = (".git", ".venv", "node_modules", "__pycache__")

Stamps = dict[str, tuple[int, int]]


def watch(answer: Callable[[], int], places: list[str]) -> int:
    """Answer, and again after each change of something below `places`.  Ends only by an interruption."""
    seen = stamps(places)
    while True:
        if sys.stdout.isatty():
            write_bytes(b"\x1b[2J\x1b[H")  # a fresh screen
        try:
            answer()
        except ManyErrors as problems:
            report(problems.diagnostics)
        except Diagnostic as problem:
            report([problem])
        sys.stdout.flush()
        print(f"-- watching {', '.join(places)}", file=sys.stderr, flush=True)
        while stamps(places) == seen:
            time.sleep(PAUSE)
        while (now := stamps(places)) != seen:  # until nothing is being written any more
            seen = now
            time.sleep(SETTLED)


def stamps(places: list[str]) -> Stamps:
    """What can be seen of the files below some places without reading them."""
    stamped: Stamps = {}
    for place in places:
        for path in _files(place):
            try:
                status = os.stat(path)
            except OSError:
                continue
            stamped[path] = (status.st_mtime_ns, status.st_size)
    return stamped


def _files(place: str) -> Iterator[str]:
    if not os.path.isdir(place):
        yield place
        return
    for folder, folders, names in os.walk(place):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        yield from (os.path.join(folder, name) for name in names)
