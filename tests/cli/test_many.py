"""Many nodes at once, and answers that follow the files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support import commands
from wherefrom.fleet.workers import in_processes, is_lost

ROOT = Path(__file__).resolve().parents[2]
CONTROL = ROOT / "examples/control"
WHEREFROM = [sys.executable, "-m", "wherefrom"]


def wherefrom(*arguments: str, cwd: Path = CONTROL) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would."""
    return commands.wherefrom(*arguments, cwd=cwd)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Nodes of which one does not compile."""
    files = {
        "manifests/site.pp": "if $facts['bad'] { fail('broken by its facts') }\n"
        "notify { 'a': message => $facts['x'] }\n",
        "wherefrom.toml": 'environment = "."\nfacts = "facts"\n',
        **{f"facts/node{number}.yaml": f"x: {number}\n" for number in range(5)},
        "facts/bad.yaml": "bad: true\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_one_failing_node_stops_nobody(repository: Path) -> None:
    """A line for each node, what is wrong on stderr, a summary, status 1."""
    done = wherefrom("compile", "--nodes", cwd=repository)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith("bad    error[")
    assert lines[1:6] == [f"node{number}  1 resource" for number in range(5)]
    assert lines[-1] == "6 nodes: 5 compiled, 1 failed"
    assert "broken by its facts" in done.stderr


@pytest.mark.parametrize("processes", ["1", "3"])
def test_catalogs_of_all_nodes(repository: Path, processes: str) -> None:
    """The same catalogs, however many processes made them; in files, or in one document."""
    document = json.loads(wherefrom("compile", "--nodes", "--json", "--processes", processes, cwd=repository).stdout)
    assert document["failed"] == ["bad"]
    assert [each["node"] for each in document["nodes"]] == ["bad", *(f"node{number}" for number in range(5))]
    alone = json.loads(wherefrom("compile", "--node", "node3", "--json", cwd=repository).stdout)
    for name in ("resources", "edges", "classes"):
        assert document["nodes"][4]["catalog"][name] == alone[name]
    wherefrom("compile", "--nodes", "node*", "--json", "--output", "out", cwd=repository)
    assert sorted(os.listdir(repository / "out")) == [f"node{number}.json" for number in range(5)]
    assert json.loads((repository / "out/node3.json").read_text())["resources"] == alone["resources"]


def test_wrong_use(repository: Path) -> None:
    """Options that need others, patterns that match nothing, names that are no files."""
    assert wherefrom("compile", "--output", "out", cwd=repository).returncode == 2
    assert wherefrom("compile", "--nodes", "web*", cwd=repository).returncode == 2
    assert wherefrom("compile", "--nodes", "../x", "--output", "out", cwd=repository).returncode == 2
    assert wherefrom("compile", "--nodes", "--yaml", cwd=repository).returncode == 2


def test_a_process_that_dies_takes_nobody_with_it() -> None:
    """Its items are reported as lost."""

    def work(item: str) -> dict[str, object]:
        if item == "b":
            os._exit(9)
        return {"ok": True, "item": item}

    results = dict(in_processes(["a", "b", "c", "d"], work, 2))
    assert is_lost(results["b"])
    assert results["b"]["message"].startswith("its process exited with status 9")
    assert results["a"] == {"ok": True, "item": "a"}
    assert results["c"] == {"ok": True, "item": "c"}
    assert set(results) == {"a", "b", "c", "d"}


@pytest.mark.parametrize("question", [["explain", "Notify[a].message", "--where"], ["compile"]])
def test_watching(repository: Path, question: list[str]) -> None:
    """An edit gives a new answer, a mistake is told and waited out, Ctrl-C ends it."""
    (repository / "facts/bad.yaml").unlink()
    process = subprocess.Popen(
        [*WHEREFROM, *question, "--node", "node1", "--watch"],
        cwd=repository,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None

    def answer() -> str:
        assert process.stdout is not None
        lines: list[str] = []
        for line in process.stdout:
            if line.startswith("-- watching"):
                return "".join(lines)
            lines.append(line)
        raise AssertionError("it ended")

    def answers_with(words: str) -> bool:
        """An edit may be seen in two steps: some answers later there is one with these words."""
        return any(words in answer() for _ in range(4))

    try:
        answer()
        manifest = repository / "manifests/site.pp"
        manifest.write_text("notify { 'a': message => 'edited' }\n")
        assert answers_with("edited")
        manifest.write_text("notify { 'a' message => }\n")
        assert answers_with("error")
        manifest.write_text("notify { 'a': message => 'mended' }\n")
        assert answers_with("mended")
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=commands.SECONDS) == 130
        process.stdout.close()
