"""Work shared among processes: whatever a result is, it comes as it was; who dies takes nobody along."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from wherefrom.base.secrets import REDACTED, Secret
from wherefrom.fleet.workers import _numbers, _queue, in_processes, is_lost

RESULTS: dict[str, Any] = {
    "nothing": {"ok": True},
    "values": {"rows": [["a", 1, 2.5, None, True], ("x", -(2**62))], "text": "é \udcff \0 \n"},
    "large": {"text": "x" * 5_000_000, "numbers": list(range(50_000))},
}


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_as_they_were(processes: int) -> None:
    assert dict(in_processes(list(RESULTS), RESULTS.__getitem__, processes)) == RESULTS


def test_who_is_done_with_its_own_takes_from_others() -> None:
    """Each takes what stands beside what it had, and no number is taken twice."""
    first, second = _queue(0, 4), _queue(4, 7)
    one, other = _numbers([first, second]), _numbers([second, first])
    assert [next(taker) for taker in (one, other, one, other, other)] == [0, 4, 1, 5, 6]
    assert [next(other), next(one), next(other, None), next(one, None)] == [2, 3, None, None]
    os.close(first)
    os.close(second)


def test_what_only_stands_for_a_text_comes_as_text() -> None:
    nested: list[Any] = []
    for _ in range(300):
        nested = [nested]
    results: dict[str, Any] = {
        "a": {"value": Secret("s3cret"), "nested": nested},
        "b": {"value": ValueError("x")},
    }
    got = dict(in_processes(list(results), results.__getitem__, 2))
    assert got == {"a": {"value": REDACTED, "nested": nested}, "b": {"value": "x"}}
    assert type(got["a"]["value"]) is str


def test_who_is_killed_takes_nobody_along() -> None:
    """Some of many items kill their process, each time; one does the first time alone."""
    reading, writing = os.pipe()
    os.write(writing, b"once")
    os.close(writing)

    def work(item: str) -> dict[str, Any]:
        if item in ("40", "41", "150") or (item == "99" and os.read(reading, 4)):
            os.kill(os.getpid(), signal.SIGKILL)
        return {"item": item, "text": item * 10_000}

    items = [str(number) for number in range(200)]
    results = dict(in_processes(items, work, 2))
    os.close(reading)
    assert [item for item in items if is_lost(results[item])] == ["40", "41", "150"]
    assert all(results[item] == {"item": item, "text": item * 10_000} for item in items if not is_lost(results[item]))


def test_results_before_an_error_are_sent() -> None:
    """Each item is tried twice at the most, and none that had a result."""
    reading, writing = os.pipe()

    def work(item: str) -> dict[str, Any]:
        os.write(writing, f"{item} ".encode())
        if item == "7":
            raise MemoryError
        return {"item": item}

    results = dict(in_processes([str(number) for number in range(10)], work, 2))
    os.close(writing)
    with os.fdopen(reading) as pipe:
        tried = pipe.read().split()
    assert [item for item, result in results.items() if is_lost(result)] == ["7"]
    assert sorted(tried) == sorted([*map(str, range(10)), "7"])
