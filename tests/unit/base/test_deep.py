"""Deep recursion has room, and running out of it is a diagnostic."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from wherefrom.base.deep import with_deep_stack
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

    from wherefrom.base.budget import Budget, Watch, own_clock

    clocks: list[int | None] = []
    threads = [threading.Thread(target=lambda: clocks.append(own_clock())) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(Watch(Budget(), clock).verdict() is None for clock in clocks)
