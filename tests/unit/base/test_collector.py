"""The collector of cycles rests while somebody computes, and an embedding process finds it as it left it."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Thread

import pytest

import wherefrom
from wherefrom.base.collector import at_rest


@pytest.fixture(autouse=True)
def collector_on() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_rest_inside_and_not_after() -> None:
    """Off inside, also when asked for twice; on again after the outermost."""
    with at_rest():
        with at_rest():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    """Who runs without it is not given it."""
    gc.disable()
    with at_rest():
        pass
    assert not gc.isenabled()


def test_the_last_thread_switches_it_on() -> None:
    """Rests that overlap, and end in the order they began."""
    meeting = Barrier(2)
    states: list[bool] = []

    def first() -> None:
        with at_rest():
            meeting.wait()  # both rest
        states.append(gc.isenabled())
        meeting.wait()

    def second() -> None:
        with at_rest():
            meeting.wait()
            meeting.wait()  # the first has left
            states.append(gc.isenabled())

    threads = [Thread(target=first), Thread(target=second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert states == [False, False]
    assert gc.isenabled()


def test_what_is_frozen_stays_frozen() -> None:
    """A server that has set its objects aside before it forked keeps them so, whatever is compiled in it."""
    script = """
import gc, wherefrom
gc.freeze()
frozen = gc.get_freeze_count()
wherefrom.evaluate("builtins.genList (x: { y = x; }) 20000").document()
facts = {"os": {"family": "RedHat"}, "networking": {"fqdn": "web01"}}
wherefrom.compile("examples/web/site.pp", node="web01", facts=facts).document()
wherefrom.compile("examples/firewall/test.sf").document()
assert gc.get_freeze_count() <= frozen, (gc.get_freeze_count(), frozen)
assert gc.get_freeze_count() > frozen * 0.9, (gc.get_freeze_count(), frozen)
assert gc.isenabled()
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_it_is_switched_in_one_place() -> None:
    """Two places that switch it would undo what the other did, in threads above all."""
    package = Path(wherefrom.__file__).parent
    switches = re.compile(r"\bgc\.(enable|disable|freeze|unfreeze|set_threshold)\b|^from gc\b", re.MULTILINE)
    files = [path for path in package.rglob("*.py") if switches.search(path.read_text())]
    assert [str(path.relative_to(package)) for path in files] == [str(Path("base/collector.py"))]
