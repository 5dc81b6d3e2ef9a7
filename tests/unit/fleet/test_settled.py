"""Files that change while nodes are compiled: what the store says is never taken for what the files say now."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.fleets import FILES, build, write
from wherefrom.cli.main import status_of
from wherefrom.fleet.stable import changed_since, next_tick

pytest.importorskip("pyarrow")

MANIFEST = "site/profile/manifests/base.pp"


def compile_into(root: Path, store: Path) -> int:
    """Bring a store up to date."""
    options = ["--facts", str(root / "facts"), "--store", str(store), "--jobs", "1", "--json"]
    return status_of(["fleet", "compile", str(root), *options])


def modes(store: Path) -> dict[str, str]:
    """What the store says about one attribute on each node."""
    from wherefrom.fleet.store import Store

    return {
        row["node"]: json.loads(row["value"])
        for row in Store(str(store)).rows("attributes")
        if (row["title"], row["attribute"]) == ("/etc/motd", "mode")
    }


def replaced(text: str) -> Callable[[Path], None]:
    return lambda path: (path.write_text(text), None)[1]


def back_again(path: Path) -> None:
    """Another content for a moment: the digest is of the old one, the catalog perhaps not."""
    path.write_text(FILES[MANIFEST].replace("mode => $mode", "mode => '0600'"))
    path.write_text(FILES[MANIFEST])


@pytest.mark.parametrize("when", ["before it is read", "after it is read"])
@pytest.mark.parametrize(
    "edit",
    [replaced(FILES[MANIFEST].replace("mode => $mode", "mode => '0600'")), back_again, Path.unlink],
    ids=["edited", "back again", "gone"],
)
def test_an_edit_meanwhile(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    edit: Callable[[Path], None],
    when: str,
) -> None:
    """Whatever was read: the next run compiles these nodes again, and gives what a fresh store gives."""
    from wherefrom.fleet.compiling import Worker

    names = build(tmp_path / "c", 4)
    inner = Worker.__init__

    def interrupted(self: Worker, run: Callable[..., Any], side: Any) -> None:
        def run_and_edit(node: str, reads: Any) -> Any:
            if node == names[2] and when.startswith("before"):
                edit(tmp_path / "c" / MANIFEST)
            try:
                return run(node, reads)
            finally:
                if node == names[2] and when.startswith("after"):
                    edit(tmp_path / "c" / MANIFEST)

        inner(self, run_and_edit, side)

    monkeypatch.setattr(Worker, "__init__", interrupted)
    compile_into(tmp_path / "c", tmp_path / "s")
    touched = set(json.loads(capsys.readouterr().out)["touched"])
    assert touched == set(names)  # all depend on it, and were committed afterwards
    monkeypatch.undo()
    compile_into(tmp_path / "c", tmp_path / "s")
    again = json.loads(capsys.readouterr().out)
    assert again["touched"] == [] and again["kept"] == []
    compile_into(tmp_path / "c", tmp_path / "fresh")
    assert modes(tmp_path / "s") == modes(tmp_path / "fresh")
    capsys.readouterr()
    compile_into(tmp_path / "c", tmp_path / "s")
    assert len(json.loads(capsys.readouterr().out)["kept"]) == 4


def test_an_edit_that_nobody_hangs_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files that were written right before, and the store inside of the environment, touch nobody."""
    build(tmp_path / "c", 2)
    write(tmp_path / "c", {"README": "nothing\n"})
    assert compile_into(tmp_path / "c", tmp_path / "c/store") == 0
    assert json.loads(capsys.readouterr().out)["touched"] == []


def test_the_clock_of_the_files(tmp_path: Path) -> None:
    """What was written before a tick is older, whatever its time of modification says; what comes after is not."""
    before = tmp_path / "before"
    before.write_text("")
    tick = next_tick(str(tmp_path))
    after = tmp_path / "after"
    after.write_text("")
    os.utime(after, (0, 0))
    assert not changed_since(str(before), tick)
    assert changed_since(str(after), tick)
    assert changed_since(str(tmp_path / "gone/for/good"), tick)  # its directory was written to
