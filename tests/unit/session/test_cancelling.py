"""A run that nobody wants any more is ended from another thread; what follows is as if it had never begun."""

from __future__ import annotations

import gc
import sys
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

import wherefrom
from support.examples import examples, fresh
from wherefrom.base.budget import Cancelled
from wherefrom.base.collector import at_rest
from wherefrom.puppet.environment.environment import Environment

LOOP = "Integer[1, 1000].each |$i| { Integer[1, 800].each |$j| { $x = $i * $j } }\n"


def environment(folder: Path, number: int = 0, loop: str = LOOP) -> Path:
    """An environment that takes a moment, with a value that an edit changes."""
    (folder / "manifests").mkdir(exist_ok=True)
    (folder / "manifests/site.pp").write_text("include a\n")
    (folder / "modules/a/manifests").mkdir(parents=True, exist_ok=True)
    (folder / "modules/a/manifests/init.pp").write_text(
        f"class a {{ {loop} notify {{ 'n': message => '{number}' }} }}\n"
    )
    return folder


def started(session: wherefrom.Session, folder: Path) -> tuple[threading.Thread, list[Any]]:
    """A run in a thread of its own, and what comes of it."""
    came: list[Any] = []

    def run() -> None:
        try:
            came.append(session.compile(str(folder), node="a"))
        except wherefrom.WherefromError as problem:
            came.append(problem)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while session.execution._running is None and not came:
        time.sleep(0.001)
    return thread, came


def test_a_run_is_cancelled_soon(tmp_path: Path) -> None:
    """Long before it would have ended."""
    session = wherefrom.Session()
    folder = environment(tmp_path)
    thread, came = started(session, folder)
    time.sleep(0.2)
    begun = time.process_time()
    session.cancel()
    thread.join()
    assert isinstance(came[0], Cancelled), came
    assert time.process_time() - begun < 0.5
    session.cancel()  # nothing is being done: nothing happens
    environment(tmp_path, 3, "")
    session.changed(str(folder))
    assert session.compile(str(folder), node="a").select("Notify[n].message").value == "3"


def test_what_follows_is_right(tmp_path: Path) -> None:
    """Cancelled at any moment, with edits between."""
    random = Random(fresh(range(1)).start)
    session = wherefrom.Session()
    for number in range(examples(12)):
        folder = environment(tmp_path, number)
        session.changed(str(folder / "modules/a/manifests/init.pp"))
        thread, came = started(session, folder)
        time.sleep(random.random() * 0.2)
        session.cancel()
        thread.join()
        assert isinstance(came[0], Cancelled | wherefrom.Outcome)
        environment(tmp_path, number, "")
        session.changed(str(folder / "modules/a/manifests/init.pp"))
        assert session.compile(str(folder), node="a").select("Notify[n].message").value == str(number)


def test_a_change_is_told_while_a_run_goes_on(tmp_path: Path) -> None:
    """Whoever tells does not wait for the run; the next one knows."""
    session = wherefrom.Session()
    folder = environment(tmp_path, 1)
    thread, came = started(session, folder)
    environment(tmp_path, 2)
    session.changed(str(folder / "modules/a/manifests/init.pp"))
    assert not came and thread.is_alive()
    session.cancel()
    thread.join()
    environment(tmp_path, 2, "")
    assert session.compile(str(folder), node="a").select("Notify[n].message").value == "2"


def test_a_contained_session_is_not_cancelled() -> None:
    """Its run is in another process."""
    session = wherefrom.Session(contained=True)
    with pytest.raises(wherefrom.WherefromError):
        session.cancel()
    session.close()


class Ended(BaseException):
    """What ends a run from outside, at any place of it."""


@pytest.mark.parametrize("ended", [Ended, Cancelled])
@pytest.mark.parametrize("where", ["_is_there", "_source", "parse", "register", "_instantiate"])
def test_a_class_that_was_being_loaded_is_there_afterwards(
    where: str, ended: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that ends in the middle of loading leaves no environment in which the class can not be found."""
    files = {"manifests/site.pp": "include a\n", "modules/a/manifests/init.pp": "class a { notify { 'a': } }\n"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    session = wherefrom.Session()
    loading: Any = getattr(Environment, where)

    def interrupted(self: Environment, *given: Any, **named: Any) -> Any:
        if self._loading:
            raise ended()
        return loading(self, *given, **named)

    with monkeypatch.context() as patch, pytest.raises(ended):
        patch.setattr(Environment, where, interrupted)
        session.compile(str(tmp_path), node="n")
    for _ in range(2):
        assert session.compile(str(tmp_path), node="n").select("Notify[a]").value == "a"


def test_a_run_is_not_ended_in_the_middle_of_an_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that was left half imported would fail in every later run."""
    (tmp_path / "slow_module.py").write_text("import time\nfor _ in range(100):\n    time.sleep(0.002)\nwhole = True\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    execution = wherefrom.Session().execution
    came: list[object] = []

    def work() -> None:
        import slow_module  # type: ignore[import-not-found]

        came.append(slow_module.whole)
        while True:
            time.sleep(0.001)

    def run() -> None:
        with pytest.raises(Cancelled):
            execution.do(work)
        came.append("cancelled")

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while "slow_module" not in sys.modules:
        time.sleep(0.001)
    execution.cancel()
    thread.join(60)
    assert came in ([True, "cancelled"], ["cancelled"]) and sys.modules["slow_module"].whole


def test_a_run_is_not_ended_while_it_switches_the_collector() -> None:
    """A collector that stays off after one of many cancelled runs would let memory grow for ever."""
    execution = wherefrom.Session().execution

    def work() -> None:
        while True:
            with at_rest():
                pass

    def run() -> None:
        with pytest.raises(Cancelled):
            execution.do(work)

    assert gc.isenabled()
    for _ in range(40):
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        while execution._running is None:
            time.sleep(0.0001)
        time.sleep(0.002)
        execution.cancel()
        thread.join(60)
        assert gc.isenabled()
