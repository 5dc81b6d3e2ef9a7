"""Many sessions in one process, in threads: each finds what it finds alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random

import pytest

import wherefrom
from support.many_runs import LANGUAGES, answer

THREADS = 8


def answers(language: str, count: int, shuffled: int | None = None) -> list[object]:
    """The answers to the first `count` programs; worked out in an order of one's own."""
    order = list(range(count))
    if shuffled is not None:
        Random(shuffled).shuffle(order)
    found = {number: answer(language, number) for number in order}
    return [found[number] for number in range(count)]


def check(language: str, count: int) -> None:
    alone = answers(language, count)
    assert sum(found[0] == "ok" for found in alone) > count / 5, "too few programs that work"  # type: ignore[index]
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(partial(answers, language, count), range(THREADS)))
    for found in together:
        assert found == alone


@pytest.mark.parametrize("language", LANGUAGES)
def test_threads(language: str) -> None:
    """Eight threads at once, twenty programs each, the same in each thread in another order."""
    check(language, 20)


@pytest.mark.soak
@pytest.mark.parametrize("language", LANGUAGES)
def test_threads_long(language: str) -> None:
    """Eight threads at once, two hundred programs each."""
    check(language, 200)


def test_all_languages_at_once() -> None:
    """Threads that run one language each do not meet either."""
    jobs = [(language, number) for number in range(30) for language in LANGUAGES]
    alone = [answer(*job) for job in jobs]
    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(lambda job: answer(*job), jobs)) == alone


def test_one_session_for_many_threads() -> None:
    """Threads that share a session take turns, and none is lost; an outcome may be asked by all of them."""
    session = wherefrom.Session()
    with ThreadPoolExecutor(THREADS) as pool:
        values = list(pool.map(lambda number: session.evaluate(f"{number} * 2").document(), range(40)))
        assert values == [number * 2 for number in range(40)]
        outcome = session.evaluate("let deep = n: if n == 0 then 0 else 1 + deep (n - 1); in { a = deep 3000; }")
        assert set(pool.map(lambda _: outcome.explain("a").value, range(16))) == {3000}
