"""Nodes compiled on a Ray cluster of several processes: the result is the local one, also if a worker is killed."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from support.fleets import build, write
from support.puppetdb_real import free_port
from support.stores import check_whole, content
from wherefrom.base.diagnostics import UsageError
from wherefrom.cli.fleet_cluster import compile_nodes
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


def test_another_version_is_refused(tmp_path: Path) -> None:
    """A host with another wherefrom compiles nothing: its catalogs might be others."""
    request = {"version": "0.0.1", "path": "c", "options": "{}", "key": b"", "exports": b"", "members": []}
    with pytest.raises(UsageError, match=r"this host runs wherefrom \S+, but the caller runs 0\.0\.1"):
        compile_nodes(str(tmp_path), request, ["n"])


@contextmanager
def started(token: str) -> Iterator[str]:
    """A cluster of two processes that `ray start` started, on this machine alone, with a token; its address."""
    with tempfile.TemporaryDirectory(prefix="ray", dir="/tmp", ignore_cleanup_errors=True) as folder:
        port = free_port()
        address = f"127.0.0.1:{port}"
        program = [str(Path(sys.executable).with_name("ray")), "start", "--block", "--num-cpus=1"]
        program += ["--disable-usage-stats", "--node-ip-address=127.0.0.1"]
        head = ["--head", f"--port={port}", "--include-dashboard=false"]
        source = str(Path(__file__).resolve().parents[3] / "src")
        variables = {**os.environ, "PYTHONPATH": source, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token}
        processes: list[subprocess.Popen[bytes]] = []
        try:
            for words in ([*head, f"--temp-dir={folder}"], [f"--address={address}"]):
                processes.append(
                    subprocess.Popen(
                        [*program, *words],
                        env=variables,
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        start_new_session=True,
                    )
                )
                wait_for(port)
            yield address
        finally:
            for process in reversed(processes):
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def wait_for(port: int) -> None:
    """Until somebody listens there."""
    for _ in range(600):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.2)
    raise AssertionError(port)


@pytest.mark.soak
def test_a_driver_that_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a cluster of two processes that were started apart; the next run goes on, and ends as a local one."""
    monkeypatch.chdir(tmp_path)
    build(tmp_path / "c", 24)
    parts = tmp_path / "parts"
    token = secrets.token_hex(32)
    variables = {**os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token}
    with started(token) as address:
        command = [sys.executable, "-m", "wherefrom", "fleet", "compile", "c", "--facts", "c/facts", "--store", "s"]
        command += ["--ray", address, "--parts", str(parts), "--batch", "2"]
        driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=variables)
        while driver.poll() is None and not (parts.is_dir() and any(parts.iterdir())):
            time.sleep(0.01)
        driver.kill()
        assert driver.wait() == -signal.SIGKILL
        if (tmp_path / "s/current.json").exists():
            check_whole(tmp_path / "s")
        assert subprocess.run(command, stdout=subprocess.DEVNULL, env=variables, check=False).returncode == 0
    check_whole(tmp_path / "s")
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
        (["--ray", "auto"], "name storage that all machines of the cluster share"),
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
