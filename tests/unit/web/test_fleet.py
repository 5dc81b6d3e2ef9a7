"""The explorer's fleet: what the page shows is what `wherefrom fleet plot --json` prints."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from support.explorer import ROOT, documents_for
from wherefrom.cli.main import status_of
from wherefrom.web.documents import Documents, Refusal

pytest.importorskip("duckdb")

NODE = "web01.example.org"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example repository, its store, and a comparison with an edited state."""
    import io
    from contextlib import redirect_stdout

    folder = tmp_path_factory.mktemp("fleet")
    shutil.copytree(ROOT / "examples/control", folder / "a")
    shutil.copytree(ROOT / "examples/control", folder / "b")
    data = folder / "b/data/role/web.yaml"
    data.write_text(data.read_text().replace("4096", "8192"))
    store = ["--store", str(folder / "s"), "--jobs", "1"]
    assert status_of(["fleet", "compile", str(folder / "a"), *store]) == 0
    with redirect_stdout(io.StringIO()) as out:
        assert status_of(["fleet", "diff", str(folder / "a"), str(folder / "b"), *store, "--format", "json"]) == 0
    (folder / "diff.json").write_text(out.getvalue())
    return folder


def shown(folder: Path, *more: str) -> Documents:
    return documents_for(str(folder / "a"), "--node", NODE, *more)


def test_the_same_as_the_plots(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Reach from the store, causes from the comparison."""
    store, comparison = ["--store", str(folder / "s")], ["--diff", str(folder / "diff.json")]
    documents = shown(folder, *store, *comparison)
    assert documents.document("subject")["fleet"] is True
    answer = documents.document("fleet")
    capsys.readouterr()
    for what, given in (("reach", store), ("causes", comparison)):
        assert status_of(["fleet", "plot", what, *given, "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == answer[what]
    assert "causes" not in shown(folder, *store).document("fleet")


def test_without_a_store(folder: Path) -> None:
    """There is no tab, and the question says why."""
    documents = shown(folder)
    assert "fleet" not in documents.document("subject")
    with pytest.raises(Refusal, match="name one with --store"):
        documents.answer("fleet", {})


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--store", "nowhere"], "no fleet store"),
        (["--diff", "x.json"], "--diff needs --store STORE"),
    ],
)
def test_what_is_not_there_is_told_at_once(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    """Not when the page asks."""
    report = ["report", str(folder / "a"), "--node", NODE, "-o", str(tmp_path / "x.html")]
    assert status_of([*report, *words]) == 2
    assert told in capsys.readouterr().err


def test_a_report_has_it(tmp_path: Path, folder: Path) -> None:
    """One page more."""
    report = ["report", str(folder / "a"), "--node", NODE, "-o"]
    assert status_of([*report, str(tmp_path / "without.html")]) == 0
    assert status_of([*report, str(tmp_path / "with.html"), "--store", str(folder / "s")]) == 0
    assert (tmp_path / "with.html").stat().st_size > (tmp_path / "without.html").stat().st_size
