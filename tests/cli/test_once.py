"""A diagnostic is shown once for each place."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

import whence
from whence.cli.main import whence as command

MANIFEST = """notice("a \\q b \\q c \\q")
notice("\\q \\w")
[1, 2].each |$n| { warning('said by the manifest') }
"""


def test_check_tells_once(tmp_path: Path) -> None:
    """Three odd escapes of one kind in one string are one warning; another kind, and another string, are others."""
    (tmp_path / "site.pp").write_text(MANIFEST)
    answer = json.loads(CliRunner().invoke(command, ["check", "--json", str(tmp_path / "site.pp")]).stdout)
    told = [(each["line"], each["message"][-2:]) for each in answer["diagnostics"]]
    assert told == [(1, "q'"), (2, "q'"), (2, "w'")]
    assert len(whence.check(str(tmp_path / "site.pp"))) == 3


def test_compile_tells_once(tmp_path: Path) -> None:
    """The same among the lines of a compilation; what the manifest itself says twice is there twice."""
    (tmp_path / "site.pp").write_text(MANIFEST)
    logs = [log.message for log in whence.compile(str(tmp_path / "site.pp")).logs if log.level == "warning"]
    assert [line for line in logs if "escape" in line] == [
        "Unrecognized escape sequence '\\q'",
        "Unrecognized escape sequence '\\q'",
        "Unrecognized escape sequence '\\w'",
    ]
    assert logs.count("said by the manifest") == 2


def test_modules_are_told_once(tmp_path: Path) -> None:
    """Also of a file that is read while a catalog is compiled."""
    manifests = tmp_path / "modules" / "m" / "manifests"
    manifests.mkdir(parents=True)
    (manifests / "init.pp").write_text('class m { notice("\\q \\q \\q") }\n')
    (tmp_path / "manifests").mkdir()
    (tmp_path / "manifests" / "site.pp").write_text("include m\n")
    logs = [log.message for log in whence.compile(str(tmp_path), no_cache=True).logs if log.level == "warning"]
    assert logs == ["Unrecognized escape sequence '\\q'"]
