"""`set --apply` in somebody else's repository: it writes the files of the proposal, and nothing elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from attacks.running import wherefrom
from attacks.test_folders import contents

HIERA = """version: 5
hierarchy:
- {name: one, path: "%s"}
- {name: all, path: common.yaml}
"""
MANIFEST = "class p($mode = '0644') { file { '/a': mode => $mode } }\ninclude p\n"
SET = ("set", "control", "File[/a].mode", "0600", "--node", "web", "--facts", "facts.yaml")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An environment, and beside it a directory that is nobody's business."""
    control = tmp_path / "work/control"
    (control / "manifests").mkdir(parents=True)
    (control / "manifests/site.pp").write_text(MANIFEST)
    (control / "data/nodes").mkdir(parents=True)
    (control / "data/common.yaml").write_text("x: 1\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/there.yaml").write_text("x: 1\n")
    (tmp_path / "work/facts.yaml").write_text("up: ../../../outside/new\n")
    return tmp_path


PLACES = {
    "above": "../../../outside/new.yaml",
    "above, where there is one": "../../../outside/there.yaml",
    "by a fact": "%{facts.up}.yaml",
    "by its whole path": "{outside}/new.yaml",
    "behind a link to a directory": "linked/new.yaml",
    "behind a link": "linked.yaml",
    "behind a link to what is not there": "dangling.yaml",
    "in a directory that is not there": "../../../new/new.yaml",
}


@pytest.mark.parametrize("contained", ["yes", "no"])
@pytest.mark.parametrize("what", PLACES)
def test_no_edit_is_made_elsewhere(what: str, contained: str, site: Path) -> None:
    """Whatever a level of the data is called; also where no kernel keeps the command."""
    control, outside = site / "work/control", site / "outside"
    (control / "hiera.yaml").write_text(HIERA % PLACES[what].replace("{outside}", str(outside)))
    (control / "data/linked").symlink_to("../../../outside")
    (control / "data/linked.yaml").symlink_to("../../../outside/there.yaml")
    (control / "data/dangling.yaml").symlink_to("../../../outside/new.yaml")
    before = contents(outside)
    for number in ("1", "2", "3", "4"):
        arguments = (*SET, "--pick", number, "--apply")
        ran = wherefrom(*arguments, cwd=site / "work", environ={"WHEREFROM_CONTAINED": contained})
        assert ran.status in (0, 1, 2), ran
        assert b"internal error" not in ran.err, ran
        (control / "manifests/site.pp").write_text(MANIFEST)
        (control / "data/common.yaml").write_text("x: 1\n")
    assert contents(outside) == before
    assert not (site / "new").exists()
    assert not (site / "work/new").exists()


def test_the_edit_that_is_meant_is_made(site: Path) -> None:
    """The same command, where a level lies in the repository."""
    (site / "work/control/hiera.yaml").write_text(HIERA % "nodes/%{trusted.certname}.yaml")
    ran = wherefrom(*SET, "--for", "node", "--apply", cwd=site / "work")
    assert ran.status == 0, ran
    assert "p::mode" in (site / "work/control/data/nodes/web.yaml").read_text()
