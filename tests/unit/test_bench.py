"""The engine of the benchmarks: what is measured, compared and written. What it measures is run by `make bench`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench import compare, page
from bench.measure import Figures, NotRun, Result, Row, Side, measured, run

PYTHON = sys.executable
BURN = "import sys, time\nwhile time.process_time() < float(sys.argv[1]): pass\nprint('done')"


def row(**sides: Side) -> Row:
    """A row of some sides, ours among them."""
    return Row("Group", "name", sides)


def test_a_command_counts_with_what_it_waited_for() -> None:
    """Its processor time and its memory: those of a child that it waited for, not those of who measures."""
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BURN!r}, '0.2'])"
    large = bytearray(200_000_000)
    sample = run(Side([PYTHON, "-S", "-c", parent]))
    assert sample.seconds[""] >= 0.2
    assert 1 < sample.megabytes < 100 < len(large) / 1e6


def test_a_driver_tells_its_times_itself() -> None:
    """The first repetition is thrown away, the median of the others counts."""
    line = json.dumps({"id": "a", "seconds": [9, 1, 2, 3]})
    assert run(Side([PYTHON, "-c", f"print({line!r})"], reports=True)).seconds == {"a": 2}


def test_a_side_that_fails_leaves_its_row_empty(capsys: pytest.CaptureFixture[str]) -> None:
    """The others are measured; the page says that it failed."""
    failing = Side([PYTHON, "-c", "import sys; sys.exit('no such thing')"])
    with pytest.raises(NotRun, match="no such thing"):
        run(failing)
    found = measured(row(wherefrom=failing), 1)
    assert found.sides == {} and "failed" in found.absent["wherefrom"]
    assert "no such thing" in capsys.readouterr().err
    assert run(Side(failing.command, ends=1)).output == ""


def test_different_results_are_seen() -> None:
    """Of the sides that tell theirs."""

    def says(text: str) -> Side:
        return Side([PYTHON, "-S", "-c", f"print({text!r})"], normal=str.strip)

    assert measured(row(wherefrom=says("1"), other=says("2")), 1).differ
    assert not measured(row(wherefrom=says("1"), other=says("1")), 2).differ


def result(ours: float, other: float | None = None, name: str = "name") -> Result:
    """A row that was measured, each side within a tenth."""
    sides = {"wherefrom": Figures(ours, ours * 0.95, ours * 1.05, 10)}
    if other is not None:
        sides["Other"] = Figures(other, other * 0.95, other * 1.05, 20)
    return Result("Group", name, sides)


def figures(*results: Result) -> dict[str, Any]:
    """The file of some rows."""
    document: dict[str, Any] = json.loads(page.json_text(page.document(results, 3)))
    return document


def test_slower_rows_stand_first_on_the_page() -> None:
    """And what is not filled, with its reason, last."""
    absent = Result("Group", "gone", {}, {"Other": "not installed"})
    text = page.markdown(figures(result(1, 4, "quick"), result(2, 1, "slow"), absent))
    first = text.index("## Where wherefrom is slower")
    assert first < text.index("| Group: slow | Other | 0.50 |") < text.index("## Group")
    assert "Group: quick | Other" not in text
    assert "* Other: not installed (Group: gone)." in text
    assert "10, 20 MB" in text


def test_rows_measured_again_replace_the_old_ones() -> None:
    """The others stay, in their order; new ones are added."""
    old = figures(result(1, name="a"), result(2, name="b"))
    new = figures(result(3, name="b"), result(4, name="c"))
    rows = page.merged(old, new)["rows"]
    assert [(each["name"], each["sides"]["wherefrom"]["seconds"]) for each in rows] == [("a", 1), ("b", 3), ("c", 4)]


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        (result(1), result(1.05), 0),
        (result(1), result(1.5), 1),
        (result(1), result(0.5), 0),
        (result(1, 1), result(2, 2), 0),  # the machine is slower
        (result(1, 1), result(2, 1), 1),
    ],
)
def test_slower_rows_are_told(old: Result, new: Result, status: int) -> None:
    """By more than the noise, and more than the machine."""
    assert compare.times(figures(old), figures(new)) == status


def test_more_calls_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Five in a hundred more; another Python is not compared."""
    old = {"python": "3.11", "calls": {"a": 1000, "b": 1000}}
    assert compare.calls(old, {"python": "3.11", "calls": {"a": 1049, "b": 10, "new": 5}}) == 0
    assert compare.calls(old, {"python": "3.11", "calls": {"a": 1051}}) == 1
    assert compare.calls(old, {"python": "3.12", "calls": {"a": 9999}}) == 0
    assert "not compared" in capsys.readouterr().out


def test_the_page_is_what_the_file_of_figures_says() -> None:
    """`python -m bench.page` writes it again."""
    docs = Path(__file__).resolve().parents[2] / "docs"
    assert (docs / "benchmarks.md").read_text("utf-8") == page.markdown(
        json.loads((docs / "benchmarks.json").read_text())
    )
