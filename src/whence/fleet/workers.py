"""Work shared among processes, for what takes long and hangs on nothing but its item: compiling many nodes.

The process is forked, so that what it has read already is there in each of its children; each child takes every n-th
item and sends the results back through a pipe, one JSON document a line, as they come. A child that dies takes nobody
with it: its items that have no result yet are reported as lost. On one core, or where there is no `fork`, the work is
done here.
"""

from __future__ import annotations

import json
import os
import selectors
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Result = dict[str, Any]
Work = Callable[[str], Result]

LOST: Result = {"ok": False, "lost": True}
"""The result of an item whose process ended before it had one."""

_PIECE = 1 << 16


def in_processes(items: Sequence[str], work: Work, processes: int | None = None) -> Iterator[tuple[str, Result]]:
    """Each item with its result, in the order in which they come."""
    count = min(processes or available_cores(), len(items))
    if count < 2 or not hasattr(os, "fork"):
        for item in items:
            yield item, work(item)
        return
    with selectors.DefaultSelector() as selector:
        children: list[int] = []
        for number in range(count):
            children.append(_start(items[number::count], work, selector))
        waiting = dict.fromkeys(items)
        pieces: dict[int, bytes] = {}
        try:
            while selector.get_map():
                for key, _ in selector.select():
                    data = os.read(key.fd, _PIECE)
                    *lines, pieces[key.fd] = (pieces.get(key.fd, b"") + data).split(b"\n")
                    for line in lines:
                        item, result = json.loads(line)
                        waiting.pop(item, None)
                        yield item, result
                    if not data:
                        selector.unregister(key.fd)
                        os.close(key.fd)
        finally:
            for child in children:
                os.waitpid(child, 0)
    for item in waiting:
        yield item, LOST


def available_cores() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _start(items: Sequence[str], work: Work, selector: selectors.BaseSelector) -> int:
    """Start a child that does the work for some items."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            with os.fdopen(writing, "wb") as pipe:
                for item in items:
                    pipe.write(json.dumps([item, work(item)], default=str).encode() + b"\n")
                    pipe.flush()
            status = 0
        finally:
            os._exit(status)  # what the parent is about to write is not the child's
    os.close(writing)
    selector.register(reading, selectors.EVENT_READ)
    return child
