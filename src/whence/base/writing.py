"""Writing a file whole or not at all, and never destroying what is no file.

What is written goes to a new file beside the old one, which then takes its place, with its mode and owner. That is done
only where a regular file stands, or nothing; behind symbolic links, it is done where they lead. A pipe or a character
device (`/dev/null`, `/dev/stdout`, `>(...)`) is written to. Directories, sockets and disks are refused.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from .diagnostics import UsageError

_NEW_MODE = 0o666


def write_whole(path: str, data: bytes) -> None:
    """Put `data` at `path`.  Raises `UsageError`."""
    try:
        try:
            status = os.stat(path)
        except FileNotFoundError:
            _replace(os.path.realpath(path), data, None)
            return
        if stat.S_ISREG(status.st_mode):
            _replace(os.path.realpath(path), data, status)
        elif stat.S_ISFIFO(status.st_mode) or stat.S_ISCHR(status.st_mode):
            _write_through(path, data)
        else:
            what = "a directory" if stat.S_ISDIR(status.st_mode) else "neither a file nor a pipe"
            raise UsageError(f"cannot write {path}: it is {what}")
    except OSError as problem:
        raise UsageError(f"cannot write {path}: {(problem.strerror or str(problem)).lower()}") from None
    except ValueError:
        raise UsageError(f"cannot write {path!r}: no name of a file") from None


def _replace(path: str, data: bytes, before: os.stat_result | None) -> None:
    import tempfile

    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".whence-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if before is not None:
                with suppress(OSError):  # only root may give a file away
                    os.fchown(file.fileno(), before.st_uid, before.st_gid)
                os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
            else:
                os.fchmod(file.fileno(), _NEW_MODE & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _write_through(path: str, data: bytes) -> None:
    # Without waiting: a pipe that nobody reads is an error, not a reason to hang.
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) or 0 :]
