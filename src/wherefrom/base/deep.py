"""Room for deep recursion.

The evaluators are recursive, and configurations may nest or recurse tens of thousands of levels deep. Python's own
limit is a thousand frames and the main thread's C stack is a few megabytes, so deep work runs on a thread of its own
with a large stack (address space only: pages are used when touched) and a recursion limit to match. What the function
returns or raises passes through; running out all the same is the diagnostic `LimitReached`, never a crash.

Whoever waits for the work looks at the clock and the memory it takes (the budget's `seconds` and `memory`), and passes
on that the user has had enough: the work is ended from outside, at the next step it takes.

Any number of threads may ask at once. Whether a thread is deep already is known to the thread itself; the recursion
limit belongs to the whole interpreter, so it is raised by the first who comes and put back by the last who leaves.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import _local, allocate_lock
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from .budget import Budget, Cancelled, OverBudget, Watchdog, in_force_or_new, own_clock
from .collector import at_rest
from .contained import at_work, bounded, is_contained
from .diagnostics import Diagnostic, LimitReached
from .forking import held_at_forks

Result = TypeVar("Result")

FRAMES = 400_000
STACK_BYTES = 1 << 30


class NoStack(Diagnostic):
    """The system gives no address space for the stack of an evaluation."""

    code = "W051"

    def __init__(self) -> None:
        super().__init__(
            f"no address space for the stack that evaluation needs ({STACK_BYTES >> 20} MB)",
            help="raise the limit on address space (ulimit -v)",
        )


ROOM = 1 << 22
"""Words that Python is made to set aside for its frames at once, see `_roomy`; address space, until they are used."""


class _Thread(_local):
    """What a thread knows about itself."""

    deep = False


class _RecursionLimit:
    """The interpreter's recursion limit, raised while anybody needs it so."""

    def __init__(self) -> None:
        self._lock = held_at_forks(allocate_lock())
        self._users = 0
        self._before = 0
        self._raised = 0

    def raise_to(self, frames: int) -> None:
        """Count one more user of the stack, which needs `frames`."""
        with self._lock:
            if not self._users:
                self._before = self._raised = sys.getrecursionlimit()
            self._users += 1
            if frames > self._raised:
                sys.setrecursionlimit(frames)
                self._raised = frames

    def put_back(self) -> None:
        """One user less; the last one leaves the limit as the first found it, unless somebody else has set it."""
        with self._lock:
            self._users -= 1
            if not self._users and sys.getrecursionlimit() == self._raised:
                sys.setrecursionlimit(self._before)


_thread = _Thread()
_limit = _RecursionLimit()
_starting = held_at_forks(allocate_lock())


def is_deep() -> bool:
    """Whether the calling thread has room already."""
    return _thread.deep


def with_deep_stack(work: Callable[[], Result], frames: int = FRAMES) -> Result:
    """Call `work` with room for about `frames` Python frames.  Calls inside `work` that ask again run at once.

    It draws from the budget that is in force, or from one of its own.
    """
    if _thread.deep:
        return work()
    import threading
    from contextvars import copy_context

    context = copy_context()  # a new thread has none of its own
    budget = context.run(in_force_or_new)
    deep_work = _DeepWork(lambda: context.run(_left_behind, work))
    _limit.raise_to(frames)
    bounds = bounded(budget)
    bounds.__enter__()
    try:
        # A daemon, so that a command that is interrupted ends at once and does not wait for work nobody wants.
        thread = threading.Thread(target=deep_work.run, name="wherefrom", daemon=True)
        _start(thread)
        budget.stop = lambda: deep_work.stop(thread.ident or 0)
        _wait(thread, deep_work, budget)
        deep_work.settle(Cancelled())
        if not thread.is_alive():
            _leaving.append(thread.native_id)
    finally:
        bounds.__exit__(None, None, None)
        _limit.put_back()
    problem = deep_work.problem
    if problem is not None:
        if isinstance(problem, MemoryError) and is_contained():
            raise OverBudget("memory", budget.limits["memory"], "by one operation") from None
        if isinstance(problem, RecursionError):
            raise LimitReached("nested too deeply", frames) from None
        if isinstance(problem, ValueError) and str(problem).startswith(_MANY_DIGITS):
            raise LimitReached("a number has too many digits", sys.get_int_max_str_digits()) from None
        raise problem
    answer: Result = deep_work.result
    return answer


_leaving: list[int | None] = []
"""Threads that were joined since somebody waited for their end, as the system numbers them."""
_LEAVES_AFTER = 1.0
"""Seconds that the end of a thread is waited for."""


def _let_leave() -> None:
    """Wait for the ends of threads that have done their work, where the system tells.

    A thread is joined when it has left Python, a moment before its stack is free for the next one. On a busy machine
    that moment is long: each run would have a new stack beside those of the last ones, gigabytes of address space, and
    under a limit on it (`ulimit -v`) the next piece of memory that anybody asks for would not be there.
    """
    until = time.monotonic() + _LEAVES_AFTER
    while _leaving:
        with suppress(IndexError):  # another thread has taken it
            place = f"/proc/self/task/{_leaving.pop()}"
            while os.path.exists(place) and time.monotonic() < until:
                time.sleep(0.0002)


def _start(thread: Any) -> None:
    """Start a thread with a large stack.

    Under a limit on address space the stack may not fit beside that of a thread that is about to end and that could
    not be waited for. So a start that fails is tried again for a second.
    """
    import threading

    _let_leave()
    for pause in (*[0.005] * 200, None):
        with _starting:  # the size of a new thread's stack is the interpreter's, too
            size = threading.stack_size(STACK_BYTES)
            try:
                thread.start()
                return
            except RuntimeError:
                if pause is None:
                    raise NoStack from None
            finally:
                threading.stack_size(size)
        time.sleep(pause)


def _roomy(work: Callable[[], Result]) -> Result:
    """Call `work` with a piece of memory for Python's frames that is large enough for nearly everything.

    Python takes memory for its frames in pieces of 16 KB, and gives a piece back as soon as its first frame is left. A
    program that goes back and forth over such a border asks the system for memory thousands of times. A frame that
    needs more gets a piece twice its size, and the other half serves all frames above it; so this function, whose code
    is said to need very much, never uses it.
    """
    return work()


_roomy.__code__ = _roomy.__code__.replace(co_stacksize=ROOM)


def deeply(work: Callable[[], Result]) -> Result:
    """Call `work` here, and again with a deep stack if this one is not enough."""
    try:
        return work()
    except RecursionError:
        return with_deep_stack(work)


_MANY_DIGITS = "Exceeds the limit"
"""How Python's words begin when it refuses to read or write a number: doing so takes quadratic time."""


class _Stopped(BaseException):
    """Raised in the thread that works, from outside.  Nobody on the way up takes it for an error of his own."""


def _left_behind(work: Callable[[], Result]) -> Result:
    """Call `work`; if it is stopped, what it was at is let go of here.

    A generator on its way that could not clean up (it was told twice to stop) does so when it is let go of: that has to
    be in the same context, for what it puts back to be what it set.
    """
    try:
        return work()
    except _Stopped as raised:
        raised.__traceback__ = raised.__context__ = None
        raise


class _DeepWork:
    """What a deep thread is to do, and what came of it."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._lock = allocate_lock()
        self._over = False
        self.has_begun = False
        """Whether `clock` is known: on a machine that has much to do that takes a moment after the thread's start."""
        self.clock: int | None = None
        self.result: Any = None
        self.problem: BaseException | None = None

    def run(self) -> None:
        """Do it, in the new thread."""
        _thread.deep = True
        self.clock = own_clock()
        self.has_begun = True
        try:
            try:
                self.result = _roomy(self._work)
            except BaseException as raised:
                self.problem = raised
            with self._lock:  # whoever stops us has done so by now, or will not any more
                self._over = True
        except _Stopped as raised:
            self._over = True
            self.problem = raised

    def stop(self, thread: int) -> None:
        """Have the thread end its work, as soon as it is back in Python code that may be left in the middle."""
        import ctypes

        with self._lock:
            if not self._over and not _is_indivisible(thread):
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_Stopped))

    def settle(self, why: BaseException) -> None:
        """Say `why` where the thread says that it was stopped."""
        if isinstance(self.problem, _Stopped):
            self.problem = why


_FRAMES_LOOKED_AT = 200
"""Frames below the top of a stack that are looked at: these are near the top, and a stack may be very deep."""


_INDIVISIBLE = ("<frozen importlib", at_rest.__code__.co_filename)
"""How the names of files begin whose code is not ended in the middle."""


def _is_indivisible(thread: int) -> bool:
    """Whether a thread is in the middle of an import, or of switching the collector of cycles.

    A module that is left half imported stays so: every later use of it would fail, and a module in C would be loaded
    again and again. A collector that nobody switches on again stays off. So who stops a thread waits, and tries again.
    """
    frame = sys._current_frames().get(thread)
    for _ in range(_FRAMES_LOOKED_AT):
        if frame is None:
            return False
        if frame.f_code.co_filename.startswith(_INDIVISIBLE):
            return True
        frame = frame.f_back
    return False


def _wait(thread: Any, deep_work: _DeepWork, budget: Budget) -> None:
    """Wait for a thread, with an eye on the clock and the memory, and on the user's patience."""
    watch: Watchdog | None = None
    try:
        interval = Watchdog.HASTE if budget.hasty else Watchdog.INTERVAL
        thread.join(interval)
        while thread.is_alive():
            if watch is None and deep_work.has_begun:  # a watch without its clock would see no time
                watch = Watchdog(budget, deep_work.clock, thread.ident)
            verdict = None if watch is None else watch.verdict()
            if verdict is not None:
                if isinstance(verdict, OverBudget) and not verdict.labels:
                    # a language whose code is no function of Python's: what we are at
                    verdict = OverBudget(verdict.bound, budget.limits[verdict.bound], at_work(thread.ident))
                _stop(thread, deep_work, verdict)
                return
            thread.join(interval)
    except KeyboardInterrupt as interrupt:
        _stop(thread, deep_work, interrupt, PATIENCE)
        raise


PATIENCE = 0.2
"""Seconds that somebody who interrupts is asked to wait for work that does not end."""


def _stop(thread: Any, deep_work: _DeepWork, why: BaseException, patience: float | None = None) -> None:
    """End a thread's work.  What catches everything on its way is told again; a single long operation is waited for."""
    waited = 0.0
    while thread.is_alive() and (patience is None or waited < patience):
        deep_work.stop(thread.ident)
        interval = Watchdog.HASTE if isinstance(why, Cancelled) else Watchdog.INTERVAL
        thread.join(interval)
        waited += interval
    deep_work.settle(why)
