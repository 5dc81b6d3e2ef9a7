"""Landlock: the kernel itself keeps a process to the directories that it was given, and off the network.

Linux has it from 5.13 on. A process says once which directories it may read and which it may write, and gives up all
else, for itself and whatever it starts; nobody can take that back. It stands behind the checks of
`wherefrom.base.host`: what finds a way around these still meets the kernel. It takes the place of nothing, and where
the kernel has none, `restrict` says so and the checks stand alone.

Network: rules of Landlock for TCP from its version 4 on. Below that, and for other kinds, there is
`wherefrom.base.seccomp`.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_VERSION = 1
_BELOW_A_PATH = 1

_EXECUTE = 1 << 0
_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIRECTORY = 1 << 3
_TRUNCATE = 1 << 14
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""How many rights a version knows; later ones know one more, for devices."""
_TCP = 0b11
_SCOPES = 0b11


def version() -> int:
    """The version of Landlock that this kernel has; 0 for none."""
    return 0 if sys.platform != "linux" else max(0, _call(_CREATE, None, 0, _VERSION))


def _call(number: int, first: bytes | int | None, second: int | bytes, third: int | bytes = 0, fourth: int = 0) -> int:
    """A system call.  Numbers are passed in full width."""
    import ctypes

    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in (number, first, second, third, fourth)]
    return int(ctypes.CDLL(None, use_errno=True).syscall(*words))


def restrict(
    readable: Iterable[str], writable: Iterable[str] = (), programs: Iterable[str] = (), network: bool = False
) -> int:
    """Keep this process, for good, to reading and writing below some paths; the version of Landlock, 0 for none.

    Below `programs` is what may be read and run; `network` allows what the system allows.
    """
    known = version()
    if not known:
        return 0
    handled = (1 << _RIGHTS.get(known, 16)) - 1
    attributes = struct.pack("QQQ", handled, 0 if network else _TCP, _SCOPES)
    size = 8 if known < 4 else 16 if known < 6 else 24
    rules = _call(_CREATE, attributes[:size], size)
    if rules < 0:
        return 0
    try:
        reading = _READ_FILE | _READ_DIRECTORY
        several = (readable, reading), (programs, reading | _EXECUTE), (writable, handled & ~_EXECUTE)
        for paths, rights in several:
            for path in paths:
                with suppress(OSError, ValueError):
                    _add(rules, path, rights)
        if _no_new_privileges() or _call(_RESTRICT, rules, 0):
            return 0
    finally:
        os.close(rules)
    return known


def _no_new_privileges() -> int:
    import ctypes

    return int(ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))


def _add(rules: int, path: str, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not os.path.isdir(f"/proc/self/fd/{descriptor}"):
            rights &= _OF_FILES
        _call(_ADD, rules, _BELOW_A_PATH, struct.pack("=Qi", rights, descriptor))
    finally:
        os.close(descriptor)
