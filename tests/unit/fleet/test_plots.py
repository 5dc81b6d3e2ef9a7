"""The fleet's plots: what they show is what the store and the comparison say, and both formats are pictures."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from support.fleets import build, write
from wherefrom.cli.main import status_of

pytest.importorskip("duckdb")
pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of eight nodes, and a comparison with an edited state."""
    folder = tmp_path_factory.mktemp("plots")
    build(folder / "a", 8)
    shutil.copytree(folder / "a", folder / "b")
    write(
        folder / "b",
        {
            "data/role/web.yaml": "profile::web::port: 9090\n",
            "data/os/Debian.yaml": "profile::base::mode: '0600'\n",
        },
    )
    options = ["--facts", str(folder / "a/facts"), "--store", str(folder / "s"), "--jobs", "1"]
    assert status_of(["fleet", "compile", str(folder / "a"), *options]) == 0
    return folder


@pytest.fixture(scope="module")
def comparison(folder: Path) -> Path:
    """The comparison, as it was printed."""
    import io
    from contextlib import redirect_stdout

    options = ["--facts", str(folder / "a/facts"), "--store", str(folder / "s"), "--jobs", "1", "--format", "json"]
    with redirect_stdout(io.StringIO()) as out:
        assert status_of(["fleet", "diff", str(folder / "a"), str(folder / "b"), *options]) == 0
    (folder / "diff.json").write_text(out.getvalue())
    return folder / "diff.json"


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """What a picture shows, as JSON."""
    capsys.readouterr()
    assert status_of(["fleet", "plot", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_reach_is_impact(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The reach of a line is as many outputs on as many nodes as `fleet impact` tells for it."""
    store = ["--store", str(folder / "s")]
    document = shown(capsys, "reach", *store, "--most", "60")
    assert document["nodes"] == 8 and len(document["bars"]) > 10
    assert document["bars"] == sorted(document["bars"], key=lambda bar: -bar["outputs"])
    assert sum(row["lines"] for row in document["sharing"]) == document["lines"] >= len(document["bars"])
    for bar in [bar for bar in document["bars"] if bar["label"].startswith(str(folder)) and ".yaml:" in bar["label"]]:
        assert status_of(["fleet", "impact", bar["label"].partition("/a/")[2], *store, "--json"]) == 0
        impact = json.loads(capsys.readouterr().out)
        assert bar["nodes"] == len(impact["nodes"]), bar
        assert bar["outputs"] == sum(len(row["nodes"]) for row in impact["affected"]), bar


def test_every_key_of_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two keys in one line: both are named, in one order, whichever a database comes upon first."""
    keys = {"profile::base::mode": "0600", "profile::base::greeting": "hello"}
    build(tmp_path / "a", 4)
    write(tmp_path / "a", {"data/os/Debian.yaml": json.dumps(keys)})
    options = ["--facts", str(tmp_path / "a/facts"), "--store", str(tmp_path / "s"), "--jobs", "1"]
    assert status_of(["fleet", "compile", str(tmp_path / "a"), *options]) == 0
    bars = shown(capsys, "reach", "--store", str(tmp_path / "s"), "--most", "60")["bars"]
    assert [bar["words"] for bar in bars if bar["label"].endswith("Debian.yaml:1")] == [", ".join(sorted(keys))]


def test_causes(folder: Path, comparison: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each edit with the nodes that it changed."""
    document = shown(capsys, "causes", "--diff", str(comparison))
    bars = {Path(bar["label"]).name: (bar["nodes"], bar["words"]) for bar in document["bars"]}
    assert bars == {
        "web.yaml:1": (4, "profile::web::port: 9090"),
        "Debian.yaml:1": (4, "profile::base::mode: '0600'"),
    }
    assert (document["changed"], document["nodes"], document["causes"]) == (6, 8, 2)


@pytest.mark.parametrize("what", ["reach", "causes"])
def test_pictures(folder: Path, comparison: Path, tmp_path: Path, what: str) -> None:
    """A PNG of some size; an SVG whose words can be searched; the same each time."""
    given = ["--store", str(folder / "s")] if what == "reach" else ["--diff", str(comparison)]
    for name in ("a.png", "a.svg", "b.svg"):
        assert status_of(["fleet", "plot", what, *given, "-o", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG\r\n")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    words = "".join(ElementTree.parse(tmp_path / "a.svg").getroot().itertext())
    assert "nodes" in words and "web.yaml:1" in words


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["reach", "-o", "x.png"], "plot reach needs --store STORE"),
        (["causes", "-o", "x.png"], "--diff FILE"),
        (["causes", "--diff", "nowhere.json", "-o", "x.png"], "cannot read nowhere.json"),
        (["causes", "--diff", "{}", "-o", "x.png"], "expected what `wherefrom fleet diff --format json` prints"),
        (["causes", "--diff", '{"groups": [{"nodes": 1}]}', "-o", "x.png"], "expected what"),
        (["causes", "--diff", "no json", "-o", "x.png"], "expected what"),
        (["causes", "--diff", '{"groups":[],"changed":[],"same":[],"failed":[]}', "-o", "x.png"], "nothing differs"),
        (["reach", "--store", "nowhere", "-o", "x.png"], "no fleet store"),
        (["reach", "--store", "nowhere", "-o", "x.jpeg"], "ends in .png or .svg"),
        (["reach", "--store", "nowhere"], "name the output file"),
    ],
)
def test_what_can_not_be_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    """Told, with status 2, and no picture is left."""
    monkeypatch.chdir(tmp_path)
    if "--diff" in words and words[2] != "nowhere.json":
        Path("diff.json").write_text(words[2])
        words = [*words[:2], "diff.json", *words[3:]]
    assert status_of(["fleet", "plot", *words]) == 2
    assert told in capsys.readouterr().err
    assert not Path("x.png").exists()


def test_keys_of_a_line() -> None:
    """Those inside of another one are not told beside it; of many, the first."""
    from wherefrom.fleet.charts import _keys

    assert _keys(["a", "a.b", "a.b[0]", "ab", "c[0].d"]) == "a, ab, c[0].d"
    assert _keys([f"k{number}" for number in range(7)]) == "k0, k1, k2, k3 and 3 more"
    assert _keys([]) == ""
