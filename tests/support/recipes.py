"""The recipes for continuous integration, run as the services run them.

A step that is a shell command is run by bash as it stands, in a copy of the example control repository. `wherefrom` is
the command that a test names; what speaks to the service (`gh`, `curl`) or installs (`pip`) is a stand-in that notes
how it was called. Expressions of GitHub's (`${{ ... }}`) are given their values here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "examples/ci"
ACTION = ROOT / "action/action.yml"
EVENTS = ("push", "pull_request")


def recipe(name: str) -> dict[str, Any]:
    """A recipe, read."""
    document: dict[str, Any] = yaml.safe_load((RECIPES / name).read_text())
    return document


class Repository:
    """A copy of the example repository: a branch with a commit that edits a line of data, and its base."""

    def __init__(
        self, folder: Path, command: Path | None = None, gate: bool = False, ignored: bool = False, known: str = ""
    ) -> None:
        """`command`: the `wherefrom` to run, else this one.  `gate`: the branch removes a service, too.  `ignored`: the
        modules are not in git, and the branch wants another version.  `known`: the comment of an earlier run."""
        self.folder = folder / "control"
        self.outside = folder
        self._known = known
        shutil.copytree(ROOT / "examples/control", self.folder)
        if ignored:
            shutil.move(self.folder / "modules", folder / "v2.1.0")
            shutil.copytree(folder / "v2.1.0", folder / "v2.2.0")
            template = folder / "v2.2.0/nginx/templates/nginx.conf.epp"
            template.write_text(template.read_text().replace("events", "happenings"))
            (self.folder / ".gitignore").write_text("/modules/\n")
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "base"], ["checkout", "-qb", "topic"]):
            self.git(*words)
        self.edit("data/role/web.yaml", "4096", "8192")
        if ignored:
            self.edit("Puppetfile", "v2.1.0", "v2.2.0")
        if gate:
            without_service(self.folder / "modules/nginx")
        self.git("commit", "-qam", "more connections")
        self._stand_ins(command)

    def edit(self, name: str, before: str, after: str) -> None:
        path = self.folder / name
        path.write_text(path.read_text().replace(before, after))

    def git(self, *words: str) -> None:
        """Run git, as somebody."""
        person = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *person, *words], cwd=self.folder, check=True)

    def merge(self) -> None:
        """The base moves on, and the branch is merged into it: what GitHub checks out."""
        self.git("checkout", "-q", "main")
        self.edit("data/common.yaml", "ops@example.org", "everybody@example.org")
        self.git("commit", "-qam", "the base moves")
        self.git("checkout", "-q", "--detach")
        self.git("merge", "-q", "--no-ff", "-m", "what the service checks out", "topic")

    @property
    def called(self) -> list[str]:
        """The words of all calls to stand-ins."""
        path = self.outside / "called"
        return path.read_text().splitlines() if path.exists() else []

    def run(self, script: str, variables: dict[str, str]) -> int:
        """Run a script as the services do: by bash, which ends at the first failure."""
        path = os.pathsep.join([str(self.outside / "bin"), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script], cwd=self.folder,
            env={**os.environ, **variables, "PATH": path},
        )  # fmt: skip
        return done.returncode

    def _stand_ins(self, command: Path | None) -> None:
        folder = self.outside / "bin"
        folder.mkdir()
        notes = f'[{{"id": {self._known}, "body": "<!-- wherefrom:diff -->"}}]' if self._known else "[]"
        answers = {"gh": f"case $* in *--jq*) echo '{self._known}';; esac", "curl": f"echo '{notes}'"}
        for name in ("gh", "curl", "pip"):
            noted = f'printf "%s\\n" {name} "$@" >> "{self.outside}/called"'
            (folder / name).write_text(f"#!/bin/sh\n{noted}\n{answers.get(name, '')}\n")
        registry = f'"{self.outside}"/$(grep -o "v2[.][0-9][.]0" Puppetfile)'
        (folder / "r10k").write_text(f"#!/bin/sh\ncp -r {registry} modules\n")
        ours = f'PYTHONPATH="{ROOT / "src"}" exec "{sys.executable}" -m wherefrom "$@"'
        (folder / "wherefrom").write_text(
            f"#!/bin/sh\n{ours}\n" if command is None else f'#!/bin/sh\nexec {command} "$@"\n'
        )
        for each in folder.iterdir():
            each.chmod(0o755)


def without_service(module: Path) -> None:
    """Remove the service, so that a gate has something to find."""
    for manifest in module.rglob("*.pp"):
        text = re.sub(r"\n  service \{.*?\n  \}\n", "\n", manifest.read_text(), flags=re.DOTALL)
        manifest.write_text(re.sub(r"\n *notify +=> Service\['nginx'\],", "", text))


def _steps(repository: Repository, event: str, steps: list[dict[str, Any]], values: dict[str, str]) -> int:
    """Run the steps for an event; the status of the last one.

    `values`: what expressions (`github.token`, `inputs.store`) stand for.
    """
    files = {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}
    given = {variable: str(repository.outside / name) for variable, name in files.items()}
    given |= {"RUNNER_TEMP": str(repository.outside), "GITHUB_WORKSPACE": str(repository.folder),
              "GITHUB_ACTION_PATH": str(ROOT / "action"), "GITHUB_REPOSITORY": "someone/control"}  # fmt: skip
    status = 0
    for step in steps:
        assert ("run" in step) != ("uses" in step)
        condition = step.get("if", "")
        wanted = f"== '{event}'" in condition or ("!= 'pull_request'" in condition and event != "pull_request")
        if "run" not in step or (condition and not wanted):
            continue
        output = repository.outside / "output"
        if output.exists():
            values["steps.compare.outputs.status"] = output.read_text().strip().removeprefix("status=")
        own = {
            name: re.sub(r"\$\{\{ *([^ }]+) *\}\}", lambda match: values[match[1]], str(text))
            for name, text in step.get("env", {}).items()
        }
        status = repository.run(step["run"], {**given, **own})
        assert status == 0 or step["name"] == "Gate"
    return status


VALUES = {"github.event.pull_request.number": "7", "github.token": "token", "github.sha": "0"}


def github_recipe(repository: Repository, event: str) -> int:
    """The job of `examples/ci/github.yml`."""
    job = recipe("github.yml")["jobs"]["fleet"]
    if event == "pull_request":
        repository.merge()
    steps = [{**step, "env": {**job["env"], **step.get("env", {})}} if "run" in step else step for step in job["steps"]]
    return _steps(repository, event, steps, dict(VALUES))


def github_action(repository: Repository, event: str, **inputs: str) -> int:
    """The composite action, with its defaults where no input is given."""
    action = yaml.safe_load(ACTION.read_text())
    if event == "pull_request":
        repository.merge()
    values = {f"inputs.{name}": inputs.get(name, str(each["default"])) for name, each in action["inputs"].items()}
    return _steps(repository, event, action["runs"]["steps"], {**VALUES, **values})


def gitlab_recipe(repository: Repository, event: str = "") -> int:
    """The job of `examples/ci/gitlab.yml`."""
    job = recipe("gitlab.yml")["wherefrom"]
    given = {
        "CI_PROJECT_DIR": str(repository.folder),
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": "HEAD~1",
        "CI_API_V4_URL": "https://gitlab.example.org/api/v4",
        "CI_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "7",
        "WHEREFROM_TOKEN": "token",
        "STORE": job["variables"]["STORE"].replace("$CI_PROJECT_DIR", str(repository.folder)),
    }
    lines = [*job.get("before_script", []), *job["script"]]
    assert all(isinstance(line, str) for line in lines)
    return repository.run("\n".join(lines), given)
