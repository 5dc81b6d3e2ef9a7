"""The recipes for continuous integration: their YAML is what the services expect, and their scripts run as they stand.

`wherefrom` is this one; what speaks to the service (`gh`, `curl`) or installs (`pip`) is a stand-in that notes how it was
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
    (stubs / "wherefrom").write_text(f'#!/bin/sh\nPYTHONPATH="{source}" exec "{sys.executable}" -m wherefrom "$@"\n')
    for stub in stubs.iterdir():
        stub.chmod(0o755)
    path = os.pathsep.join([str(stubs), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script], cwd=folder, env={**os.environ, **variables, "PATH": path}
    )
    return done.returncode


def git(folder: Path, *words: str) -> None:
    """Run git, as somebody."""
    person = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *person, *words], cwd=folder, check=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The example repository on a branch with one commit, which edits a line of data."""
    folder = tmp_path / "control"
    shutil.copytree(ROOT / "examples/control", folder)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "base"], ["checkout", "-qb", "topic"]):
        git(folder, *words)
    data = folder / "data/role/web.yaml"
    data.write_text(data.read_text().replace("4096", "8192"))
    git(folder, "commit", "-qam", "more connections")
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


def github(repository: Path, event: str) -> int:
    """Run the steps of GitHub's recipe that are for an event, with what the service gives; the last one's status."""
    job = recipe("github.yml")["jobs"]["fleet"]
    given = {"NUMBER": "7", "STORE": job["env"]["STORE"]}
    assert set(job["env"]) == {*given, "GH_TOKEN"}
    files = {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}
    given |= {variable: str(repository.parent / name) for variable, name in files.items()}
    status = 0
    for step in job["steps"]:
        assert ("run" in step) != ("uses" in step)
        if "run" not in step or f"github.event_name == '{event}'" not in step.get(
            "if", f"github.event_name == '{event}'"
        ):
            continue
        output = repository.parent / "output"
        given |= {"STATUS": output.read_text().strip().removeprefix("status=")} if "env" in step else {}
        status = run(step["run"], repository, given)
        assert status == 0 or step["name"] == "Gate"
    return status


@pytest.mark.parametrize("gate", [False, True])
def test_github(repository: Path, tmp_path: Path, gate: bool) -> None:
    """Compared with the branch as it is by now, commented, and the gate's status is that of the job."""
    if gate:
        without_service(repository / "modules/nginx")
        git(repository, "commit", "-qam", "no service")
    git(repository, "checkout", "-q", "main")
    common = repository / "data/common.yaml"
    common.write_text(common.read_text().replace("ops@example.org", "everybody@example.org"))
    git(repository, "commit", "-qam", "the base moves")
    assert github(repository, "push") == 0
    git(repository, "checkout", "-q", "--detach")
    git(repository, "merge", "-q", "--no-ff", "-m", "what the service checks out", "topic")
    assert github(repository, "pull_request") == (4 if gate else 0)
    check_comment(repository)
    comment = (repository / "comment.md").read_text()
    assert "everybody" not in comment and "common.yaml" not in comment
    assert (tmp_path / "summary").read_text() == comment
    called = (tmp_path / "called").read_text().splitlines()
    assert called[:6] == ["pip", "install", "wherefrom[fleet]"] * 2
    assert called[6:] == ["gh", "pr", "comment", "7", "--edit-last", "--create-if-none", "--body-file", "comment.md"]


def test_what_github_keeps() -> None:
    """The store is where the cache looks for it, by a path that its action takes: one without `..`
    (https://github.com/actions/cache/issues/684).  It is saved where every request can read it: by runs of the branch.
    """
    job = recipe("github.yml")["jobs"]["fleet"]
    restore, save = (step for step in job["steps"] if "actions/cache" in step.get("uses", ""))
    assert restore["with"]["path"] == save["with"]["path"] == job["env"]["STORE"]
    assert ".." not in job["env"]["STORE"].split("/")
    assert save["with"]["key"] == restore["with"]["key"] and "if" not in restore and "'push'" in save["if"]


@pytest.mark.parametrize("gate", [False, True])
def test_gitlab(repository: Path, tmp_path: Path, gate: bool) -> None:
    """The same."""
    if gate:
        without_service(repository / "modules/nginx")
    job = recipe("gitlab.yml")["wherefrom"]
    given = {
        "CI_PROJECT_DIR": str(repository),
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": "HEAD~1",
        "CI_API_V4_URL": "https://gitlab.example.org/api/v4",
        "CI_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "7",
        "WHEREFROM_TOKEN": "token",
        "STORE": job["variables"]["STORE"].replace("$CI_PROJECT_DIR", str(repository)),
    }
    lines = [*job["before_script"], *job["script"]]
    assert all(isinstance(line, str) for line in lines)
    assert run("\n".join(lines), repository, given) == (4 if gate else 0)
    check_comment(repository)
    called = (tmp_path / "called").read_text()
    assert "https://gitlab.example.org/api/v4/projects/3/merge_requests/7/notes" in called
    assert "body=<comment.md" in called
    assert job["cache"]["paths"] == [".wherefrom-store"] and (repository / ".wherefrom-store").is_dir()
