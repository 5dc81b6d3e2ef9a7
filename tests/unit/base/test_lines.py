"""Line differences: true on any texts, telling where lines are unique, and quick on long files."""

from __future__ import annotations

from random import Random

import pytest

from wherefrom.base import lines
from wherefrom.base.lines import changed_runs


def check(old: list[str], new: list[str]) -> None:
    """Outside of the runs the texts are equal, line by line; runs are in order, not empty and apart."""
    i = j = 0
    for i1, i2, j1, j2 in changed_runs(old, new):
        assert old[i:i1] == new[j:j1]
        assert (i2 > i1 or j2 > j1) and i1 >= i and j1 >= j
        i, j = i2, j2
    assert old[i:] == new[j:]


def test_any_texts() -> None:
    """Random edits of random texts, with lines that repeat."""
    random = Random(1)
    for _ in range(2_000):
        old = [random.choice("abcdefgh}}}}") for _ in range(random.randrange(15))]
        new = list(old)
        for _ in range(random.randrange(4)):
            at = random.randrange(len(new) + 1)
            new[at : at + random.randrange(3)] = random.choices("abcdxyz}", k=random.randrange(3))
        check(old, new)


@pytest.mark.parametrize(
    ("old", "new", "runs"),
    [
        ("", "", []),
        ("", "a", [(0, 0, 0, 1)]),
        ("ab", "", [(0, 2, 0, 0)]),
        ("a}b}", "a}c}", [(2, 3, 2, 3)]),
        ("a}b}c}", "a}c}", [(2, 4, 2, 2)]),
        ("ab", "ba", [(0, 1, 0, 0), (2, 2, 1, 2)]),
        ("}}}}", "}}", [(2, 4, 2, 2)]),
    ],
)
def test_runs(old: str, new: str, runs: list[tuple[int, int, int, int]]) -> None:
    """Unique lines hold their neighbours in place."""
    assert list(changed_runs(old, new)) == runs


def test_long_runs_without_unique_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has no anchor and is too long is one run."""
    monkeypatch.setattr(lines, "MAX_PAIRS", 10)
    assert list(changed_runs("xaabbaay", "xbbaabby")) == [(1, 7, 1, 7)]
    check(list("xaabbaay"), list("xbbaabby"))


def test_lines_that_repeat_cost_no_more() -> None:
    """A file of 40,000 lines, three of four of them the same: no line is compared with all the others."""

    class Line(str):
        __slots__ = ()
        compared = 0
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            Line.compared += 1
            return str.__eq__(self, other)

    def text(changed: int) -> list[str]:
        made: list[str] = [Line(each) for n in range(10_000) for each in (f"file {n}", "mode", "owner", "}")]
        made[changed] = Line("changed")
        return made

    assert list(changed_runs(text(8_000), text(32_000))) == [(8_000, 8_001) * 2, (32_000, 32_001) * 2]
    assert Line.compared < 40 * 40_000
