"""The recipes for continuous integration: their YAML is what services expect, and their scripts run as they stand."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from support.recipes import ACTION, RECIPES, Repository, github_action, github_recipe, gitlab_recipe, recipe
from wherefrom.fleet.store import FORMAT

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.skipif(not shutil.which("bash") or not shutil.which("git"), reason="needs bash and git")


def check_comment(text: str) -> None:
    """The comment has the nodes, the difference and the edit behind it."""
    assert "**2 nodes: web01.example.org, web02.example.org**" in text
    assert "data/role/web.yaml:2" in text and "+nginx::worker_connections: 8192" in text
    assert "everybody" not in text and "common.yaml" not in text


@pytest.mark.long
@pytest.mark.parametrize("gate", [False, True])
def test_github(tmp_path: Path, gate: bool) -> None:
    """Compared with the branch as it is by now, commented, and the gate's status is that of the job."""
    repository = Repository(tmp_path, gate=gate)
    assert github_recipe(repository, "push") == 0
    assert github_recipe(repository, "pull_request") == (4 if gate else 0)
    comment = (repository.folder / "comment.md").read_text()
    check_comment(comment)
    assert (tmp_path / "summary").read_text() == comment
    assert repository.called[:6] == ["pip", "install", "wherefrom[fleet]"] * 2
    assert repository.called[-6:] == [
        "api", "--method", "POST", "repos/someone/control/issues/7/comments", "--field", "body=@comment.md",
    ]  # fmt: skip


@pytest.mark.parametrize("gate", [False, True])
def test_the_action(tmp_path: Path, gate: bool) -> None:
    """The same as an action: its gates are an input, one a line."""
    repository = Repository(tmp_path, gate=gate)
    gates = {"fail-on": "File[/nothing]\nService[*] removed\n"}
    assert github_action(repository, "push", **gates) == 0
    assert github_action(repository, "pull_request", **gates) == (4 if gate else 0)
    check_comment((tmp_path / "wherefrom.md").read_text())
    assert (tmp_path / "summary").read_text() == (tmp_path / "wherefrom.md").read_text()
    assert repository.called[-3:] == [
        "repos/someone/control/issues/7/comments", "--field", f"body=@{tmp_path / 'wherefrom.md'}",
    ]  # fmt: skip


def test_the_action_installs_the_tag_it_is_of() -> None:
    """Nothing is taken from an index that may have another version; every input is used, every step has a shell."""
    text = ACTION.read_text()
    action = yaml.safe_load(text)
    assert action["runs"]["using"] == "composite"
    assert 'pip install "$GITHUB_ACTION_PATH/..[fleet]"' in text
    assert all(f"inputs.{name}" in text for name in action["inputs"])
    assert all(("shell" in step) == ("run" in step) for step in action["runs"]["steps"])


def test_what_github_keeps() -> None:
    """The store is where the cache looks for it, by a path that its action takes: one without `..`
    (https://github.com/actions/cache/issues/684).  It is saved where every request can read it: by runs of the branch.
    """
    job = recipe("github.yml")["jobs"]["fleet"]
    restore, save = (step for step in job["steps"] if "actions/cache" in step.get("uses", ""))
    assert restore["with"]["path"] == save["with"]["path"] == job["env"]["STORE"]
    assert ".." not in job["env"]["STORE"].split("/")
    assert save["with"]["key"] == restore["with"]["key"] and "if" not in restore and "'push'" in save["if"]


def test_keys_of_caches_have_the_format_of_the_store() -> None:
    """A store of another format is not fetched, to be thrown away."""
    key = FORMAT.replace("/", "-")
    for text in (ACTION.read_text(), *(path.read_text() for path in RECIPES.glob("*.yml"))):
        keys = re.findall(r"(?:key|restore-keys): (wherefrom\S+)", text)
        assert all(name == key or name.startswith(f"{key}-") for name in keys)
        assert len(keys) == text.count("key: ") + text.count("restore-keys: ")


@pytest.mark.long
@pytest.mark.parametrize("gate", [False, True])
def test_gitlab(tmp_path: Path, gate: bool) -> None:
    """The same as a note on a merge request."""
    repository = Repository(tmp_path, gate=gate)
    assert gitlab_recipe(repository) == (4 if gate else 0)
    check_comment((repository.folder / "comment.md").read_text())
    assert "https://gitlab.example.org/api/v4/projects/3/merge_requests/7/notes" in repository.called
    assert "body=<comment.md" in repository.called
    assert repository.called[repository.called.index("--request") + 1] == "POST"
    job = recipe("gitlab.yml")["wherefrom"]
    assert job["cache"]["paths"] == [".wherefrom-store"] and (repository.folder / ".wherefrom-store").is_dir()


@pytest.mark.long
def test_modules_that_are_not_in_git(tmp_path: Path) -> None:
    """They are installed; where the branch wants another version, the base has its own, and what differs is told."""
    runs: dict[str, Callable[[Repository], int]] = {
        "github": lambda repository: github_recipe(repository, "pull_request"),
        "action": lambda repository: github_action(
            repository, "pull_request", **{"install-modules": "r10k puppetfile install"}
        ),
        "gitlab": gitlab_recipe,
    }
    for name, run in runs.items():
        place = tmp_path / name
        place.mkdir()
        repository = Repository(place, ignored=True)
        assert run(repository) == 0
        comment = (place / "wherefrom.md" if name == "action" else repository.folder / "comment.md").read_text()
        check_comment(comment)
        assert "+happenings {" in comment and "modules/nginx/templates/nginx.conf.epp:2" in comment
        assert "different modules: nginx v2.1.0 -&#62; v2.2.0" in comment and "could not find" not in comment.lower()


@pytest.mark.long
def test_a_comment_is_replaced(tmp_path: Path) -> None:
    """It is found by its first line, whoever else comments by the same account."""
    for name in ("github", "gitlab"):
        place = tmp_path / name
        place.mkdir()
        repository = Repository(place, known="4711")
        assert (github_recipe(repository, "pull_request") if name == "github" else gitlab_recipe(repository)) == 0
        called = " ".join(repository.called)
        if name == "github":
            replaced = "repos/someone/control/issues/comments/4711"
            assert called.endswith(f"api --method PATCH {replaced} --field body=@comment.md")
        else:
            assert "--request PUT" in called and called.endswith("/merge_requests/7/notes/4711")
