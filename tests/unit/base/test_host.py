"""Hosts: the only door to files, and it opens below the roots alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from wherefrom.base.diagnostics import CannotRead, LimitReached, OutsideRoots
from wherefrom.base.host import PureHost, RealHost


def test_files_below_the_root_are_read(tmp_path: Path) -> None:
    """The ordinary case."""
    (tmp_path / "a").write_text("x")
    assert RealHost([str(tmp_path)]).read_bytes(str(tmp_path / "a")) == b"x"


@pytest.mark.parametrize("escape", ["../secret", "sub/../../secret", "link"])
def test_nothing_outside_the_root_is_read(tmp_path: Path, escape: str) -> None:
    """Neither dots nor symbolic links lead out."""
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (tmp_path / "secret").write_text("x")
    (root / "link").symlink_to(tmp_path / "secret")
    host = RealHost([str(root)])
    with pytest.raises(OutsideRoots):
        host.read_bytes(str(root / escape))
    assert host.kind(str(root / escape)) is None


def test_a_sibling_with_the_same_beginning_is_outside(tmp_path: Path) -> None:
    """`/data-private` is not below `/data`."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data-private").write_text("x")
    with pytest.raises(OutsideRoots):
        RealHost([str(tmp_path / "data")]).read_bytes(str(tmp_path / "data-private"))


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    """A directory, a missing file and a NUL in the name are errors, not crashes."""
    host = RealHost([str(tmp_path)])
    for name in (str(tmp_path), str(tmp_path / "none"), str(tmp_path / "a\0b")):
        with pytest.raises(CannotRead):
            host.read_bytes(name)


def test_a_file_past_the_limit_is_not_read(tmp_path: Path) -> None:
    """Size is looked at before reading."""
    (tmp_path / "big").write_bytes(b"x" * 11)
    with pytest.raises(LimitReached):
        RealHost([str(tmp_path)], max_bytes=10).read_bytes(str(tmp_path / "big"))


def test_a_pure_host_has_files_and_their_directories() -> None:
    """A dictionary of files is a little file system."""
    host = PureHost({"m/a.pp": "x", "m/sub/b.pp": "y"})
    assert host.list_directory("m") == ["a.pp", "sub"]
    assert host.kind("m/sub") == "directory"
    assert host.read_bytes("./m/../m/a.pp") == b"x"
    with pytest.raises(CannotRead):
        host.read_bytes("m")


def test_environment_variables_are_hidden_unless_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A configuration does not see the environment by accident."""
    monkeypatch.setenv("SECRET", "x")
    assert RealHost([str(tmp_path)]).environment("SECRET") is None
    assert RealHost([str(tmp_path)], environ={"SECRET": "y"}).environment("SECRET") == "y"
