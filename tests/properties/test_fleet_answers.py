"""The same question has the same answer: asked again, by many threads, of a store that was written in another order."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from support.fleets import EXPORTING, build, write
from wherefrom.cli.main import status_of

pytest.importorskip("duckdb")

NODES = 8
QUESTIONS = (
    ["impact", "fact:role"],
    ["impact", "hiera:profile::base::greeting"],
    ["impact", "data/common.yaml:1"],
    ["impact", "facts:rol"],
    ["where-used", "site/profile/manifests/base.pp:2"],
    ["where-used", "site/profile/manifests/bas.pp:2"],
    ["find", "File[*].mode"],
    ["find", "User[*].uid != 1004"],
    ["find", "Fille[/etc/motd]"],
    ["lookup", "profile::base::users"],
    ["lookup", "profile::web::port"],
    ["lookup", "profile::web::prt"],
    ["drift", "--part", "0.3"],
    ["plot", "reach"],
    ["sql", "select type, count(*), avg(line) from resources group by type"],
    ["sql", "select * from attributes"],
    ["sql", "select * from dependencies join inputs using (input)"],
    ["sql", "select distinct level, file from answers"],
    ["sql", "select key, list(distinct value order by value) from lookups join answers using (answer) group by key"],
)


def written(folder: Path, name: str, chance: random.Random | None, apart: int = NODES) -> Path:
    """A store of the fleet: in one run, or some nodes `apart` first, in an order of chance, parts merged."""
    store = folder / name
    nodes = build(folder / "c", NODES)
    write(folder / "c", EXPORTING)
    command = ["fleet", "compile", str(folder / "c"), "--facts", str(folder / "c/facts"), "--store", str(store)]
    if chance is not None:
        for node in chance.sample(nodes, apart):
            assert status_of([*command, "--jobs", "1", "--nodes", node]) == 0
    assert status_of([*command, "--jobs", "1"]) == 0
    return store


def answers(store: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What a store says to each question, for a person and for a program."""
    told: list[str] = []
    for words in QUESTIONS:
        for more in ([], ["--json"]) if words[0] != "plot" else (["--json"],):
            capsys.readouterr()
            status = status_of(["fleet", *words, "--store", str(store), *more])
            captured = capsys.readouterr()
            told.append(f"{words} {more}: {status}\n{captured.out}{captured.err}".replace(str(store), "STORE"))
    return told


@pytest.mark.parametrize(
    ("seed", "times"), [pytest.param(1, 1, marks=pytest.mark.long), pytest.param(2, 10, marks=pytest.mark.soak)]
)
def test_the_same_question_has_the_same_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, seed: int, times: int
) -> None:
    """To the byte."""
    first = written(tmp_path, "first", None)
    expected = answers(first, capsys)
    assert len({answer for answer in expected if "[]: 0\n" in answer}) > 10
    monkeypatch.setattr("wherefrom.fleet.questions.THREADS", 8)
    for _ in range(times):
        assert answers(first, capsys) == expected
    monkeypatch.setattr("wherefrom.fleet.store.MOST_PARTS", 2 + seed)
    second = written(tmp_path, "second", random.Random(seed))
    assert answers(second, capsys) == expected


@pytest.mark.long
def test_pictures_are_the_same(tmp_path: Path) -> None:
    """Those too: of a store of one run, and of one that two nodes came into first."""
    pytest.importorskip("matplotlib")
    pictures: list[bytes] = []
    for name, chance in (("first", None), ("second", random.Random(3))):
        store = written(tmp_path, name, chance, apart=2)
        for ending in ("svg", "png"):
            picture = tmp_path / f"reach.{ending}"
            assert status_of(["fleet", "plot", "reach", "--store", str(store), "-o", str(picture)]) == 0
            pictures.append(picture.read_bytes())
    assert pictures[:2] == pictures[2:]
