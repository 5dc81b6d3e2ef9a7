"""The process of a command: what is arranged before the command line is read, and how it ends.

Most commands work in a child. It is forked before anything is loaded that only the command needs: the parent, which
waits, does not load it, and the child copies few pages of memory that the two share.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from ..base.collector import own_process
from . import INTERRUPTED
from .containing import run_contained


def run(status_of: Callable[[list[str]], int]) -> NoReturn:
    """Run the command line by `status_of`, which loads what it needs, and exit."""
    fill_closed_descriptors()
    own_process()
    _end_when_interrupted()
    arguments = sys.argv[1:]
    try:
        os.getcwd()
    except OSError as problem:
        words = (problem.strerror or str(problem)).lower()
        print(f"wherefrom: the current directory is not available: {words}", file=sys.stderr)
        _leave(2)

    def here() -> int:
        status = status_of(arguments)
        if status == INTERRUPTED:
            os._exit(status)  # a user who interrupts does not want to wait until everything is tidied up
        _leave(status)

    _leave(run_contained(arguments, here))


def fill_closed_descriptors() -> None:
    """Have something at the descriptors 0, 1 and 2, so that no file that we open is taken for one of the streams."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            with suppress(OSError):
                taken = os.open(os.devnull, os.O_RDWR)
                if taken != descriptor:
                    os.dup2(taken, descriptor)
                    os.close(taken)


def _end_when_interrupted() -> None:
    """Ctrl-C ends the process at once: to unwind a busy run first would take its memory apart, which may be long."""
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))


def _leave(status: int) -> NoReturn:
    """End the process: what is left to do is done (writing caches), but a large history is not taken apart first."""
    import atexit

    atexit._run_exitfuncs()
    with suppress(OSError, ValueError, AttributeError):  # a stream that is closed, full or not there
        sys.stderr.flush()
    os._exit(status)
