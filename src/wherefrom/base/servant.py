"""A child process that stays and answers one question after another, within the bounds of `wherefrom.base.contained`.

    servant = Servant(answer)            # bytes to bytes; forked at the first question
    servant.ask(b"...")                  # raises `Stopped` where the child had to be ended

Where a child was ended, the next question gets a new one, forked from this process as it is then. Who will have threads
or sockets says `kept=True`: a keeper is forked at once, which has neither, evaluates nothing, and forks the others.
Threads that share a servant take turns.
"""

from __future__ import annotations

import json
import os
import select
import signal
from _thread import allocate_lock
from collections.abc import Callable
from contextlib import suppress

from .collector import begin_alone
from .contained import Child, Crashed, Stopped, bound_rest
from .diagnostics import Diagnostic
from .remote_diagnostics import from_document, to_document

_ANSWERED, _STOPPED = b"A", b"S"
_starting = allocate_lock()
_ours: set[int] = set()
"""Descriptors of this process by which it asks its servants: no child keeps those of another one open."""


class Servant:
    """See the module's text.  `prepare` is done once in each child."""

    def __init__(
        self,
        answer: Callable[[bytes], bytes],
        prepare: Callable[[], object] = lambda: None,
        *,
        kept: bool = False,
    ) -> None:
        self._kept = kept
        self._turn = allocate_lock()
        self._child: Child | None = None
        self._owner = 0
        self._asking = -1
        self._hearing = -1
        if kept:
            inner = Servant(answer, prepare)

            def passed_on(question: bytes) -> bytes:
                try:
                    return _ANSWERED + inner.ask(question)
                except Stopped as stopped:
                    return _STOPPED + json.dumps(to_document(stopped.problem)).encode()

            self._answer: Callable[[bytes], bytes] = passed_on
            self._prepare: Callable[[], object] = _ignore_interruptions
            self._start()
        else:
            self._answer, self._prepare = answer, prepare

    def ask(self, question: bytes) -> bytes:
        """The answer.  Raises `Stopped` with the diagnostic of what ended the child."""
        with self._turn:
            answer = self._asked(question)
        if not self._kept:
            return answer
        if answer[:1] == _STOPPED:
            raise Stopped(from_document(json.loads(answer[1:])))
        return answer[1:]

    def _asked(self, question: bytes) -> bytes:
        if self._child is None or self._owner != os.getpid():
            self._start()
        child = self._child
        assert child is not None
        with suppress(BrokenPipeError):
            _send(self._asking, question)
            answer = bytearray()
            poll = select.poll()
            poll.register(self._hearing, select.POLLIN)
            while True:
                if not poll.poll(1000 * max(0.0, min(child.left(), 1.0))):
                    child.end_if_late()
                    continue
                piece = os.read(self._hearing, 1 << 20)
                if not piece:
                    break
                answer += piece
                if len(answer) >= 8 and len(answer) == 8 + int.from_bytes(answer[:8], "big"):
                    return bytes(memoryview(answer)[8:])
        raise Stopped(self._ended())

    def close(self) -> None:
        """Let the child go."""
        if self._child is not None and self._owner == os.getpid():
            self._ended()
        self._child = None

    def _ended(self) -> Diagnostic:
        child = self._child
        assert child is not None
        self._child = None
        _close(self._asking, self._hearing)
        verdict = child.ended()
        return verdict.problem or Crashed(f"exited with status {verdict.status}", child.doing())

    def _start(self) -> None:
        with _starting:
            theirs, self._asking = os.pipe()
            self._hearing, answering = os.pipe()
            _ours.update((self._asking, self._hearing))
            self._owner = os.getpid()
            self._child = child = Child()

            def serve() -> int:
                _starting.release()
                begin_alone()
                _close(*_ours)
                self._prepare()
                while (question := _received(theirs)) is not None:
                    bound_rest()
                    _send(answering, self._answer(question))
                return 0

            child.begin(serve)
            os.close(theirs)
            os.close(answering)


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        _ours.discard(descriptor)
        os.close(descriptor)


def _ignore_interruptions() -> None:
    """A keeper ends when its parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _send(descriptor: int, message: bytes) -> None:
    rest = memoryview(len(message).to_bytes(8, "big") + message)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _received(descriptor: int) -> bytes | None:
    head = _exactly(descriptor, 8)
    return None if head is None else _exactly(descriptor, int.from_bytes(head, "big"))


def _exactly(descriptor: int, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        piece = os.read(descriptor, min(size - len(parts), 1 << 20))
        if not piece:
            return None
        parts += piece
    return bytes(parts)
