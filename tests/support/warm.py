"""A process that has read all of wherefrom and waits: `python warm.py DESCRIPTOR`. `support.commands` starts it, and
asks.

Over the socket come orders: a line of JSON, and with it the standard streams that are to be open. For each order it
splits off a process that puts on the streams, the directory, the variables and the bounds that it is told, and becomes
`python -m wherefrom ARGUMENTS`. Back go its number at once and, when it has ended, its status and what it took.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import resource
import runpy
import signal
import socket
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any, NoReturn

STREAMS = ("stdin", "stdout", "stderr")
MANNERS = {name: (getattr(sys, name).encoding, getattr(sys, name).errors) for name in STREAMS}
"""How this Python, in this locale, reads and writes each stream."""
UNBUFFERED = bool(os.environ.get("PYTHONUNBUFFERED"))
LONGEST = 1 << 20
"""No order is longer."""


def read_everything() -> None:
    """Import every module of wherefrom, and the libraries that commands import when they need them."""
    import wherefrom

    modules = [module.name for module in pkgutil.walk_packages(wherefrom.__path__, "wherefrom.")]
    for name in [*modules, "yaml", "cryptography.x509"]:
        if not name.endswith("__main__"):
            try:
                import_module(name)
            except ImportError:  # an extra that is not installed
                continue
    gc.collect()
    gc.freeze()  # what the collector looks at it writes to, and memory that is written to has to be copied


def put_on(streams: dict[str, int | None]) -> None:
    """Descriptors 0, 1 and 2, and above them Python's streams, as Python makes them when it starts."""
    for number, name in enumerate(STREAMS):
        descriptor = streams[name]
        if descriptor is None:
            os.close(number)
            stream = None
        else:
            os.dup2(descriptor, number)
            os.close(descriptor)
            encoding, errors = MANNERS[name]
            raw = open(number, "rb" if name == "stdin" else "wb", 0 if UNBUFFERED and number else -1, closefd=False)  # noqa: SIM115
            lines = not UNBUFFERED and (name == "stderr" or os.isatty(number))
            stream = TextIOWrapper(raw, encoding, errors, None, lines, write_through=UNBUFFERED)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def become(order: dict[str, Any], streams: dict[str, int | None]) -> NoReturn:
    """Run the command, and end with its status."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for bound, most in order["bounds"].items():
        resource.setrlimit(getattr(resource, bound), (most, most + 1))
    put_on(streams)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["environ"])
    sys.path[0] = os.getcwd()
    sys.argv[1:] = order["arguments"]
    status = 1
    try:
        runpy.run_module("wherefrom", run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(status)


def serve(orders: socket.socket) -> None:
    """Take orders until nobody is there to give one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever runs the tests; then the socket is closed
    while True:
        text, descriptors, _, _ = socket.recv_fds(orders, LONGEST, len(STREAMS))
        if not text:
            return
        order = json.loads(text)
        given = iter(descriptors)
        streams = {name: next(given) if name in order["open"] else None for name in STREAMS}
        process = os.fork()
        if not process:
            orders.close()
            become(order, streams)
        for descriptor in descriptors:
            os.close(descriptor)
        orders.sendall(b"%d\n" % process)
        _, ended, usage = os.wait4(process, 0)
        status, seconds = os.waitstatus_to_exitcode(ended), usage.ru_utime + usage.ru_stime
        orders.sendall(f"{status} {seconds} {usage.ru_maxrss / 1024}\n".encode())


if __name__ == "__main__":
    read_everything()
    serve(socket.socket(fileno=int(sys.argv[1])))
