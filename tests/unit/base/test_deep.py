"""Deep recursion has room, and running out of it is a diagnostic."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest

from wherefrom.base.budget import Budget, Cancelled, OverBudget, own_clock
from wherefrom.base.contained import in_child
from wherefrom.base.deep import STACK_BYTES, NoStack, with_deep_stack
from wherefrom.base.diagnostics import LimitReached


def down(levels: int) -> int:
    return 0 if levels == 0 else 1 + down(levels - 1)


def test_deep_recursion_has_room() -> None:
    """Far past Python's own limit."""
    assert with_deep_stack(lambda: down(100_000)) == 100_000


def test_nested_calls_share_the_room() -> None:
    """Asking again inside is free."""
    assert with_deep_stack(lambda: with_deep_stack(lambda: down(5_000))) == 5_000


def test_running_out_is_a_diagnostic() -> None:
    """Endless recursion ends in an error with a limit, not in a crash."""
    with pytest.raises(LimitReached):
        with_deep_stack(lambda: down(10**9), frames=20_000)


def test_errors_pass_through() -> None:
    """What the work raises, the caller gets."""
    with pytest.raises(ZeroDivisionError):
        with_deep_stack(lambda: 1 // 0)


def test_threads_do_not_disturb_each_other() -> None:
    """Many deep recursions at once, some ending long before others, and the limit is as it was afterwards."""
    before = sys.getrecursionlimit()
    depths = [20_000, 1_000, 60_000, 5_000] * 6
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda depth: with_deep_stack(lambda: down(depth)), depths)) == depths
    assert sys.getrecursionlimit() == before


def test_an_own_recursion_limit_stays() -> None:
    """A limit that somebody else sets meanwhile is not overwritten."""
    before = sys.getrecursionlimit()
    try:
        with_deep_stack(lambda: sys.setrecursionlimit(12_345))
        assert sys.getrecursionlimit() == 12_345
    finally:
        sys.setrecursionlimit(before)


def test_the_clock_of_a_thread_that_has_ended_is_no_danger() -> None:
    """Asking for such a clock would be undefined behaviour; looking at one that was asked for in time is not."""
    import threading

    from wherefrom.base.budget import Budget, Watchdog

    clocks: list[int | None] = []
    threads = [threading.Thread(target=lambda: clocks.append(own_clock())) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(Watchdog(Budget(), clock).verdict() is None for clock in clocks)


def test_time_is_bounded_where_a_thread_begins_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine: who waits for it may look before it has a clock, and would never look at the time again."""
    looked = threading.Event()
    is_alive = threading.Thread.is_alive

    def clock() -> int | None:
        looked.wait(60)
        return own_clock()

    def told(thread: threading.Thread) -> bool:
        looks.append(1)
        if len(looks) == 3:
            looked.set()
        return is_alive(thread)

    looks: list[int] = []
    monkeypatch.setattr("wherefrom.base.deep.own_clock", clock)
    monkeypatch.setattr(threading.Thread, "is_alive", told)
    with Budget(seconds=0).in_force(), pytest.raises(OverBudget, match="seconds"):
        with_deep_stack(lambda: sum(1 for _ in iter(int, 1)))


def test_no_room_for_a_stack_is_a_diagnostic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a limit on address space: an error that says what to raise, and not one of ours."""
    starts = [0]

    def refuse(thread: threading.Thread) -> None:
        starts[0] += 1
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        patch.setattr("wherefrom.base.deep.time.sleep", lambda seconds: None)
        with pytest.raises(NoStack, match=r"address space .* \(1024 MB\)"):
            with_deep_stack(lambda: 1)
    assert starts[0] > 100
    assert with_deep_stack(lambda: 1) == 1


def test_a_stack_that_is_there_a_moment_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stack of a thread that has just ended may still be in the way."""
    start = threading.Thread.start
    refusals = [3]

    def refuse(thread: threading.Thread) -> None:
        refusals[0] -= 1
        if refusals[0] >= 0:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert with_deep_stack(lambda: 1) == 1
    assert refusals[0] == -1


def test_what_is_stopped_cleans_up_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """A generator that is left behind puts back what it has set in its own context, and nothing is printed."""
    ignored: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    variable: ContextVar[int] = ContextVar("variable", default=0)
    put_back: list[int] = []

    def held() -> Iterator[None]:
        token = variable.set(1)
        try:
            yield
        finally:
            variable.reset(token)
            put_back.append(variable.get())

    def work() -> None:
        left = held()
        next(left)
        while True:
            pass

    budget = Budget()
    budget.cancelled, budget.hasty = (lambda: True), True
    with budget.in_force(), pytest.raises(Cancelled):
        with_deep_stack(work)
    gc.collect()
    assert (ignored, put_back) == ([], [0])


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_stacks_do_not_pile_up() -> None:
    """On a machine that has much to do a thread ends a while after it was joined: the next one takes its stack.

    Address space is counted in a child that has one processor, together with processes that keep it busy.
    """

    def work() -> int:
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
        others = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(2)]
        try:
            with_deep_stack(lambda: 1)
            first = _peak_of_address_space()
            for _ in range(60):
                assert with_deep_stack(lambda: 1) == 1
            return int(_peak_of_address_space() - first > STACK_BYTES // 2)
        finally:
            for other in others:
                other.kill()
                other.wait()

    assert in_child(work).status == 0


def _peak_of_address_space() -> int:
    with open("/proc/self/status", "rb") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(b"VmPeak:"))
