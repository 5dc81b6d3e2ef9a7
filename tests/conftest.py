"""What holds for all tests: properties are not judged by the clock, nor by how busy the machine is; and whoever runs
them without a terminal (`nohup make test &` ignores Ctrl-C, and so would every command that they start and interrupt)
sees what others see."""

from __future__ import annotations

import gc
import signal
from collections.abc import Generator

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from support.examples import examples

settings.register_profile(
    "house", deadline=None, max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Examples in docstrings are the source's; to look for them in the tests would take seconds, and find none."""
    collectors = yield
    return [collector for collector in collectors if not isinstance(collector, DoctestModule)]


def pytest_collection_finish() -> None:
    """Twelve thousand tests are millions of objects that stay: the collector need not look at them again and again."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """The process that waits for commands goes, and what it took is counted; what was set aside is as it was before."""
    from support.commands import let_go

    let_go()
    gc.unfreeze()
