"""The budget: every bound is met, said and raisable, and two runs do not share one."""

from __future__ import annotations

import threading

import pytest

from wherefrom.base.budget import BOUNDS, Budget, OverBudget, Watchdog, current, own_clock
from wherefrom.base.diagnostics import UsageError
from wherefrom.base.source import SourceFile


@pytest.mark.parametrize("bound", BOUNDS)
def test_every_bound_says_what_where_and_how_to_raise_it(bound: str) -> None:
    """The error names the bound, the place, what was being done, and an option that would do."""
    place = SourceFile("site.pp", "notice(1)").span(0, 6)
    budget = Budget(**{bound: 5})
    budget.draw(bound, 5)
    with pytest.raises(OverBudget) as caught:
        budget.draw(bound, 1, "calling notice", place)
    problem = caught.value
    assert problem.bound == bound
    assert str(problem) == f"site.pp:1:1: the budget of {bound} is spent calling notice (limit: 5)"
    assert problem.help is not None
    option = problem.help.partition("--budget ")[2]
    assert Budget.read(option).limits == Budget(**{bound: 50}).limits


def test_what_was_refused_is_not_drawn() -> None:
    """A caller that goes on without the thing still has the rest."""
    budget = Budget(elements=10)
    with pytest.raises(OverBudget):
        budget.draw("elements", 11)
    budget.draw("elements", 10)
    assert budget.used()["elements"] == 10
    assert budget.fresh().used()["elements"] == 0


@pytest.mark.parametrize("text", ["", "steps", "steps=", "steps=-1", "steps=x", "=5", "1e999", "nan", "stps=5", "5,,5"])
def test_bad_option(text: str) -> None:
    """What is no budget is the user's mistake, and a close name is offered."""
    with pytest.raises(UsageError) as caught:
        Budget.read(text)
    assert text != "stps=5" or "did you mean steps?" in str(caught.value)


def test_option_can_be_large() -> None:
    """Any number a user may write is taken, up to a bound that integers hold easily."""
    assert Budget.read("steps=999999999999999e99").limits["steps"] == 10**18
    assert Budget.read("2.5").limits["steps"] == BOUNDS["steps"][0] * 5 // 2


def test_budget_in_force_belongs_to_one_thread() -> None:
    """Two runs at once draw from their own."""
    inner: list[Budget] = []
    budget = Budget(steps=1)
    with budget.in_force():
        assert current() is budget
        thread = threading.Thread(target=lambda: inner.append(current()))
        thread.start()
        thread.join()
        with Budget().in_force() as nested:
            assert current() is nested
        assert current() is budget
    assert inner[0] is not budget
    assert current() is not budget


def test_watch_sees_time_and_memory() -> None:
    """A thread that works is seen to use the processor; the process is seen to grow."""
    here = own_clock()
    assert Watchdog(Budget(), here).verdict() is None
    watch = Watchdog(Budget(seconds=0), here)
    sum(range(100_000))
    verdict = watch.verdict()
    assert isinstance(verdict, OverBudget)
    assert verdict.bound == "seconds"
    watch = Watchdog(Budget(memory=50_000_000), here)
    ballast = bytearray(b"x") * 100_000_000
    verdict = watch.verdict()
    assert isinstance(verdict, OverBudget)
    assert verdict.bound == "memory"
    assert len(ballast) == 100_000_000
