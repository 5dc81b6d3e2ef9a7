"""The hooks for pre-commit: what they look at, and that they find what is wrong in it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.commands import ROOT, wherefrom

HOOKS: dict[str, dict[str, Any]] = {
    each["id"]: each for each in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
}
FILES = HOOKS["wherefrom-check"]["files"]
SPOILED = {
    "manifests/site.pp": "file { '/a' mode => 1 }",
    "modules/a/templates/a.epp": "<%= $x",
    "modules/a/templates/a.erb": "<% if %>",
    "data/common.yaml": "a: [\n",
    "data/nodes/a.eyaml": "- a\n- b\n",
    "modules/a/data/common.yml": "a: 1\n b: 2\n",
    "hieradata/a.json": "{",
    "hosts/a.sf": "sfConfig extends {",
    "flake.nix": "{ a = 1 }",
}


def run(hook: str, folder: Path, *files: str) -> tuple[int, str]:
    """What pre-commit runs."""
    entry = [*shlex.split(HOOKS[hook]["entry"])[1:], *HOOKS[hook].get("args", [])]
    named = files if HOOKS[hook].get("pass_filenames", True) else ()
    done = wherefrom(*entry, *named, cwd=folder)
    return done.returncode, done.stderr


@pytest.mark.parametrize("name", SPOILED)
def test_what_is_wrong_is_found(name: str, tmp_path: Path) -> None:
    """Each kind of file is looked at, and an error in it is found at its place."""
    assert re.search(FILES, name)
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SPOILED[name])
    status, said = run("wherefrom-check", tmp_path, name)
    assert status == 1 and f" {name}:" in said


def test_what_is_right_passes() -> None:
    """All files of the example repository at once, and the repository as a whole."""
    control = ROOT / "examples/control"
    names = sorted(str(path.relative_to(control)) for path in control.rglob("*") if path.is_file())
    looked_at = [name for name in names if re.search(FILES, name)]
    assert {Path(name).suffix for name in looked_at} == {".pp", ".epp", ".erb", ".yaml"}
    assert run("wherefrom-check", control, *looked_at) == (0, "")
    assert run("wherefrom-check-environment", control)[0] == 0
    assert not re.search(FILES, "hiera.yaml") and not re.search(FILES, ".github/workflows/a.yaml")


def test_a_repository_as_a_whole(tmp_path: Path) -> None:
    """An attribute that its type does not have is found, which no single file shows."""
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests/site.pp").write_text("file { '/a': moed => '0644' }\n")
    status, said = run("wherefrom-check-environment", tmp_path)
    assert status == 1 and "moed" in said
