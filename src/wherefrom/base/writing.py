"""Writing a file whole or not at all, and never destroying what is no file.

What is written goes to a new file beside the old one, which then takes its place, with its mode and owner. That is done
only where a regular file stands, or nothing; behind symbolic links, it is done where they lead. A pipe or a character
device (`/dev/null`, `/dev/stdout`, `>(...)`) is written to. Directories, sockets and disks are refused.

Where the system can, the new file has no name until it is whole, so that a process that is ended meanwhile (Ctrl-C ends
it at once) leaves nothing behind.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import IO

from .diagnostics import UsageError

_NEW_MODE = 0o666


def write_all(files: Mapping[str, bytes]) -> None:
    """Put several files in place, each whole: all contents are written and have names before the first is replaced.

    So a disk that is full leaves all of them as they are. Raises `UsageError`.
    """
    with ExitStack() as opened:
        ready: list[tuple[str, IO[bytes], bool]] = []
        for path, data in files.items():
            with _told(path):
                real = os.path.realpath(path)
                before = os.stat(real) if os.path.exists(real) else None
                handle = (
                    _nameless(os.path.dirname(real) or ".") if before is None or stat.S_ISREG(before.st_mode) else None
                )
                if handle is None:  # this one is written last, when all others have found their place on the disk
                    continue
                file: IO[bytes] = os.fdopen(handle, "wb")
                opened.callback(_close, file)
                _fill(file, data, before)
                ready.append((path, file, before is not None))
        named: dict[str, str] = {}
        for path, file, is_there in ready:
            if is_there:
                with _told(path):
                    named[path] = _temporary(os.path.realpath(path))
                    opened.callback(_forget, named[path])
                    _give_name(file.fileno(), named[path])
        with ExitStack() as new_files:
            for path, file, is_there in ready:
                if not is_there:
                    with _told(path):
                        real = os.path.realpath(path)
                        _give_name(file.fileno(), real)
                        new_files.callback(_forget, real)
            new_files.pop_all()  # they stay
        for path, temporary in named.items():
            with _told(path):
                _rename(temporary, os.path.realpath(path))
    done = {path for path, _, _ in ready}
    for path in files:
        if path not in done:
            write_whole(path, files[path])


def _close(file: IO[bytes]) -> None:
    """Close a file; what could not be written is told already, and would be tried again."""
    with suppress(OSError):
        file.close()


@contextmanager
def _told(path: str) -> Iterator[None]:
    """What goes wrong with a file, as an error that names it."""
    try:
        yield
    except OSError as problem:
        raise UsageError(f"cannot write {path}: {(problem.strerror or str(problem)).lower()}") from None
    except ValueError:
        raise UsageError(f"cannot write {path!r}: not a valid file name") from None


def write_whole(path: str, data: bytes) -> None:
    """Put `data` at `path`.  Raises `UsageError`."""
    with _told(path):
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


def _replace(path: str, data: bytes, before: os.stat_result | None) -> None:
    handle = _nameless(os.path.dirname(path) or ".")
    if handle is None:
        _replace_by_name(path, data, before)
        return
    with os.fdopen(handle, "wb") as file:
        _fill(file, data, before)
        _put(file, path, before is not None)


def _put(file: IO[bytes], path: str, is_there: bool) -> None:
    """Give a file without a name its place."""
    if not is_there:
        with suppress(FileExistsError):
            _give_name(file.fileno(), path)
            return
    temporary = _temporary(path)
    _give_name(file.fileno(), temporary)
    _rename(temporary, path)


def _temporary(path: str) -> str:
    """A name that nobody has, beside a file."""
    return os.path.join(os.path.dirname(path), f".wherefrom-{os.getpid()}-{os.urandom(6).hex()}")


def _forget(path: str) -> None:
    """Remove a name that was given to a file of ours, if it is there still."""
    with suppress(OSError):
        os.unlink(path)


def _nameless(folder: str) -> int | None:
    """A new file in a directory, without a name; nothing where the system has none."""
    if not hasattr(os, "O_TMPFILE") or not os.path.exists("/proc/self/fd"):
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except OSError:  # not on this disk, or no right to write here: the other way says which
        return None


def _give_name(descriptor: int, path: str) -> None:
    """What `linkat(2)` says for a file without a name; Python follows the link in `/proc` only below a descriptor."""
    descriptors = os.open("/proc/self/fd", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.link(str(descriptor), path, src_dir_fd=descriptors, follow_symlinks=True)
    finally:
        os.close(descriptors)


def _replace_by_name(path: str, data: bytes, before: os.stat_result | None) -> None:
    import tempfile

    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".wherefrom-")
    try:
        with os.fdopen(handle, "wb") as file:
            _fill(file, data, before)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _rename(temporary, path)


def _fill(file: IO[bytes], data: bytes, before: os.stat_result | None) -> None:
    """Write everything, with the mode and the owner of the file before."""
    file.write(data)
    file.flush()
    if before is not None:
        with suppress(OSError):  # only root may give a file away
            os.fchown(file.fileno(), before.st_uid, before.st_gid)
        os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode))
    else:
        os.fchmod(file.fileno(), _NEW_MODE & ~_umask())


def _rename(temporary: str, path: str) -> None:
    try:
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
