"""Work shared among processes: whatever a result is, it comes as it was; who dies takes nobody along."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from whence.base.secrets import REDACTED, Secret
from whence.fleet.workers import LOST, in_processes

RESULTS: dict[str, Any] = {
    "nothing": {"ok": True},
    "values": {"rows": [["a", 1, 2.5, None, True], ("x", -(2**62))], "text": "é \udcff \0 \n"},
    "large": {"text": "x" * 5_000_000, "numbers": list(range(50_000))},
}


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_as_they_were(processes: int) -> None:
    assert dict(in_processes(list(RESULTS), RESULTS.__getitem__, processes)) == RESULTS


def test_what_only_stands_for_a_text_comes_as_text() -> None:
    nested: list[Any] = []
    for _ in range(300):
        nested = [nested]
    results = {"a": {"value": Secret("s3cret"), "nested": nested}, "b": {"value": ValueError("x")}}
    got = dict(in_processes(list(results), results.__getitem__, 2))
    assert got == {"a": {"value": REDACTED, "nested": nested}, "b": {"value": "x"}}
    assert type(got["a"]["value"]) is str


def test_who_is_killed_loses_its_own_alone() -> None:
    """Of many items one kills its process, when it is that item's turn."""

    def work(item: str) -> dict[str, Any]:
        if item == "40":
            os.kill(os.getpid(), signal.SIGKILL)
        return {"item": item, "text": item * 10_000}

    items = [str(number) for number in range(200)]
    results = dict(in_processes(items, work, 2))
    assert set(results) == set(items)
    assert results["40"] == LOST
    assert all(result in (LOST, {"item": item, "text": item * 10_000}) for item, result in results.items())
    assert sum(result == LOST for result in results.values()) <= 32
