"""The recipes for continuous integration: their YAML is what the services expect, and their scripts run as they stand.

`whence` is this one; what speaks to the service (`gh`, `curl`) or installs (`pip`) is a stand-in that notes how it was
called.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "examples/ci"

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.skipif(not shutil.which("bash") or not shutil.which("git"), reason="needs bash and git")


def recipe(name: str) -> dict[str, Any]:
    """A recipe, read."""
    document: dict[str, Any] = yaml.safe_load((RECIPES / name).read_text())
    return document


def run(script: str, folder: Path, variables: dict[str, str]) -> int:
    """Run a script as the services do: by bash, which ends at the first failure."""
    stubs = folder.parent / "bin"
    stubs.mkdir(exist_ok=True)
    for name in ("gh", "curl", "pip"):
        (stubs / name).write_text(f'#!/bin/sh\nprintf "%s\\n" {name} "$@" >> "{folder.parent}/called"\n')
    source = ROOT / "src"
    (stubs / "whence").write_text(f'#!/bin/sh\nPYTHONPATH="{source}" exec "{sys.executable}" -m whence "$@"\n')
    for stub in stubs.iterdir():
        stub.chmod(0o755)
    path = os.pathsep.join([str(stubs), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script], cwd=folder, env={**os.environ, **variables, "PATH": path}
    )
    return done.returncode


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The example repository with two commits: the second one edits a line of data."""
    folder = tmp_path / "control"
    shutil.copytree(ROOT / "examples/control", folder)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "base"]):
        subprocess.run([*git, *words], cwd=folder, check=True)
    data = folder / "data/role/web.yaml"
    data.write_text(data.read_text().replace("4096", "8192"))
    subprocess.run([*git, "commit", "-qam", "more connections"], cwd=folder, check=True)
    return folder


def without_service(module: Path) -> None:
    """Remove the service, so that the gate has something to find."""
    for manifest in module.rglob("*.pp"):
        text = re.sub(r"\n  service \{.*?\n  \}\n", "\n", manifest.read_text(), flags=re.DOTALL)
        manifest.write_text(re.sub(r"\n *notify +=> Service\['nginx'\],", "", text))


def check_comment(folder: Path) -> None:
    """The comment has the nodes, the difference and the edit behind it."""
    comment = (folder / "comment.md").read_text()
    assert "**2 nodes: web01.example.org, web02.example.org**" in comment
    assert "data/role/web.yaml:2" in comment and "+nginx::worker_connections: 8192" in comment


@pytest.mark.parametrize("gate", [False, True])
def test_github(repository: Path, tmp_path: Path, gate: bool) -> None:
    """Compared, commented, and the gate's status is that of the job."""
    if gate:
        without_service(repository / "modules/nginx")
    job = recipe("github.yml")["jobs"]["fleet"]
    base = subprocess.run(["git", "rev-parse", "HEAD~1"], cwd=repository, capture_output=True, text=True, check=True)
    given = {"BASE": base.stdout.strip(), "NUMBER": "7", "STORE": str(tmp_path / "store")}
    assert set(job["env"]) == {*given, "GH_TOKEN"}
    given |= {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    status = 0
    for step in job["steps"]:
        assert ("run" in step) != ("uses" in step)
        if "run" in step:
            outputs = (tmp_path / "output").read_text() if (tmp_path / "output").exists() else ""
            given |= {"STATUS": outputs.strip().removeprefix("status=")} if "env" in step else {}
            status = run(step["run"], repository, given)
            assert status == 0 or step["name"] == "Gate"
    assert status == (4 if gate else 0)
    check_comment(repository)
    called = (tmp_path / "called").read_text().splitlines()
    assert called[:3] == ["pip", "install", "whence[fleet]"]
    assert called[3:] == ["gh", "pr", "comment", "7", "--edit-last", "--create-if-none", "--body-file", "comment.md"]


@pytest.mark.parametrize("gate", [False, True])
def test_gitlab(repository: Path, tmp_path: Path, gate: bool) -> None:
    """The same."""
    if gate:
        without_service(repository / "modules/nginx")
    job = recipe("gitlab.yml")["whence"]
    given = {
        "CI_PROJECT_DIR": str(repository),
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": "HEAD~1",
        "CI_API_V4_URL": "https://gitlab.example.org/api/v4",
        "CI_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "7",
        "WHENCE_TOKEN": "token",
        "STORE": job["variables"]["STORE"].replace("$CI_PROJECT_DIR", str(repository)),
    }
    lines = [*job["before_script"], *job["script"]]
    assert all(isinstance(line, str) for line in lines)
    assert run("\n".join(lines), repository, given) == (4 if gate else 0)
    check_comment(repository)
    called = (tmp_path / "called").read_text()
    assert "https://gitlab.example.org/api/v4/projects/3/merge_requests/7/notes" in called
    assert "body=<comment.md" in called
    assert job["cache"]["paths"] == [".whence-store"] and (repository / ".whence-store").is_dir()
