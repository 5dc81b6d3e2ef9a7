"""Nodes compiled on a Ray cluster of several processes: the result is the local one, also if a worker is killed."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.fleets import build, write
from support.stores import check_whole, content
from wherefrom.cli.main import status_of
from wherefrom.fleet.cluster import packed, part_name, read_part, shippable, unpacked, write_part

pytest.importorskip("pyarrow")
ray = pytest.importorskip("ray")
pytest.importorskip("fsspec")

pytestmark = pytest.mark.filterwarnings("ignore")  # what Ray itself warns of is not ours


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A cluster of two processes on this machine."""
    source = str(Path(__file__).resolve().parents[3] / "src")
    variables = {"PYTHONPATH": os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])}
    options = {"include_dashboard": False, "log_to_driver": False, "logging_level": "error"}
    ray.init(num_cpus=2, runtime_env={"env_vars": variables}, **options)
    yield
    ray.shutdown()


def compile_into(store: str, *more: str) -> int:
    """Compile the environment `c` of this directory."""
    return status_of(["fleet", "compile", "c", "--facts", "c/facts", "--store", store, *more])


def workers() -> list[int]:
    """The processes of our own cluster that are at a task: whoever else has one is left alone."""
    numbers = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and b"ray::wherefrom.compile_batch" in (folder / "cmdline").read_bytes():
                if parent_of(parent_of(int(folder.name))) == os.getpid():  # a raylet stands between
                    numbers.append(int(folder.name))
        except OSError:
            continue
    return numbers


def parent_of(number: int) -> int:
    """The process that started another."""
    return int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])


def test_the_result_is_the_local_one(
    cluster: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With failures, in batches; and what is in the store already is kept."""
    monkeypatch.chdir(tmp_path)
    build(tmp_path / "c", 9)
    write(tmp_path / "c", {"data/nodes/web02.south.yaml": "profile::web::port: none\n"})
    assert compile_into("s", "--ray", "local", "--parts", str(tmp_path / "parts"), "--batch", "2") == 1
    assert compile_into("fresh", "--jobs", "1") == 1
    check_whole(tmp_path / "s")
    assert content(tmp_path / "s") == content(tmp_path / "fresh")
    assert list((tmp_path / "parts").iterdir()) == []
    capsys.readouterr()
    assert compile_into("s", "--ray", "local", "--parts", str(tmp_path / "parts"), "--json") == 1
    assert len(json.loads(capsys.readouterr().out)["kept"]) == 9


def test_a_worker_that_is_killed(
    cluster: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its batch is given to another one; nothing is lost."""
    monkeypatch.chdir(tmp_path)
    build(tmp_path / "c", 24)
    ended = threading.Event()
    killed: list[int] = []

    def kill() -> None:
        while not ended.is_set() and len(killed) < 2:
            for number in workers()[:1]:
                os.kill(number, signal.SIGKILL)
                killed.append(number)
            time.sleep(0.05)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        assert compile_into("s", "--ray", "local", "--parts", str(tmp_path / "parts"), "--batch", "3") == 0
    finally:
        ended.set()
        killer.join()
    assert killed
    check_whole(tmp_path / "s")
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert compile_into("fresh", "--jobs", "1") == 0
    assert content(tmp_path / "s") == content(tmp_path / "fresh")


def test_files_are_shipped_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same content is the same archive; links and names stay; the store and version control stay at home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    write(tmp_path / "c", {"a/b.pp": "class b {}\n", ".git/x": "x", "store/current.json": "{}"})
    (tmp_path / "c/link").symlink_to("a")
    archive = packed(["c"], "c/store")
    os.utime("c/a/b.pp", (1, 1))
    assert packed(["c"], "c/store") == archive
    root = Path(unpacked(archive))
    assert root == Path(unpacked(archive))
    assert sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()) == ["c/a/b.pp"]
    assert (root / "c/link/b.pp").read_text() == "class b {}\n"
    assert shippable(["c", "/etc", "../c", "nowhere", "./c/a"]) == ["c", "c/a"]


@pytest.mark.parametrize("place", ["parts", "memory://parts"])
def test_parts(tmp_path: Path, place: str) -> None:
    """Written whole, named after their nodes, read as they were; on a disk and where `fsspec` leads."""
    place = place if "://" in place else str(tmp_path / place)
    results = [("a", {"ok": True, "rows": [[1, "x"]]}), ("b", {"ok": False, "message": "é"})]
    name = write_part(place, results)
    assert name == part_name(["a", "b"]) == write_part(place, results)
    assert read_part(place, name) == results


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--ray", "auto"], "name a place that all machines of the cluster share"),
        (["--ray", "local", "--parts", "nonsense://x"], "cannot write parts to nonsense://x"),
    ],
)
def test_what_can_not_be_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    """Told before anything starts."""
    monkeypatch.chdir(tmp_path)
    build(tmp_path / "c", 2)
    assert compile_into("s", *words) == 2
    assert told in capsys.readouterr().err


def test_an_environment_that_can_not_be_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that lies elsewhere would have other names of files there."""
    build(tmp_path / "c", 2)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    store = ["--store", "s", "--ray", "local"]
    assert status_of(["fleet", "compile", str(tmp_path / "c"), "--facts", str(tmp_path / "c/facts"), *store]) == 2
    assert "below the current directory" in capsys.readouterr().err
