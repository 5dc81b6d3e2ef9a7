"""Work shared among processes, for what takes long and depends on nothing but its item: compiling many nodes.

The process is forked, so that what it has read already is there in each of its children. Items that stand beside each
other go to the same child, as they are likely to have much in common: each has a share of its own, from which it takes
some at a time, by their number, and whoever is done with its own takes from those of others. The numbers are in pipes
that all read. Results come back through a pipe for each child, some at a time, as Python writes values for itself:
nobody else has a part in it, it is quicker than JSON, and what results have in common is sent once. Each child is one
that can be ended (`wherefrom.base.contained`): the kernel ends it past the budget's seconds, and we do at its deadline.
A child that dies takes nobody with it: items that have no result then are done once more, one by one, and the one at
which a child dies again is reported as lost, with what was running. On one core, or where there is no `fork`, the work
is done here.
"""

from __future__ import annotations

import json
import marshal
import os
import selectors
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, BinaryIO

from ..base.contained import Child

Result = dict[str, Any]
Work = Callable[[str], Result]

LOST: Result = {"ok": False, "lost": True, "message": "its process ended"}
"""The result of an item whose process ended before it had one, twice, where nobody knows why."""

_PIECE = 1 << 20
"""Bytes that a pipe holds, where the system permits: a worker with results does not wait for the reader."""
_LENGTH = 8
"""Bytes of the length of a message."""
MOST_SENT = 24
SENT_AFTER = 0.05
"""Results that are sent together, and seconds that a result waits for others."""
_NUMBER = 4
"""Bytes of a number in a queue, which are read at once."""
MOST_TOGETHER = 32
"""Items that are taken at a time, unless they are so many that not all numbers would fit into a pipe."""
MOST_NUMBERS = 4_000
TURNS = 8
"""How often each child takes some, at the least: so that all are done at about the same time."""


def is_lost(result: Result) -> bool:
    """Whether an item has no result, because its process ended."""
    return result.get("lost") is True


def _lost(child: Child) -> Result:
    """Why a child has no result for an item; it has ended, or is about to."""
    ended = child.ended()
    if ended.problem is not None:
        return {**LOST, "message": f"its process ended: {ended.problem.message}"}
    return {**LOST, "message": f"its process exited with status {ended.status} while {child.doing() or 'beginning'}"}


def in_processes(items: Sequence[str], work: Work, processes: int | None = None) -> Iterator[tuple[str, Result]]:
    """Each item with its result, in the order in which they come."""
    count = min(processes or available_cores(), len(items))
    if count < 2 or not hasattr(os, "fork"):
        for item in items:
            yield item, work(item)
        return
    waiting = dict(zip(items, items))  # the items themselves: what comes back are copies, and there may be many
    for item, result in _pass(_together(items, count), count, work, MOST_SENT, []):
        yield waiting.pop(item), result
    while waiting:  # a process ended: once more one by one, so that it is seen at which item
        why: list[Result] = []
        for item, result in _pass([list(waiting)], 1, work, 1, why):
            yield waiting.pop(item), result
        for item in list(waiting)[:1]:
            del waiting[item]
            yield item, why[0]


def _pass(
    several: list[Sequence[str]], count: int, work: Work, together: int, ended: list[Result]
) -> Iterator[tuple[str, Result]]:
    """The results of items from so many children, as far as these live; so many at the most are sent `together`.

    How each child ended is added to `ended`, as the result of items that have none.
    """
    with selectors.DefaultSelector() as selector:
        queues = [_queue(len(several) * share // count, len(several) * (share + 1) // count) for share in range(count)]
        children = [
            _start(several, [*queues[share:], *queues[:share]], work, together, selector) for share in range(count)
        ]
        for queue in queues:
            os.close(queue)
        pieces: dict[int, bytearray] = {}
        try:
            while selector.get_map():
                for child in children:
                    child.end_if_late()
                for key, _ in selector.select(1.0):
                    data = os.read(key.fd, _PIECE)
                    piece = pieces.setdefault(key.fd, bytearray())
                    piece += data
                    yield from _received(piece)
                    if not data:
                        selector.unregister(key.fd)
                        os.close(key.fd)
        finally:
            ended += map(_lost, children)


def _queue(first: int, end: int) -> int:
    """A pipe with some numbers in it, by its descriptor."""
    queue, filling = os.pipe()
    os.write(filling, b"".join(number.to_bytes(_NUMBER, "big") for number in range(first, end)))
    os.close(filling)
    return queue


def _numbers(queues: Sequence[int]) -> Iterator[int]:
    """The numbers that are still in the queues, from the first to the last of these."""
    for queue in queues:
        while number := os.read(queue, _NUMBER):
            yield int.from_bytes(number, "big")


def available_cores() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _together(items: Sequence[str], count: int) -> list[Sequence[str]]:
    """The items in pieces, for so many children."""
    size = max(1, min(MOST_TOGETHER, len(items) // (count * TURNS)), -(-len(items) // MOST_NUMBERS))
    return [items[first : first + size] for first in range(0, len(items), size)]


def _received(piece: bytearray) -> Iterator[tuple[str, Result]]:
    """The results in messages that are whole; these are taken out of the bytes that came."""
    start = 0
    while start + _LENGTH <= len(piece):
        end = start + _LENGTH + int.from_bytes(piece[start : start + _LENGTH], "big")
        if end > len(piece):
            break
        yield from marshal.loads(piece[start + _LENGTH : end])  # our own child wrote it
        start = end
    del piece[:start]


def _message(results: list[tuple[str, Result]]) -> bytes:
    """Results as they are sent."""
    try:
        content = marshal.dumps(results)
    except ValueError:  # something in it that only stands for a text, or nested too deeply
        content = marshal.dumps(json.loads(json.dumps(results, default=str)))
    return len(content).to_bytes(_LENGTH, "big") + content


def _work(several: Iterable[Sequence[str]], work: Work, together: int, pipe: BinaryIO) -> None:
    """Do the work for items, and send the results."""
    waiting: list[tuple[str, Result]] = []
    since = time.monotonic()
    try:
        for item in chain.from_iterable(several):
            waiting.append((item, work(item)))
            if len(waiting) >= together or time.monotonic() - since > SENT_AFTER:
                pipe.write(_message(waiting))
                pipe.flush()
                waiting.clear()
                since = time.monotonic()
    finally:
        pipe.write(_message(waiting))


def _start(
    several: Sequence[Sequence[str]], queues: Sequence[int], work: Work, together: int, selector: selectors.BaseSelector
) -> Child:
    """Start a child that does the work for items whose numbers it takes from the queues."""
    import fcntl

    reading, writing = os.pipe()
    with suppress(OSError, AttributeError):
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIECE)

    def share() -> int:
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            _work((several[number] for number in _numbers(queues)), work, together, pipe)
        return 0

    child = Child()
    child.begin(share, speaks=False)  # what the parent is about to write is not the child's
    os.close(writing)
    selector.register(reading, selectors.EVENT_READ)
    return child
