"""No sockets: a filter of system calls, for what Landlock has no rules for.

Landlock's rules are about TCP, and only from its version 4 on. This filter refuses to make a socket of any kind (and
the one other way to get one, `io_uring`), for this process and whatever it starts; nobody can take it back. Like
Landlock it stands behind our own checks, and where the system has none, `refuse_sockets` says so.
"""

from __future__ import annotations

import os
import struct
import sys

_NO_NEW_PRIVILEGES, _SET_FILTER, _FILTERS = 38, 22, 2
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 13
"""What a filter answers: go on; or the error for what is not permitted (EACCES)."""
_LOAD, _EQUAL, _AT_LEAST, _ANSWER = 0x20, 0x15, 0x35, 0x06
_NUMBER, _MACHINE = 0, 4
"""Where the number of the call and the kind of machine stand in what a filter is shown."""
_OTHER_NUMBERS = 0x40000000
"""From here on x86 counts the calls of a second kind of programs."""
_IO_URING = 425
_MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""The kinds of machines whose numbers are known: how the kernel calls them, and the number of `socket`."""


def is_there() -> bool:
    """Whether this system can refuse sockets."""
    if sys.platform != "linux" or os.uname().machine not in _MACHINES:
        return False
    import ctypes

    call = {"x86_64": 317, "aarch64": 277}[os.uname().machine]
    action = ctypes.c_uint32(_REFUSE & 0xFFFF0000)
    return int(ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(call), 2, 0, ctypes.byref(action))) == 0


def refuse_sockets() -> bool:
    """From now on no thread that this one starts, nor this one, makes a socket; whether that is so."""
    if sys.platform != "linux" or os.uname().machine not in _MACHINES:
        return False
    import ctypes

    class FilterProgram(ctypes.Structure):
        """How the kernel is handed a filter: its length, and where it is."""

        _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))

    steps = _steps(*_MACHINES[os.uname().machine])
    program = FilterProgram(len(steps), b"".join(steps))
    library = ctypes.CDLL(None)
    if library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return False
    return int(library.prctl(_SET_FILTER, _FILTERS, ctypes.byref(program), 0, 0)) == 0


def _steps(machine: int, socket: int) -> list[bytes]:
    """The filter: each step an operation, how many to skip if it holds and if not, and a number."""
    steps = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 0, 5, machine),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 3, 0, _OTHER_NUMBERS),
        (_EQUAL, 2, 0, socket),
        (_EQUAL, 1, 0, _IO_URING),
        (_ANSWER, 0, 0, _ALLOW),
        (_ANSWER, 0, 0, _REFUSE),
    ]
    return [struct.pack("=HBBI", *step) for step in steps]
